#!/bin/sh
# SPDX-License-Identifier: MIT
# race.sh EMU PROGRAM SOURCE: the race checker flags PROGRAM, and each line that it names is one of the
# additions in shared memory in SOURCE.
set -eu

name=$(basename "$3")
code=0
report=$("$1" --check=race --error-exitcode 9 "$2" --n 1025 2>&1 >/dev/null) || code=$?
if [ "$code" -ne 9 ]; then
    printf '%s\n' "$report" "$name: exit code $code, expected 9: a race" >&2
    exit 1
fi
lines=$(printf '%s\n' "$report" | sed -n "s/^emu:     [a-z]* at .*$name:\([0-9]*\),.*/\1/p" | sort -u)
if [ -z "$lines" ]; then
    printf '%s\n' "$report" "$name: the report names no line" >&2
    exit 1
fi
for line in $lines; do
    if ! sed -n "${line}p" "$3" | grep -q '^ *shared\[threadIdx.x\] += shared\[threadIdx.x + '; then
        printf '%s\n' "$report" "$name:$line: not an addition in shared memory" >&2
        exit 1
    fi
done
