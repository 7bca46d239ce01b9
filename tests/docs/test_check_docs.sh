#!/bin/sh
# SPDX-License-Identifier: MIT
# test_check_docs.sh CHECK_DOCS ROOT: the checks find what is broken on purpose, in a copy of the
# pages. That they find nothing before it is broken is what each check's own test says.
set -eu

check_docs=$1
root=$2
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

# finds CHECK WORDS...: the check fails on the copy as it is now, and all WORDS are among what it prints.
finds()
{
    kind=$1
    shift
    if said=$("$check_docs" "$kind" "$copy" 2>&1); then
        echo "$kind does not find: $*" >&2
        exit 1
    fi
    for words; do
        case $said in
        *"$words"*) ;;
        *)
            printf '%s does not find "%s", but:\n%s\n' "$kind" "$words" "$said" >&2
            exit 1
            ;;
        esac
    done
    cp -R "$root/README.md" "$root/docs" "$copy"
}

page=$copy/docs/sumsq.md
twin=$copy/docs/zh/sumsq.md

# Fills the emulator's table of README.md with $1 above a row for each step but those that match $2.
fill()
{
    rows=$(sed -n 's/^ *add_step(sumsq \([a-z0-9_]*\) .*/| \1 | 1 ms |/p' \
        "$copy/sumsq/CMakeLists.txt" | grep -v "$2")
    awk -v head="$1" -v rows="$rows" '
        inside && !/^<!-- \/tour/ { next }
        { print; inside = 0 }
        /^<!-- tour: sumsq on emulator/ { print head "\n\n" rows; inside = 1 }' \
        "$root/README.md" >"$copy/README.md"
}

tar -C "$root" -c --exclude ./build --exclude ./.toolkit --exclude ./.git . | tar -C "$copy" -x

echo '## One more' >>"$page" && finds twins 'docs/sumsq.md: its twin differs'
sed '/^<a id="v3">/d' "$twin" >"$copy/new" && mv "$copy/new" "$twin" && finds twins 'v3'
cp "$page" "$copy/docs/alone.md" && finds twins 'docs/alone.md: no twin' && rm "$copy/docs/alone.md"

line=$(wc -l <"$page")
for word in v3_nowhere sumsq_v3_nowhere sumsq.v3_nowhere build/gpu/sumsq/v3_nowhere \
    sumsq/nowhere.cu v99 library_nowhere; do
    echo "See $word here." >>"$page"
    line=$((line + 1))
    set -- "$@" "sumsq.md:$line: no "
done
shift 2
finds names "$@"

printf '[there](%s)\n' nowhere.md errata.md#nowhere >>"$page"
sed 's/<a id="v3">/<a id="w3">/' "$page" >"$copy/new" && mv "$copy/new" "$page"
finds links 'no file nowhere.md' 'no anchor errata.md#nowhere' 'sumsq/v3_coalesced.cu'

printf '~~~c\n    no_such_line();\n~~~\n' | tr '~' '\140' >>"$page" && finds excerpts no_such_line
printf '~~~diff\n+    no_such_line();\n~~~\n' | tr '~' '\140' >>"$page" && finds excerpts no_such_line

glossary=$copy/docs/glossary.md
sed 's/(glossary\.md)/(errata.md)/' "$twin" >"$copy/new" && mv "$copy/new" "$twin" &&
    finds glossary 'docs/zh/sumsq.md: does not link the glossary'
sed 's/^| warp | [^|]*|/| warp | 经纱 |/' "$glossary" >"$copy/new" && mv "$copy/new" "$glossary" &&
    finds glossary 'warp|经纱'
sed 's/^| lane |/| warp |/' "$glossary" >"$copy/new" && mv "$copy/new" "$glossary" &&
    finds glossary 'warp is defined twice'

printf '\n**What is bold\nends.\n\n- **here**\n' >>"$twin" && finds bold ': a ** without another'
printf '\n- **here**\n- **there, `**` apart\n' >>"$page" && finds bold ': a ** without another'

emulator=$copy/docs/emulator.md
# shellcheck disable=SC2016 # backticks of Markdown
{
    grep -ve '`global_lines`' -e '`--workers' "$emulator" >"$copy/new" && mv "$copy/new" "$emulator"
    for name in emulator emulator-inside; do
        echo 'See `no_such_function()`.' >>"$copy/docs/$name.md"
    done
}
finds emulator 'docs/emulator.md: no function no_such_function()' \
    'docs/emulator-inside.md: no function no_such_function()' \
    'does not explain global_lines' 'does not explain --workers'

emulated='A GPU (emulated), driver 13.0, toolkit 13.0, n = 1 048 576'
fill "$emulated" nothing && "$check_docs" blocks "$copy"
fill "$emulated" v4_blocks && finds blocks 'no row v4_blocks'
fill 'A GPU (emulated), n = 1 048 576' nothing && finds blocks 'no device, driver and toolkit'
fill 'A GPU (emulated), driver 13.0, toolkit 13.0' nothing && finds blocks 'names no size'
fill 'NVIDIA H100, driver 13.0, toolkit 13.0, n = 1 048 576' nothing && finds blocks 'another device'
echo '<!-- tour: sumsq on emulator -->' >>"$page" && finds blocks 'not closed'
echo '<!-- tour: nowhere on gpu -->' >>"$page" && finds blocks 'not a marker'
