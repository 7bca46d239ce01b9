/* SPDX-License-Identifier: MIT */
/* The cycle model of time: what its caches, units and order of instructions do to a kernel. */
#include "observed.h"

/* chase: follows a chain through memory, `hops` times; chase_shared: through shared memory.
 * sum, sum_rolled, sum_strided: one thread adds n words; the second one's loop is not to be
 * unrolled, and the third one's counts in steps of as many threads as there are.
 * add: every thread adds 1 to the word (thread & mask).
 * apart: loads from shared memory, `stride` bytes between neighbouring lanes.
 * copy, copy_16: word t of the grid, from in to out; or 16 bytes.
 * divide, multiply, add_constant, add_number, of_three, of_four: `hops` times in a chain.
 * call_chase, call_multiply: the same as the others, by a function.
 * far_4, far_8: one thread adds up products of n words, a line apart; so many in a turn.
 * sweep: the threads of a block read n words together, one after the other.
 * taper: each block reads n lines one after the other; from block `from` on n / 8.
 * when: each block writes when it began.
 * atoms, reds: one thread adds to a word n times, and reads no result.
 * scatter: a thread writes n words of its local memory, from (thread x spread) on.
 * timed: each block follows a chain, writes how long that took by its clock, and counts itself. */
#define HEAD ".version 8.0\n.target sm_75\n.address_size 64\n"
#define REGISTERS "    .reg .b32 %r<12>;\n    .reg .b64 %rd<8>;\n    .reg .pred %p<2>;\n"
#define SUM(name, pragma, step)                                                               \
    ".visible .entry " name "(.param .u64 in, .param .u64 n, .param .u64 out)\n{\n" REGISTERS \
    "    ld.param.u64 %rd1, [in];\n"                                                          \
    "    ld.param.u32 %r1, [n];\n"                                                            \
    "    ld.param.u64 %rd2, [out];\n"                                                         \
    "    mov.u32 %r2, 0;\n"                                                                   \
    "    mov.u32 %r3, 0;\n"                                                                   \
    "    mov.u32 %r5, %ntid.x;\n"                                                             \
    "NEXT:\n" pragma "    ld.global.u32 %r4, [%rd1];\n"                                       \
    "    add.u32 %r3, %r3, %r4;\n"                                                            \
    "    add.u64 %rd1, %rd1, 4;\n"                                                            \
    "    add.u32 %r2, %r2, " step ";\n"                                                       \
    "    setp.lt.u32 %p1, %r2, %r1;\n"                                                        \
    "    @%p1 bra NEXT;\n"                                                                    \
    "    st.global.u32 [%rd2], %r3;\n"                                                        \
    "    ret;\n}\n"
#define CHAIN(name, operation)                                                   \
    ".visible .entry " name "(.param .u64 hops, .param .u64 out)\n{\n" REGISTERS \
    "    ld.param.u32 %r1, [hops];\n"                                            \
    "    ld.param.u64 %rd2, [out];\n"                                            \
    "    mov.u32 %r2, 77;\n"                                                     \
    "NEXT:\n    .pragma \"nounroll\";\n" operation "    sub.u32 %r1, %r1, 1;\n"  \
    "    setp.ne.u32 %p1, %r1, 0;\n"                                             \
    "    @%p1 bra NEXT;\n"                                                       \
    "    st.global.u32 [%rd2], %r2;\n"                                           \
    "    ret;\n}\n"
#define LOGIC(name, more, last)                                              \
    CHAIN(name, "    xor.b32 %r3, %r2, %r1;\n    or.b32 %r4, %r2, 5;\n" more \
                "    and.b32 %r2, %r3, " last ";\n")
#define ADDS(name, add)                                                       \
    ".visible .entry " name "(.param .u64 n, .param .u64 out)\n{\n" REGISTERS \
    "    ld.param.u32 %r1, [n];\n"                                            \
    "    ld.param.u64 %rd2, [out];\n"                                         \
    "NEXT:\n    .pragma \"nounroll\";\n" add "    sub.u32 %r1, %r1, 1;\n"     \
    "    setp.ne.u32 %p1, %r1, 0;\n"                                          \
    "    @%p1 bra NEXT;\n    ret;\n}\n"
#define CONSTANTS                                                                                 \
    ".const .align 4 .b32 table[4];\n" CHAIN("add_constant", "    ld.const.u32 %r3, [table+4];\n" \
                                                             "    add.u32 %r2, %r2, %r3;\n")      \
        CHAIN("add_number", "    add.u32 %r2, %r2, 5;\n")
#define ATOMS ADDS("atoms", "    atom.global.add.u32 %r2, [%rd2], %r1;\n")
#define REDS ADDS("reds", "    red.global.add.u32 [%rd2], %r1;\n")
#define COPY(name, bytes, type, value)                                         \
    ".visible .entry " name "(.param .u64 in, .param .u64 out)\n{\n" REGISTERS \
    "    ld.param.u64 %rd1, [in];\n"                                           \
    "    ld.param.u64 %rd2, [out];\n"                                          \
    "    mov.u32 %r2, %tid.x;\n"                                               \
    "    mov.u32 %r3, %ctaid.x;\n"                                             \
    "    mov.u32 %r4, %ntid.x;\n"                                              \
    "    mad.lo.u32 %r2, %r3, %r4, %r2;\n"                                     \
    "    mul.wide.u32 %rd3, %r2, " bytes ";\n"                                 \
    "    add.u64 %rd4, %rd1, %rd3;\n"                                          \
    "    add.u64 %rd5, %rd2, %rd3;\n"                                          \
    "    ld.global" type " " value ", [%rd4];\n"                               \
    "    st.global" type " [%rd5], " value ";\n"                               \
    "    ret;\n}\n"
#define FAR(offset, next, a, b)                      \
    "    ld.global.u32 " a ", [%rd1+" #offset "];\n" \
    "    ld.global.u32 " b ", [%rd1+" #next "];\n"   \
    "    mad.lo.u32 %r3, " a ", " b ", %r3;\n"
#define FAR_4 FAR(0, 128, "%r4", "%r5") FAR(256, 384, "%r6", "%r7")
#define FAR_8 FAR_4 FAR(512, 640, "%r8", "%r9") FAR(768, 896, "%r10", "%r11")
#define FAR_SUM(name, count, bytes, loads)                                                    \
    ".visible .entry " name "(.param .u64 in, .param .u64 n, .param .u64 out)\n{\n" REGISTERS \
    "    ld.param.u64 %rd1, [in];\n"                                                          \
    "    ld.param.u32 %r1, [n];\n"                                                            \
    "    ld.param.u64 %rd2, [out];\n"                                                         \
    "    mov.u32 %r2, 0;\n"                                                                   \
    "    mov.u32 %r3, 0;\n"                                                                   \
    "NEXT:\n" loads "    add.u64 %rd1, %rd1, " bytes ";\n"                                    \
    "    add.u32 %r2, %r2, " count ";\n"                                                      \
    "    setp.lt.u32 %p1, %r2, %r1;\n"                                                        \
    "    @%p1 bra NEXT;\n"                                                                    \
    "    st.global.u32 [%rd2], %r3;\n"                                                        \
    "    ret;\n}\n"
#define CHASE(name, hop)                                                                         \
    ".visible .entry " name "(.param .u64 in, .param .u64 hops, .param .u64 out)\n{\n" REGISTERS \
    "    ld.param.u64 %rd1, [in];\n"                                                             \
    "    ld.param.u32 %r1, [hops];\n"                                                            \
    "    ld.param.u64 %rd2, [out];\n"                                                            \
    "NEXT:\n"                                                                                    \
    "    .pragma \"nounroll\";\n" hop "    sub.u32 %r1, %r1, 1;\n"                               \
    "    setp.ne.u32 %p1, %r1, 0;\n"                                                             \
    "    @%p1 bra NEXT;\n"                                                                       \
    "    st.global.u64 [%rd2], %rd1;\n"                                                          \
    "    ret;\n}\n"
/* A function of a number, of `type`, and a call of it. */
#define FUNCTION(name, type, number, body)                                                  \
    ".func (.param ." type " out) " name "(.param ." type " in)\n{\n" REGISTERS             \
    "    ld.param." type " " number ", [in];\n" body "    st.param." type " [out], " number \
    ";\n    ret;\n}\n"
#define CALL(name, type, number)                                                             \
    "    {\n    .param ." type " in;\n    .param ." type " out;\n    st.param." type         \
    " [in], " number ";\n    call.uni (out), " name ", (in);\n    ld.param." type " " number \
    ", [out];\n    }\n"
#define MULTIPLY "    mul.lo.u32 %r2, %r2, %r2;\n    add.u32 %r2, %r2, 3;\n"
#define HOP "    ld.global.u64 %rd1, [%rd1];\n"
#define CALLS                                             \
    CHASE("chase", HOP)                                   \
    FUNCTION("product", "b32", "%r2", MULTIPLY)           \
    FUNCTION("next", "b64", "%rd1", HOP)                  \
    CHAIN("call_multiply", CALL("product", "b32", "%r2")) \
    CHASE("call_chase", CALL("next", "b64", "%rd1"))
static const char ptx[] =
    HEAD ".visible .entry scatter(.param .u64 n, .param .u64 spread)\n{\n" REGISTERS
         "    .local .align 4 .b8 own[256];\n"
         "    ld.param.u32 %r1, [n];\n"
         "    ld.param.u32 %r2, [spread];\n"
         "    mov.u32 %r3, %tid.x;\n"
         "    mul.lo.u32 %r2, %r2, %r3;\n"
         "    mov.u32 %r4, own;\n"
         "NEXT:\n"
         "    .pragma \"nounroll\";\n"
         "    add.u32 %r5, %r2, %r1;\n"
         "    and.b32 %r5, %r5, 63;\n"
         "    shl.b32 %r5, %r5, 2;\n"
         "    add.u32 %r5, %r5, %r4;\n"
         "    st.local.u32 [%r5], %r1;\n"
         "    sub.u32 %r1, %r1, 1;\n"
         "    setp.ne.u32 %p1, %r1, 0;\n"
         "    @%p1 bra NEXT;\n"
         "    ret;\n}\n"
         ".visible .entry when(.param .u64 out)\n{\n" REGISTERS "    ld.param.u64 %rd1, [out];\n"
         "    mov.u64 %rd2, %clock64;\n"
         "    mov.u32 %r2, %ctaid.x;\n"
         "    mul.wide.u32 %rd3, %r2, 8;\n"
         "    add.u64 %rd3, %rd1, %rd3;\n"
         "    st.global.u64 [%rd3], %rd2;\n"
         "    ret;\n}\n"
         ".visible .entry timed(.param .u64 in, .param .u64 hops, .param .u64 "
         "out)\n{\n" REGISTERS "    ld.param.u64 %rd1, [in];\n"
         "    ld.param.u32 %r1, [hops];\n"
         "    ld.param.u64 %rd2, [out];\n"
         "    mov.u32 %r2, %ctaid.x;\n"
         "    mul.wide.u32 %rd3, %r2, 8;\n"
         "    add.u64 %rd3, %rd2, %rd3;\n"
         "    mov.u64 %rd4, %clock64;\n"
         "NEXT:\n"
         "    .pragma \"nounroll\";\n"
         "    ld.global.u64 %rd1, [%rd1];\n"
         "    sub.u32 %r1, %r1, 1;\n"
         "    setp.ne.u32 %p1, %r1, 0;\n"
         "    @%p1 bra NEXT;\n"
         "    mov.u64 %rd5, %clock64;\n"
         "    sub.u64 %rd5, %rd5, %rd4;\n"
         "    st.global.u64 [%rd3+8], %rd5;\n"
         "    red.global.add.u64 [%rd2], 1;\n"
         "    ret;\n}\n"
         ".visible .entry add(.param .u64 out, .param .u64 mask)\n{\n" REGISTERS
         "    ld.param.u64 %rd1, [out];\n"
         "    ld.param.u32 %r1, [mask];\n"
         "    mov.u32 %r2, %tid.x;\n"
         "    mov.u32 %r3, %ctaid.x;\n"
         "    mov.u32 %r4, %ntid.x;\n"
         "    mad.lo.u32 %r2, %r3, %r4, %r2;\n"
         "    and.b32 %r2, %r2, %r1;\n"
         "    mul.wide.u32 %rd2, %r2, 4;\n"
         "    add.u64 %rd3, %rd1, %rd2;\n"
         "    red.global.add.u32 [%rd3], 1;\n"
         "    ret;\n}\n"
         ".visible .entry add_one(.param .u64 out)\n{\n" REGISTERS "    ld.param.u64 %rd1, [out];\n"
         "    red.global.add.u32 [%rd1], 1;\n"
         "    ret;\n}\n"
         ".visible .entry write(.param .u64 out, .param .u64 stride)\n{\n" REGISTERS
         "    ld.param.u64 %rd1, [out];\n"
         "    ld.param.u32 %r1, [stride];\n"
         "    mov.u32 %r2, %tid.x;\n"
         "    mov.u32 %r3, %ctaid.x;\n"
         "    mov.u32 %r4, %ntid.x;\n"
         "    mad.lo.u32 %r2, %r3, %r4, %r2;\n"
         "    mul.wide.u32 %rd2, %r2, %r1;\n"
         "    add.u64 %rd3, %rd1, %rd2;\n"
         "    st.global.u32 [%rd3], %r2;\n"
         "    ret;\n}\n"
         ".visible .entry apart(.param .u64 stride, .param .u64 out)\n{\n" REGISTERS
         "    .shared .align 4 .b8 words[16384];\n"
         "    ld.param.u32 %r1, [stride];\n"
         "    ld.param.u64 %rd1, [out];\n"
         "    mov.u32 %r2, %tid.x;\n"
         "    and.b32 %r2, %r2, 31;\n"
         "    mul.lo.u32 %r2, %r2, %r1;\n"
         "    mov.u32 %r3, words;\n"
         "    add.u32 %r3, %r3, %r2;\n"
         "    mov.u32 %r4, 500;\n"
         "NEXT:\n"
         "    .pragma \"nounroll\";\n"
         "    ld.shared.u32 %r5, [%r3];\n"
         "    add.u32 %r6, %r6, %r5;\n"
         "    sub.u32 %r4, %r4, 1;\n"
         "    setp.ne.u32 %p1, %r4, 0;\n"
         "    @%p1 bra NEXT;\n"
         "    st.global.u32 [%rd1], %r6;\n"
         "    ret;\n}\n"
         ".visible .entry sweep(.param .u64 in, .param .u64 n, .param .u64 out)\n{\n" REGISTERS
         "    ld.param.u64 %rd1, [in];\n"
         "    ld.param.u32 %r1, [n];\n"
         "    mov.u32 %r2, %tid.x;\n"
         "    mov.u32 %r5, %ntid.x;\n"
         "NEXT:\n"
         "    mul.wide.u32 %rd2, %r2, 4;\n"
         "    add.u64 %rd2, %rd1, %rd2;\n"
         "    ld.global.u32 %r4, [%rd2];\n"
         "    add.u32 %r3, %r3, %r4;\n"
         "    add.u32 %r2, %r2, %r5;\n"
         "    setp.lt.u32 %p1, %r2, %r1;\n"
         "    @%p1 bra NEXT;\n"
         "    ret;\n}\n"
         ".visible .entry taper(.param .u64 in, .param .u64 n, .param .u64 from)\n{\n" REGISTERS
         "    ld.param.u64 %rd1, [in];\n"
         "    ld.param.u32 %r1, [n];\n"
         "    ld.param.u32 %r2, [from];\n"
         "    mov.u32 %r3, %ctaid.x;\n"
         "    setp.ge.u32 %p1, %r3, %r2;\n"
         "    @%p1 shr.u32 %r1, %r1, 3;\n"
         "NEXT:\n"
         "    .pragma \"nounroll\";\n"
         "    ld.global.cg.u32 %r4, [%rd1];\n"
         "    add.u32 %r5, %r5, %r4;\n"
         "    add.u64 %rd1, %rd1, 128;\n"
         "    sub.u32 %r1, %r1, 1;\n"
         "    setp.ne.u32 %p0, %r1, 0;\n"
         "    @%p0 bra NEXT;\n"
         "    ret;\n}\n" COPY("copy", "4", ".u32", "%r5")
             COPY("copy_16", "16", ".v4.u32", "{%r5, %r6, %r7, %r8}") ATOMS REDS CONSTANTS CALLS
    ".visible .entry empty()\n{\n    ret;\n}\n" SUM("sum", "", "1")
        SUM("sum_rolled", "    .pragma \"nounroll\";\n", "1") SUM("sum_strided", "", "%r5")
            CHAIN("divide", "    div.u32 %r2, 1000000, %r2;\n    add.u32 %r2, %r2, 3;\n")
                CHAIN("multiply", MULTIPLY) LOGIC("of_three", "", "%r4")
                    LOGIC("of_four", "    xor.b32 %r5, %r4, 9;\n", "%r5")
                        FAR_SUM("far_4", "4", "512", FAR_4) FAR_SUM("far_8", "8", "1024", FAR_8);

/* The H200, with so little L2 that a test can fill it. */
static struct observed start_model(int workers, enum timing_model model)
{
    struct gpu gpu = observed_h200(64 << 20);

    gpu.l2_bytes = 2 << 20;
    return observe_ptx_by(&gpu, workers, ptx, model);
}

static struct observed start(int workers)
{
    return start_model(workers, TIMING_BEST);
}

/* Clocks of a launch, its overhead apart. */
static double clocks(const struct observed *observed, const char *name, uint32_t blocks,
                     uint32_t threads, uint64_t *arguments, int count)
{
    const struct gpu *gpu = machine_gpu(observed->machine);

    observed_launch(observed, name, blocks, threads, arguments, count);
    return (timing_last(observed->timing).ms - gpu->launch_us / 1000) * gpu->clock_khz;
}

/* Clocks of a hop in a ring of `bytes`, a line apart, read `times` times before. */
static double hop(const struct observed *observed, size_t bytes, int times)
{
    const uint64_t in = observed_memory(observed, bytes), out = observed_memory(observed, 64);
    uint64_t arguments[] = {in, bytes / 128, out};

    for (size_t i = 0; i < bytes / 128; i++) /* not in the order of their numbers */
        *(uint64_t *)memory_host(observed->machine, in + i * 128) =
            in + (i * 5 + 1) % (bytes / 128) * 128;
    for (int i = 0; i < times; i++)
        clocks(observed, "chase", 1, 1, arguments, 3);
    arguments[1] = 8192;
    return clocks(observed, "chase", 1, 1, arguments, 3) / 8192;
}

TEST(test_caches_answer_sooner)
{
    struct observed observed = start(1);
    const struct gpu *gpu = machine_gpu(observed.machine);
    const double in_l1 = hop(&observed, 16 << 10, 1);
    const double in_l2 = hop(&observed, 512 << 10, 1);
    const double outside = hop(&observed, 8 << 20, 1);

    assert_in_range((int)in_l1, gpu->l1_latency, gpu->l1_latency + 20);
    assert_in_range((int)in_l2, gpu->l2_latency, gpu->l2_latency + 20);
    assert_in_range((int)outside, gpu->global_latency, gpu->global_latency + 40);
    observed_free(&observed);
}

/* L1 forgets with the launch; L2 does not. */
TEST(test_first_touch_goes_to_memory)
{
    struct observed observed = start(1);
    const uint64_t in = observed_memory(&observed, 64 << 10), out = observed_memory(&observed, 64);
    uint64_t arguments[] = {in, 512, out};

    for (uint64_t i = 0; i < 512; i++)
        *(uint64_t *)memory_host(observed.machine, in + i * 128) = in + (i * 5 + 1) % 512 * 128;
    const double first = clocks(&observed, "chase", 1, 1, arguments, 3);
    const double second = clocks(&observed, "chase", 1, 1, arguments, 3);
    assert_true(first > 1.5 * second);
    /* What a copy has written is there, too. */
    const uint64_t other = observed_memory(&observed, 64 << 10);
    arguments[0] = other;
    for (uint64_t i = 0; i < 512; i++)
        *(uint64_t *)memory_host(observed.machine, other + i * 128) =
            other + (i * 5 + 1) % 512 * 128;
    timing_filled(observed.timing, other, 64 << 10, false);
    assert_float_equal(clocks(&observed, "chase", 1, 1, arguments, 3), second, second / 100);
    observed_free(&observed);
}

/* The warps of a block go through an array together, though the emulator runs one behind the other:
 * what a copy left of the end in L2 is gone when they come there. What a copy from the host wrote
 * is in memory by then, and 11 of 16 lines that cudaMemset() did are still to be written back. */
TEST(test_warps_go_through_l2_together)
{
    enum { BYTES = 4 << 20 };
    struct observed observed = start(2);
    const struct gpu *gpu = machine_gpu(observed.machine);
    uint64_t arguments[] = {observed_memory(&observed, BYTES), BYTES / 4, 0};

    timing_filled(observed.timing, arguments[0], BYTES, false);
    clocks(&observed, "sweep", 1, 1024, arguments, 3);
    assert_float_equal((double)timing_last(observed.timing).memory_bytes, BYTES, BYTES / 50.0);
    timing_filled(observed.timing, arguments[0], BYTES, true);
    clocks(&observed, "sweep", 1, 1024, arguments, 3);
    assert_float_equal((double)timing_last(observed.timing).memory_bytes,
                       BYTES + (double)gpu->l2_bytes * gpu->l2_share * 11 / 16, BYTES / 50.0);
    observed_free(&observed);
}

/* Blocks that read the same at the same time all wait for it, though memory is read once. */
TEST(test_who_asks_for_a_line_that_comes_waits)
{
    enum { BYTES = 4 << 20 };
    struct observed observed = start(2);
    uint64_t arguments[] = {observed_memory(&observed, BYTES), BYTES / 4, 0};
    const uint32_t sms = (uint32_t)machine_gpu(observed.machine)->multiprocessors;
    const double alone = clocks(&observed, "sweep", 1, 512, arguments, 3);
    const double together = clocks(&observed, "sweep", sms, 512, arguments, 3);

    assert_true(together > 0.95 * alone);
    assert_float_equal((double)timing_last(observed.timing).memory_bytes, BYTES, BYTES / 50.0);
    observed_free(&observed);
}

/* Not where the step is in a register: then nobody knows how many turns there will be. */
TEST(test_loops_are_unrolled)
{
    struct observed observed = start(1);
    uint64_t arguments[] = {observed_memory(&observed, 64 << 10), 16384,
                            observed_memory(&observed, 64)};

    clocks(&observed, "sum", 1, 1, arguments, 3);
    const double rolled = clocks(&observed, "sum_rolled", 1, 1, arguments, 3);
    assert_true(rolled > 1.5 * clocks(&observed, "sum", 1, 1, arguments, 3));
    assert_float_equal(clocks(&observed, "sum_strided", 1, 1, arguments, 3), rolled, rolled / 20);
    observed_free(&observed);
}

TEST(test_constants_are_operands)
{
    struct observed observed = start(1);
    uint64_t arguments[] = {4096, observed_memory(&observed, 64)};

    const double numbers = clocks(&observed, "add_number", 1, 1, arguments, 2);
    assert_float_equal(clocks(&observed, "add_constant", 1, 1, arguments, 2), numbers,
                       numbers / 50);
    observed_free(&observed);
}

TEST(test_an_unread_result_is_not_awaited)
{
    struct observed observed = start(1);
    uint64_t arguments[] = {4096, observed_memory(&observed, 64)};

    const double reds = clocks(&observed, "reds", 1, 1, arguments, 2);
    assert_float_equal(clocks(&observed, "atoms", 1, 1, arguments, 2), reds, reds / 50);
    observed_free(&observed);
}

/* A compiler lets 16 loads gather and no more, however many a turn of the loop has. */
TEST(test_loads_gather)
{
    struct observed observed = start(1);
    uint64_t arguments[] = {observed_memory(&observed, 256 << 10), 2048,
                            observed_memory(&observed, 64)};

    clocks(&observed, "far_4", 1, 1, arguments, 3);
    const double four = clocks(&observed, "far_4", 1, 1, arguments, 3);
    const double eight = clocks(&observed, "far_8", 1, 1, arguments, 3);
    assert_float_equal(eight, four, 0.15 * four);
    observed_free(&observed);
}

/* Neighbours' words of local memory share lines; where lanes write different ones, each is a
 * request of its own, as far as L2. */
TEST(test_local_memory_scatters)
{
    struct observed observed = start(2);
    uint64_t arguments[] = {256, 0};
    double times[2];

    for (int i = 0; i < 2; i++) {
        arguments[1] = (uint64_t)i;
        times[i] = clocks(&observed, "scatter", 264, 256, arguments, 2);
    }
    assert_true(times[1] > 8 * times[0]);
    observed_free(&observed);
}

TEST(test_atomics_take_turns)
{
    struct observed observed = start(2);
    uint64_t arguments[] = {observed_memory(&observed, 1 << 20), 0};
    double times[3];

    for (int i = 0; i < 3; i++) {
        arguments[1] = (uint64_t[]){0, 255, 262143}[i];
        times[i] = clocks(&observed, "add", 1024, 256, arguments, 2);
    }
    assert_true(times[0] > 2 * times[1]);
    assert_true(times[1] > 2 * times[2]);
    observed_free(&observed);
}

/* A counter that all lanes are known to share is added to once by a warp. */
TEST(test_warps_add_up_first)
{
    struct observed observed = start(2);
    uint64_t arguments[] = {observed_memory(&observed, 64), 0};
    const double each = clocks(&observed, "add", 1024, 256, arguments, 2);

    assert_true(each > 8 * clocks(&observed, "add_one", 1024, 256, arguments, 1));
    observed_free(&observed);
}

/* Words written one by one cost L2 more than the same bytes in whole sectors. */
TEST(test_partial_writes_cost_more)
{
    struct observed observed = start(2);
    uint64_t arguments[] = {observed_memory(&observed, 8 << 20), 4};
    double times[2];

    for (int i = 0; i < 2; i++) {
        arguments[1] = (uint64_t[]){4, 32}[i];
        clocks(&observed, "write", 1024, 256, arguments, 2);
        times[i] = clocks(&observed, "write", 1024, 256, arguments, 2);
    }
    assert_true(times[1] > 2 * times[0]);
    observed_free(&observed);
}

/* The plain model, which knows no contention, can be had for any GPU. */
TEST(test_plain_can_be_had)
{
    double times[2];

    for (int model = TIMING_BEST; model <= TIMING_PLAIN; model++) {
        struct observed observed = start_model(1, (enum timing_model)model);
        uint64_t arguments[] = {observed_memory(&observed, 64), 0};
        times[model] = clocks(&observed, "add", 1024, 256, arguments, 2);
        observed_free(&observed);
    }
    assert_true(times[TIMING_BEST] > 10 * times[TIMING_PLAIN]);
}

TEST(test_banks_conflict)
{
    struct observed observed = start(1);
    uint64_t arguments[] = {0, observed_memory(&observed, 64)};
    double times[3];

    for (int i = 0; i < 3; i++) {
        arguments[0] = (uint64_t[]){4, 64, 128}[i];
        times[i] = clocks(&observed, "apart", 1, 1024, arguments, 2);
    }
    assert_float_equal(times[2] / times[1], 2, 0.1);
    assert_true(times[1] > 2 * times[0]);
    observed_free(&observed);
}

TEST(test_blocks_come_in_waves)
{
    struct observed observed = start(2);
    uint64_t arguments[] = {100, observed_memory(&observed, 64)};
    const uint32_t sms = (uint32_t)machine_gpu(observed.machine)->multiprocessors;
    const double one = clocks(&observed, "multiply", sms, 1024, arguments, 2);
    const double full = clocks(&observed, "multiply", 2 * sms, 1024, arguments, 2);
    const double more = clocks(&observed, "multiply", 2 * sms + 1, 1024, arguments, 2);

    assert_true(full < 2.1 * one);
    assert_true(more > full + 0.8 * one);
    observed_free(&observed);
}

/* Of the waves behind those that are traced, the model knows how much less they ask for. */
TEST(test_later_blocks_may_do_less)
{
    struct observed observed = start(2);
    const uint32_t wave = 2 * (uint32_t)machine_gpu(observed.machine)->multiprocessors;
    uint64_t arguments[] = {observed_memory(&observed, 16 << 10), 128, 4 * wave};

    clocks(&observed, "taper", wave, 1024, arguments, 3);
    const double four = clocks(&observed, "taper", 4 * wave, 1024, arguments, 3);
    const double eight = clocks(&observed, "taper", 8 * wave, 1024, arguments, 3);
    assert_float_equal(eight / four, 1 + 1 / 8.0, 0.03);
    observed_free(&observed);
}

/* A block keeps its place until L2 has answered its stores. */
TEST(test_stores_keep_a_place)
{
    enum { ROUNDS = 8 };
    struct observed observed = start(2);
    const struct gpu *gpu = machine_gpu(observed.machine);
    const uint32_t at_once = 2 * (uint32_t)gpu->multiprocessors;
    uint64_t arguments[] = {observed_memory(&observed, 16 << 20),
                            observed_memory(&observed, 16 << 20)};
    const double waits = gpu->global_latency + gpu->l2_latency + gpu->block_latency;
    const double round = 1.15 * waits; /* there are queues, too */

    const double one = clocks(&observed, "copy", at_once, 1024, arguments, 2);
    arguments[0] += 4 << 20; /* not in L2 */
    arguments[1] += 4 << 20;
    assert_true(clocks(&observed, "copy", ROUNDS * at_once, 1024, arguments, 2) >
                one + (ROUNDS - 1) * round);
    observed_free(&observed);
}

TEST(test_operations_differ)
{
    struct observed observed = start(1);
    uint64_t arguments[] = {1000, observed_memory(&observed, 64)};

    assert_true(clocks(&observed, "divide", 1, 1, arguments, 2) >
                4 * clocks(&observed, "multiply", 1, 1, arguments, 2));
    assert_true(clocks(&observed, "empty", 1, 32, NULL, 0) < 50);
    const double three = clocks(&observed, "of_three", 1, 1024, arguments, 2) / 1000;
    const double four = clocks(&observed, "of_four", 1, 1024, arguments, 2) / 1000;
    /* An instruction more, for which each of a scheduler's eight warps takes two clocks. */
    assert_float_equal(four - three, 16, 1);
    observed_free(&observed);
}

/* A function takes as long as what is in it, and a few clocks to go there and back. */
TEST(test_calls_take_their_time)
{
    enum { HOPS = 1000, LINES = 64, CALL_LEAST = 4, CALL_MOST = 60 };
    struct observed observed = start(1);
    const uint64_t in = observed_memory(&observed, LINES * 128);
    uint64_t numbers[] = {HOPS, observed_memory(&observed, 64)}, hops[] = {in, HOPS, numbers[1]};

    for (uint64_t i = 0; i < LINES; i++)
        *(uint64_t *)memory_host(observed.machine, in + i * 128) = in + (i * 5 + 1) % LINES * 128;
    clocks(&observed, "chase", 1, 1, hops, 3);
    const double more[] = {clocks(&observed, "call_multiply", 1, 1, numbers, 2) -
                               clocks(&observed, "multiply", 1, 1, numbers, 2),
                           clocks(&observed, "call_chase", 1, 1, hops, 3) -
                               clocks(&observed, "chase", 1, 1, hops, 3)};
    for (int i = 0; i < 2; i++)
        if (more[i] < HOPS * CALL_LEAST || more[i] > HOPS * CALL_MOST)
            fail_msg("a call takes %g clocks more", more[i] / HOPS);
    observed_free(&observed);
}

/* The same, to the last bit, whoever runs the blocks, and where the host maps memory. */
TEST(test_any_number_of_workers)
{
    double first[3] = {0};

    for (int workers = 1; workers <= 5; workers += 2) {
        struct observed observed = start(workers);
        uint64_t arguments[] = {observed_memory(&observed, 4 << 20),
                                observed_memory(&observed, 4 << 20)};
        uint64_t update[] = {arguments[1], 4095};
        const double times[3] = {clocks(&observed, "copy", 4096, 256, arguments, 2),
                                 clocks(&observed, "add", 300, 256, update, 2),
                                 clocks(&observed, "copy", 1000, 128, arguments, 2)};
        for (int i = 0; i < 3; i++) {
            if (workers > 1)
                assert_float_equal(times[i], first[i], 0);
            first[i] = times[i];
        }
        observed_free(&observed);
    }
}

static uint64_t launches(const struct observed *observed)
{
    size_t count;
    const struct profile_kernel *kernels = profile_kernels(observed->profile, &count);

    assert_int_equal(count, 1);
    return kernels[0].launches;
}

/* What a kernel reads as its clock fits the time of its launch, though the launch has to run twice
 * for that: all else has happened once. */
TEST(test_kernels_read_this_clock)
{
    enum { BLOCKS = 160, HOPS = 256 };
    static uint64_t first[1 + BLOCKS];

    for (int workers = 1; workers <= 5; workers += 2) {
        struct observed observed = start(workers);
        const uint64_t in = observed_memory(&observed, 64 << 10);
        const uint64_t out = observed_memory(&observed, sizeof(first));
        uint64_t arguments[] = {in, HOPS, out};
        uint64_t *words = memory_host(observed.machine, out);
        for (uint64_t i = 0; i < 512; i++)
            *(uint64_t *)memory_host(observed.machine, in + i * 128) = in + (i * 5 + 1) % 512 * 128;
        memset(words, 0, sizeof(first));
        const double all = clocks(&observed, "timed", BLOCKS, 32, arguments, 3);
        assert_int_equal(words[0], (uint64_t)BLOCKS * 32);
        assert_int_equal(launches(&observed), 1);
        for (int i = 1; i <= BLOCKS; i++) {
            assert_true((double)words[i] > 0.5 * all && (double)words[i] < all);
            if (workers > 1)
                assert_int_equal(words[i], first[i]);
        }
        memcpy(first, words, sizeof(first));
        /* The second time the chain is in L2. */
        const double again = clocks(&observed, "timed", 1, 32, arguments, 3);
        assert_float_equal((double)words[1], again, 0.05 * again);
        observed_free(&observed);
    }
}

/* Blocks behind those that are traced begin when their round does. */
TEST(test_clocks_go_on_behind_the_sample)
{
    struct observed observed = start(2);
    const struct gpu *gpu = machine_gpu(observed.machine);
    const uint32_t blocks = 6 * (uint32_t)(gpu->multiprocessors * gpu->max_blocks_per_sm);
    const uint64_t out = observed_memory(&observed, blocks * sizeof(uint64_t));
    uint64_t arguments[] = {out};
    const uint64_t *words = memory_host(observed.machine, out);
    const double all = clocks(&observed, "when", blocks, 32, arguments, 1);

    assert_true((double)(words[blocks - 1] - words[0]) > 0.7 * all);
    assert_true((double)(words[blocks - 1] - words[0]) < all);
    observed_free(&observed);
}

static enum timing_limit limit_of(const struct observed *observed, const char *name,
                                  uint32_t blocks, uint32_t threads, uint64_t *arguments, int count)
{
    clocks(observed, name, blocks, threads, arguments, count);
    return timing_last(observed->timing).limit;
}

/* "Bound by" comes from the model that gives the time. */
TEST(test_what_bounds)
{
    struct observed observed = start(2);
    const uint64_t in = observed_memory(&observed, 16 << 20);
    uint64_t copy[] = {in, observed_memory(&observed, 16 << 20)};
    uint64_t update[] = {copy[1], 0}, hops[] = {100, copy[1]}, words[] = {128, copy[1]};
    uint64_t chase[] = {in, 2000, copy[1]};

    for (uint64_t i = 0; i < 512; i++)
        *(uint64_t *)memory_host(observed.machine, in + i * 128) = in + (i * 5 + 1) % 512 * 128;
    assert_int_equal(limit_of(&observed, "empty", 1, 32, NULL, 0), TIMING_LAUNCH);
    assert_int_equal(limit_of(&observed, "chase", 1, 1, chase, 3), TIMING_LATENCY);
    assert_int_equal(limit_of(&observed, "copy_16", 4096, 256, copy, 2), TIMING_MEMORY);
    assert_int_equal(limit_of(&observed, "add", 1024, 256, update, 2), TIMING_LOAD_STORE);
    assert_int_equal(limit_of(&observed, "apart", 132, 1024, words, 2), TIMING_SHARED);
    assert_int_equal(limit_of(&observed, "divide", 264, 1024, hops, 2), TIMING_ISSUE);
    observed_free(&observed);
}

TEST_MAIN()
