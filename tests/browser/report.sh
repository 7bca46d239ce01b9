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
    let checked = 0;
    for (const row of document.querySelectorAll("tr[data-step]")) {
        const step = run.steps.find(s => s.chapter + "/" + s.step === row.dataset.step);
        for (const cell of row.querySelectorAll("[data-key]")) {
            const sum = step.kernels.reduce((sum, k) => sum + (k[cell.dataset.key] || 0), 0);
            if (cell.textContent.replace(/ /g, "") !== String(sum))
                throw new Error(row.dataset.step + " " + cell.dataset.key + ": " + cell.textContent);
            checked++;
        }
    }
    return checked;
})()'

test_counts()
{
    report emulator
    browse "$page" data run "$folder/run.json" eval "$same_counts" \
        eval 'document.querySelectorAll(".ladder tbody tr:not(.why)").length' \
        eval 'document.querySelectorAll(".bar").length' \
        eval 'document.querySelectorAll("svg.roofline circle").length > 0' \
        eval 'document.querySelector("tr.why:last-child").innerText.includes("times as fast")'
    said 21 4 3 true true
    # the longest bar fills its track, and a log scale leaves the shortest a twelfth
    browse "$page" eval '[...document.querySelectorAll(".bar")].map(b =>
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
        const twins = [...element.parentNode.children].filter(e => e.lang === other[element.lang] ||
            e.getAttribute("lang") === other[element.getAttribute("lang")]);
        if (!twins.length || !element.textContent.trim())
            throw new Error("alone: " + element.outerHTML);
        if ((getComputedStyle(element).display === "none") !== (element.getAttribute("lang") !== shown))
            throw new Error("in " + shown + ": " + element.outerHTML);
        checked++;
    }
    for (const cell of document.querySelectorAll("td[data-en]"))
        if (!/[\u4e00-\u9fff]/.test(cell.dataset.zh) || !cell.dataset.en)
            throw new Error("no label: " + cell.outerHTML);
    return checked > 60;
})()'
# What is seen of the page in English is in no other language, but for what steps themselves say.
seen='document.body.innerText.replace("中文", "").replace(/许多线程/g, "").replace(/爬梯子/g, "")'

test_languages()
{
    report emulator
    browse "$page" eval 'document.documentElement.lang' eval 'document.title' eval "$one_language" \
        eval "/[\u4e00-\u9fff]/.test($seen)" \
        key Tab key Enter eval 'document.documentElement.lang' eval 'document.title' \
        eval "$one_language" eval 'document.querySelector("tr.why:last-child").innerText' \
        eval '[...document.querySelectorAll("th:not([scope]), h3, figcaption, footer")].filter(e =>
            e.innerText && !/[\u4e00-\u9fff]/.test(e.innerText)).length' \
        eval 'document.querySelector("svg.roofline text[lang=zh-CN]").textContent' \
        eval 'document.activeElement.textContent' key Space eval 'document.documentElement.lang' \
        language zh-CN eval 'document.documentElement.lang' language fr eval 'document.documentElement.lang'
    said en 'CUDA, step by step: the ladder' true false zh-CN 'CUDA 一步一步来：性能阶梯' true \
        '速度是之前的 634 倍：每次读取的扇区数从 32 变为 4，因此全局内存的传输量只有之前的八分之一。' 0 \
        每传输一个字节执行的线程指令 English en zh-CN en
}

# A step's title is that of its section in the Chinese page; without one it stays in English.
test_titles()
{
    mkdir -p "$folder/checkout/docs/zh"
    cp -R fixture "$folder/checkout/fixture"
    printf '%s\n' '# 爬 <b>梯子</b>' '## c1：一个 <b>线程</b>' '## c2_wide：许多线程' '## c30：不是它' \
        >"$folder/checkout/docs/zh/climb.md"
    report emulator --checkout "$folder/checkout"
    browse "$page" language zh eval 'document.querySelector("h2").innerText' \
        eval '[...document.querySelectorAll(".ladder .what")].map(e => e.innerText).join("; ")' \
        eval 'document.querySelectorAll("b").length'
    said 'climb: 爬 <b>梯子</b>' 'nothing is timed; 一个 <b>线程</b>; 许多线程; neighbours read neighbours, façade to façade, however long the title' 0
}

# A telephone: nothing sticks out; a table that is wider scrolls by itself.
test_narrow()
{
    report emulator
    browse "$page" size 375x700 eval 'document.documentElement.scrollWidth' \
        eval 'getComputedStyle(document.querySelector(".ladder thead")).display' \
        eval 'getComputedStyle(document.querySelector(".ladder td[data-en]"), "::before").content' \
        eval 'document.getElementById("language").click(); document.documentElement.scrollWidth' \
        eval 'getComputedStyle(document.querySelector(".ladder td[data-en]"), "::before").content' \
        media dark eval 'getComputedStyle(document.body).backgroundColor' \
        media light eval 'getComputedStyle(document.body).backgroundColor'
    said 375 none '"rate: "' 375 '"速率："' 'rgb(13, 17, 23)' 'rgb(255, 255, 255)'
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

# By keyboard: a step's name leads to its source, which opens; Tab and Enter do it all.
test_keyboard()
{
    report emulator
    browse "$page" key Tab eval 'document.activeElement.textContent' \
        key Tab eval 'document.activeElement.textContent' key Tab key Enter \
        eval 'document.querySelectorAll("details[open]").length' \
        eval 'document.querySelector("details[open] summary").innerText.trim()' \
        eval 'document.querySelectorAll("details")[1].querySelector("summary").focus()' key Enter \
        eval 'document.querySelectorAll("details[open]").length' \
        eval 'document.querySelectorAll("details")[2].querySelector(".new").textContent.trim()'
    said 中文 c0_look 1 'c1_slow one thread' undefined 0 '+ report climb c2_wide match 8.3 0.505 0.00158'
}

# Runs side by side, each with its letter, on the screen and on paper.
test_several()
{
    report gpu
    mv "$folder/run.json" "$folder/gpu.json"
    sed 's/Fake GPU/Another GPU/' "$folder/gpu.json" >"$folder/other.json"
    report emulator --compare "$folder/gpu.json" --compare "$folder/other.json"
    browse "$page" eval '[...document.querySelectorAll(".runs li")].map(li =>
        li.innerText.split(",")[0]).join("; ")' \
        eval 'document.querySelectorAll(".bar").length' \
        eval 'document.querySelectorAll("tbody tr[data-run]").length' \
        pdf "$folder/page.pdf" eval 'getComputedStyle(document.body).color'
    said 'A Fake GPU; B Fake GPU; C Another GPU' 9 3 'rgb(0, 0, 0)'
    head -c 5 "$folder/page.pdf" >"$folder/first"
    expect_line first '%PDF-'
}

# No name in the roofline lies on a mark or on another name, however many runs are in it.
test_roofline()
{
    report emulator
    mv "$folder/run.json" "$folder/old.json"
    report emulator --compare "$folder/old.json" --compare "$folder/old.json"
    browse "$page" eval '(() => {
        const boxes = [...document.querySelectorAll("svg g > *:not(title):not(line)")].map(e =>
            [e, e.getBBox()]);
        const apart = (a, b) => a.x + a.width <= b.x + 1 || b.x + b.width <= a.x + 1 ||
            a.y + a.height <= b.y + 4 || b.y + b.height <= a.y + 4; // a line of text has air
        return boxes.filter(([a, p]) => a.tagName === "text" &&
            boxes.some(([b, q]) => a !== b && !apart(p, q))).map(([a]) => a.textContent).join();
    })()' eval 'document.querySelectorAll("svg g > text").length'
    said '' 9
}

# Experiments are tables that stand open, of all runs; what one does not have is no column.
test_experiments()
{
    one='trials/e1_rows trials/e2_skips'
    # shellcheck disable=SC2086 # words
    expect_code 0 "$tour" --build experiments --on gpu --json "$folder/gpu.json" run $one
    # shellcheck disable=SC2086 # words
    expect_code 0 "$tour" --build experiments --on emulator --compare "$folder/gpu.json" --html "$page" \
        run $one
    browse "$page" eval 'document.querySelectorAll("table").length' \
        eval '[...document.querySelectorAll("thead th")].map(th => th.innerText).join("; ")' \
        eval 'document.querySelector("tbody tr").innerText.replace(/\s+/g, " ")' \
        eval 'document.querySelector("section p").innerText' \
        eval 'document.querySelectorAll("details[open]").length' \
        eval '[...document.querySelectorAll("section nav a")].map(a =>
            document.getElementById(a.hash.slice(1)).tagName).join()' \
        size 375x700 eval 'document.documentElement.scrollWidth'
    said 1 'variant; time; rate; ulp; counted; in the article' \
        'first in one way A 500 us B 500 us A 2.50 GB/s B 2.50 GB/s A 1.00 B 1.00 A sectors per load: 4, instructions: 12 345 640 MB/s' \
        'skipped: needs compute capability 3.0; its-own has less' 0 H3,H3 375
}

# What a variant does, and what its article says of it, is said in both languages.
test_variants()
{
    FAKE_WHAT='column by column' FAKE_SOURCE='"wrong"' expect_code 0 "$tour" --build experiments --on gpu \
        --html "$page" run trials/e1_rows
    browse "$page" eval '[...document.querySelectorAll(".what [lang=zh-CN], td.text [lang=zh-CN]")].map(
        span => span.textContent).join("; ")'
    said '按列读; 出错; 原文没有'
}

# Steps that time nothing have a result instead; sizes are said where there are several.
test_untimed()
{
    expect_code 0 "$tour" --build fixture --on emulator --html "$page" run climb/c0_look
    browse "$page" eval '[...document.querySelectorAll(".ladder thead th")].map(th => th.innerText).join("; ")'
    said 'step; result'
    expect_code 0 "$tour" --build fixture --on emulator --html "$page" run climb/c1_slow
    browse "$page" eval '[...document.querySelectorAll(".ladder thead th")].map(th => th.innerText.replace(/\s+/g, " ")).join("; ")'
    said 'step; time modelled time × first × before; rate; of peak; in the article'
    FAKE_CYCLES=8390225 FAKE_TOTAL=812.5 expect_code 0 "$tour" --build fixture --on emulator --html "$page" run climb/c2_wide
    browse "$page" eval '[...document.querySelectorAll(".ladder tbody td")].map(td => td.innerText.replace(/\s+/g, " ")).join("; ")'
    said '8.30 ms; 812 ms; 8 390 225; 0.505 GB/s; 0.16 %; 8.3M cycles'
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
        eval 'document.querySelector(".what").innerText' \
        eval 'document.querySelector(".runs li").innerText.trim().split(",")[0]' \
        language zh eval 'document.querySelectorAll("img,b,iframe,object").length' \
        eval 'document.querySelectorAll("script").length' \
        eval 'document.querySelector("h2").innerText' \
        eval 'document.querySelector(".what").innerText' \
        eval 'document.querySelector("details pre").textContent.includes("onerror=fail()>&amp;")'
    said 0 1 "c: $bad" "$bad" '<b>"&' 0 1 "c: $bad" "坏$bad" true
}

"test_$4"
