# SPDX-License-Identifier: MIT
# What a claim works out: arithmetic, cells of tables, constants in files.

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
