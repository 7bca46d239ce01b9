/* Uses a part of the runtime that the emulator does not have. */
#include <cuda_runtime.h>

int main()
{
    cudaGraph_t graph;

    return cudaGraphCreate(&graph, 0) == cudaSuccess && cudaGraphDestroy(graph) == cudaSuccess ? 0
                                                                                               : 1;
}
