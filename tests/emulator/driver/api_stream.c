/* SPDX-License-Identifier: MIT */
/* Streams, events, callbacks, and graphs: made by hand, and captured. */
#include "expect.h"

enum { COUNT = 32 };

static void CUDA_CB count_up(void *number)
{
    ++*(int *)number;
}

static void events(void)
{
    CUstream stream, other;
    CUevent start, end;
    float ms = -1;
    int called = 0;

    EXPECT_SUCCESS(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    EXPECT_SUCCESS(cuStreamCreateWithPriority(&other, CU_STREAM_NON_BLOCKING, 0));
    EXPECT_SUCCESS(cuEventCreate(&start, CU_EVENT_DEFAULT));
    EXPECT_SUCCESS(cuEventCreate(&end, CU_EVENT_DEFAULT));
    EXPECT_SUCCESS(cuEventRecord(start, stream));
    EXPECT_SUCCESS(cuLaunchHostFunc(stream, count_up, &called));
    EXPECT_SUCCESS(cuEventRecord(end, stream));
    EXPECT_SUCCESS(cuStreamWaitEvent(other, end, 0));
    EXPECT_SUCCESS(cuStreamSynchronize(other));
    EXPECT(called == 1);
    EXPECT_SUCCESS(cuEventSynchronize(end));
    EXPECT_SUCCESS(cuEventQuery(end));
    EXPECT_SUCCESS(cuEventElapsedTime(&ms, start, end));
    EXPECT(ms >= 0);
    EXPECT_SUCCESS(cuEventDestroy(start));
    EXPECT_SUCCESS(cuEventDestroy(end));
    EXPECT_SUCCESS(cuStreamDestroy(stream));
    EXPECT_SUCCESS(cuStreamDestroy(other));
}

/* numbers = 0 + offset, 1 + offset ..., and then doubled. */
static void expect_doubled(CUdeviceptr numbers, int line)
{
    unsigned result[COUNT] = {0};

    expect_error(cuMemcpyDtoH(result, numbers, sizeof(result)), CUDA_SUCCESS, "cuMemcpyDtoH", line);
    for (unsigned i = 0; i < COUNT; i++)
        expect(result[i] == 2 * (i + 5), "result[i] == 2 * (i + 5)", line);
}

static void by_hand(CUfunction scale, CUfunction twice, CUcontext context, CUdeviceptr numbers)
{
    unsigned factor = 1;
    void *arguments[] = {&numbers, &factor};
    CUgraph graph;
    CUgraphExec exec;
    CUgraphNode fill, first, second;
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_HOST;
    const CUDA_MEMSET_NODE_PARAMS zeros = {
        .dst = numbers, .elementSize = 4, .width = COUNT, .height = 1};
    CUDA_KERNEL_NODE_PARAMS launch = {.func = scale,
                                      .gridDimX = 1,
                                      .gridDimY = 1,
                                      .gridDimZ = 1,
                                      .blockDimX = COUNT,
                                      .blockDimY = 1,
                                      .blockDimZ = 1,
                                      .kernelParams = arguments};

    EXPECT_SUCCESS(cuGraphCreate(&graph, 0));
    EXPECT_SUCCESS(cuGraphAddMemsetNode(&fill, graph, NULL, 0, &zeros, context));
    EXPECT_SUCCESS(cuGraphAddKernelNode(&first, graph, &fill, 1, &launch));
    launch.func = twice;
    launch.sharedMemBytes = COUNT * 4;
    EXPECT_SUCCESS(cuGraphAddKernelNode(&second, graph, &first, 1, &launch));
    EXPECT_SUCCESS(cuGraphNodeGetType(second, &type));
    EXPECT(type == CU_GRAPH_NODE_TYPE_KERNEL);
    EXPECT_SUCCESS(cuGraphInstantiate(&exec, graph, 0));
    EXPECT_SUCCESS(cuGraphLaunch(exec, NULL));
    EXPECT_SUCCESS(cuGraphLaunch(exec, NULL));
    expect_doubled(numbers, __LINE__);
    EXPECT_SUCCESS(cuGraphExecDestroy(exec));
    EXPECT_SUCCESS(cuGraphDestroy(graph));
}

static void captured(CUfunction scale, CUfunction twice, CUdeviceptr numbers)
{
    unsigned factor = 1;
    void *arguments[] = {&numbers, &factor};
    CUgraph graph;
    CUgraphExec exec;
    CUstream stream;
    size_t nodes = 0;

    EXPECT_SUCCESS(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    EXPECT_SUCCESS(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    EXPECT_SUCCESS(cuMemsetD32Async(numbers, 0, COUNT, stream));
    EXPECT_SUCCESS(cuLaunchKernel(scale, 1, 1, 1, COUNT, 1, 1, 0, stream, arguments, NULL));
    EXPECT_SUCCESS(cuLaunchKernel(twice, 1, 1, 1, COUNT, 1, 1, COUNT * 4, stream, arguments, NULL));
    EXPECT_SUCCESS(cuStreamEndCapture(stream, &graph));
    EXPECT_SUCCESS(cuGraphGetNodes(graph, NULL, &nodes));
    EXPECT(nodes == 3);
    EXPECT_SUCCESS(cuGraphInstantiate(&exec, graph, 0));
    EXPECT_SUCCESS(cuMemsetD32(numbers, 1, COUNT));
    EXPECT_SUCCESS(cuGraphLaunch(exec, stream));
    EXPECT_SUCCESS(cuStreamSynchronize(stream));
    expect_doubled(numbers, __LINE__);
    EXPECT_SUCCESS(cuGraphExecDestroy(exec));
    EXPECT_SUCCESS(cuGraphDestroy(graph));
    EXPECT_SUCCESS(cuStreamDestroy(stream));
}

int main(void)
{
    CUfunction scale, twice;
    CUdeviceptr numbers;
    CUmodule module;

    const CUcontext context = own_context(first_device());
    EXPECT_SUCCESS(cuModuleLoadData(&module, kernels));
    EXPECT_SUCCESS(cuModuleGetFunction(&scale, module, "scale"));
    EXPECT_SUCCESS(cuModuleGetFunction(&twice, module, "twice"));
    EXPECT_SUCCESS(cuMemAlloc(&numbers, COUNT * sizeof(unsigned)));
    events();
    by_hand(scale, twice, context, numbers);
    captured(scale, twice, numbers);
    EXPECT_SUCCESS(cuMemFree(numbers));
    EXPECT_SUCCESS(cuModuleUnload(module));
    EXPECT_SUCCESS(cuCtxDestroy(context));
    return finish();
}
