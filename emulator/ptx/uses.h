/* SPDX-License-Identifier: MIT */
/* Which registers instructions read and write, worked out once for all who ask. */
#ifndef USES_H
#define USES_H

#include "compilation.h"

/* `registers` and their counts of every instruction; and of every register how it is used. */
void find_uses(struct compilation *compilation, struct ptx_function *function);

#endif
