#!/bin/sh
# SPDX-License-Identifier: MIT
# clang_format.sh CHECKOUT: every C, header and CUDA file is as .clang-format says; tables (*.def) are
# not, whose rows it would break up. Exits with 77 where there is no clang-format 14, Debian 12's:
# other versions see some lines otherwise.
set -eu

case $(clang-format --version 2>/dev/null) in
*' version 14.'*) ;;
*) exit 77 ;;
esac
sh "$(dirname "$0")/sources.sh" "$1" | grep -v '\.def$' |
    (cd "$1" && xargs clang-format --dry-run -Werror)
