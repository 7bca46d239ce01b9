#!/bin/sh
# SPDX-License-Identifier: MIT
# test_lengths.sh LENGTHS: what the script makes of files and functions that are as long as they may
# be, and of longer ones.
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/part"
: >"$folder/part/CMakeLists.txt"

# file NAME LINES FUNCTION: so many lines, with a function of so many at the beginning.
file()
{
    { echo "{"; seq "$3" | sed 's/.*/    line;/'; echo "}"; seq $(($2 - $3 - 2)); } >"$folder/part/$1"
}

file good.c 700 60
file good.cuh 70 60
sh "$1" "$folder"
file long.c 701 3
file wide.cu 100 61
if sh "$1" "$folder" >"$folder/said"; then exit 1; fi
[ "$(sort "$folder/said")" = "part/long.c: 701 lines, allowed are 700
part/wide.cu:1: 61 lines, allowed are 60" ]
