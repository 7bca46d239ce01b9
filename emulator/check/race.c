/* SPDX-License-Identifier: MIT */
#include "check/race_inside.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "machine/observer_memory.h"
#include "check/data_flow.h"

enum { MAX_CLOCK = 1u << 31 };

static struct block_race *find_block(struct check_race *race, struct dim index)
{
    return kept_block_find(&race->blocks, index);
}

/* What is known of the order of a warp's accesses. */
static struct warp_order *find_warp(struct check_race *race, const struct warp *warp)
{
    const struct warp_id id = warp_id(warp);

    return &find_block(race, id.block)->order.warps[id.index];
}

/* Kinds of accesses. */

static bool has_any(const struct ptx_instr *instr, const enum modifier *modifiers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (ptx_has(instr, modifiers[i]))
            return true;
    return false;
}
#define HAS_ANY(instr, ...)                              \
    has_any(instr, (const enum modifier[]){__VA_ARGS__}, \
            sizeof((const enum modifier[]){__VA_ARGS__}) / sizeof(enum modifier))

static bool is_bulk_copy(const struct ptx_instr *instr)
{
    return instr->opcode == OP_CP && ptx_has(instr, MOD_BULK);
}

/* Does a barrier in shared memory count what the instruction sends? */
static bool sends(const struct ptx_instr *instr)
{
    return (is_bulk_copy(instr) && !ptx_is_bulk_store(instr)) ||
           (instr->opcode == OP_ST && ptx_has(instr, MOD_ASYNC));
}

/* Is it an arrival that says nothing of what its thread did before? When its phase is complete the
 * others know only that it has arrived. */
static bool arrives_relaxed(const struct ptx_instr *instr)
{
    return ptx_arrives(instr) && ptx_has(instr, MOD_RELAXED);
}

static uint32_t class_of(const struct check_race *race, const struct ptx_instr *instr)
{
    if (sends(instr))
        return STAMP_SENT;
    if (arrives_relaxed(instr))
        return STAMP_COUNTS;
    if (ptx_is_mbarrier(instr))
        return HAS_ANY(instr, MOD_INIT, MOD_INVAL) ? 0 : STAMP_STRONG;
    if (race_is_atomic(instr) ||
        HAS_ANY(instr, MOD_ACQUIRE, MOD_RELEASE, MOD_ACQ_REL, MOD_SC, MOD_MMIO))
        return STAMP_STRONG | (ptx_has(instr, MOD_CTA) ? STAMP_OF_BLOCK : 0);
    if (!ptx_is_strong(instr))
        return 0;
    const bool data =
        instr->opcode == OP_LD &&
        !decides(ptx_function_of(kernel_info(race->launch->kernel)->module, instr), instr);
    return STAMP_STRONG | (ptx_has(instr, MOD_CTA) ? STAMP_OF_BLOCK : 0) | (data ? STAMP_DATA : 0);
}

/* The instruction's number, with what kind it is. */
static uint32_t what_of(struct check_race *race, const struct ptx_instr *instr)
{
    const size_t slot = race_recent(instr);

    if (race->recent[slot].instr == instr)
        return race->recent[slot].what;
    size_t number = 0;
    while (number < race->instr_count && race->instrs[number] != instr)
        number++;
    if (number == race->instr_count) {
        MAKE_ROOM(race->instrs, race->instr_count, race->instr_room);
        race->instrs[race->instr_count++] = instr;
    }
    race->recent[slot].instr = instr;
    return race->recent[slot].what = (uint32_t)number | class_of(race, instr);
}

/* Flags: strong accesses publish and acquire. */

static void forget_flags(struct check_race *race)
{
    for (size_t i = 0; i < race->flags.room; i++)
        order_flag_reset(hash_table_at(&race->flags, sizeof(struct flag), i));
    hash_table_free(&race->flags);
}

enum { SHARED_BITS = 20 };

/* An address in the grid: one of shared memory has its block in it. */
static uint64_t flag_key(const struct visit *visit)
{
    if (visit->event->space != PTX_SHARED)
        return visit->address;
    return UINT64_C(1) << 63 | visit->owner->order.number << SHARED_BITS | visit->address;
}

static enum scope scope_of(const struct ptx_instr *instr)
{
    return ptx_has(instr, MOD_CTA) ? SCOPE_BLOCK : SCOPE_GRID;
}

/* A strong access: what it learns, and what it tells. */
static void visit_flag(struct visit *visit)
{
    struct check_race *race = visit->race;
    const struct ptx_instr *instr = visit->event->instr;
    const enum access_kind kind = visit->event->kind;
    const bool both = HAS_ANY(instr, MOD_ACQ_REL, MOD_SC);
    const uint64_t key = flag_key(visit);
    struct flag *flag = hash_table_find(&race->flags, sizeof(*flag), key);

    if (flag && kind != ACCESS_STORE)
        order_acquire(visit->warp, visit->lane, flag, both || ptx_has(instr, MOD_ACQUIRE));
    if (kind == ACCESS_LOAD)
        return;
    if (both || ptx_has(instr, MOD_RELEASE))
        order_fence(visit->warp, 1u << visit->lane, scope_of(instr));
    const bool fenced = order_has_fenced(visit->warp, visit->lane);
    const bool tells_loads =
        visit->event->space == PTX_GLOBAL ? kind == ACCESS_STORE : fenced && kind == ACCESS_ATOMIC;
    if (tells_loads || fenced)
        flag = hash_table_make(&race->flags, sizeof(*flag), key);
    if (flag)
        order_publish(visit->warp, visit->lane, flag, kind == ACCESS_ATOMIC);
    if (tells_loads)
        order_publish_loads(visit->warp, visit->lane, flag, kind == ACCESS_ATOMIC);
}

/* A barrier in shared memory is initialised, or about to count what a bulk copy of its own block
 * brings. */
static void visit_barrier(struct visit *visit)
{
    struct stamp init;

    if (ptx_has(visit->event->instr, MOD_INIT))
        proxy_barrier_init(&visit->owner->proxies, visit->address, &visit->stamp);
    else if (visit->owner == visit->block && is_bulk_copy(visit->event->instr) &&
             proxy_barrier_unseen(&visit->block->proxies, visit->warp, visit->lane, visit->address,
                                  &init))
        race_report(visit, &init, LACKS_FENCE_OF_BARRIER);
}

/* Events. */

/* How many of `bytes` bytes from `address` on are judged together. */
static uint32_t piece_at(uint64_t address, uint32_t bytes)
{
    const uint32_t most = BULK_PIECE - address % BULK_PIECE;

    return bytes < most ? bytes : most;
}

static struct shadow_page *page_of(struct visit *visit, uint64_t *offset)
{
    const bool shared = visit->event->space == PTX_SHARED;
    struct shadow_page *page =
        shared ? &visit->owner->shared : shadow_at(&visit->race->global, visit->address);

    *offset = shared ? visit->address : visit->address & (SHADOW_PAGE - 1);
    if (visit->event->bytes < 4 && page->shift != 0)
        shadow_page_split(page);
    return page;
}

/* All bytes of the lane's access, those of a bulk copy in pieces. */
static void visit_bytes(struct visit *visit)
{
    const uint64_t first = visit->address;
    uint64_t offset;

    for (uint32_t at = 0; at < visit->event->bytes; at += visit->bytes) {
        visit->address = first + at;
        visit->bytes = piece_at(visit->address, visit->event->bytes - at);
        struct shadow_page *page = page_of(visit, &offset);
        race_visit_cells(visit, page, offset);
    }
    visit->address = first;
}

/* What kind of access it is, for all its lanes. */
struct manner {
    uint32_t what; /* of the stamps */
    bool counts; /* a copy's bytes at its barrier: done at once, as other arrivals are */
    bool reduces, of_barrier;
    bool in_rows; /* lanes may be judged together */
};

/* Are the lanes' clocks the same, and do they know no more than their whole warp and block do? */
static bool know_the_same(const struct visit *visit)
{
    const struct warp_order *warp = visit->warp;
    uint32_t differ = 0;

    for (int i = 0; i < WARP_SIZE; i++)
        differ |= warp->clocks[i] ^ warp->clocks[0];
    return !differ && !warp->known.lanes && !warp->block->has_far &&
           !overlap_any(&visit->race->overlap);
}

static struct manner manner_of(const struct visit *visit)
{
    enum { MOST_IN_ROWS = 16 };
    const struct access_event *event = visit->event;
    const bool atomic = event->kind == ACCESS_ATOMIC;
    struct manner manner = {.what = what_of(visit->race, event->instr),
                            .counts = atomic && sends(event->instr),
                            .reduces = atomic && ptx_is_bulk_store(event->instr)};

    if (manner.counts || manner.reduces)
        manner.what = (manner.what & STAMP_NUMBER) | (manner.counts ? STAMP_COUNTS : STAMP_STRONG);
    manner.of_barrier = manner.counts || ptx_is_mbarrier(event->instr);
    manner.in_rows = !atomic && !(manner.what & ~(uint32_t)STAMP_NUMBER) && !event->copies &&
                     !visit->of_engine && !manner.of_barrier && event->bytes <= MOST_IN_ROWS &&
                     know_the_same(visit);
    return manner;
}

/* Is the next lane at the address after the visitor's? */
static bool is_followed(const struct visit *visit)
{
    const struct access_event *event = visit->event;
    const uint64_t *at = event->addresses + visit->lane;

    return visit->lane + 1 < WARP_SIZE && at[1] - at[0] == event->bytes;
}

/* Judge as many lanes from the visitor's on as go together. Returns how many. */
static int judge(struct visit *visit, const struct manner *manner)
{
    const struct access_event *event = visit->event;
    uint64_t offset;

    if (is_count(manner->what))
        order_step(visit->warp, visit->lane);
    visit->stamp = (struct stamp){
        order_thread(visit->warp, visit->lane),
        event->copies && !manner->counts ? CLOCK_PENDING : visit->warp->clocks[visit->lane],
        manner->what};
    if (manner->in_rows && is_followed(visit)) {
        struct shadow_page *page = page_of(visit, &offset);
        const int judged = race_visit_row(visit, page, offset);
        if (judged)
            return judged;
    }
    visit_bytes(visit);
    if (manner->of_barrier)
        visit_barrier(visit);
    else if (manner->what & STAMP_STRONG && !manner->reduces)
        visit_flag(visit);
    return 1;
}

/* The lanes to judge: of neighbours that load the same bytes the first two stand for all. */
static uint32_t lanes_apart(const struct access_event *event)
{
    const uint64_t *at = event->addresses;
    uint32_t alike = 0, before = 0, last = 0; /* two lanes, as sets */

    if (event->in_row || (event->alike && event->lanes == UINT32_MAX))
        return event->in_row ? UINT32_MAX : 3;
    for (int i = 2; event->lanes == UINT32_MAX && i < WARP_SIZE; i++)
        alike |= (uint32_t)(((at[i] ^ at[i - 1]) | (at[i] ^ at[i - 2])) == 0) << i;
    if (event->lanes == UINT32_MAX)
        return ~alike;
    EACH_LANE(i, event->lanes) {
        const bool same = before && at[i] == at[__builtin_ctz(last)];
        if (same && at[i] == at[__builtin_ctz(before)])
            alike |= 1u << i;
        before = last;
        last = 1u << i;
    }
    return event->lanes & ~alike;
}

static void judge_lanes(struct visit *visit)
{
    const struct access_event *event = visit->event;
    const struct manner manner = manner_of(visit);
    const bool weak_load = event->kind == ACCESS_LOAD && !(manner.what & STAMP_STRONG);

    if (event->in_row && event->space == PTX_GLOBAL)
        shadow_foresee(&visit->race->global, event->addresses[0],
                       &visit->race->recent[race_recent(event->instr)].address);
    for (uint32_t left = weak_load ? lanes_apart(event) : event->lanes; left; left &= left - 1) {
        visit->lane = __builtin_ctz(left);
        visit->address = event->addresses[visit->lane];
        const int more = judge(visit, &manner) - 1;
        left &= ~(((1u << more) - 1) << visit->lane); /* the loop drops the last one itself */
    }
}

static void on_access(void *self, const struct access_event *event)
{
    struct check_race *race = self;
    if (event->space == PTX_GLOBAL && event->kind != ACCESS_LOAD && race->launch)
        texture_race_write(&race->textures, event);
    if ((event->space != PTX_GLOBAL && event->space != PTX_SHARED) || !race->launch)
        return;
    const struct warp_id id = warp_id(event->warp);
    struct visit visit = {.race = race, .event = event, .block = find_block(race, id.block)};
    visit.warp = &visit.block->order.warps[id.index];
    visit.owner = visit.block;
    if (event->remote) {
        visit.owner = find_block(race, event->owner);
        visit.owner->visited = true;
    }
    visit.of_engine = event->space == PTX_SHARED && visit.owner == visit.block &&
                      (event->kind == ACCESS_STORE ? is_bulk_copy(event->instr)
                                                   : race_reads_behind(event->instr));
    judge_lanes(&visit);
}

static void on_fetch(void *self, const struct fetch_event *event)
{
    struct check_race *race = self;

    if (race->launch && !event->fixed)
        texture_race_read(&race->textures, event);
}

/* What `copy` did to global memory counts as done at the clock `now`. */
static void settle_global(struct check_race *race, uint64_t address, uint32_t bytes,
                          const struct stamp *copy, uint32_t now)
{
    for (uint32_t at = 0, piece; at < bytes; at += piece) {
        piece = piece_at(address + at, bytes - at);
        race_settle(shadow_at(&race->global, address + at), (address + at) & (SHADOW_PAGE - 1),
                    piece, copy, now);
    }
}

/* From here on the copies are accesses of the threads that have waited for them. */
static void on_copy(void *self, const struct copy_event *event)
{
    struct check_race *race = self;

    if (!race->launch || !event->done)
        return;
    const struct warp_id id = warp_id(event->warp);
    struct block_race *block = find_block(race, id.block);
    const struct warp_order *warp = &block->order.warps[id.index];
    EACH_LANE(lane, event->lanes) {
        const uint32_t now = warp->clocks[lane];
        const struct stamp copy = {order_thread(warp, lane), now, what_of(race, event->instr)};
        const uint64_t from = event->from[lane];
        if (event->unread)
            race_report_unread(race, block, &copy, event->to[lane]);
        race_settle(&block->shared, event->to[lane], event->bytes, &copy, now);
        if (event->reads[lane])
            settle_global(race, from, event->bytes, &copy, now);
    }
}

static void on_launch_begin(void *self, const struct launch *launch)
{
    struct check_race *race = self;
    const struct kernel_info *info = kernel_info(launch->kernel);

    race->launch = launch;
    if (dim_count(launch->grid) * dim_warps(launch->block) > UINT32_MAX / WARP_SIZE) {
        fprintf(stderr, "emu: race: kernel %s is not checked: it has more than 2^32 threads\n",
                info->name);
        race->launch = NULL;
        overlap_forget(&race->overlap);
        return;
    }
    if (race->order.latest > MAX_CLOCK) {
        shadow_stop(&race->global);
        overlap_forget(&race->overlap);
        race->order.latest = 0;
    }
    order_begin(&race->order, launch);
    overlap_begin(&race->overlap, race->order.start);
    if (overlap_any(&race->overlap))
        return; /* what is in the shadow names instructions of the launches in front */
    race->instr_count = 0;
    memset(race->recent, 0, sizeof(race->recent));
}

static void free_spares(struct check_race *race)
{
    struct block_race *block;

    while ((block = kept_block_pop(&race->blocks.spare)) != NULL) {
        shadow_page_stop(&block->shared);
        free(block);
    }
}

static void on_launch_end(void *self, const struct launch *launch, const struct fault *fault)
{
    struct check_race *race = self;
    (void)launch, (void)fault;

    free_spares(race);
    texture_race_clear(&race->textures);
    forget_flags(race);
    order_end(&race->order);
    if (race->launch)
        overlap_end(&race->overlap, race->launch, race->order.start);
    race->launch = NULL;
}

static void on_block_begin(void *self, int worker, const struct launch *launch, struct dim index)
{
    struct check_race *race = self;
    (void)worker;

    if (!race->launch)
        return;
    struct block_race *block = kept_block_begin(&race->blocks, index, sizeof(*block));
    if (block->shared.rows)
        shadow_page_clear(&block->shared);
    else
        shadow_page_start(&block->shared, launch->shared_bytes);
    order_block_start(&race->order, &block->order, dim_number(launch->grid, index));
    block->overlap = (struct block_overlap){0};
    block->visited = false;
}

/* A block ends: has it heard of all that others did to its shared memory? */
static void check_end(struct check_race *race, struct block_race *block)
{
    const uint32_t threads = race->order.slots;
    const struct shadow_page *page = &block->shared;
    struct clocks *known = order_all_known(&block->order);

    for (int role = 0; role < ROLE_COUNT; role++)
        for (uint64_t cell = 0; cell < page->bytes >> page->shift; cell++) {
            const struct stamp stamp = shadow_stamp(page, role, cell);
            if (stamp.clock < race->order.start || stamp.thread / threads == block->order.number ||
                order_heard(&race->order, known, epoch_of(&stamp)) ||
                (is_count(stamp.what) && order_heard(&race->order, known, epoch_of_sent(&stamp))))
                continue;
            race_report_end(race, block, &stamp, cell << page->shift);
        }
    clocks_release(known);
}

static void leave_cluster(struct block_race *block)
{
    struct cluster_race *cluster = block->cluster;

    block->cluster = NULL;
    if (!cluster || --cluster->blocks > 0)
        return;
    order_barrier_reset(&cluster->gathering);
    order_barrier_reset(&cluster->opened);
    free(cluster);
}

static void on_block_end(void *self, int worker, const struct launch *launch, struct dim index,
                         uint64_t issued)
{
    struct check_race *race = self;
    (void)worker, (void)launch, (void)issued;

    if (!race->launch)
        return;
    struct block_race *block = find_block(race, index);
    if (block->visited)
        check_end(race, block);
    leave_cluster(block);
    overlap_block_end(&race->overlap, &block->overlap);
    order_block_free(&block->order);
    proxy_forget(&block->proxies);
    kept_block_end(&race->blocks, index);
}

static void on_barrier(void *self, const struct barrier_event *event)
{
    struct check_race *race = self;

    if (race->launch && !event->of_warp)
        order_arrive(find_warp(race, event->warp), event);
}

static void on_barrier_open(void *self, const struct barrier_open_event *event)
{
    struct check_race *race = self;

    if (race->launch)
        order_open(&find_block(race, event->block)->order, event);
}

/* Blocks that come to the barrier of their cluster share what is gathered there. */
static struct cluster_race *join_cluster(struct check_race *race, const struct cluster_event *event)
{
    struct cluster_race *cluster = NULL;

    for (int i = 0; i < event->block_count && !cluster; i++)
        cluster = find_block(race, event->blocks[i])->cluster;
    if (!cluster)
        cluster = observer_allocate(1, sizeof(*cluster));
    for (int i = 0; i < event->block_count; i++) {
        struct block_race *block = find_block(race, event->blocks[i]);
        cluster->blocks += block->cluster == NULL;
        block->cluster = cluster;
    }
    return cluster;
}

static void on_cluster(void *self, const struct cluster_event *event)
{
    struct check_race *race = self;

    if (!race->launch)
        return;
    struct cluster_race *cluster = join_cluster(race, event);
    struct warp_order *warp = find_warp(race, event->warp);
    if (event->step == CLUSTER_OPEN) {
        order_barrier_reset(&cluster->opened);
        cluster->opened = cluster->gathering;
        cluster->gathering = (struct barrier_order){0};
    } else if (event->step == CLUSTER_PASS) {
        order_cluster_pass(warp, event->lanes, &cluster->opened);
    } else if (ptx_has(event->instr, MOD_RELAXED)) {
        order_cluster_publish(warp, event->lanes, &cluster->gathering);
    } else {
        order_cluster_arrive(warp, event->lanes, event->live, &cluster->gathering);
    }
}

/* What a barrier in shared memory carries: a flag for odd phases, and one for even ones. */
static struct flag *flag_of(struct check_race *race, const struct mbarrier_event *event, bool odd)
{
    return hash_table_make(&race->flags, sizeof(struct flag),
                           UINT64_C(3) << 62 | (uint64_t)odd << 61 |
                               dim_number(race->launch->grid, event->owner) << SHARED_BITS |
                               event->address);
}

static void land(struct check_race *race, const struct mbarrier_event *event)
{
    const uint32_t threads = race->order.slots;
    const struct stamp sent = {.thread = (uint32_t)dim_number(race->launch->grid, event->block) *
                                             threads +
                                         event->sender * WARP_SIZE + (uint32_t)event->lane,
                               .what = what_of(race, event->instr)};
    const uint32_t now = order_land(&race->order, flag_of(race, event, event->odd), sent.thread);
    struct block_race *owner = find_block(race, event->owner);

    race_settle(&owner->shared, event->to, event->bytes, &sent, now);
    if (event->from)
        settle_global(race, event->from, event->bytes, &sent, now);
}

static void arrive(struct check_race *race, const struct mbarrier_event *event)
{
    const bool relaxed = arrives_relaxed(event->instr);
    struct warp_order *warp = find_warp(race, event->warp);
    struct flag *flag = flag_of(race, event, event->odd);

    order_mbarrier_arrive(warp, event->lane, flag, !relaxed);
    if (relaxed)
        order_land(&race->order, flag, order_thread(warp, event->lane));
}

static void on_mbarrier(void *self, const struct mbarrier_event *event)
{
    struct check_race *race = self;

    if (!race->launch)
        return;
    switch (event->step) {
    case MBARRIER_ARRIVE:
        arrive(race, event);
        break;
    case MBARRIER_LAND:
        land(race, event);
        break;
    case MBARRIER_OPEN: /* the next phase begins with nothing */
        order_flag_reset(flag_of(race, event, !event->odd));
        break;
    case MBARRIER_PASS:
        order_acquire(find_warp(race, event->warp), event->lane, flag_of(race, event, event->odd),
                      !ptx_has(event->instr, MOD_RELAXED));
        break;
    }
}

static void on_collective(void *self, const struct collective_event *event)
{
    struct check_race *race = self;

    if (!race->launch)
        return;
    if (event->barrier)
        order_warp_barrier(find_warp(race, event->warp), event->lanes, event->live);
    else
        order_collective(find_warp(race, event->warp), event->lanes, event->live);
}

static void on_fence(void *self, const struct instruction_event *event)
{
    struct check_race *race = self;

    if (!race->launch)
        return;
    const struct warp_id id = warp_id(event->warp);
    struct block_race *block = find_block(race, id.block);
    struct warp_order *warp = &block->order.warps[id.index];
    order_fence(warp, event->executing, scope_of(event->instr));
    if (ptx_has(event->instr, MOD_MBARRIER_INIT))
        proxy_barriers_fence(&block->proxies, warp->first_thread, event->executing);
    if (ptx_has(event->instr, MOD_ASYNC) &&
        event->instr->space != PTX_GLOBAL) /* fence.proxy.async */
        proxy_fence(&block->proxies, warp, event->executing);
}

/* griddepcontrol: a thread waits for the launches in front, or has no objection to the next one. */
static void on_dependency(void *self, const struct instruction_event *event)
{
    struct check_race *race = self;

    if (!race->launch || !overlap_any(&race->overlap))
        return;
    const struct warp_id id = warp_id(event->warp);
    struct block_race *block = find_block(race, id.block);
    struct warp_order *warp = &block->order.warps[id.index];
    if (ptx_has(event->instr, MOD_WAIT)) {
        order_wait(warp, event->executing);
        block->overlap.waited = true;
        return;
    }
    EACH_LANE(lane, event->executing)
        if (order_behind_wait(warp, lane))
            block->overlap.waited = true;
        else
            block->overlap.triggered_early = true;
}

struct check_race *check_race_new(struct machine *machine, struct reports *reports)
{
    struct check_race *race = observer_allocate(1, sizeof(*race));

    race->reports = race->textures.reports = reports;
    const struct observer observer = {
        .self = race,
        .launch_begin = on_launch_begin,
        .launch_end = on_launch_end,
        .block_begin = on_block_begin,
        .block_end = on_block_end,
        .access = on_access,
        .fetch = on_fetch,
        .copy = on_copy,
        .barrier = on_barrier,
        .barrier_open = on_barrier_open,
        .cluster = on_cluster,
        .mbarrier = on_mbarrier,
        .collective = on_collective,
        .fence = on_fence,
        .dependency = on_dependency,
    };
    machine_observe(machine, &observer);
    return race;
}

void check_race_free(struct check_race *race)
{
    if (!race)
        return;
    free_spares(race);
    forget_flags(race);
    shadow_stop(&race->global);
    overlap_stop(&race->overlap);
    free(race->instrs);
    free(race);
}

void check_race_overlap(struct check_race *race)
{
    race->overlap.next = true;
}

void check_race_forget(struct check_race *race, uint64_t address, size_t size)
{
    shadow_forget(&race->global, address, size);
}
