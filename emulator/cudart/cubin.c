/* SPDX-License-Identifier: MIT */
/* A cubin is a 64-bit ELF file. Its section .nv.info is a list of attributes. Each has a byte
 * for its form and a byte for its meaning. Two bytes follow: the value or, in form 4, the length
 * of the value, which comes next. The value of a register count is the index of the kernel's
 * symbol and then the count, four bytes each. So nvcc 13 writes it for sm_75, sm_90 and sm_100,
 * and the count is the one that ptxas -v prints. */
#include "cudart/cubin.h"

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { FORM_SIZED = 4, ATTRIBUTE_REGISTERS = 0x2f, VALUE = 4 };

struct cubin {
    const unsigned char *data;
    size_t size;
};

/* Copy `size` bytes at `offset`. Returns false if the file ends before. */
static bool read_at(const struct cubin *cubin, uint64_t offset, void *to, size_t size)
{
    if (offset > cubin->size || size > cubin->size - offset)
        return false;
    memcpy(to, cubin->data + offset, size);
    return true;
}

static bool read_section(const struct cubin *cubin, unsigned index, Elf64_Shdr *section)
{
    Elf64_Ehdr header;

    return read_at(cubin, 0, &header, sizeof(header)) && !memcmp(header.e_ident, ELFMAG, SELFMAG) &&
           index < header.e_shnum && header.e_shoff <= cubin->size &&
           read_at(cubin, header.e_shoff + (uint64_t)index * sizeof(*section), section,
                   sizeof(*section)) &&
           (section->sh_type == SHT_NOBITS ||
            (section->sh_offset <= cubin->size &&
             section->sh_size <= cubin->size - section->sh_offset));
}

/* Is this the name at `offset` of a string table? */
static bool is_named(const struct cubin *cubin, const Elf64_Shdr *strings, uint64_t offset,
                     const char *name)
{
    const size_t length = strlen(name) + 1;

    return strings->sh_type == SHT_STRTAB && offset < strings->sh_size &&
           length <= strings->sh_size - offset &&
           !memcmp(cubin->data + strings->sh_offset + offset, name, length);
}

static bool find_section(const struct cubin *cubin, const char *name, Elf64_Shdr *section)
{
    Elf64_Ehdr header;
    Elf64_Shdr names;

    if (!read_at(cubin, 0, &header, sizeof(header)) ||
        !read_section(cubin, header.e_shstrndx, &names))
        return false;
    for (unsigned i = 0; read_section(cubin, i, section); i++)
        if (section->sh_type != SHT_NOBITS && is_named(cubin, &names, section->sh_name, name))
            return true;
    return false;
}

static bool is_symbol(const struct cubin *cubin, const Elf64_Shdr *info, uint32_t index,
                      const char *name)
{
    Elf64_Shdr symbols, strings;
    Elf64_Sym symbol;

    return read_section(cubin, info->sh_link, &symbols) && symbols.sh_type == SHT_SYMTAB &&
           index < symbols.sh_size / sizeof(symbol) &&
           read_at(cubin, symbols.sh_offset + index * sizeof(symbol), &symbol, sizeof(symbol)) &&
           read_section(cubin, symbols.sh_link, &strings) &&
           is_named(cubin, &strings, symbol.st_name, name);
}

int cubin_registers(const void *code, size_t size, const char *kernel)
{
    const struct cubin cubin = {code, size};
    struct {
        uint8_t form, what;
        uint16_t length;
    } head;
    uint32_t value[2];
    Elf64_Shdr info;

    if (!find_section(&cubin, ".nv.info", &info))
        return 0;
    const uint64_t end = info.sh_offset + info.sh_size;
    for (uint64_t at = info.sh_offset; at < end && read_at(&cubin, at, &head, sizeof(head));
         at += VALUE + (head.form == FORM_SIZED ? head.length : 0)) {
        if (head.form != FORM_SIZED || head.what != ATTRIBUTE_REGISTERS ||
            head.length != sizeof(value) || !read_at(&cubin, at + VALUE, value, sizeof(value)))
            continue;
        if (is_symbol(&cubin, &info, value[0], kernel))
            return value[1] <= UINT8_MAX ? (int)value[1] : 0;
    }
    return 0;
}
