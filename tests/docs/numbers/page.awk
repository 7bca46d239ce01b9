# SPDX-License-Identifier: MIT
# What a page says, and where: its lines of prose, its tables, what its sessions show.

function fault(where, what) { print where ": " what; faults++ }

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
    text = blank(text, "x86-64|[0-9]+_[A-Za-z0-9_]*|[0-9]+(st|nd|rd|th)([^A-Za-z]|$)")
    text = blank(text, "toolkit, [0-9]+ or [0-9]+")
    text = blank(text, "IEEE 754(-[0-9]+)?|FIPS [0-9]+|ISO [0-9]+|UTF-[0-9]+|RFC [0-9]+")
    text = blank(text, "(CUDA|PTX|PTX ISA|CMake|Ubuntu|Debian|Linux|CUB|Clang|clang|GCC|gcc|nvcc|Python|driver|" \
        "toolkit|[Vv]ersions?|capability|计算能力|驱动|工具包|版本)[ -]?" \
        "[0-9][0-9.]*( (and|to|or|和|到) [0-9][0-9.]*[0-9])?")
    text = blank(text, "[A-Za-z_][A-Za-z_.]*-?[0-9][0-9A-Za-z_.]*")
    text = blank(text, "[0-9]D([^A-Za-z]|$)")
    text = blank(text, "(in|of|since|until|from|before|after|by|late|early|for|and|to|article|'s) " \
        "(19[89]|20[0-2])[0-9]([^0-9A-Za-z%]|$)")
    text = blank(text, "0x[0-9A-Fa-f]*|[0-9.]+ 版|(, |，)(19[89]|20[0-2])[0-9](\\)|）)|（(19[89]|20[0-2])[0-9]）")
    text = blank(text, "(19[89]|20[0-2])[0-9]( and |、)(19[89]|20[0-2])[0-9]")
    text = blank(text, "\\((19[89]|20[0-2])[0-9]\\)")
    text = blank(text, "(19[89]|20[0-2])[0-9] ?(年|article|talk)")
    text = blank(text, "([Cc]hapter|[Ss]ections?|[Tt]able|[Ff]igure|[Pp]uzzles?|[Aa]nswers?|[Hh]ints?) " \
        "[0-9][0-9.]*( (and|to) [0-9]+)?")
    text = blank(text, "第 ?[0-9]+(\\.[0-9]+)* ?(章|节|题|步)")
    return text
}

function read_page(file, id,    line, number, code, made, name, section, last, i)
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

function read_row(id, table, line,    piece, count, i)
{
    gsub(/×/, "x", line)
    gsub(/\\_/, "_", line)
    count = split(line, piece, /\|/)
    if (line ~ /^\|[-:|]*$/)
        return
    if (header_of == "") {
        for (i in head) delete head[i]
        header_of = table
        for (i = 2; i < count; i++) head[i] = trim(piece[i])
        return
    }
    for (i = 3; i < count; i++)
        if (i in head) {
            put_cell(id, table, trim(piece[2]), head[i], trim(piece[i]))
            if (part_of != "")
                put_cell(id, table, part_of "/" trim(piece[2]), head[i], trim(piece[i]))
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
    columns_of[id, table, row] = columns_of[id, table, row] "\n" column
}
