#!/bin/sh
# SPDX-License-Identifier: MIT
# test_change.sh CHANGE: a change that fits is made, and one that does not is refused.
set -eu
. "$(dirname "$0")/../refused.sh"

change=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
printf 'one\ntwo\nthree\nfour\n' >"$folder/source"

# page LINES: the lines of a change, in a page.
page()
{
    # shellcheck disable=SC2016 # backticks of Markdown
    printf '<!-- change: it a/b -->\n\n```diff\n%s\n```\n' "$1" >"$folder/page"
}

# refused WORDS
refused()
{
    expect_refusal "$1" "$change" "$folder/page" it "$folder/source" "$folder/output"
}

page ' one
-two
+2
...
-four
+4
+5'
"$change" "$folder/page" it "$folder/source" "$folder/output"
printf 'one\n2\nthree\n4\n5\n' | cmp - "$folder/output"

page '-five' && refused 'has no lines: five'
page '-three
...
-two' && refused 'has no lines: two'
page '-one
-three' && refused 'has no lines: one'
page '+new' && refused 'where do they go?'
printf 'nothing\n' >"$folder/page" && refused 'no such block'
