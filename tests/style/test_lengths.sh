#!/bin/sh
# SPDX-License-Identifier: MIT
# test_lengths.sh LENGTHS: what the script makes of files and functions that are as long as they may
# be, and of longer ones.
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/part" "$folder/emulator/time"
: >"$folder/part/CMakeLists.txt"
: >"$folder/emulator/CMakeLists.txt"

# file NAME LINES FUNCTION: so many lines, with a function of so many at the beginning.
file()
{
    { echo "{"; seq "$3" | sed 's/.*/    line;/'; echo "}"; seq $(($2 - $3 - 2)); } >"$folder/$1"
}

file part/good.c 700 60
file part/good.cuh 70 60
file emulator/time/cycle_sm.c 600 45
file emulator/time/g80_sm.c 700 60
sh "$1" "$folder"
file part/long.c 701 3
file part/wide.cu 100 61
file emulator/time/cycle.c 601 3
file emulator/time/cycle_parts.h 100 46
if sh "$1" "$folder" >"$folder/said"; then exit 1; fi
[ "$(sort "$folder/said")" = "emulator/time/cycle.c: 601 lines, allowed are 600
emulator/time/cycle_parts.h:1: 46 lines, allowed are 45
part/long.c: 701 lines, allowed are 700
part/wide.cu:1: 61 lines, allowed are 60" ]
