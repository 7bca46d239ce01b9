/* SPDX-License-Identifier: MIT */
/* Texture objects, and the arithmetic of a fetch. */
#include "access.h"
#include "gpus/coalesce.h"
#include "machine/execute/float.h"
#include "launch.h"

#include <math.h>
#include <stdlib.h>

/* NVIDIA's block-linear layout, its blocks one tile high (Tegra X1 Technical Reference Manual,
 * "Block Linear"). */
uint64_t texels_at(const struct texels *texels, uint64_t x, uint64_t y, uint64_t z)
{
    const uint64_t start = texels->address + z * texels->slice;
    if (!texels->tiled)
        return start + y * texels->pitch + x;
    const uint64_t tile = y / TILE_ROWS * (texels->pitch / TILE_WIDTH) + x / TILE_WIDTH;
    return start + tile * TILE_WIDTH * TILE_ROWS + x % 64 / 32 * 256 + y % 8 / 2 * 64 +
           x % 32 / 16 * 32 + y % 2 * 16 + x % 16;
}

uint64_t texture_create(struct machine *machine, const struct texture *texture)
{
    struct texture_table *table = &machine->textures;
    const struct allocation *allocation =
        memory_find(machine, texture->texels.address, texture->bytes);
    if (table->count == table->room) {
        const size_t room = table->room ? 2 * table->room : 16;
        struct texture **items = realloc(table->items, room * sizeof *items);
        if (!items)
            return 0;
        table->items = items;
        table->room = room;
    }
    struct texture *copy = malloc(sizeof *copy);
    if (!copy || !allocation) {
        free(copy);
        return 0;
    }
    *copy = *texture;
    copy->allocation = allocation->number;
    copy->shift = allocation->shift;
    copy->destroyed = false;
    table->items[table->count++] = copy;
    table->has_surfaces |= texture->surface;
    return table->count;
}

void texture_table_free(struct texture_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        free(table->items[i]);
    free(table->items);
}

static struct texture *at_handle(const struct machine *machine, uint64_t handle)
{
    const struct texture_table *table = &machine->textures;
    return handle - 1 < table->count ? table->items[handle - 1] : NULL;
}

const struct texture *texture_find(const struct machine *machine, uint64_t handle)
{
    const struct texture *texture = at_handle(machine, handle);
    return texture && !texture->destroyed ? texture : NULL;
}

bool texture_destroy(struct machine *machine, uint64_t handle)
{
    struct texture *texture = at_handle(machine, handle);
    const bool found = texture && !texture->destroyed;
    if (found)
        texture->destroyed = true;
    return found;
}

const char *texture_refusal(const struct machine *machine, uint64_t handle)
{
    const struct texture *texture = at_handle(machine, handle);
    if (!texture)
        return "no object has this handle";
    if (texture->destroyed)
        return "the object was destroyed";
    const struct allocation *allocation =
        memory_find(machine, texture->texels.address, texture->bytes);
    if (!allocation || allocation->number != texture->allocation)
        return "the memory behind the object was freed";
    return NULL;
}

bool texture_covers(const struct machine *machine, uint64_t address)
{
    const struct texture_table *table = &machine->textures;
    for (size_t i = 0; i < table->count; i++) {
        const struct texture *texture = table->items[i];
        if (!texture->destroyed && !texture->surface && address >= texture->texels.address &&
            address - texture->texels.address < texture->bytes)
            return true;
    }
    return false;
}

uint32_t fetch_sectors(const struct fetch_event *event, uint64_t sectors[FETCH_SECTORS])
{
    enum { SLOTS = 2 * FETCH_SECTORS };
    uint16_t numbers[SLOTS] = {0}; /* of sectors, from 1 on; 0: free */
    uint32_t count = 0;
    for (int tap = 0; tap < event->tap_count; tap++)
        EACH_LANE(lane, event->taps[tap].lanes) {
            const uint64_t sector = event->taps[tap].addresses[lane] / SECTOR_BYTES;
            uint32_t slot = (uint32_t)(hash_spread(sector) >> 54);
            while (numbers[slot] && sectors[numbers[slot] - 1] != sector)
                slot = (slot + 1) % SLOTS;
            if (numbers[slot])
                continue;
            sectors[count++] = sector;
            numbers[slot] = (uint16_t)count;
        }
    return count;
}

bool texture_gives_floats(const struct texture *texture)
{
    return texture->kind == TEXEL_FLOAT || texture->reads_normalised;
}

/* Which texels of one dimension, and how much each counts. */
struct span {
    int64_t index[2]; /* -1: outside, the border's colour */
    float weight[2];
};

/* Far enough outside of any texture, and of use as an integer with 8 bits of fraction. */
#define FAR 0x1p40

/* Wrapped and mirrored coordinates as the guide folds them into the texture: x - floor(x), and for
 * a mirror 1 less that where floor(x) is odd. */
static double fold(enum texture_mode mode, double x)
{
    const double whole = floor(x);
    if (mode == MODE_WRAP)
        return x - whole;
    if (mode == MODE_MIRROR)
        return fmod(whole, 2) == 0 ? x - whole : 1 - (x - whole);
    return x;
}

static int64_t inside(enum texture_mode mode, int64_t index, int64_t size)
{
    if (index >= 0 && index < size)
        return index;
    if (mode == MODE_BORDER)
        return -1;
    /* Folded coordinates go no further than one texel outside: there a mirror is a clamp. */
    return (index < 0) == (mode == MODE_WRAP) ? size - 1 : 0;
}

/* The guide: where coordinates are not normalised, wrap and mirror become a clamp. */
static enum texture_mode by_texel(enum texture_mode mode)
{
    return mode == MODE_BORDER ? mode : MODE_CLAMP;
}

static struct span locate(const struct texture *texture, const struct mip *mip, int dimension,
                          float coordinate, bool filters)
{
    const int64_t size = mip->size[dimension];
    const enum texture_mode mode =
        texture->normalised ? texture->modes[dimension] : by_texel(texture->modes[dimension]);
    double x = coordinate == coordinate ? coordinate : 0;
    x = isinf(x) ? copysign(FAR, x) : x;
    if (texture->normalised)
        x = fold(mode, x) * (double)size;
    x = fmin(fmax(x, -FAR), FAR);
    if (!filters)
        return (struct span){{inside(mode, (int64_t)floor(x), size), 0}, {1, 0}};
    const int64_t fixed = (int64_t)floor((x - 0.5) * 256 + 0.5);
    const int64_t below = fixed >> 8;
    const float fraction = (float)(fixed & 255) / 256;
    return (struct span){{inside(mode, below, size), inside(mode, below + 1, size)},
                         {1 - fraction, fraction}};
}

static void add_tap(const struct texture *texture, const struct mip *mip, struct taps *taps,
                    const int64_t index[3], uint32_t layer, float weight)
{
    const uint64_t texel_bytes = (uint64_t)texture->channels * (uint64_t)texture->channel_bytes;
    struct tap *tap = &taps->items[taps->count++];
    *tap = (struct tap){.weight = weight};
    if (index[0] < 0 || index[1] < 0 || index[2] < 0)
        return;
    tap->address = texels_at(&mip->texels, (uint64_t)index[0] * texel_bytes, (uint64_t)index[1],
                             texture->layered ? layer : (uint64_t)index[2]);
}

static uint32_t clamp_layer(const struct texture *texture, uint32_t layer)
{
    return layer < texture->layers ? layer : texture->layers - 1;
}

/* A direction as one face of a cube sees it: `m` outwards. */
struct facing {
    uint32_t face;
    float s, t, m;
};

/* The guide's table, "Cubemap Textures": the face is that of the largest coordinate of `at`. */
static struct facing face_towards(const float at[3], const float v[3])
{
    const bool along_x = fabsf(at[0]) > fabsf(at[1]) && fabsf(at[0]) > fabsf(at[2]);
    const bool along_y = !along_x && fabsf(at[1]) > fabsf(at[2]);
    const int axis = along_x ? 0 : along_y ? 1 : 2;
    const bool back = at[axis] < 0;
    const float x = v[0], y = v[1], z = v[2];
    return (struct facing){
        .face = (uint32_t)(2 * axis) + back,
        .s = along_x   ? (back ? z : -z)
             : along_y ? x
             : back    ? -x
                       : x,
        .t = along_y ? (back ? -z : z) : -y,
        .m = back ? -v[axis] : v[axis],
    };
}

uint32_t texture_face(float at[3])
{
    const struct facing facing = face_towards(at, at);
    at[0] = (facing.s / facing.m + 1) / 2;
    at[1] = (facing.t / facing.m + 1) / 2;
    return facing.face;
}

/* The square of how long a gradient is, in texels. */
static float squared_length(const struct texture *texture, const float at[3], const float slope[3])
{
    float along[3] = {slope[0], slope[1], slope[2]}, sum = 0;
    if (texture->cube) {
        const struct facing here = face_towards(at, at), step = face_towards(at, slope);
        along[0] = (step.s * here.m - here.s * step.m) / (2 * here.m * here.m);
        along[1] = (step.t * here.m - here.t * step.m) / (2 * here.m * here.m);
    }
    for (int i = 0; i < texture->dimensions; i++) {
        const float texels = along[i] * (texture->normalised ? (float)texture->size[i] : 1);
        sum += texels * texels;
    }
    return sum;
}

float texture_level(const struct texture *texture, const float at[3], const float x[3],
                    const float y[3])
{
    return log2f(fmaxf(squared_length(texture, at, x), squared_length(texture, at, y))) / 2;
}

static struct mip mip_at(const struct texture *texture, int level)
{
    if (level > 0)
        return texture->mips[level - 1];
    return (struct mip){texture->texels, {texture->size[0], texture->size[1], texture->size[2]}};
}

/* Add the taps of one level, weighted. */
static void locate_at(const struct texture *texture, int level, const float *coordinates,
                      uint32_t layer, float share, struct taps *taps)
{
    const struct mip mip = mip_at(texture, level);
    struct span spans[3] = {{{0}, {1, 0}}, {{0}, {1, 0}}, {{0}, {1, 0}}};
    for (int i = 0; i < texture->dimensions; i++)
        spans[i] = locate(texture, &mip, i, coordinates[i], texture->filters);
    for (int corner = 0; corner < 1 << 3; corner++) {
        int64_t index[3];
        float weight = share;
        for (int i = 0; i < 3; i++) {
            index[i] = spans[i].index[corner >> i & 1];
            weight *= spans[i].weight[corner >> i & 1];
        }
        if (weight > 0)
            add_tap(texture, &mip, taps, index, clamp_layer(texture, layer), weight);
    }
}

/* What lies between two levels is kept as finely as what lies between two texels. */
void texture_locate(const struct texture *texture, const float *coordinates, uint32_t layer,
                    float level, struct taps *taps)
{
    taps->count = 0;
    if (!texture->mip_count) {
        locate_at(texture, 0, coordinates, layer, 1, taps);
        return;
    }
    level = fminf(fmaxf(level + texture->bias, texture->least), texture->most);
    level = fminf(fmaxf(level, 0), (float)texture->mip_count);
    if (!texture->blends) {
        locate_at(texture, (int)floorf(level + 0.5F), coordinates, layer, 1, taps);
        return;
    }
    const int fixed = (int)floorf(level * 256 + 0.5F), below = fixed >> 8;
    const float fraction = (float)(fixed & 255) / 256;
    locate_at(texture, below, coordinates, layer, 1 - fraction, taps);
    if (fraction > 0)
        locate_at(texture, below + 1, coordinates, layer, fraction, taps);
}

/* The order that the manual gives for tld4: counter-clockwise from the lower left, where the second
 * coordinate grows downwards. */
void texture_corners(const struct texture *texture, const float coordinates[2], uint32_t layer,
                     struct taps *taps)
{
    const struct mip mip = mip_at(texture, 0);
    const struct span x = locate(texture, &mip, 0, coordinates[0], true);
    const struct span y = locate(texture, &mip, 1, coordinates[1], true);
    taps->count = 0;
    for (int i = 0; i < 4; i++) {
        const int64_t index[3] = {x.index[i == 1 || i == 2], y.index[i < 2], 0};
        add_tap(texture, &mip, taps, index, clamp_layer(texture, layer), 1);
    }
}

void texture_index(const struct texture *texture, const int32_t *indices, uint32_t layer,
                   struct taps *taps)
{
    int64_t index[3] = {0};
    for (int i = 0; i < texture->dimensions; i++)
        index[i] = inside(texture->linear ? MODE_BORDER : by_texel(texture->modes[i]), indices[i],
                          texture->size[i]);
    const struct mip mip = mip_at(texture, 0);
    taps->count = 0;
    add_tap(texture, &mip, taps, index, clamp_layer(texture, layer), 1);
}

/* Channel `c` of the texel at `address`, as an integer's bits or a float's. */
static uint32_t raw_channel(const struct texture *texture, uint64_t address, int c)
{
    const size_t bytes = (size_t)texture->channel_bytes;
    const char *at = (const char *)host_pointer(address + texture->shift) + (size_t)c * bytes;
    const uint32_t bits = (uint32_t)load_element(at, bytes);
    if (texture->kind != TEXEL_SIGNED || texture->channel_bytes == 4)
        return bits;
    const int unused = 32 - 8 * texture->channel_bytes;
    return (uint32_t)((int32_t)(bits << unused) >> unused);
}

static float float_channel(const struct texture *texture, uint64_t address, int c)
{
    const uint32_t bits = raw_channel(texture, address, c);
    if (texture->kind == TEXEL_FLOAT)
        return texture->channel_bytes == 4 ? f32_of(bits)
                                           : (float)minifloat_decode(&f16_format, bits);
    const float unit = (float)((UINT64_C(1) << (8 * texture->channel_bytes)) - 1);
    if (texture->kind == TEXEL_UNSIGNED)
        return (float)bits / unit;
    return fmaxf((float)(int32_t)bits / ((unit - 1) / 2), -1);
}

/* The border's colour, as far as the format reaches: an H200 clamps it so. */
static float border_channel(const struct texture *texture, int c)
{
    if (texture->kind == TEXEL_FLOAT)
        return texture->border[c];
    return fminf(fmaxf(texture->border[c], texture->kind == TEXEL_SIGNED ? -1 : 0), 1);
}

/* A channel that the format lacks is 0, the fourth too. */
static float tap_float(const struct texture *texture, const struct tap *tap, int c)
{
    if (!tap->address)
        return border_channel(texture, c);
    return c < texture->channels ? float_channel(texture, tap->address, c) : 0;
}

static float filtered(const struct texture *texture, const struct taps *taps, int c)
{
    double sum = 0;
    for (int i = 0; i < taps->count; i++)
        sum += (double)taps->items[i].weight * (double)tap_float(texture, &taps->items[i], c);
    return (float)sum;
}

/* The border's colour as 32 bits: the nearest number that there is; 0 for what is no number. */
static uint32_t border_integer(const struct texture *texture, int c)
{
    const double colour = isnan(texture->border[c]) ? 0 : (double)texture->border[c];
    if (texture->kind == TEXEL_SIGNED)
        return (uint32_t)(int32_t)fmin(fmax(colour, INT32_MIN), INT32_MAX);
    return (uint32_t)fmin(fmax(colour, 0), UINT32_MAX);
}

static uint32_t integer(const struct texture *texture, const struct tap *tap, int c)
{
    if (!tap->address)
        return border_integer(texture, c);
    return c < texture->channels ? raw_channel(texture, tap->address, c) : 0;
}

void texture_sample(const struct texture *texture, const struct taps *taps, uint32_t result[4])
{
    for (int c = 0; c < 4; c++)
        result[c] = texture_gives_floats(texture) ? bits_of_f32(filtered(texture, taps, c))
                                                  : integer(texture, &taps->items[0], c);
}

void texture_gather(const struct texture *texture, const struct taps *taps, int c,
                    uint32_t result[4])
{
    for (int i = 0; i < 4; i++)
        result[i] = texture_gives_floats(texture)
                        ? bits_of_f32(tap_float(texture, &taps->items[i], c))
                        : integer(texture, &taps->items[i], c);
}
