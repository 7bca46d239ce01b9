/* SPDX-License-Identifier: MIT */
/* Finds which registers each instruction reads and writes. */
#ifndef USES_H
#define USES_H

#include "compilation.h"

/* Set `registers`, `read_count` and `write_count` of every instruction, and how every register
 * is used. */
void find_uses(struct compilation *compilation, struct ptx_function *function);

#endif
