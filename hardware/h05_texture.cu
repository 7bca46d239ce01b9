/* h05: reading through the texture unit.
 *
 * Claim:  the cache of the texture unit suits neighbours in two dimensions, so reads need not be
 *         coalesced. On the way the unit handles coordinates past the edge, mixes four neighbours
 *         and turns RGBA bytes into floats. If reads are coalesced, global memory is faster.
 * Today:  global memory has the same cache. What remains is what the unit computes.
 * See:    docs/hardware.md#h05
 */
#include "picture.h"

enum { THREADS = 256 };

/* Pixel i of a picture, row by row, or column by column. */
template <int WAY> __device__ static float sample(const struct picture p, int i)
{
    const int x = WAY == GLOBAL_COLUMNS || WAY == POINT_COLUMNS ? i / p.side : i % p.side;
    const int y = WAY == GLOBAL_COLUMNS || WAY == POINT_COLUMNS ? i % p.side : i / p.side;
    const int past = p.side / 2; /* so far past an edge */

    switch (WAY) {
    case GLOBAL_ROWS:
    case GLOBAL_COLUMNS:
        return p.pixels[y * p.side + x];
    case BILINEAR:
        return tex2D<float>(p.texture, x + 0.5f + picture_part(i), y + 0.5f + picture_part(i + 1));
    case RGBA: {
        const float4 c = tex2D<float4>(p.texture, x + 0.5f, y + 0.5f);
        return fmaf(c.x, 8, fmaf(c.y, 4, fmaf(c.z, 2, c.w)));
    }
    case CLAMPED:
        return tex2D<float>(p.texture, x - past + 0.5f, y + past + 0.5f);
    case WRAPPED: /* coordinates from 0 to 1 */
        return tex2D<float>(p.texture, (x - past + 0.5f) / p.side, (y + past + 0.5f) / p.side);
    default:
        return tex2D<float>(p.texture, x + 0.5f, y + 0.5f);
    }
}

template <int WAY> __global__ void draw(const struct picture p, int n, float *out)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;

    if (i < n)
        out[i] = sample<WAY>(p, i);
}

template <int WAY> static void launch(struct trial *t)
{
    struct picture p = picture_new(t);

    hardware_grid(t, THREADS);
    t->work = t->n;
    TIMED(t->run)
        draw<WAY><<<t->run->blocks, THREADS>>>(p, t->n, (float *)t->out);
    picture_free(&p);
}

static const struct variant variants[] = {
    {"global_rows", "global memory, row by row", launch<GLOBAL_ROWS>, GLOBAL_ROWS, 0, "fastest"},
    {"global_columns", "column by column", launch<GLOBAL_COLUMNS>, GLOBAL_COLUMNS, 0, "slow"},
    {"point_rows", "texture, row by row", launch<POINT_ROWS>, POINT_ROWS, 0, "slower"},
    {"point_columns", "column by column", launch<POINT_COLUMNS>, POINT_COLUMNS, 0, "good"},
    {"bilinear", "between the pixels", launch<BILINEAR>, BILINEAR, 0, "at no cost"},
    {"rgba", "8-bit RGBA to four floats", launch<RGBA>, RGBA, 0, "quick"},
    {"clamped", "half past the edge, clamped", launch<CLAMPED>, CLAMPED},
    {"wrapped", "half past the edge, wrapped", launch<WRAPPED>, WRAPPED},
};

static const struct experiment experiment = {
    HARDWARE_VARIANTS(variants),
    .size = {.usual = 1 << 24, .modelled = 1 << 16, .min = 1, .max = 1 << 26, .help = "pixels"},
    .unit = "Gpixel/s",
    .counters = {{"global sectors per load", "global_load_sectors", "global_loads"},
                 {"texture sectors", "texture_sectors", "texture_fetches"}},
    .inputs_each = 3,
    .inputs_more = 1,
    .cpu_float = picture_cpu,
};

int main(int argc, char **argv)
{
    return hardware_main(argc, argv, STEP, &experiment);
}
