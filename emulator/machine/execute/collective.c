/* SPDX-License-Identifier: MIT */
/* What the lanes of a warp do together: shuffles, votes, matches, reductions, the barrier of the
 * warp, and the loads and stores of matrices.
 *
 * A mask names the lanes that take part, its members. They may be on several paths of the warp,
 * and then each path waits. Once all live members have come to an instruction of the same kind
 * with the same mask, it runs for all of them at once. Members that have exited are not waited
 * for. When no path of the warp can go on otherwise, those that wait at another collective are
 * not waited for either. A shuffle from a lane that takes no part gives 0, as on GPUs. */
#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include "machine/access.h"
#include "machine/execute/collective.h"
#include "machine/execute/lanes.h"
#include "machine/launch.h"
#include "machine/paths.h"

/* Where lane `i` wants its value from, and whether that is in its segment. */
static inline int source_of(enum modifier mode, int i, uint32_t b, uint32_t c, bool *inside)
{
    const int by = (int)(b & 31), clamp = (int)(c & 31), segment = (int)(c >> 8 & 31);
    const int first = i & segment, last = first | (clamp & ~segment);
    const int from = mode == MOD_UP     ? i - by
                     : mode == MOD_DOWN ? i + by
                     : mode == MOD_BFLY ? i ^ by
                                        : first | (by & ~segment);
    *inside = mode == MOD_UP ? from >= last : from <= last;
    return *inside ? from & 31 : i;
}

/* A loop for each mode, so that the compiler makes vectors of it. */
static inline void find_sources(enum modifier mode, const lane_u32 *b, const lane_u32 *c, int *from,
                                uint32_t *inside)
{
    for (int i = 0; i < WARP_SIZE; i++) {
        bool is_inside;
        from[i] = source_of(mode, i, b[i], c[i], &is_inside);
        *inside |= (uint32_t)is_inside << i;
    }
}

/* Where all lanes want theirs from; returns the set of those that are inside. */
static uint32_t sources_of(const struct op *op, const lane_u32 *b, const lane_u32 *c, int *from)
{
    uint32_t inside = 0;
    if (op->immediate == MOD_UP)
        find_sources(MOD_UP, b, c, from, &inside);
    else if (op->immediate == MOD_DOWN)
        find_sources(MOD_DOWN, b, c, from, &inside);
    else if (op->immediate == MOD_BFLY)
        find_sources(MOD_BFLY, b, c, from, &inside);
    else
        find_sources(MOD_IDX, b, c, from, &inside);
    return inside;
}

static void shuffle(const struct op *op, struct exchange *x)
{
    int from[WARP_SIZE];
    x->predicate = sources_of(op, x->b, x->c, from);
    for (int i = 0; i < WARP_SIZE; i++) {
        const bool missing = x->predicate >> i & ~x->lanes >> from[i] & 1;
        x->result[i] = missing ? 0 : x->a[from[i]];
        x->undefined |= (uint32_t)missing << i;
    }
}

/* to[i] = a[from[i]] */
static inline void permute(lane_u32 *to, const lane_u32 *a, const int *from)
{
#ifdef __AVX512F__
    const __m512i low = _mm512_loadu_si512(a), high = _mm512_loadu_si512(a + WARP_SIZE / 2);
    for (int i = 0; i < WARP_SIZE; i += WARP_SIZE / 2)
        _mm512_storeu_si512(to + i,
                            _mm512_permutex2var_epi32(low, _mm512_loadu_si512(from + i), high));
#else
    lane_u32 all[WARP_SIZE];
    for (int i = 0; i < WARP_SIZE; i++)
        all[i] = a[from[i]];
    memcpy(to, all, sizeof all);
#endif
}

bool collective_shuffle(struct warp *warp, const struct op *op, uint32_t lanes)
{
    if (op->instr->opcode != OP_SHFL || lanes != (uint32_t)FULL_WARP || op->d.width != 4 ||
        warp->block->listeners->collective.count)
        return false;
    const lane_u32 *members = op->e.present ? slot_lanes(warp, op->e) : NULL;
    uint32_t all = (uint32_t)FULL_WARP;
    for (int i = 0; members && i < WARP_SIZE; i++)
        all &= members[i];
    if (all != (uint32_t)FULL_WARP)
        return false;
    int from[WARP_SIZE];
    const uint32_t inside = sources_of(op, slot_lanes(warp, op->b), slot_lanes(warp, op->c), from);
    permute(slot_lanes(warp, op->d), slot_lanes(warp, op->a), from);
    if (op->d2.present)
        slot_set_predicate(warp, op->d2, lanes, inside);
    return true;
}

static void give_all(struct exchange *x, uint64_t value)
{
    for (int i = 0; i < WARP_SIZE; i++)
        x->result[i] = value;
}

static void vote(const struct op *op, struct exchange *x)
{
    const uint32_t yes = x->votes & x->lanes;
    bool holds = false;
    if (op->immediate == MOD_BALLOT)
        give_all(x, yes);
    else if (op->immediate == MOD_ALL)
        holds = yes == x->lanes;
    else if (op->immediate == MOD_ANY)
        holds = yes != 0;
    else
        holds = yes == 0 || yes == x->lanes;
    x->predicate = holds ? UINT32_MAX : 0;
}

static uint32_t lanes_with(const struct exchange *x, uint64_t value)
{
    uint32_t same = 0;
    for (int i = 0; i < WARP_SIZE; i++)
        if (x->lanes >> i & 1 && x->a[i] == value)
            same |= 1u << i;
    return same;
}

static void match(const struct op *op, struct exchange *x)
{
    if (op->immediate == MOD_ALL) {
        const bool all = lanes_with(x, x->a[first_lane(x->lanes)]) == x->lanes;
        give_all(x, all ? x->lanes : 0);
        x->predicate = all ? UINT32_MAX : 0;
        return;
    }
    for (int i = 0; i < WARP_SIZE; i++)
        x->result[i] = lanes_with(x, x->a[i]);
}

static uint32_t reduced(const struct op *op, uint32_t a, uint32_t b)
{
    const bool is_signed = op->type == PTX_S32;
    const bool less = is_signed ? (int32_t)a < (int32_t)b : a < b;
    switch (op->immediate) {
    case MOD_ADD:
        return a + b;
    case MOD_MIN:
        return less ? a : b;
    case MOD_MAX:
        return less ? b : a;
    case MOD_AND:
        return a & b;
    case MOD_OR:
        return a | b;
    default:
        return a ^ b;
    }
}

static void reduce(const struct op *op, struct exchange *x)
{
    uint32_t left = x->lanes & (x->lanes - 1);
    uint32_t sum = (uint32_t)x->a[first_lane(x->lanes)];
    for (; left; left &= left - 1)
        sum = reduced(op, sum, (uint32_t)x->a[first_lane(left)]);
    give_all(x, sum);
}

/* A matrix has 8 x 8 halves. In registers each lane holds two neighbours of a row, the left one
 * in the lower half of its register. In memory the bytes of a row lie together, and the lanes
 * hold the addresses of the rows, eight lanes for each matrix. */
enum { MATRIX_ROWS = 8, ROW_BYTES = MATRIX_ROWS * HALF_BYTES };

/* The lane that holds an element, and the bit of its register where the element begins. */
static int matrix_lane(int row, int column)
{
    return row * 4 + column / 2;
}

static int matrix_bit(int column)
{
    return column % 2 * 16;
}

static void transpose(const struct op *op, struct exchange *x)
{
    (void)op;
    for (int row = 0; row < MATRIX_ROWS; row++)
        for (int column = 0; column < MATRIX_ROWS; column++) {
            const int from = matrix_lane(row, column), to = matrix_lane(column, row);
            const uint64_t element = x->a[from] >> matrix_bit(column) & 0xffff;
            x->result[to] |= element << matrix_bit(row);
            x->undefined |= (~x->lanes >> from & 1) << to;
        }
}

/* Which byte of which register goes with the byte at `offset` of the row whose address `lane`
 * holds. */
static struct register_byte matrix_byte(const struct op *op, int part, int lane, uint32_t offset)
{
    (void)part;
    const int row = lane % MATRIX_ROWS, column = (int)offset / HALF_BYTES;
    const bool transposes = op->immediate == MOD_TRANS;
    const int first_bit = matrix_bit(transposes ? row : column);
    return (struct register_byte){.lane = transposes ? matrix_lane(column, row)
                                                     : matrix_lane(row, column),
                                  .element = (uint32_t)(lane / MATRIX_ROWS),
                                  .at = (uint32_t)first_bit / 8 + offset % HALF_BYTES};
}

struct register_byte access_register(const struct access_event *event, int lane, uint32_t offset)
{
    const struct op *op = event->op;
    if (op->exchange)
        return op->exchange->moves(op, event->part, lane, offset);
    return (struct register_byte){
        .lane = lane, .element = offset / op->bytes, .at = offset % op->bytes};
}

static bool loads_rows(const struct op *op)
{
    return op->instr->opcode == OP_LDMATRIX;
}

/* Look up all rows in memory. The event for the checkers is sent here too. */
static void reach_rows(const struct op *op, struct exchange *x)
{
    const uint32_t named = UINT32_MAX >> (WARP_SIZE - MATRIX_ROWS * op->vector);
    struct access access;
    for (int i = 0; i < WARP_SIZE; i++)
        access.addresses[i] = op->space == PTX_GENERIC ? shared_address(x->a[i]) : x->a[i];
    const struct piece_request request = {.kind = loads_rows(op) ? ACCESS_LOAD : ACCESS_STORE,
                                          .space = PTX_SHARED,
                                          .lanes = named & x->lanes,
                                          .bytes = ROW_BYTES,
                                          .granule = HALF_BYTES};
    const uint32_t rows = request.lanes ? access_pieces(x->warp, op, &request, &access) : 0;
    EACH_LANE(lane, rows)
        x->result[lane] = (uintptr_t)access.pointers[lane];
    EACH_LANE(lane, named & ~x->lanes)
        for (uint32_t offset = 0; offset < ROW_BYTES && loads_rows(op); offset += HALF_BYTES)
            x->undefined |= 1u << matrix_byte(op, 0, (int)lane, offset).lane;
}

/* Move the halves of the rows that the registers of `lanes` receive or hold. */
static void move_rows(struct warp *warp, const struct op *op, uint32_t lanes,
                      const struct exchange *x)
{
    for (int k = 0; k < op->vector && loads_rows(op); k++)
        if (op->elements[k].present) {
            lane_u32 *d = slot_lanes(warp, op->elements[k]);
            FOR_LANES(lanes, d[i] = 0); /* rows of lanes that have ended read as 0 */
        }
    for (int i = 0; i < MATRIX_ROWS * op->vector; i++)
        for (uint32_t offset = 0; offset < ROW_BYTES; offset += HALF_BYTES) {
            const struct register_byte byte = matrix_byte(op, 0, i, offset);
            const struct slot slot = op->elements[byte.element];
            if (!x->result[i] || !slot.present || !(lanes >> byte.lane & 1))
                continue;
            char *half = (char *)(uintptr_t)x->result[i] + offset;
            const uint64_t whole = slot_read(warp, slot, byte.lane);
            if (loads_rows(op))
                slot_write(warp, slot, byte.lane,
                           whole | load_element(half, HALF_BYTES) << 8 * byte.at);
            else
                store_element(half, HALF_BYTES, whole >> 8 * byte.at);
        }
    if (!loads_rows(op))
        note_write(warp);
}

/* elect: the lowest lane is the leader. */
static void elect(const struct op *op, struct exchange *x)
{
    (void)op;
    give_all(x, (uint32_t)first_lane(x->lanes));
    x->predicate = x->lanes & -x->lanes;
}

static void bring_rows(struct warp *warp, const struct op *op, uint32_t lanes, struct exchange *x)
{
    uint64_t addresses[WARP_SIZE];
    gather_addresses(warp, op, addresses);
    EACH_LANE(i, lanes)
        x->a[i] = addresses[i];
}

/* The lanes' values of a slot, into an array of any type. */
#define READ_LANES(warp, slot, lanes, to)                             \
    do {                                                              \
        const void *const from_ = slot_lanes(warp, slot);             \
        if ((slot).bytes == 8)                                        \
            FOR_LANES(lanes, (to)[i] = ((const lane_u64 *)from_)[i]); \
        else                                                          \
            FOR_LANES(lanes, (to)[i] = ((const lane_u32 *)from_)[i]); \
    } while (0)

static void bring_sources(struct warp *warp, const struct op *op, uint32_t lanes,
                          struct exchange *x)
{
    if (op->a.present && op->a.bytes)
        READ_LANES(warp, op->a, lanes, x->a);
    if (op->b.present)
        READ_LANES(warp, op->b, lanes, x->b);
    if (op->c.present)
        READ_LANES(warp, op->c, lanes, x->c);
    if (op->a.present && !op->a.bytes)
        x->votes |= slot_predicate(warp, op->a) & lanes;
}

static void take_results(struct warp *warp, const struct op *op, uint32_t lanes,
                         const struct exchange *x)
{
    if (op->d.present && op->d.bytes == 0)
        slot_set_predicate(warp, op->d, lanes, x->predicate);
    if (op->d.bytes == 4 && op->d.width == 4) {
        lane_u32 *d = slot_lanes(warp, op->d);
        SET_LANES(lanes, d, , (uint32_t)x->result[i]);
    } else if (op->d.bytes) {
        EACH_LANE(i, lanes)
            slot_write(warp, op->d, i, x->result[i]);
    }
    if (op->d2.present)
        slot_set_predicate(warp, op->d2, lanes, x->predicate);
}

void warp_shuffled(const struct warp *warp, uint32_t lanes, uint32_t from[WARP_SIZE])
{
    const struct op *op = op_of(warp->path);
    struct exchange x = {.lanes = lanes, .members = lanes};
    op->exchange->bring((struct warp *)warp, op, lanes, &x);
    for (uint32_t i = 0; i < WARP_SIZE; i++)
        x.a[i] = (i + 1) | (i + 1) << 16 | SHUFFLED_UPPER << 16;
    op->exchange->run(op, &x);
    for (int i = 0; i < WARP_SIZE; i++)
        from[i] = (uint32_t)x.result[i];
}

static void notify_collective(struct warp *warp, const struct op *op, const struct exchange *x)
{
    const struct collective_event event = {.worker = warp->worker->number,
                                           .warp = warp,
                                           .instr = op->instr,
                                           .lanes = x->lanes,
                                           .members = x->members,
                                           .live = warp->live,
                                           .absent = x->members & warp->threads & ~warp->live,
                                           .undefined = x->undefined & x->lanes,
                                           .barrier = !op->exchange->run};
    NOTIFY(warp->block->listeners->collective, &event);
    if (isa_rows[op->instr->opcode].cost == COST_TENSOR)
        NOTIFY(warp->block->listeners->product, &event);
}

/* Run a collective whose lanes are all on the current path. */
static void run_alone(struct warp *warp, const struct op *op, uint32_t lanes, uint32_t members)
{
    struct exchange x = {.warp = warp, .lanes = lanes, .members = members};
    if (!op->exchange->run) {
        notify_collective(warp, op, &x);
        return;
    }
    op->exchange->bring(warp, op, lanes, &x);
    op->exchange->run(op, &x);
    notify_collective(warp, op, &x);
    op->exchange->take(warp, op, lanes, &x);
}

static bool is_alike(const struct path *a, const struct path *b)
{
    if (b->state != PATH_AT_COLLECTIVE || a->members != b->members)
        return false;
    const struct op *x = op_of(a), *y = op_of(b);
    return x->exchange == y->exchange && x->immediate == y->immediate && x->type == y->type &&
           x->vector == y->vector &&
           (!ptx_has(x->instr, MOD_ALIGNED) || x->instr->text == y->instr->text);
}

/* Run the collective for all paths that wait at one like `first` does. */
static void run_together(struct warp *warp, const struct path *first, uint32_t lanes)
{
    struct exchange x = {.warp = warp, .lanes = lanes, .members = first->members};
    const struct exchange_kind *kind = op_of(first)->exchange;
    struct path *group[WARP_SIZE];
    int count = 0;
    for (int i = 0; i < warp->path_limit; i++)
        if (is_alike(first, &warp->paths[i]))
            group[count++] = &warp->paths[i];
    for (int i = 0; i < count; i++) {
        warp_enter(warp, group[i]);
        if (kind->run)
            kind->bring(warp, op_of(group[i]), group[i]->mask, &x);
    }
    if (kind->run)
        kind->run(op_of(first), &x);
    notify_collective(warp, op_of(first), &x);
    for (int i = 0; i < count; i++) {
        warp_enter(warp, group[i]);
        if (kind->run)
            kind->take(warp, op_of(group[i]), group[i]->mask, &x);
        if (group[i]->state == PATH_AT_COLLECTIVE) /* else it waits for something more */
            group[i]->state = PATH_READY;
        group[i]->stuck = false;
    }
}

/* The lanes of all paths that wait at a collective like `path` does. */
static uint32_t lanes_alike(const struct warp *warp, const struct path *path)
{
    uint32_t lanes = 0;
    for (int i = 0; i < warp->path_limit; i++)
        if (is_alike(path, &warp->paths[i]))
            lanes |= warp->paths[i].mask;
    return lanes;
}

/* Run the collectives whose live members have all arrived, or, if `anyway`, every collective
 * that a path waits at. Returns whether any ran. */
static bool run_waiting(struct warp *warp, bool anyway)
{
    bool any = false;
    for (int i = 0; i < warp->path_limit; i++) {
        const struct path *path = &warp->paths[i];
        if (path->state != PATH_AT_COLLECTIVE)
            continue;
        const uint32_t present = lanes_alike(warp, path);
        if (!anyway && present != (path->members & warp->live))
            continue;
        run_together(warp, path, present);
        any = true;
    }
    return any;
}

void collective_check(struct warp *warp)
{
    struct path *current = warp->path;
    const bool stopped = warp->stop;
    run_waiting(warp, false);
    if (current->state != PATH_FREE)
        warp_enter(warp, current);
    warp->path = current;
    warp->stop = stopped;
}

bool collective_run_apart(struct warp *warp)
{
    return run_waiting(warp, true);
}

/* The lanes whose mask is the same as that of the first lane. */
static uint32_t same_members(const struct warp *warp, const struct op *op, uint32_t lanes)
{
    const uint32_t members = (uint32_t)slot_read(warp, op->e, first_lane(lanes));
    uint32_t masks[WARP_SIZE], same = 0;
    READ_LANES(warp, op->e, (uint32_t)FULL_WARP, masks);
    for (int i = 0; i < WARP_SIZE; i++)
        same |= (uint32_t)(masks[i] == members) << i;
    return same & lanes;
}

static void notify_barrier(struct warp *warp, const struct op *op, uint32_t lanes)
{
    const struct barrier_event event = {.worker = warp->worker->number,
                                        .warp = warp,
                                        .instr = op->instr,
                                        .lanes = lanes,
                                        .of_warp = true};
    NOTIFY(warp->block->listeners->barrier, &event);
}

void collective(struct warp *warp, const struct op *op, uint32_t lanes)
{
    if (!op->e.present) { /* without .sync the lanes of this path take part */
        run_alone(warp, op, lanes, lanes);
        return;
    }
    const uint32_t same = same_members(warp, op, lanes);
    if (same != lanes) {
        path_split(warp, same, warp->path->pc - 1, warp->path->pc - 1, warp->path->pc);
        return;
    }
    const uint32_t members = (uint32_t)slot_read(warp, op->e, first_lane(lanes));
    if (lanes & ~members) {
        warp_fault(warp, op->instr, first_lane(lanes & ~members), FAULT_BARRIER,
                   "lane outside its mask", "the mask 0x%08x does not name the lane itself",
                   members);
        return;
    }
    if (!op->exchange->run)
        notify_barrier(warp, op, lanes);
    if ((members & warp->live) == lanes) {
        run_alone(warp, op, lanes, members);
        return;
    }
    if (divide_guarded(warp, lanes))
        return;
    warp->path->members = members;
    path_park(warp, PATH_AT_COLLECTIVE);
    collective_check(warp);
}

EXECUTOR(activemask)
{
    lane_u32 *d = slot_lanes(warp, op->d);
    const uint32_t active = warp->path->mask;
    FOR_LANES(lanes, d[i] = active);
}

/* Move the mask of members to op->e. */
void bind_members(struct binder *binder)
{
    static const struct ptx_operand all = {.kind = OPERAND_IMMEDIATE, .bits = FULL_WARP};
    struct op *op = binder->op;
    struct slot *sources[] = {&op->e, &op->c, &op->b, &op->a}, **last = sources;
    if (ptx_has(binder->instr, MOD_ALIGNED)) {
        bind_element(binder, &op->e, &all, 4, false);
    } else if (ptx_has(binder->instr, MOD_SYNC)) {
        while (!(*last)->present)
            last++;
        const struct slot members = **last;
        **last = (struct slot){0};
        op->e = members;
    }
}

static void bind_rows(struct binder *binder)
{
    const struct ptx_instr *instr = binder->instr;
    struct op *op = binder->op;
    op->vector = (uint8_t)instr->vector;
    bind_elements(binder, &instr->operands[loads_rows(op) ? 0 : 1], 4, loads_rows(op));
}

/* The modifier that names the operation; 0 if the instruction has only one. */
static uint32_t choice_of(const struct ptx_instr *instr)
{
    static const enum modifier choices[] = {MOD_UP,  MOD_DOWN, MOD_BFLY,   MOD_IDX, MOD_ALL,
                                            MOD_ANY, MOD_UNI,  MOD_BALLOT, MOD_ADD, MOD_MIN,
                                            MOD_MAX, MOD_AND,  MOD_OR,     MOD_XOR, MOD_TRANS};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        if (ptx_has(instr, choices[i]))
            return choices[i];
    return 0;
}

void bind_collective(struct binder *binder)
{
#define VALUES(id, what) [OP_##id] = {.bring = bring_sources, .run = (what), .take = take_results }
#define ROWS(id) [OP_##id] = {bring_rows, reach_rows, move_rows, matrix_byte}
    static const struct exchange_kind kinds[OPCODE_COUNT] = {VALUES(SHFL, shuffle),
                                                             VALUES(VOTE, vote),
                                                             VALUES(MATCH, match),
                                                             VALUES(REDUX, reduce),
                                                             VALUES(MOVMATRIX, transpose),
                                                             VALUES(ELECT, elect),
                                                             ROWS(LDMATRIX),
                                                             ROWS(STMATRIX)};
#undef VALUES
#undef ROWS
    const struct ptx_instr *instr = binder->instr;
    struct op *op = binder->op;
    op->handler = instr->opcode == OP_ACTIVEMASK ? activemask : collective;
    op->exchange = &kinds[instr->opcode];
    op->type = ptx_type_of(instr);
    op->space = instr->space;
    op->immediate = choice_of(instr);
    bind_operands(binder);
    if (instr->opcode == OP_LDMATRIX || instr->opcode == OP_STMATRIX)
        bind_rows(binder);
    bind_members(binder);
}
