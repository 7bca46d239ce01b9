/* SPDX-License-Identifier: MIT */
/* A cubin is a 64-bit ELF file. Its section .nv.info is a list of attributes. Each has a byte
 * for its form and a byte for its meaning. Two bytes follow: the value or, in form 4, the length
 * of the value, which comes next. The value of a register count is the index of the kernel's
 * symbol and then the count, four bytes each. So nvcc 13 writes it for sm_75, sm_90 and sm_100,
 * and the count is the one that ptxas -v prints. */
#include "cudart/cubin.h"

#include <string.h>

#include "cudart/elf.h"

enum { FORM_SIZED = 4, ATTRIBUTE_REGISTERS = 0x2f, VALUE = 4 };

/* Is symbol `index` of the table that `info` goes with of this name? */
static bool is_symbol(const struct elf_file *cubin, const Elf64_Shdr *info, uint32_t index,
                      const char *name)
{
    Elf64_Shdr symbols, strings;
    Elf64_Sym symbol;

    if (!elf_section_header(cubin, info->sh_link, &symbols) || symbols.sh_type != SHT_SYMTAB ||
        index >= symbols.sh_size / sizeof(symbol) ||
        !elf_read(cubin, symbols.sh_offset + index * sizeof(symbol), &symbol, sizeof(symbol)) ||
        !elf_section_header(cubin, symbols.sh_link, &strings))
        return false;
    const char *found = elf_name(cubin, &strings, symbol.st_name);
    return found && !strcmp(found, name);
}

int cubin_registers(const void *code, size_t size, const char *kernel)
{
    const struct elf_file cubin = {code, size};
    struct {
        uint8_t form, what;
        uint16_t length;
    } head;
    uint32_t value[2];
    Elf64_Shdr info;

    if (!elf_find(&cubin, ".nv.info", &info))
        return 0;
    const uint64_t end = info.sh_offset + info.sh_size;
    for (uint64_t at = info.sh_offset; at < end && elf_read(&cubin, at, &head, sizeof(head));
         at += VALUE + (head.form == FORM_SIZED ? head.length : 0)) {
        if (head.form != FORM_SIZED || head.what != ATTRIBUTE_REGISTERS ||
            head.length != sizeof(value) || !elf_read(&cubin, at + VALUE, value, sizeof(value)))
            continue;
        if (is_symbol(&cubin, &info, value[0], kernel))
            return value[1] <= UINT8_MAX ? (int)value[1] : 0;
    }
    return 0;
}
