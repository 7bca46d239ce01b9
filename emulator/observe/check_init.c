#include "observe/check_init.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "observe/allocate.h"

/* Which bytes of a stretch of memory were written: a bit each. */
struct written {
    uint64_t address;
    size_t size;
    uint8_t *bits;
};

struct block_init {
    struct dim index;
    struct written shared;
    struct block_init *next;
};

struct check_init {
    struct observer observer;
    const struct machine *machine;
    struct reports *reports;
    struct written *items; /* allocations, by address */
    size_t count, room;
    const struct written *last; /* found */
    size_t shared_bytes;
    struct block_init *blocks, *spare;
};

/* Bits. */

static void written_start(struct written *written, uint64_t address, size_t size)
{
    /* calloc: large ones cost nothing until they are touched. */
    *written = (struct written){address, size, calloc(size / 8 + 2, 1)};
    if (!written->bits) {
        fprintf(stderr, "emu: no memory to watch %zu bytes\n", size);
        abort();
    }
}

/* Up to 8 bytes of bits from bit `at` on, and room for one more byte behind. */
static uint16_t window(const struct written *written, uint64_t at)
{
    return (uint16_t)(written->bits[at / 8] | written->bits[at / 8 + 1] << 8) >> at % 8;
}

static bool is_written(const struct written *written, uint64_t at, uint64_t size)
{
    for (; size >= 8; at += 8, size -= 8)
        if ((window(written, at) & 0xFF) != 0xFF)
            return false;
    const uint16_t mask = (uint16_t)((1u << size) - 1);
    return (window(written, at) & mask) == mask;
}

static void mark(struct written *written, uint64_t at, uint64_t size)
{
    for (; size && at % 8; at++, size--)
        written->bits[at / 8] |= (uint8_t)(1u << at % 8);
    memset(written->bits + at / 8, 0xFF, size / 8);
    at += size & ~UINT64_C(7);
    for (size &= 7; size; at++, size--)
        written->bits[at / 8] |= (uint8_t)(1u << at % 8);
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

/* The watched allocation that holds `address`, or NULL. */
static struct written *find(const struct check_init *init, uint64_t address)
{
    const size_t at = position(init, address);
    struct written *written = at ? &init->items[at - 1] : NULL;

    return written && address - written->address < written->size ? written : NULL;
}

void check_init_allocated(struct check_init *init, uint64_t address, size_t size)
{
    const size_t at = position(init, address);

    if (init->count == init->room) {
        const size_t room = init->room ? 2 * init->room : 16;
        struct written *items = observer_allocate(room, sizeof(*items));
        if (init->count)
            memcpy(items, init->items, init->count * sizeof(*items));
        free(init->items);
        init->items = items;
        init->room = room;
    }
    memmove(init->items + at + 1, init->items + at, (init->count - at) * sizeof(*init->items));
    written_start(&init->items[at], address, size);
    init->count++;
    init->last = NULL;
}

void check_init_freed(struct check_init *init, uint64_t address)
{
    const size_t at = position(init, address);

    if (!at || init->items[at - 1].address != address)
        return;
    free(init->items[at - 1].bits);
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

static void report_copy(struct check_init *init, const char *function, uint64_t address,
                        size_t size, size_t missing)
{
    char what[400], where[200];

    if (reports_again(init->reports, CHECK_INIT, init, NULL, address))
        return;
    describe_global(init->machine, address, where, sizeof(where));
    snprintf(what, sizeof(what),
             "%s copies %zu bytes to the host, of which %zu were never written, the first %s",
             function, size, missing, where);
    const struct finding finding = {.kind = CHECK_INIT, .what = what, .why = ""};
    reports_add(init->reports, &finding);
}

void check_init_copied(struct check_init *init, const char *function, uint64_t to, uint64_t from,
                       size_t size)
{
    struct written *source = find(init, from), *target = find(init, to);
    uint64_t first = 0;
    size_t missing = 0;

    if (target)
        mark(target, to - target->address, size);
    if (!source || is_written(source, from - source->address, size))
        return;
    for (uint64_t i = 0; i < size; i++) {
        if (is_written(source, from - source->address + i, 1))
            continue;
        first = missing++ ? first : i;
        if (target)
            unmark(target, to - target->address + i);
    }
    if (!target)
        report_copy(init, function, from + first, size, missing);
}

static void report_load(struct check_init *init, const struct access_event *event, int lane)
{
    const bool shared = event->space == PTX_SHARED;
    const uint64_t address = event->addresses[lane];
    char what[300], where[200];

    if (reports_again(init->reports, CHECK_INIT, event->instr, NULL, 0))
        return;
    if (shared)
        describe_shared(warp_launch(event->warp), address, where, sizeof(where));
    else
        describe_global(init->machine, address, where, sizeof(where));
    snprintf(what, sizeof(what), "uninitialised read of %u bytes of %s memory %s", event->bytes,
             shared ? "shared" : "global", where);
    const struct finding finding = {
        .kind = CHECK_INIT,
        .launch = warp_launch(event->warp),
        .what = what,
        .why = "nobody wrote them",
        .parties = {{.act = event->kind == ACCESS_ATOMIC ? "atomic" : "load",
                     .instr = event->instr,
                     .block = warp_place(event->warp).block,
                     .thread = warp_thread(event->warp, lane)}},
        .party_count = 1,
    };
    reports_add(init->reports, &finding);
}

/* Events. */

static struct block_init *find_block(struct check_init *init, struct dim index)
{
    struct block_init **link = &init->blocks;

    while ((*link)->index.x != index.x || (*link)->index.y != index.y ||
           (*link)->index.z != index.z)
        link = &(*link)->next;
    struct block_init *block = *link;
    *link = block->next;
    block->next = init->blocks;
    init->blocks = block;
    return block;
}

/* What keeps note of `address`; the same as for the lane before, as a rule. */
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

static void visit(struct check_init *init, const struct access_event *event, int lane,
                  struct written *written)
{
    const uint64_t at = event->addresses[lane] - written->address;

    if (event->kind != ACCESS_STORE && !is_written(written, at, event->bytes))
        report_load(init, event, lane);
    if (event->kind != ACCESS_LOAD)
        mark(written, at, event->bytes);
}

/* Do all lanes of a whole warp move one run of memory, inside `written`? */
static bool is_one_run(const struct access_event *event, const struct written *written)
{
    const uint64_t first = event->addresses[0];
    uint64_t differ = 0;

    if (event->lanes != UINT32_MAX)
        return false;
    for (uint64_t i = 0; i < WARP_SIZE; i++)
        differ |= event->addresses[i] ^ (first + i * event->bytes);
    return differ == 0 && first >= written->address &&
           first - written->address + WARP_SIZE * event->bytes <= written->size;
}

static void on_access(void *self, const struct access_event *event)
{
    struct check_init *init = self;
    const struct written *written = init->last;

    if (event->space == PTX_SHARED)
        written = &find_block(init, warp_place(event->warp).block)->shared;
    else if (event->space != PTX_GLOBAL)
        return;
    if (written && is_one_run(event, written)) {
        const uint64_t at = event->addresses[0] - written->address;
        const uint64_t bytes = WARP_SIZE * event->bytes;
        if (event->kind == ACCESS_STORE) {
            mark((struct written *)written, at, bytes);
            return;
        }
        if (event->kind == ACCESS_LOAD && is_written(written, at, bytes))
            return;
    }
    for (uint32_t left = event->lanes; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        written =
            event->space == PTX_SHARED ? written : watched(init, written, event->addresses[lane]);
        if (written)
            visit(init, event, lane, (struct written *)written);
    }
}

static void on_launch_begin(void *self, const struct launch *launch)
{
    struct check_init *init = self;
    const struct ptx_function *function = kernel_info(launch->kernel)->function;

    init->shared_bytes = function->dynamic_shared_offset + launch->dynamic_shared;
    if (init->shared_bytes < function->shared_bytes)
        init->shared_bytes = function->shared_bytes;
}

static void free_spares(struct check_init *init)
{
    while (init->spare) {
        struct block_init *block = init->spare;
        init->spare = block->next;
        free(block->shared.bits);
        free(block);
    }
}

static void on_launch_end(void *self, const struct launch *launch, const struct fault *fault)
{
    (void)launch, (void)fault;
    free_spares(self);
}

static void on_block_begin(void *self, int worker, const struct launch *launch, struct dim index)
{
    struct check_init *init = self;
    struct block_init *block = init->spare;
    (void)worker, (void)launch;

    if (block) {
        init->spare = block->next;
        memset(block->shared.bits, 0, block->shared.size / 8 + 2);
    } else {
        block = observer_allocate(1, sizeof(*block));
        written_start(&block->shared, 0, init->shared_bytes);
    }
    block->index = index;
    block->next = init->blocks;
    init->blocks = block;
}

static void on_block_end(void *self, int worker, const struct launch *launch, struct dim index)
{
    struct check_init *init = self;
    struct block_init *block = find_block(init, index);
    (void)worker, (void)launch;

    init->blocks = block->next;
    block->next = init->spare;
    init->spare = block;
}

struct check_init *check_init_new(const struct machine *machine, struct reports *reports)
{
    struct check_init *init = observer_allocate(1, sizeof(*init));

    init->machine = machine;
    init->reports = reports;
    init->observer = (struct observer){
        .self = init,
        .launch_begin = on_launch_begin,
        .launch_end = on_launch_end,
        .block_begin = on_block_begin,
        .block_end = on_block_end,
        .access = on_access,
    };
    return init;
}

void check_init_free(struct check_init *init)
{
    if (!init)
        return;
    free_spares(init);
    for (size_t i = 0; i < init->count; i++)
        free(init->items[i].bits);
    free(init->items);
    free(init);
}

const struct observer *check_init_observer(struct check_init *init)
{
    return &init->observer;
}
