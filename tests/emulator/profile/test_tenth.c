/* SPDX-License-Identifier: MIT */
/* What a tenth off a kernel's time needs: worked out by hand, and done. */
#include "observed.h"

#include <math.h>

#include "profile/tenth.h"

/* A loop of `size` turns of arithmetic, of loads of one bank, of barriers, of atomics on one word;
 * 64 bytes for each thread of `size` blocks, and `words` of them read one after the other. */
static const char ptx[] = ".version 8.0\n.target sm_75\n.address_size 64\n"
#define LOOP(name, before, body)                                            \
    ".visible .entry " name "(.param .u64 size, .param .u64 memory)\n{\n"   \
    "    .reg .b32 %r<8>;\n    .reg .b64 %rd<4>;\n    .reg .f32 %f<10>;\n"  \
    "    .reg .pred %p<2>;\n    .shared .align 4 .b8 bank[32768];\n"        \
    "    ld.param.u32 %r1, [size];\n    ld.param.u64 %rd1, [memory];\n"     \
    "    mov.u32 %r2, 0;\n    mov.u32 %r3, %tid.x;\n" before "TURN:\n" body \
    "    add.u32 %r2, %r2, 1;\n    setp.lt.u32 %p1, %r2, %r1;\n"            \
    "    @%p1 bra TURN;\n    ret;\n}\n"
#define FUSED(f) "    fma.rn.f32 %f" f ", %f" f ", %f" f ", %f9;\n"
    LOOP("arithmetic",
         "    cvt.rn.f32.u32 %f1, %r3;\n    mov.f32 %f2, %f1;\n    mov.f32 %f3, %f1;\n"
         "    mov.f32 %f4, %f1;\n    mov.f32 %f9, %f1;\n",
         FUSED("1") FUSED("2") FUSED("3")
             FUSED("4")) LOOP("conflicts",
                              "    and.b32 %r4, %r3, 31;\n    shl.b32 %r4, %r4, 7;\n    mov.u32 "
                              "%r5, bank;\n"
                              "    add.u32 %r4, %r4, %r5;\n",
                              "    ld.shared.u32 %r5, [%r4];\n    add.u32 %r6, %r6, %r5;\n")
        LOOP("barriers", "", "    bar.sync 0;\n") LOOP(
            "atomics", "", "    atom.global.add.u32 %r4, [%rd1], %r2;\n") LOOP("nothing", "", "")
            LOOP("words",
                 "    mov.u32 %r4, %ntid.x;\n    mul.wide.u32 %rd2, %r3, 4;\n    add.u64 %rd1, "
                 "%rd1, %rd2;\n"
                 "    mul.wide.u32 %rd2, %r4, 4;\n    mov.u32 %r2, %r3;\n",
                 "    ld.global.u32 %r5, [%rd1];\n    add.u32 %r6, %r6, %r5;\n"
                 "    add.u64 %rd1, %rd1, %rd2;\n    sub.u32 %r2, %r2, 1;\n    add.u32 %r2, %r2, "
                 "%r4;\n") ".visible .entry bytes(.param .u64 size, .param .u64 memory)\n{\n"
                           "    .reg .b32 %r<20>;\n    .reg .b64 %rd<4>;\n"
                           "    ld.param.u64 %rd1, [memory];\n    mov.u32 %r1, %ctaid.x;\n    "
                           "mov.u32 %r2, %tid.x;\n"
                           "    mad.lo.u32 %r1, %r1, 1024, %r2;\n    mul.wide.u32 %rd2, %r1, 16;\n"
                           "    add.u64 %rd1, %rd1, %rd2;\n"
                           "    ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd1];\n"
                           "    ld.global.v4.u32 {%r8, %r9, %r10, %r11}, [%rd1+4096];\n"
                           "    ld.global.v4.u32 {%r12, %r13, %r14, %r15}, [%rd1+8192];\n"
                           "    ld.global.v4.u32 {%r16, %r17, %r18, %r19}, [%rd1+12288];\n"
                           "    add.u32 %r4, %r4, %r8;\n    add.u32 %r4, %r4, %r12;\n    add.u32 "
                           "%r4, %r4, %r16;\n"
                           "    ret;\n}\n";

/* What is changed by as much as the counter has to be. */
enum knob { TURNS, BLOCKS, WARPS, LAUNCHES };

struct trial {
    const char *name, *counter;
    enum knob knob;
    uint64_t turns, blocks, warps, launches;
};

static uint64_t *knob_of(struct trial *trial)
{
    uint64_t *const knobs[] = {&trial->turns, &trial->blocks, &trial->warps, &trial->launches};

    return knobs[trial->knob];
}

/* The time of a trial on an H200, and what a tenth of it needs. */
static double time_of(const struct trial *trial, struct tenth *tenth)
{
    struct gpu gpu;
    char error[GPU_ERROR_SIZE];
    size_t count;

    assert_true(gpu_read(EMU_GPUS, "h200", &gpu, error));
    struct observed observed = observe_ptx(&gpu, 2, ptx);
    profile_set_timing(observed.profile, observed.timing);
    const size_t read =
        trial->blocks * 4 * 4096 + trial->turns * 4; /* at most, by bytes and words */
    uint64_t arguments[] = {trial->turns, observed_memory(&observed, read)};
    for (uint64_t i = 0; i < trial->launches; i++)
        observed_launch(&observed, trial->name, (uint32_t)trial->blocks,
                        (uint32_t)trial->warps * 32, arguments, 2);
    const struct profile_kernel *kernel = profile_kernels(observed.profile, &count);
    const double ms = kernel->ms;
    assert_int_equal(count, 1);
    *tenth = tenth_off(&gpu, kernel);
    observed_free(&observed);
    return ms;
}

/* Do what it says, and see the time fall by a tenth. */
TEST(test_done)
{
    const struct trial trials[] = {
        {"arithmetic", "warp_instructions", TURNS, 400, 528, 8, 1},
        {"conflicts", "shared_wavefronts", TURNS, 100, 528, 8, 1},
        {"barriers", "barriers", TURNS, 1000, 132, 8, 1},
        {"atomics", "global_atomics", TURNS, 50, 264, 8, 1},
        {"bytes", "memory_bytes", BLOCKS, 0, 4752, 8, 1},
        {"words", "warps_in_flight", WARPS, 1 << 17, 1, 16, 1},
        {"nothing", "launches", LAUNCHES, 1, 1, 1, 20},
    };

    for (size_t i = 0; i < sizeof(trials) / sizeof(trials[0]); i++) {
        struct trial changed = trials[i];
        struct tenth tenth, after;
        const double before = time_of(&trials[i], &tenth);

        print_message("%s: %g ms, %s\n", trials[i].name, before, tenth.text);
        assert_non_null(tenth.counter);
        assert_string_equal(tenth.counter, trials[i].counter);
        *knob_of(&changed) = (uint64_t)round((double)*knob_of(&changed) * tenth.wanted / tenth.now);
        const double ratio = time_of(&changed, &after) / before;
        print_message("    %.3f of the time\n", ratio);
        /* A turn less also does without its other instructions. */
        assert_true(ratio > 0.84 && ratio < 0.92);
    }
}

/* A launch of 1 ms on the tests' GPU, of which launch_us is 1 us and more, by what bounds it. */
struct sums {
    double launch_us;
    enum timing_limit limit;
    bool by_units;
    double shares[TIMING_LIMIT_COUNT];
    uint64_t launches;
    const char *needs;
};

static const struct sums all_sums[] = {
    {0,
     TIMING_MEMORY,
     true,
     {[TIMING_MEMORY] = 1, [TIMING_ISSUE] = 0.5},
     1,
     "10 % fewer bytes of device memory (4 000 now)"},
    {0,
     TIMING_MEMORY,
     true,
     {[TIMING_MEMORY] = 0.95},
     1,
     "11 % fewer bytes of device memory (4 000 now)"},
    /* A fifth of the time is the launch: the rest loses an eighth. */
    {200,
     TIMING_SHARED,
     true,
     {[TIMING_SHARED] = 1, [TIMING_LOAD_STORE] = 0.8},
     1,
     "13 % fewer shared wavefronts (7 000 now)"},
    {0,
     TIMING_LOAD_STORE,
     true,
     {[TIMING_LOAD_STORE] = 1, [TIMING_ISSUE] = 0.96},
     1,
     "10 % fewer sectors and requests of global memory (3 000 now), 6 % fewer warp instructions "
     "(1 000 now)"},
    /* A unit with time to spare, and more of its time than there is. */
    {0,
     TIMING_MEMORY,
     true,
     {[TIMING_MEMORY] = 0.7},
     1,
     "11 % more warps at work (64 now, room for 128), or 11 % more loads in flight per thread"},
    {0, TIMING_ISSUE, true, {[TIMING_ISSUE] = 0.7}, 1, "11 % fewer warp instructions (1 000 now)"},
    {0,
     TIMING_MEMORY,
     true,
     {[TIMING_MEMORY] = 3},
     1,
     "10 % fewer bytes of device memory (4 000 now)"},
    /* Waits. */
    {0,
     TIMING_LATENCY,
     false,
     {[TIMING_LATENCY] = 0.5},
     1,
     "11 % more warps at work (64 now, room for 128), or 25 % more loads in flight per thread"},
    {0, TIMING_BARRIER, false, {[TIMING_BARRIER] = 0.4}, 1, "25 % fewer barriers (5 000 now)"},
    {0, TIMING_SHARED, false, {[TIMING_SHARED] = 0.5}, 1, "20 % fewer shared requests (600 now)"},
    {500, TIMING_LAUNCH, false, {[TIMING_LAUNCH] = 0.5}, 1, "25 % more work per launch"},
    {500, TIMING_LAUNCH, false, {[TIMING_LAUNCH] = 0.5}, 10, "20 % fewer launches (10 now)"},
    {1,
     TIMING_LINK,
     true,
     {[TIMING_LINK] = 1},
     1,
     "10 % fewer bytes of other devices' memory (8 000 now)"},
    {0, TIMING_LATENCY, false, {[TIMING_LATENCY] = 0.1}, 1, ""},
};

static struct profile_kernel kernel_of(const struct sums *sums)
{
    struct profile_kernel kernel = {
        .grid = {8, 1, 1},
        .block = {256, 1, 1},
        .launches = sums->launches,
        .memory_bytes = 4000,
        .link_bytes = 8000,
        .counters = {[PROFILE_WARP_INSTRUCTIONS] = 1000,
                     [PROFILE_GLOBAL_LOADS] = 500,
                     [PROFILE_GLOBAL_SECTORS] = 3000,
                     [PROFILE_GLOBAL_TRANSACTIONS] = 2000,
                     [PROFILE_SHARED_LOADS] = 600,
                     [PROFILE_SHARED_CONFLICTS] = 6400,
                     [PROFILE_SHARED_WAVEFRONTS] = 7000,
                     [PROFILE_BARRIERS] = 5000},
        .timing = {.ms = 1, .resident_blocks = 4, .limit = sums->limit, .by_units = sums->by_units},
    };

    memcpy(kernel.timing.shares, sums->shares, sizeof(sums->shares));
    return kernel;
}

TEST(test_sums)
{
    for (size_t i = 0; i < sizeof(all_sums) / sizeof(all_sums[0]); i++) {
        const struct profile_kernel kernel = kernel_of(&all_sums[i]);
        struct gpu gpu = test_gpu(75);

        gpu.launch_us = all_sums[i].launch_us;
        assert_string_equal(tenth_off(&gpu, &kernel).text, all_sums[i].needs);
    }
}

/* Where the time in which no warp goes on is shared out, and requests are no sectors. */
TEST(test_sums_of_old_gpu)
{
    static const struct sums waits = {.limit = TIMING_LATENCY, .shares = {[TIMING_LATENCY] = 0.5}};
    static const struct sums busy[] = {
        {.limit = TIMING_LOAD_STORE, .by_units = true, .shares = {[TIMING_LOAD_STORE] = 1}},
        {.limit = TIMING_SHARED, .by_units = true, .shares = {[TIMING_SHARED] = 1}}};
    struct profile_kernel kernel = kernel_of(&waits);
    struct gpu gpu = test_gpu(75);

    gpu.issue_clocks = 4;
    gpu.launch_us = 0;
    gpu.coalescing = COALESCE_HALF_WARP;
    assert_string_equal(
        tenth_off(&gpu, &kernel).text,
        "25 % more warps at work (64 now, room for 128), or 25 % more loads in flight per thread");
    kernel = kernel_of(&busy[0]);
    assert_string_equal(tenth_off(&gpu, &kernel).text,
                        "10 % fewer memory transactions (2 000 now)");
    kernel = kernel_of(&busy[1]);
    assert_string_equal(tenth_off(&gpu, &kernel).text, "10 % fewer bank conflicts (6 400 now)");
}

/* Where no more warps fit, and nothing is loaded. */
TEST(test_no_room)
{
    static const struct sums waits = {.limit = TIMING_LATENCY, .shares = {[TIMING_LATENCY] = 0.5}};
    struct profile_kernel kernel = kernel_of(&waits);
    struct gpu gpu = test_gpu(75);

    gpu.launch_us = 0;
    kernel.grid.x = 100;
    assert_int_equal(warps_in_flight(&gpu, &kernel), 128);
    kernel.counters[PROFILE_GLOBAL_LOADS] = 0;
    const struct tenth tenth = tenth_off(&gpu, &kernel);
    assert_string_equal(tenth.text, "25 % more independent instructions per thread");
    assert_null(tenth.counter);
}

TEST_MAIN()
