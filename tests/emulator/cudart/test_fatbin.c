/* SPDX-License-Identifier: MIT */
/* Fat binaries: stored, LZ4 and zstd entries, the choice among them, and broken ones. */
#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "../../cmocka_main.h"
#include "cudart/fatbin.h"

enum { HEADER = 16, ENTRY = 64, ROOM = 4096 };

/* A fat binary under construction. */
struct builder {
    uint8_t bytes[ROOM];
    size_t size;
};

static void put(uint8_t *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

static void start(struct builder *builder)
{
    memset(builder, 0, sizeof(*builder));
    put(builder->bytes, 0xBA55ED50, 4);
    put(builder->bytes + 4, 1, 2);
    put(builder->bytes + 6, HEADER, 2);
    builder->size = HEADER;
}

static void add(struct builder *builder, int kind, int capability, enum fatbin_packing packing,
                const char *text)
{
    uint8_t *entry = builder->bytes + builder->size;
    char *payload = (char *)entry + ENTRY;
    const size_t room = ROOM - builder->size - ENTRY;
    const size_t length = strlen(text);
    uint64_t flags = 0x11;
    size_t packed = length;

    if (packing == FATBIN_ZSTD) {
        packed = ZSTD_compress(payload, room, text, length, 3);
        assert_false(ZSTD_isError(packed));
        flags = 0x8011;
    } else if (packing == FATBIN_LZ4) {
        packed = (size_t)LZ4_compress_default(text, payload, (int)length, (int)room);
        flags = 0x2011;
    } else {
        memcpy(payload, text, length); /* NOLINT(bugprone-not-null-terminated-result) */
    }
    const size_t padded = (packed + 7) / 8 * 8;
    put(entry, (uint64_t)kind, 2);
    put(entry + 2, 0x0101, 2);
    put(entry + 4, ENTRY, 4);
    put(entry + 8, padded, 8);
    put(entry + 28, (uint64_t)capability, 4);
    put(entry + 40, flags, 8);
    if (packing != FATBIN_STORED) {
        put(entry + 16, packed, 4);
        put(entry + 56, length, 8);
    }
    builder->size += ENTRY + padded;
    put(builder->bytes + 8, builder->size - HEADER, 8);
}

/* PTX for GPUs of just this capability. */
static void add_own(struct builder *builder, int capability, const char *text)
{
    uint8_t *entry = builder->bytes + builder->size;

    add(builder, FATBIN_PTX, capability, FATBIN_STORED, text);
    put(entry + 40, 0x100011, 8);
}

/* The PTX chosen for compute capability 7.5, from an allocation that ends where the bytes do. */
static enum fatbin_result choose(const struct builder *builder, size_t available, char **text,
                                 char *error)
{
    uint8_t *exact = malloc(available ? available : 1);

    assert_non_null(exact);
    memcpy(exact, builder->bytes, available);
    *text = NULL;
    error[0] = '\0';
    const enum fatbin_result result = fatbin_ptx(exact, available, 75, text, error);
    free(exact);
    assert_true((result == FATBIN_OK) == (*text != NULL));
    assert_true((result == FATBIN_OK) == !*error);
    return result;
}

static void expect_text(const struct builder *builder, const char *expected)
{
    char error[FATBIN_ERROR_SIZE];
    char *text;

    if (choose(builder, builder->size, &text, error) != FATBIN_OK)
        fail_msg("%s", error);
    assert_string_equal(text, expected);
    free(text);
}

static void expect_error(const struct builder *builder, size_t available,
                         enum fatbin_result expected, const char *message)
{
    char error[FATBIN_ERROR_SIZE];
    char *text;

    assert_int_equal(choose(builder, available, &text, error), expected);
    if (!strstr(error, message))
        fail_msg("'%s' does not say '%s'", error, message);
}

static const char plain[] = ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k() "
                            "{ ret; ret; ret; ret; ret; ret; ret; ret; ret; }\n";

TEST(every_packing_unpacks)
{
    struct builder builder;

    for (int packing = FATBIN_STORED; packing <= FATBIN_ZSTD; packing++) {
        start(&builder);
        add(&builder, FATBIN_PTX, 75, packing, plain);
        expect_text(&builder, plain);
    }
}

TEST(highest_that_serves_is_chosen)
{
    struct builder builder;

    start(&builder);
    add(&builder, FATBIN_ELF, 75, FATBIN_STORED, "machine code");
    add(&builder, FATBIN_PTX, 52, FATBIN_ZSTD, "for 5.2");
    add(&builder, FATBIN_PTX, 70, FATBIN_LZ4, "for 7.0");
    add(&builder, FATBIN_PTX, 61, FATBIN_STORED, "for 6.1");
    add(&builder, FATBIN_PTX, 80, FATBIN_STORED, "for 8.0");
    expect_text(&builder, "for 7.0");
}

/* Some PTX is for GPUs of just one capability: there it comes first, elsewhere never. */
TEST(a_gpus_own_is_chosen)
{
    struct builder builder;

    start(&builder);
    add(&builder, FATBIN_PTX, 52, FATBIN_STORED, "for 5.2");
    add_own(&builder, 70, "for 7.0 alone");
    expect_text(&builder, "for 5.2");
    add_own(&builder, 75, "for 7.5 alone");
    add(&builder, FATBIN_PTX, 75, FATBIN_STORED, "for 7.5");
    expect_text(&builder, "for 7.5 alone");
}

/* The machine code chosen for `capability`. */
static void expect_code(const struct builder *builder, int capability, const char *expected)
{
    struct fatbin_entry entry;
    size_t size = 0;
    char *code = fatbin_code(builder->bytes, builder->size, capability, &entry, &size);

    assert_non_null(code);
    assert_int_equal(size, strlen(expected));
    assert_string_equal(code, expected);
    free(code);
}

TEST(nearest_machine_code_is_chosen)
{
    struct fatbin_entry entry;
    struct builder builder;
    size_t size;

    start(&builder);
    add(&builder, FATBIN_PTX, 75, FATBIN_STORED, plain);
    assert_null(fatbin_code(builder.bytes, builder.size, 75, &entry, &size));
    add(&builder, FATBIN_ELF, 90, FATBIN_ZSTD, "code for 9.0");
    expect_code(&builder, 75, "code for 9.0");
    add(&builder, FATBIN_ELF, 80, FATBIN_LZ4, "code for 8.0, 8.0, 8.0, 8.0, 8.0");
    add(&builder, FATBIN_ELF, 86, FATBIN_ZSTD, "code for 8.6");
    add(&builder, FATBIN_ELF, 70, FATBIN_ZSTD, "code for 7.0");
    expect_code(&builder, 75, "code for 7.0");
    expect_code(&builder, 86, "code for 8.6");
    expect_code(&builder, 89, "code for 8.6");
    expect_code(&builder, 85, "code for 8.0, 8.0, 8.0, 8.0, 8.0");
    expect_code(&builder, 100, "code for 9.0");
}

TEST(a_gpu_runs_code_of_its_generation)
{
    const struct fatbin_entry code = {.kind = FATBIN_ELF, .capability = 86};

    assert_true(fatbin_runs(&code, 86));
    assert_true(fatbin_runs(&code, 89));
    assert_false(fatbin_runs(&code, 80));
    assert_false(fatbin_runs(&code, 90));
}

TEST(without_ptx_it_says_what_there_is)
{
    struct builder builder;

    start(&builder);
    expect_error(&builder, builder.size, FATBIN_NO_PTX, "no PTX in the program (it has nothing)");
    add(&builder, FATBIN_ELF, 90, FATBIN_STORED, "machine code");
    expect_error(&builder, builder.size, FATBIN_NO_PTX,
                 "no PTX in the program (it has sm_90): build with -gencode "
                 "arch=compute_75,code=compute_75");
    add(&builder, FATBIN_PTX, 80, FATBIN_ZSTD, plain);
    expect_error(&builder, builder.size, FATBIN_NO_PTX,
                 "no PTX for this GPU in the program (it has sm_90, compute_80)");
    for (int i = 0; i < 25; i++)
        add(&builder, FATBIN_ELF, 65535, FATBIN_STORED, "more than the message holds");
    expect_error(&builder, builder.size, FATBIN_NO_PTX, "no PTX");
}

TEST(broken_ones_are_refused)
{
    struct builder whole, broken;

    start(&whole);
    add(&whole, FATBIN_PTX, 75, FATBIN_ZSTD, plain);

    expect_error(&whole, 0, FATBIN_BROKEN, "not a fat binary");
    expect_error(&whole, HEADER - 1, FATBIN_BROKEN, "not a fat binary");
    expect_error(&whole, whole.size - 1, FATBIN_BROKEN, "bytes long, of which");

    static const struct {
        int at, bytes;
        uint64_t value;
        const char *message;
    } cases[] = {
        {0, 1, 0x51, "not a fat binary"},
        {4, 2, 2, "unknown version"},
        {6, 2, 8, "unknown version"},
        {8, 8, UINT64_MAX, "bytes long, of which"},
        {8, 8, ENTRY - 1, "cut short"},
        {HEADER + 4, 4, ENTRY - 1, "reaches beyond its end"},
        {HEADER + 4, 4, UINT32_MAX, "reaches beyond its end"},
        {HEADER + 8, 8, UINT64_MAX, "reaches beyond its end"},
        {HEADER + 8, 8, 8, "reaches beyond its end"},
        {HEADER + 16, 4, UINT32_MAX, "reaches beyond its end"},
        {HEADER + 16, 4, 5, "does not decompress (zstd)"},
        {HEADER + 40, 8, 0x2011, "does not decompress (LZ4)"},
        {HEADER + 56, 8, 3, "does not decompress (zstd)"},
        {HEADER + 56, 8, 4000, "does not decompress (zstd)"},
        {HEADER + 56, 8, UINT64_MAX, "bytes of PTX"},
        {HEADER + ENTRY, 4, 0, "does not decompress (zstd)"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        broken = whole;
        put(broken.bytes + cases[i].at, cases[i].value, cases[i].bytes);
        expect_error(&broken, broken.size, FATBIN_BROKEN, cases[i].message);
    }
}

/* xorshift64: numbers for mutations, the same every time. */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

/* Whatever the bytes, an answer and no read beyond them: AddressSanitizer watches. */
TEST(mutations_never_escape)
{
    struct builder whole, mutant;
    char error[FATBIN_ERROR_SIZE];
    uint64_t random = 20260101;
    int results[3] = {0};
    char *text;

    start(&whole);
    add(&whole, FATBIN_ELF, 75, FATBIN_STORED, "machine code");
    add(&whole, FATBIN_PTX, 75, FATBIN_ZSTD, plain);
    add(&whole, FATBIN_PTX, 70, FATBIN_LZ4, plain);
    add(&whole, FATBIN_PTX, 60, FATBIN_STORED, plain);
    for (int round = 0; round < 20000; round++) {
        mutant = whole;
        const int changes = 1 + (int)(next_random(&random) % 4);
        for (int i = 0; i < changes; i++) {
            const uint64_t at = next_random(&random) % whole.size;
            mutant.bytes[at] = (uint8_t)next_random(&random);
        }
        const bool cut = next_random(&random) % 4 == 0;
        const size_t size = cut ? next_random(&random) % whole.size : whole.size;
        results[choose(&mutant, size, &text, error)]++;
        free(text);
    }
    assert_true(results[FATBIN_OK] > 0);
    assert_true(results[FATBIN_BROKEN] > 0);
}

TEST_MAIN()
