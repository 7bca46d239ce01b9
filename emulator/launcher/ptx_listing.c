/* SPDX-License-Identifier: MIT */
/* Prints the PTX in a program's fat binaries. */
#include "launcher/ptx_listing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudart/fatbin.h"

/* The sections nvcc puts them in, one after the other: of whole programs and of objects to be
 * linked (-rdc=true). Each is aligned like its 64-bit numbers, or to 256 bytes on AArch64, with
 * zeros before it. */
static const char *const section_names[] = {".nv_fatbin", "__nv_relfatbin"};
enum { ALIGNMENT = 8 };

/* nvcc links its own library for launches from kernels to all such objects: 15 000 lines. */
static const char device_runtime[] = "_cuda_device_runtime_cu_";

static bool print_entry(const struct fatbin_entry *entry, int *count, char *error)
{
    if (entry->kind != FATBIN_PTX)
        return true;
    char *text = fatbin_text(entry, error);
    if (!text)
        return false;
    if (!strstr(text, device_runtime))
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

static bool is_padding(const unsigned char *data, size_t available)
{
    static const unsigned char zeros[ALIGNMENT];

    return memcmp(data, zeros, available < ALIGNMENT ? available : ALIGNMENT) == 0;
}

static bool print_section(const unsigned char *data, size_t size, int *count, char *error)
{
    size_t length;

    for (size_t at = 0; data && at < size; at += length) {
        length = ALIGNMENT;
        if (!is_padding(data + at, size - at) &&
            !print_binary(data + at, size - at, &length, count, error))
            return false;
    }
    return true;
}

bool ptx_listing(const struct elf_file *program, char *error)
{
    int count = 0;

    for (size_t i = 0; i < sizeof(section_names) / sizeof(section_names[0]); i++) {
        size_t size = 0;
        const unsigned char *data = elf_section(program, section_names[i], &size);
        if (!print_section(data, size, &count, error))
            return false;
    }
    if (!count)
        snprintf(error, ELF_ERROR_SIZE, "it has no PTX");
    return count > 0;
}
