/* SPDX-License-Identifier: MIT */
/* The cycle model of time: SMs that have more to do than SM 0, which alone is modelled, and blocks
 * of an SM that do not get on equally. */
#include "observed.h"

#include <string.h>

/* Each block counts to n; block `long` to four times that. */
static const char ptx[] = ".version 8.0\n.target sm_75\n.address_size 64\n"
                          ".visible .entry count(.param .u64 n, .param .u64 long)\n{\n"
                          "    .reg .b32 %r<5>;\n    .reg .pred %p<3>;\n"
                          "    ld.param.u32 %r1, [n];\n"
                          "    ld.param.u32 %r2, [long];\n"
                          "    mov.u32 %r3, %ctaid.x;\n"
                          "    setp.eq.u32 %p1, %r3, %r2;\n"
                          "    @%p1 shl.b32 %r1, %r1, 2;\n"
                          "NEXT:\n"
                          "    .pragma \"nounroll\";\n"
                          "    sub.u32 %r1, %r1, 1;\n"
                          "    setp.ne.u32 %p2, %r1, 0;\n"
                          "    @%p2 bra NEXT;\n"
                          "    ret;\n}\n"
                          /* Each thread reads eight words, which L2 has, and then counts to n. */
                          ".visible .entry read(.param .u64 n, .param .u64 in)\n{\n"
                          "    .reg .b32 %r<13>;\n    .reg .b64 %rd<3>;\n    .reg .pred %p;\n"
                          "    ld.param.u32 %r1, [n];\n"
                          "    ld.param.u64 %rd1, [in];\n"
                          "    mov.u32 %r2, %tid.x;\n"
                          "    mul.wide.u32 %rd2, %r2, 4;\n"
                          "    add.u64 %rd1, %rd1, %rd2;\n"
                          "    ld.global.cg.u32 %r3, [%rd1];\n"
                          "    ld.global.cg.u32 %r4, [%rd1+4096];\n"
                          "    ld.global.cg.u32 %r5, [%rd1+8192];\n"
                          "    ld.global.cg.u32 %r6, [%rd1+12288];\n"
                          "    ld.global.cg.u32 %r7, [%rd1+16384];\n"
                          "    ld.global.cg.u32 %r8, [%rd1+20480];\n"
                          "    ld.global.cg.u32 %r9, [%rd1+24576];\n"
                          "    ld.global.cg.u32 %r10, [%rd1+28672];\n"
                          "    add.u32 %r3, %r3, %r4;\n    add.u32 %r5, %r5, %r6;\n"
                          "    add.u32 %r7, %r7, %r8;\n    add.u32 %r9, %r9, %r10;\n"
                          "    add.u32 %r3, %r3, %r5;\n    add.u32 %r7, %r7, %r9;\n"
                          "    add.u32 %r3, %r3, %r7;\n    add.u32 %r1, %r1, %r3;\n"
                          "    bar.sync 0;\n"
                          "NEXT:\n"
                          "    .pragma \"nounroll\";\n"
                          "    sub.u32 %r1, %r1, 1;\n"
                          "    setp.ne.u32 %p, %r1, 0;\n"
                          "    @%p bra NEXT;\n"
                          "    ret;\n}\n";

/* Clocks of a launch. */
static double clocks(const char *name, uint32_t blocks, uint32_t threads, uint64_t count,
                     uint64_t other)
{
    struct gpu gpu = observed_h200(16 << 20);
    uint64_t arguments[] = {count, other};

    if (strcmp(name, "read") == 0)
        gpu.max_threads_per_sm = 1024;
    struct observed observed = observe_ptx(&gpu, 2, ptx);
    if (strcmp(name, "read") == 0) {
        arguments[1] = observed_memory(&observed, 32 << 10);
        observed_launch(&observed, name, 1, threads, arguments, 2); /* L2 has it now */
    }
    observed_launch(&observed, name, blocks, threads, arguments, 2);
    const double ms = timing_last(observed.timing).ms;
    observed_free(&observed);
    return (ms - gpu.launch_us / 1000) * gpu.clock_khz;
}

/* By blocks of 1024 threads, of which an SM holds two. */
static double count(uint32_t blocks, uint64_t longest)
{
    return clocks("count", blocks, 1024, 200, longest);
}

/* Whichever SM has the long block, the kernel takes as long as that. In later waves blocks go where
 * there is room, and one of them changes little. */
TEST(test_the_busiest_sm_counts)
{
    const double alike = count(132, 132);

    assert_float_equal(count(132, 0), 4 * alike, 0.1 * alike);
    assert_float_equal(count(132, 131), 4 * alike, 0.1 * alike);
    assert_float_equal(count(3 * 264, 5), count(3 * 264, 3 * 264), 0.1 * alike);
}

/* The warps of a block take turns. Of several blocks, the oldest comes first, and the youngest is
 * left with a part of its work alone. */
TEST(test_the_oldest_block_comes_first)
{
    const double alone = clocks("count", 132, 32, 2000, 132);
    const double issuing = 16 * 3 * 2000; /* 16 warps of a scheduler, three instructions a turn */

    assert_true(clocks("count", 8 * 132, 256, 2000, 8 * 132) > issuing + 0.3 * alone);
}

/* Blocks read, then compute. In the first wave all SMs ask L2 at once; later some compute while
 * others ask, and an SM gets more than its share. */
TEST(test_sms_get_out_of_step)
{
    const double one = clocks("read", 132, 1024, 50, 0);

    assert_true(clocks("read", 9 * 132, 1024, 50, 0) / 9 < 0.95 * one);
}

TEST_MAIN()
