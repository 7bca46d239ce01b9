/* SPDX-License-Identifier: MIT */
/* Takes a text through the parser and the resolver, and frees modules. */
#include <stdio.h>
#include <stdlib.h>

#include "compilation.h"
#include "parser.h"
#include "resolver.h"

/* The module and the arena with its memory. The module is the first member, so that a pointer to
 * it is a pointer to the struct. */
struct owned_module {
    struct ptx_module module;
    struct arena arena;
    int shares; /* beyond the first */
};

struct ptx_module *ptx_parse(const char *const *texts, int count, char *error, size_t error_size)
{
    jmp_buf failed;
    struct owned_module *owned = calloc(1, sizeof *owned);
    if (!owned) {
        snprintf(error, error_size, "no memory left for the PTX");
        return NULL;
    }
    struct compilation compilation = {
        .arena = &owned->arena, .failed = &failed, .error = error, .error_size = error_size};
    if (setjmp(failed)) {
        ptx_free(&owned->module);
        return NULL;
    }
    parse(&compilation, texts, count, &owned->module);
    resolve(&compilation, &owned->module);
    return &owned->module;
}

struct ptx_module *ptx_share(struct ptx_module *module)
{
    ((struct owned_module *)module)->shares++;
    return module;
}

void ptx_free(struct ptx_module *module)
{
    struct owned_module *owned = (struct owned_module *)module;
    if (!owned || owned->shares-- > 0)
        return;
    arena_free(&owned->arena);
    free(owned);
}

const struct ptx_function *ptx_function_of(const struct ptx_module *module,
                                           const struct ptx_instr *instr)
{
    const struct ptx_function *function = module->functions;
    while (!function->instr_count || instr < function->instrs ||
           instr >= function->instrs + function->instr_count)
        function++;
    return function;
}

int ptx_file_of(const struct ptx_module *module, const struct ptx_function *function)
{
    for (int i = 0; i < function->instr_count; i++) {
        int at = function->instrs[i].location;
        while (at >= 0 && module->locations[at].inlined_at >= 0)
            at = module->locations[at].inlined_at;
        if (at >= 0)
            return module->locations[at].file;
    }
    return -1;
}

bool ptx_may_use(const struct ptx_module *module, const struct ptx_function *kernel, int variable)
{
    for (int f = 0; f < module->function_count; f++)
        for (int i = 0; i < module->functions[f].local_count; i++)
            if (module->functions[f].locals[i] == variable)
                return !module->functions[f].is_entry || &module->functions[f] == kernel;
    return true;
}

bool ptx_reads_special(const struct ptx_function *function, enum ptx_sreg first, enum ptx_sreg last)
{
    for (int i = 0; i < function->instr_count; i++)
        for (int k = 0; k < function->instrs[i].operand_count; k++) {
            const struct ptx_operand *operand = &function->instrs[i].operands[k];
            if (operand->kind == OPERAND_SPECIAL && operand->number >= (int)first &&
                operand->number <= (int)last)
                return true;
        }
    return false;
}

bool ptx_reads_clock(const struct ptx_function *function)
{
    return ptx_reads_special(function, SREG_FIRST_VOLATILE, SREG_COUNT);
}
