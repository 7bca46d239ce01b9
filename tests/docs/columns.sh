#!/bin/sh
# SPDX-License-Identifier: MIT
# columns.sh TOUR BUILD ROOT [CHAPTER]: the emulator's tables in the pages under ROOT have the columns that
# the runner TOUR prints today, for the steps in BUILD, and the same rows, where it is asked for a page's
# own size: a few steps of each chapter or, in minutes, all of one, whose results come to lie in
# BUILD/tests/docs/CHAPTER.json if all is well: while programs and pages are older, the few are not asked
# again. A table older than a column, or than what is counted, is one to fill again.
set -eu

tour=$1
build=$2
root=$3
chapters=${4-}
kept=
scratch=$(mktemp -d)
[ -z "$chapters" ] || kept="--json $scratch/results.json"
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

heads()
{
    "$root"/docs/second_table | grep -E '^\| (step|counted|variant|步骤|计数|方案) \|' || :
}

# The rows of the steps, without what depends on the other steps: what stands from "× first" on; and
# without those that are measured here.
rows()
{
    "$root"/docs/second_table | awk -F ' [|] ' '
        /^\| (step|counted|variant|步骤|计数|方案) \|/ {
            last = NF
            for (i = NF; i > 1; i--)
                if ($i == "× first" || $i == "比第一步")
                    last = i - 1
            inside = 1
            next
        }
        !/^\|/ { inside = 0 }
        inside && /^\| [a-z]/ && !/^\| library_gmp / {
            row = $1
            for (i = 2; i <= last; i++)
                row = row " | " $i
            print row
        }'
}

# The steps of a chapter that could be built here: some need a library.
steps_of()
{
    for name in $(sed -n "s|^ *add_step($1 \([a-z0-9_]*\).*|\1|p" "$root/$1/CMakeLists.txt"); do
        [ ! -x "$build/$1/$name" ] || echo "$1/$name"
    done
}

# The columns do not depend on the size. Which steps: a column that all of them lack is not shown.
print_chapter()
{
    devices=1
    [ "$1" != peers ] || devices=4
    case $1 in
    start) asked=$(steps_of start) ;;
    sumsq) asked=sumsq/v4_blocks ;;
    reduction) asked='reduction/r3_sequential reduction/r9b_overlap' ;;
    matmul) asked='--n 64 matmul/m5_tiled' ;;
    sgemm) asked='--n 64 sgemm/s02_register_tile' ;;
    hgemm) asked='--n 64 hgemm/h2_wmma' ;;
    fft) asked='fft/f1_16_registers fft/f5_any_power' ;;
    scan) asked='scan/c7c_warp_looks_back scan/c10_select' ;;
    histogram) asked='histogram/b2_shared histogram/b10_packed' ;;
    peers) asked='peers/g1_one_device peers/g8_halo' ;;
    sort) asked='sort/k2_bitonic sort/k6_match' ;;
    hardware) asked="--n 64 $(steps_of hardware)" ;;
    prime) asked='prime/p3_wheel prime/p4_miller_rabin prime/p5b_packed' ;;
    *)
        echo "columns.sh: say which steps of $1 to print" >&2
        exit 2
        ;;
    esac
    [ -z "$kept" ] || asked=$(steps_of "$1")
    # shellcheck disable=SC2086 # words
    EMU_DEVICES=$devices "$tour" --build "$build" --on emulator $kept --markdown run $asked
}

# Have all steps of chapter $1 been compared since programs or pages changed?
is_compared()
{
    results=$build/tests/docs/$1.json
    [ -z "$kept" ] && [ -f "$results" ] &&
        [ -z "$(find "$tour" "$build"/emulator/libcudart.so.?? "$build/$1" "$build/manifest.jsonl" \
            "$root/README.md" "$root/docs" "$root/base/words.def" -newer "$results")" ]
}

# What the tables on stdin say of their rows, a line each.
changes()
{
    awk -F ' [|] ' '
        !/^[|]/ { inside = 0; next }
        !inside { inside = 1 + ($2 ~ /^(what changes|what it does|改了什么|做什么)$/) }
        inside == 2 && /^[|] [a-z]/ { print $1 ": " $2 }'
}

# What the tables on stdin say of an article, a line each row.
articles()
{
    awk '
        /^####/ { section = $0 }
        !/^[|]/ { last = ""; next }
        {
            count = split(substr($0, 3, length($0) - 4), cell, / [|] /)
            sub(/^ +/, "", cell[count])
        }
        last == "" { last = cell[count]; next }
        last ~ /^(in the article|原文数据)$/ && /^[|] [a-z]/ {
            print section ": " cell[1] ": " cell[count]
        }'
}

# tables PAGE DEVICE: the tables of the chapter in it.
tables()
{
    awk -v marker="<!-- tour: $chapter on $2 -->" '
        $0 == marker { inside = 1 }
        /^<!-- \/tour/ { inside = 0 }
        inside' "$1"
}

# What is said in tables of experiments and of articles that base/words.def has no Chinese for.
in_english()
{
    LC_ALL=C awk -F ' [|] ' '
        { sub(/ [|]$/, "") }
        /^\| (步骤|计数|方案) \|/ {
            for (i = 1; i <= NF; i++)
                head[i] = $i
            next
        }
        !/^\| [a-z]/ { next }
        {
            for (i = 2; i <= NF; i++)
                if ($i !~ /[\200-\377]|^#|:$| ulp$/ &&
                    (head[i] == "做什么" && $i ~ /[a-z][a-z]+ [a-z][a-z]/ ||
                     (head[i] == "原文数据" || head[i] == "每个 SM" || head[i] == "本设备") &&
                     $i ~ /(^| )[a-z][a-z]/))
                    print $1 ": " $i
        }'
}

[ -n "$chapters" ] || chapters=$(sed -n 's/^add_chapter(\([a-z0-9_]*\).*/\1/p' "$root"/*/CMakeLists.txt)
faults=0
for chapter in $chapters; do
    ! is_compared "$chapter" || continue
    print_chapter "$chapter" >"$scratch/printed"
    "$root"/docs/in_chinese <"$scratch/printed" >"$scratch/printed.zh"
    if [ "$(heads <"$scratch/printed" | wc -l)" -lt 2 ]; then
        echo "$chapter: the runner prints no two tables" >&2
        exit 1
    fi
    if in_english <"$scratch/printed.zh" | grep . >"$scratch/difference"; then
        echo "$chapter: base/words.def has no Chinese for" >&2
        cat "$scratch/difference" >&2
        faults=1
    fi
    # What an article says is said of every row.
    for page in "$root"/README.md "$root"/docs/*.md "$root"/docs/zh/*.md "$root"/docs/claims/*.md; do
        grep -qF -- "<!-- tour: $chapter on " "$page" || continue
        if { tables "$page" emulator; tables "$page" gpu; } | articles | grep ': $' >"$scratch/difference"; then
            echo "$page: rows of $chapter that say nothing of the article (docs/fill $chapter article FILE):" >&2
            cat "$scratch/difference" >&2
            faults=1
        fi
        case $page in
        */zh/*)
            if { tables "$page" emulator; tables "$page" gpu; } | in_english | grep . >"$scratch/difference"; then
                echo "$page: English in the tables of $chapter:" >&2
                cat "$scratch/difference" >&2
                faults=1
            fi
            ;;
        esac
    done
    pages=0
    for page in "$root"/README.md "$root"/docs/*.md "$root"/docs/zh/*.md "$root"/docs/claims/*.md; do
        marker="<!-- tour: $chapter on emulator -->"
        if ! grep -qxF -- "$marker" "$page"; then
            continue
        fi
        pages=$((pages + 1))
        case $page in */claims/*) pages=2 ;; esac # which has no Chinese twin
        printed=$scratch/printed
        case $page in "$root"/docs/zh/*) printed=$printed.zh ;; esac
        heads <"$printed" >"$scratch/today"
        case $asked in
        --n*) : >"$scratch/rows" ;;
        *) rows <"$printed" >"$scratch/rows" ;;
        esac
        tables "$page" emulator >"$scratch/table"
        heads <"$scratch/table" >"$scratch/page"
        if ! diff "$scratch/page" "$scratch/today" >"$scratch/difference"; then
            echo "$page: the emulator's table has other columns than ./tour $chapter prints:" >&2
            cat "$scratch/difference" >&2
            faults=1
        fi
        { tables "$page" gpu; cat "$scratch/table"; } | changes >"$scratch/said"
        changes <"$printed" | sort -u | grep -vxFf "$scratch/said" >"$scratch/difference" && {
            echo "$page: its tables of $chapter do not say:" >&2
            cat "$scratch/difference" >&2
            faults=1
        }
        if rows <"$scratch/table" | grep -vxFf - "$scratch/rows" >"$scratch/difference"; then
            echo "$page: the emulator's table lacks what ./tour $chapter prints today:" >&2
            cat "$scratch/difference" >&2
            faults=1
        fi
    done
    if [ $pages -lt 2 ]; then
        echo "$chapter: $pages pages with the emulator's table, not 2" >&2
        faults=1
    fi
done
[ -z "$kept" ] || [ $faults -ne 0 ] || mv "$scratch/results.json" "$build/tests/docs/$chapters.json"
exit $faults
