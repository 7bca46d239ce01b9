/* Four nodes that nothing orders, and one behind them all: the order in which they run. */
#include <cstdio>
#include <cuda_runtime.h>

static void CUDART_CB say(void *data)
{
    std::putchar(*(const char *)data);
}

int main()
{
    static char names[] = "abcd.";
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t nodes[5];

    cudaGraphCreate(&graph, 0);
    for (int i = 0; i < 5; i++) {
        const cudaHostNodeParams parms = {say, &names[i]};
        cudaGraphAddHostNode(&nodes[i], graph, i == 4 ? nodes : NULL, i == 4 ? 4 : 0, &parms);
    }
    cudaGraphInstantiate(&exec, graph, 0);
    for (int i = 0; i < 3; i++)
        cudaGraphLaunch(exec, 0);
    const cudaError_t error = cudaDeviceSynchronize();
    std::putchar('\n');
    return error;
}
