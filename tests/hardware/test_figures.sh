#!/bin/sh
# SPDX-License-Identifier: MIT
# test_figures.sh FIGURES DOCS: FIGURES sees a figure of the text that the tables do not have, and a row
# of the tables that the text does not follow.
set -eu

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
mkdir "$scratch/zh" "$scratch/claims"
cp "$2/claims/hardware.md" "$scratch/claims"
"$1" "$2"

# sees FIGURES DOCS PAGE FROM TO WORDS: with TO in the place of FROM, FIGURES says WORDS.
sees()
{
    cp "$2/hardware.md" "$scratch"
    cp "$2/zh/hardware.md" "$scratch/zh"
    cp "$2/claims/hardware.md" "$scratch/claims"
    sed "s/$4/$5/" "$2/$3" >"$scratch/$3"
    if said=$("$1" "$scratch" 2>&1); then
        echo "$5 for $4 in $3 goes unseen" >&2
        exit 1
    fi
    case $said in
    *"$6"*) ;;
    *)
        echo "$5 for $4 in $3: said '$said', not '$6'" >&2
        exit 1
        ;;
    esac
}

sees "$1" "$2" hardware.md 'reaches 2597' 'reaches 2697' 'text of h04 does not say 2597'
sees "$1" "$2" claims/hardware.md '^\(| threads_192 .*| \)542 ' '\1642 ' 'tables say 642'
sees "$1" "$2" zh/hardware.md '1.7 倍' '2.7 倍' 'zh/hardware.md: the text of h12a does not say 1.7'
sees "$1" "$2" hardware.md '^\(| roles .*\)| 1.31 ms ' '\1| 1.51 ms ' 'tables say 1.31'
