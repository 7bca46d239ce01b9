/* SPDX-License-Identifier: MIT */
/* What becomes of a value that was loaded: whether it decides anything, and where it is stored. */
#include "ptx_text.h"

#include "check/data_flow.h"

/* Instruction `n` of this opcode in the kernel, from 0. */
static const struct ptx_instr *instr_of(const struct ptx_function *function, enum opcode opcode,
                                        int n)
{
    for (int i = 0; i < function->instr_count; i++)
        if (function->instrs[i].opcode == opcode && n-- == 0)
            return &function->instrs[i];
    fail_msg("no such instruction");
    return NULL;
}

/* Is what the first load of `body` brings compared? */
static void expect_decides(const char *body, bool expected)
{
    struct ptx_module *module = parse_body(body);
    const struct ptx_function *function = &module->functions[module->function_count - 1];

    if (decides(function, instr_of(function, OP_LD, 0)) != expected)
        fail_msg("expected %d of: %s", expected, body);
    ptx_free(module);
}

TEST(test_decides)
{
    expect_decides("ld.global.u32 %r1, [%d1];\nst.global.u32 [%d2], %r1;", false);
    expect_decides("ld.global.u32 %r1, [%d1];\nsetp.eq.u32 %p1, %r1, 3;", true);
    expect_decides("ld.global.u32 %r1, [%d1];\nsetp.eq.u32 %p1, %r2, 3;", false);
    expect_decides("ld.global.u32 %r1, [%d1];\nsetp.eq.u32 %p1, 3, %r1;", true);
    expect_decides("ld.global.u32 %r1, [%d1];\nset.eq.u32.u32 %r3, %r1, 3;", true);
    expect_decides("ld.global.u32 %r1, [%d1];\nslct.u32.s32 %r3, 1, 2, %r1;", true);
    expect_decides("ld.global.u32 %r1, [%d1];\nmatch.any.sync.b32 %r3, %r1, -1;", true);
    expect_decides("ld.global.f32 %f1, [%d1];\ntestp.infinite.f32 %p1, %f1;\n"
                   "vote.sync.any.pred %p2, %p1, -1;",
                   true);
    expect_decides("ld.global.u32 %r1, [%d1];\nst.global.u32 [%d2], %r1;\n"
                   "setp.eq.u32 %p1, %r2, 3;\nvote.sync.any.pred %p2, %p1, -1;",
                   false);
}

/* Through other registers, whatever stands in front, and parts of vectors and pairs. */
TEST(test_decides_later)
{
    expect_decides("ld.global.u32 %r1, [%d1];\nadd.u32 %r2, %r1, 1;\nmul.lo.u32 %r3, %r4, %r2;\n"
                   "setp.eq.u32 %p1, %r3, 3;",
                   true);
    expect_decides("LOOP: setp.eq.u32 %p1, %r3, 3;\nadd.u32 %r3, %r2, 1;\nadd.u32 %r2, %r1, 1;\n"
                   "ld.global.u32 %r1, [%d1];\n@%p1 bra LOOP;",
                   true);
    expect_decides("ld.global.v2.u32 {%r1, %r2}, [%d1];\nsetp.eq.u32 %p1, %r2, 3;", true);
    expect_decides("ld.global.v2.u32 {%r1, %r2}, [%d1];\nsetp.eq.u32 %p1, %r1, 3;", true);
    expect_decides("ld.global.u32 %r1, [%d1];\nmov.b64 %d3, {%r2, %r1};\nsetp.eq.u64 %p1, %d3, 3;",
                   true);
    expect_decides("ld.global.u64 %d3, [%d1];\nmov.b64 {%r1, %r2}, %d3;\nsetp.eq.u32 %p1, %r2, 3;",
                   true);
    expect_decides("ld.global.u32 %r1, [%d1];\nshfl.sync.idx.b32 %r2|%p2, %r1, 0, 31, -1;\n"
                   "setp.eq.u32 %p1, %r2, 3;",
                   true);
    expect_decides("ld.global.u32 %r1, [%d1];\nst.global.u32 [%d2], %r1;\n"
                   "ld.global.u32 %r2, [%d2];\nsetp.eq.u32 %p1, %r2, 3;",
                   false);
    expect_decides("ld.global.u32 %r1, [%d1];\nred.global.add.u32 [%d2], %r1;\n"
                   "setp.eq.u64 %p1, %d2, 3;",
                   false);
}

/* What another function gets may be compared there. */
TEST(test_handed_on)
{
    static const char *const function =
        PTX_HEADER ".func (.param .b32 result) f(.param .b64 word) {\n"
                   ".reg .b32 %r<9>; .reg .b64 %d<9>;\n"
                   "ld.param.u64 %d1, [word];\nld.volatile.global.u32 %r1, [%d1];\n"
                   "st.param.b32 [result], %r1;\nret;\n}\n";
    struct ptx_module *module = parse_module(function);

    assert_true(decides(&module->functions[0], instr_of(&module->functions[0], OP_LD, 1)));
    ptx_free(module);
}

/* The load that the last store of `body` updates: its number, or -1. */
static void expect_updates(const char *body, int number)
{
    struct ptx_module *module = parse_body(body);
    const struct ptx_function *function = &module->functions[module->function_count - 1];
    const struct ptx_instr *load = updated_by(function, instr_of(function, OP_ST, 0));

    if (load != (number < 0 ? NULL : instr_of(function, OP_LD, number)))
        fail_msg("expected load %d of: %s", number, body);
    ptx_free(module);
}

TEST(test_updates)
{
    expect_updates("ld.global.u32 %r1, [%d1+4];\nadd.u32 %r2, %r1, 1;\n"
                   "st.global.u32 [%d1+4], %r2;",
                   0);
    expect_updates("ld.global.u32 %r1, [%d1];\nld.global.u32 %r3, [%d1+4];\n"
                   "add.u32 %r2, %r1, 1;\nst.global.u32 [%d1], %r2;",
                   0);
    expect_updates("ld.global.u32 %r1, [%d1];\nadd.u32 %r2, %r1, 1;\n"
                   "st.global.u32 [%d1+4], %r2;",
                   -1);
    expect_updates("ld.global.u32 %r1, [%d1];\nadd.u32 %r2, %r1, 1;\nst.global.u32 [%d2], %r2;",
                   -1);
    expect_updates("ld.shared.u32 %r1, [%d1];\nadd.u32 %r2, %r1, 1;\nst.global.u32 [%d1], %r2;",
                   -1);
    expect_updates("ld.shared.u32 %r1, [s];\nadd.u32 %r2, %r1, 1;\nst.shared.u32 [s], %r2;", 0);
    expect_updates("ld.global.u32 %r1, [%d1];\nst.global.u32 [%d1], %r2;", -1);
    expect_updates("st.global.u32 [%d1], %r1;\nld.global.u32 %r1, [%d1];", -1);
    /* The nearest load whose value gets there. */
    expect_updates("ld.global.u32 %r1, [%d1];\nadd.u32 %r2, %r1, 1;\nld.global.u32 %r3, [%d1];\n"
                   "st.global.u32 [%d1], %r2;",
                   0);
}

TEST_MAIN()
