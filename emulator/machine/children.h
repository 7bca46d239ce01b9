/* SPDX-License-Identifier: MIT */
/* Dynamic parallelism: what a kernel asks to be done, other kernels, copies and fills. All of it is
 * done once the kernel has ended, which the programming guide allows: a kernel cannot wait for its
 * children.
 *
 * Work of one stream is done in the order in which it was asked for. The stream NULL is each
 * block's own, a stream that a kernel made is the grid's, cudaStreamFireAndForget is another one
 * each time, and what is in cudaStreamTailLaunch comes after everything else. Which stream goes
 * first is the schedule's to say. */
#ifndef CHILDREN_H
#define CHILDREN_H

#include "machine.h"

enum child_kind { CHILD_KERNEL, CHILD_COPY, CHILD_FILL, CHILD_WAIT };

/* Rows of memory, `pitch` bytes apart. */
struct child_rows {
    uint64_t address, pitch;
};

struct child {
    enum child_kind kind;
    struct launch_request request; /* of a kernel; what `arguments` points to is the child's */
    struct child_rows to, from; /* of a copy or a fill */
    size_t width, rows; /* in bytes; how many */
    int value; /* that fills */
    bool tail;
    /* 1 + the number of what must be done first, or 0: in its stream; by an event. */
    size_t before, after;
};

/* What only the API can answer: with which of CUDA's errors a launch is refused, if any; an
 * attribute of the device; the text or the name of an error. And it sets the condition of a graph
 * that has this handle. */
struct device_api {
    void *self;
    int (*check)(void *self, const struct launch_request *request);
    int (*attribute)(void *self, int attribute, int *value);
    const char *(*error_text)(int error, bool name);
    bool (*set_condition)(void *self, uint64_t handle, unsigned value);
};
void machine_set_device_api(struct machine *machine, const struct device_api *api);

/* What the last kernel asked for, in the order in which it is to be done. */
struct family {
    struct child *items;
    size_t count, next;
};
/* Take it from the machine. False: no memory. */
bool family_take(struct machine *machine, struct family *family);
void family_free(struct family *family);

/* Errors that calls in kernels return, as CUDA numbers them. */
enum device_error {
    DEVICE_SUCCESS = 0,
    DEVICE_INVALID_VALUE = 1,
    DEVICE_NO_MEMORY = 2,
    DEVICE_INVALID_FUNCTION = 98,
    DEVICE_INVALID_DEVICE = 101,
    DEVICE_INVALID_HANDLE = 400,
};

/* For the calls of kernels (execute/children.c), of which only one runs at once. */
/* Forget what was asked for. */
void children_clear(struct machine *machine);
void children_free(struct machine *machine);
/* Keep a launch until its arguments are there. Returns where these go, or 0: no memory. */
uint64_t children_draft(struct machine *machine, const struct launch_request *request);
/* Queue what was drafted, or other work, in a stream of block number `block`. */
enum device_error children_launch(struct machine *machine, uint64_t draft, uint64_t block,
                                  uint64_t stream);
enum device_error children_add(struct machine *machine, const struct child *child, uint64_t block,
                               uint64_t stream);
uint64_t children_new_stream(struct machine *machine);
uint64_t children_new_event(struct machine *machine);
/* The event stands for what is in the stream so far; or the stream waits for that. */
enum device_error children_record(struct machine *machine, uint64_t event, uint64_t block,
                                  uint64_t stream);
enum device_error children_wait(struct machine *machine, uint64_t event, uint64_t block,
                                uint64_t stream);
/* Of each thread, by number and never 0, the last error. */
int *children_error(struct machine *machine, uint64_t thread);
/* The texts of all errors, in memory that kernels reach: to be called before one needs them. False:
 * no memory. */
bool children_make_texts(struct machine *machine);
uint64_t children_text(const struct machine *machine, int error, bool name);
const struct device_api *children_api(const struct machine *machine);

#endif
