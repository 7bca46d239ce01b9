/* SPDX-License-Identifier: MIT */
/* The cycle model of time: launches like one before. */
#include "observed.h"

#include "time/cycle_again.h"

/* turn: loops `turns` times.
 * apart: loads from shared memory, `stride` bytes between neighbouring lanes.
 * read: a word of each thread. */
static const char ptx[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry turn(.param .u64 turns)\n{\n"
    "    .reg .b32 %r<3>;\n    .reg .pred %p;\n"
    "    ld.param.u32 %r1, [turns];\n"
    "NEXT:\n    .pragma \"nounroll\";\n    sub.u32 %r1, %r1, 1;\n"
    "    setp.ne.u32 %p, %r1, 0;\n    @%p bra NEXT;\n    ret;\n}\n"
    ".visible .entry apart(.param .u64 stride)\n{\n"
    "    .reg .b32 %r<5>;\n    .shared .align 4 .b8 words[16384];\n"
    "    ld.param.u32 %r1, [stride];\n    mov.u32 %r2, %tid.x;\n    mul.lo.u32 %r2, %r1, %r2;\n"
    "    mov.u32 %r3, words;\n    add.u32 %r2, %r2, %r3;\n    ld.shared.u32 %r4, [%r2];\n"
    "    st.shared.u32 [%r2], %r4;\n    ret;\n}\n"
    ".visible .entry read(.param .u64 in)\n{\n"
    "    .reg .b32 %r<3>;\n    .reg .b64 %rd<4>;\n"
    "    ld.param.u64 %rd1, [in];\n    mov.u32 %r1, %tid.x;\n    mul.wide.u32 %rd2, %r1, 4;\n"
    "    add.u64 %rd3, %rd1, %rd2;\n    ld.global.u32 %r2, [%rd3];\n"
    "    st.global.u32 [%rd3], %r2;\n    ret;\n}\n";

static struct observed begin(void)
{
    const struct gpu gpu = observed_h200(16 << 20);

    return observe_ptx(&gpu, 1, ptx);
}

static double ms_of(const struct observed *observed, const char *kernel, uint32_t threads,
                    uint64_t argument)
{
    observed_launch(observed, kernel, 1, threads, &argument, 1);
    return timing_last(observed->timing).ms;
}

/* The same by a model that knows no other launch. */
static double first_ms_of(const char *kernel, uint32_t threads, uint64_t argument)
{
    struct observed observed = begin();
    const double ms = ms_of(&observed, kernel, threads, argument);

    observed_free(&observed);
    return ms;
}

TEST(launches_are_told_apart)
{
    enum { DIFFERENT = KEPT_RUNS + 2 };
    struct observed observed = begin();
    double turns[DIFFERENT];

    for (int i = 0; i < DIFFERENT; i++)
        turns[i] = first_ms_of("turn", 64, 2 + (uint64_t)i);
    for (int i = 0; i < 4 * DIFFERENT; i++) {
        const int which = i < 2 * DIFFERENT ? i % DIFFERENT : i / 2 % DIFFERENT;
        assert_true(ms_of(&observed, "turn", 64, 2 + (uint64_t)which) == turns[which]);
        assert_true(which == 0 || turns[which] > turns[which - 1]);
    }
    observed_free(&observed);
}

/* The words are as many, and only some of their bits differ. */
TEST(conflicts_are_told_apart)
{
    struct observed observed = begin();
    double before = 0;

    for (uint64_t stride = 4; stride <= 128; stride *= 2) {
        const double ms = ms_of(&observed, "apart", 128, stride);
        assert_true(ms == first_ms_of("apart", 128, stride) && ms > before);
        before = ms;
    }
    assert_true(ms_of(&observed, "apart", 128, 4) == first_ms_of("apart", 128, 4));
    observed_free(&observed);
}

/* The logs are the same, but the second time the line is in L2. */
TEST(misses_are_told_apart)
{
    struct observed observed = begin();
    const uint64_t memory = observed_memory(&observed, 1024);
    const double cold = ms_of(&observed, "read", 32, memory);
    const double warm = ms_of(&observed, "read", 32, memory);
    const struct timing_launch last = timing_last(observed.timing);

    assert_true(cold > warm);
    assert_true(ms_of(&observed, "read", 32, memory) == warm);
    const struct timing_launch again = timing_last(observed.timing);
    assert_memory_equal(again.shares, last.shares, sizeof(last.shares));
    observed_free(&observed);
}

TEST_MAIN()
