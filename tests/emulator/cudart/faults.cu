/* A kernel that does what it must not, and what the API says from then on.
 *
 * faults KIND: address, misaligned, shared, static_shared, negative, inlined, trap or assert. */
#include "expect.h"

#include <cassert>
#include <cstring>

__global__ void write_to(int *where)
{
    *where = 1;
}

__global__ void write_shared(int at)
{
    extern __shared__ int table[];

    table[at] = 1;
    if (table[at] != 1)
        __trap();
}

__global__ void write_static(int at)
{
    __shared__ volatile int tab[64];

    tab[at] = 1;
}

__global__ void write_inlined(int *where)
{
    atomicAdd_block(where, 1);
}

__global__ void trap()
{
    __trap();
}

__global__ void assert_zero(int number)
{
    assert(number == 0);
}

/* Start the kernel that faults; returns the error it should leave. */
static cudaError_t start(const char *kind, int *numbers)
{
    if (!strcmp(kind, "address"))
        write_to<<<1, 1>>>((int *)16);
    else if (!strcmp(kind, "misaligned"))
        write_to<<<1, 1>>>((int *)((char *)numbers + 2));
    else if (!strcmp(kind, "shared"))
        write_shared<<<1, 1, 64>>>(1 << 20);
    else if (!strcmp(kind, "static_shared"))
        write_static<<<1, 1>>>(1 << 20);
    else if (!strcmp(kind, "negative"))
        write_static<<<1, 1>>>(-1);
    else if (!strcmp(kind, "inlined"))
        write_inlined<<<1, 1>>>((int *)16);
    else if (!strcmp(kind, "trap"))
        trap<<<1, 1>>>();
    else if (!strcmp(kind, "assert"))
        assert_zero<<<1, 1>>>(7);
    else
        return cudaErrorUnknown;
    if (!strcmp(kind, "misaligned"))
        return cudaErrorMisalignedAddress;
    if (!strcmp(kind, "assert"))
        return cudaErrorAssert;
    return strcmp(kind, "trap") ? cudaErrorIllegalAddress : cudaErrorLaunchFailure;
}

/* The copy back is the only call behind the fault. */
static int copy_back(bool asks)
{
    int *numbers, value = 1;

    EXPECT_SUCCESS(cudaMalloc(&numbers, 16 * sizeof(int)));
    start("address", numbers);
    const cudaError_t error = cudaMemcpy(&value, numbers, 4, cudaMemcpyDeviceToHost);
    EXPECT(value == 1 && (!asks || cudaGetErrorString(error)));
    return finish();
}

int main(int argc, char **argv)
{
    const char *kind = argc == 2 ? argv[1] : "";
    if (!strcmp(kind, "copied") || !strcmp(kind, "asked"))
        return copy_back(!strcmp(kind, "asked"));
    int *numbers, *more;
    int value = 0;

    EXPECT_SUCCESS(cudaMalloc(&numbers, 16 * sizeof(int)));
    const cudaError_t error = start(kind, numbers);
    if (error == cudaErrorUnknown) {
        fprintf(stderr,
                "usage: faults address|misaligned|shared|static_shared|negative|inlined|trap|"
                "assert\n");
        return 2;
    }
    EXPECT(cudaDeviceSynchronize() == error);
    EXPECT(cudaPeekAtLastError() == error);
    EXPECT(cudaGetLastError() == error);
    EXPECT(cudaGetLastError() == cudaSuccess);
    EXPECT(cudaGetDeviceCount(&value) == cudaSuccess && value >= 1);
    EXPECT(cudaFree(numbers) == error);
    EXPECT(cudaPeekAtLastError() == error);
    EXPECT(cudaMalloc(&more, 4) == error);
    EXPECT(cudaMemcpy(&value, numbers, 4, cudaMemcpyDeviceToHost) == error);
    write_to<<<1, 1>>>(numbers);
    EXPECT(cudaDeviceSynchronize() == error);
    return finish();
}
