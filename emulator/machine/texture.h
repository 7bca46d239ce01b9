/* SPDX-License-Identifier: MIT */
/* Textures: memory seen as an image, and what a fetch at a coordinate makes of it.
 *
 * The rules are those of the CUDA C++ Programming Guide's appendix "Texture Fetching": which texels
 * a coordinate means under each address mode, and the weights of a linear filter, which hardware
 * keeps in 9-bit fixed point with 8 bits of fraction.
 */
#ifndef TEXTURE_H
#define TEXTURE_H

#include "machine.h"

struct op;

/* Where the texels of an image lie. Rows of an array of two dimensions or more are not one after
 * the other: 64 bytes of 8 rows stand together, and in them 16 bytes of 2 rows are a sector, so
 * that neighbours up and down are as near as those left and right. */
struct texels {
    uint64_t address;
    size_t pitch; /* bytes from row to row; of a tiled image a multiple of TILE_WIDTH */
    size_t slice; /* bytes from layer to layer, or along the third dimension */
    bool tiled;
};
enum { TILE_WIDTH = 64, TILE_ROWS = 8 };
/* So many bytes of a row stand together, from a multiple of it on. */
enum { TILE_RUN = 16 };

/* The address of byte `x` of row `y` of slice `z`. */
uint64_t texels_at(const struct texels *texels, uint64_t x, uint64_t y, uint64_t z);

/* In the order that CUDA numbers them. */
enum texture_mode { MODE_WRAP, MODE_CLAMP, MODE_MIRROR, MODE_BORDER };
/* Six layers, the faces of a cube, or such in layers. */
enum cube_kind { NO_CUBE, ONE_CUBE, LAYERED_CUBES };
enum { CUBE_FACES = 6 };
enum texel_kind { TEXEL_SIGNED, TEXEL_UNSIGNED, TEXEL_FLOAT };

/* A level of a mipmap, and how many there may be after the first. */
struct mip {
    struct texels texels;
    uint32_t size[3]; /* as the texture's */
};
enum { MAX_MIPS = 16 };

struct texture {
    struct texels texels;
    size_t bytes; /* of memory, from texels.address on */
    int dimensions; /* 1 to 3 */
    bool layered;
    enum cube_kind cube; /* it has two dimensions and is layered */
    bool array; /* a CUDA array's memory */
    bool surface; /* a surface object: bytes are read and written, and nothing is sampled */
    bool linear; /* memory without rows, read by index: no filter, no address mode, 0 outside */
    uint32_t size[3]; /* texels along each dimension; 1 along those it has not */
    uint32_t layers;
    enum texel_kind kind;
    int channels, channel_bytes;
    bool reads_normalised; /* integers come as floats, 1 being the largest */
    bool filters; /* linear, not the nearest */
    int mip_count; /* levels after the first, which is what `texels` and `size` are */
    struct mip mips[MAX_MIPS];
    bool blends; /* two levels, not the nearest */
    float bias, least, most; /* what is added to a level, and where it is kept then */
    bool gathers; /* the array was made for it */
    bool normalised; /* coordinates: 1 is the size */
    enum texture_mode modes[3];
    float border[4];

    /* From texture_create(): the memory's number, and how far from its addresses the CPU has it. */
    uint64_t allocation, shift;
    bool destroyed;
};

/* An object for kernels that sees memory as `texture` (copied) says. Returns its handle, one that
 * never comes again, or 0 where there is no memory. */
uint64_t texture_create(struct machine *machine, const struct texture *texture);
/* False: there is no such object. */
bool texture_destroy(struct machine *machine, uint64_t handle);
/* NULL: there is no such object. */
const struct texture *texture_find(const struct machine *machine, uint64_t handle);
/* Why a fetch through `handle` is not possible, in a few words; NULL: it is. */
const char *texture_refusal(const struct machine *machine, uint64_t handle);

/* Is `address` in memory that some texture object reads? */
bool texture_covers(const struct machine *machine, uint64_t address);

/* The different 32-byte sectors that a fetch reads, by number (address / 32), in the order of its
 * taps and lanes. Returns how many. */
enum { FETCH_SECTORS = 512 };
uint32_t fetch_sectors(const struct fetch_event *event, uint64_t sectors[FETCH_SECTORS]);

/* What an instruction takes an object for. */
struct geometry {
    int dimensions;
    bool layered;
    enum cube_kind cube;
    bool takes_layer; /* as the first coordinate */
    int coordinates; /* after it */
};
struct geometry texture_geometry(const struct ptx_instr *instr);

/* Those of `lanes` that have the same handle, in op->a, as the first. */
uint32_t same_object(const struct warp *warp, const struct op *op, uint32_t lanes);

/* Does a fetch give floats, whatever the texels are? */
bool texture_gives_floats(const struct texture *texture);

/* Where a fetch reads, and with which weight. */
struct tap {
    uint64_t address; /* 0: none, it is the border's colour */
    float weight;
};
enum { MAX_TAPS = 16 };
struct taps {
    int count; /* without those whose weight is 0 */
    struct tap items[MAX_TAPS];
};

/* Which face of a cube lies in that direction, and where on it: `at` becomes two coordinates. */
uint32_t texture_face(float at[3]);
/* The texels at coordinates, as many as the texture has dimensions, of `layer`, at a level, of
 * which there may be only one. */
void texture_locate(const struct texture *texture, const float *coordinates, uint32_t layer,
                    float level, struct taps *taps);
/* The level at which a step along either gradient is a texel: log2 of how many texels the longer
 * one is on the first level. `at` is a direction where the texture is a cube. */
float texture_level(const struct texture *texture, const float at[3], const float x[3],
                    const float y[3]);
/* The same by index: no filter. */
void texture_index(const struct texture *texture, const int32_t *indices, uint32_t layer,
                   struct taps *taps);
/* The four texels that a linear filter in two dimensions would take: the lower ones first, from the
 * left and then from the right, then the upper ones from the right. */
void texture_corners(const struct texture *texture, const float coordinates[2], uint32_t layer,
                     struct taps *taps);
/* What a gather gives of them: channel `c` of each, as the bits of four registers. */
void texture_gather(const struct texture *texture, const struct taps *taps, int c,
                    uint32_t result[4]);
/* What the fetch gives, as the bits of four registers. */
void texture_sample(const struct texture *texture, const struct taps *taps, uint32_t result[4]);

/* All objects of a machine. */
struct texture_table {
    struct texture **items; /* by handle - 1 */
    size_t count, room;
    bool has_surfaces; /* kernels may write arrays */
};
void texture_table_free(struct texture_table *table);

#endif
