/* The instruction set: ONE table for parser, resolver, executor, printer and the coverage test.
 *
 *   OPCODE(id, "text", "operands", family, capability)
 *
 * operands: one letter each, '?' behind one that may be missing.
 *   d destination    D destination, perhaps d|p    a source    m [address]    l label
 *   f function    ( list    (others follow the syntax of the one instruction that has them)
 * family: who executes it (machine/FAMILY.c).
 * capability: the lowest compute capability of the plainest form, as in 11 for 1.1.
 */
#ifndef OPCODES_H
#define OPCODES_H

/* clang-format off */
#define OPCODES(OPCODE) \
    /* integers and floats */ \
    OPCODE(ADD, "add", "daa", arithmetic, 10) \
    OPCODE(SUB, "sub", "daa", arithmetic, 10) \
    OPCODE(MUL, "mul", "daa", arithmetic, 10) \
    OPCODE(MAD, "mad", "daaa", arithmetic, 10) \
    OPCODE(MUL24, "mul24", "daa", arithmetic, 10) \
    OPCODE(MAD24, "mad24", "daaa", arithmetic, 10) \
    OPCODE(ADDC, "addc", "daa", arithmetic, 10) \
    OPCODE(SUBC, "subc", "daa", arithmetic, 10) \
    OPCODE(MADC, "madc", "daaa", arithmetic, 20) \
    OPCODE(FMA, "fma", "daaa", arithmetic, 13) \
    OPCODE(DIV, "div", "daa", arithmetic, 10) \
    OPCODE(REM, "rem", "daa", arithmetic, 10) \
    OPCODE(ABS, "abs", "da", arithmetic, 10) \
    OPCODE(NEG, "neg", "da", arithmetic, 10) \
    OPCODE(MIN, "min", "daa", arithmetic, 10) \
    OPCODE(MAX, "max", "daa", arithmetic, 10) \
    OPCODE(SAD, "sad", "daaa", arithmetic, 10) \
    OPCODE(DP4A, "dp4a", "daaa", arithmetic, 61) \
    OPCODE(DP2A, "dp2a", "daaa", arithmetic, 61) \
    OPCODE(COPYSIGN, "copysign", "daa", arithmetic, 10) \
    /* special functions */ \
    OPCODE(RCP, "rcp", "da", arithmetic, 10) \
    OPCODE(SQRT, "sqrt", "da", arithmetic, 10) \
    OPCODE(RSQRT, "rsqrt", "da", arithmetic, 10) \
    OPCODE(SIN, "sin", "da", arithmetic, 10) \
    OPCODE(COS, "cos", "da", arithmetic, 10) \
    OPCODE(LG2, "lg2", "da", arithmetic, 10) \
    OPCODE(EX2, "ex2", "da", arithmetic, 10) \
    OPCODE(TANH, "tanh", "da", arithmetic, 75) \
    /* bits */ \
    OPCODE(AND, "and", "daa", bits, 10) \
    OPCODE(OR, "or", "daa", bits, 10) \
    OPCODE(XOR, "xor", "daa", bits, 10) \
    OPCODE(NOT, "not", "da", bits, 10) \
    OPCODE(CNOT, "cnot", "da", bits, 10) \
    OPCODE(SHL, "shl", "daa", bits, 10) \
    OPCODE(SHR, "shr", "daa", bits, 10) \
    OPCODE(SHF, "shf", "daaa", bits, 32) \
    OPCODE(LOP3, "lop3", "daaaa", bits, 50) \
    OPCODE(POPC, "popc", "da", bits, 20) \
    OPCODE(CLZ, "clz", "da", bits, 20) \
    OPCODE(BREV, "brev", "da", bits, 20) \
    OPCODE(BFIND, "bfind", "da", bits, 20) \
    OPCODE(BFE, "bfe", "daaa", bits, 20) \
    OPCODE(BFI, "bfi", "daaaa", bits, 20) \
    OPCODE(BMSK, "bmsk", "daa", bits, 70) \
    OPCODE(SZEXT, "szext", "daa", bits, 70) \
    OPCODE(FNS, "fns", "daaa", bits, 30) \
    OPCODE(PRMT, "prmt", "daaa", bits, 20) \
    /* comparison, selection, movement, conversion */ \
    OPCODE(SETP, "setp", "Daaa?", compare, 10) \
    OPCODE(SET, "set", "daaa?", compare, 10) \
    OPCODE(SELP, "selp", "daaa", compare, 10) \
    OPCODE(SLCT, "slct", "daaa", compare, 10) \
    OPCODE(TESTP, "testp", "da", compare, 20) \
    OPCODE(MOV, "mov", "da", move, 10) \
    OPCODE(CVT, "cvt", "daa?", move, 10) \
    OPCODE(CVTA, "cvta", "da", move, 20) \
    OPCODE(ISSPACEP, "isspacep", "da", move, 20) \
    /* memory */ \
    OPCODE(LD, "ld", "dm", memory, 10) \
    OPCODE(LDU, "ldu", "dm", memory, 20) \
    OPCODE(ST, "st", "ma", memory, 10) \
    OPCODE(PREFETCH, "prefetch", "m", memory, 20) \
    OPCODE(PREFETCHU, "prefetchu", "m", memory, 20) \
    OPCODE(ATOM, "atom", "dmaa?", memory, 11) \
    OPCODE(RED, "red", "ma", memory, 11) \
    OPCODE(MEMBAR, "membar", "", memory, 10) \
    OPCODE(FENCE, "fence", "", memory, 70) \
    /* between the lanes of a warp */ \
    OPCODE(SHFL, "shfl", "Daaaa?", collective, 30) \
    OPCODE(VOTE, "vote", "daa?", collective, 12) \
    OPCODE(MATCH, "match", "Daa", collective, 70) \
    OPCODE(ACTIVEMASK, "activemask", "d", collective, 30) \
    OPCODE(REDUX, "redux", "daa", collective, 80) \
    OPCODE(ELECT, "elect", "Da", collective, 90) \
    /* control */ \
    OPCODE(BRA, "bra", "l", control, 10) \
    OPCODE(BRX, "brx", "al", control, 20) \
    OPCODE(CALL, "call", "(?f(?", control, 10) \
    OPCODE(RET, "ret", "", control, 10) \
    OPCODE(EXIT, "exit", "", control, 10) \
    OPCODE(BAR, "bar", "d?aa?a?", control, 10) \
    OPCODE(BARRIER, "barrier", "d?aa?a?", control, 30) \
    OPCODE(NANOSLEEP, "nanosleep", "a", control, 70) \
    OPCODE(TRAP, "trap", "", control, 10) \
    OPCODE(BRKPT, "brkpt", "", control, 10) \
    OPCODE(PMEVENT, "pmevent", "a", control, 10) \
    OPCODE(GRIDDEPCONTROL, "griddepcontrol", "", control, 90)
/* clang-format on */

enum opcode {
#define OPCODE(id, text, operands, family, capability) OP_##id,
    OPCODES(OPCODE)
#undef OPCODE
        OPCODE_COUNT,
};

/* Modifiers but types, spaces and vector widths. Those that exclude each other stand together. */
/* clang-format off */
#define MODIFIERS(X) \
    /* rounding of floats, to integral values */ \
    X(RN, "rn") X(RZ, "rz") X(RM, "rm") X(RP, "rp") X(RNA, "rna") \
    X(RNI, "rni") X(RZI, "rzi") X(RMI, "rmi") X(RPI, "rpi") \
    X(APPROX, "approx") X(FULL, "full") X(FTZ, "ftz") X(SAT, "sat") X(RELU, "relu") \
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
    X(NORMAL, "normal") X(SUBNORMAL, "subnormal") X(TO, "to") \
    /* launches that overlap */ \
    X(LAUNCH_DEPENDENTS, "launch_dependents") X(WAIT, "wait")
/* clang-format on */

enum modifier {
#define X(id, text) MOD_##id,
    MODIFIERS(X)
#undef X
        MODIFIER_COUNT,
};

#endif
