/* Planted: textures and surfaces misused. */
#include "planted.h"

enum { THREADS = 64, WIDTH = 16, HEIGHT = 4 };

static cudaTextureObject_t texture_of(const cudaResourceDesc &resource)
{
    const cudaTextureDesc description = {};
    cudaTextureObject_t texture = 0;

    cudaCreateTextureObject(&texture, &resource, &description, NULL);
    return texture;
}

static cudaTextureObject_t texture_of(int *ints)
{
    cudaResourceDesc resource = {};

    resource.resType = cudaResourceTypeLinear;
    resource.res.linear = {ints, cudaCreateChannelDesc<int>(), THREADS * sizeof(int)};
    return texture_of(resource);
}

static cudaTextureObject_t texture_of(cudaArray_t array)
{
    cudaResourceDesc resource = {};

    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    return texture_of(resource);
}

static cudaArray_t pairs(int rows)
{
    static const float2 texels[HEIGHT][WIDTH] = {{{1, 2}}, {{3, 4}}, {{5, 6}}, {{7, 8}}};
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float2>();
    cudaArray_t array = NULL;

    cudaMallocArray(&array, &desc, WIDTH, HEIGHT);
    cudaMemcpy2DToArray(array, 0, 0, texels, sizeof(texels[0]), sizeof(texels[0]), rows,
                        cudaMemcpyHostToDevice);
    return array;
}

/* In place, and through the texture too: the barrier does not reach its cache. */
template <bool REPAIRED>
__global__ void written_texture(cudaTextureObject_t texture, int *ints, int *out)
{
    const int i = threadIdx.x;
    const int before = tex1Dfetch<int>(texture, i);

    (REPAIRED ? out : ints)[i] = 2 * before; // PLANTED: written_texture
    __syncthreads();
    const int next = (i + 1) % THREADS;
    out[THREADS + i] = REPAIRED ? out[next] : tex1Dfetch<int>(texture, next);
}

static void written_texture(bool repaired)
{
    int *ints = device_ints(THREADS, 1), *out = device_ints(2 * THREADS, 0);
    const cudaTextureObject_t texture = texture_of(ints);

    LAUNCH(repaired, written_texture, 1, THREADS, texture, ints, out);
    cudaDestroyTextureObject(texture);
    cudaFree(ints);
    cudaFree(out);
}

/* Many texels; all but the first are fetched, and each but that and the second by two threads. */
enum { TEXELS = 4096 };

template <bool REPAIRED>
__global__ void updated_texels(cudaTextureObject_t texture, int *ints, int *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i > 0)
        out[i] = tex1Dfetch<int>(texture, i);
    if (i > 0 && i + 1 < TEXELS)
        out[i] += tex1Dfetch<int>(texture, i + 1);
    if (i == TEXELS - 1) {
        atomicAdd(&ints[REPAIRED ? 0 : 3], 1); // PLANTED: updated_texels
        if (!REPAIRED) {
            ((char *)ints)[21] = 1;
            *(long long *)ints = 1;
        }
    }
}

__global__ void update_all(int *ints)
{
    ints[blockIdx.x * blockDim.x + threadIdx.x]++;
}

/* The second launch is the same as the first. Another one may write what they have fetched. */
static void updated_texels(bool repaired)
{
    int *ints = device_ints(TEXELS, 1), *out = device_ints(TEXELS, 0);
    cudaResourceDesc resource = {};

    resource.resType = cudaResourceTypeLinear;
    resource.res.linear = {ints, cudaCreateChannelDesc<int>(), TEXELS * sizeof(int)};
    const cudaTextureObject_t texture = texture_of(resource);
    for (int i = 0; i < 2; i++)
        LAUNCH(repaired, updated_texels, TEXELS / 256, 256, texture, ints, out);
    update_all<<<TEXELS / 256, 256>>>(ints);
    cudaDestroyTextureObject(texture);
    cudaFree(ints);
    cudaFree(out);
}

/* What a filter reads beside the texel that is asked for. */
template <bool REPAIRED>
__global__ void filtered_neighbour(cudaTextureObject_t texture, float *floats, float *out)
{
    *out = tex2D<float>(texture, 1, 0.5f);
    floats[REPAIRED ? 2 : 1] = 1; // PLANTED: filtered_neighbour
}

static void filtered_neighbour(bool repaired)
{
    float *floats = (float *)device_ints(THREADS * HEIGHT, 0), *out = (float *)device_ints(1, 0);
    cudaResourceDesc resource = {};
    cudaTextureDesc description = {};
    cudaTextureObject_t texture = 0;

    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D = {floats, cudaCreateChannelDesc<float>(), THREADS, HEIGHT,
                            THREADS * sizeof(float)};
    description.filterMode = cudaFilterModeLinear;
    cudaCreateTextureObject(&texture, &resource, &description, NULL);
    LAUNCH(repaired, filtered_neighbour, 1, 1, texture, floats, out);
    cudaDestroyTextureObject(texture);
    cudaFree(floats);
    cudaFree(out);
}

template <bool REPAIRED> __global__ void unwritten_texels(cudaTextureObject_t texture, float *out)
{
    const int i = threadIdx.x;

    const float2 pair =
        tex2D<float2>(texture, i % WIDTH + 0.5f, i / WIDTH + 0.5f); // PLANTED: unwritten_texels
    out[i] = 1 + pair.y;
}

/* The last row of the array is not copied. */
static void unwritten_texels(bool repaired)
{
    cudaArray_t array = pairs(repaired ? HEIGHT : HEIGHT - 1);
    const cudaTextureObject_t texture = texture_of(array);
    int *out = device_ints(THREADS, 0);

    LAUNCH(repaired, unwritten_texels, 1, THREADS, texture, (float *)out);
    cudaDestroyTextureObject(texture);
    cudaFreeArray(array);
    cudaFree(out);
}

template <bool REPAIRED> __global__ void freed_array(cudaTextureObject_t texture, float *out)
{
    out[threadIdx.x] = tex2D<float2>(texture, threadIdx.x % WIDTH, 0).x; // PLANTED: freed_array
}

static void freed_array(bool repaired)
{
    cudaArray_t array = pairs(HEIGHT);
    const cudaTextureObject_t texture = texture_of(array);
    int *out = device_ints(THREADS, 0);

    if (!repaired)
        cudaFreeArray(array);
    LAUNCH(repaired, freed_array, 1, THREADS, texture, (float *)out);
    cudaDestroyTextureObject(texture);
    if (repaired)
        cudaFreeArray(array);
    cudaFree(out);
}

template <bool REPAIRED> __global__ void destroyed_object(cudaTextureObject_t texture, int *out)
{
    out[threadIdx.x] = tex1Dfetch<int>(texture, threadIdx.x); // PLANTED: destroyed_object
}

static void destroyed_object(bool repaired)
{
    int *ints = device_ints(THREADS, 1), *out = device_ints(THREADS, 0);
    const cudaTextureObject_t texture = texture_of(ints);

    if (!repaired)
        cudaDestroyTextureObject(texture);
    LAUNCH(repaired, destroyed_object, 1, THREADS, texture, out);
    if (repaired)
        cudaDestroyTextureObject(texture);
    cudaFree(ints);
    cudaFree(out);
}

static cudaArray_t surface_array()
{
    static const int texels[WIDTH * HEIGHT] = {};
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<int>();
    cudaArray_t array = NULL;

    cudaMallocArray(&array, &desc, WIDTH, HEIGHT, cudaArraySurfaceLoadStore);
    cudaMemcpy2DToArray(array, 0, 0, texels, WIDTH * sizeof(int), WIDTH * sizeof(int), HEIGHT,
                        cudaMemcpyHostToDevice);
    return array;
}

static cudaSurfaceObject_t surface_of(cudaArray_t array)
{
    cudaResourceDesc resource = {};
    cudaSurfaceObject_t surface = 0;

    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaCreateSurfaceObject(&surface, &resource);
    return surface;
}

/* The texture's cache does not hear of what the surface writes. */
template <bool REPAIRED>
__global__ void written_surface(cudaTextureObject_t texture, cudaSurfaceObject_t surface, int *out)
{
    const int x = threadIdx.x;

    surf2Dwrite(x, surface, x * 4, 0); // PLANTED: written_surface
    out[x] = tex2D<int>(texture, x, REPAIRED ? 1 : 0);
}

static void written_surface(bool repaired)
{
    cudaArray_t array = surface_array();
    const cudaTextureObject_t texture = texture_of(array);
    const cudaSurfaceObject_t surface = surface_of(array);
    int *out = device_ints(THREADS, 0);

    LAUNCH(repaired, written_surface, 1, WIDTH, texture, surface, out);
    cudaDestroyTextureObject(texture);
    cudaDestroySurfaceObject(surface);
    cudaFreeArray(array);
    cudaFree(out);
}

/* A neighbour's texel, and the one behind the last. */
template <bool REPAIRED> __global__ void neighbour_texel(cudaSurfaceObject_t surface)
{
    const int x = threadIdx.x;
    const int there = surf2Dread<int>(surface, (x + 1) % WIDTH * 4, 0);

    if (REPAIRED)
        __syncthreads();
    surf2Dwrite(there, surface, x * 4, 0); // PLANTED: neighbour_texel
}

template <bool REPAIRED> __global__ void outside_surface(cudaSurfaceObject_t surface)
{
    const int x = threadIdx.x;

    surf2Dwrite(x, surface, x * (REPAIRED ? 4 : 8), 1); // PLANTED: outside_surface
}

static void neighbour_texel(bool repaired)
{
    cudaArray_t array = surface_array();
    const cudaSurfaceObject_t surface = surface_of(array);

    LAUNCH(repaired, neighbour_texel, 1, WIDTH, surface);
    cudaDestroySurfaceObject(surface);
    cudaFreeArray(array);
}

static void outside_surface(bool repaired)
{
    cudaArray_t array = surface_array();
    const cudaSurfaceObject_t surface = surface_of(array);

    LAUNCH(repaired, outside_surface, 1, WIDTH, surface);
    cudaDestroySurfaceObject(surface);
    cudaFreeArray(array);
}

static const struct planted cases[] = {
    {"written_texture", written_texture},
    {"updated_texels", updated_texels},
    {"filtered_neighbour", filtered_neighbour},
    {"unwritten_texels", unwritten_texels},
    {"freed_array", freed_array},
    {"destroyed_object", destroyed_object},
    {"written_surface", written_surface},
    {"neighbour_texel", neighbour_texel},
    {"outside_surface", outside_surface},
};

PLANTED_MAIN(cases)
