#!/bin/sh
# SPDX-License-Identifier: MIT
# test_list_puzzles.sh CHECKOUT: a list that is not what the puzzles say is noticed, and mended.
set -eu

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/docs/zh"
cp -R "$1/puzzles" "$root/puzzles"
cp "$1/docs/puzzles.md" "$root/docs"
cp "$1/docs/zh/puzzles.md" "$root/docs/zh"

# due CHECKOUT CODE [--fill]: what its list_puzzles ends with.
due()
{
    code=0
    "$1/docs/list_puzzles" ${3+"$3"} "$root" 2>"$root/err" || code=$?
    if [ $code -ne "$2" ]; then
        echo "code $code, not $2:" >&2
        cat "$root/err" >&2
        exit 1
    fi
}

due "$1" 0
sed -i '3s/.*/Something else./' "$root/puzzles/02_more_than_threads/puzzle.md"
due "$1" 1
grep -q 'Something else' "$root/err"
due "$1" 0 --fill
due "$1" 0
sed -i '3s/.*/别的。/' "$root/puzzles/07_neighbours/puzzle.zh.md"
due "$1" 1
due "$1" 0 --fill
rm -r "$root/puzzles/13_wait_for_it"
due "$1" 1
sed -i '/<!-- .puzzles -->/d' "$root/docs/puzzles.md"
due "$1" 1 --fill
grep -q 'no place' "$root/err"
