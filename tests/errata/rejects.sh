#!/bin/sh
# SPDX-License-Identifier: MIT
# rejects.sh COMPILER FILE: the compiler refuses FILE as the article has it and takes its repair.
set -eu

if "$1" -std=gnu11 -fsyntax-only -Werror=format "$2" 2>/dev/null; then
    echo "$2: the article's form compiles after all" >&2
    exit 1
fi
exec "$1" -std=gnu11 -fsyntax-only -Werror -Wall -DREPAIRED "$2"
