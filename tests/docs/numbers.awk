# SPDX-License-Identifier: MIT
# numbers.awk: see numbers.sh. Variables: page, twin, claims, sources, tests (a file with the names of
# the tests, or "" where there is no build), unclaimed (1: the page is still to be covered), mend (1: print
# what to write in the place of numbers that a table no longer has).

function fault(where, what) { print where ": " what; faults++ }

# ---- Reading a page ------------------------------------------------------------------------------

# Text with every character in a match of the regular expression made another, so that no digit in it
# counts and every place stays.
function blank(text, expression,    out, i)
{
    out = ""
    while (match(text, expression)) {
        out = out substr(text, 1, RSTART - 1)
        for (i = 0; i < RLENGTH; i++)
            out = out "\003"
        text = substr(text, RSTART + RLENGTH)
    }
    return out text
}

# Without what is no statement: code, targets of links, names of things that have numbers in them.
function mask(text)
{
    text = blank(text, "`[^`]*`")
    while (match(text, /[0-9]e-[0-9]/)) # 6.0e-8 is a number, and e-8 no name
        text = substr(text, 1, RSTART) "\001\002" substr(text, RSTART + 3)
    text = blank(text, "!\\[[^]]*\\]")
    text = blank(text, "\\]\\([^)]*\\)")
    text = blank(text, "<[^>]*>")
    text = blank(text, "https?://[^ ]*")
    text = blank(text, "([0-9.]+(, |、))*[0-9.]+,? (and|or|to|和|或|到) [0-9.]+" WIDTH)
    text = blank(text, "[0-9.]+" WIDTH)
    text = blank(text, "^ *[0-9]+\\. ")
    text = blank(text, "^\\*\\*[0-9]+[.。]?\\*\\*")
    text = blank(text, "(Question|Exercise|Part|思考|练习|问题|答案) ?[0-9]+[a-z]?")
    text = blank(text, "(GeForce )?(88|98|86|84)00 ?(M )?(GT[XS]?|GS|Ultra)?")
    text = blank(text, "(8400M GS|GTX [0-9]+|RTX [0-9]+|Tesla [CTVP][0-9]+|GT[0-9]+)")
    text = blank(text, "x86-64|[0-9]+_[A-Za-z0-9_]*|[0-9]+(st|nd|rd|th)([^A-Za-z]|$)|toolkit, [0-9]+ or [0-9]+")
    text = blank(text, "IEEE 754(-[0-9]+)?|FIPS [0-9]+|ISO [0-9]+|UTF-[0-9]+|RFC [0-9]+")
    text = blank(text, "(CUDA|PTX|PTX ISA|CMake|Ubuntu|Debian|Linux|CUB|Clang|clang|GCC|gcc|nvcc|Python|driver|toolkit|[Vv]ersions?|capability|计算能力|驱动|工具包|版本)[ -]?[0-9][0-9.]*( (and|to|or|和|到) [0-9][0-9.]*[0-9])?")
    text = blank(text, "[A-Za-z_][A-Za-z_.]*-?[0-9][0-9A-Za-z_.]*")
    text = blank(text, "[0-9]D([^A-Za-z]|$)")
    text = blank(text, "(in|of|since|until|from|before|after|by|late|early|for|and|to|article|'s|NVIDIA's|Hotball's) (19[89]|20[0-2])[0-9]([^0-9A-Za-z%]|$)")
    text = blank(text, "0x[0-9A-Fa-f]*|[0-9.]+ 版|(, |，)(19[89]|20[0-2])[0-9](\\)|）)|（(19[89]|20[0-2])[0-9]）")
    text = blank(text, "(19[89]|20[0-2])[0-9]( and |、)(19[89]|20[0-2])[0-9]")
    text = blank(text, "\\((19[89]|20[0-2])[0-9]\\)")
    text = blank(text, "(19[89]|20[0-2])[0-9] ?(年|article|talk)")
    text = blank(text, "([Cc]hapter|[Ss]ections?|[Tt]able|[Ff]igure|[Pp]uzzles?|[Aa]nswers?|[Hh]ints?) [0-9][0-9.]*( (and|to) [0-9]+)?")
    text = blank(text, "第 ?[0-9]+(\\.[0-9]+)* ?(章|节|题|步)")
    return text
}

function read_page(file, id,    line, number, code, made, name, table, section, last, header, cell, cells, i, rows)
{
    number = code = made = 0
    section = "top"
    last = 0
    while ((getline line <file) > 0) {
        number++
        if (line ~ /^ *```/) {
            code = !code
            continue
        }
        if (code) {
            shown[id, ++shown_count[id]] = line
            continue
        }
        if (line ~ /^<!-- change: /) continue
        if (line ~ /^<!-- \//) { made = 0; continue }
        if (line ~ /^<!-- [a-z_]+(:.*)? -->$/) {
            made = 1
            name = line
            sub(/^<!-- (tour: [a-z0-9]+ on )?/, "", name)
            sub(/[: ].*/, "", name)
            continue
        }
        if (match(line, /^<a id="[^"]*"><\/a>/)) {
            i = substr(line, 8, RLENGTH - 13)
            if (last == number - 1) alias[id, section] = i
            section = i
            sections[id, section] = 1
            last = number
            continue
        }
        if (made && line ~ /^#### /) {
            part_of = substr(line, 6)
            sub(/_.*/, "", part_of)
        }
        if (line ~ /^<!-- |^## /) part_of = ""
        if (line ~ /^\|/) {
            read_row(id, made ? name : "table", line)
        } else
            header_of = ""
        if (made || line ~ /^#/ || line == "" || line ~ /^\[(中文|English)\]/ || line ~ /^\|[-:|]*$/)
            continue
        lines[id]++
        text_of[id, lines[id]] = line
        line_of[id, lines[id]] = number
        section_of[id, lines[id]] = section
    }
    close(file)
    sections[id, "top"] = 1
    return number
}

function trim(text) { gsub(/^[ *`]+|[ *`]+$/, "", text); return text }

function read_row(id, table, line,    cell, count, i)
{
    gsub(/×/, "x", line)
    gsub(/\\_/, "_", line)
    count = split(line, cell, /\|/)
    if (line ~ /^\|[-:|]*$/)
        return
    if (header_of == "") {
        for (i in head) delete head[i]
        header_of = table
        for (i = 2; i < count; i++) head[i] = trim(cell[i])
        return
    }
    for (i = 3; i < count; i++)
        if (i in head) {
            put_cell(id, table, trim(cell[2]), head[i], trim(cell[i]))
            if (part_of != "")
                put_cell(id, table, part_of "/" trim(cell[2]), head[i], trim(cell[i]))
        }
}

# In a block with several tables, each below a heading like "#### h02_bank_conflicts", a row is also
# h02/ROW.
function put_cell(id, table, row, column, text)
{
    if ((id, table, row, column) in value_of)
        return
    value_of[id, table, row, column] = text
    rows_of[id, table] = rows_of[id, table] "\n" row
    heads_of[id, table] = heads_of[id, table] "\n" column
}

# ---- Numbers -------------------------------------------------------------------------------------

# Takes the numbers of a line apart: at[], end[] (places), written[] (digits alone), value[], factor[]
# (what its unit multiplies by), unit[], single[] (below 10 and without a unit). Returns how many.
function numbers(masked,    count, place, digits, exponent, i, tail, before)
{
    count = 0
    place = 1
    while (match(substr(masked, place), /[0-9]/)) {
        place += RSTART - 1
        i = place
        while (substr(masked, i, 1) ~ /[0-9]/) i++
        if (i - place <= 3)
            while (substr(masked, i, 4) ~ /^ [0-9][0-9][0-9]$/ && substr(masked, i + 4, 1) !~ /[0-9]/)
                i += 4
        if (substr(masked, i, 2) ~ /^\.[0-9]$/) {
            i++
            while (substr(masked, i, 1) ~ /[0-9]/) i++
        }
        tail = i
        exponent = 1
        if (substr(masked, i, 2) == "\001\002") {
            i += 2
            exponent = 10 ^ -substr(masked, i)
            while (substr(masked, i, 1) ~ /[0-9]/) i++
        }
        digits = substr(masked, place, tail - place)
        gsub(/ /, "", digits)
        before = place > 1 ? substr(masked, place - 1, 1) : " "
        count++
        at[count] = place
        written[count] = digits
        value[count] = digits + 0
        tail = substr(masked, i, 40)
        if (power(tail)) {
            value[count] = value[count] ^ power_is
            written[count] = "exact"
            i += power_length
            tail = substr(masked, i, 40)
        }
        end[count] = i
        factor[count] = unit_factor(tail)
        unit[count] = unit_name
        magnitude *= exponent
        value[count] *= magnitude
        scale[count] = magnitude
        single[count] = exponent == 1 && digits ~ /^[0-9]$/ && written[count] != "exact" && unit_name == ""
        if (before ~ /[A-Za-z_#]/) count--
        place = i
    }
    return count
}

# Superscript digits at the beginning of the text: power_is, power_length.
function power(text,    found)
{
    power_is = ""
    power_length = 0
    for (;;) {
        found = 0
        for (digit in superscript)
            if (index(text, digit) == 1) {
                power_is = power_is superscript[digit]
                power_length += length(digit)
                text = substr(text, length(digit) + 1)
                found = 1
            }
        if (!found)
            break
    }
    return power_is != ""
}

# What the words after a number multiply it by: magnitude (million, K), and the unit's factor.
function unit_factor(tail,    word)
{
    magnitude = 1
    unit_name = ""
    sub(/^ /, "", tail)
    if (match(tail, /^(thousand|million|billion|trillion)/)) {
        magnitude = magnitudes[substr(tail, 1, RLENGTH)]
    } else if (match(tail, /^(万亿|亿|万)/)) {
        magnitude = magnitudes[substr(tail, 1, RLENGTH)]
    } else if (match(tail, /^[KMG]i?([^A-Za-z]|$)/)) {
        sub(/[^KMGi].*/, "", tail)
        magnitude = magnitudes[tail]
        unit_name = tail
        return 1
    }
    if (magnitude != 1) {
        unit_name = "many"
        tail = substr(tail, RLENGTH + 1)
        sub(/^ /, "", tail)
    }
    if (tail !~ /^× *[0-9A-Za-z(`]/ && match(tail, /^(%|×|x( ?[^A-Za-z0-9 ]| [^0-9]|$)|times([^A-Za-z]|$)|倍)/)) {
        unit_name = "times"
        if (tail ~ /^%/) unit_name = "%"
        return 1
    }
    if (match(tail, /^[A-Za-zµ]+(\/s)?/)) {
        word = substr(tail, 1, RLENGTH)
        if (word in units) {
            unit_name = word
            return units[word]
        }
    }
    return 1
}

# A number as written, with its last digit's worth: the tolerance of a value that is rounded to it.
function tolerance(digits,    i, worth, zeros, most)
{
    if (digits == "exact") return 0
    i = index(digits, ".")
    if (i)
        return 0.5001 * 10 ^ -(length(digits) - i)
    zeros = 0
    while (substr(digits, length(digits) - zeros, 1) == "0" && zeros < length(digits) - 1) zeros++
    worth = 0.5001 * 10 ^ zeros
    most = (length(digits) < 5 ? 0.02 : 0.005) * digits
    if (zeros && worth > most)
        worth = most < 0.5001 ? 0.5001 : most
    return worth
}

# Is number k of the line, with the text before it, the value v, as exactly as it says?
function agrees(k, before, v,    s, t)
{
    if (agrees_in(value[k], tolerance(written[k]) * scale[k], before, v)) return 1
    s = value[k] * factor[k]
    t = tolerance(written[k]) * scale[k] * factor[k]
    return agrees_in(s, t, before, v) || \
        agrees_in(value[k] / scale[k], tolerance(written[k]), before, v)
}

function agrees_in(s, t, before, v)
{
    t += slack * s
    if (v >= s - t && v <= s + t)
        return 1
    if (before ~ /(about|some|roughly|almost|nearly|around|hardly|approximately|close to) (a |an |the )?$/)
        return v >= 0.9 * s - t && v <= 1.1 * s + t
    if (before ~ /([Mm]ore than|[Oo]ver|above|at least|[Gg]ood|exceeds) $/)
        return v >= s && v <= 2 * s
    if (before ~ /([Ll]ess than|[Uu]nder|below|at most|up to|[Ff]ewer than|within) $/)
        return v <= s && v >= 0
    return 0
}

# ---- Expressions ---------------------------------------------------------------------------------

# Grammar: sums of products of powers of numbers, (...), NAME(...), [cells] and {constants}. problem is
# set where the text cannot be evaluated.
function evaluate(text,    v)
{
    problem = ""
    source = text
    v = sum_of()
    skip()
    if (source != "" && problem == "") problem = "cannot read \"" source "\""
    return v
}

function skip() { sub(/^ +/, "", source) }

function take(what)
{
    skip()
    if (index(source, what) != 1) return 0
    source = substr(source, length(what) + 1)
    return 1
}

function sum_of(    v)
{
    v = product()
    for (;;) {
        if (take("+")) v += product()
        else if (take("-") || take("−")) v -= product()
        else return v
    }
}

function product(    v, d)
{
    v = raised()
    for (;;) {
        if (take("*") || take("×") || take("·")) v *= raised()
        else if (take("/")) {
            d = raised()
            if (d == 0) {
                if (problem == "") problem = "division by 0"
                return 0
            }
            v /= d
        } else return v
    }
}

function raised(    v)
{
    v = atom()
    if (take("^")) v = v ^ raised()
    return v
}

function atom(    v, w, name, inner)
{
    skip()
    if (take("-")) return -atom()
    if (take("(")) {
        v = sum_of()
        if (!take(")") && problem == "") problem = "a ( without )"
        return v
    }
    if (match(source, /^\[[^]]*\]/)) {
        inner = substr(source, 2, RLENGTH - 2)
        source = substr(source, RLENGTH + 1)
        return cell(inner)
    }
    if (match(source, /^\{[^}]*\}/)) {
        inner = substr(source, 2, RLENGTH - 2)
        source = substr(source, RLENGTH + 1)
        return constant(inner)
    }
    if (match(source, /^(min|max|floor|ceil|log2|sqrt)\(/)) {
        name = substr(source, 1, RLENGTH - 1)
        source = substr(source, RLENGTH + 1)
        v = sum_of()
        while (take(",")) {
            w = sum_of()
            if (name == "min" ? w < v : w > v) v = w
        }
        if (!take(")") && problem == "") problem = "a ( without )"
        if (name == "floor") v = int(v)
        if (name == "ceil") v = int(v) + (v > int(v))
        if (name == "log2") v = log(v) / log(2)
        if (name == "sqrt") v = sqrt(v)
        return v
    }
    if (match(source, /^[0-9]+( [0-9][0-9][0-9])*(\.[0-9]+)?(e[+-]?[0-9]+)?/)) {
        v = substr(source, 1, RLENGTH)
        source = substr(source, RLENGTH + 1)
        gsub(/ /, "", v)
        v += 0
        if (power(source)) {
            source = substr(source, power_length + 1)
            v = v ^ power_is
        }
        return v
    }
    if (problem == "") problem = "cannot read \"" source "\""
    return 0
}

# The k-th number in a text, its unit multiplied in; without one, a problem.
function number_in(text, k, what,    count)
{
    count = numbers_of(text)
    if (count < k) {
        if (problem == "") problem = what " has no number" (k > 1 ? " #" k : "")
        return 0
    }
    return other_value[k]
}

# The numbers of a text beside those of the line at hand: other_value[], as a quantity.
function numbers_of(text,    i, count)
{
    for (i = 1; i in at; i++) {
        saved[i, 1] = at[i]; saved[i, 2] = end[i]; saved[i, 3] = written[i]; saved[i, 4] = value[i]
        saved[i, 5] = factor[i]; saved[i, 6] = unit[i]; saved[i, 7] = single[i]; saved[i, 8] = scale[i]
    }
    saved_count = i - 1
    gsub(/×/, "x", text)
    while (match(text, /[0-9]e-[0-9]/))
        text = substr(text, 1, RSTART) "\001\002" substr(text, RSTART + 3)
    count = numbers(text)
    for (i = 1; i <= count; i++) {
        other_plain[i] = value[i]
        other_value[i] = value[i] * factor[i]
    }
    for (i in at) delete at[i]
    for (i = 1; i <= saved_count; i++) {
        at[i] = saved[i, 1]; end[i] = saved[i, 2]; written[i] = saved[i, 3]; value[i] = saved[i, 4]
        factor[i] = saved[i, 5]; unit[i] = saved[i, 6]; single[i] = saved[i, 7]; scale[i] = saved[i, 8]
    }
    return count
}

# "TABLE ROW COLUMN [#k]": a cell of a table of this page, or with PAGE/TABLE of another.
function cell(reference,    id, table, row, column, k, i, n, names, found, part, count)
{
    k = 1
    if (match(reference, / #[0-9]+$/)) {
        k = substr(reference, RSTART + 2) + 0
        reference = substr(reference, 1, RSTART - 1)
    }
    count = split(reference, part, " ")
    table = part[1]
    id = "en"
    if (split(table, names, "/") == 2) {
        id = "docs/" names[1] ".md"
        if (names[1] == "README") id = "README.md"
        table = names[2]
        if (!(id in read)) {
            read[id] = 1
            if (!read_page(id, id)) {
                if (problem == "") problem = "no page " id
                return 0
            }
        }
    }
    row = part[2]
    column = substr(reference, length(part[1]) + 2)
    if (column ~ /^"/) {
        column = substr(column, 2)
        row = substr(column, 1, index(column, "\"") - 1)
        column = substr(column, length(row) + 3)
    } else
        column = substr(column, length(row) + 2)
    n = split(rows_of[id, table], names, "\n")
    found = ""
    for (i = 2; i <= n && found == ""; i++)
        if (names[i] == row || index(names[i], row "_") == 1 || index(names[i], row " ") == 1)
            found = names[i]
    if (found == "") {
        if (problem == "") problem = "table " table " has no row " row
        return 0
    }
    row = found
    found = ""
    if ((id, table, row, column) in value_of)
        found = column
    n = split(heads_of[id, table], names, "\n")
    for (i = 2; i <= n && found == ""; i++)
        if (index(names[i], column) == 1 && (id, table, row, names[i]) in value_of)
            found = names[i]
    if (found == "") {
        if (problem == "") problem = "table " table " has no column " column " in row " row
        return 0
    }
    return number_in(value_of[id, table, row, found], k, "[" reference "]")
}

# "FILE: WORDS: NAME": the number that follows NAME, after WORDS, in a file of the repository.
function constant(reference,    part, count, i, file, k, body, line, place, before)
{
    count = split(reference, part, /: */)
    file = part[1]
    if (!(file in body_of)) {
        body = ""
        while ((getline line <file) > 0)
            body = body "\n" line
        close(file)
        body_of[file] = body
    }
    body = body_of[file]
    if (body == "") {
        if (problem == "") problem = "no file " file
        return 0
    }
    for (i = 2; i <= count; i++) {
        for (;;) {
            place = index(body, part[i])
            if (!place) {
                if (problem == "") problem = file " has no " part[i]
                return 0
            }
            before = substr(body, place - 1, 1)
            body = substr(body, place + length(part[i]))
            if (i < count || before !~ /[A-Za-z0-9_]/ && body ~ /^[^A-Za-z0-9_][^0-9\n]*[0-9]/) break
        }
    }
    if (!match(body, /^[^0-9\n]*[0-9][0-9.]*(e[+-]?[0-9]+)?/)) {
        if (problem == "") problem = file ": no number after " part[count]
        return 0
    }
    body = substr(body, 1, RLENGTH)
    match(body, /[0-9][0-9.]*(e[+-]?[0-9]+)?$/)
    return substr(body, RSTART) + 0
}

# ---- Claims --------------------------------------------------------------------------------------

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
        kinds[slot[i] ~ /\[/ ? "table" : slot[i] ~ /\{/ ? "file" : "arithmetic"]++
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
    while (zeros && (int(v / 10 ^ zeros + 0.5) * 10 ^ zeros > 1.02 * v || int(v / 10 ^ zeros + 0.5) * 10 ^ zeros < 0.98 * v))
        zeros--
    out = sprintf("%d", int(v / 10 ^ zeros + 0.5) * 10 ^ zeros)
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
function judge_words(c, where, text, count,    part, n, i, v, found)
{
    if (text ~ KINDS) {
        judge_kind(c, where, text, "", 0, 1, 0)
        return
    }
    v = evaluate(text)
    kinds[text ~ /\[/ ? "table" : text ~ /\{/ ? "file" : "arithmetic"]++
    if (problem != "") {
        fault(claim_at[c], problem)
        return
    }
    n = tolower(fragment[c])
    sub(/two[- ]thirds/, "two_thirds", n)
    sub(/three[- ]quarters/, "three_quarters", n)
    n = split(n, part, /[^a-z_]+/)
    for (i = 1; i <= n; i++)
        if (part[i] in words) {
            found = 1
            if (fragment[c] ~ /([Aa]bout|almost|nearly|roughly)/ && v >= 0.9 * words[part[i]] && v <= 1.1 * words[part[i]])
                return
            if (fragment[c] ~ /([Mm]ore than|[Oo]ver|at least)/ && v >= words[part[i]] && v <= 2 * words[part[i]])
                return
            if (fragment[c] ~ /([Ll]ess than|at most|under)/ && v <= words[part[i]])
                return
            if (v >= 0.95 * words[part[i]] && v <= 1.05 * words[part[i]])
                return
        }
    if (!found)
        fault(claim_at[c], "\"" fragment[c] "\" holds no number")
    else
        fault(where, "\"" fragment[c] "\" should be " sprintf("%.6g", v) ": " text)
}

function judge_kind(c, where, text, id, l, first, last,    kind, rest, i, n, said, good, hay)
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
        good = 0
        for (i = 1; i <= shown_count["en"] && !good; i++)
            good = has_numbers(shown["en", i], rest, id, l, first, last)
        if (!good)
            fault(where, "no session or listing shows \"" fragment[c] "\" as \"" rest "\"")
    } else if (kind == "run") {
        hay = rest
        sub(/: .*/, "", hay)
        rest = substr(rest, length(hay) + 3)
        good = 0
        if (!(hay in output_of)) {
            output_of[hay] = ""
            while ((hay | getline i) > 0)
                output_of[hay] = output_of[hay] i "\n"
            close(hay)
        }
        good = 0
        n = split(output_of[hay], said, "\n")
        for (i = 1; i <= n; i++)
            good = good || has_numbers(said[i], rest, id, l, first, last)
        if (!good)
            fault(where, hay " prints no \"" quoted(id, l, first, last) "\" as \"" rest "\"")
    } else if (kind == "in") {
        hay = rest
        sub(/: .*/, "", hay)
        rest = substr(rest, length(hay) + 3)
        good = 0
        while ((getline i <hay) > 0)
            good = good || has_numbers(i, rest, id, l, first, last)
        close(hay)
        if (!good)
            fault(where, "no line of " hay " has \"" fragment[c] "\" as \"" rest "\"")
    }
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

# Claim c holds for the numbers first to last of line l; for none if its fragment has only words.
function found(c, id, l, first, last,    k)
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
        count = numbers(mask(text))
        for (k = 1; k <= count; k++) {
            exempt[k] = is_exempt(k, text)
            covered[k] = everywhere[k] = claimed[k] = 0
        }
        for (k = count + 1; k in at; k++) delete at[k]
        equations(mask(text), count, (id == "en" ? page : twin) ":" line_of[id, l], text)
        for (c = 1; c <= claim_count; c++) {
            if (claim_section[c] != "everywhere" && claim_section[c] != section_of[id, l]) continue
            from = 1
            while ((place = fragment[c] ~ /#/ ? find_any(c, text, from, count) : find_words(c, text, from)) > 0) {
                from = stop
                first = last = 0
                for (k = 1; k <= count; k++)
                    if (at[k] >= place && end[k] <= stop) {
                        if (!first) first = k
                        last = k
                    }
                if (mask(fragment[c]) ~ /[0-9]/ && !first) continue
                found(c, id, l, first, last)
            }
        }
        if (text ~ /^\|/ && ("table", section_of[id, l]) in is_tested)
            for (k = 1; k <= count; k++) covered[k] = 1
        for (k = 1; k <= count; k++) {
            all[id]++
            if (id == "en" && !exempt[k] && !covered[k]) {
                uncovered++
                if (!unclaimed)
                    fault(page ":" line_of[id, l], "the number " substr(text, at[k], end[k] - at[k]) \
                        " in \"" around(text, k) "\" has no source")
            }
            in_section[id, section_of[id, l], value[k]] = 1
            if (id == "en" && !exempt[k]) wanted[section_of[id, l], value[k]] = 1
            if (mend && id == "zh" && (section_of[id, l], value[k]) in mended && !claimed[k] && !exempt[k])
                put(id, l, k, mended[section_of[id, l], value[k]])
            if (!single[k]) {
                if (id == "en" && everywhere[k]) in_section["en", "everywhere", value[k]] = 1
                if (id == "zh" && !covered[k] && !exempt[k] && !(("en", section_of[id, l], value[k]) in in_section) && \
                    !(("en", "everywhere", value[k]) in in_section))
                    fault(twin ":" line_of[id, l], "the number " substr(text, at[k], end[k] - at[k]) \
                        " in \"" around(text, k) "\" is not in " page ", section " section_of[id, l])
            }
        }
    }
}

# Sums that a page spells out, as in 8 + 36 + 1 = 45, are checked by themselves: their numbers are covered.
function equations(masked, count, where, text,    place, i, from, left, right, k, first, v)
{
    gsub(/×/, "* ", masked)
    gsub(/·/, "* ", masked)
    gsub(/−/, "-  ", masked)
    gsub(/ x /, " * ", masked)
    for (place = 1; place <= length(masked); place++) {
        if (substr(masked, place, 1) != "=") continue
        for (i = place - 1; i > 0 && substr(masked, i, 1) ~ /[-0-9 .()*\/+\302\260-\271\342\201]/; i--)
            ;
        left = substr(masked, i + 1, place - i - 1)
        from = i + 1
        while (left ~ /^[^0-9(]/) {
            left = substr(left, 2)
            from++
        }
        if (left !~ /[0-9).\260-\271] *[-*\/+] *[(0-9]/) {
            product_of(masked, place, count, where, text)
            continue
        }
        right = substr(masked, place + 1)
        sub(/^ */, "", right)
        first = place + 1 + length(substr(masked, place + 1)) - length(right)
        for (k = 1; k <= count && at[k] != first; k++)
            ;
        if (k > count) continue
        v = evaluate(left)
        if (problem != "") continue
        if (substr(masked, end[k]) ~ /^ *[-*\/+] *[0-9(]/) { # a = b + c = d: compare with d
            sub(/=.*/, "", right)
            if (evaluate(right) != v || problem != "") continue
        } else if (!agrees(k, substr(text, 1, at[k] - 1), v)) {
            fault(where, "the number " substr(text, at[k], end[k] - at[k]) " in \"" around(text, k) \
                "\" should be " sprintf("%.6g", v) ": " left)
            continue
        }
        kinds["arithmetic"]++
        for (i = 1; i <= count; i++)
            if (at[i] >= from && at[i] <= first) covered[i] = 1
    }
}

# The other way round, as in 2047 = 23 * 89: the number that ends before the sign at this place.
function product_of(masked, place, count, where, text,    k, last, right, v)
{
    for (k = 1; k <= count && substr(masked, end[k], place - end[k]) !~ /^ *$/; k++)
        ;
    if (k > count || end[k] > place || value[k] == 0) return
    right = substr(masked, place + 1)
    match(right, /^[-0-9 .()*\/+\302\260-\271\342\201]*/)
    last = place + RLENGTH
    right = substr(right, 1, RLENGTH)
    sub(/[-*\/+ (.]+$/, "", right)
    if (right !~ /[0-9] *[-*\/+] *[(0-9]/ && right !~ /[0-9](\302[\262\263]|\342\201)/) return
    v = evaluate(right)
    if (problem != "") return
    if (!agrees(k, "", v)) {
        fault(where, "the number " substr(text, at[k], end[k] - at[k]) " in \"" around(text, k) \
            "\" should be " sprintf("%.6g", v) ": " right)
        return
    }
    kinds["arithmetic"]++
    for (; k <= count && at[k] <= last; k++) covered[k] = 1
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
    if (before ~ /([Tt]hread|[Ll]ane|[Ww]arp|[Bb]lock|[Bb]ank|[Rr]ow|[Cc]olumn|[Ll]ine|[Rr]ound|[Bb]it|[Bb]yte|[Ee]lement|[Ww]ord|code|status|SM|number|offset) $/)
        return 1
    if (before ~ /([Tt]hreads|[Ll]anes|[Rr]ows|[Cc]olumns|[Ll]ines|[Rr]ounds|[Bb]its|[Bb]ytes|[Ee]lements|[Ww]ords|offsets) ([0-9]+ (to|and) )?$/)
        return 1
    return 0
}

BEGIN {
    WIDTH = "(-(bit|byte)s?| bits| ?位)" # 32-bit and 8 bits are types
    slack = 1e-9
    KINDS = "^(test |from |measured |shown |in |run |example)"
    split("\302\271 1 \302\262 2 \302\263 3 \342\201\260 0 \342\201\264 4 \342\201\265 5 \342\201\266 6 \342\201\267 7 \342\201\270 8 \342\201\271 9", pair, " ")
    for (i = 1; i in pair; i += 2) superscript[pair[i]] = pair[i + 1]
    split("ns 1e-9 us 1e-6 µs 1e-6 ms 1e-3 s 1 min 60 B 1 KB 1e3 kB 1e3 MB 1e6 GB 1e9 TB 1e12 " \
        "KiB 1024 MiB 1048576 GiB 1073741824 TiB 1099511627776 MHz 1e6 GHz 1e9 kHz 1e3 " \
        "B/s 1 KB/s 1e3 MB/s 1e6 GB/s 1e9 TB/s 1e12 MiB/s 1048576 GiB/s 1073741824 " \
        "MFLOP/s 1e6 GFLOP/s 1e9 TFLOP/s 1e12 MFlop/s 1e6 GFlop/s 1e9 TFlop/s 1e12 W 1", pair, " ")
    for (i = 1; i in pair; i += 2) units[pair[i]] = pair[i + 1]
    split("thousand 1e3 million 1e6 billion 1e9 trillion 1e12 万 1e4 亿 1e8 万亿 1e12 K 1e3 M 1e6 G 1e9 " \
        "Ki 1024 Mi 1048576 Gi 1073741824", pair, " ")
    for (i = 1; i in pair; i += 2) magnitudes[pair[i]] = pair[i + 1]
    split("hundred 100 thousand 1000 two_thirds 0.666667 three_quarters 0.75 half 0.5 third 0.333333 quarter 0.25 fifth 0.2 eighth 0.125 one 1 once 1 two 2 twice 2 three 3 " \
        "four 4 five 5 six 6 seven 7 eight 8 nine 9 ten 10 eleven 11 twelve 12 sixteen 16 twenty 20 thirty 30", pair, " ")
    for (i = 1; i in pair; i += 2) words[pair[i]] = pair[i + 1]

    if (tests != "")
        while ((getline line <tests) > 0) is_test[line] = 1
    while ((getline line <sources) > 0)
        if (match(line, /^- [a-z0-9_]+:/)) is_source[substr(line, 3, RLENGTH - 3)] = 1

    read_page(page, "en")
    if (!unclaimed) read_claims(claims)
    match_claims("en")
    for (c = 1; c <= claim_count; c++)
        if (!hits[c] && claim_id[c] == "en")
            fault(claim_at[c], "stale: " page (claim_section[c] == "everywhere" ? "" : ", section " claim_section[c] ",") \
                " does not say \"" fragment[c] "\"")
    if (!unclaimed && twin != "") {
        read_page(twin, "zh")
        match_claims("zh")
        for (c = 1; c <= claim_count; c++)
            if (!hits[c] && claim_id[c] == "zh")
                fault(claim_at[c], "stale: " twin ", section " claim_section[c] ", does not say \"" fragment[c] "\"")
    }
    if (!unclaimed && twin != "")
        for (i in wanted) {
            split(i, part, SUBSEP)
            if (part[2] >= 10 && !(("zh", i) in in_section) && !(i in lacks))
                fault(twin, "section " part[1] " lacks the number " part[2] " of " page)
        }
    if (unclaimed && !uncovered)
        fault(page, "has no number without a source: take it off the list")
    if (!faults) {
        out = ""
        for (kind in kinds) out = out ", " kinds[kind] " " kind
        print "ok " page (unclaimed ? " " uncovered " numbers still without a source" : ":" substr(out, 2))
    }
}
