/* SPDX-License-Identifier: MIT */
/* Fat binaries: what nvcc embeds in a program, PTX and machine code for several GPUs.
 *
 * A header, then entries one behind the other, each with a header of its own. Layout: see fatbin.c.
 * Nothing read from one is trusted: whatever the bytes say, no read leaves [data, data + size).
 */
#ifndef FATBIN_H
#define FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FATBIN_ERROR_SIZE = 256 };

enum fatbin_result {
    FATBIN_OK,
    FATBIN_BROKEN, /* not a fat binary, cut short, or it does not decompress */
    FATBIN_NO_PTX, /* whole, but without PTX that serves */
};

enum fatbin_kind { FATBIN_PTX = 1, FATBIN_ELF = 2 };

enum fatbin_packing { FATBIN_STORED, FATBIN_LZ4, FATBIN_ZSTD };

/* A fat binary whose header was checked. */
struct fatbin {
    const uint8_t *data;
    size_t size; /* header and entries */
};

/* One entry, whose bounds were checked. */
struct fatbin_entry {
    int kind; /* enum fatbin_kind, or what a later toolkit added */
    int capability; /* as in 75 */
    enum fatbin_packing packing;
    const uint8_t *payload;
    size_t payload_size;
    size_t unpacked_size; /* if not stored */
};

/* Check the header of the fat binary at `data`, of which `available` bytes may be read. Returns
 * false with one line in `error` (FATBIN_ERROR_SIZE bytes). */
bool fatbin_open(struct fatbin *fatbin, const void *data, size_t available, char *error);

/* The entry at *position (0 for the first), which moves on to the next. FATBIN_NO_PTX: there was no
 * further entry. */
enum fatbin_result fatbin_next(const struct fatbin *fatbin, size_t *position,
                               struct fatbin_entry *entry, char *error);

/* The text of a PTX entry, unpacked and NUL-terminated; the caller frees it. NULL with one line in
 * `error`. */
char *fatbin_text(const struct fatbin_entry *entry, char *error);

/* The PTX for a GPU of `capability`: of all that is not above it, the highest. *text is the
 * caller's to free. On an error one line in `error` says what there was. */
enum fatbin_result fatbin_ptx(const void *data, size_t available, int capability, char **text,
                              char *error);

/* The machine code for a GPU of `capability`, or for the nearest; the caller frees it. NULL where
 * there is none. *chosen is its entry, *size its bytes. */
void *fatbin_code(const void *data, size_t available, int capability, struct fatbin_entry *chosen,
                  size_t *size);

/* Does a GPU of `capability` run this machine code? It must be of its generation and not newer. */
bool fatbin_runs(const struct fatbin_entry *code, int capability);

/* The lowest capability that there is PTX for; 0 if there is none. */
int fatbin_lowest_ptx(const void *data, size_t available);

#endif
