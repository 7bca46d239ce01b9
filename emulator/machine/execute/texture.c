/* SPDX-License-Identifier: MIT */
/* Fetches from textures. */
#include "machine/texture.h"

#include "machine/execute/float.h"
#include "machine/execute/lanes.h"
#include "machine/launch.h"

#include <inttypes.h>
#include <stdlib.h>

enum { RESULTS = 4 };

/* The lanes of one fetch that use the same texture object. */
struct fetch {
    const struct texture *texture;
    uint32_t lanes;
    struct taps taps[WARP_SIZE];
};

static void refuse(struct warp *warp, const struct op *op, int lane, uint64_t handle,
                   enum fault_kind kind, const char *why)
{
    char what[80];
    snprintf(what, sizeof what, "fetch through texture object 0x%" PRIx64, handle);
    warp_fault(warp, op->instr, lane, kind, what, "%s", why);
}

/* How the instruction does not fit the texture; NULL if it does. */
static const char *mismatch(const struct op *op, const struct texture *texture)
{
    const bool floats = texture_gives_floats(texture);
    if (texture->surface)
        return "it is a surface object";
    if (op->texture.dimensions != texture->dimensions || op->texture.layered != texture->layered ||
        op->texture.cube != (uint8_t)texture->cube)
        return "the instruction is for a texture of other dimensions";
    if (op->texture.gathered && !texture->gathers)
        return "the array was made without cudaArrayTextureGather";
    if (texture->linear && !op->texture.by_index)
        return "linear memory is read by index, as tex1Dfetch() does";
    if ((op->type == PTX_F32) != floats)
        return floats ? "it gives floats, and the instruction takes integers"
                      : "it gives integers, and the instruction takes floats";
    return NULL;
}

static const struct texture *find_texture(struct warp *warp, const struct op *op, int lane,
                                          uint64_t handle)
{
    const struct machine *machine = warp->block->launch->machine;
    const char *why = texture_refusal(machine, handle);
    if (why) {
        refuse(warp, op, lane, handle, FAULT_ADDRESS, why);
        return NULL;
    }
    const struct texture *texture = texture_find(machine, handle);
    why = mismatch(op, texture);
    if (why)
        refuse(warp, op, lane, handle, FAULT_UNSUPPORTED, why);
    return why ? NULL : texture;
}

static float element(const struct warp *warp, const struct op *op, int number, int lane)
{
    return f32_of((uint32_t)slot_read(warp, op->elements[number], lane));
}

/* The level that the operands after the coordinates say; without any, the first. */
static float level_of(const struct warp *warp, const struct op *op, int lane,
                      const struct texture *texture, const float at[3])
{
    float slopes[2][3] = {{0}};
    if (op->texture.slopes < 2)
        return op->texture.slopes ? element(warp, op, RESULTS, lane) : 0;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < (texture->cube ? 3 : texture->dimensions); i++)
            slopes[k][i] = element(warp, op, (k + 1) * RESULTS + i, lane);
    return texture_level(texture, at, slopes[0], slopes[1]);
}

static void locate(const struct warp *warp, const struct op *op, int lane, struct fetch *fetch)
{
    const struct slot *slots[] = {&op->b, &op->c, &op->e, &op->d2};
    const bool cube = op->texture.cube != NO_CUBE;
    const int first = op->texture.layered && op->texture.cube != ONE_CUBE;
    uint32_t layer = first ? (uint32_t)slot_read(warp, *slots[0], lane) : 0;
    float coordinates[3] = {0};
    int32_t indices[3];
    for (int i = 0; i < (cube ? 3 : op->texture.dimensions); i++) {
        const uint32_t bits = (uint32_t)slot_read(warp, *slots[first + i], lane);
        indices[i] = (int32_t)bits;
        memcpy(&coordinates[i], &bits, sizeof bits);
    }
    const float level = level_of(warp, op, lane, fetch->texture, coordinates);
    if (cube) {
        const uint32_t last = fetch->texture->layers / CUBE_FACES - 1;
        layer = CUBE_FACES * (layer < last ? layer : last) + texture_face(coordinates);
    }
    if (op->texture.by_index)
        texture_index(fetch->texture, indices, layer, &fetch->taps[lane]);
    else if (op->texture.gathered)
        texture_corners(fetch->texture, coordinates, layer, &fetch->taps[lane]);
    else
        texture_locate(fetch->texture, coordinates, layer, level, &fetch->taps[lane]);
}

static void notify(struct warp *warp, const struct op *op, const struct fetch *fetch)
{
    const struct texture *texture = fetch->texture;
    const struct machine *machine = warp->block->launch->machine;
    struct fetch_event event = {.worker = warp->worker->number,
                                .warp = warp,
                                .instr = op->instr,
                                .lanes = fetch->lanes,
                                .bytes = (uint32_t)(texture->channels * texture->channel_bytes),
                                .channels = texture->channels,
                                .fixed = texture->array && !machine->textures.has_surfaces};
    EACH_LANE(lane, fetch->lanes) {
        int count = 0;
        for (int i = 0; i < fetch->taps[lane].count; i++) {
            const uint64_t address = fetch->taps[lane].items[i].address;
            if (!address)
                continue;
            event.taps[count].lanes |= 1u << lane;
            event.taps[count++].addresses[lane] = address;
        }
        event.tap_count = count > event.tap_count ? count : event.tap_count;
    }
    NOTIFY(warp->block->listeners->fetch, &event);
}

uint32_t same_object(const struct warp *warp, const struct op *op, uint32_t lanes)
{
    const lane_u64 *handles = slot_lanes(warp, op->a);
    const uint64_t handle = handles[first_lane(lanes)];
    uint32_t same = 0;
    for (int i = 0; i < WARP_SIZE; i++)
        same |= (uint32_t)(handles[i] == handle) << i;
    return same & lanes;
}

/* A texture of linear memory may be longer than that. Returns the first lane that fetches from
 * after its end, or -1. */
static int lane_behind(const struct fetch *fetch)
{
    const struct texture *texture = fetch->texture;
    EACH_LANE(lane, texture->linear ? fetch->lanes : 0) {
        const uint64_t address = fetch->taps[lane].count ? fetch->taps[lane].items[0].address : 0;
        if (address && address - texture->texels.address >= texture->bytes)
            return lane;
    }
    return -1;
}

EXECUTOR(fetch)
{
    for (uint32_t rest = lanes; rest;) {
        struct fetch fetch;
        const int first = first_lane(rest);
        fetch.lanes = same_object(warp, op, rest);
        fetch.texture = find_texture(warp, op, first, slot_read(warp, op->a, first));
        if (!fetch.texture)
            return;
        rest &= ~fetch.lanes;
        EACH_LANE(lane, fetch.lanes)
            locate(warp, op, lane, &fetch);
        const int behind = lane_behind(&fetch);
        if (behind >= 0) {
            refuse(warp, op, behind, slot_read(warp, op->a, behind), FAULT_ADDRESS,
                   "the texture is longer than its memory, and the texel is behind the end");
            return;
        }
        if (warp->block->listeners->fetch.count > 0)
            notify(warp, op, &fetch);
        EACH_LANE(lane, fetch.lanes) {
            uint32_t result[4];
            if (op->texture.gathered)
                texture_gather(fetch.texture, &fetch.taps[lane], op->texture.gathered - 1, result);
            else
                texture_sample(fetch.texture, &fetch.taps[lane], result);
            for (int c = 0; c < 4; c++)
                if (op->elements[c].present)
                    slot_write(warp, op->elements[c], lane, result[c]);
        }
    }
}

struct geometry texture_geometry(const struct ptx_instr *instr)
{
    const bool lines = ptx_has(instr, MOD_1D) || ptx_has(instr, MOD_A1D);
    const bool layers = ptx_has(instr, MOD_A1D) || ptx_has(instr, MOD_A2D);
    const bool cubes = ptx_has(instr, MOD_ACUBE);
    const bool cube = cubes || ptx_has(instr, MOD_CUBE);
    const int dimensions = lines ? 1 : ptx_has(instr, MOD_3D) ? 3 : 2;
    return (struct geometry){.dimensions = dimensions,
                             .layered = layers || cube,
                             .cube = cubes  ? LAYERED_CUBES
                                     : cube ? ONE_CUBE
                                            : NO_CUBE,
                             .takes_layer = layers || cubes,
                             .coordinates = cube ? 3 : dimensions};
}

void bind_object(struct binder *binder, const struct ptx_operand *texel)
{
    struct op *op = binder->op;
    const struct ptx_operand handle = {.kind = OPERAND_REGISTER, .number = texel->number};
    const struct geometry geometry = texture_geometry(binder->instr);
    struct slot *slots[] = {&op->b, &op->c, &op->e, &op->d2};
    bind_element(binder, &op->a, &handle, 8, false);
    for (int i = 0; i < geometry.takes_layer + geometry.coordinates; i++)
        bind_element(binder, slots[i], &texel->elements[i], 4, false);
}

static uint8_t gathered_of(const struct ptx_instr *instr)
{
    static const enum modifier channels[] = {MOD_R, MOD_G, MOD_B, MOD_A};
    for (uint8_t c = 0; instr->opcode == OP_TLD4 && c < 4; c++)
        if (ptx_has(instr, channels[c]))
            return c + 1;
    return 0;
}

/* The results, and after them what says the level: for each four elements. */
static void bind_slopes(struct binder *binder)
{
    const struct ptx_instr *instr = binder->instr;
    struct op *op = binder->op;
    op->elements = calloc(3 * RESULTS, sizeof *op->elements);
    if (!op->elements) {
        bind_refuse(binder, "no memory");
        return;
    }
    op->texture.slopes = (uint8_t)(instr->operand_count - 2);
    bind_vector(binder, op->elements, &instr->operands[0], 4, true);
    if (op->texture.slopes == 1)
        bind_element(binder, &op->elements[RESULTS], &instr->operands[2], 4, false);
    for (int k = 2; op->texture.slopes == 2 && k < 4; k++)
        bind_vector(binder, &op->elements[(size_t)(k - 1) * RESULTS], &instr->operands[k], 4,
                    false);
}

void bind_texture(struct binder *binder)
{
    const struct ptx_instr *instr = binder->instr;
    const struct geometry geometry = texture_geometry(instr);
    struct op *op = binder->op;
    op->type = instr->types[0];
    op->texture.dimensions = (uint8_t)geometry.dimensions;
    op->texture.layered = geometry.layered;
    op->texture.cube = (uint8_t)geometry.cube;
    op->texture.gathered = gathered_of(instr);
    op->texture.by_index = ptx_type_of(instr) == PTX_S32;
    bind_object(binder, &instr->operands[1]);
    bind_slopes(binder);
    op->handler = fetch;
}
