#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests of tests/on_gpu/check: test_check.sh CHECKOUT CASE. GPU, ctest, compute-sanitizer, python3 and the
# steps are stand-ins.
set -eu

checkout=$1
cd "$(dirname "$0")/../tour"
. ./lib.sh

tools=$folder/tools
build=$folder/build
log=$folder/log
mkdir "$tools" "$build" "$build/emulator"
: >"$log"

# stand_in FILE: a program, its text on stdin.
stand_in()
{
    {
        echo '#!/bin/sh'
        printf 'log="%s"\n' "$log"
        cat
    } >"$1"
    chmod +x "$1"
}

# step CHAPTER NAME
step()
{
    mkdir -p "$build/$1"
    printf '{"chapter": "%s", "step": "%s", "program": "%s/%s"}\n' "$1" "$2" "$1" "$2" \
        >>"$build/manifest.jsonl"
    stand_in "$build/$1/$2" <<'END'
echo "step ${0##*/} $*" >>"$log"
echo '{"result":"42"}'
exit "${FAKE_STEP_CODE:-0}"
END
}

for chapter in sumsq reduction matmul prime; do
    printf '{"chapter": "%s", "title": "-"}\n' $chapter >>"$build/manifest.jsonl"
done
step sumsq v0_init_cuda
step sumsq v3_coalesced
step sumsq library_cub
step reduction r5a_no_barrier
step matmul m1_naive
printf '{"chapter": "empty", "title": "-"}\n' >>"$build/manifest.jsonl"
stand_in "$build/emulator/emu" <<'END'
exec "$@"
END
mkdir -p "$build/tests/emulator"
for program in campaign campaign_gpu; do
    stand_in "$build/tests/emulator/$program" <<'END'
echo "${0##*/} $*" >>"$log"
case $* in
*--record*) : >"${*##* }" ;;
*) echo 'seed 1, kernel 7: a difference' && exit "${FAKE_CAMPAIGN_CODE:-0}" ;;
esac
END
done
stand_in "$tools/nvidia-smi" <<'END'
echo "GPU 0: Fake"
END
stand_in "$tools/ctest" <<'END'
echo "ctest $*" >>"$log"
END
stand_in "$tools/python3" <<'END'
echo "python3 $*" >>"$log"
END
stand_in "$tools/compute-sanitizer" <<'END'
echo "sanitizer $*" >>"$log"
case $* in
*racecheck*/r5a_*) exit "${FAKE_RACE_CODE:-9}" ;;
esac
END

check()
{
    PATH=$tools:$PATH sh "$checkout/tests/on_gpu/check" --build "$build" "$@"
}

refused()
{
    expect_code 2 check "$@"
    expect_one_line err
    expect_line err 'check: '
    expect_empty out
    [ ! -s "$log" ] || fail "it ran something before refusing"
}

test_arguments()
{
    refused --build
    refused --chapter
    refused --chapter ''
    refused --jobs
    refused --jobs 0
    refused --nonsense
    refused --build /nowhere
    refused --chapter nope sizes sanitize bits
    expect_line err "no chapter 'nope'; there are: sumsq reduction matmul prime empty"
    refused --chapter prime counters
}

test_no_gpu()
{
    rm "$tools/nvidia-smi"
    stand_in "$tools/nvidia-smi" <<'END'
exit 9
END
    expect_code 77 check
    expect_one_line err
    expect_empty out
    [ ! -s "$log" ] || fail "it ran something"
}

test_passes()
{
    mkdir "$build/chapter"
    echo 'set_tests_properties(a LABELS "gpu" RESOURCE_LOCK "gpu" TIMEOUT "9")' \
        >"$build/chapter/CTestTestfile.cmake"
    expect_code 0 check
    [ "$(cat "$folder/out")" = 'tests: passed
sizes: passed
sanitize: passed
bits: passed
counters: passed
campaign: passed' ] || fail "not a line a part"
    expect_line err 'check: bits passed, after '
    expect_line log "ctest --test-dir $build/gpu_check/tests -L ^gpu\$ -j"
    expect_line build/gpu_check/tests/chapter/CTestTestfile.cmake 'set_tests_properties(a LABELS "gpu" TIMEOUT "9")'
    expect_line log 'step library_cub --n 268435456' # sizes of libraries too
    expect_no_line log 'step v0_init_cuda'
    expect_code 1 env FAKE_STEP_CODE=3 PATH="$tools:$PATH" sh "$checkout/tests/on_gpu/check" \
        --build "$build" sizes
    expect_line out 'FAILED (3) size_sumsq_v3_coalesced'
    expect_line out 'sizes: FAILED'
}

# A part that found nothing to do has shown nothing.
test_nothing()
{
    for part in sizes sanitize bits; do
        expect_code 1 check --chapter empty $part
        expect_line out 'nothing to run'
        expect_line out "$part: FAILED"
    done
}

# Ten thousand kernels, the records of which go once they are compared.
test_campaign()
{
    expect_code 0 check campaign
    expect_line log 'campaign_gpu --first 9500 --count 500 --record'
    [ "$(grep -c '^campaign --compare' "$log")" -eq 20 ] || fail "not every record is compared"
    [ -z "$(find "$build" -name 'kernels_*')" ] || fail "it leaves records behind"
    expect_code 1 env FAKE_CAMPAIGN_CODE=1 PATH="$tools:$PATH" sh "$checkout/tests/on_gpu/check" \
        --build "$build" campaign
    expect_line out 'seed 1, kernel 7: a difference'
    expect_line out 'campaign: FAILED'
}

test_counters()
{
    expect_code 0 check --chapter reduction --chapter matmul tests counters
    expect_line log "-L ^gpu\$ -L ^(reduction|matmul)\$ -j"
    expect_line log "--chapter reduction --runs 1 --n 1048576"
    expect_line log "--chapter matmul --runs 1 --n 256"
    expect_no_line log '--chapter sumsq'
    expect_code 0 check --chapter sumsq counters
    expect_line log "--chapter sumsq --runs 1 --n 1048576"
}

# Only racecheck's own code says that it saw the race.
test_racecheck()
{
    expect_code 0 check sanitize
    for FAKE_RACE_CODE in 0 1 127; do
        export FAKE_RACE_CODE
        expect_code 1 check sanitize
        expect_line out "FAILED ($FAKE_RACE_CODE) racecheck_reduction_r5a_no_barrier"
    done
}

test_shellcheck()
{
    if ! command -v shellcheck >/dev/null; then
        exit 77
    fi
    shellcheck -x "$checkout/tests/on_gpu/check" "$checkout/tests/on_gpu/test_check.sh"
}

"test_$2"
