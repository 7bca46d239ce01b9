#!/bin/sh
# SPDX-License-Identifier: MIT
# floors.sh CHECKOUT: no file of emulator/ includes one of a floor above its own, and folders of one
# floor do not include each other in a circle. The floors are those of the table in docs/emulator-inside.md.
# Names each line that does.
set -eu
cd "$1"
export LC_ALL=C

# shellcheck disable=SC2016 # backquotes of Markdown
floors=$(sed -n 's#^| \([0-9]*\) | \[`\([a-z]*\)/`\].*#\2 \1#p' docs/emulator-inside.md)
if [ -z "$floors" ]; then
    echo "docs/emulator-inside.md names no floors"
    exit 1
fi

# FILE:LINE FOLDER INCLUDED_FOLDER, for each include of another folder's file. What all floors share,
# emu.h, has no folder; of "name.h" alone the folder is the file's own.
includes=$(find emulator -mindepth 2 -name '*.[ch]' | sort | xargs grep -n '^#include "[a-z0-9_]*/' |
    sed 's#^\(emulator/\([a-z]*\)/[^:]*:[0-9]*\):.include "\([a-z0-9_]*\)/.*#\1 \2 \3#')
if [ -z "$includes" ]; then
    echo "found no includes"
    exit 1
fi

printf '%s\n' "$floors" - "$includes" | awk '
    $0 == "-" { reading = 1; next }
    !reading { floor[$1] = $2; next }
    $2 == $3 { next }
    function complain(what) { print $1 ": " what; bad = 1 }
    !($2 in floor) { complain($2 "/ is on no floor"); next }
    !($3 in floor) { complain("includes " $3 "/, which is on no floor"); next }
    floor[$3] > floor[$2] { complain($2 "/ includes " $3 "/, from above") }
    END { exit bad }'

up=$(find emulator -name '*.[ch]' | sort | xargs grep -n '^#include ".*\.\./' /dev/null) || :
if [ -n "$up" ]; then
    printf 'includes past its folder:\n%s\n' "$up"
    exit 1
fi

circle=$(printf '%s\n' "$includes" | awk '$2 != $3 { print $2, $3 }' | sort -u |
    tsort 2>&1 >/dev/null) || :
if [ -n "$circle" ]; then
    printf 'folders include each other in a circle:\n%s\n' "$circle"
    exit 1
fi
