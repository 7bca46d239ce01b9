#!/bin/sh
# SPDX-License-Identifier: MIT
# floors.sh CHECKOUT: no folder of emulator/ includes one of a floor above its own. The floors are those
# of the table in docs/emulator-inside.md; who includes whom is in arrows.txt, which arrows.sh holds
# against the tree. Names each row that does.
set -eu
cd "$1"
export LC_ALL=C

# shellcheck disable=SC2016 # backquotes of Markdown
floors=$(sed -n 's#^| \([0-9]*\) | \[`\([a-z]*\)/`\].*#\2 \1#p' docs/emulator-inside.md)
if [ -z "$floors" ]; then
    echo "docs/emulator-inside.md names no floors"
    exit 1
fi

{
    printf '%s\n' "$floors" -
    sed -n 's#^emulator/\([a-z]*\):#\1#p' tests/style/arrows.txt
} | awk '
    $0 == "-" { reading = 1; next }
    !reading { floor[$1] = $2; next }
    function complain(what) { print what; bad = 1 }
    { rows++ }
    !($1 in floor) { complain($1 "/ is on no floor"); next }
    {
        for (i = 2; i <= NF; i++)
            if (!sub(/^emulator\//, "", $i)) continue
            else if (!($i in floor)) complain($1 "/ includes " $i "/, which is on no floor")
            else if (floor[$i] > floor[$1]) complain($1 "/ includes " $i "/, from above")
    }
    END {
        if (!rows) complain("arrows.txt has no row of emulator/")
        exit bad
    }'

up=$(find emulator -name '*.[ch]' | sort | xargs grep -n '^#include ".*\.\./' /dev/null) || :
if [ -n "$up" ]; then
    printf 'includes past its folder:\n%s\n' "$up"
    exit 1
fi
