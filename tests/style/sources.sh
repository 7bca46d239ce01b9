#!/bin/sh
# SPDX-License-Identifier: MIT
# sources.sh CHECKOUT: the names of our C, header and CUDA files and of the tables that they include,
# one a line: those below every folder that CMake builds, so that a new chapter's are among them.
set -eu

cd "$1"
for list in */CMakeLists.txt; do
    find "${list%/*}" \( -name '*.c' -o -name '*.h' -o -name '*.cu' -o -name '*.cuh' \
        -o -name '*.def' \) -type f
done
