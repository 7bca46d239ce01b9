#!/bin/sh
# SPDX-License-Identifier: MIT
# test_records.sh ROOT: records.sh finds what is broken on purpose, in a copy.
set -eu

records=$1/tests/docs/records.sh
root=$1
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
mkdir -p "$copy/docs/zh/figures" "$copy/docs/figures" "$copy/benchmarks/records"
for file in docs/sgemm.md docs/fft.md docs/figures/fft_share.svg benchmarks/sgemm.cu benchmarks/fft_report \
    benchmarks/records/fft_h200.json docs/zh/sgemm.md docs/zh/fft.md docs/zh/figures/fft_share.svg; do
    cp "$root/$file" "$copy/$file"
done
"$records" "$copy"

# finds WORDS FILE SED: after the change records.sh fails with WORDS.
finds()
{
    sed "$3" "$root/$2" >"$copy/$2"
    if said=$("$records" "$copy"); then
        echo "does not find: $3 in $2" >&2
        exit 1
    fi
    case $said in
    *"$1"*) ;;
    *)
        printf '%s in %s: said "%s"\n' "$3" "$2" "$said" >&2
        exit 1
        ;;
    esac
    cp "$root/$2" "$copy/$2"
}
finds 'the table of docs/fft.md' docs/fft.md '/^| 4096 | f5/s/us/ms/'
finds 'the table of docs/zh/fft.md' docs/zh/fft.md '/^| 4096 | f5/d'
finds 'fft_share.svg' docs/figures/fft_share.svg 's/polyline/line/'
finds 'the table of docs/fft.md' benchmarks/records/fft_h200.json '/"f1_16_registers"/s/"us": 5/"us": 6/'
finds 'docs/zh/sgemm.md' docs/zh/sgemm.md '/^| 4096 x 4096 x 4096 |/s/5/6/'
finds 'row 3 is' docs/sgemm.md '/^| 1024 x 1024 x 1024 |/d'
for ratio in 1 2 3; do
    finds 'is not' docs/sgemm.md "/^| 512 x 512 x 512 |/s/ [0-9.]* ×/ 1.5 ×/$ratio"
done
finds 'row 1 is' benchmarks/sgemm.cu 's/{512, 512, 512}/{513, 512, 512}/'
finds '12 rows' benchmarks/sgemm.cu 's/{8192, 8192, 64}, *//'
