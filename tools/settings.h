/* SPDX-License-Identifier: MIT */
/* The options of a command line, from a table. */
#ifndef SETTINGS_H
#define SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

/* An option, and where its value goes. */
struct setting {
    const char *name; /* without the dashes; NULL behind the last one */
    bool *flag; /* it takes no value */
    const char **text;
    int *count; /* of a list of texts: how many there are; `max` is how many there may be */
    int64_t *number, min, max;
};

/* Read the options of a command line, whose argv[0] is none. They may stand behind other arguments,
 * unless it is a `prefix` of them that is read. Returns the index of the first of the others, which
 * are then behind the options, or -1 after one line on stderr. */
int settings_read(int argc, char **argv, const struct setting *settings, bool prefix);

#endif
