#!/bin/sh
# SPDX-License-Identifier: MIT
# sampled.sh EMU FOLDER [--quick]: times with some blocks modelled against those with all of them,
# on the emulated 8800 GT unless another GPU is named; with --quick one launch, without it all
# others. Exit 1 if they differ by more than 1 %, or 2 to 3 % where blocks have unequal work; if a
# large launch was not sampled, or one that must not be; or if results or counters differ.
set -u

emu=$1
folder=$2
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
failed=0

complain()
{
    echo "$*" >&2
    failed=1
}

# compare NAME FULL SAMPLED PERCENT: two times.
compare()
{
    echo "$1: $2 ms, $3 ms where blocks are skipped"
    awk "BEGIN { difference = $3 / $2 - 1; if (difference < 0) difference = -difference
                 exit !($2 > 0 && difference <= $4 / 100) }" || complain "$1 differs by more than $4 %"
}

# uneven WORK STRIDE PERCENT BLOCKS [GPU [TIMES]]: blocks of tests/emulator/time/period/uneven.cu.
uneven()
{
    for model in full best; do
        "$emu" --gpu "${5:-geforce-8800-gt}" --time "$model" \
            "$folder/tests/emulator/time/period/uneven" "$1" "$4" "$2" "${6-1}" >"$scratch/$model" || complain "uneven $1: exit $?"
    done
    compare "uneven $1 $2 $4 ${5-} ${6-}" "$(cat "$scratch/full")" "$(cat "$scratch/best")" "$3"
}

# skipped WORK ...: uneven, of whose blocks some are skipped.
skipped()
{
    uneven "$@"
    ! cmp -s "$scratch/full" "$scratch/best" || complain "no block of uneven $* was skipped"
}

# step PROGRAM ARGUMENT...: its result, its counters, its time. Blocks that are skipped run compiled.
step()
{
    name=$1
    shift
    for model in full best; do
        XDG_CACHE_HOME=$scratch/$model.cache "$emu" --engine compiled \
            --gpu geforce-8800-gt --time "$model" --profile=json:"$scratch/profile.$model" \
            "$folder/$name" --json "$@" >"$scratch/$model" || complain "$name: exit $?"
        sed 's/"modelled_ms":[0-9.e-]*//g; s/"memory_bytes":[0-9]*//g; s/"tenth":{[^}]*}//g
             s/"[a-z_]*share[a-z_]*":{[^}]*}//g' \
            "$scratch/profile.$model" >"$scratch/counted.$model"
        sed 's/.*"result"/"result"/' "$scratch/$model" >"$scratch/result.$model"
        sed 's/.*"ms":{[^}]*"median":\([0-9.e-]*\).*/\1/' "$scratch/$model" >"$scratch/time.$model"
    done
    cmp -s "$scratch/counted.full" "$scratch/counted.best" || complain "$name: counters differ"
    cmp -s "$scratch/result.full" "$scratch/result.best" || complain "$name: results differ"
    compare "$name" "$(cat "$scratch/time.full")" "$(cat "$scratch/time.best")" 1
    [ ! -e "$scratch/full.cache" ] || complain "$name: compiled, and no block was to be skipped"
    find "$scratch/best.cache" -name '*.so' | grep -q . || complain "$name: what is skipped was not compiled"
}

if [ "${3:-}" = --quick ]; then
    skipped even 17 2 16000
    exit $failed
fi

# As few blocks as show it: of these launches some are skipped,
skipped even 1 1 14000
skipped first 1 2 16000 geforce-8400m-gs
skipped first 17 3 12000
skipped last 1 2 8000
skipped last 17 2 10000
skipped rare 1 2 12000
skipped even 17 1 1300 geforce-8800-gt 16
# and of these, none: their windows do not agree.
for work in rising falling random rare; do
    uneven "$work" 17 2 8000
    cmp -s "$scratch/full" "$scratch/best" || complain "blocks of uneven $work 17 were skipped"
done
# Blocks of these were skipped once, and their times were wrong.
uneven first 1 2 10000
uneven first 17 2 8000 gtx-280
step matmul/m7_dynamic_tile --n 320
exit $failed
