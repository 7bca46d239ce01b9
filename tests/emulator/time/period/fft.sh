#!/bin/sh
# SPDX-License-Identifier: MIT
# fft.sh EMU FOLDER PAGE...: f2, f3 and f4 with 64 MB on the emulated GTX 280, as the table of docs/fft.md.
# Exit 1 unless each page has its rows.
set -u

emu=$1
folder=$2/fft
shift 2

# row STEP POINTS PAGE...: a row of the table; exit 1 if a page lacks it.
row()
{
    step=$1
    points=$2
    line=$("$emu" --gpu gtx-280 --profile "$folder/$step" --batch $((8388608 / points)) 2>&1 |
        awk -v name="${step%%_*}" -v points="$points" '
            function share(limit) {
                match($0, limit " [0-9]+")
                return substr($0, RSTART + length(limit) + 1, RLENGTH - length(limit) - 1)
            }
            /^  time  .*modelled/ && !ms { ms = $2 }
            /^    bytes moved / { sub(/[^0-9]*/, ""); gsub(/ /, ""); moved = $0 / 1e6 }
            / blocks per SM/ { blocks = substr($3, 2) }
            /^  bound by / { sub(/.*:/, ""); memory = share("memory"); issue = share("issue") }
            END { printf "| %s | %d | %d | %.0f MB | %.2f ms | %d %% | %d %% |\n", name, points, blocks, moved, ms, memory, issue }')
    echo "$line"
    shift 2
    for page; do
        grep -qxF -- "$line" "$page" || {
            echo "$page lacks the row $line" >&2
            exit 1
        }
    done
}

row f2_2048_exchange 2048 "$@"
row f3_2048_half_exchange 2048 "$@"
row f4_4096 4096 "$@"
