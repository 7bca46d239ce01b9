#!/bin/sh
# SPDX-License-Identifier: MIT
# The classroom as people use it, in a browser, and as they should not: serve.sh DRIVER BUILD CHECKOUT
# CASE. Each case has a server of its own, with an empty folder.
set -eu

driver=$1 build=$2 checkout=$3 wanted=$4
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
chmod 711 "$folder"
server=''
clean_up()
{
    [ -z "$server" ] || kill -s KILL "$server" 2>/dev/null || :
    rm -rf "$folder"
}
trap clean_up EXIT
trap 'exit 1' HUP INT TERM

fail()
{
    echo "$*" >&2
    cut -c 1-400 "$folder/log" >&2 2>/dev/null
    exit 1
}

chromium=''
# shellcheck source-path=SCRIPTDIR source=../browser/lib.sh
. "$here/../browser/lib.sh"

# start [OPTION ...]: a server for a class of two and their instructor; sets `address`.
start()
{
    printf 'instructor: chalk-and-board\n张三: code-of-zhang\nbob: code-of-bob\n' >"$folder/class"
    start_by "$build/serve/serve" --checkout "$checkout" --build "$build" --port "${port:-0}" "$@"
}

start_by()
{
    : >"$folder/out" # where the one before said its address
    SERVE_TEST=$folder LC_ALL=C.UTF-8 "$@" >"$folder/out" 2>"$folder/log" &
    server=$!
    for _ in $(seq 75); do
        address=$(sed -n 's|^open \(http://[^/]*\)/ .*|\1|p' "$folder/out" 2>/dev/null || :)
        [ -z "$address" ] || break
        sleep 0.2
    done
    [ -n "$address" ] || fail 'the server does not start'
    port=${address##*:}
}

# Ends it; within a second, and with exit code 0.
stop()
{
    begin=$(date +%s%N)
    kill "$server"
    code=0
    wait "$server" || code=$?
    server=''
    [ $code -eq 0 ] || fail "the server ended with $code"
    [ $(($(date +%s%N) - begin)) -lt 1000000000 ] || fail 'it took more than a second to end'
}

# Is there a process that the server has started?
children()
{
    for process in /proc/[0-9]*; do
        if grep -qxE 'worker|program|emu|nvcc|cicc|ptxas' "$process/comm" &&
            grep -qa "SERVE_TEST=$folder" "$process/environ"; then
            return 0
        fi
    done 2>/dev/null
    return 1
}

# wait_for EXPRESSION: JavaScript for `eval` that waits until it holds, and says so.
wait_for()
{
    printf '(async () => {
        for (let i = 0; i < 600; i++) {
            if (%s) return "yes";
            await new Promise(later => setTimeout(later, 50));
        }
        throw new Error(document.body.innerText);
    })()' "$1"
}

shown()
{
    wait_for "document.querySelector('$1')"
}

# The text of the editor becomes what is in FILE.
type_in()
{
    printf 'document.querySelector(".CodeMirror").CodeMirror.setValue(%s), "typed"' \
        "$(perl -MJSON::PP -e 'local $/; open my $in, "<", shift; print JSON::PP->new->allow_nonref->encode(<$in>)' "$1")"
}

# enter NAME CODE: signs in.
enter()
{
    printf '(async () => {
        const [name, code] = document.querySelectorAll("form input");
        name.value = "%s"; code.value = "%s";
        document.querySelector("form button").click();
        for (let i = 0; i < 200 && !document.querySelector("#who span"); i++)
            await new Promise(later => setTimeout(later, 50));
        return document.querySelector("#who span").textContent;
    })()' "$1" "$2"
}

# One browser for all pages of a case that has many, in turns.
share_browser()
{
    "$driver" serve "$chromium" "$folder/socket"
    export BROWSE_SOCKET="$folder/socket"
}

press='document.querySelector("#run").click(), "pressed"'
verdict='document.querySelector("#verdict").textContent'

# --- In a browser -------------------------------------------------------------------------------

# A newcomer's way from the first page to a passed puzzle 1.
case_newcomer()
{
    class
    browse "$address/" eval "$(shown 'main a[href="/sign-in"]')" \
        go "$address/sign-in" eval "$(shown 'form input')" eval "$(enter bob code-of-bob)" \
        eval "$(shown 'main a[href^="/puzzle/01"]')" \
        eval 'document.querySelector("main a[href^=\"/puzzle/01\"]").click(), "on"' \
        eval "$(shown '.CodeMirror')" eval "$press" eval "$(shown '#verdict')" eval "$verdict" \
        eval "$(type_in "$checkout/puzzles/01_every_element/solution.cu")" eval "$press" \
        eval "$(shown '#next')" eval "$verdict"
    said yes yes bob yes on yes pressed yes 'wrong result' typed pressed yes passed
    browse "$address/sign-in" eval "$(shown 'form input')" eval "$(enter instructor chalk-and-board)" \
        go "$address/class" eval "$(shown 'td.good')" \
        eval '[...document.querySelectorAll("tbody tr")].map(row => row.innerText.trim().split(/\s+/).slice(0, 3).join(" ")).join("; ")'
    said yes instructor yes '张三 0; bob 1 ✓'
    [ -f "$folder/class.work/bob/01_every_element.cu" ] || fail 'nothing to grade'
    stop
    # What was handed in is what ./tour grade takes.
    "$build/tools/practice/practice" --checkout "$checkout" --build "$build" \
        grade "$folder/class.work/bob" --json >"$folder/graded" 2>/dev/null
    grep -q '"passed":1,' "$folder/graded" || fail 'graded otherwise'
}

class()
{
    need_sandbox
    find_chromium
    start --class "$folder/class"
}

need_sandbox()
{
    "$build/serve/worker" --sandbox || {
        echo 'no user namespaces here: skipped'
        exit 77
    }
}

# The own machine: nobody asks for a code.
alone()
{
    find_chromium
    start --keep "$folder/my"
}

# An edit of a step that races is found, at its line; and work survives a reload.
case_race()
{
    need_sandbox
    class
    sed 's/    __syncthreads();//' "$checkout/sumsq/v6_tree.cu" >"$folder/racy.cu"
    browse "$address/sign-in" eval "$(shown 'form input')" eval "$(enter bob code-of-bob)" \
        go "$address/step/sumsq/v6_tree?n=5000&gpu=h200&check=1" eval "$(shown '#change')" \
        eval 'document.querySelector("#change").click(), "change"' eval "$(shown '.CodeMirror')" \
        eval "$(type_in "$folder/racy.cu")" eval "$press" eval "$(shown '#result h2')" \
        eval 'document.querySelector("#result").innerText.includes("race:")' \
        eval 'document.querySelectorAll(".message").length > 0' \
        eval 'location.search' \
        go "$address/step/sumsq/v6_tree?n=5000" eval "$(shown '#change')" \
        eval 'document.querySelector("#change").click(), "change"' eval "$(shown '.CodeMirror')" \
        eval 'document.querySelector(".CodeMirror").CodeMirror.getValue().includes("__syncthreads();")'
    said yes bob yes change yes typed pressed yes true true '?n=5000&gpu=h200&check=1' yes change yes false
    stop
}

# What was typed, and not yet saved by anybody, survives a reload.
case_reload()
{
    class
    browse "$address/sign-in" eval "$(shown 'form input')" eval "$(enter bob code-of-bob)" \
        go "$address/puzzle/03_mirror" eval "$(shown '.CodeMirror')" \
        eval "$(type_in "$checkout/puzzles/03_mirror/solution.cu")" \
        eval 'new Promise(later => setTimeout(() => later("later"), 2500))' \
        go "$address/puzzle/03_mirror" eval "$(shown '.CodeMirror')" \
        eval "$press" eval "$(shown '#verdict')" eval "$verdict"
    said yes bob yes typed later yes pressed yes passed
    stop
}

# A kernel that does not end is cancelled, and so is all that it started.
case_cancel()
{
    need_sandbox
    class
    browse "$address/sign-in" eval "$(shown 'form input')" eval "$(enter bob code-of-bob)" \
        go "$address/program" eval "$(shown 'form input')" \
        eval 'document.querySelector("form button").click(), "new"' eval "$(shown '.CodeMirror')" \
        eval "$(type_in "$here/programs/endless.cu")" eval "$press" \
        eval "$(wait_for 'document.querySelector("#result").innerText.includes("blocks")')" \
        eval 'document.querySelector("#result button").click(), "cancel"' eval "$(shown '#cancelled')"
    said yes bob yes new yes typed pressed yes cancel yes
    children && fail 'the program goes on'
    stop
}

# Two students at once, each in a browser of their own: neither sees the other's work.
case_two()
{
    class
    for name in 张三:code-of-zhang bob:code-of-bob; do
        solution=$checkout/puzzles/01_every_element/solution.cu
        [ "$name" != bob:code-of-bob ] || solution=$checkout/puzzles/01_every_element/puzzle.cu
        "$driver" "$chromium" "$address/sign-in" eval "$(shown 'form input')" \
            eval "$(enter "${name%:*}" "${name#*:}")" \
            go "$address/puzzle/01_every_element" eval "$(shown '.CodeMirror')" \
            eval "$(type_in "$solution")" eval "$press" eval "$(shown '#verdict')" eval "$verdict" \
            go "$address/puzzle" eval "$(shown 'li a')" \
            eval 'document.querySelector("li span")?.textContent || "none"' \
            >"$folder/${name%:*}.said" 2>&1 &
        eval "pid_$(echo "$name" | sed 's/.*-//')=$!"
    done
    # shellcheck disable=SC2154 # set above
    wait "$pid_zhang" "$pid_bob"
    grep -qx passed "$folder/张三.said" || fail "$(cat "$folder/张三.said")"
    grep -qx 'wrong result' "$folder/bob.said" || fail "$(cat "$folder/bob.said")"
    grep -qx 'tried 1 ×' "$folder/bob.said" || fail "$(cat "$folder/bob.said")"
    stop
}

# On the own machine: what the page shows is what lies in the folder.
case_alone()
{
    alone
    browse "$address/puzzle/02_more_than_threads" eval "$(shown '.CodeMirror')" \
        eval "$(type_in "$checkout/puzzles/02_more_than_threads/solution.cu")" \
        eval "$press" eval "$(shown '#next')" eval "$verdict" \
        go "$address/step/sumsq/v3_coalesced?n=1000" eval "$(shown '#run')" eval "$press" \
        eval "$(shown '#result meter')" eval 'document.querySelector("#result .good").textContent' \
        go "$address/ladder/start" eval "$(shown '#run')" eval "$press" eval "$(shown '#result iframe')"
    said yes typed pressed yes passed yes pressed yes 'matches the CPU: 26689' yes pressed yes
    cmp "$folder/my/02_more_than_threads.cu" "$checkout/puzzles/02_more_than_threads/solution.cu" ||
        fail 'something else is kept'
    stop
}

# The GPU of this machine, for which the emulator's runtime stands: a step runs there as it is, without
# counters; changed code does not.
case_own_gpu()
{
    find_chromium
    LD_LIBRARY_PATH=$build/emulator start --keep "$folder/my" --on gpu
    printf '__global__ void k() {}\n' >"$folder/changed.cu"
    browse "$address/step/sumsq/v3_coalesced?n=1000&gpu=own" eval "$(shown '#run')" eval "$press" \
        eval "$(shown '#result .good')" eval 'document.querySelector("#result .good").textContent' \
        eval 'document.querySelector("#result table") === null' eval 'location.search' \
        eval 'document.querySelector("#change").click(), "change"' eval "$(shown '.CodeMirror')" \
        eval "$(type_in "$folder/changed.cu")" eval "$press" eval "$(shown '#result .bad')" \
        eval 'document.querySelector("#result .bad").textContent' \
        go "$address/program/mine.cu" eval "$(shown 'select')" eval 'document.querySelector("[value=own]") === null'
    said yes pressed yes 'matches the CPU: 26689' true '?n=1000&gpu=own' change yes typed pressed yes \
        "This machine's own GPU runs steps as they are. Choose an emulated one for what you have changed." yes true
    stop
}

# A text of a program that is HTML is shown as it is, where nvcc speaks of it and where the program does.
case_script()
{
    need_sandbox
    class
    html='<img src=x onerror=window.harmed=1><script>window.harmed=1</script>'
    printf '#error %s\nint main() {}\n' "$html" >"$folder/error.cu"
    printf '#include <cstdio>\nint main() { puts("%s"); }\n' "$html" >"$folder/prints.cu"
    browse "$address/sign-in" eval "$(shown 'form input')" eval "$(enter bob code-of-bob)" \
        go "$address/program/mine.cu" eval "$(shown '.CodeMirror')" eval "$(type_in "$folder/error.cu")" eval "$press" \
        eval "$(wait_for 'document.querySelector("#result").innerText.includes("<script>")')" \
        eval "$(type_in "$folder/prints.cu")" eval "$press" \
        eval "$(wait_for 'document.querySelector("#result h2 ~ pre")?.innerText.includes("<script>")')" \
        eval 'document.querySelectorAll("main img, main script").length' eval 'typeof window.harmed'
    said yes bob yes typed pressed yes typed pressed yes 0 undefined
    stop
}

# Both languages: no word of the other one in what the page itself says.
case_languages()
{
    alone
    share_browser
    for path in / /puzzle /program /puzzle/01_every_element; do
        browse "$address$path" language zh-CN eval "$(wait_for 'document.querySelector("#main").dataset.shown')" \
            eval 'document.documentElement.lang' \
            eval '[...document.querySelectorAll("header a, button, label, h1, h2")].map(one => one.textContent.trim())
                .filter(text => text && !/[\u4e00-\u9fff]/.test(text) && !/^(GPU|n|English)$/.test(text)).join("|")' \
            eval 'document.querySelector("#language").click(), "en"' \
            eval "$(wait_for 'document.querySelector("#main").dataset.language === "en"')" \
            eval '[...document.querySelectorAll("header a, button, label, h1, h2")].map(one => one.textContent.trim())
                .filter(text => /[\u4e00-\u9fff]/.test(text) && text !== "中文").join("|")'
        said yes zh-CN '' en yes ''
        browse "$address$path?lang=zh" until 'document.querySelector("#main")?.dataset.shown' eval 'document.documentElement.lang'
        said zh-CN
    done
    stop
}

# Nothing lies beyond the edge, on a telephone and on a desk, light and dark; and text stands out from
# what is behind it (WCAG AA): on each page, and with what a run leaves there.
case_looks()
{
    alone
    share_browser
    for path in / /step/sumsq/v3_coalesced /ladder/sumsq /puzzle /puzzle/01_every_element /program /program/mine.cu \
        /read/docs/sumsq.md /read/docs/zh/fft.md; do
        looks_well "$path"
    done
    looks_well '/step/sumsq/v3_coalesced?n=1000' until "$click" until 'document.querySelector("#result table")'
    looks_well /puzzle/13_wait_for_it until "$click" until 'document.querySelector("#verdict")' \
        until 'document.querySelector(".message")'
    looks_well /ladder/start until "$click" until 'document.querySelector("iframe")'
    stop
    address=''
    start --class "$folder/class"
    looks_well /sign-in
    perl "$here/attacks.pl" "$port" passed "$checkout/puzzles/01_every_element/solution.cu" || fail 'not passed'
    looks_well /sign-in until "$(enter instructor chalk-and-board)" \
        until 'document.querySelector("#nav [href=\"/class\"]")' \
        until '(document.querySelector("#nav [href=\"/class\"]").click(), true)' until 'document.querySelector("td.good")'
    stop
}

click='(document.querySelector("#run").click(), true)'

# looks_well PATH COMMAND ...: the page there does, once the commands are done; the whole of it, too.
looks_well()
{
    page=$1
    shift
    browse "$address$page" until 'document.querySelector("#main")?.dataset.shown' \
        until '!document.querySelector("#change, #run") || location.pathname.startsWith("/ladder") || document.querySelector(".cm-s-default")' \
        "$@" eval "$text_is_there" \
        size 390x844 media dark eval "$fits" eval "$overlaps" eval "$contrast" media light eval "$contrast" \
        size 1280x900 eval "$fits" eval "$overlaps" eval "$contrast" media dark eval "$contrast"
    said true true '' '' '' true '' '' ''
}

text_is_there='document.body.innerText.length > 40'
fits='document.documentElement.scrollWidth <= innerWidth'

# Buttons, fields and links that lie upon each other.
overlaps='(() => {
    const boxes = [...document.querySelectorAll("header a, header button, main button, main input, main select")]
        .filter(one => one.getClientRects().length && !one.closest(".CodeMirror"))
        .map(one => [one, one.getBoundingClientRect()]), found = [];
    for (const [a, p] of boxes)
        for (const [b, q] of boxes)
            if (a !== b && !a.contains(b) && !b.contains(a) && p.left < q.right - 1 && q.left < p.right - 1 &&
                p.top < q.bottom - 1 && q.top < p.bottom - 1)
                found.push(a.outerHTML + b.outerHTML);
    return found.join("\n");
})()'

# shellcheck disable=SC2016 # JavaScript
contrast='(() => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const rgba = colour => {
        canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
        return canvas.getImageData(0, 0, 1, 1).data;
    };
    const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
    const behind = element => {
        const line = element.closest(".CodeMirror-line")?.parentElement.querySelector(".CodeMirror-linebackground");
        for (let at = line || element; at; at = at.parentElement) {
            const colour = rgba(getComputedStyle(at).backgroundColor);
            if (colour[3] > 250) return colour;
        }
        return [255, 255, 255];
    };
    const found = new Set();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const element = walker.currentNode.parentElement, style = getComputedStyle(element);
        if (!walker.currentNode.data.trim() || !element.getClientRects().length || style.visibility === "hidden" ||
            element.closest(".skip, .CodeMirror-measure, noscript, option")) continue;
        const [a, b] = [light(rgba(style.color)), light(behind(element))].sort((x, y) => y - x);
        if ((a + 0.05) / (b + 0.05) < 4.5)
            found.add(`${element.tagName}.${element.className}: ${walker.currentNode.data.trim().slice(0, 30)}`);
    }
    return [...found].join("\n");
})()'

# at SELECTOR: JavaScript that says whether the keyboard is there.
at()
{
    printf 'document.activeElement.matches(%s)' "'$1'"
}

# A newcomer without a mouse: from the first page to a passed puzzle 1, and to the next.
case_keyboard_way()
{
    class
    down()
    {
        for _ in $(seq "$1"); do
            printf 'key ArrowDown '
        done
    }
    lines=$(sed -n '/prediction: ?/=;/Your code/=' "$checkout/puzzles/01_every_element/puzzle.cu")
    first=${lines%%[!0-9]*}
    # shellcheck disable=SC2086 # words
    browse "$address/" eval "$(shown 'main a[href="/sign-in"]')" tab "$(at '[href="/sign-in"]')" key Enter \
        eval "$(shown 'form input')" tab "$(at '[name=name]')" type bob key Tab type code-of-bob key Enter \
        eval "$(shown '#who span')" eval "$(shown 'main a[href^="/puzzle/01"]')" \
        tab "$(at '[href^="/puzzle/01"]')" key Enter eval "$(shown '.CodeMirror')" \
        tab "$(at '.CodeMirror textarea')" $(down $((first - 1))) \
        key End key Backspace type 32 $(down $((${lines##*[!0-9]} - first))) key End key Enter \
        type 'int i = blockIdx.x * blockDim.x + threadIdx.x;' key Enter type 'if (i < n) out[i] = 3 * in[i] + 1;' \
        key Tab eval "$(at '#run')" key Enter eval "$(shown '#verdict')" eval "$verdict" \
        tab "$(at '#next')" key Enter eval "$(wait_for 'document.querySelector("#main").dataset.shown.startsWith("/puzzle/02")')"
    said yes yes yes yes yes true yes passed yes
    stop
}

# The keyboard alone: from the top of a puzzle through the editor to the button, and its verdict.
case_keyboard()
{
    alone
    browse "$address/puzzle/01_every_element" size 1280x900 eval "$(shown '.CodeMirror')" \
        eval '(document.querySelector(".CodeMirror textarea").focus(), document.activeElement.tagName)' \
        key Tab eval 'document.activeElement.id' key Enter eval "$(shown '#verdict')" eval "$verdict" \
        eval '[...document.querySelectorAll("a[href], button, input, select")].every(one => one.tabIndex >= 0)' \
        go "$address/step/sumsq/v2_threads" eval "$(shown 'a[rel=next]')" key ArrowRight \
        eval "$(wait_for 'document.querySelector("#main").dataset.shown === "/step/sumsq/v3_coalesced"')" \
        key ArrowLeft \
        eval "$(wait_for 'document.querySelector("#main").dataset.shown === "/step/sumsq/v2_threads"')"
    said yes TEXTAREA run yes 'wrong result' true yes yes yes
    stop
}

# --- Without one --------------------------------------------------------------------------------

# What strangers may try: attacks.pl has it.
case_attacks()
{
    ulimit -n "$(ulimit -H -n)"
    start --class "$folder/class"
    perl "$here/attacks.pl" "$port" "$folder/log" "$folder/class.work" || fail 'an attack'
    stop
}

# Ends it outright; all that it started ends within a second.
kill_outright()
{
    kill -s KILL "$server"
    wait "$server" 2>/dev/null || :
    server=''
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        children || return 0
        sleep 0.1
    done
    fail "a child is left$1"
}

# Killed outright at any moment: what was saved is there, and no child is left.
case_killed()
{
    need_sandbox
    for moment in 0.03 0.6 2.5; do # as a worker starts, as nvcc compiles, as the program runs
        start --class "$folder/class"
        perl "$here/attacks.pl" "$port" save "$here/programs/endless.cu" $moment || fail 'cannot save'
        kill_outright " after $moment s"
        start --class "$folder/class"
        perl "$here/attacks.pl" "$port" saved || fail "something is lost after $moment s"
        stop
    done
    for moment in 0.2 0.24 0.3; do # in the midst of one save after the other
        start --class "$folder/class"
        : >"$folder/answered"
        perl "$here/attacks.pl" "$port" write "$folder/answered" &
        writer=$!
        while [ ! -s "$folder/answered" ]; do
            sleep 0.01
        done
        sleep $moment
        kill_outright ''
        wait $writer || :
        start --class "$folder/class"
        perl "$here/attacks.pl" "$port" written "$folder/answered" || fail "something is lost after $moment s"
        stop
    done
    # Asked to end while it works, it does so within a second, too.
    start --class "$folder/class"
    perl "$here/attacks.pl" "$port" save "$here/programs/endless.cu" 2 || fail 'cannot save'
    children || fail 'nothing runs'
    stop
    children && fail 'a child is left'
    return 0
}

# The unit of systemd starts the server by its own words, and systemd finds nothing wrong with it.
case_unit()
{
    sed "s|/opt/cuda-step-by-step/build/default|$build|g; s|/opt/cuda-step-by-step|$checkout|g" \
        "$checkout/package/classroom.service" >"$folder/classroom.service"
    start --class "$folder/class" # writes a class
    stop
    mkdir "$folder/credentials"
    mv "$folder/class" "$folder/credentials/class.txt"
    export CREDENTIALS_DIRECTORY="$folder/credentials" STATE_DIRECTORY="$folder/state"
    port=0 address=
    eval "start_by $(sed -n '/^ExecStart=/,/[^\\]$/{s/^ExecStart=//;s/\\$//;p;}' "$folder/classroom.service" | tr '\n' ' ') --port 0"
    [ -f "$folder/state/serve.db" ] || fail 'it keeps its data elsewhere'
    stop
    command -v systemd-analyze >/dev/null || {
        echo 'no systemd-analyze here: skipped'
        exit 77
    }
    systemd-analyze verify "$folder/classroom.service" >"$folder/log" 2>&1 || fail 'the unit is not in order'
    [ ! -s "$folder/log" ] || fail 'the unit is not in order'
}

# What the command line refuses.
case_usage()
{
    refused()
    {
        code=0
        "$build/serve/serve" --checkout "$checkout" --build "$build" "$@" >"$folder/out" 2>"$folder/log" ||
            code=$?
        [ $code -eq 2 ] || fail "exit code $code: $*"
        [ "$(wc -l <"$folder/log")" -eq 1 ] || fail "not one line: $*"
    }
    refused --bind 0.0.0.0
    refused --bind nowhere
    refused --port 70000
    refused --class "$folder/nobody"
    echo 'bob: short' >"$folder/class" && refused --class "$folder/class"
    echo '../bob: long-enough' >"$folder/class" && refused --class "$folder/class"
    printf 'bob: long-enough\nBob: long-enough\n' >"$folder/class" && refused --class "$folder/class"
    echo '<script>: long-enough' >"$folder/class" && refused --class "$folder/class"
    [ "$(cat "$folder/log")" = "tour: $folder/class:1: '<script>' has a < in it: it cannot be a folder's name" ] ||
        fail 'which sign it is'
    echo "O'Brien: long-enough" >"$folder/class" && refused --class "$folder/class"
    grep -q ": 'O'Brien' has a ' in it: " "$folder/log" || fail 'which sign it is'
    printf '\357\273\277Bob: long-enough\nbob: long-enough\n' >"$folder/class" && refused --class "$folder/class"
    # The same before the long build.
    code=0
    "$build/serve/try_class" --checkout "$checkout" --build "$build" --from "$folder" --class class \
        2>"$folder/log" || code=$?
    [ $code -eq 2 ] || fail "try_class: exit code $code"
    grep -q 'class:2: a name for the second time' "$folder/log" || fail 'try_class says something else'
    echo 'bob: long-enough' >"$folder/class"
    "$build/serve/try_class" --checkout "$checkout" --build "$build" --from "$folder" --class class ||
        fail 'try_class'
    echo '# nobody' >"$folder/class" && refused --class "$folder/class"
}

"case_$wanted"
