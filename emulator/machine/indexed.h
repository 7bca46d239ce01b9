/* SPDX-License-Identifier: MIT */
/* Addresses of array elements, base + (index << shift), that are used once: the load or the store
 * computes them, and the instructions before it that would have do nothing. */
#ifndef INDEXED_H
#define INDEXED_H

#include "op.h"

/* Find them in a program, once all its functions are bound. */
void indexed_find(struct program *program);

#endif
