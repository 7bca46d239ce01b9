#!/bin/sh
# SPDX-License-Identifier: MIT
# What docs/teaching.md shows on a terminal of 100 columns: lecture.sh TOUR BUILD.
set -eu

tour=$1
build=$2
cd "$(dirname "$0")"
. ./lib.sh

set --
for step in v1_single_thread v2_threads v3_coalesced v5_shared v7b_unrolled v8c_one_launch; do
    set -- "$@" "sumsq/$step"
done
# A build folder of the same steps, whose emu runs each but once: it prints the same at every width.
kept=$folder/kept
mkdir -p "$kept/emulator" "$folder/printed"
cp "$build/manifest.jsonl" "$kept"
ln -s "$build/sumsq" "$kept/sumsq"
cat >"$kept/emulator/emu" <<END
#!/bin/sh
for word; do
    case \$word in
    */sumsq/*) printed=$folder/printed/\${word##*/} ;;
    esac
done
if [ ! -e "\$printed" ]; then
    "$build/emulator/emu" "\$@" >"\$printed" 3>"\$printed.counted"
    echo \$? >"\$printed.code"
fi
cat "\$printed"
cat "\$printed.counted" >&3
exit "\$(cat "\$printed.code")"
END
chmod +x "$kept/emulator/emu"
# fits COLUMNS: what was printed is a screen of 30 lines.
fits()
{
    if LC_ALL=C.UTF-8 grep -nE ".{$(($1 + 1))}" "$folder/out"; then
        fail "lines wider than $1 columns"
    fi
    [ "$(wc -l <"$folder/out")" -le 30 ] || fail "more than 30 lines"
}

for columns in 100 120; do
    expect_code 0 env COLUMNS=$columns "$tour" --build "$kept" --on emulator run "$@"
    for heading in modelled rate before first scale █; do
        expect_line out "$heading"
    done
    fits $columns
    expect_code 0 env COLUMNS=$columns "$tour" --build "$kept" --on emulator --counters run "$@"
    for heading in cycles 'in the article' active requests conflicts occupancy 'bound by'; do
        expect_line out "$heading"
    done
    expect_line out '592 117 816' # cycles of v1
    expect_line out '640M cycles'
    expect_line out '(512)'
    expect_no_line out '…'
    fits $columns
done
