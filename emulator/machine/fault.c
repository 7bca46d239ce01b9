/* SPDX-License-Identifier: MIT */
/* What stops a kernel, in one line: what happened, then kernel, source line, block and thread. */
#include "launch.h"

#include <stdarg.h>

static void describe_thread(const struct warp *warp, const struct ptx_instr *instr, int lane,
                            char *text, size_t size)
{
    const struct kernel_info *info = &warp->block->launch->kernel->info;
    const struct dim block = warp->block->index;
    const struct dim thread = warp_thread(warp, lane);
    char line[PTX_SOURCE_LINE_SIZE];
    ptx_source_line(info->module, instr, line);
    snprintf(text, size, "in kernel %.100s, %s, block (%u,%u,%u), thread (%u,%u,%u)", info->name,
             line, block.x, block.y, block.z, thread.x, thread.y, thread.z);
}

static void notify_fault(const struct warp *warp, const struct ptx_instr *instr, int lane,
                         enum fault_kind kind, const char *what, const char *detail)
{
    const struct fault_event event = {.worker = warp->worker->number,
                                      .warp = warp,
                                      .instr = instr,
                                      .lane = lane,
                                      .kind = kind,
                                      .what = what,
                                      .detail = detail};
    NOTIFY(warp->block->listeners->fault, &event);
}

static void fault_write(struct fault *fault, enum fault_kind kind, const char *what,
                        const char *where, const char *detail)
{
    fault->kind = kind;
    snprintf(fault->message, sizeof fault->message, "%.90s %.450s%s%.220s", what, where,
             *detail ? ": " : "", detail);
}

void warp_fault(struct warp *warp, const struct ptx_instr *instr, int lane, enum fault_kind kind,
                const char *what, const char *format, ...)
{
    struct block *block = warp->block;
    struct launch_state *launch = block->launch;
    char where[PTX_SOURCE_LINE_SIZE + 200], detail[300];
    va_list arguments;

    warp->stop = true;
    if (block->failed)
        return;
    block->failed = true;
    if (block->cluster)
        block->cluster->failed = true;
    describe_thread(warp, instr, lane, where, sizeof where);
    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    if (kind != FAULT_INTERRUPTED)
        notify_fault(warp, instr, lane, kind, what, detail);

    pthread_mutex_lock(&launch->fault_lock);
    if (block->position < launch->failed_position) {
        launch->failed_position = block->position;
        fault_write(&launch->fault, kind, what, where, detail);
    }
    pthread_mutex_unlock(&launch->fault_lock);
}

void warp_complain(struct warp *warp, const struct ptx_instr *instr, int lane, enum fault_kind kind,
                   const char *what, const char *detail)
{
    struct launch_state *launch = warp->block->launch;
    char where[PTX_SOURCE_LINE_SIZE + 200];

    notify_fault(warp, instr, lane, kind, what, detail);
    describe_thread(warp, instr, lane, where, sizeof where);
    pthread_mutex_lock(&launch->fault_lock);
    if (launch->fault.kind == FAULT_NONE)
        fault_write(&launch->fault, kind, what, where, detail);
    pthread_mutex_unlock(&launch->fault_lock);
}

bool warp_interrupted(struct warp *warp, const struct path *path)
{
    const struct machine *machine = warp->block->launch->machine;
    if (!machine->signal || !*machine->signal || path->state == PATH_FREE)
        return false;
    warp_fault(warp, path->frame->code->ops[path->pc].instr, first_lane(path->mask),
               FAULT_INTERRUPTED, "interrupted", "%s", "");
    return true;
}
