#!/bin/sh
# SPDX-License-Identifier: MIT
# test_compare.sh FOLDER CASE: what compare says of two small records.
set -eu

compare=$1/compare
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cat >"$scratch/card" <<'END'
{"pair": "latency: near", "us": 10.000}
{"pair": "latency: far", "us": 20.000}
{"pair": "latency: further", "us": 30.000}
{"pair": "sumsq/v1 5", "us": 100.000}
{"pair": "sumsq/v2 5", "us": 104.000}
{"pair": "sumsq/v2 9", "us": 300.000}
{"pair": "sumsq/v3 5", "us": 105.000}
{"pair": "only/here 5", "us": 1.000}
END
cat >"$scratch/model" <<'END'
{"pair": "latency: near", "us": 12.000}
{"pair": "latency: far", "us": 19.000}
{"pair": "latency: further", "us": 18.000}
{"pair": "sumsq/v1 5", "us": 30.000}
{"pair": "sumsq/v2 5", "us": 29.000}
{"pair": "sumsq/v2 9", "us": 300.000}
{"pair": "sumsq/v3 5", "us": 40.000}
END

fault()
{
    echo "$*" >&2
    exit 1
}
expect_line()
{
    grep -qxF -- "$1" "$scratch/out" || fault "no line '$1' in: $(cat "$scratch/out")"
}
refused()
{
    expected=$1
    shift
    code=0
    "$compare" "$@" >"$scratch/out" 2>&1 || code=$?
    [ "$code" -eq "$expected" ] || fault "$*: exit code $code, not $expected"
}

case $2 in
table)
    "$compare" table "$scratch/card" "$scratch/model" >"$scratch/out"
    expect_line '       20.00        19.00    0.95  latency: far'
    # Errors 20, 5, 40, 70, 72, 0 and 62 %. v1 and v2 are too close to have an order, and too far
    # apart to be equal; v2 and v3 are equal.
    expect_line '7 pairs: median error 40.0 %, mean 38.4 %, 3 off by more than 2 x; 1 of 2 neighbours in the order of the card; 0 of 1 steps that are equal on the card, equal'
    expect_line 'in the other order: latency: far, latency: further'
    expect_line 'equal on the card:  sumsq/v2 5, sumsq/v3 5'
    if grep -q only/here "$scratch/out"; then
        fault 'a pair that one record lacks'
    fi
    ;;
figure)
    "$compare" figure "$scratch/card" "$scratch/model" >"$scratch/out"
    # 10^1.0 stands half a decade from the corner: 38.2 of 420 / 5.5 each.
    expect_line '<circle class="own" cx="108.2" cy="425.8" r="3.5"/>'
    expect_line '<circle class="step" cx="184.5" cy="395.4" r="3.5"/>'
    "$compare" figure_zh "$scratch/card" "$scratch/model" >"$scratch/out"
    grep -q '实测' "$scratch/out" || fault 'no Chinese'
    ;;
usage)
    refused 2
    refused 2 table "$scratch/card"
    refused 2 table "$scratch/card" "$scratch/none"
    refused 2 record "$scratch"
    refused 2 ladders "$scratch"
    echo '{"pair": "other", "us": 1.0}' >"$scratch/other"
    refused 1 table "$scratch/card" "$scratch/other"
    ;;
shellcheck)
    command -v shellcheck >/dev/null || exit 77
    shellcheck "$compare" "$0"
    ;;
*) fault "no case '$2'" ;;
esac
