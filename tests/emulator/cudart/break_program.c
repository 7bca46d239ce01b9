/* SPDX-License-Identifier: MIT */
/* break_program HOW IN OUT: copy a CUDA program with its fat binary broken.
 *
 *   magic, size, header    a field of the fat binary's headers is nonsense
 *   payload                the packed PTX is nonsense
 *   sass                   its PTX says it is machine code
 *   opcode                 an instruction of its (stored) PTX is unknown
 *   names                  the names of its sections are said to be where no file is
 *   SEED                   a few random bytes of the fat binary are changed
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudart/fatbin.h"
#include "launcher/elf_file.h"

enum { HEADER = 16 };

static void fail(const char *why)
{
    fprintf(stderr, "break_program: %s\n", why);
    exit(2);
}

/* The first PTX entry, as an offset into the section. */
static size_t find_ptx(const unsigned char *section, size_t size, struct fatbin_entry *entry)
{
    char error[FATBIN_ERROR_SIZE];
    struct fatbin fatbin;
    size_t at = 0;

    if (!fatbin_open(&fatbin, section, size, error))
        fail(error);
    for (size_t here = HEADER; fatbin_next(&fatbin, &at, entry, error) == FATBIN_OK; here = at)
        if (entry->kind == FATBIN_PTX)
            return here;
    fail("no PTX in it");
    return 0;
}

static void break_opcode(unsigned char *payload, size_t size)
{
    static const char known[] = "ld.param", unknown[] = "lx.param";
    bool found = false;

    for (size_t i = 0; i + sizeof(known) < size; i++) {
        if (memcmp(payload + i, known, sizeof(known) - 1) != 0)
            continue;
        memcpy(payload + i, unknown, sizeof(known) - 1);
        found = true;
    }
    if (!found)
        fail("no such instruction in it");
}

static void break_randomly(unsigned char *section, size_t size, unsigned long long seed)
{
    unsigned long long random = seed * 0x9E3779B97F4A7C15ULL + 1;

    for (int i = 0; i < 4; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        /* The headers decide most: half of the changes go there. */
        const size_t span = i % 2 && size > 256 ? 256 : size;
        section[random % span] = (unsigned char)(random >> 32);
    }
}

static void break_names(unsigned char *file)
{
    Elf64_Ehdr header;
    Elf64_Shdr names;

    memcpy(&header, file, sizeof(header));
    unsigned char *place = file + header.e_shoff + header.e_shstrndx * sizeof(names);
    memcpy(&names, place, sizeof(names));
    names.sh_type = SHT_NOBITS;
    names.sh_offset = UINT64_C(1) << 40;
    memcpy(place, &names, sizeof(names));
}

static void break_section(const char *how, unsigned char *section, size_t size)
{
    struct fatbin_entry entry;
    const size_t ptx = find_ptx(section, size, &entry);
    unsigned char *payload = section + (entry.payload - section);

    if (!strcmp(how, "magic"))
        section[0] = 0;
    else if (!strcmp(how, "size"))
        memset(section + 8, 0xFF, 8);
    else if (!strcmp(how, "header"))
        memset(section + ptx + 4, 0xFF, 4);
    else if (!strcmp(how, "payload"))
        memset(payload, 0x5A, entry.payload_size);
    else if (!strcmp(how, "sass"))
        section[ptx] = FATBIN_ELF;
    else if (!strcmp(how, "opcode"))
        break_opcode(payload, entry.payload_size);
    else
        break_randomly(section, size, strtoull(how, NULL, 10));
}

int main(int argc, char **argv)
{
    char error[ELF_ERROR_SIZE];
    struct elf_file file;
    size_t size;

    if (argc != 4)
        fail("usage: break_program HOW IN OUT");
    if (!elf_open(&file, argv[2], error))
        fail(error);
    unsigned char *copy = malloc(file.size);
    if (!copy)
        fail("no memory");
    memcpy(copy, file.data, file.size);
    const unsigned char *section = elf_section(&file, ".nv_fatbin", &size);
    if (!section)
        fail("no fat binary in it");
    if (!strcmp(argv[1], "names"))
        break_names(copy);
    else
        break_section(argv[1], copy + (section - file.data), size);
    FILE *out = fopen(argv[3], "wb");
    if (!out || fwrite(copy, 1, file.size, out) != file.size || fclose(out))
        fail("cannot write");
    free(copy);
    elf_close(&file);
    return 0;
}
