/* SPDX-License-Identifier: MIT */
/* PTX as data: what the parser makes of a text, with what the resolver adds.
 *
 * ptx_parse() takes a text through lexer.c, parser.c and resolver.c. The result is never changed
 * after that, and all threads share it. Terms and rules are those of the "Parallel Thread
 * Execution ISA" of NVIDIA. */
#ifndef PTX_H
#define PTX_H

#include "emu.h"
#include "isa/isa.h"

/* Special registers. Those before SREG_FIRST_VOLATILE do not change while a warp lives. */
/* clang-format off */
#define PTX_SPECIAL_REGISTERS(X) \
    X(TID_X, "%tid.x") X(TID_Y, "%tid.y") X(TID_Z, "%tid.z") \
    X(NTID_X, "%ntid.x") X(NTID_Y, "%ntid.y") X(NTID_Z, "%ntid.z") \
    X(CTAID_X, "%ctaid.x") X(CTAID_Y, "%ctaid.y") X(CTAID_Z, "%ctaid.z") \
    X(NCTAID_X, "%nctaid.x") X(NCTAID_Y, "%nctaid.y") X(NCTAID_Z, "%nctaid.z") \
    X(LANEID, "%laneid") X(WARPID, "%warpid") X(NWARPID, "%nwarpid") \
    X(SMID, "%smid") X(NSMID, "%nsmid") X(GRIDID, "%gridid") \
    X(LANEMASK_EQ, "%lanemask_eq") X(LANEMASK_LE, "%lanemask_le") X(LANEMASK_LT, "%lanemask_lt") \
    X(LANEMASK_GE, "%lanemask_ge") X(LANEMASK_GT, "%lanemask_gt") \
    X(CLUSTERID_X, "%clusterid.x") X(CLUSTERID_Y, "%clusterid.y") X(CLUSTERID_Z, "%clusterid.z") \
    X(NCLUSTERID_X, "%nclusterid.x") X(NCLUSTERID_Y, "%nclusterid.y") \
    X(NCLUSTERID_Z, "%nclusterid.z") \
    X(CLUSTER_CTAID_X, "%cluster_ctaid.x") X(CLUSTER_CTAID_Y, "%cluster_ctaid.y") \
    X(CLUSTER_CTAID_Z, "%cluster_ctaid.z") \
    X(CLUSTER_NCTAID_X, "%cluster_nctaid.x") X(CLUSTER_NCTAID_Y, "%cluster_nctaid.y") \
    X(CLUSTER_NCTAID_Z, "%cluster_nctaid.z") \
    X(CLUSTER_CTARANK, "%cluster_ctarank") X(CLUSTER_NCTARANK, "%cluster_nctarank") \
    X(ENVREG1, "%envreg1") X(ENVREG2, "%envreg2") \
    X(DYNAMIC_SMEM_SIZE, "%dynamic_smem_size") X(TOTAL_SMEM_SIZE, "%total_smem_size") \
    X(CLOCK, "%clock") X(CLOCK_HI, "%clock_hi") X(CLOCK64, "%clock64") \
    X(GLOBALTIMER, "%globaltimer") X(GLOBALTIMER_LO, "%globaltimer_lo") \
    X(GLOBALTIMER_HI, "%globaltimer_hi")
/* clang-format on */

enum ptx_sreg {
#define X(id, text) SREG_##id,
    PTX_SPECIAL_REGISTERS(X)
#undef X
        SREG_COUNT,
    SREG_FIRST_VOLATILE = SREG_CLOCK,
};

enum ptx_operand_kind {
    OPERAND_REGISTER, /* number */
    OPERAND_PAIR, /* number|second: setp p|q, shfl d|p; second -1 where written '_' */
    OPERAND_IMMEDIATE, /* bits, with the width of the instruction's type */
    OPERAND_SPECIAL, /* number: enum ptx_sreg */
    OPERAND_SYMBOL, /* a variable's address: number (of vars), plus offset */
    OPERAND_ADDRESS, /* [number + offset]: base is `base`; of a texture: [number, {elements}] */
    OPERAND_VECTOR, /* {elements} */
    OPERAND_LABEL, /* number: index of an instruction; -1: see `targets` (brx) */
    OPERAND_FUNCTION, /* number: of functions */
    /* (a, b): elements, all of them .param variables. A call always has three operands: a list
     * of results, the function, and a list of arguments. The lists may be empty. */
    OPERAND_LIST,
    OPERAND_SINK, /* _ */
};

enum ptx_base { BASE_NONE, BASE_REGISTER, BASE_SYMBOL };

struct ptx_operand {
    enum ptx_operand_kind kind;
    enum ptx_base base; /* for an address */
    bool negated; /* !p or -r; an immediate has its sign in its bits */
    bool is_float; /* for an immediate: it is written as a floating-point number */
    char part[6]; /* of a register in a video instruction: "b0", "h10", "b3210"; "": all of it */
    int number, second;
    int64_t offset;
    uint64_t bits;
    struct ptx_operand *elements;
    int count;
    const char *name; /* of a label, as written */
};

enum { PTX_MAX_OPERANDS = ISA_MAX_OPERANDS, PTX_MAX_TYPES = ISA_MAX_TYPES };

struct ptx_instr {
    enum opcode opcode;
    uint64_t modifiers[(MODIFIER_COUNT + 63) / 64]; /* a set of enum modifier: ptx_has() */
    enum ptx_type types[PTX_MAX_TYPES]; /* as written; the last one is the instruction's own */
    int type_count;
    enum ptx_space space; /* for memory, cvta, isspacep; for a copy, its destination */
    bool of_cluster; /* the space is .shared::cluster */
    int vector; /* 1, 2, 4 or 8 elements */
    int columns; /* of a product by four warps; 0: it is none */
    int since; /* the lowest compute capability that has it: 11 stands for 1.1 */
    const struct isa_operands *takes; /* what each operand must be */
    int guard; /* the predicate register, or -1 */
    bool guard_negated;
    struct ptx_operand operands[PTX_MAX_OPERANDS];
    int operand_count;
    int line; /* of the PTX text */
    int location; /* index into locations, or -1 */
    const char *text; /* the opcode with its modifiers, as written: "ld.global.u32" */
    const char *whole; /* "@%p1 ld.global.u32 %r1, [%rd1+4];", as written but for blanks */

    bool rolled; /* .pragma "nounroll" is before it */
    bool leads; /* set by the resolver: a basic block begins here */
    /* Set by the resolver: the registers that it reads, its guard first, and then those that it
     * writes. A register named twice is in there twice. */
    int *registers;
    int read_count, write_count;
    /* Set by the resolver, for branches: */
    int target; /* index of the label's instruction, or the instruction count; -1: no label */
    /* The index of the immediate post-dominator; the instruction count if there is none but the
     * exit. Paths that end in a guarded ret or a trap are not counted, since their lanes need no
     * place to meet. A loop without an end counts as if it could be left where it jumps back. */
    int reconverge;
    int *targets; /* brx.idx: the targets in its table */
    int target_count;
};

_Static_assert(sizeof((struct ptx_instr *)0)->modifiers * 8 >= MODIFIER_COUNT, "a bit for each");

/* Does `instr` have modifier `m`? */
static inline bool ptx_has(const struct ptx_instr *instr, enum modifier m)
{
    return instr->modifiers[m / 64] >> (m % 64) & 1;
}

/* Is the load or store a strong one (PTX ISA, "Memory Consistency Model")? */
static inline bool ptx_is_strong(const struct ptx_instr *instr)
{
    return ptx_has(instr, MOD_VOLATILE) || ptx_has(instr, MOD_RELAXED) ||
           ptx_has(instr, MOD_ACQUIRE) || ptx_has(instr, MOD_RELEASE) ||
           ptx_has(instr, MOD_ACQ_REL) || ptx_has(instr, MOD_SC) || ptx_has(instr, MOD_MMIO);
}
/* Is it about a barrier in shared memory, itself; and do threads arrive there? */
static inline bool ptx_is_mbarrier(const struct ptx_instr *instr)
{
    return instr->opcode == OP_MBARRIER || (instr->opcode == OP_CP && ptx_has(instr, MOD_MBARRIER));
}
/* A bulk copy out of shared memory, or what waits for those. */
static inline bool ptx_is_bulk_store(const struct ptx_instr *instr)
{
    return instr->opcode == OP_CP && ptx_has(instr, MOD_BULK) &&
           (ptx_has(instr, MOD_BULK_GROUP) || ptx_has(instr, MOD_COMMIT_GROUP) ||
            ptx_has(instr, MOD_WAIT_GROUP));
}
static inline bool ptx_arrives(const struct ptx_instr *instr)
{
    return ptx_has(instr, MOD_ARRIVE) || ptx_has(instr, MOD_ARRIVE_DROP);
}

/* What the instruction does with its sources. */
static inline enum effect ptx_effect_of(const struct ptx_instr *instr)
{
    return isa_rows[instr->opcode].effect;
}

/* The instruction's own type, which is the last one written. */
static inline enum ptx_type ptx_type_of(const struct ptx_instr *instr)
{
    return instr->type_count ? instr->types[instr->type_count - 1] : PTX_NONE;
}

/* A line of the CUDA source (.loc), and where it was inlined. */
struct ptx_location {
    int file; /* index into files */
    int line, column;
    int inlined_at; /* index into locations, or -1 */
};

/* A register of a function. */
struct ptx_register {
    char *name;
    enum ptx_type type;
    /* Set by the resolver: where a warp keeps it. A value is at this offset, in bytes, in the
     * register file of the warp: 32 lanes next to each other, with 4 bytes each for types up to
     * 32 bits and 8 for others. A predicate is at this index in the warp's array of masks, which
     * have a bit for each lane. */
    uint32_t slot;
    /* Set by the resolver: how often it is read, how many of these reads are as an address, and
     * how often it is written in the text; and the last instructions that do. */
    int reads, address_reads, writes;
    int reader, writer;
    /* Set by the resolver: on some way through the function it is read before it is written. */
    bool unwritten;
};

/* A variable, either of the module (.global, .const, .shared, extern) or of a function (.local,
 * .shared, .param). */
struct ptx_var {
    char *name;
    enum ptx_space space;
    size_t size, align; /* size is 0 for extern .shared without a length */
    bool is_extern;
    bool is_managed; /* .attribute(.managed) */
    bool is_reserved; /* .shared and the system's: zeros when a block starts */
    uint8_t *init; /* `size` bytes; NULL: zeros */
    struct ptx_relocation *relocations; /* addresses of other variables inside init */
    int relocation_count;
    int function; /* 1 + the number of the function whose address it stands for; 0: it is itself */
    /* Set by the resolver: the offset in the shared memory of the block, the local memory of the
     * thread or the parameters of the kernel. Global and constant variables get an address when
     * the module is loaded. */
    uint64_t offset;
};

/* An address in an initial value, 8 bytes wide. */
struct ptx_relocation {
    size_t at;
    int var; /* of the module's vars */
    int64_t addend;
    bool generic; /* written generic(var) */
};

struct ptx_function {
    char *name; /* as in the text, mangled */
    bool is_entry, has_body;
    char *error; /* why it could not be parsed; or NULL */
    int error_location; /* of the module's, before what cannot be read; -1: none */
    struct ptx_register *registers;
    int register_count;
    struct ptx_var *params; /* its .param variables, a run of the module's vars */
    int param_count;
    struct ptx_var *results; /* return values of a .func */
    int result_count;
    int *locals; /* indices into the module's vars: this function's .local, .shared, .param */
    int local_count;
    struct ptx_instr *instrs;
    int instr_count;
    uint32_t max_threads[3]; /* .maxntid, 0: not said */
    uint32_t required_threads[3]; /* .reqntid, 0: not said */
    uint32_t cluster[3]; /* .reqnctapercluster, 0: not said */
    int min_blocks; /* .minnctapersm, 0: not said */
    int max_registers; /* .maxnreg, 0: not said */
    /* The number of registers that ptxas chose, if the caller knows it from machine code of the
     * same source; 0: unknown. ptxas_runs_here: would the GPU itself run that code? */
    int ptxas_registers;
    bool ptxas_runs_here;

    /* Set by the resolver. The offsets of .param variables start at 0 with the parameters. The
     * results come after them, with what calls pass to other functions. */
    size_t param_bytes;
    size_t param_frame_bytes; /* of all .param variables */
    size_t shared_bytes; /* static, including the module's variables that it uses */
    const struct ptx_var *reserved; /* the reserved one of these variables, or NULL */
    size_t local_bytes; /* per thread */
    uint32_t register_file_bytes; /* for the values of a warp */
    int predicate_count;
    int live_registers; /* the most 32-bit registers alive at once, an estimate for occupancy */
    /* Where extern .shared arrays start when this kernel runs, also for the functions that it
     * calls. The `offset` of these arrays is not used. */
    uint32_t dynamic_shared_offset;
};

struct ptx_module {
    int version_major, version_minor;
    struct isa_target target;
    char **files; /* .file, by number */
    int file_count;
    struct ptx_location *locations;
    int location_count;
    struct ptx_var *vars; /* of the module and its functions; operands have indices into it */
    int var_count;
    struct ptx_function *functions;
    int function_count;
};

/* Parse and resolve the NUL-terminated texts of `count` objects, linked to one module. After an
 * error returns NULL with one line in `error` (such as "line 12: unknown directive '.foo'"). An
 * error in a function makes only that function fail: it gets no instructions, and its `error` has
 * the reason. An unknown opcode, modifier, type or directive is an error; none is skipped. */
struct ptx_module *ptx_parse(const char *const *texts, int count, char *error, size_t error_size);
/* For another owner: the module is freed when each has freed it. */
struct ptx_module *ptx_share(struct ptx_module *module);
void ptx_free(struct ptx_module *module);

/* The function of the module that `instr` belongs to. */
const struct ptx_function *ptx_function_of(const struct ptx_module *module,
                                           const struct ptx_instr *instr);

/* The index of the file in which a function is written, taken from the outermost line of its
 * first instruction that has one; -1 if none has. */
int ptx_file_of(const struct ptx_module *module, const struct ptx_function *function);

/* A part of `path`: as seen from the current folder, if it is in there; otherwise its name and
 * folder. */
const char *ptx_short_path(const char *path);

/* The source line of `instr`, such as "sumsq/v3_coalesced.cu:19", with a short path. If
 * `outermost`, follows inlined_at outward. Without -lineinfo it is "PTX line 40". */
char *ptx_where(const struct ptx_module *module, const struct ptx_instr *instr, bool outermost,
                char *buffer, size_t size);

/* Both lines, such as "a.hpp:12, inlined at sumsq/v3_coalesced.cu:19", or one if nothing was
 * inlined. */
enum { PTX_SOURCE_LINE_SIZE = 320 };
void ptx_source_line(const struct ptx_module *module, const struct ptx_instr *instr,
                     char line[PTX_SOURCE_LINE_SIZE]);

/* May the kernel use this variable of the module, by number? Not if another kernel declares it. */
bool ptx_may_use(const struct ptx_module *module, const struct ptx_function *kernel, int variable);

/* Does the function read a special register from `first` to `last`? And one that changes while a
 * warp lives, as clocks do? */
bool ptx_reads_special(const struct ptx_function *function, enum ptx_sreg first,
                       enum ptx_sreg last);
bool ptx_reads_clock(const struct ptx_function *function);

/* The last name in that of a mangled function, as far as it follows the rules of the Itanium ABI
 * for plain and nested names, such as _Z14sum_of_squaresPKiiPi and _ZN3cub6detail6kernelEv. For
 * a template it is the name of the template. */
void ptx_function_name(const char *mangled, char *name, size_t size);
/* The last name in that of a variable, which may belong to a function: "tile" in
 * "_ZZ4kernPiE4tile". */
void ptx_variable_name(const char *mangled, char *name, size_t size);

#endif
