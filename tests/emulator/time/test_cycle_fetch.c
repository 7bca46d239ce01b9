/* SPDX-License-Identifier: MIT */
/* The cycle model of time: loops that outgrow the instruction cache. */
#include "observed.h"

/* A loop of `length` additions, sixteen chains of them. */
static char *write_loop(int length)
{
    enum { CHAINS = 16, LINE = 64 };
    const size_t room = 1024 + (size_t)length * LINE;
    char *text = malloc(room);
    int at;

    assert_non_null(text);
    at = snprintf(text, room,
                  ".version 8.0\n.target sm_75\n.address_size 64\n"
                  ".visible .entry loop(.param .u64 rounds)\n{\n"
                  "    .reg .b32 %%r<4>;\n    .reg .f32 %%f<%d>;\n    .reg .pred %%p<2>;\n"
                  "    ld.param.u32 %%r1, [rounds];\n",
                  CHAINS);
    for (int i = 0; i < CHAINS; i++)
        at += snprintf(text + at, room - (size_t)at, "    mov.f32 %%f%d, 0f00000000;\n", i);
    at += snprintf(text + at, room - (size_t)at, "NEXT:\n    .pragma \"nounroll\";\n");
    for (int i = 0; i < length; i++)
        at += snprintf(text + at, room - (size_t)at, "    add.f32 %%f%d, %%f%d, 0f3F800000;\n",
                       i % CHAINS, i % CHAINS);
    snprintf(text + at, room - (size_t)at,
             "    sub.u32 %%r1, %%r1, 1;\n    setp.ne.u32 %%p1, %%r1, 0;\n    @%%p1 bra NEXT;\n"
             "    ret;\n}\n");
    return text;
}

/* Clocks that a loop of so many additions takes, and its launch. */
static double clocks_of(int length, uint32_t threads, uint64_t rounds)
{
    const struct gpu gpu = observed_h200(16 << 20);
    char *ptx = write_loop(length);
    struct observed observed = observe_ptx(&gpu, 1, ptx);
    observed_launch(&observed, "loop", 1, threads, &rounds, 1);
    const double clocks = timing_last(observed.timing).ms * gpu.clock_khz;
    observed_free(&observed);
    free(ptx);
    return clocks;
}

/* Clocks of an addition in such a loop, of warps that each have a scheduler to themselves or share
 * it. */
static double addition(int length, uint32_t threads)
{
    enum { FEW = 4, MANY = 20 };

    return (clocks_of(length, threads, MANY) - clocks_of(length, threads, FEW)) / (MANY - FEW) /
           length;
}

/* A warp alone waits for what the cache does not keep; several share what is fetched. */
TEST(test_long_loops_are_fetched_again)
{
    assert_float_equal(addition(1024, 128), 1, 0.05);
    assert_float_equal(addition(4096, 128), 2, 0.05);
    assert_float_equal(addition(4096, 256), 2, 0.1);
    assert_float_equal(addition(4096, 512), 4, 0.1);
}

/* A loop that is a little longer than the cache loses the sets that it overfills: two of 16. */
TEST(test_sets_overflow_one_by_one)
{
    assert_float_equal(addition(2056, 128), 1 + 2 / 16.0, 0.04);
}

/* The first fetch is from L2, 128 instructions at once. */
TEST(test_new_code_is_fetched)
{
    const double chunk = clocks_of(1024, 128, 1) - clocks_of(1024 - 128, 128, 1);

    assert_float_equal(chunk, 2 * 128 + 282, 10);
}

TEST_MAIN()
