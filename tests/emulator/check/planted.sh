#!/bin/sh
# SPDX-License-Identifier: MIT
# Is a planted bug found, at its line, and its repaired twin clean?
#
#   planted.sh EMU PROGRAM SOURCE KIND NAME GPU
#
# The line to find is the one of SOURCE that says "PLANTED: NAME"; where none does, the bug is the
# host's and has no line.
emu=$1 program=$2 source=$3 kind=$4 name=$5 gpu=$6

fail()
{
    echo "$name: $1"
    echo "$out"
    exit 1
}

code=0
out=$("$emu" --gpu="$gpu" --check="$kind" --error-exitcode 9 "$program" "$name" 2>&1) || code=$?
[ $code -eq 9 ] || fail "not reported"
echo "$out" | grep -q "^emu: $kind: " || fail "no report of kind $kind"
echo "$out" | grep -q "^emu: checked, .*$kind [1-9]" || fail "no closing line that counts it"

line=$(grep -n "PLANTED: $name\$" "$source" | cut -d: -f1)
if [ -n "$line" ]; then
    echo "$out" | grep -q "$(basename "$source"):${line}[^0-9]" || fail "line $line is not named"
fi

for order in forward reverse random:3; do
    out=$("$emu" --gpu="$gpu" --check=all,leak --schedule=$order --error-exitcode 9 \
        "$program" "$name" repaired 2>&1) ||
        fail "the repaired twin is reported, schedule $order"
    echo "$out" | grep -q "^emu: checked, 0 reports: memory 0, race 0, sync 0, init 0, leak 0$" ||
        fail "the repaired twin has no clean closing line"
done
