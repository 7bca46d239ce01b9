/* SPDX-License-Identifier: MIT */
/* The cycle model of time: loads gather only where a full SM has the registers for them. */
#include "observed.h"

#define APPEND(...) (at += snprintf(text + at, ROOM - (size_t)at, __VA_ARGS__))

enum { ROOM = 1 << 14, LOADS = 8, TURNS = 64 };

/* A loop whose turns read LOADS vectors of four words, a line apart, and add up a word of each;
 * `kept` other words wait for its end. */
static char *write_loop(int kept)
{
    char *text = malloc(ROOM);
    int at = 0;

    assert_non_null(text);
    APPEND(".version 8.0\n.target sm_75\n.address_size 64\n"
           ".visible .entry loop(.param .u64 in)\n{\n    .reg .b32 %%r<100>;\n"
           "    .reg .b64 %%rd<2>;\n    .reg .pred %%p<2>;\n    ld.param.u64 %%rd1, [in];\n"
           "    mov.u32 %%r1, %%tid.x;\n    add.u32 %%r2, %%r1, %d;\n",
           TURNS);
    for (int i = 0; i < kept; i++)
        APPEND("    xor.b32 %%r%d, %%r1, %d;\n", 50 + i, i);
    APPEND("NEXT:\n    .pragma \"nounroll\";\n");
    for (int i = 0; i < LOADS; i++)
        APPEND("    ld.global.v4.u32 {%%r%d, %%r%d, %%r%d, %%r%d}, [%%rd1+%d];\n"
               "    add.u32 %%r3, %%r3, %%r%d;\n",
               10 + 4 * i, 11 + 4 * i, 12 + 4 * i, 13 + 4 * i, 128 * i, 10 + 4 * i);
    APPEND("    add.u64 %%rd1, %%rd1, %d;\n    sub.u32 %%r2, %%r2, 1;\n"
           "    setp.ne.u32 %%p1, %%r2, %%r1;\n    @%%p1 bra NEXT;\n",
           128 * LOADS);
    for (int i = 0; i < kept; i++)
        APPEND("    add.u32 %%r3, %%r3, %%r%d;\n", 50 + i);
    APPEND("    st.global.u32 [%%rd1], %%r3;\n    ret;\n}\n");
    return text;
}

/* Latencies of L2 that a turn of the loop takes. */
static double latencies(int kept)
{
    const struct gpu gpu = observed_h200(16 << 20);
    char *ptx = write_loop(kept);
    double ms[2];
    struct observed observed = observe_ptx(&gpu, 1, ptx);
    uint64_t in = observed_memory(&observed, 128 * LOADS * (TURNS + 1));
    for (int i = 0; i < 2; i++) { /* the first launch brings the lines to L2 */
        observed_launch(&observed, "loop", 1, 1, &in, 1);
        ms[i] = timing_last(observed.timing).ms;
    }
    observed_free(&observed);
    free(ptx);
    return (ms[1] - gpu.launch_us / 1000) * gpu.clock_khz / TURNS / gpu.l2_latency;
}

/* Of eight loads of four words some wait, for a full SM has 32 registers for a thread. A kernel
 * that needs more than 32 anyway has no reason to save any. */
TEST(test_loads_wait_for_registers)
{
    assert_float_equal(latencies(0), 2, 0.3);
    assert_float_equal(latencies(40), 1, 0.3);
}

TEST_MAIN()
