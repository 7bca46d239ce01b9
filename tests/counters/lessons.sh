#!/bin/sh
# SPDX-License-Identifier: MIT
# lessons.sh EMU BUILD TABLE CHAPTER: do the chapter's rows of TABLE hold? A row is a step's program in
# the folder BUILD with its arguments, a colon, and counters of its profile, as in
#
#   sumsq/v3_coalesced --n 65536: global_loads=2048 shared_bank_conflicts=0
set -eu

emu=$1
build=$2
table=$3
chapter=$4
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

grep "^$chapter/" "$table" >"$scratch/rows" || {
    echo "$table: nothing of $chapter" >&2
    exit 1
}
faults=0
while IFS=: read -r command wanted; do
    # shellcheck disable=SC2086 # words
    "$emu" --gpu=h100 --profile=json:"$scratch/profile" "$build"/$command >"$scratch/out" || {
        cat "$scratch/out" >&2
        exit 1
    }
    tr ',{}' '\n' <"$scratch/profile" | tr -d '" ' | awk -F: -v command="$command" -v wanted="$wanted" '
        { sum[$1] += $2; seen[$1] = 1 }
        END {
            count = split(wanted, part, " ")
            for (i = 1; i <= count; i++) {
                split(part[i], pair, "=")
                if (!seen[pair[1]] || sum[pair[1]] != pair[2]) {
                    print command ": " part[i] ", counted " sum[pair[1]]
                    bad = 1
                }
            }
            exit bad || count == 0
        }' >&2 || faults=1
done <"$scratch/rows"
exit $faults
