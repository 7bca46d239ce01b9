/* One kernel of a program needs what the emulator lacks: that one cannot be launched, others can.
 *
 * partial KIND: read or call, what the kernel needs; or nothing. */
#include "expect.h"

#include <string.h>

__global__ void write_seven(int *out)
{
    *out = 7;
}

static __device__ unsigned width_of(cudaTextureObject_t texture)
{
    unsigned width;
    asm("txq.width.b32 %0, [%1];" : "=r"(width) : "l"(texture));
    return width;
}

__global__ void read_width(cudaTextureObject_t texture, float *out)
{
    *out = width_of(texture);
}

static __device__ __noinline__ float fetch(cudaTextureObject_t texture)
{
    return width_of(texture);
}

__global__ void call_width(cudaTextureObject_t texture, float *out)
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
            read_width<<<1, 1>>>(0, (float *)out);
        else if (!strcmp(kind, "call"))
            call_width<<<1, 1>>>(0, (float *)out);
        if (*kind)
            EXPECT_ERROR(cudaErrorInvalidPtx, cudaGetLastError());
    }
    write_seven<<<1, 1>>>(out);
    EXPECT_SUCCESS(cudaMemcpy(&seven, out, sizeof(int), cudaMemcpyDeviceToHost));
    EXPECT(seven == 7);
    EXPECT_SUCCESS(cudaFree(out));
    return finish();
}
