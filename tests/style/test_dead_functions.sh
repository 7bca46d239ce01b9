#!/bin/sh
# SPDX-License-Identifier: MIT
# test_dead_functions.sh DEAD_FUNCTIONS CC: one function called, one pointed to, one that only its own
# file calls, one that nobody does; and objects that no build has any more, or that are older than their source.
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/a build"
cd "$folder/a build"

cat >parts.c <<'EOF'
int called(void);
int pointed_to(void);
int at_home(void);
int dead(void);
int called(void) { return 0; }
int pointed_to(void) { return 0; }
int at_home(void) { return 0; }
int dead(void) { return at_home(); }
EOF
cat >main.c <<'EOF'
int called(void);
int pointed_to(void);
int (*pointer)(void) = pointed_to;
int main(void) { return called() + pointer(); }
EOF
echo 'int dead(void); int once(void); int once(void) { return dead(); }' >gone.c
cp gone.c before.c
for file in parts main gone before; do
    "$2" -fPIC -c $file.c -o $file.c.o
done
touch -d 'tomorrow' before.c
for file in parts main before; do
    printf '"directory": "%s",\n"command": "cc -DNAME=\\"x\\" -o %s.c.o -c %s.c",\n' "$PWD" $file $file
    printf '"file": "%s/%s.c"\n' "$PWD" $file
done >compile_commands.json

if named=$(sh "$1" .); then
    echo 'found nothing' >&2
    exit 1
fi
[ "$named" = "nobody else uses
$PWD/parts.c.o: at_home
$PWD/parts.c.o: dead" ] || {
    echo "$named" >&2
    exit 1
}
