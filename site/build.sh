#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the site: every page of docs/ in both languages, each step's source and a picture of its run,
# each chapter's ladder, the puzzles' statements; then looks at every link.
#
# usage: build.sh CHECKOUT BUILD FOLDER
#
# BUILD holds the steps for the emulator. FOLDER is emptied and filled. PYTHONPATH leads to what
# cmake/toolkit/site.txt names. SITE_CHAPTERS are the chapters that are run: all, unless it is set.
set -eu

checkout=$1 build=$2 folder=$3
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
emu=$build/emulator/emu
largest=2000000 # bytes of a page

# field NAME: of the line of the manifest in $row.
field() {
    printf '%s\n' "$row" | sed -n "s/.*\"$1\": \"\{0,1\}\([^\",}]*\).*/\1/p"
}

# Draws the run of the step in $row at the size its checks have, on the first GPU that can run it, and
# smaller if the page would be too large for a telephone.
draw() {
    program=$(field program)
    page=$stage/en/trace/$program.html
    size=$(printf '%s\n' "$row" | sed -n 's/.*"check_size": \[\([^]]*\)\].*/\1/p' | tr -d '",')
    for gpu in "$(field shown_on)" "$shown_on" default h100; do
        for arguments in "$size" "--n 1000" "--n 100"; do
            [ -n "$gpu" ] || continue
            # shellcheck disable=SC2086 # words
            "$emu" --gpu="$gpu" --trace="$page" "$build/$program" $arguments >/dev/null 2>&1 &&
                [ -f "$page" ] && grep -q '"kernels":\[{' "$page" && [ "$(wc -c <"$page")" -le $largest ] && return
            rm -f "$page"
        done
    done
}

# The ladder of $chapter as one page, and each step's picture.
run_chapter() {
    steps=$(sed -n "s|.*\"chapter\": \"$chapter\", \"step\": \"\([^\"]*\)\".*|$chapter/\1|p" \
        "$build/manifest.jsonl")
    mkdir -p "$stage/en/ladder" "$stage/en/trace/$chapter"
    # shellcheck disable=SC2086 # words
    "$build/tools/tour" --build "$build" --on emulator --html="$stage/en/ladder/$chapter.html" \
        run $steps >/dev/null 2>&1 || [ -f "$stage/en/ladder/$chapter.html" ] || {
        echo "site: no ladder of $chapter" >&2
        exit 1
    }
    while read -r row; do
        case $(field chapter).$(field step) in
        "$chapter".) shown_on=$(field shown_on) ;;
        "$chapter".*) draw ;;
        esac
    done <"$build/manifest.jsonl"
}

mkdir -p "$folder"
folder=$(CDPATH='' cd -- "$folder" && pwd)
for chapter in ${SITE_CHAPTERS-$(sed -n 's/^{"chapter": "\([a-z0-9_]*\)", "title".*/\1/p' "$build/manifest.jsonl")}; do
    echo "[site] running $chapter"
    run_chapter
done
echo "[site] collecting pages"
python3 "$checkout/site/collect.py" "$checkout" "$build" "$stage"
for language in en zh; do
    echo "[site] writing $language"
    in=$folder
    [ $language = en ] || in=$folder/$language
    NO_MKDOCS_2_WARNING=1 python3 -m mkdocs build --quiet --strict -f "$stage/$language.yml" -d "$in"
done
python3 "$checkout/site/check.py" "$folder"
