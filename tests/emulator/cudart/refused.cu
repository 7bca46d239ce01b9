/* A program that launches and copies what no GPU takes, looks at no error, and ends well.
 *
 * refused KIND: as launch() and copy() name them; nothing: it is not refused. */
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

__device__ int variable[4];

/* Returns false if it knows no such kind. */
static bool copy(const char *kind, float *y)
{
    float host[1000] = {};

    if (!strcmp(kind, "long_out"))
        (void)cudaMemcpy(host, y, sizeof(host), cudaMemcpyDeviceToHost);
    else if (!strcmp(kind, "long_in"))
        (void)cudaMemcpyAsync(y + 4, host, 256, cudaMemcpyHostToDevice, 0);
    else if (!strcmp(kind, "loop"))
        for (int i = 65; i < 70; i++)
            (void)cudaMemcpy(host, y, i * sizeof(*y), cudaMemcpyDeviceToHost);
    else if (!strcmp(kind, "null"))
        (void)cudaMemcpy(NULL, host, 4, cudaMemcpyHostToDevice);
    else if (!strcmp(kind, "swapped"))
        (void)cudaMemcpy(host, y, 4, cudaMemcpyHostToDevice);
    else if (!strcmp(kind, "shadow"))
        (void)cudaMemcpy(host, (void *)variable, 4, cudaMemcpyDeviceToHost);
    else if (!strcmp(kind, "symbol"))
        (void)cudaMemcpyToSymbol(variable, host, 20);
    else if (!strcmp(kind, "fill"))
        (void)cudaMemset(y, 0, 257);
    else if (!strcmp(kind, "fill_host"))
        (void)cudaMemset(host, 0, 4);
    else if (!strcmp(kind, "freed") && !cudaFree(y))
        (void)cudaMemcpy(host, y, 4, cudaMemcpyDeviceToHost);
    else
        return false;
    return true;
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
    if (argc != 2 || !copy(argv[1], y))
        launch(argc == 2 ? argv[1] : "", y);
    if (argc != 2 || strcmp(argv[1], "freed"))
        (void)cudaFree(y);
    return 0;
}
