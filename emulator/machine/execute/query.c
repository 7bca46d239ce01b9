/* SPDX-License-Identifier: MIT */
/* What a texture or a surface object is. Of address modes and filters the manual gives the order.
 * CUDA has no numbers for types and orders of channels; the manual's table has those of OpenCL. */
#include "machine/execute/lanes.h"
#include "machine/launch.h"
#include "machine/texture.h"

#include <inttypes.h>

static const struct texture *find_object(struct warp *warp, const struct op *op, int lane,
                                         uint64_t handle)
{
    const struct machine *machine = warp->block->launch->machine;
    const bool of_texture = op->instr->opcode == OP_TXQ;
    const char *why = texture_refusal(machine, handle);
    char what[80];
    if (!why) {
        const struct texture *texture = texture_find(machine, handle);
        if (texture->surface != of_texture)
            return texture;
        why = of_texture ? "it is a surface object" : "it is a texture object";
    }
    snprintf(what, sizeof what, "query of object 0x%" PRIx64, handle);
    warp_fault(warp, op->instr, lane, FAULT_ADDRESS, what, "%s", why);
    return NULL;
}

/* PTX, "Channel Data Type and Channel Order Fields". */
static uint32_t channel_type(const struct texture *texture)
{
    enum { SNORM_8 = 0x10D0, UNORM_8 = 0x10D2, SIGNED_8 = 0x10D7, UNSIGNED_8 = 0x10DA };
    enum { HALF = 0x10DD, FLOAT = 0x10DE };
    const uint32_t wider = texture->channel_bytes == 4 ? 2 : texture->channel_bytes == 2;
    if (texture->kind == TEXEL_FLOAT)
        return texture->channel_bytes == 2 ? HALF : FLOAT;
    if (texture->kind == TEXEL_SIGNED)
        return (texture->reads_normalised ? SNORM_8 : SIGNED_8) + wider;
    return (texture->reads_normalised ? UNORM_8 : UNSIGNED_8) + wider;
}

static uint32_t channel_order(const struct texture *texture)
{
    enum { R = 0x10B0, RG = 0x10B2, RGBA = 0x10B5 };
    return texture->channels == 1 ? R : texture->channels == 2 ? RG : RGBA;
}

/* wrap, mirror, clamp_ogl, clamp_to_edge, clamp_to_border */
static uint32_t address_mode(const struct texture *texture, int dimension)
{
    static const uint32_t modes[] = {
        [MODE_WRAP] = 0, [MODE_MIRROR] = 1, [MODE_CLAMP] = 3, [MODE_BORDER] = 4};
    return modes[texture->modes[dimension]];
}

/* Of a level that is not there, 0. */
static uint32_t size_of(const struct texture *texture, int dimension, uint32_t level)
{
    if (level > (uint32_t)texture->mip_count)
        return 0;
    return level ? texture->mips[level - 1].size[dimension] : texture->size[dimension];
}

static uint32_t array_size(const struct texture *texture)
{
    if (texture->cube == ONE_CUBE || !texture->layered)
        return 0;
    return texture->layers / (texture->cube ? CUBE_FACES : 1);
}

static uint32_t answer(const struct ptx_instr *instr, const struct texture *texture, uint32_t level)
{
    static const enum modifier sizes[] = {MOD_WIDTH, MOD_HEIGHT, MOD_DEPTH};
    static const enum modifier modes[] = {MOD_ADDR_MODE_0, MOD_ADDR_MODE_1, MOD_ADDR_MODE_2};
    for (int i = 0; i < 3; i++) {
        if (ptx_has(instr, sizes[i]))
            return size_of(texture, i, level);
        if (ptx_has(instr, modes[i]))
            return address_mode(texture, i);
    }
    return ptx_has(instr, MOD_CHANNEL_DATA_TYPE)   ? channel_type(texture)
           : ptx_has(instr, MOD_CHANNEL_ORDER)     ? channel_order(texture)
           : ptx_has(instr, MOD_ARRAY_SIZE)        ? array_size(texture)
           : ptx_has(instr, MOD_MEMORY_LAYOUT)     ? !texture->array
           : ptx_has(instr, MOD_NORMALIZED_COORDS) ? texture->normalised
           : ptx_has(instr, MOD_FILTER_MODE)       ? texture->filters
           : ptx_has(instr, MOD_NUM_MIPMAP_LEVELS) && texture->mip_count
               ? (uint32_t)texture->mip_count + 1
               : 0; /* no multi-sampling; what is forced only a sampler could say */
}

EXECUTOR(query)
{
    for (uint32_t rest = lanes; rest;) {
        const int first = first_lane(rest);
        const uint32_t same = same_object(warp, op, rest);
        const struct texture *texture = find_object(warp, op, first, slot_read(warp, op->a, first));
        if (!texture)
            return;
        rest &= ~same;
        EACH_LANE(lane, same) {
            const uint32_t level = op->b.present ? (uint32_t)slot_read(warp, op->b, lane) : 0;
            slot_write(warp, op->d, lane, answer(op->instr, texture, level));
        }
    }
}

void bind_query(struct binder *binder)
{
    struct op *op = binder->op;
    const struct ptx_operand *object = &binder->instr->operands[1];
    const struct ptx_operand handle = {.kind = OPERAND_REGISTER, .number = object->number};
    bind_destination(binder, &op->d, 0, 4);
    bind_element(binder, &op->a, &handle, 8, false);
    if (binder->instr->operand_count > 2)
        bind_source(binder, &op->b, 2, 4);
    op->handler = query;
}
