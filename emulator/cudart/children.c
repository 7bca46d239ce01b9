/* SPDX-License-Identifier: MIT */
/* Dynamic parallelism: what the kernels of a launch ask to be done is done before the launch is
 * complete. */
#include "machine/children.h"

#include <stdlib.h>

#include "cudart/launch.h"
#include "cudart/transfer.h"

/* As deep as the programming guide lets launches nest. A tail launch is as deep as what it comes
 * behind. */
enum { MOST_NESTED = 24 };

/* The families under way, each asked for by a kernel of the one before it. */
struct families {
    struct level {
        struct family family;
        int depth;
    } * items;
    size_t count, room;
};

static cudaError_t push(struct runtime *runtime, struct families *families, int depth)
{
    if (families->count == families->room) {
        const size_t room = families->room ? 2 * families->room : 4;
        struct level *items = realloc(families->items, room * sizeof(*items));
        if (!items)
            return cudaErrorMemoryAllocation;
        families->items = items;
        families->room = room;
    }
    struct level *level = &families->items[families->count];
    if (!family_take(runtime->machine, &level->family))
        return cudaErrorMemoryAllocation;
    level->depth = depth;
    families->count += level->family.count > 0;
    return cudaSuccess;
}

static struct configuration configuration_of(const struct launch_request *request,
                                             cudaStream_t stream)
{
    return (struct configuration){.grid = {request->grid.x, request->grid.y, request->grid.z},
                                  .block = {request->block.x, request->block.y, request->block.z},
                                  .shared = request->dynamic_shared,
                                  .stream = stream};
}

/* Any stream will do for what runs in the stream of the kernel that asked for it. */
static cudaError_t do_child(struct runtime *runtime, const struct child *child, cudaStream_t stream)
{
    const struct box box = {child->width, child->rows, 1};
    const struct area to = {.texels = {.address = child->to.address, .pitch = child->to.pitch}};
    const struct area from = {
        .texels = {.address = child->from.address, .pitch = child->from.pitch}};
    struct function *function;

    switch (child->kind) {
    case CHILD_KERNEL:
        TRY(module_kernel(runtime, child->request.kernel, &function));
        return launch_kernel(
            runtime, function,
            &(struct kernel_operation){.configuration = configuration_of(&child->request, stream),
                                       .arguments = child->request.arguments});
    case CHILD_COPY:
        return transfer(runtime, to, from, box, cudaMemcpyDeviceToDevice, stream);
    case CHILD_FILL:
        return fill(runtime, to, (unsigned)child->value, 1, box, stream);
    case CHILD_WAIT:
        break;
    }
    return cudaSuccess;
}

static void pop(struct families *families)
{
    family_free(&families->items[--families->count].family);
}

static cudaError_t do_all(struct runtime *runtime, struct families *families, cudaStream_t stream)
{
    TRY(push(runtime, families, 1));
    while (families->count) {
        struct level *level = &families->items[families->count - 1];
        struct family *family = &level->family;
        if (family->next == family->count) {
            pop(families);
            continue;
        }
        const struct child *child = &family->items[family->next++];
        const int depth = level->depth + !child->tail;
        const bool launches = child->kind == CHILD_KERNEL;
        runtime->nesting = level->depth;
        call_by_kernel(child->kind == CHILD_FILL ? "cudaMemsetAsync" : "cudaMemcpyAsync");
        const cudaError_t error = do_child(runtime, child, stream);
        call_by_kernel(NULL);
        if (error)
            return error;
        if (family->next == family->count) /* tails that go on without end take no room */
            pop(families);
        if (launches)
            TRY(push(runtime, families, depth));
    }
    return cudaSuccess;
}

cudaError_t children_run(struct runtime *runtime, cudaStream_t stream, cudaError_t error)
{
    struct families families = {0};

    if (!error)
        error = do_all(runtime, &families, stream);

    while (families.count)
        pop(&families);
    free(families.items);
    children_clear(runtime->machine);
    runtime->nesting = 0;
    return error;
}

/* Called while a kernel runs, which asks for the launch. */
static int check(void *self, const struct launch_request *request)
{
    struct runtime *runtime = self;
    struct function *function;
    const struct configuration configuration = configuration_of(request, NULL);

    if (runtime->nesting >= MOST_NESTED)
        return cudaErrorLaunchMaxDepthExceeded;
    TRY(module_kernel(runtime, request->kernel, &function));
    call_by_kernel("cudaLaunchDevice");
    const cudaError_t error = launch_check_child(runtime, function, &configuration);
    call_by_kernel(NULL);
    return error;
}

static int attribute(void *self, int number, int *value)
{
    return device_find_attribute(self, (enum cudaDeviceAttr)number, value);
}

static bool set_condition(void *self, uint64_t handle, unsigned value)
{
    return condition_set(self, handle, value);
}

static const char *error_text(int error, bool name)
{
    return name ? cudaGetErrorName((cudaError_t)error) : cudaGetErrorString((cudaError_t)error);
}

void children_start(struct runtime *runtime)
{
    machine_set_device_api(runtime->machine, &(struct device_api){.self = runtime,
                                                                  .check = check,
                                                                  .attribute = attribute,
                                                                  .set_condition = set_condition,
                                                                  .error_text = error_text});
}
