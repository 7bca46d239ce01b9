#!/bin/sh
# SPDX-License-Identifier: MIT
# check_docs.sh CHECK ROOT: one check of the pages under ROOT (README.md, CONTRIBUTING.md, docs/).
# Prints a line for each fault, "page:line: what", and exits with 1 if there is any.
#
#   twins     every page of docs/ has one in docs/zh/ with the same headings, anchors, tables,
#             sessions and changes
#   names     every step, and every source file of a chapter, that a page names exists
#   links     relative links, and the See: lines of the steps, lead to a file and an anchor
#   blocks    generated tables are closed, and name device, driver, toolkit, size and every step
#   excerpts  the lines of code in a chapter's page stand in one of the chapter's files, but for those
#             that a change adds
#   glossary  every chapter's page links the glossary, which defines no word twice and has the same words
#             in both languages
#   emulator  the pages on the emulator name functions that it has; the manual has every counter and
#             every option
#   bold      what begins in bold type ends in it: a paragraph, a row or an item has ** in pairs
set -eu

if [ $# -ne 2 ]; then
    echo "usage: check_docs.sh twins|names|links|blocks|excerpts|glossary|emulator|bold ROOT" >&2
    exit 2
fi
check=$1
cd "$2"

chapters=$(sed -n 's/^add_chapter(\([a-z0-9_]*\).*/\1/p' ./*/CMakeLists.txt)
steps=$(sed -n 's|^ *add_step(\([a-z0-9_]*\) \([a-z0-9_]*\).*|\1/\2|p' ./*/CMakeLists.txt)

pages()
{
    for page in README.md CONTRIBUTING.md docs/*.md docs/zh/*.md; do
        echo "$page"
    done
}

# The outline of page $1: level of each heading, each anchor, each marker of a generated table or of a
# change, each line of a session or a change.
outline()
{
    awk '/^```/ { code = !code; same = code && /console|diff/ }
        /^<!-- \/?tour/ { print; made = !made }
        /^<!-- change:/ || same { print }
        code || made { next }
        /^#+ / { print $1 }
        /<a id="/ { print }' "$1"
}

check_twins()
{
    for page in docs/*.md docs/zh/*.md; do
        name=${page##*/}
        if [ ! -f "docs/$name" ] || [ ! -f "docs/zh/$name" ]; then
            echo "$page: no twin"
        fi
    done
    for page in docs/*.md; do
        if [ -f "docs/zh/${page##*/}" ]; then
            outline "$page" >"$scratch/one"
            outline "docs/zh/${page##*/}" >"$scratch/other"
            diff "$scratch/one" "$scratch/other" | awk -v page="$page" '/^[<>]/ {
                print page ": its twin differs: " $0 }'
        fi
    done
}

# shellcheck disable=SC2046 # names of pages have no spaces
check_names()
{
    for chapter in $chapters; do
        ls "$chapter"/*.cu "$chapter"/*.c "$chapter"/*.h
    done >"$scratch/files"
    awk '
        function fault(what) { print FILENAME ":" FNR ": no " what; bad = 1 }
        NR == FNR {
            exists[$0]
            split($0, part, "/")
            chapters[part[1]]
            if (sub(/\.cu$/, "", part[2])) {
                steps[part[2]]
                steps[part[1] "/" part[2]]
                sub(/_.*/, "", part[2])
                numbers[part[2]]
                sub(/[a-z]$/, "", part[2]) # v7 stands for v7a and v7b
                numbers[part[2]]
            }
            next
        }
        # Word by word: sumsq/v3_coalesced.cu, build/default/sumsq/v3_coalesced, sumsq_v3_coalesced,
        # sumsq.v3_coalesced, v3_coalesced, v3.
        {
            gsub(/[^A-Za-z0-9_.\/-]/, " ")
            for (i = 1; i <= NF; i++) {
                word = $i
                sub(/[.\/-]+$/, "", word)
                count = split(word, part, "/")
                last = part[count]
                if (count > 1 && part[count - 1] in chapters) {
                    path = part[count - 1] "/" last
                    if (last ~ /\.(cu|c|h)$/ ? !(path in exists) : \
                        last !~ /\./ && !(path in steps))
                        fault(path)
                    continue
                }
                sub(/\.cu$/, "", last)
                sub(/\.gpu$/, "", last)
                for (chapter in chapters)
                    if (index(last, chapter "_") == 1 || index(last, chapter ".") == 1)
                        last = substr(last, length(chapter) + 2)
                if (last ~ /^([a-z][0-9]+[a-z]?_[a-z0-9_]+|library_[a-z0-9]+)$/ && \
                    last !~ /^x86_/ && !(last in steps))
                    fault("step " last)
                if (last ~ /^v[0-9]+$/ && !(last in numbers))
                    fault("step " last)
            }
        }' "$scratch/files" $(pages)
}

# The links of the pages and the See: lines of the steps, one a line: file, line number, target.
# shellcheck disable=SC2046 # names of pages and steps have no spaces
links()
{
    awk 'FNR == 1 { code = 0 }
        /^```/ { code = !code }
        code { next }
        {
            gsub(/`[^`]*`/, "code")
            while (match($0, /\]\([^)]*\)/)) {
                print FILENAME, FNR, substr($0, RSTART + 2, RLENGTH - 3)
                $0 = substr($0, RSTART + RLENGTH)
            }
        }' $(pages)
    awk '/^ \* See:/ { print FILENAME, FNR, $3 }' $(echo "$steps" | sed 's/$/.cu/')
}

# Target $3, as written in line $2 of file $1, is there; its anchor is looked for later.
check_target()
{
    folder=.
    case $1 in *.md) [ "${1%/*}" = "$1" ] || folder=${1%/*} ;; esac
    case $3 in
    http://* | https://* | mailto:*) return ;;
    '#'*) file=$1 ;;
    *) file=$folder/${3%%#*} ;;
    esac
    if [ ! -e "$file" ]; then
        echo "$1:$2: no file $3"
    elif [ "${3#*#}" != "$3" ]; then
        echo "$file ${3#*#} $1:$2: $3" >>"$scratch/anchors"
    fi
}

check_links()
{
    links >"$scratch/links"
    : >"$scratch/anchors"
    while read -r file line target; do
        check_target "$file" "$line" "$target"
    done <"$scratch/links"
    cut -d ' ' -f 1 "$scratch/anchors" | sort -u | xargs grep -Ho '<a id="[^"]*"></a>' |
        sed 's/:<a id="\(.*\)"><.*/ \1/' |
        awk 'NR == FNR { there[$1 " " $2]; next }
            !($1 " " $2 in there) { print $3 " no anchor " $4 }' - "$scratch/anchors"
    for step in $steps; do
        grep -q "^$step.cu " "$scratch/links" || echo "$step.cu: no line that says See:"
    done
}

# shellcheck disable=SC2046 # names of pages have no spaces
check_blocks()
{
    awk -v steps="$steps" '
        function fault(what) { print FILENAME ":" FNR ": " what }
        function end_block(    i, count, step, part) {
            if (!filled)
                return
            if (device !~ /[^ ,].*(, driver|，驱动) [0-9][0-9.]*(, toolkit|，工具包) [0-9][0-9.]*/)
                fault("the table names no device, driver and toolkit")
            if ((device ~ /emulated|模拟/) != (place == "emulator"))
                fault("the table is of another device than its marker says")
            if (!size)
                fault("the table names no size n")
            count = split(steps, step, "\n")
            for (i = 1; i <= count; i++) {
                split(step[i], part, "/")
                if (part[1] == chapter && index(text, part[2]) == 0)
                    fault("the table has no row " part[2])
            }
        }
        FNR == 1 && open { print last ": a table is not closed"; open = 0 }
        { last = FILENAME }
        /^<!-- tour: / {
            if (open)
                fault("a table begins inside another")
            if ($0 !~ /^<!-- tour: [a-z]+ on (gpu|emulator) -->$/ || \
                index("\n" steps, "\n" $3 "/") == 0)
                fault("not a marker of a chapter on gpu or emulator")
            open = 1; chapter = $3; place = $5
            filled = size = 0; device = text = ""
            next
        }
        /^<!-- \/tour -->$/ {
            if (!open)
                fault("a table ends that did not begin")
            end_block()
            open = 0
            next
        }
        open && NF {
            filled = 1
            text = text "\n" $0
            if (/, driver |，驱动 /)
                device = $0
            if (/(, |，)n = [0-9]/ || /\| *n *\|/)
                size = 1
        }
        END { if (open) print last ": a table is not closed" }' $(pages)
}

check_excerpts()
{
    for chapter in $chapters; do
        cat "$chapter"/*.cu* "$chapter"/*.c "$chapter"/*.h >"$scratch/lines"
        for page in "docs/$chapter.md" "docs/zh/$chapter.md"; do
            awk '
                NR == FNR { stands[$0]; next }
                /^<!-- change: / { changed = 1 }
                /^```/ && kind != "" { changed = 0 }
                /^```/ { kind = kind == "" ? substr($0, 4) : ""; next }
                kind == "c" || kind == "diff" {
                    line = $0
                    if (changed && line ~ /^\+/)
                        next
                    if (kind == "diff" && line != "...")
                        line = substr(line, 2)
                    if (line != "" && line != "..." && !(line in stands))
                        print FILENAME ":" FNR ": in none of the chapter'"'"'s files: " line
                }' "$scratch/lines" "$page"
        done
    done
}

# shellcheck disable=SC2046 # names of pages have no spaces
check_bold()
{
    awk '
        function end_paragraph() {
            if (marks % 2)
                print file ":" first ": a ** without another"
            marks = 0
        }
        FNR == 1 { end_paragraph(); code = 0 }
        /^```/ { code = !code }
        code || /^ *$/ { end_paragraph(); next }
        /^(#|[|]|[-*] |[0-9]+[.] )/ { end_paragraph() }
        {
            if (!marks) { file = FILENAME; first = FNR }
            gsub(/`[^`]*`/, "")
            marks += gsub(/[*][*]/, "")
        }
        END { end_paragraph() }' $(pages) puzzles/*/puzzle*.md
}

# The first two cells of each row of the tables in page $1: a word and what it is in the other language.
words()
{
    awk -F ' *[|] *' '/^[|]---/ { body = 1; next } !/^[|]/ { body = 0 } body { print $2 "|" $3 }' "$1"
}

check_glossary()
{
    links >"$scratch/links"
    for chapter in $chapters; do
        for page in "docs/$chapter.md" "docs/zh/$chapter.md"; do
            if ! grep -qE "^$page [0-9]+ glossary[.]md(#|\$)" "$scratch/links"; then
                echo "$page: does not link the glossary"
            fi
        done
    done
    words docs/glossary.md >"$scratch/words"
    words docs/zh/glossary.md | awk -F '|' '{ print $2 "|" $1 }' >"$scratch/twin"
    if [ ! -s "$scratch/words" ]; then
        echo 'docs/glossary.md: no words found'
    fi
    diff "$scratch/words" "$scratch/twin" | sed -n 's/^[<>]/docs\/glossary.md: its twin differs:/p'
    sed -e 's/|.*//' -e 's/, /\n/g' "$scratch/words" | sort | uniq -d |
        sed 's/.*/docs\/glossary.md: & is defined twice/'
}

# The words between backticks in page $1, one a line.
quoted()
{
    awk '/^```/ { code = !code }
        code { next }
        {
            while (match($0, /`[^`]*`/)) {
                print substr($0, RSTART + 1, RLENGTH - 2)
                $0 = substr($0, RSTART + RLENGTH)
            }
        }' "$1"
}

# Besides ours a page may name functions of CUDA: __any, cuAny, and some of its mathematics.
check_emulator()
{
    find emulator -name '*.[ch]' -exec cat {} + | tr -c 'A-Za-z0-9_' '[\n*]' | sort -u \
        >"$scratch/words"
    sed -n 's/^ *X([A-Z_]*, "\([a-z_]*\)".*/\1/p' emulator/profile/names.h >"$scratch/wanted"
    sed -n 's/^ *{"\(--[a-z-]*\)", VALUE_.*/\1/p' emulator/launcher/emu.c >>"$scratch/wanted"
    if [ "$(grep -c '^[a-z]' "$scratch/wanted")" -lt 20 ] || ! grep -q '^--' "$scratch/wanted"; then
        echo 'emulator/: no counters or no options found'
    fi
    for page in docs/emulator-inside.md docs/zh/emulator-inside.md docs/emulator.md docs/zh/emulator.md; do
        quoted "$page" >"$scratch/quoted"
        sed -n 's/^\([a-z][a-z0-9_]*\)()$/\1/p' "$scratch/quoted" | sort -u >"$scratch/functions"
        grep -vxF -f "$scratch/words" "$scratch/functions" | grep -vxE 'sinf|expf|cu[A-Z].*' |
            sed "s|.*|$page: no function &() in emulator/|"
        case $page in *-inside.md) continue ;; esac
        while read -r word; do
            if ! grep -qE -- "^$word([^a-z_-]|$)" "$scratch/quoted"; then
                echo "$page: does not explain $word"
            fi
        done <"$scratch/wanted"
    done
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

case $check in
twins | names | links | blocks | excerpts | glossary | emulator | bold) "check_$check" >"$scratch/faults" ;;
*)
    echo "check_docs.sh: no check '$check'" >&2
    exit 2
    ;;
esac
if [ -s "$scratch/faults" ]; then
    cat "$scratch/faults" >&2
    exit 1
fi
