/* SPDX-License-Identifier: MIT */
/* What the resolver adds to PTX: where paths meet, where things lie, how many registers live. */
#include "ptx_text.h"

/* `reconverge` of the branches of a kernel, in order; -2 ends the list. */
static void expect_reconvergence(const char *body, const int *expected)
{
    struct ptx_module *module = parse_body(body);
    const struct ptx_function *f = &module->functions[0];
    int found = 0;
    for (int i = 0; i < f->instr_count; i++) {
        if (f->instrs[i].opcode != OP_BRA && f->instrs[i].opcode != OP_BRX) {
            assert_int_equal(f->instrs[i].reconverge, -1);
            continue;
        }
        assert_int_not_equal(expected[found], -2);
        if (f->instrs[i].reconverge != expected[found])
            fail_msg("branch %d meets at %d, not %d:\n%s", found, f->instrs[i].reconverge,
                     expected[found], body);
        found++;
    }
    assert_int_equal(expected[found], -2);
    ptx_free(module);
}
#define RECONVERGE(body, ...) expect_reconvergence(body, (const int[]){__VA_ARGS__, -2})

TEST(test_ifs)
{
    RECONVERGE("@%p0 bra E; mov.u32 %r0, 1; E: ret;", 2);
    RECONVERGE("@%p0 bra A; mov.u32 %r0, 1; bra E; A: mov.u32 %r0, 2; E: ret;", 4, 4);
    /* An if in each arm of another. */
    RECONVERGE("@%p0 bra A;\n" /* 0 */
               "@%p1 bra B; mov.u32 %r0, 1; B: mov.u32 %r1, 1; bra E;\n" /* 1 .. 4 */
               "A: @!%p2 bra C; mov.u32 %r0, 2; C: mov.u32 %r1, 2;\n" /* 5 .. 7 */
               "E: ret;", /* 8 */
               8, 3, 8, 7);
    /* A label behind everything is the exit. */
    RECONVERGE("@%p0 bra E; mov.u32 %r0, 1; E:", 2);
}

TEST(test_loops)
{
    RECONVERGE("L: mov.u32 %r0, 1; @%p0 bra L; ret;", 2);
    /* break out of the middle */
    RECONVERGE("L: mov.u32 %r0, 1; @%p0 bra E; mov.u32 %r1, 1; @%p1 bra L; E: ret;", 4, 4);
    /* continue */
    RECONVERGE("L: @%p0 bra N; mov.u32 %r0, 1; N: @%p1 bra L; ret;", 2, 3);
    /* a loop in a loop */
    RECONVERGE("O: mov.u32 %r0, 0; I: mov.u32 %r1, 0; @%p0 bra I; @%p1 bra O; ret;", 3, 4);
    /* break out of both */
    RECONVERGE("O: mov.u32 %r0, 0;\n"
               "I: @%p2 bra E; @%p0 bra I; @%p1 bra O; mov.u32 %r2, 0; E: ret;",
               5, 5, 5);
    /* two entries: no loop of structured code */
    RECONVERGE("@%p0 bra B; A: mov.u32 %r0, 0; B: @%p1 bra A; ret;", 2, 3);
}

TEST(test_exits)
{
    /* Both arms leave: at the exit only. */
    RECONVERGE("@%p0 bra A; ret; A: exit;", 3);
    /* A guarded ret keeps the others together. */
    RECONVERGE("@%p0 bra A; @%p1 ret; A: mov.u32 %r0, 1; ret;", 2);
    /* Nobody comes back from a trap. */
    RECONVERGE("@%p0 bra A; trap; A: mov.u32 %r0, 1; ret;", 2);
    RECONVERGE("@%p0 bra A; @%p1 bra B; A: ret; B: trap;", 2, 2);
    RECONVERGE("@%p0 bra A; trap; A: trap;", 3);
    /* What cannot be reached does no harm. */
    RECONVERGE("ret; @%p0 bra A; mov.u32 %r0, 1; A: ret;", 3);
}

TEST(test_endless_loops)
{
    RECONVERGE("L: bra L;", 0);
    RECONVERGE("L: mov.u32 %r0, 1; @%p0 bra A; mov.u32 %r1, 1; A: bra L;", 3, 0);
    /* wait, then loop for ever */
    RECONVERGE("W: @%p0 bra W; L: @%p1 bra A; mov.u32 %r1, 1; A: bra L; ret;", 1, 3, 1);
    /* the end of the turn comes first, as nvcc writes it */
    RECONVERGE("bra L; A: mov.u32 %r0, 1; L: @%p0 bra A; mov.u32 %r1, 1; bra A;", 2, 1, 1);
    /* continue: the turn ends where the loop begins */
    RECONVERGE("L: mov.u32 %r0, 1; @%p0 bra L; mov.u32 %r1, 1; @%p1 bra L; trap;", 0, 0);
    RECONVERGE("L: mov.u32 %r0, 1; @%p0 bra L; mov.u32 %r1, 1; bra L;", 0, 0);
    /* a loop with an end in one without; its body is the end of the other's turn */
    RECONVERGE("O: mov.u32 %r0, 0; I: @%p0 bra E; mov.u32 %r1, 0; bra I; E: bra O;", 4, 1, 0);
    /* two loops without an end: nobody meets again */
    RECONVERGE("@%p0 bra B; A: bra A; B: @%p1 bra B; bra B;", 4, 1, 2, 2);
}

TEST(test_tables)
{
    const char *body = "T: .branchtargets A, B, C;\n"
                       "brx.idx %r0, T;\n" /* 0 */
                       "A: mov.u32 %r1, 1; bra E;\n" /* 1, 2 */
                       "B: mov.u32 %r1, 2; bra E;\n" /* 3, 4 */
                       "C: mov.u32 %r1, 3; E: ret;"; /* 5, 6 */
    RECONVERGE(body, 6, 6, 6);
    struct ptx_module *module = parse_body(body);
    const struct ptx_instr *branch = &module->functions[0].instrs[0];
    assert_int_equal(branch->target_count, 3);
    assert_int_equal(branch->targets[0], 1);
    assert_int_equal(branch->targets[1], 3);
    assert_int_equal(branch->targets[2], 5);
    assert_int_equal(branch->operands[1].number, -1);
    ptx_free(module);
    RECONVERGE("{ T: .branchtargets A, E;\n@%p0 brx.idx %r0, T; }\n"
               "mov.u32 %r1, 0; A: mov.u32 %r1, 1; E: ret;",
               3);
}

static const struct ptx_register *reg_named(const struct ptx_function *f, const char *name)
{
    for (int i = 0; i < f->register_count; i++) {
        if (strcmp(f->registers[i].name, name) == 0)
            return &f->registers[i];
    }
    fail_msg("no register %s", name);
    return NULL;
}

TEST(test_slots)
{
    struct ptx_module *module = parse_body("mov.b32 %r7, 1; mov.b64 %d3, 1; mov.b16 %h1, 1;\n"
                                           "mov.f64 %g0, 0d0000000000000000;\n"
                                           "setp.eq.s32 %p5|%p2, %r7, 1; ret;");
    const struct ptx_function *f = &module->functions[0];
    assert_int_equal(f->register_count, 6); /* only those that are used */
    assert_int_equal(reg_named(f, "%r7")->slot, 0);
    assert_int_equal(reg_named(f, "%d3")->slot, 128);
    assert_int_equal(reg_named(f, "%h1")->slot, 128 + 256);
    assert_int_equal(reg_named(f, "%g0")->slot, 128 + 256 + 128);
    assert_int_equal(f->register_file_bytes, 128 + 256 + 128 + 256);
    assert_int_equal(reg_named(f, "%p5")->slot, 0);
    assert_int_equal(reg_named(f, "%p2")->slot, 1);
    assert_int_equal(f->predicate_count, 2);
    ptx_free(module);
}

#define TEN(text) text text text text text text text text text text
#define LONG TEN(TEN("mov.u32 %r50, 1;"))

/* Have %r0 and %r1 the same slot? */
static void expect_shared(bool expected, const char *body)
{
    struct ptx_module *module = parse_body(body);
    const struct ptx_function *f = &module->functions[0];
    if ((reg_named(f, "%r0")->slot == reg_named(f, "%r1")->slot) != expected)
        fail_msg("%%r0 and %%r1 %s share a slot:\n%s", expected ? "do not" : "", body);
    ptx_free(module);
}

TEST(test_shared_slots)
{
    expect_shared(true, "mov.u32 %r0, 1;" LONG "mov.u32 %r1, 1; ret;");
    expect_shared(true, "mov.u32 %r0, 1; st.shared.u32 [s], %r0;" LONG
                        "mov.u32 %r1, 1; st.shared.u32 [s], %r1; ret;");
    expect_shared(false, "mov.u32 %r0, 1;" LONG "add.u32 %r1, %r0, 1; ret;");
    expect_shared(false, "mov.u32 %r0, 1;" LONG "st.shared.u32 [s], %r0; mov.u32 %r1, 1; ret;");
    /* A value of one arm, another of the other. */
    expect_shared(true, "@%p0 bra A; mov.u32 %r0, 1;" LONG "st.shared.u32 [s], %r0; ret;\n"
                        "A:" LONG "mov.u32 %r1, 1; st.shared.u32 [s], %r1; ret;");
    /* It lives through a loop that does not name it, before or behind. */
    expect_shared(false,
                  "bra B; A: mov.u32 %r1, 1;" LONG "@%p0 bra A; st.shared.u32 [s], %r0; ret;\n"
                  "B: mov.u32 %r0, 1; bra A;");
    expect_shared(false, "A: st.shared.u32 [s], %r0;" LONG "mov.u32 %r1, 1; @%p0 bra A; ret;");
    expect_shared(false, "bra B; A: mov.u32 %r1, 1;" LONG "st.shared.u32 [s], %r0; ret;\n"
                         "B: mov.u32 %r0, 1; bra A;");
    /* A guard may leave the value as it was. */
    expect_shared(false, "bra B; A: mov.u32 %r1, 1;" LONG "@%p0 mov.u32 %r0, 2; bra C;\n"
                         "B: mov.u32 %r0, 1; bra A; C: st.shared.u32 [s], %r0; ret;");
    /* Where the clock is read, each has its own. */
    expect_shared(false, "mov.u32 %r0, %clock;" LONG "mov.u32 %r1, 1; ret;");
}

/* Products by four warps read their registers while others are written. */
TEST(test_slots_of_products)
{
    struct ptx_module *module = parse_module(
        ".version 9.0\n.target sm_90a\n.address_size 64\n.entry k() { .reg .b32 %r<99>, %a<4>;\n"
        ".reg .f32 %f<4>; .reg .b64 %d; mov.u64 %d, 0; mov.u32 %r0, 1; mov.u32 %a0, 1;\n"
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f0, %f1, %f2, %f3},\n"
        "{%a0, %a1, %a2, %a3}, %d, 1, 1, 1, 0;\n" LONG "mov.u32 %r1, 1; mov.u32 %r2, 1; ret; }");
    const struct ptx_function *f = &module->functions[0];
    assert_int_equal(reg_named(f, "%r1")->slot, reg_named(f, "%r0")->slot);
    for (int i = 0; i < 4; i++) {
        const char sum[] = {'%', 'f', (char)('0' + i), '\0'}, factor[] = {'%', 'a', sum[2], '\0'};
        assert_int_not_equal(reg_named(f, "%r2")->slot, reg_named(f, sum)->slot);
        assert_int_not_equal(reg_named(f, "%r2")->slot, reg_named(f, factor)->slot);
    }
    ptx_free(module);
}

static void expect_live(int expected, const char *body)
{
    struct ptx_module *module = parse_body(body);
    if (module->functions[0].live_registers != expected)
        fail_msg("%d registers alive, not %d:\n%s", module->functions[0].live_registers, expected,
                 body);
    ptx_free(module);
}

TEST(test_liveness)
{
    expect_live(0, "ret;");
    expect_live(1, "mov.u32 %r0, 1; mov.u32 %r1, 1; ret;"); /* nobody reads them */
    expect_live(2, "mov.u32 %r0, 1; mov.u32 %r1, 1; add.u32 %r2, %r0, %r1; ret;");
    expect_live(3, "mov.u32 %r0, 1; mov.u32 %r1, 1; add.u32 %r2, %r0, %r1;\n"
                   "add.u32 %r2, %r2, %r0; add.u32 %r2, %r2, %r1; ret;");
    expect_live(4, "mov.u64 %d0, 1; mov.u64 %d1, 1; add.u64 %d2, %d0, %d1; ret;");
    expect_live(1, "setp.eq.u32 %p0, %r0, 1; @%p0 mov.u32 %r0, 2; ret;"); /* predicates: none */
    /* %r9 lives through the loop that does not name it. */
    expect_live(3, "mov.u32 %r9, 1; mov.u32 %r0, 0;\n"
                   "L: add.u32 %r1, %r0, 1; add.u32 %r0, %r0, %r1; setp.lt.u32 %p0, %r0, 9;\n"
                   "@%p0 bra L; st.shared.u32 [s], %r9; ret;");
    /* Under a guard the old value may stay: %r0 is alive from the start. */
    expect_live(2, "mov.u32 %r0, 1; mov.u32 %r1, 2; setp.eq.u32 %p0, %r1, 3;\n"
                   "@%p0 mov.u32 %r0, 2; st.shared.u32 [s], %r0; ret;");
    expect_live(1, "mov.u32 %r1, 2; setp.eq.u32 %p0, %r1, 3;\n"
                   "mov.u32 %r0, 2; st.shared.u32 [s], %r0; ret;");
    /* An address counts as what is read, a vector as all of its elements. */
    expect_live(6, "ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%d0];\n"
                   "st.global.v4.u32 [%d0], {%r0, %r1, %r2, %r3}; ret;");
    /* One arm needs two values, the other one. */
    expect_live(2, "mov.u32 %r0, 1; mov.u32 %r1, 1; @%p0 bra A;\n"
                   "add.u32 %r0, %r0, %r1; A: st.shared.u32 [s], %r0; ret;");
}

static const struct ptx_var *var_named(const struct ptx_module *module, const char *name)
{
    for (int i = 0; i < module->var_count; i++) {
        if (strcmp(module->vars[i].name, name) == 0)
            return &module->vars[i];
    }
    fail_msg("no variable %s", name);
    return NULL;
}

TEST(test_parameters)
{
    struct ptx_module *module = parse_module(
        PTX_HEADER ".func (.param .b32 r) f(.param .b8 c, .param .b64 w) {\n"
                   ".local .align 2 .b8 first[3]; .local .f64 second; ret; }\n"
                   ".entry k(.param .u8 x, .param .align 8 .b8 y[12], .param .u32 z) {\n"
                   "{ .param .b8 c; .param .b64 w; .param .b32 r;\n"
                   "  call (r), f, (c, w); } ret; }");
    const struct ptx_function *f = &module->functions[0], *k = &module->functions[1];
    assert_int_equal(f->param_count, 2);
    assert_int_equal(f->params[0].offset, 0);
    assert_int_equal(f->params[1].offset, 8);
    assert_int_equal(f->param_bytes, 16);
    assert_int_equal(f->result_count, 1);
    assert_int_equal(f->results[0].offset, 16);
    assert_int_equal(f->param_frame_bytes, 20);
    assert_int_equal(var_named(module, "first")->offset, 0);
    assert_int_equal(var_named(module, "second")->offset, 8);
    assert_int_equal(f->local_bytes, 16);
    assert_int_equal(k->params[1].offset, 8);
    assert_int_equal(k->params[2].offset, 20);
    assert_int_equal(k->param_bytes, 24);
    assert_int_equal(k->param_frame_bytes, 44); /* c at 24, w at 32, r at 40 */
    ptx_free(module);
}

TEST(test_shared)
{
    struct ptx_module *module = parse_module(
        PTX_HEADER ".shared .b8 unused[100]; .shared .b8 both[3]; .shared .u64 second_only;\n"
                   ".shared .u16 through_call; .extern .shared .align 16 .b8 dynamic[];\n"
                   ".func helper() { .reg .b16 %h; ld.shared.u16 %h, [through_call]; ret; }\n"
                   ".entry first() { .reg .b32 %r; .shared .u32 own;\n"
                   "ld.shared.u8 %r, [both+1]; mov.u32 %r, dynamic; ret; }\n"
                   ".entry second() { .reg .b64 %d; ld.shared.u64 %d, [second_only];\n"
                   "mov.u64 %d, both; call helper; ret; }\n"
                   ".entry third() { ret; }\n");
    const struct ptx_function *first = &module->functions[1], *second = &module->functions[2];
    assert_int_equal(var_named(module, "both")->offset, 0);
    assert_int_equal(var_named(module, "second_only")->offset, 8);
    assert_int_equal(var_named(module, "through_call")->offset, 16);
    assert_int_equal(var_named(module, "own")->offset, 4);
    assert_int_equal(first->shared_bytes, 8);
    assert_int_equal(first->dynamic_shared_offset, 16);
    assert_int_equal(second->shared_bytes, 18);
    assert_int_equal(module->functions[3].shared_bytes, 0);
    assert_true(var_named(module, "dynamic")->is_extern);
    assert_int_equal(var_named(module, "dynamic")->size, 0);
    ptx_free(module);
}

TEST_MAIN()
