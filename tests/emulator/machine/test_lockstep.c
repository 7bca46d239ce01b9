/* SPDX-License-Identifier: MIT */
/* Blocks in lockstep: which of them are under way together, in which order they begin, are ordered
 * and end, and who goes on when. */
#include <stdio.h>
#include <string.h>

#include "../../cmocka_main.h"
#include "parse_ptx.h"
#include "test_gpu.h"

enum { WORDS = 16, LOG = 512 };

/* Every kernel begins so: %b is the block, %t the thread, %w its warp, and [%out] are WORDS
 * words, all 0. */
static const char prologue[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry test(.param .u64 out)\n{\n"
    ".reg .b64 %out, %at;\n.reg .b32 %b, %t, %w, %x, %y, %n;\n.reg .pred %p, %q;\n"
    ".shared .b32 flags[4];\n"
    "ld.param.u64 %out, [out];\nmov.u32 %b, %ctaid.x;\nmov.u32 %t, %tid.x;\nshr.u32 %w, %t, 5;\n"
    "st.shared.u32 [flags], 0;\nst.shared.u32 [flags+4], 0;\nbar.sync 0;\n";

#define ORDER "atom.global.exch.b32 %x, [%out], 1;\n"
#define BACK_TO(label) "@%p bra " label ";\n"
/* So many operations that order blocks, one after the other. */
#define ORDER_TIMES(times)                                          \
    "mov.u32 %n, " times ";\norders: " ORDER "sub.u32 %n, %n, 1;\n" \
    "setp.ne.u32 %p, %n, 0;\n" BACK_TO("orders")
/* Wait until a word is not 0: one of the launch, or one of the block. */
#define IS_0 "setp.eq.u32 %p, %x, 0;\n"
#define POLL "poll: ld.volatile.global.u32 %x, [%out+4];\n" IS_0 BACK_TO("poll")
#define SPIN "spin: ld.volatile.shared.u32 %x, [flags];\n" IS_0 BACK_TO("spin")
#define SET(flag) "st.volatile.shared.u32 [flags" flag "], 1;\n"
/* Block `number`, or the second warp, goes elsewhere. */
#define BLOCK(number, label) "setp.eq.u32 %q, %b, " number ";\n@%q bra " label ";\n"
#define SECOND_WARP(label) "setp.ne.u32 %q, %w, 0;\n@%q bra " label ";\n"

struct setting {
    struct gpu gpu;
    int blocks, threads, cluster, workers;
    enum schedule_kind schedule;
};

/* What became of a launch: blocks as they began and ended, "+0+1-0-1"; workers by block. */
struct result {
    char log[LOG];
    int worker[WORDS];
    uint32_t words[WORDS];
    struct fault fault;
};

static void note(struct result *result, char sign, struct dim block)
{
    const size_t used = strlen(result->log);

    snprintf(result->log + used, sizeof(result->log) - used, "%c%u", sign, block.x);
}

static void begin(void *self, int worker, const struct launch *launch, struct dim block)
{
    struct result *result = self;

    (void)launch;
    note(result, '+', block);
    result->worker[block.x % WORDS] = worker;
}

static void end(void *self, int worker, const struct launch *launch, struct dim block,
                uint64_t issued)
{
    (void)worker;
    (void)launch;
    (void)issued;
    note(self, '-', block);
}

/* A GPU of one multiprocessor with room for so many blocks and threads. */
static struct setting room_for(int blocks, int threads)
{
    struct setting setting = {test_gpu(90), 1, 32, 1, 1, SCHEDULE_FORWARD};

    setting.gpu.multiprocessors = 1;
    setting.gpu.max_blocks_per_sm = blocks;
    setting.gpu.max_threads_per_sm = threads;
    return setting;
}

static struct result run(const struct setting *setting, const char *body)
{
    struct result result = {.log = ""};
    const struct observer observer = {.self = &result, .block_begin = begin, .block_end = end};
    struct machine *machine = machine_new(&setting->gpu, setting->workers);
    char text[4096], error[256] = "";

    assert_non_null(machine);
    machine_set_schedule(machine, (struct schedule){setting->schedule, 1});
    machine_observe(machine, &observer);
    snprintf(text, sizeof(text), "%s%s\nret;\n}\n", prologue, body);
    struct ptx_module *module = parse_ptx(text, error, sizeof(error));
    assert_string_equal(error, "");
    struct program *program = machine_load(machine, module, error, sizeof(error));
    assert_string_equal(error, "");
    uint64_t out = memory_allocate(machine, sizeof(result.words), MEMORY_DEVICE, NULL);
    memset(memory_host(machine, out), 0, sizeof(result.words));
    void *arguments[] = {&out};
    const struct launch_request request = {program_kernel(program, "test"),
                                           {(uint32_t)setting->blocks, 1, 1},
                                           {(uint32_t)setting->threads, 1, 1},
                                           0,
                                           arguments,
                                           {(uint32_t)setting->cluster, 1, 1},
                                           0};
    machine_launch(machine, &request, &result.fault);
    memcpy(result.words, memory_host(machine, out), sizeof(result.words));
    machine_unload(machine, program);
    machine_free(machine);
    return result;
}

static void expect_log(const struct setting *setting, const char *body, const char *log)
{
    const struct result result = run(setting, body);

    assert_string_equal(result.fault.message, "");
    assert_string_equal(result.log, log);
}

static void expect_fault(const struct setting *setting, const char *body, const char *part)
{
    const struct result result = run(setting, body);

    if (!strstr(result.fault.message, part))
        fail_msg("expected \"%s\" in: %s", part, result.fault.message);
}

/* As many blocks are under way as the GPU holds, by their number or by their threads; at least one,
 * and whole clusters. Those that end make room for as many. */
TEST(test_window)
{
    static const char first_is_slow[] =
        BLOCK("0", "slow") "bra fast;\nslow: " ORDER ORDER "fast: " ORDER;
    struct setting setting = room_for(4, 1024);

    setting.blocks = 7;
    expect_log(&setting, ORDER, "+0+1+2+3-0-1-2-3+4+5+6-4-5-6");
    setting.blocks = 6;
    expect_log(&setting, first_is_slow, "+0+1+2+3-1-2-3+4+5-0-4-5");
    setting.blocks = 3;
    setting.threads = 512;
    expect_log(&setting, ORDER, "+0+1-0-1+2-2");
    setting.gpu.max_threads_per_sm = 256;
    expect_log(&setting, ORDER, "+0-0+1-1+2-2");
    setting = room_for(16, 5 * 32);
    setting.blocks = 6;
    setting.cluster = 2;
    expect_log(&setting, ORDER, "+0+1+2+3-0-1-2-3+4+5-4-5");
    setting.gpu.max_blocks_per_sm = 1;
    expect_log(&setting, ORDER, "+0+1-0-1+2+3-2-3+4+5-4-5");
}

/* Blocks wait for a later one: it must have room beside them. */
TEST(test_waiting_for_a_later_block)
{
    static const char body[] = BLOCK("2", "sets")
        BLOCK("0", "poll") "ret;\n" POLL "ret;\nsets: st.volatile.global.u32 [%out+4], 1;\n";
    struct setting setting = room_for(2, 64);

    setting.blocks = 4;
    expect_log(&setting, body, "+0+1-1+2-2+3-0-3");
    setting.gpu.max_threads_per_sm = 32;
    expect_fault(&setting, body,
                 "block (0,0,0), thread (0,0,0): it waits for a later block: the GPU holds 1 at "
                 "once, and the other 3 begin only as these end");
    setting.threads = 32; /* the others of its warp wait for the thread that does */
    expect_fault(&setting, "setp.ne.u32 %q, %t, 0;\n@%q bra meets;\n" POLL "meets: bar.sync 0;\n",
                 "block (0,0,0), thread (0,0,0): it waits for a later block: the GPU holds 1 at "
                 "once, and the other 3 begin only as these end");
}

/* The workers share the blocks, cluster by cluster, and each runs its own: long enough that they
 * are at it together, a block counts in a register. */
TEST(test_shares)
{
    static const char body[] = "mov.u32 %n, 0;\ncounts: add.u32 %n, %n, 1;\n"
                               "setp.lt.u32 %p, %n, 50000;\n" BACK_TO("counts") ORDER
        "mad.wide.u32 %at, %b, 4, %out;\nst.global.u32 [%at], %n;\n";
    struct setting setting = room_for(16, 1024);

    setting.blocks = 8;
    setting.cluster = 2;
    setting.workers = 2;
    const struct result result = run(&setting, body);
    for (int i = 0; i < setting.blocks; i++) {
        assert_int_equal(result.worker[i], i / 2);
        assert_int_equal(result.words[i], 50000);
    }
}

/* The warps of a block order blocks in the order of the schedule: each leaves its number, and finds
 * that of the one before. */
TEST(test_order_of_operations)
{
    static const char body[] = "add.u32 %y, %w, 1;\natom.global.exch.b32 %x, [%out], %y;\n"
                               "mad.wide.u32 %at, %w, 4, %out;\nst.global.u32 [%at+4], %x;\n";
    struct setting setting = room_for(4, 1024);

    setting.threads = 33;
    struct result result = run(&setting, body);
    assert_int_equal(result.words[0], 2);
    assert_int_equal(result.words[2], 1);
    setting.schedule = SCHEDULE_REVERSE;
    result = run(&setting, body);
    assert_int_equal(result.words[0], 1);
    assert_int_equal(result.words[1], 2);
}

/* A block fails. Those behind it end at once and order nobody; those before it go on, and may fail
 * yet: the first of all is told. */
TEST(test_failing)
{
#define FAILS                                                             \
    "setp.eq.u32 %q, %b, 1;\n@%q trap;\nmad.wide.u32 %at, %b, 4, %out;\n" \
    "atom.global.exch.b32 %x, [%at], 5;\n"
    static const char second_fails[] = FAILS ORDER_TIMES("20");
    static const char first_fails_too[] = FAILS ORDER_TIMES("20") "trap;\n";
    static const char at_ordering[] = "setp.eq.u32 %q, %t, 0;\n@%q add.u64 %out, %out, 4096;\n"
                                      "atom.global.exch.b32 %x, [%out+12], 7;\n";
    struct setting setting = room_for(4, 1024);

    setting.blocks = 6;
    struct result result = run(&setting, second_fails);
    assert_non_null(strstr(result.fault.message, "block (1,0,0)"));
    assert_string_equal(result.log, "+0+1+2+3-1-2-3-0");
    assert_int_equal(result.words[0], 1);
    assert_int_equal(result.words[2], 0);
    result = run(&setting, first_fails_too);
    assert_non_null(strstr(result.fault.message, "block (0,0,0)"));
    setting.blocks = 2;
    setting.threads = 64;
    result = run(&setting, at_ordering);
    assert_non_null(strstr(result.fault.message, "block (0,0,0), thread (0,0,0)"));
    assert_int_equal(result.words[3], 0);
}

/* Two blocks of `threads` run `body` to its end. */
static void expect_end(int threads, const char *body)
{
    struct setting setting = room_for(4, 1024);

    setting.blocks = 2;
    setting.threads = threads;
    expect_log(&setting, body, "+0+1-0-1");
}

/* A warp that never looks stuck, since it writes as it spins, lets the other one go on. */
TEST(test_busy_warp)
{
#define BUSY                                                  \
    "busy: st.global.u32 [%out+8], %n;\nadd.u32 %n, %n, 1;\n" \
    "ld.volatile.shared.u32 %x, [flags];\n" IS_0 BACK_TO("busy")

    expect_end(64, SECOND_WARP("second") BUSY "ret;\nsecond: " ORDER_TIMES("5") SET(""));
}

/* Nobody moves any more: told, whatever was written before. */
TEST(test_deadlock)
{
    struct setting setting = room_for(4, 1024);

    setting.blocks = 2;
    setting.threads = 64;
    expect_fault(&setting, ORDER SECOND_WARP("second") SPIN "second:\n", "deadlock");
    expect_fault(&setting, ORDER POLL, "deadlock");
}

/* What a path waits for may be no word that it was seen to read, here of shared memory. It looks
 * again before a deadlock is told, though another warp of its block spins until it has. */
TEST(test_rousing)
{
#define LOOKS                                       \
    "looks: ld.volatile.global.u32 %y, [%out+4];\n" \
    "ld.volatile.shared.u32 %x, [flags+4];\n" IS_0 BACK_TO("looks")

    expect_end(64, SECOND_WARP("second") LOOKS "ret;\nsecond: " ORDER_TIMES("50") SET("+4"));
    expect_end(64, SECOND_WARP("second") LOOKS SET("") "ret;\nsecond: " ORDER_TIMES("50") SET("+4")
                       SPIN);
}

/* A lane spins for what another one of its warp does where the two meet again. */
TEST(test_releasing)
{
    expect_end(2, ORDER "setp.ne.u32 %q, %t, 0;\n@%q bra join;\n" SPIN "join: " SET(""));
}

TEST_MAIN()
