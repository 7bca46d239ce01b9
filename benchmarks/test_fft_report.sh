#!/bin/sh
# SPDX-License-Identifier: MIT
# test_fft_report.sh FOLDER CASE: what fft_report prints of a small record.
set -eu

report=$1/fft_report
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
record=$scratch/record.json
cat >"$record" <<'END'
{"device": "A GPU", "driver": "13.0", "toolkit": "13.0", "runs": 15}
{"n": 8, "bytes": 1073741824, "interleaved": false, "way": "copy", "us": 500.0, "of_copy": 1.000, "of_cufft": 1.250, "error": 0.00e+00}
{"n": 8, "bytes": 1073741824, "interleaved": false, "way": "cuFFT", "us": 625.0, "of_copy": 0.800, "of_cufft": 1.000, "error": 6.10e-08}
{"n": 8, "bytes": 1073741824, "interleaved": false, "way": "slow", "us": 1000.0, "of_copy": 0.500, "of_cufft": 0.625, "error": 4.20e-08}
{"n": 8, "bytes": 1073741824, "interleaved": false, "way": "fast", "us": 500.0, "of_copy": 1.000, "of_cufft": 1.250, "error": 4.10e-08}
{"n": 8, "bytes": 268435456, "interleaved": false, "way": "small", "us": 100.0, "of_copy": 0.250, "of_cufft": 0.900, "error": 5.00e-08}
{"n": 1048576, "bytes": 1073741824, "interleaved": true, "way": "other", "us": 100.0, "of_copy": 0.250, "of_cufft": 0.900, "error": 5.00e-08}
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
    code=0
    "$report" "$@" >"$scratch/out" 2>&1 || code=$?
    [ "$code" -eq "$expected" ] || fault "$*: exit code $code, not $expected"
}

case $2 in
table)
    "$report" "$record" table >"$scratch/out"
    expect_line 'A GPU, driver 13.0, toolkit 13.0; 1 GiB of data, medians of 15 runs'
    expect_line '| 8 | fast | 500.0 us | 1.000 | 1.250 | 4.10e-08 | 6.10e-08 |'
    expect_line '| 1048576, interleaved | other | 100.0 us | 0.250 | 0.900 | 5.00e-08 |  |'
    if grep -q '| copy |\|| cuFFT |\|| small |' "$scratch/out"; then
        fault 'the copy, cuFFT and a run with less data are no rows of their own'
    fi
    "$report" "$record" table_zh >"$scratch/out"
    expect_line 'A GPU，驱动 13.0，工具包 13.0；1 GiB 数据，15 次运行的中位数'
    expect_line '| 8 | fast | 500.0 us | 1.000 | 1.250 | 4.10e-08 | 6.10e-08 |'
    expect_line '| 1048576，交错存放 | other | 100.0 us | 0.250 | 0.900 | 5.00e-08 |  |'
    ;;
figure)
    "$report" "$record" figure >"$scratch/out"
    # 1.0 is at 80, 0.8 at 128; of two steps the faster one stands; other sizes stay out.
    expect_line '<polyline class="ours" points="70,80"/>'
    expect_line '<polyline class="cufft" points="70,128"/>'
    expect_line '<text class="mid" x="364" y="342">1K</text>'
    "$report" "$record" figure_zh >"$scratch/out"
    grep -q '普通复制' "$scratch/out" || fault 'no Chinese'
    ;;
usage)
    expected=2
    refused
    refused "$record" chart
    refused "$scratch/nowhere" table
    expected=1
    echo '{}' >"$scratch/empty"
    refused "$scratch/empty" table
    ;;
shellcheck)
    command -v shellcheck >/dev/null || exit 77
    shellcheck "$report" "$0"
    ;;
esac
