/* SPDX-License-Identifier: MIT */
/* An instruction bound to its executor, and what it is part of: functions, kernels, programs. */
#ifndef OP_H
#define OP_H

#include <stdatomic.h>

#include "machine.h"
#include "stepped.h"

enum { FULL_WARP = -1 }; /* as uint32_t: every lane */
enum { MAX_CALL_DEPTH = 4096, MAX_CALL_ARGUMENTS = 64 };

/* Where generic addresses have shared and local memory and a kernel's parameters: no host pointer
 * can be there. */
#define SHARED_WINDOW UINT64_C(0xA500000000000000)
#define LOCAL_WINDOW UINT64_C(0xA600000000000000)
#define PARAM_WINDOW UINT64_C(0xA700000000000000)
#define WINDOW_MASK UINT64_C(0xFFFF000000000000)
/* Above the offset in a shared address, what block of the cluster it is of: its rank and 1, or 0
 * for the block that uses it. */
enum { RANK_SHIFT = 24, MAX_CLUSTER = 16 };

struct op;

/* Executes `op` for `lanes`, not none, of the warp's current path. */
typedef void op_handler(struct warp *warp, const struct op *op, uint32_t lanes);
/* Of an instruction that has no effect here. */
op_handler do_nothing;

/* Moves what it loads or stores, whose addresses are known. */
struct addresses;
typedef void op_move(struct warp *warp, const struct op *op, uint32_t lanes,
                     const struct addresses *addresses);

/* Executes the run of instructions that begins at an op, as machine code: compile/. False: the path
 * stops, or goes on elsewhere. */
struct progress;
typedef bool compiled_run(struct progress *progress);

/* Compares op's sources a and b in all lanes: one bit a lane. */
typedef uint32_t comparison(const struct warp *warp, const struct op *op);

/* Half precision, computed in double (half.c). */
typedef double half_function(double a, double b, double c);

/* What atomics of `lanes` make of the value in memory, one lane after the other (atomic.c). */
struct operands;
typedef uint64_t combine_function(const struct op *op, uint64_t memory, uint32_t lanes,
                                  bool reverse, struct operands *operands);
struct exchange_kind; /* what lanes of a warp do together (collective.h) */

/* Where an operand lives: `offset` bytes into one of the warp's files. Values are 32 lanes next to
 * each other; predicates are one word, a bit a lane. */
enum operand_file {
    FILE_REGISTERS,
    FILE_PREDICATES,
    FILE_SPECIALS, /* special registers of the warp */
    FILE_POOL, /* constants of the function, the same in every lane */
    FILE_COUNT,
};

struct slot {
    uint32_t offset;
    uint8_t file;
    uint8_t bytes; /* between lanes: 4 or 8; 0: a predicate */
    uint8_t width; /* of the register's type, in bytes */
    bool negated; /* of a predicate */
    bool present; /* false: '_', or not written */
};

enum address_kind { ADDRESS_CONSTANT, ADDRESS_32, ADDRESS_64, ADDRESS_INDEXED };

/* What the address of a variable counts from, if that is known only when the kernel runs. */
enum relative {
    RELATIVE_NONE,
    RELATIVE_LOCAL, /* the frame's local memory */
    RELATIVE_DYNAMIC_SHARED, /* the kernel's dynamic shared memory */
};

/* What a video instruction takes, a part of a register or several side by side, and where its
 * results go. */
enum { VIDEO_RESULTS = 4 };
struct video {
    struct video_source {
        uint8_t
            index[VIDEO_RESULTS]; /* of each part, among those of both sources: a's come first */
        uint8_t bits; /* of one */
        bool is_signed;
    } a, b;
    uint32_t into[VIDEO_RESULTS]; /* by result: the bits of the destination that take it; 0: none */
    uint32_t written; /* all of them */
    uint8_t count; /* of results */
    uint8_t shift; /* where the first one goes */
    uint8_t saturation; /* enum video_saturation */
    uint8_t limit; /* how many bits it leaves */
    bool is_signed; /* the result */
    bool narrow; /* only 32 bits of it are combined with the third source */
    bool sums, joins; /* .add; .min or .max */
};

/* An instruction bound to its executor: what all have, then what one family has to itself. */
struct op {
    op_handler *handler;
    const struct ptx_instr *instr;
    int guard; /* predicate, or -1 */
    uint32_t guard_flip;
    bool quiet; /* it changes registers of its lanes alone */
    bool jumps; /* or waits: the path may go on elsewhere */
    bool heads; /* a loop: a branch jumps back to it */
    _Atomic bool plain; /* quiet, without a guard, and not compiled */
    int stretch; /* instructions from here to the end of its stretch; 0: it is in none */
    compiled_run *_Atomic run; /* of the `run_length` instructions from here on; NULL: interpret */
    int run_length;
    bool run_whole; /* it is for whole warps only */
    bool always; /* runs even where the guard lets no lane through: branches */
    bool ordered; /* needs a fence */
    bool copies; /* in the background: its loads and stores end when they are waited for */
    bool orders_blocks; /* others may see when it runs: in lockstep a warp stops before it */
    bool may_poll; /* a path may come to it again, and to other memory */
    bool uses_time; /* it reads the clock, and that matters (steady.c) */
    uint8_t stops; /* before it a stepped warp stops: enum stepped_stop, or 0 (stepped.h) */
    bool ftz;
    int number; /* in its program */
    int request; /* of a plain load or store, its number among them, from 1 to MOST_SHAPES; or 0 */
    struct slot d, a, b, c;
    struct slot d2; /* the q of p|q: compare (setp), collective (shfl, match) */
    struct slot e; /* bits: bfi's fourth source; collective: the mask of members */
    enum ptx_type type;
    /* arithmetic: enum carry bits; bits: lop3's table; collective, compare: the modifier that says
     * which operation; half: the sign bits; move: which special register. */
    uint32_t immediate;
    /* The op's own, freed with it. */
    struct slot *elements; /* of a vector operand */
    struct call *call;
    struct op *source; /* of a copy, which stores: the load that goes with it */
    const struct exchange_kind *exchange; /* collective */
    struct product *product; /* mma */
    struct group_product *group_product; /* wgmma */
    struct pieces *pieces; /* wmma */

    union {
        struct { /* memory, atomic, and move where it takes an address */
            struct slot pointer; /* the register of an address */
            enum address_kind address;
            enum ptx_space space;
            enum relative relative;
            int64_t offset;
            uint64_t window; /* cvta: where generic addresses of the space start */
            combine_function *combine; /* atomic */
            op_move *move; /* of a plain load or store whose elements fill registers; or NULL */
            uint8_t bytes; /* of one element */
            uint8_t vector;
            bool frame_param; /* among the frame's parameters, not the kernel's */
            bool sign_extend;
            bool index_signed; /* ADDRESS_INDEXED: of b (indexed.h) */
            uint8_t index_shift;
        };
        struct { /* float, half, convert */
            op_handler
                *inner; /* what runs between a change of the host's rounding and its undoing */
            half_function *function;
            int rounding; /* as fesetround takes it; for integral rounding too */
            enum ptx_type source_type; /* cvt */
            bool sat, relu, xorsign;
            bool satfinite; /* cvt: the largest number in place of infinity */
            bool integral; /* cvt: to a whole number */
        };
        struct { /* compare */
            comparison *compare;
            uint32_t immediate_yes; /* set: what a true comparison gives */
        };
        struct { /* texture */
            uint8_t dimensions;
            uint8_t cube; /* enum cube_kind */
            bool layered, by_index;
            uint8_t slopes; /* after the four results: 1 is a level, 2 are gradients */
            uint8_t gathered; /* 1 + the channel of a gather; 0: it is none */
        } texture;
        struct video video;
    };
};

/* Bytes of a frame's registers. */
struct run {
    uint32_t first, bytes;
};

/* A function bound to its executors. */
struct code {
    const struct program *program;
    const struct ptx_function *function;
    struct op *ops;
    int op_count;
    char *pool;
    size_t pool_used, pool_size;
    uint64_t specials; /* a set of enum ptx_sreg: those it reads */
    bool reads_others; /* what other blocks write meanwhile */
    bool orders_blocks; /* one of its ops does, or one of a function it may call */
    /* What every frame needs fresh of its registers: those that may be read before they are
     * written; and results of loads in an order that others see, for a path that has done one must
     * not look as it did before. */
    struct run *fresh;
    int fresh_count;
    bool fresh_predicates;
    /* Some registers hold nothing but time; the others, in both files. */
    bool is_timed;
    struct run *steady, *steady_predicates;
    int steady_count, steady_predicate_count;
    char *failure; /* why it cannot run, or NULL */
    struct translation *translation; /* a kernel's, into machine code; or NULL */
    struct code *slice; /* a kernel's (slice.h); NULL: it has none, or nobody asked */
};

/* A call's callee and what is passed: variables among the caller's parameters. */
struct call {
    const struct code *callee; /* NULL for a function that we provide */
    const struct ptx_var *arguments[MAX_CALL_ARGUMENTS], *results[MAX_CALL_ARGUMENTS];
    int argument_count, result_count;
};

struct kernel {
    struct program *program;
    struct code *code;
    struct kernel_info info;
};

struct program {
    struct ptx_module *module;
    struct code *codes; /* by function of the module */
    struct kernel *kernels;
    int kernel_count;
    const struct allocation **variables; /* by variable of the module, NULL for other spaces */
    int op_count; /* of all functions */
    int request_count; /* of them, plain loads and stores */
    bool clusters; /* something in it is about them */
    bool allocates; /* it has kernels or functions that use the heap */
};

#endif
