/* SPDX-License-Identifier: MIT */
#include "check/init.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check/call_site.h"
#include "machine/observer_memory.h"
#include "machine/kept_blocks.h"
#include "check/undefined.h"
#include "check/unread.h"

/* Which bytes of a stretch of memory were written: a bit each. */
struct written {
    uint64_t address;
    size_t size;
    uint32_t widths; /* of elements that kernels stored: their sizes in bytes, or-ed */
    uint8_t *bits;
    const void *caller; /* that allocated it, or NULL */
    struct result result;
};

struct block_init {
    struct kept_block kept;
    struct written shared;
};

struct check_init {
    const struct machine *machine;
    struct reports *reports;
    struct written *items; /* allocations, by address */
    size_t count, room;
    const struct written *last; /* found */
    struct undefined *undefined; /* what was loaded of what nobody wrote */
    struct unread *unread; /* what kernels wrote for nobody */
    const struct ptx_var *reserved; /* shared memory that starts as zeros, or NULL */
    struct kept_blocks blocks;
    const void *caller; /* whose call site was looked up last: that takes a while */
    char site[300]; /* or nothing */
};

/* Bits. */

static void written_start(struct written *written, uint64_t address, size_t size)
{
    *written = (struct written){
        .address = address, .size = size, .bits = observer_reserve(size / 8 + 2, 1)};
}

/* Up to 8 bytes of bits from bit `at` on, and room for one more byte after. */
static uint16_t window(const struct written *written, uint64_t at)
{
    return (uint16_t)(written->bits[at / 8] | written->bits[at / 8 + 1] << 8) >> at % 8;
}

static bool is_written(const struct written *written, uint64_t at, uint64_t size)
{
    const uint64_t lead = -at & 7, first = lead < size ? lead : size;
    const uint16_t mask = (uint16_t)((1u << first) - 1);

    if ((window(written, at) & mask) != mask)
        return false;
    const uint8_t *bits = written->bits + (at + first) / 8;
    for (size -= first; size >= 64; bits += 8, size -= 64) {
        uint64_t all;
        memcpy(&all, bits, sizeof(all));
        if (all != UINT64_MAX)
            return false;
    }
    for (; size >= 8; bits++, size -= 8)
        if (*bits != UINT8_MAX)
            return false;
    return (~*bits & ((1u << size) - 1)) == 0;
}

static void mark(struct written *written, uint64_t at, uint64_t size)
{
    const uint64_t lead = -at & 7, first = lead < size ? lead : size, rest = size - first;
    uint8_t *bits = written->bits + (at + first) / 8;

    written->bits[at / 8] |= (uint8_t)(((1u << first) - 1) << at % 8);
    memset(bits, UINT8_MAX, rest / 8);
    bits[rest / 8] |= (uint8_t)((1u << rest % 8) - 1);
}

static void unmark(struct written *written, uint64_t at)
{
    written->bits[at / 8] &= (uint8_t) ~(1u << at % 8);
}

/* Allocations. */

static size_t position(const struct check_init *init, uint64_t address)
{
    size_t low = 0, high = init->count;

    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (init->items[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The watched allocation that holds `address`; NULL: none. */
static struct written *find(const struct check_init *init, uint64_t address)
{
    const size_t at = position(init, address);
    struct written *written = at ? &init->items[at - 1] : NULL;

    return written && address - written->address < written->size ? written : NULL;
}

void check_init_allocated(struct check_init *init, uint64_t address, size_t size,
                          const void *caller)
{
    const size_t at = position(init, address);

    MAKE_ROOM(init->items, init->count, init->room);
    memmove(init->items + at + 1, init->items + at, (init->count - at) * sizeof(*init->items));
    written_start(&init->items[at], address, size);
    init->items[at].caller = caller;
    init->count++;
    init->last = NULL;
}

static void note_result(struct check_init *init, const struct written *written)
{
    unread_add(init->unread, &written->result, memory_find(init->machine, written->address, 1),
               written->caller);
}

/* What is there is copied, or a library reads it. */
static void take_result(struct check_init *init, struct written *written)
{
    written->result.taken = true;
    if (written->result.kernel)
        unread_none(init->unread);
}

static void written_free(struct written *written)
{
    free(written->bits);
    free(written->result.kernel);
}

void check_init_freed(struct check_init *init, uint64_t address)
{
    const size_t at = position(init, address);

    if (!at || init->items[at - 1].address != address)
        return;
    note_result(init, &init->items[at - 1]);
    written_free(&init->items[at - 1]);
    memmove(init->items + at - 1, init->items + at, (init->count - at) * sizeof(*init->items));
    init->count--;
    init->last = NULL;
}

void check_init_written(struct check_init *init, uint64_t address, size_t size)
{
    struct written *written = find(init, address);

    if (written)
        mark(written, address - written->address, size);
}

/* Reports. */

/* Say in which allocation `address` is, and where that was made, if it is known. */
static void describe(struct check_init *init, uint64_t address, char *text, size_t size)
{
    const struct written *written = find(init, address);

    describe_global(init->machine, address, text, size);
    if (written && written->caller && written->caller != init->caller) {
        init->caller = written->caller;
        if (!call_site(init->caller, init->site, sizeof(init->site)))
            *init->site = '\0';
    }
    if (written && written->caller && *init->site)
        snprintf(text + strlen(text), size - strlen(text), ", made at %s", init->site);
}

static void report_copy(struct check_init *init, const char *function, uint64_t address,
                        size_t size, size_t missing)
{
    char what[800], where[560];

    if (reports_again(init->reports, CHECK_INIT, init, NULL, address))
        return;
    describe(init, address, where, sizeof(where));
    snprintf(what, sizeof(what),
             "%s copies %zu bytes to the host, of which %zu were never written, the first %s",
             function, size, missing, where);
    const struct finding finding = {.kind = CHECK_INIT, .what = what, .why = ""};
    reports_add(init->reports, &finding);
}

/* Are the unwritten bytes [first, end) padding of a struct? Padding ends where an element wider
 * than it may begin, and kernels stored such elements. */
static bool is_padding(const struct written *written, uint64_t first, uint64_t end)
{
    for (uint32_t width = 2; width <= 8; width *= 2)
        if (written->widths & width && end - first < width && end % width == 0)
            return true;
    return false;
}

void check_init_copied(struct check_init *init, const char *function, uint64_t to, uint64_t from,
                       size_t size)
{
    struct written *source = find(init, from), *target = find(init, to);
    const uint64_t start = source ? from - source->address : 0;
    uint64_t first = 0;
    size_t missing = 0;

    if (target) {
        mark(target, to - target->address, size);
        target->result.filled = true;
    }
    if (source)
        take_result(init, source);
    if (target && source)
        target->widths |= source->widths;
    if (!source || is_written(source, start, size))
        return;
    for (uint64_t i = 0, end; i < size; i = end) {
        for (end = i + 1;
             end < size && is_written(source, start + i, 1) == is_written(source, start + end, 1);)
            end++;
        if (is_written(source, start + i, 1))
            continue;
        for (uint64_t k = i; k < end && target; k++)
            unmark(target, to - target->address + k);
        if (is_padding(source, start + i, start + end))
            continue;
        first = missing ? first : i;
        missing += end - i;
    }
    if (!target && missing)
        report_copy(init, function, from + first, size, missing);
}

bool check_init_read(struct check_init *init, const char *function, const char *what,
                     uint64_t address, size_t size)
{
    struct written *source = find(init, address);
    char text[800], where[560];
    size_t first = 0;

    if (source)
        take_result(init, source);
    if (!source || is_written(source, address - source->address, size))
        return true;
    while (is_written(source, address + first - source->address, 1))
        first++;
    if (reports_again(init->reports, CHECK_INIT, init, NULL, address + first))
        return false;
    describe(init, address + first, where, sizeof(where));
    snprintf(text, sizeof(text), "%s reads %s, of which bytes were never written, the first %s",
             function, what, where);
    reports_add(init->reports, &(struct finding){.kind = CHECK_INIT, .what = text, .why = ""});
    return false;
}

/* Bytes that `origin` loaded were used. */
static void report_use(void *self, const struct warp *warp, const struct ptx_instr *instr, int lane,
                       const char *act, const struct origin *origin)
{
    struct check_init *init = self;
    const struct dim block = warp_id(warp).block, thread = warp_thread(warp, lane);
    char what[700], where[560];

    if (reports_again(init->reports, CHECK_INIT, origin->instr, NULL, 0))
        return;
    if (origin->shared)
        describe_shared(warp_launch(warp), origin->address, where, sizeof(where));
    else
        describe(init, origin->address, where, sizeof(where));
    snprintf(what, sizeof(what), "uninitialised read of %u bytes of %s memory %s", origin->bytes,
             origin->shared ? "shared" : "global", where);
    const bool at_once = instr == origin->instr;
    const struct finding finding = {
        .kind = CHECK_INIT,
        .launch = warp_launch(warp),
        .what = what,
        .why = "nobody wrote them",
        .parties = {{.act = at_once ? act : "load",
                     .instr = origin->instr,
                     .block = block,
                     .thread = thread},
                    {.act = act, .instr = instr, .block = block, .thread = thread}},
        .party_count = at_once ? 1 : 2,
    };
    reports_add(init->reports, &finding);
}

/* Events. */

static struct block_init *find_block(struct check_init *init, struct dim index)
{
    return kept_block_find(&init->blocks, index);
}

/* The record of `address`: as a rule the same as for the lane before. */
static struct written *watched(struct check_init *init, const struct written *before,
                               uint64_t address)
{
    if (before && address - before->address < before->size)
        return (struct written *)before;
    struct written *found = find(init, address);
    if (found)
        init->last = found;
    return found;
}

/* The bytes of [at, at + size) that nobody wrote, 8 of them at most. */
static uint8_t unwritten(const struct written *written, uint64_t at, uint64_t size)
{
    return (uint8_t)(~window(written, at) & ((1u << size) - 1));
}

/* A load: bytes of the register are undefined where those of memory are unwritten. */
static void take(struct check_init *init, const struct access_event *event, int lane,
                 const struct written *written, uint64_t at)
{
    for (uint32_t offset = 0; offset < event->bytes; offset += event->unit) {
        const uint8_t bytes = unwritten(written, at + offset, event->unit);
        if (bytes)
            undefined_load(init->undefined, event, lane, access_register(event, lane, offset),
                           bytes);
    }
}

/* A store: its bytes are written now, except undefined ones. Storing a result is a use. */
static void put(struct check_init *init, const struct access_event *event, int lane,
                struct written *written, uint64_t at)
{
    for (uint32_t offset = 0; offset < event->bytes; offset += event->unit) {
        const struct register_byte from = access_register(event, lane, offset);
        const struct undefined_lanes *lanes =
            undefined_stored(init->undefined, event, from.element);
        if (!lanes || !(lanes->any >> from.lane & 1))
            continue;
        const uint8_t bytes = lanes->bytes[from.lane] >> from.at;
        if (lanes->results >> from.lane & 1) {
            report_use(init, event->warp, event->instr, from.lane, "use in what is stored",
                       &lanes->origins[from.lane]);
            continue;
        }
        written->widths |= 2 * event->unit - 1; /* what is copied may be of narrower elements */
        for (uint32_t i = 0; i < event->unit; i++)
            if (bytes >> i & 1)
                unmark(written, at + offset + i);
    }
}

static void visit_atomic(struct check_init *init, const struct access_event *event, int lane,
                         struct written *written, uint64_t at)
{
    const struct origin origin = {event->instr, event->addresses[lane], event->bytes,
                                  event->space == PTX_SHARED};

    if (!ptx_is_mbarrier(event->instr) && !is_written(written, at, event->bytes)) {
        if (!ptx_has(event->instr, MOD_EXCH))
            report_use(init, event->warp, event->instr, lane, "atomic", &origin);
        else if (event->instr->opcode == OP_ATOM)
            take(init, event, lane, written, at);
    }
    mark(written, at, event->bytes);
}

static inline void visit(struct check_init *init, const struct access_event *event, int lane,
                         struct written *written)
{
    const uint64_t at = event->addresses[lane] - written->address;

    if (event->space == PTX_GLOBAL)
        result_visit(&written->result, event);
    if (event->kind == ACCESS_LOAD) {
        if (!is_written(written, at, event->bytes))
            take(init, event, lane, written, at);
    } else if (event->kind == ACCESS_ATOMIC) {
        visit_atomic(init, event, lane, written, at);
    } else {
        mark(written, at, event->bytes);
        written->widths |= event->unit;
        if (undefined_any(init->undefined))
            put(init, event, lane, written, at);
    }
}

/* Does a whole warp move one contiguous stretch of memory, inside `written`? */
static bool is_one_run(const struct access_event *event, const struct written *written)
{
    const uint64_t first = event->addresses[0];
    uint64_t differ = 0;

    if (event->lanes != UINT32_MAX)
        return false;
    for (uint64_t i = 0; i < WARP_SIZE && !event->in_row; i++)
        differ |= event->addresses[i] ^ (first + i * event->bytes);
    return differ == 0 && first >= written->address &&
           first - written->address + WARP_SIZE * event->bytes <= written->size;
}

/* Is all written from the lowest byte to the highest that the lanes load? They are near each other
 * as a rule. */
static bool is_span_written(const struct access_event *event, const struct written *written)
{
    enum { LONGEST = 8192 };
    uint64_t low = event->low, high = event->high;

    if (!high)
        address_range(event->lanes, event->addresses, &low, &high);
    const uint64_t at = low - written->address, size = high + event->bytes - low;
    return at < written->size && size <= LONGEST && size <= written->size - at &&
           is_written(written, at, size);
}

/* A store of nothing undefined; false: its lanes are to be looked at one by one. */
static bool store_all(const struct access_event *event, struct written *written)
{
    if (is_one_run(event, written))
        mark(written, event->addresses[0] - written->address, WARP_SIZE * event->bytes);
    else if (event->space == PTX_SHARED)
        EACH_LANE(lane, event->lanes)
            mark(written, event->addresses[lane], event->bytes);
    else
        return false;
    if (event->space == PTX_GLOBAL)
        result_visit(&written->result, event);
    written->widths |= event->unit;
    return true;
}

/* What is multiplied in the background is in no register that could be watched: it counts as used
 * at once. */
static void visit_product(struct check_init *init, const struct access_event *event)
{
    const struct written *shared = &find_block(init, event->owner)->shared;

    EACH_LANE(lane, event->lanes) {
        const struct origin origin = {event->instr, event->addresses[lane], event->bytes, true};
        if (is_written(shared, event->addresses[lane] - shared->address, event->bytes))
            continue;
        report_use(init, event->warp, event->instr, lane, "product", &origin);
        return;
    }
}

/* A copy in the background reads or writes a result. What its bytes are is for on_copy(). */
static void visit_copies(struct check_init *init, const struct access_event *event)
{
    EACH_LANE(lane, event->space == PTX_GLOBAL ? event->lanes : 0) {
        struct written *written = watched(init, init->last, event->addresses[lane]);
        if (written)
            result_visit(&written->result, event);
    }
}

static void on_access(void *self, const struct access_event *event)
{
    struct check_init *init = self;
    const struct written *written;

    if (event->instr->opcode == OP_WGMMA_MMA)
        visit_product(init, event);
    if (event->copies) {
        visit_copies(init, event);
        return;
    }
    if (event->space == PTX_SHARED)
        written = &find_block(init, event->owner)->shared;
    else if (event->space == PTX_GLOBAL)
        written = watched(init, init->last, event->addresses[__builtin_ctz(event->lanes)]);
    else
        return;
    if (written && event->kind == ACCESS_LOAD && is_span_written(event, written)) {
        if (event->space == PTX_GLOBAL)
            result_visit(&((struct written *)written)->result, event);
        return;
    }
    if (written && event->kind == ACCESS_STORE && !undefined_any(init->undefined) &&
        store_all(event, (struct written *)written))
        return;
    EACH_LANE(lane, event->lanes) {
        written =
            event->space == PTX_SHARED ? written : watched(init, written, event->addresses[lane]);
        if (written)
            visit(init, event, lane, (struct written *)written);
        else if (event->kind != ACCESS_LOAD)
            unread_none(init->unread);
    }
}

/* What a copy writes is unwritten where what it reads is. */
static void carry(struct check_init *init, struct written *target, uint64_t to, uint64_t from,
                  uint32_t bytes)
{
    const struct written *source = find(init, from);

    mark(target, to, bytes);
    for (uint32_t i = 0; source && i < bytes; i++)
        if (!is_written(source, from - source->address + i, 1))
            unmark(target, to + i);
}

/* A bulk copy out of shared memory, or a reduction. */
static void store_run(struct check_init *init, const struct written *source,
                      const struct copy_event *event, int lane)
{
    struct written *target = find(init, event->from[lane]);

    for (uint32_t i = 0; target && i < event->bytes; i++) {
        const uint64_t at = event->from[lane] - target->address + i;
        mark(target, at, 1);
        if (!ptx_has(event->instr, MOD_REDUCE) &&
            !is_written(source, event->to[lane] - source->address + i, 1))
            unmark(target, at);
    }
}

/* A copy in the background writes when its thread has waited for it. */
static void on_copy(void *self, const struct copy_event *event)
{
    struct check_init *init = self;

    if (!event->done || event->reads_only)
        return;
    struct written *target = &find_block(init, warp_id(event->warp).block)->shared;
    EACH_LANE(lane, event->stores ? event->lanes : 0)
        store_run(init, target, event, lane);
    EACH_LANE(lane, event->stores ? 0 : event->lanes) {
        const uint32_t reads = event->reads[lane];
        carry(init, target, event->to[lane], event->from[lane], reads);
        mark(target, event->to[lane] + reads, event->bytes - reads);
    }
}

/* One unwritten byte is enough: a filter mixes whole texels. */
static void on_fetch(void *self, const struct fetch_event *event)
{
    struct check_init *init = self;

    for (int i = 0; i < event->tap_count; i++) {
        const struct access_event access = {.warp = event->warp,
                                            .instr = event->instr,
                                            .space = PTX_GLOBAL,
                                            .bytes = event->bytes,
                                            .addresses = event->taps[i].addresses};
        EACH_LANE(lane, event->taps[i].lanes) {
            const uint64_t address = access.addresses[lane];
            struct written *written = watched(init, init->last, address);
            if (written)
                written->result.taken = true;
            if (!written || is_written(written, address - written->address, event->bytes))
                continue;
            for (int k = 0; k < event->channels; k++)
                undefined_load(init->undefined, &access, lane,
                               (struct register_byte){.lane = lane, .element = k}, 0xF);
        }
    }
}

/* The same for what a barrier in shared memory has counted. */
static void on_mbarrier(void *self, const struct mbarrier_event *event)
{
    struct check_init *init = self;

    if (event->step != MBARRIER_LAND)
        return;
    struct written *target = &find_block(init, event->owner)->shared;
    if (event->from)
        carry(init, target, event->to, event->from, event->bytes);
    else
        mark(target, event->to, event->bytes);
}

static void on_launch_begin(void *self, const struct launch *launch)
{
    struct check_init *init = self;

    init->reserved = kernel_info(launch->kernel)->function->reserved;
}

static void free_spares(struct check_init *init)
{
    struct block_init *block;

    while ((block = kept_block_pop(&init->blocks.spare)) != NULL) {
        free(block->shared.bits);
        free(block);
    }
}

static void on_launch_end(void *self, const struct launch *launch, const struct fault *fault)
{
    struct check_init *init = self;
    (void)launch, (void)fault;

    free_spares(init);
    undefined_reset(init->undefined);
}

static void on_block_begin(void *self, int worker, const struct launch *launch, struct dim index)
{
    struct check_init *init = self;
    struct block_init *block = kept_block_begin(&init->blocks, index, sizeof(*block));
    (void)worker;

    if (block->shared.bits)
        memset(block->shared.bits, 0, block->shared.size / 8 + 2);
    else
        written_start(&block->shared, 0, launch->shared_bytes);
    if (init->reserved)
        mark(&block->shared, init->reserved->offset, init->reserved->size);
}

static void on_block_end(void *self, int worker, const struct launch *launch, struct dim index,
                         uint64_t issued)
{
    struct check_init *init = self;
    (void)worker, (void)launch, (void)issued;

    kept_block_end(&init->blocks, index);
}

static void on_collective(void *self, const struct collective_event *event)
{
    undefined_collective(((struct check_init *)self)->undefined, event);
}

void check_init_unread(struct check_init *init, FILE *file)
{
    for (size_t i = 0; i < init->count; i++)
        note_result(init, &init->items[i]);
    unread_print(init->unread, file);
}

struct check_init *check_init_new(struct machine *machine, struct reports *reports)
{
    struct check_init *init = observer_allocate(1, sizeof(*init));

    init->machine = machine;
    init->reports = reports;
    init->undefined = undefined_new(report_use, init);
    init->unread = unread_new();
    const struct observer observer = {
        .self = init,
        .launch_begin = on_launch_begin,
        .launch_end = on_launch_end,
        .block_begin = on_block_begin,
        .block_end = on_block_end,
        .access = on_access,
        .fetch = on_fetch,
        .copy = on_copy,
        .mbarrier = on_mbarrier,
        .collective = on_collective,
    };
    machine_observe(machine, &observer);
    return init;
}

void check_init_free(struct check_init *init)
{
    if (!init)
        return;
    free_spares(init);
    undefined_free(init->undefined);
    unread_free(init->unread);
    for (size_t i = 0; i < init->count; i++)
        written_free(&init->items[i]);
    free(init->items);
    free(init);
}
