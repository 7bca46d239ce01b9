#!/bin/sh
# SPDX-License-Identifier: MIT
# sgemm.sh EMU FOLDER: the paper's SGEMM on the emulated GTX 280, at shapes that fill all its
# multiprocessors evenly, as the table of docs/sgemm.md. Exit 1 unless it reaches 393 GFLOP/s within
# a tenth, and its three changes are worth something, in the paper's order.
set -u

emu=$1
step=$2/sgemm/s01_paper_16x256

# rate ARGUMENT...: GFLOP/s, where the product is right.
rate()
{
    "$emu" --gpu gtx-280 "$step" --k 1024 --json "$@" |
        awk '/"verdict":"match"/ && match($0, /"gflops":[0-9.]*/) {
                 print substr($0, RSTART + 9, RLENGTH - 9) }'
}

# row NAME RATE
row()
{
    awk "BEGIN { printf \"| %s | %.0f | %+.1f %% |\\n\", \"$1\", $2, 100 * ($2 / $all - 1) }"
}

all=$(rate --m 960 --n 256)
narrow=$(rate --m 480 --n 320 --narrow 1)
single=$(rate --m 960 --n 256 --single 1)
shallow=$(rate --m 960 --n 256 --shallow 1)
before=$(rate --m 480 --n 320 --narrow 1 --single 1 --shallow 1)
row s01 "$all"
# shellcheck disable=SC2016
row '`--narrow 1`' "$narrow"
# shellcheck disable=SC2016
row '`--single 1`' "$single"
# shellcheck disable=SC2016
row '`--shallow 1`' "$shallow"
row 'all three' "$before"
awk "BEGIN { exit !($all >= 0.9 * 393 && $all <= 1.1 * 393 && $before < 0.95 * $all &&
                    $narrow < $single && $single < $shallow && $shallow < $all) }"
