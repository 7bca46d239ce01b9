/* cudaDeviceReset: the device as new, the program's variables too. */
#include "expect.h"

__device__ int counter = 5;
__managed__ int managed = 7;

__global__ void increment(int *out)
{
    *out = counter++;
    managed++;
}

static int count()
{
    int value = -1;
    int *out;

    EXPECT_SUCCESS(cudaMalloc(&out, sizeof(int)));
    increment<<<1, 1>>>(out);
    EXPECT_SUCCESS(cudaMemcpy(&value, out, sizeof(int), cudaMemcpyDeviceToHost));
    EXPECT_SUCCESS(cudaFree(out));
    return value;
}

int main()
{
    EXPECT(count() == 5);
    EXPECT(count() == 6);
    EXPECT(managed == 9);
    EXPECT_SUCCESS(cudaDeviceReset());
    EXPECT(count() == 5);
    return finish();
}
