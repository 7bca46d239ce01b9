#!/bin/sh
# SPDX-License-Identifier: MIT
# Does promises.sh see a promise that is broken, and a name that nobody promised?
#
# usage: test_promises.sh PROMISES ROOT BUILD
# shellcheck disable=SC2016 # backquotes of Markdown
set -eu
promises=$1 root=$2 build=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
    echo "test_promises: $1" >&2
    exit 1
}

mkdir -p "$folder/docs/zh"
ln -s "$root/tour" "$root/emulator" "$folder"
ln -s "$root/docs/schema.json" "$folder/docs"
cp "$root/docs/stable.md" "$folder/docs"
cp "$root/docs/zh/stable.md" "$folder/docs/zh"
sh "$promises" "$folder" "$build" || fail "nothing was changed"

# finds FILE COMMAND FAULT: with sed's COMMAND done to FILE.
finds() {
    cp "$folder/$1" "$folder/kept"
    sed -i "$2" "$folder/$1"
    ! sh "$promises" "$folder" "$build" >"$folder/out" || fail "'$2' passes"
    grep -qx "$3" "$folder/out" || fail "no '$3' in: $(cat "$folder/out")"
    cp "$folder/kept" "$folder/$1"
}

finds docs/stable.md 's/`--gpu` //' 'docs/stable.md: tour_options: --gpu is not promised'
finds docs/stable.md 's/`branches`/& `twigs`/' 'docs/stable.md: json_kernel: twigs is promised and has gone'
finds docs/zh/stable.md '/promised: cmake/,/promised -->/d' "docs/zh/stable.md: no list 'cmake'"
sed -i 's/`branches`/`twigs`/' "$folder/docs/stable.md"
sh "$promises" --mend "$folder" "$build" || fail "--mend does not mend"
cmp "$root/docs/stable.md" "$folder/docs/stable.md" || fail "--mend writes something else"
