/* One kernel of a program needs what the emulator lacks: that one cannot be launched, others can.
 *
 * partial KIND: read or call, what the kernel needs; or nothing. */
#include "expect.h"

#include <string.h>

__global__ void write_seven(int *out)
{
    *out = 7;
}

__global__ void read_surface(cudaSurfaceObject_t surface, float *out)
{
    *out = surf1Dread<float>(surface, 4);
}

static __device__ __noinline__ float fetch(cudaSurfaceObject_t surface)
{
    return surf1Dread<float>(surface, 4);
}

__global__ void call_surface(cudaSurfaceObject_t surface, float *out)
{
    *out = fetch(surface);
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "";
    int *out, seven = 0;

    EXPECT_SUCCESS(cudaMalloc(&out, 64));
    for (int i = 0; i < 2; i++) {
        if (!strcmp(kind, "read"))
            read_surface<<<1, 1>>>(0, (float *)out);
        else if (!strcmp(kind, "call"))
            call_surface<<<1, 1>>>(0, (float *)out);
        if (*kind)
            EXPECT_ERROR(cudaErrorInvalidPtx, cudaGetLastError());
    }
    write_seven<<<1, 1>>>(out);
    EXPECT_SUCCESS(cudaMemcpy(&seven, out, sizeof(int), cudaMemcpyDeviceToHost));
    EXPECT(seven == 7);
    EXPECT_SUCCESS(cudaFree(out));
    return finish();
}
