/* SPDX-License-Identifier: MIT */
/* Undefined bytes in registers: where bytes that nobody wrote go once they are loaded.
 *
 * A copy of an undefined byte is undefined, too, but it is not reported, so that a struct may be
 * copied with its padding. Copies are moves, shuffles, selections, and bytes taken apart and put
 * together. What is computed from undefined bytes, or compared with them, is an undefined result,
 * all its bytes. Reported is a use: a branch or a guard, an address, an atomic, a vote, and a
 * result that is stored.
 *
 * All of this costs nothing until the first undefined byte is loaded. What goes through local
 * memory or through a call's parameters counts as defined.
 */
#ifndef UNDEFINED_H
#define UNDEFINED_H

#include "machine/machine.h"

/* A load that brought undefined bytes. */
struct origin {
    const struct ptx_instr *instr;
    uint64_t address;
    uint32_t bytes;
    bool shared;
};

/* Of a register and each of its lanes. */
struct undefined_lanes {
    uint32_t any; /* lanes that have any */
    uint32_t results; /* of those, lanes with a result of some computation */
    uint8_t bytes[WARP_SIZE]; /* a bit for each undefined byte; of a predicate, the lowest */
    struct origin origins[WARP_SIZE];
};

/* Called for each use. `act` says what it is: "branch". */
typedef void undefined_use(void *self, const struct warp *warp, const struct ptx_instr *instr,
                           int lane, const char *act, const struct origin *origin);

struct undefined;

struct undefined *undefined_new(undefined_use *use, void *self);
void undefined_free(struct undefined *undefined);
/* A launch ends: all registers are gone. */
void undefined_reset(struct undefined *undefined);
/* Is there anything to follow in this launch? */
bool undefined_any(const struct undefined *undefined);

/* Lanes of a warp shuffle, vote or wait together. */
void undefined_collective(struct undefined *undefined, const struct collective_event *event);
/* From what `lane` loads, a register gets bytes that are undefined: `bytes`, not 0, from byte
 * `to.at` on. */
void undefined_load(struct undefined *undefined, const struct access_event *event, int lane,
                    struct register_byte to, uint8_t bytes);
/* The undefined bytes of a vector's element that a store is about to write; NULL: none. */
const struct undefined_lanes *undefined_stored(struct undefined *undefined,
                                               const struct access_event *event, uint32_t element);

#endif
