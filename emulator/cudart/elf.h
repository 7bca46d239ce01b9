/* SPDX-License-Identifier: MIT */
/* Reads 64-bit ELF files: <elf.h>, System V ABI. Whatever the file says, no read leaves it. */
#ifndef ELF_READER_H
#define ELF_READER_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_file {
    const unsigned char *data;
    size_t size;
};

/* Copy `size` bytes at `offset`; false where the file does not have them. */
bool elf_read(const struct elf_file *file, uint64_t offset, void *to, size_t size);
/* The header of section `index`, whose contents are in the file; false if there is none. */
bool elf_section_header(const struct elf_file *file, unsigned index, Elf64_Shdr *section);
/* A name in a string table; NULL if it is not there, or does not end. */
const char *elf_name(const struct elf_file *file, const Elf64_Shdr *strings, uint64_t offset);
/* The section of this name; false if there is none. */
bool elf_find(const struct elf_file *file, const char *name, Elf64_Shdr *section);

#endif
