/* SPDX-License-Identifier: MIT */
/* From PTX to what a GPU of compute capability 1.x would have run: which instructions cost
 * something, how long, and what they wait for. The rules are in g80_code.c, and none of them
 * knows a kernel. */
#ifndef G80_CODE_H
#define G80_CODE_H

#include "gpus/gpu.h"
#include "ptx/ptx.h"

enum g80_kind {
    G80_PLAIN, /* arithmetic, branches, moves: parts x clocks, nothing more */
    G80_FREE, /* gone from the machine code: its result is ready when what it reads is */
    G80_FOLDED, /* a load from shared memory that is an operand of what uses it */
    G80_MEMORY, /* loads, stores, atomics: what they cost is known when they run */
    G80_BARRIER,
};

/* What a lane loads or stores at once: 32 bits or less, 64, 128. */
enum g80_width { G80_WORD, G80_DOUBLE_WORD, G80_QUAD_WORD, G80_WIDTHS };

enum { G80_SOURCES = 12, G80_RESULTS = 4 };

/* One PTX instruction as machine code. */
struct g80_op {
    uint8_t kind; /* enum g80_kind */
    uint8_t clocks; /* that each part keeps the multiprocessor's issue port */
    uint8_t latency; /* from the start of a part to one that needs its result */
    uint16_t early; /* instructions it is moved up by, to right after a load; 0: none */
    uint16_t parts; /* machine instructions, each needing the one before */
    uint8_t width; /* of G80_MEMORY: enum g80_width */
    bool loads, stores; /* of G80_MEMORY: results come back; data goes out */
    bool jumps; /* the warp's next instruction is fetched after it */
    uint8_t source_count, result_count;
    uint32_t
        sources[G80_SOURCES]; /* registers it waits for, of the function; results are among them */
    uint32_t results[G80_RESULTS];
};

/* The instructions of `function`, by index, freed with free(). */
struct g80_op *g80_code(const struct gpu *gpu, const struct ptx_function *function);

/* 32-bit registers of a thread, estimated: those alive at once where most are, 64-bit addresses
 * counting as one, and what can be read from constants, parameters or shared memory as none. */
int g80_registers(const struct gpu *gpu, const struct ptx_function *function);

#endif
