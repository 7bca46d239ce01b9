/* SPDX-License-Identifier: MIT */
/* Modules made ready: variables get addresses, functions get executors. */
#include "bind.h"
#include "compile/translation.h"
#include "indexed.h"
#include "launch.h"
#include "slice.h"
#include "stretch.h"

#include <stdlib.h>

/* Managed variables are there once: those of `first`, if there is one. */
static bool allocate_variables(struct machine *machine, struct program *program,
                               const struct program *first, char *error, size_t size)
{
    const struct ptx_module *module = program->module;
    for (int i = 0; i < module->var_count; i++) {
        const struct ptx_var *var = &module->vars[i];
        if (var->space != PTX_GLOBAL && var->space != PTX_CONST)
            continue;
        const enum memory_kind kind = var->space == PTX_CONST ? MEMORY_CONSTANT
                                      : var->is_managed       ? MEMORY_MANAGED
                                                              : MEMORY_DEVICE;
        if (var->is_extern || var->size == 0) {
            snprintf(error, size, "variable '%s' is defined nowhere in the program's PTX",
                     var->name);
            return false;
        }
        program->variables[i] = first && kind == MEMORY_MANAGED ? first->variables[i] : NULL;
        if (program->variables[i])
            continue;
        const uint64_t address = memory_allocate(machine, var->size, kind, var->name);
        if (address == 0) {
            snprintf(error, size, "the GPU has no room for the %zu bytes of variable '%s'",
                     var->size, var->name);
            return false;
        }
        program->variables[i] = memory_find(machine, address, var->size);
        if (var->init)
            memcpy(memory_host(machine, address), var->init, var->size);
        else
            memset(memory_host(machine, address), 0, var->size);
    }
    return true;
}

/* Addresses of variables in initial values. */
static bool relocate(struct program *program, char *error, size_t size)
{
    const struct ptx_module *module = program->module;
    for (int i = 0; i < module->var_count; i++) {
        const struct ptx_var *var = &module->vars[i];
        for (int k = 0; k < var->relocation_count; k++) {
            const struct ptx_relocation *relocation = &var->relocations[k];
            const struct allocation *target = program->variables[relocation->var];
            const struct allocation *variable = program->variables[i];
            if (!target || !variable || relocation->at + sizeof(uint64_t) > var->size) {
                snprintf(error, size, "variable '%s' holds an address that is not known",
                         var->name);
                return false;
            }
            const uint64_t address = target->address + (uint64_t)relocation->addend;
            memcpy(allocation_host(variable, variable->address + relocation->at), &address,
                   sizeof address);
        }
    }
    return true;
}

enum { FAILURE_SIZE = 512 };

/* As ptxas does: static shared memory cannot be had beyond what every block may have. */
static bool fits_shared(const struct gpu *gpu, const struct ptx_function *kernel, char *error)
{
    if (!kernel->is_entry || kernel->shared_bytes <= gpu->shared_per_block)
        return true;
    snprintf(error, FAILURE_SIZE, "kernel '%s' has %zu bytes of static shared memory, the GPU %zu",
             kernel->name, kernel->shared_bytes, gpu->shared_per_block);
    return false;
}

/* Why a function could not be read, and where in the source, if that is known. */
static void parse_error(const struct ptx_module *module, const struct ptx_function *function,
                        char error[FAILURE_SIZE])
{
    const struct ptx_instr there = {.location = function->error_location};
    char line[PTX_SOURCE_LINE_SIZE] = "";

    if (there.location >= 0)
        ptx_source_line(module, &there, line);
    snprintf(error, FAILURE_SIZE, "%s%sPTX %s", line, *line ? ": " : "", function->error);
}

/* What a function needs and we lack stops the kernels that need it, not the module. False: no
 * memory. */
static bool bind_function(struct machine *machine, struct program *program, int number)
{
    const struct ptx_function *function = &program->module->functions[number];
    char error[FAILURE_SIZE] = "";
    struct binder binder = {
        .machine = machine, .program = program, .error = error, .error_size = sizeof error};
    if (function->error)
        parse_error(program->module, function, error);
    else if (bind_code(&binder, number) && fits_shared(&machine->gpu, function, error))
        return true;
    program->codes[number].failure = strdup(error);
    return program->codes[number].failure != NULL;
}

/* Why a function, or one that it calls, cannot run; NULL: it can. */
static const char *find_failure(const struct program *program, int number, bool *seen)
{
    const struct ptx_function *function = &program->module->functions[number];
    const char *failure = program->codes[number].failure;
    seen[number] = true;
    for (int i = 0; i < function->instr_count && !failure; i++) {
        const struct ptx_instr *instr = &function->instrs[i];
        for (int k = 0; k < instr->operand_count && !failure; k++)
            if (instr->operands[k].kind == OPERAND_FUNCTION && !seen[instr->operands[k].number])
                failure = find_failure(program, instr->operands[k].number, seen);
    }
    return failure;
}

static bool allows_next(const struct ptx_function *function)
{
    for (int i = 0; i < function->instr_count; i++) {
        const struct ptx_instr *instr = &function->instrs[i];
        if (instr->opcode == OP_GRIDDEPCONTROL && !ptx_has(instr, MOD_WAIT))
            return true;
    }
    return false;
}

static bool add_kernel(struct program *program, int number)
{
    const struct ptx_function *function = &program->module->functions[number];
    struct kernel *kernel = &program->kernels[program->kernel_count++];
    bool *seen = calloc((size_t)program->module->function_count, sizeof *seen);
    if (!seen)
        return false;
    kernel->program = program;
    kernel->code = &program->codes[number];
    kernel->info.module = program->module;
    kernel->info.function = function;
    kernel->info.failure = find_failure(program, number, seen);
    kernel->info.allows_next = allows_next(function);
    ptx_function_name(function->name, kernel->info.name, sizeof kernel->info.name);
    free(seen);
    return true;
}

static bool bind_functions(struct machine *machine, struct program *program, char *error,
                           size_t size)
{
    const struct ptx_module *module = program->module;
    bool done = true;
    for (int i = 0; i < module->function_count && done; i++)
        done = bind_function(machine, program, i);
    for (int i = 0; i < module->function_count && done; i++)
        done = !module->functions[i].is_entry || add_kernel(program, i);
    if (!done) {
        snprintf(error, size, "no memory");
        return false;
    }
    bind_block_order(program);
    indexed_find(program);
    stretch_mark(program);
    if (machine->sampling)
        slice_program(program);
    return true;
}

static bool make_tables(struct program *program, char *error, size_t size)
{
    const struct ptx_module *module = program->module;
    program->variables = calloc((size_t)module->var_count + 1, sizeof(const struct allocation *));
    program->codes = calloc((size_t)module->function_count + 1, sizeof *program->codes);
    program->kernels = calloc((size_t)module->function_count + 1, sizeof *program->kernels);
    if (program->variables && program->codes && program->kernels)
        return true;
    snprintf(error, size, "no memory");
    return false;
}

/* For a newer GPU: an instruction that this one lacks says so best. */
static bool fits_gpu(const struct machine *machine, const struct program *program, char *error,
                     size_t size)
{
    const struct ptx_module *module = program->module;
    const struct gpu *gpu = &machine->gpu;
    /* No toolkit of today makes PTX for GPUs this old: each instruction was judged by itself. */
    const bool by_instruction = gpu->major == 1;
    const int has = gpu->major * 10 + gpu->minor, wanted = module->target.capability;
    if (by_instruction || (module->target.own ? gpu->own_features && wanted == has : wanted <= has))
        return true;
    if (module->target.own)
        snprintf(error, size, "the PTX is for sm_%da, whose features the GPU, of %d.%d, lacks",
                 wanted, gpu->major, gpu->minor);
    else
        snprintf(error, size,
                 "the PTX is for sm_%d and later, the GPU has compute capability %d.%d", wanted,
                 gpu->major, gpu->minor);
    for (int i = 0; i < program->kernel_count; i++)
        if (program->kernels[i].info.failure)
            snprintf(error, size, "%s", program->kernels[i].info.failure);
    return false;
}

struct program *machine_load_beside(struct machine *machine, struct ptx_module *module,
                                    const struct program *first, char *error, size_t error_size)
{
    struct program *program = calloc(1, sizeof *program);
    if (!program) {
        snprintf(error, error_size, "no memory");
        ptx_free(module);
        return NULL;
    }
    program->module = module;
    if (make_tables(program, error, error_size) &&
        allocate_variables(machine, program, first, error, error_size) &&
        relocate(program, error, error_size) &&
        bind_functions(machine, program, error, error_size) &&
        fits_gpu(machine, program, error, error_size))
        return program;
    machine_unload(machine, program);
    return NULL;
}

struct program *machine_load(struct machine *machine, struct ptx_module *module, char *error,
                             size_t error_size)
{
    return machine_load_beside(machine, module, NULL, error, error_size);
}

static void free_code(struct code *code)
{
    for (int i = 0; code->ops && i < code->op_count; i++) {
        free(code->ops[i].elements);
        free(code->ops[i].product);
        free(code->ops[i].group_product);
        free(code->ops[i].pieces);
        if (code->ops[i].source)
            free(code->ops[i].source->source);
        free(code->ops[i].source);
        free(code->ops[i].call);
    }
    free(code->ops);
    free(code->pool);
    translation_free(code->translation);
    slice_free(code->slice);
    free(code->fresh);
    free(code->steady);
    free(code->steady_predicates);
    free(code->failure);
}

void machine_unload(struct machine *machine, struct program *program)
{
    for (int i = 0; program->variables && i < program->module->var_count; i++)
        if (program->variables[i] && program->variables[i]->machine == machine->number)
            memory_release(machine, program->variables[i]->address);
    for (int i = 0; program->codes && i < program->module->function_count; i++)
        free_code(&program->codes[i]);
    free(program->variables);
    free(program->codes);
    free(program->kernels);
    ptx_free(program->module);
    free(program);
}

const struct ptx_module *program_module(const struct program *program)
{
    return program->module;
}

const struct kernel *program_kernel(const struct program *program, const char *name)
{
    for (int i = 0; i < program->kernel_count; i++)
        if (strcmp(program->kernels[i].info.function->name, name) == 0)
            return &program->kernels[i];
    return NULL;
}

const struct allocation *program_variable(const struct program *program, const char *name)
{
    for (int i = 0; i < program->module->var_count; i++)
        if (program->variables[i] && strcmp(program->module->vars[i].name, name) == 0)
            return program->variables[i];
    return NULL;
}

const struct kernel_info *kernel_info(const struct kernel *kernel)
{
    return &kernel->info;
}
