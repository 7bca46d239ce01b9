# SPDX-License-Identifier: MIT
# Whether the numbers of a fragment are what its source says.

# Judges claim c by its fragment at a place of line l: the numbers first to last of the line.
function judge(c, id, l, first, last,    slot, count, i, k, n, v, where, kind, text, total)
{
    where = (id == "en" ? page : twin) ":" line_of[id, l]
    count = split(source_of[c], slot, / *; */)
    if (fragment[c] ~ /#/ && source_of[c] ~ /(^|; *)(from|measured|example)/) {
        fault(claim_at[c], "# would cover any number: quote it")
        return
    }
    total = n = 0
    for (k = first; k <= last; k++) {
        total++
        n += !exempt[k]
    }
    if (total == 0) {
        judge_words(c, where, slot[1], count)
        return
    }
    if (count == 1 && slot[1] ~ KINDS) {
        judge_kind(c, where, slot[1], id, l, first, last)
        return
    }
    if (count != total && count != n) {
        fault(where, "\"" fragment[c] "\" has " total " numbers, and " claim_at[c] " has " count " sources")
        return
    }
    i = 0
    for (k = first; k <= last; k++) {
        if (count != total && exempt[k]) continue
        i++
        if (slot[i] ~ KINDS) {
            judge_kind(c, where, slot[i], id, l, k, k)
            continue
        }
        v = evaluate(slot[i])
        slack = slot[i] ~ /\].*[-*\/+]|[-*\/+].*\[/ ? 0.004 : 1e-9 # cells are rounded themselves
        kinds[kind_of(slot[i])]++
        if (problem != "")
            fault(claim_at[c], problem)
        else if (!agrees(k, substr(text_of[id, l], 1, at[k] - 1), v) && !inherits(k, first, last, v))
            wrong(where, id, l, k, v, slot[i], first, last)
        slack = 1e-9
    }
}

# Number k of line l should be v: says so, or, with mend, what to put in its place if it is from a table.
function wrong(where, id, l, k, v, from, first, last,    j)
{
    for (j = first; j < last && (unit[k] != "" || unit[j] == ""); j++)
        ;
    v = in_unit(k, v, unit[k] == "" && factor[j] != 1 ? factor[j] : factor[k])
    if (mend && from ~ /\[/) {
        put(id, l, k, as_written(k, v))
        mended[section_of[id, l], value[k]] = as_written(k, v)
    } else
        fault(where, "the number " quoted(id, l, k, k) " in \"" around(text_of[id, l], k) "\" should be " \
            sprintf("%.5g", v) (unit[k] == "" || unit[k] == "times" || unit[k] == "many" ? "" : " " unit[k]) \
            ": " from)
}

# A value in the unit of number k, or of another number beside it.
function in_unit(k, v, by)
{
    if (v / by > 0.01 * value[k] && v / by < 100 * value[k]) v /= by
    return v / scale[k]
}

# A value with as many digits as number k is written with, and with its spaces.
function as_written(k, v,    digits, point, zeros, out)
{
    digits = written[k]
    point = index(digits, ".")
    if (point)
        return sprintf("%." (length(digits) - point) "f", v)
    zeros = 0
    while (substr(digits, length(digits) - zeros, 1) == "0" && zeros < length(digits) - 1) zeros++
    for (;; zeros--) {
        out = int(v / 10 ^ zeros + 0.5) * 10 ^ zeros
        if (!zeros || out < 1.02 * v && out > 0.98 * v) break
    }
    out = sprintf("%d", out)
    if (end[k] - at[k] > length(digits))
        for (point = length(out) - 3; point > 0; point -= 3)
            out = substr(out, 1, point) " " substr(out, point + 1)
    return out
}

# Prints what takes the place of number k of line l: file, line, first and last byte, new text.
function put(id, l, k, new)
{
    print "mend\t" (id == "en" ? page : twin) "\t" line_of[id, l] "\t" at[k] "\t" end[k] "\t" new
}

# Is number k, which has no unit, the value v in the unit of another number of the fragment, as the
# second one is in "32.9 us against 26.2"?
function inherits(k, first, last, v,    j)
{
    for (j = first; j <= last && unit[k] == ""; j++)
        if (agrees_in(value[k] * factor[j], tolerance(written[k]) * scale[k] * factor[j], "", v)) return 1
    return 0
}

# A fragment without a digit: its number words, twice or three or half.
function judge_words(c, where, text, count,    part, n, i, v, found, before, bound)
{
    if (text ~ KINDS) {
        judge_kind(c, where, text, "", 0, 1, 0)
        return
    }
    v = evaluate(text)
    kinds[kind_of(text)]++
    if (problem != "") {
        fault(claim_at[c], problem)
        return
    }
    before = n = tolower(fragment[c])
    sub(/two[- ]thirds/, "two_thirds", n)
    sub(/three[- ]quarters/, "three_quarters", n)
    n = split(n, part, /[^a-z_]+/)
    for (i = 1; i <= n; i++)
        if (part[i] in words) {
            found = words[part[i]]
            bound = match(before, BOUNDS) ? substr(before, RSTART, RLENGTH) : ""
            if (agrees_in(found, 0.1 * found, bound, v)) return
        }
    if (!found)
        fault(claim_at[c], "\"" fragment[c] "\" holds no number")
    else
        fault(where, "\"" fragment[c] "\" should be " sprintf("%.6g", v) ": " text)
}

# What works a source out.
function kind_of(text) { return text ~ /\[/ ? "table" : text ~ /\{/ ? "file" : "arithmetic" }

function judge_kind(c, where, text, id, l, first, last,    kind, rest, i, said, from)
{
    kind = text
    sub(/[ :].*/, "", kind)
    rest = substr(text, length(kind) + 2)
    kinds[kind] += last >= first ? last - first + 1 : 1
    if (kind == "test") {
        sub(/ .*/, "", rest)
        if (tests != "" && !(rest in is_test))
            fault(claim_at[c], "no test " rest)
    } else if (kind == "from" || kind == "measured") {
        sub(/[ ,].*/, "", rest)
        if (!(rest in is_source) && !(kind == "measured" && (getline i <rest) > 0))
            fault(claim_at[c], "\"" rest "\" is not in " sources)
    } else if (kind == "shown") {
        for (i = 1; i <= shown_count["en"]; i++) said = said "\n" shown["en", i]
        if (!has_line(said, rest, id, l, first, last))
            fault(where, "no session or listing shows \"" fragment[c] "\" as \"" rest "\"")
    } else if (kind == "run" || kind == "in") {
        from = rest
        sub(/: .*/, "", from)
        rest = substr(rest, length(from) + 3)
        if (!has_line(text_of_file(from, kind == "run" ? from : ""), rest, id, l, first, last))
            fault(where, kind == "run" ? \
                from " prints no \"" quoted(id, l, first, last) "\" as \"" rest "\"" : \
                "no line of " from " has \"" fragment[c] "\" as \"" rest "\"")
    }
}

# Has a line of this text what has_numbers() asks for?
function has_line(text, words, id, l, first, last,    part, count, i)
{
    count = split(text, part, "\n")
    for (i = 1; i <= count; i++)
        if (has_numbers(part[i], words, id, l, first, last)) return 1
    return 0
}

# What line l says from number first to number last.
function quoted(id, l, first, last)
{
    return last < first ? "" : substr(text_of[id, l], at[first], end[last] - at[first])
}

# Does a line hold the text and the numbers first to last of line l?
function has_numbers(hay, text, id, l, first, last,    n, j, k, before)
{
    gsub(/ +/, " ", hay)
    if (text != "" && !index(hay, text)) return 0
    n = numbers_of(hay)
    for (k = first; k <= last; k++) {
        before = substr(text_of[id, l], 1, at[k] - 1)
        for (j = 1; j <= n && !agrees(k, before, other_value[j]) && !agrees(k, before, other_plain[j]); j++)
            ;
        if (j > n) return 0
    }
    return 1
}
