/* SPDX-License-Identifier: MIT */
/* How a path is seen to spin: in a loop that waits for memory to change, and before what
 * orders blocks. */
#include "spin.h"

#include "access.h"
#include "frames.h"
#include "launch.h"
#include "paths.h"

/* Backward branches before a path gives way: soon where a sibling may hold what it waits for. */
enum { PATIENCE = 2048, PATIENCE_WHILE_OTHERS_WAIT = 256, PATIENCE_BESIDE_OTHERS = 64 };
enum { CHECKS_BEFORE_RELEASE = 256 };

/* FNV-1a over words. */
static uint64_t digest(uint64_t hash, const lane_u32 *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ words[i]) * UINT64_C(0x100000001B3);
    return hash;
}

/* Of whole rows of lanes: sums side by side that the CPU makes at once. A shift brings high bits,
 * as of signs, back to where a multiplication spreads them. */
static uint64_t digest_rows(uint64_t hash, const lane_u32 *words, size_t count)
{
    uint32_t sums[WARP_SIZE] = {0};
    for (size_t i = 0; i < count; i += WARP_SIZE)
        for (int k = 0; k < WARP_SIZE; k++) {
            const uint32_t product = (sums[k] ^ words[i + k]) * 0x9E3779B1u;
            sums[k] = product ^ product >> 15;
        }
    return digest(hash, sums, WARP_SIZE);
}

/* May the host write what a lane of the path has read? Nobody knows how long it takes. */
static bool reads_host(const struct warp *warp, const struct path *path)
{
    EACH_LANE(lane, path->mask) {
        const struct watch *watch = &warp->watches[lane];
        for (int i = 0; i < watch->count && i < WATCHED_WORDS; i++) {
            const struct allocation *allocation = memory_find(
                warp->block->launch->machine, (uint64_t)(uintptr_t)watch->words[i].pointer, 1);
            if (allocation && allocation->kind != MEMORY_DEVICE)
                return true;
        }
    }
    return false;
}

/* Without what holds nothing but time. */
static uint64_t digest_steady(uint64_t hash, const struct frame *frame)
{
    const struct code *code = frame->code;
    for (int i = 0; i < code->steady_count; i++)
        hash = digest_rows(hash, (const lane_u32 *)(frame->registers + code->steady[i].first),
                           code->steady[i].bytes / 4);
    for (int i = 0; i < code->steady_predicate_count; i++) {
        const struct run run = code->steady_predicates[i];
        hash = digest(hash, (const lane_u32 *)(frame->predicates + run.first), run.bytes / 4);
    }
    return hash;
}

/* What decides how the path goes on in its function, except memory. */
static uint64_t path_digest(const struct warp *warp, const struct path *path)
{
    const struct frame *frame = path->frame;
    const struct ptx_function *function = frame->code->function;
    const size_t params = WARP_SIZE * frame_stride(function->param_frame_bytes);
    uint64_t hash = UINT64_C(0xCBF29CE484222325) ^ path->mask ^ (uint64_t)path->pc << 32;
    hash = (hash ^ warp->clocks) * UINT64_C(0x100000001B3);
    hash = digest(hash, (const lane_u32 *)frame->params, params / 4) ^ warp->carry;
    if (frame->code->is_timed && !frame->caller && !(warp->watches && reads_host(warp, path)))
        return digest_steady(hash, frame);
    hash = digest_rows(hash, (const lane_u32 *)frame->registers, function->register_file_bytes / 4);
    return digest(hash, (const lane_u32 *)frame->predicates, (size_t)function->predicate_count);
}

/* Changes of memory that may end a loop. In lockstep those of other blocks come between steps:
 * within one, the block's own. */
static uint64_t writes_seen(const struct warp *warp)
{
    const struct block *block = warp->block;
    uint64_t sum = 0;
    if (!block->launch->lockstep)
        return launch_writes(block->launch);
    for (int i = 0; i < block->warp_count; i++)
        sum += block->warps[i].writes;
    return sum;
}

/* A path whose registers come back to what they were polls memory; while no memory changes, it
 * spins, until it should have come back once more. States to compare with are taken at ever longer
 * intervals, so that longer cycles are found too. */
static void path_watch(const struct warp *warp, struct path *path)
{
    const uint64_t writes = writes_seen(warp);
    const uint64_t state = path_digest(warp, path);
    path->spun.polls = path->spun.checks > 0 && path->spun.snapshot == state;
    path->spun.since++;
    if (path->spun.polls) {
        path->spun.period = path->spun.since;
        path->spun.since = 0;
    }
    path->stuck = path->spun.writes_then == writes &&
                  (path->spun.polls || (path->stuck && path->spun.since < path->spun.period));
    if (path->stuck)
        return;
    if (path->spun.polls || path->spun.checks >= path->spun.next_snapshot) {
        path->spun.since = 0;
        path->spun.next_snapshot = 2 * path->spun.checks + 1;
        path->spun.snapshot = state;
        path->spun.writes_then = writes;
    }
    path->spun.checks++;
}

static bool has_other_ready(const struct warp *warp)
{
    for (int i = 0; i < warp->path_limit; i++)
        if (warp->paths[i].state == PATH_READY && &warp->paths[i] != warp->path)
            return true;
    return false;
}

static bool others_wait(const struct path *path)
{
    for (const struct record *record = path->record; record->parent; record = record->parent)
        if (record->arrived)
            return true;
    return false;
}

static uint32_t patience(const struct warp *warp)
{
    if (has_other_ready(warp))
        return PATIENCE_BESIDE_OTHERS;
    return others_wait(warp->path) ? PATIENCE_WHILE_OTHERS_WAIT : PATIENCE;
}

uint32_t path_patience(const struct warp *warp)
{
    enum { MOST = 256 }; /* before a signal is noticed */
    const uint32_t most = patience(warp), spins = warp->path->spun.spins;
    return spins + 1 >= most ? 0 : most - 1 - spins < MOST ? most - 1 - spins : MOST;
}

void path_spin(struct warp *warp, uint32_t weight)
{
    struct path *path = warp->path;
    path->spun.spins += weight;
    if (path->spun.spins < PATIENCE_BESIDE_OTHERS || warp_interrupted(warp, path) ||
        path->spun.spins < patience(warp))
        return;
    path->spun.spins = 0;
    path_watch(warp, path);
    path_park(warp, PATH_YIELDED);
    if (path->spun.polls && !path->stuck && path->spun.checks > CHECKS_BEFORE_RELEASE)
        path_release_waiting(warp, path);
}

void warp_note_read(struct warp *warp, int lane, const char *pointer, size_t bytes, uint64_t value,
                    uint64_t writes)
{
    struct watch *watch = &warp->watches[lane];
    if (watch->count >= WATCHED_WORDS) {
        watch->count = WATCHED_WORDS + 1;
        watch->writes = writes;
        return;
    }
    watch->words[watch->count].pointer = pointer;
    watch->words[watch->count].value = value;
    watch->bytes[watch->count++] = (uint8_t)bytes;
}

static bool has_changed(const struct warp *warp, const struct watch *watch)
{
    if (watch->count > WATCHED_WORDS)
        return watch->writes != launch_writes(warp->block->launch);
    for (int i = 0; i < watch->count; i++)
        if (load_element(watch->words[i].pointer, watch->bytes[i]) != watch->words[i].value)
            return true;
    return false;
}

bool path_sees_change(const struct warp *warp, const struct path *path)
{
    EACH_LANE(i, path->mask)
        if (has_changed(warp, &warp->watches[i]))
            return true;
    return false;
}

/* States to compare with are taken at ever longer intervals, as in path_watch(). */
bool path_would_poll_again(const struct warp *warp, struct path *path)
{
    const struct op *op = &path->frame->code->ops[path->pc];
    const bool is_due = path->spun.stops >= path->spun.next_stop;
    if (!op->may_poll || (!is_due && path->spun.stop_op != op)) {
        path->spun.stops++;
        return false;
    }
    const uint64_t state = path_digest(warp, path);
    const bool same = path->spun.stops > 0 && path->spun.stop_snapshot == state;
    if (same && path->spun.stop_writes == warp->writes && !path_sees_change(warp, path))
        return true;
    if (same || is_due) {
        path->spun.next_stop = 2 * path->spun.stops + 1; /* 1, 3, 7 ... */
        path->spun.stop_op = op;
        path->spun.stop_snapshot = state;
        path->spun.stop_writes = warp->writes;
        EACH_LANE(lane, path->mask)
            warp->watches[lane].count = 0;
    }
    path->spun.stops++;
    return false;
}
