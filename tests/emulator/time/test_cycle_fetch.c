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

/* Clocks of an addition in such a loop, of warps that each have a scheduler to themselves or share
 * it. */
static double addition(int length, uint32_t threads)
{
    enum { FEW = 4, MANY = 20 };
    char error[GPU_ERROR_SIZE], *ptx = write_loop(length);
    struct gpu gpu;
    double ms[2];

    if (!gpu_read(EMU_GPUS, "h200", &gpu, error))
        fail_msg("%s", error);
    gpu.memory = 16 << 20;
    struct observed observed = observe_ptx(&gpu, 1, ptx);
    for (int i = 0; i < 2; i++) {
        uint64_t rounds[] = {i ? MANY : FEW};
        observed_launch(&observed, "loop", 1, threads, rounds, 1);
        ms[i] = timing_last(observed.timing).ms;
    }
    observed_free(&observed);
    free(ptx);
    return (ms[1] - ms[0]) * gpu.clock_khz / (MANY - FEW) / length;
}

/* A warp alone waits for what the cache does not keep; several share what is fetched. */
TEST(test_long_loops_are_fetched_again)
{
    assert_float_equal(addition(1024, 128), 1, 0.05);
    assert_float_equal(addition(4096, 128), 2, 0.05);
    assert_float_equal(addition(4096, 256), 2, 0.1);
    assert_float_equal(addition(4096, 512), 4, 0.1);
}

TEST_MAIN()
