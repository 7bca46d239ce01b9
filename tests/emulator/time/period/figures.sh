#!/bin/sh
# SPDX-License-Identifier: MIT
# figures.sh EMU FOLDER: what the articles measured of their GPUs, on the emulated ones, within the
# bounds that the model has to keep.
set -u

emu=$1
folder=$2
wrong=0

# measure GPU EXPERIMENT...: its figure.
measure()
{
    gpu=$1
    shift
    "$emu" --gpu "$gpu" "$folder/tests/emulator/time/period/experiments" "$@" || echo nan
}

# holds WHAT CONDITION: of awk, on numbers.
holds()
{
    awk "BEGIN { exit !($2) }" || {
        echo "figures: $1: not $2" >&2
        wrong=1
    }
}

# within WHAT VALUE LOW HIGH
within()
{
    holds "$1" "$2 >= $3 && $2 <= $4"
}

# GTX 280, the paper's section 1: 622 GFLOP/s of multiply-adds, for 256 threads a multiprocessor,
# however they are split into blocks, and not yet for 192.
for split in '256 30' '128 60' '64 120' '512 60'; do
    # shellcheck disable=SC2086
    rate=$(measure gtx-280 fma $split)
    within "fma $split" "$rate" '0.98 * 622' '1.02 * 622'
done
for split in '192 30' '96 60'; do
    # shellcheck disable=SC2086
    rate=$(measure gtx-280 fma $split)
    within "fma $split" "$rate" '0.8 * 622' '0.95 * 622'
done

# Its memory: 121.6 GB/s in words of 32 bits, 124.8 in words of 64, and less in words of 128.
for way in read copy; do
    word=$(measure gtx-280 $way 4)
    double=$(measure gtx-280 $way 8)
    quad=$(measure gtx-280 $way 16)
    within "$way 4" "$word" '0.95 * 121.6' '1.05 * 121.6'
    within "$way 8" "$double" '0.95 * 124.8' '1.05 * 124.8'
    within "$way, 64 bits against 32" "$double" "1.01 * $word" "1.05 * $word"
    within "$way, 128 bits against 32" "$quad" "0.7 * $word" "0.99 * $word"
done

# 8800 GT, the tutorial of 2008: 64 bits a little slower than 32, 128 clearly.
word=$(measure geforce-8800-gt read 4)
within '8800 GT, 64 bits against 32' "$(measure geforce-8800-gt read 8)" "0.95 * $word" "0.99 * $word"
within '8800 GT, 128 bits against 32' "$(measure geforce-8800-gt read 16)" "0.7 * $word" "0.9 * $word"

# Bank conflicts: a stride of 4 takes four times as long, of 17 no longer than of 1; and so where
# the load is an operand of a sum.
for way in stride operand; do
    one=$(measure geforce-8800-gt $way 1)
    within "$way of 4" "$(measure geforce-8800-gt $way 4)" "0.9 * 4 * $one" "1.1 * 4 * $one"
    within "$way of 17" "$(measure geforce-8800-gt $way 17)" "0.99 * $one" "1.01 * $one"
done

exit $wrong
