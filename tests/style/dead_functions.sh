#!/bin/sh
# SPDX-License-Identifier: MIT
# dead_functions.sh BUILD: each function of our C that other files can call is called, or pointed to, by
# one. Any other could be static, and then the compiler says so if nobody needs it. Names each. What
# programs find by its name in the runtime, the driver, NVRTC, cuSPARSE and cuBLASLt is theirs to call,
# and what trial.c, results.c, inputs.c and trial_gpu.c offer is for any puzzle to come, and what
# calibration.c does for programs that only `more` builds.
set -eu

cd "$1"
# The objects of today: others may lie about from builds before, also of today's sources as they were, and
# some are built for `more` alone.
objects=$(awk '
    $1 == "\"directory\":" { split($0, quoted, "\""); folder = quoted[4] }
    $1 == "\"command\":" {
        for (i = 2; i < NF; i++)
            if ($i == "-o") {
                gsub(/[",]/, "", $(i + 1))
                object = folder "/" $(i + 1)
            }
    }
    $1 == "\"file\":" { split($0, quoted, "\""); print object "\n" quoted[4] }
    ' compile_commands.json | while read -r object && read -r source; do
    [ "$object" -ot "$source" ] || [ ! -e "$object" ] || echo "$object"
done)

dead=$(echo "$objects" | tr '\n' '\0' | xargs -0 nm -P -o | awk -F ': ' '
    { split($2, symbol, " ") }
    symbol[2] == "U" { used[symbol[1]] }
    symbol[2] == "T" && $1 ~ /\.c\.o$/ && $1 !~ /\/(trial(_gpu)?|results|inputs|calibration)\.c\.o$/ { object[symbol[1]] = $1 }
    END {
        for (name in object)
            if (!(name in used) && name !~ /^(main$|cu[A-Z]|cuda|cusparse|cublasLt|nvrtc|__cuda|__asan|_Exit$)/)
                print object[name] ": " name
    }' | sort)
if [ -n "$dead" ]; then
    printf 'nobody else uses\n%s\n' "$dead"
    exit 1
fi
