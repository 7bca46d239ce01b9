#!/bin/sh
# SPDX-License-Identifier: MIT
# sgemm.sh EMU FOLDER [PAGE...]: the paper's SGEMM on the emulated GTX 280, at shapes that fill all its
# SMs evenly, as the table of docs/sgemm.md. Exit 1 unless it reaches 393 GFLOP/s within a tenth, its
# three changes are worth something, in the paper's order, and the pages have the table's rows.
set -u

emu=$1
step=$2/sgemm/s01_paper_16x256
shift 2

# rate ARGUMENT...: GFLOP/s, where the product is right.
rate()
{
    "$emu" --gpu gtx-280 "$step" --k 1024 --json "$@" |
        awk '/"verdict":"match"/ && match($0, /"gflops":[0-9.]*/) {
                 print substr($0, RSTART + 9, RLENGTH - 9) }'
}

# row NAME RATE PAGE...: a row of the table; exit 1 if a page lacks it.
row()
{
    line=$(awk "BEGIN { printf \"| %s | %.0f | \", \"$1\", $2
                        if ($2 != $all) printf \"%+.1f %% \", 100 * ($2 / $all - 1)
                        printf \"|\" }")
    echo "$line"
    shift 2
    for page; do
        # The Chinese page has another name for the last row.
        sed 's/^| 三个都改回去 |/| all three |/' "$page" | grep -qxF -- "$line" || {
            echo "$page lacks the row $line" >&2
            exit 1
        }
    done
}

all=$(rate --m 960 --n 256)
narrow=$(rate --m 480 --n 320 --narrow 1)
single=$(rate --m 960 --n 256 --single 1)
shallow=$(rate --m 960 --n 256 --shallow 1)
before=$(rate --m 480 --n 320 --narrow 1 --single 1 --shallow 1)
row s01 "$all" "$@"
# shellcheck disable=SC2016
row '`--narrow 1`' "$narrow" "$@"
# shellcheck disable=SC2016
row '`--single 1`' "$single" "$@"
# shellcheck disable=SC2016
row '`--shallow 1`' "$shallow" "$@"
row 'all three' "$before" "$@"
awk "BEGIN { exit !($all >= 0.9 * 393 && $all <= 1.1 * 393 && $before < 0.95 * $all &&
                    $narrow < $single && $single < $shallow && $shallow < $all) }"
