#!/bin/sh
# SPDX-License-Identifier: MIT
# chance.sh EMU GPU PROGRAM [ARGUMENT...]: a program prints the same, costs the same instructions,
# requests and modelled times with 1, 2 and 7 workers, again and again, while the host has more to
# do than it has cores.
set -eu
emu=$1
gpu=$2
shift 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Run $1 is of $2 workers; the program and its arguments follow.
start()
{
    run=$1
    workers=$2
    shift 2
    "$emu" --gpu "$gpu" --workers "$workers" --profile=json:"$scratch/$run.profile" "$@" \
        >"$scratch/$run.out" 2>"$scratch/$run.err" &
}

start 0 1 "$@"
wait $! || {
    code=$?
    cat "$scratch/0.err"
    exit "$code"
}
grep -q modelled_ms "$scratch/0.profile" || {
    echo "nothing was launched"
    exit 1
}
# All at once: each is held up by the others wherever it happens to be.
run=1
for workers in 2 7 1 2 7 2 7; do
    start $run $workers "$@"
    run=$((run + 1))
done
wait
for other in 1 2 3 4 5 6 7; do
    for what in out profile; do
        cmp "$scratch/0.$what" "$scratch/$other.$what" || exit 1
    done
done
