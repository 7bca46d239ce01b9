#!/bin/sh
# SPDX-License-Identifier: MIT
# What the tour shows in Chinese: no English in it, the same words as on the pages, and columns that
# stand below each other on a terminal: chinese.sh TOUR BUILD CHECKOUT.
set -eu

tour=$1 build=$2 checkout=$3
cd "$(dirname "$0")"
. ./lib.sh
. ../chinese.sh
. ../terminal.sh
unset LANGUAGE
export LC_ALL=zh_CN.UTF-8 NO_COLOR=1

# shown COLUMNS ARGUMENTS...: what it prints on a terminal of so many, none of them wider.
shown()
{
    columns=$1
    shift
    expect_code 0 env COLUMNS="$columns" "$tour" --build "$build" --checkout "$checkout" \
        --on emulator "$@"
    [ "$(LC_ALL=C.UTF-8 wc -L <"$folder/out")" -le "$columns" ] || fail "wider than $columns columns"
}

# aligned WORD: the lines with this word are all as wide as each other.
aligned()
{
    grep -- "$1" "$folder/out" | while read -r line; do
        printf '%s\n' "$line" | LC_ALL=C.UTF-8 wc -L
    done | sort -u >"$folder/widths"
    [ "$(wc -l <"$folder/widths")" -eq 1 ] || fail "not one width for the lines with $1"
}

for columns in 80 100 140; do
    shown "$columns" run sumsq/v2_threads sumsq/v3_coalesced sumsq/v8b_shuffle
    no_english out
    expect_line out 'sumsq：平方和'
    expect_line out 'GeForce 8800 GT（模拟），驱动 '
    expect_line out '256 个线程，各'
    expect_line out '跳过'
    shown "$columns" --counters run sumsq/v2_threads
    no_english out
    expect_line out '瓶颈'
done
shown 80 diff sumsq/v2_threads sumsq/v3_coalesced
sed '/^ *[0-9]* [-+ ] /d' "$folder/out" >"$folder/words" # the source is what it is
no_english words
expect_line out '速度是之前的 2.88 倍'
aligned ' 1/'
shown 80 check reduction/r5b_missing_volatile sumsq/v5_shared
no_english out
expect_line out '如预期报告'
expect_line out '没有问题'
shown 80 run hardware/h02_bank_conflicts
sed 's/^[a-z0-9_]* //' "$folder/out" >"$folder/words" # the names of variants
no_english words
expect_code 2 "$tour" --build "$build" --on emulator --n 5 --runs 1000000 run sumsq/v1_single_thread
no_english err
expect_line err "--runs 的值是 1 到 10000 的整数"

# emu itself: what a checker finds, what stops a kernel, help.
emu=$build/emulator/emu
expect_code 0 "$emu" --check=all "$build/reduction/r5b_missing_volatile" --n 1000 --no-poison --no-guard
grep '^emu: ' "$folder/err" >"$folder/words" # the step itself speaks English
no_english words
expect_line err 'emu: 竞争：共享内存 4 字节，地址 0x'
expect_line err '没有 __syncwarp 规定先后'
expect_line err 'emu: 检查完毕，'
for bug in check/planted_sync:uneven_rounds check/planted_texture:updated_texels \
    cudart/refused:freed cudart/refused:shadow cudart/faults:trap; do
    "$emu" --check=all "$build/tests/emulator/${bug%:*}" "${bug#*:}" >"$folder/out" 2>"$folder/err" || :
    sed "/^emu: /!d; s/kernel [a-z_]*//g; s/变量 [a-z]*//; s/cuda[A-Z][A-Za-z]*()//g" "$folder/err" >"$folder/words"
    [ -s "$folder/words" ] || fail "$bug says nothing"
    no_english words
done
expect_code 127 "$emu" nothing-there
expect_line err 'emu: nothing-there：PATH 里没有'
expect_code 0 "$emu" --help
expect_line out '用法：emu [OPTIONS] PROGRAM [ARGUMENTS]'

# On a terminal: the same, and slides. Its shell would complain of a locale that is not installed.
need_terminal
export LC_ALL=C.UTF-8 LANGUAGE=zh
run="'$tour' --build '$build' --checkout '$checkout' --on emulator"
on_terminal "stty cols 80 rows 24; $run run sumsq/v2_threads sumsq/v3_coalesced 2>/dev/null"
tr -d '\r' <"$folder/out" >"$folder/words"
no_english words
[ "$(LC_ALL=C.UTF-8 wc -L <"$folder/words")" -le 80 ] || fail "wider than the terminal"
printf q | script -qec "stty cols 80 rows 24; $run slides sumsq/v3_coalesced 2>/dev/null" /dev/null \
    >"$folder/out"
expect_line out 'v3_coalesced：相邻的线程读相邻的数'
expect_line out '→ 下一页   ← 上一页   r 现在运行   q 退出'
expect_line out '第 1 页，共 1 页'

# For programs it stays English.
expect_code 0 "$tour" --build "$build" --on emulator --json "$folder/json" check sumsq/v5_shared
grep -q '"verdict": "clean"' "$folder/json" || fail "the JSON is Chinese"
