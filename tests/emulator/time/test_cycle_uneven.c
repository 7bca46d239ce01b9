/* SPDX-License-Identifier: MIT */
/* The cycle model of time: SMs that have more to do than SM 0, which alone is modelled. */
#include "observed.h"

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
                          "    ret;\n}\n";

/* Clocks of a launch of blocks of 1024 threads, of which an SM holds two. */
static double clocks(uint32_t blocks, uint64_t longest)
{
    const struct gpu gpu = observed_h200(16 << 20);
    uint64_t arguments[] = {200, longest};

    struct observed observed = observe_ptx(&gpu, 2, ptx);
    observed_launch(&observed, "count", blocks, 1024, arguments, 2);
    const double ms = timing_last(observed.timing).ms;
    observed_free(&observed);
    return (ms - gpu.launch_us / 1000) * gpu.clock_khz;
}

/* Whichever SM has the long block, the kernel takes as long as that. In later waves blocks go where
 * there is room, and one of them changes little. */
TEST(test_the_busiest_sm_counts)
{
    const double alike = clocks(132, 132);

    assert_float_equal(clocks(132, 0), 4 * alike, 0.1 * alike);
    assert_float_equal(clocks(132, 131), 4 * alike, 0.1 * alike);
    assert_float_equal(clocks(3 * 264, 5), clocks(3 * 264, 3 * 264), 0.1 * alike);
}

TEST_MAIN()
