/* One kernel of a program needs what the emulator lacks: that one cannot be launched, others can.
 *
 * partial KIND: read or call, what the kernel needs; or nothing. */
#include "expect.h"

#include <string.h>

__global__ void write_seven(int *out)
{
    *out = 7;
}

__global__ void read_gathered(cudaTextureObject_t texture, float *out)
{
    *out = tex2Dgather<float4>(texture, 1, 2).x;
}

static __device__ __noinline__ float fetch(cudaTextureObject_t texture)
{
    return tex2Dgather<float4>(texture, 1, 2).x;
}

__global__ void call_gathered(cudaTextureObject_t texture, float *out)
{
    *out = fetch(texture);
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "";
    int *out, seven = 0;

    EXPECT_SUCCESS(cudaMalloc(&out, 64));
    for (int i = 0; i < 2; i++) {
        if (!strcmp(kind, "read"))
            read_gathered<<<1, 1>>>(0, (float *)out);
        else if (!strcmp(kind, "call"))
            call_gathered<<<1, 1>>>(0, (float *)out);
        if (*kind)
            EXPECT_ERROR(cudaErrorInvalidPtx, cudaGetLastError());
    }
    write_seven<<<1, 1>>>(out);
    EXPECT_SUCCESS(cudaMemcpy(&seven, out, sizeof(int), cudaMemcpyDeviceToHost));
    EXPECT(seven == 7);
    EXPECT_SUCCESS(cudaFree(out));
    return finish();
}
