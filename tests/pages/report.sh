#!/bin/sh
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
        eval 'document.querySelector("tr.why:last-child").textContent.includes("times as fast")'
    said 21 4 3 true true
    # the longest bar fills its track, and a log scale leaves the shortest a twelfth
    browse "$page" eval '[...document.querySelectorAll(".bar")].map(b =>
        Math.round(100 * b.getBoundingClientRect().width / b.parentNode.getBoundingClientRect().width))
        .join(" ")'
    said '100 63 8'
}

# A telephone: nothing sticks out; a table that is wider scrolls by itself.
test_narrow()
{
    report emulator
    browse "$page" size 375x700 eval 'document.documentElement.scrollWidth' \
        eval 'getComputedStyle(document.querySelector(".ladder thead")).display' \
        media dark eval 'getComputedStyle(document.body).backgroundColor' \
        media light eval 'getComputedStyle(document.body).backgroundColor'
    said 375 none 'rgb(13, 17, 23)' 'rgb(255, 255, 255)'
}

# By keyboard: a step's name leads to its source, which opens; Tab and Enter do it all.
test_keyboard()
{
    report emulator
    browse "$page" key Tab eval 'document.activeElement.textContent' key Tab key Enter \
        eval 'document.querySelectorAll("details[open]").length' \
        eval 'document.querySelector("details[open] summary").textContent.trim()' \
        eval 'document.querySelectorAll("details")[1].querySelector("summary").focus()' key Enter \
        eval 'document.querySelectorAll("details[open]").length' \
        eval 'document.querySelectorAll("details")[2].querySelector(".new").textContent.trim()'
    said c0_look 1 'c1_slow one thread' undefined 0 '+ report climb c2_wide match 8.3 0.505 0.00158'
}

# Runs side by side, each with its letter, on the screen and on paper.
test_several()
{
    report gpu
    mv "$folder/run.json" "$folder/gpu.json"
    sed 's/Fake GPU/Another GPU/' "$folder/gpu.json" >"$folder/other.json"
    report emulator --compare "$folder/gpu.json" --compare "$folder/other.json"
    browse "$page" eval '[...document.querySelectorAll(".runs li")].map(li =>
        li.textContent.split(",")[0]).join("; ")' \
        eval 'document.querySelectorAll(".bar").length' \
        eval 'document.querySelectorAll("tbody tr[data-run]").length' \
        pdf "$folder/page.pdf" eval 'getComputedStyle(document.body).color'
    said 'A Fake GPU; B Fake GPU; C Another GPU' 9 3 'rgb(0, 0, 0)'
    head -c 5 "$folder/page.pdf" >"$folder/first"
    expect_line first '%PDF-'
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
    title=$(printf '%s' "$bad" | sed 's/"/\\"/g')
    printf '{"chapter": "c", "title": "%s"}\n' "$title" >"$folder/build/manifest.jsonl"
    printf '{"chapter": "c", "step": "s<1>&", "title": "%s", "article": "%s", "program": "c/s", "source": "s<1>&.cu"}\n' \
        "$title" "$title" >>"$folder/build/manifest.jsonl"
    FAKE_GPU='<b>\"&' expect_code 0 "$tour" --build "$folder/build" --checkout "$folder" --on gpu \
        --html "$folder/página <1>.html" run 'c/s<1>&'
    browse "$folder/página <1>.html" \
        eval 'document.querySelectorAll("img,script,b,iframe,object").length' \
        eval 'document.querySelector("h2").textContent' \
        eval 'document.querySelector(".what").textContent' \
        eval 'document.querySelector(".runs li").textContent.trim().split(",")[0]' \
        eval 'document.querySelector("details pre").textContent.includes("onerror=fail()>&amp;")'
    said 0 "c: $bad" "$bad" '<b>"&' true
}

"test_$4"
