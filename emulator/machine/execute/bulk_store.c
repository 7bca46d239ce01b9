/* SPDX-License-Identifier: MIT */
#include "machine/bulk_stores.h"

#include <stdlib.h>

#include "machine/access.h"
#include "machine/copies.h"
#include "machine/execute/atomic.h"
#include "machine/execute/box.h"
#include "machine/execute/lanes.h"
#include "machine/launch.h"

enum { CHUNK = 16, BOX_ALIGNMENT = 128 };

/* Bytes that lie next to each other both where they come from and where they go. */
struct piece {
    char *to;
    uint64_t address; /* of that, in global memory */
    uint32_t from, bytes; /* in the block's shared memory */
};

/* What one lane sends by one instruction. */
struct store {
    struct store *next;
    const struct op *op;
    enum ptx_type type; /* of a reduction: its elements */
    int lane;
    uint32_t group; /* the lane's how many-th */
    bool read, written; /* its bytes have been */
    bool freed; /* its thread has waited until it was read */
    uint64_t note; /* an observer's own */
    char *data; /* once it has been read */
    int count;
    struct piece pieces[];
};

struct bulk_stores {
    struct store *first, **last;
    uint32_t groups[WARP_SIZE]; /* that a lane has committed */
};

static struct bulk_stores *stores_of(struct warp *warp)
{
    if (!warp->stores) {
        warp->stores = calloc(1, sizeof *warp->stores);
        if (!warp->stores)
            abort();
        warp->stores->last = &warp->stores->first;
    }
    return warp->stores;
}

static uint32_t bytes_of(const struct store *store)
{
    uint32_t bytes = 0;
    for (int i = 0; i < store->count; i++)
        bytes += store->pieces[i].bytes;
    return bytes;
}

static void read_source(const struct warp *warp, struct store *store)
{
    if (store->read)
        return;
    store->read = true;
    if (warp->block->sliced)
        return;
    store->data = malloc(bytes_of(store) + 1);
    if (!store->data)
        abort();
    char *to = store->data;
    for (int i = 0; i < store->count; i++) {
        memcpy(to, warp->block->shared + store->pieces[i].from, store->pieces[i].bytes);
        to += store->pieces[i].bytes;
    }
}

static void write_target(struct warp *warp, struct store *store)
{
    if (store->written)
        return;
    store->written = true;
    if (warp->block->sliced)
        return;
    const char *from = store->data;
    for (int i = 0; i < store->count; from += store->pieces[i++].bytes)
        if (!store->pieces[i].to)
            continue;
        else if (store->type == PTX_NONE)
            memcpy(store->pieces[i].to, from, store->pieces[i].bytes);
        else
            atomic_reduce(warp, store->op->instr, store->type, store->pieces[i].to, from,
                          store->pieces[i].bytes);
    free(store->data);
    store->data = NULL;
    note_write(warp);
}

/* Tell the observers that a store begins, has been read, is done, or its block has ended. */
enum step { BEGINS, READ, DONE, ENDED };
static void notify(const struct warp *warp, struct store *store, enum step step)
{
    const int count = step == BEGINS && store->count ? 1 : store->count;
    for (int i = 0; i < count; i++) {
        const struct piece *piece = &store->pieces[i];
        uint8_t reads[WARP_SIZE] = {0};
        uint64_t from[WARP_SIZE] = {0}, to[WARP_SIZE] = {0};
        reads[store->lane] = step >= DONE && piece->address;
        to[store->lane] = piece->from;
        from[store->lane] = piece->address;
        const struct copy_event event = {.worker = warp->worker->number,
                                         .warp = warp,
                                         .instr = store->op->instr,
                                         .lanes = 1u << store->lane,
                                         .done = step != BEGINS,
                                         .reads_only = step == READ,
                                         .unread = step == ENDED && !store->freed,
                                         .stores = true,
                                         .bytes = piece->bytes,
                                         .reads = reads,
                                         .from = from,
                                         .to = to,
                                         .note = &store->note};
        NOTIFY(warp->block->listeners->copy, &event);
    }
}

static struct store *new_store(struct warp *warp, const struct op *op, int lane, int room)
{
    struct store *store = malloc(sizeof *store + (size_t)room * sizeof *store->pieces);
    if (!store)
        abort();
    *store = (struct store){
        .op = op, .type = op->type, .lane = lane, .group = stores_of(warp)->groups[lane]};
    return store;
}

static void begin(struct warp *warp, struct store *store)
{
    struct bulk_stores *stores = stores_of(warp);
    if (store->type != PTX_NONE || copies_move_at_once(warp->block)) {
        read_source(warp, store);
        write_target(warp, store);
    }
    notify(warp, store, BEGINS);
    *stores->last = store;
    stores->last = &store->next;
}

static enum access_kind kind_of(const struct op *op)
{
    return ptx_has(op->instr, MOD_REDUCE) ? ACCESS_ATOMIC : ACCESS_STORE;
}

/* [to], [from], bytes */
EXECUTOR(send_run)
{
    for (uint32_t left = lanes; left && !warp->block->failed; left &= left - 1) {
        const int i = first_lane(left);
        struct access from, to;
        const uint32_t bytes = (uint32_t)slot_read(warp, op->b, i);
        if (bytes == 0 || !access_run(warp, op->source, 1u << i, ACCESS_LOAD, bytes, &from) ||
            !access_run(warp, op, 1u << i, kind_of(op), bytes, &to))
            continue;
        struct store *store = new_store(warp, op, i, 1);
        store->pieces[store->count++] =
            (struct piece){.to = to.pointers[i],
                           .address = to.addresses[i],
                           .from = (uint32_t)(from.pointers[i] - warp->block->shared),
                           .bytes = bytes};
        begin(warp, store);
    }
}

/* tensor_cut() cuts a box into pieces and hands them to pack(), which adds them to a store. What
 * lies in one piece in global memory is one request there. */
struct packer {
    struct warp *warp;
    struct store *store;
    char *to; /* of the piece at hand */
};

static bool pack(void *self, const struct tensor_piece *part)
{
    struct packer *packer = self;
    struct store *store = packer->store;
    struct access to;
    /* Outside of the tensor nothing is stored, but the engine reads what would be. */
    if (part->run) {
        if (!access_at(packer->warp, store->op, store->lane, kind_of(store->op), part->address,
                       part->run, &to))
            return false;
        packer->to = to.pointers[store->lane];
    }
    store->pieces[store->count++] = (struct piece){.to = part->address ? packer->to : NULL,
                                                   .address = part->address,
                                                   .from = (uint32_t)part->to,
                                                   .bytes = part->bytes};
    if (part->address)
        packer->to += part->bytes;
    return true;
}

/* The manual does not say so, but what lies before the tensor is refused by an H200, which leaves
 * out what lies after it. */
static bool begins_inside(struct warp *warp, const struct op *op, int lane, const struct box *box)
{
    for (int k = 0; k < box->map->rank; k++)
        if (box->at[k] < 0) {
            warp_fault(warp, op->instr, lane, FAULT_INSTRUCTION, "bad tensor copy",
                       "a coordinate of what is stored, %d, is negative", box->at[k]);
            return false;
        }
    return true;
}

/* [map, {coordinates}], [from] */
EXECUTOR(send_box)
{
    for (uint32_t left = lanes; left && !warp->block->failed; left &= left - 1) {
        const int i = first_lane(left);
        struct access from;
        struct box box;
        if (!box_find(warp, op, i, &box) || !begins_inside(warp, op, i, &box) ||
            !access_run(warp, op->source, 1u << i, ACCESS_LOAD, tensor_bytes(box.map), &from))
            continue;
        struct packer packer = {warp, new_store(warp, op, i, tensor_pieces(box.map)), NULL};
        if (ptx_has(op->instr, MOD_REDUCE)) {
            packer.store->type = (enum ptx_type)box.map->type;
            if (!atomic_can_reduce(op->instr, packer.store->type)) {
                warp_fault(warp, op->instr, i, FAULT_INSTRUCTION, "bad tensor copy",
                           "the tensor's elements are of type .%s, which it cannot reduce",
                           ptx_type_name(packer.store->type));
                free(packer.store);
                return;
            }
        }
        if (tensor_cut(box.map, box.at, (uint64_t)(from.pointers[i] - warp->block->shared), true,
                       pack, &packer))
            begin(warp, packer.store);
        else
            free(packer.store);
    }
}

/* Into L2, which holds no bytes of its own here. */
EXECUTOR(prefetch)
{
    (void)warp, (void)op, (void)lanes;
}

EXECUTOR(commit)
{
    (void)op;
    struct bulk_stores *stores = stores_of(warp);
    EACH_LANE(i, lanes)
        stores->groups[i]++;
}

/* Has its lane waited for all but the last `but` groups, and is it in none of those? */
static bool is_due(const struct bulk_stores *stores, const struct store *store, uint32_t lanes,
                   uint32_t but)
{
    return lanes >> store->lane & 1 && stores->groups[store->lane] - store->group > but;
}

static void free_source(struct warp *warp, struct store *store)
{
    read_source(warp, store);
    if (!store->freed)
        notify(warp, store, READ);
    store->freed = true;
}

EXECUTOR(wait_read)
{
    for (struct store *store = stores_of(warp)->first; store; store = store->next)
        if (is_due(warp->stores, store, lanes, op->immediate))
            free_source(warp, store);
}

/* Those that `take` says are done, or all. */
static void finish(struct warp *warp, uint32_t lanes, uint32_t but, bool all)
{
    struct bulk_stores *stores = stores_of(warp);
    struct store **link = &stores->first, *store;
    while ((store = *link)) {
        if (!all && !is_due(stores, store, lanes, but)) {
            link = &store->next;
            continue;
        }
        *link = store->next;
        read_source(warp, store);
        write_target(warp, store);
        notify(warp, store, all ? ENDED : DONE);
        free(store);
    }
    stores->last = link;
}

EXECUTOR(wait)
{
    finish(warp, lanes, op->immediate, false);
}

void bulk_stores_end(struct warp *warp)
{
    if (!warp->stores)
        return;
    finish(warp, 0, 0, true);
    memset(warp->stores->groups, 0, sizeof warp->stores->groups);
}

void bulk_stores_free(struct warp *warp)
{
    if (warp->stores)
        finish(warp, 0, 0, true);
    free(warp->stores);
}

static void bind_send(struct binder *binder)
{
    struct op *op = binder->op;
    const bool tensor = ptx_has(binder->instr, MOD_TENSOR);
    op->handler = tensor ? send_box : send_run;
    op->copies = true;
    op->ordered = ptx_has(binder->instr, MOD_REDUCE);
    op->type = tensor ? PTX_NONE : ptx_type_of(binder->instr);
    op->space = PTX_GLOBAL;
    op->bytes = CHUNK;
    op->vector = 1;
    if (tensor) {
        bind_map(binder, 0);
    } else {
        bind_address(binder, 0);
        bind_source(binder, &op->b, 2, 4);
    }
    op->source = bind_other(binder, 1, PTX_SHARED, tensor ? BOX_ALIGNMENT : CHUNK);
    if (op->source)
        op->source->copies = true;
}

void bind_bulk_store(struct binder *binder)
{
    const struct ptx_instr *instr = binder->instr;
    struct op *op = binder->op;
    if (ptx_has(instr, MOD_PREFETCH)) {
        op->handler = prefetch;
    } else if (ptx_has(instr, MOD_COMMIT_GROUP)) {
        op->handler = commit;
    } else if (ptx_has(instr, MOD_WAIT_GROUP)) {
        op->handler = ptx_has(instr, MOD_READ) ? wait_read : wait;
        op->immediate = (uint32_t)instr->operands[0].bits;
    } else {
        bind_send(binder);
    }
}
