#!/bin/sh
# SPDX-License-Identifier: MIT
# The workflow, the container and the editor's tasks, as far as they can be tried without the services
# they are for.
#
# usage: ci.sh CASE CHECKOUT [what the case takes]
#
# Exit code 77 skips a case whose tool is missing.
set -eu
case=$1 checkout=$2
cd "$checkout"

fail() {
    echo "ci: $1" >&2
    exit 1
}

# check-jsonschema carries GitHub's schema of a workflow: pip install check-jsonschema.
workflow() {
    python3 -m check_jsonschema --version >/dev/null 2>&1 || exit 77
    python3 -m check_jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
}

# Every ./tour that a workflow, a container or a task calls: the script takes its words.
commands() {
    list=$2
    cat .github/workflows/*.yml Dockerfile .devcontainer/devcontainer.json .vscode/tasks.json |
        sed -n 's/.*[ "]\(\.\/tour [^"&>\\]*\).*/\1/p' | sort -u >"$list"
    [ "$(wc -l <"$list")" -ge 5 ] || fail "only these commands were found: $(cat "$list")"
    while read -r _ words; do
        # --help ends before anything is set up or run, and after the words were read.
        # shellcheck disable=SC2086 # words
        ./tour $words --help >/dev/null || fail "./tour takes no '$words'"
    done <"$list"
}

# The container starts from what the workflow tests on, and uses the toolkit that ./tour unpacks.
container() {
    image=$(sed -n "s/^FROM \([^ ]*\).*/\1/p" Dockerfile | head -n 1)
    grep -q "\"$image\"" .github/workflows/test.yml || fail "the workflow does not try $image"
    wheels=$(sed -n 's/^wheels=\([^ ]*\).*/\1/p' tour)
    grep -q "^ENV CUDA_HOME=.*/.toolkit/$wheels\$" Dockerfile || fail "./tour unpacks $wheels, not what Dockerfile says"
    for ignored in build .toolkit my; do
        grep -qx "$ignored" .dockerignore || fail ".dockerignore lets $ignored in"
    done
}

# pattern OWNER: the regular expression of a problem matcher, the same in every task.
pattern() {
    sed -n "/\"owner\": \"$1\"/,/\"message\"/s/.*\"regexp\": \"\(.*\)\",.*/\1/p" .vscode/tasks.json | sort -u
}

# matches OWNER FILE WANTED: a line of FILE, as it came to a terminal, matches, and WANTED is a place
# that it names.
matches() {
    regexp=$(pattern "$1")
    [ "$(echo "$regexp" | grep -c .)" -eq 1 ] || fail "not one problem matcher for $1: $regexp"
    escape=$(printf '\033') return=$(printf '\r')
    sed "s/$escape\[[0-9;]*[mK]//g; s/$return//g" "$2" | grep -E -- "$regexp" | grep -q -- "$3" ||
        fail "the matcher for $1 finds no $3 in: $(cat "$2")"
}

# shown NAME COMMAND: what it prints on a terminal of 80 columns, as a task's does, in $work/NAME.
shown() {
    TERM=xterm COLUMNS=80 script -qec "$2" /dev/null </dev/null >"$work/$1" || :
}

# The matchers see what the tasks print: ./tour of a step or of a program of one's own, and its check.
matchers() {
    practice=$2 tour=$3 build=$4 work=$5
    command -v script >/dev/null || exit 77
    rm -rf "$work"
    mkdir -p "$work/home/my"
    cat >"$work/home/my/wrong.cu" <<'END'
__global__ void wrong(int *p)
{
    __shared__ int sum;
    sum = 0;
    __syncthreads();
    sum += p[threadIdx.x];
    p[100] = sum;
}
int main()
{
    int *p;
    cudaMalloc(&p, 256);
    cudaMemset(p, 0, 256);
    wrong<<<1, 64>>>(p);
    return cudaDeviceSynchronize();
}
END
    sed 's/= sum/= missing/' "$work/home/my/wrong.cu" >"$work/home/my/broken.cu"
    practice="cd '$work/home' && '$practice' --checkout '$work/home' --build '$build'"
    shown nvcc "$practice mine my/broken.cu"
    matches nvcc "$work/nvcc" 'broken.cu(7): error'
    shown mine "$practice mine my/wrong.cu"
    matches emu "$work/mine" 'my/wrong.cu:6,' # a race
    matches emu "$work/mine" 'my/wrong.cu:7,' # memory
    shown check "$practice check my/wrong.cu"
    matches emu "$work/check" 'my/wrong.cu:7,'
    # A step that reads past the end.
    shown step "cd tests/tour && FAKE_MODELLED=true '$tour' --build fixture --on emulator run trouble/u5_fault"
    matches emu "$work/step" 'x.cu:16,'
}

# agrees NAME FILE: with the definition of that name. disagrees: not, once edited.
agrees() {
    "$checker" docs/schema.json "$1" "$2" || fail "$2 is no '$1' of docs/schema.json"
}
disagrees() {
    sed "$3" "$2" >"$2.edited"
    ! cmp -s "$2" "$2.edited" || fail "'$3' changed nothing in $2"
    ! "$checker" docs/schema.json "$1" "$2.edited" 2>/dev/null || fail "with '$3' $2 still agrees"
}

# What steps, the profiler and the runner print is what the schema says, and the schema can refuse.
schema() {
    checker=$2 emu=$3 build=$4 work=$5
    mkdir -p "$work"
    for step in sumsq/v6_tree 'matmul/m5_tiled --n 64' start/a1_hello fft/f1_16_registers; do
        # shellcheck disable=SC2086 # words
        "$emu" --profile=json:"$work/profile" "$build/"$step --json >"$work/step"
        agrees step "$work/step"
        agrees profile "$work/profile"
    done
    "$build/tools/tour" --build "$build" --on emulator --json "$work/results" \
        run sumsq/v0_init_cuda sumsq/v6_tree sumsq/v8c_one_launch >/dev/null
    agrees results "$work/results"
    "$emu" --profile=json:"$work/profile" "$build/sumsq/v6_tree" --json --n 5000 >"$work/step"
    disagrees step "$work/step" 's/"n":5000/"n":"5 000"/'
    disagrees step "$work/step" 's/"verdict":"match"/"verdict":"fine"/'
    disagrees step "$work/step" 's/"modelled":true,//'
    disagrees profile "$work/profile" 's/"launches":1/"launches":"1"/'
    disagrees profile "$work/profile" 's/"launches":1/"launches":-1/'
    disagrees profile "$work/profile" 's/"grid":\[32,/"grid":[32,7,/'
    disagrees profile "$work/profile" 's/"branches"/"boughs"/'
    disagrees results "$work/results" 's/"on": *"emulator"/"on": "paper"/'
    disagrees results "$work/results" 's/"article"/"paper"/'
    "$build/tools/tour" --build "$build" --on emulator --json "$work/checkup" \
        check sumsq/v6_tree reduction/r5a_missing_barrier >/dev/null
    grep -q '"finding": *{' "$work/checkup" || fail "nothing was found"
    agrees checkup "$work/checkup"
    disagrees checkup "$work/checkup" 's/"fine": true/"fine": 1/'
    disagrees checkup "$work/checkup" 's/"place"/"where"/'
    : >"$work/empty"
    ! "$checker" docs/schema.json step "$work/empty" || fail "nothing is a step"
}

# The tree takes a toolkit that has what NVIDIA's wheels have and no more: no driver, no libraries.
wheels() {
    nvcc=$2 cmake=$3 generator=$4 work=$5
    toolkit=$(dirname "$(dirname "$(readlink -f "$nvcc")")")
    rm -rf "$work"
    mkdir -p "$work/toolkit/lib"
    cp -as "$toolkit/bin" "$toolkit/include" "$toolkit/nvvm" "$work/toolkit"
    cp --remove-destination "$toolkit/bin/nvcc" "$toolkit/bin/nvcc.profile" "$work/toolkit/bin"
    ln -s "$toolkit"/lib64/libcudart* "$toolkit"/lib64/libcudadevrt* "$work/toolkit/lib"
    ln -s lib "$work/toolkit/lib64"
    "$cmake" -S . -B "$work/build" -G "$generator" -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_CUDA_COMPILER="$work/toolkit/bin/nvcc" \
        -DCMAKE_IGNORE_PREFIX_PATH="/usr/local;$toolkit" -DCUDAToolkit_ROOT="$work/toolkit" >"$work/log" 2>&1 ||
        fail "$(tail -n 20 "$work/log")"
    ! grep -q '^CUDA_\(cuda_driver\|cublas\)_LIBRARY:.*/' "$work/build/CMakeCache.txt" ||
        fail "it found other libraries than the toolkit's"
}

shift
$case "$@"
