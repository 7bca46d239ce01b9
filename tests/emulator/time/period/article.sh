#!/bin/sh
# SPDX-License-Identifier: MIT
# article.sh ARTICLE EMU FOLDER PAGE...: period_article's figures are near enough to the article's, and the
# table of each PAGE has the rows that it prints, whatever the page calls a figure. Only what takes seconds,
# and what docs.tables.matmul has run since emulator and steps were built.
set -eu

article=$1
emu=$2
folder=$3
shift 3
results=$folder/tests/docs/matmul.json
if [ ! -f "$results" ] ||
    [ -n "$(find "${emu%/*}"/libcudart.so.?? "$folder"/matmul/m[0-9]* -newer "$results")" ]; then
    results=
fi
rows=$("$article" --check --quick "$emu" "$folder" ${results:+"$results"})
faults=0
for page; do
    if echo "$rows" | awk -F ' [|] ' -v page="$page" '
            function row() { return $1 " | " $3 " | " $4 " | " $5 " | " $6 }
            BEGIN { while ((getline <page) > 0) there[row()] = 1 }
            NR > 2 && !(row() in there) { print page " lacks " $0 }' | grep .; then
        faults=1
    fi
done
exit $faults
