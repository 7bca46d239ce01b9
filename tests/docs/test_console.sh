#!/bin/sh
# SPDX-License-Identifier: MIT
# test_console.sh CONSOLE EMU BUILD: a page whose session is true passes; one with a line too many, too
# few, or other than what is printed does not.
set -eu
. "$(dirname "$0")/../refused.sh"

console=$1
emu=$2
build=$3
page=$(mktemp)
trap 'rm -f "$page"' EXIT

# session LINES: a page that shows a run of a1 with these lines below the command.
session()
{
    # shellcheck disable=SC2016 # a dollar of the page
    printf 'Text.\n\n```console\n$ emu build/default/start/a1_hello --n 2\n%s\n```\n' "$1" >"$page"
}

# fails WORDS: the page is found out, with WORDS.
fails()
{
    expect_refusal "$1" "$console" "$emu" "$build" "$page"
}

one='hello from thread 0 of 2'
two='hello from thread 1 of 2'
session "$one
$two
start a1_hello: hello from a thread
  device  T4-class GPU (emulated), compute 7.5, driver 99.9, toolkit 99.9
..."
"$console" "$emu" "$build" "$page"
session "...
$two
...
  result  10, reference 10: match"
"$console" "$emu" "$build" "$page"

session "$one" && fails "it goes on: $two"
session "$one
..." && "$console" "$emu" "$build" "$page"
session "$two
$one
..." && fails "it does not print: $two"
session "$one
...
hello from nobody" && fails 'it does not print: hello from nobody'
session "...
  result  11, reference 10: match" && fails 'it does not print:   result  11'
printf 'No session.\n' >"$page" && fails 'no commands in'
# shellcheck disable=SC2016 # a dollar of the page
printf '```console\n$ rm it\n```\n' >"$page" && fails 'only commands that begin with emu'
