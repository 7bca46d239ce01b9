#!/bin/sh
# SPDX-License-Identifier: MIT
# figures.sh DOCS: the figures in the text of the hardware page, in both languages, are those of the
# page's tables, and of those beside its claims, within a twentieth: a table measured anew does not leave an
# old figure in the text.
set -eu

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Device, step, what to look up: the column of a variant, or its share of that of another one; the
# value; the regular expression of it in the text of the section, "-" if it is said in words.
cat >"$scratch/figures" <<'END'
emulator,h02,stride_16,wavefronts per load,,32,32
gpu,h02,stride_32,time,stride_16,2,-
emulator,h03,shifted,moved/asked,,4.5,4.50
emulator,h03,shifted,modelled,aligned,3.2,-
gpu,h03,shifted,time,aligned,1.04,4 ?%
gpu,h04,bits_32,rate,,2597,2597
gpu,h04,bits_64,rate,,3914,3914
gpu,h04,bits_128,rate,,4273,4273
gpu,h05,bilinear,time,point_rows,1.03,3 ?%
gpu,h06,mul24,time,mul32,1,-
gpu,h06,divide,time,fdividef,7.1,-
gpu,h07,to_device_locked,rate,,55,55
gpu,h07,to_device,rate,,6,6
gpu,h07,to_host,rate,,11,11
gpu,h07,both_locked,rate,to_device_locked,1.8,-
emulator,h08,mad,FMA/clock/SM,,7.85,7.85
gpu,h08,mad,FMA/clock/SM,,126,126
emulator,h09,threads_192,rate,,542,542
emulator,h09,threads_256,rate,,593,593
emulator,h09,threads_3x256,rate,,608,608
gpu,h09,threads_256,rate,threads_512,0.5,-
gpu,h10,each_256,time,none,1,-
gpu,h10,each_4_two,time,each_4,0.77,-
gpu,h12a,by_lane,time,together,1.7,1.7
gpu,h12b,roles,time,exchange,1.14,14 ?%
emulator,h13,run_time,branches,,24576,24 576
gpu,h15,global_many,time,shared_many,1,-
emulator,h13,rolled,branches,,67584,67 584
END

cat "$1/hardware.md" "$1/claims/hardware.md" >"$scratch/tables"
faults=0
for page in "$1/hardware.md" "$1/zh/hardware.md"; do
    # The tables are the English page's: one run fills both.
    awk -v page="$page" '
        # "1.07 ms", "65 536", "4273 GB/s" as a number, times in microseconds.
        function number(cell)
        {
            if (cell ~ / ms$/)
                return 1000 * cell
            gsub(/[^0-9.]/, "", cell)
            return cell + 0
        }
        FNR == 1 { file++ }
        file == 1 {
            figure[++figures] = $0
            next
        }
        file == 2 && /^<!-- tour: / { device = $5 }
        file == 2 && /^#### / {
            step = $2
            sub(/_.*/, "", step)
        }
        file == 2 && /^\|/ {
            count = split(substr($0, 3), cell, / *\| */)
            if (cell[1] == "variant")
                for (i = 1; i <= count; i++)
                    column[i] = cell[i]
            else
                for (i = 2; i <= count; i++)
                    table[device, step, cell[1], column[i]] = number(cell[i])
        }
        file == 3 && /^<a id="/ {
            section = $0
            gsub(/.*="|".*/, "", section)
        }
        file == 3 && !/^\|/ { text[section] = text[section] " " $0 }
        END {
            for (f = 1; f <= figures; f++) {
                split(figure[f], part, ",")
                is = table[part[1], part[2], part[3], part[4]]
                if (part[5] != "" && table[part[1], part[2], part[5], part[4]])
                    is /= table[part[1], part[2], part[5], part[4]]
                if (is < 0.95 * part[6] || is > 1.05 * part[6]) {
                    print page ": the tables say " is ": " figure[f]
                    bad = 1
                }
                if (part[7] != "-" && text[part[2]] !~ "(^|[^0-9.])" part[7] "($|[^0-9.]|[.][^0-9])") {
                    print page ": the text of " part[2] " does not say " part[7]
                    bad = 1
                }
            }
            exit bad
        }' "$scratch/figures" "$scratch/tables" "$page" >&2 || faults=1
done
exit $faults
