#!/bin/sh
# SPDX-License-Identifier: MIT
# functions.sh [--mend] LIBRARY FAMILIES PAGE...: the table between <!-- functions --> and
# <!-- /functions --> of each page says which functions of the runtime our libcudart has, and which only say
# that they are not emulated. --mend writes it.
set -eu
export LC_ALL=C

mend=0
if [ "$1" = --mend ]; then
    mend=1
    shift
fi
library=$1 families=$2
shift 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# names LIBRARY: "T NAME" of each function it defines, W for a weak one, which only says that it is none.
# Ours has the driver's, too.
names()
{
    nm -D --defined-only "$1" | awk '($2 == "T" || $2 == "W") && $3 ~ /^(__)?cuda/ { sub(/@.*/, "", $3); print $2, $3 }' | sort -k 2
}
names "$library" >"$scratch/ours"

# A row for each way that names begin, those first of which none is emulated.
awk '
    NR == FNR { if (split($0, part, "\"") > 1 && /^FAMILY/) prefix[++rows] = part[2]; next }
    $2 ~ /_pt[ds][sz]$/ || $2 ~ /^__/ { next }
    {
        for (row = 1; row < rows && index($2, prefix[row]) != 1; row++)
            ;
        if ($1 == "T")
            works[row]++
        else
            lacks[row] = lacks[row] (lacks[row] ? ", " : "") "`" $2 "`"
    }
    END {
        for (row = 1; row <= rows; row++)
            if (works[row] || lacks[row])
                printf "| `%s`... | %d | %s |\n", prefix[row], works[row], lacks[row]
    }' "$families" "$scratch/ours" >"$scratch/table"

bad=0
for page; do
    # The two lines of its head are the page's own.
    awk -v table="$scratch/table" '
        /^<!-- functions -->$/ { inside = 1 }
        /^<!-- \/functions -->$/ {
            inside = 0
            while ((getline line < table) > 0)
                print line
            print ""
        }
        !inside || rows < 4 { print }
        inside { rows++ }' "$page" >"$scratch/page"
    if cmp -s "$page" "$scratch/page"; then
        continue
    fi
    if [ $mend = 1 ]; then
        cp "$scratch/page" "$page"
    else
        echo "$page: its table of functions is not what the library has: functions.sh --mend"
        diff "$page" "$scratch/page" || true
        bad=1
    fi
done
exit $bad
