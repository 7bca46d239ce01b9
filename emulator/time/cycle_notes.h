/* SPDX-License-Identifier: MIT */
/* What the cycle model notes while a kernel runs: of each logged warp the basic blocks and requests
 * it went through, and of every block the lines it used. */
#ifndef CYCLE_NOTES_H
#define CYCLE_NOTES_H

#include "machine/observer.h"
#include "time/cycle_parts.h"
#include "time/cycle_waits.h"

/* A line that was used, and by which instruction. One word, so that one comparison is enough. */
union line_use {
    struct {
        uint64_t index : 17; /* of the instruction */
        uint64_t writes : 1;
        uint64_t sectors : 4; /* a set */
        uint64_t line : 42; /* its number */
    };
    uint64_t word;
};
_Static_assert(sizeof(union line_use) == sizeof(uint64_t), "a word");
enum { RECENT_SHIFT = 56, RECENT_LINES = 1 << (64 - RECENT_SHIFT) };

/* All that a block used, of every line and as often as it asked. */
struct raw_use {
    union line_use use;
    uint32_t when; /* as below */
};
struct raw_uses {
    struct raw_use *all;
    size_t count, room;
    uint64_t issued; /* instructions, once the block has ended */
};

/* The lines that a block used. */
struct block_uses {
    struct raw_uses *raw; /* to be filled as well; NULL: nobody wants it */
    union line_use *all;
    uint32_t *when; /* of each: the number of instructions that its warp had issued */
    uint32_t count, room;
    uint64_t requests; /* for lines, repeated ones and those not sampled, too */
    union line_use recent[RECENT_LINES]; /* the latest ones, by a hash of the line */
};

/* What the notes of a launch need to know of it. */
struct cycle_notes {
    const struct gpu *gpu;
    const struct cycle_code *code;
    const struct l2 *l2; /* says which lines are sampled */
    uint64_t base; /* of device memory */
    const struct warp_log *logs; /* all of them */
};

/* A block uses a line, after its warp has issued `when` instructions. */
void cycle_keep_use(const struct l2 *l2, struct block_uses *uses, union line_use use,
                    uint64_t when);
/* `lanes` of a logged warp execute so many instructions, one after the other. */
void cycle_note_instructions(const struct cycle_notes *notes, struct warp_log *log,
                             const struct ptx_instr *first, uint32_t count, uint32_t lanes);
/* A warp accesses memory; `log` is NULL where it is not logged. */
void cycle_note_access(const struct cycle_notes *notes, struct warp_log *log,
                       struct block_uses *uses, const struct access_event *event);
/* A warp arrives in this phase (cycle_phases.h) of a barrier, of another block if `remote`; or it
 * asks for a bulk copy, or sends a store, which will. */
void cycle_note_arrival(const struct cycle_notes *notes, struct warp_log *log,
                        const struct ptx_instr *instr, struct phase_name phase, bool remote);
/* A warp has waited for the end of the phase. */
void cycle_note_wait(const struct cycle_notes *notes, struct warp_log *log,
                     const struct ptx_instr *instr, struct phase_name phase);
/* A warp accesses memory that other blocks see, and whose accesses it sees. `number`: its block. */
void cycle_note_crossing(const struct cycle_notes *notes, struct warp_log *log,
                         const struct access_event *event, uint64_t number,
                         struct cycle_waits *waits);
/* A warp reads a texture. */
void cycle_note_fetch(const struct cycle_notes *notes, struct warp_log *log,
                      const struct fetch_event *event);

#endif
