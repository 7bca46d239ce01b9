#!/bin/sh
# SPDX-License-Identifier: MIT
# The site: that it can be built, that no link is dead, that a telephone shows it, that a search finds.
#
# usage: site.sh CASE WORK CHECKOUT BUILD BROWSE
#
# Case build goes before phone and search. Exit code 77 skips a case, with its reason.
set -eu
case=$1 work=$2 checkout=$3 build=$4 browse=$5
site=$work/site
server=''

fail() {
    echo "site: $1" >&2
    exit 1
}

skip() {
    echo "site: skipped: $1" >&2
    exit 77
}

command -v python3 >/dev/null || skip "python3 is missing"
export PYTHONDONTWRITEBYTECODE=1

# Two chapters' steps are run; every page is there.
build() {
    tools=$checkout/.toolkit/site
    [ -d "$tools" ] || skip "run ./tour site once: it fetches what makes the pages"
    rm -rf "$work"
    mkdir -p "$work"
    SITE_CHAPTERS='start sumsq' PYTHONPATH=$tools \
        sh "$checkout/site/build.sh" "$checkout" "$build" "$site" >"$work/log" 2>&1 ||
        fail "$(tail -n 20 "$work/log")"
    for page in "$checkout"/docs/*.md "$checkout"/docs/zh/*.md; do
        page=${page#"$checkout"/docs/} page=${page%.md}
        page=${page%README}
        [ -f "$site/$page/index.html" ] || fail "there is no page $page"
    done
    for page in ladder/sumsq.html trace/sumsq/v3_coalesced.html puzzles/07_neighbours/index.html \
        zh/puzzles/07_neighbours/index.html source/sumsq/v3_coalesced.cu/index.html; do
        [ -f "$site/$page" ] || fail "there is no $page"
    done
    grep -q 'trace/sumsq/v3_coalesced.html' "$site/source/sumsq/v3_coalesced.cu/index.html" ||
        fail "the source of v3 does not lead to its picture"
}

# serve: the site under $root, as a browser gets it.
serve() {
    [ -d "$site" ] || skip "there is no site"
    # shellcheck source-path=SCRIPTDIR source=../browser/lib.sh
    . "$checkout/tests/browser/lib.sh"
    find_chromium
    python3 -u -m http.server 0 --bind 127.0.0.1 --directory "$site" >"$work/port" 2>"$work/served" &
    server=$!
    trap 'kill $server' EXIT
    until grep -q 'port [0-9]' "$work/port"; do
        kill -0 $server || fail "no server: $(cat "$work/served")"
        sleep 0.1
    done
    root=http://127.0.0.1:$(sed -n 's/.*port \([0-9]*\).*/\1/p' "$work/port")
}

# Each page on a screen of 390 x 844: no line in the console, and nothing beside the screen.
phone() {
    serve
    set -- "$root/" size 390x844
    fits='document.documentElement.scrollWidth <= 390 || location.pathname'
    count=0
    for page in "$site"/index.html "$site"/*/index.html "$site"/zh/*/index.html \
        "$site"/puzzles/0[17]*/index.html "$site"/source/sumsq/*/index.html "$site"/trace/sumsq/v2*.html \
        "$site"/ladder/sumsq.html; do
        page=${page#"$site"} page=${page%index.html}
        set -- "$@" go "$root$page" eval "$fits"
        count=$((count + 1))
        if [ $((count % 20)) -eq 0 ]; then
            look "$@"
            set -- "$root/" size 390x844
        fi
    done
    look "$@"
    [ $count -ge 45 ] || fail "only $count pages"
}

look() {
    # shellcheck disable=SC2154 # find_chromium sets it
    "$browse" "$chromium" "$@" >"$work/said" 2>&1 || fail "$(cat "$work/said" "$work/served")"
    ! grep -vx true "$work/said" >"$work/wide" || fail "wider than the screen: $(cat "$work/wide")"
}

# finds PAGE WORDS LINK: who types WORDS into the search of PAGE is shown LINK.
finds() {
    "$browse" "$chromium" "$root$1" eval "new Promise((done, fail) => {
        const query = document.querySelector('.md-search__input');
        query.focus();
        query.value = '$2';
        query.dispatchEvent(new Event('keyup', {bubbles: true}));
        const until = Date.now() + 60000;
        (function look() {
            const links = [...document.querySelectorAll('.md-search-result__link')].map(link => link.href);
            if (links.some(link => link.includes('$3')))
                done('found');
            else if (Date.now() > until)
                fail(new Error('found only ' + links.join(' ')));
            else
                setTimeout(look, 100);
        })();
    })" >"$work/said" 2>&1 || fail "'$2' on $1: $(cat "$work/said")"
}

search() {
    serve
    finds / 'bank conflict' /reduction/
    finds /zh/ 合并访问 /zh/hardware/
    finds /zh/ 性能阶梯 /zh/ladders/
}

# A page that lacks what another names is found out, and so is one too large.
dead_link() {
    rm -rf "$work"
    mkdir -p "$work/two"
    echo '<a href="two/">on</a> <a href="two/#here">there</a> <a href="#top">up</a>' >"$work/index.html"
    echo '<p id="here"><a href="../">back</a> <a href="https://example.org/x">away</a>' \
        >"$work/two/index.html"
    python3 "$checkout/site/check.py" "$work" || fail "two good pages are refused"
    echo '<a href="two/#nowhere">x</a> <img src="none.png"> <a href="../up">y</a>' >>"$work/index.html"
    head -c 2000001 /dev/zero | tr '\0' ' ' >"$work/two/large.html"
    ! python3 "$checkout/site/check.py" "$work" 2>"$work/out" || fail "dead links pass"
    for fault in 'two/#nowhere names no place' 'none.png leads nowhere' '../up leads nowhere' \
        'large.html: 2000001 bytes'; do
        grep -qF "$fault" "$work/out" || fail "no '$fault' in: $(cat "$work/out")"
    done
    rm -rf "$work/two" "$work/index.html"
    ! python3 "$checkout/site/check.py" "$work" 2>/dev/null || fail "no page at all passes"
}

# Every link of every page leads to something, and what they become is what mkdocs reads.
pages() {
    rm -rf "$work"
    python3 "$checkout/site/collect.py" "$checkout" "$build" "$work" >&2 || fail "links lead nowhere"
    grep -q '^\[v3\](\|](source/sumsq/v3_coalesced.cu.md)' "$work/en/index.md" ||
        fail "the first page does not lead to the source of v3"
    grep -q '^??? tip' "$work/zh/puzzles/07_neighbours.md" || fail "the hints stand open"
    # A place in a file that is a listing can be linked.
    grep -B 2 '^<a id="emulated"></a>$' "$work/en/source/docs/claims/fft.md.md" | grep -qx '````' ||
        fail "no place outside the listing for the numbers of fft"
    # An entry's second paragraph belongs to it.
    grep -q '^    ```' "$work/en/adopt.md" || fail "what stands in a list has left it"
}

$case
