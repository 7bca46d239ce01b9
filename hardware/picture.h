/* The pictures of h05, as arrays, and what a sampler on the CPU reads from them. */
#ifndef PICTURE_H
#define PICTURE_H

#include <math.h>
#include <stdlib.h>

#include "hardware.h"

/* The ways to read, a variant's value. */
enum {
    GLOBAL_ROWS,
    GLOBAL_COLUMNS,
    POINT_ROWS,
    POINT_COLUMNS,
    BILINEAR,
    RGBA,
    CLAMPED,
    WRAPPED,
};

/* side x side pixels: in global memory, and as a texture, of floats or of four bytes. */
struct picture {
    int side;
    float *pixels;
    cudaArray_t array;
    cudaTextureObject_t texture;
};

/* The least side that has room for n pixels. */
static inline int picture_side(int n)
{
    int side = (int)sqrt((double)n);

    while (side * (int64_t)side < n)
        side++;
    return side;
}

/* How far from a pixel's middle thread i reads: so many 256ths of the way to the next one. */
__host__ __device__ static inline float picture_part(int i)
{
    return (float)(i * 37 % 256) / 256;
}

/* The bytes of a pixel: red, green, blue and alpha of a number. */
static inline uchar4 picture_bytes(int number)
{
    return make_uchar4(number & 255, number * 3 & 255, number * 5 & 255, number * 7 & 255);
}

static inline cudaTextureObject_t picture_texture(cudaArray_t array, int way)
{
    const cudaTextureAddressMode mode = way == WRAPPED ? cudaAddressModeWrap : cudaAddressModeClamp;
    struct cudaResourceDesc resource = {};
    struct cudaTextureDesc reads = {};
    cudaTextureObject_t texture;

    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    reads.addressMode[0] = reads.addressMode[1] = mode;
    reads.filterMode = way == BILINEAR ? cudaFilterModeLinear : cudaFilterModePoint;
    reads.readMode = way == RGBA ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    reads.normalizedCoords = way == WRAPPED;
    CHECK(cudaCreateTextureObject(&texture, &resource, &reads, NULL));
    return texture;
}

static inline struct picture picture_new(const struct trial *t)
{
    const int side = picture_side(t->n), way = t->variant->value;
    const size_t count = (size_t)side * side, width = side * sizeof(float);
    const struct cudaChannelFormatDesc format =
        way == RGBA ? cudaCreateChannelDesc<uchar4>() : cudaCreateChannelDesc<float>();
    float *host = (float *)memory_host(count * sizeof(float));
    struct picture p = {.side = side};

    for (size_t i = 0; i < count; i++) {
        if (way == RGBA)
            ((uchar4 *)host)[i] = picture_bytes(t->host[i]);
        else
            host[i] = (float)t->host[i];
    }
    p.pixels = device_input(float, host, count);
    CHECK(cudaMallocArray(&p.array, &format, side, side));
    CHECK(cudaMemcpy2DToArray(p.array, 0, 0, host, width, width, side, cudaMemcpyHostToDevice));
    p.texture = picture_texture(p.array, way);
    free(host);
    return p;
}

static inline void picture_free(struct picture *p)
{
    CHECK(cudaDestroyTextureObject(p->texture));
    CHECK(cudaFreeArray(p->array));
    CHECK(cudaFree(p->pixels));
}

static inline int picture_clamped(int x, int side)
{
    return x < 0 ? 0 : x >= side ? side - 1 : x;
}

/* Pixel (x, y), or the nearest one. */
static inline double picture_at(const struct trial *t, int side, int x, int y)
{
    return t->host[picture_clamped(y, side) * side + picture_clamped(x, side)];
}

/* Between four pixels, by fractions of 8 bits, as the hardware has them (CUDA C++ Programming
 * Guide, "Linear Filtering"); *step becomes the largest difference between them. */
static inline double picture_mixed(const struct trial *t, int side, int x, int y, int i,
                                   double *step)
{
    const double a = picture_part(i), b = picture_part(i + 1);
    const double p = picture_at(t, side, x, y), q = picture_at(t, side, x + 1, y);
    const double r = picture_at(t, side, x, y + 1), s = picture_at(t, side, x + 1, y + 1);

    *step = fmax(fmax(p, q), fmax(r, s)) - fmin(fmin(p, q), fmin(r, s));
    return (1 - b) * ((1 - a) * p + a * q) + b * ((1 - a) * r + a * s);
}

static inline void picture_cpu(const struct trial *t, double *out, double *tolerance)
{
    const int side = picture_side(t->n), way = t->variant->value, past = side / 2;

    for (int i = 0; i < t->n; i++) {
        const bool columns = way == GLOBAL_COLUMNS || way == POINT_COLUMNS;
        const int x = columns ? i / side : i % side, y = columns ? i % side : i / side;
        const uchar4 c = picture_bytes(t->host[y * side + x]);
        double step = 0;

        out[i] = way == BILINEAR  ? picture_mixed(t, side, x, y, i, &step)
                 : way == RGBA    ? (c.x * 8 + c.y * 4 + c.z * 2 + c.w) / 255.0
                 : way == CLAMPED ? picture_at(t, side, x - past, y + past)
                 : way == WRAPPED ? picture_at(t, side, (x - past + side) % side, (y + past) % side)
                                  : picture_at(t, side, x, y);
        tolerance[i] = way == RGBA ? 1e-5 : step / 256;
    }
}

#endif
