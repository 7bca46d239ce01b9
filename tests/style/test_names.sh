#!/bin/sh
# SPDX-License-Identifier: MIT
# test_names.sh CTEST BUILD: no two tests have one name; CMake sees to that within a folder only.
set -eu

twice=$("$1" --test-dir "$2" -N | sed -n 's/^ *Test *#[0-9]*: //p' | sort | uniq -d)
if [ -n "$twice" ]; then
    printf 'registered twice:\n%s\n' "$twice"
    exit 1
fi
