#!/bin/sh
# counters.sh EMU PROGRAMS PAGE: the table of counters in PAGE is what the emulator counts. Its rows:
# step, global load requests, sectors loaded, sectors per request, shared requests, bank conflicts,
# divergent branches. PROGRAMS is the folder of the steps.
set -eu

emu=$1
programs=$2
page=$3

# The row of step $1, from the emulator.
counted()
{
    "$emu" --profile=json "$programs/$1" 2>&1 | tr ',{}' '[\n*]' | tr -d '" ' |
        awk -F: -v step="$1" '
            { sum[$1] += $2; seen[$1] = 1 }
            END {
                if (!seen["global_loads"])
                    exit 1
                printf "| %s | %d | %d | %d | %d | %d | %d |\n", step, sum["global_loads"],
                    sum["global_load_sectors"], sum["global_load_sectors"] / sum["global_loads"],
                    sum["shared_loads"] + sum["shared_stores"], sum["shared_bank_conflicts"],
                    sum["divergent_branches"]
            }'
}

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
$(grep '^| v[0-9][a-z]*_[a-z_]* | [0-9 |]*$' "$page")
END
if [ $rows -lt 8 ]; then
    echo "$page: $rows rows, not 8" >&2
    exit 1
fi
exit $faults
