/* SPDX-License-Identifier: MIT */
/* Barriers in shared memory (mbarrier), and the copies and stores that complete at them. */
#include "machine/access.h"
#include "machine/copies.h"
#include "machine/spin.h"
#include "machine/execute/lanes.h"
#include "machine/launch.h"
#include "machine/mbarrier.h"
#include "machine/execute/box.h"

#include <inttypes.h>
#include <stdlib.h>

/* The 8 bytes of a barrier. `bytes` is how many are still to come; it is below 0 for a while if
 * some come before they are announced. */
struct state {
    uint64_t pending : 20, expected : 20;
    int64_t bytes : 21;
    uint64_t mark : 2; /* MARK in a barrier, which memory that nobody wrote does not have */
    uint64_t odd : 1; /* the parity of the current phase */
};
_Static_assert(sizeof(struct state) == 8, "a barrier has 8 bytes");
enum { MARK = 1, MOST = (1 << 20) - 1 };

/* Bytes that lie next to each other both where they come from and where they go. */
struct piece {
    const char *from; /* NULL: they are in the delivery's `values` */
    uint64_t from_address, to; /* from_address 0: none; `to` is in the owner's shared memory */
    uint32_t bytes;
};

/* Bytes on their way to a barrier. */
struct delivery {
    struct delivery *next; /* in the list of the barrier's block */
    const struct op *op;
    struct dim block; /* these three name the thread that sent it */
    uint32_t warp;
    int lane;
    const struct block *owner; /* the block that has the barrier and receives the bytes */
    char *barrier;
    uint64_t barrier_address;
    uint64_t values[4];
    struct warp *arrives; /* that arrives once its copies before `serial` are done; or NULL */
    uint64_t serial;
    uint32_t bytes; /* of all pieces together */
    int count;
    struct piece pieces[];
};

static struct state state_at(const char *pointer)
{
    struct state state;
    memcpy(&state, pointer, sizeof state);
    return state;
}

/* The block of the cluster whose shared memory is at `pointer`. */
static struct block *owner_of(const struct warp *warp, const char *pointer)
{
    const struct cluster *cluster = warp->block->cluster;
    for (int i = 0; cluster && i < cluster->size; i++) {
        struct block *block = cluster->blocks[i];
        if (block && (size_t)(pointer - block->shared) < block->shared_bytes)
            return block;
    }
    return warp->block;
}

static void notify(struct warp *warp, const struct ptx_instr *instr, int lane,
                   enum mbarrier_step step, const struct block *owner, const char *pointer,
                   bool odd)
{
    const struct mbarrier_event event = {.worker = warp->worker->number,
                                         .step = step,
                                         .warp = warp,
                                         .instr = instr,
                                         .lane = lane,
                                         .owner = owner->index,
                                         .address = (uint64_t)(pointer - owner->shared),
                                         .odd = odd};
    NOTIFY(warp->block->listeners->mbarrier, &event);
}

static bool is_barrier(struct warp *warp, const struct op *op, int lane, const char *pointer)
{
    if (state_at(pointer).mark == MARK)
        return true;
    warp_fault(warp, op->instr, lane, FAULT_BARRIER, "no barrier", "%s",
               "nobody has initialised one here (mbarrier.init)");
    return false;
}

/* Write the state back. If nothing is pending any more, the next phase begins. */
static void change(struct warp *warp, const struct ptx_instr *instr, char *pointer,
                   struct state state)
{
    if (state.pending == 0 && state.bytes == 0) {
        notify(warp, instr, 0, MBARRIER_OPEN, owner_of(warp, pointer), pointer, state.odd);
        state.odd ^= 1;
        state.pending = state.expected;
    }
    memcpy(pointer, &state, sizeof state);
    note_write(warp);
}

/* Deliveries. */

/* A delivery with room for `room` pieces that `op` sends from this lane to `barrier`. */
static struct delivery *new_delivery(const struct warp *warp, const struct op *op, int lane,
                                     char *barrier, int room)
{
    struct delivery *delivery = malloc(sizeof *delivery + (size_t)room * sizeof *delivery->pieces);
    if (!delivery)
        abort();
    *delivery = (struct delivery){.op = op,
                                  .block = warp->block->index,
                                  .warp = warp->index,
                                  .lane = lane,
                                  .owner = owner_of(warp, barrier),
                                  .barrier = barrier};
    delivery->barrier_address = (uint64_t)(barrier - delivery->owner->shared);
    return delivery;
}

static void add_piece(struct delivery *delivery, const struct piece *piece)
{
    delivery->pieces[delivery->count++] = *piece;
    delivery->bytes += piece->bytes;
}

static void deliver(struct warp *warp, struct delivery *d)
{
    if (d->arrives)
        copies_land(d->arrives, d->lane, d->serial);
    struct state state = state_at(d->barrier);
    struct mbarrier_event event = {.worker = warp->worker->number,
                                   .step = MBARRIER_LAND,
                                   .warp = warp,
                                   .instr = d->op->instr,
                                   .lane = d->lane,
                                   .owner = d->owner->index,
                                   .address = d->barrier_address,
                                   .odd = state.odd,
                                   .block = d->block,
                                   .sender = d->warp};
    for (int i = 0; i < d->count; i++) {
        const struct piece *piece = &d->pieces[i];
        if (piece->from && warp->block->sliced)
            block_note_copied(d->owner, piece->to, piece->bytes);
        else
            memcpy(d->owner->shared + piece->to,
                   piece->from ? piece->from : (const char *)d->values, piece->bytes);
        event.from = piece->from_address;
        event.to = piece->to;
        event.bytes = piece->bytes;
        NOTIFY(warp->block->listeners->mbarrier, &event);
    }
    state.bytes -= d->bytes;
    if (d->arrives) {
        notify(d->arrives, d->op->instr, d->lane, MBARRIER_ARRIVE, d->owner, d->barrier, state.odd);
        state.pending--;
    }
    change(warp, d->op->instr, d->barrier, state);
    free(d);
}

static void dispatch(struct warp *warp, struct delivery *delivery)
{
    struct block *block = warp->block;
    const enum schedule_kind kind = block->launch->machine->schedule.kind;
    if (kind == SCHEDULE_REVERSE || (kind == SCHEDULE_RANDOM && block_random(block) & 1)) {
        deliver(warp, delivery);
        return;
    }
    struct block *owner = (struct block *)delivery->owner;
    *(owner->deliveries ? &owner->last_delivery->next : &owner->deliveries) = delivery;
    owner->last_delivery = delivery;
}

/* Let everything arrive that is on its way to this barrier. */
static void receive(struct warp *warp, const char *pointer)
{
    struct block *block = warp->block;
    struct delivery **link = &block->deliveries, *before = NULL;
    while (*link) {
        struct delivery *delivery = *link;
        if (delivery->barrier != pointer) {
            before = delivery;
            link = &delivery->next;
            continue;
        }
        *link = delivery->next;
        if (!delivery->next)
            block->last_delivery = before;
        deliver(warp, delivery);
    }
}

void mbarrier_missing(const char *barrier, int64_t *bytes, uint32_t *threads)
{
    const struct state state = state_at(barrier);
    *bytes = state.bytes;
    *threads = state.pending;
}

void mbarrier_forget(struct block *block)
{
    while (block->deliveries) {
        struct delivery *delivery = block->deliveries;
        block->deliveries = delivery->next;
        free(delivery);
    }
}

/* Instructions. */

/* The lanes whose barrier can be reached. */
static uint32_t reach(struct warp *warp, const struct op *op, uint32_t lanes, enum access_kind kind,
                      struct access *access)
{
    return access_part(warp, op, lanes, kind, NULL, access);
}

EXECUTOR(init)
{
    struct access access;
    EACH_LANE(i, reach(warp, op, lanes, ACCESS_ATOMIC, &access)) {
        const uint64_t count = slot_read(warp, op->b, i);
        const struct state state = {.pending = count, .expected = count, .mark = MARK};
        if (count < 1 || count > MOST) {
            warp_fault(warp, op->instr, i, FAULT_BARRIER, "bad barrier",
                       "for %llu threads (allowed: 1 to %d)", (unsigned long long)count, MOST);
            return;
        }
        memcpy(access.pointers[i], &state, sizeof state);
    }
    note_write(warp);
}

EXECUTOR(inval)
{
    struct access access;
    EACH_LANE(i, reach(warp, op, lanes, ACCESS_ATOMIC, &access)) {
        if (!is_barrier(warp, op, i, access.pointers[i]))
            return;
        memset(access.pointers[i], 0, sizeof(struct state));
    }
    note_write(warp);
}

/* Announce that more bytes will come. */
static void expect(struct warp *warp, const struct op *op, int lane, struct state *state)
{
    const uint64_t bytes = slot_read(warp, op->b, lane);
    if (bytes > MOST) {
        warp_fault(warp, op->instr, lane, FAULT_BARRIER, "bad barrier",
                   "%llu bytes are to come (allowed: 0 to %d)", (unsigned long long)bytes, MOST);
        return;
    }
    state->bytes += (int64_t)bytes;
}

EXECUTOR(expect_tx)
{
    struct access access;
    EACH_LANE(i, reach(warp, op, lanes, ACCESS_ATOMIC, &access)) {
        if (!is_barrier(warp, op, i, access.pointers[i]))
            return;
        struct state state = state_at(access.pointers[i]);
        expect(warp, op, i, &state);
        change(warp, op->instr, access.pointers[i], state);
    }
}

EXECUTOR(arrive)
{
    const bool expects = ptx_has(op->instr, MOD_EXPECT_TX);
    struct access access;
    EACH_LANE(i, reach(warp, op, lanes, ACCESS_ATOMIC, &access)) {
        char *pointer = access.pointers[i];
        const uint64_t count = op->b.present && !expects ? slot_read(warp, op->b, i) : 1;
        if (!is_barrier(warp, op, i, pointer))
            return;
        struct state state = state_at(pointer);
        uint64_t before;
        memcpy(&before, pointer, sizeof before);
        if (count < 1 || count > state.pending) {
            warp_fault(warp, op->instr, i, FAULT_BARRIER, "bad barrier",
                       "%llu arrive, and it waits for %u more", (unsigned long long)count,
                       (unsigned)state.pending);
            return;
        }
        if (expects)
            expect(warp, op, i, &state);
        notify(warp, op->instr, i, MBARRIER_ARRIVE, owner_of(warp, pointer), pointer, state.odd);
        if (count == state.pending && ptx_has(op->instr, MOD_NO_COMPLETE)) {
            warp_fault(warp, op->instr, i, FAULT_BARRIER, "bad barrier", "%s",
                       "the phase completes, and .noComplete says that it does not");
            return;
        }
        state.pending -= count;
        state.expected -= ptx_has(op->instr, MOD_ARRIVE_DROP) ? count : 0;
        change(warp, op->instr, pointer, state);
        if (op->d.present)
            slot_write(warp, op->d, i, before);
    }
}

/* The threads that a phase still waited for when a lane arrived: the low bits of what that gave. */
EXECUTOR(pending_count)
{
    EACH_LANE(i, lanes)
        slot_write(warp, op->d, i, slot_read(warp, op->a, i) & MOST);
}

/* Arrive when all copies are done that the lane has begun. Unless .noinc says that the barrier
 * counts on it, one more is to come. */
EXECUTOR(arrive_behind_copies)
{
    const bool counted = ptx_has(op->instr, MOD_NOINC);
    struct access access;
    EACH_LANE(i, reach(warp, op, lanes, ACCESS_ATOMIC, &access)) {
        char *pointer = access.pointers[i];
        if (!is_barrier(warp, op, i, pointer))
            return;
        struct state state = state_at(pointer);
        const unsigned pending = state.pending;
        if (counted ? pending == 0 : pending == MOST) {
            warp_fault(warp, op->instr, i, FAULT_BARRIER, "bad barrier",
                       "%llu arrive, and it waits for %u more", 1ULL, counted ? 0 : pending);
            return;
        }
        state.pending = pending + !counted;
        memcpy(pointer, &state, sizeof state);
        struct delivery *delivery = new_delivery(warp, op, i, pointer, 0);
        delivery->arrives = warp;
        delivery->serial = copies_begun(warp);
        dispatch(warp, delivery);
    }
    note_write(warp);
}

/* Has the barrier completed the phase that the lane asks for? */
static bool is_through(const struct warp *warp, const struct op *op, int lane, const char *pointer)
{
    const uint64_t asked = slot_read(warp, op->b, lane);
    const bool odd = ptx_has(op->instr, MOD_PARITY) ? asked & 1 : asked >> 63;
    return state_at(pointer).odd != odd;
}

EXECUTOR(ask)
{
    struct access access;
    const uint32_t asking = reach(warp, op, lanes, ACCESS_LOAD, &access);
    uint32_t through = 0;
    EACH_LANE(i, asking) {
        char *pointer = access.pointers[i];
        if (!is_barrier(warp, op, i, pointer))
            return;
        if (!is_through(warp, op, i, pointer))
            receive(warp, pointer);
        warp->awaited = is_through(warp, op, i, pointer) ? NULL : pointer;
        if (warp->awaited)
            continue;
        through |= 1u << i;
        notify(warp, op->instr, i, MBARRIER_PASS, warp->block, pointer, !state_at(pointer).odd);
    }
    /* A lane whose barrier cannot be reached has nothing to wait for. */
    slot_set_predicate(warp, op->d, lanes, through | (lanes & ~asking));
    if (through != asking)
        path_spin(warp, SPIN_SLEEP);
}

/* Where a lane's bytes go, and its barrier. */
struct ends {
    char *to, *barrier;
};
enum { AS_NAMED = -1 };

/* Find them, in the block that the addresses name or, of a multicast, in the one of that rank; both
 * must be in the same block. Returns false after a fault. */
static bool find_ends(struct warp *warp, const struct op *op, const struct op *barrier, int lane,
                      uint32_t bytes, int rank, struct ends *ends)
{
    const uint32_t one = 1u << lane;
    struct access targets, barriers;
    const bool found =
        rank == AS_NAMED
            ? access_run(warp, op, one, ACCESS_STORE, bytes, &targets) &&
                  access_part(warp, barrier, one, ACCESS_ATOMIC, NULL, &barriers)
            : access_run_of(warp, op, lane, ACCESS_STORE, bytes, (uint32_t)rank, &targets) &&
                  access_run_of(warp, barrier, lane, ACCESS_ATOMIC, barrier->bytes, (uint32_t)rank,
                                &barriers);
    if (!found)
        return false;
    *ends = (struct ends){targets.pointers[lane], barriers.pointers[lane]};
    if (!is_barrier(warp, op, lane, ends->barrier))
        return false;
    if (owner_of(warp, ends->barrier) == owner_of(warp, ends->to))
        return true;
    warp_fault(warp, op->instr, lane, FAULT_ADDRESS, "bad copy", "%s",
               "it goes to one block, and its barrier is another block's");
    return false;
}

/* The next of a lane's targets after `rank`, or after AS_NAMED - 1 the first: AS_NAMED, or of a
 * multicast each rank of its mask. False: there is none. */
static bool next_target(const struct warp *warp, const struct op *op, int lane, int *rank)
{
    if (!ptx_has(op->instr, MOD_MULTICAST))
        return ++*rank == AS_NAMED;
    const uint32_t mask = (uint32_t)slot_read(warp, op->c, lane) & 0xFFFF;
    *rank += *rank < AS_NAMED;
    while (++*rank < MAX_CLUSTER)
        if (mask >> *rank & 1)
            return true;
    return false;
}

/* [to], [from], bytes, [barrier]: what one lane sends, in one piece. */
static void send_run(struct warp *warp, const struct op *op, int lane)
{
    const uint32_t bytes = (uint32_t)slot_read(warp, op->b, lane);
    struct access from;
    struct ends ends;
    if (bytes == 0 || !access_run(warp, op->source, 1u << lane, ACCESS_LOAD, bytes, &from))
        return;
    for (int rank = AS_NAMED - 1; next_target(warp, op, lane, &rank);) {
        if (!find_ends(warp, op, op->source->source, lane, bytes, rank, &ends))
            continue;
        struct delivery *delivery = new_delivery(warp, op, lane, ends.barrier, 1);
        const struct piece piece = {.from = from.pointers[lane],
                                    .from_address = from.addresses[lane],
                                    .to = (uint64_t)(ends.to - delivery->owner->shared),
                                    .bytes = bytes};
        add_piece(delivery, &piece);
        dispatch(warp, delivery);
    }
}

/* [to], values, [barrier] */
static void send_values(struct warp *warp, const struct op *op, int lane)
{
    struct piece piece = {.bytes = (uint32_t)op->bytes * op->vector};
    struct ends ends;
    if (!find_ends(warp, op, op->source, lane, piece.bytes, AS_NAMED, &ends))
        return;
    struct delivery *delivery = new_delivery(warp, op, lane, ends.barrier, 1);
    for (int k = 0; k < op->vector; k++) {
        const uint64_t value = slot_read(warp, op->elements[k], lane);
        memcpy((char *)delivery->values + k * op->bytes, &value, op->bytes);
    }
    piece.to = (uint64_t)(ends.to - delivery->owner->shared);
    add_piece(delivery, &piece);
    dispatch(warp, delivery);
}

/* Tensors. */

/* tensor_cut() cuts a box into pieces and hands them to pack(), which adds them to a delivery. What
 * lies in one piece in global memory is one request there. */
struct packer {
    struct warp *warp;
    const struct op *op;
    struct delivery *delivery;
    const char *from; /* of the piece at hand */
};

static bool pack(void *self, const struct tensor_piece *part)
{
    static const char zeros[TENSOR_MAX_ROW];
    struct packer *packer = self;
    struct access from;
    struct piece piece = {.from = zeros, .to = part->to, .bytes = part->bytes};
    if (part->run) {
        if (!access_at(packer->warp, packer->op, packer->delivery->lane, ACCESS_LOAD, part->address,
                       part->run, &from))
            return false;
        packer->from = from.pointers[packer->delivery->lane];
    }
    if (packer->warp->block->sliced) {
        packer->delivery->bytes += part->bytes;
        block_note_copied(packer->delivery->owner, part->to, part->bytes);
        return true;
    }
    if (part->address) {
        piece.from = packer->from;
        piece.from_address = part->address;
        packer->from += part->bytes;
    }
    add_piece(packer->delivery, &piece);
    return true;
}

/* Another block gets the same pieces at the same offsets: they are fetched once. */
static void copy_pieces(struct delivery *to, const struct delivery *from)
{
    memcpy(to->pieces, from->pieces, (size_t)from->count * sizeof *from->pieces);
    to->count = from->count;
    to->bytes = from->bytes;
}

/* [to], [map, {coordinates}], [barrier] */
static void send_box(struct warp *warp, const struct op *op, int lane)
{
    struct box box;
    struct ends ends;
    struct delivery *ready = NULL;
    if (!box_find(warp, op, lane, &box))
        return;
    struct tensor_map unordered;
    if (warp->block->sliced) {
        unordered = tensor_unordered(box.map);
        box.map = &unordered;
    }
    for (int rank = AS_NAMED - 1; next_target(warp, op, lane, &rank);) {
        if (!find_ends(warp, op, op->source, lane, tensor_bytes(box.map), rank, &ends))
            continue;
        struct delivery *delivery =
            new_delivery(warp, op, lane, ends.barrier, tensor_pieces(box.map));
        struct packer packer = {warp, op, delivery, NULL};
        if (ready) {
            copy_pieces(delivery, ready);
            dispatch(warp, ready);
        } else if (!tensor_cut(box.map, box.at, (uint64_t)(ends.to - delivery->owner->shared),
                               false, pack, &packer)) {
            free(delivery);
            return;
        }
        ready = delivery;
    }
    if (ready)
        dispatch(warp, ready);
}

EXECUTOR(send)
{
    for (uint32_t left = lanes; left && !warp->block->failed; left &= left - 1) {
        const int lane = first_lane(left);
        if (op->instr->opcode != OP_CP)
            send_values(warp, op, lane);
        else if (ptx_has(op->instr, MOD_TENSOR))
            send_box(warp, op, lane);
        else
            send_run(warp, op, lane);
    }
}

/* Bind a copy of a tensor's box. Its destination must be aligned to 128 bytes. */
static void bind_box(struct binder *binder)
{
    enum { ALIGNMENT = 128 };
    struct op *op = binder->op;
    op->bytes = ALIGNMENT;
    op->vector = 1;
    bind_map(binder, 1);
    bind_address(binder, 0);
    op->source = bind_other(binder, 2, PTX_SHARED, 8);
}

void bind_bulk(struct binder *binder)
{
    struct op *op = binder->op;
    const bool copies = binder->instr->opcode == OP_CP;
    binder->program->clusters = true;
    op->handler = send;
    op->copies = true;
    op->space = PTX_SHARED;
    if (ptx_has(binder->instr, MOD_MULTICAST))
        bind_source(binder, &op->c, ptx_has(binder->instr, MOD_TENSOR) ? 3 : 4, 4);
    if (ptx_has(binder->instr, MOD_TENSOR)) {
        bind_box(binder);
        return;
    }
    if (copies) {
        op->bytes = 16;
        op->vector = 1;
        bind_source(binder, &op->b, 2, 4);
    }
    bind_address(binder, 0);
    op->source =
        bind_other(binder, copies ? 1 : 2, copies ? PTX_GLOBAL : PTX_SHARED, copies ? 16 : 8);
    if (copies && op->source) {
        op->source->copies = true;
        op->source->source = bind_other(binder, 3, PTX_SHARED, 8);
    }
}

static bool waits(const struct ptx_instr *instr)
{
    return ptx_has(instr, MOD_TEST_WAIT) || ptx_has(instr, MOD_TRY_WAIT);
}

void bind_mbarrier(struct binder *binder)
{
    const struct ptx_instr *instr = binder->instr;
    struct op *op = binder->op;
    const bool arrives = ptx_has(instr, MOD_ARRIVE) || ptx_has(instr, MOD_ARRIVE_DROP);
    const bool asks = waits(instr);
    op->space = instr->space;
    op->bytes = 8;
    op->vector = 1;
    op->handler = ptx_has(instr, MOD_INIT)            ? init
                  : ptx_has(instr, MOD_INVAL)         ? inval
                  : instr->opcode == OP_CP            ? arrive_behind_copies
                  : ptx_has(instr, MOD_PENDING_COUNT) ? pending_count
                  : arrives                           ? arrive
                  : asks                              ? ask
                                                      : expect_tx;
    bind_operands(binder);
    if (arrives && instr->of_cluster && instr->operands[0].kind != OPERAND_SINK)
        bind_refuse(binder, "another block's barrier tells nothing: write '_'");
}
