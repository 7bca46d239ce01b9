#!/bin/sh
# SPDX-License-Identifier: MIT
# test_unsaid.sh UNSAID: what the script makes of messages that are said, and of others.
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/base" "$folder/tools" "$folder/docs"
# shellcheck disable=SC2016 # the script's to expand
echo 'die "no disk for $file"' >"$folder/tour"
printf 'complain("%%s: %%zu bytes "\n    "are \\"lost\\"", a, b);\n' >"$folder/tools/one.c"
cp "$folder/tools/one.c" "$folder/docs/two.c"
cat >"$folder/base/messages.def" <<'END'
M("{1}: {2}", "")
M("no disk for {1}", "")
M("{1}: {2} bytes are "
  "\"lost\"", "")
END
: >"$folder/table"
perl "$1" "$folder" "$folder/table"

# refused UNSAID LINE
refused()
{
    if said=$(perl "$1" "$folder" "$folder/table"); then exit 1; fi
    [ "$said" = "$2" ]
}

echo 'M("no {1} is left of it", "")' >>"$folder/base/messages.def"
echo 'say("is left of it")' >>"$folder/docs/two.c" # a page's
refused "$1" 'nothing says: no {1} is left of it'
echo 'no {1} is left of it' >"$folder/table"
perl "$1" "$folder" "$folder/table"
echo 'no disk for {1}' >>"$folder/table"
refused "$1" 'is in the table, and is said, or is no message: no disk for {1}'
