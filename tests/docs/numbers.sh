#!/bin/sh
# SPDX-License-Identifier: MIT
# numbers.sh [--mend] ROOT [CTEST BUILD]: every number in the prose of the pages under ROOT has a source, and the
# Chinese page has the same numbers in the same sections. With CTEST and BUILD, the tests that are named
# as sources exist. --mend writes what the tables have now in the place of the numbers that they had, in
# both languages, and says which lines to read again.
#
# The sources of docs/PAGE.md stand in docs/claims/PAGE.md, a page of Markdown. Below "## ANCHOR" are those
# of that section of the page, below "## everywhere" those of the whole page; a line each:
#
#   - FRAGMENT <- SOURCE; SOURCE
#
# FRAGMENT is quoted from the page and holds one or more numbers; it may be as short as "27.6 us". A # in
# it stands for any number, so that a table can be filled again and only the page be corrected. Each of
# the numbers has a source, or one source has them all. A source is an expression, in which stand
#
#   [gpu v3 time]            a cell of a generated table (gpu, emulator, compare_ncu, table for one
#                            that a test compares): row, column, and #2 for the second number in it;
#                            [sumsq/gpu v3 time] on another page
#   {FILE: WORDS: NAME}      the number after NAME, after WORDS, in a file of the repository
#   4096 * 4 / 128           arithmetic: + - * / ^ ( ) min max floor ceil log2 sqrt
#
# or one of
#
#   shown TEXT               a line with TEXT in a session or listing of the page has these numbers, or
#                            one in the claims file, whose sessions and changes are run as the page's are
#   in FILE: TEXT            a line with TEXT in this file has them
#   run COMMAND: TEXT        a line with TEXT that this command prints has them
#   test NAME                the test NAME fails if they are wrong
#   from NAME WHERE          somebody else's figure: NAME is in docs/claims/sources.md
#   measured NAME            measured once: NAME is in docs/claims/sources.md
#   example                  chosen by the page, nothing to be wrong
#
# "- table <- test NAME" covers the tables of the section. "- zh: FRAGMENT <- SOURCE" is a number that only
# the Chinese page has, "- zh lacks 96, 12" are those that it has not.
#
# A number must be its source rounded to the digits written; "about" allows 10 %, "more than" up to
# twice, "less than" anything below. A fragment without digits is compared by its words: half, twice,
# three times, a quarter, each within 10 %, or 20 % with "about". No source is asked for: single digits
# without a unit; powers written as such (2^32 with a superscript); 32 lanes, threads of a warp or banks;
# which one it is (thread 31, row 50); names (v3, H200, CUDA 13, 64-bit), years, sections; code, code spans,
# headings, what stands between markers. A sum that is spelt out, 8 + 36 + 1 = 45, is worked out.
#
# Prints how many numbers of each page come from where, and a line for each fault, "page:line: what"; exits
# with 1 if there is any.
set -eu
export LC_ALL=C # awk counts bytes

mend=0
if [ "${1-}" = --mend ]; then
    mend=1
    shift
fi
if [ $# -ne 1 ] && [ $# -ne 3 ]; then
    echo "usage: numbers.sh [--mend] ROOT [CTEST BUILD]" >&2
    exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
if [ $# -eq 3 ]; then
    "$2" --test-dir "$3" -N | sed -n 's/^ *Test *#[0-9]*: //p' >"$scratch/tests"
    if [ ! -s "$scratch/tests" ]; then
        echo "numbers.sh: no tests in $3" >&2
        exit 1
    fi
fi
cd "$1"

# check PAGE CLAIMS: what there is to say about PAGE and its twin.
check()
{
    twin=docs/zh/${1##*/}
    if [ ! -f "$twin" ]; then
        twin=
    fi
    awk -v page="$1" -v twin="$twin" -v claims="$2" -v mend=$mend \
        -v sources=docs/claims/sources.md -v tests="${tests:-}" -f "$here/numbers/page.awk" -f "$here/numbers/number.awk" \
        -f "$here/numbers/expression.awk" -f "$here/numbers/judge.awk" -f "$here/numbers/claims.awk" </dev/null
}

# Writes the new numbers of $scratch/mend into page $1, from the end of each line to its beginning.
mend_page()
{
    sort -t "$(printf '\t')" -k 3,3n -k 4,4nr "$scratch/mend" | awk -F '\t' -v page="$1" '
        FILENAME == "-" && $2 == page { mend[$3, ++count[$3]] = $0 }
        FILENAME == "-" { next }
        {
            text = $0
            for (i = 1; i <= count[FNR]; i++) {
                split(mend[FNR, i], part)
                text = substr(text, 1, part[4] - 1) part[6] substr(text, part[5])
            }
            if (text != $0)
                print page ":" FNR ": mended" >"/dev/stderr"
            print text
        }' - "$1" >"$scratch/page"
    cat "$scratch/page" >"$1"
}

if [ -f "$scratch/tests" ]; then
    tests=$scratch/tests
fi
for page in README.md CONTRIBUTING.md docs/*.md; do
    name=$(basename "$page" .md)
    if [ -f "docs/claims/$name.md" ]; then
        check "$page" "docs/claims/$name.md"
    else
        echo "$page: no docs/claims/$name.md says where its numbers come from"
    fi
done >"$scratch/said"
for claims in docs/claims/*.md; do
    name=$(basename "$claims" .md)
    if [ "$name" != sources ] && [ ! -f "docs/$name.md" ] && [ ! -f "$name.md" ]; then
        echo "$claims: no such page" >>"$scratch/said"
    fi
done
sed -n 's/^- \([a-z0-9_]*\):.*/\1/p' docs/claims/sources.md | while read -r source; do
    if ! grep -qE "(from|measured) $source([ ;,]|$)" docs/claims/*.md; then
        echo "docs/claims/sources.md: no claim names $source" >>"$scratch/said"
    fi
done
sed -n 's/^ok //p' "$scratch/said"
sed -n 's/^ok [^:]*: *//p' "$scratch/said" | tr ',' '\n' | awk '
    NF == 2 { sum[$2] += $1; all += $1 }
    END {
        printf "in all %d:", all
        for (kind in sum)
            printf " %d %s", sum[kind], kind
        print ""
    }'
grep '^mend' "$scratch/said" | sort -u >"$scratch/mend" || :
cut -f 2 "$scratch/mend" | sort -u | while read -r page; do
    mend_page "$page"
done
grep -v -e '^ok ' -e '^mend' "$scratch/said" >>"$scratch/faults" || :
if [ -s "$scratch/faults" ]; then
    cat "$scratch/faults" >&2
    exit 1
fi
