/* SPDX-License-Identifier: MIT */
/* Mipmapped arrays, and fetches that say at which level or along which gradients. Each level is of
 * its own number, 100 and 100 more for each; a card's fractions of levels are less exact. */
#include "expect.h"

#include <cmath>
#include <vector>

enum { SIZE = 16, LEVELS = 5 };
enum shape { PLANE, LINE, VOLUME, LINES, PLANES, CUBE, CUBES, SHAPES };

/* How levels are chosen. */
struct choice {
    bool blends;
    float bias, least, most;
};

static cudaMipmappedArray_t make(shape shape)
{
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    const bool flat = shape == LINE || shape == LINES;
    const size_t height = flat ? 0 : SIZE;
    const size_t depth = shape == VOLUME                     ? SIZE
                         : shape == LINES || shape == PLANES ? 2
                         : shape == CUBE                     ? 6
                         : shape == CUBES                    ? 12
                                                             : 0;
    const unsigned cube = shape == CUBE || shape == CUBES ? cudaArrayCubemap : 0;
    const unsigned layers =
        shape == LINES || shape == PLANES || shape == CUBES ? cudaArrayLayered : 0;
    cudaMipmappedArray_t mipmap = NULL;

    EXPECT_SUCCESS(cudaMallocMipmappedArray(&mipmap, &desc, make_cudaExtent(SIZE, height, depth),
                                            LEVELS, cube | layers | cudaArraySurfaceLoadStore));
    for (unsigned level = 0; level < LEVELS; level++) {
        cudaMemcpy3DParms copy = {};
        cudaExtent extent;
        EXPECT_SUCCESS(cudaGetMipmappedArrayLevel(&copy.dstArray, mipmap, level));
        EXPECT_SUCCESS(cudaArrayGetInfo(NULL, &extent, NULL, copy.dstArray));
        EXPECT(extent.width == size_t(SIZE) >> level && extent.height == height >> level &&
               extent.depth == (shape == VOLUME ? depth >> level : depth));
        copy.extent = make_cudaExtent(extent.width, extent.height ? extent.height : 1,
                                      extent.depth ? extent.depth : 1);
        std::vector<float> texels(copy.extent.width * copy.extent.height * copy.extent.depth,
                                  100.0f * (float)(level + 1));
        copy.srcPtr = make_cudaPitchedPtr(texels.data(), copy.extent.width * sizeof(float),
                                          copy.extent.width, copy.extent.height);
        copy.kind = cudaMemcpyHostToDevice;
        EXPECT_SUCCESS(cudaMemcpy3D(&copy));
    }
    return mipmap;
}

static cudaTextureObject_t texture_of(cudaMipmappedArray_t mipmap, const choice &choice)
{
    cudaResourceDesc resource = {};
    cudaTextureDesc description = {};
    cudaTextureObject_t texture = 0;

    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = mipmap;
    description.normalizedCoords = 1;
    description.filterMode = cudaFilterModeLinear;
    description.mipmapFilterMode = choice.blends ? cudaFilterModeLinear : cudaFilterModePoint;
    description.mipmapLevelBias = choice.bias;
    description.minMipmapLevelClamp = choice.least;
    description.maxMipmapLevelClamp = choice.most;
    EXPECT_SUCCESS(cudaCreateTextureObject(&texture, &resource, &description, NULL));
    return texture;
}

__global__ void at_level(cudaTextureObject_t texture, int shape, float level, float *out)
{
    const float x = 0.4f, y = 0.3f, z = 0.2f;
    *out = shape == LINE     ? tex1DLod<float>(texture, x, level)
           : shape == PLANE  ? tex2DLod<float>(texture, x, y, level)
           : shape == VOLUME ? tex3DLod<float>(texture, x, y, z, level)
           : shape == LINES  ? tex1DLayeredLod<float>(texture, x, 1, level)
           : shape == PLANES ? tex2DLayeredLod<float>(texture, x, y, 1, level)
           : shape == CUBE   ? texCubemapLod<float>(texture, -1, y, z, level)
                             : texCubemapLayeredLod<float>(texture, x, 1, z, 1, level);
}

/* `step` texels of the first level along one gradient, half as many along the other. */
__global__ void along(cudaTextureObject_t texture, int shape, float step, float *out)
{
    const float d = step / SIZE, h = d / 2;
    const float2 along_y = {0, d}, along_x = {h, 0};
    const float4 up = {0, 0, d, 0}, right = {h, 0, 0, 0};
    const float4 on_face = {0, 0, 2 * d, 0}, less = {0, d, 0, 0};
    *out = shape == LINE     ? tex1DGrad<float>(texture, 0.5f, h, -d)
           : shape == PLANE  ? tex2DGrad<float>(texture, 0.5f, 0.5f, along_x, along_y)
           : shape == VOLUME ? tex3DGrad<float>(texture, 0.5f, 0.5f, 0.5f, up, right)
           : shape == LINES  ? tex1DLayeredGrad<float>(texture, 0.5f, 1, d, h)
           : shape == PLANES ? tex2DLayeredGrad<float>(texture, 0.5f, 0.5f, 1, along_y, along_x)
           : shape == CUBE   ? texCubemapGrad<float>(texture, 1, 0, 0, on_face, less)
                             : texCubemapLayeredGrad<float>(texture, 1, 0, 0, 1, less, on_face);
}

__global__ void plain(cudaTextureObject_t texture, float *out)
{
    *out = tex2D<float>(texture, 0.5f, 0.5f);
}

__global__ void write(cudaSurfaceObject_t surface, float value)
{
    surf2Dwrite(value, surface, 0, 0);
}

static float *d_out;

static float result()
{
    float out = 0;
    EXPECT_SUCCESS(cudaMemcpy(&out, d_out, sizeof(out), cudaMemcpyDeviceToHost));
    return out;
}

static bool near(float got, float wanted, float tolerance)
{
    return std::fabs(got - wanted) <= tolerance;
}

static void levels(shape shape)
{
    const choice blended = {true, 0, 0, 99}, nearest = {false, 0, 0, 99};
    const cudaMipmappedArray_t mipmap = make(shape);

    for (const choice &choice : {blended, nearest}) {
        const cudaTextureObject_t texture = texture_of(mipmap, choice);
        for (int eighths = -8; eighths < 48; eighths += 3) {
            const float level = std::fmin(std::fmax((float)eighths / 8, 0.0f), LEVELS - 1.0f);
            const float of = choice.blends ? level : std::floor(level + 0.5f);
            at_level<<<1, 1>>>(texture, shape, (float)eighths / 8, d_out);
            EXPECT(near(result(), 100 + 100 * of, 0.5f));
        }
        for (int k = 0; k < LEVELS; k++) {
            along<<<1, 1>>>(texture, shape, (float)(1 << k), d_out);
            EXPECT(near(result(), 100.0f * (float)(k + 1), shape < CUBE ? 10 : 50));
        }
        EXPECT_SUCCESS(cudaDestroyTextureObject(texture));
    }
    EXPECT_SUCCESS(cudaFreeMipmappedArray(mipmap));
}

/* A bias, bounds; no level at all; and a level written by a kernel. */
static void choices()
{
    const cudaMipmappedArray_t mipmap = make(PLANE);
    const struct {
        choice choice;
        float level, wanted;
    } cases[] = {{{true, 1.5f, 0, 99}, 1, 350},
                 {{true, -1, 0, 99}, 0.5f, 100},
                 {{false, 0, 2, 99}, 0, 300},
                 {{true, 0, 0, 2.25f}, 4, 325},
                 {{true, 2, 0, 3}, 3, 400}};
    cudaResourceDesc resource = {};
    cudaSurfaceObject_t surface = 0;

    for (const auto &one : cases) {
        const cudaTextureObject_t texture = texture_of(mipmap, one.choice);
        at_level<<<1, 1>>>(texture, PLANE, one.level, d_out);
        EXPECT(near(result(), one.wanted, 0.5f));
        EXPECT_SUCCESS(cudaDestroyTextureObject(texture));
    }
    const cudaTextureObject_t texture = texture_of(mipmap, {true, 0, 0, 99});
    plain<<<1, 1>>>(texture, d_out);
    EXPECT(result() == 100);
    resource.resType = cudaResourceTypeArray;
    EXPECT_SUCCESS(cudaGetMipmappedArrayLevel(&resource.res.array.array, mipmap, 4));
    EXPECT_SUCCESS(cudaCreateSurfaceObject(&surface, &resource));
    write<<<1, 1>>>(surface, 7);
    at_level<<<1, 1>>>(texture, PLANE, 4, d_out);
    EXPECT(result() == 7);
    EXPECT_SUCCESS(cudaDestroySurfaceObject(surface));
    EXPECT_SUCCESS(cudaDestroyTextureObject(texture));
    EXPECT_SUCCESS(cudaFreeMipmappedArray(mipmap));
}

static void refusals()
{
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t mipmap;
    cudaArray_t level;

    EXPECT_SUCCESS(cudaFreeMipmappedArray(NULL));
    EXPECT_ERROR(cudaErrorInvalidValue,
                 cudaMallocMipmappedArray(&mipmap, &desc, make_cudaExtent(0, 4, 0), 1));
    EXPECT_ERROR(cudaErrorInvalidValue,
                 cudaMallocMipmappedArray(&mipmap, NULL, make_cudaExtent(4, 4, 0), 1));
    EXPECT_SUCCESS(cudaMallocMipmappedArray(&mipmap, &desc, make_cudaExtent(8, 2, 0), 99));
    EXPECT_SUCCESS(cudaGetMipmappedArrayLevel(&level, mipmap, 3));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaGetMipmappedArrayLevel(&level, mipmap, 4));
    EXPECT_SUCCESS(cudaFreeMipmappedArray(mipmap));
}

int main()
{
    int major;

    EXPECT_SUCCESS(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    if (major < 2)
        return 77;
    EXPECT_SUCCESS(cudaMalloc(&d_out, sizeof(float)));
    for (int shape = 0; shape < SHAPES; shape++)
        levels((enum shape)shape);
    choices();
    refusals();
    EXPECT_SUCCESS(cudaFree(d_out));
    return finish();
}
