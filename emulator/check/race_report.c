/* SPDX-License-Identifier: MIT */
#include "check/race_inside.h"

#include <string.h>

#include "check/data_flow.h"

static const char *act_of(const struct ptx_instr *instr)
{
    return race_is_atomic(instr)       ? "atomic"
           : ptx_is_mbarrier(instr)    ? "barrier in shared memory"
           : ptx_has(instr, MOD_ASYNC) ? "copy in the background"
           : instr->opcode == OP_CP    ? "copy in the background"
           : instr->opcode == OP_ST    ? "store"
                                       : "load";
}

/* The launch in front that an access is of; NULL: the running one. */
static const struct launch *launch_in_front(const struct check_race *race,
                                            const struct stamp *stamp)
{
    return stamp->clock < race->order.start ? overlap_find(&race->overlap, stamp->clock) : NULL;
}

static struct party party_of(const struct check_race *race, const struct stamp *stamp)
{
    const struct launch *in_front = launch_in_front(race, stamp);
    const struct launch *launch = in_front ? in_front : race->launch;
    const uint32_t threads = dim_warps(launch->block) * WARP_SIZE;
    const struct ptx_instr *instr = race->instrs[stamp->what & STAMP_NUMBER];

    return (struct party){.act = act_of(instr),
                          .instr = instr,
                          .block = dim_at(launch->grid, stamp->thread / threads),
                          .thread = dim_at(launch->block, stamp->thread % threads),
                          .launch = in_front};
}

/* How far apart two threads are. The farthest pair of a report says what is missing. */
enum distance { ONE_WARP, ONE_BLOCK, ONE_CLUSTER, ONE_LAUNCH, TWO_LAUNCHES };

static bool is_one_cluster(const struct launch *launch, uint64_t a, uint64_t b)
{
    const struct dim size = launch->cluster;
    const struct dim i = dim_at(launch->grid, a), k = dim_at(launch->grid, b);

    return i.x / size.x == k.x / size.x && i.y / size.y == k.y / size.y &&
           i.z / size.z == k.z / size.z;
}

static enum distance distance_of(const struct check_race *race, const struct stamp *a,
                                 const struct stamp *b)
{
    const uint32_t threads = race->order.slots;

    if (launch_in_front(race, a))
        return TWO_LAUNCHES;
    if (a->thread / threads != b->thread / threads)
        return is_one_cluster(race->launch, a->thread / threads, b->thread / threads) ? ONE_CLUSTER
                                                                                      : ONE_LAUNCH;
    return a->thread / WARP_SIZE != b->thread / WARP_SIZE ? ONE_BLOCK : ONE_WARP;
}

/* Is one of the two the store of `x = f(x)`, and the other of the same statement? */
static bool is_update(const struct check_race *race, const struct ptx_instr *a,
                      const struct ptx_instr *b)
{
    const struct ptx_instr *store = a->opcode == OP_ST ? a : b;
    const struct ptx_instr *other = a->opcode == OP_ST ? b : a;

    if (store->opcode != OP_ST || (other->opcode != OP_ST && other->opcode != OP_LD))
        return false;
    const struct ptx_function *function =
        ptx_function_of(kernel_info(race->launch->kernel)->module, store);
    const struct ptx_instr *load = updated_by(function, store);
    return load && (other == load || other == store);
}

/* What a copy lacks that its thread has not waited for. */
static const char *why_pending(const struct visit *visit, const struct stamp *copy)
{
    if (race_multiplies(visit->race->instrs[copy->what & STAMP_NUMBER]))
        return "the product may still read it: its threads must wait for it first "
               "(wgmma.wait_group), then all must meet at a barrier";
    if (ptx_is_bulk_store(visit->race->instrs[copy->what & STAMP_NUMBER]))
        return "the copy may still be under way: its thread must first wait until it has read its "
               "source (cp.async.bulk.wait_group.read) or is done (cp.async.bulk.wait_group); "
               "other threads must then meet it at a barrier";
    if (is_sent(copy))
        return "the copy may still be under way: a thread that needs it, or its place, must first "
               "see its barrier complete (mbarrier.try_wait)";
    return copy->thread == visit->stamp.thread
               ? "the copy may still be under way: its thread must wait for it first "
                 "(__pipeline_wait_prior(), cp.async.wait_group)"
               : "the copy may still be under way: its thread must wait for it first "
                 "(__pipeline_wait_prior(), cp.async.wait_group), then both must meet at a barrier";
}

static const char *why(const struct check_race *race, const struct stamp *before,
                       const struct ptx_instr *now, enum distance distance)
{
    static const char *const lacks[] = {
        "the same warp: no __syncwarp orders them, and lanes need not run in step",
        "different warps: no barrier of the block orders them",
        "different blocks of a cluster: no barrier of the cluster orders them",
        "different blocks: no fence and flag orders them",
        ("this kernel may begin while that one still runs: cudaGridDependencySynchronize() "
         "(griddepcontrol.wait) must come in between"),
    };

    if (distance != TWO_LAUNCHES && is_update(race, race->instrs[before->what & STAMP_NUMBER], now))
        return "several threads read this word, change it and write it back, and lose each other's "
               "changes: atomicAdd() does it in one step";
    return lacks[distance];
}

void race_report(const struct visit *visit, const struct stamp *before, enum lack lack)
{
    static const char *const fences[] = {
        [LACKS_FENCE] = "a barrier orders them, but the copy engine does not wait for ordinary "
                        "accesses: fence.proxy.async must come between the two as well",
        [LACKS_FENCE_OF_BARRIER] =
            "the copy engine may not see that its barrier is initialised: "
            "fence.mbarrier_init.release.cluster or fence.proxy.async must come between the two",
        [LACKS_FENCE_OF_PRODUCT] =
            "a barrier orders them, but wgmma does not wait for ordinary stores: fence.proxy.async "
            "must come between the two as well",
    };
    struct check_race *race = visit->race;
    const struct ptx_instr *first = race->instrs[before->what & STAMP_NUMBER];
    const struct ptx_instr *second = visit->event->instr;
    const enum distance distance = distance_of(race, before, &visit->stamp);
    const bool pending = before->clock == CLOCK_PENDING;
    char where[200], what[300];

    if (reports_again(race->reports, CHECK_RACE, first < second ? first : second,
                      first < second ? second : first,
                      (distance == TWO_LAUNCHES) + 2 * pending + 4 * (int)lack) &&
        reports_rank(race->reports) >= (int)distance)
        return;
    if (visit->event->space == PTX_SHARED)
        describe_shared(race->launch, visit->address, where, sizeof(where));
    else
        describe_global(race->launch->machine, visit->address, where, sizeof(where));
    if (visit->event->space == PTX_SHARED && visit->owner->visited) {
        const struct dim owner = visit->event->owner;
        const size_t used = strlen(where);
        snprintf(where + used, sizeof(where) - used, " of block (%u,%u,%u)", owner.x, owner.y,
                 owner.z);
    }
    snprintf(what, sizeof(what), "%u bytes of %s memory %s", visit->event->bytes,
             visit->event->space == PTX_SHARED ? "shared" : "global", where);
    const struct finding finding = {
        .kind = CHECK_RACE,
        .launch = race->launch,
        .what = what,
        .why = lack      ? fences[lack]
               : pending ? why_pending(visit, before)
                         : why(race, before, second, distance),
        .rank = (int)distance,
        .parties = {party_of(race, &visit->stamp), party_of(race, before)},
        .party_count = 2,
    };
    reports_add(race->reports, &finding);
}

/* Report an access to shared memory whose block may have ended by then. Findings of one instruction
 * and one rank are one. */
static void report_ended(struct check_race *race, const struct block_race *block,
                         const struct stamp *stamp, uint64_t address, uint64_t rank,
                         const char *reason)
{
    const struct ptx_instr *instr = race->instrs[stamp->what & STAMP_NUMBER];
    const struct dim index = dim_at(race->launch->grid, block->order.number);
    char where[200], what[300];

    if (reports_again(race->reports, CHECK_RACE, instr, NULL, rank))
        return;
    describe_shared(race->launch, address, where, sizeof(where));
    snprintf(what, sizeof(what), "shared memory %s of block (%u,%u,%u), which may have ended",
             where, index.x, index.y, index.z);
    const struct finding finding = {
        .kind = CHECK_RACE,
        .launch = race->launch,
        .what = what,
        .why = reason,
        .parties = {party_of(race, stamp)},
        .party_count = 1,
    };
    reports_add(race->reports, &finding);
}

void race_report_unread(struct check_race *race, const struct block_race *block,
                        const struct stamp *copy, uint64_t address)
{
    report_ended(race, block, copy, address, 1,
                 "the copy may still read it: its thread must wait for it before the block ends "
                 "(cp.async.bulk.wait_group.read)");
}

void race_report_end(struct check_race *race, const struct block_race *block,
                     const struct stamp *stamp, uint64_t address)
{
    report_ended(race, block, stamp, address, 0,
                 "a barrier of the cluster must come between the access and the block's end");
}
