/* SPDX-License-Identifier: MIT */
/* The modelled clock makes sense: what should be slower is, and by the reason named. */
#include "observed.h"

/* sum: thread t of the grid adds up in[t], in[t + threads], ...; out[t] = the sum.
 * chase: three loads, each from where the one before says; together: three that do not depend.
 * wait: warp 0 loads, then both warps meet; out[warp] = clocks before and after.
 * spin: `times` rounds of arithmetic.
 * relay: block 0 works for `times` rounds and sets a flag; block 1 polls it, then works as long. */
#define HEAD ".version 8.0\n.target sm_75\n.address_size 64\n"
static const char ptx[] =
    HEAD ".visible .entry sum(.param .u64 in, .param .u64 n, .param .u64 out)\n{\n"
         "    .reg .b32 %r<12>;\n    .reg .b64 %rd<8>;\n    .reg .pred %p<2>;\n"
         "    ld.param.u64 %rd1, [in];\n"
         "    ld.param.u32 %r1, [n];\n"
         "    ld.param.u64 %rd2, [out];\n"
         "    mov.u32 %r2, %tid.x;\n"
         "    mov.u32 %r3, %ntid.x;\n"
         "    mov.u32 %r4, %ctaid.x;\n"
         "    mov.u32 %r5, %nctaid.x;\n"
         "    mad.lo.u32 %r6, %r4, %r3, %r2;\n"
         "    mul.lo.u32 %r7, %r3, %r5;\n"
         "    mul.wide.u32 %rd3, %r6, 4;\n"
         "    add.u64 %rd4, %rd2, %rd3;\n"
         "    mov.u32 %r8, 0;\n"
         "NEXT:\n"
         "    setp.ge.u32 %p1, %r6, %r1;\n"
         "    @%p1 bra DONE;\n"
         "    mul.wide.u32 %rd5, %r6, 4;\n"
         "    add.u64 %rd6, %rd1, %rd5;\n"
         "    ld.global.u32 %r9, [%rd6];\n"
         "    add.u32 %r8, %r8, %r9;\n"
         "    add.u32 %r6, %r6, %r7;\n"
         "    bra.uni NEXT;\n"
         "DONE:\n"
         "    st.global.u32 [%rd4], %r8;\n"
         "    ret;\n}\n"
         ".visible .entry chase(.param .u64 in, .param .u64 out)\n{\n"
         "    .reg .b64 %rd<10>;\n"
         "    ld.param.u64 %rd1, [in];\n"
         "    ld.param.u64 %rd2, [out];\n"
         "    mov.u64 %rd3, %clock64;\n"
         "    ld.global.u64 %rd4, [%rd1];\n"
         "    ld.global.u64 %rd5, [%rd4];\n"
         "    ld.global.u64 %rd6, [%rd5];\n"
         "    add.u64 %rd7, %rd6, 0;\n"
         "    mov.u64 %rd8, %clock64;\n"
         "    sub.u64 %rd9, %rd8, %rd3;\n"
         "    st.global.u64 [%rd2], %rd9;\n"
         "    st.global.u64 [%rd2+8], %rd3;\n"
         "    ret;\n}\n"
         ".visible .entry together(.param .u64 in, .param .u64 out)\n{\n"
         "    .reg .b64 %rd<10>;\n"
         "    ld.param.u64 %rd1, [in];\n"
         "    ld.param.u64 %rd2, [out];\n"
         "    mov.u64 %rd3, %clock64;\n"
         "    ld.global.u64 %rd4, [%rd1];\n"
         "    ld.global.u64 %rd5, [%rd1+8];\n"
         "    ld.global.u64 %rd6, [%rd1+16];\n"
         "    add.u64 %rd7, %rd4, %rd5;\n"
         "    add.u64 %rd7, %rd7, %rd6;\n"
         "    mov.u64 %rd8, %clock64;\n"
         "    sub.u64 %rd9, %rd8, %rd3;\n"
         "    st.global.u64 [%rd2], %rd9;\n"
         "    st.global.u64 [%rd2+8], %rd3;\n"
         "    ret;\n}\n"
         ".visible .entry wait(.param .u64 in, .param .u64 out)\n{\n"
         "    .reg .b32 %r<4>;\n    .reg .b64 %rd<9>;\n    .reg .pred %p<2>;\n"
         "    ld.param.u64 %rd1, [in];\n"
         "    ld.param.u64 %rd2, [out];\n"
         "    mov.u32 %r1, %tid.x;\n"
         "    shr.u32 %r2, %r1, 5;\n"
         "    mul.wide.u32 %rd3, %r2, 16;\n"
         "    add.u64 %rd4, %rd2, %rd3;\n"
         "    setp.ne.u32 %p1, %r2, 0;\n"
         "    @%p1 bra MEET;\n"
         "    ld.global.u64 %rd5, [%rd1];\n"
         "    ld.global.u64 %rd6, [%rd5];\n"
         "MEET:\n"
         "    mov.u64 %rd7, %clock64;\n"
         "    bar.sync 0;\n"
         "    mov.u64 %rd8, %clock64;\n"
         "    st.global.u64 [%rd4], %rd7;\n"
         "    st.global.u64 [%rd4+8], %rd8;\n"
         "    ret;\n}\n"
         ".visible .entry spin(.param .u64 times)\n{\n"
         "    .reg .b32 %r<8>;\n    .reg .pred %p<2>;\n"
         "    ld.param.u32 %r1, [times];\n"
         "    mov.u32 %r2, 1;\n    mov.u32 %r3, 2;\n    mov.u32 %r4, 3;\n"
         "NEXT:\n"
         "    add.u32 %r2, %r2, 5;\n    add.u32 %r3, %r3, 7;\n    add.u32 %r4, %r4, 9;\n"
         "    xor.b32 %r2, %r2, 5;\n    xor.b32 %r3, %r3, 7;\n    xor.b32 %r4, %r4, 9;\n"
         "    sub.u32 %r1, %r1, 1;\n"
         "    setp.ne.u32 %p1, %r1, 0;\n"
         "    @%p1 bra NEXT;\n"
         "    ret;\n}\n"
         ".visible .entry relay(.param .u64 times, .param .u64 flag)\n{\n"
         "    .reg .b32 %r<4>;\n    .reg .b64 %rd<2>;\n    .reg .pred %p<2>;\n"
         "    ld.param.u32 %r1, [times];\n"
         "    ld.param.u64 %rd1, [flag];\n"
         "    mov.u32 %r2, %ctaid.x;\n"
         "    setp.eq.u32 %p1, %r2, 0;\n"
         "    @%p1 bra NEXT;\n"
         "AGAIN:\n"
         "    ld.relaxed.gpu.global.u32 %r3, [%rd1];\n"
         "    setp.eq.u32 %p1, %r3, 0;\n"
         "    @%p1 bra AGAIN;\n"
         "NEXT:\n"
         "    sub.u32 %r1, %r1, 1;\n"
         "    setp.ne.u32 %p1, %r1, 0;\n"
         "    @%p1 bra NEXT;\n"
         "    st.relaxed.gpu.global.u32 [%rd1], 1;\n"
         "    ret;\n}\n"
         ".visible .entry empty()\n{\n    ret;\n}\n";

enum { N = 16384 };
static const size_t word = sizeof(uint32_t);

static struct observed start(int workers)
{
    const struct gpu gpu = test_gpu(75);

    return observe_ptx(&gpu, workers, ptx);
}

static struct timing_launch time_sum(struct observed *observed, uint32_t blocks, uint32_t threads)
{
    uint64_t arguments[] = {observed_memory(observed, N * word), N,
                            observed_memory(observed, word * blocks * threads)};

    observed_launch(observed, "sum", blocks, threads, arguments, 3);
    return timing_last(observed->timing);
}

/* One thread waits for every load in turn, and moves a sector for each. */
TEST(test_one_thread_waits)
{
    struct observed observed = start(1);
    const struct timing_launch one = time_sum(&observed, 1, 1);

    assert_int_equal(one.limit, TIMING_LATENCY);
    assert_int_equal(one.memory_bytes, (N + 1) * 32);
    assert_true(one.latency > (uint64_t)N * TEST_GPU_GLOBAL_LATENCY);
    assert_true(one.latency < (uint64_t)N * (TEST_GPU_GLOBAL_LATENCY + 60));
    observed_free(&observed);
}

TEST(test_more_threads_are_faster)
{
    struct observed observed = start(2);
    const struct timing_launch one = time_sum(&observed, 1, 1);
    const struct timing_launch block = time_sum(&observed, 1, 256);
    const struct timing_launch blocks = time_sum(&observed, 16, 256);

    assert_true(one.ms > 50 * block.ms);
    assert_int_equal(block.limit, TIMING_LATENCY);
    assert_true(block.ms > 3 * blocks.ms);
    observed_free(&observed);
}

TEST(test_memory_is_the_limit)
{
    struct observed observed = start(2);
    const struct timing_launch full = time_sum(&observed, 64, 256);

    assert_int_equal(full.limit, TIMING_MEMORY);
    assert_int_equal(full.memory_bytes, N * 4 + 64 * 256 * 4);
    /* 16 bytes a nanosecond, and a microsecond to launch. */
    assert_float_equal(full.ms, full.memory_bytes / 16e6 + 1e-3, 1e-9);
    observed_free(&observed);
}

TEST(test_issue_is_the_limit)
{
    struct observed observed = start(2);
    uint64_t times = 500;

    observed_launch(&observed, "spin", TEST_GPU_MULTIPROCESSORS, 1024, &times, 1);
    const struct timing_launch full = timing_last(observed.timing);
    assert_int_equal(full.limit, TIMING_ISSUE);
    /* 32 warps, 9 instructions a round and 5 more, 4 schedulers. */
    assert_int_equal(full.issue, 32 * (9 * times + 5) / 4);
    observed_launch(&observed, "spin", 1, 32, &times, 1);
    assert_int_equal(timing_last(observed.timing).limit, TIMING_LATENCY);
    observed_launch(&observed, "empty", 1, 32, NULL, 0);
    assert_int_equal(timing_last(observed.timing).limit, TIMING_LAUNCH);
    observed_free(&observed);
}

/* Rounds of blocks: 4 multiprocessors hold one block of 1024 threads each. */
TEST(test_rounds_of_blocks)
{
    struct observed observed = start(2);
    uint64_t times = 500;

    observed_launch(&observed, "spin", 4, 1024, &times, 1);
    const struct timing_launch one = timing_last(observed.timing);
    observed_launch(&observed, "spin", 5, 1024, &times, 1);
    const struct timing_launch two = timing_last(observed.timing);
    assert_int_equal(one.resident_blocks, 1);
    assert_int_equal(two.latency, 2 * one.latency);
    assert_int_equal(two.issue, 2 * one.issue);
    observed_free(&observed);
}

/* Clocks that a kernel of one thread found between two readings. */
static uint64_t clocks_of(const struct observed *observed, const char *name)
{
    const uint64_t in = observed_memory(observed, 64), out = observed_memory(observed, 16);
    uint64_t arguments[] = {in, out};

    memcpy(memory_host(observed->machine, in), &in, sizeof(in)); /* points to itself */
    observed_launch(observed, name, 1, 1, arguments, 2);
    return *(const uint64_t *)memory_host(observed->machine, out);
}

TEST(test_loads_overlap)
{
    struct observed observed = start(1);
    const uint64_t chase = clocks_of(&observed, "chase");
    const uint64_t together = clocks_of(&observed, "together");

    assert_in_range(chase, 3 * TEST_GPU_GLOBAL_LATENCY, 3 * TEST_GPU_GLOBAL_LATENCY + 40);
    assert_in_range(together, TEST_GPU_GLOBAL_LATENCY, TEST_GPU_GLOBAL_LATENCY + 40);
    observed_free(&observed);
}

TEST(test_barrier_waits_for_the_last)
{
    struct observed observed = start(1);
    const uint64_t in = observed_memory(&observed, 64), out = observed_memory(&observed, 32);
    uint64_t arguments[] = {in, out}, clocks[4];
    const uint64_t latencies = UINT64_C(2) * TEST_GPU_GLOBAL_LATENCY;

    memcpy(memory_host(observed.machine, in), &in, sizeof(in));
    observed_launch(&observed, "wait", 1, 64, arguments, 2);
    memcpy(clocks, memory_host(observed.machine, out), sizeof(clocks));
    assert_true(clocks[0] > clocks[2] + latencies - 20);
    assert_true(clocks[1] > clocks[0]);
    assert_int_equal(clocks[3], clocks[1]);
    observed_free(&observed);
}

/* The clock goes on from launch to launch, and over what is added. */
TEST(test_time_goes_on)
{
    struct observed observed = start(1);
    const uint64_t in = observed_memory(&observed, 64), out = observed_memory(&observed, 32);
    uint64_t arguments[] = {in, out}, last = 0;

    memcpy(memory_host(observed.machine, in), &in, sizeof(in));
    assert_float_equal(timing_now_ms(observed.timing), 0, 0);
    for (int i = 0; i < 3; i++) {
        const double before = timing_now_ms(observed.timing);
        uint64_t now[2];

        observed_launch(&observed, "chase", 1, 1, arguments, 2);
        memcpy(now, memory_host(observed.machine, out), sizeof(now));
        assert_true(now[1] > last);
        last = now[1] + now[0];
        assert_float_equal(timing_now_ms(observed.timing), before + timing_last(observed.timing).ms,
                           0);
        timing_advance(observed.timing, 2);
        assert_float_equal(timing_now_ms(observed.timing),
                           before + timing_last(observed.timing).ms + 2, 0);
        last += 2000000; /* at 1 GHz */
    }
    observed_free(&observed);
}

TEST(test_any_number_of_workers)
{
    struct timing_launch one;

    for (int workers = 1; workers <= 5; workers += 2) {
        struct observed observed = start(workers);
        const struct timing_launch last = time_sum(&observed, 37, 96);
        if (workers == 1)
            one = last;
        assert_float_equal(last.ms, one.ms, 0);
        assert_int_equal(last.issue, one.issue);
        assert_int_equal(last.latency, one.latency);
        assert_int_equal(last.load_store, one.load_store);
        assert_int_equal(last.memory_bytes, one.memory_bytes);
        observed_free(&observed);
    }
}

/* The kernel `relay`; returns the instructions it took. */
static uint64_t time_relay(enum schedule_kind kind, uint32_t blocks, uint64_t times,
                           struct timing_launch *last)
{
    struct observed observed = start(2);
    uint64_t arguments[] = {times, observed_memory(&observed, word)};
    size_t count;

    machine_set_schedule(observed.machine, (struct schedule){.kind = kind});
    observed_launch(&observed, "relay", blocks, 1, arguments, 2);
    *last = timing_last(observed.timing);
    const uint64_t instructions =
        profile_kernels(observed.profile, &count)->counters[PROFILE_WARP_INSTRUCTIONS];
    observed_free(&observed);
    return instructions;
}

/* A block that waits for another one goes on when that has come to it, and has polled no more often
 * for having waited longer. */
TEST(test_waits_cost_time)
{
    enum { SHORT = 100, LONG = 100000 };

    for (int kind = SCHEDULE_FORWARD; kind <= SCHEDULE_RANDOM; kind++) {
        struct timing_launch one, both, soon;
        const uint64_t alone = time_relay((enum schedule_kind)kind, 1, LONG, &one);
        const uint64_t polls = time_relay((enum schedule_kind)kind, 2, LONG, &both) - 2 * alone;
        const uint64_t few = time_relay((enum schedule_kind)kind, 1, SHORT, &soon);

        assert_in_range(both.latency, 2 * one.latency,
                        2 * one.latency + 8 * (uint64_t)TEST_GPU_GLOBAL_LATENCY);
        assert_int_equal(time_relay((enum schedule_kind)kind, 2, SHORT, &soon) - 2 * few, polls);
        assert_true(polls < 20);
    }
}

/* Every model says so when the warps of a block wait for each other at two barriers. */
TEST(test_a_deadlock_ends)
{
    static const char apart[] = HEAD ".visible .entry apart()\n{\n"
                                     "    .reg .b32 %r<2>;\n    .reg .pred %p<2>;\n"
                                     "    mov.u32 %r1, %tid.x;\n"
                                     "    setp.lt.u32 %p1, %r1, 32;\n"
                                     "    @%p1 bra LOW;\n"
                                     "    bar.sync 1;\n    bra END;\n"
                                     "LOW:\n    bar.sync 2;\n"
                                     "END:\n    ret;\n}\n";
    static const char *const names[] = {"default", "h100", "geforce-8800-gt"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct gpu gpu;
        char error[GPU_ERROR_SIZE];
        struct fault fault = {0};
        assert_true(gpu_read(EMU_GPUS, names[i], &gpu, error));
        struct observed observed = observe_ptx(&gpu, 1, apart);
        const struct launch_request request = {.kernel = program_kernel(observed.program, "apart"),
                                               .grid = {1, 1, 1},
                                               .block = {64, 1, 1}};
        timing_launch(observed.timing, &request, &fault);
        assert_int_equal(fault.kind, FAULT_BARRIER);
        observed_free(&observed);
    }
}

/* One rule, and its shares: those of units, or else of waits. */
TEST(test_bound_is_the_largest_share)
{
    static const struct {
        double shares[TIMING_LIMIT_COUNT], busy[TIMING_LIMIT_COUNT];
        enum timing_limit limit;
        bool by_units;
    } rows[] = {
        {{[TIMING_LAUNCH] = 0.42, [TIMING_LOAD_STORE] = 0.33, [TIMING_LATENCY] = 0.14},
         {[TIMING_MEMORY] = 0.81, [TIMING_LOAD_STORE] = 0.4},
         TIMING_MEMORY,
         true},
        {{[TIMING_LAUNCH] = 0.5, [TIMING_LATENCY] = 0.4},
         {[TIMING_MEMORY] = 0.9},
         TIMING_LAUNCH,
         false},
        {{[TIMING_LAUNCH] = 0.1, [TIMING_BARRIER] = 0.4, [TIMING_LATENCY] = 0.3},
         {[TIMING_ISSUE] = 0.59},
         TIMING_BARRIER,
         false},
        {{[TIMING_LATENCY] = 0.9}, {[TIMING_ISSUE] = 0.6}, TIMING_ISSUE, true},
        {{0}, {0}, TIMING_LAUNCH, false},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct timing_launch last = {.limit = TIMING_SHARED};
        memcpy(last.shares, rows[i].shares, sizeof(last.shares));
        timing_find_bound(&last, rows[i].busy);
        assert_int_equal(last.limit, rows[i].limit);
        assert_int_equal(last.by_units, rows[i].by_units);
        for (int k = 0; k < TIMING_LIMIT_COUNT; k++)
            assert_true(last.shares[k] <= last.shares[last.limit]);
    }
}

TEST(test_names)
{
    assert_string_equal(timing_limit_name(TIMING_LAUNCH), "launch");
    assert_string_equal(timing_limit_name(TIMING_MEMORY), "memory");
}

TEST_MAIN()
