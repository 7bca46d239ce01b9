/* SPDX-License-Identifier: MIT */
#include "time/link.h"

#include <stdlib.h>
#include <string.h>

#include "machine/observer_memory.h"

/* One worker's bytes of the launch under way, away from the cache lines of the others. */
struct worker_bytes {
    _Alignas(64) uint64_t moved;
};

struct link {
    struct observer observer;
    const struct machine *machine;
    struct timing *timing;
    struct worker_bytes *workers;
    int worker_count;
};

static void on_launch_begin(void *self, const struct launch *launch)
{
    struct link *link = self;

    if (launch->workers > link->worker_count) {
        free(link->workers);
        link->workers = observer_allocate(launch->workers, sizeof(*link->workers));
        link->worker_count = launch->workers;
    }
    memset(link->workers, 0, link->worker_count * sizeof(*link->workers));
}

/* The lanes whose address is another device's. */
static uint32_t lanes_abroad(const struct machine *machine, const struct access_event *event)
{
    uint32_t abroad = 0;

    for (uint32_t left = event->lanes; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        abroad |= (uint32_t)memory_is_abroad(machine, event->addresses[lane]) << lane;
    }
    return abroad;
}

static void on_access(void *self, const struct access_event *event)
{
    struct link *link = self;

    if (event->space != PTX_GLOBAL)
        return;
    const uint32_t lanes = lanes_abroad(link->machine, event);
    if (lanes)
        link->workers[event->worker].moved +=
            request_price(machine_gpu(link->machine), event->kind, PTX_GLOBAL, lanes,
                          event->addresses, event->bytes)
                .global.moved;
}

static void on_launch_end(void *self, const struct launch *launch, const struct fault *fault)
{
    const struct link *link = self;
    uint64_t bytes = 0;

    (void)launch, (void)fault;
    for (int i = 0; i < link->worker_count; i++)
        bytes += link->workers[i].moved;
    if (bytes)
        timing_over_link(link->timing, bytes, machine_gpu(link->machine)->link_read_gbs);
}

struct link *link_new(const struct machine *machine, struct timing *timing)
{
    struct link *link = observer_allocate(1, sizeof(*link));

    *link = (struct link){.observer = {.self = link,
                                       .launch_begin = on_launch_begin,
                                       .access = on_access,
                                       .launch_end = on_launch_end},
                          .machine = machine,
                          .timing = timing};
    return link;
}

void link_free(struct link *link)
{
    if (link)
        free(link->workers);
    free(link);
}

const struct observer *link_observer(const struct link *link)
{
    return &link->observer;
}
