/* SPDX-License-Identifier: MIT */
/* Barriers in shared memory and the copies that end at them: mistakes, and what is said. */
#include <stdio.h>
#include <string.h>

#include "../../cmocka_main.h"
#include "machine/tensor.h"
#include "parse_ptx.h"
#include "test_gpu.h"

/* One thread in each of a cluster's two blocks runs this and a body: %in is the address of a tensor
 * map, %there the other block's barrier. */
static const char kernel[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry test(.param .u64 in)\n.explicitcluster\n.reqnctapercluster 2\n{\n"
    ".reg .pred %%p;\n.reg .b32 %%x, %%there;\n.reg .b64 %%in, %%token;\n"
    ".shared .align 128 .b8 tile[128];\n.shared .align 8 .b8 bar[16];\n"
    "ld.param.u64 %%in, [in];\n"
    "mov.u32 %%x, %%cluster_ctarank;\nxor.b32 %%x, %%x, 1;\n"
    "mapa.shared::cluster.u32 %%there, bar, %%x;\n%s\nret;\n}\n";

static void count_fault(void *self, const struct fault_event *event)
{
    (void)event;
    ++*(int *)self;
}

/* Returns how often something was refused. */
static int run_by(struct schedule schedule, bool lenient, const char *body, struct fault *fault)
{
    int refused = 0;
    const struct observer observer = {.self = &refused, .fault = count_fault};

    char text[2048], error[256] = "";
    const struct gpu gpu = test_gpu(90);
    struct machine *machine = machine_new(&gpu, 1);
    const struct tensor_map map = {.mark = TENSOR_MARK,
                                   .size = {4, 4},
                                   .stride = {16},
                                   .box = {4, 4},
                                   .rank = 2,
                                   .element = 4};

    machine_set_schedule(machine, schedule);
    machine_set_lenient(machine, lenient);
    machine_observe(machine, &observer);
    snprintf(text, sizeof(text), kernel, body);
    struct ptx_module *module = parse_ptx(text, error, sizeof(error));
    assert_string_equal(error, "");
    struct program *program = machine_load(machine, module, error, sizeof(error));
    assert_string_equal(error, "");
    uint64_t in = memory_allocate(machine, sizeof(map), MEMORY_DEVICE, NULL);
    memcpy(memory_host(machine, in), &map, sizeof(map));
    void *arguments[] = {&in};
    const struct launch_request request = {
        program_kernel(program, "test"), {2, 1, 1}, {1, 1, 1}, 0, arguments, {0, 0, 0}, 0};
    machine_launch(machine, &request, fault);
    machine_unload(machine, program);
    machine_free(machine);
    return refused;
}

static void run(const char *body, struct fault *fault)
{
    run_by((struct schedule){SCHEDULE_FORWARD, 0}, false, body, fault);
}

#define INIT(count) "mov.u32 %x, " count ";\nmbarrier.init.shared.b64 [bar], %x;\n"
#define INVALID INIT("1") "mbarrier.inval.shared.b64 [bar];\n"
#define MEET "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"
#define BULK "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%in], "
#define BOX(rank) \
    "cp.async.bulk.tensor." rank ".shared::cluster.global.mbarrier::complete_tx::bytes [tile], "

static const struct mistake {
    const char *body, *said; /* NULL: it is none */
} mistakes[] = {
    {INIT("0"), "bad barrier"},
    {INIT("1"), NULL},
    {INIT("1048575"), NULL},
    {INIT("1048576"), "for 1048576 threads (allowed: 1 to 1048575)"},
    {INIT("4") "mbarrier.arrive.shared.b64 _, [bar], 4;\n", NULL},
    {INIT("4") "mbarrier.arrive.shared.b64 _, [bar], 5;\n", "5 arrive, and it waits for 4 more"},
    {INIT("1") "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;\n"
               "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;\n",
     "1 arrive, and it waits for 0 more"},
    {INIT("4") "mov.u32 %x, 0;\nmbarrier.arrive.shared.b64 _, [bar], %x;\n",
     "0 arrive, and it waits for 4 more"},
    {INIT("4") "mbarrier.arrive.shared.b64 _, [bar], 3;\n"
               "mbarrier.arrive.shared.b64 _, [bar], 2;\n",
     "2 arrive, and it waits for 1 more"},
    {INIT("1") "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 1048575;\n", NULL},
    {INIT("1") "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 1048576;\n",
     "1048576 bytes are to come (allowed: 0 to 1048575)"},
    {INIT("2") "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 1048576;\n", "bytes are to come"},
    {INVALID, NULL},
    {INVALID INIT("1") "mbarrier.arrive.shared.b64 _, [bar];\n", NULL},
    {INVALID "mbarrier.inval.shared.b64 [bar];\n", "nobody has initialised one here"},
    {INVALID "mbarrier.arrive.shared.b64 _, [bar];\n", "nobody has initialised one here"},
    {INVALID "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 8;\n",
     "nobody has initialised one here"},
    {INVALID "mbarrier.test_wait.parity.shared.b64 %p, [bar], 0;\n",
     "nobody has initialised one here"},
    {INVALID BULK "16, [bar];\n", "nobody has initialised one here"},
    {INIT("1") MEET BULK "16, [bar];\n" MEET, NULL},
    {INIT("1") MEET BULK "16, [%there];\n" MEET,
     "it goes to one block, and its barrier is another"},
    {INIT("1") MEET "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%there], 1, "
                    "[bar];\n" MEET,
     "it goes to one block, and its barrier is another"},
    {INIT("1") MEET BOX("2d") "[%in, {0, 0}], [%there];\n" MEET,
     "it goes to one block, and its barrier is another"},
    {INIT("1") BOX("1d") "[%in, {0}], [bar];\n", "it is of 2 dimensions, and the instruction of 1"},
    {INIT("1") BOX("3d") "[%in, {0, 0, 0}], [bar];\n",
     "it is of 2 dimensions, and the instruction of 3"},
    /* Before the barrier opens, and after. */
    {"barrier.cluster.arrive;\nbarrier.cluster.arrive;\n",
     "block (0,0,0), thread (0,0,0): the thread arrives again without having waited"},
    {"setp.eq.u32 %p, %x, 0;\nbarrier.cluster.arrive;\n"
     "@%p barrier.cluster.arrive;\n@!%p barrier.cluster.wait;\n",
     "block (1,0,0), thread (0,0,0): the thread arrives again without having waited"},
    {MEET "barrier.cluster.wait;\n", "waits without having arrived"},
};

TEST(test_mistakes)
{
    for (size_t i = 0; i < sizeof(mistakes) / sizeof(*mistakes); i++) {
        const struct mistake *mistake = &mistakes[i];
        struct fault fault = {0};

        run(mistake->body, &fault);
        if (!mistake->said && fault.kind != FAULT_NONE)
            fail_msg("%s: %s", mistake->body, fault.message);
        if (mistake->said && !strstr(fault.message, mistake->said))
            fail_msg("%s: expected \"%s\" in: %s", mistake->body, mistake->said, fault.message);
    }
}

#define WAIT(bar) "again: mbarrier.test_wait.parity.shared.b64 %p, [" bar "], 0;\n@!%p bra again;\n"

/* Whether bytes have come by the next instruction is the schedule's to say. */
static bool comes_at_once(enum schedule_kind kind, uint64_t seed)
{
    struct fault fault = {0};

    run_by((struct schedule){kind, seed}, false,
           INIT("1") "st.shared.u32 [tile], 7;\n"
                     "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;\n" BULK "16, [bar];\n"
                     "ld.shared.u32 %x, [tile];\nsetp.eq.u32 %p, %x, 7;\n@%p trap;\n",
           &fault);
    return fault.kind == FAULT_NONE;
}

TEST(test_schedules)
{
    int at_once = 0;

    assert_false(comes_at_once(SCHEDULE_FORWARD, 0));
    assert_true(comes_at_once(SCHEDULE_REVERSE, 0));
    for (uint64_t seed = 0; seed < 32; seed++)
        at_once += comes_at_once(SCHEDULE_RANDOM, seed);
    assert_in_range(at_once, 1, 31);
}

/* In order, what comes to one barrier is late at another one still. */
TEST(test_other_barrier)
{
    struct fault fault = {0};

    run(INIT("1") "mbarrier.init.shared.b64 [bar+8], 1;\nst.shared.u32 [tile+16], 7;\n"
                  "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;\n" BULK "16, [bar];\n"
                  "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile+16], "
                  "[%in], 16, [bar+8];\n" WAIT(
                      "bar") "ld.shared.u32 %x, [tile+16];\nsetp.eq.u32 %p, %x, 7;\n@!%p trap;\n",
        &fault);
    assert_string_equal(fault.message, "");
}

/* Bytes may come before they are announced, when all threads have arrived: the phase ends then. */
TEST(test_announced_last)
{
    struct fault fault = {0};

    run_by((struct schedule){SCHEDULE_REVERSE, 0}, false,
           INIT("1") BULK "16, [bar];\nmbarrier.arrive.shared.b64 _, [bar];\n"
                          "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 16;\n" WAIT("bar"),
           &fault);
    assert_string_equal(fault.message, "");
}

/* Where a bad address is told and the kernel goes on, a lane without a barrier does not wait: each
 * block is told of once. */
TEST(test_no_barrier_to_wait_for)
{
    struct fault fault = {0};

    assert_int_equal(run_by((struct schedule){SCHEDULE_FORWARD, 0}, true, WAIT("bar+4096"), &fault),
                     2);
    assert_non_null(strstr(fault.message, "out-of-bounds load"));
}

TEST_MAIN()
