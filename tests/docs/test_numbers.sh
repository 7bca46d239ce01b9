#!/bin/sh
# SPDX-License-Identifier: MIT
# test_numbers.sh NUMBERS: numbers.pl passes a page whose numbers have true sources, in both languages,
# and finds what is broken on purpose.
set -eu

numbers=$1
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

restore()
{
    mkdir -p "$root/docs/zh" "$root/docs/claims" "$root/gpus" "$root/build"
    echo 'Takes twelve minutes.' | tee "$root/README.md" >"$root/CONTRIBUTING.md"
    echo '# No numbers' | tee "$root/docs/claims/README.md" >"$root/docs/claims/CONTRIBUTING.md"
    printf '# Sources\n\n- hotball: an article\n- lab: measured once\n' >"$root/docs/claims/sources.md"
    printf 'name A card\nmultiprocessors 132  # [guide]\nclock_khz 1500000\n' >"$root/gpus/card.txt"
    echo 'it takes 19.2 ms' >"$root/gpus/time.txt"
    # What ctest -N prints.
    printf '#!/bin/sh\necho "  Test #1: page.counted"\n' >"$root/ctest"
    chmod +x "$root/ctest"
    cat >"$root/docs/page.md" <<'END'
# A page of 99 things

<a id="v1"></a>

## v1: one

It takes 26.2 us, 1.31 times as fast as `v9 --n 512`, and runs on 132 SMs at 1.5 GHz. About 30 us would do.
The article has 610 cycles. A block makes 8 + 36 + 1 = 45 requests of 128 bytes, 1440 in all.
Less than 40 % is wasted, so v1 is more than twice as good as 32 lanes of thread 99 in 2008.
Memory holds v1 up, and nothing else v2.

<!-- tour: page on gpu -->

| step | time | sectors | bound by |
|---|---:|---:|---|
| v1_one | 26.2 us | 1 440 | memory |
| v2_two | 34.3 us | 3 600 | issue |

<!-- /tour -->

<a id="v2"></a>

## v2

| a | b |
|---|---|
| 77 | 88 |

It prints 42 lines in 19 ms, on 17.5 lanes.

~~~console
$ emu it
  lines                      42
~~~
END
    cat >"$root/docs/zh/page.md" <<'END'
# 一页

<a id="v1"></a>

## v1：一

用时 26.2 us，快 1.31 倍，132 个 SM，1.5 GHz，大约 30 us；原文是 610 个周期。8 + 36 + 1 = 45，
128 字节，一共 1440 个，不到 40 %。第 17 行。

<a id="v2"></a>

## v2

| a | b |
|---|---|
| 77 | 88 |

19 ms 打印 42 行，17.5 个 lane。
END
    cat >"$root/docs/claims/page.md" <<'END'
# A page

## everywhere

- 132 SMs <- {gpus/card.txt: multiprocessors}
- 128 bytes <- 32 * 4

## v1

- 26.2 us <- [gpu v1 time]
- # times as fast <- [gpu v2 time] / [gpu v1 time]
- 1.5 GHz <- {gpus/card.txt: name: clock_khz} / 10^6
- About 30 us <- ([gpu v1 time] + [gpu v2_two time]) / 2
- 610 cycles <- from hotball
- 1440 in all <- [gpu v1 sectors]
- Less than 40 % <- 100 * [page/gpu v1 sectors] / max([gpu v2 sectors], 2)
- more than twice <- [gpu v2 sectors] / [gpu v1 sectors]
- zh: 第 17 行 <- measured lab
- Memory holds v1 up, and nothing else v2 <- is [gpu v1 bound by]: memory; is [gpu v2 bound by]: issue

## v2

- table <- test page.counted
- 42 lines <- shown lines 42
- 19 ms <- run cat gpus/time.txt: takes
- # lanes <- [emulator v1 lanes]

## emulated

<!-- tour: page on emulator -->

| step | lanes |
|---|---:|
| v1_one | 17.5 |

- v2_two: left out

<!-- /tour -->
END
    tr '~' '\140' <"$root/docs/page.md" >"$root/new" && mv "$root/new" "$root/docs/page.md"
}

passes()
{
    restore
    if ! "$numbers" "$root" "$root/ctest" "$root/build" >"$root/said" 2>&1; then
        echo 'a page with true sources does not pass:' >&2
        cat "$root/said" >&2
        exit 1
    fi
    if ! grep -q 'docs/page.md: .*2 file' "$root/said"; then
        echo 'the sources are not counted by their kind:' >&2
        cat "$root/said" >&2
        exit 1
    fi
}

# finds FILE SED WORDS: after this edit of FILE the check fails, with WORDS among what it prints.
finds()
{
    restore
    sed "$2" "$root/$1" >"$root/new"
    if cmp -s "$root/new" "$root/$1"; then
        echo "\"$2\" changes nothing in $1" >&2
        exit 1
    fi
    mv "$root/new" "$root/$1"
    if said=$("$numbers" "$root" "$root/ctest" "$root/build" 2>&1); then
        echo "not found: $3 ($2 in $1)" >&2
        exit 1
    fi
    case $said in
    *"$3"*) ;;
    *)
        printf '%s in %s: something else than "%s":\n%s\n' "$2" "$1" "$3" "$said" >&2
        exit 1
        ;;
    esac
}

passes

# A table that is filled again: both pages follow it, and what they say otherwise stays.
restore
sed -e 's/| 26.2 us | 1 440/| 2.79 us | 1 450/' -e 's/34.3 us/3.65 us/' "$root/docs/page.md" >"$root/new"
mv "$root/new" "$root/docs/page.md"
"$numbers" --mend "$root" "$root/ctest" "$root/build" >"$root/said" 2>&1 || :
for line in "docs/page.md:7: mended" "docs/zh/page.md:7: mended"; do
    if ! grep -qx "$line" "$root/said"; then
        echo "--mend does not say: $line" >&2
        cat "$root/said" >&2
        exit 1
    fi
done
# The quoted numbers of the claims have to follow by hand.
sed -e 's/- 26.2 us/- takes # us/' -e 's/- About 30 us/- About # us/' -e 's/- 1440 in all/- # in all/' \
    "$root/docs/claims/page.md" >"$root/new"
mv "$root/new" "$root/docs/claims/page.md"
if ! "$numbers" "$root" "$root/ctest" "$root/build" >"$root/said" 2>&1; then
    echo 'a page that --mend mended does not pass:' >&2
    cat "$root/said" >&2
    exit 1
fi
for words in 'takes 2.8 us, 1.31 times' 'About 3 us' ', 1450 in all' '用时 2.8 us，快 1.31' '一共 1450 个'; do
    if ! grep -q "$words" "$root/docs/page.md" "$root/docs/zh/page.md"; then
        echo "--mend did not write: $words" >&2
        cat "$root/docs/page.md" "$root/docs/zh/page.md" >&2
        exit 1
    fi
done

page=docs/page.md
claims=docs/claims/page.md
twin=docs/zh/page.md

# The page says what its sources do not.
finds $page 's/| 26.2 us | 1/| 27.9 us | 1/' 'should be 27.9 us: [gpu v1 time]'
finds $page 's/| 34.3 us/| 39.3 us/' 'should be 1.5: [gpu v2 time] / [gpu v1 time]'
finds $page 's/| 34.3 us/| 44.3 us/' 'should be 35.25 us: ('
finds $page 's/| 3 600 |/| 1 500 |/' '"more than twice" should be 1.04'
finds $page 's/| 3 600 |/| 3 000 |/' 'should be 48 %: '
finds $page 's/36 + 1 = 45/36 + 2 = 45/' 'the number 45 in'
finds $page 's/^  lines   /  lines 4/' 'stands in no line of the sessions with "lines 42"'
finds $page 's/ memory |/ latency |/' '[gpu v1 bound by] is "latency" and not "memory"'
finds $page 's/ issue |/ memory |/' '[gpu v2 bound by] is "memory" and not "issue"'
finds $claims 's/| 17.5 |/| 18.5 |/' 'should be 18.5: [emulator v1 lanes]'
finds gpus/card.txt 's/132/131/' 'should be 131: {gpus'
finds gpus/time.txt 's/19/18/' 'stands in no line of cat gpus/time.txt with "takes"'
finds gpus/card.txt '/^clock/d' 'gpus/card.txt has no clock_khz'

# A number without a source, and a source without a number.
finds $page 's/It prints/In 25 s it prints/' 'the number 25 in "In 25 s it prints'
finds $page 's/610 cycles/611 cycles/' 'stale: docs/page.md, section v1, does not say "610 cycles"'
finds $page 's/128 bytes/129 bytes/' 'stale: docs/page.md does not say "128 bytes"'
finds $page 's/lanes of thread/lanes or 64 of thread/' 'the number 64 in'
finds $claims 's/^- table.*//' 'the number 77 in'

# Claims that are none.
finds $claims 's/page.counted/page.guessed/' "$claims:23: no test page.guessed"
finds $claims 's/hotball/nobody/' '"nobody" is not in docs/claims/sources.md'
finds $claims 's/gpu v1 time\]$/gpu v3 time]/' 'table gpu has no row v3'
finds $claims 's/gpu v1 time\]$/gpu v1 rate]/' 'table gpu has no column rate in row v1_one'
finds $claims 's/32 \* 4/32 * (4/' 'a ( without )'
finds $claims 's/is .gpu v1 bound/is [gpu v1 held/' 'table gpu has no column held by in row v1_one'
finds $claims 's/page.gpu v1/none\/gpu v1/' 'no page docs/none.md'
finds $claims 's/^## v2/## v3/' "$claims:21: the page has no anchor v3"
finds $claims 's/ <- measured lab//' 'not a claim of a section'
finds $claims 's/<- 32 \* 4/<- 32; 4/' '"128 bytes" has 1 numbers, and'

finds $claims 's/610 cycles/# cycles/' '# would cover any number: quote it'

finds docs/claims/sources.md 's/^- lab:/- idle:/' 'docs/claims/sources.md: no claim names idle'

# The Chinese page.
finds $twin 's/26.2/26.3/' "$twin:7: the number 26.3 in"
finds $twin 's/42/43/' "$twin:18: the number 43 in"
finds $twin 's/610/一些/' "$twin: section v1 lacks the number 610"
finds $twin 's/第 17 行//' 'does not say "第 17 行"'

# Pages.
restore
cp "$root/$page" "$root/docs/other.md"
finds $page 's/99 things/98 things/' 'docs/other.md: no docs/claims/other.md says where its numbers come from'
rm "$root/docs/other.md"
cp "$root/$claims" "$root/docs/claims/gone.md"
finds $page 's/99 things/98 things/' 'docs/claims/gone.md: no such page'
rm "$root/docs/claims/gone.md"
