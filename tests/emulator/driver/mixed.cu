/* One program that calls the runtime and the driver: memory, streams and the primary context are
 * the same for both. */
#include "expect.h"

#include <cuda_runtime.h>

enum { COUNT = 32 };

__global__ void plus_one(unsigned *numbers)
{
    numbers[threadIdx.x]++;
}

/* The runtime has put this thread into the primary context, where the driver goes on. */
static CUcontext primary_context()
{
    CUcontext current = NULL, primary = NULL;

    EXPECT(cudaFree(NULL) == cudaSuccess);
    EXPECT_SUCCESS(cuCtxGetCurrent(&current));
    EXPECT_SUCCESS(cuDevicePrimaryCtxRetain(&primary, 0));
    EXPECT(current && current == primary);
    return primary;
}

int main()
{
    unsigned *numbers, result[COUNT], factor = 2;
    CUdeviceptr none;
    cudaStream_t stream;
    CUmodule module;
    CUfunction scale;

    primary_context();
    EXPECT(cudaMalloc(&numbers, COUNT * sizeof(unsigned)) == cudaSuccess);
    EXPECT(cudaStreamCreate(&stream) == cudaSuccess);
    EXPECT_SUCCESS(cuModuleLoadData(&module, kernels));
    EXPECT_SUCCESS(cuModuleGetFunction(&scale, module, "scale"));
    void *arguments[] = {&numbers, &factor};
    EXPECT_SUCCESS(cuLaunchKernel(scale, 1, 1, 1, COUNT, 1, 1, 0, stream, arguments, NULL));
    plus_one<<<1, COUNT, 0, stream>>>(numbers);
    EXPECT_SUCCESS(cuStreamSynchronize(stream));
    EXPECT_SUCCESS(cuMemcpyDtoH(result, (CUdeviceptr)numbers, sizeof(result)));
    for (unsigned i = 0; i < COUNT; i++)
        EXPECT(result[i] == 2 * i + 6);

    /* An error of one front is not the other's last error. */
    EXPECT_ERROR(CUDA_ERROR_INVALID_VALUE, cuMemAlloc(&none, 0));
    EXPECT(cudaGetLastError() == cudaSuccess);

    cudaFunction_t function;
    EXPECT(cudaGetFuncBySymbol(&function, (const void *)plus_one) == cudaSuccess);
    EXPECT_SUCCESS(
        cuLaunchKernel((CUfunction)function, 1, 1, 1, COUNT, 1, 1, 0, stream, arguments, NULL));
    EXPECT(cudaStreamSynchronize(stream) == cudaSuccess);
    EXPECT(cudaMemcpy(result, numbers, sizeof(result), cudaMemcpyDeviceToHost) == cudaSuccess);
    EXPECT(result[COUNT - 1] == 2 * (COUNT - 1) + 7);
    EXPECT_SUCCESS(cuMemFree((CUdeviceptr)numbers));
    EXPECT(cudaStreamDestroy(stream) == cudaSuccess);
    EXPECT_SUCCESS(cuModuleUnload(module));
    EXPECT_SUCCESS(cuDevicePrimaryCtxRelease(0));
    return finish();
}
