/* SPDX-License-Identifier: MIT */
/* Which box of a tensor a lane's copy is about. */
#include "machine/execute/box.h"

#include <inttypes.h>
#include <stdlib.h>

#include "machine/access.h"
#include "machine/execute/lanes.h"
#include "machine/launch.h"

static const struct ptx_operand *box_operand(const struct ptx_instr *instr)
{
    int i = 0;
    while (instr->takes->items[i].letter != 'k')
        i++;
    return &instr->operands[i];
}

/* The tensor map that the lane points to; NULL after a fault. */
static const struct tensor_map *find_map(struct warp *warp, const struct op *op, int lane)
{
    enum { HALF = sizeof(struct tensor_map) / 2 }; /* also its alignment */
    const uint64_t address = slot_read(warp, op->b, lane);
    const struct tensor_map *map =
        (const struct tensor_map *)generic_pointer(warp, op, lane, address, HALF);
    if (!map || !generic_pointer(warp, op, lane, address + HALF, HALF))
        return NULL;
    if (map->mark != TENSOR_MARK)
        warp_fault(warp, op->instr, lane, FAULT_ADDRESS, "no tensor map",
                   "at 0x%" PRIx64 " is none that cuTensorMapEncodeTiled made", address);
    else if (map->rank != box_operand(op->instr)->count)
        warp_fault(warp, op->instr, lane, FAULT_ADDRESS, "bad tensor map",
                   "it is of %d dimensions, and the instruction of %d", map->rank,
                   box_operand(op->instr)->count);
    return warp->block->failed ? NULL : map;
}

/* Read where in the tensor the lane's box begins. The manual does not say so, but an H200
 * refuses boxes that do not begin at a multiple of 16 bytes. */
static bool read_coordinates(struct warp *warp, const struct op *op, int lane,
                             const struct tensor_map *map, int32_t *at)
{
    enum { CHUNK = 16 };
    for (int k = 0; k < map->rank; k++)
        at[k] = (int32_t)slot_read(warp, op->elements[k], lane);
    if ((int64_t)at[0] * map->element % CHUNK == 0)
        return true;
    warp_fault(warp, op->instr, lane, FAULT_INSTRUCTION, "bad tensor copy",
               "its first coordinate, %d, is %" PRId64 " bytes: a multiple of %d is needed", at[0],
               (int64_t)at[0] * map->element, CHUNK);
    return false;
}

bool box_find(struct warp *warp, const struct op *op, int lane, struct box *box)
{
    box->map = find_map(warp, op, lane);
    return box->map && read_coordinates(warp, op, lane, box->map, box->at);
}

void bind_map(struct binder *binder, int i)
{
    const struct ptx_operand *operand = &binder->instr->operands[i];
    const struct ptx_operand map = {.kind = OPERAND_REGISTER, .number = operand->number};
    bind_element(binder, &binder->op->b, &map, 8, false);
    bind_elements(binder, operand, 4, false);
}

struct op *bind_other(struct binder *binder, int i, enum ptx_space space, uint8_t bytes)
{
    struct op *whole = binder->op, *other = calloc(1, sizeof *other);
    if (!other) {
        bind_refuse(binder, "no memory");
        return NULL;
    }
    *other = (struct op){.instr = binder->instr, .guard = -1, .number = whole->number};
    other->space = space;
    other->bytes = bytes;
    other->vector = 1;
    binder->op = other;
    bind_address(binder, i);
    binder->op = whole;
    return other;
}
