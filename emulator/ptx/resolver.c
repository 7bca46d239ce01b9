/* SPDX-License-Identifier: MIT */
/* Decides where registers, parameters and variables are, and how much shared memory each kernel
 * needs. */
#include <string.h>

#include "resolver.h"
#include "flow.h"
#include "liveness.h"
#include "register_file.h"
#include "uses.h"

/* The bytes of local memory per thread are from the technical specifications in the CUDA C++
 * Programming Guide, the bytes of parameters per kernel from the PTX ISA, "Kernel Function
 * Parameters". No program has as many registers as MAX_REGISTERS; with them the size of a
 * register file still fits in 32 bits. */
enum { MAX_LOCAL_BYTES = 512 << 10, MAX_PARAM_BYTES = 32764, MAX_REGISTERS = 1 << 20 };

/* The first multiple of `align`, a power of two, from `offset` on. */
static size_t align_up(size_t offset, size_t align)
{
    return (offset + align - 1) & ~(align - 1);
}

/* Lay `var` out after `end`. Returns the new end. */
static size_t append(struct ptx_var *var, size_t end)
{
    var->offset = align_up(end, var->align);
    return var->offset + var->size;
}

static size_t place_locals(struct ptx_module *module, const struct ptx_function *f,
                           enum ptx_space space, size_t end)
{
    for (int i = 0; i < f->local_count; i++) {
        struct ptx_var *var = &module->vars[f->locals[i]];
        if (var->space == space)
            end = append(var, end);
    }
    return end;
}

static void place_variables(struct ptx_module *module, struct ptx_function *f)
{
    size_t end = 0;
    for (int i = 0; i < f->param_count; i++)
        end = append(&f->params[i], end);
    f->param_bytes = end;
    for (int i = 0; i < f->result_count; i++)
        end = append(&f->results[i], end);
    f->param_frame_bytes = place_locals(module, f, PTX_PARAM, end);
    f->local_bytes = place_locals(module, f, PTX_LOCAL, 0);
}

static void check_size(struct compilation *c, const struct ptx_function *f, size_t size,
                       size_t most, const char *what)
{
    if (size > most)
        fail_at(c, 0, "'%s' has %zu %s, of %zu allowed", f->name, size, what, most);
}

/* Check the sizes before anything of these sizes is allocated. */
static void check_sizes(struct compilation *c, const struct ptx_function *f)
{
    check_size(c, f, (size_t)f->register_count, MAX_REGISTERS, "registers");
    check_size(c, f, f->local_bytes, MAX_LOCAL_BYTES, "bytes of local memory");
    check_size(c, f, f->param_frame_bytes, MAX_LOCAL_BYTES, "bytes of .param variables");
    if (f->is_entry)
        check_size(c, f, f->param_bytes, MAX_PARAM_BYTES, "bytes of parameters");
    if (f->is_entry && !f->has_body)
        fail_at(c, 0, "kernel '%s' has no body", f->name);
}

struct int_list {
    int *items;
    int count;
};

/* The shared variables that a function names and the functions that it calls, each of them once. */
struct named {
    struct int_list vars, callees;
    bool calls_addresses; /* and so maybe every function whose address is known */
};

/* The shared memory of a module. A variable has the same offset in all kernels that use it. */
struct shared {
    struct compilation *compilation;
    struct ptx_module *module;
    struct named *named; /* for each function */
    struct int_list *users; /* for each variable: the kernels that use it */
    size_t *dynamic_align; /* for each kernel: the alignment of its extern arrays */
};

static void append_once(struct compilation *c, struct int_list *list, int item, int *seen,
                        int stamp)
{
    if (seen[item] == stamp)
        return;
    seen[item] = stamp;
    *APPEND(c, list->items, list->count) = item;
}

static bool names_variable(const struct ptx_operand *operand)
{
    return operand->kind == OPERAND_SYMBOL ||
           (operand->kind == OPERAND_ADDRESS && operand->base == BASE_SYMBOL);
}

static void find_named(struct shared *s, int number, int *seen_var, int *seen_function)
{
    const struct ptx_function *f = &s->module->functions[number];
    struct named *named = &s->named[number];
    for (int i = 0; i < f->local_count; i++) {
        if (s->module->vars[f->locals[i]].space == PTX_SHARED)
            append_once(s->compilation, &named->vars, f->locals[i], seen_var, number + 1);
    }
    for (int i = 0; i < f->instr_count; i++) {
        const struct ptx_instr *instr = &f->instrs[i];
        named->calls_addresses |=
            instr->opcode == OP_CALL && instr->operands[1].kind == OPERAND_REGISTER;
        for (int j = 0; j < instr->operand_count; j++) {
            const struct ptx_operand *operand = &instr->operands[j];
            if (names_variable(operand) && s->module->vars[operand->number].space == PTX_SHARED)
                append_once(s->compilation, &named->vars, operand->number, seen_var, number + 1);
            else if (operand->kind == OPERAND_FUNCTION)
                append_once(s->compilation, &named->callees, operand->number, seen_function,
                            number + 1);
        }
    }
}

static void add_addressed(struct shared *s, const struct named *named, struct int_list *reached,
                          int *seen_function, int stamp)
{
    for (int i = 0; named->calls_addresses && i < s->module->var_count; i++)
        if (s->module->vars[i].function > 0)
            append_once(s->compilation, reached, s->module->vars[i].function - 1, seen_function,
                        stamp);
}

/* Note `kernel` as a user of all shared variables that are named in it and in the functions it
 * calls. */
static void find_users(struct shared *s, int kernel, int *seen_var, int *seen_function)
{
    struct int_list reached = {0};
    append_once(s->compilation, &reached, kernel, seen_function, kernel + 1);
    s->dynamic_align[kernel] = 1;
    for (int i = 0; i < reached.count; i++) {
        const struct named *named = &s->named[reached.items[i]];
        for (int j = 0; j < named->callees.count; j++)
            append_once(s->compilation, &reached, named->callees.items[j], seen_function,
                        kernel + 1);
        add_addressed(s, named, &reached, seen_function, kernel + 1);
        for (int j = 0; j < named->vars.count; j++) {
            int number = named->vars.items[j];
            const struct ptx_var *var = &s->module->vars[number];
            if (seen_var[number] == kernel + 1)
                continue;
            seen_var[number] = kernel + 1;
            if (!var->is_extern)
                *APPEND(s->compilation, s->users[number].items, s->users[number].count) = kernel;
            else if (var->align > s->dynamic_align[kernel])
                s->dynamic_align[kernel] = var->align;
        }
    }
}

/* Variables are placed in the order of their declaration. Each one comes after all variables
 * that its users already have. */
static void place_shared(struct ptx_module *module, struct ptx_var *var,
                         const struct int_list *users)
{
    size_t end = 0;
    for (int i = 0; i < users->count; i++) {
        size_t used = module->functions[users->items[i]].shared_bytes;
        end = used > end ? used : end;
    }
    end = append(var, end);
    for (int i = 0; i < users->count; i++) {
        module->functions[users->items[i]].shared_bytes = end;
        if (var->is_reserved)
            module->functions[users->items[i]].reserved = var;
    }
}

static void lay_out_shared(struct compilation *c, struct ptx_module *module)
{
    size_t functions = (size_t)module->function_count + 1, vars = (size_t)module->var_count + 1;
    struct shared s = {.compilation = c, .module = module};
    s.named = compilation_array(c, functions, sizeof *s.named);
    s.users = compilation_array(c, vars, sizeof *s.users);
    s.dynamic_align = compilation_array(c, functions, sizeof *s.dynamic_align);
    int *seen_var = compilation_array(c, vars, sizeof *seen_var);
    int *seen_function = compilation_array(c, functions, sizeof *seen_function);
    for (int i = 0; i < module->function_count; i++)
        find_named(&s, i, seen_var, seen_function);
    memset(seen_var, 0, vars * sizeof *seen_var);
    memset(seen_function, 0, functions * sizeof *seen_function);
    for (int i = 0; i < module->function_count; i++) {
        if (module->functions[i].is_entry)
            find_users(&s, i, seen_var, seen_function);
    }
    for (int i = 0; i < module->var_count; i++) {
        if (module->vars[i].space == PTX_SHARED && !module->vars[i].is_extern)
            place_shared(module, &module->vars[i], &s.users[i]);
    }
    for (int i = 0; i < module->function_count; i++) {
        struct ptx_function *f = &module->functions[i];
        if (f->is_entry)
            f->dynamic_shared_offset = (uint32_t)align_up(f->shared_bytes, s.dynamic_align[i]);
    }
}

struct resolution {
    struct compilation *compilation;
    struct ptx_module *module;
    struct ptx_function *function;
};

static void resolve_function(void *self)
{
    const struct resolution *r = self;
    struct compilation *compilation = r->compilation;
    struct ptx_function *f = r->function;
    struct flow flow = control_flow(compilation, f);
    place_variables(r->module, f);
    check_sizes(compilation, f);
    find_uses(compilation, f);
    mark_leaders(f, &flow);
    find_reconvergence(compilation, f, &flow);
    const struct liveness *liveness = find_alive(compilation, f, &flow);
    f->live_registers = count_live_registers(liveness, f->registers);
    place_registers(compilation, f, register_spans(liveness));
}

void resolve(struct compilation *compilation, struct ptx_module *module)
{
    for (int i = 0; i < module->function_count; i++) {
        struct ptx_function *f = &module->functions[i];
        struct resolution resolution = {compilation, module, f};
        if (attempt(compilation, resolve_function, &resolution))
            continue;
        f->error = compilation_text(compilation, compilation->error, strlen(compilation->error));
        f->error_location = -1;
        f->instr_count = f->local_count = 0;
    }
    lay_out_shared(compilation, module);
}
