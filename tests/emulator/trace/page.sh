#!/bin/sh
# SPDX-License-Identifier: MIT
# The page that emu --trace writes, in a browser: page.sh DRIVER EMU CASE PROGRAM [ARGUMENT...].
set -eu

driver=$1 # for lib.sh
emu=$2
case=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail()
{
    echo "$case: $*"
    exit 1
}

# shellcheck source-path=SCRIPTDIR source=../../browser/lib.sh disable=SC2034
. "$here/../../browser/lib.sh"
find_chromium

page=$folder/trace.html
"$emu" --trace="$page" --profile=json:"$folder/profile.json" "$@" >"$folder/printed"

# Every total that the page shows is the profile's, of every kernel.
same_totals='(() => {
    const select = document.getElementById("kernel");
    let checked = 0;
    for (const option of [...select.options]) {
        select.value = option.value;
        select.dispatchEvent(new Event("change"));
        const shown = DATA.kernels[option.value];
        const same = run.kernels.filter(k => k.function === shown.function &&
            String(k.grid) === String(shown.grid) && String(k.block) === String(shown.block));
        for (const cell of document.querySelectorAll("[data-key]")) {
            const sum = same.reduce((sum, k) => sum + k[cell.dataset.key], 0);
            if (cell.textContent.replace(/\D/g, "") !== String(sum))
                throw new Error(shown.name + " " + cell.dataset.key + ": " + cell.textContent);
            checked++;
        }
        for (const tile of document.querySelectorAll("[data-total]"))
            if (tile.dataset.total in shown.totals &&
                tile.textContent.replace(/\D/g, "") !== String(shown.totals[tile.dataset.total]))
                throw new Error(tile.dataset.total + ": " + tile.textContent);
    }
    return checked === 36 * select.options.length && checked > 0;
})()'

# The heat map holds as much as the tiles say, for every counter that it can show.
same_heat='(() => {
    const select = document.getElementById("heat");
    for (const option of [...select.options]) {
        select.value = option.value;
        select.dispatchEvent(new Event("change"));
        let sum = 0;
        for (const file of [...document.getElementById("file").options]) {
            document.getElementById("file").value = file.value;
            document.getElementById("file").dispatchEvent(new Event("change"));
            for (const value of document.querySelectorAll(".line .value"))
                sum += Number(value.textContent.replace(/\D/g, ""));
        }
        if (sum !== kernel().totals[option.value])
            throw new Error(option.value + ": " + sum);
    }
    return select.options.length > 0;
})()'

test_counts()
{
    browse "$page" data run "$folder/profile.json" eval "$same_totals" eval "$same_heat"
    said true true
}

# Each line that can be chosen has a picture or says that it has none, and the table of a picture has
# a row for each lane that takes part.
every_line='(() => {
    let pictures = 0;
    for (const line of choices()) {
        chooseLine(line);
        for (const site of sitesOf(line)) {
            chosen.site = site;
            recordsOf(site).forEach((record, i) => {
                chosen.at = i;
                showAccess();
                const at = site + "/" + i;
                if (!document.getElementById("sentence").textContent) throw new Error(at + " says nothing");
                if (/undefined|NaN|\[object/.test(document.getElementById("access").textContent))
                    throw new Error(at + ": " + document.getElementById("access").textContent);
                if (document.querySelectorAll("#picture svg").length !== 1) throw new Error(at + " has no picture");
                const rows = document.querySelectorAll("#lanes tbody tr").length;
                if (record.lanes && !record.taps && rows < lanesOf(record.lanes).length)
                    throw new Error(at + " has a short table");
                pictures++;
            });
        }
    }
    return pictures > 10;
})()'

test_lines()
{
    browse "$page" eval "$every_line" eval 'document.getElementById("language").click()' \
        eval "$every_line"
    said true undefined true
}

# What a picture shows is what was counted: cells of sectors and of passes.
drawn='(() => {
    for (const line of choices()) {
        chooseLine(line);
        for (const site of sitesOf(line)) {
            chosen.site = site;
            recordsOf(site).forEach((record, i) => {
                chosen.at = i;
                showAccess();
                const count = name => document.querySelectorAll("#picture rect." + name).length;
                if (record.space === "global" && !record.pieces && count("sector") !== record.sectors)
                    throw new Error("line " + line + ": " + count("sector") + " sectors");
                if (record.space === "shared" && count("idle") + count("cell") - lanesOf(record.lanes).length !==
                    record.wavefronts * DATA.gpu.banks)
                    throw new Error("line " + line + ": passes");
                const vain = record.moved - mapMemory(record, record.at ? wishes(record) : []).different;
                if (record.space === "global" && !record.pieces && record.bytes >= 4 && count("vain") * 4 !== vain)
                    throw new Error("line " + line + ": " + count("vain") + " words in vain, not " + vain / 4);
            });
        }
    }
    return true;
})()'

test_drawn()
{
    browse "$page" eval "$drawn"
    said true
}

# By keyboard alone: to the lines, down and up, to the slider and along it, and the language.
test_keyboard()
{
    browse "$page" eval 'document.getElementById("lines").focus()' key Home eval 'chosen.line === choices()[0]' \
        key ArrowDown eval 'chosen.line === choices()[1]' key ArrowUp eval 'chosen.line === choices()[0]' \
        eval 'chooseLine(DATA.kernels[0].sites[0][1]); document.getElementById("lines").focus()' \
        eval 'document.querySelector("[aria-selected=true]").id === document.getElementById("lines").getAttribute("aria-activedescendant")' \
        eval 'chosen.at = 0; showAccess()' key Tab key Tab \
        eval 'while (document.activeElement.id !== "play") document.getElementById("play").focus()' key Tab \
        eval 'document.activeElement.id' key ArrowRight eval 'chosen.at' \
        eval 'document.getElementById("position").textContent.startsWith("2 of ")' \
        eval 'document.getElementById("language").focus()' key Enter eval 'document.documentElement.lang' \
        key Enter eval 'document.documentElement.lang'
    said undefined true true true undefined true undefined undefined slider 1 true undefined zh-CN en
}

# The sliders move what they should, and playing moves the sliders.
test_slider()
{
    browse "$page" eval 'chosen.at = 0; showAccess(); before = document.getElementById("position").textContent; 0' \
        eval '(slider => { slider.value = slider.max; slider.dispatchEvent(new Event("input")); return slider.max > 0; })(document.getElementById("slider"))' \
        eval 'document.getElementById("position").textContent !== before' \
        eval 'document.getElementById("play").click(); new Promise(done => { const at = chosen.at; const look = () => chosen.at !== at ? done(true) : setTimeout(look, 50); look(); })' \
        eval 'stop(); chosen.zoom = 256; showTime(); chosen.from = 0; showWarps(); at = document.getElementById("warps_position").textContent; 0' \
        eval 'document.getElementById("warps_play").click(); new Promise(done => { const look = () => chosen.from > 0 ? done(document.getElementById("warps_position").textContent !== at) : setTimeout(look, 50); look(); })'
    said 0 true true true 0 true
}

# Both languages say all there is to say, and no more; the page takes the browser's.
same_texts='(() => {
    const keys = o => Object.keys(o).sort().join(" ");
    const parts = ["", "limits", "heats", "orders", "verbs", "legend", "models"];
    for (const part of parts)
        if (keys(part ? TEXTS.en[part] : TEXTS.en) !== keys(part ? TEXTS.zh[part] : TEXTS.zh))
            throw new Error("texts differ: " + part);
    return TEXTS.en.states.length === TEXTS.zh.states.length;
})()'
test_languages()
{
    browse "$page" eval "$same_texts" eval 'document.documentElement.lang' \
        eval 'document.getElementById("language").click(); document.documentElement.lang' \
        eval '/[\u4e00-\u9fff]/.test(document.getElementById("sentence").textContent)' \
        eval '[...document.querySelectorAll("[data-text]")].filter(e => !e.textContent || e.textContent === "undefined").length' \
        eval 'document.getElementById("language").click(); /[\u4e00-\u9fff]/.test(document.body.textContent.replace(document.getElementById("language").textContent, "").replace(document.querySelectorAll("script")[1].textContent, ""))' \
        language zh-TW eval 'document.documentElement.lang' \
        eval 'document.querySelector("h1").textContent.replace(/.*（/, "（")' \
        language de eval 'document.documentElement.lang' \
        eval 'document.title.replace(/.*: /, "")'
    said true en zh-CN true 0 false zh-CN '（模拟）：few，源文件 trace/traced.cu' en 'few in trace/traced.cu'
}

# How small letters are, in pixels; and names of an axis that meet or stick out.
legible='(() => {
    const smallest = where => Math.min(...[...document.querySelectorAll(where + " svg text.soft")].map(text =>
        parseFloat(getComputedStyle(text).fontSize) * text.ownerSVGElement.getBoundingClientRect().width /
        text.ownerSVGElement.viewBox.baseVal.width));
    const faults = [];
    for (const image of document.querySelectorAll("#time svg[role=img]")) {
        const boxes = [...image.querySelectorAll("text.soft")].map(text => text.getBoundingClientRect());
        for (const a of boxes) {
            if (a.left < 0 || a.right > innerWidth) faults.push("sticks out");
            if (boxes.some(b => a !== b && a.left < b.right && b.left < a.right && a.top < b.bottom - 2 && b.top < a.bottom - 2))
                faults.push("meet");
        }
    }
    return [smallest("#time") >= 10.5, smallest("#picture") >= 9.5, ...faults].join(" ");
})()'
# Beside the source stands what its line does, and below that the time.
beside='["access", "time"].every(id => document.getElementById(id).getBoundingClientRect().left >=
    document.getElementById("source").getBoundingClientRect().right)'

# A telephone: nothing sticks out, and every letter can be read. Light and dark. On paper.
test_sizes()
{
    browse "$page" size 390x844 eval 'new Promise(done => setTimeout(done, 100))' eval "$legible" \
        size 1280x900 eval 'new Promise(done => setTimeout(done, 100))' eval "$beside" eval "$legible"
    said undefined 'true true' undefined true 'true true'
    browse "$page" size 375x700 eval 'document.documentElement.scrollWidth' \
        media dark eval 'getComputedStyle(document.body).backgroundColor' \
        media light eval 'getComputedStyle(document.body).backgroundColor' \
        size 1200x800 eval 'document.documentElement.scrollWidth' pdf "$folder/page.pdf" \
        media print eval 'getComputedStyle(document.getElementById("play")).display' \
        eval 'getComputedStyle(document.getElementById("lines")).maxHeight'
    said 375 'rgb(15, 19, 24)' 'rgb(255, 255, 255)' 1200 none none
    [ "$(head -c 5 "$folder/page.pdf")" = %PDF- ] || fail 'no page on paper'
}

# Whatever programs, kernels, paths and sources are called and hold, it is text.
test_hostile()
{
    program="$folder/<img src=x onerror=alert(1)>\"'&ö<title>"
    cp "$1" "$program"
    "$emu" --trace="$page" "$program" >"$folder/printed"
    browse "$page" eval 'document.querySelectorAll("img,b[id],iframe,object,#injected").length' \
        eval 'document.querySelectorAll("script").length' \
        eval 'document.querySelector("h1").textContent.startsWith("<img src=x onerror=alert(1)>\"'"'"'&ö<title> on the ")' \
        eval 'DATA.sources[0].path' \
        eval '(file => { file.value = 0; file.dispatchEvent(new Event("change")); return file.options.length; })(document.getElementById("file"))' \
        eval 'document.getElementById("lines").textContent.includes("</script><script>alert(1)</script> <!-- <img src=x onerror=alert(1)>")' \
        eval 'document.getElementById("lines").textContent.includes("</script><b id=\"injected\">& \"größe\" \u2028 \ufffd\ufffd */")' \
        eval 'DATA.sources[1].text === null && DATA.sources[1].path.endsWith("script><script>alert(1)</script>.cu")' \
        eval 'new Set([...document.getElementById("kernel").options].map(o => o.textContent)).size'
    said 0 2 true 'größe/hostile.cu' 2 true true true 3
}

# Kernels that other programs have: each can be told from the others, by no more than has room, and
# each line of each has its picture.
every_kernel='(() => {
    let pictures = 0;
    for (const option of [...document.getElementById("kernel").options]) {
        document.getElementById("kernel").value = option.value;
        document.getElementById("kernel").dispatchEvent(new Event("change"));
        for (const line of choices()) {
            chooseLine(line);
            if (/undefined|NaN|\[object/.test(document.getElementById("access").textContent))
                throw new Error(option.textContent + ": " + document.getElementById("access").textContent);
            pictures += document.querySelectorAll("#picture svg").length;
        }
    }
    return pictures;
})()'
alone='(() => {
    const select = document.getElementById("kernel");
    select.value = [...select.options].find(o => o.textContent.startsWith("alone")).value;
    select.dispatchEvent(new Event("change"));
    chooseLine(DATA.sources[chosen.source].text.findIndex(line => line.includes("*out += i;")) + 1);
    return document.getElementById("sentence").firstChild.textContent;
})()'

test_kernels()
{
    browse "$page" eval '[...document.getElementById("kernel").options].map(o => o.textContent).join("\n")' \
        eval "$every_kernel" eval "$alone" size 375x700 eval 'document.documentElement.scrollWidth' \
        eval 'document.getElementById("language").click()' eval "$every_kernel" eval "$alone"
    said 'apply<int, less> <<<(4,1,1), (64,1,1)>>>' 'apply<float, less> <<<(4,1,1), (64,1,1)>>>' \
        'tagged <<<(1,1,1), (32,1,1)>>> · 1' 'tagged <<<(1,1,1), (32,1,1)>>> · 2' \
        'alone <<<(1,1,1), (1,1,1)>>>' 'many <<<(2000,1,1), (64,1,1)>>>' 'nothing <<<(1,1,1), (1,1,1)>>>' \
        8 '1 lane reads 4 bytes. Memory moves ' 375 undefined 8 '1 个 lane 读 4 字节。显存实际传输 '
}

# A program that launches nothing has a page that says so.
test_nothing()
{
    "$emu" --trace="$page" "$1" nothing >"$folder/printed"
    browse "$page" eval 'document.getElementById("shape").textContent' \
        eval 'document.getElementById("language").click(); document.querySelector("h1").textContent.includes("traced")'
    said 'No kernel was launched.' true
}

"test_$case" "$@"
