/* SPDX-License-Identifier: MIT */
/* From PTX to what a GPU since compute capability 3 executes: which instructions are left, which
 * unit each one uses and for how long, which registers it waits for, and the order in which a
 * compiler would put them. cycle_code.c has the rules; none of them knows a particular kernel. */
#ifndef CYCLE_CODE_H
#define CYCLE_CODE_H

#include "gpus/gpu.h"
#include "ptx/ptx.h"

enum cycle_kind {
    CYCLE_FREE, /* not in the machine code: its result is ready when its sources are */
    CYCLE_UNIT, /* keeps a unit for a while, and nothing more */
    CYCLE_EXCHANGE, /* between lanes, through the memory pipe */
    CYCLE_MEMORY, /* what it costs is known when it runs */
    CYCLE_BARRIER,
    CYCLE_CLUSTER_ARRIVE, /* at the barrier of the cluster */
    CYCLE_CLUSTER_WAIT,
    CYCLE_FENCE,
    CYCLE_WGMMA, /* by four warps, in the background */
    CYCLE_COMMIT, /* makes a group of the copies or products so far */
    CYCLE_AWAIT, /* waits for such groups, for all but the last few */
    CYCLE_JUMP,
    CYCLE_AFTER_LAUNCH, /* waits for the launch in front, where it has begun early */
    CYCLE_NEXT_LAUNCH, /* lets the next one begin, as far as the block is concerned */
    CYCLE_CLOCK, /* reads the time: nothing moves past it */
};

/* The units of a scheduler. To add one, name it here and say in cycle_op_of() (cycle_costs.c) which
 * instructions use it, and in speed_of() (costs.c) how long they take in the plain model. Its
 * figures, such as its lanes per SM, go to the CYCLE_GPUS of gpus/gpu.def, to default.txt and
 * h100.txt, and with a kernel that lives by them to tests/emulator/time/figures.h.
 * Registers in conflict delay some units more than others (cycle_banks.c), and those up to
 * UNIT_INTEGER may read uniform registers (cycle_join.c). */
enum cycle_unit {
    UNIT_FLOAT,
    UNIT_MULTIPLY, /* of integers */
    UNIT_INTEGER,
    UNIT_SPECIAL,
    UNIT_CONVERT,
    UNIT_DOUBLE,
    UNIT_TENSOR,
    UNIT_COUNT,
};

/* What a warp lets happen in the background. Each kind has groups of its own. */
enum background {
    OF_COPIES, /* cp.async */
    OF_WGMMA, /* by four warps */
    OF_STORES, /* in bulk: until they are complete */
    OF_STORES_READ, /* the same stores: until their source has been read */
    BACKGROUNDS,
};

/* One PTX instruction as machine code. */
struct cycle_op {
    uint8_t kind, unit;
    bool loads, moves; /* its results come from memory; it may move up (rule 8) */
    bool polls; /* a barrier in shared memory, in a loop until the phase is complete */
    bool either; /* an integer unit or the one of products, whichever is free first */
    bool once_per_warp; /* an atomic at one address, for which the warp first sums its values */
    uint16_t slots; /* of the scheduler: machine instructions */
    uint16_t busy; /* clocks for which it keeps its unit; 0: it needs none */
    uint16_t latency; /* clocks from its start to its result */
    uint16_t alone; /* clocks from its start until the warp may issue its next; or 0: its slots */
    bool reduces; /* a bulk copy that adds, or the like */
    uint8_t bytes; /* that a load reads in each lane, joined with others; or 0 */
    uint8_t uniform_bytes; /* of these, that go to uniform registers (rule 13) */
    uint8_t background; /* of a COMMIT or AWAIT: enum background */
    bool all; /* AWAIT: wait for everything, in a group or not */
    uint16_t groups; /* AWAIT, not `all`: groups that may still be under way */
    uint8_t source_count, result_count;
    uint32_t registers; /* where these begin in the code's `registers`, sources first */
};

enum { CLOCK_PARTS = 64 };

/* An SM's caches of constants: for parameters and uniform registers, and for loads. On an H200 four
 * lines fit into the one, 64 to 512 bytes apart, and of five all miss; 24 fit into the other,
 * and of 40 all miss (benchmarks/model/constants.cu). */
enum { CONSTANT_LINE_BYTES = 64, UNIFORM_LINES = 4, LOADED_LINES = 32 };

/* An instruction in the order of the machine code; `copy`: of an unrolled loop; `conflict`: how
 * long it waits for its registers, in parts of a clock. */
struct cycle_item {
    uint32_t index;
    uint16_t copy, conflict;
};

enum { CYCLE_UNROLL = 4 };

/* A basic block; `unrolled` are the items of CYCLE_UNROLL copies, or NULL. */
struct cycle_block {
    uint32_t first, end;
    struct cycle_item *items, *unrolled;
    uint32_t item_count, unrolled_count;
    uint32_t address, unrolled_address; /* of the first in the machine code, in instructions */
};

/* A function of the code. Its instructions have indices from `first` on. */
struct cycle_function {
    const struct ptx_instr *instrs;
    uint32_t count, first;
};

/* A kernel and, if it calls any, the functions of its module. Their instructions and registers are
 * numbered one function after the other. */
struct cycle_code {
    const struct ptx_function *function; /* the kernel */
    uint64_t digest; /* tells whether `function` is still the same kernel */
    struct cycle_function *functions;
    uint32_t function_count, op_count, register_count, pool_count;
    struct cycle_op *ops; /* by index */
    uint32_t *registers; /* that ops name */
    uint32_t *block_of; /* by index: number of its block */
    bool *carried; /* by register: the copies of an unrolled loop share it */
    struct cycle_block *blocks;
    uint32_t block_count, longest; /* the items of the longest block, unrolled */
    uint32_t length; /* machine instructions */
    uint32_t start_lines; /* of constants, that each warp reads when it begins */
    bool reads_clock; /* the kernel, or a function that it may call */
    bool sees_others; /* it may read what other blocks write meanwhile */
    bool has_phases; /* it uses barriers in shared memory */
    bool calls;
};

/* Does the instruction use a barrier in shared memory? */
bool cycle_is_at_barrier(const struct ptx_instr *instr);

/* Of all functions launched so far. */
struct cycle_codes {
    struct cycle_code **all;
    size_t count;
};

const struct cycle_code *cycle_code_of(struct cycle_codes *codes, const struct gpu *gpu,
                                       const struct ptx_module *module,
                                       const struct ptx_function *function);
void cycle_codes_free(struct cycle_codes *codes);

#endif
