/* SPDX-License-Identifier: MIT */
/* emu --ptx: the PTX that nvcc embedded in a program. */
#ifndef PTX_LISTING_H
#define PTX_LISTING_H

#include "launcher/elf_file.h"

/* Print all PTX of the program to stdout, each text after a comment that says what it is for.
 * Returns false with one line in `error` (ELF_ERROR_SIZE bytes) where there is none, or a fat
 * binary is broken. */
bool ptx_listing(const struct elf_file *program, char *error);

#endif
