/* What streams leave open, and what they do not. Each case is tried some times; those are printed
 * whose result was once another than in the order of the program. On a GPU, too, nothing stands
 * behind "ordered". */
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

#include "check.h"

__global__ void set(int *at, int value)
{
    *at = value;
}

__global__ void copy(int *to, const int *from)
{
    *to = *from;
}

__managed__ int variable;

static int *numbers, *host, *shared; /* on the device, page-locked, managed */
static cudaStream_t free_stream[2], blocking[2]; /* the first two wait for no default stream */
static cudaEvent_t event;

static void CUDART_CB set_on_host(void *data)
{
    *(volatile int *)data = 1;
}

/* numbers[0] = 1 in one stream, numbers[1] = numbers[0] in another. */
static int pass_on(cudaStream_t first, cudaStream_t second, bool waits)
{
    set<<<1, 1, 0, first>>>(numbers, 1);
    if (waits) {
        cudaEventRecord(event, first);
        cudaStreamWaitEvent(second, event, 0);
    }
    copy<<<1, 1, 0, second>>>(numbers + 1, numbers);
    cudaDeviceSynchronize();
    cudaMemcpy(host, numbers + 1, sizeof(*host), cudaMemcpyDefault);
    return *host;
}

static int no_event()
{
    return pass_on(free_stream[0], free_stream[1], false);
}

/* The same behind work of the stream that should wait. */
static int no_join()
{
    set<<<1, 1, 0, free_stream[0]>>>(numbers + 1, 0);
    set<<<1, 1, 0, free_stream[1]>>>(numbers, 1);
    copy<<<1, 1, 0, free_stream[0]>>>(numbers + 1, numbers);
    cudaDeviceSynchronize();
    cudaMemcpy(host, numbers + 1, sizeof(*host), cudaMemcpyDefault);
    return *host;
}

static int no_event_blocking()
{
    return pass_on(blocking[0], blocking[1], false);
}

static int beside_default()
{
    return pass_on(free_stream[0], 0, false);
}

static int with_event()
{
    return pass_on(free_stream[0], free_stream[1], true);
}

static int same_stream()
{
    return pass_on(free_stream[0], free_stream[0], false);
}

static int behind_default()
{
    return pass_on(0, blocking[0], false);
}

static int default_behind()
{
    return pass_on(blocking[1], 0, false);
}

/* An event stands for the record before the wait, not for one behind it. */
static int recorded_again()
{
    set<<<1, 1, 0, free_stream[0]>>>(numbers, 1);
    cudaEventRecord(event, free_stream[0]);
    cudaStreamWaitEvent(free_stream[1], event, 0);
    copy<<<1, 1, 0, free_stream[1]>>>(numbers + 1, numbers);
    cudaEventRecord(event, free_stream[1]);
    cudaEventSynchronize(event);
    cudaMemcpyAsync(host, numbers + 1, sizeof(*host), cudaMemcpyDefault, free_stream[1]);
    cudaStreamSynchronize(free_stream[1]);
    return *host;
}

/* The host reads what nobody has waited for; it must not need a call for that. */
static int unwaited()
{
    set<<<1, 1>>>(shared, 1);
    return *(volatile int *)shared;
}

static int waited()
{
    set<<<1, 1>>>(shared, 1);
    cudaDeviceSynchronize();
    return *(volatile int *)shared;
}

static int wrong_wait()
{
    set<<<1, 1, 0, free_stream[0]>>>(shared, 1);
    cudaStreamSynchronize(free_stream[1]);
    return *(volatile int *)shared;
}

/* A plain copy waits for the default stream, not for one that is free of it. */
static int plain_copy()
{
    set<<<1, 1, 0, free_stream[0]>>>(numbers + 1, 1);
    cudaMemcpy(host, numbers + 1, sizeof(*host), cudaMemcpyDefault);
    return *host;
}

static int plain_copy_behind()
{
    set<<<1, 1, 0, blocking[0]>>>(numbers + 1, 1);
    cudaMemcpy(host, numbers + 1, sizeof(*host), cudaMemcpyDefault);
    return *host;
}

/* Does a copy read the host's memory at the call? */
static int source_changed(int *source)
{
    *source = 1;
    cudaMemcpyAsync(numbers + 1, source, sizeof(*source), cudaMemcpyDefault, free_stream[0]);
    *(volatile int *)source = 0;
    cudaStreamSynchronize(free_stream[0]);
    cudaMemcpy(host, numbers + 1, sizeof(*host), cudaMemcpyDefault);
    return *host;
}

static int pinned_changed()
{
    return source_changed(host);
}

static int pageable_changed()
{
    static int pageable;

    return source_changed(&pageable);
}

/* One to pageable memory is done when the call returns. */
static int to_pageable()
{
    static volatile int pageable;

    pageable = 0;
    set<<<1, 1, 0, free_stream[0]>>>(numbers, 1);
    cudaMemcpyAsync((int *)&pageable, numbers, sizeof(int), cudaMemcpyDefault, free_stream[0]);
    return pageable;
}

static int fill_beside()
{
    cudaMemsetAsync(numbers, 1, 1, free_stream[0]);
    cudaMemcpyAsync(numbers + 1, numbers, sizeof(int), cudaMemcpyDefault, free_stream[1]);
    cudaDeviceSynchronize();
    cudaMemcpy(host, numbers + 1, sizeof(*host), cudaMemcpyDefault);
    return *host;
}

static int host_function(bool waits)
{
    cudaLaunchHostFunc(free_stream[0], set_on_host, shared);
    if (waits)
        cudaStreamSynchronize(free_stream[0]);
    return *(volatile int *)shared;
}

static int function_unwaited()
{
    return host_function(false);
}

static int function_waited()
{
    return host_function(true);
}

/* A graph of one kernel, and another stream that reads what it writes. */
static int beside_graph(bool waits)
{
    static cudaGraphExec_t exec;
    cudaGraph_t graph;

    if (!exec) {
        cudaStreamBeginCapture(free_stream[0], cudaStreamCaptureModeGlobal);
        set<<<1, 1, 0, free_stream[0]>>>(numbers, 1);
        cudaStreamEndCapture(free_stream[0], &graph);
        cudaGraphInstantiate(&exec, graph, 0);
    }
    cudaGraphLaunch(exec, free_stream[0]);
    if (waits) {
        cudaEventRecord(event, free_stream[0]);
        cudaStreamWaitEvent(free_stream[1], event, 0);
    }
    copy<<<1, 1, 0, free_stream[1]>>>(numbers + 1, numbers);
    cudaDeviceSynchronize();
    cudaMemcpy(host, numbers + 1, sizeof(*host), cudaMemcpyDefault);
    return *host;
}

static int graph_unordered()
{
    return beside_graph(false);
}

static int graph_ordered()
{
    return beside_graph(true);
}

/* Memory that a stream frees is there for all its work, and for what that waits for. */
static int freed_behind()
{
    int *memory;

    cudaMallocAsync((void **)&memory, sizeof(*memory), free_stream[0]);
    set<<<1, 1, 0, free_stream[0]>>>(memory, 1);
    cudaMemcpyAsync(host, memory, sizeof(*memory), cudaMemcpyDefault, free_stream[0]);
    cudaFreeAsync(memory, free_stream[0]);
    cudaStreamSynchronize(free_stream[0]);
    return *host;
}

/* More work than waits at once, and a stream that is gone. */
static int destroyed()
{
    cudaStream_t stream;

    cudaStreamCreate(&stream);
    for (int i = 0; i < 200; i++)
        set<<<1, 1, 0, i % 2 ? stream : free_stream[0]>>>(shared + i % 2, i / 198);
    cudaStreamDestroy(stream);
    cudaStreamSynchronize(free_stream[0]);
    return ((volatile int *)shared)[0] && ((volatile int *)shared)[1];
}

/* Calls that ask or set something, and make graphs, wait for nothing. */
static int beside_questions()
{
    cudaPointerAttributes attributes;
    cudaTextureObject_t texture;
    cudaResourceDesc resource{};
    cudaTextureDesc description{};
    cudaGraphNode_t node;
    cudaGraph_t graph;
    size_t bytes, total;
    void *address;
    unsigned flags;

    set<<<1, 1, 0, free_stream[0]>>>(numbers, 1);
    cudaMemGetInfo(&bytes, &total);
    cudaGetSymbolAddress(&address, variable);
    cudaPointerGetAttributes(&attributes, numbers);
    cudaStreamGetFlags(free_stream[0], &flags);
    cudaDeviceGetLimit(&bytes, cudaLimitMallocHeapSize);
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear = {numbers, cudaCreateChannelDesc<int>(), 2 * sizeof(int)};
    cudaCreateTextureObject(&texture, &resource, &description, nullptr);
    cudaGraphCreate(&graph, 0);
    cudaGraphAddEmptyNode(&node, graph, nullptr, 0);
    cudaGraphDestroy(graph);
    copy<<<1, 1, 0, free_stream[1]>>>(numbers + 1, numbers);
    cudaDeviceSynchronize();
    cudaDestroyTextureObject(texture);
    cudaMemcpy(host, numbers + 1, sizeof(*host), cudaMemcpyDefault);
    return *host;
}

struct trial {
    const char *name;
    int (*run)();
};

static const struct trial open[] = {
    {"no_event", no_event},
    {"no_join", no_join},
    {"no_event_blocking", no_event_blocking},
    {"beside_default", beside_default},
    {"unwaited", unwaited},
    {"wrong_wait", wrong_wait},
    {"plain_copy", plain_copy},
    {"pinned_changed", pinned_changed},
    {"fill_beside", fill_beside},
    {"function_unwaited", function_unwaited},
    {"graph_unordered", graph_unordered},
    {"beside_questions", beside_questions},
};

static const struct trial ordered[] = {
    {"with_event", with_event},
    {"same_stream", same_stream},
    {"behind_default", behind_default},
    {"default_behind", default_behind},
    {"recorded_again", recorded_again},
    {"waited", waited},
    {"plain_copy_behind", plain_copy_behind},
    {"pageable_changed", pageable_changed},
    {"to_pageable", to_pageable},
    {"function_waited", function_waited},
    {"graph_ordered", graph_ordered},
    {"freed_behind", freed_behind},
    {"destroyed", destroyed},
};

template <size_t count> static int try_all(const char *kind, const struct trial (&trials)[count])
{
    std::printf("%s:", kind);
    for (const struct trial &trial : trials) {
        int others = 0;
        for (int i = 0; i < 16; i++) {
            CHECK(cudaDeviceSynchronize());
            CHECK(cudaMemset(numbers, 0, 2 * sizeof(*numbers)));
            CHECK(cudaDeviceSynchronize());
            std::memset(shared, 0, 2 * sizeof(*shared));
            *host = 0;
            others += trial.run() != 1;
        }
        if (others)
            std::printf(" %s", trial.name);
    }
    CHECK(cudaDeviceSynchronize());
    std::printf("\n");
    return 0;
}

/* The host makes no call until a kernel has written. */
static int poll()
{
    set<<<1, 1>>>(shared, 0);
    CHECK(cudaDeviceSynchronize());
    set<<<1, 1, 0, free_stream[0]>>>(shared, 1);
    while (!*(volatile int *)shared)
        ;
    std::printf("written\n");
    return 0;
}

__global__ void set_variable(int value)
{
    variable = value;
}

/* Each kernel is launched for the first time, and the variable looked at. */
static int first()
{
    const int copied = no_event();

    set_variable<<<1, 1>>>(1);
    const int seen = variable;
    CHECK(cudaDeviceSynchronize());
    std::printf("%d %d\n", copied, seen);
    return 0;
}

/* Nothing waits for the launch. */
static int end()
{
    set<<<1, 1>>>(numbers, 1);
    return 0;
}

int main(int argc, char **argv)
{
    CHECK(cudaMalloc((void **)&numbers, 2 * sizeof(*numbers)));
    CHECK(cudaMallocHost((void **)&host, sizeof(*host)));
    CHECK(cudaMallocManaged((void **)&shared, 2 * sizeof(*shared)));
    CHECK(cudaEventCreate(&event));
    for (int i = 0; i < 2; i++) {
        CHECK(cudaStreamCreateWithFlags(&free_stream[i], cudaStreamNonBlocking));
        CHECK(cudaStreamCreate(&blocking[i]));
    }
    CHECK(cudaMemset(numbers, 0, 2 * sizeof(*numbers)));
    CHECK(cudaDeviceSynchronize());
    if (argc > 1)
        return !std::strcmp(argv[1], "first")  ? first()
               : !std::strcmp(argv[1], "ends") ? end()
                                               : poll();
    return try_all("open", open) ?: try_all("ordered", ordered);
}
