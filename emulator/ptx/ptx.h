/* SPDX-License-Identifier: MIT */
/* PTX as data: what the parser makes of a text, and what the resolver adds.
 *
 * ptx_parse() = lexer.c -> parser.c -> resolver.c. The result is read-only from then on and shared
 * by every thread. Terms and rules are those of NVIDIA's "Parallel Thread Execution ISA".
 */
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
    OPERAND_IMMEDIATE, /* bits, already of the width the instruction's type asks for */
    OPERAND_SPECIAL, /* number: enum ptx_sreg */
    OPERAND_SYMBOL, /* a variable's address: number (of vars), plus offset */
    OPERAND_ADDRESS, /* [number + offset]: base is `base`; of a texture: [number, {elements}] */
    OPERAND_VECTOR, /* {elements} */
    OPERAND_LABEL, /* number: as `target` of the instruction; -1 of brx, see its `targets` */
    OPERAND_FUNCTION, /* number: of functions */
    /* (a, b): elements, which are symbols of .param variables. A call has always three operands: a
     * list of results, the function, a list of arguments; the lists may be empty. */
    OPERAND_LIST,
    OPERAND_SINK, /* _ */
};

enum ptx_base { BASE_NONE, BASE_REGISTER, BASE_SYMBOL };

struct ptx_operand {
    enum ptx_operand_kind kind;
    enum ptx_base base; /* of an address */
    bool negated; /* !p or -r; of an immediate it is folded already */
    bool is_float; /* of an immediate: written as a floating-point number */
    char part[6]; /* of a register, to a video instruction: "b0", "h10", "b3210"; "": all */
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
    enum ptx_type types[PTX_MAX_TYPES]; /* as written; the last is the instruction's own */
    int type_count;
    enum ptx_space space; /* of ld, st, atom ..., of cvta and isspacep; where a copy goes */
    bool of_cluster; /* the space is .shared::cluster */
    int vector; /* 1, 2, 4 or 8 elements */
    int since; /* the lowest compute capability that has it, as in 11 for 1.1 */
    const struct isa_operands *takes; /* what its operands must be, one by one */
    int guard; /* predicate register, or -1 */
    bool guard_negated;
    struct ptx_operand operands[PTX_MAX_OPERANDS];
    int operand_count;
    int line; /* of the PTX text */
    int location; /* index into locations, or -1 */
    const char *text; /* the opcode with its modifiers, as written: "ld.global.u32" */

    bool rolled; /* .pragma "nounroll" stands before it */
    bool leads; /* from the resolver: a basic block begins here */
    /* From the resolver: the registers that it reads, its guard first, and behind them those that
     * it writes. One that it names twice is there twice. */
    int *registers;
    int read_count, write_count;
    /* From the resolver, for branches. */
    int target; /* index of the instruction a label names, or the instruction count; -1: none */
    /* Index of the immediate post-dominator; the instruction count: only at exit. Lanes that leave
     * by a guarded ret or by a trap need no place to meet, so such paths do not count; and a loop
     * without an end counts as one that may be left where it jumps back. */
    int reconverge;
    int *targets; /* brx.idx: where its table goes */
    int target_count;
};

_Static_assert(sizeof((struct ptx_instr *)0)->modifiers * 8 >= MODIFIER_COUNT, "a bit for each");

/* Does `instr` carry modifier `m`? */
static inline bool ptx_has(const struct ptx_instr *instr, enum modifier m)
{
    return instr->modifiers[m / 64] >> (m % 64) & 1;
}

/* What becomes of its sources. */
static inline enum effect ptx_effect_of(const struct ptx_instr *instr)
{
    return isa_rows[instr->opcode].effect;
}

/* The instruction's own type: the last one written. */
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
    /* Where a warp keeps it, from the resolver. Values: byte offset into the warp's register file
     * of 32 lanes next to each other, 4 bytes each for types up to 32 bits, 8 above. Predicates:
     * index into the warp's array of 32-bit masks, one bit a lane. */
    uint32_t slot;
    /* From the resolver: how often it is read, how often of that as an address, and written in the
     * text; and the last instructions that do. */
    int reads, address_reads, writes;
    int reader, writer;
};

/* A variable: of the module (.global, .const, .shared, extern) or of a function (.local, .shared,
 * .param). */
struct ptx_var {
    char *name;
    enum ptx_space space;
    size_t size, align; /* size 0: extern .shared without a length */
    bool is_extern;
    bool is_managed; /* .attribute(.managed) */
    bool is_reserved; /* .shared that is the system's: zeros when a block starts */
    uint8_t *init; /* `size` bytes, or NULL for zeros */
    struct ptx_relocation *relocations; /* addresses of other variables inside init */
    int relocation_count;
    int function; /* 1 + the number of the function whose address it stands for; 0: it is itself */
    /* From the resolver: offset in its block's shared memory, thread's local memory or the kernel's
     * parameters. Global and constant variables get an address when the module is loaded. */
    uint64_t offset;
};

/* An address inside an initialiser, 8 bytes wide. */
struct ptx_relocation {
    size_t at;
    int var; /* of the module's vars */
    int64_t addend;
    bool generic; /* written generic(var) */
};

struct ptx_function {
    char *name; /* as in the text, mangled */
    bool is_entry, has_body;
    char *error; /* why its body cannot be read; NULL: it was */
    int error_location; /* of the module's, in front of what cannot be read; -1: none */
    struct ptx_register *registers;
    int register_count;
    struct ptx_var *params; /* .param of the signature: as results a run of the module's vars */
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
    /* ptxas's count of registers, if whoever parsed the text has it from machine code of the same
     * source; 0: unknown. Is that code one that the GPU itself would run? */
    int ptxas_registers;
    bool ptxas_runs_here;

    /* From the resolver. Offsets of .param variables start at 0 with the parameters; results, and
     * what calls pass to other functions, lie behind them. */
    size_t param_bytes;
    size_t param_frame_bytes; /* all of them */
    size_t shared_bytes; /* static, with the module's variables it uses */
    const struct ptx_var *reserved; /* of these the one that is reserved, or NULL */
    size_t local_bytes; /* of one thread */
    uint32_t register_file_bytes; /* of the warp's values: the sum of the slots */
    int predicate_count;
    int live_registers; /* 32-bit registers alive at once, at most: an estimate for occupancy */
    bool reads_unwritten; /* some register, on some way through it, before it writes it */
    /* Where extern .shared arrays start when this kernel runs, in functions it calls too: their own
     * `offset` is not used. */
    uint32_t dynamic_shared_offset;
};

struct ptx_module {
    int version_major, version_minor;
    int target; /* sm, as in 75 */
    char **files; /* .file, by number */
    int file_count;
    struct ptx_location *locations;
    int location_count;
    struct ptx_var *vars; /* of the module and of its functions; ptx_operand numbers index this */
    int var_count;
    struct ptx_function *functions;
    int function_count;
};

/* Parse and resolve a NUL-terminated text. On an error returns NULL and leaves one line in `error`
 * ("line 12: unknown instruction 'foo'"); an opcode, modifier, type or directive that we do not
 * know is an error, never skipped. */
struct ptx_module *ptx_parse(const char *text, char *error, size_t error_size);
/* The same, but what is wrong in a function's body stays its own: it has no instructions, and its
 * `error` says why. */
struct ptx_module *ptx_parse_functions(const char *text, char *error, size_t error_size);
void ptx_free(struct ptx_module *module);

/* The function of the module that `instr` is in. */
const struct ptx_function *ptx_function_of(const struct ptx_module *module,
                                           const struct ptx_instr *instr);

/* The file a function is written in, of the outermost place of its first instruction with one; -1:
 * none has. */
int ptx_file_of(const struct ptx_module *module, const struct ptx_function *function);

/* Write `instr` as PTX, without a newline, for error messages and listings. Returns buffer. */
char *ptx_print(const struct ptx_module *module, const struct ptx_function *function,
                const struct ptx_instr *instr, char *buffer, size_t size);

/* "sumsq/v3_coalesced.cu:19", as seen from the current folder or with the last folder, following
 * inlined_at outward if `outermost`; "PTX line 40" of a program without -lineinfo. */
char *ptx_where(const struct ptx_module *module, const struct ptx_instr *instr, bool outermost,
                char *buffer, size_t size);

/* Both: "a.hpp:12, inlined at sumsq/v3_coalesced.cu:19", or one place where nothing was inlined. */
enum { PTX_PLACE_SIZE = 320 };
void ptx_place(const struct ptx_module *module, const struct ptx_instr *instr,
               char place[PTX_PLACE_SIZE]);

/* The last name of a mangled function, as far as Itanium's rules for plain and nested names go:
 * _Z14sum_of_squaresPKiiPi, _ZN3cub6detail6kernelEv. A template's name is that of the template. */
void ptx_function_name(const char *mangled, char *name, size_t size);
/* The last name in that of a variable, maybe a function's own: "tile" of "_ZZ4kernPiE4tile". */
void ptx_variable_name(const char *mangled, char *name, size_t size);

#endif
