#!/bin/sh
# SPDX-License-Identifier: MIT
# rules.sh EMU FOLDER: what the emulated GeForce 8800 GT and 8400M GS have, allow and refuse, and that
# the model's figures do not depend on the host's threads.
set -u

emu=$1
folder=$2
here=$(dirname "$0")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
wrong=0

complain()
{
    echo "rules: $*" >&2
    wrong=1
}

# expect CODE TEXT ARGUMENT...: emu ends with CODE and says TEXT.
expect()
{
    code=$1 text=$2
    shift 2
    "$emu" --gpu geforce-8800-gt "$@" >"$scratch/out" 2>&1
    got=$?
    [ "$got" = "$code" ] || complain "$*: exit code $got, not $code"
    grep -q -- "$text" "$scratch/out" || complain "$*: no '$text' in: $(cat "$scratch/out")"
}

# figures GPU WORKERS STEP ARGUMENT...: what the model says of time.
figures()
{
    gpu=$1 workers=$2
    shift 2
    "$emu" --gpu "$gpu" --workers "$workers" "$@" --json |
        grep -o '"\(cycles\|span_cycles\|ms\|total_ms\|verdict\)":[^,]*'
}

same()
{
    figures geforce-8800-gt 1 "$@" >"$scratch/one"
    grep -q '"verdict":"match"' "$scratch/one" || complain "$*: no match"
    for workers in 2 3; do
        figures geforce-8800-gt "$workers" "$@" >"$scratch/more"
        cmp -s "$scratch/one" "$scratch/more" ||
            complain "$*: $workers workers give other figures"
    done
}

"$emu" --gpu geforce-8400m-gs "$folder/sumsq/v0_init_cuda" >"$scratch/query"
diff "$here/query.txt" "$scratch/query" || complain "the device query differs"

"$emu" --gpu geforce-8400m-gs "$folder/tests/emulator/time/period/listing" >"$scratch/listing"
diff "$here/listing.txt" "$scratch/listing" || complain "the article's listing differs"

expect 2 'at most 512' "$folder/sumsq/v3_coalesced" --threads 513
expect 77 "shfl.*\|needs compute capability 3.0" "$folder/sumsq/v8c_one_launch"
expect 77 'needs a newer GPU' "$folder/sumsq/v8c_one_launch"
# 4096 floats are all the shared memory there is, and the parameters are in it too.
expect 0 'match' "$folder/matmul/m3_row_shared" --n 64

same "$folder/sumsq/v2_threads" --n 10000
same "$folder/sumsq/v4_blocks" --n 100003
same "$folder/sumsq/v6_tree" --blocks 50 --n 65536
same "$folder/matmul/m1_naive" --n 50
same "$folder/matmul/m5_tiled" --n 100

exit $wrong
