/* SPDX-License-Identifier: MIT */
/* Fat binaries: nvcc embeds one in a program, with PTX and machine code for several GPUs.
 *
 * A fat binary is a header and then the entries, each of which has a header of its own. fatbin.c
 * has the layout. Nothing in it is trusted: whatever its bytes say, only [data, data + size) is
 * read. */
#ifndef FATBIN_H
#define FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FATBIN_ERROR_SIZE = 256 };

enum fatbin_result {
    FATBIN_OK,
    FATBIN_BROKEN, /* not a fat binary, or cut short, or not to be decompressed */
    FATBIN_NO_PTX, /* a good one, but without PTX for the GPU */
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
    int kind; /* enum fatbin_kind, or a kind that a later toolkit added */
    int capability; /* such as 75 */
    bool own; /* for GPUs of just this capability, as compute_90a */
    enum fatbin_packing packing;
    const uint8_t *payload;
    size_t payload_size;
    size_t unpacked_size; /* if not stored */
};

/* Check the header of the fat binary at `data`; up to `available` bytes may be read. On failure
 * returns false with one line in `error` (FATBIN_ERROR_SIZE bytes). */
bool fatbin_open(struct fatbin *fatbin, const void *data, size_t available, char *error);

/* Read the entry at *position, which is 0 for the first, and set *position to the next one.
 * FATBIN_NO_PTX means that there are no more entries. */
enum fatbin_result fatbin_next(const struct fatbin *fatbin, size_t *position,
                               struct fatbin_entry *entry, char *error);

/* The text of a PTX entry, unpacked and NUL-terminated, which the caller frees; or NULL, with
 * one line in `error`. */
char *fatbin_text(const struct fatbin_entry *entry, char *error);

/* The PTX for a GPU of `capability`: its own, or else that for the highest one not above it. The
 * caller frees *text. After a failure one line in `error` says what there is. */
enum fatbin_result fatbin_ptx(const void *data, size_t available, int capability, char **text,
                              char *error);

/* The machine code for a GPU of `capability`, or for the GPU nearest to it, which the caller
 * frees; NULL if there is none. Sets *chosen to its entry and *size to its length. */
void *fatbin_code(const void *data, size_t available, int capability, struct fatbin_entry *chosen,
                  size_t *size);

/* Can a GPU of `capability` run this machine code? That must be for its generation, and not for
 * a newer GPU. */
bool fatbin_runs(const struct fatbin_entry *code, int capability);

/* The lowest capability for which there is PTX; 0 if there is none. */
int fatbin_lowest_ptx(const void *data, size_t available);

#endif
