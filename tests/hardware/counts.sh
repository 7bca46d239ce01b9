#!/bin/sh
# SPDX-License-Identifier: MIT
# counts.sh EMU GPU PROGRAM [ARGUMENT...] -- [VARIANT FIELD VALUE]...: what the variants of a program of
# the chapter report, and what their kernels do on an emulated GPU. FIELD is
#
#   work         what the rate stands for: rate x time
#   blocks, threads, digest
#   ptx REGEX    how many instructions of the kernel's PTX match
#   any other    a counter of the profile
#
# VALUE is a number; >N or <N, a number on that side; or unlike:VARIANT, another value than that one has.
set -eu

emu=$1
gpu=$2
program=$3
shift 3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
: >"$scratch/arguments"
while [ "$1" != -- ]; do
    echo "$1" >>"$scratch/arguments"
    shift
done
shift

# shellcheck disable=SC2046 # words
"$emu" --gpu "$gpu" --profile=json:"$scratch/profile" "$program" --json \
    $(cat "$scratch/arguments") >"$scratch/rows"
"$emu" --ptx "$program" >"$scratch/ptx" 2>&1 || : # h07 has no kernel

# "VARIANT FIELD VALUE", a line each. Range r of the profile is the r-th row.
awk '
    # The value of a key in the JSON on the line, as it stands there; "" if there is none.
    function field(key,    at, rest) {
        at = index($0, "\"" key "\":")
        if (!at)
            return ""
        rest = substr($0, at + length(key) + 3)
        sub(/^[[{"]*/, "", rest)
        sub(/["\],}].*/, "", rest)
        return rest
    }
    FILENAME ~ /rows$/ {
        variant[++rows] = field("variant")
        sub(/.*"ms":/, "\"ms\":", $0) # the median is within
        median = field("median")
        rate = field("rate")
        printf "%s work %.0f\n", variant[rows], rate * median * 1e6
        print variant[rows], "digest", field("digest")
        next
    }
    !/^"name":/ { next }
    {
        name = variant[field("range")]
        print name, "function", field("function")
        print name, "blocks", field("grid")
        print name, "threads", field("block")
        count = split($0, part, ",")
        for (i = 1; i <= count; i++)
            if (part[i] ~ /^"[a-z_]*":[0-9.]+}?/) {
                split(part[i], pair, ":")
                gsub(/"/, "", pair[1])
                gsub(/[^0-9.]/, "", pair[2])
                print name, pair[1], pair[2]
            }
    }' "$scratch/rows" - >"$scratch/fields" <<EOF
$(tr '{' '\n' <"$scratch/profile")
EOF

# value VARIANT FIELD
value()
{
    case $2 in
    ptx\ *)
        function=$(value "$1" function)
        awk -v function_name="$function" -v wanted="${2#ptx }" '
            /\.entry / { inside = index($0, function_name "(") > 0 }
            inside && $0 ~ wanted { count++ }
            END { print count + 0 }' "$scratch/ptx"
        ;;
    *) awk -v variant="$1" -v field="$2" '$1 == variant && $2 == field { print $3; exit }' \
        "$scratch/fields" ;;
    esac
}

faults=0
while [ $# -gt 0 ]; do
    is=$(value "$1" "$2")
    case $3 in
    unlike:*) other=$(value "${3#unlike:}" "$2") ;;
    *) other= ;;
    esac
    awk -v is="$is" -v wanted="$3" -v other="$other" 'BEGIN {
        if (is == "")
            exit 1
        if (wanted ~ /^unlike:/)
            exit !(other != "" && is != other)
        if (wanted ~ /^>/)
            exit !(is + 0 > substr(wanted, 2) + 0)
        if (wanted ~ /^</)
            exit !(is + 0 < substr(wanted, 2) + 0)
        # The rate has some fifteen digits, the time has six.
        exit !(is - wanted <= 1e-5 * wanted && wanted - is <= 1e-5 * wanted)
    }' || {
        echo "${program##*/} on $gpu: $1, $2 is '$is' and not $3 $other" >&2
        faults=1
    }
    shift 3
done
exit $faults
