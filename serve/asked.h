/* SPDX-License-Identifier: MIT */
/* What the command line of ./tour serve asks for. */
#ifndef ASKED_H
#define ASKED_H

#include <stdbool.h>
#include <stdint.h>

struct asked {
    const char *checkout, *build, *from, *on, *bind, *class, *keep; /* class, keep: or NULL */
    int64_t port;
};

/* False after a line on stderr. */
bool asked_read(int argc, char **argv, struct asked *asked);

#endif
