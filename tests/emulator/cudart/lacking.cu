/* Calls a function that the emulator does not have. */
#include <cuda_runtime.h>

int main()
{
    cudaIpcMemHandle_t handle;
    void *memory;

    return cudaMalloc(&memory, 4) == cudaSuccess &&
                   cudaIpcGetMemHandle(&handle, memory) == cudaErrorNotSupported &&
                   cudaGetLastError() == cudaErrorNotSupported
               ? 0
               : 1;
}
