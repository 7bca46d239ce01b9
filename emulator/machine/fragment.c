/* SPDX-License-Identifier: MIT */
#include "machine/fragment.h"

static const struct {
    enum modifier modifier;
    struct product_shape shape;
} shapes[] = {
    {MOD_M8N8K4, {8, 8, 4}},       {MOD_M8N8K16, {8, 8, 16}},     {MOD_M8N8K32, {8, 8, 32}},
    {MOD_M8N8K128, {8, 8, 128}},   {MOD_M16N8K4, {16, 8, 4}},     {MOD_M16N8K8, {16, 8, 8}},
    {MOD_M16N8K16, {16, 8, 16}},   {MOD_M16N8K32, {16, 8, 32}},   {MOD_M16N8K64, {16, 8, 64}},
    {MOD_M16N8K128, {16, 8, 128}}, {MOD_M16N8K256, {16, 8, 256}}, {MOD_M16N16K8, {16, 16, 8}},
    {MOD_M16N16K16, {16, 16, 16}}, {MOD_M32N8K16, {32, 8, 16}},   {MOD_M8N32K16, {8, 32, 16}},
};

static int type_bits(enum ptx_type type)
{
    switch (type) {
    case PTX_B1:
        return 1;
    case PTX_S4:
    case PTX_U4:
        return 4;
    default:
        return 8 * (int)ptx_type_size(type);
    }
}

struct product_shape shape_of(const struct ptx_instr *instr)
{
    if (instr->columns) /* a warp's part of a product by four */
        return (struct product_shape){16, instr->columns, 256 / type_bits(instr->types[1])};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (ptx_has(instr, shapes[i].modifier))
            return shapes[i].shape;
    return (struct product_shape){0};
}

/* Is it the product that each four lanes and the four 16 lanes further on form by themselves? */
static bool is_quartered(const struct ptx_instr *instr)
{
    return ptx_has(instr, MOD_M8N8K4) && instr->types[0] != PTX_F64;
}

/* How a matrix lies in memory, or is written as if it did: a first, b after it. */
static bool is_column_major(const struct ptx_instr *instr, enum fragment_matrix matrix)
{
    const bool second = ptx_has(instr, MOD_ROW_COL) || ptx_has(instr, MOD_COL_COL);
    const bool first = ptx_has(instr, MOD_COL_ROW) || ptx_has(instr, MOD_COL_COL);
    return matrix == FRAGMENT_A ? first : second;
}

/* Blocks of 8 rows, whose lanes stand four in a row. They come in bands of `span` blocks across the
 * direction of runs; a band is as long as the matrix. */
static void tile(struct fragment *f, int across, int along, int span)
{
    const int length = along / (4 * f->run);
    f->blocks = across / 8 * length;
    for (int block = 0; block < f->blocks; block++) {
        const int band = block / (span * length), inside = block % (span * length);
        f->block_across[block] = (uint8_t)(8 * (band * span + inside % span));
        f->block_along[block] = (uint8_t)(4 * f->run * (inside / span));
    }
    for (int lane = 0; lane < WARP_SIZE; lane++) {
        f->lane_across[lane] = (uint8_t)(lane / 4);
        f->lane_along[lane] = (uint8_t)(lane % 4 * f->run);
    }
}

/* A quarter of the warp has rows or columns 0 to 3 in its lower lanes and 4 to 7 in its upper. The
 * rows of a, the columns of b and both of c follow those of the quarter before. */
static void quarter(struct fragment *f, enum fragment_matrix matrix, bool column_major)
{
    const bool scattered = matrix == FRAGMENT_C && f->width == 32;
    const bool upper_across = matrix == FRAGMENT_C || (matrix == FRAGMENT_A) != column_major;
    f->turned = matrix != FRAGMENT_C && column_major;
    f->run = scattered ? 2 : matrix == FRAGMENT_C ? 8 : 4;
    f->blocks = scattered ? 4 : 1;
    for (int block = 0; block < f->blocks; block++) {
        f->block_across[block] = (uint8_t)(block % 2 * 2);
        f->block_along[block] = (uint8_t)(block / 2 * 4);
    }
    for (int lane = 0; lane < WARP_SIZE; lane++) {
        const int upper = lane / 16 * 4, before = lane % 16 / 4 * 8;
        const int across = (scattered ? lane % 2 : lane % 4) + (upper_across ? upper : 0);
        const int along = (scattered ? lane & 2 : 0) + (upper_across ? 0 : upper);
        f->lane_across[lane] = (uint8_t)(across + (upper_across ? before : 0));
        f->lane_along[lane] =
            (uint8_t)(along + (matrix == FRAGMENT_C || !upper_across ? before : 0));
    }
}

void fragment_init(struct fragment *f, const struct ptx_instr *instr, enum fragment_matrix matrix,
                   enum ptx_type type)
{
    const struct product_shape shape = shape_of(instr);
    *f = (struct fragment){
        .rows = matrix == FRAGMENT_B ? shape.k : shape.m,
        .columns = matrix == FRAGMENT_A ? shape.k : shape.n,
        .width = type_bits(type),
    };
    if (is_quartered(instr)) {
        quarter(f, matrix, is_column_major(instr, matrix));
        return;
    }
    /* Where there are more columns than rows, the transposed product is formed: b' a'. */
    const bool swapped = shape.m < shape.n;
    const enum fragment_matrix second = swapped ? FRAGMENT_A : FRAGMENT_B;
    f->turned = matrix == FRAGMENT_C ? swapped : matrix == FRAGMENT_B;
    f->run = matrix == FRAGMENT_C ? 2 : fragment_packed(f);
    const int across = f->turned ? f->columns : f->rows;
    tile(f, across, f->turned ? f->rows : f->columns, matrix == second || across == 8 ? 1 : 2);
}
