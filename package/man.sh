#!/bin/sh
# SPDX-License-Identifier: MIT
# A manual page from a text of the shape of `emu --help`: "usage: ...", paragraphs, and a table whose
# rows are indented by two blanks, "  NAME   what it is", with indented lines that go on. What stands
# in the text is what the page says, so that there is no second list of options.
#
# usage: man.sh NAME SECTION VERSION "what NAME is" <TEXT >PAGE
set -eu

name=$1 section=$2 version=$3 what=$4 awk '
    # As roff shows it: no line is taken for a request, and hyphens can be copied.
    function plain(text)
    {
        gsub(/\\/, "\\e", text)
        gsub(/-/, "\\-", text)
        return text ~ /^[.'"'"']/ ? "\\&" text : text
    }
    function heading(text)
    {
        print ".SH " text
        open = 1
    }
    BEGIN {
        name = ENVIRON["name"]
        printf ".TH %s %s \"\" \"emu %s\"\n", toupper(name), ENVIRON["section"], ENVIRON["version"]
        heading("NAME")
        print plain(name) " \\- " plain(ENVIRON["what"])
    }
    /^usage: / {
        heading("SYNOPSIS")
        print ".nf\n" plain(substr($0, 8))
        in_usage = 1
        next
    }
    in_usage && /^ +/ { sub(/^ */, "    "); print plain($0); next }
    in_usage { print ".fi"; heading("DESCRIPTION"); in_usage = 0 }
    /^$/ { blank = 1; next }
    /^  [^ ]/ {
        row = substr($0, 3)
        split_at = match(row, /  +/)
        print ".TP\n.B " plain(split_at ? substr(row, 1, split_at - 1) : row)
        if (split_at)
            print plain(substr(row, split_at + RLENGTH))
        blank = 0
        next
    }
    /^   / { sub(/^ +/, ""); print plain($0); next }
    {
        if (blank)
            print ".PP"
        blank = 0
        print plain($0)
    }'
