/* SPDX-License-Identifier: MIT */
/* The way of a request: the SM's memory pipe, its L1, its port to L2, its part of L2 and of device
 * memory. */
#include "time/cycle_sm.h"

#include "gpus/coalesce.h"

/* Clocks that the SM's part of L2 takes for so many bytes in so many requests. */
static double l2_clocks(const struct sm *sm, double bytes, double requests)
{
    const double moving = bytes / sm->gpu->l2_clock_bytes;
    const double asking = requests / sm->gpu->l2_clock_requests;

    return (moving > asking ? moving : asking) / sm->work->sm_fraction;
}

/* All SMs begin at once, but get out of step with the blocks that follow. Then some have work of
 * another kind while others ask L2, so that what an SM has left of its share in the last DRIFT
 * clocks it has at once when it asks (sgemm/s13_row of 512 and 1024 columns on an H200). */
static double l2_free_since(const struct sm *sm, double from)
{
    const double DRIFT = 2000;

    return sm->next_block > sm->resident ? from - DRIFT : from;
}

/* Through the SM's port and its part of L2, which work side by side. */
static double to_l2(struct sm *sm, double from, double bytes, double requests)
{
    const double moving = bytes / sm->gpu->l2_port_bytes;
    const double asking = l2_clocks(sm, bytes, requests);

    return later(serve(&sm->port, from, moving), serve(&sm->l2, l2_free_since(sm, from), asking));
}

/* Keep the SM's part of device memory busy for so many clocks. */
static void to_dram(struct sm *sm, double from, double clocks)
{
    if (clocks > 0)
        serve(&sm->dram, from, clocks);
}

/* Do these requests of the instruction wait for device memory? The replay (cycle_traffic.c) found
 * which fraction of its requests does, not which ones. So each request adds this fraction to
 * `misses_due`, and the one with which that reaches 1 waits. */
static bool goes_beyond(struct sm *sm, uint32_t index, double requests)
{
    double *misses_due = &sm->misses_due[index];

    *misses_due += requests * sm->work->misses[index].waiting;
    if (*misses_due < 1 - 1e-9)
        return false;
    while (*misses_due >= 1 - 1e-9)
        *misses_due -= 1;
    return true;
}

/* Fetch sectors that L1 lacks, from L2 or device memory. Returns when the last one arrives. */
static double fetch(struct sm *sm, double from, uint32_t index, unsigned sectors)
{
    const struct gpu *gpu = sm->gpu;
    const struct cycle_misses *misses = &sm->work->misses[index];
    const int count = __builtin_popcount(sectors);
    const double bytes = count * SECTOR_BYTES;

    const double when = to_l2(sm, from, bytes, 1) + (count - 1) * gpu->sector_latency;

    sm->sums.on_the_way += when - from;
    to_dram(sm, when, count * misses->written * sm->work->write_clocks);
    if (!goes_beyond(sm, index, 1)) {
        sm->sums.latency += sm->work->l2_latency;
        return when + sm->work->l2_latency;
    }
    /* Of those that wait, some only wait for what another block has asked for. */
    to_dram(sm, when, count * misses->missing / misses->waiting * sm->work->read_clocks);
    sm->sums.in_memory += sm->dram.free - when;
    sm->sums.latency += gpu->global_latency;
    return sm->dram.free + gpu->global_latency;
}

static double load_cached(struct sm *sm, double from, uint32_t index, union cycle_word word,
                          bool stays)
{
    const unsigned sectors = word.line.sectors;

    if (!stays)
        return fetch(sm, from, index, sectors);
    struct cache_line *line = cache_find(&sm->l1, word.line.number, NULL);
    double *ready = cache_ready(&sm->l1, line);
    const unsigned missing = sectors & ~(unsigned)line->valid;
    double when = from;
    if (missing) {
        const double here = fetch(sm, from, index, missing);
        EACH_LANE(sector, missing)
            ready[sector] = here;
        line->valid |= missing;
    }
    EACH_LANE(sector, sectors)
        when = later(when, ready[sector]);
    return later(when, from + sm->gpu->l1_latency);
}

static double store_line(struct sm *sm, double from, uint32_t index, union cycle_word word)
{
    const int count = __builtin_popcount(word.line.sectors);
    const double when = to_l2(sm, from, count * SECTOR_BYTES, (double)word.line.cost / CLOCK_PARTS);

    to_dram(sm, from, count * sm->work->misses[index].written * sm->work->write_clocks);
    sm->drained = later(sm->drained, later(when, sm->dram.free));
    return when;
}

/* Local memory that a thread writes goes to L2, and stays in L1 as well. */
static void keep_line(struct sm *sm, double from, union cycle_word word)
{
    struct cache_line *line = cache_find(&sm->l1, word.line.number, NULL);

    for (int i = 0; i < LINE_SECTORS; i++)
        if (word.line.sectors >> i & 1) {
            line->valid |= 1u << i;
            cache_ready(&sm->l1, line)[i] = from;
        }
}

/* An atomic. The slice of L2 that has the line serves the atomics of all SMs. This SM's atomic
 * takes `own` clocks of it, those of all SMs, which do the same at the same time, take `all`. The
 * fraction `common` of the other SMs' atomics is on this very line; the rest is spread over all
 * slices. */
static double update_line(struct sm *sm, double from, uint32_t index, union cycle_word word)
{
    const struct gpu *gpu = sm->gpu;
    const uint64_t address = (uint64_t)word.line.number * LINE_BYTES;
    const uint64_t number =
        address / (uint64_t)gpu->atomic_slice_bytes % (uint64_t)gpu->atomic_slices;
    struct server *slice = &sm->slices[number];
    const bool same = sm->slice_lines[number] == word.line.number + 1;
    const double common = sm->work->misses[index].common;
    const double own = later((double)word.line.cost / CLOCK_PARTS,
                             same ? 0 : gpu->atomic_line_clocks * (1 - common));
    const double all = own / sm->work->sm_fraction;
    const double cost = own + (all - own) * common;
    const double elsewhere = (all - cost) / gpu->atomic_slices;

    const int sectors = __builtin_popcount(word.line.sectors);
    const double there = serve(&sm->l2, from, l2_clocks(sm, 0, sectors));

    const double done =
        later(there, later(serve(slice, from, cost), serve(&sm->all_slices, from, elsewhere)));

    sm->slice_lines[number] = word.line.number + 1;
    slice->free = done;
    sm->sums.on_the_way += done - from;
    sm->sums.latency += sm->work->l2_latency;
    sm->drained = later(sm->drained, done);
    return done + sm->work->l2_latency;
}

double sm_copy_bulk(struct sm *sm, double from, uint32_t index, struct arrival arrival)
{
    const struct gpu *gpu = sm->gpu;
    const double sectors = arrival.sectors, lines = arrival.lines;
    const double asking = l2_clocks(sm, sectors * SECTOR_BYTES, lines);
    const struct cycle_misses *misses = &sm->work->misses[index];

    /* `asking` has the other SMs' requests in it, too. If this SM's queue was empty, L2 has served
     * the others already, and begins up to `asking` clocks before the request. */
    const double when = later(serve(&sm->bulk, from, lines * gpu->bulk_line_clocks),
                              serve(&sm->l2, from - asking, asking));
    sm->sums.on_the_way += when - from;
    if (!goes_beyond(sm, index, lines)) {
        sm->sums.latency += sm->work->l2_latency;
        return when + sm->work->l2_latency;
    }
    const double moving = sectors * (misses->missing * sm->work->read_clocks +
                                     misses->written * sm->work->write_clocks);
    to_dram(sm, from - moving, moving);
    sm->sums.in_memory += later(sm->dram.free, when) - when;
    sm->sums.latency += gpu->global_latency;
    return later(sm->dram.free, when) + gpu->global_latency;
}

double sm_store_bulk(struct sm *sm, double from, uint32_t index, struct arrival arrival,
                     double *read)
{
    const struct gpu *gpu = sm->gpu;
    const double sectors = arrival.sectors, lines = arrival.lines;
    const double asking = l2_clocks(sm, sectors * SECTOR_BYTES, lines);
    double when = serve(&sm->l2, from - asking, asking);

    *read = serve(&sm->bulk, from, lines * gpu->bulk_line_clocks);
    when = later(when, *read);
    to_dram(sm, from, sectors * sm->work->misses[index].written * sm->work->write_clocks);
    if (sm->code->ops[index].reduces) /* all slices of L2 have a part in it */
        when = later(
            when, serve(&sm->all_slices, from,
                        sectors * gpu->atomic_clocks / sm->work->sm_fraction / gpu->atomic_slices));
    sm->sums.on_the_way += when - from;
    sm->drained = later(sm->drained, later(when, sm->dram.free));
    return when;
}

double sm_to_cluster(struct sm *sm, double from, double clocks)
{
    return serve(&sm->cluster, from, clocks) + sm->gpu->cluster_latency;
}

/* A request for lines: they pass the tags of L1 one after the other, on the way there and on the
 * way back. */
static double access_lines(struct sm *sm, double time, uint32_t index,
                           const union cycle_word *request)
{
    const enum request_kind space = request->request.space;
    const uint32_t passes = request->request.passes, lines = request->request.words;
    const double start = later(time, sm->load_store.free), tag = sm->gpu->tag_clocks;
    const double busy = later(lines * tag, passes);
    double when = start;

    for (uint32_t i = 0; i < lines; i++) {
        const union cycle_word word = request[1 + i];
        const double from = start + i * tag;
        double here;
        if (space == REQUEST_STORE || space == REQUEST_LOCAL_STORE)
            here = store_line(sm, from, index, word);
        else if (space == REQUEST_ATOMIC)
            here = update_line(sm, from, index, word);
        else
            here = load_cached(sm, from, index, word,
                               space == REQUEST_CACHED || space == REQUEST_COPY);
        if (space == REQUEST_LOCAL_STORE)
            keep_line(sm, from, word);
        when = later(when, here + i * tag);
    }
    serve(&sm->load_store, start, busy);
    sm->load_store_busy += busy;
    sm->sums.on_the_way += start - time;
    return when;
}

/* Compare-and-swap of words of shared memory: in a round one of the warps that want a word gets it.
 */
static double swap_words(struct sm *sm, double start, const union cycle_word *request)
{
    double done = start;

    for (uint32_t i = 1; i <= request->request.words; i++) {
        struct server *word = &sm->swaps[request[i].swap.word % SWAPS];
        const double rounds = (double)request[i].swap.rounds;
        done = later(done, begin(word, start, rounds * sm->gpu->shared_swap_clocks) +
                               rounds * sm->gpu->shared_swap_latency);
    }
    return done;
}

/* What a load of shared memory has read goes to registers. Lanes may read the same word in one
 * pass, but each lane has registers of its own. */
static double write_back(struct sm *sm, double from, uint32_t index)
{
    const struct cycle_op *op = &sm->code->ops[index];

    return serve(&sm->write_back, from, op->bytes ? op->bytes / 4 : op->result_count);
}

/* When the line of constants is in the cache, whose lines that were used last come first. */
static double find_constant(struct sm *sm, struct constant_line *lines, int count, double time,
                            uint64_t line, double latency)
{
    int at = 0;

    while (at < count - 1 && lines[at].number != line + 1)
        at++;
    struct constant_line found = lines[at];
    if (found.number != line + 1)
        found = (struct constant_line){
            line + 1, begin(&sm->constant_fetch, time, sm->gpu->constant_fetch_clocks) + latency};
    for (; at > 0; at--)
        lines[at] = lines[at - 1];
    lines[0] = found;
    return later(time, found.ready);
}

/* The same for uniform registers, in the order in which they ask: warps out of step, at as many
 * points of a table as there are lines, do not catch up with each other. */
static double when_uniform(struct sm *sm, double time, uint64_t line)
{
    const double ready = find_constant(sm, sm->uniform_constants, UNIFORM_LINES, time, line,
                                       sm->gpu->constant_miss_latency);

    sm->uniform_ready = later(sm->uniform_ready, ready);
    return sm->uniform_ready;
}

void sm_load_parameters(struct sm *sm, struct sm_warp *warp)
{
    /* Lines that no constant is in. */
    for (uint64_t i = 1; i <= sm->code->start_lines; i++)
        warp->next = when_uniform(sm, warp->next, UINT64_MAX - i);
}

double sm_load_constant(struct sm *sm, struct sm_warp *warp, double start, uint32_t index,
                        const union cycle_word *request)
{
    const struct gpu *gpu = sm->gpu;
    const uint32_t passes = request->request.passes;
    const uint64_t line = request[1].constant_line;
    const double here = sm->code->ops[index].uniform_bytes ? when_uniform(sm, start, line) : start;

    sm->sums.shared += passes;
    sm->sums.shared_request += here - start;
    warp->next = later(warp->next, here);
    if (passes == 0)
        return here + gpu->constant_latency;
    const double loaded = find_constant(sm, sm->loaded_constants, LOADED_LINES, here, line,
                                        gpu->constant_load_miss_latency);
    return begin(&sm->load_store, here, passes) + passes - 1 + gpu->shared_latency + loaded - here;
}

double sm_access(struct sm *sm, double time, uint32_t index, const union cycle_word *request)
{
    const struct gpu *gpu = sm->gpu;
    const enum request_kind space = request->request.space;
    const uint32_t passes = request->request.passes;

    if (space != REQUEST_SHARED && space != REQUEST_SWAP && space != REQUEST_CLUSTER &&
        space != REQUEST_TEXTURE)
        return access_lines(sm, time, index, request);
    const double start = begin(&sm->load_store, time, passes);
    const double last = start + passes - 1; /* the last pass begins */
    if (space == REQUEST_TEXTURE) {
        sm->load_store_busy += passes;
        sm->sums.on_the_way += last - time;
        sm->sums.latency += gpu->l1_latency;
        return last + gpu->l1_latency;
    }
    sm->sums.shared += passes;
    if (space == REQUEST_SHARED)
        return later(last, write_back(sm, start, index) - 1) + gpu->shared_latency;
    if (space == REQUEST_SWAP)
        return swap_words(sm, start, request);
    const double bytes = (double)request[1].bytes;
    return bytes > 0 ? sm_to_cluster(sm, start, bytes / gpu->cluster_bytes)
                     : last + gpu->cluster_own_latency;
}
