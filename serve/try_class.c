/* SPDX-License-Identifier: MIT */
/* Before the long build: are the options of ./tour serve in order, and the class's file? */
#include <stddef.h>

#include "asked.h"
#include "classroom.h"

int main(int argc, char **argv)
{
    struct asked asked;
    struct classroom classroom;

    return asked_read(argc, argv, &asked) &&
                   (!asked.class || classroom_read(asked.class, &classroom))
               ? 0
               : 2;
}
