#!/bin/sh
# SPDX-License-Identifier: MIT
# test_dead_functions.sh DEAD_FUNCTIONS CC: one function called, one pointed to, one that only its own
# file calls, one that nobody does; and an object that no build has any more.
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
for file in parts main gone; do
    "$2" -fPIC -c $file.c -o $file.c.o
done
for file in parts main; do
    printf '"directory": "%s",\n"command": "cc -DNAME=\\"x\\" -o %s.c.o -c %s.c",\n' "$PWD" $file $file
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
