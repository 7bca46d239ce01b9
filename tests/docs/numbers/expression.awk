# SPDX-License-Identifier: MIT
# What a claim works out: arithmetic, cells of tables, constants in files.

# Sums of products of powers of numbers, (...), NAME(...), [cells] and {constants}: worked out from the
# inside, each part put back as a number. problem is set where the text cannot be evaluated.
function evaluate(text,    start, part, inner)
{
    problem = ""
    while (match(text, /\[[^]]*\]|\{[^}]*\}/)) {
        start = RSTART
        part = substr(text, RSTART, RLENGTH)
        inner = substr(part, 2, RLENGTH - 2)
        text = put_back(text, start, part, part ~ /^\[/ ? cell(inner) : constant(inner))
    }
    gsub(/×|·/, "*", text)
    gsub(/−/, "-", text)
    for (part in superscript) gsub(part, "\004" superscript[part], text)
    while (match(text, /(\004[0-9])+/)) {
        part = inner = substr(text, RSTART, RLENGTH)
        gsub(/\004/, "", inner)
        text = substr(text, 1, RSTART - 1) "^" inner substr(text, RSTART + RLENGTH)
    }
    while (match(text, /[0-9] [0-9][0-9][0-9]/))
        text = substr(text, 1, RSTART) substr(text, RSTART + 2)
    gsub(/ /, "", text)
    while (match(text, /(min|max|floor|ceil|log2|sqrt)?\([^()]*\)/)) {
        start = RSTART
        part = inner = substr(text, RSTART, RLENGTH)
        sub(/^[^(]*\(/, "", inner)
        sub(/\)$/, "", inner)
        text = put_back(text, start, part, call(substr(part, 1, index(part, "(") - 1), inner))
    }
    if (text ~ /[()]/) complain("a ( without )")
    return sum_of(text)
}

function complain(what) { if (problem == "") problem = what }

# The text with a number in the place of the part that begins at `start`.
function put_back(text, start, part, v)
{
    return substr(text, 1, start - 1) sprintf("%.17g", v) substr(text, start + length(part))
}

function call(name, arguments,    part, count, i, v, w)
{
    count = split(arguments, part, ",")
    v = sum_of(part[1])
    for (i = 2; i <= count; i++) {
        w = sum_of(part[i])
        if (name == "min" ? w < v : w > v) v = w
    }
    if (name == "floor") return int(v)
    if (name == "ceil") return int(v) + (v > int(v))
    if (name == "log2") return log(v) / log(2)
    return name == "sqrt" ? sqrt(v) : v
}

# Without brackets: powers first, then products, then sums from the left.
function sum_of(text)
{
    while (match(text, UNSIGNED "\\^" SIGNED)) text = apply(text)
    while (match(text, SIGNED "[*/]" SIGNED)) text = apply(text)
    while (match(text, "^" SIGNED "[-+]" SIGNED)) text = apply(text)
    if (text !~ "^" SIGNED "$") complain("cannot read \"" text "\"")
    return text + 0
}

# The text with what was matched, a number, a sign and a number, worked out.
function apply(text,    start, part, a, b, sign)
{
    start = RSTART
    part = substr(text, RSTART, RLENGTH)
    match(part, SIGNED)
    a = substr(part, 1, RLENGTH)
    sign = substr(part, RLENGTH + 1, 1)
    b = substr(part, RLENGTH + 2)
    if (sign == "/" && b == 0) {
        complain("division by 0")
        b = 1
    }
    return put_back(text, start, part, \
        sign == "^" ? a ^ b : sign == "*" ? a * b : sign == "/" ? a / b : sign == "+" ? a + b : a - b)
}

# The k-th number in a text, its unit multiplied in; without one, a problem.
function number_in(text, k, what)
{
    if (numbers_of(text) >= k) return other_value[k]
    complain(what " has no number" (k > 1 ? " #" k : ""))
    return 0
}

# The numbers of a text beside those of the line at hand, `current`: other_value[], as a quantity.
function numbers_of(text,    i, count)
{
    gsub(/×/, "x", text)
    while (match(text, /[0-9]e-[0-9]/))
        text = substr(text, 1, RSTART) "\001\002" substr(text, RSTART + 3)
    count = numbers(text)
    for (i = 1; i <= count; i++) {
        other_plain[i] = value[i]
        other_value[i] = value[i] * factor[i]
    }
    numbers(current)
    return count
}

# "TABLE ROW COLUMN [#k]": a cell of a table of this page, or with PAGE/TABLE of another.
function cell(reference,    id, table, row, column, k, names, part, found)
{
    k = 1
    if (match(reference, / #[0-9]+$/)) {
        k = substr(reference, RSTART + 2) + 0
        reference = substr(reference, 1, RSTART - 1)
    }
    split(reference, part, " ")
    table = part[1]
    row = part[2]
    id = "en"
    if (split(table, names, "/") == 2) {
        id = names[1] == "README" ? "README.md" : "docs/" names[1] ".md"
        table = names[2]
        if (!(id in read) && !read_page(id, id)) complain("no page " id)
        read[id] = 1
    }
    column = substr(reference, length(part[1]) + 2)
    if (column ~ /^"/) {
        row = substr(column, 2, index(substr(column, 2), "\"") - 1)
        column = substr(column, length(row) + 4)
    } else
        column = substr(column, length(row) + 2)
    found = named_like(rows_of[id, table], row, "[_ ]")
    if (found == "") complain("table " table " has no row " row)
    row = found
    found = column
    if (!((id, table, row, column) in value_of))
        found = named_like(columns_of[id, table, row], column, "")
    if (found == "") complain("table " table " has no column " column " in row " row)
    return problem != "" ? 0 : number_in(value_of[id, table, row, found], k, "[" reference "]")
}

# The first line that is `name`, or begins with it and goes on with `more`; "" for none.
function named_like(lines, name, more,    part, count, i)
{
    count = split(lines, part, "\n")
    for (i = 2; i <= count; i++)
        if (part[i] == name || index(part[i], name) == 1 && substr(part[i], length(name) + 1) ~ "^" more)
            return part[i]
    return ""
}

# "FILE: WORDS: NAME": the number that follows NAME, after WORDS, in a file of the repository.
function constant(reference,    part, count, i, body, place, before)
{
    count = split(reference, part, /: */)
    body = text_of_file(part[1])
    if (body == "") complain("no file " part[1])
    for (i = 2; i <= count && problem == ""; i++)
        do {
            place = index(body, part[i])
            if (!place) complain(part[1] " has no " part[i])
            before = substr(body, place - 1, 1)
            body = substr(body, place + length(part[i]))
        } while (place && i == count && (before ~ /[A-Za-z0-9_]/ || body !~ /^[^A-Za-z0-9_][^0-9\n]*[0-9]/))
    if (problem != "") return 0
    if (!match(body, /^[^0-9\n]*[0-9][0-9.]*(e[+-]?[0-9]+)?/))
        complain(part[1] ": no number after " part[count])
    body = substr(body, 1, RLENGTH)
    match(body, /[0-9][0-9.]*(e[+-]?[0-9]+)?$/)
    return substr(body, RSTART) + 0
}

# All of a file, each line behind a line break; of a command, what it prints.
function text_of_file(file, command,    line, body)
{
    if (!((file, command) in body_of)) {
        while ((command != "" ? (command | getline line) : (getline line <file)) > 0) body = body "\n" line
        close(command != "" ? command : file)
        body_of[file, command] = body
    }
    return body_of[file, command]
}
