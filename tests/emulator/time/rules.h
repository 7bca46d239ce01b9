/* SPDX-License-Identifier: MIT */
/* The second table of test_figures.c: what the models know beside a GPU's figures. */
#ifndef RULES_H
#define RULES_H

#include "figures.h"

/* The trial's work takes `least` to `most` times as long as the other. */
struct rule {
    const char *name;
    double least, most;
    struct trial trial;
    struct work other;
};

#define LOAD(n) "    ld.global.cg.u32 %r" #n ", [%rd2];\n"
#define KEEP(n) "    st.shared.u32 [%r10], %r" #n ";\n"
#define SET(n) "    add.u32 %r" #n ", %r20, %r21;\n"
#define DIV(n) "    div.u32 %r" #n ", %r" #n ", %r21;\n"
#define DIV64(n) "    div.u64 %rd" #n ", %rd" #n ", %rd9;\n"
#define DIV_FLOAT(n) "    div.rn.f32 %f" #n ", %f" #n ", %f8;\n"
#define SHUFFLE(n) "    shfl.sync.idx.b32 %r" #n ", %r" #n ", 0, 31, -1;\n"
#define ONE                  \
    "    mov.u64 %rd9, 1;\n" \
    "    mov.u32 %r20, 1;\n    mov.u32 %r21, 1;\n"
#define WORK(label, rank)                                                          \
    "    mov.u32 %r18, %cluster_ctarank;\n    setp.ne.u32 %p1, %r18, " #rank ";\n" \
    "    @%p1 bra IDLE" label ";\n    mov.u32 %r30, 200;\nNEXT" label ":\n"        \
    "    .pragma \"nounroll\";\n    sub.u32 %r30, %r30, 1;\n"                      \
    "    setp.ne.u32 %p3, %r30, 0;\n    @%p3 bra NEXT" label ";\nIDLE" label ":\n"
/* Lanes below 16 read the one, the others the other: by a generic address, or one of a cluster. */
#define HALVES(low, high)                                                  \
    ROOM HOME "    mov.u64 %rd8, room;\n    cvta.shared.u64 %rd8, %rd8;\n" \
              "    setp.lt.u32 %p1, %r1, 16;\n    selp.b64 %rd9, " low ", " high ", %p1;\n"
#define RANKS(low, high)                                                    \
    ROOM "    setp.lt.u32 %p1, %r1, 16;\n    selp.b32 %r17, " low ", " high \
         ", %p1;\n    mapa.shared::cluster.u32 %r16, %r10, %r17;\n" MEET
#define FAR_READ "    ld.shared::cluster.u32 %r9, [%r16];\n"
/* A thread's own array in local memory, an element at a computed address, and another one. */
#define OWN(bytes)                                                                  \
    "    .local .align 4 .b8 own[" #bytes "];\n    mov.u32 %r1, %tid.x;\n"          \
    "    and.b32 %r1, %r1, 3;\n    shl.b32 %r18, %r1, 2;\n    mov.u32 %r16, own;\n" \
    "    add.u32 %r17, %r16, %r18;\n    add.u32 %r18, %r17, %r18;\n"
#define CHANGE(at)                                                \
    "    ld.local.u32 %r8, [" at "];\n    add.u32 %r8, %r8, 1;\n" \
    "    st.local.u32 [" at "], %r8;\n"
#define ROUNDS(work)                                                  \
    "    mov.u32 %r30, 200;\nNEXT:\n    .pragma \"nounroll\";\n" work \
    "    sub.u32 %r30, %r30, 1;\n    setp.ne.u32 %p3, %r30, 0;\n    @%p3 bra NEXT;\n"
/* A load that no lane does, where the block before has something at a known address. */
#define NO_LOAD_BEHIND(word)                                                                \
    "{\n" word "    bra.uni NONE;\nNONE:\n    add.u32 %r9, %r9, %r20;\n"                    \
    "    @%p1 ld.global.u32 %r8, [%rd1];\n    add.u32 %r8, %r8, %r20;\n    bra.uni NEXT;\n" \
    "NEXT:\n    add.u32 %r8, %r8, %r8;\n}\n"
#define NO_LANE "    setp.ne.u32 %p1, %r1, %r1;\n"
/* Four words next to each other in shared memory. */
#define FOUR_WORDS(at)                                                       \
    "    ld.shared.u32 %r4, [" at "];\n    ld.shared.u32 %r5, [" at "+4];\n" \
    "    ld.shared.u32 %r6, [" at "+8];\n    ld.shared.u32 %r7, [" at "+12];\n"
/* Products, so that the scheduler has more to do than shared memory. */
#define SIXTEEN FOUR FOUR FOUR FOUR
#define FOUR FMA(1) FMA(2) FMA(1) FMA(2)
/* Products of halves of 64-bit integers, and one that is added to `low`. */
#define ANY_64 "    mov.u64 %rd8, %rd1;\n    mov.u64 %rd9, %rd1;\n"
#define HALF_PRODUCT                                                \
    "{\n    .reg .b64 %t, %u;\n    and.b64 %t, %rd8, 4294967295;\n" \
    "    shr.u64 %u, %rd8, 32;\n    mul.lo.u64 %rd8, %t, %u;\n}\n"
#define WIDE_PRODUCT                                    \
    "{\n    .reg .b32 %t;\n    cvt.u32.u64 %t, %rd8;\n" \
    "    mul.wide.u32 %rd8, %t, %r20;\n}\n"
#define MOVED(low)                                                          \
    "{\n    .reg .b64 %t, %u, %v;\n    and.b64 %t, %rd8, 4294967295;\n" low \
    "    mul.lo.u64 %v, %t, %t;\n    add.u64 %rd8, %v, %u;\n}\n"
/* Products of which no two in a row have a register in common, or all do. */
#define PRODUCT(n, a, b) "    fma.rn.f32 %f" #n ", %f" #a ", %f" #b ", %f" #n ";\n"
#define APART PRODUCT(0, 4, 8) PRODUCT(1, 5, 9) PRODUCT(2, 4, 8) PRODUCT(3, 5, 9)
#define TOGETHER PRODUCT(0, 4, 4) PRODUCT(1, 4, 4) PRODUCT(2, 4, 4) PRODUCT(3, 4, 4)
#define FACTORS                                                                            \
    "    mov.u32 %r1, %tid.x;\n    cvt.rn.f32.u32 %f4, %r1;\n    add.f32 %f5, %f4, %f4;\n" \
    "    add.f32 %f8, %f5, %f4;\n    add.f32 %f9, %f5, %f5;\n    add.f32 %f0, %f8, %f4;\n" \
    "    add.f32 %f1, %f8, %f5;\n    add.f32 %f2, %f9, %f4;\n    add.f32 %f3, %f9, %f5;\n"
#define DIFFERENCE(rounded)                                                       \
    "{\n    .reg .f32 %t;\n    mul" rounded ".f32 %t, %f1, %f2;\n    sub" rounded \
    ".f32 %f3, %f3, %t;\n}\n"
#define ODD_LANES \
    "    mov.u32 %r1, %tid.x;\n    and.b32 %r1, %r1, 1;\n    setp.ne.u32 %p1, %r1, 0;\n"
#define ROOT "    sqrt.rn.f32 %f1, %f2;\n"
#define IN_HALF(work) "{\n    @%p1 bra BEHIND;\n" work "BEHIND:\n}\n"
/* The same table, but for the compiler each lane might have another address. */
#define LANES_TABLE                                                                         \
    "    mov.u32 %r1, %tid.x;\n    shr.u32 %r1, %r1, 20;\n    mul.wide.u32 %rd9, %r1, 8;\n" \
    "    mov.u64 %rd8, table;\n    add.u64 %rd8, %rd8, %rd9;\n"
/* Every other lane has another two constants in the table. */
#define TWO_CONSTANTS                                                                      \
    "    mov.u32 %r1, %tid.x;\n    and.b32 %r1, %r1, 1;\n    mul.wide.u32 %rd9, %r1, 8;\n" \
    "    mov.u64 %rd8, table;\n    add.u64 %rd8, %rd8, %rd9;\n"

static const struct rule rules[] = {
    {"neighbouring words of shared memory, in one load",
     0.9,
     1.1,
     H200(1, 1024, 16, FOUR_WORDS("%r10"), ROOM),
     {16, "    ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r10];\n", ROOM, NULL}},
    {"words of shared memory that may not be aligned",
     1.1,
     1.3,
     H200(1, 1024, 16, FOUR_WORDS("%r11") SIXTEEN, ROOM "    and.b32 %r11, %r10, %r20;\n"),
     {16, FOUR_WORDS("%r10") SIXTEEN, ROOM, NULL}},
    {"four words of shared memory, in a clock each though all lanes want the same",
     3.6,
     4.1,
     H200(1, 1024, 64, "    ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r10];\n", ROOM),
     {64, "    ld.shared.u32 %r4, [%r10];\n", ROOM, NULL}},
    {"a product of two halves, in one instruction",
     0.9,
     1.1,
     H200(1, 32, 64, HALF_PRODUCT, ANY_64),
     {64, WIDE_PRODUCT, ANY_64, NULL}},
    {"a product and a sum, in one instruction",
     0.9,
     1.1,
     H200(1, 32, 64, MOVED("    mov.u64 %u, %rd9;\n"), ANY_64),
     {64, WIDE_PRODUCT, ANY_64, NULL}},
    {"a half that is moved to be added to a product",
     1.2,
     2,
     H200(1, 32, 32, MOVED("    shr.u64 %u, %rd8, 32;\n"), ANY_64),
     {32, WIDE_PRODUCT, ANY_64, NULL}},
    {"one half that changes",
     0.9,
     1.1,
     H200(1, 32, 64, "    or.b64 %rd8, %rd8, 1;\n    xor.b64 %rd8, %rd8, 2;\n", ANY_64),
     {64, "    or.b32 %r8, %r8, 1;\n    xor.b32 %r8, %r8, 2;\n", NULL, NULL}},
    {"products of six registers, of which no two in a row have one in common",
     1.4,
     2.1,
     H200(1, 32, 16, APART, FACTORS LOOP(8), END_LOOP),
     {16, TOGETHER, FACTORS LOOP(8), END_LOOP}},
    {"the same with other warps",
     1.3,
     1.6,
     H200(1, 1024, 64, APART, FACTORS),
     {64, TOGETHER, FACTORS, NULL}},
    {"a branch at which lanes may part",
     1.1,
     1.4,
     H200(1, 1024, 64, BRANCH, "    mov.u32 %r1, %tid.x;\n    setp.gt.u32 %p1, %r1, 5000;\n"),
     {64, BRANCH, "    mov.u32 %r1, %ctaid.x;\n    setp.gt.u32 %p1, %r1, 5000;\n", NULL}},
    {"a branch at which half of the lanes part from the others",
     1.2,
     1.9,
     H200(1, 32, 8, BRANCH, ODD_LANES),
     {8, BRANCH, "    mov.u32 %r1, %tid.x;\n    setp.gt.u32 %p1, %r1, 5000;\n", NULL}},
    {"floats that no other lane adds to, and that all lanes of many warps do",
     8,
     1000,
     H200(1, 1024, 8, "    atom.shared.add.f32 %f1, [%r10], %f1;\n", ROOM),
     {8, "    atom.shared.add.f32 %f1, [%r11], %f1;\n", ROOM, NULL}},
    {"a store that one lane leaves out: its sector is read and written, the others are one",
     1.1,
     1.6,
     H200(SMS, 256, 8, "    @%p1 st.global.u32 [%rd2], %r8;\n",
          HOME "    and.b32 %r1, %r1, 31;\n    setp.ne.u32 %p1, %r1, 0;\n"),
     {8, "    st.global.u32 [%rd2], %r8;\n", HOME, NULL}},
    {"words of all sectors of a line, written in fewer requests than those of four lines",
     0.6,
     0.85,
     H200(SMS, 256, 8, "    st.global.u32 [%rd8], %r8;\n",
          HOME "    mul.wide.u32 %rd8, %r2, 32;\n    add.u64 %rd8, %rd1, %rd8;\n"),
     {8, "    st.global.u32 [%rd4], %r8;\n", HOME, NULL}},
    {"a product of floats and a difference, in one instruction",
     0.9,
     1.1,
     H200(1, 1024, 128, DIFFERENCE("")),
     {128, "    fma.rn.f32 %f3, %f1, %f2, %f3;\n", NULL, NULL}},
    {"a product of floats and a difference that are each rounded, in two",
     1.8,
     2.2,
     H200(1, 1024, 128, DIFFERENCE(".rn")),
     {128, DIFFERENCE(""), NULL, NULL}},
    {"an exact root that half of the lanes leave out, behind a branch",
     1.15,
     1.4,
     H200(1, 1024, 16, IN_HALF(ROOT), ODD_LANES),
     {16, ROOT, ODD_LANES, NULL}},
    {"four constants, in two loads of two clocks, as each takes",
     1.7,
     2.2,
     H200(1, 1024, 16, "    ld.const.v4.u32 {%r4, %r5, %r6, %r7}, [%rd8];\n",
          "    mov.u64 %rd8, table;\n"),
     {16, "    ld.const.u32 %r4, [%rd8];\n", "    mov.u64 %rd8, table;\n", NULL}},
    {"constants that all lanes share, in uniform registers",
     0.2,
     0.5,
     H200(1, 1024, 32, UNIFORM(0), TABLE),
     {32, UNIFORM(0), LANES_TABLE, NULL}},
    {"the same for a product with a number, in each lane's",
     0.9,
     1.1,
     H200(1, 1024, 32, "    ld.const.f32 %f7, [%rd8];\n    fma.rn.f32 %f1, %f7, 0f40000000, %f1;\n",
          TABLE),
     {32, UNIFORM(0), LANES_TABLE, NULL}},
    {"constants of 256 bytes and of 384, read again and again",
     3,
     5,
     H200(1, 32, 8, UNIFORM(0) UNIFORM(64) UNIFORM(128) UNIFORM(192) UNIFORM(256) UNIFORM(320),
          TABLE),
     {12, UNIFORM(0) UNIFORM(64) UNIFORM(128) UNIFORM(192), TABLE, NULL}},
    {"constants that warps of a scheduler want at once, fetched once",
     0.9,
     1.4,
     H200(1, 1024, 8, SECTORS, TABLE),
     {8, SECTORS, TABLE "    mov.u32 %r1, %tid.x;\n    setp.gt.u32 %p1, %r1, 127;\n    @%p1 ret;\n",
      NULL}},
    {"neighbouring constants, in one load of two words",
     0.9,
     1.1,
     H200(1, 1024, 16, "    ld.const.u32 %r4, [%rd8];\n    ld.const.u32 %r5, [%rd8+4];\n",
          TWO_CONSTANTS),
     {16, "    ld.const.v2.u32 {%r4, %r5}, [%rd8];\n", TWO_CONSTANTS, NULL}},
    {"a loop of barriers of 16 warps, which go on one after the other",
     0.69,
     0.74,
     H200(1, 512, 1, "    bar.sync 0;\n", LOOP(512), END_LOOP),
     {16, FMA(3), LOOP(512), END_LOOP}},
    {"a chain behind another one, which fills its stalls",
     0.9,
     1.3,
     H200(1, 32, 12, FMA(1) FMA(1) FMA(1) FMA(1) FMA(2) FMA(2) FMA(2) FMA(2)),
     {12, FMA(1) FMA(1) FMA(1) FMA(1), NULL, NULL}},
    {"sums, which two units make, and the larger one, which one does",
     0.4,
     0.6,
     H200(1, 1024, 32, ADD(8) ADD(9)),
     {32, MAX(8) MAX(9), NULL, NULL}},
    {"the larger one of a sum and something, in one instruction",
     0.9,
     1.1,
     H200(1, 32, 64,
          "{\n    .reg .b32 %t;\n    add.s32 %t, %r8, %r20;\n    max.s32 %r8, %t, %r20;\n}\n"),
     {64, MAX(8), NULL, NULL}},
    {"what takes an instruction with a predicate waits for the comparison",
     3,
     5,
     H200(1, 32, 32, "    setp.ne.u32 %p1, %r8, 0;\n    @%p1 max.s32 %r8, %r8, %r20;\n"),
     {32, MAX(8), NULL, NULL}},
    {"a bulk store is read long before it is done",
     1.5,
     9,
     H200(1, 32, 32, PUT AWAIT_PUT, FIRST_OF(128)),
     {32, PUT AWAIT_READ, FIRST_OF(128), NULL}},
    {"a bulk store of twice as much takes twice as long",
     1.5,
     2.1,
     H200(1, 32, 16, PUT, FIRST_OF(32768), AWAIT_PUT),
     {16, PUT, FIRST_OF(16384), AWAIT_PUT}},
    {"lanes in shared and in global memory, whichever come first",
     0.9,
     1.1,
     H200(1, 32, 64, "    ld.u32 %r8, [%rd9];\n", HALVES("%rd8", "%rd2")),
     {64, "    ld.u32 %r8, [%rd9];\n", HALVES("%rd2", "%rd8"), NULL}},
    {"lanes in both blocks of a cluster, whichever come first",
     0.9,
     1.1,
     {.gpu = "h200",
      .blocks = 2,
      .threads = 32,
      .cluster = 2,
      .work = {64, FAR_READ, RANKS("0", "1"), MEET}},
     {64, FAR_READ, RANKS("1", "0"), MEET}},
    {"loads that no lane does, behind words of constant memory or moves",
     1,
     1,
     H200(1, 32, 64, NO_LOAD_BEHIND("    ld.const.u32 %r8, [table];\n"), NO_LANE),
     {64, NO_LOAD_BEHIND("    mov.u32 %r8, %r21;\n"), NO_LANE, NULL}},
    {"a result that is there later than the next one of its register",
     2.5,
     100,
     H200(1, 32, 1, LOAD(8) SET(8), HOME),
     {1, LOAD(8) SET(9), HOME, NULL}},
    {"a result that is there later than the next one of its register",
     1.5,
     2,
     PLAIN("h200", 1, 32, 160, FMA(1), HOME LOAD(8) SET(8)),
     {160, FMA(1), HOME LOAD(8) SET(9), NULL}},
    {"a result that is there later than the next one of its register",
     1.4,
     100,
     GT(1, 32, 1, LOAD(8) SET(8) SET(8), HOME),
     {1, SET(8) SET(8), HOME, NULL}},
    {"fetches of four lanes a clock",
     4,
     10,
     H200(1, 1024, 4, FETCHES, TEXTURE),
     {32, "    ld.shared.u32 %r8, [%r11];\n", ROOM, NULL}},
    {"fetches of four lanes a clock, plain",
     6,
     10,
     PLAIN("h200", SMS * 2, 1024, 1, FETCHES, TEXTURE),
     {8, "    ld.shared.u32 %r8, [%r11];\n", ROOM, NULL}},
    {"integers divided", 10, 40, H200(1, 32, 16, DIV(8), ONE), {16, MAX(8), ONE, NULL}},
    {"integers divided by many warps",
     10,
     40,
     H200(1, 1024, 16, DIV(8), ONE),
     {16, MAX(8), ONE, NULL}},
    {"as many moves as a small array has elements",
     1.3,
     2.1,
     H200(1, 32, 128, CHANGE("%r17"), OWN(64)),
     {128, CHANGE("%r17"), OWN(32), NULL}},
    {"a larger array, in local memory",
     0.99,
     1.01,
     H200(1, 32, 16, CHANGE("%r17"), OWN(68)),
     {16, CHANGE("%r17"), OWN(256), NULL}},
    {"a small array whose address goes elsewhere, in local memory",
     0.99,
     1.01,
     H200(1, 32, 16, CHANGE("%r17"), OWN(64) "    cvt.u64.u32 %rd9, %r16;\n"),
     {16, CHANGE("%r17"), OWN(256), NULL}},
    {"one computed address in a loop",
     1.5,
     2.1,
     H200(1, 32, 1, ROUNDS(CHANGE("%r17")), OWN(56)),
     {1, ROUNDS(CHANGE("%r17")), OWN(28), NULL}},
    {"two in a loop, of an array that is too large for that",
     0.99,
     1.01,
     H200(1, 32, 1, ROUNDS(CHANGE("%r17") CHANGE("%r18")), OWN(44)),
     {1, ROUNDS(CHANGE("%r17") CHANGE("%r18")), OWN(256), NULL}},
    {"integers divided, plain",
     5,
     40,
     PLAIN("h200", 1, 32, 16, DIV(8), ONE),
     {16, MAX(8), ONE, NULL}},
    {"signed integers divided, whose signs go off first",
     1.05,
     1.2,
     H200(1, 32, 64, "    div.s32 %r8, %r8, %r21;\n", ONE),
     {64, DIV(8), ONE, NULL}},
    {"64-bit integers divided", 2, 5, H200(1, 32, 16, DIV64(8), ONE), {16, DIV(8), ONE, NULL}},
    {"64-bit integers divided by what is called, for one after the other",
     1.9,
     2.1,
     H200(1, 32, 16, DIV64(7) DIV64(8), ONE),
     {16, DIV64(8), ONE, NULL}},
    {"a load that passes a store near by",
     0.9,
     1.1,
     H200(1, 32, 16, LOAD(4) KEEP(4) LOAD(5) KEEP(5) SIXTEEN SIXTEEN, HOME ROOM),
     {16, LOAD(4) KEEP(4) SIXTEEN SIXTEEN, HOME ROOM, NULL}},
    {"a load that passes no store far away",
     1.8,
     2.1,
     H200(1, 32, 8, LOAD(4) KEEP(4) SIXTEEN SIXTEEN LOAD(5) KEEP(5) SIXTEEN SIXTEEN, HOME ROOM),
     {8, LOAD(4) KEEP(4) SIXTEEN SIXTEEN, HOME ROOM, NULL}},
    {"64-bit integers divided, plain",
     3,
     5,
     PLAIN("h200", 1, 32, 16, DIV64(8), ONE),
     {16, DIV(8), ONE, NULL}},
    {"floats divided", 10, 20, H200(1, 32, 64, DIV_FLOAT(1)), {64, FMA(1), NULL, NULL}},
    {"floats divided, plain",
     4,
     10,
     PLAIN("h200", 1, 32, 16, DIV_FLOAT(1)),
     {16, FMA(1), NULL, NULL}},
    {"exchanges, plain", 4, 8, PLAIN("h200", 1, 32, 16, SHUFFLE(8)), {16, FMA(1), NULL, NULL}},
    {"exchanges of many warps, plain",
     3,
     5,
     PLAIN("h200", 1, 1024, 16, SHUFFLE(8)),
     {16, FMA(1), NULL, NULL}},
    {"doubles where few can be had",
     32,
     64,
     PLAIN("default", 1, 1024, 16, FMA64(1)),
     {16, FMA(1), NULL, NULL}},
    {"doubles where half as many as floats can be had",
     1.8,
     2.2,
     PLAIN("h200", 1, 1024, 16, FMA64(1)),
     {16, FMA(1), NULL, NULL}},
    {"special functions of many warps, plain",
     7,
     9,
     PLAIN("h200", 1, 1024, 16, EX2(1)),
     {16, FMA(1), NULL, NULL}},
    {"blocks of clusters whose second one works, in many waves",
     0.9,
     1.1,
     {.gpu = "h200", .blocks = 1056, .threads = 1024, .cluster = 2, .work = {1, WORK("0", 1) MEET}},
     {1, WORK("0", 0) MEET, NULL, NULL}},
    {"blocks of a cluster that work before and behind its barrier",
     1.7,
     2.1,
     {.gpu = "h200",
      .plain = true,
      .blocks = 2,
      .threads = 32,
      .cluster = 2,
      .work = {1, WORK("0", 0) MEET WORK("1", 1)}},
     {1, WORK("0", 0) WORK("1", 1), NULL, NULL}},
};
enum { RULE_COUNT = sizeof(rules) / sizeof(rules[0]) };

#endif
