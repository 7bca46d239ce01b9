#!/bin/sh
# SPDX-License-Identifier: MIT
# counters.sh EMU BUILD PAGE TWIN: the table of counters in PAGE, a chapter's, is what the emulator counts,
# and that of its TWIN in the other language is the same. BUILD is the folder of the chapters' programs.
# The rows have the name of a step, and then
#
#   sumsq      global load requests, sectors loaded, sectors per request, shared requests, bank
#              conflicts, divergent branches
#   reduction  global sectors, shared requests, bank conflicts, barriers, warp barriers, warp
#              instructions, active lanes
set -eu

emu=$1
page=$3
twin=$4
chapter=$(basename "$page" .md)
programs=$2/$chapter

# The table's rows in page $1.
table()
{
    grep '^| [vr][0-9][a-z0-9_]* | [0-9.| ]*|$' "$1" | grep -v ' [0-9][0-9]* [0-9]'
}

# The row of step $1, from the emulator.
counted()
{
    "$emu" --profile=json "$programs/$1" 2>&1 | tr ',{}' '[\n*]' | tr -d '" ' |
        awk -F: -v step="$1" -v chapter="$chapter" '
            { sum[$1] += $2; seen[$1] = 1 }
            END {
                if (!seen["global_loads"])
                    exit 1
                shared = sum["shared_loads"] + sum["shared_stores"]
                if (chapter == "sumsq")
                    printf "| %s | %d | %d | %d | %d | %d | %d |\n", step, sum["global_loads"],
                        sum["global_load_sectors"], sum["global_load_sectors"] / sum["global_loads"],
                        shared, sum["shared_bank_conflicts"], sum["divergent_branches"]
                else
                    printf "| %s | %d | %d | %d | %d | %d | %d | %.1f |\n", step,
                        sum["global_sectors"], shared, sum["shared_bank_conflicts"],
                        sum["barriers"], sum["warp_barriers"], sum["warp_instructions"],
                        sum["active_lanes"]
            }'
}

case $chapter in
sumsq) wanted_rows=8 ;;
reduction) wanted_rows=15 ;;
*)
    echo "counters.sh: say what the table of $chapter has" >&2
    exit 2
    ;;
esac
rows=0
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
    rows=$((rows + 1))
done <<END
$(table "$page")
END
if [ $rows -lt $wanted_rows ]; then
    echo "$page: $rows rows, not $wanted_rows" >&2
    exit 1
fi
if [ "$(table "$twin")" != "$(table "$page")" ]; then
    echo "$twin: other rows than in $page" >&2
    faults=1
fi
exit $faults
