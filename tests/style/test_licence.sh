#!/bin/sh
# SPDX-License-Identifier: MIT
# licence.sh must see a licence or a version that disagrees.
#
# usage: test_licence.sh licence.sh CHECKOUT
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# refuses FILE EXPRESSION: with the file edited so, licence.sh fails.
refuses() {
    (cd "$checkout" && cp LICENSE REUSE.toml CITATION.cff CHANGELOG.md CMakeLists.txt "$folder")
    sed -i "$2" "$folder/$1"
    if sh "$check" "$folder" 2>/dev/null; then
        echo "$1 changed by '$2' was not seen" >&2
        exit 1
    fi
}

check=$1 checkout=$2
refuses LICENSE '1s/MIT/BSD/'
refuses REUSE.toml 's/"MIT"/"ISC"/'
refuses CITATION.cff 's/^license: .*/license: Zlib/'
refuses CITATION.cff 's/^version: .*/version: 0.0.1/'
refuses CHANGELOG.md 's/^## [0-9.]*/## 77.0/'
refuses CMakeLists.txt 's/ VERSION [0-9.]*//'
mkdir "$folder/tools"
echo 'int nobody;' >"$folder/tools/nobody.c"
refuses LICENSE ''
