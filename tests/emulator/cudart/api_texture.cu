/* Textures: arrays and their copies, and what fetches give, compared with a sampler on the CPU.
 *
 * The sampler follows the CUDA C++ Programming Guide's appendix on texture fetching, its weights
 * with 8 bits of fraction. The emulator must agree with it exactly, a GPU within one step of a
 * weight along each dimension. */
#include "expect.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "modelled.h"

/* The texels, as floats whatever they were made of. */
struct image {
    int width, height, depth; /* depth: slices of a volume, or layers */
    std::vector<float4> texels;
    bool unit = false; /* they are fractions, and so is the border */
};

/* How it is read. */
struct manner {
    cudaTextureAddressMode mode;
    bool linear, normalised;
};

enum geometry { LINE, PLANE, VOLUME, LINES, PLANES };

static bool modelled;

/* A number from 0 to 255, not symmetric in anything. */
static int noise(int x, int y, int z, int c)
{
    unsigned h = 2166136261u;
    const int parts[] = {x, y, z, c};
    for (int part : parts)
        h = (h ^ (unsigned)part) * 16777619u, h ^= h >> 13;
    return (int)(h >> 7 & 255);
}

static long long outside_to_inside(cudaTextureAddressMode mode, long long i, long long n)
{
    const long long period = mode == cudaAddressModeWrap ? n : 2 * n;
    if (mode == cudaAddressModeWrap || mode == cudaAddressModeMirror) {
        i = (i % period + period) % period;
        return i < n ? i : 2 * n - 1 - i;
    }
    if (mode == cudaAddressModeBorder && (i < 0 || i >= n))
        return -1;
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

struct reading {
    long long index[2];
    double weight[2];
};

static reading read_axis(const manner &manner, double x, int n)
{
    cudaTextureAddressMode mode = manner.mode;
    if (n == 0)
        return {{0, 0}, {1, 0}};
    if (manner.normalised)
        x = (double)(float)x * n;
    else if (mode == cudaAddressModeWrap || mode == cudaAddressModeMirror)
        mode = cudaAddressModeClamp;
    if (!manner.linear)
        return {{outside_to_inside(mode, (long long)std::floor(x), n), 0}, {1, 0}};
    const double at = std::floor((x - 0.5) * 256 + 0.5) / 256;
    const long long i = (long long)std::floor(at);
    return {{outside_to_inside(mode, i, n), outside_to_inside(mode, i + 1, n)},
            {1 - (at - i), at - i}};
}

/* Does a point lie so near the edge of a texel, along a dimension, that a card may round it to the
 * other side? It counts in 256ths of a texel. */
static bool on_edge(double x, int n, bool normalised)
{
    const double at = normalised ? (double)(float)x * n : x;
    return n && std::fabs(at - std::round(at)) < 1.0 / 128;
}

static const float border[4] = {9, 8, 7, 6}, border_of_unit[4] = {1, 1, 1, 1};

/* `at`: x, y, z; or a layer in w. */
static double sampled(const image &image, const manner &manner, geometry geometry, float4 at, int c)
{
    const bool layered = geometry == LINES || geometry == PLANES;
    const bool flat = geometry == LINE || geometry == LINES;
    const reading rx = read_axis(manner, at.x, image.width);
    const reading ry = read_axis(manner, at.y, flat ? 0 : image.height);
    const reading rz = read_axis(manner, at.z, geometry == VOLUME ? image.depth : 0);
    double sum = 0;
    for (int corner = 0; corner < 8; corner++) {
        const int i = corner & 1, j = corner >> 1 & 1, k = corner >> 2;
        const double weight = rx.weight[i] * ry.weight[j] * rz.weight[k];
        const long long x = rx.index[i], y = ry.index[j];
        const long long layer = at.w < image.depth ? (long long)at.w : image.depth - 1;
        const long long z = layered ? layer : rz.index[k];
        if (weight == 0)
            continue;
        const float *texel =
            x < 0 || y < 0 || z < 0
                ? image.unit ? border_of_unit : border
                : &image.texels[(z * (image.height ? image.height : 1) + y) * image.width + x].x;
        sum += weight * texel[c];
    }
    return sum;
}

__global__ void sample(cudaTextureObject_t texture, int geometry, const float4 *at, int n,
                       float4 *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float4 p = at[i];
    switch (geometry) {
    case LINE:
        out[i] = tex1D<float4>(texture, p.x);
        break;
    case PLANE:
        out[i] = tex2D<float4>(texture, p.x, p.y);
        break;
    case VOLUME:
        out[i] = tex3D<float4>(texture, p.x, p.y, p.z);
        break;
    case LINES:
        out[i] = tex1DLayered<float4>(texture, p.x, (int)p.w);
        break;
    default:
        out[i] = tex2DLayered<float4>(texture, p.x, p.y, (int)p.w);
    }
}

static cudaTextureDesc description(const manner &manner, cudaTextureReadMode reads)
{
    cudaTextureDesc description = {};
    for (cudaTextureAddressMode &mode : description.addressMode)
        mode = manner.mode;
    description.filterMode = manner.linear ? cudaFilterModeLinear : cudaFilterModePoint;
    description.readMode = reads;
    description.normalizedCoords = manner.normalised;
    memcpy(description.borderColor, border, sizeof(border));
    return description;
}

static cudaTextureObject_t texture_of(const cudaResourceDesc &resource, const manner &manner,
                                      cudaTextureReadMode reads)
{
    const cudaTextureDesc described = description(manner, reads);
    cudaTextureObject_t texture = 0;
    EXPECT_SUCCESS(cudaCreateTextureObject(&texture, &resource, &described, NULL));
    return texture;
}

static cudaResourceDesc resource_of(cudaArray_t array)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    return resource;
}

/* Coordinates along one dimension: inside, at the edges, and far outside. */
static float coordinate(int k, int n, bool normalised)
{
    static const float near_edges[] = {-2.3f, -0.501f, -0.5f, -0.001f, 0,     0.25f,
                                       0.49f, 0.5f,    0.75f, 1,       1.26f, 1.502f};
    const int count = sizeof(near_edges) / sizeof(near_edges[0]);
    const float x = k % 3 == 0   ? near_edges[k / 3 % count]
                    : k % 3 == 1 ? n - near_edges[k / 3 % count]
                                 : 0.37f * (float)(k % (3 * n)) + 0.013f;
    /* A border of one texel: elsewhere three times around. */
    return normalised ? x / n + (k % 7 == 0 ? 2 : k % 11 == 0 ? -3 : 0) : x;
}

/* Fetch at many places, and compare with the CPU. */
static void compare(const char *what, cudaTextureObject_t texture, const image &image,
                    const manner &manner, geometry geometry)
{
    const int n = 1500;
    std::vector<float4> at(n), out(n);
    float4 *d_at, *d_out;
    int dimensions = geometry == LINE || geometry == LINES ? 1 : geometry == VOLUME ? 3 : 2;

    /* Between the border and the end of a line an H200 gives something else; nobody says what. */
    if (!modelled && geometry == LINE && manner.linear && manner.mode == cudaAddressModeBorder)
        return;
    for (int i = 0; i < n; i++) {
        at[i].x = coordinate(i, image.width, manner.normalised);
        at[i].y = coordinate(i / 5 + 1, image.height ? image.height : 1, manner.normalised);
        at[i].z = coordinate(i / 7 + 2, image.depth ? image.depth : 1, manner.normalised);
        at[i].w = (float)(i % (image.depth + 3)); /* past the last layer that one counts */
    }
    EXPECT_SUCCESS(cudaMalloc(&d_at, n * sizeof(float4)));
    EXPECT_SUCCESS(cudaMalloc(&d_out, n * sizeof(float4)));
    EXPECT_SUCCESS(cudaMemcpy(d_at, at.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
    EXPECT_LAUNCH(cudaSuccess, sample<<<(n + 127) / 128, 128>>>(texture, geometry, d_at, n, d_out));
    EXPECT_SUCCESS(cudaMemcpy(out.data(), d_out, n * sizeof(float4), cudaMemcpyDeviceToHost));
    double range = 0, worst = 0;
    int worst_at = 0;
    for (const float4 &texel : image.texels)
        range = std::max(range, std::fabs((double)texel.x)); /* fmax() ends GCC 12.2 for AArch64 */
    range = 2 * std::fmax(range, border[0]);
    const double tolerance = modelled        ? 1e-6 * range
                             : manner.linear ? (dimensions + 0.1) * range / 256
                                             : 1e-6 * range;
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 4; c++) {
            if (!modelled && !manner.linear &&
                (on_edge(at[i].x, image.width, manner.normalised) ||
                 on_edge(at[i].y, dimensions > 1 ? image.height : 0, manner.normalised) ||
                 on_edge(at[i].z, dimensions > 2 ? image.depth : 0, manner.normalised)))
                continue;
            const double wanted = sampled(image, manner, geometry, at[i], c);
            const double error = std::fabs((&out[i].x)[c] - wanted);
            if (!(error <= worst)) {
                worst = error;
                worst_at = i;
            }
        }
    if (!(worst <= tolerance)) {
        const float4 p = at[worst_at];
        failures++;
        std::printf("%s, mode %d, %s, %s: off by %g at (%g, %g, %g, %g), allowed %g\n", what,
                    manner.mode, manner.linear ? "linear" : "point",
                    manner.normalised ? "normalised" : "by texel", worst, p.x, p.y, p.z, p.w,
                    tolerance);
    }
    EXPECT_SUCCESS(cudaFree(d_at));
    EXPECT_SUCCESS(cudaFree(d_out));
}

static const manner manners[] = {
    {cudaAddressModeClamp, false, false},  {cudaAddressModeClamp, true, false},
    {cudaAddressModeBorder, false, false}, {cudaAddressModeBorder, true, false},
    {cudaAddressModeClamp, false, true},   {cudaAddressModeClamp, true, true},
    {cudaAddressModeBorder, true, true},   {cudaAddressModeWrap, false, true},
    {cudaAddressModeWrap, true, true},     {cudaAddressModeMirror, false, true},
    {cudaAddressModeMirror, true, true},   {cudaAddressModeWrap, true, false},
};

/* Every address mode and filter, of float4 texels. */
static void floats(geometry geometry, int width, int height, int depth)
{
    static const char *const names[] = {"line", "plane", "volume", "lines", "planes"};
    const bool layered = geometry == LINES || geometry == PLANES;
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float4>();
    image image = {width, height, depth, {}};
    cudaArray_t array;

    for (int z = 0; z < (depth ? depth : 1); z++)
        for (int y = 0; y < (height ? height : 1); y++)
            for (int x = 0; x < width; x++)
                image.texels.push_back(make_float4(noise(x, y, z, 0), -noise(x, y, z, 1),
                                                   noise(x, y, z, 2) / 3.f, noise(x, y, z, 3)));
    EXPECT_SUCCESS(cudaMalloc3DArray(&array, &desc, make_cudaExtent(width, height, depth),
                                     layered ? cudaArrayLayered : 0));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(image.texels.data(), width * sizeof(float4), width,
                                      height ? height : 1);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(width, height ? height : 1, depth ? depth : 1);
    copy.kind = cudaMemcpyHostToDevice;
    EXPECT_SUCCESS(cudaMemcpy3D(&copy));
    for (const manner &manner : manners) {
        const cudaTextureObject_t texture =
            texture_of(resource_of(array), manner, cudaReadModeElementType);
        compare(names[geometry], texture, image, manner, geometry);
        EXPECT_SUCCESS(cudaDestroyTextureObject(texture));
    }
    EXPECT_SUCCESS(cudaFreeArray(array));
}

/* Texels of type T, made from noise and read as floats: what a normalised read gives. */
template <typename T, typename C> static void normalised(const char *what, double largest)
{
    enum { WIDTH = 13, HEIGHT = 9, CHANNELS = sizeof(T) / sizeof(C) };
    const bool is_signed = (C)-1 < 0;
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<T>();
    std::vector<T> texels(WIDTH * HEIGHT);
    image image = {WIDTH, HEIGHT, 0, {}, true};
    cudaArray_t array;
    T *pitched;
    size_t pitch;

    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        float channels[4] = {0, 0, 0, 0};
        for (int c = 0; c < CHANNELS; c++) {
            const C value = (C)(noise(i, 1, 2, c) * (sizeof(C) == 2 ? 257 : 1) -
                                (is_signed ? sizeof(C) == 2 ? 32768 : 128 : 0));
            reinterpret_cast<C *>(&texels[i])[c] = value;
            channels[c] = (float)std::fmax((double)value / largest, -1);
        }
        image.texels.push_back(make_float4(channels[0], channels[1], channels[2], channels[3]));
    }
    EXPECT_SUCCESS(cudaMallocArray(&array, &desc, WIDTH, HEIGHT));
    EXPECT_SUCCESS(cudaMemcpy2DToArray(array, 0, 0, texels.data(), WIDTH * sizeof(T),
                                       WIDTH * sizeof(T), HEIGHT, cudaMemcpyHostToDevice));
    EXPECT_SUCCESS(cudaMallocPitch(&pitched, &pitch, WIDTH * sizeof(T), HEIGHT));
    EXPECT_SUCCESS(cudaMemcpy2DFromArray(pitched, pitch, array, 0, 0, WIDTH * sizeof(T), HEIGHT,
                                         cudaMemcpyDeviceToDevice));
    cudaResourceDesc rows = {};
    rows.resType = cudaResourceTypePitch2D;
    rows.res.pitch2D = {pitched, desc, WIDTH, HEIGHT, pitch};
    for (const manner &manner : manners) {
        if (CHANNELS < 4 && manner.mode == cudaAddressModeBorder)
            continue; /* which channels such a border has is nobody's promise */
        const cudaTextureObject_t of_array =
            texture_of(resource_of(array), manner, cudaReadModeNormalizedFloat);
        const cudaTextureObject_t of_rows = texture_of(rows, manner, cudaReadModeNormalizedFloat);
        compare(what, of_array, image, manner, PLANE);
        compare(what, of_rows, image, manner, PLANE);
        EXPECT_SUCCESS(cudaDestroyTextureObject(of_array));
        EXPECT_SUCCESS(cudaDestroyTextureObject(of_rows));
    }
    EXPECT_SUCCESS(cudaFree(pitched));
    EXPECT_SUCCESS(cudaFreeArray(array));
}

template <typename T> __global__ void fetch(cudaTextureObject_t texture, int from, int n, T *out)
{
    const int i = threadIdx.x;
    if (i < n)
        out[i] = tex1Dfetch<T>(texture, from + i);
}

__global__ void read_elements(cudaTextureObject_t texture, int width, char4 *out)
{
    const int i = threadIdx.x;
    out[i] = tex2D<char4>(texture, i % width + 0.5f, i / width + 0.5f);
}

/* Linear memory by index, 0 outside of it, and integers as they are. */
static void elements()
{
    enum { N = 50, ROOM = 70 };
    int2 in[N], out[ROOM], *d_in, *d_out;
    char4 small[N], small_out[N], *d_small;
    cudaArray_t array;

    for (int i = 0; i < N; i++) {
        in[i] = make_int2(noise(i, 0, 0, 0) - 128, i * 1000003);
        small[i] = make_char4(i, -i, i - 60, 127 - i);
    }
    EXPECT_SUCCESS(cudaMalloc(&d_in, sizeof(in)));
    EXPECT_SUCCESS(cudaMalloc(&d_out, sizeof(out)));
    EXPECT_SUCCESS(cudaMalloc(&d_small, sizeof(small)));
    EXPECT_SUCCESS(cudaMemcpy(d_in, in, sizeof(in), cudaMemcpyHostToDevice));
    cudaResourceDesc linear = {};
    linear.resType = cudaResourceTypeLinear;
    linear.res.linear = {d_in, cudaCreateChannelDesc<int2>(), sizeof(in)};
    const manner point = {cudaAddressModeClamp, false, false};
    cudaTextureObject_t texture = texture_of(linear, point, cudaReadModeElementType);
    EXPECT_LAUNCH(cudaSuccess, fetch<int2><<<1, 128>>>(texture, -10, ROOM, d_out));
    EXPECT_SUCCESS(cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost));
    for (int i = 0; i < ROOM; i++) {
        const bool inside = i >= 10 && i < 10 + N;
        EXPECT(out[i].x == (inside ? in[i - 10].x : 0) && out[i].y == (inside ? in[i - 10].y : 0));
    }

    cudaResourceDesc resource;
    cudaTextureDesc described;
    EXPECT_SUCCESS(cudaGetTextureObjectResourceDesc(&resource, texture));
    EXPECT(resource.resType == cudaResourceTypeLinear && resource.res.linear.devPtr == d_in &&
           resource.res.linear.sizeInBytes == sizeof(in));
    EXPECT_SUCCESS(cudaGetTextureObjectTextureDesc(&described, texture));
    EXPECT(described.addressMode[0] == cudaAddressModeClamp);
    EXPECT_SUCCESS(cudaDestroyTextureObject(texture));

    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<char4>();
    EXPECT_SUCCESS(cudaMallocArray(&array, &desc, 10, 5));
    EXPECT_SUCCESS(cudaMemcpy2DToArray(array, 0, 0, small, 40, 40, 5, cudaMemcpyHostToDevice));
    texture = texture_of(resource_of(array), point, cudaReadModeElementType);
    EXPECT_LAUNCH(cudaSuccess, read_elements<<<1, N>>>(texture, 10, d_small));
    EXPECT_SUCCESS(cudaMemcpy(small_out, d_small, sizeof(small), cudaMemcpyDeviceToHost));
    EXPECT(memcmp(small, small_out, sizeof(small)) == 0);
    EXPECT_SUCCESS(cudaDestroyTextureObject(texture));
    EXPECT_SUCCESS(cudaFreeArray(array));
    EXPECT_SUCCESS(cudaFree(d_in));
    EXPECT_SUCCESS(cudaFree(d_out));
    EXPECT_SUCCESS(cudaFree(d_small));
}

__global__ void gather(cudaTextureObject_t texture, float x, float y, float4 *out)
{
    out[0] = tex2Dgather<float4>(texture, x, y, 0);
    out[1] = tex2Dgather<float4>(texture, x, y, 1);
    out[2] = tex2Dgather<float4>(texture, x, y, 3);
}

/* One channel of four neighbours, as floats of bytes, at an edge and at a border. */
static void gathers()
{
    enum { SIZE = 4 };
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<uchar2>();
    const manner border_manner = {cudaAddressModeBorder, false, true};
    uchar2 in[SIZE][SIZE];
    cudaResourceDesc resource = {};
    float4 *d_out, out[3];

    for (int y = 0; y < SIZE; y++)
        for (int x = 0; x < SIZE; x++)
            in[y][x] = make_uchar2((unsigned char)(16 * y + x), (unsigned char)noise(x, y, 0, 0));
    resource.resType = cudaResourceTypeArray;
    EXPECT_SUCCESS(cudaMalloc(&d_out, sizeof(out)));
    EXPECT_SUCCESS(
        cudaMallocArray(&resource.res.array.array, &desc, SIZE, SIZE, cudaArrayTextureGather));
    EXPECT_SUCCESS(cudaMemcpy2DToArray(resource.res.array.array, 0, 0, in, sizeof(in[0]),
                                       sizeof(in[0]), SIZE, cudaMemcpyHostToDevice));
    const cudaTextureObject_t texture =
        texture_of(resource, border_manner, cudaReadModeNormalizedFloat);
    for (int step = 0; step < 4; step++) {
        const int x = step, y = 4 - step; /* the right and lower ones of the four */
        gather<<<1, 1>>>(texture, x / 4.0f, y / 4.0f, d_out);
        EXPECT_SUCCESS(cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost));
        const int at[4][2] = {{x - 1, y}, {x, y}, {x, y - 1}, {x - 1, y - 1}};
        for (int i = 0; i < 4; i++) {
            const bool inside = at[i][0] >= 0 && at[i][1] < SIZE;
            const uchar2 texel = inside ? in[at[i][1]][at[i][0]] : make_uchar2(255, 255);
            EXPECT(std::fabs((&out[0].x)[i] - texel.x / 255.0f) < 1e-6f);
            EXPECT(std::fabs((&out[1].x)[i] - texel.y / 255.0f) < 1e-6f);
        }
    }
    EXPECT_SUCCESS(cudaDestroyTextureObject(texture));
    EXPECT_SUCCESS(cudaFreeArray(resource.res.array.array));
    EXPECT_SUCCESS(cudaFree(d_out));
}

/* Parts of arrays, from one to another and back. */
static void copies()
{
    enum { WIDTH = 37, HEIGHT = 21 };
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<short2>();
    static short2 in[HEIGHT][WIDTH], out[HEIGHT][WIDTH];
    const size_t row = sizeof(in[0]);
    cudaChannelFormatDesc described;
    cudaExtent extent;
    unsigned flags;
    cudaArray_t a, b;

    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            in[y][x] = make_short2(x * 100 + y, -noise(x, y, 0, 0));
    EXPECT_SUCCESS(cudaMallocArray(&a, &desc, WIDTH, HEIGHT));
    EXPECT_SUCCESS(cudaMallocArray(&b, &desc, WIDTH + 5, HEIGHT + 3));
    EXPECT_SUCCESS(cudaArrayGetInfo(&described, &extent, &flags, a));
    EXPECT(described.x == 16 && described.y == 16 && described.z == 0 &&
           described.f == cudaChannelFormatKindSigned);
    EXPECT(extent.width == WIDTH && extent.height == HEIGHT && extent.depth == 0 && flags == 0);
    EXPECT_SUCCESS(cudaGetChannelDesc(&described, b));
    EXPECT(described.y == 16 && described.w == 0);

    EXPECT_SUCCESS(cudaMemcpy2DToArray(a, 0, 0, in, row, row, HEIGHT, cudaMemcpyHostToDevice));
    EXPECT_SUCCESS(cudaMemcpy2DArrayToArray(b, 12, 2, a, 0, 0, row, HEIGHT));
    EXPECT_SUCCESS(cudaMemcpy2DFromArray(out, row, b, 12, 2, row, HEIGHT, cudaMemcpyDeviceToHost));
    EXPECT(memcmp(in, out, sizeof(in)) == 0);
    memset(out, 0, sizeof(out));
    EXPECT_SUCCESS(
        cudaMemcpy2DFromArray(&out[4][3], row, b, 12 + 20, 2 + 6, 8, 3, cudaMemcpyDeviceToHost));
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            const bool copied = x >= 3 && x < 5 && y >= 4 && y < 7;
            EXPECT(copied ? out[y][x].x == in[y + 2][x + 2].x : out[y][x].x == 0);
        }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    EXPECT_SUCCESS(
        cudaMemcpyToArray(a, 8, 1, &in[1][2], sizeof(in) - row - 8, cudaMemcpyHostToDevice));
    EXPECT_SUCCESS(cudaMemcpyFromArray(out, a, 0, 0, sizeof(out), cudaMemcpyDeviceToHost));
    EXPECT(memcmp(in, out, sizeof(in)) == 0);
#pragma GCC diagnostic pop

    EXPECT_ERROR(cudaErrorInvalidValue,
                 cudaMemcpy2DToArray(a, 4, 0, in, row, row, HEIGHT, cudaMemcpyHostToDevice));
    EXPECT_ERROR(cudaErrorInvalidValue,
                 cudaMemcpy2DToArray(a, 0, 1, in, row, row, HEIGHT, cudaMemcpyHostToDevice));
    EXPECT_SUCCESS(cudaFreeArray(a));
    EXPECT_SUCCESS(cudaFreeArray(b));
    EXPECT_SUCCESS(cudaFreeArray(NULL));
}

static void refusals()
{
    const manner clamp = {cudaAddressModeClamp, false, false};
    const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
    const cudaChannelFormatDesc three =
        cudaCreateChannelDesc(32, 32, 32, 0, cudaChannelFormatKindFloat);
    const cudaChannelFormatDesc mixed =
        cudaCreateChannelDesc(8, 16, 0, 0, cudaChannelFormatKindUnsigned);
    cudaTextureDesc described = description(clamp, cudaReadModeElementType);
    cudaResourceDesc linear = {}, rows = {};
    cudaTextureObject_t texture = 0;
    cudaArray_t array;
    char *memory;
    int widest, tallest, longest, alignment;

    EXPECT_SUCCESS(cudaDeviceGetAttribute(&widest, cudaDevAttrMaxTexture2DWidth, 0));
    EXPECT_SUCCESS(cudaDeviceGetAttribute(&tallest, cudaDevAttrMaxTexture2DHeight, 0));
    EXPECT_SUCCESS(cudaDeviceGetAttribute(&longest, cudaDevAttrMaxTexture1DWidth, 0));
    EXPECT_SUCCESS(cudaDeviceGetAttribute(&alignment, cudaDevAttrTextureAlignment, 0));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMallocArray(&array, &floats, 0, 4));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMallocArray(&array, &floats, (size_t)widest + 1, 4));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMallocArray(&array, &floats, 4, (size_t)tallest + 1));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMallocArray(&array, &floats, (size_t)longest + 1));
    EXPECT_ERROR(cudaErrorInvalidChannelDescriptor, cudaMallocArray(&array, &three, 4, 4));
    EXPECT_ERROR(cudaErrorInvalidChannelDescriptor, cudaMallocArray(&array, &mixed, 4, 4));

    size_t elements = 0;
    EXPECT_SUCCESS(cudaDeviceGetTexture1DLinearMaxWidth(&elements, &floats, 0));
    EXPECT(elements >= 1 << 27);
    EXPECT_ERROR(cudaErrorInvalidDevice,
                 cudaDeviceGetTexture1DLinearMaxWidth(&elements, &floats, 999));

    EXPECT_SUCCESS(cudaMalloc(&memory, 64 * 1024));
    linear.resType = cudaResourceTypeLinear;
    linear.res.linear = {memory + alignment / 2, floats, 1024};
    EXPECT_ERROR(cudaErrorInvalidValue,
                 cudaCreateTextureObject(&texture, &linear, &described, NULL));
    linear.res.linear.devPtr = memory;
    described.addressMode[0] = (cudaTextureAddressMode)7;
    EXPECT_ERROR(cudaErrorInvalidValue,
                 cudaCreateTextureObject(&texture, &linear, &described, NULL));
    described.addressMode[0] = cudaAddressModeClamp;
    rows.resType = cudaResourceTypePitch2D;
    rows.res.pitch2D = {memory, floats, 16, 16, 64 + 8};
    EXPECT_ERROR(cudaErrorInvalidValue, cudaCreateTextureObject(&texture, &rows, &described, NULL));
    rows.res.pitch2D.pitchInBytes = 512;
    rows.res.pitch2D.desc = cudaCreateChannelDesc<uchar4>();
    described.filterMode = cudaFilterModeLinear;
    EXPECT_ERROR(cudaErrorInvalidFilterSetting,
                 cudaCreateTextureObject(&texture, &rows, &described, NULL));
    described.readMode = cudaReadModeNormalizedFloat;
    EXPECT_SUCCESS(cudaCreateTextureObject(&texture, &rows, &described, NULL));
    EXPECT_SUCCESS(cudaDestroyTextureObject(texture));
    EXPECT_SUCCESS(cudaFree(memory));
}

int main()
{
    int value = 0;
    modelled = cudaDeviceGetAttribute(&value, (cudaDeviceAttr)ATTRIBUTE_MODELLED, 0) == cudaSuccess;
    (void)cudaGetLastError();
    floats(LINE, 23, 0, 0);
    floats(PLANE, 17, 12, 0);
    floats(VOLUME, 7, 10, 5);
    floats(LINES, 19, 0, 4);
    floats(PLANES, 9, 11, 3);
    normalised<uchar4, unsigned char>("uchar4", 255);
    normalised<char2, signed char>("char2", 127);
    normalised<ushort2, unsigned short>("ushort2", 65535);
    normalised<short4, short>("short4", 32767);
    normalised<unsigned char, unsigned char>("uchar", 255);
    elements();
    int major;
    EXPECT_SUCCESS(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    if (major >= 2)
        gathers();
    copies();
    refusals();
    return finish();
}
