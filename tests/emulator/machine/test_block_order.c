/* SPDX-License-Identifier: MIT */
/* Which instructions order blocks, so that a launch runs in lockstep and stops in
 * front of them; and how often a path polls that waits. */
#include "observed.h"

#include "machine/op.h"

#define HEADER ".version 8.0\n.target sm_75\n.address_size 64\n"
#define REGISTERS ".reg .pred %p<9>;\n.reg .b32 %r<20>;\n.reg .b64 %d<9>;\n"
#define KERNEL(name) ".visible .entry " name "(.param .u64 a)\n{\n" REGISTERS
#define FUNCTION(name) ".func " name "(.param .b64 a)\n{\n" REGISTERS
#define CALL(name) "{\n.param .b64 p;\nst.param.b64 [p], %d1;\ncall " name ", (p);\n}\n"
#define ADD "red.global.add.u32 [%d1], 1;\n"

/* A module, and the code of its last function. */
struct loaded {
    struct machine *machine;
    struct program *program;
    const struct code *code;
};

static struct loaded load(const char *ptx)
{
    const struct gpu gpu = test_gpu(75);
    struct loaded loaded = {.machine = machine_new(&gpu, 1)};
    char error[256] = "";
    struct ptx_module *module = parse_ptx(ptx, error, sizeof(error));

    if (!module)
        fail_msg("%s in: %s", error, ptx);
    const int last = module->function_count - 1;
    loaded.program = machine_load(loaded.machine, module, error, sizeof(error));
    if (!loaded.program)
        fail_msg("%s in: %s", error, ptx);
    loaded.code = &loaded.program->codes[last];
    return loaded;
}

static void unload(struct loaded *loaded)
{
    machine_unload(loaded->machine, loaded->program);
    machine_free(loaded->machine);
}

/* Does a launch of the module's last kernel run in lockstep, and do its own instructions of this
 * opcode order blocks? */
static void expect_orders_blocks(const char *ptx, bool kernel, enum opcode opcode,
                                 bool instructions)
{
    struct loaded loaded = load(ptx);
    int count = 0;

    if (loaded.code->orders_blocks != kernel)
        fail_msg("the kernel %s: %s", kernel ? "orders no blocks" : "orders blocks", ptx);
    for (int i = 0; i < loaded.code->op_count; i++) {
        const struct op *op = &loaded.code->ops[i];
        if (!op->instr || op->instr->opcode != opcode)
            continue;
        count++;
        if (op->orders_blocks != instructions)
            fail_msg("expected %d of %s: %s", instructions, op->instr->text, ptx);
    }
    assert_int_not_equal(count, 0);
    unload(&loaded);
}

/* Whether anybody could tell when it ran. */
TEST(test_of_its_own)
{
    expect_orders_blocks(HEADER KERNEL("k") "st.global.u32 [%d1], 1;\nret;\n}\n", false, OP_ST,
                         false);
    expect_orders_blocks(HEADER KERNEL("k") ADD "ret;\n}\n", false, OP_RED, false);
    expect_orders_blocks(HEADER KERNEL("k") "red.global.max.u32 [%d1], 1;\nret;\n}\n", false,
                         OP_RED, false);
    expect_orders_blocks(HEADER KERNEL("k") "red.global.add.f32 [%d1], 0f3F800000;\nret;\n}\n",
                         true, OP_RED, true);
    expect_orders_blocks(HEADER KERNEL("k") "atom.global.add.u32 %r1, [%d1], 1;\nret;\n}\n", false,
                         OP_ATOM, false);
    expect_orders_blocks(HEADER KERNEL("k") "atom.global.exch.b32 %r1, [%d1], 1;\nret;\n}\n", true,
                         OP_ATOM, true);
    expect_orders_blocks(HEADER KERNEL("k") "atom.global.add.u32 %r1, [%d1], 1;\n"
                                            "st.global.u32 [%d2], %r1;\nret;\n}\n",
                         true, OP_ATOM, true);
    expect_orders_blocks(HEADER KERNEL("k") "ld.volatile.global.u32 %r1, [%d1];\nret;\n}\n", true,
                         OP_LD, true);
    expect_orders_blocks(HEADER KERNEL("k") "ld.global.u32 %r1, [%d1];\nst.global.u32 [%d2], %r1;\n"
                                            "ret;\n}\n",
                         false, OP_LD, false);
    expect_orders_blocks(HEADER KERNEL("k") "atom.shared.add.u32 %r1, [%r2], 1;\n"
                                            "st.global.u32 [%d2], %r1;\nret;\n}\n",
                         false, OP_ATOM, false);
    /* Sums that nobody reads on the way; one that somebody does. */
    expect_orders_blocks(HEADER KERNEL("k") ADD "ld.volatile.global.u32 %r1, [%d2];\n"
                                                "st.global.u32 [%d2], %r1;\nret;\n}\n",
                         true, OP_RED, true);
}

/* What functions do that are called. */
TEST(test_called)
{
#define READS FUNCTION("reads") "ld.volatile.global.u32 %r1, [%d1];\nret;\n}\n"
#define ADDS FUNCTION("adds") ADD "ret;\n}\n"
#define EXCHANGES FUNCTION("exchanges") "atom.global.exch.b32 %r1, [%d1], 1;\nret;\n}\n"
    /* Its own sum is looked at by a function; */
    expect_orders_blocks(HEADER READS KERNEL("k") ADD CALL("reads") "ret;\n}\n", true, OP_RED,
                         true);
    /* or by one that another kernel calls; */
    expect_orders_blocks(HEADER READS KERNEL("other") CALL("reads") "ret;\n}\n" KERNEL("k") ADD
                         "ret;\n}\n",
                         false, OP_RED, false);
    /* a kernel that only calls what orders blocks runs in lockstep; */
    expect_orders_blocks(HEADER EXCHANGES KERNEL("k") CALL("exchanges") "ret;\n}\n", true, OP_CALL,
                         false);
    /* one that calls what does not, does not. */
    expect_orders_blocks(HEADER ADDS KERNEL("k") CALL("adds") "ret;\n}\n", false, OP_CALL, false);
    /* A function's sum may be looked at by whoever calls it. */
    expect_orders_blocks(
        HEADER ADDS KERNEL("k") "ld.volatile.global.u32 %r1, [%d1];\n" CALL("adds") "ret;\n}\n",
        true, OP_CALL, false);
}

/* What a function does stops there, not in its caller. */
TEST(test_in_function)
{
    struct loaded loaded = load(
        HEADER ADDS KERNEL("k") "ld.volatile.global.u32 %r1, [%d1];\n" CALL("adds") "ret;\n}\n");
    const struct code *adds = &loaded.program->codes[0];

    assert_true(adds->orders_blocks);
    for (int i = 0; i < adds->op_count; i++)
        assert_int_equal(adds->ops[i].orders_blocks,
                         adds->ops[i].instr && adds->ops[i].instr->opcode == OP_RED);
    unload(&loaded);
}

/* Lines come out in an order that others see. */
TEST(test_printf)
{
    expect_orders_blocks(HEADER
                         ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);\n"
                         ".global .align 1 .b8 text[4] = {72, 105, 10, 0};\n" KERNEL(
                             "k") "mov.u64 %d1, text;\ncvta.global.u64 %d1, %d1;\nmov.u64 %d2, 0;\n"
                                  "{\n.param .b64 f;\n.param .b64 v;\n.param .b32 r;\n"
                                  "st.param.b64 [f], %d1;\nst.param.b64 [v], %d2;\n"
                                  "call (r), vprintf, (f, v);\n}\nret;\n}\n",
                         true, OP_CALL, true);
}

/* Block 1 waits for four words that block 0 writes one after the other, each after `times` others
 * that nobody reads: what it loads until it has seen all. */
static uint64_t loads_while_waiting(uint64_t times)
{
    static const char ptx[] = HEADER
        ".visible .entry k(.param .u64 a, .param .u64 times)\n{\n" REGISTERS
        "ld.param.u64 %d1, [a];\nld.param.u32 %r3, [times];\nmov.u32 %r1, %ctaid.x;\n"
        "mov.u32 %r2, 4;\nsetp.eq.u32 %p1, %r1, 1;\n@%p1 bra WAITS;\n"
        "WRITE: mov.u32 %r4, %r3;\n"
        "WORK: st.volatile.global.u32 [%d1+64], %r4;\nsub.u32 %r4, %r4, 1;\nsetp.ne.u32 %p2, %r4, "
        "0;\n@%p2 bra WORK;\n"
        "st.volatile.global.u32 [%d1], 1;\nadd.u64 %d1, %d1, 4;\nsub.u32 %r2, %r2, 1;\n"
        "setp.ne.u32 %p2, %r2, 0;\n@%p2 bra WRITE;\nret;\n"
        "WAITS: ld.volatile.global.u32 %r5, [%d1];\nsetp.eq.u32 %p2, %r5, 0;\n@%p2 bra WAITS;\n"
        "add.u64 %d1, %d1, 4;\nsub.u32 %r2, %r2, 1;\nsetp.ne.u32 %p2, %r2, 0;\n@%p2 bra WAITS;\n"
        "ret;\n}\n";
    const struct gpu gpu = test_gpu(75);
    struct observed observed = observe_ptx(&gpu, 1, ptx);
    uint64_t arguments[] = {observed_memory(&observed, 256), times};
    size_t count;

    observed_launch(&observed, "k", 2, 1, arguments, 2);
    const uint64_t loads =
        profile_kernels(observed.profile, &count)[0].counters[PROFILE_GLOBAL_LOADS];
    observed_free(&observed);
    return loads;
}

TEST(test_polls)
{
    const uint64_t loads = loads_while_waiting(100);

    assert_int_equal(loads, loads_while_waiting(1000));
    assert_in_range(loads, 4, 24);
}

TEST_MAIN()
