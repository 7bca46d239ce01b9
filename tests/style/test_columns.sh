#!/bin/sh
# SPDX-License-Identifier: MIT
# test_columns.sh COLUMNS: what the script makes of lines of 100 and of 101 columns.
set -eu

columns=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/chapter/below"
: >"$folder/chapter/CMakeLists.txt"
hundred=$(printf '%0100d' 0)

for file in a.c b.h below/c.cu below/d.cuh e.def; do
    printf '%s\n/*%sé*/\n' "$hundred" "${hundred#00000}" >"$folder/chapter/$file"
done
sh "$columns" "$folder"

for file in a.c b.h below/c.cu below/d.cuh e.def; do
    printf '%s0\n' "$hundred" >>"$folder/chapter/$file"
    if named=$(sh "$columns" "$folder"); then
        echo "not found in $file" >&2
        exit 1
    fi
    [ "$named" = "wider than 100 columns:
chapter/$file:3:${hundred}0" ] || {
        echo "for $file it says: $named" >&2
        exit 1
    }
    printf '%s\n' "$hundred" >"$folder/chapter/$file"
done
