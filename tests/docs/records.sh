#!/bin/sh
# SPDX-License-Identifier: MIT
# records.sh ROOT: the tables of the benchmarks against cuBLAS and cuFFT, in the pages under ROOT, are
# what they were measured as. fft's table and figure are those of its record. In sgemm's, each shape of
# the benchmark has its row, a ratio is that of its two rates, and the Chinese page has the same.
#
# Prints what is wrong, and exits with 1 if anything is.
set -eu

if [ $# -ne 1 ]; then
    echo "usage: records.sh ROOT" >&2
    exit 2
fi
cd "$1"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
faults=0

# table CHAPTER PAGE: what stands between the markers, without the blank lines next to them.
table()
{
    awk -v marker="<!-- benchmark: $1 -->" '
        $0 == marker { inside = 1; next }
        $0 == "<!-- /benchmark -->" { inside = 0 }
        inside && (NF || lines) { line[++lines] = $0 }
        END { for (i = 1; i < lines; i++) print line[i] }' "$2"
}

# same WHAT FILE: FILE is what stands on stdin.
same()
{
    if ! diff "$2" - >"$scratch/difference"; then
        echo "$1 is not what its record says (right):"
        head -n 6 "$scratch/difference"
        faults=1
    fi
}

record=benchmarks/records/fft_h200.json
for language in '' zh; do
    page=docs/${language:+$language/}fft.md
    table fft "$page" >"$scratch/table"
    benchmarks/fft_report $record "table${language:+_$language}" >"$scratch/said"
    same "the table of $page" "$scratch/table" <"$scratch/said"
    figure=docs/${language:+$language/}figures/fft_share.svg
    benchmarks/fft_report $record "figure${language:+_$language}" >"$scratch/said"
    same "$figure" "$figure" <"$scratch/said"
done

table sgemm docs/sgemm.md | grep '^| [0-9]' >"$scratch/sgemm"
table sgemm docs/zh/sgemm.md | grep '^| [0-9]' >"$scratch/table"
if ! cmp -s "$scratch/sgemm" "$scratch/table"; then
    echo "docs/zh/sgemm.md: the table against cuBLAS is another one than in docs/sgemm.md"
    faults=1
fi
awk -F ' *[|] *' '
    FILENAME ~ /sgemm\.cu$/ {
        while (inside && match($0, /\{[0-9]+, [0-9]+, [0-9]+\}/)) {
            shape = substr($0, RSTART + 1, RLENGTH - 2)
            gsub(/, /, " x ", shape)
            wanted[++count] = shape
            $0 = substr($0, RSTART + RLENGTH)
        }
        if (/int shapes\[\]/) inside = 1
        if (/};/) inside = 0
        next
    }
    { row++ }
    !bad && $2 != wanted[row] {
        print "docs/sgemm.md: row " row " is " $2 " and not " wanted[row]
        bad = 1
    }
    # Rates are rounded to 0.01, and ratios to 0.001.
    {
        for (i = 3; i <= 7; i += 2) {
            split($i, rate, " / ")
            ratio = $(i + 1) + 0
            if (rate[1] + 0.006 < (ratio - 0.0006) * (rate[2] - 0.006) ||
                rate[1] - 0.006 > (ratio + 0.0006) * (rate[2] + 0.006)) {
                print "docs/sgemm.md: " $i " is not " $(i + 1) " (" $2 ")"
                bad = 1
            }
        }
    }
    END {
        if (row != count || !count) print "docs/sgemm.md: " row " rows against cuBLAS, not " count
        exit bad || row != count || !count
    }' benchmarks/sgemm.cu "$scratch/sgemm" || faults=1
exit $faults
