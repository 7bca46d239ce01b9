/* SPDX-License-Identifier: MIT */
/* Calls of device functions. The callee gets a frame; arguments are copied into it, and results
 * out of it. */
#include "machine/children.h"
#include "machine/execute/builtin.h"
#include "machine/execute/lanes.h"
#include "machine/paths.h"

#include <stdlib.h>

/* Copy one variable from one frame's parameters into another's. */
static void copy_param(const struct frame *from, const struct ptx_var *source, struct frame *to,
                       const struct ptx_var *target, uint32_t lanes)
{
    const size_t from_stride = frame_stride(from->code->function->param_frame_bytes);
    const size_t to_stride = frame_stride(to->code->function->param_frame_bytes);
    for (size_t i = 0; i < WARP_SIZE; i++)
        if (lanes >> i & 1)
            memcpy(to->params + i * to_stride + target->offset,
                   from->params + i * from_stride + source->offset, target->size);
}

void call_return(struct warp *warp, uint32_t lanes)
{
    struct frame *frame = warp->path->frame;
    const struct call *call = frame->call;
    for (int i = 0; i < call->result_count; i++)
        copy_param(frame, &frame->code->function->results[i], frame->caller, call->results[i],
                   lanes);
    path_return(warp, lanes);
}

/* Enter `callee` with the lanes of the path. */
static void enter(struct warp *warp, const struct op *op, uint32_t lanes, const struct code *callee)
{
    struct path *path = warp->path;
    const struct call *call = op->call;
    struct frame *frame =
        path->frame->depth < MAX_CALL_DEPTH ? frame_new(warp, callee, path->frame) : NULL;
    if (!frame) {
        warp_fault(warp, op->instr, first_lane(lanes), FAULT_ADDRESS, "stack overflow",
                   "call of %s, %d calls deep", callee->function->name, path->frame->depth);
        return;
    }
    frame->call = call;
    frame->record = (struct record){.pc = NO_PC,
                                    .expected = lanes,
                                    .parent = path->record,
                                    .frame = path->frame,
                                    .resume = path->pc,
                                    .called = frame,
                                    .spun = path->spun};
    for (int i = 0; i < call->argument_count; i++)
        copy_param(path->frame, call->arguments[i], frame, &callee->function->params[i], lanes);
    path->spun = (struct spun){.spins = path->spun.spins};
    path->record = &frame->record;
    path->frame = frame;
    path->pc = 0;
    warp_enter(warp, path);
}

EXECUTOR(call_function)
{
    if (!divide_guarded(warp, lanes))
        enter(warp, op, lanes, op->call->callee);
}

const struct code *call_find_function(const struct program *program, uint64_t address)
{
    const struct ptx_module *module = program->module;
    for (int i = 0; i < module->var_count; i++)
        if (module->vars[i].function > 0 && program->variables[i]->address == address)
            return &program->codes[module->vars[i].function - 1];
    return NULL;
}

/* Do parameters and arguments have the same sizes? */
static bool fits(const struct ptx_var *declared, int declared_count,
                 const struct ptx_var *const *given, int count)
{
    bool same = declared_count == count;
    for (int i = 0; same && i < count; i++)
        same = declared[i].size == given[i]->size;
    return same;
}

/* The reason why a function cannot be called by its address; NULL if it can. */
static const char *refuse_callee(const struct call *call, const struct code *callee)
{
    if (!callee)
        return "it is the address of no function of the program";
    if (callee->failure)
        return callee->failure;
    if (!callee->function->has_body)
        return "the function has no body in the program's PTX";
    if (!fits(callee->function->params, callee->function->param_count, call->arguments,
              call->argument_count) ||
        !fits(callee->function->results, callee->function->result_count, call->results,
              call->result_count))
        return "the function takes or returns something else";
    return NULL;
}

/* A call by address. The lanes that call the same function do so together; the others execute
 * the instruction again. */
EXECUTOR(call_address)
{
    if (divide_guarded(warp, lanes))
        return;
    const lane_u64 *address = slot_lanes(warp, op->a);
    const int lane = first_lane(lanes), next = warp->path->pc;
    uint32_t same = 0;
    for (int i = 0; i < WARP_SIZE; i++)
        if (lanes >> i & 1 && address[i] == address[lane])
            same |= 1u << i;
    if (same != lanes) {
        path_split(warp, same, next - 1, next - 1, next);
        return;
    }
    const struct code *callee = call_find_function(warp->path->frame->code->program, address[lane]);
    const char *why = refuse_callee(op->call, callee);
    if (why)
        warp_fault(warp, op->instr, lane, FAULT_INSTRUCTION, "bad call",
                   "of the function at 0x%llx: %s", (unsigned long long)address[lane], why);
    else
        enter(warp, op, lanes, callee);
}

static const struct ptx_var *param_operand(struct binder *binder, const struct ptx_operand *operand)
{
    const struct ptx_module *module = binder->program->module;
    if (operand->kind == OPERAND_SYMBOL && module->vars[operand->number].space == PTX_PARAM)
        return &module->vars[operand->number];
    bind_refuse(binder, "arguments and results of calls must be .param variables");
    return &module->vars[0];
}

/* Bind the variables of an argument or result list. */
static int bind_list(struct binder *binder, const struct ptx_operand *list,
                     const struct ptx_var **vars)
{
    if (list->count > MAX_CALL_ARGUMENTS) {
        bind_refuse(binder, "the call has too many arguments");
        return 0;
    }
    for (int i = 0; i < list->count; i++)
        vars[i] = param_operand(binder, &list->elements[i]);
    return list->count;
}

/* The functions that the emulator provides, beside those of the runtime. */
static const struct builtin builtins[] = {
    {"vprintf", call_vprintf, true, false, 4, {8, 8}},
    {"__assertfail", call_assertfail, false, false, 0, {8, 8, 4, 8, 8}},
    {"malloc", call_malloc, true, true, 8, {8}},
    {"free", call_free, true, false, 0, {8}},
    {"cudaGraphSetConditional", call_set_condition, true, false, 0, {8, 4}},
};

static const struct builtin *of_handler(const struct builtin *list, size_t count,
                                        op_handler *handler)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].handler == handler)
            return &list[i];
    return NULL;
}

bool call_orders_blocks(const struct op *op)
{
    const struct builtin *builtin =
        of_handler(builtins, sizeof builtins / sizeof *builtins, op->handler)
            ?: of_handler(runtime_builtins, runtime_builtin_count, op->handler);
    return builtin && builtin->shares;
}

/* Does `name`, up to a suffix that says which default stream is meant, name the function? */
static const struct builtin *of_name(const struct builtin *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(list[i].name);
        if (strncmp(name, list[i].name, length) == 0 &&
            (!name[length] || (list == runtime_builtins && !strcmp(name + length, "_ptsz"))))
            return &list[i];
    }
    return NULL;
}

static bool has_params(const struct ptx_function *function, const size_t *sizes)
{
    int count = 0;
    while (count < MAX_BUILTIN_PARAMS && sizes[count])
        count++;
    if (function->param_count != count)
        return false;
    for (int i = 0; i < count; i++)
        if (function->params[i].size != sizes[i])
            return false;
    return true;
}

static void refuse_builtin(struct binder *binder, const char *name, bool of_runtime)
{
    char why[160];
    if (!of_runtime) {
        bind_refuse(
            binder,
            "the function has no body in the program's PTX, and the emulator provides none");
        return;
    }
    snprintf(why, sizeof why, "cuda%.80s() is not emulated in kernels", name);
    bind_refuse(binder, why);
}

/* The executor of a function that has no body in the module; NULL where there is none. */
static op_handler *bind_builtin(struct binder *binder, const struct ptx_function *function)
{
    const size_t prefix = strlen(RUNTIME_PREFIX);
    const bool of_runtime = strncmp(function->name, RUNTIME_PREFIX, prefix) == 0;
    const char *name = of_runtime ? function->name + prefix : function->name;
    const struct builtin *builtin =
        of_runtime ? of_name(runtime_builtins, runtime_builtin_count, name)
                   : of_name(builtins, sizeof builtins / sizeof *builtins, name);
    if (!builtin) {
        refuse_builtin(binder, name, of_runtime);
        return NULL;
    }
    const bool results_fit = function->result_count == (builtin->result != 0) &&
                             (builtin->result == 0 || function->results[0].size == builtin->result);
    if (!results_fit || !has_params(function, builtin->params)) {
        char why[80];
        snprintf(why, sizeof why, "the emulator's %s has other parameters", builtin->name);
        bind_refuse(binder, why);
    }
    binder->program->allocates |= builtin->allocates;
    if (of_runtime && strncmp(name, "GetError", 8) == 0 && !children_make_texts(binder->machine))
        bind_refuse(binder, "no memory");
    return builtin->handler;
}

/* call (results), function, (arguments); both lists may be missing. */
void bind_call(struct binder *binder)
{
    const struct ptx_operand *results = &binder->instr->operands[0];
    const struct ptx_operand *callee = &binder->instr->operands[1];
    const struct ptx_operand *arguments = &binder->instr->operands[2];
    struct op *op = binder->op;
    op->call = calloc(1, sizeof *op->call);
    if (!op->call) {
        bind_refuse(binder, "no memory");
        return;
    }
    struct call *call = op->call;
    call->argument_count = bind_list(binder, arguments, call->arguments);
    call->result_count = bind_list(binder, results, call->results);
    if (callee->kind == OPERAND_REGISTER) {
        op->handler = call_address;
        bind_source(binder, &op->a, 1, 8);
        return;
    }
    const struct ptx_function *function = &binder->program->module->functions[callee->number];
    if (!fits(function->params, function->param_count, call->arguments, call->argument_count) ||
        !fits(function->results, function->result_count, call->results, call->result_count))
        bind_refuse(binder, "the call does not fit the function's parameters");
    call->callee = &binder->program->codes[callee->number];
    op->handler = function->has_body ? call_function : bind_builtin(binder, function);
}
