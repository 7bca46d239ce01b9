# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# What the tests of Chinese output share. They have a $folder and fail().

# Words that the Chinese pages keep, units, and what stands for something to be put in.
kept='CUDA|GPU|PTX|SM|GeForce|GT|GTX|Tesla|H|warp|lane|kernel|block|shuffle|bank|wavefront|cluster|host'
kept="$kept|device|n|ns|us|ms|s|GB|MB|KB|KiB|MiB|GFLOP|Gword|ulp|FMA|x|y|N|tour|emu|nvcc|diff|check|puzzle"
kept="$kept|hint|watch|solution|shared|fence|syncthreads|syncwarp|atomicAdd|Ctrl|README|sumsq|reduction|hardware"

# no_english NAME: no word in $folder/NAME is English but those. What has a digit or a sign in it is a
# name, and so is what stands in quotes.
no_english()
{
    if LC_ALL=C sed "s/'[^']*'//g; s/\`[^\`]*\`//g" "$folder/$1" |
        LC_ALL=C tr '\200-\377 ,:;()[]|\t' '[\n*]' | grep -xE '[A-Za-z]{2,}[.?!]?' | grep -vxE "($kept)[.?!]?" |
        sort -u | grep . >"$folder/english"; then
        fail "English in what it said in Chinese: $(tr '\n' ' ' <"$folder/english")"
    fi
}
