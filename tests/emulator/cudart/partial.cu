/* One kernel of a program needs what the emulator lacks: that one cannot be launched, others can.
 *
 * partial KIND: read or call, what the kernel needs; or nothing. */
#include "expect.h"

#include <string.h>

__global__ void write_seven(int *out)
{
    *out = 7;
}

static __device__ float sum_at(const float *everywhere)
{
    float sum;
    asm("multimem.ld_reduce.weak.global.add.f32 %0, [%1];" : "=f"(sum) : "l"(everywhere));
    return sum;
}

__global__ void read_sum(const float *everywhere, float *out)
{
    *out = sum_at(everywhere);
}

static __device__ __noinline__ float fetch(const float *everywhere)
{
    return sum_at(everywhere);
}

__global__ void call_sum(const float *everywhere, float *out)
{
    *out = fetch(everywhere);
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "";
    int *out, seven = 0;

    EXPECT_SUCCESS(cudaMalloc(&out, 64));
    for (int i = 0; i < 2; i++) {
        if (!strcmp(kind, "read"))
            read_sum<<<1, 1>>>(NULL, (float *)out);
        else if (!strcmp(kind, "call"))
            call_sum<<<1, 1>>>(NULL, (float *)out);
        if (*kind)
            EXPECT_ERROR(cudaErrorInvalidPtx, cudaGetLastError());
    }
    write_seven<<<1, 1>>>(out);
    EXPECT_SUCCESS(cudaMemcpy(&seven, out, sizeof(int), cudaMemcpyDeviceToHost));
    EXPECT(seven == 7);
    EXPECT_SUCCESS(cudaFree(out));
    return finish();
}
