#!/bin/sh
# SPDX-License-Identifier: MIT
# named_files.sh CHECKOUT: what a CMakeLists.txt names from the root on, as ${CMAKE_SOURCE_DIR}/FILE, is
# there, also where CMake does not read so far because a library is missing. Names each that is not.
set -eu

cd "$1"
named=$(find . -name CMakeLists.txt -not -path './build/*' \
    -exec grep -HoE '\$\{CMAKE_SOURCE_DIR\}/[A-Za-z0-9_./-]+\.[a-z]+' {} +)
missing=$(echo "$named" | while IFS=: read -r list file; do
    [ -e "${file#*/}" ] || echo "$list: $file"
done)
if [ -n "$missing" ]; then
    printf 'not there:\n%s\n' "$missing"
    exit 1
fi
