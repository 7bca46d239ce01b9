/* SPDX-License-Identifier: MIT */
/* Functions that the emulator provides and kernels call: what each takes, and how it gets at that.
 */
#ifndef BUILTIN_H
#define BUILTIN_H

#include "machine/bind.h"
#include "machine/frames.h"

enum { MAX_BUILTIN_PARAMS = 8, DIM_BYTES = 12 };

struct builtin {
    const char *name;
    op_handler *handler;
    bool shares; /* it shares something with other blocks: an output or a heap */
    bool allocates; /* from the heap of kernels */
    size_t result; /* in bytes; 0: there is none */
    size_t params[MAX_BUILTIN_PARAMS]; /* the size of each, up to the first 0 */
};

/* What nvcc calls in the place of the runtime's functions: their names, and how these begin. */
#define RUNTIME_PREFIX "__cudaCDP2"
extern const struct builtin runtime_builtins[];
extern const size_t runtime_builtin_count;

/* Where a lane of the current path has a variable of a call. */
static inline char *call_variable(const struct warp *warp, int lane, const struct ptx_var *var)
{
    const struct frame *frame = warp->path->frame;
    return frame->params + (size_t)lane * frame_stride(frame->code->function->param_frame_bytes) +
           var->offset;
}

/* An argument of up to 8 bytes. */
static inline uint64_t call_argument(const struct warp *warp, const struct op *op, int lane,
                                     int number)
{
    const struct ptx_var *var = op->call->arguments[number];
    uint64_t value = 0;
    memcpy(&value, call_variable(warp, lane, var),
           var->size < sizeof value ? var->size : sizeof value);
    return value;
}

static inline void call_set_result(const struct warp *warp, const struct op *op, int lane,
                                   uint64_t value)
{
    if (op->call->result_count == 1)
        memcpy(call_variable(warp, lane, op->call->results[0]), &value, op->call->results[0]->size);
}

#endif
