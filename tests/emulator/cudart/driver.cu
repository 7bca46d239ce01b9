/* A program that has kernels and calls the driver's API. */
#include <cuda.h>

int main(void)
{
    return cuInit(0) != CUDA_SUCCESS;
}
