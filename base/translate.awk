# SPDX-License-Identifier: MIT
# translate.awk messages.def FILE: the lines of FILE in Chinese, as translate.c has it, for a shell that
# has to speak before there is a program. What is not in the table stays English.

# What is in the strings at the beginning of `text`, joined, with what follows them in `rest`.
function strings(text,    joined, end)
{
    joined = ""
    while (text ~ /^[ \n]*"/) {
        sub(/^[ \n]*"/, "", text)
        end = match(text, /[^\\]"/)
        joined = joined (text ~ /^"/ ? "" : substr(text, 1, end))
        text = substr(text, text ~ /^"/ ? 2 : end + 2)
    }
    rest = text
    return joined
}

# Is `text` what `pattern` says? Then `parts` has what stands for its parameters, by their numbers.
function fits(pattern, text, parts,    at, number, end)
{
    at = match(pattern, /[{][1-9][}]/)
    if (!at)
        return text == pattern
    if (substr(text, 1, at - 1) != substr(pattern, 1, at - 1))
        return 0
    number = substr(pattern, at + 1, 1)
    pattern = substr(pattern, at + 3)
    text = substr(text, at)
    for (end = 1; end <= length(text); end++) {
        parts[number] = substr(text, 1, end)
        if (fits(pattern, substr(text, end + 1), parts))
            return 1
    }
    return 0
}

function translate(text,    i, best, most, own, parts, chinese, before)
{
    most = -1
    for (i = 1; i <= count; i++) {
        own = length(english[i]) - 3 * gsub(/[{][1-9][}]/, "&", english[i])
        if (own > most && fits(english[i], text, parts)) {
            most = own
            best = i
        }
    }
    if (most < 4) # a joint, which fits all sorts of texts
        return text
    fits(english[best], text, parts)
    chinese = to[best]
    text = ""
    while (match(chinese, /[{<][1-9][}>]/)) {
        i = substr(chinese, RSTART + 1, 1)
        text = text substr(chinese, 1, RSTART - 1)
        before = substr(chinese, RSTART, 1)
        chinese = substr(chinese, RSTART + RLENGTH)
        text = text (before == "<" ? translate(parts[i]) : parts[i])
    }
    return text chinese
}

FNR == NR {
    if (/^M[(]/ || entry != "")
        entry = entry $0 "\n"
    if (entry ~ /[)]\n$/ && entry != "") {
        english[++count] = strings(substr(entry, 3))
        sub(/^,/, "", rest)
        to[count] = strings(rest)
        entry = ""
    }
    next
}
{ print translate($0) }
