#!/bin/sh
# SPDX-License-Identifier: MIT
# trace_file.sh EMU PROGRAM: which files --trace changes, when, and what it says where it cannot.
# PROGRAM prints "done".
set -eu
. "$(dirname "$0")/../ends.sh"

emu=$1
program=$2
folder=$(mktemp -d)
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
cd "$folder"

# only FILE...: nothing else lies here.
only()
{
    printf '%s\n' printed program said "$@" | sort >wanted_files
    find . -type f ! -name '*_files' | sed 's/..//' | sort >found_files
    cmp -s wanted_files found_files || wrong "files: $(tr '\n' ' ' <found_files)"
}

cp "$program" program
: >said
: >printed

# The command line is wrong: nothing is touched.
echo '<!doctype html>of an earlier run' >a.html
cp a.html a.html.before
ends 2 "'$PWD/a.xml' ends neither in .html nor in .json" --trace=a.xml ./program
ends 2 "'$PWD/html' ends neither" --trace=html ./program
ends 2 '--trace wants a value' --trace= ./program
ends 2 'no program to run' --trace=a.html
ends 2 "no GPU 'none'" --trace=a.html --gpu none ./program
ends 127 'No such file' --trace=a.html ./nowhere
cmp -s a.html a.html.before || wrong 'a.html has changed'
rm a.html.before

# Where it cannot be written, the program does not start.
cp program tool.html
ends 2 'tool.html is nothing that emu wrote' --trace=tool.html ./program
cmp -s program tool.html || wrong 'a program was written over'
rm tool.html
mkdir folder.html
ends 2 'cannot write' --trace=folder.html ./program
rmdir folder.html
ends 2 'cannot write /nowhere/a.html: No such file' --trace=/nowhere/a.html ./program
[ ! -s printed ] || wrong 'the program ran'

# It takes the place of an earlier one; a link stays a link.
ends 0 '' --trace=a.html ./program
grep -q '^</html>' a.html || wrong 'a.html: no page'
ends 0 '' --trace b.json ./program
grep -q '"traceEvents":\[' b.json || wrong 'b.json: no events'
mkdir other
: >other/c.html
ln -s other/c.html c.html
ends 0 '' --trace=c.html ./program
[ -h c.html ] || wrong 'c.html: no link any more'
grep -q '^</html>' other/c.html || wrong 'other/c.html: no page'
rm -r c.html other
only a.html b.json

# A program that launches nothing has a page, too.
ends 0 '' --trace=a.html --profile=json:said.json ./program nothing
rm said.json

# The disk is full: one line and an exit code, and what the program did stands. No half of a file,
# nothing of an earlier run and nothing beside it is left.
code=0
(
    trap '' XFSZ
    ulimit -f 8
    exec "$emu" --trace=a.html ./program >printed 2>said
) || code=$?
[ $code -eq 1 ] || wrong "full disk: exit code $code"
grep -qx 'done' printed || wrong 'full disk: the program has not ended'
[ "$(wc -l <said)" -eq 1 ] || wrong 'full disk: not one line'
grep -q 'emu: --trace: cannot write .*/a.html: File too large' said || wrong 'full disk: not said'
only b.json

# So is /dev/full; --error-exitcode is for what goes wrong on the device.
ln -s /dev/full full.html
ends 1 'full.html: No space left' --trace=full.html ./program
grep -qx 'done' printed || wrong 'the program has not ended'
ends 1 'full.html: No space left' --trace=full.html --error-exitcode 9 ./program

# The folder went away while the program ran: a pipe is written to as it is.
"$emu" --trace=/dev/fd/3.html ./program >printed 2>said 3>&1 && wrong 'wrote to /dev/fd/3.html'
mkfifo pipe.json
cat pipe.json >through &
ends 0 '' --trace=pipe.json ./program
wait
grep -q '"traceEvents":\[' through || wrong 'no events through a pipe'
