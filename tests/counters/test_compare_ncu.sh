#!/bin/sh
# SPDX-License-Identifier: MIT
# test_compare_ncu.sh CASE PYTHON SOURCE BUILD: run compare_ncu with a stand-in for ncu, which writes
# the table of v3_coalesced with 8192 numbers. right: the sectors of 8192 numbers read (1024), 256
# sums (32) and one clock (1) stored; compare_ncu must exit 0. wrong: one more; it must exit 1.
# template: right, of a kernel whose name has values and types in it. left_out: a step whose counts vary must be named with the reason, and not compared.
set -u
case=$1 python=$2 source=$3 build=$4

folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
if [ "$case" = left_out ]; then
    "$python" "$source/compare_ncu" --build "$build" --ncu "$folder/none" --chapter fft f7_one_pass \
        > "$folder/out" && grep -q "^f7_one_pass: left out: its blocks take" "$folder/out"
    exit
fi
case $case in
right | template) sectors=1,057 expected=0 ;;
wrong) sectors=1,058 expected=1 ;;
*) echo "unknown case $case" >&2; exit 2 ;;
esac

name=sum_of_squares
[ "$case" = right ] ||
    name='void (anonymous namespace)::sum_of_squares<(int)4, std::pair<int, (bool)1>, -1>'

cat > "$folder/ncu" <<END
#!/bin/sh
while [ "\$1" != --log-file ]; do shift; done
row() {
    printf '"0","1","v3_coalesced","host","%s","1","7","(256, 1, 1)","(1, 1, 1)","0","9.0",' \\
        "$name(const int *, int, int *, long long *)"
    printf '"Command line profiler metrics","%s","","%s"\n' "\$1" "\$2"
}
{
    echo '==PROF== Connected to process 1'
    printf '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream",'
    printf '"Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit",'
    echo '"Metric Value"'
    row smsp__sass_sectors_mem_global.avg 2
    row smsp__sass_sectors_mem_global.sum $sectors
    row smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared 0
    row smsp__inst_executed.sum 4,321
} > "\$2"
END
chmod +x "$folder/ncu"

"$python" "$source/compare_ncu" --build "$build" --ncu "$folder/ncu" --n 8192 v3_coalesced
got=$?
[ $got -eq $expected ] || { echo "exit code $got, expected $expected" >&2; exit 1; }

# As a table, whose head asks a step for the device, here the emulator's: a row with both numbers where they differ.
case $case in
right | template) cell='| v3_coalesced | 1 057 | 0 |' ;;
wrong) cell='| v3_coalesced | 1 058 / 1 057 (-0.1 %) | 0 |' ;;
esac
LD_LIBRARY_PATH="$build/emulator" "$python" "$source/compare_ncu" --build "$build" \
    --ncu "$folder/ncu" --n 8192 --markdown v3_coalesced > "$folder/table" 2> "$folder/verdict"
got=$?
[ $got -eq $expected ] || { echo "--markdown: exit code $got, expected $expected" >&2; exit 1; }
grep -qF "$cell" "$folder/table" || { cat "$folder/table"; exit 1; }
