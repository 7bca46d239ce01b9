#!/bin/sh
# SPDX-License-Identifier: MIT
# picture.sh TOUR BROWSE ROOT: docs/picture takes a roofline out of a report, and those that pages show are of
# steps that there are.
set -eu

tour=$1
export BROWSE="$2"
root=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

fail()
{
    echo "$*"
    exit 1
}

(cd "$root/tests/tour" && "$tour" --build fixture --on emulator --html "$scratch/report.html" \
    run climb/c1_slow climb/c2_wide climb/c3_fast >/dev/null)
code=0
"$root/docs/picture" "$scratch/report.html" >"$scratch/picture.svg" || code=$?
[ $code -ne 77 ] || exit 77 # no browser
[ $code -eq 0 ] || fail "exit status $code"
head -n 1 "$scratch/picture.svg" | grep -q '^<svg xmlns="http://www.w3.org/2000/svg" .*viewBox' ||
    fail "it does not begin as a picture"
[ "$(tail -n 1 "$scratch/picture.svg")" = '</svg>' ] || fail "it does not end as a picture"
[ "$(grep -c '<title>c[123]_' "$scratch/picture.svg")" -eq 3 ] || fail "not three steps in it"
grep -q -- '--run: light-dark' "$scratch/picture.svg" || fail "no colours"
for language in en zh-CN; do
    "$root/docs/picture" "$scratch/report.html" $language >"$scratch/picture.svg"
    [ "$(tr -cd '{' <"$scratch/picture.svg" | wc -c)" -eq "$(tr -cd '}' <"$scratch/picture.svg" | wc -c)" ] ||
        fail "half a rule in its style"
    [ "$(grep -c 'moved</text>' "$scratch/picture.svg")$(grep -c '字节.*</text>' "$scratch/picture.svg")" = \
        "$([ $language = en ] && echo 10 || echo 01)" ] || fail "not in $language alone"
done
echo '<p>none</p>' >"$scratch/empty.html"
code=0
"$root/docs/picture" "$scratch/empty.html" >"$scratch/out" 2>&1 || code=$?
[ $code -eq 1 ] || fail "exit status $code without a roofline"
code=0
"$root/docs/picture" >"$scratch/out" 2>&1 || code=$?
[ $code -eq 2 ] || fail "exit status $code without a file"

for picture in "$root"/docs/figures/roofline_*.svg; do
    chapter=${picture##*roofline_}
    chapter=${chapter%.svg}
    # shellcheck disable=SC2013 # words
    for step in $(sed -n 's|.*<title>\([a-z0-9_]*\)</title>.*|\1|p' "$picture"); do
        grep -q "^ *add_step($chapter $step " "$root/$chapter/CMakeLists.txt" ||
            fail "$picture: no step $step in $chapter"
    done
done
