#!/bin/sh
# SPDX-License-Identifier: MIT
# The notebooks, as a reader runs them.
#
# usage: notebook.sh CASE WORK CHECKOUT NVCC
#
# Exit code 77 skips a case, with its reason.
set -eu
case=$1 work=$2 checkout=$3 nvcc=$4

fail() {
    echo "notebook: $1" >&2
    exit 1
}

skip() {
    echo "notebook: skipped: $1" >&2
    exit 77
}

command -v python3 >/dev/null || skip "python3 is missing"

# code FILE: its code cells; outputs FILE: what they printed and showed.
code() {
    python3 -c 'import json, sys
for cell in json.load(open(sys.argv[1]))["cells"]:
    if cell["cell_type"] == "code":
        print("".join(cell["source"]), "\n")' "$1"
}
outputs() {
    python3 -c 'import json, sys
for cell in json.load(open(sys.argv[1]))["cells"]:
    if cell.get("outputs"):
        print("==", cell["id"])
    for output in cell.get("outputs", []):
        print("".join(output.get("text", [])), "".join(output.get("data", {}).get("text/html", [])))' "$1"
}

# The two languages have the same code, unrun, and ./tour takes the words of each call.
same() {
    rm -rf "$work.same"
    mkdir -p "$work.same"
    code "$checkout/notebook/cuda.ipynb" >"$work.same/en"
    # But that the Chinese one asks for Chinese.
    code "$checkout/notebook/cuda.zh.ipynb" >"$work.same/asked"
    ! grep '^!\./tour' "$work.same/asked" | grep -v '^!\./tour --lang zh ' >&2 || fail "it answers in English"
    sed 's|^!\./tour --lang zh |!./tour |' "$work.same/asked" >"$work.same/zh"
    diff "$work.same/en" "$work.same/zh" >&2 || fail "the languages differ in their code"
    [ -z "$(outputs "$checkout/notebook/cuda.ipynb")" ] || fail "it was committed with its outputs"
    : >"$work.same/first.cu"
    sed -n "s|^!\./tour||;T;s| my/| $work.same/|g;p" "$work.same/en" >"$work.same/calls"
    [ "$(wc -l <"$work.same/calls")" -ge 5 ] || fail "only these calls: $(cat "$work.same/calls")"
    cd "$checkout"
    while read -r words; do
        # shellcheck disable=SC2086 # words
        ./tour $words --help >/dev/null || fail "./tour takes no '$words'"
    done <"$work.same/calls"
}

# shown NOTEBOOK CELL PATTERN: the cell's output has such a line.
shown() {
    outputs "$1" >"$work/outputs"
    sed -n "/^== $2\$/,/^== /p" "$work/outputs" >"$work/cell"
    grep -q -- "$3" "$work/cell" || fail "cell $2 shows no '$3': $(cut -c1-300 "$work/cell")"
}

run() {
    tools=$checkout/.toolkit/notebook
    [ -d "$tools" ] || skip "run ./tour notebook once: it fetches what runs notebooks"
    git -C "$checkout" rev-parse >/dev/null 2>&1 || skip "no checkout of git"
    rm -rf "$work"
    mkdir -p "$work/fresh" "$work/out"
    (cd "$checkout" && git ls-files -z --cached --others --exclude-standard |
        tar -cf - --null --ignore-failed-read -T -) 2>/dev/null | tar -C "$work/fresh" -xf -
    export PYTHONPATH="$tools" PYTHONDONTWRITEBYTECODE=1 CUDA_HOME="${nvcc%/bin/nvcc}" HOME="$work"
    execute="python3 $work/fresh/notebook/run.py"
    $execute "$work/out" "$work/fresh/notebook/cuda.ipynb" >"$work/log" 2>&1 || fail "$(tail -n 20 "$work/log")"
    given=$work/out/cuda.ipynb
    shown "$given" v3 'v3_coalesced'
    shown "$given" ladder 'v7b_unrolled'
    shown "$given" show-ladder '<iframe srcdoc="&lt;'
    shown "$given" diff 'times as fast'
    shown "$given" run-own 'race'
    shown "$given" show-own '<iframe srcdoc="&lt;'
    shown "$given" grade 'out\[0\]'
    # The hole filled, with our solution.
    python3 - "$work/fresh" <<'END'
import json, sys
path = sys.argv[1] + "/notebook/cuda.ipynb"
notebook = json.load(open(path))
for cell in notebook["cells"]:
    if cell["id"] == "puzzle":
        solution = open(sys.argv[1] + "/puzzles/01_every_element/solution.cu").read()
        cell["source"] = cell["source"][0] + solution
json.dump(notebook, open(path, "w"))
END
    $execute "$work/out" "$work/fresh/notebook/cuda.ipynb" >"$work/log" 2>&1 || fail "$(tail -n 20 "$work/log")"
    shown "$given" grade 'passed'
}

$case
