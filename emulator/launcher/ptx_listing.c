/* SPDX-License-Identifier: MIT */
/* Prints the PTX in a program's fat binaries. */
#include "launcher/ptx_listing.h"

#include <stdio.h>
#include <stdlib.h>

#include "cudart/fatbin.h"

/* The section nvcc puts them in, one behind the other, each aligned like its 64-bit numbers. */
static const char section_name[] = ".nv_fatbin";
enum { ALIGNMENT = 8 };

static bool print_entry(const struct fatbin_entry *entry, int *count, char *error)
{
    if (entry->kind != FATBIN_PTX)
        return true;
    char *text = fatbin_text(entry, error);
    if (!text)
        return false;
    printf("%s// compute_%d\n%s", (*count)++ ? "\n" : "", entry->capability, text);
    free(text);
    return true;
}

/* Print one fat binary, and say how long it is. */
static bool print_binary(const unsigned char *data, size_t available, size_t *length, int *count,
                         char *error)
{
    struct fatbin fatbin;
    struct fatbin_entry entry;
    enum fatbin_result result;
    size_t position = 0;

    if (!fatbin_open(&fatbin, data, available, error))
        return false;
    while ((result = fatbin_next(&fatbin, &position, &entry, error)) == FATBIN_OK)
        if (!print_entry(&entry, count, error))
            return false;
    *length = (fatbin.size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return result != FATBIN_BROKEN;
}

bool ptx_listing(const struct elf_file *program, char *error)
{
    size_t size = 0, length;
    int count = 0;

    const unsigned char *data = elf_section(program, section_name, &size);
    for (size_t at = 0; data && at < size; at += length)
        if (!print_binary(data + at, size - at, &length, &count, error))
            return false;
    if (!count)
        snprintf(error, ELF_ERROR_SIZE, "it has no PTX");
    return count > 0;
}
