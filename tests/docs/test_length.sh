#!/bin/sh
# SPDX-License-Identifier: MIT
# test_length.sh LENGTH: length.sh finds pages that are too long or begin badly, and counts folds apart.
set -eu
. "$(dirname "$0")/../refused.sh"

length=$1
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/docs/zh"

# page NAME WORDS FOLDED: a page in both languages with so many words, or characters, besides its head.
page()
{
    for folder in docs docs/zh; do
        {
            printf '# Page\n\n[中文](x)\n\nAfter this page.\n\n'
            yes a | head -n "$2"
            printf '<details>\n'
            yes a | head -n "$3"
            printf '</details>\n'
        } >"$root/$folder/$1.md"
    done
}

# finds WORDS
finds()
{
    expect_refusal "$1" "$length" "$root"
}

# The limits themselves are read from what is tested.
limits()
{
    sed -n "s/^length_of $1 $2 \\([0-9]*\\) \\([0-9]*\\) .*/open=\\1 all=\\2/p" "$length"
}

eval "$(limits English words)"
page lab-notes 1000 0
page one $((open - 100)) $((all - open - 1000))
"$length" "$root" >/dev/null
page one $((open + 1)) 0
finds 'English: too long'
page one $((open - 100)) $((all - open))
finds 'English: too long'
page one 10 10
# Three bytes each are one character, with the end of the line two.
eval "$(limits Chinese characters)"
yes 字 | head -n $((open / 2 - 100)) >>"$root/docs/zh/one.md"
"$length" "$root" >/dev/null
yes 字 | head -n 200 >>"$root/docs/zh/one.md"
finds 'Chinese: too long'
page one 10 10
printf '# Page\n\n[English](x)\n\n## Begins at once\n' >"$root/docs/zh/one.md"
finds "docs/zh/one.md: begins with '## Begins at once'"
