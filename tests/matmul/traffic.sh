#!/bin/sh
# SPDX-License-Identifier: MIT
# traffic.sh EMU PROGRAMS PAGE TWIN SOURCES TABLES: the table of traffic in the matmul chapter's PAGE is what the
# emulator counts at the chapter's size, and its TWIN in the other language has the same rows: step,
# global load requests, sectors loaded, lines touched, sectors per request, shared load requests,
# barriers, warp instructions, largest error. PROGRAMS is the folder of the steps, SOURCES that of
# their sources: each has a row.
set -eu

emu=$1
programs=$2
page=$3
twin=$4
sources=$5
tables=$6

# The row of step $1, from JSON on stdin.
row_of()
{
    tr ',{}' '[\n*]' | tr -d '" ' |
        awk -F: -v step="$1" '
            $1 == "step" { other = $2 != step }
            other { next }
            { sum[$1] += $2; seen[$1] = 1 }
            END {
                if (!seen["global_loads"])
                    exit 1
                printf "| %s | %d | %d | %d | %.2f | %d | %d | %d | %.1e |\n", step, sum["global_loads"],
                    sum["global_load_sectors"], sum["global_lines"],
                    sum["global_load_sectors"] / sum["global_loads"], sum["shared_loads"],
                    sum["barriers"], sum["warp_instructions"], sum["max_error"]
            }'
}

# The same from the emulator. It has no times: the plain model of them takes half as long.
counted()
{
    newer=$(find "$tables" -newer "$programs/$1" -newer "$(echo "${emu%/*}"/libcudart.so.??)" 2>/dev/null) || :
    if [ -n "$newer" ] && row_of "$1" <"$tables"; then
        return
    fi
    "$emu" --time=plain --profile=json "$programs/$1" --json 2>&1 | row_of "$1"
}

faults=0
while IFS= read -r row; do
    step=${row#| }
    step=${step%% *}
    if ! wanted=$(counted "$step"); then
        echo "$step: no counters" >&2
        exit 1
    fi
    if [ "$row" != "$wanted" ]; then
        printf 'page:    %s\ncounted: %s\n' "$row" "$wanted" >&2
        faults=1
    fi
    if ! grep -qxF -- "$row" "$twin"; then
        echo "$twin: no row $row" >&2
        faults=1
    fi
done <<END
$(grep '^| m[0-9][a-z0-9_]* | [0-9.e |-]*$' "$page")
END
for source in "$sources"/m[0-9]*.cu; do
    step=$(basename "$source" .cu)
    if ! grep -q "^| $step | [0-9. e|-]*$" "$page"; then
        echo "$page: no row $step" >&2
        faults=1
    fi
done
exit $faults
