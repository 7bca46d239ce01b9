#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests of puzzles and programs of one's own: practice.sh PRACTICE BUILD CHECKOUT CASE.
set -eu

practice=$1 build=$2 checkout=$3 wanted=$4
folder=$build/tests/practice/$wanted # the same for each run: programs know where their sources lie
watcher=
clean_up()
{
    [ -z "$watcher" ] || kill "$watcher" 2>/dev/null || :
    find "$folder" -mindepth 1 -maxdepth 1 ! -name once -exec rm -rf {} +
}
mkdir -p "$folder/once"
clean_up
trap clean_up EXIT
trap 'exit 1' HUP INT TERM

mkdir "$folder/tmp" "$folder/home"
: >"$folder/out" # watchers that run beside us may be slow to make it
: >"$folder/err"
ln -s "$checkout/puzzles" "$checkout/cmake" "$folder/home"
TMPDIR=$folder/tmp LC_ALL=C ONCE=$folder/once # for nvcc_once.sh, which knows a file and headers beside it
NVCC=$(sed -n 's/^CMAKE_CUDA_COMPILER:.*=//p' "$build/CMakeCache.txt")
export TMPDIR LC_ALL ONCE NVCC
cd "$folder/home"
. "$checkout/tests/terminal.sh"

fail()
{
    echo "$*" >&2
    cat "$folder/out" "$folder/err" >&2
    exit 1
}

# run CODE ARGUMENTS...: the program, its output in $folder/out and err.
run()
{
    code=0 due=$1
    shift
    "$practice" --checkout "$folder/home" --build "$build" "$@" \
        >"$folder/out" 2>"$folder/err" </dev/null || code=$?
    [ "$code" -eq "$due" ] || fail "$*: exit code $code, not $due"
}

has()
{
    grep -q -- "$2" "$folder/$1" || fail "no '$2' in $1"
}

hasnt()
{
    ! grep -q -- "$2" "$folder/$1" || fail "'$2' in $1"
}

# Nothing half-made is left.
clean()
{
    [ -z "$(ls -A "$TMPDIR")" ] || fail "left behind: $(ls "$TMPDIR")"
}

# A student's folder $1 with solutions, or from FILE as puzzle $2.
hand_in()
{
    mkdir -p "$folder/class/$1"
    cp "$3" "$folder/class/$1/$2.cu"
}

# --- One student ---------------------------------------------------------------------------------

case_puzzle()
{
    run 1 puzzle 7
    has out "^# Puzzle 7"
    hasnt out "### Hint"
    has out "^my/07_neighbours.cu, puzzle 7: right result, goal missed"
    has out "missed sectors loaded per 8 floats: 4, goal <= 1"
    has out "prediction not made yet"
    cmp my/07_neighbours.cu puzzles/07_neighbours/puzzle.cu

    echo "// mine" >>my/07_neighbours.cu
    run 1 puzzle 07_neighbours
    hasnt out "^# Puzzle 7"
    has out "tour hint 7"
    tail -n 1 my/07_neighbours.cu | grep -q mine || fail "the edit is gone"
    run 0 puzzle
    has out "7  goal "
    has out "1  - "
    has out "^0 of "

    cp puzzles/07_neighbours/solution.cu my/07_neighbours.cu
    run 0 puzzle
    has out "7  passed "
    has out "^1 of "
    run 0 puzzle 7
    has out "^Next: ./tour puzzle "
    sed 's/prediction: 16/prediction: 8/' puzzles/07_neighbours/solution.cu >my/07_neighbours.cu
    run 1 puzzle 7
    has out "you said 8, the counter says 16. Lanes in brackets share a sector:"
    has out "1 x \[0-1\] \[2-3\] .* = 16 sectors"
    # Before that the counter's number is not for the asking.
    sed 's/prediction: ?/prediction: 8/' puzzles/07_neighbours/puzzle.cu >my/07_neighbours.cu
    run 1 puzzle 7
    has out "you said 8, the counter disagrees"
    ! grep -q "the counter says" "$folder/out" || fail "the answer is given away"
    # As a Chinese input method writes it, in a file that begins with UTF-8's mark.
    sed '/prediction:/d; 1s/.*/\xEF\xBB\xBF\/\/　prediction：１６/' puzzles/07_neighbours/solution.cu >my/07_neighbours.cu
    run 0 puzzle 7
    LC_ALL=zh_CN.UTF-8 LANGUAGE=zh run 1 puzzle 1
    has out "^# 谜题 1"
    has out "^先读：docs/zh/start.md#a2$"
    run 2 puzzle 99
    has err "no puzzle '99'"
    run 2 puzzle 1 2
    clean
    "$practice" --checkout "$folder/home" puzzle 2>"$folder/err" | true # nobody reads on
    clean
}

case_wrong()
{
    mkdir my
    cp puzzles/01_every_element/wrong/last_left_out.cu my/01_every_element.cu
    run 1 puzzle 1
    has out "wrong result"
    has out "out\[999\] was never written; it should be -*[0-9]"
    sed 's/n - 1)/n)/; s/3 \* in\[i\]/(i == 300 ? 4 : 3) * in[i]/' my/01_every_element.cu >new.cu
    mv new.cu my/01_every_element.cu
    run 1 puzzle 1
    has out "out\[300\] is .*: block (1,0,0), thread (44,0,0) wrote it, at my/01_every_element.cu:1"
    # Drawn, and the mark is below the number that is wrong.
    has out "^    index  *297  *298  *299  *300  *301  *302  *303$"
    awk '$1 == "found" { split($0, c, ""); wrong = $5; at = index($0, " " wrong " ") }
        $1 == "^" { exit index($0, "^") != at + length(wrong) }' "$folder/out" || fail "the mark"
    # A puzzle with rows and columns speaks of them.
    cp puzzles/03_mirror/solution.cu my/03_mirror.cu
    sed '/mirror/,$s/= in\[/= (row == 2 \&\& column == 34) + in[/' puzzles/03_mirror/solution.cu >my/03_mirror.cu
    run 1 puzzle 3
    has out "out\[85\], row 2, column 5, is "
    has out "^    column .* 4  *5  *6 "
    has out "^  with rows = 20, columns = 40, blocks and warps in order"
    echo "nonsense" >>my/01_every_element.cu
    run 1 puzzle 1
    has out "does not compile"
    has out "^01_every_element.cu([0-9]*): error: "
    printf '%s\n' '#include <cstdio>' >my/01_every_element.cu
    sed 's/out\[i\] = 3/printf("PASSED %d\\n", i), out[i] = 2/' \
        puzzles/01_every_element/solution.cu >>my/01_every_element.cu
    run 1 puzzle 1
    has out "^  the kernel printed: PASSED 0"
    sed 's/const int \*in, int n/const int *in, long n/' \
        puzzles/01_every_element/solution.cu >my/01_every_element.cu
    run 1 puzzle 1
    has out "argument 3 of kernel 'affine' has 8 bytes, not 4"
    sed 's/affine/other/' puzzles/01_every_element/solution.cu >my/01_every_element.cu
    run 1 puzzle 1
    has out "there is no kernel 'affine'"
    # Of the kernel that the prediction is about, ours counts.
    sed 's/prediction: 32/prediction: 3/; s/out\[i\] = i;/;/' \
        puzzles/01_every_element/solution.cu >my/01_every_element.cu
    run 1 puzzle 1
    has out "you said 3, the counter says 32"
    printf '%s\n' '#include <cstdio>' >my/01_every_element.cu
    sed 's/out\[i\] = 3/for (int k = 0; k < 900; k++) printf("%d %d %d %d\\n", i, i, i, i); out[i] = 3/' \
        puzzles/01_every_element/solution.cu >>my/01_every_element.cu
    run 1 puzzle 1
    has out "it takes more memory or files than it may"
    has out "printed more than"
    # A number is wide at most as what is kept of it.
    sed 's/900; k++) printf("%d %d %d %d/1; k++) printf("%2000000000d %d %*d/; s/i, i, i, i/i, i, 2000000000, i/' \
        my/01_every_element.cu >new.cu
    mv new.cu my/01_every_element.cu
    run 1 puzzle 1
    has out "printed more than"
    sed '/affine/,$s/if (i < n)$/while (*(volatile const int *)in != 1 << 30);/' \
        puzzles/01_every_element/solution.cu >my/01_every_element.cu
    run 1 puzzle 1
    has out "^my/01_every_element.cu, puzzle 1: the kernel does not end"
    has out "it spins in a loop"
    cp puzzles/01_every_element/wrong/never_ends.cu my/01_every_element.cu
    run 1 puzzle 1
    has out "after 5000000 warp instructions it was still at .*; allowed are 500000"
    # What ends is not said to go on for ever.
    sed '/affine/,$s/if (i < n)/for (int k = 0; k < 40000; k++) ((volatile int *)\&i)[0]; if (i < n)/' \
        puzzles/01_every_element/solution.cu >my/01_every_element.cu
    run 1 puzzle 1
    has out "puzzle 1: too many instructions"
    has out "it takes [0-9]* warp instructions; allowed are 500000"
    sed '/affine/,$s/if (i < n)/if (i <= n)/' puzzles/01_every_element/solution.cu \
        >my/01_every_element.cu
    run 1 puzzle 1
    has out "past the end of the 4000-byte variable in\[1000\]"
    sed '/affine/,$s/^{$/{ __shared__ int words[2000]; *(int *)((char *)words + 4 * threadIdx.x + 2) = n;/' \
        puzzles/01_every_element/solution.cu >my/01_every_element.cu
    run 1 puzzle 1
    has out "misaligned store of 4 bytes at shared address 0x2, kernel affine"
    has out "access at my/01_every_element.cu:1[0-9], block (0,0,0), thread (0,0,0)"
    sed '/affine/,$s/out\[i\] = .*/out[i] = 3 * in[i] + 1, i == 7 ? ((int *)in)[i] ^= 1 : 0;/' \
        puzzles/01_every_element/solution.cu >my/01_every_element.cu
    run 1 puzzle 1
    has out "in\[7\] is an input and was changed: block (0,0,0), thread (7,0,0) wrote it"
    sed 's/__global__ void affine/void affine/; /prediction/d' puzzles/01_every_element/solution.cu \
        >my/01_every_element.cu
    run 1 puzzle 1
    has out "no __global__ function of that name"
    has out "the file has no line '// prediction: NUMBER'"
    clean
}

# Files that are none to grade.
case_files()
{
    mkdir my
    for file in my/01_every_element.cu own.cu; do
        verb='puzzle 1'
        [ "$file" = own.cu ] && verb="mine $file"
        printf 'int x;\0\n' >"$file"
        # shellcheck disable=SC2086 # a verb and its argument
        run 2 $verb
        has err "no text"
        rm "$file"
        mkfifo "$file"
        # shellcheck disable=SC2086
        run 2 $verb
        has err "no regular file"
        rm "$file"
        mkdir "$file"
        # shellcheck disable=SC2086
        run 2 $verb
        has err "Is a directory"
        rmdir "$file"
    done
    # A file with a puzzle's name is one, wherever it lies and whoever asks.
    mkdir "a folder"
    cp puzzles/01_every_element/solution.cu "a folder/01_every_element.cu"
    run 0 mine "a folder/01_every_element.cu"
    has out "^a folder/01_every_element.cu, puzzle 1: passed"
    has out "^Next: ./tour puzzle "
    cp puzzles/01_every_element/puzzle.cu "a folder/01_every_element.cu"
    run 1 mine "a folder/01_every_element.cu"
    has out "^Stuck?"
    run 2 hint
    has err "hint takes the number of one puzzle, as in ./tour hint 1"
    clean
}

case_hint()
{
    run 0 hint 13
    has out "### Hint 1"
    hasnt out "### Hint 2"
    run 0 hint 13
    has out "### Hint 2"
    run 0 hint 13
    has out "### Hint 3"
    has out "the last one"
    run 0 hint 13
    has out "### Hint 3"
    run 2 hint
    run 2 hint nothing
}

case_solution()
{
    run 1 solution 13
    has out "Show the solution of puzzle 13"
    hasnt out "__syncthreads"
    echo y | "$practice" --checkout "$folder/home" solution 13 >"$folder/out"
    has out "__syncthreads"
    run 0 solution 13
    hasnt out "Show the solution"
    cmp "$folder/out" puzzles/13_wait_for_it/solution.cu
}

# --- A program of one's own ----------------------------------------------------------------------

write_own()
{
    cat >own.cu <<'END'
#include <cstdio>
__global__ void twice(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2 * i;
}
int main()
{
    int *out, last = 0;
    cudaMalloc(&out, 1000 * sizeof(int));
    twice<<<4, 256>>>(out, BOUND);
    cudaMemcpy(&last, out + 999, sizeof(int), cudaMemcpyDeviceToHost);
    printf("last %d\n", last);
    cudaFree(out);
}
END
}

case_mine()
{
    write_own
    sed 's/BOUND/1000/; s/<<<4, 256>>>/<<<250, 4>>>/' own.cu >fine.cu
    run 0 mine fine.cu
    has out "^  last 1998"
    has out "exit code 0"
    has out "0 reports"
    has out "^twice  *1 "
    has out "out\[i\] = 2"
    has out "^to try next: twice is bound by .*: make its blocks larger: they are smaller than a warp"
    # It finds its runtime without the system's help.
    cat >finds.cu <<'END'
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
int main()
{
    char command[100];
    snprintf(command, sizeof(command), "readelf -d /proc/%d/exe | grep PATH", getpid());
    return system(command) != 0;
}
END
    run 1 mine finds.cu # no CUDA call: nothing is checked
    has out "R.*PATH.*lib64"
    sed 's/BOUND/1024/' own.cu >beyond.cu
    run 1 mine beyond.cu
    has out "out-of-bounds store"
    has out "beyond.cu:6"
    sed 's/BOUND/900/' own.cu >short.cu
    run 1 mine short.cu
    has out "of which 4 were never written, the first at .*, byte 3996 of allocation no. 1 (4000 bytes), made at short.cu:11$"
    # A program may look at no error.
    sed 's/BOUND/1000/; s/256/2048/' own.cu >refused.cu
    run 1 mine refused.cu
    has out "launch of twice refused: 2048 threads"
    mkdir "a folder"
    sed 's/BOUND/1000/; s/out + 999, sizeof/out + 999, 2 * sizeof/' own.cu >"a folder/long.cu"
    run 1 mine "a folder/long.cu"
    has out "cudaMemcpy() refused, nothing was copied: it reads 8 bytes from byte 3996 on of a 4000-byte"
    has out "called from a folder/long.cu:13"
    has out "checked, 1 report: .*, call 1"
    # Counters and lines are of the same run, which a fault has not cut short.
    sed 's/BOUND/1000/; s/out\[i\]/out[1000000 * (i % 2)]/' own.cu >far.cu
    run 1 mine far.cu
    awk '/^twice / { all = $3 } $2 == "%" && $1 - 100 * $4 / all < 1 && 100 * $4 / all - $1 < 1 { rows++ }
        END { exit rows < 3 }' "$folder/out" || fail "counters of one run, lines of another"
    run 1 mine own.cu
    has err "own.cu(12): error: identifier \"BOUND\" is undefined"
    grep -v main puzzles/01_every_element/solution.cu >device.cu
    run 1 mine device.cu
    has err "device.cu has no main()"
    cp own.cu own.c
    run 1 mine ./own.c
    has err "^tour: './own.c' is no .cu file, as programs with kernels are: name it ./own.cu$"
    mv own.c own.cu.txt
    run 1 mine ./own.cu.txt
    has err "^tour: './own.cu.txt' is no .cu file, as programs with kernels are: name it ./own.cu$"
    run 2 mine absent.cu
    has err "absent.cu: No such file"
    clean
}

# Its own arguments, the GPU that was chosen, and what is checked besides all.
case_mine_options()
{
    write_own
    sed 's/BOUND/argc > 2 ? atoi(argv[2]) : 1/; s/main()/main(int argc, char **argv)/; s/cudaFree(out);//
        1i #include <cstdlib>' own.cu >count.cu
    run 0 mine count.cu -- 'two words' 1000
    has out "^  last 1998"
    has out "--check=leak names "
    has out "^to try next: twice is bound by launch: give a launch more work"
    # All at once; and the counters, and a picture, in files.
    run 1 --check leak --gpu h100 --json counts.json --html run.html mine count.cu -- x 1000
    has out "^count.cu, on the emulator as h100"
    has out "leak: allocation no. 1 of 4000 bytes was never freed"
    has out "      made at count\.cu:[0-9]"
    grep -q '"warp_instructions":' counts.json || fail "counts.json"
    grep -q 'count.cu' run.html || fail "run.html"
    grep -q '"program":"count"' run.html || fail "run.html says nothing of the program"
    # With a leak, or while it is wrong, there is nothing to make faster.
    hasnt out "to try next"
    # A cluster needs an H100: with none chosen, and with another.
    sed 's/BOUND/1000/; s/__global__/__global__ __cluster_dims__(2)/' own.cu >cluster.cu
    run 0 mine cluster.cu
    has out "^cluster.cu, on the emulator as h100"
    has out "^  last 1998"
    run 1 --gpu default mine cluster.cu
    has err "cluster.cu(2): error: "
    # A lambda for the device and a function for mathematicians: other programs are compiled without.
    cat >lambda.cu <<'END'
#include <cmath>
#include <cstdio>
template <class F> __global__ void run(F f) { f(threadIdx.x); }
int main()
{
    int *out, last = 0;
    printf("zeta %.3f\n", std::riemann_zeta(2.0));
    cudaMallocManaged(&out, 32 * sizeof(int));
    run<<<1, 32>>>([=] __device__(int i) { out[i] = 2 * i; });
    cudaMemcpy(&last, out + 31, sizeof(int), cudaMemcpyDefault);
    printf("last %d\n", last);
    cudaFree(out);
}
END
    run 0 mine lambda.cu
    has out "^  last 62"
    has out "^  zeta 1.645"
    has out "0 reports"
    run 1 mine own.cu # both compilers say no: the first is heard
    [ "$(grep -c 'error: ' "$folder/err")" -eq 1 ] || fail "told twice"
    clean
}

# Programs of one's own are checked and compared as steps are.
case_own()
{
    write_own
    mkdir "a folder"
    sed 's/BOUND/1000/' own.cu >fine.cu
    sed 's/BOUND/1000/; s/out\[i\] = 2 \* i/for (int k = 0; k <= i; k++) out[i] = 2 * k/' own.cu \
        >"a folder/fine.cu"
    sed 's/BOUND/1024/' own.cu >beyond.cu
    # Right in forward order alone.
    sed 's/BOUND/1000/; s/out\[i\] = 2 \* i/atomicExch(out + 999, i)/' own.cu >order.cu
    sed 's/BOUND/1000/; s/cudaFree(out);/&\n    return argc - 2;/; s/main()/main(int argc, char **argv)/' own.cu >asks.cu
    cp fine.cu "$(printf 'a\377').cu"
    run 2 check "$(printf 'a\377').cu"
    has err "^tour: 'a.xff.cu': its name is no UTF-8"
    sed 's/BOUND/1000/; s/last;/last = 0;/; /cudaMemcpy/d' own.cu >forgot.cu
    run 1 check --json=verdicts.json fine.cu "a folder/fine.cu" beyond.cu order.cu asks.cu forgot.cu
    has out "^fine.cu  *clean$"
    has out "^a folder/fine.cu  *clean$"
    has out "^beyond.cu  *found  *memory in kernel twice, access at .*beyond.cu:6, block (3,0,0), thread (232,0,0): out-of-bounds store"
    has out "^order.cu  *schedule  *schedule reverse.*: mismatch: it prints 'last [0-9]*', not 'last 999'"
    has out "^forgot.cu  *clean  *note: nobody read what kernel twice wrote to allocation no. 1 (4000 bytes), made at forgot.cu:[0-9]*: "
    has out "^asks.cu  *.*every run: failed: exit status 255"
    for verdict in clean found schedule; do
        grep -q "\"verdict\": \"$verdict\"" verdicts.json || fail "verdicts.json: no $verdict"
    done
    run 0 check asks.cu -- one
    run 1 check own.cu fine.cu # what compiles is checked all the same
    has out "^fine.cu  *clean$"
    hasnt out "^own.cu"
    [ "$(tail -n 1 "$folder/err")" = "tour: nvcc did not compile own.cu" ] || fail "not named at the end: $(cat "$folder/err")"
    run 0 diff "a folder/fine.cu" fine.cu
    has out "^fine.cu is .* as fast\|^.* times as fast"
    has out "+         out\[i\] = 2 \* i;"
    has out "^time (modelled)"
    has out "^warp instructions"
    hasnt out "n = 0"
    hasnt out "Their output differs"
    sed 's/last %d/at the end %d/' fine.cu >renamed.cu
    run 0 diff fine.cu renamed.cu
    has out "Their output differs, first in line [0-9]*: 'last 1998' and 'at the end 1998'"
    run 1 diff fine.cu beyond.cu
    has out "so there is nothing to compare: out-of-bounds store of 4 bytes"
    hasnt out "Their output differs"
    hasnt out "to try next"
    run 1 diff asks.cu fine.cu
    has out "^asks.cu failed, so there is nothing to compare: exit status 255\.$"
    run 1 diff own.cu fine.cu
    has err "own.cu(12): error: identifier \"BOUND\" is undefined"
    cp own.cu unbound.cu
    run 1 diff own.cu unbound.cu
    has err "nvcc did not compile own.cu"
    has err "nvcc did not compile unbound.cu"
    run 2 diff fine.cu
    has err "diff takes two"
    run 2 check absent.cu
    has err "absent.cu: No such file"
    clean
}

# page CODE ARGUMENTS...: the program on a terminal with colour.
page()
{
    code=0 due=$1
    shift
    on_terminal "'$practice' --checkout '$folder/home' --build '$build' $*" || code=$?
    [ "$code" -eq "$due" ] || fail "$*: exit code $code, not $due"
    expect_colours
}

case_colours()
{
    need_terminal
    page 1 puzzle 7
    page 0 puzzle
    cp puzzles/07_neighbours/solution.cu my/07_neighbours.cu
    page 0 puzzle 7
    page 0 puzzle
    echo "nonsense" >>my/07_neighbours.cu
    page 1 puzzle 7
    write_own
    sed 's/BOUND/1024/' own.cu >beyond.cu
    page 1 mine beyond.cu
    page 0 "watch beyond.cu & until grep -q 'out.i. =' '$folder/out'; do sleep 0.1; done; kill \$!"
    hand_in ann 07_neighbours puzzles/07_neighbours/solution.cu
    page 0 grade "$folder/class/ann"
    # Pages and sources as they were written.
    for words in 'hint 7' 'solution 13'; do
        on_terminal "echo y | '$practice' --checkout '$folder/home' --build '$build' $words"
        printf '\033[1mmine\033[0m' >>"$folder/out"
        expect_colours
    done
}

# On a terminal of 80 or 100 columns the page is no wider, and all of it is there, in whole words.
case_narrow()
{
    need_terminal
    write_own
    name=for_the_very_last_exercise_of_this_course_in_its_second_and_la.cu
    said='what is said of it goes on and on until it is far wider than any such terminal, and further, incomprehensibilities included'
    sed "s/BOUND/1024/; s/ twice/ multiply_every_element_by_two_in_its_place/; s/ twice<</ multiply_every_element_by_two_in_its_place<</
        s|= 2 . i;|& // $said|; s/last %d/last %d: $said/" own.cu >$name
    for size in '80 24' '100 30'; do
        on_terminal "stty cols ${size% *} rows ${size#* }
            '$practice' --checkout '$folder/home' --build '$build' mine $name" && fail 'no fault found'
        escape=$(printf '\033') return=$(printf '\r')
        sed "s/$return$escape\[K//g; s/$escape\[[0-9;]*m//g; s/running, [^$return]*//; s/$return//g" \
            "$folder/out" >plain
        wide=$(awk -v most="${size% *}" 'length > most' plain)
        [ -z "$wide" ] || fail "wider than $size: $wide"
        tr -s ' \n' ' ' <plain >words
        for words in "kernel multiply_every_element_by_two_in_its_place access at $name:6, block (3,0,0), thread (232,0,0) 0 bytes past the end of a 4000-byte allocation 24 times checked, 1 report:" \
            "out[i] = 2 * i; // $said" "last 0: $said"; do
            grep -qF "$words" words || fail "not all of it is there: $words"
        done
        for word in multiply_every_element_by_two_in_its_place 'bound by' launch branches; do
            grep -q "$word$" plain || fail "$word is lost"
        done
        # The verdict of check is long, and all of it is there.
        on_terminal "stty cols ${size% *} rows ${size#* }
            '$practice' --checkout '$folder/home' --build '$build' check $name" && fail 'no fault found'
        sed "s/.*$return$escape\[K//; s/$escape\[[0-9;]*m//g; s/$return//g" "$folder/out" >plain
        wide=$(awk -v most="${size% *}" 'length > most' plain)
        [ -z "$wide" ] || fail "verdict wider than $size: $wide"
        for words in "in kernel multiply_every_element_by_two_in_its_place, access at $name:6, block (3,0,0)" "24 times; every run"; do
            tr -s ' \n' ' ' <plain | grep -qF "$words" || fail "not all of the verdict is there: $words"
        done
    done
}

# A folder of sources is one program.
case_folder()
{
    write_own
    mkdir "two files"
    # A kernel calls what another file has, and goes too far.
    {
        sed 's/BOUND/1000/; /^__global__/,/^}/d; s/^int main/void start(int *out);\n&/; s/twice<<<4, 256>>>(out, 1000)/start(out)/' \
            own.cu
        echo '__device__ int doubled(int i) { return 2 * i; }'
    } >"two files/main.cu"
    {
        sed -n 's/^__global__/__device__ int doubled(int i);\n&/; s/= 2 \* i/= doubled(i)/; /^__device__/,/^}/p' own.cu
        echo 'void start(int *out) { twice<<<4, 256>>>(out, 1024); }'
    } >"two files/twice.cu"
    run 1 mine "two files/"
    has out "access at two files/twice.cu:6, "
    run 2 diff "two files" own.cu
    has err "two files is a folder"
    # And both have a variable of their own from a header.
    sed -i 's/1024/1000/' "two files/twice.cu"
    echo '__constant__ int factor = 2;' >"two files/factor.h"
    sed -i 's/^__device__ int doubled.*/#include "factor.h"/; s/doubled(i)/factor * i/' "two files/twice.cu"
    sed -i 's/^__device__ int doubled.*/#include "factor.h"/' "two files/main.cu"
    run 0 mine "two files/"
    has out "last 1998"
    clean
}

# How long a program may run, too; after that its page shows what there is by then.
case_timeout()
{
    write_own
    sed 's/BOUND/1000/; s/out\[i\] = 2 \* i/for (int k = 0; k < 100000000; k++) out[k % 1000] += k/' own.cu >endless.cu
    run 1 --timeout 2 mine endless.cu
    has out "^  stopped after 2 seconds"
    has out "^  interrupted in kernel twice, .*endless.cu:"
    has out "^twice  *1 "
    hasnt out "^the lines that cost most"
    run 1 check --timeout=2 endless.cu
    has out "stopped after 2 s in kernel twice, .*endless.cu:[67], block (.*), thread (.*)"
    run 2 --timeout 0 mine endless.cu
    has err "--timeout takes a number from 1 to 86400, not '0'"
    clean
}

# Where a kernel runs long, there is a sign of life; and an interrupt shows what there is by then.
case_life()
{
    write_own
    sed 's/BOUND/1000/; s/out\[i\] = 2 \* i/for (int k = 0; k < 100000000; k++) out[k % 1000] += k/; s/4, 256/4, 32/' \
        own.cu >long.cu
    : >"$folder/out"
    EMU_WORKERS=1 "$practice" --checkout "$folder/home" --build "$build" mine long.cu >"$folder/page" \
        2>"$folder/out" &
    watcher=$!
    await "^tour: running, [0-9]* s: twice, 0 of 4 blocks" 1
    kill -TERM $watcher
    code=0
    wait $watcher || code=$?
    watcher=
    [ $code -eq 143 ] || fail "ended with $code"
    cp "$folder/page" "$folder/out"
    has out "^  interrupted"
    has out "^  race: 4 bytes of global memory"
    has out "^twice  *1  *[1-9][0-9 ]*[0-9][0-9][0-9]  .* - *$"
    hasnt out "never freed"
    clean
}

case_thrust()
{
    cat >sort.cu <<'END'
#include <cstdio>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
int main()
{
    thrust::device_vector<int> numbers(1000, 3);
    printf("sum %d\n", thrust::reduce(numbers.begin(), numbers.end()));
}
END
    run 0 mine sort.cu
    has out "^  sum 3000"
    has out "0 reports"
}

# --- watch ---------------------------------------------------------------------------------------

# Wait until $folder/out has $2 times a line like $1.
await()
{
    tries=0
    while [ "$(grep -c -- "$1" "$folder/out" || :)" -lt "$2" ]; do
        tries=$((tries + 1))
        [ $tries -lt 600 ] || fail "waited in vain for '$1'"
        sleep 0.1
    done
}

case_watch()
{
    "$practice" --checkout "$folder/home" --build "$build" watch 1 >"$folder/out" 2>&1 &
    watcher=$!
    await "^puzzle 1: wrong result" 1
    cp puzzles/01_every_element/solution.cu my/01_every_element.cu
    await "^puzzle 1: passed" 1
    # It goes on to the next.
    await "^# Puzzle 2" 1
    await "^Read first: docs/" 1
    await "^watching .*/02_more_than_threads.cu" 1
    sed -n '/^watching .*02_more/{x;p;q;}; h' "$folder/out" | grep -qx 'puzzle 1: passed' ||
        fail "the verdict is far above the next puzzle"
    rm my/02_more_than_threads.cu
    await "is gone" 1
    cp puzzles/02_more_than_threads/puzzle.cu my/new
    mv my/new my/02_more_than_threads.cu
    await "^puzzle 2: wrong result" 1
    kill -INT $watcher 2>/dev/null || fail "it has ended"
    code=0
    wait $watcher || code=$?
    watcher=
    [ $code -eq 130 ] || [ $code -eq 143 ] || fail "ended with $code"
    clean
}

# A page of one's own program ends with what matters.
case_watch_own()
{
    write_own
    sed 's/BOUND/1024/' own.cu >beyond.cu
    "$practice" --checkout "$folder/home" --build "$build" watch beyond.cu >"$folder/out" 2>&1 &
    watcher=$!
    await "^  time (modelled): [0-9]" 1
    kill -INT $watcher 2>/dev/null || fail "it has ended"
    wait $watcher || :
    watcher=
    tail -n 7 "$folder/out" >"$folder/end"
    has end "^in short$"
    has end "^  last 0$"
    has end "^  exit code 0$"
    has end "^  memory: out-of-bounds store"
    has end "^      access at beyond.cu:6, block (3,0,0)"
    has end "^  after the fault every CUDA call failed because of it"
    run 1 mine beyond.cu
    hasnt out "^in short"
    clean
}

# on_a_screen FILE WORDS: watch FILE at 80 x 24 until it has said WORDS; the last screen is $folder/end,
# without what makes a screen of it.
on_a_screen()
{
    : >"$folder/out"
    script -qec "stty cols 80 rows 24
        exec '$practice' --checkout '$folder/home' --build '$build' watch $1" /dev/null \
        </dev/null >"$folder/out" 2>&1 &
    watcher=$!
    await "$2" 1
    kill $watcher
    wait $watcher || :
    watcher=
    return=$(printf '\r') escape=$(printf '\033')
    sed "s/$escape\[[0-9;]*m//g; s/$return//g; /^Session terminated/d" "$folder/out" | fold -w 80 | tail -n 23 >"$folder/end"
}

# An error of the compiler is on the screen: the first, and the others that fit.
case_watch_errors()
{
    need_terminal
    write_own
    sed 's/BOUND/1024/; s/^    cudaMalloc/    first = 1;\n&/; s/last %d/last: error %d/' own.cu >broken.cu
    for i in 1 2 3 4 5 6 7 8 9; do
        echo "void more_$i() { unknown_$i = 1; }" >>broken.cu
    done
    on_a_screen broken.cu 'nvcc did not compile broken.cu'
    has end '^--- .* broken.cu$'
    has end '^broken.cu(1[0-9]): error: identifier "first" is undefined$'
    has end '^broken.cu([0-9]*): error: '
    has end '^and [1-9][0-9]* more errors$'
    told=$(grep -c '): error' "$folder/end") more=$(sed -n 's/^and \([0-9]*\) more.*/\1/p' "$folder/end")
    code=0
    "$practice" --checkout "$folder/home" --build "$build" mine broken.cu >"$folder/out" 2>&1 || code=$?
    [ "$((told + more))" -eq "$(grep -c '): error' "$folder/out")" ] || fail "$told and $more errors are not all"
    mkdir my
    cp broken.cu my/01_every_element.cu
    on_a_screen 1 'more errors'
    has end '^puzzle 1: '
    has end 'error: identifier "first" is undefined$'
    # One error that is longer than the screen: its beginning.
    cat >long.cu <<'END'
struct one_whose_name_is_so_long_that_no_line_with_it_fits_on_a_screen_of_80_columns {};
template <int N, class T> int deep(T t)
{
    if constexpr (N > 0)
        return deep<N - 1>(t);
    else
        return t.none;
}
int main()
{
    return deep<30>(one_whose_name_is_so_long_that_no_line_with_it_fits_on_a_screen_of_80_columns());
}
END
    on_a_screen long.cu 'nvcc did not compile long.cu'
    has end '^--- .* long.cu$'
    has end '^long.cu(7): error: '
    has end '^and what belongs to it$'
}

# On a screen of 80 x 24, what matters of a page that is longer stands on the last screen.
case_watch_screen()
{
    need_terminal
    write_own
    sed 's/BOUND/1024/; s/printf("last.*/for (int k = 0; k < 40; k++) printf("line %d\\n", k);/' own.cu >long.cu
    on_a_screen long.cu "^  time (modelled): [0-9]"
    for line in "in short" "  line 37" "  line 39" "  exit code 0" "  memory: out-of-bounds store of 4" \
        "      access at long.cu:6, block (3,0,0)" "  after the fault" "  time (modelled): "; do
        has end "$line"
    done
    hasnt end "^  line 36"
}

# --- A class -------------------------------------------------------------------------------------

case_class()
{
    mkdir "$folder/class"
    for puzzle in 01_every_element 07_neighbours 13_wait_for_it; do
        hand_in ann $puzzle puzzles/$puzzle/solution.cu
        hand_in bob $puzzle puzzles/$puzzle/puzzle.cu
    done
    hand_in eve/my 01_every_element puzzles/01_every_element/wrong/never_ends.cu
    (cd "$folder/class" && find . -type f -exec cksum {} + | sort) >before
    run 0 grade "$folder"/class/* --junit junit.xml --csv=marks.csv
    has out "^ann  *3 / "
    has out "^bob  *0 / .* puzzle 1: wrong result; puzzle 7: right result, goal missed; puzzle 13: a race"
    has out "^eve  *0 / .* puzzle 1: the kernel does not end; 2-[0-9]* not handed in$"
    grep -q '^"bob",0,.*,result,' marks.csv || fail "marks.csv"
    grep -q '<testsuite name="ann" .*failures="0"' junit.xml || fail "junit.xml"
    grep -q '<failure type="race"' junit.xml || fail "junit.xml"
    grep -q '<testcase name="01_every_element" classname="ann" time="[0-9.]*[1-9][0-9.]*"' junit.xml ||
        fail "no class or time in junit.xml"
    grep -q '<testsuite name="ann" .* time="[0-9.]*[1-9][0-9.]*">' junit.xml || fail "no time in all"
    (cd "$folder/class" && find . -type f -exec cksum {} + | sort) >after
    cmp before after || fail "a student's file has changed"
    run 0 grade "$folder/class/ann" --json --seed 5 --puzzles 1
    has out '"seed":5,.*"student":"ann"'
    # A folder that is named twice is one student.
    ln -s "$folder/class/ann" linked
    run 0 grade "$folder/class/ann" "$folder/class/bob" "$folder/class/../class/ann/" \
        linked --puzzles 1
    [ "$(grep -c "^ann " "$folder/out")" -eq 1 ] || fail "ann is listed twice"
    has out "^linked "
    has out "^bob "
    # Of some puzzles, only those count.
    run 0 grade "$folder"/class/* --puzzles 13,1,01_every_element --csv marks.csv --junit junit.xml
    has out "^ann  *2 / 2 *$"
    has out "^bob  *0 / 2  puzzle 1: wrong result; puzzle 13: a race$"
    has out "^eve  *0 / 2  puzzle 1: the kernel does not end; 13 not handed in$"
    [ "$(head -n 1 marks.csv)" = "student,passed,of,01_every_element,13_wait_for_it,not_graded" ] || fail "marks.csv"
    grep -q '^"ann",2,2,passed,passed,""$' marks.csv || fail "marks.csv"
    grep -q '<testsuite name="ann" tests="2" failures="0" skipped="0"' junit.xml || fail "junit.xml"
    run 2 grade "$folder/class/ann" --puzzles 1 --csv "$folder/class/ann/01_every_element.cu"
    has err 'is nothing that grade wrote'
    run 0 grade "$folder/class/ann" --puzzles=7 --json
    has out '^{"puzzles":1,.*"passed":1,"puzzles":{"07_neighbours":{[^{]*}},"not_graded":\[\]}]}$'
    for wrong in 99 1,x ,; do
        run 2 grade "$folder/class/ann" --puzzles $wrong
        [ "$(wc -l <"$folder/err")" -eq 1 ] || fail "not one line"
    done
    run 2 grade
    run 2 grade "$folder/nobody"
    has err "is no folder"
    run 2 grade "$folder/class/ann" --what
    clean
}

# Another's work under one's own name.
case_borrowed()
{
    hand_in ann 01_every_element puzzles/01_every_element/solution.cu
    mkdir "$folder/class/bob"
    ln -s ../ann "$folder/class/bob/my"
    run 0 grade "$folder"/class/ann "$folder"/class/bob
    has out "^ann  *1 / "
    has out "^bob  *0 / "
    # What lies in the folder itself counts first, and what is too long does not.
    hand_in fay 01_every_element puzzles/01_every_element/solution.cu
    hand_in fay/my 01_every_element puzzles/01_every_element/puzzle.cu
    hand_in fay/my 03_mirror puzzles/03_mirror/solution.cu
    {
        cat puzzles/01_every_element/solution.cu
        printf '%300000s\n' ' '
    } >text.cu
    hand_in tom 01_every_element text.cu
    # A name is text to a spreadsheet and to XML.
    mkdir "$folder/class/=1&\"2\""
    run 0 grade "$folder"/class/fay "$folder"/class/tom "$folder"/class/=* --junit junit.xml \
        --csv marks.csv
    has out "^fay  *2 / "
    has out "^tom  *0 / .* puzzle 1: it takes more memory or files than it may"
    grep -q "^\"'=1&\"\"2\"\"\",0," marks.csv || fail "marks.csv"
    grep -q '<testsuite name="=1&amp;&quot;2&quot;" tests="\([0-9]*\)" failures="0" skipped="\1" time="[0-9.]*">' \
        junit.xml || fail "junit.xml"
    # A name is no escape sequence.
    mkdir "$folder/class/$(printf 'red\033[31m')"
    run 0 grade "$folder"/class/red* --junit junit.xml
    hasnt out "$(printf '\033')"
    ! grep "$(printf '\033')" junit.xml || fail "junit.xml"
}

# Names that people give their files, and folders.
case_names()
{
    who="ann \"the best\" o'neil"
    solution=puzzles/01_every_element/solution.cu
    hand_in "$who" 'puzzle1' $solution
    hand_in "$who" '03_mirror (1)' puzzles/03_mirror/puzzle.cu
    hand_in "$who" '03_mirror (2)' puzzles/03_mirror/solution.cu
    hand_in "$who/my" '7' puzzles/07_neighbours/puzzle.cu
    hand_in "$who" notes $solution
    hand_in bob 'Puzzle_01' puzzles/01_every_element/puzzle.cu
    hand_in bob 01_every_element $solution
    hand_in bob '01_every_elephant' $solution
    echo nonsense >"$folder/class/bob/03_mirror (1).cu"
    mkdir "$folder/class/cho"
    cp $solution "$folder/class/cho/01_EVERY_ELEMENT.CU"
    echo nonsense >"$folder/class/cho/3.Cu"
    run 0 grade "$folder"/class/* --csv marks.csv
    has out "^ann \"the best\" o'neil  *2 / .* puzzle 7: right result, goal missed; 2,4-6,8-[0-9]* not handed in; not graded: notes.cu"
    has out "^bob  *1 / .* puzzle 3: it does not compile; 2,4-[0-9]* not handed in; not graded: 01_every_elephant.cu"
    grep -q '^student,.*,not_graded$' marks.csv || fail "marks.csv"
    grep -q '^"ann.*,"notes.cu"$' marks.csv || fail "marks.csv"
    grep -q '^"cho".*,""$' marks.csv || fail "marks.csv"
    has err "^tour: ann \"the best\" o'neil: 'notes.cu' has no puzzle's name: not graded"
    has err "^tour: ann \"the best\" o'neil: '03_mirror (1).cu' is one more of puzzle 3: not graded"
    has err "^tour: bob: '01_every_elephant.cu' has no puzzle's name: not graded"
    has err "^tour: bob: 'Puzzle_01.cu' is one more of puzzle 1: not graded"
    [ "$(grep -c ': not graded' "$folder/err")" -eq 4 ] || fail "others too"
    has out "^cho  *1 / .* puzzle 3: it does not compile"
    run 0 grade "$folder/class/bob" "$folder/class/cho" --json --puzzles 3
    has out "submission.cu(1): error"
    has out '"text":"3.Cu(1): error'
    has out '"student":"bob".*"not_graded":\["01_every_elephant.cu"\]'
    has out '"student":"cho".*"not_graded":\[\]'
    # What is no .cu file of a puzzle is no secret, where there is no other.
    mkdir "$folder/class/eli" "$folder/class/eli/my"
    for name in 1.cu.txt 3.cpp puzzle7.cu~ 13.zip .14.cu homework.zip my/my.cu.bak 15.cu~ ._15.cu notes.txt; do
        cp $solution "$folder/class/eli/$name"
    done
    hand_in eli 15 $solution
    run 0 grade "$folder/class/eli" --puzzles 1,15 --json
    has err "^tour: eli: '1.cu.txt' is not named 01_every_element.cu: not graded$"
    has err "^tour: eli: 'homework.zip' is no .cu file: not graded$"
    has out '"not_graded":\[".14.cu","1.cu.txt","13.zip","3.cpp","homework.zip","puzzle7.cu~","my/my.cu.bak"\]'
    [ "$(wc -l <"$folder/err")" -eq 7 ] || fail "others too"
    rm -r "$folder/class/eli"
    # What has a puzzle's name and is no file.
    hand_in fay 01_every_element $solution
    mkdir -p "$folder/class/gil/1.cu" "$folder/class/hal" "$folder/class/ivy"
    mkfifo "$folder/class/hal/1.cu"
    ln -s ../fay/01_every_element.cu "$folder/class/ivy/1.cu"
    run 0 grade "$folder"/class/gil "$folder"/class/hal "$folder"/class/ivy --puzzles 1 --junit junit.xml
    [ "$(grep -c "0 / 1  puzzle 1: it is no regular file$" "$folder/out")" -eq 3 ] || fail "no files"
    [ "$(grep -c '<failure type="file" message="it is no regular file">it is a ' junit.xml)" -eq 3 ] ||
        fail "junit.xml"
    rm -r "$folder/class/fay" "$folder/class/gil" "$folder/class/hal" "$folder/class/ivy"
    # Work lies one folder deeper than was said.
    run 0 grade "$folder/class/" --puzzles 1
    has err "^tour: class: nothing to grade, but there is in $folder/class/ann .*: did you mean $folder/class/\*/?$"
    mkdir -p "$folder/class/dan/homework/my"
    cp $solution "$folder/class/dan/homework/my"/01_every_element.cu
    run 0 grade "$folder/class/dan" --puzzles 1
    has err "^tour: dan: nothing to grade, but there is in .*/dan/homework/my: did you mean .*/dan/\*/?$"
    ln -s homework "$folder/class/cho/linked"
    run 0 grade "$folder/class/cho" --puzzles 1
    hasnt err "deeper\|nothing to grade"
    clean
}

case_hidden()
{
    hand_in ann 01_every_element puzzles/01_every_element/solution.cu
    mkdir hidden
    printf '# longer\nsizes 70 1024\ngoal branches: branches <= 5\n' >hidden/01_every_element.txt
    run 0 grade "$folder/class/ann" --hidden hidden --json
    has out '"verdict":"goal","text":"[^"]*missed branches: 32, goal <= 5'
    has err "^tour: --hidden: 01_every_element.txt: our own solution, too, misses branches: 32, goal <= 5$"
    [ "$(wc -l <"$folder/err")" -eq 1 ] || fail "not one line"
    # Goals are judged at the last size: one that our own solution does not meet there is none.
    printf 'sizes 70 999\n' >hidden/01_every_element.txt
    run 2 grade "$folder/class/ann" --hidden hidden
    has err "^tour: --hidden: 01_every_element.txt: let another size be the last, as the puzzle's 5000: with n = 999 our own solution misses load requests per warp of elements: 1.03, goal <= 1.01$"
    LANGUAGE=zh LC_ALL=C.UTF-8 run 2 grade "$folder/class/ann" --hidden hidden
    has err '^tour: --hidden：01_every_element.txt：请把别的规模放在最后，如谜题自己的 5000：n = 999 时，我们自己的解答也达不到：每 32 个元素的读取请求数：1.03，目标 <= 1.01$'
    # As a Chinese input method and Windows write it.
    printf '\357\273\277# 隐藏\r\nsizes　70　１０２４\r\ngoal 分支：branches <= 50\r\n' >hidden/01_every_element.txt
    run 0 grade "$folder/class/ann" --hidden hidden --puzzles 1 --json
    has out '"passed":1,.*met    分支: 32, goal <= 50'
    [ ! -s "$folder/err" ] || fail "said something"
    printf 'sizes 70 1024\n' >hidden/01_every_element.txt
    # What is right at the public sizes alone passes without.
    sed '/affine/,$s/if (i < n)/if (i < n \&\& n != 70)/' puzzles/01_every_element/solution.cu >text.cu
    hand_in sly 01_every_element text.cu
    run 0 grade "$folder/class/sly"
    has out "^sly  *1 / "
    run 0 grade "$folder/class/sly" --hidden hidden
    has out "^sly  *0 / .* puzzle 1: wrong result"
    # One that is met makes up for none of the puzzle's own.
    hand_in bob 07_neighbours puzzles/07_neighbours/puzzle.cu
    printf 'goal branches: branches <= 100000\n' >hidden/07_neighbours.txt
    run 0 grade "$folder/class/bob" --hidden hidden
    has out "^bob  *0 / .* puzzle 7: right result, goal missed"
    while IFS='|' read -r line why; do
        printf '\n%s\n' "$line" >hidden/01_every_element.txt
        run 2 grade "$folder/class/ann" --hidden hidden
        has err "^tour: hidden/01_every_element.txt:2: $why$"
        [ "$(wc -l <"$folder/err")" -eq 1 ] || fail "not one line"
    done <<'END'
goal branches: no_such_counter <= 5|no such counter at 'no_such_counter <= 5'
goal branches <= 5|a label and a colon are missing at 'branches <= 5'
sizes 70 0|'0' is no size: N is a whole number from 1 to 1048576
sizes 70,80|'70,80' is no size: N is a whole number from 1 to 1048576
size 70|neither 'sizes N ...' nor 'goal LABEL: A <= B'
END
    echo '# to do' >hidden/01_every_element.txt
    run 2 grade "$folder/class/ann" --hidden hidden
    has err "^tour: --hidden: hidden/01_every_element.txt has neither sizes nor goals$"
    run 2 grade "$folder/class/ann" --hidden nowhere
    # What is named after no puzzle would not be heard of.
    rm hidden/01_every_element.txt
    for name in 1_every_element.txt 01_every_element.TXT 01_every_element notes.md; do
        echo 'sizes 70' >"hidden/$name"
        run 2 grade "$folder/class/ann" --hidden hidden
        has err "^tour: --hidden: hidden/$name is named after no puzzle, as 01_every_element.txt would"
        [ "$(wc -l <"$folder/err")" -eq 1 ] || fail "not one line"
        rm "hidden/$name"
    done
    : >hidden/.keep
    run 0 grade "$folder/class/ann" --hidden hidden
    rm hidden/07_neighbours.txt
    run 2 grade "$folder/class/ann" --hidden hidden
    has err "^tour: --hidden: hidden has no check in it, as 01_every_element.txt would be$"
}

# Strangers' text, in namespaces ($1 empty) and without.
attack()
{
    solution=puzzles/01_every_element/solution.cu
    secret=$folder/secret.h
    echo 'hunter2 is the "password";' >"$secret"
    rm -rf "$folder/class"
    for way in plain macro sly spliced digraph; do
        case $way in
        plain) printf '#include "%s"\n' "$secret" ;;
        macro) printf '#define X "%s"\n#include X\n' "$secret" ;;
        sly) printf '#define H #\nH include "%s"\n' "$secret" ;;
        spliced) printf '#incl\\\nude "%s"\n' "$secret" ;;
        digraph) printf '%%:include "%s"\n' "$secret" ;;
        esac >text.cu
        cat $solution >>text.cu
        hand_in $way 01_every_element text.cu
    done
    for side in ifdef ifndef; do
        printf '#%s __CUDA_ARCH__\n#define X "%s"\n#else\n#define X <math.h>\n#endif\n#include X\n' \
            $side "$secret" >text.cu
        cat $solution >>text.cu
        hand_in $side 01_every_element text.cu
    done
    mkdir "$folder/class/linked"
    ln -s "$secret" "$folder/class/linked/01_every_element.cu"
    printf '#include <cuda_fp16.h>\n' >text.cu
    cat $solution >>text.cu
    hand_in honest 01_every_element text.cu
    printf '__device__ int x;\n__global__ void affine(int *out, const int *in, int n)\n{\n    asm(".incbin \\"%s\\";");\n}\n' \
        "$secret" >text.cu
    hand_in assembler 01_every_element text.cu
    # Wants more than anybody has: in namespaces by its macros, without them by files in files.
    if [ -z "$1" ]; then
        greedy=bomb
        echo '#define A0 int x;'
        for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
            j=$((i - 1))
            echo "#define A$i A$j A$j A$j A$j A$j A$j A$j A$j A$j A$j A$j A$j A$j A$j A$j A$j"
        done
        echo A12
    else
        greedy=endless
        printf '#include __FILE__\n#include __FILE__\n'
    fi >text.cu
    hand_in $greedy 01_every_element text.cu
    # shellcheck disable=SC2086
    run 0 grade "$folder"/class/* --json $1
    hasnt out hunter2
    hasnt out password
    hasnt err hunter2
    grep -q '"student":"honest"[^}]*"passed":1,' "$folder/out" || fail "honest did not pass"
    # By time or by length: that depends on the machine.
    [ $greedy != bomb ] || grep -q '"student":"bomb"[^}]*nvcc \(took\|wrote\) more than ' "$folder/out" ||
        fail "no bomb"
    grep -q '"student":"plain"[^}]*"01_every_element":{"verdict":"include"' "$folder/out" ||
        fail "plain"
    grep -q '"student":"linked"[^}]*"01_every_element":{"verdict":"file"' "$folder/out" ||
        fail "linked"
    for student in assembler $greedy ifdef digraph macro sly spliced; do
        grep -q "\"student\":\"$student\"[^}]*\"passed\":0,[^}]*\"verdict\":\"\(include\|compile\|space\)\"" \
            "$folder/out" || fail "$student"
    done
    clean
}

case_attacks()
{
    attack ""
    if grep -q "no user namespaces" "$folder/err"; then
        has out '"sandboxed":false'
    else
        has out '"sandboxed":true'
    fi
}

case_attacks_bare()
{
    attack --no-sandbox
    has err "no user namespaces"
    has out '"sandboxed":false'
}

# In Chinese, all that a student reads; JSON stays English.
case_chinese()
{
    . "$checkout/tests/chinese.sh"
    unset LANGUAGE
    LC_ALL=zh_CN.UTF-8
    run 0 puzzle
    no_english out
    has out "1  - *每个元素恰好一次"
    run 1 puzzle 13
    sed 's/difference\|tile//g' "$folder/out" >"$folder/words" # names in the program
    no_english words
    has out "^my/13_wait_for_it.cu，谜题 13："
    has out "kernel .*：竞争\|^  竞争：共享内存 4 字节"
    has out "^先读：docs/zh/"
    run 0 hint 13
    no_english out
    run 2 puzzle 99
    no_english err
    write_own
    sed 's/BOUND/1024/' own.cu >beyond.cu
    run 1 mine beyond.cu
    sed 's/twice//g; /^  last /d; /^  *[0-9]* % /d' "$folder/out" >"$folder/words"
    no_english words
    has out "越界写 4 字节"
    has out "beyond.cu:6 处访问，block (3,0,0)，线程 (232,0,0)"
    sed 's/BOUND/1000/' own.cu >fine.cu
    run 0 mine fine.cu
    has out "^下一步可以试试：twice 的瓶颈是"
    # What is inlined, and a program that fails.
    sed '1a __device__ void put(int *out, int i) { out[i] = 2 * i; }
        s/BOUND/1024/; s/out\[i\] = 2 . i/put(out, i)/; /cudaFree/s/.*/    return 3;/' own.cu >inlined.cu
    run 1 check inlined.cu
    sed 's/twice//g' "$folder/out" >"$folder/words"
    no_english words
    has out "inlined.cu:2（内联于 inlined.cu:7）处访问"
    run 1 diff inlined.cu fine.cu
    sed '/^ *[0-9]* [-+ ] /d; s/twice//g' "$folder/out" >"$folder/words"
    no_english words
    hand_in bob 13_wait_for_it puzzles/13_wait_for_it/puzzle.cu
    run 0 grade "$folder/class/bob"
    sed 's/^bob//' "$folder/out" >"$folder/words"
    no_english words
    has out "^bob  *0 / .* 谜题 13：竞争"
    run 0 grade "$folder/class/bob" --json
    has out '"verdict":"race"'
    clean
}

"case_$wanted"
