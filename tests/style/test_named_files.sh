#!/bin/sh
# SPDX-License-Identifier: MIT
# test_named_files.sh NAMED_FILES: the script finds the one of two files that is missing.
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/part"
# shellcheck disable=SC2016 # CMake's variables
echo 'add_executable(a ${CMAKE_SOURCE_DIR}/there.c ${CMAKE_SOURCE_DIR}/part/gone.c)' >"$folder/part/CMakeLists.txt"
: >"$folder/there.c"
if named=$(sh "$1" "$folder"); then
    echo "nothing is missing to it"
    exit 1
fi
echo "$named" | grep -q '^\./part/CMakeLists\.txt: .*part/gone\.c$'
[ "$(echo "$named" | wc -l)" -eq 2 ]
: >"$folder/part/gone.c"
sh "$1" "$folder"
