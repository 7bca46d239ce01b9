/* SPDX-License-Identifier: MIT */
/* Register counts out of a cubin made here, and out of broken ones. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "../../cmocka_main.h"
#include "cudart/cubin.h"

enum { SECTIONS = 4, ROUNDS = 20000 };

static const char names[] = "\0.nv.info\0first\0second";
enum { NAME_INFO = 1, NAME_FIRST = 10, NAME_SECOND = 16 };

/* A two-byte value, a sized one that is no register count, and the counts of both kernels. */
static const uint8_t info[] = {
    3, 0x2f, 9, 0, /* form 3 */
    4, 0x11, 8, 0, 1, 0, 0, 0, 7,   0, 0, 0, /* a stack's size */
    4, 0x2f, 8, 0, 2, 0, 0, 0, 33,  0, 0, 0, /* second */
    4, 0x2f, 8, 0, 1, 0, 0, 0, 125, 0, 0, 0, /* first */
};

struct cubin {
    Elf64_Ehdr header;
    Elf64_Shdr sections[SECTIONS];
    Elf64_Sym symbols[3];
    char names[sizeof(names)];
    uint8_t info[sizeof(info)];
};

static Elf64_Shdr section(unsigned type, size_t offset, size_t size, unsigned link, unsigned name)
{
    return (Elf64_Shdr){
        .sh_type = type, .sh_offset = offset, .sh_size = size, .sh_link = link, .sh_name = name};
}

static struct cubin make(void)
{
    struct cubin cubin = {
        .header = {.e_shnum = SECTIONS,
                   .e_shentsize = sizeof(Elf64_Shdr),
                   .e_shstrndx = 1,
                   .e_shoff = offsetof(struct cubin, sections)},
        .sections = {[1] = section(SHT_STRTAB, offsetof(struct cubin, names), sizeof(names), 0, 0),
                     [2] = section(SHT_SYMTAB, offsetof(struct cubin, symbols),
                                   sizeof(cubin.symbols), 1, 0),
                     [3] = section(SHT_LOPROC, offsetof(struct cubin, info), sizeof(info), 2,
                                   NAME_INFO)},
        .symbols = {[1] = {.st_name = NAME_FIRST}, [2] = {.st_name = NAME_SECOND}},
    };

    memcpy(cubin.header.e_ident, ELFMAG, SELFMAG);
    memcpy(cubin.names, names, sizeof(names));
    memcpy(cubin.info, info, sizeof(info));
    return cubin;
}

/* From an allocation that ends where the bytes do. */
static int count(const struct cubin *cubin, size_t size, const char *kernel)
{
    uint8_t *exact = malloc(size ? size : 1);

    assert_non_null(exact);
    memcpy(exact, cubin, size);
    const int registers = cubin_registers(exact, size, kernel);
    free(exact);
    return registers;
}

TEST(each_kernel_has_its_count)
{
    const struct cubin cubin = make();

    assert_int_equal(count(&cubin, sizeof(cubin), "first"), 125);
    assert_int_equal(count(&cubin, sizeof(cubin), "second"), 33);
    assert_int_equal(count(&cubin, sizeof(cubin), "fir"), 0);
    assert_int_equal(count(&cubin, sizeof(cubin), "irst"), 0);
}

TEST(broken_ones_say_nothing)
{
    struct cubin cubin = make();
    uint64_t random = 20260102;

    for (size_t size = 0; size < sizeof(cubin); size++)
        (void)count(&cubin, size, "first");
    assert_int_equal(count(&cubin, sizeof(cubin.header), "first"), 0);
    assert_int_equal(cubin_registers("machine code", 12, "first"), 0);
    for (int round = 0; round < ROUNDS; round++) {
        cubin = make();
        for (int i = 0; i < 3; i++) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            ((uint8_t *)&cubin)[random % sizeof(cubin)] = (uint8_t)(random >> 32);
        }
        const int registers = count(&cubin, sizeof(cubin), "first");
        assert_in_range(registers, 0, 255);
    }
}

TEST_MAIN()
