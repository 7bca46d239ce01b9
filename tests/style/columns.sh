#!/bin/sh
# SPDX-License-Identifier: MIT
# columns.sh CHECKOUT: no line of a C, header or CUDA file or of a table (*.def) is wider than 100
# columns; clang-format lets comments be as wide as they like. Names each that is.
set -eu

sources=$(sh "$(dirname "$0")/sources.sh" "$1")
cd "$1"
wide=$(echo "$sources" | LC_ALL=C.UTF-8 xargs grep -nE '.{101}' /dev/null) || :
if [ -n "$wide" ]; then
    printf 'wider than 100 columns:\n%s\n' "$wide"
    exit 1
fi
