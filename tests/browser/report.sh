#!/bin/sh
# SPDX-License-Identifier: MIT
# The report that ./tour --html writes, in a browser: report.sh DRIVER TOUR FIXTURES CASE. FIXTURES
# is the folder of the programs that stand in for steps.
set -eu

driver=$1
tour=$2
pages=$(cd "$(dirname "$0")" && pwd)
cd "$3"
. ./lib.sh
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$pages/lib.sh"
find_chromium

climb='climb/c0_look climb/c1_slow climb/c2_wide climb/c3_fast'
page=$folder/report.html

# report ON ARGUMENT ...: writes $page and $folder/run.json.
report()
{
    device=$1
    shift
    # shellcheck disable=SC2086 # words
    expect_code 0 "$tour" --build fixture --on "$device" --html "$page" --json "$folder/run.json" "$@" \
        run $climb
}

# Every count on the page is the sum over the kernels in the JSON.
same_counts='(() => {
    const keys = {"warp instructions": "warp_instructions", "global load requests": "global_loads",
        "shared load requests": "shared_loads", "shared store requests": "shared_stores",
        "bank conflicts": "shared_bank_conflicts", "divergent branches": "divergent_branches",
        "barriers": "barriers"};
    let checked = 0;
    for (const row of document.querySelectorAll("div[lang=en] .wide tbody tr")) {
        const step = run.steps.find(s => s.step === row.querySelector("th").textContent);
        for (const cell of row.querySelectorAll("td")) {
            const key = keys[cell.dataset.label];
            if (!key) continue;
            const sum = step.kernels.reduce((sum, k) => sum + (k[key] || 0), 0);
            if (cell.textContent.replace(/\s/g, "") !== String(sum))
                throw new Error(step.step + " " + key + ": " + cell.textContent);
            checked++;
        }
    }
    return checked;
})()'

test_counts()
{
    report emulator
    browse "$page" data run "$folder/run.json" eval "$same_counts" \
        eval 'document.querySelectorAll("div[lang=en] .cards tbody tr:not(.why)").length' \
        eval 'document.querySelectorAll("div[lang=en] .bar").length' \
        eval 'document.querySelectorAll("div[lang=en] svg circle").length > 0' \
        eval 'document.querySelector("tr.why:last-child").innerText.includes("times as fast")'
    said 21 4 3 true true
    # the longest bar fills its track, and a log scale leaves the shortest a twelfth
    browse "$page" eval '[...document.querySelectorAll("div[lang=en] .bar")].map(b =>
        Math.round(100 * b.getBoundingClientRect().width / b.parentNode.getBoundingClientRect().width))
        .join(" ")'
    said '100 63 8'
}

# Every element that speaks one language has a neighbour that says it in the other, and of the two one
# is seen; the rest of the page is the same in both.
one_language='(() => {
    const other = {en: "zh-CN", "zh-CN": "en"}, shown = document.documentElement.lang;
    let checked = 0;
    for (const element of document.querySelectorAll("body [lang]")) {
        const twins = [...element.parentNode.children].filter(e => e.lang === other[element.lang]);
        if (!twins.length || !element.textContent.trim())
            throw new Error("alone: " + element.outerHTML);
        if ((getComputedStyle(element).display === "none") !== (element.lang !== shown))
            throw new Error("in " + shown + ": " + element.outerHTML);
        checked++;
    }
    for (const cell of document.querySelectorAll("div[lang=zh-CN] td[data-label]"))
        if (!/[\u4e00-\u9fff]/.test(cell.dataset.label))
            throw new Error("no label: " + cell.outerHTML);
    return checked > 30;
})()'
# What is seen of the page in English is in no other language, but for what steps themselves say.
seen='document.body.innerText.replace("中文", "").replace(/许多线程/g, "").replace(/爬梯子/g, "")'

test_languages()
{
    report emulator
    browse "$page" eval 'document.documentElement.lang' eval 'document.title' eval "$one_language" \
        eval "/[\u4e00-\u9fff]/.test($seen)" \
        key Tab key Enter eval 'document.documentElement.lang' eval 'document.title' \
        eval "$one_language" eval 'document.querySelector("div[lang=zh-CN] tr.why:last-child").innerText.replace(/\s/g, " ")' \
        eval '[...document.querySelectorAll("th:not([scope]), h3, figcaption, footer")].filter(e =>
            e.getClientRects().length && !/[\u4e00-\u9fff]/.test(e.innerText)).length' \
        eval '[...document.querySelectorAll("div[lang=zh-CN] svg text")].at(-5).textContent' \
        eval 'document.activeElement.textContent' key Space eval 'document.documentElement.lang' \
        language zh-CN eval 'document.documentElement.lang' language fr eval 'document.documentElement.lang' \
        go "$page?lang=zh" eval 'document.documentElement.lang'
    said en 'CUDA, step by step: the ladder' true false zh-CN 'CUDA 一步一步来：性能阶梯' true \
        '速度是之前的 634 倍：每次读取的扇区数从 32 变为 4，因此全局内存的传输量只有之前的八分之一。' 0 \
        每传输一个字节执行的线程指令 English en zh-CN en zh-CN
}

# A step's title is that of its section in the Chinese page; without one it stays in English.
test_titles()
{
    mkdir -p "$folder/checkout/docs/zh"
    cp -R fixture "$folder/checkout/fixture"
    printf '%s\n' '# 爬 <b>梯子</b>' '## c1：一个 <b>线程</b>' '## c2_wide：许多线程' '## c30：不是它' \
        >"$folder/checkout/docs/zh/climb.md"
    report emulator --checkout "$folder/checkout"
    browse "$page" language zh eval 'document.querySelector("div[lang=zh-CN] > h2").innerText' \
        eval '[...document.querySelectorAll("div[lang=zh-CN] .cards .what")].map(e => e.innerText).join("; ")' \
        eval 'document.querySelectorAll("main b").length'
    said 'climb：爬 <b>梯子</b>' 'nothing is timed; 一个 <b>线程</b>; 许多线程; neighbours read neighbours, façade to façade, however long the title' 0
}

# What is wrong with the page as it is shown now: lines that break within a number, what sticks out of
# the page or of its cell, text too pale to read (WCAG 2, AA), and in the roofline names that lie on
# marks, on names or on a roof.
faults='(() => {
    const found = [], seen = e => e.getClientRects().length > 0;
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const light = colour => {
        const [r, g, b] = colour.match(/[\d.]+/g).map(v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
        return .2126 * r + .7152 * g + .0722 * b;
    };
    const paper = e => {
        while (e && /^rgba.*, 0\)$/.test(getComputedStyle(e).backgroundColor)) e = e.parentElement;
        return getComputedStyle(e || document.body).backgroundColor;
    };
    for (let node; (node = walk.nextNode());) {
        const parent = node.parentElement, range = document.createRange();
        if (!node.data.trim() || !seen(parent) || parent.closest("script, style")) continue;
        const style = getComputedStyle(parent), inks = [style[parent.closest("svg") ? "fill" : "color"], paper(parent)].map(light);
        const contrast = (Math.max(...inks) + .05) / (Math.min(...inks) + .05);
        if (contrast < 4.5) found.push(`pale, ${contrast.toFixed(1)}: ${node.data}`);
        for (const match of parent.closest("pre") ? [] : node.data.matchAll(/[\d.]+[\s\u00a0](?:[\d%×]+|[kMGum]?(?:s|B|FLOP)\b)[\w\/]*/g)) {
            range.setStart(node, match.index);
            range.setEnd(node, match.index + match[0].length);
            if (new Set([...range.getClientRects()].map(r => Math.round(r.bottom))).size > 1) found.push(`broken: ${match[0]}`);
        }
    }
    if (document.documentElement.scrollWidth > innerWidth) found.push("sticks out");
    for (const cell of document.querySelectorAll(".cards td, .cards th, nav li, h1, h2"))
        if (seen(cell) && cell.scrollWidth > cell.clientWidth + 1) found.push(`too wide: ${cell.textContent}`);
    for (const image of document.querySelectorAll(".roofline svg")) {
        if (!seen(image)) continue;
        const apart = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top + 2 || b.bottom <= a.top + 2;
        const labels = [...image.querySelectorAll(".label")], others = [...labels, ...image.querySelectorAll(".mark")];
        const roofs = [...image.querySelectorAll(".roof")].map(roof => Array.from({length: 400}, (_, i) =>
            roof.getPointAtLength(roof.getTotalLength() * i / 399).matrixTransform(roof.getScreenCTM()))).flat();
        for (const label of labels) {
            const box = label.getBoundingClientRect();
            if (others.some(other => other !== label && !apart(box, other.getBoundingClientRect())) ||
                roofs.some(p => p.x > box.left && p.x < box.right && p.y > box.top + 1 && p.y < box.bottom - 1))
                found.push(`covered: ${label.textContent}`);
        }
        if (labels.length < image.querySelectorAll(".mark").length) found.push("a mark without its name");
    }
    return found.join("; ");
})()'
open_all='document.querySelectorAll("details").forEach(d => { d.open = true; })'
drawn='new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))'

# sound PAGE: on a telephone and on a desk, in both languages, by day and by night.
sound()
{
    browse "$1" eval "$open_all" \
        size 390x844 eval "$drawn" eval "$faults" media dark eval "$faults" \
        eval 'document.getElementById("language").click()' eval "$drawn" eval "$faults" \
        size 1280x900 eval "$drawn" eval "$faults" media light eval "$faults" \
        size 1130x900 eval "$drawn" eval "$faults" size 800x900 eval "$drawn" eval "$faults" \
        eval 'document.getElementById("language").click()' size 1280x900 eval "$drawn" eval "$faults"
    sed -i '/^undefined$/d' "$folder/said"
    said '' '' '' '' '' '' '' ''
}

# With one run, with several, and with experiments.
test_sound()
{
    report emulator
    sound "$page"
    mv "$folder/run.json" "$folder/old.json"
    sed 's/Fake GPU/Another GPU/' "$folder/old.json" >"$folder/other.json"
    report emulator --compare "$folder/old.json" --compare "$folder/other.json"
    sound "$page"
    expect_code 0 "$tour" --build experiments --on emulator --html "$page" run trials/e1_rows trials/e2_skips
    sound "$page"
}

# A telephone: rows become cards whose cells have headings; a table that is wider scrolls by itself and
# says so, and its names stay in sight.
test_narrow()
{
    report emulator
    browse "$page" size 375x700 eval 'document.documentElement.scrollWidth' \
        eval '[...document.querySelectorAll("div[lang=en] .cards tr:nth-child(4) td")].map(td =>
            getComputedStyle(td, "::before").content).join(" ").replace(/\u00a0/g, " ")' \
        eval 'getComputedStyle(document.querySelector(".hint")).display' \
        eval '(() => { const wide = document.querySelector(".wide"), name = wide.querySelector("th[scope]");
            wide.scrollLeft = 100; return wide.scrollLeft + " " + (name.getBoundingClientRect().left === wide.getBoundingClientRect().left); })()' \
        eval 'document.getElementById("language").click(); document.documentElement.scrollWidth' \
        eval 'getComputedStyle(document.querySelector("div[lang=zh-CN] .cards tr:nth-child(4) td:nth-child(4)"), "::before").content' \
        size 1280x900 eval 'getComputedStyle(document.querySelector("div[lang=zh-CN] .hint")).display' \
        media dark eval 'getComputedStyle(document.body).backgroundColor' \
        media light eval 'getComputedStyle(document.body).backgroundColor'
    said 375 '"log scale" "modelled" "rate" "of peak" "× first" "× before" "in the article"' block '100 true' 375 \
        '"速率"' none 'rgb(13, 17, 23)' 'rgb(255, 255, 255)'
    # nor with as many runs as there can be
    mv "$folder/run.json" "$folder/old.json"
    set --
    for run in 1 2 3 4 5 6 7; do
        sed "s/\"gbs\": [0-9.]*/\"gbs\": 12345$run/" "$folder/old.json" >"$folder/$run.json"
        set -- "$@" --compare "$folder/$run.json"
    done
    report emulator "$@"
    browse "$page" size 375x700 eval 'document.documentElement.scrollWidth'
    said 375
}

# By keyboard: a step's name leads to its source, which opens, in colour and with its lines numbered.
test_keyboard()
{
    report emulator
    browse "$page" key Tab eval 'document.activeElement.textContent' \
        eval 'document.querySelector("div[lang=en] .cards a").focus()' key Enter \
        eval 'document.querySelectorAll("details[open]").length' \
        eval 'document.querySelector("details[open] summary").innerText.trim()' \
        eval 'document.querySelectorAll("details")[1].querySelector("summary").focus()' key Enter \
        eval 'document.querySelectorAll("details[open]").length' \
        eval 'document.querySelectorAll("details")[2].querySelector(".new").textContent.trim()' \
        until 'document.querySelectorAll("details")[0].querySelector(".numbers")' \
        eval 'document.querySelectorAll("details")[0].querySelector(".numbers").textContent.startsWith("1\n2\n")'
    said 中文 undefined 1 'c0_look nothing is timed' undefined 2 '+ report climb c2_wide match 8.3 0.505 0.00158' true
}

# Without scripts the page is in English, its tables are there, and sources open; with them there is more.
test_plain()
{
    report emulator
    browse "$page" scripts off eval 'document.getElementById("language").hidden' \
        eval 'document.querySelector("[lang=zh-CN] table").getClientRects().length' \
        eval 'document.querySelector("[lang=en] .cards").innerText.includes("neighbours read neighbours")' \
        eval 'document.querySelector("[lang=en] .wide").innerText.includes("active lanes")' \
        eval 'document.querySelectorAll("svg").length' eval 'document.querySelector("details").open = true' \
        eval 'document.querySelector("details pre").innerText.length > 10' \
        scripts on eval "$drawn" eval 'document.querySelectorAll("svg").length'
    said true 0 true true 0 true true undefined 1
}

# What a column means is said where one looks: at its head, by mouse, finger or key.
test_columns()
{
    report emulator
    browse "$page" eval '[...document.querySelectorAll("thead th:not(:first-child)")].filter(th =>
            !document.getElementById(th.querySelector("button")?.getAttribute("popovertarget"))).length' \
        eval 'document.querySelector("div[lang=en] .wide button").focus()' key Enter \
        eval 'document.querySelector(":popover-open").innerText.replace(/\s/g, " ")' key Escape \
        eval 'document.querySelector(":popover-open")' eval 'document.getElementById("language").click()' \
        eval 'document.querySelector("div[lang=zh-CN] .wide button").click()' \
        eval 'document.querySelector(":popover-open").innerText'
    said 0 undefined 'active lanes: Threads of a warp that took part in an instruction, on average; 32 is all of them.' \
        null undefined undefined '活跃 lane：平均每条指令有多少个线程参与；32 表示整个 warp。'
}

# When the page was made, by which command, of which commit; without git or a command it does not say.
test_made()
{
    mkdir "$folder/checkout"
    git -C "$folder/checkout" init -q
    git -C "$folder/checkout" -c user.name=t -c user.email=t commit -q --allow-empty -m t
    TOUR_COMMAND='./tour climb --html <x>' report emulator --checkout "$folder/checkout"
    commit=$(git -C "$folder/checkout" rev-parse --short=9 HEAD)
    browse "$page" eval 'document.querySelector("header p").innerText.replace(/\d{4}-\d\d-\d\d \d\d:\d\d/, "then")'
    said "./tour climb --html <x> · $commit · then"
    unset TOUR_COMMAND # ./tour test has set it
    report emulator --checkout "$folder"
    browse "$page" eval '/^\d{4}-\d\d-\d\d \d\d:\d\d$/.test(document.querySelector("header p").innerText)'
    said true
}

# Runs side by side, each with its letter, on the screen and on paper; what all have is said once.
test_several()
{
    report gpu
    mv "$folder/run.json" "$folder/gpu.json"
    sed 's/Fake GPU/Another GPU/' "$folder/gpu.json" >"$folder/other.json"
    report emulator --compare "$folder/gpu.json" --compare "$folder/other.json"
    browse "$page" eval '[...document.querySelectorAll("div[lang=en] .places li")].map(li =>
        li.innerText.split(",")[0]).join("; ")' \
        eval 'document.querySelectorAll("div[lang=en] .bar").length' \
        eval 'document.querySelectorAll("div[lang=en] .wide tbody tr").length' \
        eval '[...document.querySelectorAll("div[lang=en] .cards tr:nth-child(4) td")].map(td =>
            td.querySelectorAll(".line").length).join(" ")' \
        pdf "$folder/page.pdf" eval 'getComputedStyle(document.body).color'
    said 'A Fake GPU; B Fake GPU; C Another GPU' 9 3 '3 1 1 1 1 1 1' 'rgb(27, 31, 36)'
    head -c 5 "$folder/page.pdf" >"$folder/first"
    expect_line first '%PDF-'
}

# Experiments are tables with bars that stand open, of all runs; what one does not have is no column.
test_experiments()
{
    one='trials/e1_rows trials/e2_skips'
    # shellcheck disable=SC2086 # words
    expect_code 0 "$tour" --build experiments --on gpu --json "$folder/gpu.json" run $one
    # shellcheck disable=SC2086 # words
    expect_code 0 "$tour" --build experiments --on emulator --compare "$folder/gpu.json" --html "$page" \
        run $one
    browse "$page" eval 'document.querySelectorAll("div[lang=en] > table").length' \
        eval '[...document.querySelectorAll("div[lang=en] thead th")].map(th => th.innerText).join("; ")' \
        eval 'document.querySelector("tbody tr").innerText.replace(/\s+/g, " ")' \
        eval '[...document.querySelectorAll("div[lang=en] .places")].map(e => e.innerText.replace(/\s+/g, " ")).join(" | ")' \
        eval 'document.querySelectorAll("details[open]").length' \
        eval '[...document.querySelectorAll("nav a")].map(a =>
            document.getElementById(a.hash.slice(1)).tagName).join()' \
        size 375x700 eval 'document.documentElement.scrollWidth'
    places='A chapters-own, driver 13.0, toolkit 13.0, n = 4 096, times from its model B Fake GPU, driver 13.0, toolkit 13.0, n = 4 096, median of 21 runs'
    places="$places | A skipped: needs compute capability 3.0; its-own has less B skipped: needs compute capability 3.0; Fake GPU has less"
    said 1 'variant; rate; time; rate; ulp; sectors per load; instructions; in the article' \
        'first in one way A B 500 us 2.50 GB/s 1.00 A 4.00 B – A 12 345 B – 640 MB/s' \
        "$places" 0 SECTION,H3,H3 375
}

# What a variant does, and what its article says of it, is said in both languages.
test_variants()
{
    FAKE_WHAT='column by column' FAKE_SOURCE='"wrong"' expect_code 0 "$tour" --build experiments --on gpu \
        --html "$page" run trials/e1_rows
    browse "$page" language zh eval '[...document.querySelectorAll("div[lang=zh-CN] tbody .what, div[lang=zh-CN] td.text")].map(
        e => e.innerText).join("; ").replace(/\u00a0/g, " ")'
    said 'in one way; 640 MB/s; 按列读; 出错; which is too wide to be shown in one line of a terminal; 原文没有'
}

# Steps that time nothing have a result instead; sizes are said where there are several.
test_untimed()
{
    expect_code 0 "$tour" --build fixture --on emulator --html "$page" run climb/c0_look
    browse "$page" eval '[...document.querySelectorAll("div[lang=en] .cards thead th")].map(th => th.innerText).join("; ")'
    said 'step; result'
    expect_code 0 "$tour" --build fixture --on emulator --html "$page" run climb/c1_slow
    browse "$page" eval '[...document.querySelectorAll("div[lang=en] .cards thead th")].map(th => th.innerText.replace(/\s+/g, " ")).join("; ")'
    said 'step; time; modelled; rate; of peak; in the article'
    FAKE_CYCLES=8390225 FAKE_TOTAL=812.5 expect_code 0 "$tour" --build fixture --on emulator --html "$page" run climb/c2_wide
    browse "$page" eval '[...document.querySelectorAll("div[lang=en] .cards tbody td")].map(td => td.innerText.replace(/\s+/g, " ")).join("; ")'
    said '; 8.30 ms; 812 ms; 8 390 225; 0.505 GB/s; 0.16 %; 8.3M cycles'
}

# Whatever steps, devices and sources are called, it is text.
test_hostile()
{
    bad='</script></pre><img src=x onerror=fail()>&amp;"'"'"'é'
    mkdir -p "$folder/build/c"
    printf '%s\n' "// $bad" 'code' "$bad" >"$folder/s<1>&.cu"
    printf '%s\n' '#!/bin/sh' ". '$PWD/fixture/report.sh'" 'report c "s<1>&" match 1 1 0.5' \
        >"$folder/build/c/s"
    chmod +x "$folder/build/c/s"
    mkdir -p "$folder/docs/zh"
    printf '# %s\n## s<1>&：%s\n' "$bad" "坏$bad" >"$folder/docs/zh/c.md"
    title=$(printf '%s' "$bad" | sed 's/"/\\"/g')
    printf '{"chapter": "c", "title": "%s"}\n' "$title" >"$folder/build/manifest.jsonl"
    printf '{"chapter": "c", "step": "s<1>&", "title": "%s", "article": "%s", "program": "c/s", "source": "s<1>&.cu"}\n' \
        "$title" "$title" >>"$folder/build/manifest.jsonl"
    FAKE_GPU='<b>\"&' expect_code 0 "$tour" --build "$folder/build" --checkout "$folder" --on gpu \
        --html "$folder/página <1>.html" run 'c/s<1>&'
    browse "$folder/página <1>.html" \
        eval 'document.querySelectorAll("img,b,iframe,object").length' \
        eval 'document.querySelectorAll("script").length' \
        eval 'document.querySelector("h2").innerText' \
        eval 'document.querySelector("tbody .what").innerText' \
        eval 'document.querySelector(".places li").innerText.trim().split(",")[0]' \
        language zh eval 'document.querySelectorAll("img,b,iframe,object").length' \
        eval 'document.querySelectorAll("script").length' \
        eval 'document.querySelector("div[lang=zh-CN] h2").innerText' \
        eval 'document.querySelector("div[lang=zh-CN] tbody .what").innerText' \
        eval 'document.querySelector("details pre").textContent.includes("onerror=fail()>&amp;")'
    said 0 1 "c: $bad" "$bad" '<b>"&' 0 1 "c：$bad" "坏$bad" true
}

"test_$4"
