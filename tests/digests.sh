#!/bin/sh
# SPDX-License-Identifier: MIT
# digests.sh FILE FOLDER [EMU]: the bits of every step's result, on the GPU or under EMU, are those
# that FILE has: "step n digest [option...]" a line. Exits with 77 where there is no GPU.
set -eu

file=$1
folder=$2
shift 2

wrong=0
while read -r step n expected options; do
    code=0
    # shellcheck disable=SC2086 # options are words
    report=$("$@" "$folder/$step" --n "$n" $options --runs 1 --json) || code=$?
    if [ "$code" -ne 0 ]; then
        exit "$code"
    fi
    digest=$(printf '%s\n' "$report" | sed -n 's/.*"digest":"\([0-9a-f]*\)".*/\1/p')
    if [ "$digest" != "$expected" ]; then
        echo "$step, n = $n: a result of digest $digest, expected $expected" >&2
        wrong=1
    fi
done <"$file"
exit $wrong
