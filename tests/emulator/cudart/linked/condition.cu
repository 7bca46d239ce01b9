/* Conditional nodes of graphs: which bodies run, how often, and what is refused. */
#include "../expect.h"

#include <climits>

__global__ void set(cudaGraphConditionalHandle condition, const int *value)
{
    cudaGraphSetConditional(condition, (unsigned)*value);
}

__global__ void add(int *number, int value)
{
    *number += value;
}

/* The body of a loop: count down, and go on while there is something left. */
__global__ void count_down(cudaGraphConditionalHandle condition, int *left, int *turns)
{
    ++*turns;
    cudaGraphSetConditional(condition, --*left > 0);
}

static void CUDART_CB do_nothing(void *data)
{
    (void)data;
}

static int *numbers; /* managed: input, results */

static cudaGraphNode_t add_kernel(cudaGraph_t graph, const cudaGraphNode_t *before, void *kernel,
                                  void **arguments)
{
    cudaGraphNodeParams parms = {cudaGraphNodeTypeKernel};
    cudaGraphNode_t node;

    parms.kernel.func = kernel;
    parms.kernel.gridDim = parms.kernel.blockDim = dim3(1);
    parms.kernel.kernelParams = arguments;
    EXPECT_SUCCESS(cudaGraphAddNode(&node, graph, before, NULL, before ? 1 : 0, &parms));
    return node;
}

/* numbers[at] += value */
static cudaGraphNode_t add_add(cudaGraph_t graph, const cudaGraphNode_t *before, int at, int value)
{
    int *place = numbers + at;
    void *arguments[] = {&place, &value};

    return add_kernel(graph, before, (void *)add, arguments);
}

static cudaGraphNode_t add_set(cudaGraph_t graph, const cudaGraphNode_t *before,
                               cudaGraphConditionalHandle condition, int at)
{
    int *place = numbers + at;
    void *arguments[] = {&condition, &place};

    return add_kernel(graph, before, (void *)set, arguments);
}

static cudaGraphNode_t add_count_down(cudaGraph_t graph, cudaGraphConditionalHandle condition,
                                      int left, int turns)
{
    int *from = numbers + left, *to = numbers + turns;
    void *arguments[] = {&condition, &from, &to};

    return add_kernel(graph, NULL, (void *)count_down, arguments);
}

static cudaGraphNodeParams condition_of(cudaGraphConditionalHandle handle, int type, unsigned size)
{
    cudaGraphNodeParams parms = {cudaGraphNodeTypeConditional};

    parms.conditional.handle = handle;
    parms.conditional.type = (cudaGraphConditionalNodeType)type;
    parms.conditional.size = size;
    return parms;
}

/* A conditional node, and its bodies. */
static cudaGraph_t *add_condition(cudaGraph_t graph, const cudaGraphNode_t *before,
                                  cudaGraphConditionalHandle handle, int type, unsigned size,
                                  cudaGraphNode_t *node)
{
    cudaGraphNodeParams parms = condition_of(handle, type, size);

    EXPECT_SUCCESS(cudaGraphAddNode(node, graph, before, NULL, before ? 1 : 0, &parms));
    return parms.conditional.phGraph_out;
}

static void run(cudaGraphExec_t exec, int input)
{
    EXPECT_SUCCESS(cudaDeviceSynchronize());
    numbers[0] = input;
    for (int i = 1; i < 8; i++)
        numbers[i] = 0;
    EXPECT_SUCCESS(cudaGraphLaunch(exec, 0));
    EXPECT_SUCCESS(cudaDeviceSynchronize());
}

/* numbers[0] decides; numbers[1 + i] counts body i, numbers[7] what comes behind the node. */
static void choices(int type, unsigned size)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphConditionalHandle handle;
    cudaGraphNode_t node, first;
    cudaGraphNodeType kind;

    EXPECT_SUCCESS(cudaGraphCreate(&graph, 0));
    EXPECT_SUCCESS(cudaGraphConditionalHandleCreate(&handle, graph));
    first = add_set(graph, NULL, handle, 0);
    cudaGraph_t *bodies = add_condition(graph, &first, handle, type, size, &node);
    for (unsigned i = 0; i < size; i++)
        add_add(bodies[i], NULL, 1 + (int)i, 1);
    add_add(graph, &node, 7, 1);
    EXPECT_SUCCESS(cudaGraphNodeGetType(node, &kind));
    EXPECT(kind == cudaGraphNodeTypeConditional);
    EXPECT_SUCCESS(cudaGraphInstantiate(&exec, graph, 0));
    EXPECT_SUCCESS(cudaGraphDestroy(graph));
    for (int input : {0, 1, 2, 5, INT_MIN, 0}) {
        const unsigned value = (unsigned)input;
        const unsigned body = type == cudaGraphCondTypeSwitch ? value : value ? 0 : 1;
        run(exec, input);
        for (unsigned i = 0; i < size; i++)
            EXPECT(numbers[1 + i] == (i == body));
        EXPECT(numbers[1 + size] == 0);
        EXPECT(numbers[7] == 1);
    }
    EXPECT_SUCCESS(cudaGraphExecDestroy(exec));
}

/* A loop of numbers[0] turns, whose body was captured; its condition begins as 1 each time. */
static void loop()
{
    cudaGraph_t graph, body;
    cudaGraphExec_t exec;
    cudaGraphConditionalHandle handle;
    cudaGraphNode_t node;
    cudaStream_t stream;

    EXPECT_SUCCESS(cudaStreamCreate(&stream));
    EXPECT_SUCCESS(cudaGraphCreate(&graph, 0));
    EXPECT_SUCCESS(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    body = add_condition(graph, NULL, handle, cudaGraphCondTypeWhile, 1, &node)[0];
    EXPECT_SUCCESS(
        cudaStreamBeginCaptureToGraph(stream, body, NULL, NULL, 0, cudaStreamCaptureModeGlobal));
    count_down<<<1, 1, 0, stream>>>(handle, numbers, numbers + 1);
    EXPECT_SUCCESS(cudaStreamEndCapture(stream, NULL));
    add_add(graph, &node, 7, 1);
    EXPECT_SUCCESS(cudaGraphInstantiate(&exec, graph, 0));
    for (int turns : {1, 10, 3}) {
        run(exec, turns);
        EXPECT(numbers[0] == 0);
        EXPECT(numbers[1] == turns);
        EXPECT(numbers[7] == 1);
    }
    EXPECT_SUCCESS(cudaGraphExecDestroy(exec));
    EXPECT_SUCCESS(cudaGraphDestroy(graph));
    EXPECT_SUCCESS(cudaStreamDestroy(stream));
}

/* A loop of three turns with a choice in its body: numbers[2] counts the turns in which
 * numbers[0], which goes down, is not 0 behind them. */
static void nested()
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphConditionalHandle outer, inner;
    cudaGraphNode_t node, choice, before;

    EXPECT_SUCCESS(cudaGraphCreate(&graph, 0));
    EXPECT_SUCCESS(cudaGraphConditionalHandleCreate(&outer, graph, 1, cudaGraphCondAssignDefault));
    EXPECT_SUCCESS(cudaGraphConditionalHandleCreate(&inner, graph));
    cudaGraph_t body = add_condition(graph, NULL, outer, cudaGraphCondTypeWhile, 1, &node)[0];
    before = add_count_down(body, outer, 0, 1);
    before = add_set(body, &before, inner, 0);
    add_add(add_condition(body, &before, inner, cudaGraphCondTypeIf, 1, &choice)[0], NULL, 2, 1);
    EXPECT_SUCCESS(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 2; i++) {
        run(exec, 3);
        EXPECT(numbers[1] == 3);
        EXPECT(numbers[2] == 2);
    }
    EXPECT_SUCCESS(cudaGraphExecDestroy(exec));
    EXPECT_SUCCESS(cudaGraphDestroy(graph));
}

/* Another graph of the same shape, with conditions of its own. */
static void updated()
{
    cudaGraph_t graphs[2];
    cudaGraphExec_t exec;
    cudaGraphExecUpdateResultInfo info;

    for (int i = 0; i < 2; i++) {
        cudaGraphConditionalHandle handle;
        cudaGraphNode_t node, first;
        EXPECT_SUCCESS(cudaGraphCreate(&graphs[i], 0));
        EXPECT_SUCCESS(cudaGraphConditionalHandleCreate(&handle, graphs[i]));
        first = add_set(graphs[i], NULL, handle, 0);
        add_add(add_condition(graphs[i], &first, handle, cudaGraphCondTypeIf, 1, &node)[0], NULL, 1,
                1 + i);
    }
    EXPECT_SUCCESS(cudaGraphInstantiate(&exec, graphs[0], 0));
    run(exec, 1);
    EXPECT(numbers[1] == 1);
    EXPECT_SUCCESS(cudaGraphExecUpdate(exec, graphs[1], &info));
    EXPECT_SUCCESS(cudaGraphDestroy(graphs[0]));
    EXPECT_SUCCESS(cudaGraphDestroy(graphs[1]));
    run(exec, 1);
    EXPECT(numbers[1] == 2);
    run(exec, 0);
    EXPECT(numbers[1] == 0);
    EXPECT_SUCCESS(cudaGraphExecDestroy(exec));
}

static void refused()
{
    cudaGraph_t graph, other;
    cudaGraphExec_t exec;
    cudaGraphConditionalHandle handle;
    cudaGraphNode_t node, host;
    const cudaHostNodeParams function = {do_nothing, NULL};

    EXPECT_SUCCESS(cudaGraphCreate(&graph, 0));
    EXPECT_SUCCESS(cudaGraphCreate(&other, 0));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaGraphConditionalHandleCreate(NULL, graph));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaGraphConditionalHandleCreate(&handle, NULL));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaGraphConditionalHandleCreate(&handle, graph, 0, 2));
    EXPECT_SUCCESS(cudaGraphConditionalHandleCreate(&handle, graph));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaGraphInstantiate(&exec, graph, 0));
    static const int wrong_sizes[][2] = {{cudaGraphCondTypeIf, 0},     {cudaGraphCondTypeIf, 3},
                                         {cudaGraphCondTypeWhile, 0},  {cudaGraphCondTypeWhile, 2},
                                         {cudaGraphCondTypeSwitch, 0}, {3, 1}};
    for (const int *wrong : wrong_sizes) {
        cudaGraphNodeParams parms = condition_of(handle, wrong[0], (unsigned)wrong[1]);
        EXPECT_ERROR(cudaErrorInvalidValue, cudaGraphAddNode(&node, graph, NULL, NULL, 0, &parms));
    }
    cudaGraphNodeParams unknown = condition_of(handle + 8, cudaGraphCondTypeIf, 1);
    EXPECT_ERROR(cudaErrorInvalidValue, cudaGraphAddNode(&node, graph, NULL, NULL, 0, &unknown));
    cudaGraph_t body = add_condition(graph, NULL, handle, cudaGraphCondTypeIf, 1, &node)[0];
    cudaGraphNodeParams again = condition_of(handle, cudaGraphCondTypeIf, 1);
    EXPECT_ERROR(cudaErrorInvalidValue, cudaGraphAddNode(&host, graph, NULL, NULL, 0, &again));
    EXPECT_ERROR(cudaErrorNotSupported, cudaGraphNodeSetParams(node, &again));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaGraphDestroy(body));
    EXPECT_ERROR(cudaErrorNotSupported, cudaGraphClone(&other, graph));
    EXPECT_ERROR(cudaErrorNotSupported, cudaGraphAddChildGraphNode(&host, other, NULL, 0, graph));
    EXPECT_SUCCESS(cudaGraphAddHostNode(&host, body, NULL, 0, &function));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaGraphInstantiate(&exec, graph, 0));
    EXPECT_SUCCESS(cudaGraphDestroyNode(host));
    EXPECT_SUCCESS(cudaGraphInstantiate(&exec, graph, 0));
    EXPECT_SUCCESS(cudaGraphExecDestroy(exec));
    EXPECT_SUCCESS(cudaGraphDestroyNode(node));
    EXPECT_SUCCESS(cudaGraphDestroy(graph));
    EXPECT_SUCCESS(cudaGraphDestroy(other));
}

int main(int argc, char **argv)
{
    (void)argv;
    EXPECT_SUCCESS(cudaMallocManaged((void **)&numbers, 8 * sizeof(*numbers)));
    if (argc > 1) { /* no condition has such a handle */
        set<<<1, 1>>>(1, numbers);
        EXPECT_ERROR(cudaErrorIllegalAddress, cudaDeviceSynchronize());
        return finish();
    }
    choices(cudaGraphCondTypeIf, 1);
    choices(cudaGraphCondTypeIf, 2);
    choices(cudaGraphCondTypeSwitch, 1);
    choices(cudaGraphCondTypeSwitch, 4);
    loop();
    nested();
    updated();
    refused();
    EXPECT_SUCCESS(cudaFree(numbers));
    return finish();
}
