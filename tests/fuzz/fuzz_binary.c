/* SPDX-License-Identifier: MIT */
/* Fuzz target: a fat binary, and all that the runtime does with it before a launch. An input that
 * is none is the text, or the machine code, of one. */
#include <lz4.h>
#include <zstd.h>

#include "cudart/cubin.h"
#include "cudart/fatbin.h"
#include "fuzz.h"

enum { HEADER = 16, ENTRY = 64 };
static const uint8_t magic[] = {0x50, 0xED, 0x55, 0xBA, 1, 0, HEADER, 0};

static void put(uint8_t *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

/* A fat binary with one entry in this packing. Returns 0 where there is no room. */
static size_t wrap(const char *payload, size_t size, enum fatbin_packing packing, uint8_t *out,
                   size_t room)
{
    static const int flags[] = {0x11, 0x2011, 0x8011};
    uint8_t *entry = out + HEADER;
    char *packed = (char *)entry + ENTRY;
    const size_t bounds[] = {size, (size_t)LZ4_compressBound((int)size), ZSTD_compressBound(size)};
    if (room < HEADER + ENTRY + bounds[packing])
        return 0;
    const size_t left = room - HEADER - ENTRY;
    size_t bytes = size;
    memset(out, 0, HEADER + ENTRY);
    if (packing == FATBIN_ZSTD)
        bytes = ZSTD_compress(packed, left, payload, size, 3);
    else if (packing == FATBIN_LZ4)
        bytes = (size_t)LZ4_compress_default(payload, packed, (int)size, (int)left);
    else
        memcpy(packed, payload, size);
    memcpy(out, magic, sizeof magic);
    put(out + 8, ENTRY + bytes, 8);
    put(entry, size > 4 && memcmp(payload, "\177ELF", 4) == 0 ? FATBIN_ELF : FATBIN_PTX, 2);
    put(entry + 4, ENTRY, 4);
    put(entry + 8, bytes, 8);
    put(entry + 28, 75, 4);
    put(entry + 40, (uint64_t)flags[packing], 8);
    if (packing != FATBIN_STORED) {
        put(entry + 16, bytes, 4);
        put(entry + 56, size, 8);
    }
    return HEADER + ENTRY + bytes;
}

static bool is_binary(const uint8_t *data, size_t size)
{
    return size >= sizeof magic && memcmp(data, magic, sizeof magic) == 0;
}

static void load(const uint8_t *data, size_t size)
{
    const int capability = size && data[size - 1] % 2 ? 75 : 90;
    const struct gpu gpu = test_gpu(capability);
    char error[FATBIN_ERROR_SIZE], *text = NULL;
    struct fatbin_entry entry;
    size_t code_size = 0;

    fatbin_lowest_ptx(data, size);
    if (fatbin_ptx(data, size, capability, &text, error) != FATBIN_OK)
        text = NULL;
    char *code = fatbin_code(data, size, capability, &entry, &code_size);
    struct ptx_module *module =
        text ? ptx_parse(&(const char *){text}, 1, error, sizeof error) : NULL;
    for (int i = 0; code && module && i < module->function_count; i++)
        cubin_registers(code, code_size, module->functions[i].name);
    struct machine *machine = machine_new(&gpu, 1);
    struct program *program = module ? machine_load(machine, module, error, sizeof error) : NULL;
    if (program)
        machine_unload(machine, program);
    machine_free(machine);
    free(text);
    free(code);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (is_binary(data, size)) {
        load(data, size);
        return 0;
    }
    const size_t room = 2 * size + 1000;
    uint8_t *binary = malloc(room);
    if (!binary)
        abort();
    size = wrap((const char *)data, size, size % 3, binary, room);
    binary = realloc(binary, size); /* what is read behind its end is found */
    load(binary, size);
    free(binary);
    return 0;
}

/* Another fat binary behind this one's entries: those of both. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1, const uint8_t *data2,
                                 size_t size2, uint8_t *out, size_t room, unsigned seed)
{
    (void)seed;
    if (size1 < HEADER || size2 < HEADER || size1 + size2 - HEADER > room)
        return 0;
    memcpy(out, data1, size1);
    memcpy(out + size1, data2 + HEADER, size2 - HEADER);
    put(out + 8, size1 + size2 - 2 * HEADER, 8);
    return size1 + size2 - HEADER;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    if (is_binary(data, size))
        return LLVMFuzzerMutate(data, size, room);
    char *payload = fuzz_text(data, size);
    size_t wrapped = wrap(payload, size, seed % 3, data, room);
    free(payload);
    return wrapped ? wrapped : LLVMFuzzerMutate(data, size, room);
}
