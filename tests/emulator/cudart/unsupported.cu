/* Textures that CUDA has and the emulator has not: each is refused with a line that names it. And
 * one that is longer than its memory, of which only a part can be fetched.
 *
 * unsupported KIND: srgb, anisotropy, view, cubemap, format, gather, longer */
#include "expect.h"

#include <string.h>

__device__ float4 gathered;

__global__ void gather(cudaTextureObject_t texture)
{
    gathered = tex2Dgather<float4>(texture, 0, 0);
}

/* A texel of the first row, and one that is as far behind. */
__global__ void fetch_row(cudaTextureObject_t texture, int at)
{
    gathered = tex1Dfetch<float4>(texture, at);
}

static void test_longer()
{
    enum { TEXELS = 64 };
    cudaResourceDesc resource = {};
    cudaTextureDesc description = {};
    cudaTextureObject_t texture;
    void *memory;

    EXPECT_SUCCESS(cudaMalloc(&memory, TEXELS * sizeof(float4)));
    EXPECT_SUCCESS(cudaMemset(memory, 0, TEXELS * sizeof(float4)));
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear = {memory, cudaCreateChannelDesc<float4>(), 2 * TEXELS * sizeof(float4)};
    EXPECT_SUCCESS(cudaCreateTextureObject(&texture, &resource, &description, NULL));
    for (int at : {0, TEXELS - 1, -1, 2 * TEXELS}) {
        fetch_row<<<1, 1>>>(texture, at);
        EXPECT_SUCCESS(cudaDeviceSynchronize());
    }
    fetch_row<<<1, 1>>>(texture, TEXELS);
    EXPECT_ERROR(cudaErrorIllegalAddress, cudaDeviceSynchronize());
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "";
    const cudaChannelFormatDesc bytes = cudaCreateChannelDesc<uchar4>();
    const cudaChannelFormatDesc normalised = {8, 8, 8, 8,
                                              cudaChannelFormatKindUnsignedNormalized8X4};
    const cudaResourceViewDesc view = {};
    cudaResourceDesc resource = {};
    cudaTextureDesc description = {};
    cudaTextureObject_t texture;
    cudaArray_t array, other;

    EXPECT(argc == 2);
    if (!strcmp(kind, "longer")) {
        test_longer();
        return finish();
    }
    EXPECT_SUCCESS(cudaMallocArray(&array, &bytes, 16, 16));
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    description.readMode = cudaReadModeNormalizedFloat;
    if (!strcmp(kind, "srgb"))
        description.sRGB = 1;
    if (!strcmp(kind, "anisotropy")) {
        EXPECT_SUCCESS(cudaMallocMipmappedArray(&resource.res.mipmap.mipmap, &bytes,
                                                make_cudaExtent(16, 16, 0), 5));
        resource.resType = cudaResourceTypeMipmappedArray;
        description.normalizedCoords = 1;
        description.maxAnisotropy = 4;
    }
    if (!strcmp(kind, "cubemap")) {
        EXPECT_SUCCESS(
            cudaMalloc3DArray(&other, &bytes, make_cudaExtent(16, 16, 6), cudaArrayCubemap));
        resource.res.array.array = other;
        description.seamlessCubemap = 1;
    }
    if (!strcmp(kind, "gather")) {
        EXPECT_SUCCESS(cudaCreateTextureObject(&texture, &resource, &description, NULL));
        gather<<<1, 1>>>(texture);
        EXPECT_ERROR(cudaErrorNotSupported, cudaDeviceSynchronize());
    } else if (!strcmp(kind, "format"))
        EXPECT_ERROR(cudaErrorNotSupported, cudaMallocArray(&other, &normalised, 16, 16));
    else
        EXPECT_ERROR(cudaErrorNotSupported,
                     cudaCreateTextureObject(&texture, &resource, &description,
                                             !strcmp(kind, "view") ? &view : NULL));
    return finish();
}
