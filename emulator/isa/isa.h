/* SPDX-License-Identifier: MIT */
/* What an instruction is: instructions.def as data, and what follows from it. */
#ifndef ISA_H
#define ISA_H

#include "types.h"

enum opcode {
#define INSTRUCTION(id, ...) OP_##id,
#include "instructions.def"
#undef INSTRUCTION
    OPCODE_COUNT,
};

/* Modifiers but types, spaces and vector widths. Those that exclude each other stand together. */
/* clang-format off */
#define MODIFIERS(X) \
    /* rounding of floats, to integral values */ \
    X(RN, "rn") X(RZ, "rz") X(RM, "rm") X(RP, "rp") X(RNA, "rna") \
    X(RNI, "rni") X(RZI, "rzi") X(RMI, "rmi") X(RPI, "rpi") \
    X(APPROX, "approx") X(FULL, "full") X(FTZ, "ftz") X(SAT, "sat") X(RELU, "relu") \
    X(SATFINITE, "satfinite") X(PACK, "pack") \
    X(XORSIGN, "xorsign") X(ABS, "abs") \
    /* halves of a product; lo and hi are comparisons of unsigned numbers too */ \
    X(LO, "lo") X(HI, "hi") X(WIDE, "wide") X(CC, "cc") \
    /* comparisons */ \
    X(EQ, "eq") X(NE, "ne") X(LT, "lt") X(LE, "le") X(GT, "gt") X(GE, "ge") \
    X(LS, "ls") X(HS, "hs") \
    X(EQU, "equ") X(NEU, "neu") X(LTU, "ltu") X(LEU, "leu") X(GTU, "gtu") X(GEU, "geu") \
    X(NUM, "num") X(NAN, "nan") X(NAN_WINS, "NaN") \
    /* operations of atom, red, redux, setp, bar.red */ \
    X(ADD, "add") X(MIN, "min") X(MAX, "max") X(AND, "and") X(OR, "or") X(XOR, "xor") \
    X(INC, "inc") X(DEC, "dec") X(EXCH, "exch") X(CAS, "cas") X(POPC, "popc") \
    /* memory order, scope, cache */ \
    X(WEAK, "weak") X(VOLATILE, "volatile") X(RELAXED, "relaxed") X(ACQUIRE, "acquire") \
    X(RELEASE, "release") X(ACQ_REL, "acq_rel") X(SC, "sc") X(MMIO, "mmio") \
    X(CTA, "cta") X(CLUSTER, "cluster") X(GPU, "gpu") X(SYS, "sys") X(GL, "gl") \
    X(NC, "nc") X(CA, "ca") X(CG, "cg") X(CS, "cs") X(LU, "lu") X(CV, "cv") \
    X(WB, "wb") X(WT, "wt") X(L1, "L1") X(L2, "L2") X(NOFTZ, "noftz") \
    /* warps and branches */ \
    X(UNI, "uni") X(SYNC, "sync") X(ALIGNED, "aligned") X(ARRIVE, "arrive") X(RED, "red") \
    X(WARP, "warp") X(UP, "up") X(DOWN, "down") X(BFLY, "bfly") X(IDX, "idx") \
    X(BALLOT, "ballot") X(ANY, "any") X(ALL, "all") \
    /* shifts, permutes, tests, addresses */ \
    X(WRAP, "wrap") X(CLAMP, "clamp") X(L, "l") X(R, "r") X(SHIFTAMT, "shiftamt") \
    X(F4E, "f4e") X(B4E, "b4e") X(RC8, "rc8") X(ECL, "ecl") X(ECR, "ecr") X(RC16, "rc16") \
    X(FINITE, "finite") X(INFINITE, "infinite") X(NUMBER, "number") X(NOTANUMBER, "notanumber") \
    X(NORMAL, "normal") X(SUBNORMAL, "subnormal") X(TO, "to") X(TRANS, "trans") \
    /* what a texture or a tensor is: its dimensions, layers of one or two */ \
    X(1D, "1d") X(2D, "2d") X(3D, "3d") X(4D, "4d") X(5D, "5d") X(A1D, "a1d") X(A2D, "a2d") \
    X(CUBE, "cube") X(ACUBE, "acube") X(LEVEL, "level") X(GRAD, "grad") \
    /* surfaces: bytes or samples, and what becomes of those outside */ \
    X(B, "b") X(P, "p") X(TRAP, "trap") X(ZERO, "zero") \
    /* what an object is */ \
    X(WIDTH, "width") X(HEIGHT, "height") X(DEPTH, "depth") X(ARRAY_SIZE, "array_size") \
    X(CHANNEL_DATA_TYPE, "channel_data_type") X(CHANNEL_ORDER, "channel_order") \
    X(MEMORY_LAYOUT, "memory_layout") X(NORMALIZED_COORDS, "normalized_coords") \
    X(FORCE_UNNORMALIZED_COORDS, "force_unnormalized_coords") X(FILTER_MODE, "filter_mode") \
    X(ADDR_MODE_0, "addr_mode_0") X(ADDR_MODE_1, "addr_mode_1") X(ADDR_MODE_2, "addr_mode_2") \
    X(NUM_MIPMAP_LEVELS, "num_mipmap_levels") X(NUM_SAMPLES, "num_samples") \
    /* launches that overlap */ \
    X(LAUNCH_DEPENDENTS, "launch_dependents") X(WAIT, "wait") \
    /* copies in the background */ \
    X(FENCE, "fence") X(COMMIT_GROUP, "commit_group") X(WAIT_GROUP, "wait_group") \
    X(WAIT_ALL, "wait_all") X(CACHE_HINT, "L2::cache_hint") X(ASYNC, "async") X(BULK, "bulk") \
    X(TENSOR, "tensor") X(TILE, "tile") X(BULK_GROUP, "bulk_group") X(READ, "read") \
    X(REDUCE, "reduce") X(PREFETCH, "prefetch") X(TENSORMAP, "tensormap") \
    X(MULTICAST, "multicast::cluster") \
    X(MBARRIER, "mbarrier") X(NOINC, "noinc") X(ARRIVE_DROP, "arrive_drop") \
    X(NO_COMPLETE, "noComplete") X(PENDING_COUNT, "pending_count") \
    X(INIT, "init") X(INVAL, "inval") X(EXPECT_TX, "expect_tx") X(TEST_WAIT, "test_wait") \
    X(TRY_WAIT, "try_wait") X(PARITY, "parity") X(MBARRIER_INIT, "mbarrier_init") \
    /* products of matrices: their shapes, how they lie in memory, which of the three it is */ \
    X(M8N8K4, "m8n8k4") X(M8N8K16, "m8n8k16") X(M8N8K32, "m8n8k32") X(M8N8K128, "m8n8k128") \
    X(M16N8K4, "m16n8k4") X(M16N8K8, "m16n8k8") X(M16N8K16, "m16n8k16") X(M16N8K32, "m16n8k32") \
    X(M16N8K64, "m16n8k64") X(M16N8K128, "m16n8k128") X(M16N8K256, "m16n8k256") \
    X(M16N16K8, "m16n16k8") X(M16N16K16, "m16n16k16") X(M32N8K16, "m32n8k16") \
    X(M8N32K16, "m8n32k16") X(ROW, "row") X(COL, "col") \
    X(A, "a") X(C, "c") X(D, "d") X(G, "g") \
    X(ROW_ROW, "row.row") X(ROW_COL, "row.col") X(COL_ROW, "col.row") X(COL_COL, "col.col") \
    /* video: plus one, scaled down */ \
    X(PO, "po") X(SHR7, "shr7") X(SHR15, "shr15")
/* clang-format on */

enum modifier {
#define X(id, text) MOD_##id,
    MODIFIERS(X)
#undef X
        MODIFIER_COUNT,
};

/* What instructions are to the time models, which give each of these its clocks. */
enum cost_class {
    COST_ALU,
    COST_MULTIPLY,
    COST_SHIFT,
    COST_DIVISION,
    COST_INVERSE, /* 1 / x, 1 / sqrt(x) */
    COST_ROOT,
    COST_SPECIAL, /* by the special function units */
    COST_ANGLE, /* special, after a reduction of its argument */
    COST_BITS, /* popc, clz, brev, bfind: special on today's GPUs, not on the first */
    COST_MOVE, /* as wide as its value may be */
    COST_EXCHANGE, /* between lanes */
    COST_TENSOR, /* a product of matrices */
    COST_LOAD,
    COST_FETCH, /* of a texture */
    COST_STORE,
    COST_UPDATE, /* atomic, with a result */
    COST_REDUCTION, /* atomic, without one */
    COST_BARRIER,
    COST_JUMP, /* ends a basic block */
    COST_HINT, /* nothing that takes time */
};

/* What becomes of an instruction's sources. Whatever forms an address is used by that. */
enum effect {
    EFFECT_LANEWISE, /* each lane's results are made of its own sources */
    EFFECT_COMPARES, /* the same, and they are how a comparison came out */
    EFFECT_SELECTS, /* of the first two sources one is copied: the third says which */
    EFFECT_SHUFFLES, /* halves of the first source are copied from lane to lane */
    EFFECT_CROSSES, /* each lane's results are made of the sources of all lanes */
    EFFECT_MULTIPLIES, /* a row of the first matrix, a column of the second, and the third */
    EFFECT_ACCUMULATES, /* products of matrices in memory into the first operand, later */
    EFFECT_VOTES, /* the sources of all lanes, and they are what lanes decide together */
    EFFECT_WAITS, /* threads wait for each other */
    EFFECT_LOADS,
    EFFECT_STORES,
    EFFECT_UPDATES, /* atomic */
    EFFECT_COPIES, /* from memory to memory */
    EFFECT_FETCHES, /* of a texture */
    EFFECT_BRANCHES,
    EFFECT_NOTHING, /* that a value could tell */
    EFFECT_COUNT,
};

/* One way to write an instruction, in the notation of instructions.def. */
struct isa_form {
    const char *modifiers, *types, *operands;
    int since, until; /* .target, as in 75 */
    bool own; /* only where that is the GPU's own, as in 90a */
};

/* .target: a capability, as in 90, and whether what only GPUs of just that one have is asked for,
 * as sm_90a does. */
struct isa_target {
    int capability;
    bool own;
};

struct isa_row {
    const char *text;
    enum cost_class cost;
    enum effect effect;
    const struct isa_form *forms; /* up to one without operands */
};
extern const struct isa_row isa_rows[OPCODE_COUNT];
extern const char *const isa_modifier_names[MODIFIER_COUNT];

enum { ISA_MAX_OPERANDS = 8, ISA_MAX_WORDS = 12, ISA_MAX_TYPES = 4 };

/* An operand that a form takes. */
struct isa_operand {
    char letter; /* of instructions.def */
    char second; /* 0, 'p', 'P' */
    bool discards, widens, optional, negates;
    bool braced; /* a vector even where it has one element */
    int elements; /* of it; 0: as many as the instruction says */
    int share; /* of the product's columns, that it has an element for; 0: not of one */
    bool sign; /* of a constant: 1 or -1 */
    int parts; /* how many of a register may be named after it; 0: none */
    int least, below, multiple, power, equal; /* of a constant; 0: any */
    enum ptx_type type;
};

struct isa_operands {
    struct isa_operand items[ISA_MAX_OPERANDS];
    int count;
};

/* A texture's or a tensor's operand: [what, {coordinates}]. */
static inline bool isa_takes_coordinates(char letter)
{
    return letter == 'c' || letter == 'C' || letter == 'k';
}

/* Does the instruction write an operand of this kind? */
static inline bool isa_writes(const struct isa_operand *operand)
{
    return operand->letter == 'd' || operand->letter == 'v' || operand->letter == 'V' ||
           operand->letter == 'u';
}

/* The columns of the product whose shape `word` names, as in m64n8k16; 0: it is none by four
 * warps. */
int isa_columns(const char *word);

/* What stands after an opcode: modifiers, spaces and vector sizes; and types. */
struct isa_suffixes {
    const char *words[ISA_MAX_WORDS];
    int word_count;
    enum ptx_type types[ISA_MAX_TYPES];
    int type_count;
    bool type_first; /* a type stands right after the opcode */
};

/* The form of `opcode` that the suffixes are written in where .target is `target`; *since becomes
 * the lowest compute capability that has it. NULL where there is none: `why` then says what is
 * wrong with `text`, which is the opcode with its suffixes. */
const struct isa_form *isa_form_of(enum opcode opcode, const struct isa_suffixes *suffixes,
                                   struct isa_target target, int *since, const char *text,
                                   char *why, size_t size);

/* The operands of a form whose types are these, and the columns of its product, if it is one by
 * four warps: all, or all that must be there. */
void isa_operands_of(const struct isa_form *form, const enum ptx_type *types, int type_count,
                     int columns, bool optional, struct isa_operands *operands);

/* The next group or operand of a string of them. False at its end. */
struct isa_group {
    const char *words; /* with '|' between them, perhaps each with its '@' */
    size_t length;
    bool first, optional;
};
bool isa_next_group(const char **rest, struct isa_group *group);

#endif
