/* One kernel of a program needs what the emulator lacks: that one cannot be launched, others can.
 *
 * partial KIND: read, call or point, what the kernel needs; or nothing. */
#include "expect.h"

#include <string.h>

__global__ void write_seven(int *out)
{
    *out = 7;
}

__global__ void read_texture(cudaTextureObject_t texture, float *out)
{
    *out = tex1Dfetch<float>(texture, 1);
}

static __device__ __noinline__ float fetch(cudaTextureObject_t texture)
{
    return tex1Dfetch<float>(texture, 1);
}

__global__ void call_texture(cudaTextureObject_t texture, float *out)
{
    *out = fetch(texture);
}

typedef int operation(int, int);

static __device__ __noinline__ int add(int a, int b)
{
    return a + b;
}

__global__ void call_pointer(operation **operations, int *out)
{
    *operations = add;
    *out = operations[*out](*out, 1);
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "";
    int *out, seven = 0;

    EXPECT_SUCCESS(cudaMalloc(&out, 64));
    for (int i = 0; i < 2; i++) {
        if (!strcmp(kind, "read"))
            read_texture<<<1, 1>>>(0, (float *)out);
        else if (!strcmp(kind, "call"))
            call_texture<<<1, 1>>>(0, (float *)out);
        else if (!strcmp(kind, "point"))
            call_pointer<<<1, 1>>>((operation **)out, out);
        if (*kind)
            EXPECT_ERROR(cudaErrorInvalidPtx, cudaGetLastError());
    }
    write_seven<<<1, 1>>>(out);
    EXPECT_SUCCESS(cudaMemcpy(&seven, out, sizeof(int), cudaMemcpyDeviceToHost));
    EXPECT(seven == 7);
    EXPECT_SUCCESS(cudaFree(out));
    return finish();
}
