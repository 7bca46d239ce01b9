/* A program that launches what no GPU takes, looks at no error, and ends well.
 *
 * refused KIND: threads, grid, shared, bounds, arguments, repeated; nothing: it is not refused. */
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

__global__ void saxpy(float *y)
{
    y[threadIdx.x] = 1;
}

__global__ void __launch_bounds__(64) at_most_64(float *y)
{
    y[threadIdx.x] = 1;
}

static void launch(const char *kind, float *y)
{
    if (!strcmp(kind, "threads"))
        saxpy<<<1, 2048>>>(y);
    else if (!strcmp(kind, "grid"))
        saxpy<<<0, 256>>>(y);
    else if (!strcmp(kind, "shared"))
        saxpy<<<1, 1, 50000>>>(y);
    else if (!strcmp(kind, "bounds"))
        at_most_64<<<1, 65>>>(y);
    else if (!strcmp(kind, "arguments"))
        (void)cudaLaunchKernel((const void *)saxpy, 1, 1, (void **)NULL, 0, 0);
    else if (!strcmp(kind, "repeated"))
        for (int i = 0; i < 3; i++)
            saxpy<<<1, 2048>>>(y);
    else
        saxpy<<<1, 32>>>(y);
}

int main(int argc, char **argv)
{
    float *y;

    (void)cudaMalloc(&y, 64 * sizeof(float));
    launch(argc == 2 ? argv[1] : "", y);
    (void)cudaFree(y);
    return 0;
}
