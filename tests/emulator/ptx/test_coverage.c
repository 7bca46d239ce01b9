/* SPDX-License-Identifier: MIT */
/* Every row of the opcode table and every modifier has a test: ptx/OPCODE.ptx for a row, any of the
 * .ptx files for a modifier. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../cmocka_main.h"
#include "ptx_text.h"

/* Modules as parsed, one a .ptx file, without those that hold errors on purpose. */
struct files {
    glob_t paths;
    struct ptx_module **modules;
};

static int set_up(void **state)
{
    struct files *files = calloc(1, sizeof *files);
    char error[512] = "";

    assert_non_null(files);
    assert_int_equal(glob(TEST_DATA "/ptx/*.ptx", 0, NULL, &files->paths), 0);
    files->modules = calloc(files->paths.gl_pathc, sizeof(void *));
    assert_non_null(files->modules);
    for (size_t i = 0; i < files->paths.gl_pathc; i++) {
        char *text = read_text(files->paths.gl_pathv[i]);
        if (!strstr(text, "// error parse"))
            files->modules[i] = parse_ptx(text, error, sizeof error);
        free(text);
    }
    *state = files;
    return 0;
}

static int tear_down(void **state)
{
    struct files *files = *state;

    for (size_t i = 0; i < files->paths.gl_pathc; i++)
        if (files->modules[i])
            ptx_free(files->modules[i]);
    free(files->modules);
    globfree(&files->paths);
    free(files);
    return 0;
}

typedef bool instruction_test(const struct ptx_instr *instr, int wanted);

static bool has_opcode(const struct ptx_instr *instr, int wanted)
{
    return (int)instr->opcode == wanted;
}

static bool has_modifier(const struct ptx_instr *instr, int wanted)
{
    return ptx_has(instr, (enum modifier)wanted);
}

static bool uses(const struct ptx_module *module, instruction_test *test, int wanted)
{
    for (int i = 0; module && i < module->function_count; i++) {
        const struct ptx_function *function = &module->functions[i];
        for (int j = 0; j < function->instr_count; j++)
            if (test(&function->instrs[j], wanted))
                return true;
    }
    return false;
}

static const struct ptx_module *module_named(const struct files *files, const char *name)
{
    char path[512];

    snprintf(path, sizeof path, "%s/ptx/%s.ptx", TEST_DATA, name);
    for (size_t i = 0; i < files->paths.gl_pathc; i++)
        if (strcmp(files->paths.gl_pathv[i], path) == 0)
            return files->modules[i];
    return NULL;
}

TEST(every_opcode_has_its_test)
{
    int missing = 0;

    for (int opcode = 0; opcode < OPCODE_COUNT; opcode++) {
        const char *text = isa_rows[opcode].text;
        if (uses(module_named(*state, text), has_opcode, opcode))
            continue;
        print_error("ptx/%s.ptx does not test '%s'\n", text, text);
        missing++;
    }
    assert_int_equal(missing, 0);
}

TEST(every_modifier_is_used)
{
    const struct files *files = *state;
    int missing = 0;

    for (int modifier = 0; modifier < MODIFIER_COUNT; modifier++) {
        bool used = false;
        for (size_t i = 0; i < files->paths.gl_pathc && !used; i++)
            used = uses(files->modules[i], has_modifier, modifier);
        if (!used) {
            print_error("no test uses '.%s'\n", isa_modifier_names[modifier]);
            missing++;
        }
    }
    assert_int_equal(missing, 0);
}

int main(void)
{
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
