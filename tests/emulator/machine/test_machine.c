/* SPDX-License-Identifier: MIT */
/* The machine: how lanes part and meet, what stops a kernel, what does not depend on the order. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../cmocka_main.h"
#include "parse_ptx.h"
#include "test_gpu.h"

enum { THREADS = 32, MAX_TRACE = 64 };

static const char header[] = ".version 8.0\n.target sm_75\n.address_size 64\n";

/* Every test kernel starts so: %at is where the thread's own word of `out` lies. */
static const char prologue[] = ".visible .entry test(.param .u64 out)\n{\n"
                               ".reg .pred %p<8>;\n.reg .b32 %r<16>;\n.reg .b64 %rd<8>;\n"
                               ".reg .b64 %out, %at;\n.reg .b32 %me;\n.shared .b32 words[64];\n"
                               "ld.param.u64 %out, [out];\n"
                               "mov.u32 %r14, %ctaid.x;\nmov.u32 %r15, %ntid.x;\n"
                               "mov.u32 %r13, %tid.x;\n"
                               "mad.lo.u32 %me, %r14, %r15, %r13;\n"
                               "mad.wide.u32 %at, %me, 4, %out;\n";

struct setting {
    int blocks, threads, workers;
    struct schedule schedule;
    const struct observer *observer;
};
static const struct setting one_warp = {.blocks = 1, .threads = THREADS, .workers = 1};

/* Run `body` between the prologue and a ret, `before` it functions and variables. `out` is an array
 * of a word a thread; `address`, if not 0, is passed instead of it. */
static struct fault run_kernel(const char *before, const char *body, struct setting setting,
                               uint64_t address, uint32_t *out)
{
    char error[512] = "";
    char *text = malloc(16384);
    const struct gpu gpu = test_gpu(75);
    struct machine *machine = machine_new(&gpu, setting.workers);
    struct fault fault = {0};
    const size_t size = (size_t)setting.blocks * (size_t)setting.threads * sizeof *out;

    assert_non_null(text);
    assert_non_null(machine);
    snprintf(text, 16384, "%s%s%s%s\nret;\n}\n", header, before, prologue, body);
    machine_set_schedule(machine, setting.schedule);
    if (setting.observer)
        machine_observe(machine, setting.observer);
    struct ptx_module *module = parse_ptx(text, error, sizeof error);
    assert_string_equal(error, "");
    struct program *program = machine_load(machine, module, error, sizeof error);
    assert_string_equal(error, "");
    uint64_t words = memory_allocate(machine, size, MEMORY_DEVICE, NULL);
    memset(memory_host(machine, words), 0, size);
    uint64_t passed = address ? address : words;
    void *arguments[] = {&passed};
    const struct launch_request request = {program_kernel(program, "test"),
                                           {(uint32_t)setting.blocks, 1, 1},
                                           {(uint32_t)setting.threads, 1, 1},
                                           0,
                                           arguments,
                                           {0, 0, 0},
                                           0};
    machine_launch(machine, &request, &fault);
    if (out)
        memcpy(out, memory_host(machine, words), size);
    machine_unload(machine, program);
    machine_free(machine);
    free(text);
    return fault;
}

static void expect_no_fault(struct fault fault)
{
    assert_string_equal(fault.message, "");
    assert_int_equal(fault.kind, FAULT_NONE);
}

static void expect_fault(struct fault fault, enum fault_kind kind, const char *part)
{
    assert_int_equal(fault.kind, kind);
    if (!strstr(fault.message, part))
        fail_msg("expected \"%s\" in: %s", part, fault.message);
    assert_non_null(strstr(fault.message, "in kernel test"));
}

/* What one warp executed: the active lanes of each store. */
struct trace {
    uint32_t masks[MAX_TRACE];
    int count;
};

static void trace_store(void *self, const struct instruction_event *event)
{
    struct trace *trace = self;
    if (event->instr->opcode == OP_ST && trace->count < MAX_TRACE)
        trace->masks[trace->count++] = event->active;
}

/* An if with an else: each half stores once, then all together. */
static const char divided[] = "setp.lt.u32 %p1, %me, 16;\n"
                              "@%p1 bra low;\n"
                              "st.global.u32 [%at], 1;\n"
                              "bra join;\n"
                              "low:\n"
                              "st.global.u32 [%at], 2;\n"
                              "join:\n"
                              "st.global.u32 [%at], 3;\n";

static void expect_order(enum schedule_kind kind, uint32_t first, uint32_t second)
{
    struct trace trace = {0};
    const struct observer observer = {.self = &trace, .instruction = trace_store};
    struct setting setting = one_warp;
    setting.schedule.kind = kind;
    setting.observer = &observer;
    expect_no_fault(run_kernel("", divided, setting, 0, NULL));
    assert_int_equal(trace.count, 3);
    assert_int_equal(trace.masks[0], first);
    assert_int_equal(trace.masks[1], second);
    assert_int_equal(trace.masks[2], 0xFFFFFFFF);
}

TEST(test_divergence_order)
{
    expect_order(SCHEDULE_FORWARD, 0x0000FFFF, 0xFFFF0000);
    expect_order(SCHEDULE_REVERSE, 0xFFFF0000, 0x0000FFFF);
}

/* Lanes that exchange one word each find what the lane before them brought. */
TEST(test_atomic_order)
{
    struct setting setting = one_warp;
    uint32_t out[THREADS];

    for (int kind = SCHEDULE_FORWARD; kind <= SCHEDULE_REVERSE; kind++) {
        const int step = kind == SCHEDULE_REVERSE ? 1 : -1;
        setting.schedule.kind = (enum schedule_kind)kind;
        expect_no_fault(run_kernel(".global .b32 word = 99;\n",
                                   "atom.global.exch.b32 %r1, [word], %me;\n"
                                   "st.global.u32 [%at], %r1;\n",
                                   setting, 0, out));
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(out[i], i + step < 0 || i + step == THREADS ? 99 : i + step);
    }
}

static bool samples_block_2(void *self, const struct launch *launch, struct dim block)
{
    (void)self;
    (void)launch;
    return block.x == 2;
}

/* Who wants the instructions of some blocks hears no others. */
TEST(test_sampled_blocks)
{
    struct trace trace = {0};
    struct observer observer = {
        .self = &trace, .instruction = trace_store, .samples = samples_block_2};
    struct setting setting = one_warp;
    setting.blocks = 5;
    setting.observer = &observer;
    expect_no_fault(run_kernel("", "st.global.u32 [%at], 1;", setting, 0, NULL));
    assert_int_equal(trace.count, 1);
    observer.samples = NULL;
    expect_no_fault(run_kernel("", "st.global.u32 [%at], 1;", setting, 0, NULL));
    assert_int_equal(trace.count, 1 + 5);
}

/* What was not written holds the same in each block, whatever the block before it wrote. */
TEST(test_unwritten_registers)
{
    enum { BLOCKS = 3 };
    const struct setting setting = {.blocks = BLOCKS, .threads = THREADS, .workers = 1};
    static const char body[] = "cvt.u32.u64 %r2, %rd1;\n"
                               "xor.b32 %r2, %r2, %r1;\n"
                               "sub.u32 %r3, %r3, %r4;\n"
                               "xor.b32 %r2, %r2, %r3;\n"
                               "@%p1 add.u32 %r2, %r2, 1;\n"
                               "st.global.u32 [%at], %r2;\n"
                               "setp.ne.u32 %p1, %me, %me;\n"
                               "mov.u32 %r1, %me;\n"
                               "mov.u32 %r4, %me;\n"
                               "mov.u64 %rd1, %at;\n";
    uint32_t out[BLOCKS * THREADS];

    expect_no_fault(run_kernel("", body, setting, 0, out));
    for (uint32_t i = 0; i < BLOCKS * THREADS; i++)
        assert_int_equal(out[i], 0xCDCDCDCD >> i % THREADS & 1);
}

/* A loop that lane i leaves after i + 1 turns: all meet behind it. */
TEST(test_loop_reconverges)
{
    struct trace trace = {0};
    const struct observer observer = {.self = &trace, .instruction = trace_store};
    struct setting setting = one_warp;
    uint32_t out[THREADS];
    setting.observer = &observer;
    expect_no_fault(run_kernel("",
                               "mov.u32 %r1, 0;\n"
                               "again:\n"
                               "add.u32 %r1, %r1, 1;\n"
                               "setp.le.u32 %p1, %r1, %me;\n"
                               "@%p1 bra again;\n"
                               "st.global.u32 [%at], %r1;\n",
                               setting, 0, out));
    assert_int_equal(trace.count, 1);
    assert_int_equal(trace.masks[0], 0xFFFFFFFF);
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(out[i], i + 1);
}

static const char spin_lock[] = ".global .u32 lock;\n.global .u32 counter;\n";
/* Every thread adds 1 to a counter under a lock, with nothing to bring lanes apart but luck. */
static const char locked[] = "again:\n"
                             "atom.global.cas.b32 %r1, [lock], 0, 1;\n"
                             "setp.ne.u32 %p1, %r1, 0;\n"
                             "@%p1 bra again;\n"
                             "ld.volatile.global.u32 %r2, [counter];\n"
                             "add.u32 %r2, %r2, 1;\n"
                             "st.volatile.global.u32 [counter], %r2;\n"
                             "membar.gl;\n"
                             "atom.global.exch.b32 %r3, [lock], 0;\n"
                             "st.global.u32 [%at], %r2;\n";

/* Each thread saw a count of its own. */
static void expect_all_counts(const uint32_t *out, uint32_t count)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += out[i];
    assert_int_equal(sum, (uint64_t)count * (count + 1) / 2);
}

TEST(test_spin_lock)
{
    for (int workers = 1; workers <= 2; workers++)
        for (int kind = SCHEDULE_FORWARD; kind <= SCHEDULE_RANDOM; kind++) {
            const struct setting setting = {.blocks = 3,
                                            .threads = 64,
                                            .workers = workers,
                                            .schedule = {.kind = (enum schedule_kind)kind}};
            uint32_t out[192];
            expect_no_fault(run_kernel(spin_lock, locked, setting, 0, out));
            expect_all_counts(out, 192);
        }
}

/* Block 0 waits for a flag that the last block sets: the blocks must share one worker. */
static const char wait_for_last[] = "mov.u32 %r1, %ctaid.x;\n"
                                    "setp.ne.u32 %p1, %r1, 0;\n"
                                    "@%p1 bra others;\n"
                                    "again:\n"
                                    "ld.volatile.global.u32 %r2, [flag];\n"
                                    "setp.eq.u32 %p2, %r2, 0;\n"
                                    "@%p2 bra again;\n"
                                    "bra end;\n"
                                    "others:\n"
                                    "setp.ne.u32 %p3, %r1, 3;\n"
                                    "@%p3 bra end;\n"
                                    "st.volatile.global.u32 [flag], 7;\n"
                                    "end:\n"
                                    "ld.volatile.global.u32 %r2, [flag];\n"
                                    "st.global.u32 [%at], %r2;\n";

TEST(test_blocks_wait_for_each_other)
{
    struct setting setting = {.blocks = 4, .threads = 1, .workers = 1};
    uint32_t out[4];
    expect_no_fault(run_kernel(".global .u32 flag;\n", wait_for_last, setting, 0, out));
    assert_int_equal(out[0], 7);
    /* Without the last block nobody sets it, on any number of workers. */
    setting.blocks = 3;
    for (setting.workers = 1; setting.workers <= 3; setting.workers++)
        expect_fault(run_kernel(".global .u32 flag;\n", wait_for_last, setting, 0, NULL),
                     FAULT_BARRIER, "deadlock");
}

TEST(test_barrier_faults)
{
    struct setting setting = {.blocks = 1, .threads = 64, .workers = 1};
    const char *const skip = "setp.lt.u32 %p1, %me, 16;\n@%p1 bra over;\nbar.sync 0;\nover:\n"
                             "st.global.u32 [%at], 1;\n";
    const char *const two = "setp.lt.u32 %p1, %me, 16;\n@%p1 bra low;\nbar.sync 0;\nbra over;\n"
                            "low:\nbar.sync 0;\nover:\nst.global.u32 [%at], 1;\n";
    const char *const ended = "setp.ge.u32 %p1, %me, 32;\n@%p1 exit;\nbar.sync 0;\n";
    const char *const apart = "setp.ge.u32 %p1, %me, 32;\n@%p1 bra low;\nbar.sync 1;\nbra over;\n"
                              "low:\nbar.sync 2;\nover:\n";
    for (int kind = SCHEDULE_FORWARD; kind <= SCHEDULE_REVERSE; kind++) {
        setting.schedule.kind = (enum schedule_kind)kind;
        expect_fault(run_kernel("", skip, setting, 0, NULL), FAULT_BARRIER, "divergent barrier");
        expect_fault(run_kernel("", two, setting, 0, NULL), FAULT_BARRIER, "divergent barrier");
        expect_no_fault(run_kernel("", ended, setting, 0, NULL));
        expect_fault(run_kernel("", apart, setting, 0, NULL), FAULT_BARRIER, "deadlock");
    }
}

/* A barrier with a count: of a divided warp the lanes that have ended come once, with the last of
 * the others. */
TEST(test_counted_barrier)
{
    static const char parts[] =
        "st.shared.u32 [words], 0;\nbar.sync 0;\nsetp.ge.u32 %p1, %r13, 32;\n@%p1 bra other;\n"
        "setp.ge.u32 %p1, %r13, 4;\n@%p1 ret;\nsetp.lt.u32 %p1, %r13, 2;\n@%p1 bra low;\n"
        "setp.eq.u32 %p1, %r13, 2;\n@%p1 bra third;\nbarrier.sync 1, 64;\nbra over;\n"
        "third:\nbarrier.sync 1, 64;\nbra over;\nlow:\nbarrier.sync 1, 64;\nover:\n"
        "ld.shared.u32 %r1, [words];\nst.global.u32 [%at], %r1;\nret;\n"
        "other:\nst.shared.u32 [words], 7;\nbarrier.sync 1, 64;\n";
    const struct setting setting = {.blocks = 1, .threads = 64, .workers = 1};
    uint32_t out[64];

    expect_no_fault(run_kernel("", parts, setting, 0, out));
    for (int i = 0; i < 4; i++)
        assert_int_equal(out[i], 7);
}

/* Lanes that come to a barrier at different times go on together. */
TEST(test_barrier_joins)
{
    static const char apart[] =
        "st.volatile.shared.u32 [words], 0;\nsetp.ge.u32 %p1, %r13, 16;\n@%p1 bra set;\n"
        "poll:\nld.volatile.shared.u32 %r1, [words];\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra poll;\n"
        "set:\nst.volatile.shared.u32 [words], 1;\nbarrier.sync 0;\nst.global.u32 [%at], 3;\n";
    struct trace trace = {0};
    const struct observer observer = {.self = &trace, .instruction = trace_store};
    struct setting setting = one_warp;

    setting.observer = &observer;
    expect_no_fault(run_kernel("", apart, setting, 0, NULL));
    assert_int_equal(trace.count, 4);
    assert_int_equal(trace.masks[2], 0x0000FFFF);
    assert_int_equal(trace.masks[3], 0xFFFFFFFF);
}

TEST(test_address_faults)
{
    static uint32_t host[THREADS];
    const char *const store = "st.global.u32 [%at], 1;\n";
    struct setting setting = one_warp;
    expect_fault(run_kernel("", "st.global.u32 [%at+64], 1;\n", setting, 0, NULL), FAULT_ADDRESS,
                 "out-of-bounds store of 4 bytes at 0x");
    expect_fault(run_kernel("", "st.global.u32 [%at+64], 1;\n", setting, 0, NULL), FAULT_ADDRESS,
                 "thread (16,0,0): 0 bytes past the end of a 128-byte allocation");
    expect_fault(run_kernel("", "ld.global.u32 %r1, [%at+-8];\n", setting, 0, NULL), FAULT_ADDRESS,
                 "thread (0,0,0): 8 bytes before a 128-byte allocation");
    expect_fault(run_kernel("", "ld.u16 %r1, [%at+1];\n", setting, 0, NULL), FAULT_MISALIGNED,
                 "misaligned load of 2 bytes");
    expect_fault(run_kernel("", store, setting, (uint64_t)(uintptr_t)host, NULL), FAULT_ADDRESS,
                 "host memory");
    expect_fault(run_kernel("", store, setting, 16, NULL), FAULT_ADDRESS, "null pointer");
    expect_fault(run_kernel("", "mul.wide.u32 %rd1, %me, 8;\nst.shared.u32 [%rd1+16], 1;\n",
                            setting, 0, NULL),
                 FAULT_ADDRESS, "0 bytes past the end of the 256-byte __shared__ variable words");
    expect_fault(run_kernel(".const .u32 fixed = 5;\n",
                            "mov.u64 %rd1, fixed;\nst.global.u32 [%rd1], 1;\n", setting, 0, NULL),
                 FAULT_ADDRESS, "constant memory is only read");
}

/* Memory is kept for a dry run only where there is little of it. */
TEST(test_dry_run_of_much)
{
    char text[2048], error[512] = "";
    struct gpu gpu = test_gpu(75);
    gpu.memory = (size_t)4 << 30;
    struct machine *machine = machine_new(&gpu, 1);
    const struct observer nobody = {0};
    struct fault fault = {0};
    snprintf(text, sizeof text, "%s%sret;\n}\n", header, prologue);
    struct program *program =
        machine_load(machine, parse_ptx(text, error, sizeof error), error, sizeof error);
    assert_string_equal(error, "");
    uint64_t words = memory_allocate(machine, sizeof(uint32_t[THREADS]), MEMORY_DEVICE, NULL);
    void *arguments[] = {&words};
    const struct launch_request request = {
        program_kernel(program, "test"), {1, 1, 1}, {THREADS, 1, 1}, 0, arguments, {0, 0, 0}, 0};
    assert_true(machine_dry_run(machine, &request, &nobody, 1, &fault));
    assert_int_not_equal(memory_allocate(machine, (size_t)1 << 30, MEMORY_DEVICE, NULL), 0);
    assert_false(machine_dry_run(machine, &request, &nobody, 1, &fault));
    machine_unload(machine, program);
    machine_free(machine);
}

TEST(test_freed_memory)
{
    char text[2048], error[512] = "";
    const struct gpu gpu = test_gpu(75);
    struct machine *machine = machine_new(&gpu, 1);
    struct fault fault = {0};
    snprintf(text, sizeof text, "%s%sst.global.u32 [%%at], 1;\nret;\n}\n", header, prologue);
    struct program *program =
        machine_load(machine, parse_ptx(text, error, sizeof error), error, sizeof error);
    assert_string_equal(error, "");
    uint64_t address = memory_allocate(machine, sizeof(uint32_t[THREADS]), MEMORY_DEVICE, NULL);
    void *arguments[] = {&address};
    assert_true(memory_release(machine, address));
    const struct launch_request request = {
        program_kernel(program, "test"), {1, 1, 1}, {THREADS, 1, 1}, 0, arguments, {0, 0, 0}, 0};
    machine_launch(machine, &request, &fault);
    expect_fault(fault, FAULT_ADDRESS, "0 bytes into a 128-byte allocation that was freed");
    machine_unload(machine, program);
    machine_free(machine);
}

/* Each block leaves a sum that atomics, shared memory and shuffles had a part in. */
static const char mixed[] = "mov.u32 %r1, %tid.x;\n"
                            "mad.lo.u32 %r2, %me, 7, 3;\n"
                            "shfl.sync.bfly.b32 %r3, %r2, 5, 31, -1;\n"
                            "setp.ge.u32 %p1, %r1, 32;\n"
                            "@%p1 bra skip;\n"
                            "mul.wide.u32 %rd1, %r1, 4;\n"
                            "st.shared.u32 [%rd1], 0;\n"
                            "skip:\n"
                            "bar.sync 0;\n"
                            "and.b32 %r4, %r1, 31;\n"
                            "mul.wide.u32 %rd1, %r4, 4;\n"
                            "red.shared.add.u32 [%rd1], %r3;\n"
                            "bar.sync 0;\n"
                            "ld.shared.u32 %r5, [%rd1];\n"
                            "atom.global.max.u32 %r6, [top], %r5;\n"
                            "st.global.u32 [%at], %r5;\n";

TEST(test_results_do_not_depend_on_order)
{
    enum { BLOCKS = 20, BLOCK = 96, COUNT = BLOCKS * BLOCK };
    uint32_t *expected = calloc(COUNT, sizeof *expected), *out = calloc(COUNT, sizeof *out);
    struct setting setting = {.blocks = BLOCKS, .threads = BLOCK, .workers = 1};
    expect_no_fault(run_kernel(".global .u32 top;\n", mixed, setting, 0, expected));
    assert_int_not_equal(expected[COUNT - 1], 0);
    for (setting.workers = 1; setting.workers <= 4; setting.workers++)
        for (uint64_t seed = 0; seed < 6; seed++) {
            setting.schedule.kind = (enum schedule_kind)(seed < 3 ? seed : SCHEDULE_RANDOM);
            setting.schedule.seed = seed;
            memset(out, 0, (size_t)COUNT * sizeof *out);
            expect_no_fault(run_kernel(".global .u32 top;\n", mixed, setting, 0, out));
            assert_memory_equal(out, expected, (size_t)COUNT * sizeof *out);
        }
    free(expected);
    free(out);
}

/* A warp waits for another block, and the other one of its block for this warp: what each of them
 * waits for comes, however late. */
TEST(test_warps_and_blocks_wait)
{
    static const char chain[] =
        ".reg .b64 %flag, %next;\nst.shared.u32 [words], 0;\nbar.sync 0;\nmov.u32 %r1, "
        "%ctaid.x;\nmov.u32 %r2, %nctaid.x;\n"
        "mad.wide.u32 %flag, %r1, 4, %out;\nadd.u64 %next, %flag, 4;\nadd.u32 %r3, %r1, 1;\n"
        "mov.u32 %r4, %tid.x;\nsetp.ge.u32 %p1, %r4, 32;\nsetp.lt.u32 %p2, %r3, %r2;\n"
        "@%p1 bra INSIDE;\nsetp.eq.u32 %p3, %r1, 0;\n@%p3 bra CAME;\n"
        "OUTSIDE: ld.volatile.global.u32 %r5, [%flag];\nsetp.eq.u32 %p4, %r5, 0;\n"
        "@%p4 bra OUTSIDE;\n"
        "CAME: st.volatile.shared.u32 [words], 1;\nret;\n"
        "INSIDE: ld.volatile.shared.u32 %r5, [words];\nsetp.eq.u32 %p4, %r5, 0;\n"
        "@%p4 bra INSIDE;\n@%p2 st.volatile.global.u32 [%next], 1;\n";
    struct setting setting = {.blocks = 10, .threads = 64};
    uint32_t out[10 * 64];

    for (setting.workers = 1; setting.workers <= 3; setting.workers++)
        for (int kind = SCHEDULE_FORWARD; kind <= SCHEDULE_RANDOM; kind++) {
            setting.schedule = (struct schedule){(enum schedule_kind)kind, 3};
            expect_no_fault(run_kernel("", chain, setting, 0, out));
            for (int i = 1; i < setting.blocks; i++)
                assert_int_equal(out[i], 1);
        }
}

/* Blocks that wait for what never comes: told, and not instead of what failed before. */
TEST(test_nobody_comes)
{
    static const char wait[] = "LOOP: ld.volatile.global.u32 %r5, [%out];\n"
                               "setp.eq.u32 %p4, %r5, 0;\n@%p4 bra LOOP;\n";
    static const char trap_and_wait[] =
        "mov.u32 %r1, %ctaid.x;\nsetp.eq.u32 %p1, %r1, 2;\n@%p1 trap;\n"
        "LOOP: ld.volatile.global.u32 %r5, [%out];\nsetp.eq.u32 %p4, %r5, 0;\n@%p4 bra LOOP;\n";
    static const char wait_inside[] =
        "st.shared.u32 [words], 0;\nbar.sync 0;\n"
        "LOOP: ld.volatile.shared.u32 %r5, [words];\nsetp.eq.u32 %p4, %r5, 0;\n@%p4 bra LOOP;\n"
        "atom.global.add.u32 %r6, [%out], 1;\n";
    struct setting setting = {.blocks = 5, .threads = 64};

    for (setting.workers = 1; setting.workers <= 3; setting.workers++)
        for (int kind = SCHEDULE_FORWARD; kind <= SCHEDULE_RANDOM; kind++) {
            setting.schedule = (struct schedule){(enum schedule_kind)kind, 3};
            expect_fault(run_kernel("", wait, setting, 0, NULL), FAULT_BARRIER, "deadlock");
            expect_fault(run_kernel("", wait_inside, setting, 0, NULL), FAULT_BARRIER, "deadlock");
            expect_fault(run_kernel("", trap_and_wait, setting, 0, NULL), FAULT_TRAP,
                         "block (2,0,0)");
        }
}

/* Of several failing blocks the first is named, however many workers there are. */
TEST(test_first_fault_is_named)
{
    struct setting setting = {.blocks = 12, .threads = THREADS};
    for (setting.workers = 1; setting.workers <= 4; setting.workers++)
        expect_fault(run_kernel("",
                                "mov.u32 %r1, %ctaid.x;\nsetp.lt.u32 %p1, %r1, 5;\n@%p1 ret;\n"
                                "trap;\n",
                                setting, 0, NULL),
                     FAULT_TRAP, "block (5,0,0)");
}

TEST(test_atomics_of_all_workers)
{
    const struct setting setting = {.blocks = 16, .threads = 128, .workers = 4};
    enum { COUNT = 16 * 128 };
    uint32_t *out = calloc(COUNT, sizeof *out);
    expect_no_fault(run_kernel(".global .u32 counter;\n",
                               "atom.global.add.u32 %r1, [counter], 1;\nadd.u32 %r1, %r1, 1;\n"
                               "st.global.u32 [%at], %r1;\n",
                               setting, 0, out));
    expect_all_counts(out, COUNT);
    free(out);
}

/* fib(n) by two calls of itself, each lane to a depth of its own. */
static const char fib[] = ".func (.param .b32 result) fib(.param .b32 n)\n{\n"
                          ".reg .b32 %r<8>;\n.reg .pred %p;\n"
                          "ld.param.u32 %r1, [n];\n"
                          "setp.lt.u32 %p, %r1, 2;\n"
                          "@%p bra small;\n"
                          "sub.u32 %r2, %r1, 1;\n"
                          "{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %r2;\n"
                          "call (b), fib, (a);\nld.param.b32 %r3, [b];\n}\n"
                          "sub.u32 %r2, %r1, 2;\n"
                          "{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %r2;\n"
                          "call (b), fib, (a);\nld.param.b32 %r4, [b];\n}\n"
                          "add.u32 %r1, %r3, %r4;\n"
                          "small:\n"
                          "st.param.b32 [result], %r1;\nret;\n}\n";

TEST(test_recursion)
{
    uint32_t out[THREADS];
    expect_no_fault(run_kernel(fib,
                               "and.b32 %r1, %me, 15;\n"
                               "{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %r1;\n"
                               "call (b), fib, (a);\nld.param.b32 %r2, [b];\n}\n"
                               "st.global.u32 [%at], %r2;\n",
                               one_warp, 0, out));
    uint32_t before = 0, now = 1;
    for (int i = 0; i < 16; i++) {
        assert_int_equal(out[i], before);
        assert_int_equal(out[16 + i], before);
        const uint32_t next = before + now;
        before = now;
        now = next;
    }
    expect_fault(
        run_kernel(".func down()\n{\ncall down;\nret;\n}\n", "call down;\n", one_warp, 0, NULL),
        FAULT_ADDRESS, "stack overflow");
}

/* Two halves of a warp shuffle among themselves; then lanes of both, from two places. */
TEST(test_partial_masks)
{
    uint32_t out[THREADS];
    expect_no_fault(run_kernel("",
                               "setp.lt.u32 %p1, %me, 16;\n"
                               "@%p1 bra low;\n"
                               "shfl.sync.bfly.b32 %r1, %me, 1, 31, 0xffff0000;\n"
                               "bra over;\n"
                               "low:\n"
                               "shfl.sync.idx.b32 %r1, %me, 3, 31, 0x0000ffff;\n"
                               "over:\n"
                               "st.global.u32 [%at], %r1;\n",
                               one_warp, 0, out));
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(out[i], i < 16 ? 3 : i ^ 1);

    expect_no_fault(run_kernel("",
                               "setp.lt.u32 %p1, %me, 16;\n"
                               "@%p1 bra low;\n"
                               "shfl.sync.bfly.b32 %r1, %me, 16, 31, -1;\n"
                               "bra over;\n"
                               "low:\n"
                               "shfl.sync.bfly.b32 %r1, %me, 16, 31, -1;\n"
                               "over:\n"
                               "st.global.u32 [%at], %r1;\n",
                               one_warp, 0, out));
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(out[i], i ^ 16);

    expect_fault(run_kernel("", "shfl.sync.bfly.b32 %r1, %me, 1, 31, 0x7;\n", one_warp, 0, NULL),
                 FAULT_BARRIER,
                 "thread (3,0,0): the mask 0x00000007 does not name the lane itself");
}

/* What every thread stores, whatever the order; `expected` of 64 threads. */
static void expect_words(const char *body, const uint32_t *expected)
{
    uint32_t out[64];

    for (int kind = SCHEDULE_FORWARD; kind <= SCHEDULE_RANDOM; kind++) {
        const struct setting setting = {
            .blocks = 1, .threads = 64, .workers = 1, .schedule = {(enum schedule_kind)kind, 5}};
        expect_no_fault(run_kernel("", body, setting, 0, out));
        for (int i = 0; i < 64; i++)
            if (out[i] != expected[i])
                fail_msg("word %d is %#x, not %#x, of: %s", i, out[i], expected[i], body);
    }
}

/* Masks name lanes that never come, because they wait for those that name them. */
TEST(test_missing_lanes)
{
    uint32_t expected[64];

    for (uint32_t i = 0; i < 64; i++)
        expected[i] = 1;
    expect_words("and.b32 %r0, %me, 16;\nsetp.ne.u32 %p1, %r0, 0;\n@%p1 bra over;\n"
                 "bar.warp.sync -1;\nover:\nst.global.u32 [%at], 1;\n",
                 expected);
    /* Lanes wait at different instructions. */
    for (uint32_t i = 0; i < 64; i++)
        expected[i] = i & 16 ? 0xFFFF0000 : i ^ 1;
    expect_words("and.b32 %r0, %me, 16;\nsetp.ne.u32 %p1, %r0, 0;\n@%p1 bra high;\n"
                 "shfl.sync.bfly.b32 %r1, %me, 1, 31, -1;\nbra over;\nhigh:\n"
                 "vote.sync.ballot.b32 %r1, 1, -1;\nover:\nst.global.u32 [%at], %r1;\n",
                 expected);
    /* Lane i of each four: i + 1 rounds, and in each as many of an inner loop; then all meet. */
    for (uint32_t i = 0; i < 64; i++)
        expected[i] = (i % 4 + 1) * (i % 4 + 1);
    expect_words("and.b32 %r0, %me, 3;\nmov.u32 %r1, 0;\nmov.u32 %r3, 0;\nouter:\n"
                 "mov.u32 %r2, 0;\ninner:\nshfl.sync.idx.b32 %r4, %r0, %me, 31, -1;\n"
                 "bar.warp.sync -1;\nadd.u32 %r3, %r3, 1;\n"
                 "add.u32 %r2, %r2, 1;\nsetp.le.u32 %p1, %r2, %r4;\n@%p1 bra inner;\n"
                 "add.u32 %r1, %r1, 1;\nsetp.le.u32 %p1, %r1, %r0;\n@%p1 bra outer;\n"
                 "st.global.u32 [%at], %r3;\n",
                 expected);
    /* Half of each warp wait for the others at a barrier of the block, which wait for them. */
    for (int kind = SCHEDULE_FORWARD; kind <= SCHEDULE_RANDOM; kind++) {
        const struct setting setting = {
            .blocks = 1, .threads = 64, .workers = 1, .schedule = {(enum schedule_kind)kind, 5}};
        expect_fault(run_kernel("",
                                "and.b32 %r0, %me, 16;\nsetp.ne.u32 %p1, %r0, 0;\n"
                                "@%p1 bra over;\nvote.sync.any.pred %p2, %p1, -1;\nover:\n"
                                "bar.sync 0;\n",
                                setting, 0, NULL),
                     FAULT_BARRIER, "lanes 0xffff0000 of its warp never come to it");
    }
}

TEST(test_refused_when_loaded)
{
    char text[2048], error[512] = "";
    const struct gpu gpu = test_gpu(75);
    struct machine *machine = machine_new(&gpu, 1);
    snprintf(text, sizeof text, "%s%sredux.sync.add.u32 %%r1, %%me, -1;\nret;\n}\n", header,
             prologue);
    memcpy(strstr(text, "sm_75"), "sm_80", 5);
    struct ptx_module *module = parse_ptx(text, error, sizeof error);
    assert_non_null(module);
    assert_null(machine_load(machine, module, error, sizeof error));
    assert_non_null(strstr(error, "needs compute capability 8.0, the GPU has 7.5"));
    assert_non_null(strstr(error, "redux.sync.add.u32"));
    machine_free(machine);
}

TEST_MAIN()
