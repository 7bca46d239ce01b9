/* SPDX-License-Identifier: MIT */
#include "time/cycle_notes.h"

#include <stdlib.h>

#include "gpus/coalesce.h"
#include "machine/observer_memory.h"
#include "machine/machine.h"
#include "time/texture_cache.h"

static void keep_word(struct warp_log *log, union cycle_word word)
{
    MAKE_ROOM(log->words, log->count, log->room);
    log->words[log->count++] = word;
}

static void keep_request(struct warp_log *log, enum request_kind space, uint32_t passes, int words,
                         size_t index)
{
    const uint64_t kept = passes < PASSES_MOST ? passes : PASSES_MOST;

    log->polled = 0;
    keep_word(log, (union cycle_word){.request = {.index = index,
                                                  .words = (uint64_t)words,
                                                  .passes = kept,
                                                  .space = space,
                                                  .kind = WORD_REQUEST}});
}

/* The index of an instruction; op_count if it is in none of the code's functions. */
static size_t index_of(const struct cycle_notes *notes, const struct ptx_instr *instr)
{
    const struct cycle_code *code = notes->code;

    for (uint32_t i = 0; i < code->function_count; i++) {
        const struct cycle_function *function = &code->functions[i];
        const size_t at = ((uintptr_t)instr - (uintptr_t)function->instrs) / sizeof(*instr);
        if (at < function->count)
            return function->first + at;
    }
    return code->op_count;
}

/* A warp polls a barrier in shared memory. Of several polls with nothing else in between only the
 * last one is kept, because how often a warp polls depends on the emulator's threads. */
static void note_poll(struct warp_log *log, uint32_t index)
{
    if (log->full)
        return;
    if (log->polled == index + 1) {
        log->count = log->poll_words;
    } else {
        log->polled = index + 1;
        log->poll_words = log->count;
    }
}

static void note_instruction(const struct cycle_notes *notes, struct warp_log *log,
                             const struct ptx_instr *instr, size_t index, uint32_t lanes)
{
    if (instr->leads || index != log->next) {
        if (log->count >= log->limit)
            log->full = true;
        if (!log->full) {
            log->kept = log->instructions - 1;
            const bool parts = (lanes & log->lanes) == lanes && lanes != log->lanes;
            keep_word(log, (union cycle_word){.begin = {index, log->kept, parts, WORD_BEGIN}});
        }
    }
    log->next = (uint32_t)index + 1;
    log->lanes = lanes;
    if (notes->code->ops[index].polls)
        note_poll(log, (uint32_t)index);
}

void cycle_note_instructions(const struct cycle_notes *notes, struct warp_log *log,
                             const struct ptx_instr *first, uint32_t count, uint32_t lanes)
{
    const size_t index = index_of(notes, first);

    for (uint32_t i = 0; i < count; i++) {
        log->instructions++;
        if (index < notes->code->op_count && !log->full)
            note_instruction(notes, log, first + i, index + i, lanes);
    }
}

/* Requests. */

struct line {
    uint64_t number;
    uint32_t sectors;
    uint32_t lanes; /* a set */
};

static uint32_t sectors_of(uint64_t address, uint32_t bytes)
{
    const uint32_t first = address % LINE_BYTES / SECTOR_BYTES;
    const uint32_t last = (address % LINE_BYTES + bytes - 1) / SECTOR_BYTES;

    return ((2u << (last > 3 ? 3 : last)) - 1) & ~((1u << first) - 1);
}

/* The lanes whose lines are sampled. Without a branch: the compiler makes vectors of it. */
static uint32_t sampled_lanes(const struct cycle_notes *notes, const struct access_event *event)
{
    uint32_t lanes = 0;

    for (int i = 0; i < WARP_SIZE; i++)
        lanes |= (uint32_t)l2_sampled(notes->l2, (event->addresses[i] - notes->base) / LINE_BYTES)
                 << i;
    return lanes & event->lanes;
}

/* The lines that so many lanes of a request use, in the order of these. */
static int lines_of(const struct cycle_notes *notes, const struct access_event *event,
                    uint32_t lanes, struct line lines[WARP_SIZE])
{
    enum { SLOT_BITS = 6, SLOTS = 1 << SLOT_BITS };
    uint8_t known[SLOTS] = {0}; /* by a hash of their numbers: 1 and the index; 0: none */
    int count = 0;

    EACH_LANE(lane, lanes) {
        const uint64_t address = event->addresses[lane] - notes->base;
        const uint64_t number = address / LINE_BYTES;
        uint64_t slot = hash_spread(number) >> (64 - SLOT_BITS);
        while (known[slot] && lines[known[slot] - 1].number != number)
            slot = (slot + 1) % SLOTS;
        if (!known[slot]) {
            lines[count] = (struct line){.number = number};
            known[slot] = (uint8_t)++count;
        }
        lines[known[slot] - 1].sectors |= sectors_of(address, event->bytes);
        lines[known[slot] - 1].lanes |= 1u << lane;
    }
    return count;
}

/* Take out of `rest`, which is not empty, the lanes that have its first lane's address. */
static uint32_t take_alike(uint32_t *rest, const uint64_t *addresses)
{
    const uint64_t address = addresses[__builtin_ctz(*rest)];
    uint32_t same = 0;

    EACH_LANE(lane, *rest)
        same |= (uint32_t)(addresses[lane] == address) << lane;
    *rest &= ~same;
    return same;
}

/* How many lanes have the most frequent address. */
static int most_alike(uint32_t lanes, const uint64_t *addresses)
{
    int most = 0;

    while (lanes) {
        const int same = __builtin_popcount(take_alike(&lanes, addresses));
        most = same > most ? same : most;
    }
    return most;
}

/* Clocks of L2 for an atomic on a line. In each sector, lanes with the same address take turns, and
 * those with the most frequent one take longest. */
static double update_clocks(const struct cycle_notes *notes, const struct access_event *event,
                            size_t index, const struct line *line)
{
    const struct gpu *gpu = notes->gpu;
    const bool is_float = ptx_type_is_float(ptx_type_of(event->instr));
    const double alike = is_float ? gpu->atomic_float_clocks : gpu->atomic_clocks;
    double clocks = 0;

    if (notes->code->ops[index].once_per_warp)
        return gpu->atomic_clocks;
    for (uint32_t sector = 0; sector < LINE_SECTORS; sector++) {
        uint32_t inside = 0;
        EACH_LANE(lane, line->lanes)
            if (event->addresses[lane] % LINE_BYTES / SECTOR_BYTES == sector)
                inside |= 1u << lane;
        const int most = most_alike(inside, event->addresses);
        clocks += most > 1 ? most * alike : most * gpu->atomic_clocks;
    }
    return clocks;
}

/* Requests to L2 for a store. The whole sectors of a line are one. Those that are written in part
 * must be read and written back (benchmarks/model/bandwidth.cu on an H200:
 * 2^22 words written 32 and 8 apart). */
static double store_requests(const struct access_event *event, const struct line *line)
{
    const double first = 0.85, each = 1.23;
    uint32_t bytes[LINE_SECTORS] = {0};
    int whole = 0;

    EACH_LANE(lane, line->lanes)
        bytes[event->addresses[lane] % LINE_BYTES / SECTOR_BYTES] += event->bytes;
    for (int i = 0; i < LINE_SECTORS; i++)
        whole += bytes[i] >= SECTOR_BYTES;
    const int partial = __builtin_popcount(line->sectors) - whole;
    return (whole > 0) + (partial > 0 ? first + partial * each : 0);
}

/* Clocks of the memory pipe for a request to shared memory: its wavefronts. */
static uint32_t shared_passes(enum access_kind kind, struct price price)
{
    return kind == ACCESS_ATOMIC ? 2 * price.shared.total : price.shared.total;
}

void cycle_keep_use(const struct l2 *l2, struct block_uses *uses, union line_use use, uint64_t when)
{
    union line_use *recent = &uses->recent[hash_spread(use.line) >> RECENT_SHIFT];

    when = when < UINT32_MAX ? when : UINT32_MAX;
    if (uses->raw) {
        MAKE_ROOM(uses->raw->all, uses->raw->count, uses->raw->room);
        uses->raw->all[uses->raw->count++] = (struct raw_use){use, (uint32_t)when};
    }
    uses->requests++;
    if (recent->word == use.word || !l2_sampled(l2, use.line))
        return;
    *recent = use;
    if (uses->count == uses->room) {
        uses->room = uses->room ? 2 * uses->room : 16;
        uses->all = observer_grow(uses->all, uses->room, sizeof(*uses->all));
        uses->when = observer_grow(uses->when, uses->room, sizeof(*uses->when));
    }
    uses->when[uses->count] = (uint32_t)when;
    uses->all[uses->count++] = use;
}

static void note_use(const struct cycle_notes *notes, struct block_uses *uses, uint32_t index,
                     const struct line *line, bool writes, uint64_t when)
{
    const union line_use use = {
        .index = index, .writes = writes, .sectors = line->sectors, .line = line->number};

    cycle_keep_use(notes->l2, uses, use, when);
}

static enum request_kind space_of(const struct access_event *event)
{
    const struct ptx_instr *instr = event->instr;

    if (event->kind == ACCESS_ATOMIC)
        return REQUEST_ATOMIC;
    if (event->kind == ACCESS_STORE)
        return REQUEST_STORE;
    if (instr->opcode == OP_CP)
        return ptx_has(instr, MOD_CG) ? REQUEST_COPY_L2 : REQUEST_COPY;
    return ptx_is_strong(instr) || ptx_has(instr, MOD_CG) || ptx_has(instr, MOD_CV)
               ? REQUEST_L2
               : REQUEST_CACHED;
}

static union cycle_word line_word(uint64_t number, uint32_t sectors, double cost)
{
    return (union cycle_word){.line = {sectors, (uint64_t)(cost * CLOCK_PARTS), number}};
}

/* The lines of contiguous bytes. */
static void note_piece(const struct cycle_notes *notes, const struct access_event *event,
                       size_t index, struct block_uses *uses, uint64_t bytes)
{
    const uint64_t from = event->addresses[__builtin_ctz(event->lanes)] - notes->base;
    const uint64_t first = from / SECTOR_BYTES, last = (from + bytes - 1) / SECTOR_BYTES;
    const uint64_t when = warp_issued(event->warp);
    union line_use use = {.index = index, .writes = event->kind != ACCESS_LOAD};
    uint32_t sectors = ALL_SECTORS << first % LINE_SECTORS & ALL_SECTORS;

    for (uint64_t line = first / LINE_SECTORS; line <= last / LINE_SECTORS; line++) {
        if (line == last / LINE_SECTORS)
            sectors &= ALL_SECTORS >> (LINE_SECTORS - 1 - last % LINE_SECTORS);
        use.line = line;
        use.sectors = sectors;
        cycle_keep_use(notes->l2, uses, use, when);
        sectors = ALL_SECTORS;
    }
}

/* How much of them a lane used. */
static struct arrival piece_of(const struct cycle_notes *notes, const struct access_event *event)
{
    const int lane = __builtin_ctz(event->lanes);
    const uint64_t from = event->addresses[lane] - notes->base, last = from + event->bytes - 1;

    return (struct arrival){.lane = (uint64_t)lane & (WARP_SIZE - 1),
                            .lines = last / LINE_BYTES + 1 - from / LINE_BYTES,
                            .sectors = last / SECTOR_BYTES + 1 - from / SECTOR_BYTES};
}

/* The lines of a warp that is not logged, of a request whose shape is known: only those that are
 * sampled leave more than their number. */
static void note_lines(const struct cycle_notes *notes, const struct access_event *event,
                       size_t index, struct block_uses *uses)
{
    const uint32_t lanes = sampled_lanes(notes, event);
    struct line lines[WARP_SIZE];
    const int count = lines_of(notes, event, lanes, lines);

    uses->requests += access_price(event).global.lines - (uint32_t)count;
    for (int i = 0; i < count; i++)
        note_use(notes, uses, (uint32_t)index, &lines[i], event->kind != ACCESS_LOAD,
                 warp_issued(event->warp));
}

static void access_global(const struct cycle_notes *notes, const struct access_event *event,
                          size_t index, struct warp_log *log, struct block_uses *uses)
{
    const enum request_kind space = space_of(event);
    const uint32_t bytes = (uint32_t)__builtin_popcount(event->lanes) * event->bytes;
    struct line lines[WARP_SIZE];

    const int count = lines_of(notes, event, event->lanes, lines);
    for (int i = 0; i < count; i++)
        note_use(notes, uses, (uint32_t)index, &lines[i], event->kind != ACCESS_LOAD,
                 warp_issued(event->warp));
    if (!log || log->full)
        return;
    keep_request(log, space, (bytes + LINE_BYTES - 1) / LINE_BYTES, count, index);
    for (int i = 0; i < count; i++) {
        const double cost = space == REQUEST_ATOMIC  ? update_clocks(notes, event, index, &lines[i])
                            : space == REQUEST_STORE ? store_requests(event, &lines[i])
                                                     : 0;
        keep_word(log, line_word(lines[i].number, lines[i].sectors, cost));
    }
}

/* The index of line `number` among the first `count` of `lines`; `count`: it is not there. */
static int find_line(const struct line *lines, int count, uint64_t number)
{
    int at = count - 1;

    while (at >= 0 && lines[at].number != number)
        at--;
    return at < 0 ? count : at;
}

/* A line of local memory is the same word of all 32 lanes. Each warp has lines of its own. */
static void access_local(const struct cycle_notes *notes, const struct access_event *event,
                         size_t index, struct warp_log *log)
{
    /* With 20 bits of the word's number after it the highest bit of a line's number, which is 0 in
     * device memory. */
    enum { LOCAL_LINE = 1 << 23 };
    enum { WORD = 4, LANES_A_SECTOR = SECTOR_BYTES / WORD, LINES_MOST = 4 * WARP_SIZE };
    const uint64_t warp = LOCAL_LINE | (uint64_t)(log - notes->logs);
    struct line lines[LINES_MOST];
    int count = 0;

    EACH_LANE(lane, event->lanes) {
        const uint64_t last = (event->addresses[lane] + event->bytes - 1) / WORD;
        for (uint64_t word = event->addresses[lane] / WORD; word <= last && count < LINES_MOST;
             word++) {
            const int at = find_line(lines, count, word);
            if (at == count)
                lines[count++] = (struct line){.number = word};
            lines[at].sectors |= 1u << lane / LANES_A_SECTOR;
            lines[at].lanes |= 1u << lane;
        }
    }
    keep_request(log, event->kind == ACCESS_LOAD ? REQUEST_CACHED : REQUEST_LOCAL_STORE, 1, count,
                 index);
    for (int i = 0; i < count; i++) {
        const int sectors = __builtin_popcount(lines[i].sectors);
        const bool whole = __builtin_popcount(lines[i].lanes) == sectors * LANES_A_SECTOR;
        keep_word(log, line_word(warp << 20 | (lines[i].number & 0xFFFFF), lines[i].sectors,
                                 whole ? 1 : 2 * sectors));
    }
}

/* Barriers in shared memory. */

static void add_arrival(struct arrival *all, struct arrival more)
{
    all->sectors += more.sectors;
    all->lines += more.lines;
    all->copies += more.copies;
    all->sent |= more.sent;
    all->remote |= more.remote;
}

static void note_at_phase(struct warp_log *log, size_t index, struct arrival arrival,
                          struct phase_name phase)
{
    union cycle_word *request = &log->words[log->request];

    if (log->requested == log->instructions && log->count) {
        const uint32_t words = request->request.words;
        for (uint32_t i = 1; i <= words; i += 2)
            if (request[i + 1].phase.number == phase.number &&
                request[i + 1].phase.barrier == phase.barrier &&
                request[i].arrival.waits == arrival.waits) {
                add_arrival(&request[i].arrival, arrival);
                return;
            }
        if (words + 2 > WORDS_MOST)
            return;
        request->request.words = words + 2;
    } else {
        log->request = log->count;
        log->requested = log->instructions;
        keep_request(log, REQUEST_PHASE, 0, 2, index);
    }
    keep_word(log, (union cycle_word){.arrival = arrival});
    keep_word(log, (union cycle_word){.phase = phase});
}

void cycle_note_arrival(const struct cycle_notes *notes, struct warp_log *log,
                        const struct ptx_instr *instr, struct phase_name phase, bool remote)
{
    const size_t index = index_of(notes, instr);
    struct arrival arrival = {0};

    if (log->full || index == notes->code->op_count)
        return;
    if (!ptx_is_mbarrier(instr)) {
        arrival = log->copied;
        arrival.copies = 1;
    }
    arrival.sent = instr->opcode == OP_ST;
    arrival.remote = remote;
    log->copied = (struct arrival){0};
    note_at_phase(log, index, arrival, phase);
}

void cycle_note_wait(const struct cycle_notes *notes, struct warp_log *log,
                     const struct ptx_instr *instr, struct phase_name phase)
{
    const size_t index = index_of(notes, instr);

    if (!log->full && index < notes->code->op_count)
        note_at_phase(log, index, (struct arrival){.waits = 1}, phase);
}

/* The rows of one lane's box are one store. */
static void note_store(struct warp_log *log, size_t index, struct arrival part)
{
    struct arrival *last = log->count ? &log->words[log->count - 1].arrival : NULL;

    if (last && log->requested == log->instructions && last->lane == part.lane) {
        add_arrival(last, part);
        return;
    }
    log->requested = log->instructions;
    keep_request(log, REQUEST_BULK_STORE, 0, 1, index);
    keep_word(log, (union cycle_word){.arrival = part});
}

/* A bulk copy by a lane: one run of bytes, or one row of its box. */
static void access_run(const struct cycle_notes *notes, const struct access_event *event,
                       size_t index, struct warp_log *log, struct block_uses *uses)
{
    const bool stores = event->kind != ACCESS_LOAD;
    note_piece(notes, event, index, uses, event->bytes);
    if (!log || log->full)
        return;
    const struct arrival part = piece_of(notes, event);
    if (stores)
        note_store(log, index, part);
    else if (!ptx_has(event->instr, MOD_TENSOR))
        add_arrival(&log->copied, part);
    else if (log->requested == log->instructions) /* its barrier has been noted before */
        add_arrival(&log->words[log->count - 2].arrival, part);
}

/* Shared memory by an address of the cluster, its own or another block's. */
static void access_cluster(const struct access_event *event, size_t index, struct warp_log *log)
{
    const uint32_t bytes = (uint32_t)__builtin_popcount(event->lanes) * event->bytes;

    keep_request(log, REQUEST_CLUSTER, shared_passes(event->kind, access_price(event)), 1, index);
    keep_word(log, (union cycle_word){.bytes = event->remote ? bytes : 0});
}

/* An atomic that shared memory has no unit for: a loop of compare-and-swap, with a round for each
 * lane that wants the same word. In a round it reads and swaps. */
static void note_swap(const struct cycle_notes *notes, struct warp_log *log,
                      const struct access_event *event, size_t index)
{
    enum { PRIME = 7919 };
    const uint64_t block = event->owner.x + PRIME * (event->owner.y + PRIME * event->owner.z);
    const int rounds = most_alike(event->lanes, event->addresses);
    const int count = distinct_addresses(event->lanes, event->addresses);

    keep_request(log, REQUEST_SWAP, (uint32_t)(notes->gpu->shared_swap_passes * rounds), count,
                 index);
    for (uint32_t rest = event->lanes; rest;) {
        const uint32_t same = take_alike(&rest, event->addresses);
        const uint64_t address = event->addresses[__builtin_ctz(same)];
        keep_word(log, (union cycle_word){.swap = {(uint64_t)__builtin_popcount(same),
                                                   address / 4 + block * PRIME}});
    }
}

/* Shared memory of the block. A load that was joined with others reads the bytes around it, too. */
static void access_shared(const struct cycle_notes *notes, const struct access_event *event,
                          size_t index, struct warp_log *log)
{
    const uint64_t bytes = notes->code->ops[index].bytes;
    uint64_t addresses[WARP_SIZE];

    if (event->kind == ACCESS_ATOMIC &&
        (ptx_type_is_float(ptx_type_of(event->instr)) || event->bytes > 4)) {
        note_swap(notes, log, event, index);
        return;
    }
    for (int i = 0; i < WARP_SIZE && bytes; i++)
        addresses[i] = event->addresses[i] & -bytes;
    const struct price price = bytes ? request_price(notes->gpu, event->kind, PTX_SHARED,
                                                     event->lanes, addresses, (uint32_t)bytes)
                                     : access_price(event);
    keep_request(log, REQUEST_SHARED, shared_passes(event->kind, price), 0, index);
}

/* Constants at computed addresses. They take the memory pipe two clocks for each address and eight
 * bytes, also where all want the same, but for uniform registers (benchmarks/model/constants.cu).
 */
static void access_constant(const struct cycle_notes *notes, const struct access_event *event,
                            size_t index, struct warp_log *log)
{
    const struct cycle_op *op = &notes->code->ops[index];
    const uint64_t first = event->addresses[__builtin_ctz(event->lanes)];
    const int addresses = distinct_addresses(event->lanes, event->addresses);
    const int bytes = (op->bytes ? op->bytes : (int)event->bytes) - op->uniform_bytes;
    const int passes = 2 * addresses * ((bytes + 7) / 8);

    keep_request(log, REQUEST_CONSTANT, (uint32_t)passes, 1, index);
    keep_word(log, (union cycle_word){.constant_line = first / CONSTANT_LINE_BYTES});
}

void cycle_note_access(const struct cycle_notes *notes, struct warp_log *log,
                       struct block_uses *uses, const struct access_event *event)
{
    const size_t index = index_of(notes, event->instr);

    if (event->space == PTX_PARAM || index == notes->code->op_count)
        return;
    if (event->space == PTX_GLOBAL && ptx_has(event->instr, MOD_BULK)) {
        access_run(notes, event, index, log, uses);
        return;
    }
    if (event->space == PTX_GLOBAL) {
        const bool logs = log && !log->full;
        if (!logs && event->gapless)
            note_piece(notes, event, index, uses, event->high - event->low + event->bytes);
        else if (!logs && event->shape && !uses->raw)
            note_lines(notes, event, index, uses);
        else
            access_global(notes, event, index, log, uses);
        return;
    }
    /* A copy is noted by what it loads, and a barrier by who arrives there. */
    if (!log || log->full || event->copies || cycle_is_at_barrier(event->instr))
        return;
    if (event->space == PTX_LOCAL)
        access_local(notes, event, index, log);
    else if (event->space == PTX_CONST)
        access_constant(notes, event, index, log);
    else if (event->remote || event->instr->of_cluster)
        access_cluster(event, index, log);
    else
        access_shared(notes, event, index, log);
}

void cycle_note_crossing(const struct cycle_notes *notes, struct warp_log *log,
                         const struct access_event *event, uint64_t number,
                         struct cycle_waits *waits)
{
    const size_t index = index_of(notes, event->instr);
    const uint32_t crossing = waits_note(waits, event, number, index);

    if (crossing == WAITS_NONE || !log || log->full)
        return;
    keep_request(log, REQUEST_CROSSING, 0, 1, index);
    keep_word(log, (union cycle_word){.crossing = crossing});
}

/* The model takes textures to be in L1. */
void cycle_note_fetch(const struct cycle_notes *notes, struct warp_log *log,
                      const struct fetch_event *event)
{
    const size_t index = index_of(notes, event->instr);

    if (log && !log->full && index < notes->code->op_count)
        keep_request(log, REQUEST_TEXTURE, texture_clocks(event->lanes), 0, index);
}
