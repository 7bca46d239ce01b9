/* SPDX-License-Identifier: MIT */
/* Several texts linked to one module: which definition a name stands for, and what does not link.
 * What is refused here, nvlink refuses of machine code. */
#define _GNU_SOURCE /* asprintf */
#include "ptx_text.h"

#define CALLS_F                                                                 \
    "\n.extern .func f(.param .u32 a);\n.visible .entry k() { .param .u32 p;\n" \
    "st.param.u32 [p], 3; call f, (p); ret; }\n"

enum { MAX_TEXTS = 4 };

static struct ptx_module *link_texts(const char *const *bodies, char *error, size_t size)
{
    char *texts[MAX_TEXTS] = {0};
    int count = 0;

    for (; bodies[count]; count++) {
        assert_true(asprintf(&texts[count], "%s%s", PTX_HEADER, bodies[count]) > 0);
    }
    struct ptx_module *module = ptx_parse((const char *const *)texts, count, error, size);
    while (count)
        free(texts[--count]);
    return module;
}

static struct ptx_module *linked(const char *const *bodies)
{
    char error[256];
    struct ptx_module *module = link_texts(bodies, error, sizeof error);
    if (!module)
        fail_msg("%s", error);
    return module;
}
#define LINKED(...) linked((const char *const[]){__VA_ARGS__, NULL})

static const struct ptx_function *function_of(const struct ptx_module *module, const char *name)
{
    for (int i = 0; i < module->function_count; i++)
        if (!strcmp(module->functions[i].name, name))
            return &module->functions[i];
    fail_msg("no function %s", name);
    return NULL;
}

/* How many variables have that name, and the first of them. */
static int variables_of(const struct ptx_module *module, const char *name,
                        const struct ptx_var **first)
{
    int count = 0;
    *first = NULL;
    for (int i = module->var_count - 1; i >= 0; i--) {
        if (strcmp(module->vars[i].name, name) != 0)
            continue;
        *first = &module->vars[i];
        count++;
    }
    return count;
}

TEST(test_functions)
{
    static const char *const definition = ".visible .func f(.param .u32 b) { ret; }";
    for (int swapped = 0; swapped < 2; swapped++) {
        struct ptx_module *module =
            swapped ? LINKED(definition, CALLS_F) : LINKED(CALLS_F, definition);
        assert_int_equal(module->function_count, 2);
        const struct ptx_function *f = function_of(module, "f"), *k = function_of(module, "k");
        assert_true(f->has_body && k->has_body);
        assert_string_equal(f->params[0].name, "b");
        assert_int_equal(k->instrs[1].operands[1].number, f - module->functions);
        ptx_free(module);
    }
}

/* Two texts, each with a function, a variable and labels of the same name. */
TEST(test_own)
{
    static const char one[] = ".global .u32 v = 1; .func f() { bra L; L: ret; }\n"
                              ".visible .entry k() { call f; ret; }";
    static const char two[] = ".global .u32 v = 2; .func f() { ret; }\n"
                              ".visible .entry l() { call f; ret; }";
    struct ptx_module *module = LINKED(one, two);
    const struct ptx_var *v;
    assert_int_equal(module->function_count, 4);
    assert_int_equal(variables_of(module, "v", &v), 2);
    assert_int_equal(v[0].init[0], 1);
    assert_int_equal(v[1].init[0], 2);
    assert_int_equal(function_of(module, "k")->instrs[0].operands[1].number, 0);
    assert_int_equal(function_of(module, "l")->instrs[0].operands[1].number, 2);
    ptx_free(module);

    /* A name of one's own is no definition for the others. */
    module = LINKED(CALLS_F, ".func f(.param .u32 a) { ret; }");
    assert_false(function_of(module, "f")->has_body);
    ptx_free(module);
}

static void expect_variable(struct ptx_module *module, int bytes, int value)
{
    const struct ptx_var *v;
    assert_int_equal(variables_of(module, "v", &v), 1);
    assert_false(v->is_extern);
    assert_int_equal(v->size, bytes);
    assert_int_equal(v->init ? v->init[0] : 0, value);
    ptx_free(module);
}

TEST(test_variables)
{
    expect_variable(LINKED(".extern .global .u32 v;", ".visible .global .u32 v = 3;"), 4, 3);
    expect_variable(LINKED(".visible .global .u32 v = 3;", ".extern .global .u32 v;"), 4, 3);
    expect_variable(LINKED(".extern .global .u32 v[];", ".visible .global .u32 v[2] = {3, 4};"), 8,
                    3);
    expect_variable(LINKED(".extern .global .u32 v; .visible .global .u32 v = 3;"), 4, 3);
    expect_variable(LINKED(".weak .global .u32 v = 1;", ".visible .global .u32 v = 3;"), 4, 3);
    expect_variable(LINKED(".visible .global .u32 v = 3;", ".weak .global .u32 v = 1;"), 4, 3);
    expect_variable(LINKED(".weak .global .u32 v = 1;", ".weak .global .u32 v = 3;"), 4, 1);
    expect_variable(LINKED(".common .global .u32 v;", ".common .global .u64 v;"), 8, 0);
    expect_variable(LINKED(".common .global .u64 v;", ".common .global .u32 v;"), 8, 0);
    expect_variable(LINKED(".common .global .u32 v;", ".visible .global .u64 v = 3;"), 8, 3);
    expect_variable(LINKED(".visible .global .u64 v = 3;", ".common .global .u32 v;"), 8, 3);
}

TEST(test_addresses)
{
    struct ptx_module *module = LINKED(
        ".extern .global .u32 v; .extern .func f();\n"
        ".visible .global .u64 p[3] = {generic(v), generic(v)+4, f};",
        ".visible .func f() { ret; } .visible .global .u64 q = f;", ".visible .global .u32 v = 3;");
    const struct ptx_var *p, *q, *v;
    assert_int_equal(variables_of(module, "p", &p), 1);
    assert_int_equal(variables_of(module, "q", &q), 1);
    assert_int_equal(variables_of(module, "v", &v), 1);
    assert_int_equal(p->relocation_count, 3);
    assert_int_equal(p->relocations[0].var, v - module->vars);
    assert_int_equal(p->relocations[1].var, v - module->vars);
    /* A function has one address, whoever takes it. */
    assert_int_equal(p->relocations[2].var, q->relocations[0].var);
    assert_int_equal(module->vars[q->relocations[0].var].function,
                     1 + function_of(module, "f") - module->functions);
    ptx_free(module);
}

TEST(test_weak_functions)
{
    static const char once[] = ".weak .func f() { trap; ret; }";
    static const char twice[] = ".weak .func f() { { trap; } trap; ret; }";
    struct ptx_module *module = LINKED(once, twice);
    assert_int_equal(function_of(module, "f")->instr_count, 2);
    ptx_free(module);
    module = LINKED(once, ".visible .func f() { ret; }", twice);
    assert_int_equal(function_of(module, "f")->instr_count, 1);
    ptx_free(module);

    /* A kernel made of a template, with its shared memory. */
    static const char kernel[] = ".weak .shared .u32 s[8]; .weak .entry k(.param .u32 n)\n"
                                 ".maxntid 64 { .reg .u32 %r; ld.shared.u32 %r, [s]; ret; }";
    module = LINKED(kernel, kernel);
    assert_int_equal(module->function_count, 1);
    const struct ptx_function *k = function_of(module, "k");
    assert_int_equal(k->shared_bytes, 32);
    assert_int_equal(k->param_bytes, 4);
    assert_int_equal(k->max_threads[0], 64);
    ptx_free(module);
}

TEST(test_files)
{
    struct ptx_module *module =
        LINKED(".file 1 \"a.cu\"\n.visible .entry k() { .loc 1 5 1\nret; }",
               ".file 1 \"b.cu\"\n.visible .entry l() { .loc 1 5 1\nret; }");
    char place[64];
    ptx_where(module, &function_of(module, "k")->instrs[0], false, place, sizeof place);
    assert_string_equal(place, "a.cu:5");
    ptx_where(module, &function_of(module, "l")->instrs[0], false, place, sizeof place);
    assert_string_equal(place, "b.cu:5");
    ptx_free(module);
}

static const struct {
    const char *first, *second, *message;
} wrong[] = {
    {".visible .global .u32 v;", "\n.visible .global .u32 v;",
     "object 2, line 5: two objects of the program define 'v'"},
    {".extern .global .u32 v;", ".visible .global .u64 v;",
     "object 2, line 4: 'v' has 8 bytes here and 4 there"},
    {".weak .global .u32 v;", ".weak .global .u64 v;",
     "object 2, line 4: 'v' has 8 bytes here and 4 there"},
    {".common .global .u64 v;", ".visible .global .u32 v;",
     "object 2, line 4: 'v' has 4 bytes here and 8 there"},
    {".extern .global .u32 v;", ".visible .const .u32 v;",
     "object 2, line 4: 'v' is in .const here and in .global there"},
    {".visible .global .u32 v;", ".visible .func v() { ret; }",
     "object 2, line 4: 'v' is a variable here and a function there"},
    {".common .const .u32 v;", "", "object 1, line 4: expected '.global', not '.const'"},
    {"", "frob", "object 2, line 4: expected a directive, not 'frob'"},
};

TEST(test_refused)
{
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char error[256] = "";
        struct ptx_module *module = link_texts(
            (const char *const[]){wrong[i].first, wrong[i].second, NULL}, error, sizeof error);
        if (module && wrong[i].message) /* where only a function fails */
            for (int k = 0; k < module->function_count && !*error; k++)
                if (module->functions[k].error)
                    snprintf(error, sizeof error, "%s", module->functions[k].error);
        assert_string_equal(error, wrong[i].message);
        ptx_free(module);
    }
}

/* Only kernels that need the function cannot run. */
TEST(test_defined_twice)
{
    struct ptx_module *module = LINKED(".visible .func f() { ret; } .visible .entry k() { ret; }",
                                       ".visible .func f() { ret; }");
    assert_string_equal(function_of(module, "f")->error,
                        "object 2, line 4: two objects of the program define 'f'");
    assert_null(function_of(module, "k")->error);
    ptx_free(module);
}

TEST_MAIN()
