/* SPDX-License-Identifier: MIT */
/* Calls of device functions: a frame of its own, arguments and results copied to and fro. */
#include "machine/execute/lanes.h"
#include "machine/frames.h"
#include "machine/paths.h"

#include <stdlib.h>

enum { MAX_BUILTIN_PARAMS = 5 };

/* Copy a variable of one frame's parameters into another's. */
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

EXECUTOR(call_function)
{
    if (divide_guarded(warp, lanes))
        return;
    struct path *path = warp->path;
    const struct call *call = op->call;
    struct frame *frame =
        path->frame->depth < MAX_CALL_DEPTH ? frame_new(warp, call->callee, path->frame) : NULL;
    if (!frame) {
        warp_fault(warp, op->instr, first_lane(lanes), FAULT_ADDRESS, "stack overflow",
                   "call of %s, %d calls deep", call->callee->function->name, path->frame->depth);
        return;
    }
    frame->call = call;
    frame->record = (struct record){.used = true,
                                    .pc = NO_PC,
                                    .expected = lanes,
                                    .parent = path->record,
                                    .frame = path->frame,
                                    .resume = path->pc,
                                    .called = frame};
    for (int i = 0; i < call->argument_count; i++)
        copy_param(path->frame, call->arguments[i], frame, &call->callee->function->params[i],
                   lanes);
    path->record = &frame->record;
    path->frame = frame;
    path->pc = 0;
    warp_enter(warp, path);
}

static const struct ptx_var *param_operand(struct binder *binder, const struct ptx_operand *operand)
{
    const struct ptx_module *module = binder->program->module;
    if (operand->kind == OPERAND_SYMBOL && module->vars[operand->number].space == PTX_PARAM)
        return &module->vars[operand->number];
    bind_refuse(binder, "arguments and results of calls must be .param variables");
    return &module->vars[0];
}

/* Take the variables of a list; refuse those that do not fit what the function declares. */
static int bind_list(struct binder *binder, const struct ptx_operand *list,
                     const struct ptx_var *declared, int count, const struct ptx_var **vars)
{
    if (list->count != count || count > MAX_CALL_ARGUMENTS) {
        bind_refuse(binder, "the call does not fit the function's parameters");
        return 0;
    }
    for (int i = 0; i < count; i++) {
        vars[i] = param_operand(binder, &list->elements[i]);
        if (!binder->failed && vars[i]->size != declared[i].size)
            bind_refuse(binder, "an argument is not of its parameter's size");
    }
    return count;
}

/* The functions that the emulator provides, with the bytes of each parameter; the result has 4. */
static const struct {
    const char *name;
    op_handler *handler;
    int result_count;
    size_t params[MAX_BUILTIN_PARAMS]; /* up to the first 0 */
} builtins[] = {
    {"vprintf", call_vprintf, 1, {8, 8}},
    {"__assertfail", call_assertfail, 0, {8, 8, 4, 8, 8}},
};

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

/* The executor of a function without a body. */
static op_handler *bind_builtin(struct binder *binder, const struct ptx_function *function)
{
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++) {
        if (strcmp(function->name, builtins[i].name) != 0)
            continue;
        const bool results_fit = function->result_count == builtins[i].result_count &&
                                 (function->result_count == 0 || function->results[0].size == 4);
        if (!results_fit || !has_params(function, builtins[i].params)) {
            char why[80];
            snprintf(why, sizeof why, "the emulator's %s has other parameters", builtins[i].name);
            bind_refuse(binder, why);
        }
        return builtins[i].handler;
    }
    bind_refuse(binder, "the function has no body here, and the emulator provides none");
    return NULL;
}

/* call (results), function, (arguments); both lists may be missing. */
void bind_call(struct binder *binder)
{
    static const struct ptx_operand nothing = {.kind = OPERAND_LIST};
    const struct ptx_instr *instr = binder->instr;
    const struct ptx_operand *results = &nothing, *arguments = &nothing, *callee = NULL;
    for (int i = 0; i < instr->operand_count; i++) {
        const struct ptx_operand *operand = &instr->operands[i];
        if (operand->kind == OPERAND_FUNCTION)
            callee = operand;
        else if (operand->kind != OPERAND_LIST)
            bind_refuse(binder, "calls through pointers are not supported");
        else if (callee)
            arguments = operand;
        else
            results = operand;
    }
    if (binder->failed || !callee) {
        bind_refuse(binder, "calls through pointers are not supported");
        return;
    }
    struct op *op = binder->op;
    const struct ptx_function *function = &binder->program->module->functions[callee->number];
    op->call = calloc(1, sizeof *op->call);
    if (!op->call) {
        bind_refuse(binder, "no memory");
        return;
    }
    op->call->argument_count =
        bind_list(binder, arguments, function->params, function->param_count, op->call->arguments);
    op->call->result_count =
        bind_list(binder, results, function->results, function->result_count, op->call->results);
    op->call->callee = &binder->program->codes[callee->number];
    op->handler = function->has_body ? call_function : bind_builtin(binder, function);
}
