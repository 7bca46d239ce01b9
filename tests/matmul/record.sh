#!/bin/sh
# SPDX-License-Identifier: MIT
# record.sh RECORD PAGE TWIN: the tables that the matmul chapter's PAGE and its Chinese TWIN have of one
# session on a card are what RECORD says: the median times of each round, and Nsight Compute's counts.
set -eu

record=$1
page=$2
twin=$3
wanted=$(mktemp)
trap 'rm -f "$wanted"' EXIT

# What a row must contain, one a line: the file it is for, a tab, the text.
awk -v page="$page" -v twin="$twin" '
    function say(text) { printf "%s\t%s\n%s\t%s\n", page, text, twin, text }
    function rate(step, n) { return sum[step, n] / rounds[step, n] }
    {
        delete field
        gsub(/[{}" ]/, "")
        count = split($0, pair, ",")
        for (i = 1; i <= count; i++) {
            split(pair[i], part, ":")
            field[part[1]] = part[2]
        }
        step = field["step"]
        n = field["n"]
    }
    "ms" in field {
        sum[step, n] += 2 * n * n * n / field["ms"] / 1e9
        rounds[step, n]++
        error[step, n] = field["error"]
    }
    "instructions" in field {
        say(sprintf("| %s | %.1f | ", step, rate(step, n)))
        stalls = sprintf(" | %.1f %% | %.2f | %.2f | %.2f |", field["issue"], field["barrier"],
            field["long_scoreboard"], field["dispatch"])
        printf "%s\t%.1f billion%s\n", page, field["instructions"] / 1e9, stalls
        printf "%s\t%.0f 亿%s\n", twin, field["instructions"] / 1e8, stalls
    }
    END {
        columns = split("m9a_plain m9b_chunked cublasSgemm cublasDgemm", column, " ")
        for (n = 1000; n <= 4096; n += 3096) {
            rates = errors = ""
            for (i = 1; i <= columns; i++) {
                rates = rates sprintf(" | %.1f", rate(column[i], n))
                errors = errors sprintf(" | %.1e", error[column[i], n])
            }
            gsub(/e-0/, "e-", errors)
            say("TFLOP/s" rates " |")
            say(errors " |")
        }
    }' "$record" >"$wanted"

faults=0
tab=$(printf '\t')
while IFS=$tab read -r file text; do
    if ! grep -qF -- "$text" "$file"; then
        echo "$file: not as in $record: $text" >&2
        faults=1
    fi
done <"$wanted"
exit $faults
