/* SPDX-License-Identifier: MIT */
/* What kernels ask to be done, and in which order it is done. */
#include "children.h"

#include <stdlib.h>
#include <string.h>

#include "hash_table.h"
#include "heap.h"
#include "launch.h"

/* As cuda_device_runtime_api.h numbers them. Below them are the names of default streams. */
enum { TAIL_LAUNCH = 3, FIRE_AND_FORGET = 4, FIRST_HANDLE = 16 };
enum { ERROR_COUNT = 1000 };

struct draft {
    uint64_t address; /* of the arguments */
    struct launch_request request; /* once it is launched its kernel is NULL */
};

/* The last one of a stream, or what an event stands for: 1 + a child's number, or 0. */
struct mark {
    uint64_t handle;
    size_t last;
};

struct error {
    uint64_t thread;
    int error;
};

struct children {
    struct device_api api;
    struct child *items;
    size_t count, room;
    struct hash_table drafts, streams, events, errors;
    uint64_t handles;
    uint64_t texts; /* where they begin; 0: there are none */
    uint32_t offsets[ERROR_COUNT + 1][2]; /* of each error's text and name */
};

/* NULL: no memory. */
static struct children *children_of(struct machine *machine)
{
    if (!machine->children && (machine->children = calloc(1, sizeof *machine->children)))
        machine->children->handles = FIRST_HANDLE;
    return machine->children;
}

void machine_set_device_api(struct machine *machine, const struct device_api *api)
{
    struct children *children = children_of(machine);
    if (children)
        children->api = *api;
}

const struct device_api *children_api(const struct machine *machine)
{
    return machine->children && machine->children->api.check ? &machine->children->api : NULL;
}

static void free_child(struct child *child)
{
    free(child->request.arguments);
}

/* Forget all but the children. */
static void end_grid(struct children *children)
{
    hash_table_free(&children->drafts);
    hash_table_free(&children->streams);
    hash_table_free(&children->events);
    hash_table_free(&children->errors);
}

void children_clear(struct machine *machine)
{
    struct children *children = machine->children;
    if (!children)
        return;
    end_grid(children);
    for (size_t i = 0; i < children->count; i++)
        free_child(&children->items[i]);
    children->count = 0;
}

void children_free(struct machine *machine)
{
    children_clear(machine);
    if (machine->children)
        free(machine->children->items);
    free(machine->children);
    machine->children = NULL;
}

uint64_t children_draft(struct machine *machine, const struct launch_request *request)
{
    struct children *children = children_of(machine);
    const size_t bytes = request->kernel->code->function->param_bytes;
    const uint64_t address = children ? heap_allocate(machine, bytes + 1) : 0;
    if (!address)
        return 0;
    struct draft *draft = hash_table_make(&children->drafts, sizeof *draft, address);
    draft->request = *request;
    return address;
}

/* The stream's last child, by a key that the block's own stream NULL has to itself. NULL: there is
 * no such stream. */
static struct mark *find_stream(struct children *children, uint64_t block, uint64_t stream)
{
    const uint64_t own = UINT64_C(1) << 63;
    if (stream < TAIL_LAUNCH)
        return hash_table_make(&children->streams, sizeof(struct mark), own | block);
    if (stream == TAIL_LAUNCH)
        return hash_table_make(&children->streams, sizeof(struct mark), TAIL_LAUNCH);
    return hash_table_find(&children->streams, sizeof(struct mark), stream);
}

static bool make_room(struct children *children)
{
    if (children->count < children->room)
        return true;
    const size_t room = children->room ? 2 * children->room : 64;
    struct child *items = realloc(children->items, room * sizeof *items);
    if (!items)
        return false;
    children->items = items;
    children->room = room;
    return true;
}

enum device_error children_add(struct machine *machine, const struct child *child, uint64_t block,
                               uint64_t stream)
{
    struct children *children = children_of(machine);
    if (!children || !make_room(children))
        return DEVICE_NO_MEMORY;
    struct mark *mark = stream == FIRE_AND_FORGET ? NULL : find_stream(children, block, stream);
    if (!mark && stream != FIRE_AND_FORGET)
        return DEVICE_INVALID_HANDLE;
    struct child *added = &children->items[children->count++];
    *added = *child;
    added->tail = stream == TAIL_LAUNCH;
    added->before = mark ? mark->last : 0;
    if (mark)
        mark->last = children->count;
    return DEVICE_SUCCESS;
}

/* Pointers to the arguments, and after these the arguments. */
static void **copy_arguments(const struct machine *machine, const struct draft *draft)
{
    const struct ptx_function *function = draft->request.kernel->code->function;
    const size_t table = (size_t)function->param_count * sizeof(void *);
    void **arguments = malloc(table + function->param_bytes + 1);
    if (!arguments)
        return NULL;
    memcpy((char *)arguments + table, memory_host(machine, draft->address), function->param_bytes);
    for (int i = 0; i < function->param_count; i++)
        arguments[i] = (char *)arguments + table + function->params[i].offset;
    return arguments;
}

enum device_error children_launch(struct machine *machine, uint64_t address, uint64_t block,
                                  uint64_t stream)
{
    struct children *children = children_of(machine);
    struct draft *draft =
        children && address ? hash_table_find(&children->drafts, sizeof *draft, address) : NULL;
    const struct device_api *api = children_api(machine);
    if (!draft || !draft->request.kernel || !api)
        return DEVICE_INVALID_VALUE;
    struct child child = {.kind = CHILD_KERNEL, .request = draft->request};
    int error = api->check(api->self, &child.request);
    if (!error && !(child.request.arguments = copy_arguments(machine, draft)))
        error = DEVICE_NO_MEMORY;
    heap_free(machine, address);
    if (!error)
        error = (int)children_add(machine, &child, block, stream);
    if (error)
        free_child(&child);
    draft->request.kernel = NULL;
    return (enum device_error)error;
}

uint64_t children_new_stream(struct machine *machine)
{
    struct children *children = children_of(machine);
    if (!children)
        return 0;
    hash_table_make(&children->streams, sizeof(struct mark), children->handles);
    return children->handles++;
}

uint64_t children_new_event(struct machine *machine)
{
    struct children *children = children_of(machine);
    if (!children)
        return 0;
    hash_table_make(&children->events, sizeof(struct mark), children->handles);
    return children->handles++;
}

enum device_error children_record(struct machine *machine, uint64_t event, uint64_t block,
                                  uint64_t stream)
{
    struct children *children = children_of(machine);
    struct mark *made =
        children && event ? hash_table_find(&children->events, sizeof *made, event) : NULL;
    const struct mark *mark = made ? find_stream(children, block, stream) : NULL;
    if (!mark)
        return DEVICE_INVALID_HANDLE;
    made->last = mark->last;
    return DEVICE_SUCCESS;
}

enum device_error children_wait(struct machine *machine, uint64_t event, uint64_t block,
                                uint64_t stream)
{
    struct children *children = children_of(machine);
    const struct mark *made =
        children && event ? hash_table_find(&children->events, sizeof *made, event) : NULL;
    if (!made)
        return DEVICE_INVALID_HANDLE;
    const struct child child = {.kind = CHILD_WAIT, .after = made->last};
    return children_add(machine, &child, block, stream);
}

int *children_error(struct machine *machine, uint64_t thread)
{
    struct children *children = children_of(machine);
    struct error *error =
        children ? hash_table_make(&children->errors, sizeof *error, thread) : NULL;
    return error ? &error->error : NULL;
}

/* Write the texts to `at`, if there is room; returns how long they are. */
static size_t write_texts(struct children *children, char *at)
{
    size_t used = 0;
    for (int error = 0; error <= ERROR_COUNT; error++)
        for (int name = 0; name < 2; name++) {
            const char *text = children->api.error_text(error, name);
            children->offsets[error][name] = (uint32_t)used;
            if (at)
                memcpy(at + used, text, strlen(text) + 1);
            used += strlen(text) + 1;
        }
    return used;
}

bool children_make_texts(struct machine *machine)
{
    struct children *children = children_of(machine);
    if (!children_api(machine) || children->texts)
        return children != NULL;
    children->texts =
        memory_allocate(machine, write_texts(children, NULL), MEMORY_CONSTANT, "texts of errors");
    if (children->texts)
        write_texts(children, memory_host(machine, children->texts));
    return children->texts != 0;
}

uint64_t children_text(const struct machine *machine, int error, bool name)
{
    const struct children *children = machine->children;
    const int known = error >= 0 && error < ERROR_COUNT ? error : ERROR_COUNT;
    return children && children->texts ? children->texts + children->offsets[known][name] : 0;
}

/* Children that may be done now, and of each child what waits for it. */
struct ordering {
    const struct child *items;
    struct child *sorted;
    size_t *ready, ready_count, sorted_count;
    size_t *next_in_stream, *first_waiter, *next_waiter; /* 1 + a number, or 0 */
    uint8_t *missing; /* what must be done first */
};

static void make_ready(struct ordering *ordering, size_t number)
{
    if (--ordering->missing[number] == 0)
        ordering->ready[ordering->ready_count++] = number;
}

static void sort_ready(struct ordering *ordering, const struct schedule *schedule)
{
    uint64_t dice = schedule->seed;
    while (ordering->ready_count) {
        const size_t last = --ordering->ready_count;
        const size_t pick = schedule->kind == SCHEDULE_RANDOM
                                ? (size_t)(schedule_random(&dice) % (last + 1))
                                : last;
        const size_t number = ordering->ready[pick];
        ordering->ready[pick] = ordering->ready[last];
        ordering->sorted[ordering->sorted_count++] = ordering->items[number];
        if (ordering->next_in_stream[number])
            make_ready(ordering, ordering->next_in_stream[number] - 1);
        for (size_t i = ordering->first_waiter[number]; i; i = ordering->next_waiter[i - 1])
            make_ready(ordering, i - 1);
    }
}

/* Sort by the schedule: first what is no tail, then the tail, which one stream keeps in order. */
static void sort_children(struct ordering *ordering, size_t count, const struct schedule *schedule)
{
    for (size_t i = 0; i < count; i++) {
        const struct child *child = &ordering->items[i];
        ordering->missing[i] = (uint8_t)(1 + (child->before != 0) + (child->after != 0));
        if (child->before)
            ordering->next_in_stream[child->before - 1] = i + 1;
        if (child->after) {
            ordering->next_waiter[i] = ordering->first_waiter[child->after - 1];
            ordering->first_waiter[child->after - 1] = i + 1;
        }
    }
    for (int tail = 0; tail < 2; tail++) {
        for (size_t i = 0; i < count; i++)
            if (ordering->items[i].tail == tail)
                make_ready(ordering, i);
        sort_ready(ordering, schedule);
    }
}

/* A copy of the children as the schedule orders them; NULL: no memory. */
static struct child *in_order(const struct child *items, size_t count,
                              const struct schedule *schedule)
{
    struct child *sorted = malloc(count * sizeof *sorted);
    if (sorted && schedule->kind == SCHEDULE_FORWARD) {
        size_t filled = 0;
        for (int tail = 0; tail < 2; tail++)
            for (size_t i = 0; i < count; i++)
                if (items[i].tail == tail)
                    sorted[filled++] = items[i];
        return sorted;
    }
    size_t *numbers = calloc(4 * count, sizeof *numbers);
    struct ordering ordering = {.items = items,
                                .sorted = sorted,
                                .ready = numbers,
                                .next_in_stream = numbers + count,
                                .first_waiter = numbers + 2 * count,
                                .next_waiter = numbers + 3 * count,
                                .missing = calloc(count, 1)};
    const bool room = sorted && numbers && ordering.missing;
    if (room)
        sort_children(&ordering, count, schedule);
    free(numbers);
    free(ordering.missing);
    if (!room)
        free(sorted);
    return room ? sorted : NULL;
}

bool family_take(struct machine *machine, struct family *family)
{
    struct children *children = machine->children;
    *family = (struct family){0};
    if (!children)
        return true;
    end_grid(children);
    if (!children->count)
        return true;
    family->items = in_order(children->items, children->count, &machine->schedule);
    if (!family->items) {
        children_clear(machine);
        return false;
    }
    family->count = children->count;
    children->count = 0;
    return true;
}

void family_free(struct family *family)
{
    for (size_t i = 0; i < family->count; i++)
        free_child(&family->items[i]);
    free(family->items);
    *family = (struct family){0};
}
