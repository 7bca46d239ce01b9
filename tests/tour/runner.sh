#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests of the runner: runner.sh TOUR CASE. UPDATE=1 in the environment rewrites expected/.
set -eu

tour=$1
cd "$(dirname "$0")"
. ./lib.sh
. ../terminal.sh

climb='climb/c0_look climb/c1_slow climb/c2_wide climb/c3_fast'

# on DEVICE ARGUMENT...: the runner over the stand-ins.
on()
{
    device=$1
    shift
    "$tour" --build fixture --on "$device" "$@"
}

# golden NAME CODE DEVICE ARGUMENT...: what it prints is expected/NAME.txt.
golden()
{
    name=$1
    shift
    code=$1
    shift
    expect_code "$code" on "$@"
    expect_empty err
    expect_text "$name" "$folder/out"
}

test_ladder()
{
    # shellcheck disable=SC2086 # words
    golden ladder 0 gpu run $climb
}

test_narrow()
{
    for columns in 120 80 59 30; do
        export COLUMNS=$columns
        # shellcheck disable=SC2086 # words
        golden narrow_$columns 0 gpu run $climb
    done
}

test_ascii()
{
    export LC_ALL=C COLUMNS=100
    # shellcheck disable=SC2086 # words
    golden ascii 0 gpu run $climb
}

# What a kernel prints is shown of a step alone, and no more of it than a screen has room for.
test_printed()
{
    FAKE_PRINTED=$(printf 'hello %d\n' 1 2 3 4 5 6 7 8 9 10 11 12 13; echo "emu: says so")
    export FAKE_PRINTED
    expect_code 0 on emulator run climb/c1_slow
    grep -A 1 '^printed:$' "$folder/out" | grep -qx '  hello 1' || fail "no hello"
    tail -n 4 "$folder/out" | grep -qx '  \.\.\.' || fail "no end"
    ! grep 'hello 13\|says so' "$folder/out" || fail "too much"
    expect_code 0 on emulator run climb/c1_slow climb/c2_wide
    ! grep hello "$folder/out" || fail "of two steps"
    expect_code 1 on emulator run trouble/t2_mismatch
    grep -A 1 '^printed:$' "$folder/out" | grep -qx '  hello 1' || fail "no hello of what is wrong"
}

test_emulated()
{
    # shellcheck disable=SC2086 # words
    golden emulated 0 emulator run $climb
}

# On the emulator the next step has begun by the time that the first ends, and results keep their order;
# on a GPU each has it for itself.
test_beside()
{
    expect_code 0 on emulator run climb/c1_slow climb/c2_wide climb/c3_fast
    cp "$folder/out" "$folder/all"
    export FAKE_WAITS=c1_slow FAKE_FILE="$folder/begun"
    expect_code 1 on gpu --timeout 1 run climb/c1_slow climb/c2_wide
    expect_line out 'stopped after 1 s'
    rm "$FAKE_FILE"
    [ "$(nproc)" -gt 1 ] || exit 77
    expect_code 0 on emulator --timeout 20 run climb/c1_slow climb/c2_wide climb/c3_fast
    cmp "$folder/out" "$folder/all" || fail "another ladder"
    # Both are gone when somebody interrupts.
    rm "$FAKE_FILE"
    export FAKE_PIDS="$folder/pids"
    : >"$FAKE_PIDS"
    env --default-signal=INT "$tour" --build fixture --on emulator run climb/c1_slow trouble/t4_hang \
        >"$folder/out" 2>"$folder/err" &
    runner=$!
    wait_for_lines "$FAKE_PIDS" 3
    kill -s INT $runner
    wait $runner 2>"$folder/wait" || :
    expect_all_gone "$FAKE_PIDS"
}

# Checked at one size, timed at another; what is wrong is not timed. No sample is a match.
test_sampled()
{
    golden sampled 0 emulator --sample run climb/c1_slow climb/c2_wide
    expect_code 0 on emulator --sample --json "$folder/sampled.json" run climb/c1_slow
    grep -q '"outcome": *"sampled"' "$folder/sampled.json" || fail "it is not sampled"
    ! grep -q '"match"' "$folder/sampled.json" || fail "a sample matches"
    expect_code 1 on emulator --sample run trouble/t2_mismatch
    grep -q mismatch "$folder/out" || fail "no mismatch"
    expect_code 0 on emulator --sample diff climb/c1_slow climb/c2_wide
    expect_code 2 on gpu --sample run climb/c1_slow
    expect_code 2 on emulator --sample check climb/c1_slow
}

# What was counted has a screen of its own, with the article's figures.
test_counters()
{
    # shellcheck disable=SC2086 # words
    golden counters 0 emulator --counters run $climb
    # shellcheck disable=SC2086 # words
    expect_code 0 on gpu --counters run $climb
    expect_line out 'nothing was counted'
}

test_markdown()
{
    # shellcheck disable=SC2086 # words
    golden markdown 0 emulator --markdown run $climb
    golden markdown_trouble 1 gpu --markdown run trouble/t2_mismatch trouble/t1_fine
}

# Every kind of failure has its row, and the others are run all the same.
test_trouble()
{
    golden trouble 1 gpu --timeout 1 run
}

# A page whose numbers may break, and that does not say when it was made.
plain_page()
{
    sed 's/&nbsp;/ /g; s|<time>.*</time>||' "$1"
}

# What the emulator said of a fault is the reason, whole, and no CUDA call's error that follows from it.
test_fault()
{
    found='out-of-bounds load of 4 bytes at 0x7000 in kernel add, x.cu:16, block (390,0,0), thread (160,0,0); 0 bytes past the end of a 400000-byte allocation'
    expect_code 1 on emulator --json "$folder/fault.json" --html "$folder/fault.html" run \
        trouble/u5_fault trouble/u6_ignores
    expect_no_line out cudaErrorIllegalAddress
    plain_page "$folder/fault.html" >"$folder/page"
    for text in "$found" "reference 29888: a block was left out; $found"; do
        grep -qF "$text" "$folder/fault.json" || fail "'$text' is not in the JSON"
        expect_line page "$text"
        expect_line out "$text"
    done
    COLUMNS=80 expect_code 1 on emulator run trouble/u5_fault
    expect_line out 'no step came to its end'
    awk 'length > 80 { exit 1 }' "$folder/out" || fail "wider than 80 columns"
    [ "$(sed -n '/out-of-bounds/,/^$/p' "$folder/out" | tr -s ' \n' ' ')" = " $found " ] ||
        fail "not whole at 80 columns"
    expect_code 1 on emulator diff climb/c1_slow trouble/u5_fault
    expect_line out "so there is nothing to compare: $found."
    expect_code 1 on gpu run trouble/u5_fault
    expect_line out 'exit status 3: cudaGetLastError() at x.cu:35 failed: cudaErrorIllegalAddress'
}

# --n goes to the steps that have it; --runs to all. The size stands above the table.
test_sizes()
{
    # shellcheck disable=SC2086 # words
    golden sizes 0 gpu --n 4096 --runs 5 run $climb
    expect_line out 'n = 4 096, median of 5 runs'
    # shellcheck disable=SC2086 # words
    golden sizes 0 gpu --n 0x1000 --runs 0x5 run $climb
    expect_code 0 env FAKE_N=77 "$tour" --build fixture --on gpu run climb/c1_slow
    expect_line out 'n = 77'
}

# Where to find the programs, for people; a table in a page has no use for it.
test_programs()
{
    expect_code 0 on gpu run climb/c1_slow trouble/t1_fine
    expect_line out 'programs: fixture/climb'
    expect_line out 'programs: fixture/trouble'
    expect_code 0 on gpu --markdown run climb/c1_slow
    expect_no_line out 'programs:'
}

# Steps that measure nothing have a result in the place of a time; one that does, next to them, a time.
test_untimed()
{
    golden untimed 0 emulator run climb/c0_look
    expect_code 0 on emulator diff climb/c0_look climb/c0_look
    expect_no_line out 'time'
    expect_no_line out 'of peak'
    expect_code 0 on emulator run climb/c0_look climb/c1_slow
    expect_line out 'modelled'
    expect_no_line out 'result'
    # What the CPU answers takes no modelled time: what is left is no time of the step.
    export FAKE_ON_CPU='{"name":"ncclAllReduce","calls":1}'
    expect_code 0 on emulator --json "$folder/untimed.json" run climb/c0_look climb/c1_slow trouble/t1_fine
    expect_line out ' 640 ms '
    expect_line out 't1_fine  one that works   match'
    expect_line out '  a stand-in of the library computes on the CPU, in no modelled time'
    grep -q '"ms": null' "$folder/untimed.json" || fail "a time in the JSON"
    expect_code 0 on emulator --markdown run climb/c1_slow trouble/t1_fine
    expect_line out '- t1_fine: a stand-in of the library computes'
}

# The time with copies has a column where a step measures it.
test_whole()
{
    # shellcheck disable=SC2086 # words
    expect_code 0 env FAKE_TOTAL=812.5 "$tour" --build fixture --on gpu run $climb
    expect_line out 'with copies'
    expect_line out '812 ms'
    # shellcheck disable=SC2086 # words
    expect_code 0 on gpu run $climb
    expect_no_line out 'with copies'
}

# Ladder and diff call cycles what the step calls so: the longest block, not the article's span.
test_cycles()
{
    export FAKE_CYCLES=168674 FAKE_SPAN=168954
    expect_code 0 on emulator run climb/c2_wide climb/c3_fast
    expect_line out '168 674'
    expect_no_line out '168 954'
    expect_code 0 on emulator diff climb/c2_wide climb/c3_fast
    expect_line out '168 674'
    expect_no_line out '168 954'
}

test_json()
{
    json=$folder/results/out.json
    mkdir "$folder/results"
    # shellcheck disable=SC2086 # words
    expect_code 0 on emulator --json "$json" run $climb
    expect_text json "$json"
    cp "$json" "$folder/first.json"
    # shellcheck disable=SC2086 # words
    expect_code 0 on emulator --json "$json" run $climb
    cmp "$json" "$folder/first.json" || fail "a second run wrote something else"
    [ "$(ls "$folder/results")" = out.json ] || fail "more than the file in its folder"
    expect_code 1 on gpu --json "$folder/nowhere/out.json" run climb/c1_slow
    expect_one_line err
}

# A page is written whole or not at all; what could not be written costs one line and the exit code.
test_html()
{
    mkdir "$folder/results" "$folder/results/taken"
    # shellcheck disable=SC2086 # words
    expect_code 0 on emulator --html "$folder/results/out.html" run $climb
    grep -q '^</html>' "$folder/results/out.html" || fail "no whole page"
    plain_page "$folder/results/out.html" >"$folder/first.html"
    # shellcheck disable=SC2086 # words
    expect_code 0 on emulator --html "$folder/results/out.html" run $climb
    plain_page "$folder/results/out.html" >"$folder/second.html"
    cmp "$folder/second.html" "$folder/first.html" || fail "a second run wrote something else"
    for path in /dev/full "$folder/nowhere/out.html" "$folder/results/taken"; do
        expect_code 1 on gpu --html "$path" run climb/c1_slow
        expect_line err "cannot write $path"
        expect_one_line err
    done
    (
        ulimit -f 4
        trap '' XFSZ
        expect_code 1 on emulator --html "$folder/results/out.html" run climb/c1_slow
    ) || exit 1
    expect_line err 'cannot write'
    plain_page "$folder/results/out.html" | cmp - "$folder/first.html" || fail "half a page"
    [ "$(find "$folder/results" -type f | wc -l)" -eq 1 ] || fail "something was left"
    refused --build checked --on emulator --html "$folder/x" check course/a1_clean
}

test_compare()
{
    old=$folder/old.json
    # shellcheck disable=SC2086 # words
    expect_code 0 on emulator --json "$old" run $climb
    sed 's/"global_sectors": 256/"global_sectors": 2048/;
         s/"warp_instructions": 1000,/"warp_instructions": 999,/' "$old" >"$folder/edited.json"
    FAKE_FACTOR=0.5
    export FAKE_FACTOR
    # shellcheck disable=SC2086 # words
    expect_code 0 on emulator --compare "$folder/edited.json" run $climb
    expect_text compare "$folder/out"
    unset FAKE_FACTOR
    # shellcheck disable=SC2086 # words
    expect_code 0 on emulator --compare "$old" run $climb
    expect_no_line out faster
    expect_no_line out slower
    # shellcheck disable=SC2086 # words
    expect_code 0 on emulator --compare "$old" --fail-slower 0 run $climb
    # Format 1 wrote whole numbers as strings.
    sed 's/"format": 2/"format": 1/; s/"n": \([0-9][0-9]*\)/"n": "\1"/' "$old" >"$folder/format1.json"
    # shellcheck disable=SC2086 # words
    expect_code 0 on emulator --compare "$folder/format1.json" --fail-slower 0 run $climb
    FAKE_FACTOR=0.8
    export FAKE_FACTOR
    # shellcheck disable=SC2086 # words
    expect_code 0 on emulator --json "$folder/fast.json" run $climb
    unset FAKE_FACTOR
    # shellcheck disable=SC2086 # words
    expect_code 1 on emulator --compare "$folder/fast.json" --fail-slower 24 run $climb
    expect_line err 'climb/c1_slow takes 25.0 % longer than it did; 24 % is the limit'
    # shellcheck disable=SC2086 # words
    expect_code 0 on emulator --compare "$folder/fast.json" --fail-slower 26 run $climb
    sed 's/"Fake GPU"/"Another GPU"/' "$folder/fast.json" >"$folder/another.json"
    # shellcheck disable=SC2086 # words
    expect_code 1 on emulator --compare "$folder/another.json" --fail-slower 10 run $climb
    expect_line err 'no step can be compared'
    expect_code 1 on gpu --compare "$old" --fail-slower 10 run trouble/t2_mismatch
    expect_line err 'no step can be compared'
    expect_code 2 on gpu --fail-slower 10 run climb/c1_slow
    expect_one_line err
    expect_code 1 on gpu --markdown --compare "$old" run climb/c1_slow trouble/t2_mismatch
    expect_text compare_markdown "$folder/out"
    echo '{"format": 3, "steps": []}' >"$old"
    expect_code 2 on gpu --compare "$old" run climb/c1_slow
    expect_one_line err
    expect_empty out
    echo '[' >"$old"
    expect_code 2 on gpu --compare "$old" run climb/c1_slow
    expect_one_line err
}

test_diff()
{
    golden diff 0 emulator diff climb/c2_wide climb/c3_fast
    golden diff_gpu 0 gpu diff climb/c3_fast climb/c2_wide
    expect_code 1 on gpu diff climb/c2_wide trouble/t1_fine
    expect_one_line err
    expect_code 0 on emulator diff climb/c3_fast climb/c3_fast
    expect_line out 'The same step twice'
    expect_no_line out 'bank conflicts' # as many: only what differs
    expect_code 0 on emulator diff climb/c1_slow climb/c2_wide
    expect_line out 'memory transactions'
    expect_code 0 on emulator diff climb/c2_wide climb/c3_fast
    expect_no_line out 'global load requests'
}

# First why, in one sentence, then the code without head comments; all on a page of a lecture.
test_diff_page()
{
    export COLUMNS=100
    expect_code 0 on emulator diff climb/c2_wide climb/c3_fast
    head -n 1 "$folder/out" >"$folder/first"
    expect_line first ' times as fast: '
    [ "$(wc -l <"$folder/out")" -le 30 ] || fail "more than 30 lines"
    if grep -nE ".{101}" "$folder/out"; then
        fail "lines wider than 100 columns"
    fi
    # of code that the screen has no room for the most telling lines; all of it in a pipe, or where
    # that is asked for
    mkdir -p "$folder/fixture/climb"
    awk 'BEGIN { for (i = 0; i < 60; i++) print "old", i }' >"$folder/fixture/climb/c2_wide"
    awk 'BEGIN { for (i = 0; i < 60; i++) print "new", i }' >"$folder/fixture/climb/c3_fast"
    for lines in 24 30 40; do
        expect_code 0 env LINES=$lines "$tour" --build fixture --checkout "$folder" --on emulator \
            diff climb/c2_wide climb/c3_fast
        [ "$(wc -l <"$folder/out")" -lt $lines ] || fail "more than a screen of $lines lines"
        expect_line out 'more changed lines: ./tour diff --all c2_wide c3_fast'
        expect_line out 'bank conflicts'
        expect_line out ' - old 2'
        expect_no_line out ' - old 33'
        expect_code 0 env LINES=$lines "$tour" --build fixture --checkout "$folder" --on emulator \
            --all diff climb/c2_wide climb/c3_fast
        expect_line out ' - old 33'
        expect_line out ' + new 59'
        expect_no_line out 'more changed'
    done
    expect_code 0 "$tour" --build fixture --checkout "$folder" --on emulator \
        diff climb/c2_wide climb/c3_fast
    expect_line out ' + new 59'
    expect_no_line out 'more changed'
    for refused in '--all run climb/c2_wide' 'diff climb/c2_wide' 'diff climb/c1_slow climb/c2_wide climb/c3_fast'; do
        # shellcheck disable=SC2086 # words
        expect_code 2 on emulator $refused
        expect_one_line err
        expect_line err 'never asks for that'
    done
    expect_code 1 on emulator diff climb/c2_wide trouble/t2_mismatch
    expect_line out 't2_mismatch gives a wrong result, so its time counts for nothing'
    expect_code 77 on emulator diff climb/c2_wide trouble/u1_skips
    expect_line out 'u1_skips did not run here, so there is nothing to compare'
}

# on_devices CODE ARGUMENT...: a diff of the steps that differ in the GPU they want.
on_devices()
{
    code_wanted=$1
    shift
    expect_code "$code_wanted" "$tour" --build devices --on emulator "$@"
}

test_diff_devices()
{
    on_devices 0 diff past/s1_old past/s2_old
    expect_line out 'geforce-8800-gt, driver 13.0, toolkit 13.0, n = 1 048 576, times from its model'
    expect_no_line out 'chosen'
    for steps in 'past/s1_old climb/k1_other' 'climb/k1_other past/s1_old' \
        'past/s2_old past/s3_new'; do
        # shellcheck disable=SC2086 # words
        on_devices 0 diff $steps
        expect_line out 'default, driver 13.0, toolkit 13.0, n = 1 048 576, times from its model'
        expect_line out 'chosen to run both'
        expect_no_line out 'geforce-8800-gt, driver'
        expect_empty err
    done
    on_devices 77 diff past/s1_old past/s4_never
    expect_line err 'tour: past/s4_never: skipped: needs a real GPU'
    expect_one_line err
    on_devices 77 --gpu geforce-8800-gt diff past/s1_old past/s3_new
    expect_line err 'needs a newer GPU'
    on_devices 0 diff climb/k1_other climb/k2_larger
    expect_line out 'not comparable'
}

test_exit_codes()
{
    expect_code 77 on gpu run trouble/u1_skips
    expect_one_line err
    expect_line err 'needs compute capability 9.0'
    expect_code 2 on gpu run trouble/t9_refuses
    expect_one_line err
    expect_code 0 on gpu run trouble/t9_refuses trouble/u1_skips trouble/t1_fine
    expect_code 77 on gpu diff climb/c1_slow trouble/u1_skips
    expect_code 2 on gpu diff climb/c1_slow trouble/t9_refuses
    expect_line err 'trouble/t9_refuses: refused: --n 5: a 32-bit sum would overflow'
    expect_code 1 on gpu diff climb/c1_slow trouble/t2_mismatch
    expect_line err 'trouble/t2_mismatch: mismatch: '
    expect_code 0 on gpu run trouble/u4_wrong trouble/t1_fine
    expect_line out 'on purpose: no barrier'
    for step in t2_mismatch t3_crash t5_garbage t6_liar t7_error t8_missing; do
        expect_code 1 on gpu run trouble/$step trouble/t1_fine
        expect_line out t1_fine
    done
    expect_code 1 sh -c '"$@" >/dev/full' sh "$tour" --build fixture --on gpu run climb/c1_slow
}

# check ARGUMENT...: the verdicts on stand-ins for steps under checkers and schedules.
check()
{
    "$tour" --build checked --on emulator "$@"
}

# Every kind of verdict has its row.
test_check()
{
    # shellcheck disable=SC2046 # words
    expect_code 1 check --timeout 1 check $(verdict_steps)
    expect_empty err
    expect_text check "$folder/out"
    COLUMNS=60 expect_code 1 check check course/a2_racy course/d1_flagged
    expect_code 1 check --markdown check course/a2_racy
    expect_line out '| course/a2_racy | found | race in kernel two, store at course/k.cu:8, block (0,0,0), thread (32,0,0): 4'
    expect_line out '32 times (the first of 2 reports); in all race 1, init 1 |'
}

verdict_steps()
{
    sed -n 's|.*"step": "\([^"]*\)".*|course/\1|p' checked/manifest.jsonl
}

# A run under the checkers, as the chapters' tests make it, and one for each schedule; the size is the
# step's own for checkers unless another is asked for. Of a step that is skipped one run is enough.
test_check_runs()
{
    export FAKE_LOG="$folder/log"
    expect_code 0 check check course/a1_clean
    program=checked/course/a1_clean
    diff - "$FAKE_LOG" <<END || fail "it was run in another way"
--check=all,leak $program --json --no-poison --no-guard --n 65
--schedule=forward $program --json --n 65
--schedule=reverse $program --json --n 65
--schedule=random:1 $program --json --n 65
END
    : >"$FAKE_LOG"
    expect_code 0 check --n 0x10 --gpu h100 check course/a1_clean
    [ "$(grep -c -- "--gpu=h100 $program --json.* --n=16$" "$FAKE_LOG")" -eq 4 ] || fail "not so each time"
    : >"$FAKE_LOG"
    expect_code 0 check --n 0 check course/a1_clean
    [ "$(grep -c -- "$program --json.* --n=0$" "$FAKE_LOG")" -eq 4 ] || fail "not at size 0"
    : >"$FAKE_LOG"
    expect_code 1 check --n 16 check course/a3_leaks
    ! grep -q -- --n= "$FAKE_LOG" || fail "a size for a step that has none"
    : >"$FAKE_LOG"
    expect_code 77 check check course/e1_skips
    expect_one_line log
    # What needs more than the default GPU has is checked as an H100, or as the GPU that was asked for.
    for gpu in h100 h200; do
        : >"$FAKE_LOG"
        if [ $gpu = h100 ]; then
            expect_code 0 check check course/a4_newer
        else
            expect_code 0 check --gpu $gpu check course/a4_newer
        fi
        [ "$(grep -c -- "--gpu=" "$FAKE_LOG")" -eq 4 ] || fail "not so each time"
        [ "$(grep -c -- "--gpu=$gpu checked/course/a4_newer " "$FAKE_LOG")" -eq 4 ] || fail "not as $gpu"
    done
}

test_check_codes()
{
    for step in a1_clean d1_flagged d4_wrong_order; do
        expect_code 0 check check course/$step
    done
    expect_code 0 check check course/a1_clean course/e1_skips course/e2_refuses
    expect_code 77 check check course/e1_skips
    expect_line out 'needs compute capability 9.0'
    expect_code 77 check check course/e3_on_cpu
    expect_code 2 check check course/e2_refuses
    expect_line out 'overflow'
    for step in a2_racy a3_leaks b1_reverse b2_random_crash b3_wrong_sum c1_crash c3_silent \
        d2_unflagged d3_race_and_more d5_wrong_unseen d6_wrong_crash; do
        expect_code 1 check check course/a1_clean course/$step
    done
    expect_code 1 sh -c '"$@" >/dev/full' sh "$tour" --build checked --on emulator check course/a1_clean
    refused --build checked --on emulator check
    refused --build checked --on emulator check course/a9_none
    expect_line err "no step 'course/a9_none'"
    refused --build checked --on gpu check course/a1_clean
    refused --build checked --on emulator --runs 3 check course/a1_clean
}

test_check_json()
{
    expect_code 1 check --json "$folder/check.json" check course/a1_clean course/a2_racy course/b1_reverse \
        course/d1_flagged course/e1_skips
    expect_text check_json "$folder/check.json"
    expect_code 1 check --json /nowhere/x check course/a1_clean
    expect_line err 'cannot write /nowhere/x'
}

# Interrupted, it shows the verdicts it has, and leaves nothing behind.
test_check_interrupt()
{
    export FAKE_PIDS="$folder/pids"
    : >"$FAKE_PIDS"
    "$tour" --build checked --on emulator --json "$folder/out.json" \
        check course/a1_clean course/c2_hang course/d1_flagged >"$folder/out" 2>"$folder/err" &
    wait_for_lines "$FAKE_PIDS" 2
    kill -s TERM $!
    code=0
    wait $! 2>"$folder/wait" || code=$?
    [ $code -eq 143 ] || fail "exit status $code after SIGTERM"
    expect_all_gone "$FAKE_PIDS"
    expect_line out a1_clean
    expect_no_line out d1_flagged
    expect_line err 'interrupted; steps checked by then: 1'
    [ ! -e "$folder/out.json" ] || fail "it wrote results"
}

# refused ARGUMENT...: one line, exit 2, and nothing was run.
refused()
{
    expect_code 2 "$tour" "$@"
    expect_one_line err
    expect_empty out
}

test_arguments()
{
    refused
    refused --build fixture run
    refused --build fixture --on mars run
    refused --build fixture --on gpu
    refused --build fixture --on gpu fly
    refused --build fixture --on gpu run climb/c9_none
    refused --build fixture --on gpu run climb
    refused --build fixture --on gpu diff climb/c1_slow
    refused --build fixture --on gpu slides climb/c1_slow # no terminal
    for n in -1 x '' 1073741825 99999999999999999999 1.5 ' 1'; do
        refused --build fixture --on gpu --n "$n" run
    done
    refused --build fixture --on gpu --runs 0 run
    refused --build fixture --on gpu --timeout 0 run
    refused --build fixture --on gpu --nonsense run
    expect_code 1 "$tour" --build "$folder" --on gpu run
    expect_one_line err
    echo '{"chapter": "c"' >"$folder/manifest.jsonl"
    expect_code 1 "$tour" --build "$folder" --on gpu run
    expect_line err 'manifest.jsonl:1'
    expect_one_line err
}

# interrupted SIGNAL CODE: sent while a step hangs, it leaves nothing behind, and what was done by then is
# shown. A shell starts what runs
# in the background with SIGINT ignored: env undoes that.
interrupted()
{
    : >"$FAKE_PIDS"
    env --default-signal=INT "$tour" --build fixture --on gpu --json "$folder/out.json" \
        run trouble/t1_fine trouble/t4_hang climb/c1_slow >"$folder/out" 2>"$folder/err" &
    runner=$!
    wait_for_lines "$FAKE_PIDS" 2
    kill -s "$1" $runner
    code=0
    wait $runner 2>"$folder/wait" || code=$?
    [ $code -eq "$2" ] || fail "exit status $code after SIG$1"
    expect_all_gone "$FAKE_PIDS"
    expect_line out '1.00 ms' # t1_fine was done by then
    expect_no_line out t4_hang
    expect_line err 'interrupted'
    for left in "$folder"/out.json*; do
        [ ! -e "$left" ] || fail "it left $left behind"
    done
}

test_interrupt()
{
    export FAKE_PIDS="$folder/pids"
    interrupted INT 130
    interrupted TERM 143
}

# The stand-ins in a build folder of their own, with what builds them: FAKE_MAKE is a case of what it
# does for a chapter.
make_builds()
{
    cp -R fixture "$folder/built"
    cat >"$folder/make" <<END
#!/bin/sh
cd "$folder"
echo "\$*" >>made
echo '[3/20] Building'
case "\${FAKE_MAKE-}:\$4" in
waits:climb_*) until [ -e go ]; do sleep 0.05; done ;;
fails:climb_*) echo 'FAILED: x.o' && exit 1 ;;
hangs:climb_*)
    echo \$\$ >>pids
    sleep 100 &
    echo \$! >>pids
    trap 'kill \$!; exit 1' TERM # as Ninja ends its compilers
    wait
    ;;
esac
END
    chmod +x "$folder/make"
    # trouble, whose steps are quick or hang, before climb
    { grep '"chapter": "trouble"' fixture/manifest.jsonl && grep '"chapter": "climb"' fixture/manifest.jsonl; } \
        >"$folder/built/manifest.jsonl"
    : >"$folder/made"
}

# built ARGUMENT...: the runner that builds.
built()
{
    "$tour" --build "$folder/built" --on gpu --make "$folder/make" --jobs 7 "$@"
}

# Chapter after chapter is built, only what is asked for, and a ladder does not wait for those behind.
test_builds()
{
    make_builds
    export FAKE_MAKE=waits
    built run trouble/t1_fine climb/c3_fast climb/c1_slow >"$folder/out" 2>"$folder/err" &
    tries=0
    until grep -q 'programs: .*/trouble' "$folder/out" && [ "$(wc -l <"$folder/made")" -eq 2 ]; do
        tries=$((tries + 1))
        [ $tries -lt 200 ] || fail "no ladder before the build of the next chapter ended"
        sleep 0.05
    done
    expect_no_line out climb
    : >"$folder/go"
    wait $! || fail "exit status $?"
    expect_line out 'programs:'
    expect_empty err
    diff - "$folder/made" <<END || fail "it built something else"
-C $folder/built -j7 trouble_t1_fine
-C $folder/built -j7 climb_c1_slow climb_c3_fast
END
    cp "$folder/out" "$folder/beside"
    expect_code 0 "$tour" --build "$folder/built" --on gpu run trouble/t1_fine climb/c3_fast climb/c1_slow
    cmp "$folder/out" "$folder/beside" || fail "another ladder"
    refused --build fixture --on gpu --make make --jobs 0 run
}

# What was built before is run and shown; then it says with its code that the rest is missing.
test_build_fails()
{
    make_builds
    export FAKE_MAKE=fails
    expect_code 3 built --json "$folder/json" run trouble/t1_fine climb/c1_slow
    expect_line out t1_fine
    expect_no_line out c1_slow
    expect_empty err
    grep -q 'FAILED: x.o' "$folder/built/tour.log" || fail "what it said is lost"
    [ ! -e "$folder/json" ] || fail "it wrote results"
    expect_code 3 built run climb/c1_slow
    expect_empty out
    expect_code 3 "$tour" --build "$folder/built" --on gpu --make "$folder/none" --jobs 1 run climb/c1_slow
}

# A signal ends the step that runs and what is built beside it, or what is waited for.
test_build_interrupt()
{
    make_builds
    export FAKE_MAKE=hangs FAKE_PIDS="$folder/step"
    for pair in INT:130 TERM:143 KILL:137; do
        for steps in 'trouble/t4_hang climb/c1_slow' climb/c1_slow; do
            : >"$FAKE_PIDS"
            : >"$folder/pids"
            # shellcheck disable=SC2086 # words
            env --default-signal=INT "$tour" --build "$folder/built" --on gpu --make "$folder/make" \
                --jobs 7 run $steps >"$folder/out" 2>"$folder/err" &
            wait_for_lines "$folder/pids" 2
            [ "$steps" = climb/c1_slow ] || wait_for_lines "$FAKE_PIDS" 2
            kill -s "${pair%:*}" $!
            code=0
            wait $! 2>"$folder/wait" || code=$?
            [ $code -eq "${pair#*:}" ] || fail "exit status $code after ${pair%:*}"
            if [ $code -eq 137 ]; then # nobody is left to end what these have started
                head -n 1 "$FAKE_PIDS" >"$folder/started"
                head -n 1 "$folder/pids" >>"$folder/started"
                expect_all_gone "$folder/started"
                # shellcheck disable=SC2046 # words
                kill -s KILL $(cat "$FAKE_PIDS" "$folder/pids") 2>"$folder/wait" || :
            fi
            expect_all_gone "$FAKE_PIDS"
            expect_all_gone "$folder/pids"
        done
    done
}

# Nobody reads: it runs no more, unless there is a file to write.
test_nobody_reads()
{
    make_builds
    : >"$folder/go"
    for json in '' "--json=$folder/json"; do
        : >"$folder/made"
        code=0
        # shellcheck disable=SC2086 # a word or none
        { built $json run trouble/t1_fine climb/c1_slow 2>"$folder/err" && echo 0 >"$folder/code" ||
            echo $? >"$folder/code"; } | :
        [ "$(cat "$folder/code")" -eq 141 ] || fail "it ended with $(cat "$folder/code")"
        expect_empty err
    done
    grep -q c1_slow "$folder/json" || fail "no results"
}

# A process that outlives its step neither holds us up nor stays.
test_daemon()
{
    export FAKE_PIDS="$folder/pids"
    expect_code 0 on gpu --timeout 30 run trouble/u3_daemon
    expect_all_gone "$FAKE_PIDS"
}

# A runner that is killed outright takes its step with it, and goes with what started it.
test_killed()
{
    export FAKE_PIDS="$folder/pids"
    : >"$FAKE_PIDS"
    "$tour" --build fixture --on gpu run trouble/t4_hang >"$folder/out" 2>&1 &
    wait_for_lines "$FAKE_PIDS" 2
    kill -s KILL $!
    wait $! 2>"$folder/wait" || :
    head -n 1 "$FAKE_PIDS" >"$folder/step"
    expect_all_gone "$folder/step"
    kill -s KILL "$(tail -n 1 "$FAKE_PIDS")" # what the step had started
    : >"$FAKE_PIDS"
    sh -c '"$@" & echo $! >"$0" && wait' "$folder/runner" \
        "$tour" --build fixture --on gpu run trouble/t4_hang >"$folder/out" 2>&1 &
    wait_for_lines "$FAKE_PIDS" 2
    kill -s KILL $!
    wait $! 2>"$folder/wait" || :
    expect_all_gone "$folder/runner"
    expect_all_gone "$FAKE_PIDS"
}

# Without standard streams a step gets the right ones all the same.
test_streams()
{
    expect_code 0 on gpu run climb/c1_slow
    cp "$folder/out" "$folder/all"
    expect_code 0 closed_input gpu run climb/c1_slow
    cmp "$folder/out" "$folder/all" || fail "another ladder without a stdin"
    expect_code 0 closed_errors gpu run climb/c1_slow
    cmp "$folder/out" "$folder/all" || fail "another ladder without a stderr"
    expect_code 1 closed_output gpu run climb/c1_slow
    expect_line err 'tour: cannot print'
    expect_one_line err
}

closed_input()
{
    on "$@" <&-
}

closed_errors()
{
    on "$@" <&- 2>&-
}

closed_output()
{
    on "$@" >&-
}

# Control characters of arguments do not reach the terminal.
test_control_characters()
{
    hostile=$(printf 'a\033[31m\nb\302\2332J')
    for option in "--$hostile" "--n=$hostile"; do
        refused --build fixture --on gpu "$option"
        expect_line err 'a\x1b[31m\x0ab\xc2\x9b2J'
    done
    refused --build fixture --on gpu run "climb/$hostile"
    refused --build fixture --on gpu --compare "$hostile" run
    expect_code 1 on gpu --json "$folder/$hostile/x" run climb/c1_slow
    expect_one_line err
}

# A file, a link to one, a pipe; where nothing more fits or goes, one line says so.
test_json_files()
{
    expect_code 1 on gpu --json /dev/full run climb/c1_slow
    expect_line err 'tour: cannot write /dev/full: No space left on device'
    expect_one_line err
    expect_code 1 on gpu --json "$folder" run climb/c1_slow
    expect_line err 'Is a directory'
    expect_one_line err
    echo old >"$folder/file"
    ln -s file "$folder/link"
    expect_code 0 on gpu --json "$folder/link" run climb/c1_slow
    [ -L "$folder/link" ] || fail "the link is none any more"
    grep -q c1_slow "$folder/file" || fail "nothing went through the link"
    mkfifo "$folder/pipe"
    cat "$folder/pipe" >"$folder/read" &
    expect_code 0 on gpu --json "$folder/pipe" run climb/c1_slow
    wait
    cmp "$folder/file" "$folder/read" || fail "something else came through the pipe"
    # Nobody reads: it waits, and a signal ends that.
    "$tour" --build fixture --on gpu --json "$folder/pipe" run climb/c1_slow >"$folder/out" 2>&1 &
    tries=0
    until grep -q wait_for_partner "/proc/$!/wchan" || [ $tries -eq 20 ]; do # it may not say
        tries=$((tries + 1))
        sleep 0.05
    done
    kill -s TERM $!
    code=0
    wait $! 2>"$folder/wait" || code=$?
    [ $code -eq 143 ] || fail "exit status $code"
}

# Tables for any width, absurd ones too.
test_widths()
{
    for COLUMNS in 1 0 -5 99999999999999999999 x; do
        export COLUMNS
        expect_code 0 on emulator run climb/c1_slow climb/c3_fast
        expect_line out c3_fast
        expect_code 0 on emulator diff climb/c2_wide climb/c3_fast
    done
}

# try_out DEVICE ARGUMENT...: the runner over the stand-ins for experiments.
try_out()
{
    device=$1
    shift
    "$tour" --build experiments --on "$device" "$@"
}

# Steps that solve different problems are not compared, even at one n: not in the ladder, not in the
# page, not by diff. Each problem has a heading, in the page in both languages.
test_problems()
{
    export FAKE_PROBLEM_c1='one number' FAKE_PROBLEM_c2='one number' FAKE_PROBLEM_c3='many numbers'
    expect_code 0 on gpu --html "$folder/page.html" run climb/c1_slow climb/c2_wide climb/c3_fast
    expect_text problems "$folder/out"
    plain_page "$folder/page.html" >"$folder/page"
    for text in '<tr class="problem"><th colspan="8">one number</th>' '<th colspan="8">一个数</th>' \
        '<th colspan="8">many numbers</th>' '<th colspan="8">一批数</th>' '>77.1 ×<' \
        'c2_wide and c3_fast solve different problems'; do
        expect_line page "$text"
    done
    expect_no_line page '634 ×'
    expect_no_line page '48874 ×'
    expect_code 0 on gpu diff climb/c2_wide climb/c3_fast
    expect_line out 'solve different problems'
    expect_line out 'not comparable'
}

# An experiment is a table of its variants, each with what was counted in its range.
test_experiment()
{
    expect_code 0 try_out emulator run
    expect_empty err
    expect_text experiment "$folder/out"
    expect_line out 'chapters-own'
    expect_line out 'its-own'
    expect_code 0 try_out emulator --markdown run trials/e1_rows
    expect_text experiment_markdown "$folder/out"
    expect_code 0 try_out gpu run trials/e1_rows
    expect_text experiment_gpu "$folder/out"
    expect_code 0 try_out emulator --json "$folder/json" run trials/e1_rows
    expect_text experiment_json "$folder/json"
    expect_code 77 try_out gpu run trials/e2_skips
}

# The page has what any of its runs measured, and why the others did not.
test_experiment_page()
{
    page=$folder/page.html
    expect_code 0 try_out gpu --json "$folder/ran.json" run trials/e1_rows
    expect_code 77 env FAKE_SKIPS='needs <luck>' "$tour" --build experiments --on gpu \
        --json "$folder/skipped.json" --compare "$folder/ran.json" --html "$page" run trials/e1_rows
    plain_page "$page" >"$folder/page"
    for text in '<th class="">ulp</th>' '<div class="what">in one way</div>' 'B</span> 2.50 GB/s' \
        '>640 MB/s</span>' 'A</span> skipped: needs &lt;luck&gt;</li>' '跳过：needs' \
        'B</span> Fake GPU, driver 13.0'; do
        expect_line page "$text"
    done
    expect_no_line page 'no step came to its end'
    expect_code 0 try_out gpu --compare "$folder/skipped.json" --html "$page" run trials/e1_rows
    plain_page "$page" >"$folder/page"
    for text in '<th class="">ulp</th>' 'A</span> 2.50 GB/s' '>640 MB/s</span>' \
        'A</span> Fake GPU, driver 13.0' 'B</span> skipped: needs &lt;luck&gt;</li>' '跳过：needs'; do
        expect_line page "$text"
    done
    expect_no_line page 'no step came to its end'
}

# One variant that is wrong is enough; what is no table of variants is no report.
test_experiment_trouble()
{
    expect_code 1 env FAKE_VERDICT=mismatch "$tour" --build experiments --on emulator run trials/e1_rows
    expect_line out 'mismatch'
    expect_line out 'out[7] is -1'
    expect_line out '500 us'
    expect_code 1 env FAKE_LINES=0 "$tour" --build experiments --on gpu run trials/e1_rows
    expect_line out 'it did not print one report'
    expect_code 1 env FAKE_MORE='{}' "$tour" --build experiments --on gpu run trials/e1_rows
    expect_line out 'it did not print one report'
    expect_code 0 env FAKE_LINES=1 "$tour" --build experiments --on gpu run trials/e1_rows
    expect_no_line out 'second'
    expect_code 0 try_out emulator diff trials/e1_rows trials/e1_rows
}

# Colour and the live line are for terminals that can show them.
test_color()
{
    need_terminal
    command="'$tour' --build fixture --on gpu run climb/c1_slow climb/c3_fast"
    on_terminal "$command"
    expect_line out '[2/2] climb/c3_fast'
    expect_colours
    NO_COLOR=1 on_terminal "$command"
    expect_no_line out "${escape}[1m"
    for TERM in dumb ''; do
        on_terminal "$command"
        expect_no_line out "$escape"
        expect_no_line out '[2/2]'
    done
    expect_code 0 on gpu run climb/c1_slow
    expect_no_line out "$escape"
    expect_empty err
}

# colours BUILD ARGUMENT...: what the runner prints of it has colours and nothing odd, at any width.
colours()
{
    build=$1
    shift
    for columns in 40 200; do
        COLUMNS=$columns on_terminal "'$tour' --build $build $*" || [ $? -eq 1 ] ||
            fail "no page of $*"
        expect_colours
    done
}

# Every page and every table of the runner.
test_colours()
{
    need_terminal
    expect_code 0 on emulator --json "$folder/old.json" run climb/c1_slow climb/c3_fast
    for device in gpu emulator; do
        colours fixture --on $device run "$climb"
        FAKE_FACTOR=0.5 colours fixture --on $device --compare "$folder/old.json" run "$climb"
        FAKE_FACTOR=2 colours fixture --on $device --compare "$folder/old.json" run "$climb"
        colours fixture --on $device diff climb/c2_wide climb/c3_fast
        colours fixture --on $device --timeout 1 run
        colours experiments --on $device run
    done
    colours fixture --on emulator --counters run "$climb"
    # shellcheck disable=SC2046 # words
    colours checked --on emulator --timeout 1 check $(verdict_steps)
}

"test_$2"
