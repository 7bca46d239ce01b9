#!/bin/sh
# SPDX-License-Identifier: MIT
# digests.sh FILE FOLDER [EMU]: the bits of every step's sums, on the GPU or under EMU, are those that
# FILE has: "step digest" a line, and arguments. The input is 100003 floats, whose sums depend on the order of the
# additions. Exits with 77 where there is no GPU.
set -eu

file=$1
folder=$2
shift 2

wrong=0
while read -r step expected arguments; do
    code=0
    # shellcheck disable=SC2086 # words
    report=$("$@" "$folder/$step" --n 100003 --input 2 --runs 1 --json $arguments) || code=$?
    if [ "$code" -ne 0 ]; then
        exit "$code"
    fi
    digest=$(printf '%s\n' "$report" | sed -n 's/.*"digest":"\([0-9a-f]*\)".*/\1/p')
    if [ "$digest" != "$expected" ]; then
        echo "$step: sums of digest $digest, expected $expected" >&2
        wrong=1
    fi
done <"$file"
exit $wrong
