/* SPDX-License-Identifier: MIT */
/* Where bytes that nobody wrote go: which bytes of what is computed are undefined, in which lanes,
 * and what counts as a use of them. */
#include "checked.h"

enum { ALL_LANES = -1 };

/* Nobody has written %u, the upper halves of %v and %w, the lower halves of %x and %y; %o is 1. */
static const char prologue[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".func (.param .b32 result) twice(.param .b32 number)\n{\n"
    ".reg .b32 %r<3>;\nld.param.b32 %r1, [number];\nadd.u32 %r2, %r1, %r1;\n"
    "st.param.b32 [result], %r2;\nret;\n}\n"
    ".func (.param .b32 result) last(.param .b32 number)\n{\n"
    ".reg .b32 %r<2000>;\nld.param.b32 %r1999, [number];\nadd.u32 %r1998, %r1999, 1;\n"
    "st.param.b32 [result], %r1998;\nret;\n}\n"
    ".visible .entry test(.param .u64 hole, .param .u64 out)\n{\n"
    ".reg .pred %p<9>;\n.reg .b16 %h<9>;\n.reg .b32 %r<20>, %u, %v, %x, %o, %me;\n"
    ".reg .b64 %d<20>, %w, %y, %hole, %out;\n.reg .f32 %f<9>;\n.shared .align 16 .b8 s[512];\n"
    "ld.param.u64 %hole, [hole];\nld.param.u64 %out, [out];\nmov.u32 %me, %tid.x;\n"
    "mov.u32 %o, 1;\n"
    "ld.global.u32 %u, [%hole];\nld.global.u32 %v, [%hole+4];\nld.global.u32 %x, [%hole+12];\n"
    "ld.global.u64 %w, [%hole+16];\nld.global.u64 %y, [%hole+24];\n";

static const struct checked how = {.kinds = 1u << CHECK_INIT, .blocks = 1, .threads = 32};

static char *report_of(const char *body)
{
    return checked_body(&how, prologue, body);
}

static bool is_reported(const char *body)
{
    char *report = report_of(body);
    const bool reported = !strstr(report, "init 0");

    free(report);
    return reported;
}

/* `body` is reported, as this use; NULL: it is not. */
static void expect_use(const char *body, const char *use)
{
    char *report = report_of(body);

    if (!strstr(report, use ? use : "init 0"))
        fail_msg("expected %s of: %s\n%s", use ? use : "nothing", body, report);
    free(report);
}

/* The bytes of %r9 (or of %d9, 8 bytes) that are undefined in this lane, or in any. */
static unsigned undefined_bytes(const char *body, int lane, int size)
{
    unsigned undefined = 0;

    for (int i = 0; i < size; i++) {
        char text[4096], only[64] = "";
        if (lane != ALL_LANES)
            snprintf(only, sizeof(only), "setp.ne.u32 %%p8, %%me, %d;\n@%%p8 ret;\n", lane);
        snprintf(text, sizeof(text),
                 size == 8 ? "%s\n%sand.b64 %%d9, %%d9, %llu;\nsetp.eq.u64 %%p7, %%d9, 3;\n"
                             "@%%p7 st.global.u32 [%%out], 1;"
                           : "%s\n%sand.b32 %%r9, %%r9, %llu;\nsetp.eq.u32 %%p7, %%r9, 3;\n"
                             "@%%p7 st.global.u32 [%%out], 1;",
                 body, only, 0xFFull << 8 * i);
        undefined |= (unsigned)is_reported(text) << i;
    }
    return undefined;
}

static void expect_bytes(const char *body, unsigned expected)
{
    const unsigned found = undefined_bytes(body, ALL_LANES, 4);

    if (found != expected)
        fail_msg("bytes %#x, expected %#x of: %s", found, expected, body);
}

static void expect_bytes_64(const char *body, unsigned expected)
{
    const unsigned found = undefined_bytes(body, ALL_LANES, 8);

    if (found != expected)
        fail_msg("bytes %#x, expected %#x of: %s", found, expected, body);
}

/* Lanes in which %r9 has anything undefined. */
static void expect_lanes(const char *body, uint32_t expected)
{
    uint32_t found = 0;

    for (int lane = 0; lane < 32; lane++)
        found |= (uint32_t)(undefined_bytes(body, lane, 4) != 0) << lane;
    if (found != expected)
        fail_msg("lanes %#x, expected %#x of: %s", found, expected, body);
}

TEST(test_moves)
{
    expect_bytes("mov.u32 %r9, %o;", 0);
    expect_bytes("mov.u32 %r9, %u;", 0xF);
    expect_bytes("mov.u32 %r9, %v;", 0xC);
    expect_bytes("mov.u32 %r9, %x;", 0x3);
    expect_bytes("mov.u32 %r9, %u;\nmov.u32 %r9, 0;", 0);
    expect_bytes_64("mov.b64 %d9, %w;", 0xF0);
    expect_bytes_64("mov.b64 %d9, %y;", 0x0F);
    /* Together and apart. */
    expect_bytes_64("mov.b64 %d9, {%v, %o};", 0x0C);
    expect_bytes_64("mov.b64 %d9, {%o, %v};", 0xC0);
    expect_bytes("mov.b64 {%r9, %r8}, %w;", 0);
    expect_bytes("mov.b64 {%r8, %r9}, %w;", 0xF);
    expect_bytes("mov.b64 {%r9, %r8}, %y;", 0xF);
    expect_bytes("mov.b64 {%r8, %r9}, %y;", 0);
    expect_bytes("mov.b32 {%h1, %h2}, %v;\nmov.b32 %r9, {%h2, %h1};", 0x3);
    expect_bytes("mov.u32 %r9, %u;\nmov.b64 {%r9, %r8}, %w;", 0);
}

TEST(test_loads)
{
    expect_bytes("ld.global.u8 %r9, [%hole];", 0x1);
    expect_bytes("ld.global.s8 %r9, [%hole];", 0xF);
    expect_bytes("ld.global.u16 %r9, [%hole];", 0x3);
    expect_bytes("ld.global.s16 %r9, [%hole];", 0xF);
    expect_bytes("ld.global.s16 %r9, [%hole+4];", 0);
    expect_bytes("ld.global.v2.u32 {%r9, %r8}, [%hole];", 0xF);
    expect_bytes("ld.global.v2.u32 {%r8, %r9}, [%hole];", 0xC);
    expect_bytes("mov.u32 %r9, %u;\nld.global.u32 %r9, [%out];", 0);
    /* Through memory. */
    expect_bytes("st.global.u32 [%out], %v;\nld.global.u32 %r9, [%out];", 0xC);
    expect_bytes("st.shared.u32 [s], %x;\nld.shared.u32 %r9, [s];", 0x3);
    expect_bytes("st.shared.v2.u32 [s], {%o, %x};\nld.shared.u32 %r9, [s+4];", 0x3);
    expect_bytes("st.shared.v2.u32 [s], {%o, %x};\nld.shared.u32 %r9, [s];", 0);
    expect_bytes("st.global.u32 [%out], %u;\nst.global.u32 [%out], 1;\nld.global.u32 %r9, [%out];",
                 0);
}

TEST(test_masks_and_shifts)
{
    expect_bytes("and.b32 %r9, %u, 0x00FF00FF;", 0x5);
    expect_bytes("and.b32 %r9, 0x00FF00FF, %u;", 0x5);
    expect_bytes("and.b32 %r9, %u, 0x00FF01FF;", 0x7);
    expect_bytes("or.b32 %r9, %u, 0xFF0000FF;", 0x6);
    expect_bytes("or.b32 %r9, %u, 0x7F0000FF;", 0xE);
    expect_bytes("and.b32 %r9, %v, %o;", 0xC);
    expect_bytes("or.b32 %r9, %x, %v;", 0xF);
    expect_bytes("shl.b32 %r9, %v, 8;", 0x8);
    expect_bytes("shl.b32 %r9, %x, 8;", 0x6);
    expect_bytes("shl.b32 %r9, %u, 32;", 0);
    expect_bytes("shl.b32 %r9, %x, 7;", 0xF);
    expect_bytes("shl.b32 %r1, %v, 8;\nshr.u32 %r9, %r1, 8;", 0x4);
    expect_bytes("shl.b32 %r9, %x, %o;", 0xF);
    expect_bytes("shl.b32 %r9, %o, %x;", 0xF);
    expect_bytes("shr.u32 %r9, %v, 8;", 0x6);
    expect_bytes("shr.s32 %r9, %v, 8;", 0xE);
    expect_bytes("shr.s32 %r9, %x, 8;", 0x1);
    expect_bytes_64("shl.b64 %d9, %w, 16;", 0xC0);
    expect_bytes_64("shr.u64 %d9, %w, 16;", 0x3C);
    expect_bytes_64("shr.s64 %d9, %w, 16;", 0xFC);
    expect_bytes_64("shr.u64 %d9, %w, 64;", 0);
    expect_bytes("prmt.b32 %r9, %v, %o, 0x3210;", 0xC);
    expect_bytes("prmt.b32 %r9, %v, %o, 0x0123;", 0x3);
    expect_bytes("prmt.b32 %r9, %o, %v, 0x7604;", 0xC);
    expect_bytes("prmt.b32 %r9, %o, %v, 0x5410;", 0);
    expect_bytes("prmt.b32 %r9, %v, %o, %o;", 0xF);
    expect_bytes("add.u32 %r9, %v, 1;", 0xF);
    expect_bytes("add.u32 %r9, %o, 1;", 0);
    expect_bytes("vadd4.u32.u32.u32 %r9.b0, %o, %v, %o;", 0xF);
    expect_bytes("vadd4.u32.u32.u32 %r9.b0, %o, %o, %o;", 0);
}

TEST(test_conversions)
{
    expect_bytes("cvt.u32.u64 %r9, %w;", 0);
    expect_bytes("cvt.u32.u64 %r9, %y;", 0xF);
    expect_bytes_64("cvt.u64.u32 %d9, %v;", 0x0C);
    expect_bytes_64("cvt.s64.s32 %d9, %v;", 0xFC);
    expect_bytes_64("cvt.s64.s32 %d9, %x;", 0x03);
    expect_bytes("cvt.u32.u16 %r9, %h1;", 0);
    expect_bytes("cvt.u32.u8 %r9, %v;", 0);
    expect_bytes("cvt.u32.u8 %r9, %x;", 0x1);
    expect_bytes("cvt.s32.s8 %r9, %x;", 0xF);
    expect_bytes("cvt.sat.u8.u32 %r9, %v;", 0xF);
    expect_bytes("cvt.rni.s32.f32 %r9, %v;", 0xF);
    expect_bytes("cvt.rn.f32.s32 %r9, %v;", 0xF);
}

/* Of `and` and `or` one value may decide; a selection takes one of two. */
TEST(test_choices)
{
#define FLAGS "setp.eq.u32 %p1, %u, 5;\nsetp.eq.u32 %p2, %o, 1;\nsetp.eq.u32 %p3, %o, 2;\n"
#define GUARDED "\n@%p4 st.global.u32 [%out], 1;"
    expect_use(FLAGS "and.pred %p4, %p1, %p2;" GUARDED, "use as a guard");
    expect_use(FLAGS "and.pred %p4, %p1, %p3;" GUARDED, NULL);
    expect_use(FLAGS "and.pred %p4, %p3, %p1;" GUARDED, NULL);
    expect_use(FLAGS "and.pred %p4, %p2, %p1;" GUARDED, "use as a guard");
    expect_use(FLAGS "or.pred %p4, %p1, %p2;" GUARDED, NULL);
    expect_use(FLAGS "or.pred %p4, %p2, %p1;" GUARDED, NULL);
    expect_use(FLAGS "or.pred %p4, %p1, %p3;" GUARDED, "use as a guard");
    expect_use(FLAGS "not.pred %p5, %p2;\nand.pred %p4, %p1, %p5;" GUARDED, NULL);
    expect_use(FLAGS "and.pred %p4, %p1, !%p2;" GUARDED, NULL);
    expect_use(FLAGS "xor.pred %p4, %p1, %p3;" GUARDED, "use as a guard");
    expect_use(FLAGS "setp.eq.and.u32 %p4|%p5, %o, 1, %p1;\n@%p5 st.global.u32 [%out], 1;",
               "use as a guard");
    expect_use(FLAGS "setp.eq.u32 %p4|%p5, %u, 1;\nsetp.eq.u32 %p4|%p5, %o, 1;\n"
                     "@%p5 st.global.u32 [%out], 1;",
               NULL);
    expect_bytes(FLAGS "selp.b32 %r9, %v, %o, %p2;", 0xC);
    expect_bytes(FLAGS "selp.b32 %r9, %v, %o, %p3;", 0);
    expect_bytes(FLAGS "selp.b32 %r9, %o, %v, %p2;", 0);
    expect_bytes(FLAGS "selp.b32 %r9, %o, %v, %p3;", 0xC);
    expect_bytes(FLAGS "selp.b32 %r9, %o, %v, !%p2;", 0xC);
    expect_bytes(FLAGS "selp.b32 %r9, %o, %o, %p1;", 0xF);
    expect_bytes(FLAGS "@%p2 mov.u32 %r9, %u;", 0xF);
    expect_bytes(FLAGS "mov.u32 %r9, 0;\n@%p3 mov.u32 %r9, %u;", 0);
    expect_bytes(FLAGS "mov.u32 %r9, %u;\n@%p3 mov.u32 %r9, 0;", 0xF);
}

/* Lanes from 8 on have 1 instead of what nobody wrote. */
TEST(test_shuffles)
{
#define LOW "setp.ge.u32 %p1, %me, 8;\nmov.u32 %r1, %u;\n@%p1 mov.u32 %r1, 1;\n"
    expect_lanes(LOW "mov.u32 %r9, %r1;", 0x000000FF);
    expect_lanes(LOW "shfl.sync.up.b32 %r9, %r1, 4, 0, -1;", 0x00000FFF);
    expect_lanes(LOW "shfl.sync.up.b32 %r9, %r1, 2, 0x1800, -1;", 0x000003FF & ~0x300);
    expect_lanes(LOW "shfl.sync.down.b32 %r9, %r1, 4, 31, -1;", 0x0000000F);
    expect_lanes(LOW "shfl.sync.down.b32 %r9, %r1, 4, 0x1807, -1;", 0x000000FF);
    expect_lanes(LOW "shfl.sync.bfly.b32 %r9, %r1, 16, 31, -1;", 0x00FF0000);
    expect_lanes(LOW "shfl.sync.bfly.b32 %r9, %r1, 3, 31, -1;", 0x000000FF);
    expect_lanes(LOW "shfl.sync.idx.b32 %r9, %r1, 3, 31, -1;", 0xFFFFFFFF);
    expect_lanes(LOW "shfl.sync.idx.b32 %r9, %r1, 9, 31, -1;", 0);
    expect_lanes(LOW "shfl.sync.idx.b32 %r9, %r1, 1, 0x181F, -1;", 0x000000FF);
    expect_lanes(LOW "mov.u32 %r2, %me;\nshfl.sync.idx.b32 %r9, %r1, %r2, 31, -1;", 0x000000FF);
}

/* A row of a matrix is one lane's, its halves go to four; and the other way round. */
TEST(test_matrices)
{
#define ROWS "mov.u32 %r8, s;\nmad.lo.u32 %r8, %me, 16, %r8;\n"
#define STORED ROWS "st.shared.v4.u32 [%r8], {%o, %o, %o, %x};\n"
#define READ "mov.u32 %r7, s;\nmad.lo.u32 %r7, %me, 4, %r7;\nld.shared.u32 %r9, [%r7];\n"
    expect_lanes(STORED "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r9}, [%r8];", 0x88888888);
    expect_bytes(STORED "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r9}, [%r8];", 0x3);
    expect_lanes(STORED "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r9}, [%r8];", 0x0F000000);
    expect_bytes(STORED "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r9}, [%r8];", 0xF);
    /* One row: its first matrix is complete. */
    expect_lanes(ROWS "setp.ne.u32 %p1, %me, 10;\n"
                      "@%p1 st.shared.v4.u32 [%r8], {%o, %o, %o, %o};\n"
                      "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r8, %r9}, [%r8];",
                 0x00000F00);
    expect_lanes(ROWS "setp.ne.u32 %p1, %me, 10;\n"
                      "@%p1 st.shared.v4.u32 [%r8], {%o, %o, %o, %o};\n"
                      "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r9, %r8}, [%r8];",
                 0);
    expect_lanes("mov.u32 %r9, %u;\n" ROWS "st.shared.v4.u32 [%r8], {%o, %o, %o, %o};\n"
                 "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r9}, [%r8];",
                 0);
    expect_use("mov.u32 %r8, %u;\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r9}, [%r8];",
               "use as an address");
    /* Word i of what is stored is lane i's, or lies in two rows. */
    expect_lanes(ROWS "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r8], {%x};\n" READ, 0xFFFFFFFF);
    expect_bytes(ROWS "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r8], {%x};\n" READ, 0x3);
    expect_lanes(ROWS "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%r8], {%x};\n" READ,
                 0x0F0F0F0F);
    expect_bytes(ROWS "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%r8], {%x};\n" READ, 0xF);
    expect_lanes(ROWS "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r8], {%o, %u};\n" READ, 0);
    expect_use(ROWS "add.u32 %r1, %u, 1;\n"
                    "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r8], {%o, %r1};",
               "use in what is stored");
}

/* What every lane gets comes of the sources of all; a transposition moves halves. */
TEST(test_crossings)
{
    expect_lanes(LOW "redux.sync.add.u32 %r9, %r1, -1;", 0xFFFFFFFF);
    expect_lanes("mov.u32 %r1, 1;\nsetp.eq.u32 %p1, %me, 5;\n@%p1 mov.u32 %r1, %u;\n"
                 "redux.sync.or.b32 %r9, %r1, -1;",
                 0xFFFFFFFF);
    expect_lanes(LOW "redux.sync.add.u32 %r9, %o, -1;", 0);
    expect_lanes(LOW "mov.u32 %r2, -1;\nmov.u32 %r9, 0;\n"
                     "@%p1 redux.sync.max.s32 %r9, %r1, 0xFFFFFF00;",
                 0);
    expect_lanes(LOW "mov.u32 %r9, 0;\n@!%p1 redux.sync.max.s32 %r9, %r1, 0xFF;", 0xFF);
    expect_lanes(LOW "movmatrix.sync.aligned.m8n8.trans.b16 %r9, %r1;", 0x11111111);
    expect_lanes("mov.u32 %r1, 1;\nsetp.eq.u32 %p1, %me, 5;\n@%p1 mov.u32 %r1, %u;\n"
                 "movmatrix.sync.aligned.m8n8.trans.b16 %r9, %r1;",
                 1u << 8 | 1u << 12);
    expect_bytes("movmatrix.sync.aligned.m8n8.trans.b16 %r9, %u;", 0xF);
    expect_lanes("movmatrix.sync.aligned.m8n8.trans.b16 %r9, %x;", 0x0F0F0F0F);
    expect_lanes("mov.u32 %r9, %u;\nactivemask.b32 %r9;", 0);
    /* Lanes that come one after the other: what they bring is what they have when they come. */
    expect_lanes("setp.lt.u32 %p1, %me, 16;\nmov.u32 %r1, %u;\n@%p1 bra LOW;\n"
                 "mov.u32 %r1, 1;\nLOW: @%p1 mov.u32 %r1, 2;\n"
                 "shfl.sync.bfly.b32 %r9, %r1, 16, 31, -1;",
                 0);
    expect_lanes("setp.lt.u32 %p1, %me, 16;\nmov.u32 %r1, %u;\n@%p1 bra LOW;\n"
                 "mov.u32 %r1, 1;\nshfl.sync.bfly.b32 %r9, %r1, 16, 31, -1;\nbra END;\n"
                 "LOW: mov.u32 %r1, 2;\nshfl.sync.bfly.b32 %r9, %r1, 16, 31, -1;\nEND:",
                 0);
    expect_lanes("setp.lt.u32 %p1, %me, 16;\nmov.u32 %r1, 3;\n@%p1 bra LOW;\n"
                 "mov.u32 %r1, %u;\nshfl.sync.bfly.b32 %r9, %r1, 16, 31, -1;\nbra END;\n"
                 "LOW: mov.u32 %r1, 2;\nshfl.sync.bfly.b32 %r9, %r1, 16, 31, -1;\nEND:",
                 0x0000FFFF);
}

/* An element of a product is made of a row, a column and what is added to it. */
TEST(test_products)
{
#define FROM_LANE_5 "mov.u32 %r1, 1;\nsetp.eq.u32 %p1, %me, 5;\n@%p1 mov.u32 %r1, %u;\n"
#define FLOATS "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
#define HALVES "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 "
#define WHOLE "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 "
    /* Lane 5 has row 1, or row 9, of a; column 1 of b; of c row 1, or 9, columns 2 and 3. */
    expect_lanes(FROM_LANE_5 FLOATS "{%r9, %r2, %r3, %r4}, {%r1, %o}, {%o}, {%o, %o, %o, %o};",
                 0x000000F0);
    expect_lanes(FROM_LANE_5 FLOATS "{%r9, %r2, %r3, %r4}, {%o, %r1}, {%o}, {%o, %o, %o, %o};", 0);
    expect_lanes(FROM_LANE_5 FLOATS "{%r2, %r3, %r9, %r4}, {%o, %r1}, {%o}, {%o, %o, %o, %o};",
                 0x000000F0);
    expect_lanes(FROM_LANE_5 FLOATS "{%r2, %r9, %r3, %r4}, {%o, %o}, {%r1}, {%o, %o, %o, %o};",
                 0x11111111);
    expect_lanes(FROM_LANE_5 FLOATS "{%r9, %r2, %r3, %r4}, {%o, %o}, {%r1}, {%o, %o, %o, %o};", 0);
    expect_lanes(FROM_LANE_5 FLOATS "{%r2, %r9, %r3, %r4}, {%o, %o}, {%o}, {%o, %r1, %o, %o};",
                 0x00000020);
    expect_lanes(FROM_LANE_5 FLOATS "{%r9, %r2, %r3, %r4}, {%o, %o}, {%o}, {%o, %r1, %o, %o};", 0);
    expect_bytes(HALVES "{%r9, %r2}, {%o, %o}, {%o}, {%x, %o};", 0x3);
    expect_lanes(FROM_LANE_5 HALVES "{%r9, %r2}, {%o, %o}, {%r1}, {%o, %o};", 0x11111111);
    expect_lanes(FROM_LANE_5 WHOLE "{%r9, %r2}, {%r1}, {%o}, {%o, %o};", 0x000000F0);
    expect_lanes("mov.u32 %r9, %u;\n" WHOLE "{%r9, %r2}, {%o}, {%o}, {%o, %o};", 0);
    /* A word of memory that lane 5 has not written: row 1, columns 2 and 3, which lane 5 holds. */
    expect_lanes(ROWS "setp.ne.u32 %p1, %me, 5;\nshl.b32 %r1, %me, 2;\nmov.u32 %r8, s;\n"
                      "add.u32 %r1, %r1, %r8;\n@%p1 st.shared.u32 [%r1], %o;\n"
                      "st.shared.u32 [%r1+128], %o;\nbar.sync 0;\n"
                      "wmma.load.c.sync.aligned.row.m16n16k16.shared.f16 {%r9, %r1, %r2, %r3}, "
                      "[%r8], 8;",
                 0x00000020);
    /* It is a result, and not any more a copy. */
    expect_use(WHOLE "{%r9, %r2}, {%u}, {%o}, {%o, %o};\nst.global.u32 [%out], %r9;",
               "use in what is stored");
#undef FROM_LANE_5
#undef FLOATS
#undef HALVES
#undef WHOLE
}

TEST(test_uses)
{
    expect_use("st.global.u32 [%out], %u;", NULL);
    expect_use("add.u32 %r1, %u, 1;\nst.global.u32 [%out], %r1;", "use in what is stored");
    expect_use("add.u32 %r1, %u, 1;\nmov.u32 %r1, %v;\nst.global.u32 [%out], %r1;", NULL);
    expect_use("add.u32 %r1, %u, 1;\nshfl.sync.idx.b32 %r2, %r1, 0, 31, -1;\n"
               "st.global.u32 [%out], %r2;",
               "use in what is stored");
    expect_use("add.u32 %r1, %u, 1;\nmov.b64 %d1, {%o, %r1};\nst.global.u64 [%out], %d1;",
               "use in what is stored");
    expect_use("setp.eq.u32 %p1, %u, 5;\n@%p1 bra END;\nmov.u32 %r1, 1;\nEND:", "use in a branch");
    expect_use("cvt.u64.u32 %d1, %u;\nadd.u64 %d1, %d1, %out;\nld.global.u32 %r1, [%d1];",
               "use as an address");
    expect_use("cvt.u64.u32 %d1, %u;\nadd.u64 %d1, %d1, %out;\nst.global.u32 [%d1], 1;",
               "use as an address");
    expect_use("cvt.u64.u32 %d1, %u;\nadd.u64 %d1, %d1, %out;\natom.global.add.u32 %r1, [%d1], 1;",
               "use as an address");
    expect_use("cvt.u64.u32 %d1, %u;\nadd.u64 %d1, %d1, %out;\nred.global.add.u32 [%d1], 1;",
               "use as an address");
    expect_use("atom.global.add.u32 %r1, [%out], %u;", "use in an atomic");
    expect_use("atom.global.cas.b32 %r1, [%out], 0, %u;", "use in an atomic");
    expect_use("red.global.add.u32 [%out], %u;", "use in an atomic");
    expect_use("atom.global.add.u32 %r1, [%hole], 1;", "atomic");
    expect_use("mov.u32 %r1, s;\ncp.async.ca.shared.global [%r1], [%out], 4, %u;\n"
               "cp.async.wait_all;",
               "use in a copy");
    expect_use("T: .branchtargets A, B;\nbrx.idx %u, T;\nA:\nB:", "use in a branch");
    expect_use("setp.eq.u32 %p1, %u, 5;\nvote.sync.ballot.b32 %r1, %p1, -1;", "use in a vote");
    expect_use("match.any.sync.b32 %r1, %u, -1;", "use in a vote");
    expect_use("setp.eq.u32 %p1, %u, 5;\nbar.red.popc.u32 %r1, 0, %p1;", "use in a barrier");
    expect_use("mov.u32 %r1, %u;\nmov.u32 %r2, 32;\nbar.red.popc.u32 %r1, 0, %r2, 1;\n"
               "add.u32 %r1, %r1, 1;\nst.global.u32 [%out], %r1;",
               NULL);
    expect_use("mov.u32 %r1, %u;\nvote.sync.ballot.b32 %r1, 1, -1;\nadd.u32 %r1, %r1, 1;\n"
               "st.global.u32 [%out], %r1;",
               NULL);
    expect_use("mov.u32 %r1, %u;\natom.global.add.u32 %r1, [%out], 1;\nadd.u32 %r1, %r1, 1;\n"
               "st.global.u32 [%out], %r1;",
               NULL);
}

/* Lanes that get another value leave those of the others as they are. */
TEST(test_other_lanes)
{
#define PART                                                              \
    "mov.u32 %r1, %u;\nsetp.lt.u32 %p1, %me, 16;\n@%p1 mov.u32 %r1, 7;\n" \
    "mad.wide.u32 %d1, %me, 4, %out;\nst.global.u32 [%d1], %r1;\n"        \
    "ld.global.u32 %r9, [%d1];"
    expect_lanes(PART, 0xFFFF0000);
}

/* Of one load one report, whatever comes of it. */
TEST(test_told_once)
{
    char *report = report_of("add.u32 %r1, %u, 1;\nsetp.eq.u32 %p1, %r1, 5;\n"
                             "@%p1 st.global.u32 [%out], 1;\n@%p1 st.global.u32 [%out+4], 1;");

    assert_non_null(strstr(report, "32 times"));
    assert_non_null(strstr(report, "1 report: init 1"));
    free(report);

    report = report_of("add.u32 %r1, %u, 1;\nst.global.u32 [%out], %r1;\n"
                       "add.u32 %r2, %u, 2;\nst.global.u32 [%out], %r2;");
    assert_non_null(strstr(report, "1 report: init 1"));
    free(report);
}

/* Registers of functions that lie where another's lay. */
TEST(test_frames)
{
#define CALL(function)                                                                    \
    "{\n.param .b32 number, result;\nst.param.b32 [number], 3;\ncall (result), " function \
    ", (number);\nld.param.b32 %r1, [result];\n}\n"
    expect_use(CALL("twice") CALL("last") "setp.eq.u32 %p1, %r1, 5;\n"
                                          "@%p1 st.global.u32 [%out], 1;",
               NULL);
}

TEST_MAIN()
