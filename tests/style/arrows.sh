#!/bin/sh
# SPDX-License-Identifier: MIT
# arrows.sh CHECKOUT TABLE: who includes whom, over the whole tree, is what the table says.
#
# A row of the table is a folder and the folders whose files its own include, as in
#   tools: base emulator/profile
# No others may be, and none that is not there any more; nor may folders include each other in a circle.
# A file and the header of its name are one. Files of a folder that need each other in a circle have a
# row of their own with all of them, "knot: prime/ask prime/prime"; a folder that is one such knot, or
# has many, is in it by its name, "knot: common". Names each fault.
#
# An include is looked for as compilers do: beside the file, then from the roots. Of several files of one
# name it is the one in a folder that the table allows. *.inc are made by the build.
set -eu

table=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
sources=$(sh "$(dirname "$0")/sources.sh" "$1")
cd "$1"
export LC_ALL=C

# shellcheck disable=SC2086 # names have no spaces
{
    sed 's/^/row /' "$table"
    printf 'file %s\n' $sources
    grep -n '^ *# *include *"' $sources /dev/null |
        sed -n 's/^\([^:]*:[0-9]*\):[^"]*"\([^"]*\)".*/include \1 \2/p' | grep -v '\.inc$'
} | awk '
    function complain(what) { print what; bad = 1 }

    # emulator/, tools/ and tests/ have folders in them, which count for themselves.
    function folder_of(file,  part, count) {
        count = split(file, part, "/")
        return count > 2 && part[1] ~ /^(emulator|tools|tests)$/ ? part[1] "/" part[2] : part[1]
    }

    function module_of(file) {
        sub(/\.[a-z]*$/, "", file)
        return file
    }

    # The file that `from` includes as `name`; "" and a complaint where that is not clear.
    function find(from, where, name,  beside, i, part, count, found, allowed) {
        beside = from
        sub(/[^\/]*$/, "", beside)
        if ((beside name) in file) return beside name
        while (sub(/^\.\.\//, "", name)) sub(/[^\/]*\/$/, "", beside)
        if ((beside name) in file) return beside name
        for (i = 1; i <= roots && name ~ /\//; i++)
            if ((root[i] name) in file) return root[i] name
        count = split(named[name], part, " ")
        for (i = 1; i <= count; i++) {
            found = part[i]
            if (count == 1) return found
            if ((folder_of(from), folder_of(found)) in row) allowed = allowed " " found
        }
        if (split(allowed, part, " ") == 1) return part[1]
        complain(where ": " (count ? "which " : "no ") name "?" (count ? named[name] : ""))
        return ""
    }

    # Those of all nodes that lie on circles, a line for each knot: next_to[a, b] is an arrow.
    function knots(next_to, result,  arrow, end, node, a, b, grown, reach, line, count) {
        split("", result)
        for (arrow in next_to) reach[arrow]
        do {
            grown = 0
            for (arrow in reach) {
                split(arrow, end, SUBSEP)
                node[end[1]] = node[end[1]]
                from[end[2]]
            }
            for (arrow in reach) { # what nobody comes back from is on no circle
                split(arrow, end, SUBSEP)
                if (!(end[2] in node) || !(end[1] in from)) { delete reach[arrow]; grown = 1 }
            }
            split("", node)
            split("", from)
        } while (grown)
        for (arrow in reach) { split(arrow, end, SUBSEP); node[end[1]]; out[end[1]] = out[end[1]] " " end[2] }
        for (a in node) visit(a, a)
        for (a in node) {
            line = ""
            for (b in node) if ((a, b) in seen && (b, a) in seen) line = line " " b
            if (line != "") result[sorted(line)]
        }
        split("", seen)
        split("", out)
    }

    function visit(start, node,  part, count, i) {
        count = split(out[node], part, " ")
        for (i = 1; i <= count; i++)
            if (!((start, part[i]) in seen)) { seen[start, part[i]]; visit(start, part[i]) }
    }

    function sorted(line,  part, count, i, j, least, all) {
        count = split(line, part, " ")
        for (i = 1; i <= count; i++) {
            for (j = least = i; j <= count; j++) if (part[j] < part[least]) least = j
            all = all (i > 1 ? " " : "") part[least]
            part[least] = part[i]
        }
        return all
    }

    BEGIN { roots = split(",emulator/,tools/,tests/", root, ",") }
    /^row (#|$)/ { next }
    $1 == "row" && $2 == "knot:" {
        if (NF == 3) open[$3]
        else {
            line = ""
            for (i = 3; i <= NF; i++) line = line " " $i
            knot[sorted(line)]
        }
        next
    }
    $1 == "row" {
        sub(/:$/, "", $2)
        for (i = 3; i <= NF; i++) row[$2, $i]
        next
    }
    $1 == "file" {
        file[$2]
        count = split($2, part, "/")
        named[part[count]] = named[part[count]] " " $2
        next
    }
    {
        files++
        split($2, place, ":")
        if ((to = find(place[1], $2, $3)) == "") next
        a = folder_of(place[1])
        b = folder_of(to)
        if (a != b) {
            used[a, b]
            if (!((a, b) in row)) complain($2 ": " a "/ includes " b "/")
        } else if (module_of(place[1]) != module_of(to))
            needs[module_of(place[1]), module_of(to)]
    }
    END {
        if (!files) complain("found no includes")
        for (arrow in row)
            if (!(arrow in used)) {
                split(arrow, end, SUBSEP)
                complain("the table: " end[1] "/ includes nothing of " end[2] "/")
            }
        knots(used, found)
        for (line in found) complain("folders include each other in a circle: " line)
        knots(needs, found)
        for (line in found) {
            split(line, part, " ")
            tied[folder_of(part[1])]
            if (!(line in knot) && !(folder_of(part[1]) in open))
                complain("need each other in a circle: " line)
        }
        for (name in open) if (!(name in tied)) complain("the table: no knot any more: " name)
        for (line in knot) if (!(line in found)) complain("the table: no knot any more: " line)
        exit bad
    }'
