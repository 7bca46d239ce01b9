#!/bin/sh
# SPDX-License-Identifier: MIT
# What one click starts: worker.sh WORKER BUILD CHECKOUT CASE.
set -eu

worker=$1 build=$2 checkout=$3 wanted=$4
programs=$checkout/tests/serve/programs
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail()
{
    echo "$*" >&2
    cut -c 1-2000 "$folder/out" >&2
    exit 1
}

# ask KIND FILE KEY=VALUE ...: a request, its source from FILE; all events are in $folder/out.
ask()
{
    perl -MJSON::PP -e '
        my %request = (kind => shift);
        my $file = shift;
        if ($file) { open my $in, "<", $file or die; local $/; $request{source} = <$in> }
        for (@ARGV) {
            my ($key, $value) = split /=/, $_, 2;
            $request{$key} = $value =~ /^\d+$/ ? 0 + $value : $value eq "true" ? JSON::PP::true : $value;
        }
        print encode_json(\%request)' "$@" >"$folder/request"
    "$worker" "$checkout" "$build" <"$folder/request" >"$folder/out"
}

has()
{
    grep -q -- "$1" "$folder/out" || fail "no '$1'"
}

hasnt()
{
    ! grep -q -- "$1" "$folder/out" || fail "'$1'"
}

need_sandbox()
{
    "$worker" --sandbox || {
        echo 'no user namespaces here: skipped'
        exit 77
    }
}

case_grade()
{
    puzzles=$checkout/puzzles
    ask grade "$puzzles/01_every_element/solution.cu" puzzle=01_every_element
    has '"verdict":"passed"'
    ask grade "$puzzles/13_wait_for_it/puzzle.cu" puzzle=13_wait_for_it language=zh
    has '"verdict":"race"' && has '"words":"竞争"' && has '"line":28' && has '处写，block'
    ask grade "$puzzles/13_wait_for_it/puzzle.cu" puzzle=13_wait_for_it bare=true
    has '"verdict":"race"'
    ask grade '' puzzle=../13_wait_for_it
    has '"event":"failed"'
}

case_step()
{
    ask step '' step=sumsq/v3_coalesced n=10000 threads=64 trace=true
    has '"n":10000' && has '"block":\[64,1,1\]' && has '"name":"sum_of_squares"' && has '<!doctype html>'
    ask step '' step=sumsq/v3_coalesced n=1 threads=2000
    has '"code":2' && has 'threads'
    ask step '' step=sumsq/v3_nothing
    has '"event":"failed"'
    ask ladder '' step=start
    has '"event":"ladder"' && has 'a2_vector_add'
}

# The GPU of this machine: where there is none, its step says so; for one stands the emulator's runtime.
case_own_gpu()
{
    ask step '' step=sumsq/v3_coalesced gpu=own n=1000
    has '"code":77' || has '"verdict":"match"'
    (
        export LD_LIBRARY_PATH="$build/emulator"
        ask step '' step=sumsq/v3_coalesced gpu=own n=1000 trace=true
    )
    has '"verdict":"match"' && has '"n":1000' && has '"kernels":null' && hasnt '"trace"'
    ask program "$programs/races.cu" gpu=own
    has '"event":"failed"'
}

case_program()
{
    need_sandbox
    ask program "$checkout/sumsq/v3_coalesced.cu" step=sumsq/v3_coalesced check=true n=10000
    has '"verdict":"match"' && has '"original":' && has '"why":' && has 'checked, 0 reports'
    sed 's/num\[i\] \* num/num[i] * nom/' "$checkout/sumsq/v3_coalesced.cu" >"$folder/wrong.cu"
    ask program "$folder/wrong.cu" step=sumsq/v3_coalesced
    has '"event":"compile"' && has '"failed":true' && has '"line":[0-9]*,"text":"v3_coalesced.cu(.*nom'
    ask program "$programs/races.cu" check=true
    has 'race: 4 bytes' && has '"line":'
    ask program "$checkout/sumsq/v3_coalesced.cu" bare=true
    has '"event":"failed"' && has 'no programs of one'
}

# Programs that mean harm: contained, and nothing of them is left.
case_harm()
{
    need_sandbox
    ask program "$programs/spy.cu"
    has '"output":"found 0.n"'
    ask program "$programs/flood.cu"
    [ "$(wc -c <"$folder/out")" -lt 200000 ] || fail 'too long'
    has 'File size limit' && has '"event":"stopped"'
    ask program "$programs/greedy.cu"
    has 'took more than 1536 MiB'
}

# Those that end only when their time is up.
case_endless()
{
    need_sandbox
    ask program "$programs/bomb.cu"
    has 'no more processes' && has 'stopped after 10 seconds'
    ask program "$programs/endless.cu"
    has 'stopped after 10 seconds'
    # Other tests' programs run beside this one, but none for longer than 30 seconds.
    left=$(grep -lx program /proc/[0-9]*/comm 2>/dev/null) || return 0
    for _ in $(seq 45); do
        # shellcheck disable=SC2086 # a list of files
        grep -qsx program $left || return 0
        sleep 1
    done
    fail 'processes are left'
}

"case_$wanted"
