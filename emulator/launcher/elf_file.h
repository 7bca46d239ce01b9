/* SPDX-License-Identifier: MIT */
/* What the launcher wants to know of a program before it starts it. Whatever the file says, no read
 * leaves it. */
#ifndef ELF_FILE_H
#define ELF_FILE_H

#include "cudart/elf.h"

enum { ELF_ERROR_SIZE = 512 };

/* Map `path`, a program for this machine. Returns false with one line in `error` (ELF_ERROR_SIZE
 * bytes). */
bool elf_open(struct elf_file *file, const char *path, char *error);
void elf_close(struct elf_file *file);

/* Does it name a loader? Else it is a library, or has no libraries. */
bool elf_is_program(const struct elf_file *file);

/* Called for each name; returns false to go no further. */
typedef bool elf_visitor(void *self, const char *name);

/* The libraries the file asks for, as DT_NEEDED names them. */
void elf_libraries(const struct elf_file *file, elf_visitor *visit, void *self);

/* The names of its dynamic symbols: those it has, or those it wants from others. */
void elf_symbols(const struct elf_file *file, bool defined, elf_visitor *visit, void *self);

/* The contents of the section of this name; NULL if there is none. */
const unsigned char *elf_section(const struct elf_file *file, const char *name, size_t *size);

#endif
