#!/bin/sh
# SPDX-License-Identifier: MIT
# errata_tests.sh CTEST BUILD DOCS: every errata test that the page names exists, and every one that
# exists is named; so in both languages.
set -eu

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$1" --test-dir "$2" -N | sed -n 's/.*: \(errata\.[a-z0-9_]*\)$/\1/p' | sort >"$scratch/exist"
if [ ! -s "$scratch/exist" ]; then
    echo "no errata test in $2" >&2
    exit 1
fi
for page in "$3/errata.md" "$3/zh/errata.md"; do
    tr -c 'a-z0-9_.\n' '[\n*]' <"$page" | grep '^errata\.[a-z0-9_][a-z0-9_]*$' | grep -v '^errata\.md$' |
        sort -u >"$scratch/named"
    if ! diff "$scratch/exist" "$scratch/named" >&2; then
        echo "$page: names other tests (>) than there are (<)" >&2
        exit 1
    fi
done
