#!/bin/sh
# SPDX-License-Identifier: MIT
# test_peers.sh FOLDER: what benchmarks/peers prints of steps and of an nvidia-smi that stand in for a GPU's.
set -eu

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" "$scratch/build" "$scratch/build/peers"

fault()
{
    echo "$*: $(cat "$scratch/out")" >&2
    exit 1
}
# expect CODE LINE ARGUMENT...: it ends so, and prints this line.
expect()
{
    wanted=$1 line=$2 code=0
    shift 2
    PATH="$scratch/bin:$PATH" "$folder/peers" "$@" >"$scratch/out" 2>&1 || code=$?
    [ "$code" -eq "$wanted" ] || fault "$*: exit code $code, not $wanted"
    grep -qxF -- "$line" "$scratch/out" || fault "$*: no line '$line' in"
}
# name_gpus COUNT
name_gpus()
{
    cat >"$scratch/bin/nvidia-smi" <<END
#!/bin/sh
case \$1 in
-L) for i in $(seq -s ' ' "$1"); do echo "GPU \$i: a GPU"; done ;;
*) echo 'A GPU, 580.1' ;;
esac
END
    chmod +x "$scratch/bin/nvidia-smi"
}

folder=$1
# A step takes its size in milliseconds, by so many devices, whatever it is.
for step in g2_split g5_peer_reads g6_ring g7_two_halves g7b_short g8_halo g9_hidden_halo g10_product g12_transpose; do
    cat >"$scratch/build/peers/$step" <<'END'
#!/bin/sh
[ "$1" = --n ] && [ "$3" = --devices ] || exit 3
echo "{\"n\":$2,\"ms\":{\"min\":0.5,\"median\":$(($2 / $4)),\"max\":9e9},\"verdict\":\"unchecked\"}"
END
    chmod +x "$scratch/build/peers/$step"
done

expect 2 'peers: usage: peers [--turns N] [--runs N] BUILD' --turns 0 "$scratch/build"
expect 2 'peers: usage: peers [--turns N] [--runs N] BUILD'
expect 2 "peers: '/nowhere' holds no build with this chapter" /nowhere
name_gpus 1
expect 77 'peers: needs two GPUs, and nvidia-smi names 1' "$scratch/build"
name_gpus 4
expect 0 'A GPU, 580.1' --turns 2 "$scratch/build"
expect 0 '| g9_hidden_halo | 16384 | 1.638e+04 ms | 4096 ms | 4.00 x |' --turns 1 "$scratch/build"
expect 0 '| 4096 | 2.56e+05 us | 2.56e+05 us | 2.56e+05 us |' --turns 1 "$scratch/build" # no NCCL
echo 'echo "no memory" >&2; exit 3' >"$scratch/build/peers/g6_ring"
expect 1 'peers: g6_ring --n 1 --devices 4: no memory' --turns 1 "$scratch/build"
