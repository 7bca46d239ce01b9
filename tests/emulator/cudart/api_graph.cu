/* CUDA graphs: nodes made one by one, and streams captured. */
#include "expect.h"
#include "thread.h"

#include <cstdlib>
#include <cstring>
#include <unistd.h>

enum { COUNT = 32 };

__device__ int symbol[COUNT];

__global__ void add(int *numbers, int value)
{
    numbers[threadIdx.x] += value;
}

__global__ void multiply(int *numbers, int factor)
{
    numbers[threadIdx.x] *= factor;
}

static void CUDART_CB count(void *data)
{
    ++*(int *)data;
}

static int first_of(const int *numbers)
{
    int value = -1;

    EXPECT_SUCCESS(cudaMemcpy(&value, numbers, sizeof(value), cudaMemcpyDeviceToHost));
    return value;
}

static cudaGraphNode_t add_kernel(cudaGraph_t graph, cudaGraphNode_t before,
                                  void (*kernel)(int *, int), int *numbers, int value)
{
    void *arguments[] = {&numbers, &value};
    cudaKernelNodeParams parms = {};
    cudaGraphNode_t node = NULL;

    parms.func = (void *)kernel;
    parms.gridDim = dim3(1);
    parms.blockDim = dim3(COUNT);
    parms.kernelParams = arguments;
    EXPECT_SUCCESS(
        cudaGraphAddKernelNode(&node, graph, before ? &before : NULL, before != NULL, &parms));
    return node;
}

static cudaGraphExec_t instantiate(cudaGraph_t graph)
{
    cudaGraphExec_t exec = NULL;

    EXPECT_SUCCESS(cudaGraphInstantiate(&exec, graph, 0));
    return exec;
}

static cudaError_t connect(cudaGraph_t graph, cudaGraphNode_t from, cudaGraphNode_t to)
{
#if CUDART_VERSION >= 13000
    return cudaGraphAddDependencies(graph, &from, &to, NULL, 1);
#else
    return cudaGraphAddDependencies(graph, &from, &to, 1);
#endif
}

static void launch_and_wait(cudaGraphExec_t exec)
{
    EXPECT_SUCCESS(cudaGraphLaunch(exec, 0));
    EXPECT_SUCCESS(cudaDeviceSynchronize());
}

/* A fill, a kernel, a copy and a function, one behind the other; launched twice. */
static void one_by_one()
{
    int *numbers, result[COUNT], calls = 0;
    cudaGraph_t graph;
    cudaGraphNode_t fill, kernel, copy, host, nodes[8];
    cudaMemsetParams filled;
    cudaHostNodeParams function = {count, &calls};
    cudaGraphNodeType type;
    size_t nodes_count = 8;
    cudaKernelNodeParams asked;

    EXPECT_SUCCESS(cudaMalloc(&numbers, sizeof(result)));
    EXPECT_SUCCESS(cudaGraphCreate(&graph, 0));
    std::memset(&filled, 0, sizeof(filled));
    filled.dst = numbers;
    filled.value = 5;
    filled.elementSize = 4;
    filled.width = COUNT;
    filled.height = 1;
    EXPECT_SUCCESS(cudaGraphAddMemsetNode(&fill, graph, NULL, 0, &filled));
    kernel = add_kernel(graph, fill, add, numbers, 2);
    EXPECT_SUCCESS(cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, result, numbers,
                                            sizeof(result), cudaMemcpyDeviceToHost));
    EXPECT_SUCCESS(cudaGraphAddHostNode(&host, graph, &copy, 1, &function));
    EXPECT_SUCCESS(cudaGraphNodeGetType(copy, &type));
    EXPECT(type == cudaGraphNodeTypeMemcpy);
    EXPECT_SUCCESS(cudaGraphGetNodes(graph, nodes, &nodes_count));
    EXPECT(nodes_count == 4 && nodes[0] == fill && nodes[4] == NULL);
    nodes_count = 8;
    EXPECT_SUCCESS(cudaGraphGetRootNodes(graph, nodes, &nodes_count));
    EXPECT(nodes_count == 1 && nodes[0] == fill);
    EXPECT_SUCCESS(cudaGraphKernelNodeGetParams(kernel, &asked));
    EXPECT(asked.func == (void *)add && *(int *)asked.kernelParams[1] == 2);

    cudaGraphExec_t exec = instantiate(graph);
    for (int round = 1; round <= 2; round++) {
        std::memset(result, 0, sizeof(result));
        launch_and_wait(exec);
        EXPECT(result[0] == 7 && result[COUNT - 1] == 7 && calls == round);
    }

    /* What is changed in the graph does not change what was instantiated of it. */
    filled.value = 1;
    EXPECT_SUCCESS(cudaGraphMemsetNodeSetParams(fill, &filled));
    launch_and_wait(exec);
    EXPECT(result[0] == 7);
    EXPECT_SUCCESS(cudaGraphExecMemsetNodeSetParams(exec, fill, &filled));
    launch_and_wait(exec);
    EXPECT(result[0] == 3);
    EXPECT_SUCCESS(cudaGraphNodeSetEnabled(exec, kernel, 0));
    launch_and_wait(exec);
    EXPECT(result[0] == 1);

    cudaGraphExec_t none;
    EXPECT_SUCCESS(connect(graph, host, fill)); /* a cycle is found when the graph is made ready */
    EXPECT_ERROR(cudaErrorInvalidValue, cudaGraphInstantiate(&none, graph, 0));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaGraphMemsetNodeSetParams(kernel, &filled));
    EXPECT_SUCCESS(cudaGraphExecDestroy(exec));
    EXPECT_SUCCESS(cudaGraphDestroy(graph));
    EXPECT_SUCCESS(cudaFree(numbers));
}

/* Two branches that meet, in a child graph and in a clone. */
static void children_and_clones()
{
    int *numbers;
    cudaGraph_t child, graph, clone, inside;
    cudaGraphNode_t node, twin, join;

    EXPECT_SUCCESS(cudaMalloc(&numbers, 2 * COUNT * sizeof(int)));
    EXPECT_SUCCESS(cudaMemset(numbers, 0, 2 * COUNT * sizeof(int)));
    EXPECT_SUCCESS(cudaGraphCreate(&child, 0));
    add_kernel(child, add_kernel(child, NULL, add, numbers, 3), multiply, numbers, 2);
    EXPECT_SUCCESS(cudaGraphCreate(&graph, 0));
    EXPECT_SUCCESS(cudaGraphAddChildGraphNode(&node, graph, NULL, 0, child));
    EXPECT_SUCCESS(cudaGraphDestroy(child)); /* the node has a copy */
    EXPECT_SUCCESS(cudaGraphChildGraphNodeGetGraph(node, &inside));
    cudaGraphNode_t other = add_kernel(graph, NULL, add, numbers + COUNT, 10);
    cudaGraphNode_t both[] = {node, other};
    EXPECT_SUCCESS(cudaGraphAddEmptyNode(&join, graph, both, 2));
    add_kernel(graph, join, multiply, numbers, 7);

    EXPECT_SUCCESS(cudaGraphClone(&clone, graph));
    EXPECT_SUCCESS(cudaGraphNodeFindInClone(&twin, other, clone));
    EXPECT(twin != other);
    EXPECT_SUCCESS(cudaGraphDestroyNode(twin));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaGraphNodeFindInClone(&twin, other, clone));
    cudaGraphExec_t whole = instantiate(graph), part = instantiate(clone);
    EXPECT_SUCCESS(cudaGraphDestroy(graph));
    EXPECT_SUCCESS(cudaGraphDestroy(clone));
    EXPECT_SUCCESS(cudaGraphLaunch(whole, 0));
    EXPECT(first_of(numbers) == 42);
    EXPECT(first_of(numbers + COUNT) == 10);
    EXPECT_SUCCESS(cudaGraphLaunch(part, 0));
    EXPECT(first_of(numbers) == 630);
    EXPECT(first_of(numbers + COUNT) == 10);
    EXPECT_SUCCESS(cudaGraphExecDestroy(whole));
    EXPECT_SUCCESS(cudaGraphExecDestroy(part));
    EXPECT_SUCCESS(cudaFree(numbers));
}

/* A capture that forks by an event into a second stream, and joins it again. */
static void captured()
{
    cudaStream_t stream, side, brief;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaStreamCaptureStatus status;
    int *numbers, result[2 * COUNT], calls = 0;
    size_t nodes = 0, edges = 0;

    EXPECT_SUCCESS(cudaStreamCreate(&stream));
    EXPECT_SUCCESS(cudaStreamCreate(&side));
    EXPECT_SUCCESS(cudaEventCreate(&fork));
    EXPECT_SUCCESS(cudaEventCreate(&join));
    EXPECT_SUCCESS(cudaMalloc(&numbers, sizeof(result)));
    EXPECT_SUCCESS(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    EXPECT_SUCCESS(cudaStreamIsCapturing(stream, &status));
    EXPECT(status == cudaStreamCaptureStatusActive);
    EXPECT_SUCCESS(cudaMemsetAsync(numbers, 0, sizeof(result), stream));
    EXPECT_SUCCESS(cudaEventRecord(fork, stream));
    EXPECT_SUCCESS(cudaStreamWaitEvent(side, fork, 0));
    add<<<1, COUNT, 0, stream>>>(numbers, 4);
    add<<<1, COUNT, 0, side>>>(numbers + COUNT, 9);
    EXPECT_SUCCESS(cudaLaunchHostFunc(side, count, &calls));
    EXPECT_SUCCESS(cudaEventRecord(join, side));
    EXPECT_SUCCESS(cudaStreamWaitEvent(stream, join, 0));
    EXPECT_SUCCESS(cudaStreamCreate(&brief)); /* comes in, and goes */
    EXPECT_SUCCESS(cudaStreamWaitEvent(brief, fork, 0));
    EXPECT_SUCCESS(cudaStreamDestroy(brief));
    EXPECT_SUCCESS(
        cudaMemcpyAsync(result, numbers, sizeof(result), cudaMemcpyDeviceToHost, stream));
    EXPECT_SUCCESS(cudaStreamEndCapture(stream, &graph));
    EXPECT_SUCCESS(cudaStreamIsCapturing(side, &status));
    EXPECT(status == cudaStreamCaptureStatusNone);
    EXPECT(calls == 0);
    EXPECT_SUCCESS(cudaGraphGetNodes(graph, NULL, &nodes));
    EXPECT(nodes == 5);
#if CUDART_VERSION >= 13000
    EXPECT_SUCCESS(cudaGraphGetEdges(graph, NULL, NULL, NULL, &edges));
#else
    EXPECT_SUCCESS(cudaGraphGetEdges(graph, NULL, NULL, &edges));
#endif
    EXPECT(edges == 5);

    cudaGraphExec_t exec = instantiate(graph);
    EXPECT_SUCCESS(cudaGraphUpload(exec, stream));
    EXPECT_SUCCESS(cudaGraphLaunch(exec, stream));
    EXPECT_SUCCESS(cudaStreamSynchronize(stream));
    EXPECT(result[0] == 4 && result[COUNT] == 9 && calls == 1);

    cudaGraph_t outer;
    EXPECT_SUCCESS(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    EXPECT_ERROR(cudaErrorStreamCaptureUnsupported, cudaGraphLaunch(exec, stream));
    EXPECT_ERROR(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &outer));

    EXPECT_SUCCESS(cudaGraphExecDestroy(exec));
    EXPECT_SUCCESS(cudaGraphDestroy(graph));
    EXPECT_SUCCESS(cudaFree(numbers));
    EXPECT_SUCCESS(cudaEventDestroy(fork));
    EXPECT_SUCCESS(cudaEventDestroy(join));
    EXPECT_SUCCESS(cudaStreamDestroy(stream));
    EXPECT_SUCCESS(cudaStreamDestroy(side));
}

/* Copies and fills of every shape come back out of a capture as they went in. */
static void captured_shapes()
{
    enum { WIDTH = 24, HEIGHT = 5 };
    const cudaChannelFormatDesc texel = cudaCreateChannelDesc<int>();
    unsigned char host[HEIGHT][WIDTH], result[HEIGHT][WIDTH];
    int symbols[COUNT], back[COUNT];
    cudaArray_t array;
    cudaStream_t stream;
    cudaGraph_t graph;
    void *rows;
    size_t pitch;

    for (int i = 0; i < HEIGHT * WIDTH; i++)
        host[i / WIDTH][i % WIDTH] = (unsigned char)(7 * i);
    for (int i = 0; i < COUNT; i++)
        symbols[i] = 100 + i;
    std::memset(result, 0, sizeof(result));
    EXPECT_SUCCESS(cudaStreamCreate(&stream));
    EXPECT_SUCCESS(cudaMallocPitch(&rows, &pitch, WIDTH, HEIGHT));
    EXPECT_SUCCESS(cudaMallocArray(&array, &texel, WIDTH / 4, HEIGHT));
    EXPECT_SUCCESS(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    EXPECT_SUCCESS(
        cudaMemcpy2DAsync(rows, pitch, host, WIDTH, WIDTH, HEIGHT, cudaMemcpyHostToDevice, stream));
    EXPECT_SUCCESS(cudaMemset2DAsync(rows, pitch, 255, 3, 2, stream));
    EXPECT_SUCCESS(cudaMemcpy2DToArrayAsync(array, 0, 0, rows, pitch, WIDTH, HEIGHT,
                                            cudaMemcpyDeviceToDevice, stream));
    EXPECT_SUCCESS(cudaMemcpy2DFromArrayAsync(result[1], WIDTH, array, 8, 1, WIDTH - 8, HEIGHT - 1,
                                              cudaMemcpyDeviceToHost, stream));
    EXPECT_SUCCESS(cudaMemcpyToSymbolAsync(symbol, symbols, sizeof(symbols), 0,
                                           cudaMemcpyHostToDevice, stream));
    EXPECT_SUCCESS(cudaMemcpyFromSymbolAsync(back, symbol, sizeof(back) - 8, 8,
                                             cudaMemcpyDeviceToHost, stream));
    EXPECT_SUCCESS(cudaStreamEndCapture(stream, &graph));
    EXPECT(result[1][0] == 0);
    cudaGraphExec_t exec = instantiate(graph);
    EXPECT_SUCCESS(cudaGraphLaunch(exec, stream));
    EXPECT_SUCCESS(cudaStreamSynchronize(stream));
    for (int y = 1; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH - 8; x++)
            EXPECT(result[y][x] == host[y][x + 8]);
    EXPECT(back[0] == 102 && back[COUNT - 3] == 100 + COUNT - 1);
    EXPECT_SUCCESS(cudaMemcpy(result, rows, 4, cudaMemcpyDeviceToHost));
    EXPECT(result[0][0] == 255 && result[0][2] == 255 && result[0][3] == host[0][3]);
    EXPECT_SUCCESS(cudaGraphExecDestroy(exec));
    EXPECT_SUCCESS(cudaGraphDestroy(graph));
    EXPECT_SUCCESS(cudaFreeArray(array));
    EXPECT_SUCCESS(cudaFree(rows));
    EXPECT_SUCCESS(cudaStreamDestroy(stream));
}

/* What a capture forbids, and how it ends then. */
static void spoilt_captures()
{
    cudaStream_t stream;
    cudaGraph_t graph;
    void *memory, *numbers;

    EXPECT_SUCCESS(cudaStreamCreate(&stream));
    EXPECT_SUCCESS(cudaMalloc(&numbers, 128));
    EXPECT_ERROR(cudaErrorStreamCaptureUnsupported,
                 cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));
    EXPECT_ERROR(cudaErrorIllegalState, cudaStreamEndCapture(stream, &graph));

    EXPECT_SUCCESS(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    EXPECT_ERROR(cudaErrorIllegalState,
                 cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    EXPECT_ERROR(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(stream));
    EXPECT_ERROR(cudaErrorStreamCaptureInvalidated, cudaMemsetAsync(numbers, 0, 4, stream));
    EXPECT_ERROR(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph));
    EXPECT(graph == NULL);

    EXPECT_SUCCESS(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    EXPECT_ERROR(cudaErrorStreamCaptureUnsupported, cudaMalloc(&memory, 4));
    EXPECT_ERROR(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph));
    EXPECT_SUCCESS(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    EXPECT_SUCCESS(cudaMalloc(&memory, 4));
    EXPECT_SUCCESS(cudaFree(memory));
    EXPECT_SUCCESS(cudaStreamEndCapture(stream, &graph));
    EXPECT_SUCCESS(cudaGraphDestroy(graph));

    /* The legacy stream would wait for a stream that blocks. */
    EXPECT_SUCCESS(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    EXPECT_ERROR(cudaErrorStreamCaptureImplicit, cudaMemsetAsync(numbers, 0, 4, 0));
    EXPECT_ERROR(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph));
    EXPECT_SUCCESS(cudaFree(numbers));
    EXPECT_SUCCESS(cudaStreamDestroy(stream));
}

/* A capture of more streams than come to its end. */
static void unfinished_captures()
{
    cudaStream_t stream, other;
    cudaEvent_t event;
    cudaGraph_t graph;
    void *memory, *numbers;

    EXPECT_SUCCESS(cudaStreamCreate(&stream));
    EXPECT_SUCCESS(cudaStreamCreate(&other));
    EXPECT_SUCCESS(cudaEventCreate(&event));
    EXPECT_SUCCESS(cudaMalloc(&numbers, 128));

    /* A stream that came in and did not come back. */
    EXPECT_SUCCESS(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    EXPECT_SUCCESS(cudaEventRecord(event, stream));
    EXPECT_ERROR(cudaErrorCapturedEvent, cudaEventQuery(event));
    EXPECT_ERROR(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph));
    EXPECT_SUCCESS(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    EXPECT_SUCCESS(cudaEventRecord(event, stream));
    EXPECT_SUCCESS(cudaStreamWaitEvent(other, event, 0));
    EXPECT_SUCCESS(cudaMemsetAsync(numbers, 0, 4, other));
    EXPECT_ERROR(cudaErrorStreamCaptureUnmatched, cudaStreamEndCapture(other, &graph));
    EXPECT_ERROR(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph));
    EXPECT_SUCCESS(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    EXPECT_SUCCESS(cudaEventRecord(event, stream));
    EXPECT_SUCCESS(cudaStreamWaitEvent(other, event, 0));
    EXPECT_SUCCESS(cudaMemsetAsync(numbers, 0, 4, other));
    EXPECT_ERROR(cudaErrorStreamCaptureUnjoined, cudaStreamEndCapture(stream, &graph));

    /* An event of work that is not in the graph. */
    EXPECT_SUCCESS(cudaEventRecord(event, other));
    EXPECT_SUCCESS(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    EXPECT_ERROR(cudaErrorStreamCaptureIsolation, cudaStreamWaitEvent(stream, event, 0));
    EXPECT_ERROR(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph));

    /* Its stream destroyed, a capture is gone. */
    EXPECT_SUCCESS(cudaStreamDestroy(other));
    EXPECT_SUCCESS(cudaStreamCreate(&other));
    EXPECT_SUCCESS(cudaStreamBeginCapture(other, cudaStreamCaptureModeGlobal));
    EXPECT_SUCCESS(cudaMemsetAsync(numbers, 0, 4, other));
    EXPECT_SUCCESS(cudaStreamDestroy(other));
    EXPECT_SUCCESS(cudaMalloc(&memory, 4));
    EXPECT_SUCCESS(cudaFree(memory));
    EXPECT_SUCCESS(cudaStreamCreate(&other));
    EXPECT_SUCCESS(cudaFree(numbers));
    EXPECT_SUCCESS(cudaEventDestroy(event));
    EXPECT_SUCCESS(cudaStreamDestroy(stream));
    EXPECT_SUCCESS(cudaStreamDestroy(other));
}

/* Whose thread? Another's calls are forbidden by a global capture alone. */
static void captures_of_threads()
{
    cudaStream_t stream;
    cudaGraph_t graph;
    void *memory;

    EXPECT_SUCCESS(cudaStreamCreate(&stream));
    for (const cudaStreamCaptureMode mode :
         {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal}) {
        const bool global = mode == cudaStreamCaptureModeGlobal;
        cudaError_t allocated = cudaSuccess, ended = cudaSuccess;
        EXPECT_SUCCESS(cudaStreamBeginCapture(stream, mode));
        in_another_thread([&] {
            allocated = cudaMalloc(&memory, 4);
            ended = cudaStreamEndCapture(stream, &graph);
        });
        EXPECT(allocated == (global ? cudaErrorStreamCaptureUnsupported : cudaSuccess));
        EXPECT(ended ==
               (global ? cudaErrorStreamCaptureInvalidated : cudaErrorStreamCaptureWrongThread));
        EXPECT_ERROR(cudaErrorIllegalState, cudaStreamEndCapture(stream, &graph));
        if (!global)
            EXPECT_SUCCESS(cudaFree(memory));
    }
    EXPECT_SUCCESS(cudaStreamDestroy(stream));
}

/* The same capture with other numbers takes the place of the first. */
static void updated()
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec = NULL;
    cudaGraphExecUpdateResultInfo info;
    int *numbers;

    EXPECT_SUCCESS(cudaStreamCreate(&stream));
    EXPECT_SUCCESS(cudaMalloc(&numbers, COUNT * sizeof(int)));
    EXPECT_SUCCESS(cudaMemset(numbers, 0, COUNT * sizeof(int)));
    for (int round = 0; round < 3; round++) {
        EXPECT_SUCCESS(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        add<<<1, COUNT, 0, stream>>>(numbers, 1 + round);
        if (round == 2)
            add<<<1, COUNT, 0, stream>>>(numbers, 100);
        EXPECT_SUCCESS(cudaStreamEndCapture(stream, &graph));
        if (round == 0)
            EXPECT_SUCCESS(cudaGraphInstantiate(&exec, graph, 0));
        else
            EXPECT_ERROR(round == 2 ? cudaErrorGraphExecUpdateFailure : cudaSuccess,
                         cudaGraphExecUpdate(exec, graph, &info));
        EXPECT_SUCCESS(cudaGraphDestroy(graph));
        EXPECT_SUCCESS(cudaGraphLaunch(exec, stream));
        EXPECT_SUCCESS(cudaStreamSynchronize(stream));
    }
    EXPECT(info.result == cudaGraphExecUpdateErrorTopologyChanged);
    EXPECT(first_of(numbers) == 1 + 2 + 2);
    EXPECT_SUCCESS(cudaGraphExecDestroy(exec));
    EXPECT_SUCCESS(cudaFree(numbers));
    EXPECT_SUCCESS(cudaStreamDestroy(stream));
}

/* Memory that lives from one node to another, and in between has its address. */
static void memory()
{
    cudaStream_t stream;
    cudaGraph_t graph;
    int *numbers, result[COUNT];
    unsigned long long used = 0;

    EXPECT_SUCCESS(cudaStreamCreate(&stream));
    EXPECT_SUCCESS(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    EXPECT_SUCCESS(cudaMallocAsync(&numbers, sizeof(result), stream));
    EXPECT_SUCCESS(cudaMemsetAsync(numbers, 0, sizeof(result), stream));
    add<<<1, COUNT, 0, stream>>>(numbers, 6);
    EXPECT_SUCCESS(
        cudaMemcpyAsync(result, numbers, sizeof(result), cudaMemcpyDeviceToHost, stream));
    EXPECT_SUCCESS(cudaFreeAsync(numbers, stream));
    EXPECT_SUCCESS(cudaStreamEndCapture(stream, &graph));
    cudaGraphExec_t exec = instantiate(graph);
    for (int round = 0; round < 2; round++) {
        std::memset(result, 0, sizeof(result));
        EXPECT_SUCCESS(cudaGraphLaunch(exec, stream));
        EXPECT_SUCCESS(cudaStreamSynchronize(stream));
        EXPECT(result[0] == 6);
    }
    EXPECT_SUCCESS(cudaGraphExecDestroy(exec));
    EXPECT_SUCCESS(cudaGraphDestroy(graph));

    /* Not freed, it is in the way of the next launch. */
    EXPECT_SUCCESS(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    EXPECT_SUCCESS(cudaMallocAsync(&numbers, sizeof(result), stream));
    EXPECT_SUCCESS(cudaMemsetAsync(numbers, 0, sizeof(result), stream));
    EXPECT_SUCCESS(cudaStreamEndCapture(stream, &graph));
    exec = instantiate(graph);
    EXPECT_SUCCESS(cudaGraphLaunch(exec, stream));
    EXPECT_SUCCESS(cudaStreamSynchronize(stream));
    EXPECT_SUCCESS(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
    EXPECT(used >= sizeof(result));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaGraphLaunch(exec, stream));
    EXPECT_SUCCESS(cudaFreeAsync(numbers, stream));
    EXPECT_SUCCESS(cudaGraphLaunch(exec, stream));
    EXPECT_SUCCESS(cudaFreeAsync(numbers, stream));
    EXPECT_SUCCESS(cudaStreamSynchronize(stream));
    EXPECT_SUCCESS(cudaGraphExecDestroy(exec));
    EXPECT_SUCCESS(cudaGraphDestroy(graph));
    EXPECT_SUCCESS(cudaStreamDestroy(stream));
    EXPECT_SUCCESS(cudaDeviceGraphMemTrim(0));
    EXPECT_SUCCESS(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &used));
    EXPECT(used == 0);
}

/* Events as nodes measure what is between them. */
static void events()
{
    cudaEvent_t begin, end;
    cudaGraph_t graph;
    cudaGraphNode_t first, last;
    float ms = -1;
    int *numbers;

    EXPECT_SUCCESS(cudaMalloc(&numbers, COUNT * sizeof(int)));
    EXPECT_SUCCESS(cudaMemset(numbers, 0, COUNT * sizeof(int)));
    EXPECT_SUCCESS(cudaEventCreate(&begin));
    EXPECT_SUCCESS(cudaEventCreate(&end));
    EXPECT_SUCCESS(cudaGraphCreate(&graph, 0));
    EXPECT_SUCCESS(cudaGraphAddEventRecordNode(&first, graph, NULL, 0, begin));
    cudaGraphNode_t kernel = add_kernel(graph, first, add, numbers, 1);
    EXPECT_SUCCESS(cudaGraphAddEventRecordNode(&last, graph, &kernel, 1, end));
    cudaGraphExec_t exec = instantiate(graph);
    launch_and_wait(exec);
    EXPECT_SUCCESS(cudaEventElapsedTime(&ms, begin, end));
    EXPECT(ms > 0);
    EXPECT_SUCCESS(cudaGraphExecDestroy(exec));
    EXPECT_SUCCESS(cudaGraphDestroy(graph));
    EXPECT_SUCCESS(cudaEventDestroy(begin));
    EXPECT_SUCCESS(cudaEventDestroy(end));
    EXPECT_SUCCESS(cudaFree(numbers));
}

/* The function of a user object runs when the last graph that has a share is gone. */
static void user_objects()
{
    int destroyed = 0;
    cudaUserObject_t object;
    cudaGraph_t graph, clone;

    EXPECT_SUCCESS(
        cudaUserObjectCreate(&object, &destroyed, count, 1, cudaUserObjectNoDestructorSync));
    EXPECT_SUCCESS(cudaGraphCreate(&graph, 0));
    EXPECT_SUCCESS(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
    EXPECT_SUCCESS(cudaGraphClone(&clone, graph));
    EXPECT_SUCCESS(cudaGraphDestroy(graph));
    EXPECT(destroyed == 0);
    EXPECT_SUCCESS(cudaGraphDestroy(clone));
    for (int i = 0; i < 1000 && !destroyed; i++) /* on a GPU another thread calls it */
        usleep(1000);
    EXPECT(destroyed == 1);
}

static void drawn()
{
    char path[] = "/tmp/api_graph_XXXXXX", text[4096] = "";
    cudaGraph_t graph;
    cudaGraphNode_t first, second;

    EXPECT_SUCCESS(cudaGraphCreate(&graph, 0));
    EXPECT_SUCCESS(cudaGraphAddEmptyNode(&first, graph, NULL, 0));
    EXPECT_SUCCESS(cudaGraphAddEmptyNode(&second, graph, &first, 1));
    close(mkstemp(path));
    EXPECT_SUCCESS(cudaGraphDebugDotPrint(graph, path, 0));
    FILE *file = std::fopen(path, "r");
    EXPECT(file && std::fread(text, 1, sizeof(text) - 1, file) > 0);
    EXPECT(!std::strncmp(text, "digraph", 7) && std::strstr(text, "->"));
    std::fclose(file);
    unlink(path);
    EXPECT_SUCCESS(cudaGraphDestroy(graph));
}

int main()
{
    one_by_one();
    children_and_clones();
    captured();
    captured_shapes();
    spoilt_captures();
    unfinished_captures();
    captures_of_threads();
    updated();
    memory();
    events();
    user_objects();
    drawn();
    return finish();
}
