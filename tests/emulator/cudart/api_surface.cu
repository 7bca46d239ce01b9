/* SPDX-License-Identifier: MIT */
/* Surface objects: the bytes of arrays, read and written by kernels. */
#include <cstring>

#include "expect.h"

enum { WIDTH = 20, HEIGHT = 10, DEPTH = 3 };

static cudaArray_t make_array(cudaChannelFormatDesc desc, cudaExtent extent, unsigned flags)
{
    cudaArray_t array = nullptr;
    EXPECT_SUCCESS(cudaMalloc3DArray(&array, &desc, extent, flags));
    return array;
}

static cudaSurfaceObject_t make_surface(cudaArray_t array)
{
    cudaSurfaceObject_t surface = 0;
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    EXPECT_SUCCESS(cudaCreateSurfaceObject(&surface, &resource));
    return surface;
}

/* Each texel becomes its number, and is read again in the next launch. */
template <typename T> __global__ void number_1d(cudaSurfaceObject_t surface)
{
    const int x = threadIdx.x;
    surf1Dwrite((T)x, surface, x * (int)sizeof(T));
}

template <typename T> __global__ void number_2d(cudaSurfaceObject_t surface)
{
    const int x = threadIdx.x, y = blockIdx.x;
    surf2Dwrite((T)(y * WIDTH + x), surface, x * (int)sizeof(T), y);
}

__global__ void number_vectors(cudaSurfaceObject_t surface)
{
    const int x = threadIdx.x, y = blockIdx.x;
    surf2Dwrite(make_float4(x, y, -x, 0.5F), surface, x * (int)sizeof(float4), y);
}

__global__ void number_3d(cudaSurfaceObject_t surface)
{
    const int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
    surf3Dwrite((z * HEIGHT + y) * WIDTH + x, surface, x * 4, y, z);
}

__global__ void number_layers(cudaSurfaceObject_t flat, cudaSurfaceObject_t lines)
{
    const int x = threadIdx.x, y = blockIdx.x, layer = blockIdx.y;
    surf2DLayeredwrite((layer * HEIGHT + y) * WIDTH + x, flat, x * 4, y, layer);
    if (y == 0)
        surf1DLayeredwrite(layer * WIDTH + x, lines, x * 4, layer);
}

template <typename T> static void expect_rows(cudaArray_t array, size_t rows)
{
    T found[WIDTH * HEIGHT];

    EXPECT_SUCCESS(cudaMemcpy2DFromArray(found, WIDTH * sizeof(T), array, 0, 0, WIDTH * sizeof(T),
                                         rows, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < WIDTH * rows; i++)
        if (found[i] != (T)i) {
            failures++;
            std::printf("texel %zu of %zu bytes is %lld\n", i, sizeof(T), (long long)found[i]);
            return;
        }
}

template <typename T> static void test_type()
{
    cudaArray_t lines = make_array(cudaCreateChannelDesc<T>(), make_cudaExtent(WIDTH, 0, 0),
                                   cudaArraySurfaceLoadStore);
    cudaArray_t flat = make_array(cudaCreateChannelDesc<T>(), make_cudaExtent(WIDTH, HEIGHT, 0),
                                  cudaArraySurfaceLoadStore);
    cudaSurfaceObject_t on_lines = make_surface(lines), on_flat = make_surface(flat);

    EXPECT_LAUNCH(cudaSuccess, number_1d<T><<<1, WIDTH>>>(on_lines));
    expect_rows<T>(lines, 1);
    EXPECT_LAUNCH(cudaSuccess, number_2d<T><<<HEIGHT, WIDTH>>>(on_flat));
    expect_rows<T>(flat, HEIGHT);
    EXPECT_SUCCESS(cudaDestroySurfaceObject(on_lines));
    EXPECT_SUCCESS(cudaDestroySurfaceObject(on_flat));
    EXPECT_SUCCESS(cudaFreeArray(lines));
    EXPECT_SUCCESS(cudaFreeArray(flat));
}

/* Whole float4, of which one texel is read as four floats. */
__global__ void read_parts(cudaSurfaceObject_t surface, float *out)
{
    out[threadIdx.x] =
        surf2Dread<float>(surface, 7 * (int)sizeof(float4) + (int)threadIdx.x * 4, 3);
    const float4 whole = surf2Dread<float4>(surface, 7 * (int)sizeof(float4), 3);
    out[4 + threadIdx.x] = threadIdx.x == 0   ? whole.x
                           : threadIdx.x == 1 ? whole.y
                           : threadIdx.x == 2 ? whole.z
                                              : whole.w;
}

static void test_vectors()
{
    static const float expected[] = {7, 3, -7, 0.5F, 7, 3, -7, 0.5F};
    cudaArray_t array = make_array(cudaCreateChannelDesc<float4>(),
                                   make_cudaExtent(WIDTH, HEIGHT, 0), cudaArraySurfaceLoadStore);
    cudaSurfaceObject_t surface = make_surface(array);
    float *out, found[8];

    EXPECT_SUCCESS(cudaMalloc(&out, sizeof(found)));
    EXPECT_LAUNCH(cudaSuccess, number_vectors<<<HEIGHT, WIDTH>>>(surface));
    EXPECT_LAUNCH(cudaSuccess, read_parts<<<1, 4>>>(surface, out));
    EXPECT_SUCCESS(cudaMemcpy(found, out, sizeof(found), cudaMemcpyDeviceToHost));
    EXPECT(!std::memcmp(found, expected, sizeof(found)));
    EXPECT_SUCCESS(cudaDestroySurfaceObject(surface));
    EXPECT_SUCCESS(cudaFreeArray(array));
    EXPECT_SUCCESS(cudaFree(out));
}

static void expect_volume(cudaArray_t array, cudaExtent extent)
{
    int found[WIDTH * HEIGHT * DEPTH];
    const size_t rows = extent.height ? extent.height : 1;
    cudaMemcpy3DParms copy = {};

    copy.srcArray = array;
    copy.dstPtr = make_cudaPitchedPtr(found, WIDTH * sizeof(int), WIDTH, rows);
    copy.extent = make_cudaExtent(WIDTH, rows, extent.depth);
    copy.kind = cudaMemcpyDeviceToHost;
    EXPECT_SUCCESS(cudaMemcpy3D(&copy));
    for (int i = 0; i < (int)(WIDTH * rows * extent.depth); i++)
        if (found[i] != i) {
            failures++;
            std::printf("texel %d is %d\n", i, found[i]);
            return;
        }
}

static void test_deep()
{
    const cudaExtent extent = make_cudaExtent(WIDTH, HEIGHT, DEPTH),
                     line = make_cudaExtent(WIDTH, 0, DEPTH);
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<int>();
    const unsigned layered = cudaArrayLayered | cudaArraySurfaceLoadStore;
    cudaArray_t volume = make_array(desc, extent, cudaArraySurfaceLoadStore);
    cudaArray_t layers = make_array(desc, extent, layered), lines = make_array(desc, line, layered);
    cudaSurfaceObject_t surface = make_surface(volume), flat = make_surface(layers),
                        thin = make_surface(lines);

    EXPECT_LAUNCH(cudaSuccess, number_3d<<<dim3(HEIGHT, DEPTH), WIDTH>>>(surface));
    expect_volume(volume, extent);
    EXPECT_LAUNCH(cudaSuccess, number_layers<<<dim3(HEIGHT, DEPTH), WIDTH>>>(flat, thin));
    expect_volume(layers, extent);
    expect_volume(lines, line);
    for (cudaSurfaceObject_t each : {surface, flat, thin})
        EXPECT_SUCCESS(cudaDestroySurfaceObject(each));
    for (cudaArray_t each : {volume, layers, lines})
        EXPECT_SUCCESS(cudaFreeArray(each));
}

__global__ void beyond(cudaSurfaceObject_t surface, int *out)
{
    const int at[] = {-8, -4, 0, 4 * (WIDTH - 1), 4 * WIDTH, 1000};
    for (int i = 0; i < 6; i++) {
        out[i] = surf2Dread<int>(surface, at[i], 1, cudaBoundaryModeZero);
        out[6 + i] = surf2Dread<int>(surface, at[i], 1, cudaBoundaryModeClamp);
        out[12 + i] = surf2Dread<int>(surface, 0, i - 2 + (i > 2) * HEIGHT, cudaBoundaryModeClamp);
    }
    surf2Dwrite(-1, surface, -4, 2, cudaBoundaryModeZero);
    surf2Dwrite(-1, surface, 4, HEIGHT, cudaBoundaryModeZero);
    surf2Dwrite(-2, surface, 4 * WIDTH, 2, cudaBoundaryModeClamp);
}

static void test_boundaries()
{
    static const int expected[] = {0,
                                   0,
                                   WIDTH,
                                   2 * WIDTH - 1,
                                   0,
                                   0,
                                   WIDTH,
                                   WIDTH,
                                   WIDTH,
                                   2 * WIDTH - 1,
                                   2 * WIDTH - 1,
                                   2 * WIDTH - 1,
                                   0,
                                   0,
                                   0,
                                   9 * WIDTH,
                                   9 * WIDTH,
                                   9 * WIDTH};
    cudaArray_t array = make_array(cudaCreateChannelDesc<int>(), make_cudaExtent(WIDTH, HEIGHT, 0),
                                   cudaArraySurfaceLoadStore);
    cudaSurfaceObject_t surface = make_surface(array);
    int *out, found[18], row[WIDTH];

    EXPECT_SUCCESS(cudaMalloc(&out, sizeof(found)));
    EXPECT_LAUNCH(cudaSuccess, number_2d<int><<<HEIGHT, WIDTH>>>(surface));
    EXPECT_LAUNCH(cudaSuccess, beyond<<<1, 1>>>(surface, out));
    EXPECT_SUCCESS(cudaMemcpy(found, out, sizeof(found), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 18; i++)
        if (found[i] != expected[i])
            failures++, std::printf("number %d is %d, not %d\n", i, found[i], expected[i]);
    EXPECT_SUCCESS(cudaMemcpy2DFromArray(row, sizeof(row), array, 0, 2, sizeof(row), 1,
                                         cudaMemcpyDeviceToHost));
    EXPECT(row[0] == 2 * WIDTH && row[1] == 2 * WIDTH + 1 && row[WIDTH - 1] == -2);
    EXPECT_SUCCESS(cudaDestroySurfaceObject(surface));
    EXPECT_SUCCESS(cudaFreeArray(array));
    EXPECT_SUCCESS(cudaFree(out));
}

__global__ void fetch_all(cudaTextureObject_t texture, int *out)
{
    out[blockIdx.x * WIDTH + threadIdx.x] =
        tex2D<int>(texture, (float)threadIdx.x + 0.5F, (float)blockIdx.x + 0.5F);
}

/* What one launch writes through a surface, the next fetches through a texture. */
static void test_texture()
{
    cudaArray_t array = make_array(cudaCreateChannelDesc<int>(), make_cudaExtent(WIDTH, HEIGHT, 0),
                                   cudaArraySurfaceLoadStore);
    cudaSurfaceObject_t surface = make_surface(array);
    cudaTextureObject_t texture;
    cudaResourceDesc resource = {};
    const cudaTextureDesc sampling = {};
    int *out, found[WIDTH * HEIGHT];

    EXPECT_SUCCESS(cudaGetSurfaceObjectResourceDesc(&resource, surface));
    EXPECT(resource.resType == cudaResourceTypeArray && resource.res.array.array == array);
    EXPECT_SUCCESS(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr));
    EXPECT_SUCCESS(cudaMalloc(&out, sizeof(found)));
    EXPECT_LAUNCH(cudaSuccess, number_2d<int><<<HEIGHT, WIDTH>>>(surface));
    EXPECT_LAUNCH(cudaSuccess, fetch_all<<<HEIGHT, WIDTH>>>(texture, out));
    EXPECT_SUCCESS(cudaMemcpy(found, out, sizeof(found), cudaMemcpyDeviceToHost));
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        EXPECT(found[i] == i);
    EXPECT_SUCCESS(cudaDestroyTextureObject(texture));
    EXPECT_SUCCESS(cudaDestroySurfaceObject(surface));
    EXPECT_SUCCESS(cudaFreeArray(array));
    EXPECT_SUCCESS(cudaFree(out));
}

enum { SIDE = 4, FACES = 6, CUBES = 3 };

/* The direction of a point on a face, whose coordinates go from -1 to 1. */
static __device__ float3 direction_of(int face, float s, float t)
{
    switch (face) {
    case 0:
        return make_float3(1, -t, -s);
    case 1:
        return make_float3(-1, -t, s);
    case 2:
        return make_float3(s, 1, t);
    case 3:
        return make_float3(s, -1, -t);
    case 4:
        return make_float3(s, -t, 1);
    default:
        return make_float3(-s, -t, -1);
    }
}

__global__ void number_cubes(cudaSurfaceObject_t cube, cudaSurfaceObject_t cubes)
{
    const int x = threadIdx.x, y = threadIdx.y, face = blockIdx.x, layer = blockIdx.y;
    const float number = ((layer * FACES + face) * SIDE + y) * SIDE + x;

    surfCubemapLayeredwrite(number, cubes, x * 4, y, layer * FACES + face);
    if (layer == 0)
        surfCubemapwrite(number, cube, x * 4, y, face);
}

/* Each texel, from a point near its middle that is `scale` away. */
__global__ void fetch_cubes(cudaTextureObject_t cube, cudaTextureObject_t cubes, float scale,
                            float off, float *out)
{
    const int x = threadIdx.x, y = threadIdx.y, face = blockIdx.x, layer = blockIdx.y;
    const float3 at =
        direction_of(face, (2 * x + 1 + off) / SIDE - 1, (2 * y + 1 - off) / SIDE - 1);
    float *place = &out[2 * (((layer * FACES + face) * SIDE + y) * SIDE + x)];

    place[0] = texCubemap<float>(cube, scale * at.x, scale * at.y, scale * at.z);
    place[1] = texCubemapLayered<float>(cubes, scale * at.x, scale * at.y, scale * at.z, layer);
}

static cudaTextureObject_t cube_texture(cudaArray_t array, bool linear)
{
    cudaTextureObject_t texture;
    cudaResourceDesc resource = {};
    cudaTextureDesc sampling = {};

    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    sampling.normalizedCoords = 1;
    sampling.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    EXPECT_SUCCESS(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr));
    return texture;
}

static void expect_cubes(cudaArray_t cube, cudaArray_t cubes, bool linear, float scale, float off)
{
    enum { TEXELS = CUBES * FACES * SIDE * SIDE };
    cudaTextureObject_t one = cube_texture(cube, linear), many = cube_texture(cubes, linear);
    float *out, found[2 * TEXELS];
    int wrong = 0;

    EXPECT_SUCCESS(cudaMalloc(&out, sizeof(found)));
    EXPECT_LAUNCH(cudaSuccess, fetch_cubes<<<dim3(FACES, CUBES), dim3(SIDE, SIDE)>>>(
                                   one, many, scale, off, out));
    EXPECT_SUCCESS(cudaMemcpy(found, out, sizeof(found), cudaMemcpyDeviceToHost));
    for (int i = 0; i < TEXELS; i++) {
        wrong += found[2 * i] != (float)(i % (FACES * SIDE * SIDE));
        wrong += found[2 * i + 1] != (float)i;
    }
    EXPECT(wrong == 0);
    EXPECT_SUCCESS(cudaDestroyTextureObject(one));
    EXPECT_SUCCESS(cudaDestroyTextureObject(many));
    EXPECT_SUCCESS(cudaFree(out));
}

static void test_cubes()
{
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    const unsigned flags = cudaArrayCubemap | cudaArraySurfaceLoadStore;
    cudaArray_t cube = make_array(desc, make_cudaExtent(SIDE, SIDE, FACES), flags);
    cudaArray_t cubes =
        make_array(desc, make_cudaExtent(SIDE, SIDE, CUBES * FACES), flags | cudaArrayLayered);
    cudaSurfaceObject_t one = make_surface(cube), many = make_surface(cubes);
    cudaArray_t none;

    EXPECT_LAUNCH(cudaSuccess, number_cubes<<<dim3(FACES, CUBES), dim3(SIDE, SIDE)>>>(one, many));
    expect_cubes(cube, cubes, false, 1, 0.5F);
    expect_cubes(cube, cubes, false, 100, -0.5F);
    expect_cubes(cube, cubes, true, 0.25F, 0);
    EXPECT_SUCCESS(cudaDestroySurfaceObject(one));
    EXPECT_SUCCESS(cudaDestroySurfaceObject(many));
    EXPECT_SUCCESS(cudaFreeArray(cube));
    EXPECT_SUCCESS(cudaFreeArray(cubes));
    for (cudaExtent extent : {make_cudaExtent(4, 4, 5), make_cudaExtent(4, 3, 6),
                              make_cudaExtent(4, 4, 0), make_cudaExtent(4, 4, 12)})
        EXPECT_ERROR(cudaErrorInvalidValue, cudaMalloc3DArray(&none, &desc, extent, flags));
}

static void test_errors()
{
    cudaArray_t plain =
        make_array(cudaCreateChannelDesc<int>(), make_cudaExtent(WIDTH, HEIGHT, 0), 0);
    cudaSurfaceObject_t surface;
    cudaResourceDesc resource = {};

    resource.resType = cudaResourceTypeLinear;
    EXPECT_ERROR(cudaErrorInvalidChannelDescriptor, cudaCreateSurfaceObject(&surface, &resource));
    resource.resType = cudaResourceTypeArray;
    EXPECT_ERROR(cudaErrorInvalidValue, cudaCreateSurfaceObject(&surface, nullptr));
    resource.res.array.array = plain;
    EXPECT_SUCCESS(cudaCreateSurfaceObject(&surface, &resource)); /* asked for or not */
    EXPECT_SUCCESS(cudaDestroySurfaceObject(surface));
    EXPECT_SUCCESS(cudaFreeArray(plain));
}

int main()
{
    test_type<unsigned char>();
    test_type<short>();
    test_type<int>();
    test_vectors();
    test_deep();
    test_boundaries();
    test_texture();
    test_cubes();
    test_errors();
    return finish();
}
