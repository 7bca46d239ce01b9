#!/bin/sh
# SPDX-License-Identifier: MIT
# A program older than its source is warned about, another is not: age.sh EMU PROGRAM.
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
cp "$2" "$folder/program"

touch -t 200001010000 "$folder/program"
"$1" "$folder/program" >"$folder/old" 2>&1
grep "^emu: $folder/program is older than its source .*\.cu: compile it again$" "$folder/old" ||
    { cat "$folder/old"; exit 1; }
touch "$folder/program"
"$1" "$folder/program" >"$folder/new" 2>&1
if grep older "$folder/new"; then
    exit 1
fi
# Out of its folder, under a name that leads nowhere.
touch -t 200001010000 "$folder/program"
cd "$folder"
"$1" ./program >"$folder/old" 2>&1
grep "program is older than its source" "$folder/old"
