# SPDX-License-Identifier: MIT
# The sources of the numbers, held against a page and its twin: see numbers.sh. Variables: page, twin,
# claims, sources, tests (a file with the names of the tests, or "" where there is no build), mend (1: print
# what to write in the place of numbers that a table no longer has).

# The claims of a file: fragment[], source_of[], claim_section[], claim_id[] (en or zh), claim_at[].
function read_claims(file,    line, number, section, code, place, part, i)
{
    number = 0
    section = ""
    code = 0
    while ((getline line <file) > 0) {
        number++
        if (line ~ /^```/) { code = !code; continue }
        if (code) {
            shown["en", ++shown_count["en"]] = line
            continue
        }
        if (line ~ /^## /) {
            section = substr(line, 4)
            if (section != "everywhere" && !(("en", section) in sections))
                fault(file ":" number, "the page has no anchor " section)
            while (("en", section) in alias) section = alias["en", section]
            continue
        }
        if (line !~ /^- /)
            continue
        place = index(line, " <- ")
        if (section == "" || !place && line !~ /^- zh lacks /) {
            fault(file ":" number, "not a claim of a section: - FRAGMENT <- SOURCE")
            continue
        }
        if (line ~ /^- table <- (test|example|measured|from)/) {
            is_tested["table", section] = 1
            claim_at[0] = file ":" number
            judge_kind(0, "", substr(line, 12), "", 0, 1, 0)
            continue
        }
        if (sub(/^- zh lacks /, "", line)) {
            place = split(line, part, /, */)
            for (i = 1; i <= place; i++) lacks[section, part[i] + 0] = 1
            continue
        }
        claim_count++
        claim_at[claim_count] = file ":" number
        claim_id[claim_count] = line ~ /^- zh: / ? "zh" : "en"
        claim_section[claim_count] = section
        fragment[claim_count] = substr(line, 3, place - 3)
        sub(/^zh: /, "", fragment[claim_count])
        source_of[claim_count] = substr(line, place + 4)
    }
    close(file)
    return number
}

# Claim c holds for the numbers first to last of line l; for none if its fragment has only words.
function holds(c, id, l, first, last,    k)
{
    if (id == claim_id[c]) {
        hits[c]++
        if (first)
            judge(c, id, l, first, last)
        else
            judge(c, id, l, 1, 0)
    }
    for (k = first; k && k <= last; k++) {
        covered[k] = 1
        if (id == claim_id[c]) claimed[k] = 1
        if (claim_section[c] == "everywhere") everywhere[k] = 1
    }
}

function find(c, text, from, count)
{
    return fragment[c] ~ /#/ ? find_any(c, text, from, count) : find_words(c, text, from)
}

# Where claim c's fragment begins in the text as whole words, at this place or after it; 0 if nowhere. Sets
# stop to the place after its end.
function find_words(c, text, from,    place, before, after)
{
    while ((place = index(substr(text, from), fragment[c])) > 0) {
        place += from - 1
        stop = from = place + length(fragment[c])
        before = place > 1 ? substr(text, place - 1, 1) : " "
        after = substr(text, stop, 2)
        if (before ~ /[A-Za-z0-9_]/ || before == "." && fragment[c] ~ /^[0-9]/) continue
        if (after ~ /^[A-Za-z0-9_]/ || after ~ /^\.[0-9]/ && fragment[c] ~ /[0-9]$/) continue
        return place
    }
    return 0
}

# Where claim c's fragment, in which # stands for any number, begins in the text, at this place or after it;
# 0 if nowhere. Sets stop to the place after its end.
function find_any(c, text, from, count,    piece, pieces, place, i, k, here)
{
    pieces = split(fragment[c], piece, "#")
    for (k = 1; k <= count; k++) {
        place = at[k] - length(piece[1])
        if (place < from || substr(text, place, length(piece[1])) != piece[1]) continue
        if (place > 1 && piece[1] ~ /^[A-Za-z0-9]/ && substr(text, place - 1, 1) ~ /[A-Za-z0-9_]/) continue
        here = at[k]
        for (i = 2; i <= pieces && here; i++) {
            here = number_end(here, count)
            if (here && substr(text, here, length(piece[i])) == piece[i])
                here += length(piece[i])
            else
                here = 0
        }
        if (here && (piece[pieces] !~ /[A-Za-z0-9]$/ || substr(text, here, 1) !~ /[A-Za-z0-9_]/)) {
            stop = here
            return place
        }
    }
    return 0
}

# The place after the number that begins at this place; 0 if none does.
function number_end(place, count,    k)
{
    for (k = 1; k <= count; k++)
        if (at[k] == place) return end[k]
    return 0
}

# Finds the fragments of the claims on the page: covered[] of the numbers of every line.
function match_claims(id,    l, c, text, from, place, first, last, k, count)
{
    for (l = 1; l <= lines[id]; l++) {
        text = text_of[id, l]
        count = numbers(text) # those of names and code stand there too, for the other language
        for (k = 1; k <= count; k++) in_section[id, section_of[id, l], value[k]] = 1
        current = mask(text)
        count = numbers(current)
        for (k = 1; k <= count; k++) {
            exempt[k] = is_exempt(k, text)
            covered[k] = everywhere[k] = claimed[k] = 0
        }
        equations(current, count, (id == "en" ? page : twin) ":" line_of[id, l], text)
        for (c = 1; c <= claim_count; c++) {
            if (claim_section[c] != "everywhere" && claim_section[c] != section_of[id, l]) continue
            from = 1
            while ((place = find(c, text, from, count)) > 0) {
                from = stop
                first = last = 0
                for (k = 1; k <= count; k++)
                    if (at[k] >= place && end[k] <= stop) {
                        if (!first) first = k
                        last = k
                    }
                if (mask(fragment[c]) ~ /[0-9]/ && !first) continue
                holds(c, id, l, first, last)
            }
        }
        if (text ~ /^\|/ && ("table", section_of[id, l]) in is_tested)
            for (k = 1; k <= count; k++) covered[k] = 1
        report(id, l, text, count)
    }
}

# What is wrong with line l once the claims are matched: on the English page numbers without a source, on
# the Chinese one numbers that the English page has not.
function report(id, l, text, count,    k)
{
    for (k = 1; k <= count; k++) {
        if (id == "en" && !exempt[k] && !covered[k])
            fault(page ":" line_of[id, l], "the number " substr(text, at[k], end[k] - at[k]) \
                " in \"" around(text, k) "\" has no source")
        in_section[id, section_of[id, l], value[k]] = 1
        if (id == "en" && !exempt[k]) wanted[section_of[id, l], value[k]] = 1
        if (mend && id == "zh" && (section_of[id, l], value[k]) in mended && !claimed[k] && !exempt[k])
            put(id, l, k, mended[section_of[id, l], value[k]])
        if (!single[k]) {
            if (id == "en" && everywhere[k]) in_section["en", "everywhere", value[k]] = 1
            if (id == "zh" && !covered[k] && !exempt[k] && \
                !(("en", section_of[id, l], value[k]) in in_section) && \
                !(("en", "everywhere", value[k]) in in_section))
                fault(twin ":" line_of[id, l], "the number " substr(text, at[k], end[k] - at[k]) \
                    " in \"" around(text, k) "\" is not in " page ", section " section_of[id, l])
        }
    }
}

# The claims of page `file`, in this language, that hold for nothing on it.
function stale(id, file,    c)
{
    for (c = 1; c <= claim_count; c++)
        if (!hits[c] && claim_id[c] == id)
            fault(claim_at[c], "stale: " file \
                (claim_section[c] == "everywhere" ? "" : ", section " claim_section[c] ",") \
                " does not say \"" fragment[c] "\"")
}

# Sums that a page spells out, as in 8 + 36 + 1 = 45 or 2047 = 23 * 89, are checked by themselves: their
# numbers are covered.
function equations(masked, count, where, text,    place, i, left, right, k, from)
{
    gsub(/×/, "* ", masked)
    gsub(/·/, "* ", masked)
    gsub(/−/, "-  ", masked)
    gsub(/ x /, " * ", masked)
    for (place = 1; place <= length(masked); place++) {
        if (substr(masked, place, 1) != "=") continue
        for (from = place; from > 1 && substr(masked, from - 1, 1) ~ ARITHMETIC; from--)
            ;
        while (from < place && substr(masked, from, 1) !~ /[0-9(]/) from++
        left = substr(masked, from, place - from)
        match(substr(masked, place + 1) "=", "^" ARITHMETIC "*")
        right = substr(masked, place + 1, RLENGTH)
        if (left ~ /[0-9).\260-\271] *[-*\/+] *[(0-9]/) {
            for (k = 1; k <= count && !beside(masked, place + 1, at[k]); k++)
                ;
            if (substr(masked, end[k]) ~ /^ *[-*\/+] *[0-9(]/) { # a = b + c = d: compare with d
                if (evaluate(right) != evaluate(left) || problem != "") continue
                settle(0, left, text, count, where, from, at[k])
            } else
                settle(k, left, text, count, where, from, at[k])
        } else {
            for (k = 1; k <= count && !beside(masked, end[k], place); k++)
                ;
            from = place + length(right)
            sub(/[-*\/+ (.]+$/, "", right)
            if (right ~ /[0-9] *[-*\/+] *[(0-9]/ || right ~ /[0-9](\302[\262\263]|\342\201)/)
                settle(k, right, text, count, where, at[k], from)
        }
    }
}

# Is there nothing but blanks from one place of the text to another?
function beside(text, from, to) { return from <= to && substr(text, from, to - from) ~ /^ *$/ }

# Number k of the text is what `sum` says, or 0 if that is known: all from one place to another are
# covered.
function settle(k, sum, text, count, where, from, to,    v, i)
{
    v = evaluate(sum)
    if (problem != "" || k > count) return
    if (k && !agrees(k, substr(text, 1, at[k] - 1), v)) {
        fault(where, "the number " substr(text, at[k], end[k] - at[k]) " in \"" around(text, k) \
            "\" should be " sprintf("%.6g", v) ": " sum)
        return
    }
    kinds["arithmetic"]++
    for (i = 1; i <= count; i++)
        if (at[i] >= from && at[i] <= to) covered[i] = 1
}

# Some words around number k of a text, cut at characters and not within one.
function around(text, k,    from, to, out)
{
    from = at[k] - 24
    to = end[k] + 24
    out = substr(text, from > 1 ? from : 1, to - (from > 1 ? from : 1))
    if (from > 1) sub(/^[\200-\277]+/, "", out)
    sub(/[\300-\377][\200-\277]*$/, "", out)
    return out
}

function is_exempt(k, text,    before, after)
{
    if (single[k] || written[k] == "exact") return 1
    before = substr(text, 1, at[k] - 1)
    after = substr(text, end[k], 20)
    if (value[k] == 32 && after ~ /^ \[?(lanes|threads of a warp|banks)/) return 1
    if (before ~ /warps? of $/ && value[k] == 32) return 1
    # Which one, not how many.
    before = tolower(before)
    if (before ~ /(thread|lane|warp|block|bank|row|column|line|round|bit|byte|element|word) $/)
        return 1
    if (before ~ /(code|status|sm|number|offset) $/)
        return 1
    if (before ~ /(thread|lane|row|column|line|round|bit|byte|element|word|offset)s ([0-9]+ (to|and) )?$/)
        return 1
    return 0
}

BEGIN {
    WIDTH = "(-(bit|byte)s?| bits| ?位)" # 32-bit and 8 bits are types
    slack = 1e-9
    BOUNDS = "(about|almost|nearly|roughly|more than|over|at least|less than|at most|under) "
    ARITHMETIC = "[-0-9 .()*/+\302\260-\271\342\201]"
    UNSIGNED = "[0-9][0-9.]*(e[-+]?[0-9]+)?"
    SIGNED = "-?" UNSIGNED
    KINDS = "^(test |from |measured |shown |in |run |example)"
    split("\302\271 1 \302\262 2 \302\263 3 \342\201\260 0 \342\201\264 4 \342\201\265 5 " \
        "\342\201\266 6 \342\201\267 7 \342\201\270 8 \342\201\271 9", pair, " ")
    for (i = 1; i in pair; i += 2) superscript[pair[i]] = pair[i + 1]
    split("ns 1e-9 us 1e-6 µs 1e-6 ms 1e-3 s 1 min 60 B 1 KB 1e3 kB 1e3 MB 1e6 GB 1e9 TB 1e12 " \
        "KiB 1024 MiB 1048576 GiB 1073741824 TiB 1099511627776 MHz 1e6 GHz 1e9 kHz 1e3 " \
        "B/s 1 KB/s 1e3 MB/s 1e6 GB/s 1e9 TB/s 1e12 MiB/s 1048576 GiB/s 1073741824 " \
        "MFLOP/s 1e6 GFLOP/s 1e9 TFLOP/s 1e12 MFlop/s 1e6 GFlop/s 1e9 TFlop/s 1e12 W 1", pair, " ")
    for (i = 1; i in pair; i += 2) units[pair[i]] = pair[i + 1]
    split("thousand 1e3 million 1e6 billion 1e9 trillion 1e12 万 1e4 亿 1e8 万亿 1e12 K 1e3 M 1e6 G 1e9 " \
        "Ki 1024 Mi 1048576 Gi 1073741824", pair, " ")
    for (i = 1; i in pair; i += 2) magnitudes[pair[i]] = pair[i + 1]
    split("two_thirds 0.666667 three_quarters 0.75 half 0.5 third 0.333333 quarter 0.25 fifth 0.2 " \
        "eighth 0.125 tenth 0.1 twentieth 0.05 one 1 once 1 two 2 twice 2 three 3 four 4 five 5 six 6 seven 7 eight 8 nine 9 " \
        "ten 10 eleven 11 twelve 12 sixteen 16 twenty 20 thirty 30 hundred 100 thousand 1000", pair, " ")
    for (i = 1; i in pair; i += 2) words[pair[i]] = pair[i + 1]

    if (tests != "")
        while ((getline line <tests) > 0) is_test[line] = 1
    while ((getline line <sources) > 0)
        if (match(line, /^- [a-z0-9_]+:/)) is_source[substr(line, 3, RLENGTH - 3)] = 1

    read_page(page, "en")
    read_claims(claims)
    match_claims("en")
    stale("en", page)
    if (twin != "") {
        read_page(twin, "zh")
        match_claims("zh")
        stale("zh", twin)
        for (i in wanted) {
            split(i, part, SUBSEP)
            if (part[2] >= 10 && !(("zh", i) in in_section) && !(i in lacks))
                fault(twin, "section " part[1] " lacks the number " part[2] " of " page)
        }
    }
    if (!faults) {
        out = ""
        for (kind in kinds) out = out ", " kinds[kind] " " kind
        print "ok " page ":" substr(out, 2)
    }
}
