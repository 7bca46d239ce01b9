/* SPDX-License-Identifier: MIT */
/* The cycle model of time: blocks that wait until another block has written a word. */
#include "observed.h"

/* relay: each block waits for the word of the one before, counts to n, and writes its own word.
 * await: block `from` counts to n and writes a word, for which all others wait.
 * glance: block 0 writes a word, counts to n, and writes it again; the other waits for the first
 * of these, counts, and does not look before both are there.
 * meet: n times, all blocks add to a word and wait until the others have. */
#define WAIT(label, at, enough)                            \
    label ":\n    ld.volatile.global.u32 %r5, [" at "];\n" \
          "    setp.lt.u32 %p1, %r5, " enough ";\n    @%p1 bra " label ";\n"
#define COUNT(label)                                                 \
    label ":\n    .pragma \"nounroll\";\n    sub.u32 %r1, %r1, 1;\n" \
          "    setp.ne.u32 %p2, %r1, 0;\n    @%p2 bra " label ";\n"
#define WRITE(at, number) "    st.volatile.global.u32 [" at "], " number ";\n"
#define KERNEL(name, body)                                                                     \
    ".visible .entry " name "(.param .u64 words, .param .u64 n, .param .u64 from)\n{\n"        \
    "    .reg .b32 %r<8>;\n    .reg .b64 %rd<4>;\n    .reg .pred %p<3>;\n"                     \
    "    ld.param.u64 %rd1, [words];\n    ld.param.u32 %r1, [n];\n"                            \
    "    ld.param.u32 %r2, [from];\n    mov.u32 %r3, %ctaid.x;\n    mov.u32 %r4, %nctaid.x;\n" \
    "    mul.wide.u32 %rd2, %r3, 128;\n    add.u64 %rd2, %rd1, %rd2;\n" body "    ret;\n}\n"
#define IF(number, label) "    setp.eq.u32 %p1, %r3, " number ";\n    @%p1 bra " label ";\n"
#define RELAY                                                                                  \
    KERNEL("relay", IF("0", "FIRST") WAIT("BEFORE", "%rd2+-128", "1") "FIRST:\n" COUNT("NEXT") \
                        WRITE("%rd2", "1"))
#define AWAIT                                                                                \
    KERNEL("await", IF("%r2", "NEXT") WAIT("OTHERS", "%rd1", "1") "    ret;\n" COUNT("NEXT") \
                        WRITE("%rd1", "1"))
#define GLANCE                                                                             \
    KERNEL("glance",                                                                       \
           IF("0", "FIRST") "    ld.volatile.global.u32 %r5, [%rd1+256];\n" WAIT(          \
               "READ", "%rd1", "1") COUNT("ALONE") "    ret;\nFIRST:\n" WRITE("%rd1", "1") \
               COUNT("NEXT") WRITE("%rd1", "2"))
#define MEET                                                                                   \
    KERNEL("meet", "    mov.u32 %r6, 0;\nAGAIN:\n    .pragma \"nounroll\";\n    add.u32 %r6, " \
                   "%r6, %r4;\n    red.global.add.u32 [%rd1], 1;\n" WAIT(                      \
                       "ALL", "%rd1", "%r6") "    sub.u32 %r1, %r1, 1;\n    setp.ne.u32 %p2, " \
                                             "%r1, 0;\n    @%p2 bra AGAIN;\n")
static const char ptx[] = ".version 8.0\n.target sm_75\n.address_size 64\n" RELAY AWAIT GLANCE MEET;

/* Clocks of a launch of blocks of one warp. */
static double clocks_by(int workers, const char *name, uint32_t blocks, uint64_t n, uint64_t from)
{
    const struct gpu gpu = observed_h200(16 << 20);
    struct observed observed = observe_ptx(&gpu, workers, ptx);
    uint64_t arguments[] = {observed_memory(&observed, 1 << 20), n, from};

    observed_launch(&observed, name, blocks, 32, arguments, 3);
    const double ms = timing_last(observed.timing).ms;
    observed_free(&observed);
    return (ms - gpu.launch_us / 1000) * gpu.clock_khz;
}

static double clocks(const char *name, uint32_t blocks, uint64_t n, uint64_t from)
{
    return clocks_by(2, name, blocks, n, from);
}

/* Every block of a relay adds as much, wherever SM 0's are: block 0 itself never waits. */
TEST(test_a_chain_of_blocks_takes_a_hop_for_each)
{
    const struct gpu gpu = observed_h200(16 << 20);
    const double hop = (clocks("relay", 64, 1, 0) - clocks("relay", 32, 1, 0)) / 32;

    assert_true(hop > 2 * gpu.l2_latency && hop < 5 * gpu.l2_latency);
    assert_float_equal(clocks("relay", 528, 1, 0), 528 * hop, 53 * hop);
    assert_float_equal(clocks("relay", 64, 1000, 0), 64 * clocks("relay", 1, 1000, 0),
                       64 * 2 * gpu.l2_latency);
}

/* Nobody ends before the block that all wait for. Whoever waits has read in vain, so that the time
 * grows in steps, where that block is not SM 0's. */
TEST(test_all_wait_for_one)
{
    const double alone = clocks("await", 1, 1000, 0);
    int steps = 0, other_steps = 0;

    assert_float_equal(clocks("await", 132, 1000, 0), alone, 0.1 * alone);
    assert_float_equal(clocks("await", 132, 1000, 1), alone, 0.1 * alone);
    for (uint64_t n = 1000; n < 1200; n += 10) {
        steps += clocks("await", 132, n + 10, 0) - clocks("await", 132, n, 0) < 50;
        other_steps += clocks("await", 132, n + 10, 1) - clocks("await", 132, n, 1) < 50;
    }
    assert_int_equal(steps, 0);
    assert_true(other_steps > 5);
}

/* A word that is written twice: the reader was content with less than it found. */
TEST(test_a_reader_waits_for_the_first_that_will_do)
{
    const double alone = clocks("glance", 1, 2000, 0);

    assert_float_equal(clocks("glance", 2, 2000, 0), alone, 0.1 * alone);
}

/* A counter is complete when the last block has come; and where so many read it that L2 cannot
 * answer them, all take longer. */
TEST(test_a_barrier_of_the_grid)
{
    const double few = clocks("meet", 64, 20, 0) - clocks("meet", 64, 10, 0);
    const double more = clocks("meet", 128, 20, 0) - clocks("meet", 128, 10, 0);
    const double most = clocks("meet", 1024, 20, 0) - clocks("meet", 1024, 10, 0);

    assert_true(few > 1.5 * (clocks("meet", 1, 20, 0) - clocks("meet", 1, 10, 0)));
    assert_float_equal(more, few, 0.1 * few);
    assert_true(most > 5 * more);
}

TEST(test_workers_make_no_difference)
{
    const char *const names[] = {"relay", "await", "glance", "meet"};

    for (int i = 0; i < 4; i++)
        for (int workers = 2; workers < 5; workers++)
            assert_true(clocks_by(workers, names[i], 300, 50, 1) ==
                        clocks_by(1, names[i], 300, 50, 1));
}

TEST_MAIN()
