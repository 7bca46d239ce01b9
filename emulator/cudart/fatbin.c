/* SPDX-License-Identifier: MIT */
/* Reads fat binaries.
 *
 * header (16 bytes): u32 magic, u16 version, u16 header size, u64 size of what follows.
 * entry: u16 kind at 0, u32 header size at 4, u64 payload size with padding at 8, u32 payload size
 * without it at 16 (0: stored), u16 minor at 24, u16 major at 26, u32 capability at 28, u64 flags
 * at 40, u64 unpacked size at 56. Numbers are little-endian.
 */
#include "cudart/fatbin.h"

#include <lz4.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

static const uint32_t magic = 0xBA55ED50;
static const uint64_t flag_lz4 = 0x2000, flag_zstd = 0x8000, flag_own = 0x100000;
enum { HEADER_SIZE = 16, ENTRY_SIZE = 64 };

/* No PTX is nearly as large. A fat binary that asks for more is broken. */
static const uint64_t max_text = UINT64_C(1) << 28;

__attribute__((format(printf, 2, 3))) static void complain(char *error, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(error, FATBIN_ERROR_SIZE, format, arguments);
    va_end(arguments);
}

static uint64_t read_number(const uint8_t *at, int bytes)
{
    uint64_t number = 0;

    for (int i = 0; i < bytes; i++)
        number |= (uint64_t)at[i] << (8 * i);
    return number;
}

bool fatbin_open(struct fatbin *fatbin, const void *data, size_t available, char *error)
{
    const uint8_t *bytes = data;

    if (available < HEADER_SIZE || read_number(bytes, 4) != magic) {
        complain(error, "not a fat binary");
        return false;
    }
    if (read_number(bytes + 4, 2) != 1 || read_number(bytes + 6, 2) != HEADER_SIZE) {
        complain(error, "a fat binary of an unknown version");
        return false;
    }
    const uint64_t size = read_number(bytes + 8, 8);
    if (size > available - HEADER_SIZE) {
        complain(error, "broken fat binary: %llu bytes long, of which %zu are there",
                 (unsigned long long)size, available - HEADER_SIZE);
        return false;
    }
    *fatbin = (struct fatbin){.data = bytes, .size = HEADER_SIZE + size};
    return true;
}

static enum fatbin_packing packing(uint64_t flags)
{
    if (flags & flag_zstd)
        return FATBIN_ZSTD;
    return flags & flag_lz4 ? FATBIN_LZ4 : FATBIN_STORED;
}

enum fatbin_result fatbin_next(const struct fatbin *fatbin, size_t *position,
                               struct fatbin_entry *entry, char *error)
{
    const size_t start = *position ? *position : HEADER_SIZE;
    const size_t left = fatbin->size - start;
    const uint8_t *bytes = fatbin->data + start;

    if (left == 0)
        return FATBIN_NO_PTX;
    if (left < ENTRY_SIZE) {
        complain(error, "broken fat binary: its last entry is cut short");
        return FATBIN_BROKEN;
    }
    const uint64_t header = read_number(bytes + 4, 4);
    const uint64_t padded = read_number(bytes + 8, 8);
    const uint64_t packed = read_number(bytes + 16, 4);
    if (header < ENTRY_SIZE || header > left || padded > left - header || packed > padded) {
        complain(error, "broken fat binary: an entry reaches beyond its end");
        return FATBIN_BROKEN;
    }
    const uint64_t flags = read_number(bytes + 40, 8);
    *entry = (struct fatbin_entry){
        .kind = (int)read_number(bytes, 2),
        .capability = (int)(read_number(bytes + 28, 4) & 0xFFFF),
        .own = flags & flag_own,
        .packing = packing(flags),
        .payload = bytes + header,
        .payload_size = packed ? packed : padded,
        .unpacked_size = read_number(bytes + 56, 8),
    };
    *position = start + header + padded;
    return FATBIN_OK;
}

/* Unpack into `text`, which has room for unpacked_size bytes. */
static bool unpack(const struct fatbin_entry *entry, char *text)
{
    const size_t size = entry->unpacked_size;

    if (entry->packing == FATBIN_ZSTD)
        return ZSTD_decompress(text, size, entry->payload, entry->payload_size) == size;
    return LZ4_decompress_safe((const char *)entry->payload, text, (int)entry->payload_size,
                               (int)size) == (int)size;
}

char *fatbin_text(const struct fatbin_entry *entry, char *error)
{
    const bool stored = entry->packing == FATBIN_STORED;
    const size_t size = stored ? entry->payload_size : entry->unpacked_size;

    if (size > max_text || entry->payload_size > max_text) {
        complain(error, "broken fat binary: %zu bytes of PTX", size);
        return NULL;
    }
    char *text = malloc(size + 1);
    if (!text) {
        complain(error, "no memory for %zu bytes of PTX", size);
        return NULL;
    }
    if (stored) {
        memcpy(text, entry->payload, size);
    } else if (!unpack(entry, text)) {
        complain(error, "broken fat binary: its PTX does not decompress (%s)",
                 entry->packing == FATBIN_ZSTD ? "zstd" : "LZ4");
        free(text);
        return NULL;
    }
    text[size] = '\0';
    return text;
}

/* For the message: what a program that has no PTX for this GPU holds instead. */
struct inventory {
    char text[96];
    size_t used;
    bool ptx;
};

static void take_stock(struct inventory *inventory, const struct fatbin_entry *entry)
{
    const bool ptx = entry->kind == FATBIN_PTX;

    inventory->ptx |= ptx;
    if (inventory->used < sizeof(inventory->text))
        inventory->used +=
            snprintf(inventory->text + inventory->used, sizeof(inventory->text) - inventory->used,
                     "%s%s_%d%s", inventory->used ? ", " : "", ptx ? "compute" : "sm",
                     entry->capability, entry->own ? "a" : "");
}

/* Is it PTX for a GPU of `capability`, and does it come before `best`? */
static bool is_better(const struct fatbin_entry *entry, int capability,
                      const struct fatbin_entry *best)
{
    if (entry->kind != FATBIN_PTX || entry->capability > capability ||
        (entry->own && entry->capability != capability))
        return false;
    return entry->capability > best->capability ||
           (entry->capability == best->capability && entry->own && !best->own);
}

enum fatbin_result fatbin_ptx(const void *data, size_t available, int capability, char **text,
                              char *error)
{
    struct fatbin fatbin;
    struct fatbin_entry entry, best = {0};
    struct inventory inventory = {.text = "nothing"};
    enum fatbin_result result;
    size_t position = 0;

    if (!fatbin_open(&fatbin, data, available, error))
        return FATBIN_BROKEN;
    while ((result = fatbin_next(&fatbin, &position, &entry, error)) == FATBIN_OK) {
        take_stock(&inventory, &entry);
        if (is_better(&entry, capability, &best))
            best = entry;
    }
    if (result == FATBIN_BROKEN)
        return FATBIN_BROKEN;
    if (!best.payload) {
        complain(error,
                 "no PTX%s in the program (it has %s): build with -gencode "
                 "arch=compute_%d,code=compute_%d",
                 inventory.ptx ? " for this GPU" : "", inventory.text, capability, capability);
        return FATBIN_NO_PTX;
    }
    *text = fatbin_text(&best, error);
    return *text ? FATBIN_OK : FATBIN_BROKEN;
}

/* Machine code that the GPU can run itself, which is of its generation and not newer, comes
 * before any other. */
static int distance(int capability, const struct fatbin_entry *entry)
{
    enum { OTHER = 1000 };
    const bool runs = fatbin_runs(entry, capability);

    return abs(capability - entry->capability) + (runs ? 0 : OTHER);
}

void *fatbin_code(const void *data, size_t available, int capability, struct fatbin_entry *chosen,
                  size_t *size)
{
    char error[FATBIN_ERROR_SIZE];
    struct fatbin_entry entry;
    struct fatbin fatbin;
    size_t position = 0;

    *chosen = (struct fatbin_entry){0};
    if (!fatbin_open(&fatbin, data, available, error))
        return NULL;
    while (fatbin_next(&fatbin, &position, &entry, error) == FATBIN_OK)
        if (entry.kind == FATBIN_ELF &&
            (!chosen->payload || distance(capability, &entry) < distance(capability, chosen)))
            *chosen = entry;
    if (!chosen->payload)
        return NULL;
    *size = chosen->packing == FATBIN_STORED ? chosen->payload_size : chosen->unpacked_size;
    return fatbin_text(chosen, error);
}

bool fatbin_runs(const struct fatbin_entry *code, int capability)
{
    return code->capability / 10 == capability / 10 && code->capability <= capability;
}

int fatbin_lowest_ptx(const void *data, size_t available)
{
    char error[FATBIN_ERROR_SIZE];
    struct fatbin_entry entry;
    struct fatbin fatbin;
    size_t position = 0;
    int lowest = 0;

    if (!fatbin_open(&fatbin, data, available, error))
        return 0;
    while (fatbin_next(&fatbin, &position, &entry, error) == FATBIN_OK)
        if (entry.kind == FATBIN_PTX && (!lowest || entry.capability < lowest))
            lowest = entry.capability;
    return lowest;
}
