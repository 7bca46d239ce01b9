/* SPDX-License-Identifier: MIT */
/* Reads programs: libraries, dynamic symbols, sections. */
#include "launcher/elf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { THIS_MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { THIS_MACHINE = EM_AARCH64 };
#else
#error "CUDA programs run on x86-64 and AArch64"
#endif

/* Why the mapped file is not one we can start, or NULL. */
static const char *refuse(const struct elf_file *file)
{
    const unsigned char *data = file->data;
    Elf64_Ehdr header;

    if (file->size >= 2 && data[0] == '#' && data[1] == '!')
        return "is a script: emu takes the CUDA program itself";
    if (file->size < sizeof(header) || memcmp(data, ELFMAG, SELFMAG) != 0)
        return "is not a program (no ELF file)";
    memcpy(&header, data, sizeof(header));
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
        header.e_machine != THIS_MACHINE)
        return "is a program for another kind of machine";
    if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
        return "is not a program (an object file?)";
    return NULL;
}

bool elf_open(struct elf_file *file, const char *path, char *error)
{
    struct stat status;

    *file = (struct elf_file){0};
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0 || fstat(descriptor, &status)) {
        snprintf(error, ELF_ERROR_SIZE, "%s: %s", path, strerror(errno));
        if (descriptor >= 0)
            close(descriptor);
        return false;
    }
    if (status.st_size > 0) {
        void *data = mmap(NULL, status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (data != MAP_FAILED)
            *file = (struct elf_file){data, status.st_size};
    }
    close(descriptor);
    const char *reason = refuse(file);
    if (reason) {
        snprintf(error, ELF_ERROR_SIZE, "%s %s", path, reason);
        elf_close(file);
    }
    return !reason;
}

void elf_close(struct elf_file *file)
{
    if (file->data)
        munmap((void *)file->data, file->size);
    *file = (struct elf_file){0};
}

/* The first section of a type, with the string table it goes with. */
static bool find_section(const struct elf_file *file, unsigned type, Elf64_Shdr *section,
                         Elf64_Shdr *strings)
{
    for (unsigned i = 0; elf_section_header(file, i, section); i++)
        if (section->sh_type == type)
            return elf_section_header(file, section->sh_link, strings);
    return false;
}

bool elf_is_program(const struct elf_file *file)
{
    Elf64_Ehdr header;
    Elf64_Phdr part;

    if (!elf_read(file, 0, &header, sizeof(header)))
        return false;
    for (uint64_t i = 0; i < header.e_phnum; i++)
        if (elf_read(file, header.e_phoff + i * sizeof(part), &part, sizeof(part)) &&
            part.p_type == PT_INTERP)
            return true;
    return false;
}

void elf_libraries(const struct elf_file *file, elf_visitor *visit, void *self)
{
    Elf64_Shdr dynamic, strings;
    Elf64_Dyn entry;

    if (!find_section(file, SHT_DYNAMIC, &dynamic, &strings))
        return;
    for (uint64_t at = 0; at + sizeof(entry) <= dynamic.sh_size; at += sizeof(entry)) {
        if (!elf_read(file, dynamic.sh_offset + at, &entry, sizeof(entry)) ||
            entry.d_tag == DT_NULL)
            return;
        const char *name =
            entry.d_tag == DT_NEEDED ? elf_name(file, &strings, entry.d_un.d_val) : NULL;
        if (name && !visit(self, name))
            return;
    }
}

void elf_symbols(const struct elf_file *file, bool defined, elf_visitor *visit, void *self)
{
    Elf64_Shdr symbols, strings;
    Elf64_Sym symbol;

    if (!find_section(file, SHT_DYNSYM, &symbols, &strings))
        return;
    for (uint64_t at = 0; at + sizeof(symbol) <= symbols.sh_size; at += sizeof(symbol)) {
        if (!elf_read(file, symbols.sh_offset + at, &symbol, sizeof(symbol)))
            return;
        const char *name = (symbol.st_shndx != SHN_UNDEF) == defined
                               ? elf_name(file, &strings, symbol.st_name)
                               : NULL;
        if (name && !visit(self, name))
            return;
    }
}

const unsigned char *elf_section(const struct elf_file *file, const char *name, size_t *size)
{
    Elf64_Shdr section;

    if (!elf_find(file, name, &section))
        return NULL;
    *size = section.sh_size;
    return file->data + section.sh_offset;
}
