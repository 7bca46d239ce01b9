#!/bin/sh
# SPDX-License-Identifier: MIT
# The licence and the version are the same wherever they are named.
#
# usage: licence.sh CHECKOUT
set -eu
cd "$1"
failed=0

# need FILE PATTERN: a line of the file matches.
need() {
    grep -q -- "$2" "$1" || {
        echo "$1: no line matches '$2'" >&2
        failed=1
    }
}

version=$(sed -n 's/^project(.* VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)
[ -n "$version" ] || {
    echo "CMakeLists.txt: project() has no version" >&2
    exit 1
}
need LICENSE '^MIT License$'
need LICENSE 'the authors of CUDA, step by step$'
need REUSE.toml '^SPDX-License-Identifier = "MIT"$'
need CITATION.cff '^license: MIT$'
need CITATION.cff "^version: $version\$"
newest=$(sed -n 's/^## \([0-9][0-9.]*\).*/\1/p' CHANGELOG.md | head -n 1)
[ "$newest" = "$version" ] || {
    echo "CHANGELOG.md begins with version '$newest', CMakeLists.txt says $version" >&2
    failed=1
}
# Our C and scripts name it themselves. .cu files keep their lines for those who name them by number.
nameless=$(find base benchmarks cmake common emulator tests tools -name build -prune -o -type f \
    \( -name '*.[ch]' -o -name '*.sh' -o -name '*.pl' -o -name '*.cmake' \) \
    -exec grep -L 'SPDX-License-Identifier: MIT' {} + 2>/dev/null || :)
[ -z "$nameless" ] || {
    printf 'no line "SPDX-License-Identifier: MIT" in\n%s\n' "$nameless" >&2
    failed=1
}
exit $failed
