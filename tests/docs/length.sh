#!/bin/sh
# SPDX-License-Identifier: MIT
# length.sh ROOT: the pages under ROOT are as short as agreed, and begin with a paragraph for the reader.
# English pages are counted in words, Chinese ones in characters; "open" is what stands neither in a fold
# nor on the page of lab notes. A page that grows must fold or lose something. Table cells and code count.
#
# Prints what there is, and what is wrong; exits with 1 if anything is.
set -eu

if [ $# -ne 1 ]; then
    echo "usage: length.sh ROOT" >&2
    exit 2
fi
cd "$1"
faults=0

# length_of LANGUAGE UNIT OPEN ALL PAGE...: no more than OPEN and ALL in these pages together.
length_of()
{
    language=$1
    unit=$2
    shift 2
    LC_ALL=C awk -v language="$language" -v unit="$unit" -v open_limit="$1" -v all_limit="$2" '
        BEGIN { ARGV[1] = ARGV[2] = "" }
        FNR == 1 { folded = 0 }
        /^<details/ { folded = 1 }
        {
            n = NF
            if (unit == "characters") {
                gsub(/[\200-\277]/, "") # what continues a character
                n = length($0) + 1
            }
            all += n
            page[FILENAME] += n
            if (!folded && FILENAME !~ /lab-notes/) open += n
        }
        /^<\/details/ { folded = 0 }
        END {
            printf "%s: %d %s, at most %d; of these open %d, at most %d\n", language, all, unit,
                all_limit, open, open_limit
            if (all <= all_limit && open <= open_limit)
                exit 0
            print language ": too long: fold or leave out what few readers want"
            for (name in page)
                print page[name], name | "sort -rn"
            exit 1
        }' "$@" || faults=1
}

length_of English words 63450 80100 docs/*.md
length_of Chinese characters 230600 290100 docs/zh/*.md

# After the title and the links to other pages comes a paragraph, not a heading, a list or a table.
for page in docs/*.md docs/zh/*.md; do
    first=$(sed -n '2,$ { /^$/d; /^\[\(中文\|English\)\]/d; p; q; }' "$page")
    case $first in
    '' | '#'* | '<'* | '|'* | '- '* | '!'* | '`'*)
        echo "$page: begins with '$first', not with what its reader can do after it"
        faults=1
        ;;
    esac
done
exit $faults
