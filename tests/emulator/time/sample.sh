#!/bin/sh
# SPDX-License-Identifier: MIT
# sample.sh EMU FOLDER [--quick]: times by `emu --sample` against those of whole runs. Exit 1 if they
# differ by more than 2 %; if a sampled run depends on its workers, fails, or says that a result is
# right; or if no block was left out where some could be.
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

# run KIND OPTION... PROGRAM ARGUMENT...: the program's report and the counters.
run()
{
    kind=$1
    shift
    "$emu" --profile=json:"$scratch/$kind.profile" "$@" --json >"$scratch/$kind" ||
        complain "$* ($kind): exit $?"
    sed -n 's/.*"ms":{[^}]*"median":\([0-9.e-]*\).*/\1/p' "$scratch/$kind" >"$scratch/$kind.ms"
}

# step GPU PART PROGRAM ARGUMENT...: PART is "part" where some blocks can be left out, else "whole".
step()
{
    gpu=$1 part=$2 name=$3
    shift 3
    run full --gpu "$gpu" "$folder/$name" "$@"
    run sample --gpu "$gpu" --sample "$folder/$name" "$@"
    run workers --gpu "$gpu" --sample --workers 3 "$folder/$name" "$@"
    full=$(cat "$scratch/full.ms") sample=$(cat "$scratch/sample.ms")
    echo "$name $* on $gpu: $full ms, $sample ms by a sample"
    awk "BEGIN { difference = $sample / $full - 1; exit !($full > 0 && difference * difference <= 0.02 * 0.02) }" ||
        complain "$name: the sample is off by more than 2 %"
    cmp -s "$scratch/sample.ms" "$scratch/workers.ms" || complain "$name: the time depends on the workers"
    grep -q '"verdict":"unchecked"' "$scratch/sample" || complain "$name: it was sampled, and does not say so"
    if grep -q '"sampled_blocks"' "$scratch/sample.profile"; then found=part; else found=whole; fi
    [ "$found" = "$part" ] || complain "$name: $found was run, not $part"
}

step h200 part reduction/r3_sequential --n 300000
step h200 part sgemm/s05_double_buffer --n 1024 --k 64
[ "${3:-}" = --quick ] && exit $failed

step h200 part sumsq/v8a_wide_loads --n 4194304
step h200 whole sumsq/v8c_one_launch --n 1048576
step h200 whole sumsq/v4_blocks --n 1048576
step h200 part reduction/r0_global_memory --n 1000000
step h200 part reduction/r8_shuffle --n 4194304
step h200 whole reduction/r9a_one_launch --n 1048576
step h200 part matmul/m1_naive --n 320
EMU_ENGINE=compiled # slices, too
export EMU_ENGINE
step h200 part matmul/m1_naive --n 320
unset EMU_ENGINE
step h200 part matmul/m5_tiled --n 500
step h200 part matmul/m9a_plain --n 1000
step h200 part sgemm/s03_vector_loads --n 1024 --k 256
# Blocks are alike; waves are left out.
step h200 part sgemm/s02_register_tile --n 2048 --k 128
step h200 part sgemm/s12_cluster --n 2048 --k 128
step h200 part reduction/r0_global_memory --n 33554432
step h200 part sgemm/s14_split --n 1024 --k 512
step h200 part sgemm/s08_async_copies --n 1024 --k 256
step h200 part sgemm/s09_bulk_copies --n 1024 --k 256
step h200 part sgemm/s12_cluster --n 1024 --k 256
step h200 part hgemm/h9_wide_tiles --n 1024 --k 256
step h200 part fft/f2_2048_exchange --batch 2048
step h200 part fft/f5_any_power --batch 8192
step h200 part fft/f6_two_kernels --batch 256
step geforce-8800-gt part matmul/m6_padded --n 500
exit $failed
