/* SPDX-License-Identifier: MIT */
/* Who may come in: one reader on the own machine, or the people of an instructor's file. */
#ifndef CLASSROOM_H
#define CLASSROOM_H

#include <stdbool.h>

struct person {
    char *name; /* also the name of the folder of what they hand in */
    char *code; /* NULL: nobody asks for one */
    bool teaches;
};

struct classroom {
    struct person *people;
    int count;
};

/* One reader, whom nobody asks for a code. */
struct classroom classroom_of_one(void);

/* Read a file of lines "NAME: CODE"; whose name is "instructor" sees what all others have passed.
 * False after a line on stderr. */
bool classroom_read(const char *path, struct classroom *classroom);

/* The person of that name and code, or NULL. Takes as long for a wrong code as for a right one, and
 * for a name that there is not. */
const struct person *classroom_find(const struct classroom *classroom, const char *name,
                                    const char *code);

/* The index of who has that name; their count where nobody has. */
int classroom_index(const struct classroom *classroom, const char *name);

/* Are two texts the same? In a time that depends on the length of the second alone. */
bool same_secret(const char *secret, const char *said);

#endif
