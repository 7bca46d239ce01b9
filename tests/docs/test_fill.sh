#!/bin/sh
# SPDX-License-Identifier: MIT
# test_fill.sh FILL: what docs/fill puts into pages, and what it refuses.
set -eu

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/docs/zh" "$root/base" "$root/one"
cp "$1" "${1%/*}/in_chinese" "${1%/*}/second_table" "$root/docs"
pages="$root/README.md $root/docs/one.md $root/docs/zh/one.md"

wrong()
{
    echo "$1" >&2
    exit 1
}

# Three pages with a place for each device, the first filled already.
restore()
{
    for page in $pages; do
        printf '%s\n' 'Before.' '<!-- tour: one on gpu -->' 'old' '<!-- /tour -->' 'Between.' \
            '<!-- tour: one on emulator -->' '<!-- /tour -->' 'After.' '## v2：两个思路' >"$page"
    done
}

cat >"$root/gpu" <<END
### none: Another chapter

A GPU, driver 1.0, toolkit 1.0, n = 1

| x |

### one: A chapter

A GPU, driver 1.0, toolkit 1.0, n = 1

| step | what changes | left |
|---|---|---|
| v1_long | no thread |  |
| v2_page | two "ideas" | match |
| v3_none | unknown | (!) |

| variant | what it does | on an SM | in the article |
|---|---|---|---|
| wrong | reads\_4 \< 5 | 1 blocks, 8 threads | wrong |
| plain | 64 |  | 2 ulp |

- v2_page: left out

| more |

### two: A third

A GPU, driver 1.0, toolkit 1.0, n = 1

| y |
END
sed 's/A GPU/A GPU (emulated)/' "$root/gpu" >"$root/emulated"
cat >"$root/wanted" <<END
Before.
<!-- tour: one on gpu -->

A GPU, driver 1.0, toolkit 1.0, n = 1

| step | what changes | left |
|---|---|---|
| v1_long | no thread |  |
| v2_page | two "ideas" | match |
| v3_none | unknown | (!) |

| variant | what it does | on an SM | in the article |
|---|---|---|---|
| wrong | reads\_4 \< 5 | 1 blocks, 8 threads | wrong |
| plain | 64 |  | 2 ulp |

- v2_page: left out

| more |

<!-- /tour -->
Between.
<!-- tour: one on emulator -->
<!-- /tour -->
After.
END

# In Chinese: words of the table of words, those of a variant as they are of variants, titles of the list
# of steps and of the page; not the name of a row.
cat >"$root/base/words.def" <<'END'
/* Words. */
X(STEP, "step", "步骤")
X(CHANGES, "what changes", "改了什么")
X(MATCH, "match", "正确")
X(MORE, "more", "更多")
X(OUT, "left "
  "out", "跳"
  "过")
X(WRONG, "wrong", "有意出错")
X(VARIANT, "variant", "方案")
X(WHAT_IT_DOES, "what it does", "做什么")
X(ON_AN_SM, "on an SM", "每个 SM")
X(IN_ARTICLE, "in the article", "原文数据")
X(VARIANT_WRONG, "wrong", "出错")
X(VARIANT_READS, "reads_4 < 5", "读四个")
X(VARIANT_RESIDENT, "{1} blocks, {2} threads", "{1} 个 block，{2} 个线程")
END
printf '%s\n' 'add_step(one v1_long "no thread" CHINESE "没有线程" RACY)' >"$root/one/CMakeLists.txt"
sed -e 's/^A GPU, driver 1.0, toolkit 1.0, n = 1$/A GPU，驱动 1.0，工具包 1.0，n = 1/' \
    -e 's/^| step | what changes |/| 步骤 | 改了什么 |/' -e 's/no thread/没有线程/' \
    -e 's/two "ideas"/两个思路/' -e 's/match/正确/' -e 's/^- v2_page: left out/- v2_page：跳过/' \
    -e 's/^| variant .*/| 方案 | 做什么 | 每个 SM | 原文数据 |/' \
    -e 's/^| wrong .*/| wrong | 读四个 | 1 个 block，8 个线程 | 出错 |/' \
    "$root/wanted" >"$root/wanted.zh"
for wanted in wanted wanted.zh; do
    printf '%s\n' '## v2：两个思路' >>"$root/$wanted"
done

restore
for again in first second; do
    "$root/docs/fill" one gpu "$root/gpu"
    for page in $pages; do
        wanted=$root/wanted
        case $page in */zh/*) wanted=$wanted.zh ;; esac
        diff "$wanted" "$page" >&2 || wrong "$page, the $again time: not what was wanted"
    done
done
"$root/docs/fill" one emulator "$root/emulated"
if [ "$(grep -c '| more |' "$root/README.md")" -ne 2 ]; then
    wrong 'the table of the emulator is not there'
fi
# The second table does not say again what the first says of each row.
second='| step | left |,|---|---|,| v1_long |  |,| variant | on an SM |,| plain |  |'
second_zh='| 步骤 | left |,| 方案 | 每个 SM |,| wrong | 1 个 block，8 个线程 |'
for page in $pages; do
    wanted=$second
    case $page in */zh/*) wanted=$second_zh ;; esac
    echo "$wanted" | tr , '\n' | while read -r line; do
        sed '1,/^Between/d' "$page" | grep -qxF -- "$line" || wrong "$page: no line '$line' in the second table"
    done
done

# A table that only numbers are taken from stands with the claims, with all its columns.
mkdir "$root/docs/claims"
printf '%s\n' '<!-- tour: one on emulator -->' '<!-- /tour -->' >"$root/docs/claims/one.md"
"$root/docs/fill" one emulator "$root/emulated"
grep -qxF -- '| variant | what it does | on an SM | in the article |' "$root/docs/claims/one.md" ||
    wrong 'no table in the claims'
rm -r "$root/docs/claims"

# What the article says goes into the first table, and nothing else does: not a time, not a row that is not
# there. A table without the column gets it.
sed -e 's/| wrong |$/| 3 ulp |/' -e 's/| 64 |  | 2 ulp |/| 65 | x | wrong |/' -e 's/| match |/| other |/' \
    "$root/gpu" >"$root/said"
for page in $pages; do
    sed 's/2 ulp/old/; s/^| plain | 64 |.*/&\n| own | 65 |  | stays |/' "$page" >"$page.old"
    mv "$page.old" "$page"
done
"$root/docs/fill" one article "$root/said"
for page in $pages; do
    word=wrong
    case $page in */zh/*) word=出错 ;; esac
    [ "$(grep -c "^| wrong .* | 3 ulp |$" "$page")" -eq 1 ] || wrong "$page: not what the article says"
    [ "$(grep -c "^| plain | 64 |  | $word |$" "$page")" -eq 1 ] || wrong "$page: more than what the article says"
    [ "$(grep -c "^| own | 65 |  | stays |$" "$page")" -eq 1 ] || wrong "$page: a row of its own is changed"
    [ "$(grep -c '^| v2_page |.*other' "$page")" -eq 0 ] || wrong "$page: another column is filled"
done
for page in $pages; do
    sed 's/^\(| [vw方plo].*\) | [^|]* |$/\1 |/; s/^|---|---|---|---|$/|---|---|---|/' "$page" >"$page.old"
    mv "$page.old" "$page"
done
cp "$root/README.md" "$root/before"
"$root/docs/fill" one article "$root/said"
grep -qxF -- '| variant | what it does | on an SM | in the article |' "$root/README.md" ||
    wrong 'no column for the article'
grep -qxF -- '|---|---|---|---|' "$root/README.md" || wrong 'no line below the new head'
[ "$(grep -c "^| wrong .* | 3 ulp |$" "$root/README.md")" -eq 1 ] || wrong 'an empty column'

# Of Nsight Compute, in a place of its own.
restore
"$root/docs/fill" one gpu "$root/gpu"
"$root/docs/fill" one emulator "$root/emulated"
sed 's/n = 1/n = 1; the emulator as h100/' "$root/gpu" >"$root/counted"
printf '%s\n' '<!-- compare_ncu: one -->' 'old' '<!-- /compare_ncu -->' 'After.' >>"$root/docs/one.md"
"$root/docs/fill" one nsight "$root/counted"
tail -n 8 "$root/docs/one.md" | tr '\n' ' ' |
    grep -qF -- '- v2_page: left out  | more |  <!-- /compare_ncu --> After.' || wrong "nsight's table is not there"

# refuses CODE WORDS ARGUMENT...: with exit code CODE and WORDS, leaving the pages as they were.
refuses()
{
    code=0
    words=$2
    wanted=$1
    shift 2
    cat "$root/README.md" "$root"/docs/*.md "$root"/docs/zh/*.md >"$root/before"
    said=$("$root/docs/fill" "$@" 2>&1) || code=$?
    [ $code -eq "$wanted" ] || wrong "exit code $code, not $wanted: fill $*"
    case $said in
    *"$words"*) ;;
    *) wrong "fill $*: said '$said', not '$words'" ;;
    esac
    cat "$root/README.md" "$root"/docs/*.md "$root"/docs/zh/*.md | diff "$root/before" - >&2 ||
        wrong "fill $*: changed a page"
}

restore
refuses 2 usage one gpu
refuses 2 usage one somewhere "$root/gpu"
refuses 2 'cannot read' one gpu "$root/nowhere"
refuses 1 'no table of three' three article "$root/gpu"
refuses 1 'no page has' two article "$root/gpu"
refuses 2 'cannot read' one gpu "$root"
refuses 1 'no table of three' three gpu "$root/gpu"
refuses 1 'another device' one gpu "$root/emulated"
refuses 1 'another device' one emulator "$root/gpu"
refuses 1 'another device' one gpu "$root/counted"
refuses 1 'another device' one nsight "$root/gpu"
refuses 1 'no page has' two gpu "$root/gpu"
sed '/^<!-- .tour/d' "$root/wanted" >"$root/README.md"
refuses 1 'not closed' one gpu "$root/gpu"

# No room for a page: it stays as it was. (A limit in blocks of 512 bytes stands in for a full disk.)
restore
yes 'A long page.' | head -n 2000 >>"$root/README.md"
refuses_without_room()
{
    ( trap '' XFSZ; ulimit -f 8; "$root/docs/fill" "$@" ) 2>&1
}
cp "$root/README.md" "$root/before"
said=$(refuses_without_room one gpu "$root/gpu") && wrong 'filled a page without room for it'
case $said in
*'cannot be written'*) ;;
*) wrong "without room: said '$said'" ;;
esac
cmp "$root/README.md" "$root/before" >&2 || wrong 'a page was cut off'
[ ! -e "$root/README.md.new" ] || wrong 'README.md.new is left over'
