# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# What the tests of pages share: `browse PAGE COMMAND ...` in a headless Chromium, whose path is in
# CHROMIUM or that is found by one of its names. Without one they are skipped.

find_chromium()
{
    for name in "${CHROMIUM-}" chromium chromium-browser google-chrome; do
        if [ -n "$name" ] && command -v "$name" >/dev/null; then
            chromium=$name
            return
        fi
    done
    echo 'no headless Chromium here: skipped'
    exit 77
}

# browse PAGE COMMAND ARGUMENT ...: what `eval` says goes to $folder/said; a page that logs an error or
# asks for anything fails the test.
browse()
{
    "$driver" "$chromium" "$@" >"$folder/said" 2>"$folder/blamed" && return
    cat "$folder/said" "$folder/blamed"
    fail "the page is not in order"
}

# said LINE ...: that is what `eval` said.
said()
{
    printf '%s\n' "$@" >"$folder/wanted"
    diff -u "$folder/wanted" "$folder/said" || fail "the page says something else"
}
