/* SPDX-License-Identifier: MIT */
/* PTX as text: every form the parser takes, and what it makes of it. */
#include <dirent.h>

#include "print_ptx.h"
#include "ptx_text.h"

static struct ptx_module *module; /* of the test that runs */

static int free_module(void **state)
{
    (void)state;
    ptx_free(module);
    module = NULL;
    return 0;
}

static const struct ptx_function *kernel(const char *body)
{
    module = parse_body(body);
    return &module->functions[0];
}

static void expect_register(const struct ptx_operand *operand, const char *name)
{
    assert_int_equal(operand->kind, OPERAND_REGISTER);
    assert_string_equal(module->functions[0].registers[operand->number].name, name);
}

TEST(test_types)
{
    assert_int_equal(ptx_type_size(PTX_NONE), 0);
    assert_int_equal(ptx_type_size(PTX_PRED), 0);
    assert_int_equal(ptx_type_size(PTX_S8), 1);
    assert_int_equal(ptx_type_size(PTX_BF16X2), 4);
    assert_int_equal(ptx_type_size(PTX_B128), 16);
    assert_true(ptx_type_is_float(PTX_F16));
    assert_false(ptx_type_is_float(PTX_B32));
    assert_true(ptx_type_is_signed(PTX_S64));
    assert_false(ptx_type_is_signed(PTX_U64));
    assert_string_equal(ptx_type_name(PTX_F16X2), "f16x2");
    assert_string_equal(ptx_space_name(PTX_SHARED), "shared");
}

TEST_WITH(test_header, NULL, free_module)
{
    module =
        parse_module("/* a\n comment */ .version 8.7 // another\n"
                     ".target sm_90a, debug\n.address_size 64\n.pragma \"x\", \"y\";\n"
                     ".file 2 \"b.cu\", 17, 18\n"
                     ".section .debug_str {\n$L__info_string0:\n.b8 95,90\n.b32 .debug_abbrev\n}");
    assert_int_equal(module->version_major, 8);
    assert_int_equal(module->version_minor, 7);
    assert_int_equal(module->target.capability, 90);
    assert_true(module->target.own);
    assert_int_equal(module->file_count, 3);
    assert_null(module->files[1]);
    assert_string_equal(module->files[2], "b.cu");
}

/* What nvcc makes of a name that is not plain ASCII. */
TEST_WITH(test_file_names, NULL, free_module)
{
    module = parse_module(PTX_HEADER ".file 1 \"caf\\303\\251 \\347\\233\\256/a.cu\", 17, 18\n"
                                     ".file 2 \"a\\\"b\\\\c\\7\\0101.cu\"\n");
    assert_string_equal(module->files[1], "caf\303\251 \347\233\256/a.cu");
    assert_string_equal(module->files[2], "a\"b\\c\a\b1.cu");
}

TEST_WITH(test_functions, NULL, free_module)
{
    module = parse_module(
        PTX_HEADER ".extern .func (.param .b32 result) vprintf(.param .b64 f, .param .b64 a);\n"
                   ".weak .func later(.param .b64 p) .noreturn;\n"
                   ".visible .entry k(.param .u64 .ptr .global .align 16 p)\n"
                   ".maxntid 256, 2\n.minnctapersm 2 .maxnreg 32 .pragma \"z\";\n{ ret; }\n"
                   ".entry bare .reqntid 64 { }\n"
                   ".func later(.param .b64 q) { ret; }");
    assert_int_equal(module->function_count, 4);
    const struct ptx_function *f = module->functions;
    assert_false(f[0].has_body);
    assert_false(f[0].is_entry);
    assert_int_equal(f[0].result_count, 1);
    assert_int_equal(f[0].param_count, 2);
    assert_true(f[1].has_body);
    assert_string_equal(f[1].params[0].name, "q");
    assert_true(f[2].is_entry);
    assert_int_equal(f[2].max_threads[0], 256);
    assert_int_equal(f[2].max_threads[1], 2);
    assert_int_equal(f[2].max_threads[2], 1);
    assert_int_equal(f[2].required_threads[0], 0);
    assert_int_equal(f[2].params[0].align, 8); /* .align behind .ptr is the pointee's */
    assert_int_equal(f[3].required_threads[0], 64);
    assert_int_equal(f[3].instr_count, 0);
}

TEST_WITH(test_operands, NULL, free_module)
{
    const struct ptx_function *f = kernel("add.s32 %r1, %r2, -5;\n"
                                          "mov.u32 %r1, %tid.y;\n"
                                          "mov.u64 %d1, s+8;\n"
                                          "ld.shared.u32 %r1, [s+4];\n"
                                          "ld.global.v2.u32 {%r1, %r2}, [%d1+-12];\n"
                                          "shfl.sync.down.b32 %r3|%p1, %r4, 1, 31, -1;\n"
                                          "mov.b64 {_, %r5}, %d2;\n"
                                          "selp.b32 %r1, 1, 0, !%p2;\n"
                                          "ld.param.u32 %r1, [n];\n"
                                          "st.local.u8 [16], %h1;\n"
                                          "mov.u32 %r1, WARP_SZ;\n"
                                          "setp.eq.u32 _|%p3, %r1, 0;\n"
                                          "setp.eq.u32 %p4|_, %r1, 0;\n"
                                          "mov.u64 %d1, s-8;\n");
    const struct ptx_instr *i = f->instrs;
    expect_register(&i[0].operands[0], "%r1");
    assert_int_equal(i[0].operands[2].bits, -5);
    assert_int_equal(i[1].operands[1].kind, OPERAND_SPECIAL);
    assert_int_equal(i[1].operands[1].number, SREG_TID_Y);
    assert_int_equal(i[2].operands[1].kind, OPERAND_SYMBOL);
    assert_string_equal(module->vars[i[2].operands[1].number].name, "s");
    assert_int_equal(i[2].operands[1].offset, 8);
    assert_int_equal(i[3].operands[1].kind, OPERAND_ADDRESS);
    assert_int_equal(i[3].operands[1].base, BASE_SYMBOL);
    assert_int_equal(i[3].operands[1].offset, 4);
    assert_int_equal(i[4].operands[0].kind, OPERAND_VECTOR);
    assert_int_equal(i[4].operands[0].count, 2);
    expect_register(&i[4].operands[0].elements[1], "%r2");
    assert_int_equal(i[4].operands[1].base, BASE_REGISTER);
    assert_int_equal(i[4].operands[1].offset, -12);
    assert_int_equal(i[4].vector, 2);
    assert_int_equal(i[5].operands[0].kind, OPERAND_PAIR);
    assert_string_equal(f->registers[i[5].operands[0].second].name, "%p1");
    assert_int_equal(i[6].operands[0].elements[0].kind, OPERAND_SINK);
    assert_true(i[7].operands[3].negated);
    assert_ptr_equal(&module->vars[i[8].operands[1].number], &f->params[2]);
    assert_int_equal(i[9].operands[0].base, BASE_NONE);
    assert_int_equal(i[9].operands[0].offset, 16);
    assert_int_equal(i[10].operands[1].bits, 32);
    assert_int_equal(i[11].operands[0].number, -1);
    assert_int_equal(i[12].operands[0].second, -1);
    assert_int_equal(i[13].operands[1].offset, -8);
}

/* The bits of an immediate: the last operand of `instruction`. */
static void expect_bits(const char *instruction, uint64_t bits)
{
    struct ptx_module *parsed = parse_body(instruction);
    const struct ptx_instr *instr = &parsed->functions[0].instrs[0];
    const struct ptx_operand *operand = &instr->operands[instr->operand_count - 1];
    if (operand->kind == OPERAND_VECTOR)
        operand = &operand->elements[operand->count - 1];
    assert_int_equal(operand->kind, OPERAND_IMMEDIATE);
    if (operand->bits != bits)
        fail_msg("%s: %#llx, not %#llx", instruction, (unsigned long long)operand->bits,
                 (unsigned long long)bits);
    ptx_free(parsed);
}

TEST(test_immediates)
{
    expect_bits("mov.u32 %r1, 42;", 42);
    expect_bits("mov.u32 %r1, 0x2A;", 42);
    expect_bits("mov.u32 %r1, 052;", 42);
    expect_bits("mov.u32 %r1, 0b101010;", 42);
    expect_bits("mov.u32 %r1, 42U;", 42);
    expect_bits("mov.u32 %r1, 0;", 0);
    expect_bits("mov.s64 %d1, -1;", UINT64_MAX);
    expect_bits("mov.u64 %d1, 0xFFFFFFFFFFFFFFFF;", UINT64_MAX);
    expect_bits("mov.s32 %r1, - 7;", (uint64_t)-7);
    expect_bits("mov.u32 %r1, (3 + 4) * 2 - 16 / 2 / 2;", 10);
    expect_bits("mov.u32 %r1, 1 << 4 | ~0 & 3 ^ 1;", 18);
    expect_bits("mov.u32 %r1, 256 >> 4;", 16);
    expect_bits("mov.f32 %f1, 0f3F800000;", 0x3F800000);
    expect_bits("mov.f32 %f1, 0F3f800000;", 0x3F800000);
    expect_bits("mov.f32 %f1, -0f3F800000;", 0xBF800000);
    expect_bits("mov.f32 %f1, 0d3FF8000000000000;", 0x3FC00000);
    expect_bits("mov.f32 %f1, 1.5;", 0x3FC00000);
    expect_bits("mov.f32 %f1, -25e-1;", 0xC0200000);
    expect_bits("mov.f64 %g1, 0d3FF8000000000000;", 0x3FF8000000000000);
    expect_bits("mov.f64 %g1, 0f3FC00000;", 0x3FF8000000000000);
    expect_bits("mov.f64 %g1, -1.5;", 0xBFF8000000000000);
    expect_bits("mov.b32 %r1, 0f3F800000;", 0x3F800000);
    expect_bits("mov.b64 %d1, {%r1, 0f3F800000};", 0x3F800000);
    expect_bits("st.global.v2.f32 [%d1], {%f1, 0f40000000};", 0x40000000);
    expect_bits("slct.f32.s32 %f1, %f2, %f3, -1;", UINT64_MAX);
    expect_bits("shl.b64 %d1, %d2, 3;", 3);
    expect_bits("cvt.rn.f32.s32 %f1, 3;", 3);
    expect_bits("atom.global.add.f32 %f1, [%d1], 0f3F800000;", 0x3F800000);
}

static void expect_modifiers(const struct ptx_instr *instr, const enum modifier *modifiers,
                             int count)
{
    for (int m = 0; m < MODIFIER_COUNT; m++) {
        bool wanted = false;
        for (int i = 0; i < count; i++)
            wanted |= modifiers[i] == (enum modifier)m;
        if (ptx_has(instr, (enum modifier)m) != wanted)
            fail_msg("%s: modifier %d", instr->text, m);
    }
}
#define MODIFIERS_OF(instr, ...)                                  \
    expect_modifiers(instr, (const enum modifier[]){__VA_ARGS__}, \
                     (int)(sizeof(const enum modifier[]){__VA_ARGS__} / sizeof(enum modifier)))

TEST_WITH(test_modifiers, NULL, free_module)
{
    const struct ptx_function *f =
        kernel("ld.global.nc.L1::no_allocate.L2::128B.v4.u32 {%r1, %r2, %r3, %r4}, [%d1];\n"
               "st.volatile.shared::cta.u32 [%d1], %r1;\n"
               "setp.lt.and.s32 %p1, %r1, %r2, %p2;\n"
               "cvt.rn.sat.f32.f64 %f1, %g1;\n"
               "atom.acq_rel.gpu.global.cas.b32 %r1, [%d1], %r2, %r3;\n"
               "mul.wide.s32 %d1, %r1, 4;\n"
               "cvta.to.global.u64 %d1, %d2;\n"
               "bar.warp.sync -1;\n"
               "fence.sc.sys;\n"
               "add .f32 %f1, %f2, %f3;\n");
    const struct ptx_instr *i = f->instrs;
    MODIFIERS_OF(&i[0], MOD_NC);
    assert_int_equal(i[0].space, PTX_GLOBAL);
    assert_int_equal(i[0].vector, 4);
    assert_string_equal(i[0].text, "ld.global.nc.L1::no_allocate.L2::128B.v4.u32");
    MODIFIERS_OF(&i[1], MOD_VOLATILE);
    assert_int_equal(i[1].space, PTX_SHARED);
    MODIFIERS_OF(&i[2], MOD_LT, MOD_AND);
    MODIFIERS_OF(&i[3], MOD_RN, MOD_SAT);
    assert_int_equal(i[3].type_count, 2);
    assert_int_equal(i[3].types[0], PTX_F32);
    assert_int_equal(ptx_type_of(&i[3]), PTX_F64);
    MODIFIERS_OF(&i[4], MOD_ACQ_REL, MOD_GPU, MOD_CAS);
    MODIFIERS_OF(&i[5], MOD_WIDE);
    MODIFIERS_OF(&i[6], MOD_TO);
    assert_int_equal(i[6].space, PTX_GLOBAL);
    MODIFIERS_OF(&i[7], MOD_WARP, MOD_SYNC);
    MODIFIERS_OF(&i[8], MOD_SC, MOD_SYS);
}

TEST_WITH(test_guards, NULL, free_module)
{
    const struct ptx_function *f = kernel("@%p1 ret; @!%p2 ret; ret;");
    assert_string_equal(f->registers[f->instrs[0].guard].name, "%p1");
    assert_false(f->instrs[0].guard_negated);
    assert_true(f->instrs[1].guard_negated);
    assert_int_equal(f->instrs[2].guard, -1);
    assert_int_equal(f->instrs[2].vector, 1);
    assert_int_equal(f->instrs[2].target, -1);
}

TEST_WITH(test_scopes, NULL, free_module)
{
    const struct ptx_function *f = kernel("mov.u32 %r1, 1;\n"
                                          "{ .reg .b64 %r1; .reg .pred p<2>, q; mov.u64 %r1, 1;\n"
                                          "  setp.eq.u32 p1|q, %r2, 0; L: @p1 bra L; }\n"
                                          "{ .reg .b16 p0; mov.b16 p0, 1; L: bra L; bra E; }\n"
                                          "mov.u32 %r1, 2; E: ret;");
    const struct ptx_instr *i = f->instrs;
    assert_int_equal(i[0].operands[0].number, i[7].operands[0].number);
    assert_int_not_equal(i[0].operands[0].number, i[1].operands[0].number);
    assert_int_equal(f->registers[i[1].operands[0].number].type, PTX_B64);
    assert_int_equal(f->registers[i[4].operands[0].number].type, PTX_B16);
    assert_int_equal(i[3].target, 3);
    assert_int_equal(i[5].target, 5);
    assert_int_equal(i[6].target, 8);
}

TEST_WITH(test_labels, NULL, free_module)
{
    const struct ptx_function *f = kernel("$L__BB0_1: @%p1 bra.uni _end; bra $L__BB0_1;\n_end:");
    assert_int_equal(f->instrs[0].target, 2);
    assert_int_equal(f->instrs[0].operands[0].number, 2);
    assert_string_equal(f->instrs[0].operands[0].name, "_end");
    assert_int_equal(f->instrs[1].target, 0);
}

TEST_WITH(test_calls, NULL, free_module)
{
    module = parse_module(PTX_HEADER
                          ".func (.param .b32 r) f(.param .b64 a, .param .align 4 .b8 b[8]);\n"
                          ".func g() { ret; }\n"
                          ".entry k() { .reg .b64 %d;\n"
                          "{ .reg .b32 temp_param_reg; .param .b64 param0; .param .b32 retval0;\n"
                          ".param .align 4 .b8 param1[8];\n"
                          "st.param.b64 [param0+0], %d;\n"
                          "call.uni (retval0),\nf,\n(\nparam0,\nparam1\n);\n"
                          "ld.param.b32 temp_param_reg, [retval0+0]; }\n"
                          "call g; call g, (); ret; }");
    const struct ptx_function *k = &module->functions[2];
    const struct ptx_instr *call = &k->instrs[1];
    assert_int_equal(call->operand_count, 3);
    assert_int_equal(call->operands[0].kind, OPERAND_LIST);
    assert_int_equal(call->operands[0].count, 1);
    assert_string_equal(module->vars[call->operands[0].elements[0].number].name, "retval0");
    assert_int_equal(call->operands[1].kind, OPERAND_FUNCTION);
    assert_string_equal(module->functions[call->operands[1].number].name, "f");
    assert_int_equal(call->operands[2].count, 2);
    assert_true(ptx_has(call, MOD_UNI));
    assert_int_equal(k->instrs[3].operands[0].count, 0);
    assert_int_equal(k->instrs[4].operands[2].count, 0);
    char line[64];
    assert_string_equal(ptx_print(module, k, call, line, sizeof line),
                        "call.uni (retval0), f, (param0, param1);");
    assert_string_equal(ptx_print(module, k, &k->instrs[3], line, sizeof line), "call g;");
}

static const struct ptx_var *var_named(const char *name)
{
    for (int i = 0; i < module->var_count; i++) {
        if (strcmp(module->vars[i].name, name) == 0)
            return &module->vars[i];
    }
    fail_msg("no variable %s", name);
    return NULL;
}

TEST_WITH(test_variables, NULL, free_module)
{
    module = parse_module(
        PTX_HEADER ".visible .global .align 16 .b8 bytes[4] = {1, 255, -1};\n"
                   ".global .u32 counter = 0x01020304, other;\n"
                   ".const .align 4 .f32 weights[2][2] = {{0f3F800000, 1.5}, {-2.0, 0f00000000}};\n"
                   ".global .u64 links[3] = {generic(counter)+4, bytes, counter-1};\n"
                   ".global .attribute(.managed) .align 8 .f64 shared_by_all;\n"
                   ".global .s16 open[] = {1, 2, 3};\n"
                   ".extern .global .align 4 .b8 elsewhere[];\n"
                   ".global .b32 empty[2] = {};\n");
    const struct ptx_var *bytes = var_named("bytes");
    assert_int_equal(bytes->space, PTX_GLOBAL);
    assert_int_equal(bytes->align, 16);
    assert_int_equal(bytes->size, 4);
    assert_memory_equal(bytes->init, "\1\377\377\0", 4);
    assert_memory_equal(var_named("counter")->init, "\4\3\2\1", 4);
    assert_null(var_named("other")->init);
    const struct ptx_var *weights = var_named("weights");
    assert_int_equal(weights->space, PTX_CONST);
    assert_memory_equal(weights->init, ((const float[]){1, 1.5f, -2, 0}), 16);
    const struct ptx_var *links = var_named("links");
    assert_int_equal(links->relocation_count, 3);
    assert_true(links->relocations[0].generic);
    assert_int_equal(links->relocations[0].addend, 4);
    assert_ptr_equal(&module->vars[links->relocations[0].var], var_named("counter"));
    assert_false(links->relocations[1].generic);
    assert_int_equal(links->relocations[1].at, 8);
    assert_int_equal(links->relocations[2].addend, -1);
    assert_int_equal(var_named("shared_by_all")->align, 8);
    assert_int_equal(var_named("open")->size, 6);
    assert_true(var_named("elsewhere")->is_extern);
    assert_non_null(var_named("empty")->init);
}

static void expect_where(const struct ptx_instr *instr, bool outermost, const char *expected)
{
    char where[64];
    assert_string_equal(ptx_where(module, instr, outermost, where, sizeof where), expected);
}

TEST_WITH(test_where, NULL, free_module)
{
    module = parse_module(PTX_HEADER
                          ".entry k() {\n"
                          "ret;\n"
                          ".loc 1 10 5\nret;\n"
                          ".loc 2 20 6, function_name $L__info_string0, inlined_at 1 10 5\nret;\n"
                          ".loc 3 30 7, function_name $L__info_string1+4, inlined_at 2 20 6\nret;\n"
                          ".loc 3 31 7, function_name $L__info_string1, inlined_at 1 11 2\nret;\n"
                          ".loc 4 1 1\nret;\n"
                          ".loc 2 20 6\nret;\n"
                          ".loc 2 0 6\nret; }\n"
                          ".file 1 \"/home/me/sum/v1.cu\"\n.file 2 \"b.h\"\n.file 3 \"x/c.h\"\n");
    const struct ptx_instr *i = module->functions[0].instrs;
    expect_where(&i[0], false, "PTX line 5");
    expect_where(&i[1], false, "sum/v1.cu:10");
    expect_where(&i[2], false, "b.h:20");
    expect_where(&i[2], true, "sum/v1.cu:10");
    expect_where(&i[3], false, "x/c.h:30");
    expect_where(&i[3], true, "sum/v1.cu:10");
    expect_where(&i[4], true, "sum/v1.cu:11");
    expect_where(&i[5], true, "PTX line 15");
    expect_where(&i[7], false, "b.h:20"); /* there is no line 0 */
}

TEST_WITH(test_print, NULL, free_module)
{
    static const char *const lines[] = {
        "@!%p1 add.rn.f32 %f1, %f2, 0f3F800000;",
        "ld.global.v2.f64 {%g1, %g2}, [%d1+-8];",
        "mov.u64 %d1, s+4;",
        "mov.u64 %d1, %clock64;",
        "st.shared.u32 [s], -3;",
        "st.local.u32 [32], %r1;",
        "shfl.sync.idx.b32 %r1|%p1, %r2, 0, 31, -1;",
        "setp.ne.and.s32 %p1|_, %r1, 0, !%p2;",
        "mov.b64 {_, %r1}, %d1;",
        "mov.f64 %g1, 0d3FF0000000000000;",
        "bra END;",
        "bar.sync 0;",
        "END: ret;",
    };
    char body[1024] = "";
    enum { COUNT = sizeof lines / sizeof *lines };
    for (int i = 0; i < COUNT; i++)
        strcat(strcat(body, lines[i]), "\n");
    const struct ptx_function *f = kernel(body);
    char line[128];
    for (int i = 0; i < COUNT - 1; i++) {
        const char *expected = strcmp(lines[i], "ld.global.v2.f64 {%g1, %g2}, [%d1+-8];") == 0
                                   ? "ld.global.v2.f64 {%g1, %g2}, [%d1-8];"
                                   : lines[i];
        assert_string_equal(ptx_print(module, f, &f->instrs[i], line, sizeof line), expected);
        assert_string_equal(f->instrs[i].whole, lines[i]);
    }
    char small[8];
    assert_string_equal(ptx_print(module, f, &f->instrs[2], small, sizeof small), "mov.u64");
}

/* As nvcc lays it out, or whoever else: in one line. */
TEST_WITH(test_whole, NULL, free_module)
{
    module = parse_module(
        PTX_HEADER ".func (.param .b32 r) f(.param .b32 a, .param .b32 b) { ret; }\n"
                   ".visible .entry k() { .reg .b32 %r<9>; .reg .pred %p<9>; .param .b32 x;\n"
                   "\t@%p1 /* so */ add.s32 \t%r1,  %r2, -3; // a sum\n"
                   "call.uni (x),\n\tf, // it\n\t(\n\tx,\n\tx\n\t) ;\n"
                   "{ mov.u32 %r1,0 /**/; } ret; }");
    const struct ptx_instr *i = module->functions[1].instrs;
    assert_string_equal(i[0].whole, "@%p1 add.s32 %r1, %r2, -3;");
    assert_string_equal(i[1].whole, "call.uni (x), f, (x, x);");
    assert_string_equal(i[2].whole, "mov.u32 %r1,0;");
    assert_string_equal(i[3].whole, "ret;");
}

/* All files of a folder of the tests' data. */
static void for_each_text(const char *folder, void (*check)(const char *text))
{
    char path[1024];
    int count = 0;
    snprintf(path, sizeof path, "%s/%s", TEST_DATA, folder);
    DIR *files = opendir(path);
    assert_non_null(files);
    for (struct dirent *entry = readdir(files); entry; entry = readdir(files)) {
        if (!strstr(entry->d_name, ".ptx"))
            continue;
        snprintf(path, sizeof path, "%s/%s/%s", TEST_DATA, folder, entry->d_name);
        char *text = read_text(path);
        check(text);
        free(text);
        count++;
    }
    closedir(files);
    assert_true(count > 0);
}

/* How many instructions each line of a text starts; the caller frees it. */
static int *instructions_per_line(const struct ptx_module *parsed, int lines)
{
    int *counts = calloc((size_t)lines + 2, sizeof *counts);
    assert_non_null(counts);
    for (int i = 0; i < parsed->function_count; i++) {
        const struct ptx_function *f = &parsed->functions[i];
        for (int j = 0; j < f->instr_count; j++)
            counts[f->instrs[j].line]++;
    }
    return counts;
}

static int count_lines(const char *text)
{
    int lines = 1;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static const struct ptx_instr *instr_of_line(const struct ptx_module *parsed, int line,
                                             const struct ptx_function **function)
{
    for (int i = 0; i < parsed->function_count; i++) {
        *function = &parsed->functions[i];
        for (int j = 0; j < (*function)->instr_count; j++) {
            if ((*function)->instrs[j].line == line)
                return &(*function)->instrs[j];
        }
    }
    return NULL;
}

/* `text` with each line that is one whole instruction replaced by what ptx_print() makes of it. */
static char *print_all(const char *text, const struct ptx_module *parsed, int *replaced)
{
    char *copy = calloc(1, 4 * strlen(text) + 1), *to = copy;
    assert_non_null(copy);
    int *counts = instructions_per_line(parsed, count_lines(text));
    int line = 1;
    for (const char *from = text; *from; line++) {
        size_t length = strcspn(from, "\n");
        const char *start = from + strspn(from, " \t");
        size_t rest = length - (size_t)(start - from);
        const char *end = memchr(start, ';', rest);
        bool whole = counts[line] == 1 && end && !memchr(start, '{', strcspn(start, " \t")) &&
                     (*start == '@' || (*start >= 'a' && *start <= 'z')) &&
                     !memchr(end + 1, ';', rest - (size_t)(end + 1 - start));
        if (whole) {
            char printed[256];
            const struct ptx_function *f = NULL;
            const struct ptx_instr *instr = instr_of_line(parsed, line, &f);
            ptx_print(parsed, f, instr, printed, sizeof printed);
            to += sprintf(to, "%s%.*s\n", printed, (int)(from + length - end - 1), end + 1);
            ++*replaced;
        } else {
            to += sprintf(to, "%.*s\n", (int)length, from);
        }
        from += length + (from[length] == '\n');
    }
    free(counts);
    return copy;
}

static void expect_same(const struct ptx_module *a, const struct ptx_module *b)
{
    char left[256], right[256];
    assert_int_equal(a->function_count, b->function_count);
    for (int i = 0; i < a->function_count; i++) {
        const struct ptx_function *f = &a->functions[i], *g = &b->functions[i];
        assert_int_equal(f->instr_count, g->instr_count);
        assert_int_equal(f->live_registers, g->live_registers);
        assert_int_equal(f->register_file_bytes, g->register_file_bytes);
        for (int j = 0; j < f->instr_count; j++) {
            const struct ptx_instr *x = &f->instrs[j], *y = &g->instrs[j];
            assert_string_equal(ptx_print(a, f, x, left, sizeof left),
                                ptx_print(b, g, y, right, sizeof right));
            assert_memory_equal(x->modifiers, y->modifiers, sizeof x->modifiers);
            assert_memory_equal(x->types, y->types, sizeof x->types);
            assert_int_equal(x->target, y->target);
            assert_int_equal(x->reconverge, y->reconverge);
            assert_int_equal(x->location, y->location);
            for (int k = 0; k < x->operand_count; k++) {
                assert_int_equal(x->operands[k].kind, y->operands[k].kind);
                assert_int_equal(x->operands[k].number, y->operands[k].number);
                assert_true(x->operands[k].bits == y->operands[k].bits);
                assert_true(x->operands[k].offset == y->operands[k].offset);
            }
        }
    }
}

static void round_trip(const char *text)
{
    int replaced = 0;
    struct ptx_module *first = parse_module(text);
    char *printed = print_all(text, first, &replaced);
    struct ptx_module *second = parse_module(printed);
    expect_same(first, second);
    assert_true(replaced > 10);
    free(printed);
    ptx_free(first);
    ptx_free(second);
}

TEST(test_round_trip)
{
    for_each_text("ptx/nvcc", round_trip);
}

/* The same numbers every time: Numerical Recipes' linear congruential generator. */
static uint32_t random_below(uint32_t limit)
{
    static uint32_t state = 1;
    state = state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)state * limit >> 32);
}

/* Whatever comes of it, it must be a module that prints, or one line. */
static void parse_anything(const char *text)
{
    char error[160] = "", line[64];
    struct ptx_module *parsed = parse_ptx(text, error, sizeof error);
    if (!parsed) {
        assert_true(strlen(error) > 0);
        assert_null(strchr(error, '\n'));
        return;
    }
    for (int i = 0; i < parsed->function_count; i++) {
        const struct ptx_function *f = &parsed->functions[i];
        for (int j = 0; j < f->instr_count; j++) {
            ptx_print(parsed, f, &f->instrs[j], line, sizeof line);
            ptx_where(parsed, &f->instrs[j], true, line, sizeof line);
        }
    }
    ptx_free(parsed);
}

static void damage(char *text, size_t length)
{
    static const char loose[] = "{}();,.[]%0-9@!|:<>_";
    size_t at = random_below((uint32_t)length), from = random_below((uint32_t)length);
    size_t count = 1 + random_below(20);
    switch (random_below(4)) {
    case 0:
        text[at] = (char)(1 + random_below(255));
        break;
    case 1:
        text[at] = loose[random_below(sizeof loose - 1)];
        break;
    case 2:
        if (at + count < length && from + count < length)
            memmove(text + at, text + from, count);
        break;
    default:
        text[at] = '\0';
    }
}

static void parse_damaged(const char *text)
{
    enum { ROUNDS = 150 };
    size_t length = strlen(text);
    for (int round = 0; round < ROUNDS; round++) {
        char *copy = calloc(1, length + 1);
        assert_non_null(copy);
        memcpy(copy, text, length);
        for (uint32_t edits = 1 + random_below(3); edits > 0; edits--)
            damage(copy, length);
        parse_anything(copy);
        free(copy);
    }
}

TEST(test_damaged)
{
    for_each_text("ptx/nvcc", parse_damaged);
}

/* 100 000 instructions, labels and registers: whatever takes time in squares would not come back
 * before the test's time is up. */
TEST_WITH(test_large, NULL, free_module)
{
    enum { COUNT = 100000, LINE = 96 };
    char *text = malloc((size_t)COUNT * LINE + 256);
    assert_non_null(text);
    char *to = text + sprintf(text, PTX_HEADER ".entry k() { .reg .b32 %%r<%d>; .reg .pred %%p;\n",
                              COUNT + 1);
    for (int i = 0; i < COUNT / 2; i++)
        to += sprintf(to, "L%d: add.s32 %%r%d, %%r%d, 1;\n@%%p bra L%d;\n", i, i + 1, i,
                      i % 2 ? i - 1 : i);
    sprintf(to, "ret; }");
    module = parse_module(text);
    assert_int_equal(module->functions[0].instr_count, COUNT + 1);
    free(text);
}

TEST_MAIN()
