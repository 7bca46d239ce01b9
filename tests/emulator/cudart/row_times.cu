/* Kernels that follow each other in a stream, on the modelled clock: what lies between two of them,
 * in microseconds beside what the kernel itself takes. */
#include <cstdio>
#include <cuda_runtime.h>

#include "check.h"

enum { ROW = 9 };

__global__ void work(int count, float f, float *sink)
{
    float x = f;

    for (int k = 0; k < count; k++)
        x = fmaf(x, f, f);
    if (x == 1)
        *sink = x;
}

enum way { AT_ONCE, WAITED, IN_GRAPH };

static int launch(int times, int count, bool waits, cudaStream_t stream)
{
    for (int k = 0; k < times; k++) {
        work<<<1, 32, 0, stream>>>(count, 0.3f, nullptr);
        if (waits)
            CHECK(cudaStreamSynchronize(stream));
    }
    return 0;
}

static int make_graph(int times, int count, cudaGraphExec_t *exec)
{
    cudaStream_t stream;
    cudaGraph_t graph;

    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    if (launch(times, count, false, stream))
        return 2;
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(exec, graph, 0));
    return 0;
}

/* `times` kernels behind one with `front` additions; 0: behind none. */
static int measure(enum way way, int front, int times, int count, cudaStream_t stream, float *ms)
{
    cudaGraphExec_t graph;
    cudaEvent_t begin, end;

    if (make_graph(times, count, &graph))
        return 2;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventRecord(begin, stream));
    if (front)
        work<<<1, 32, 0, stream>>>(front, 0.3f, nullptr);
    if (way == IN_GRAPH)
        CHECK(cudaGraphLaunch(graph, stream));
    else if (launch(times, count, way == WAITED, stream))
        return 2;
    CHECK(cudaEventRecord(end, stream));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(ms, begin, end));
    return 0;
}

static int report(const char *name, enum way way, int front, int count, cudaStream_t stream)
{
    float one, row, alone, none;

    if (measure(way, front, 1, count, stream, &one) ||
        measure(way, front, ROW, count, stream, &row) ||
        measure(AT_ONCE, 0, 1, count, stream, &alone) || measure(AT_ONCE, 0, 1, 0, stream, &none))
        return 2;
    std::printf("%s: %.1f\n", name, ((row - one) / (ROW - 1) - (alone - none)) * 1000);
    return 0;
}

int main()
{
    cudaStream_t stream;

    CHECK(cudaStreamCreate(&stream));
    return report("long ones", AT_ONCE, 0, 4096, 0) ?: report("short ones", AT_ONCE, 0, 1, 0) ?:
           report("short ones behind a long one", AT_ONCE, 65536, 1, 0) ?:
           report("the host waits for each", WAITED, 0, 4096, 0) ?:
           report("long ones of a graph", IN_GRAPH, 0, 4096, 0) ?:
           report("short ones of a graph", IN_GRAPH, 0, 1, 0) ?:
           report("long ones in a stream", AT_ONCE, 0, 4096, stream) ?:
           report("short ones in a stream", AT_ONCE, 0, 1, stream);
}
