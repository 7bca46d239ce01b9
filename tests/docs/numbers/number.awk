# SPDX-License-Identifier: MIT
# The numbers in a line of text, with their units, and how exact they are.

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
function power(text,    digit)
{
    power_is = ""
    power_length = match(text, /^(\302[\262\263\271]|\342\201[\260-\271])+/) ? RLENGTH : 0
    if (power_length) power_is = substr(text, 1, power_length)
    for (digit in superscript) gsub(digit, superscript[digit], power_is)
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
