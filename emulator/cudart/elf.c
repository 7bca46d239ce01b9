/* SPDX-License-Identifier: MIT */
#include "cudart/elf.h"

#include <string.h>

bool elf_read(const struct elf_file *file, uint64_t offset, void *to, size_t size)
{
    if (offset > file->size || size > file->size - offset)
        return false;
    memcpy(to, file->data + offset, size);
    return true;
}

bool elf_section_header(const struct elf_file *file, unsigned index, Elf64_Shdr *section)
{
    Elf64_Ehdr header;

    return elf_read(file, 0, &header, sizeof(header)) && index < header.e_shnum &&
           header.e_shentsize == sizeof(*section) && header.e_shoff <= file->size &&
           elf_read(file, header.e_shoff + (uint64_t)index * sizeof(*section), section,
                    sizeof(*section)) &&
           (section->sh_type == SHT_NOBITS ||
            (section->sh_offset <= file->size &&
             section->sh_size <= file->size - section->sh_offset));
}

const char *elf_name(const struct elf_file *file, const Elf64_Shdr *strings, uint64_t offset)
{
    if (strings->sh_type != SHT_STRTAB || offset >= strings->sh_size)
        return NULL;
    const char *name = (const char *)file->data + strings->sh_offset + offset;
    return memchr(name, '\0', strings->sh_size - offset) ? name : NULL;
}

bool elf_find(const struct elf_file *file, const char *name, Elf64_Shdr *section)
{
    Elf64_Ehdr header;
    Elf64_Shdr names;

    if (!elf_read(file, 0, &header, sizeof(header)) ||
        !elf_section_header(file, header.e_shstrndx, &names))
        return false;
    for (unsigned i = 0; elf_section_header(file, i, section); i++) {
        const char *found = elf_name(file, &names, section->sh_name);
        if (found && !strcmp(found, name) && section->sh_type != SHT_NOBITS)
            return true;
    }
    return false;
}
