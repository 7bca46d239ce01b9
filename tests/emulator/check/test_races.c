/* SPDX-License-Identifier: MIT */
/* What the race checker and the sync checker say of small kernels: who meets whom, and what orders
 * them. */
#include "checked.h"

enum { FORWARD = SCHEDULE_FORWARD, REVERSE = SCHEDULE_REVERSE };

static const char prologue[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry test(.param .u64 hole, .param .u64 out)\n{\n"
    ".reg .pred %p<9>, %b0, %b1, %b2, %w0, %w1, %w2, %l0;\n.reg .b16 %h<9>;\n"
    ".reg .b32 %r<20>, %me, %block, %warp, %lane;\n"
    ".reg .b64 %d<20>, %out, %at;\n.shared .align 16 .b8 s[256];\n"
    "ld.param.u64 %out, [out];\nmov.u32 %me, %tid.x;\nmov.u32 %block, %ctaid.x;\n"
    "mad.wide.u32 %at, %me, 4, %out;\nshr.u32 %warp, %me, 5;\nand.b32 %lane, %me, 31;\n"
    "setp.eq.u32 %b0, %block, 0;\nsetp.eq.u32 %b1, %block, 1;\nsetp.eq.u32 %b2, %block, 2;\n"
    "setp.eq.u32 %w0, %warp, 0;\nsetp.eq.u32 %w1, %warp, 1;\nsetp.eq.u32 %w2, %warp, 2;\n"
    "setp.eq.u32 %l0, %lane, 0;\n";

static void expect_part(enum check_kind kind, uint32_t blocks, uint32_t threads, int order,
                        const char *body, const char *part)
{
    const struct checked how = {1u << kind, blocks, threads, (enum schedule_kind)order};
    char *report = checked_body(&how, prologue, body);

    if (!strstr(report, part))
        fail_msg("expected \"%s\", not: %s\nof: %s", part, report, body);
    free(report);
}

/* So many different races. */
static void expect_races(uint32_t blocks, uint32_t threads, int order, const char *body, int races)
{
    char part[40];

    snprintf(part, sizeof(part), ": race %d\n", races);
    expect_part(CHECK_RACE, blocks, threads, order, body, part);
}

/* Two places are kept of those who read a word: they stand for all. */
TEST(test_readers)
{
    /* A reader of another warp is not lost behind two of one warp, */
    expect_races(1, 96, REVERSE,
                 "@%w2 ld.global.u32 %r1, [%out];\n@%w1 ld.global.u32 %r2, [%out];\n"
                 "@%w0 st.global.u32 [%out], %me;",
                 3);
    /* nor one of another block behind two of one block. */
    expect_races(3, 64, FORWARD,
                 "@%b0 ld.global.u32 %r1, [%out];\n@%b1 ld.global.u32 %r2, [%out];\n"
                 "and.pred %p1, %b2, %w0;\nand.pred %p1, %p1, %l0;\n"
                 "@%p1 st.global.u32 [%out], 1;",
                 2);
    /* One that comes again comes at its new time. */
    expect_races(1, 64, REVERSE,
                 "and.pred %p1, %w1, %l0;\nand.pred %p2, %w0, %l0;\n"
                 "@%p2 ld.global.u32 %r1, [%out];\nbar.sync 0;\n"
                 "@%p2 ld.global.u32 %r1, [%out];\n@%p1 st.global.u32 [%out], 1;",
                 1);
    expect_races(1, 64, FORWARD,
                 "and.pred %p1, %w1, %l0;\nand.pred %p2, %w0, %l0;\n"
                 "@%p2 ld.global.u32 %r1, [%out];\nbar.sync 0;\n"
                 "@%p2 ld.global.u32 %r1, [%out];\nbar.sync 0;\n"
                 "@%p2 ld.global.u32 %r1, [%out];\n@%p1 st.global.u32 [%out], 1;",
                 1);
    /* The second of two counts as the first does. */
    expect_races(1, 96, FORWARD,
                 "@%w0 ld.global.u32 %r1, [%out];\n@%w0 bar.arrive 1, 64;\n"
                 "@%w1 ld.global.u32 %r2, [%out];\n@%w2 bar.sync 1, 64;\n"
                 "and.pred %p1, %w2, %l0;\n@%p1 st.global.u32 [%out], 1;",
                 1);
    /* Of lanes that read one word, one writes it. */
    expect_races(1, 32, FORWARD, "ld.global.u32 %r1, [%out];\n@%l0 st.global.u32 [%out], 1;", 1);
    expect_races(1, 32, FORWARD,
                 "ld.global.u32 %r1, [%out];\nbar.warp.sync -1;\n@%l0 st.global.u32 [%out], 1;", 0);
    /* Whoever wrote stands for those who had read. */
    expect_races(1, 96, FORWARD,
                 "and.pred %p0, %w0, %l0;\nand.pred %p1, %w1, %l0;\nand.pred %p2, %w2, %l0;\n"
                 "@%p0 ld.global.u32 %r1, [%out];\n@%p1 st.global.u32 [%out], 1;\n"
                 "@%p2 st.global.u32 [%out], 2;",
                 2);
}

TEST(test_writers)
{
    /* A block's barriers order its own threads and no others. */
    expect_races(2, 32, FORWARD,
                 "@%b1 bar.sync 0;\n@%b1 bar.sync 0;\n@%l0 st.global.u32 [%out], %block;", 1);
    expect_races(2, 32, REVERSE,
                 "@%b0 bar.sync 0;\n@%b0 bar.sync 0;\n@%l0 st.global.u32 [%out], %block;", 1);
    /* The same value may be stored twice; lanes of one store are held against each other first. */
    expect_races(1, 64, FORWARD, "@%l0 st.global.u32 [%out], 1;", 0);
    expect_races(1, 64, FORWARD, "@%l0 st.global.u32 [%out], %warp;", 1);
    expect_races(1, 2, FORWARD, "sub.u32 %r1, 1, %me;\nst.global.u32 [%out], %r1;", 1);
    expect_races(1, 2, FORWARD, "st.global.u32 [%out], %me;", 1);
    expect_races(1, 64, FORWARD,
                 "mov.u32 %r1, 1;\nmov.u32 %r2, 2;\n@%l0 st.global.v2.u32 [%out], {%r1, %r2};", 0);
    expect_races(1, 64, FORWARD, "mov.u32 %r1, 1;\n@%l0 st.global.v2.u32 [%out], {%r1, %warp};", 1);
    /* An atomic is not a store of the same value. */
    expect_races(1, 64, FORWARD,
                 "and.pred %p0, %w0, %l0;\nand.pred %p1, %w1, %l0;\n"
                 "@%p0 st.global.u32 [%out], 1;\n@%p1 atom.global.exch.b32 %r1, [%out], 1;",
                 1);
    /* Neighbours in one word do not meet. */
    expect_races(1, 64, FORWARD,
                 "mad.wide.u32 %d1, %me, 2, %out;\ncvt.u16.u32 %h1, %me;\n"
                 "st.global.u16 [%d1], %h1;",
                 0);
    expect_races(1, 64, FORWARD,
                 "mad.wide.u32 %d1, %me, 1, %out;\ncvt.u16.u32 %h1, %me;\n"
                 "st.global.u8 [%d1], %h1;",
                 0);
    /* A word that is looked at byte by byte later on: who touched it, and when, stays known. */
    expect_races(1, 64, FORWARD,
                 "setp.eq.u32 %p1, %me, 0;\nsetp.eq.u32 %p2, %me, 5;\nsetp.eq.u32 %p3, %me, 40;\n"
                 "@%p1 st.global.u32 [%out], 1;\nbar.sync 0;\n@%p2 st.global.u32 [%out+20], 1;\n"
                 "@%p3 ld.global.u8 %h1, [%out+22];",
                 1);
    expect_races(1, 64, FORWARD,
                 "setp.eq.u32 %p2, %me, 5;\nsetp.eq.u32 %p3, %me, 40;\n"
                 "@%p2 ld.global.u32 %r1, [%out+20];\nmov.u16 %h1, 1;\n"
                 "@%p3 st.global.u8 [%out+22], %h1;",
                 1);
    /* A volatile load does not stand for the plain one before it. */
    expect_races(2, 1, FORWARD,
                 "@%b0 ld.global.u32 %r1, [%out];\n@%b0 bar.sync 0;\n"
                 "@%b0 ld.volatile.global.u32 %r2, [%out];\n"
                 "@%b1 atom.global.add.u32 %r3, [%out], 1;",
                 1);
    expect_races(2, 1, FORWARD,
                 "@%b0 ld.volatile.global.u32 %r2, [%out];\n"
                 "@%b1 atom.global.add.u32 %r3, [%out], 1;",
                 0);
}

/* Accesses of different widths meet in the bytes that both have. */
TEST(test_widths)
{
    static const struct {
        const char *store, *load;
        int races;
    } pairs[] = {
        {"st.global.u64 [%out], %d1", "ld.global.u32 %r1, [%out+4]", 1},
        {"st.global.u64 [%out], %d1", "ld.global.u32 %r1, [%out+8]", 0},
        {"st.global.u64 [%out+8], %d1", "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%out]", 1},
        {"st.global.v4.u32 [%out], {%r1, %r1, %r1, %r1}", "ld.global.u32 %r5, [%out+12]", 1},
        {"st.global.v4.u32 [%out], {%r1, %r1, %r1, %r1}", "ld.global.u32 %r5, [%out+16]", 0},
        {"st.global.u64 [%out], %d1", "ld.global.u8 %h1, [%out+7]", 1},
        {"st.global.u8 [%out+7], %h1", "ld.global.u64 %d1, [%out]", 1},
        {"st.global.u8 [%out+8], %h1", "ld.global.u64 %d1, [%out]", 0},
        {"st.global.u16 [%out+2], %h1", "ld.global.u32 %r1, [%out]", 1},
        {"st.global.u16 [%out+2], %h1", "ld.global.u16 %h2, [%out]", 0},
        {"st.global.u16 [%out+2], %h1", "ld.global.u8 %h2, [%out+3]", 1},
        {"st.global.u32 [%out], %r1", "ld.global.u8 %h2, [%out+3]", 1},
    };

    for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)
        for (int order = FORWARD; order <= REVERSE; order++) {
            char body[300];
            snprintf(body, sizeof(body),
                     "mov.u16 %%h1, 1;\nmov.u32 %%r1, 1;\nmov.u64 %%d1, 1;\n"
                     "and.pred %%p0, %%w0, %%l0;\nand.pred %%p1, %%w1, %%l0;\n"
                     "@%%p0 %s;\n@%%p1 %s;",
                     pairs[i].store, pairs[i].load);
            expect_races(1, 64, order, body, pairs[i].races);
        }
}

/* The rows of matrices are read and written by the lanes that have their addresses. */
TEST(test_matrices)
{
#define ROWS                                                              \
    "mov.u32 %r8, s;\nmad.lo.u32 %r8, %lane, 16, %r8;\nmov.u32 %r9, s;\n" \
    "mad.lo.u32 %r9, %lane, 4, %r9;\nsetp.lt.u32 %p3, %lane, 8;\n@!%p3 mov.u32 %r8, 1;\n"
#define LOADED "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r8];\n"
#define STORED "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r8], {%me};\n"
    expect_races(1, 32, FORWARD, ROWS "st.shared.u32 [%r9], 1;\nbar.sync 0;\n" LOADED, 0);
    expect_races(1, 32, FORWARD, ROWS "st.shared.u32 [%r9], 1;\n" LOADED, 1);
    /* Who has its part of a matrix knows that the rows have been read. */
    expect_races(1, 32, FORWARD, ROWS LOADED "st.shared.u32 [%r9], 1;", 0);
    expect_races(1, 64, FORWARD, ROWS "@%w1 st.shared.u32 [%r9], 1;\n@%w0 " LOADED, 1);
    expect_races(1, 32, FORWARD, ROWS STORED "bar.warp.sync -1;\nld.shared.u32 %r1, [%r9];", 0);
    expect_races(1, 32, FORWARD, ROWS STORED "ld.shared.u32 %r1, [%r9];", 1);
    /* Whoever stores what is there already disturbs nobody: element by element that is told. */
    expect_races(1, 64, FORWARD,
                 ROWS "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%r8], {%lane};", 0);
    expect_races(1, 64, FORWARD,
                 ROWS "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%r8], {%me};", 1);
}

/* In shared memory a store is done once its value was read, for those who know that the load is:
 * behind a barrier, or by a flag in global memory and no fence. */
TEST(test_seen)
{
#define SEEN(space, place)                                                         \
    "and.pred %p0, %w0, %l0;\nand.pred %p1, %w1, %l0;\nand.pred %p2, %w2, %l0;\n"  \
    "@%p0 st.volatile." space ".u32 [" place "], 1;\n@!%p1 bra NEXT;\n"            \
    "SEE: ld.volatile." space ".u32 %r1, [" place "];\nsetp.ne.u32 %p3, %r1, 1;\n" \
    "@%p3 bra SEE;\nNEXT:\n"
#define BY_BARRIER "@%w1 bar.arrive 1, 64;\n@%w2 bar.sync 1, 64;\n"
#define BY_FLAG                                                                     \
    "@%p1 st.relaxed.gpu.global.u32 [%out+4096], 1;\n@!%p2 ret;\n"                  \
    "LOOP: ld.relaxed.gpu.global.u32 %r2, [%out+4096];\nsetp.ne.u32 %p3, %r2, 1;\n" \
    "@%p3 bra LOOP;\n"
    expect_races(1, 96, FORWARD, SEEN("shared", "s") BY_BARRIER "@%p2 st.shared.u32 [s], 3;", 0);
    expect_races(1, 96, FORWARD, SEEN("shared", "s") BY_FLAG "@%p2 st.shared.u32 [s], 3;", 0);
    expect_races(1, 96, FORWARD, SEEN("global", "%out") BY_BARRIER "@%p2 st.global.u32 [%out], 3;",
                 1);
    /* Of two readers the second may be the one that is known. The first is not: one race. */
    expect_races(1, 96, FORWARD,
                 "and.pred %p0, %w0, %l0;\nand.pred %p1, %w1, %l0;\nand.pred %p2, %w2, %l0;\n"
                 "@%p0 st.volatile.shared.u32 [s], 1;\n@%p0 ld.volatile.shared.u32 %r3, [s];\n"
                 "mov.u32 %r1, 1;\n@%p1 ld.volatile.shared.u32 %r1, [s];\n"
                 "setp.ne.u32 %p3, %r1, 1;\n@%p3 ret;\n" BY_BARRIER "@%p2 st.shared.u32 [s], 3;",
                 1);
    /* What is read elsewhere says nothing. */
    expect_races(1, 64, FORWARD, "ld.shared.u32 %r1, [s+64];\n@%l0 st.shared.u32 [s], %warp;", 1);
}

/* Block 0 writes and tells, the last one waits for the flag and reads. The flag is at +4096. */
#define TELLS "@%b0 st.global.u32 [%out], 42;\n"

TEST(test_flags)
{
    expect_races(2, 1, FORWARD,
                 TELLS "@%b0 atom.acq_rel.gpu.global.exch.b32 %r1, [%out+4096], 1;\n@%b0 ret;\n"
                       "LOOP: ld.acquire.gpu.global.u32 %r1, [%out+4096];\n"
                       "setp.ne.u32 %p1, %r1, 1;\n@%p1 bra LOOP;\nld.global.u32 %r2, [%out];",
                 0);
    expect_races(2, 1, FORWARD,
                 TELLS "@%b0 st.release.gpu.global.u32 [%out+4096], 1;\n@%b0 ret;\n"
                       "LOOP: atom.acq_rel.gpu.global.add.u32 %r1, [%out+4096], 0;\n"
                       "setp.ne.u32 %p1, %r1, 1;\n@%p1 bra LOOP;\nld.global.u32 %r2, [%out];",
                 0);
    expect_races(2, 1, FORWARD,
                 TELLS "@%b0 st.release.gpu.global.u32 [%out+4096], 1;\n@%b0 ret;\n"
                       "LOOP: atom.relaxed.gpu.global.add.u32 %r1, [%out+4096], 0;\n"
                       "setp.ne.u32 %p1, %r1, 1;\n@%p1 bra LOOP;\nld.global.u32 %r2, [%out];",
                 1);
    /* Every lane that sees the flag acquires. */
    expect_races(2, 32, FORWARD,
                 "@%b0 st.global.u32 [%at], %me;\n@%b0 bar.sync 0;\nand.pred %p2, %b0, %l0;\n"
                 "@%p2 st.release.gpu.global.u32 [%out+4096], 1;\n@%b0 ret;\n"
                 "LOOP: ld.acquire.gpu.global.u32 %r1, [%out+4096];\n"
                 "setp.ne.u32 %p1, %r1, 1;\n@%p1 bra LOOP;\nld.global.u32 %r2, [%at];",
                 0);
    /* A store of one's own to the flag learns nothing of what others said there; */
    expect_races(2, 1, FORWARD,
                 TELLS "@%b0 fence.acq_rel.gpu;\n@%b0 st.volatile.global.u32 [%out+4096], 1;\n"
                       "@%b0 ret;\nst.volatile.global.u32 [%out+4096], 2;\n"
                       "fence.acq_rel.gpu;\nld.global.u32 %r2, [%out];",
                 1);
    /* and who reads it does not learn what it replaced. */
    expect_races(3, 1, FORWARD,
                 TELLS "@%b0 fence.acq_rel.gpu;\n@%b0 st.volatile.global.u32 [%out+4096], 1;\n"
                       "@%b1 fence.acq_rel.gpu;\n@%b1 st.volatile.global.u32 [%out+4096], 2;\n"
                       "@!%b2 ret;\n"
                       "LOOP: ld.volatile.global.u32 %r1, [%out+4096];\n"
                       "setp.ne.u32 %p1, %r1, 2;\n@%p1 bra LOOP;\n"
                       "fence.acq_rel.gpu;\nld.global.u32 %r2, [%out];",
                 1);
    /* An atomic adds to what is there. */
    expect_races(3, 1, FORWARD,
                 TELLS "fence.acq_rel.gpu;\n"
                       "@!%b2 atom.global.add.u32 %r1, [%out+4096], 1;\n@!%b2 ret;\n"
                       "LOOP: ld.volatile.global.u32 %r1, [%out+4096];\n"
                       "setp.ne.u32 %p1, %r1, 2;\n@%p1 bra LOOP;\n"
                       "fence.acq_rel.gpu;\nld.global.u32 %r2, [%out];",
                 0);
    /* Shared memory of one block says nothing to another. */
    expect_races(2, 1, FORWARD,
                 TELLS "@%b0 fence.acq_rel.gpu;\n@%b0 st.volatile.shared.u32 [s], 1;\n@%b0 ret;\n"
                       "ld.volatile.shared.u32 %r1, [s];\nfence.acq_rel.gpu;\n"
                       "setp.eq.u32 %p1, %r1, 1;\nld.global.u32 %r2, [%out];",
                 1);
}

/* That a load is done is told by a store to global memory, by nothing else without a fence. */
TEST(test_reads_are_done)
{
#define READS "and.pred %p2, %w0, %l0;\nand.pred %p3, %w1, %l0;\n"
    expect_races(1, 64, FORWARD,
                 READS "@%p2 ld.global.u32 %r1, [%out];\n"
                       "@%p2 st.relaxed.gpu.global.u32 [%out+4096], 1;\n@!%p3 ret;\n"
                       "LOOP: ld.relaxed.gpu.global.u32 %r1, [%out+4096];\n"
                       "setp.ne.u32 %p1, %r1, 1;\n@%p1 bra LOOP;\nst.global.u32 [%out], 3;",
                 0);
    expect_races(1, 64, FORWARD,
                 READS "@%p2 ld.global.u32 %r1, [%out];\n"
                       "@%p2 st.volatile.shared.u32 [s], 1;\n@!%p3 ret;\n"
                       "LOOP: ld.volatile.shared.u32 %r1, [s];\n"
                       "setp.ne.u32 %p1, %r1, 1;\n@%p1 bra LOOP;\nst.global.u32 [%out], 3;",
                 1);
    expect_races(1, 64, FORWARD,
                 READS "@%p2 ld.global.u32 %r1, [%out];\n"
                       "@%p2 atom.global.add.u32 %r2, [%out+4096], 1;\n@!%p3 ret;\n"
                       "LOOP: ld.relaxed.gpu.global.u32 %r1, [%out+4096];\n"
                       "setp.ne.u32 %p1, %r1, 1;\n@%p1 bra LOOP;\nst.global.u32 [%out], 3;",
                 1);
}

/* What a fence of the block told counts within the block, and so does what is strong there. */
TEST(test_scopes)
{
    for (int blocks = 1; blocks <= 2; blocks++)
        expect_races(blocks, 64, FORWARD,
                     "setp.eq.u32 %p1, %me, 0;\nsetp.eq.u32 %p2, %me, 33;\n"
                     "@%p1 atom.relaxed.cta.global.add.u32 %r1, [%out], 1;\n"
                     "@%p2 atom.relaxed.cta.global.add.u32 %r1, [%out], 1;",
                     blocks - 1);
    expect_races(2, 1, FORWARD,
                 "@%b0 st.relaxed.cta.global.u32 [%out], 1;\n@%b0 ret;\n"
                 "LOOP: ld.relaxed.cta.global.u32 %r1, [%out];\n"
                 "setp.ne.u32 %p1, %r1, 1;\n@%p1 bra LOOP;",
                 1);
    expect_races(2, 1, FORWARD,
                 TELLS "fence.acq_rel.cta;\n@%b0 st.volatile.global.u32 [%out+4096], 1;\n"
                       "@%b0 ret;\nLOOP: ld.volatile.global.u32 %r1, [%out+4096];\n"
                       "setp.ne.u32 %p1, %r1, 1;\n@%p1 bra LOOP;\nfence.acq_rel.gpu;\n"
                       "ld.global.u32 %r2, [%out];",
                 1);
    expect_races(1, 64, FORWARD,
                 "setp.eq.u32 %p2, %me, 0;\nsetp.eq.u32 %p3, %me, 32;\n"
                 "@%p2 st.global.u32 [%out], 42;\n@%p2 fence.acq_rel.cta;\n"
                 "@%p2 st.volatile.global.u32 [%out+4096], 1;\n@!%p3 ret;\n"
                 "LOOP: ld.volatile.global.u32 %r1, [%out+4096];\nsetp.ne.u32 %p1, %r1, 1;\n"
                 "@%p1 bra LOOP;\nfence.acq_rel.cta;\nld.global.u32 %r2, [%out];",
                 0);
    /* A thread of block 1 adds to the flag; another reads what block 0 told its own. */
    expect_races(2, 64, FORWARD,
                 "and.pred %p2, %b0, %w0;\nand.pred %p2, %p2, %l0;\n"
                 "and.pred %p3, %b1, %w0;\nand.pred %p3, %p3, %l0;\n"
                 "and.pred %p4, %b1, %w1;\nand.pred %p4, %p4, %l0;\n"
                 "or.pred %p5, %p2, %p3;\nor.pred %p6, %p5, %p4;\n@!%p6 ret;\n"
                 "@%p2 st.global.u32 [%out], 42;\nfence.acq_rel.cta;\n"
                 "@%p5 atom.global.add.u32 %r1, [%out+4096], 1;\n@%p5 ret;\n"
                 "LOOP: ld.volatile.global.u32 %r1, [%out+4096];\n"
                 "setp.ne.u32 %p1, %r1, 2;\n@%p1 bra LOOP;\nfence.acq_rel.cta;\n"
                 "ld.global.u32 %r2, [%out];",
                 1);
}

/* Barriers order those who take part, and what came before. */
TEST(test_some_take_part)
{
    expect_races(1, 96, REVERSE,
                 "setp.eq.u32 %p1, %me, 64;\n@%p1 st.global.u32 [%out], 1;\n"
                 "@!%w2 bar.sync 1, 64;\n@%w0 ld.global.u32 %r1, [%out];",
                 1);
    expect_races(1, 96, FORWARD,
                 "setp.eq.u32 %p1, %me, 32;\n@%p1 st.global.u32 [%out], 1;\n"
                 "@!%w2 bar.sync 1, 64;\n@%w0 ld.global.u32 %r1, [%out];",
                 0);
    /* Whoever only arrives knows nothing of the others. */
    expect_races(1, 96, FORWARD,
                 "setp.eq.u32 %p1, %me, 0;\nsetp.eq.u32 %p2, %me, 64;\n"
                 "@%p1 st.global.u32 [%out], 1;\n@!%w2 bar.sync 1, 96;\n@%w2 bar.arrive 1, 96;\n"
                 "@%p2 ld.global.u32 %r1, [%out];",
                 1);
#define LOW_HALF "setp.lt.u32 %p1, %lane, 16;\nsetp.eq.u32 %p2, %me, 0;\n"
    expect_races(1, 32, FORWARD,
                 LOW_HALF "setp.eq.u32 %p3, %me, 20;\n@%p3 st.global.u32 [%out], 1;\n"
                          "@%p1 bar.warp.sync 0xFFFF;\n@%p2 ld.global.u32 %r1, [%out];",
                 1);
    expect_races(1, 32, FORWARD,
                 LOW_HALF "setp.eq.u32 %p3, %me, 1;\n@%p3 st.global.u32 [%out], 1;\n"
                          "@%p1 bar.warp.sync 0xFFFF;\n@%p2 ld.global.u32 %r1, [%out];",
                 0);
    expect_races(1, 32, FORWARD,
                 LOW_HALF "setp.eq.u32 %p3, %me, 1;\n@%p1 bar.warp.sync 0xFFFF;\n"
                          "@%p3 st.global.u32 [%out], 1;\n@%p2 ld.global.u32 %r1, [%out];",
                 1);
}

/* What right programs do on the way from a store to a load. */
TEST(test_detours)
{
#define WAIT_FOR_FLAG                                                               \
    "LOOP: ld.relaxed.gpu.global.u32 %r2, [%out+4096];\nsetp.ne.u32 %p3, %r2, 1;\n" \
    "@%p3 bra LOOP;\nmembar.gl;\n"
    for (int order = SCHEDULE_FORWARD; order <= SCHEDULE_REVERSE; order++) {
        /* One lane publishes for its warp, */
        expect_races(2, 32, order,
                     "@%b1 bra READ;\nst.global.u32 [%at], 1;\nbar.warp.sync -1;\nmembar.gl;\n"
                     "@%l0 st.relaxed.gpu.global.u32 [%out+4096], 1;\nret;\n"
                     "READ: " WAIT_FOR_FLAG "ld.global.u32 %r1, [%at];",
                     0);
        /* but not before the warp has met. */
        expect_races(2, 32, order,
                     "@%b1 bra READ;\nst.global.u32 [%at], 1;\n@%l0 membar.gl;\n"
                     "@%l0 st.relaxed.gpu.global.u32 [%out+4096], 1;\nret;\n"
                     "READ: " WAIT_FOR_FLAG "ld.global.u32 %r1, [%at];",
                     1);
        /* From lane to lane by masks of two, */
#define MASKS(first, second)                                                                  \
    "setp.eq.u32 %p1, %me, 1;\nsetp.eq.u32 %p2, %me, 2;\nsetp.le.u32 %p3, %me, 1;\n"          \
    "setp.eq.u32 %p4, %me, 0;\nor.pred %p4, %p4, %p2;\n@%p1 st.global.u32 [%out], 1;\n" first \
    "\n" second "\n@%p2 ld.global.u32 %r1, [%out];"
        expect_races(1, 32, order, MASKS("@%p3 bar.warp.sync 3;", "@%p4 bar.warp.sync 5;"), 0);
        /* which must come in that order. */
        expect_races(1, 32, order, MASKS("@%p4 bar.warp.sync 5;", "@%p3 bar.warp.sync 3;"), 1);
        /* From warp to warp by a barrier of the two; the second one publishes, behind a fence. */
        expect_races(2, 96, order,
                     "@%b1 bra READ;\n@%w0 st.global.u32 [%at], 1;\n@!%w2 bar.sync 1, 64;\n"
                     "@%w1 membar.gl;\nand.pred %p1, %w1, %l0;\n"
                     "@%p1 st.relaxed.gpu.global.u32 [%out+4096], 1;\nret;\n"
                     "READ: @!%w0 ret;\n" WAIT_FOR_FLAG "ld.global.u32 %r1, [%at];",
                     0);
        /* A barrier for one count and then for another. */
        expect_races(1, 96, order,
                     "@%w0 st.global.u32 [%at], 1;\n@!%w2 bar.sync 1, 64;\n"
                     "@%w1 ld.global.u32 %r1, [%at+-128];\nbar.sync 0;\n"
                     "@%w2 st.global.u32 [%at], 1;\nbar.sync 1, 96;\n"
                     "@%w0 ld.global.u32 %r1, [%at+256];",
                     0);
        /* Lanes of one warp come one after the other, where nobody asks for whole warps. */
        static const char apart[] =
            "setp.lt.u32 %p1, %lane, 16;\nst.global.u32 [%at], 1;\n@%p1 bra LOW;\n"
            "barrier.sync 0;\nbra END;\nLOW: barrier.sync 0;\nEND:\n"
            "xor.b32 %r1, %me, 48;\nmad.wide.u32 %d1, %r1, 4, %out;\nld.global.u32 %r1, [%d1];";
        expect_races(1, 64, order, apart, 0);
        expect_part(CHECK_SYNC, 1, 64, order, apart, "sync 0");
    }
}

/* Thread 0 reads a flag. A barrier hands that on, and is no fence: a plain load behind it may find
 * an old value in the cache. */
TEST(test_barrier_is_no_fence)
{
#define TOLD_BY_FLAG(barrier, fence_of_one, fence_of_all, load)                       \
    "@%b1 bra READ;\nsetp.ne.u32 %p1, %me, 0;\n@%p1 ret;\nst.global.u32 [%out], 1;\n" \
    "membar.gl;\nst.relaxed.gpu.global.u32 [%out+4096], 1;\nret;\nREAD:\n"            \
    "setp.ne.u32 %p1, %me, 0;\n@%p1 bra MEET;\n"                                      \
    "LOOP: ld.relaxed.gpu.global.u32 %r2, [%out+4096];\nsetp.ne.u32 %p3, %r2, 1;\n"   \
    "@%p3 bra LOOP;\n" fence_of_one "MEET: " barrier "\n" fence_of_all load
    static const struct {
        uint32_t threads;
        const char *body;
        int races;
    } cases[] = {
        {64, TOLD_BY_FLAG("bar.sync 0;", "", "", "ld.global.u32 %r1, [%out];"), 1},
        {64, TOLD_BY_FLAG("bar.sync 0;", "membar.gl;\n", "", "ld.global.u32 %r1, [%out];"), 0},
        {64, TOLD_BY_FLAG("bar.sync 0;", "", "membar.gl;\n", "ld.global.u32 %r1, [%out];"), 0},
        {64, TOLD_BY_FLAG("bar.sync 0;", "", "", "ld.volatile.global.u32 %r1, [%out];"), 0},
        {64, TOLD_BY_FLAG("bar.sync 1, 64;", "", "", "ld.global.u32 %r1, [%out];"), 1},
        {64, TOLD_BY_FLAG("bar.sync 1, 64;", "", "membar.gl;\n", "ld.global.u32 %r1, [%out];"), 0},
        {96, TOLD_BY_FLAG("@!%w2 bar.sync 1, 64;\n@%w2 ret;", "", "", "ld.global.u32 %r1, [%out];"),
         1},
        {96,
         TOLD_BY_FLAG("@!%w2 bar.sync 1, 64;\n@%w2 ret;", "", "membar.gl;\n",
                      "ld.global.u32 %r1, [%out];"),
         0},
        {32, TOLD_BY_FLAG("bar.warp.sync -1;", "", "", "ld.global.u32 %r1, [%out];"), 1},
        {32, TOLD_BY_FLAG("bar.warp.sync -1;", "", "membar.gl;\n", "ld.global.u32 %r1, [%out];"),
         0},
        {32, TOLD_BY_FLAG("bar.warp.sync -1;", "", "", "ld.volatile.global.u32 %r1, [%out];"), 0},
        {32, TOLD_BY_FLAG("", "", "", "ld.volatile.global.u32 %r1, [%out];"), 1},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        expect_races(2, cases[i].threads, FORWARD, cases[i].body, cases[i].races);
}

/* Many flags, each by a block of its own: the last block reads what all of them wrote. */
TEST(test_many_flags)
{
    expect_races(100, 1, FORWARD,
                 "mad.wide.u32 %d1, %block, 4, %out;\nsetp.eq.u32 %p2, %block, 99;\n"
                 "@!%p2 st.global.u32 [%d1], %block;\n"
                 "@!%p2 st.release.gpu.global.u32 [%d1+4096], 1;\n@!%p2 ret;\n"
                 "mov.u32 %r3, 0;\nmov.u64 %d1, %out;\n"
                 "NEXT:\nLOOP: ld.acquire.gpu.global.u32 %r1, [%d1+4096];\n"
                 "setp.ne.u32 %p1, %r1, 1;\n@%p1 bra LOOP;\nld.global.u32 %r2, [%d1];\n"
                 "add.u64 %d1, %d1, 4;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 99;\n"
                 "@%p1 bra NEXT;",
                 0);
}

/* More instructions than the checker has room for at first; the race is with the first of them. */
TEST(test_many_instructions)
{
    enum { COUNT = 600 };
    char *body = malloc(CHECKED_TEXT), *end = body;

    assert_non_null(body);
    end += sprintf(end, "@%%w0 st.global.u32 [%%at+40960], 1;\n");
    for (int i = 0; i < COUNT; i++)
        end += sprintf(end, "st.global.u32 [%%at+%d], 1;\n", 256 * (i % 64));
    sprintf(end, "@%%w1 ld.global.u32 %%r1, [%%at+40832];");
    expect_part(CHECK_RACE, 1, 64, FORWARD, body, "store at PTX line 24, block (0,0,0), thread (0");

    /* And with the last of them. */
    end = body;
    for (int i = 0; i < COUNT; i++)
        end += sprintf(end, "st.global.u32 [%%at+%d], 1;\n", 256 * (i % 64));
    sprintf(end, "@%%w0 st.global.u32 [%%at+40960], 1;\n@%%w1 ld.global.u32 %%r1, [%%at+40832];");
    expect_part(CHECK_RACE, 1, 64, FORWARD, body,
                "store at PTX line 624, block (0,0,0), thread (0");
    free(body);
}

/* What is lacking, by how far apart the two are. */
TEST(test_why)
{
    expect_part(CHECK_RACE, 1, 32, FORWARD,
                "st.global.u32 [%at], 1;\nxor.b32 %r1, %me, 1;\nmad.wide.u32 %d1, %r1, 4, %out;\n"
                "ld.global.u32 %r2, [%d1];",
                "no __syncwarp orders them");
    expect_part(CHECK_RACE, 1, 64, FORWARD,
                "st.global.u32 [%at], 1;\nxor.b32 %r1, %me, 32;\n"
                "mad.wide.u32 %d1, %r1, 4, %out;\nld.global.u32 %r2, [%d1];",
                "no barrier of the block orders them");
    expect_part(CHECK_RACE, 2, 1, FORWARD,
                "@%b0 st.global.u32 [%out], 1;\n@%b1 ld.global.u32 %r2, [%out];",
                "no fence and flag orders them");
    expect_part(CHECK_RACE, 2, 1, FORWARD,
                "ld.global.u32 %r1, [%out];\nadd.u32 %r1, %r1, 1;\nst.global.u32 [%out], %r1;",
                "atomicAdd() does it in one step");
}

/* The mask that is reported is the program's, whether its lanes come together or on two paths. */
TEST(test_masks)
{
#define EARLY "setp.ge.u32 %p1, %lane, 16;\n@%p1 ret;\nsetp.lt.u32 %p2, %lane, 8;\n"
    expect_part(CHECK_SYNC, 1, 32, FORWARD, EARLY "vote.sync.ballot.b32 %r1, %p2, 0xFFFFFFFF;",
                "the mask 0xffffffff names lanes 0xffff0000, which have ended");
    expect_part(CHECK_SYNC, 1, 32, FORWARD, EARLY "bar.warp.sync 0x00FFFFFF;",
                "the mask 0x00ffffff names lanes 0x00ff0000, which have ended");
    expect_part(CHECK_SYNC, 1, 32, FORWARD,
                EARLY "@%p2 bra LOW;\nvote.sync.ballot.b32 %r1, %p2, 0x00FFFFFF;\nbra END;\n"
                      "LOW:\nvote.sync.ballot.b32 %r2, %p2, 0x00FFFFFF;\nEND:",
                "the mask 0x00ffffff names lanes 0x00ff0000, which have ended");
    expect_part(CHECK_SYNC, 1, 32, FORWARD, EARLY "shfl.sync.idx.b32 %r1, %me, 20, 31, 0xFFFF;",
                "lanes 0x0000ffff get 0: of the mask 0x0000ffff only lanes 0x0000ffff are here");
    expect_part(CHECK_SYNC, 1, 32, FORWARD,
                EARLY "@%p2 bra LOW;\nshfl.sync.idx.b32 %r1, %me, 20, 31, 0xFFFF;\nbra END;\n"
                      "LOW:\nshfl.sync.idx.b32 %r2, %me, 20, 31, 0xFFFF;\nEND:",
                "lanes 0x0000ffff get 0: of the mask 0x0000ffff only lanes 0x0000ffff are here");
    /* Lanes wait elsewhere, for those that name them; or end, for they had waited for these. */
    expect_part(CHECK_SYNC, 1, 32, FORWARD,
                "setp.lt.u32 %p1, %lane, 16;\n@%p1 bra LOW;\nbar.warp.sync -1;\nbra END;\n"
                "LOW:\nvote.sync.ballot.b32 %r2, %p1, -1;\nEND:",
                "the mask 0xffffffff names lanes 0xffff0000, which wait at another instruction");
    expect_part(CHECK_SYNC, 1, 32, FORWARD,
                "setp.lt.u32 %p1, %lane, 16;\n@%p1 bra OVER;\nbar.warp.sync -1;\nOVER:\n"
                "st.global.u32 [%at], 1;",
                "the mask 0xffffffff names lanes 0x0000ffff, which have ended");
    /* Who does not take part reads nothing. */
    expect_part(CHECK_SYNC, 1, 32, FORWARD,
                "setp.lt.u32 %p1, %lane, 16;\n@%p1 ret;\n"
                "shfl.sync.idx.b32 %r1, %me, 20, 31, 0xFFFF0000;",
                "sync 0");
    /* Lanes that never were have not ended. */
    expect_part(CHECK_SYNC, 1, 20, FORWARD, "vote.sync.ballot.b32 %r1, %p2, 0xFFFFFFFF;", "sync 0");
}

/* Lanes that leave a loop before others meet them in front of a barrier for all, however long those
 * are about it: nothing is divergent there. */
TEST(test_meet_again)
{
#define ROUNDS(step)                                                                            \
    "and.b32 %r1, %me, 7;\nsetp.ge.u32 %p1, %r1, 5;\n@%p1 mov.u32 %r1, 100;\nmov.u32 %r2, 0;\n" \
    "setp.ge.u32 %p2, %r2, %r1;\n@%p2 bra OVER;\nLOOP:\n" step                                  \
    "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p2, %r2, %r1;\n@%p2 bra LOOP;\nOVER: bar.sync 0;"
#define GLANCE "ld.volatile.global.u32 %r1, [%out];\n"
    static const char *const loops[] = {
        ROUNDS("st.relaxed.gpu.global.u32 [%at], %r2;\nld.relaxed.gpu.global.u32 %r3, [%at];\n"),
        ROUNDS("st.volatile.global.u32 [%at], 1;\nld.volatile.global.u32 %r3, [%at];\n"
               "setp.eq.u32 %p3, %r3, 5;\n"),
        ROUNDS("atom.global.add.u32 %r3, [%out+4096], 1;\n"),
        ROUNDS("ld.relaxed.gpu.global.u32 %r3, [%out+4096];\n"),
        /* The one that has the lock leaves the loop and waits for those that want it. */
        "LOOP: atom.global.cas.b32 %r1, [%out], 0, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra LOOP;\n"
        "membar.gl;\natom.global.exch.b32 %r1, [%out], 0;\nbar.sync 0;",
        /* One lane alone does much that other blocks see, without a loop. */
        "@!%l0 bra MEET;\n" GLANCE GLANCE GLANCE GLANCE GLANCE GLANCE GLANCE "MEET:\nbar.sync 0;",
    };
    for (size_t i = 0; i < sizeof(loops) / sizeof(*loops); i++)
        for (int order = SCHEDULE_FORWARD; order <= SCHEDULE_RANDOM; order++)
            expect_part(CHECK_SYNC, 2, 64, order, loops[i], "sync 0");
}

TEST_MAIN()
