/* SPDX-License-Identifier: MIT */
/* Calls of the CUDA runtime in kernels: launches, copies and fills, streams, events, errors. They
 * are numbered and named as in cuda_device_runtime_api.h. */
#include "machine/children.h"
#include "machine/access.h"
#include "machine/device_memory.h"
#include "machine/execute/builtin.h"
#include "machine/execute/lanes.h"
#include "machine/heap.h"
#include "machine/launch.h"

/* One lane's call. */
struct caller {
    struct warp *warp;
    const struct op *op;
    int lane;
    struct machine *machine;
    uint64_t block; /* its number */
};

static uint64_t given(const struct caller *caller, int number)
{
    return call_argument(caller->warp, caller->op, caller->lane, number);
}

static struct dim given_dim(const struct caller *caller, int number)
{
    struct dim dim;
    const char *at = call_variable(caller->warp, caller->lane, caller->op->call->arguments[number]);
    memcpy(&dim, at, sizeof dim);
    return dim;
}

_Static_assert(sizeof(struct dim) == DIM_BYTES, "a dim3 of CUDA");

/* Store a result where the first argument points to. */
static enum device_error put(const struct caller *caller, uint64_t value, size_t bytes)
{
    char *target = generic_pointer(caller->warp, caller->op, caller->lane, given(caller, 0), bytes);
    if (target)
        memcpy(target, &value, bytes);
    return DEVICE_SUCCESS;
}

static int *last_error(const struct caller *caller)
{
    const struct launch_state *launch = caller->warp->block->launch;
    const uint64_t thread = caller->warp->index * (uint64_t)WARP_SIZE + (uint64_t)caller->lane + 1;
    return children_error(caller->machine, caller->block * (launch->threads + WARP_SIZE) + thread);
}

static uint64_t get_parameter_buffer(const struct caller *caller)
{
    const struct program *program = caller->warp->path->frame->code->program;
    const struct code *code = call_find_function(program, given(caller, 0));
    struct launch_request request = {.grid = given_dim(caller, 1),
                                     .block = given_dim(caller, 2),
                                     .dynamic_shared = given(caller, 3)};
    enum device_error error = DEVICE_INVALID_FUNCTION;
    for (int i = 0; i < program->kernel_count; i++)
        if (program->kernels[i].code == code)
            request.kernel = &program->kernels[i];
    const uint64_t buffer = request.kernel ? children_draft(caller->machine, &request) : 0;
    if (request.kernel)
        error = DEVICE_NO_MEMORY;
    int *last = buffer ? NULL : last_error(caller);
    if (last)
        *last = (int)error;
    return buffer;
}

static enum device_error launch_device(const struct caller *caller)
{
    return children_launch(caller->machine, given(caller, 0), caller->block, given(caller, 1));
}

/* Are all rows in one allocation? */
static bool is_memory(const struct caller *caller, struct child_rows rows, size_t width,
                      size_t count)
{
    size_t bytes;
    return !__builtin_mul_overflow(rows.pitch, count - 1, &bytes) &&
           !__builtin_add_overflow(bytes, width, &bytes) &&
           memory_find(caller->machine, rows.address, bytes);
}

static enum device_error add_move(const struct caller *caller, const struct child *child,
                                  int stream)
{
    const bool copies = child->kind == CHILD_COPY;
    if (child->width && child->rows &&
        ((child->rows > 1 &&
          (child->width > child->to.pitch || (copies && child->width > child->from.pitch))) ||
         !is_memory(caller, child->to, child->width, child->rows) ||
         (copies && !is_memory(caller, child->from, child->width, child->rows))))
        return DEVICE_INVALID_VALUE;
    return children_add(caller->machine, child, caller->block, given(caller, stream));
}

static enum device_error copy_memory(const struct caller *caller)
{
    const struct child child = {.kind = CHILD_COPY,
                                .to = {.address = given(caller, 0)},
                                .from = {.address = given(caller, 1)},
                                .width = given(caller, 2),
                                .rows = 1};
    return add_move(caller, &child, 4);
}

static enum device_error copy_rows(const struct caller *caller)
{
    const struct child child = {.kind = CHILD_COPY,
                                .to = {given(caller, 0), given(caller, 1)},
                                .from = {given(caller, 2), given(caller, 3)},
                                .width = given(caller, 4),
                                .rows = given(caller, 5)};
    return add_move(caller, &child, 7);
}

static enum device_error fill_memory(const struct caller *caller)
{
    const struct child child = {.kind = CHILD_FILL,
                                .to = {.address = given(caller, 0)},
                                .value = (int)given(caller, 1),
                                .width = given(caller, 2),
                                .rows = 1};
    return add_move(caller, &child, 3);
}

static enum device_error fill_rows(const struct caller *caller)
{
    const struct child child = {.kind = CHILD_FILL,
                                .to = {given(caller, 0), given(caller, 1)},
                                .value = (int)given(caller, 2),
                                .width = given(caller, 3),
                                .rows = given(caller, 4)};
    return add_move(caller, &child, 5);
}

static enum device_error put_handle(const struct caller *caller, uint64_t handle)
{
    return handle ? put(caller, handle, sizeof handle) : DEVICE_NO_MEMORY;
}

/* Only streams that do not wait for the stream NULL, and events without times. */
static enum device_error create_stream(const struct caller *caller)
{
    enum { NON_BLOCKING = 1 }; /* every stream is, whether asked for or not */
    return given(caller, 1) <= NON_BLOCKING
               ? put_handle(caller, children_new_stream(caller->machine))
               : DEVICE_INVALID_VALUE;
}

static enum device_error create_event(const struct caller *caller)
{
    enum { DISABLE_TIMING = 2 };
    return given(caller, 1) == DISABLE_TIMING
               ? put_handle(caller, children_new_event(caller->machine))
               : DEVICE_INVALID_VALUE;
}

/* What is in the stream is still done; so is what waits for the event. */
static enum device_error destroy(const struct caller *caller)
{
    (void)caller;
    return DEVICE_SUCCESS;
}

static enum device_error record_event(const struct caller *caller)
{
    return children_record(caller->machine, given(caller, 0), caller->block, given(caller, 1));
}

static enum device_error wait_event(const struct caller *caller)
{
    return children_wait(caller->machine, given(caller, 1), caller->block, given(caller, 0));
}

static enum device_error allocate(const struct caller *caller)
{
    const uint64_t bytes = given(caller, 1);
    const uint64_t address = heap_allocate(caller->machine, bytes);
    return bytes && !address ? DEVICE_NO_MEMORY : put(caller, address, sizeof address);
}

static enum device_error release(const struct caller *caller)
{
    const uint64_t address = given(caller, 0);
    return !address || heap_free(caller->machine, address) ? DEVICE_SUCCESS : DEVICE_INVALID_VALUE;
}

static enum device_error get_device(const struct caller *caller)
{
    return put(caller, 0, sizeof(int));
}

static enum device_error get_device_count(const struct caller *caller)
{
    return put(caller, 1, sizeof(int));
}

static enum device_error get_attribute(const struct caller *caller)
{
    const struct device_api *api = children_api(caller->machine);
    int value = 0;
    if (given(caller, 2) != 0)
        return DEVICE_INVALID_DEVICE;
    if (!api || api->attribute(api->self, (int)given(caller, 1), &value))
        return DEVICE_INVALID_VALUE;
    return put(caller, (uint32_t)value, sizeof value);
}

static uint64_t peek_at_last_error(const struct caller *caller)
{
    const int *last = last_error(caller);
    return last ? (uint64_t)*last : 0;
}

static uint64_t get_last_error(const struct caller *caller)
{
    int *last = last_error(caller);
    const uint64_t error = last ? (uint64_t)*last : 0;
    if (last)
        *last = 0;
    return error;
}

static uint64_t error_string(const struct caller *caller)
{
    return children_text(caller->machine, (int)given(caller, 0), false);
}

static uint64_t error_name(const struct caller *caller)
{
    return children_text(caller->machine, (int)given(caller, 0), true);
}

/* The last lane's value stays. */
void call_set_condition(struct warp *warp, const struct op *op, uint32_t lanes)
{
    const struct device_api *api = children_api(warp->block->launch->machine);
    for (int lane = 0; lane < WARP_SIZE; lane++) {
        if (!(lanes >> lane & 1))
            continue;
        const uint64_t handle = call_argument(warp, op, lane, 0);
        if (!api || !api->set_condition(api->self, handle, call_argument(warp, op, lane, 1))) {
            warp_fault(warp, op->instr, lane, FAULT_ADDRESS, "bad condition",
                       "0x%llx is the handle of no condition of a graph",
                       (unsigned long long)handle);
            return;
        }
    }
    note_write(warp);
}

typedef uint64_t answer_function(const struct caller *caller);
typedef enum device_error error_function(const struct caller *caller);

/* Let each lane call `answer`, or else `does`, whose error it keeps. */
static void call_each(struct warp *warp, const struct op *op, uint32_t lanes,
                      answer_function *answer, error_function *does)
{
    for (int lane = 0; lane < WARP_SIZE && !warp->block->failed; lane++) {
        if (!(lanes >> lane & 1))
            continue;
        const struct caller caller = {warp, op, lane, warp->block->launch->machine,
                                      warp->block->number};
        const uint64_t result = answer ? answer(&caller) : (uint64_t)does(&caller);
        int *last = answer || !result ? NULL : last_error(&caller);
        if (last)
            *last = (int)result;
        call_set_result(warp, op, lane, result);
    }
    note_write(warp);
}

#define ANSWERS(name)                           \
    EXECUTOR(call_##name)                       \
    {                                           \
        call_each(warp, op, lanes, name, NULL); \
    }
#define DOES(name)                              \
    EXECUTOR(call_##name)                       \
    {                                           \
        call_each(warp, op, lanes, NULL, name); \
    }
ANSWERS(get_parameter_buffer)
ANSWERS(peek_at_last_error)
ANSWERS(get_last_error)
ANSWERS(error_string)
ANSWERS(error_name)
DOES(launch_device)
DOES(copy_memory)
DOES(copy_rows)
DOES(fill_memory)
DOES(fill_rows)
DOES(create_stream)
DOES(create_event)
DOES(destroy)
DOES(record_event)
DOES(wait_event)
DOES(allocate)
DOES(release)
DOES(get_device)
DOES(get_device_count)
DOES(get_attribute)

const struct builtin runtime_builtins[] = {
    {"GetParameterBufferV2",
     call_get_parameter_buffer,
     true,
     true,
     8,
     {8, DIM_BYTES, DIM_BYTES, 4}},
    {"LaunchDeviceV2", call_launch_device, true, false, 4, {8, 8}},
    {"MemcpyAsync", call_copy_memory, true, false, 4, {8, 8, 8, 4, 8}},
    {"Memcpy2DAsync", call_copy_rows, true, false, 4, {8, 8, 8, 8, 8, 8, 4, 8}},
    {"MemsetAsync", call_fill_memory, true, false, 4, {8, 4, 8, 8}},
    {"Memset2DAsync", call_fill_rows, true, false, 4, {8, 8, 4, 8, 8, 8}},
    {"StreamCreateWithFlags", call_create_stream, true, false, 4, {8, 4}},
    {"StreamDestroy", call_destroy, false, false, 4, {8}},
    {"StreamWaitEvent", call_wait_event, true, false, 4, {8, 8, 4}},
    {"EventCreateWithFlags", call_create_event, true, false, 4, {8, 4}},
    {"EventRecord", call_record_event, true, false, 4, {8, 8}},
    {"EventDestroy", call_destroy, false, false, 4, {8}},
    {"Malloc", call_allocate, true, true, 4, {8, 8}},
    {"Free", call_release, true, true, 4, {8}},
    {"GetDevice", call_get_device, false, false, 4, {8}},
    {"GetDeviceCount", call_get_device_count, false, false, 4, {8}},
    {"DeviceGetAttribute", call_get_attribute, true, false, 4, {8, 4, 4}},
    {"GetLastError", call_get_last_error, true, false, 4, {0}},
    {"PeekAtLastError", call_peek_at_last_error, true, false, 4, {0}},
    {"GetErrorString", call_error_string, false, false, 8, {4}},
    {"GetErrorName", call_error_name, false, false, 8, {4}},
};
const size_t runtime_builtin_count = sizeof runtime_builtins / sizeof *runtime_builtins;
