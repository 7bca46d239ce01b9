#!/bin/sh
# SPDX-License-Identifier: MIT
# test_emulator.sh FOLDER CASE: what benchmarks/emulator makes of build folders whose emu stands in: a
# launch takes it so many turns, and it counts what no GPU ran.
set -eu

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/benchmarks" "$scratch/benchmarks/records"
cp "$1/emulator" "$scratch/benchmarks"
kept=$scratch/benchmarks/records/emulator.json

fault()
{
    echo "$*: $(cat "$scratch/out")" >&2
    exit 1
}

# make_build NAME WORK: takes so many turns.
make_build()
{
    mkdir -p "$scratch/$1/emulator" "$scratch/$1/matmul"
    : >"$scratch/$1/matmul/m1_naive"
    chmod +x "$scratch/$1/matmul/m1_naive"
    cat >"$scratch/$1/emulator/emu" <<END
#!/bin/sh
case \$* in
*geforce*) exit 77 ;;
esac
launches=\${*##*--runs }
for option; do
    case \$option in
    --profile=json:*) echo "{\"kernels\":[{\"thread_instructions\":\${launches}00000,\"x\":1},{\"thread_instructions\":\${launches}0}]}" >"\${option#*:}" ;;
    esac
done
i=0
while [ \$i -lt \$(($2 * launches)) ]; do i=\$((i + 1)); done
END
    chmod +x "$scratch/$1/emulator/emu"
}

# bench CODE ARGUMENT...
bench()
{
    expected=$1
    shift
    code=0
    (cd "$scratch" && benchmarks/emulator "$@") >"$scratch/out" 2>&1 || code=$?
    [ "$code" -eq "$expected" ] || fault "$*: exit code $code, not $expected"
}

case $2 in
table)
    make_build new 1000
    bench 0 --runs 1 --record "$kept" new matmul/m1_naive
    # 8 launches of 100010 each, or 2
    [ "$(grep -cE '^matmul/m1_naive +[a-z0-9]+ +(800080|200020) +0\.[0-9]+ +[0-9.]+ +- +- +- *$' "$scratch/out")" -eq 5 ] ||
        fault "not five figures"
    grep -qx 'matmul/m1_naive  *period  *does not run' "$scratch/out" || fault "it ran on an old GPU"
    grep -q '^{"cpu": ".*", "runs": 1}$' "$kept" || fault "no CPU in the record"
    sed -i 's/\("mode": "model",.*"m_per_s": \).*}/\1123.5}/' "$kept"
    bench 0 --runs 1 new matmul/m1_naive
    grep -q '^matmul/m1_naive  *model .* 123\.5  *-  *- *$' "$scratch/out" || fault "not what was recorded"
    ;;
compare)
    make_build old 0
    make_build new 1000
    bench 1 --runs 1 --compare old new matmul/m1_naive
    grep -q '^matmul/m1_naive  *plain .* [1-9][0-9.]* *$' "$scratch/out" || fault "no ratio"
    bench 0 --runs 1 --compare new old matmul/m1_naive
    ;;
usage)
    make_build new 1
    bench 2
    bench 2 --runs 0 new
    bench 2 --runs
    bench 2 --slow new
    bench 2 nowhere
    bench 2 new matmul/m9_none
    bench 2 --compare nowhere new
    ;;
shellcheck)
    command -v shellcheck >/dev/null || exit 77
    shellcheck "$1/emulator" "$0"
    ;;
*) fault "no case '$2'" ;;
esac
