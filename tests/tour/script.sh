#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests of the tour script: script.sh CHECKOUT CASE.
#
# They run a copy of it in a checkout of its own, where every tool is a stand-in, so that a compiler
# can be missing, apt-get harmless and a download broken off.
set -eu

checkout=$1
cd "$(dirname "$0")"
. ./lib.sh
. ../terminal.sh

tools=$folder/tools        # the whole PATH
spare=$folder/spare        # what apt-get "installs"
built=$folder/built        # what a build makes
repository=$folder/a\ copy # with a space, as in many a home
log=$folder/log            # what the stand-ins were asked

# In the stand-ins: wait for ever with a child, as a build with a compiler does.
hang_function="hang() { echo \$\$ >>\"$folder/pids\"; sleep 1000 & echo \$! >>\"$folder/pids\"; wait; }"

# stand_in NAME: a program of that name in $spare, its text on stdin.
stand_in()
{
    {
        echo '#!/bin/sh'
        printf 'log="%s" tools="%s" spare="%s" built="%s"\n' "$log" "$tools" "$spare" "$built"
        printf "hang_function='%s'\n" "$hang_function"
        echo "$hang_function"
        cat
    } >"$spare/$1"
    [ -x "$spare/$1" ] || chmod +x "$spare/$1"
}

# The programs of a build, in $built.
make_programs()
{
    mkdir "$built" "$built/tools" "$built/tools/practice" "$built/serve"
    cat >"$built/tools/tour" <<RUNNER
#!/bin/sh
$hang_function
[ "\${FAKE_HANG-}" != runner ] || hang
echo "runner \$*\${EMU_DEVICES:+ with \$EMU_DEVICES}"
[ -z "\${FAKE_SAYS_COMMAND-}" ] || echo "for \$TOUR_COMMAND"
[ -z "\${FAKE_LATER_FAILS-}" ] ||
    { printf 'FAILED: y.o\ny.cu:1: error: no\n' >"\${0%/tools/tour}/tour.log"; exit 3; }
RUNNER
    for program in tools/practice/practice serve/serve; do
        printf '#!/bin/sh\nprintf "<%%s> " %s "$@"; echo\n' "${program##*/}" >"$built/$program"
    done
    cat >"$built/serve/try_class" <<CLASS
#!/bin/sh
printf '%s ' try "\$@" >>"$log"
exit \${FAKE_CLASS:-0}
CLASS
    chmod +x "$built"/*/* "$built/tools/practice/practice"
}

# A machine with a shell and little else, everything it may get in $spare.
make_machine()
{
    mkdir "$tools" "$spare" "$repository" "$repository/cmake" "$repository/climb"
    : >"$log"
    make_programs
    set --
    for tool in sh cat sed grep rm rmdir mkdir mv cp ln dirname readlink tail head nproc tr sleep env \
        chmod touch paste uniq timeout setpriv flock find fold; do
        set -- "$@" "$(command -v $tool)"
    done
    ln -s "$@" "$tools"
    for tool in gcc g++ ninja pkg-config cmake ctest nvcc apt-get id python3; do
        : >"$spare/$tool"
    done
    chmod +x "$spare"/*
    sed 's,/usr/local/cuda,/nonexistent/cuda,g' "$checkout/tour" >"$repository/tour"
    chmod +x "$repository/tour"
    cp -R "$checkout/cmake/toolkit" "$repository/cmake"
    mkdir -p "$repository/emulator" "$repository/docs/zh" "$repository/base"
    cp "$checkout/docs/help.txt" "$repository/docs"
    cp "$checkout/docs/zh/help.txt" "$repository/docs/zh"
    cp "$checkout"/base/*.awk "$checkout"/base/*.def "$repository/base"
    cp -R "$checkout/emulator/gpus" "$repository/emulator"
    printf 'add_step(climb %s "title")\n' r1_slow r4a_left r4b_right r10_far r4_plain \
        >"$repository/climb/CMakeLists.txt"

    for tool in gcc g++ ninja pkg-config; do
        echo : | stand_in $tool
    done
    stand_in cmake <<'END'
# last_until TEXT: until the tour has said so, if anything, or for ten seconds.
last_until()
{
    tries=0
    until [ -z "$1" ] || [ $tries -eq 100 ] || grep -qF -- "$1" "$spare/../err"; do
        tries=$((tries + 1))
        /bin/sleep 0.1
    done
}
case $1 in
--version)
    [ "${FAKE_CMAKE-}" != dies ] || { echo "out of memory" >&2; exit 127; }
    echo "cmake version ${FAKE_CMAKE:-3.25.1}"
    ;;
--build)
    echo "build $*" >>"$log"
    case $* in
    *" -- -n -f $PWD/build/default/build.ninja") echo "ninja: ${FAKE_TO_DO:-no work to do.}"; exit ;;
    esac
    [ "${FAKE_HANG-}" != build ] || hang
    while [ -n "${FAKE_BUILD_WAITS-}" ] && [ ! -e "$spare/go" ]; do sleep 0.05; done
    [ -z "${FAKE_BUILD_FAILS-}" ] || { echo "FAILED: x.o"; echo "x.c:1: error: ${FAKE_ERROR-no}"; exit 1; }
    echo "[1/2] Building"
    last_until "${FAKE_BUILD_SAYS-}"
    # A toolkit without a library: CMake leaves out what needs it.
    sed -n 's/add_step(\(.*\) \(.*\) ".*/{"chapter": "\1", "step": "\2", "title": ""}/p' climb/CMakeLists.txt |
        grep -v "${FAKE_LACKS:-none}" >"$2/manifest.jsonl"
    cp -R --update "$built/." "$2"
    ;;
*)
    echo "configure $*" >>"$log"
    last_until "${FAKE_CONFIGURE_SAYS-}"
    for argument in "$@"; do
        case $argument in
        -DCMAKE_CUDA_COMPILER=*) nvcc=${argument#*=} ;;
        -DGPU_ARCH=*) arch=${argument#*=} ;;
        build/*) build=$argument ;;
        esac
    done
    printf '%s=%s\n' CMAKE_CUDA_COMPILER:FILEPATH "$nvcc" CMAKE_MAKE_PROGRAM:FILEPATH '/a bin/ninja' \
        GPU_ARCH:STRING "$arch" CMAKE_HOME_DIRECTORY:INTERNAL "$PWD" >"$build/CMakeCache.txt"
    : >"$build/build.ninja"
    : >"$build/manifest.jsonl"
    ;;
esac
END
    stand_in ctest <<'END'
echo "ctest $*" >>"$log"
[ "${FAKE_HANG-}" != ctest ] || hang
for argument in "$@"; do report=$argument; done
[ "${FAKE_TESTS-}" != none ] || exit 8
printf '<testsuite name="x"\n\ttests="%s"\n\tfailures="0"\n\tdisabled="%s"\n\tskipped="%s"\n>\n' \
    "${FAKE_TESTS:-5}" "${FAKE_DISABLED:-0}" "${FAKE_SKIPPED:-0}" >"$report"
if [ "${FAKE_CTEST_CODE:-0}" -eq 0 ]; then
    word='.   Passed' percent=100 failed=0
else
    word='***Failed' percent=80 failed=1
fi
cat <<TEXT
Test project /nowhere
      Start   1: climb.r1_slow
1/5 Test   #1: climb.r1_slow .................$word    0.05 sec
what it said
      Start 102: climb.r10_far
2/5 Test #102: climb.r10_far .................***Skipped   0.01 sec
2/5 Test #103: climb.r10_far.check .................   Passed   12.01 sec

$percent% tests passed, $failed tests failed out of 5
TEXT
exit "${FAKE_CTEST_CODE:-0}"
END
    stand_in nvcc <<'END'
echo "Cuda compilation tools, release ${FAKE_CUDA:-13.0}, V0"
END
    stand_in apt-get <<'END'
echo "apt-get $*" >>"$log"
case " $* " in
*' install '*)
    [ -z "${FAKE_APT_STALE-}" ] || [ -e "$spare/updated" ] || exit 100
    cp "$spare"/* "$tools"
    rm -f "$tools/nvcc"
    ;;
*' update '*) : >"$spare/updated" ;;
esac
END
    stand_in id <<'END'
echo "${FAKE_UID:-0}"
END
    stand_in python3 <<'END'
echo "python3 $*" >>"$log"
case $* in
*--version) exit 0 ;;
esac
while [ "$1" != --target ]; do shift; done
case $* in
*toolkit/cmake.txt)
    [ "${FAKE_PIP-}" != broken ] || exit 0
    mkdir -p "$2/cmake/data/bin"
    sed 's/FAKE_CMAKE/NEVER_SET/' "$spare/cmake" >"$2/cmake/data/bin/cmake"
    cp "$spare/ctest" "$2/cmake/data/bin/ctest"
    chmod +x "$2"/cmake/data/bin/*
    exit 0
    ;;
esac
mkdir -p "$2/nvidia/cu13/bin" "$2/nvidia/cu13/lib"
[ "${FAKE_HANG-}" != python3 ] || hang
[ "${FAKE_PIP-}" != hangs ] || { cp "$spare/nvcc" "$2/nvidia/cu13/bin"; : >"$spare/hanging"; sleep 30; }
[ "${FAKE_PIP-}" != fails ] || { echo "no network" >&2; exit 1; }
[ "${FAKE_PIP-}" != broken ] || exit 0
cp "$spare/nvcc" "$2/nvidia/cu13/bin"
: >"$2/nvidia/cu13/lib/libcudart.so.13"
END
    for tool in id apt-get; do
        cp "$spare/$tool" "$tools"
    done
}

# A machine that has everything.
make_full_machine()
{
    make_machine
    cp "$spare"/* "$tools"
    rm "$tools/apt-get" "$tools/python3"
}

with_gpu()
{
    echo 'echo "GPU 0: Fake"' | stand_in nvidia-smi
    cp "$spare/nvidia-smi" "$tools"
}

tour()
{
    (cd "$repository" && PATH="$tools" ./tour "$@")
}

expect_log()
{
    expect_line log "$1"
}

expect_nothing_built()
{
    [ ! -e "$repository/build" ] || fail "something was built"
}

# --- Bad usage ---------------------------------------------------------------------------------

test_help()
{
    make_machine
    for arguments in --help -h help 'test --help' 'diff --help' '--n 3 --help'; do
        # shellcheck disable=SC2086 # words
        expect_code 0 tour $arguments
        expect_empty err
        for word in --on --n --runs --json --compare --markdown --timeout .toolkit libjansson-dev; do
            expect_line out "$word"
        done
    done
    if grep -nE '.{101}' "$folder/out"; then
        fail "lines wider than 100 columns"
    fi
}

# In Chinese by the locale or by --lang, which wins. The options are those of the English help, and the
# lines no wider.
test_chinese()
{
    unset LANGUAGE
    make_machine
    ln -s "$(command -v awk)" "$tools/awk"
    expect_code 0 tour --help
    sed -n 's/^ *\(--[a-z-]*\).*/\1/p' "$folder/out" >"$folder/options"
    expect_code 0 tour --help --lang zh
    sed -n 's/^ *\(--[a-z-]*\).*/\1/p' "$folder/out" | diff "$folder/options" - ||
        fail "not the same options"
    [ "$(wc -L <"$folder/out")" -le 100 ] || fail "lines wider than 100 columns"
    for place in first last; do
        case $place in
        first) refused --lang=zh nonsense ;;
        last) refused nonsense --lang zh ;;
        esac
        expect_line err "tour: 没有名为 'nonsense' 的章或步骤。各章是：climb；步骤是章里的 .cu 文件"
    done
    LANG=zh_CN.UTF-8 LC_ALL='' refused --n 'two, or 3'
    expect_line err "tour: --n 的值是 0 到 1073741824 的整数，不能是 'two, or 3'"
    LANG=zh_CN.UTF-8 LC_ALL='' refused --n two --lang en
    expect_line err "tour: --n takes a number"
    LC_ALL=zh_CN.GBK refused --n two
    expect_line err "tour: --n takes a number"
    LC_ALL=C refused nonsense --lang zh
    expect_line err "tour: 没有名为 'nonsense' 的章或步骤"
    refused --lang fr
    expect_line err "tour: --lang takes en or zh, not 'fr'"
    refused climb --lang
    expect_line err "tour: --lang takes a value"
    rm "$tools/awk"
    refused nonsense --lang zh
    expect_line err "tour: no chapter or step 'nonsense'"
}

test_version()
{
    make_machine
    cp "$checkout/CMakeLists.txt" "$repository"
    expect_code 0 tour --version
    grep -qx 'CUDA, step by step [0-9]*\.[0-9]*\.[0-9]*' "$folder/out" || fail "no version"
}

# A name that is nearly one: letters left out, put in, changed, swapped.
test_meant()
{
    make_machine
    ln -s "$(command -v awk)" "$tools/awk"
    for pair in clmb:climb climbs:climb clinb:climb cilmb:climb r10_fra:r10_far r4b_rihgt:r4b_right chekc:check; do
        refused "${pair%:*}"
        expect_line err "no chapter or step '${pair%:*}' (did you mean ${pair#*:}?); the chapters are: climb"
    done
    refused climb/r1_slo_
    expect_line err "no step 'climb/r1_slo_' (did you mean r1_slow?); climb has: r1_slow"
    for word in nonsense v '*' 'a\nb'; do
        refused "$word"
        expect_no_line err 'did you mean'
    done
}

refused()
{
    expect_code 2 tour "$@"
    expect_one_line err
    expect_empty out
    expect_nothing_built
    [ ! -s "$log" ] || fail "it touched the system before refusing"
}

test_arguments()
{
    make_machine
    for arguments in --nonsense --on '--on mars' --n '--n x' '--n -1' '--n 1073741825' '--n 1.5' \
        '--n 99999999999999999999' '--n 0x' '--n 0x4g' '--n 0x40000001' '--n -0x4' '--runs 0' '--runs 10001' '--timeout 0' '--json /nowhere/x' \
        '--json /' '--compare /nowhere/x' '--compare /' '--markdown=yes' '--foo=1' nonsense \
        climb/nonsense climb.nonsense other/r1 'diff r1' 'diff r1 r10 r4_plain' 'diff r4 r1' diff \
        'diff --markdown r1 r10' 'diff --html x r1 r10' 'diff --counters r1 r10' '--all r1' 'check --all r1' '--sample=4 r1' 'check --sample r1' '--on gpu --sample r1' check \
        '--html /' '--html /nowhere/x' 'check r1 --html x' 'test --html x' 'slides --json x' \
        'slides nonsense' 'slides --counters' 'check diff r1' \
        'check nonsense' 'check r1 --on gpu' 'check r1 --runs 3' 'check r1 --compare tour' 'test r77' 'test --n 5' 'test --on' '*' '-x'; do
        set -f
        # shellcheck disable=SC2086 # words
        refused $arguments
        set +f
    done
    refused --n ''
    refused --json ''
    # What somebody else wrote stays as it is.
    echo '__global__ void f() {}' >"$folder/f.cu"
    refused r1 --json "$folder/f.cu"
    expect_line err "f.cu is nothing that --json wrote"
    refused r1 --html "$folder/f.cu"
    refused r1 --json "$repository/tour"
    grep -q __global__ "$folder/f.cu" || fail "f.cu is lost"
    refused --on gpu --gpu h100
    refused --on gpu --devices 2
    expect_line err '--devices is of emulated GPUs'
    refused --devices 17
    refused --devices 0
    refused --gpu geforce-8800
    expect_line err 'no GPU '
    expect_line err 'a100 default geforce-8400m-gs geforce-8800-gt gtx-280 h100'
    refused ''
    refused nonsense
    expect_line err 'the chapters are: climb;'
    refused climb/nonsense
    expect_line err 'climb has: r1_slow r4a_left'
}

test_selection()
{
    make_full_machine
    make="--make=/a bin/ninja --jobs=$(nproc)"
    for pair in 'r1:climb/r1_slow' 'r1_slow:climb/r1_slow' 'climb/r1:climb/r1_slow' \
        'climb.r1_slow:climb/r1_slow' './climb/r1_slow.cu:climb/r1_slow' 'r10:climb/r10_far' \
        'r4:climb/r4a_left climb/r4b_right climb/r4_plain' 'r4a:climb/r4a_left' \
        'climb/:climb/r1_slow climb/r4a_left climb/r4b_right climb/r10_far climb/r4_plain'; do
        expect_code 0 tour "${pair%%:*}"
        expect_text_line "runner --build build/default --on emulator $make run ${pair#*:}"
    done
    FAKE_SAYS_COMMAND=1 expect_code 0 tour r1 --html 'my page.html'
    expect_line out 'for ./tour r1 --html my page.html'
    expect_code 0 tour diff r1 r10 --n 5
    expect_text_line "runner --build build/default --on emulator --n=5 diff climb/r1_slow climb/r10_far"
    expect_code 0 tour diff --all r1 r10
    expect_text_line "runner --build build/default --on emulator --all diff climb/r1_slow climb/r10_far"
    expect_code 0 tour check r4 r1 --n=7 --timeout 9 --json out.json --markdown
    expect_text_line "runner --build build/default --on emulator --n=7 --timeout=9 --json=$repository/out.json --markdown check climb/r4a_left climb/r4b_right climb/r4_plain climb/r1_slow"
    expect_code 0 tour --sample r1
    expect_text_line "runner --build build/default --on emulator $make --sample run climb/r1_slow"
    expect_code 0 tour r1 --n 0x1f --runs 0X3
    expect_text_line "runner --build build/default --on emulator $make --n=31 --runs=3 run climb/r1_slow"
    expect_code 0 tour --runs=3 --json out.json --markdown
    expect_text_line "runner --build build/default --on emulator $make --runs=3 --json=$repository/out.json --markdown run"
    : >"$repository/old * one.json"
    expect_code 0 tour --html out.html --compare "old * one.json" --counters --compare tour r1
    expect_text_line "runner --build build/default --on emulator $make --html=$repository/out.html --compare=$repository/old * one.json --counters --compare=$repository/tour run climb/r1_slow"
    expect_code 0 tour slides r1 --runs 3
    expect_text_line "runner --build build/default --on emulator $make --runs=3 slides climb/r1_slow"
}

expect_text_line()
{
    [ "$(cat "$folder/out")" = "$1" ] || fail "not '$1'"
}

# --- Set-up ------------------------------------------------------------------------------------

test_user_line()
{
    make_machine
    FAKE_UID=1000
    export FAKE_UID
    expect_code 1 tour
    expect_line err 'sudo apt-get update && sudo apt-get install -y --no-install-recommends g++ cmake ninja-build pkg-config libjansson-dev libzstd-dev liblz4-dev libcmocka-dev libgmp-dev libfftw3-dev python3-pip'
    expect_nothing_built
    expect_no_line log apt-get
    [ ! -e "$repository/.toolkit" ] || fail "it made .toolkit"
    cp "$spare/g++" "$spare/gcc" "$spare/cmake" "$spare/ninja" "$spare/nvcc" "$tools"
    expect_code 1 tour
    expect_line err 'recommends pkg-config libjansson-dev libzstd-dev liblz4-dev libcmocka-dev libgmp-dev libfftw3-dev'
    expect_no_line err python3
    rm "$tools/apt-get"
    expect_code 1 tour
    expect_line err 'please install what Debian calls: pkg-config'
    expect_one_line err
}

test_root_packages()
{
    make_machine
    FAKE_APT_STALE=1
    export FAKE_APT_STALE
    expect_code 0 tour
    expect_line err 'installing packages: g++ cmake'
    expect_log 'update'
    expect_log '--no-install-recommends'
    expect_line out 'runner'
    [ "$(ls -A "$repository/.toolkit")" = cuda-13.0 ] || fail "it left its temporary folder"
}

test_toolkit_fetched()
{
    make_machine
    expect_code 0 tour
    expect_log '--require-hashes'
    expect_log '--requirement cmake/toolkit/cuda-13.0.txt'
    root=$repository/.toolkit/cuda-13.0
    for file in bin/nvcc lib64/libcudart.so lib/libcudart.so.13; do
        [ -e "$root/$file" ] || fail "no $file in the toolkit"
    done
    expect_log "-DCMAKE_CUDA_COMPILER=$root/bin/nvcc"
    : >"$log"
    expect_code 0 tour
    expect_no_line log python3
    expect_no_line log configure
}

# Broken off in the middle: the next run starts afresh and trusts nothing.
test_toolkit_interrupted()
{
    make_machine
    cp "$spare"/* "$tools"
    rm "$tools/nvcc"
    (cd "$repository" && FAKE_PIP=hangs PATH=$tools exec env --default-signal=INT ./tour) \
        >"$folder/out" 2>"$folder/err" &
    script=$!
    tries=0
    while [ ! -e "$spare/hanging" ]; do
        tries=$((tries + 1))
        [ $tries -lt 200 ] || fail "pip was never called"
        sleep 0.05
    done
    kill -s INT $script
    code=0
    wait $script || code=$?
    [ $code -eq 130 ] || fail "exit status $code"
    [ ! -e "$repository/.toolkit" ] || fail "it left .toolkit"
    mkdir -p "$repository/.toolkit/tmp.999999999" # of a run that was killed outright
    expect_code 0 tour
    expect_line err 'fetching'
    [ "$(ls -A "$repository/.toolkit")" = cuda-13.0 ] || fail "more than the toolkit in .toolkit"
}

test_toolkit_broken()
{
    make_machine
    cp "$spare"/* "$tools"
    rm "$tools/nvcc"
    for FAKE_PIP in fails broken; do
        export FAKE_PIP
        expect_code 1 tour
        [ ! -e "$repository/.toolkit" ] || fail "it left .toolkit"
        expect_nothing_built
    done
    expect_code 1 env CUDA_HOME=/nowhere PATH="$tools" "$repository/tour"
    expect_one_line err
}

test_old_cmake()
{
    make_full_machine
    cp "$spare/python3" "$tools"
    for FAKE_CMAKE in 3.22.1 3.9.0 2.8.12; do
        export FAKE_CMAKE
        rm -rf "$repository/.toolkit"
        expect_code 0 tour
        expect_log '--requirement cmake/toolkit/cmake.txt'
    done
    rm -rf "$repository/.toolkit"
    FAKE_PIP=broken
    export FAKE_PIP
    expect_code 1 tour
    expect_line err 'does not run on this machine'
    [ ! -e "$repository/.toolkit" ] || fail "it left .toolkit"
    rm -rf "$repository/.toolkit"
    : >"$log"
    for FAKE_CMAKE in 3.24.0 3.31.10 4.0.1; do
        expect_code 0 tour
    done
    expect_no_line log python3
}

# With everything in place it asks nobody and says nothing.
test_offline()
{
    make_full_machine
    expect_code 0 tour
    : >"$log"
    expect_code 0 tour
    expect_no_line log configure
    [ ! -e "$repository/.toolkit" ] || fail "it made .toolkit"
    FAKE_CUDA=12.4
    export FAKE_CUDA
    expect_code 0 tour
    mv "$tools/nvcc" "$tools/nvcc-elsewhere"
    mkdir -p "$folder/cuda/bin"
    mv "$tools/nvcc-elsewhere" "$folder/cuda/bin/nvcc"
    : >"$log"
    (cd "$repository" && CUDA_HOME=$folder/cuda PATH=$tools ./tour) >"$folder/out"
    expect_log "configure --fresh"
    expect_log "-DCMAKE_CUDA_COMPILER=$folder/cuda/bin/nvcc"
}

# --- Build, run, test --------------------------------------------------------------------------

test_build_failure()
{
    make_full_machine
    FAKE_BUILD_FAILS=1
    export FAKE_BUILD_FAILS
    expect_code 1 tour
    expect_line err 'error: no'
    expect_line err 'build/default/tour.log'
    expect_empty out
    grep -q 'error: no' "$repository/build/default/tour.log" || fail "the log does not have it"
    # On a screen the first errors stay, as in ./tour watch v3.
    FAKE_ERROR=$(printf 'one is undefined\n%s\n' "$(seq -f 'x.c:%g: error: more' 2 40)")
    export FAKE_ERROR
    need_terminal
    ln -s "$(command -v stty)" "$tools/stty"
    on_terminal "stty cols 80 rows 24; PATH='$tools'; cd '$repository'; sh ./tour r1" && fail "it was built"
    tail -n 23 "$folder/out" | tr -d '\r' >"$folder/end"
    expect_line end 'x.c:1: error: one is undefined'
    expect_line end 'x.c:20: error: more'
    expect_line end 'tour: and 20 more errors'
    expect_line end 'tour: the build failed'
}

# The runner builds what comes later, and says by its code that it could not.
test_later_build_failure()
{
    make_full_machine
    FAKE_LATER_FAILS=1
    export FAKE_LATER_FAILS
    expect_code 1 tour
    expect_line out 'runner --build build/default'
    expect_line err 'y.cu:1: error: no'
    expect_line err 'tour: the build failed; all of its output is in build/default/tour.log'
    expect_log 'build --build build/default --parallel'
    expect_no_line log climb_
    # On a GPU a build beside the steps would disturb their times.
    unset FAKE_LATER_FAILS
    with_gpu
    expect_code 0 tour r1 r10
    expect_line out 'runner --build build/gpu --on gpu run'
    expect_log 'target tour emu climb_r1_slow climb_r10_far'
}

# A first ladder comes before the stand-ins of libraries; later ones are as new as the rest.
test_stand_ins()
{
    make_full_machine
    expect_code 0 tour r1
    [ "$(sed -n 's/.* --target //p' "$log" | tr '\n' ,)" = 'tour emu,stand_ins,' ] || fail "not behind it"
    mkdir "$repository/build/default/emulator"
    : >"$repository/build/default/emulator/stand_ins_built"
    : >"$log"
    expect_code 0 tour r1
    [ "$(sed -n 's/.* --target //p' "$log")" = 'tour emu stand_ins' ] || fail "not built along"
    # A program of one's own may call any of them.
    rm "$repository/build/default/emulator/stand_ins_built"
    : >"$folder/own.cu"
    expect_code 0 tour "$folder/own.cu"
    expect_log 'target practice emu tour stand_ins'
}

# What needs a library that the toolkit lacks is left out of a chapter and of all, and refused alone.
test_library_lacking()
{
    make_full_machine
    FAKE_LACKS=r4b
    export FAKE_LACKS
    expect_code 0 tour climb
    expect_line out 'run climb/r1_slow climb/r4a_left climb/r10_far climb/r4_plain'
    expect_code 2 tour r4b
    expect_line err 'tour: this toolkit lacks the library of climb/r4b_right'
    expect_code 2 tour diff r1 r4b
    expect_line err 'tour: this toolkit lacks the library of climb/r4b_right'
    with_gpu
    expect_code 0 tour
    expect_log 'target tour emu climb_r1_slow climb_r4a_left climb_r10_far climb_r4_plain'
    expect_code 0 tour r4
    expect_log 'target tour emu climb_r4a_left climb_r4_plain'
    # CMake has not yet seen a step that is there: it looks, without a build that counts apart.
    unset FAKE_LACKS
    : >"$log"
    expect_code 0 tour diff r1 r4b
    expect_line log '--target build.ninja'
    [ "$(grep -c '^build' "$log")" -eq 2 ] || fail 'builds in parts'
    expect_code 0 tour r4b
}

# In a pipe: that it builds, and from time to time how far it is.
test_build_progress()
{
    make_full_machine
    FAKE_BUILD_SAYS='[1/2], about 6 s left'
    export FAKE_BUILD_SAYS
    rm "$tools/sleep"
    printf '#!/bin/sh\nexec %s 0.01\n' "$(command -v sleep)" >"$tools/sleep"
    chmod +x "$tools/sleep"
    expect_code 0 tour r1
    head -n 2 "$folder/err" | tail -n 1 >"$folder/begin"
    expect_line begin 'tour: building in build/default [1/2]'
    expect_no_line begin left
    expect_line err 'tour: building in build/default [1/2], about 6 s left'
    # What CMake does is not counted.
    rm -r "$repository/build"
    unset FAKE_BUILD_SAYS
    FAKE_CONFIGURE_SAYS='5 s so far'
    export FAKE_CONFIGURE_SAYS
    expect_code 0 tour r1
    expect_line err 'tour: still at work in build/default, 5 s so far'
}

# wait_for FILE TEXT: until some line of it holds the text.
wait_for()
{
    tries=0
    until grep -qF -- "$2" "$1" 2>/dev/null; do
        tries=$((tries + 1))
        [ $tries -lt 200 ] || fail "'$2' never came"
        sleep 0.05
    done
}

# Two tours at once take turns, and one that is killed leaves no lock.
test_two_at_once()
{
    make_full_machine
    FAKE_BUILD_WAITS=1
    export FAKE_BUILD_WAITS
    (cd "$repository" && PATH=$tools exec ./tour r1) >"$folder/first" 2>&1 &
    first=$!
    wait_for "$log" build
    (cd "$repository" && PATH=$tools exec ./tour r10) >"$folder/out" 2>"$folder/err" &
    second=$!
    wait_for "$folder/err" 'tour: waiting for another tour'
    [ "$(grep -c ^build "$log")" -eq 1 ] || fail "it built while another tour did"
    kill -s KILL $first
    : >"$spare/go"
    wait $second || fail "the second tour ended with $?"
    expect_line out 'run climb/r10_far'
    [ "$(grep -c waiting "$folder/err")" -eq 1 ] || fail "not one line on waiting"
    expect_code 0 tour r1
    expect_no_line err waiting
    rm "$tools/flock"
    expect_code 0 tour r1
    expect_line out 'run climb/r1_slow'
}

# start_hanging TOOL ARGUMENT...: a tour that hangs in it, process `script`.
start_hanging()
{
    FAKE_HANG=$1
    export FAKE_HANG
    shift
    : >"$folder/pids"
    # A shell starts what runs in the background with SIGINT ignored: env undoes that.
    (cd "$repository" && PATH=$tools exec env --default-signal=INT ./tour "$@") >"$folder/out" \
        2>"$folder/err" &
    script=$!
    wait_for_lines "$folder/pids" 2
    unset FAKE_HANG
}

# A signal to the script alone ends it and what it has started, at every stage, and frees the lock.
test_signals()
{
    make_full_machine
    expect_code 0 tour # in place: the runner and the build
    cp "$spare/python3" "$tools"
    for stage in build runner ctest python3; do
        mode=r1
        if [ $stage = ctest ]; then
            mode='test'
        elif [ $stage = python3 ]; then
            rm "$tools/nvcc"
        fi
        for pair in INT:130 TERM:143 HUP:129 KILL:137; do
            start_hanging $stage $mode
            kill -s "${pair%:*}" $script
            code=0
            wait $script 2>"$folder/wait" || code=$?
            [ $code -eq "${pair#*:}" ] || fail "exit status $code after ${pair%:*} in $stage"
            expect_no_line err Terminated
            [ "$stage$code" = runner137 ] || expect_all_gone "$folder/pids"
            expect_code 0 env PATH="$tools" flock -n "$repository" sh -c :
            while read -r pid; do
                kill -s KILL "$pid" 2>/dev/null || : # the runner's stand-in does not watch us
            done <"$folder/pids"
        done
    done
}

# A step is built and run again on every save; then the run before is what it is compared with.
test_watch()
{
    make_full_machine
    expect_code 0 tour
    : >"$repository/climb/r1_slow.cu"
    env PATH="$tools" "$repository/tour" watch climb/r1_slow.cu >"$folder/out" 2>"$folder/err" </dev/null &
    script=$!
    for runs in 1 2; do
        wait_for_lines "$folder/out" $runs
        sleep 0.3
        [ "$(wc -l <"$folder/out")" -eq $runs ] || fail "it runs without a save"
        touch "$repository/climb/r1_slow.cu"
    done
    wait_for_lines "$folder/out" 3
    kill -s TERM $script
    code=0
    wait $script || code=$?
    [ $code -eq 143 ] || fail "exit status $code"
    expect_line err "tour: watching climb/r1_slow.cu: save it and see; Ctrl-C ends this"
    expect_line out "now run climb/r1_slow"
    [ ! -e "$repository/.toolkit" ] || fail "it left something behind"
}

# blocked FILE: what stands in the way of what the script writes is one line.
blocked()
{
    expect_code 1 tour
    expect_one_line err
    expect_line err "tour: cannot write $1"
    expect_empty out
}

test_cannot_write()
{
    make_full_machine
    : >"$repository/build"
    blocked build/default
    rm "$repository/build"
    mkdir -p "$repository/build/default/tour.log"
    blocked build/default
    rm -r "$repository/build"
    cp "$spare/python3" "$tools"
    rm "$tools/nvcc"
    : >"$repository/.toolkit"
    expect_code 1 tour
    expect_line err 'tour: cannot write .toolkit'
    expect_no_line err mkdir
}

# Where there is no room, one line says so.
test_full_disk()
{
    make_full_machine
    expect_code 0 tour
    head=$(command -v head)
    rm "$tools/head"
    FAKE_BUILD_FAILS=1
    export FAKE_BUILD_FAILS
    mkdir "$folder/small" # for the compiler's own files
    stand_in head <<END
case \$1:\$(readlink /proc/\$\$/fd/1) in -c:"$folder/small/"*) exit 1 ;; esac
exec $head "\$@"
END
    cp "$spare/head" "$tools"
    before=${TMPDIR-/tmp} TMPDIR=$folder/small FAKE_ERROR='No space left on device'
    export TMPDIR FAKE_ERROR
    expect_code 1 tour
    expect_line err "tour: the build failed: no space left on the disk of $folder/small"
    TMPDIR=$before
    stand_in head <<END
[ "\$1" != -c ] || { echo "head: error writing: No space left on device" >&2; exit 1; }
exec $head "\$@"
END
    cp "$spare/head" "$tools"
    expect_code 1 tour
    expect_one_line err
    expect_line err "tour: the build failed: no space left on the disk of build/default"
    cp "$spare/python3" "$tools"
    rm "$tools/nvcc"
    FAKE_PIP=fails
    export FAKE_PIP
    expect_code 1 tour
    expect_line err 'tour: cannot fill .toolkit: no space left on the disk of'
    expect_no_line err 'no network'
}

# A folder that nothing can be put into shows before anything is fetched or built for it.
test_package_nowhere()
{
    make_full_machine
    cp "$spare/python3" "$tools"
    : >"$folder/file"
    expect_code 1 tour package "$folder/file/x"
    expect_line err "tour: package: cannot write $folder/file/x: "
    if grep -e 'pip.* install' -e '^build' "$log" >"$folder/out"; then
        fail "it set to work first"
    fi
}

# Help and names that nobody can read are a failure.
test_cannot_print()
{
    make_full_machine
    cd "$repository"
    PATH=$tools
    for arguments in '--gpu list' --help test; do
        # shellcheck disable=SC2086 # words
        expect_code 1 unprinted $arguments
        expect_line out 'tour: cannot print'
        # shellcheck disable=SC2086 # words
        expect_code 1 unheard $arguments
        expect_line out 'tour: cannot print'
    done
    expect_code 0 alone r1
    expect_line out 'run climb/r1_slow'
}

unprinted()
{
    { ./tour "$@" >/dev/full; } 2>&1
}

unheard()
{
    { ./tour "$@" >&-; } 2>&1
}

alone()
{
    ./tour "$@" <&- 2>&-
}

# A build that is complete need not be written.
test_read_only()
{
    make_full_machine
    expect_code 0 tour
    rm "$repository/build/default/tour.log"
    mkdir "$repository/build/default/tour.log" # root may write whatever the mode is
    expect_code 0 tour r1
    expect_empty err
    expect_line out 'run climb/r1_slow'
    FAKE_TO_DO='[1/2] Building'
    export FAKE_TO_DO
    blocked build/default
    expect_line err '; and not all is built'
}

test_link()
{
    make_full_machine
    mkdir "$folder/bin"
    ln -s "$repository/tour" "$folder/bin/there"
    ln -s there "$folder/bin/tour"
    cd "$folder"
    expect_code 0 env PATH="$tools" bin/tour r1
    expect_line out 'run climb/r1_slow'
    expect_code 0 env PATH="$folder/bin:$tools" tour --gpu list
}

# In a folder that has been removed no file is put elsewhere.
test_removed_folder()
{
    make_full_machine
    mkdir "$folder/gone"
    cd "$folder/gone"
    rmdir "$folder/gone"
    PATH=$tools
    expect_code 2 "$repository/tour" --json out.json
    expect_line err 'tour: --json: cannot write'
}

# Control characters of arguments do not reach the terminal.
test_control_characters()
{
    make_machine
    escape=$(printf '\033')
    hostile=$(printf 'a\033[31m\nb\177')
    for option in "$hostile" "--$hostile" "--n=$hostile" "--json=/$hostile/x" "--compare=$hostile" \
        "--gpu=$hostile"; do
        refused "$option"
        expect_no_line err "$escape"
        expect_line err '\033[31m\nb\177'
    done
    refused --json '/nowhere/中文'
    expect_line err '/nowhere/中文'
}

# A tool that lacks memory is neither old nor absent.
test_memory_limit()
{
    make_full_machine
    cp "$spare/python3" "$tools"
    FAKE_CMAKE=dies
    export FAKE_CMAKE
    # shellcheck disable=SC3045 # a shell without it has skipped above
    (ulimit -v 4000000) 2>/dev/null || exit 77
    (
        # shellcheck disable=SC3045
        ulimit -v 4000000
        expect_code 1 tour
    )
    expect_one_line err
    expect_line err 'tour: cmake does not run, with memory limited to 4000000 KiB'
    [ ! -e "$repository/.toolkit" ] || fail "it fetched another"
    expect_code 0 tour
    expect_line err 'fetching'
}

# A TMPDIR that is none is not handed to the compilers.
test_tmpdir()
{
    make_full_machine
    for TMPDIR in "$folder/nowhere" "$folder/log"; do
        export TMPDIR
        expect_code 0 tour
        expect_line err "tour: TMPDIR: cannot write $TMPDIR"
    done
    TMPDIR="$folder/with a blank"
    mkdir "$TMPDIR"
    expect_code 0 tour
    expect_empty err
    rmdir "$TMPDIR" || fail "it left something in TMPDIR"
    TMPDIR=
    expect_code 0 tour
    expect_empty err
}

test_gpu_names()
{
    make_full_machine
    expect_code 0 tour --gpu list
    expect_line out 'geforce-8800-gt: GeForce 8800 GT (emulated)'
    expect_line out 'default: T4-class GPU (emulated)'
    expect_empty err
    expect_nothing_built
    expect_code 0 tour --gpu geforce-8800-gt
    expect_line out '--gpu=geforce-8800-gt'
    with_gpu
    expect_code 0 tour --gpu h100
    expect_line out '--on emulator --gpu=h100'
    expect_code 0 tour --devices 3
    expect_line out '--on emulator'
    expect_line out ' run with 3'
}

test_gpu_missing()
{
    make_full_machine
    expect_code 77 tour --on gpu
    expect_one_line err
    expect_code 1 tour test --on gpu
    expect_one_line err
    expect_nothing_built
    expect_code 0 tour --on auto
    expect_line out '--on emulator'
    with_gpu
    expect_code 0 tour
    expect_line out '--build build/gpu --on gpu'
    expect_log '-DGPU_ARCH=native'
    expect_code 0 tour --on emulator
    expect_line out '--build build/default --on emulator'
    expect_code 0 tour check r1
    expect_line out '--build build/default --on emulator check'
}

test_test_passes()
{
    make_full_machine
    FAKE_SKIPPED=4
    export FAKE_SKIPPED
    expect_code 0 tour test
    expect_line out '100% tests passed, 0 tests failed out of 5'
    expect_no_line out 'Start '
    expect_no_line out Passed
    expect_no_line out Skipped
    expect_log '-LE ^(gpu|more|docs)$'
    expect_log '--test-dir build/default'
    expect_code 0 tour test docs
    expect_log '--target all docs'
    expect_log '-L ^(docs)$'
    expect_code 0 tour test more
    expect_log '--target all more'
    expect_log '-L ^(more)$'
    expect_code 0 tour test docs more
    expect_log '--target all docs more'
    expect_log '-L ^(docs|more)$'
    expect_code 2 tour test docs --on gpu
    expect_one_line err
}

# Some tests alone, and the report for a CI that wants it.
test_test_some()
{
    make_full_machine
    expect_code 0 tour test climb r1_slow --junit "$folder/junit.xml"
    expect_log '-R ^(climb\.|climb\.r1_slow(\.|$)) '
    [ -s "$folder/junit.xml" ] || fail "no report"
    FAKE_CTEST_CODE=8
    export FAKE_CTEST_CODE
    expect_log '--target tour emu climb/all'
    rm "$folder/junit.xml"
    expect_code 1 tour test climb.r4 --junit "$folder/junit.xml"
    expect_log '-R ^(climb\.r4a_left(\.|$)|climb\.r4b_right(\.|$)|climb\.r4_plain(\.|$)) '
    [ -s "$folder/junit.xml" ] || fail "no report of what failed"
    FAKE_BUILD_FAILS=1
    export FAKE_BUILD_FAILS
    expect_code 1 tour test climb --junit "$folder/early.xml"
    grep -q 'ended early' "$folder/early.xml" || fail "no report of a run that ended early"
    for wrong in 'test nonsense' 'test --junit /nowhere/x' 'climb --junit x' \
        'climb --fail-slower 10%' 'climb --compare . --fail-slower 10%' 'climb --fail-slower many'; do
        # shellcheck disable=SC2086 # words
        expect_code 2 tour $wrong
        expect_one_line err
    done
}

# expect_practice OPTIONS ARGUMENT...: what the program behind puzzles and programs of one's own is asked.
expect_practice()
{
    options=$1
    shift
    line="<practice> <--checkout> <$repository> <--build> <$repository/build/default> <--from> <$repository> "
    for word in $options "$@"; do
        line="$line<$word> "
    done
    expect_text_line "$line"
}

# The classroom in a browser: its packages are asked for where they are missing, its options handed on,
# and CMake looks again where it was left out before.
test_serve()
{
    make_full_machine
    printf '#!/bin/sh\ncase $* in *libmicrohttpd*) exit 1 ;; esac\n' >"$tools/pkg-config"
    FAKE_UID=1000
    export FAKE_UID
    expect_code 1 tour serve
    expect_line err 'libmicrohttpd-dev'
    expect_no_line err libsqlite3-dev
    expect_code 0 tour climb/r1
    cp "$spare/pkg-config" "$tools"
    [ -f /usr/share/javascript/codemirror/lib/codemirror.js ] || return 0 # asks for it, and rightly
    : >"$log"
    rm "$repository/build/default/serve/serve"
    expect_code 0 tour serve --port 9000 --class 'my class'
    expect_line log "configure "
    expect_line out "<serve> <--checkout> <$repository> <--build> <$repository/build/default> <--from> <$repository> <--on> <emulator> <--port> <9000> <--class> <my class>"
    # A class that is none shows before the long build.
    : >"$log"
    FAKE_CLASS=2 expect_code 2 tour serve --class 'my class'
    expect_line log "try --checkout $repository --build $repository/build/default --from $repository --on emulator --class my class"
    expect_no_line log climb_
    : >"$log"
    expect_code 0 tour serve --set-up
    expect_no_line log "configure "
    expect_empty out
    with_gpu
    expect_code 0 tour serve
    expect_line out '<--on> <gpu>'
}

# A program of one's own, its options before and behind it, and its own arguments.
test_own_programs()
{
    make_full_machine
    : >"$repository/a program.cu"
    : >"$repository/b.cu"
    expect_code 0 tour "a program.cu"
    expect_practice '--on emulator' mine "a program.cu"
    for arguments in '--on emulator b.cu' 'b.cu --on=emulator' '--on=emulator ./b.cu'; do
        # shellcheck disable=SC2086 # words
        expect_code 0 tour $arguments
        expect_line out '<--on> <emulator> <mine> <'
    done
    expect_code 0 tour --gpu h100 "a program.cu" --check=leak -- --on 'two words' check --
    expect_practice '--on emulator --gpu h100 --check leak' mine "a program.cu" -- --on 'two words' check --
    expect_code 0 tour b.cu --timeout 9
    expect_practice '--on emulator --timeout=9' mine b.cu
    expect_code 0 tour watch --gpu h100 b.cu
    expect_practice '--on emulator --gpu h100' watch b.cu
    expect_code 0 tour --timeout 9 check "a program.cu" b.cu --json out.json --markdown
    expect_practice '--on emulator' check --timeout=9 "--json=$repository/out.json" --markdown \
        "a program.cu" b.cu
    expect_code 0 tour diff --all b.cu "a program.cu" -- 5
    expect_practice '--on emulator' diff --all b.cu "a program.cu" -- 5
    expect_code 0 tour b.cu --json "$folder/a.json" --html="$folder/a.html"
    expect_practice "--on emulator --json=$folder/a.json --html=$folder/a.html" mine b.cu
    # Arguments that are not behind --.
    for words in 'b.cu 100' 'b.cu 100 --timeout 5' 'diff b.cu b.cu 100' 'b.cu --size'; do
        # shellcheck disable=SC2086 # words
        expect_code 2 tour $words
        expect_one_line err
        expect_line err "; what the program itself takes goes behind --, as in ./tour FILE.cu -- "
    done
    # A folder is one program, unless it is a chapter.
    mkdir "$repository/a folder"
    expect_code 2 tour "a folder/"
    : >"$repository/a folder/c.cu"
    expect_code 0 tour "a folder/"
    expect_practice '--on emulator' mine "a folder/"
    # Names that are nearly theirs.
    : >"$repository/hello.c"
    for pair in "a folder: in that folder write a folder/" "b: in that file write b.cu" \
        "a folder/c: in that file write a folder/c.cu" "hello.c: programs with kernels are: name it hello.cu"; do
        for mode in '' check diff; do
            # shellcheck disable=SC2086 # none or one
            expect_code 2 tour $mode "${pair%%:*}"
            expect_one_line err
            expect_line err "tour: '${pair%%:*}' is no "
            expect_line err "${pair#*: }"
        done
    done
    rm -r "$repository/a folder"
    for arguments in 'diff b.cu' 'diff b.cu r1' 'b.cu b.cu' 'b.cu r1' 'b.cu --n 5' 'check b.cu --html x' 'check b.cu --on gpu' \
        'b.cu --counters' 'check r1 --counters' 'test docs r1' 'test docs --on gpu' 'b.cu --check Leak' 'b.cu --check race,foo' 'b.cu --check leak,' 'b.cu --json -' 'b.cu --html a.htm' 'b.cu --html=page' 'r1 --check leak' 'r1 -- 5' '-- b.cu' 'slides b.cu' 'test b.cu' \
        'absent.cu' '--on emulator absent.cu' 'watch absent.cu' 'watch climb' 'watch r1 r4' 'watch nonsense' 'b.cu --gpu h1000'; do
        # shellcheck disable=SC2086 # words
        expect_code 2 tour $arguments
        expect_one_line err
    done
    stand_in nvidia-smi <<'END'
[ "$1" != -L ] || { echo "GPU 0: Fake"; exit; }
echo 9.0
END
    cp "$spare/nvidia-smi" "$tools"
    expect_code 0 tour b.cu
    expect_practice '--on gpu --card 90' mine b.cu
    expect_code 0 tour b.cu --on emulator
    expect_practice '--on emulator' mine b.cu
}

# A file that nobody added, and a step made from another.
test_new_step()
{
    make_full_machine
    for tool in awk tr; do
        ln -sf "$(command -v $tool)" "$tools/$tool"
    done
    cp -R "$checkout/sumsq" "$checkout/sgemm" "$repository"
    mkdir "$repository/tools"
    cp "$checkout/tools/new" "$repository/tools"
    : >"$repository/sumsq/v77_mine.cu"
    expect_code 2 tour sumsq/v77_mine.cu
    expect_line err 'sumsq/CMakeLists.txt needs the line add_step(sumsq v77_mine "what changes")'
    rm "$repository/sumsq/v77_mine.cu"
    cp "$repository/sumsq/CMakeLists.txt" "$folder/list"
    expect_code 0 tour new sumsq v77_mine --after v3
    expect_line out 'sumsq/v77_mine.cu: a copy of v3_coalesced.cu'
    diff "$folder/list" "$repository/sumsq/CMakeLists.txt" >"$folder/added" || :
    [ "$(grep -c '^[<>]' "$folder/added")" -eq 1 ] || fail "not one line: $(cat "$folder/added")"
    grep -q '^> add_step(sumsq v77_mine "what changes")$' "$folder/added" || fail "$(cat "$folder/added")"
    head -n 1 "$repository/sumsq/v77_mine.cu" | grep -q '^/\* v77: what changes.$' || fail "its head"
    diff "$repository/sumsq/v3_coalesced.cu" "$repository/sumsq/v77_mine.cu" >"$folder/changed" || :
    [ "$(grep -c '^[<>]' "$folder/changed")" -eq 2 ] || fail "more than its head changed"
    expect_code 0 tour new sgemm s77_mine --after s12
    grep -q '^add_step(sgemm s77_mine "what changes" MINIMUM 90)$' "$repository/sgemm/CMakeLists.txt" ||
        fail "what s12 needs was lost"
    for wrong in 'new' 'new sumsq v78_x' 'new sumsq v77_x --after v3' 'new sumsq v3_mine --after v3' \
        'new sumsq 9 --after v3' 'new sumsq V9 --after v3' 'new sumsq v78_x --after v7' \
        'new sumsq v78_x --after v99' 'new ../x v78_x --after v3' 'new docs v78_x --after v3' \
        'new sumsq v78_x --before v3'; do
        # shellcheck disable=SC2086 # words
        expect_code 2 tour $wrong
        expect_one_line err
    done
}

test_test_fails()
{
    make_full_machine
    FAKE_CTEST_CODE=8
    export FAKE_CTEST_CODE
    expect_code 1 tour test
    expect_line out 'climb.r1_slow .................***Failed'
    expect_line out 'what it said'
    expect_line out '80% tests passed, 1 tests failed out of 5'
    expect_no_line out r10_far
    [ ! -e "$repository/build/default/tests.xml.failed" ] || fail "it left a file"
}

test_test_all_skipped()
{
    make_full_machine
    FAKE_SKIPPED=5
    export FAKE_SKIPPED
    expect_code 1 tour test
    expect_line err 'all of the 5 tests were skipped'
    FAKE_SKIPPED=3 FAKE_DISABLED=2
    export FAKE_DISABLED
    expect_code 1 tour test
    FAKE_TESTS=0 FAKE_SKIPPED=0 FAKE_DISABLED=0
    export FAKE_TESTS
    expect_code 1 tour test
}

test_test_none()
{
    make_full_machine
    FAKE_TESTS=none
    export FAKE_TESTS
    expect_code 1 tour test
    expect_line err 'ctest ran no test'
}

test_gpu_tests()
{
    make_full_machine
    with_gpu
    expect_code 0 tour test --on gpu
    expect_log '-L ^(gpu)$'
    expect_log '--test-dir build/gpu'
    FAKE_SKIPPED=1
    export FAKE_SKIPPED
    expect_code 1 tour test --on gpu
    expect_line err '1 of the 5 tests did not run on the GPU'
    expect_code 0 tour test
}

test_shellcheck()
{
    if ! command -v shellcheck >/dev/null; then
        exit 77
    fi
    shellcheck -x "$checkout/tour" "$checkout/.ci/run" script.sh runner.sh lecture.sh \
        fixture/emulator/emu checked/emulator/emu checked/course.sh
}

"test_$2"
