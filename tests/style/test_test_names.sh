#!/bin/sh
# SPDX-License-Identifier: MIT
# test_test_names.sh TEST_NAMES CTEST: of two folders that share one test's name it is found.
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/below"
printf 'add_test(a true)\nadd_test(b true)\nsubdirs(below)\n' >"$folder/CTestTestfile.cmake"
echo 'add_test(c true)' >"$folder/below/CTestTestfile.cmake"
sh "$1" "$2" "$folder"

echo 'add_test(b true)' >>"$folder/below/CTestTestfile.cmake"
[ "$(sh "$1" "$2" "$folder")" = 'registered twice:
b' ]
