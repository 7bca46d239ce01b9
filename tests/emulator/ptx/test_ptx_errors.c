/* SPDX-License-Identifier: MIT */
/* PTX as text: every way to be refused, and what is said then. */
#include "ptx_text.h"

/* Wrong lines of a kernel, and what is said of them. */
static const struct {
    const char *body, *message;
} wrong_bodies[] = {
    {"frobnicate %r1;", "line 7: unknown instruction 'frobnicate'"},
    {"add.wobbly.s32 %r1, %r2, %r3;", "line 7: unknown modifier '.wobbly' of 'add'"},
    {"multimem.red.weak.global.add.u32 [%d1], %r1;",
     "line 7: unknown instruction 'multimem' (multicast)"},
    {"txq.width.b32 %r1, [%d1+8];",
     "line 7: operand 2 of 'txq.width.b32' must be an address in a register"},
    {"txq.width.b32 %r1, [%f1];",
     "line 7: register '%f1' cannot hold a texture of 'txq.width.b32'"},
    {"txq.level.b32 %r1, [%d1], 0;",
     "line 7: 'txq.level.b32' needs one of .width, .height, .depth"},
    {"suq.filter_mode.b32 %r1, [%d1];", "line 7: unknown modifier '.filter_mode' of 'suq'"},
    {"tld4.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, {%f1, %f2}];",
     "line 7: 'tld4.2d.v4.f32.f32' needs one of .r, .g, .b, .a"},
    {"tex.level.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, {%f1, %f2}];",
     "line 7: 'tex.level.2d.v4.f32.f32' takes 3 operands, not 2"},
    {"tex.2d.f32.f32 %f1, [%d1, {%f1, %f2}];", "line 7: 'tex.2d.f32.f32' needs .v4"},
    {"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1];", "line 7: expected ',', not ']'"},
    {"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, %d1;", "line 7: expected '[', not '%d1'"},
    {"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, {1, %f2}];",
     "line 7: an integer where a value of type .f32 is wanted"},
    {"ld.global.L2::cache_hint.u32 %r1, [%d1], %d2;",
     "line 7: unknown modifier '.L2::cache_hint' of 'ld'"},
    {"add.u31 %r1, %r2, %r3;", "line 7: unknown modifier '.u31' of 'add'"},
    {"add.sat.sat.s32 %r1, %r2, %r3;", "line 7: modifier '.sat' is written twice"},
    {"ld.global.shared.u32 %r1, [%d1];",
     "line 7: state space '.shared' of an instruction that has one"},
    {"ld.v2.v4.u32 %r1, [%d1];", "line 7: vector size '.v4' of an instruction that has one"},
    {"add.s32.s32.s32.s32.s32 %r1, %r2, %r3;", "line 7: more than 4 types"},
    {"add %r1, %r2, %r3;", "line 7: 'add' names 0 types, 'add' takes 1"},
    {"cvt.u32 %r1, %r2;", "line 7: 'cvt.u32' names 1 types, 'cvt' takes 2"},
    {"add.pred %p1, %p2, %p3;", "line 7: 'add' does not take type .pred"},
    {"add.hi.s32 %r1, %r2, %r3;", "line 7: unknown modifier '.hi' of 'add'"},
    {"mul.lo.hi.s32 %r1, %r2, %r3;",
     "line 7: '.lo' and '.hi' of 'mul.lo.hi.s32' exclude each other"},
    {"mul.s32 %r1, %r2, %r3;", "line 7: 'mul.s32' needs one of .lo, .hi"},
    {"mul.s32.lo %r1, %r2, %r3;", "line 7: '.lo' of 'mul.s32.lo' belongs right behind 'mul'"},
    {"add.sat.u32 %r1, %r2, %r3;", "line 7: '.sat' does not go with the rest of 'add.sat.u32'"},
    {"ld.volatile.local.u32 %r1, [0];",
     "line 7: '.volatile' does not go with the rest of 'ld.volatile.local.u32'"},
    {"shl.rn.b32 %r1, %r2, %r3;", "line 7: unknown modifier '.rn' of 'shl'"},
    {"mov.sat.u32 %r1, %r2;", "line 7: unknown modifier '.sat' of 'mov'"},
    {"bra.rn.acq_rel L;", "line 7: unknown modifier '.rn' of 'bra'"},
    {"and.global.b32 %r1, %r2, %r3;", "line 7: unknown modifier '.global' of 'and'"},
    {"shfl.sync.up.down.b32 %r1, %r2, 1, 0, -1;",
     "line 7: '.up' and '.down' of 'shfl.sync.up.down.b32' exclude each other"},
    {"min.ca.f32 %f1, %f2, %f3;", "line 7: unknown modifier '.ca' of 'min'"},
    {"div.f32 %f1, %f2, %f3;", "line 7: 'div.f32' needs one of .approx, .full"},
    {"redux.sync.add.u32 %r1, %r2, -1;", "line 7: 'redux.sync.add.u32' needs .target sm_80"},
    {"shfl.up.b32 %r1, %r2, 1, 0;", "line 7: 'shfl.up.b32' is gone since .target sm_70"},
    {"bar.sync 16;", "line 7: operand 1 of 'bar.sync' is 16 (allowed: 0 to 15)"},
    {"bar.sync 0, 33;", "line 7: operand 2 of 'bar.sync' is 33 (allowed: multiples of 32)"},
    {"lop3.b32 %r1, %r2, %r3, %r4, %r5;", "line 7: operand 5 of 'lop3.b32' must be a constant"},
    {"elect.sync %r1, -1;", "line 7: 'elect.sync' needs .target sm_90"},
    {"ldmatrix.sync.aligned.m8n8.x1.shared.b16 %r1, [%d1];",
     "line 7: operand 1 of 'ldmatrix.sync.aligned.m8n8.x1.shared.b16' must be a vector in braces"},
    {"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1}, [%d1];",
     "line 7: operand 1 of 'ldmatrix.sync.aligned.m8n8.x2.shared.b16' must be a vector of as many "
     "elements as '.x' says"},
    {"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {_}, [%d1];",
     "line 7: operand 1 of 'ldmatrix.sync.aligned.m8n8.x1.shared.b16' must be a vector with a "
     "register in it"},
    {".reg .u32 u; ld.shared.v2.b32 {%f1, u}, [%d1];",
     "line 7: operand 1 of 'ld.shared.v2.b32' must be a vector without an integer register beside "
     "a float one"},
    {"stmatrix.sync.aligned.m8n8.x1.shared.b16 [%d1], {%r1};",
     "line 7: 'stmatrix.sync.aligned.m8n8.x1.shared.b16' needs .target sm_90"},
    {"add.s32 %r1, %tid.x, %r3;", "line 7: operand 2 of 'add.s32' must be a value"},
    {"\nadd.s32 %r1, %r2;", "line 8: 'add.s32' takes 3 operands, not 2"},
    {"bar.sync 0, 32, 32;", "line 7: 'bar.sync' takes 1 to 2 operands, not 3"},
    {"bar.red.popc.u32 %r1, %p1;", "line 7: 'bar.red.popc.u32' takes 3 to 4 operands, not 2"},
    {"add.s32 %r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1;", "line 7: more than 8 operands"},
    {"add.s32 %r1, %r2, %x;", "line 7: '%x' is not declared"},
    {"mov.u32 %r99, 0;", "line 7: '%r99' is not declared"},
    {"mov.u32 %r01, 0;", "line 7: '%r01' is not declared"},
    {"mov.u32 %r1, %tid.w;", "line 7: '%tid' is not declared"},
    {"@s ret;", "line 7: 's' is not a register"},
    {"@%r1 ret;", "line 7: guard '%r1' is not a predicate"},
    {"add.s32 1, %r2, %r3;", "line 7: operand 1 of 'add.s32' must be a register"},
    {"mov.u32 %tid.x, 1;", "line 7: operand 1 of 'mov.u32' must be a register"},
    {"add.s32 %r1, %d2, %r3;", "line 7: operand 2 of 'add.s32' has 4 bytes, register '%d2' 8"},
    {"ld.global.u64 %r1, [%d1];",
     "line 7: operand 1 of 'ld.global.u64' has 8 bytes, register '%r1' 4"},
    {"add.s32 %r1, %p1, %r3;", "line 7: operand 2 of 'add.s32' must be a value, not a predicate"},
    {"selp.b32 %r1, %r2, %r3, %r4;", "line 7: operand 4 of 'selp.b32' must be a predicate"},
    {"and.pred %p1, %p2, %tid.x;", "line 7: operand 3 of 'and.pred' must be a predicate"},
    {"add.s32 %r1, !%r2, %r3;",
     "line 7: operand 2 of 'add.s32' must be a value as it is, without '!'"},
    {"add.s32 %r1, _, %r3;", "line 7: operand 2 of 'add.s32' must be a value"},
    {"add.s32 %r1, [%d1], %r3;", "line 7: operand 2 of 'add.s32' must be a value"},
    {"add.s32 %r1|%p1, %r2, %r3;",
     "line 7: operand 1 of 'add.s32' must be one register, not a pair"},
    {"add.s32 {%r1, %r2}, %r2, %r3;",
     "line 7: operand 1 of 'add.s32' must be a value, not a vector"},
    {"ld.global.v4.u32 {%r1, %r2}, [%d1];",
     "line 7: operand 1 of 'ld.global.v4.u32' must be a vector of as many elements as '.v' says"},
    {"ld.global.v2.u32 %r1, [%d1];",
     "line 7: operand 1 of 'ld.global.v2.u32' must be a vector in braces"},
    {"mov.b64 {%r1, %r2, %r3}, %d1;", "line 7: a vector of 3 elements"},
    {"ld.global.u32 %r1, %d1;",
     "line 7: operand 2 of 'ld.global.u32' must be an address in brackets"},
    {"ld.global.u32 %r1, [%h1];",
     "line 7: register '%h1' cannot hold an address of 'ld.global.u32'"},
    {"ld.global.u32 %r1, [k];", "line 7: 'k' has no address"},
    {"ld.global.u32 %r1, [nowhere];", "line 7: 'nowhere' is not declared"},
    {"mov.f32 %f1, 1;", "line 7: an integer where a value of type .f32 is wanted"},
    {"mov.u32 %r1, 1.5;", "line 7: '1.5' is not a value of type .u32"},
    {"add.f16 %h1, %h2, 0f3F800000;", "line 7: '0f3F800000' is not a value of type .f16"},
    {"mov.u32 %r1, 0x;", "line 7: malformed number '0x'"},
    {"mov.u32 %r1, 089;", "line 7: malformed number '089'"},
    {"mov.f32 %f1, 0f3F8;", "line 7: malformed number '0f3F8'"},
    {"mov.u32 %r1, 12ab;", "line 7: malformed number '12ab'"},
    {"mov.u64 %d1, 18446744073709551616;", "line 7: number larger than 64 bits"},
    {"mov.u32 %r1, 1 / 0;", "line 7: division by 0 in an expression"},
    {"mov.u32 %r1, 1 % 0;", "line 7: division by 0 in an expression"},
    {"mov.u32 %r1, 1 ? 2 : 3 / 0;", "line 7: division by 0 in an expression"},
    {"mov.u32 %r1, (.u32)1;", "line 7: expected a number, not '.u32'"},
    {"mov.u32 %r1, 1 ? 2;", "line 7: expected ':', not ';'"},
    {"mov.u32 %r1, # 1;", "line 7: unexpected character '#'"},
    {"mov.u32 %r1, \xC3;", "line 7: unexpected byte 0xC3"},
    {"mov.u32 %r1, \"x;\n", "line 7: string without an end"},
    {"mov.u32 %r1, \"x\\\"", "line 7: string without an end"},
    {"mov.u32 %r1, \"x\\\n\";", "line 7: string without an end"},
    {"/* for ever", "line 7: comment without an end"},
    {"bra NOWHERE;", "line 7: label 'NOWHERE' is not defined"},
    {"{ L: ret; }\nbra L;", "line 8: label 'L' is not defined"},
    {"L: ret;\nL: ret;", "line 8: label 'L' is defined twice"},
    {"L: brx.idx %r1, L;", "line 7: 'L' is not a list of .branchtargets"},
    {"T: .branchtargets T;", "line 7: 'T' is not a label"},
    {"T: .branchtargets L; L: bra T;", "line 7: 'T' is not a label"},
    {"bra 5;", "line 7: expected a label, not '5'"},
    {".reg .b32 %r<3>;", "line 7: '%r' is declared twice"},
    {".reg .b32 %r5;", "line 7: '%r5' is declared twice"},
    {".reg .b32 x3; .reg .b32 x<4>;", "line 7: 'x' is declared twice"},
    {"add.s32 %r1, %r2, %f1;",
     "line 7: operand 3 of 'add.s32' is of type .s32, register '%f1' of type .f32"},
    {".reg .b32 x, x;", "line 7: 'x' is declared twice"},
    {".reg .q32 x;", "line 7: expected a type, not '.q32'"},
    {".shared .u32 s;", "line 7: 's' is declared twice"},
    {".shared .pred x;", "line 7: expected a type of a variable, not 'x'"},
    {".local .b8 x[];", "line 7: array 'x' has no length"},
    {".local .align 3 .b8 x[4];", "line 7: alignment 3 is not a power of two up to 65536"},
    {".local .b8 x[99999999999999];", "line 7: array too large"},
    {".wobbly 3;", "line 7: unknown directive '.wobbly'"},
    {".loc 1 2;", "line 7: expected a column number, not ';'"},
    {".loc 1 2 3, inlined 4 5 6\n",
     "line 7: expected 'function_name' or 'inlined_at', not 'inlined'"},
    {".loc 99999999 2 3\n", "line 7: a file number of 99999999 is too large"},
    {"call nobody;", "line 7: 'nobody' is not declared"},
    {"call %r1;", "line 7: expected a function or a 64-bit register before it, not ';'"},
    {"call %d1;", "line 7: expected ',', not ';'"},
    {"call %d1, P;", "line 7: 'P' is no .callprototype or .calltargets"},
    {"P: ret; call %d1, P;", "line 7: 'P' is no .callprototype or .calltargets"},
    {"call s;", "line 7: 's' is not a function"},
    {"call k;", "line 7: 'k' has 3 parameters, the call 0"},
    {"call (n), k;", "line 7: 'k' has 0 results, the call 1"},
    {"call k, (a, n, b);", "line 7: 'n' of 4 bytes does not fit 'b' of 12"},
    {"call k, (%r1);", "line 7: '%r1' is not a .param variable"},
    {"ret\n", "line 9: expected ';', not '}'"},
    {"mov.u32 %r1, 1\n", "line 9: expected ';', not '}'"},
    {"ret;;", "line 7: expected an instruction, not ';'"},
    {"mov.u32 %r1, ;", "line 7: expected a number, not ';'"},
    {"ret; )", "line 7: expected an instruction, not ')'"},
    {"{", "line 9: expected an instruction, not the end of the text"},
};

/* Wrong texts behind the three lines of a header. */
static const struct {
    const char *text, *message;
} wrong_modules[] = {
    {".version 7.0", "line 4: unknown directive '.version'"},
    {".global .u32 x = 1.5;", "line 4: '1.5' is not a value of type .u32"},
    {".global .f32 x = 1;", "line 4: expected a floating-point number, not '1'"},
    {".global .u32 x = y;", "line 4: 'y' is not declared"},
    {".global .u32 y, x = y;", "line 4: an address does not fit type .u32"},
    {".func f; .global .u32 x = f;", "line 4: an address does not fit type .u32"},
    {".global .u8 x[2] = {1, 2, 3};", "line 4: 'x' holds 2 bytes, its initial value 3"},
    {".global .u8 x[999999999] = {1};", "line 4: 'x' is too large to be initialised"},
    {".global .attribute(.unified(1,2)) .u8 x;", "line 4: expected '.managed', not '.unified'"},
    {".shared .u32 x = 1;", "line 4: expected ';', not '='"},
    {".local .u32 x;", "line 4: unknown directive '.local'"},
    {".section .text { }", "line 4: expected a section for debuggers, not '.text'"},
    {".section .debug_str {", "line 4: section without an end"},
    {".file 1 name", "line 4: expected a file name, not 'name'"},
    {".address_size 32", "line 4: only 64-bit addresses are supported"},
    {".entry k() { }\n.entry k() { }", "line 5: 'k' is declared twice"},
    {".func k();\n.entry k() { }", "line 5: 'k' is declared twice"},
    {".entry k(.reg .u32 x) { }", "line 4: expected '.param', not '.reg'"},
    {".entry k() .wobbly { }", "line 4: unknown directive '.wobbly'"},
    {".entry k() .maxntid 2000 { }", "line 4: a number of threads of 2000 is too large"},
    {".entry k() .reqntid 32, 0 { }", "line 4: a number of threads of 0"},
    {".entry k() .reqnctapercluster 4, 1, 0 { }", "line 4: a number of blocks of 0"},
    {".entry k() .minnctapersm 0 { }", "line 4: a limit of 0"},
    {".entry k() .maxnreg 0 { }", "line 4: a limit of 0"},
    {".entry k() ret;", "line 4: expected a function's body, not 'ret'"},
    {".entry { }", "line 4: expected a function's name, not '{'"},
    {"ret;", "line 4: expected a directive, not 'ret'"},
    {".entry k() {\n", "line 5: expected an instruction, not the end of the text"},
};

static void expect_error(const char *text, const char *message)
{
    char error[256] = "";
    struct ptx_module *parsed = parse_ptx(text, error, sizeof error);
    assert_null(parsed);
    assert_string_equal(error, message);
}

TEST(test_errors)
{
    char text[2048];
    for (size_t i = 0; i < sizeof wrong_bodies / sizeof *wrong_bodies; i++) {
        snprintf(text, sizeof text, "%s%s\n}\n", PTX_KERNEL, wrong_bodies[i].body);
        expect_error(text, wrong_bodies[i].message);
    }
    for (size_t i = 0; i < sizeof wrong_modules / sizeof *wrong_modules; i++) {
        snprintf(text, sizeof text, "%s%s", PTX_HEADER, wrong_modules[i].text);
        expect_error(text, wrong_modules[i].message);
    }
    expect_error("", "line 1: expected '.version', not the end of the text");
    expect_error(".target sm_75", "line 1: expected '.version', not '.target'");
    expect_error(".version nine", "line 1: expected a version, as in 9.0, not 'nine'");
    expect_error(".version 9.0 .address_size 64", "line 1: no '.target'");
    expect_error(".version 9.0\n.target debug\n", "line 3: '.target' names no sm_ version");
    char tiny[8];
    assert_null(parse_ptx("", tiny, sizeof tiny));
    assert_string_equal(tiny, "line 1:");
    ptx_free(NULL);
}

TEST(test_nesting)
{
    char text[4096];
    size_t used = (size_t)snprintf(text, sizeof text, "%s", PTX_KERNEL);
    memset(text + used, '{', 1000);
    text[used + 1000] = '\0';
    expect_error(text, "line 7: more than 64 scopes inside each other");
    used = (size_t)snprintf(text, sizeof text, "%smov.u32 %%r1, ", PTX_KERNEL);
    memset(text + used, '(', 1000);
    text[used + 1000] = '\0';
    expect_error(text, "line 7: expected a simpler expression, not '('");
    used = (size_t)snprintf(text, sizeof text, "%s.global .u32 x = ", PTX_HEADER);
    memset(text + used, '{', 1000);
    text[used + 1000] = '\0';
    expect_error(text, "line 4: expected a number, not '{'");
}

/* The same bodies in front of two more kernels: each keeps its own error, or none. Only a body
 * without an end takes the module with it. */
TEST(test_errors_of_functions)
{
    int whole = 0;
    for (size_t i = 0; i < sizeof wrong_bodies / sizeof *wrong_bodies; i++) {
        const char *message = wrong_bodies[i].message;
        char text[2048], error[256];
        snprintf(text, sizeof text,
                 "%s%s\n}\n.entry after(.param .u64 a) { .reg .b32 %%r<9>; // }\n"
                 "mov.u32 %%r1, 1; /* { */ @s bra L; L: ret; }\n.entry last() {\n trap; ret;\n}\n",
                 PTX_KERNEL, wrong_bodies[i].body);
        struct ptx_module *module = ptx_parse(&(const char *){text}, 1, error, sizeof error);
        if (!module || module->function_count != 3) { /* a brace, a string, a comment left open */
            print_message("not by itself: %s\n", wrong_bodies[i].body);
            ptx_free(module);
            continue;
        }
        assert_string_equal(module->functions[0].error, message);
        assert_int_equal(module->functions[0].instr_count, 0);
        assert_non_null(strstr(module->functions[1].error, "'s' is not declared"));
        assert_null(module->functions[2].error);
        assert_int_equal(module->functions[2].instr_count, 2);
        ptx_free(module);
        whole++;
    }
    assert_true(whole > (int)(sizeof wrong_bodies / sizeof *wrong_bodies) - 7);
}

/* Beside each other: what cannot be read of one keeps the others whole. */
static struct ptx_module *read_beside(const char *one, char *error, size_t size)
{
    char text[2048];
    snprintf(text, sizeof text, "%s%s\n.entry last() {\n trap; ret;\n}\n", PTX_HEADER, one);
    return ptx_parse(&(const char *){text}, 1, error, size);
}

TEST(test_errors_of_signatures)
{
    static const struct {
        const char *text, *name, *message;
    } wrong[] = {
        {".entry f(.param .u128 a) { /* } */ { ret; } }", "f", "a type"},
        {".visible .entry f(.param .u64 a[2) { ret; }", "f", "expected ']'"},
        {".entry f(.reg .u64 a) .maxntid 32 { ret; }", "f", "expected '.param'"},
        {".func (.param .x a) f(.param .u64 b) { ret; }", "f", "a type"},
        {".extern .func (.param .b32 a) f(.param .x b);", "f", "a type"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char error[256] = "";
        struct ptx_module *module = read_beside(wrong[i].text, error, sizeof error);
        assert_string_equal(error[0] && !module ? error : "", "");
        assert_int_equal(module->function_count, 2);
        assert_string_equal(module->functions[0].name, wrong[i].name);
        assert_non_null(strstr(module->functions[0].error, wrong[i].message));
        assert_int_equal(module->functions[0].param_count, 0);
        assert_null(module->functions[1].error);
        assert_int_equal(module->functions[1].instr_count, 2);
        ptx_free(module);
        assert_null(parse_ptx(strcat(strcpy((char[512]){0}, PTX_HEADER), wrong[i].text), error,
                              sizeof error));
    }
}

/* Whose function is what is left open here? Nobody's: the text is damaged. */
TEST(test_damaged_modules)
{
    static const char *const damaged[] = {
        ".entry f(.param .u64 a) { ret;",
        ".entry f(.param .u64 a) { foo; { ret; }",
        ".entry f(.param .x a",
        ".entry (.param .u64 a) { ret; }",
        ".func (.param .u64 a) 7() { ret; }",
        ".entry f() { ret; } .entry f() { ret; }",
    };
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        char error[256] = "";
        assert_null(read_beside(damaged[i], error, sizeof error));
        assert_memory_equal(error, "line ", 5);
    }
}

/* The address of a function in a variable is that of another variable, one for each function. */
TEST(test_addresses_of_functions)
{
    static const char text[] =
        ".func f() { ret; }\n.global .align 8 .u64 table[2] = {f, 3};\n"
        ".global .align 8 .u64 to_table[2] = {generic(table), f};\n.global .u64 other = 5;";
    char error[256] = "";
    struct ptx_module *module = read_beside(text, error, sizeof error);
    assert_non_null(module);
    assert_int_equal(module->var_count, 4);
    assert_string_equal(module->vars[1].name, "f");
    assert_string_equal(module->functions[module->vars[1].function - 1].name, "f");
    assert_int_equal(module->vars[0].relocation_count, 1);
    assert_int_equal(module->vars[0].relocations[0].var, 1);
    assert_int_equal(module->vars[2].relocation_count, 2);
    assert_int_equal(module->vars[2].relocations[1].var, 1);
    assert_int_equal(module->vars[0].init[8], 3);
    ptx_free(module);
}

TEST_MAIN()
