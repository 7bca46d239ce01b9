/* SPDX-License-Identifier: MIT */
#include "check/apart.h"

#include <inttypes.h>
#include <stdlib.h>

#include "machine/hash_table.h"
#include "machine/observer_memory.h"

/* The host is timeline 0. Streams beyond the most share the last one, which orders them. */
enum { HOST, TIMELINES_MOST = 256, PAGE = 4096, WORDS = PAGE / 64 };

/* What a timeline, or an event, knows: of each timeline, how much of its work has been done. */
struct knowledge {
    uint64_t of[TIMELINES_MOST];
};

struct timeline {
    struct apart_stream stream;
    struct knowledge knows;
};

struct event {
    const void *event;
    struct knowledge knows;
};

/* Bytes of a page that were used, a bit each, and what did so first. */
struct page {
    uint64_t number; /* from 1 on */
    uint64_t read[WORDS], written[WORDS];
    const struct ptx_instr *reader, *writer;
};

struct work {
    int timeline, device;
    uint64_t clock; /* of its timeline */
    const struct kernel *kernel; /* NULL: */
    const char *what; /* a copy or fill */
    struct hash_table pages;
};

struct apart {
    struct reports *reports;
    const struct machine *machine; /* any: they know all memory */
    struct timeline *timelines;
    int timeline_count;
    struct event *events;
    size_t event_count;
    struct work *works; /* that somebody does not know of */
    size_t work_count;
    struct work now; /* under way */
};

/* --- Who knows what --------------------------------------------------------------------------- */

static void learn(struct knowledge *to, const struct knowledge *from)
{
    for (int i = 0; i < TIMELINES_MOST; i++)
        if (from->of[i] > to->of[i])
            to->of[i] = from->of[i];
}

static bool is_default(const struct apart_stream *stream)
{
    return !stream->stream;
}

static int find_timeline(struct apart *apart, struct apart_stream stream)
{
    for (int i = HOST + 1; i < apart->timeline_count; i++)
        if (apart->timelines[i].stream.device == stream.device &&
            apart->timelines[i].stream.stream == stream.stream)
            return i;
    if (apart->timeline_count == TIMELINES_MOST)
        return TIMELINES_MOST - 1;
    apart->timelines =
        observer_grow(apart->timelines, apart->timeline_count + 1, sizeof(*apart->timelines));
    apart->timelines[apart->timeline_count] = (struct timeline){.stream = stream};
    return apart->timeline_count++;
}

/* The timeline of a stream. It learns what the calling host knows, and what the streams know that
 * the default stream of its device orders with it. */
static int enter(struct apart *apart, struct apart_stream stream)
{
    const int number = find_timeline(apart, stream);
    struct timeline *timeline = &apart->timelines[number];

    learn(&timeline->knows, &apart->timelines[HOST].knows);
    for (int i = HOST + 1; i < apart->timeline_count; i++) {
        const struct apart_stream *other = &apart->timelines[i].stream;
        if (other->device == stream.device &&
            ((is_default(&stream) && other->blocking) || (is_default(other) && stream.blocking)))
            learn(&timeline->knows, &apart->timelines[i].knows);
    }
    return number;
}

static struct event *find_event(struct apart *apart, const void *event)
{
    for (size_t i = 0; i < apart->event_count; i++)
        if (apart->events[i].event == event)
            return &apart->events[i];
    apart->events = observer_grow(apart->events, apart->event_count + 1, sizeof(*apart->events));
    apart->events[apart->event_count] = (struct event){.event = event};
    return &apart->events[apart->event_count++];
}

/* --- What was used ---------------------------------------------------------------------------- */

static void mark(uint64_t bits[WORDS], size_t from, size_t count)
{
    for (size_t i = from; i < from + count; i++)
        if (i % 64 == 0 && from + count - i >= 64) {
            bits[i / 64] = UINT64_MAX;
            i += 63;
        } else {
            bits[i / 64] |= UINT64_C(1) << i % 64;
        }
}

static void use(struct work *work, uint64_t address, size_t size, bool writes,
                const struct ptx_instr *instr)
{
    while (size) {
        const size_t from = address % PAGE, count = size < PAGE - from ? size : PAGE - from;
        struct page *page = hash_table_make(&work->pages, sizeof(*page), address / PAGE);
        const struct ptx_instr **first = writes ? &page->writer : &page->reader;
        mark(writes ? page->written : page->read, from, count);
        *first = *first ? *first : instr;
        address += count;
        size -= count;
    }
}

static void on_launch_begin(void *self, const struct launch *launch)
{
    struct apart *apart = self;

    apart->now.kernel = launch->kernel;
}

static void on_access(void *self, const struct access_event *event)
{
    struct apart *apart = self;

    if (event->space != PTX_GLOBAL || event->kind == ACCESS_ATOMIC || event->orders_blocks)
        return;
    for (uint32_t left = event->lanes; left; left &= left - 1)
        use(&apart->now, event->addresses[__builtin_ctz(left)], event->bytes,
            event->kind == ACCESS_STORE, event->instr);
}

/* --- Conflicts -------------------------------------------------------------------------------- */

static void describe(const struct work *work, const struct ptx_instr *instr, bool writes,
                     char *text, size_t size)
{
    char line[PTX_SOURCE_LINE_SIZE] = "";

    if (work->kernel && instr)
        ptx_source_line(kernel_info(work->kernel)->module, instr, line);
    snprintf(text, size, "%s by device %d, %s%s%s%s", writes ? "store" : "load", work->device,
             work->kernel ? "kernel " : "",
             work->kernel ? kernel_info(work->kernel)->name : work->what, *line ? " at " : "",
             line);
}

static void report(struct apart *apart, const struct work *before, const struct page *old,
                   const struct page *page, size_t byte)
{
    const uint64_t bit = UINT64_C(1) << byte % 64;
    const bool writes = page->written[byte / 64] & bit, wrote = old->written[byte / 64] & bit;
    const struct ptx_instr *now = writes ? page->writer : page->reader;
    const struct ptx_instr *then = wrote ? old->writer : old->reader;
    char where[200], first[600], second[600], what[1440];

    if (reports_again(apart->reports, CHECK_RACE, now < then ? now : then, now < then ? then : now,
                      UINT64_C(1) << 32))
        return;
    describe_global(apart->machine, page->number * PAGE + byte, where, sizeof(where));
    describe(&apart->now, now, writes, first, sizeof(first));
    describe(before, then, wrote, second, sizeof(second));
    snprintf(what, sizeof(what), "global memory %s\nemu:     %s\nemu:     %s", where, first,
             second);
    const struct finding finding = {
        .kind = CHECK_RACE,
        .what = what,
        .why = "different devices: no event and no wait orders them",
    };
    reports_add(apart->reports, &finding);
}

/* Report the first byte of the page that both use and one of them writes. False: there is none. */
static bool conflicts(struct apart *apart, const struct work *before, const struct page *old,
                      const struct page *page)
{
    for (size_t i = 0; i < WORDS; i++) {
        const uint64_t both = (page->written[i] & (old->read[i] | old->written[i])) |
                              (page->read[i] & old->written[i]);
        if (!both)
            continue;
        report(apart, before, old, page, 64 * i + (size_t)__builtin_ctzll(both));
        return true;
    }
    return false;
}

static void compare(struct apart *apart, const struct work *before)
{
    const struct hash_table *pages = &apart->now.pages;

    for (size_t i = 0; i < pages->room; i++) {
        const struct page *page = hash_table_at(pages, sizeof(*page), i);
        const struct page *old =
            page->number ? hash_table_find(&before->pages, sizeof(*old), page->number) : NULL;
        if (old && conflicts(apart, before, old, page))
            return;
    }
}

/* Does the host know of the work, from which all timelines learn, or do all of other devices? */
static bool is_known(const struct apart *apart, const struct work *work)
{
    bool others = false;

    if (apart->timelines[HOST].knows.of[work->timeline] >= work->clock)
        return true;
    for (int i = HOST + 1; i < apart->timeline_count; i++) {
        if (apart->timelines[i].stream.device == work->device)
            continue;
        if (apart->timelines[i].knows.of[work->timeline] < work->clock)
            return false;
        others = true;
    }
    return others;
}

static void drop_known(struct apart *apart)
{
    size_t kept = 0;

    for (size_t i = 0; i < apart->work_count; i++)
        if (is_known(apart, &apart->works[i]))
            hash_table_free(&apart->works[i].pages);
        else
            apart->works[kept++] = apart->works[i];
    apart->work_count = kept;
}

/* --- From outside ----------------------------------------------------------------------------- */

struct apart *apart_new(struct reports *reports)
{
    struct apart *apart = observer_allocate(1, sizeof(*apart));

    apart->reports = reports;
    apart->timelines = observer_allocate(1, sizeof(*apart->timelines));
    apart->timeline_count = 1;
    return apart;
}

void apart_forget(struct apart *apart)
{
    for (size_t i = 0; i < apart->work_count; i++)
        hash_table_free(&apart->works[i].pages);
    apart->work_count = 0;
}

void apart_free(struct apart *apart)
{
    if (!apart)
        return;
    apart_forget(apart);
    hash_table_free(&apart->now.pages);
    free(apart->works);
    free(apart->events);
    free(apart->timelines);
    free(apart);
}

void apart_watch(struct apart *apart, struct machine *machine)
{
    const struct observer observer = {
        .self = apart, .launch_begin = on_launch_begin, .access = on_access};

    apart->machine = machine;
    machine_observe(machine, &observer);
}

void apart_begin(struct apart *apart, struct apart_stream stream)
{
    const int timeline = enter(apart, stream);

    hash_table_free(&apart->now.pages);
    apart->now = (struct work){.timeline = timeline,
                               .device = stream.device,
                               .clock = ++apart->timelines[timeline].knows.of[timeline],
                               .what = ""};
}

void apart_use(struct apart *apart, const char *what, uint64_t address, size_t size, bool writes)
{
    apart->now.what = what;
    if (memory_find(apart->machine, address, 1))
        use(&apart->now, address, size, writes, NULL);
}

void apart_end(struct apart *apart, bool host_waits)
{
    const struct knowledge *knows = &apart->timelines[apart->now.timeline].knows;

    for (size_t i = 0; i < apart->work_count; i++) {
        const struct work *before = &apart->works[i];
        if (before->device != apart->now.device && knows->of[before->timeline] < before->clock)
            compare(apart, before);
    }
    if (host_waits)
        learn(&apart->timelines[HOST].knows, knows);
    drop_known(apart);
    apart->works = observer_grow(apart->works, apart->work_count + 1, sizeof(*apart->works));
    apart->works[apart->work_count++] = apart->now;
    apart->now.pages = (struct hash_table){0};
}

void apart_record(struct apart *apart, struct apart_stream stream, const void *event)
{
    const int timeline = enter(apart, stream);

    find_event(apart, event)->knows = apart->timelines[timeline].knows;
}

void apart_wait(struct apart *apart, struct apart_stream stream, const void *event)
{
    const int timeline = enter(apart, stream);

    learn(&apart->timelines[timeline].knows, &find_event(apart, event)->knows);
}

void apart_host_waits_for(struct apart *apart, const void *event)
{
    learn(&apart->timelines[HOST].knows, &find_event(apart, event)->knows);
    drop_known(apart);
}

void apart_host_waits(struct apart *apart, struct apart_stream stream)
{
    const int timeline = enter(apart, stream);

    learn(&apart->timelines[HOST].knows, &apart->timelines[timeline].knows);
    drop_known(apart);
}

void apart_host_waits_for_device(struct apart *apart, int device)
{
    for (int i = HOST + 1; i < apart->timeline_count; i++)
        if (apart->timelines[i].stream.device == device)
            learn(&apart->timelines[HOST].knows, &apart->timelines[i].knows);
    drop_known(apart);
}
