/* SPDX-License-Identifier: MIT */
/* What ptxas recorded about kernels in a cubin, which holds the machine code of a program. */
#ifndef CUBIN_H
#define CUBIN_H

#include <stddef.h>

/* The registers per thread of `kernel`, a mangled name, or 0 if the `size` bytes at `code` do
 * not tell. Nothing outside these bytes is read. */
int cubin_registers(const void *code, size_t size, const char *kernel);

#endif
