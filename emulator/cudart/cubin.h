/* SPDX-License-Identifier: MIT */
/* What ptxas wrote about the kernels of a cubin, the machine code of a program. */
#ifndef CUBIN_H
#define CUBIN_H

#include <stddef.h>

/* Registers of a thread of `kernel`, its mangled name; 0 where the `size` bytes at `code` do not
 * say. No read leaves them. */
int cubin_registers(const void *code, size_t size, const char *kernel);

#endif
