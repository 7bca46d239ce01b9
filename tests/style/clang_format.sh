#!/bin/sh
# clang_format.sh CHECKOUT: every C, header and CUDA file is as .clang-format says. Exits with 77 where
# there is no clang-format 14, Debian 12's: other versions see some lines otherwise.
set -eu

case $(clang-format --version 2>/dev/null) in
*' version 14.'*) ;;
*) exit 77 ;;
esac
cd "$1"
find common emulator tools benchmarks tests sumsq reduction matmul prime \
    \( -name '*.c' -o -name '*.h' -o -name '*.cu' \) -exec clang-format --dry-run -Werror {} +
