/* What a launch costs: of nothing, of many empty blocks, several in a row, as nodes of a graph,
 * behind a kernel that gives the host time to get ahead; and waves of blocks. */
#include "calibration.h"
#include "work.cuh"

/* Few blocks fit an SM: shared memory is what they run out of. */
__global__ void work_large(int count, float f, float *sink)
{
    __shared__ volatile float room[48 * 256];

    room[threadIdx.x] = f;
    const float x = chain(count, f);
    if (x == 1)
        *sink = x + room[threadIdx.x];
}

/* `times` kernels, one after the other: `count` additions in each thread of `blocks`. */
static void launch(int times, int blocks, int count, float *sink, cudaStream_t stream)
{
    for (int k = 0; k < times; k++)
        work<<<blocks, 256, 0, stream>>>(count, 0.5f, sink);
}

/* The same as nodes of a graph, of which each waits for the one before. */
static cudaGraphExec_t graph_of(int times, int blocks, int count, float *sink)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t ready;

    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    launch(times, blocks, count, sink, stream);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&ready, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
    return ready;
}

static void measure_rows(struct calibration *calibration, float *sink)
{
    static const struct {
        int times, blocks, count;
    } cases[] = {{1, 1, 16},     {8, 1, 16},      {8, 132, 1024},
                 {8, 132, 4096}, {8, 1056, 1024}, {32, 132, 1024}};

    for (auto [times, blocks, count] : cases) {
        const cudaGraphExec_t graph = graph_of(times, blocks, count, sink);
        TIMED_CASE(calibration, "%d chains of %d in %d blocks", times, count, blocks)
            launch(times, blocks, count, sink, 0);
        TIMED_CASE(calibration, "%d chains of %d in %d blocks, a graph", times, count, blocks)
            CHECK(cudaGraphLaunch(graph, 0));
        CHECK(cudaGraphExecDestroy(graph));
    }
    for (int times : {1, 8}) {
        TIMED_CASE(calibration, "a chain of 65536, then %d of 16", times) {
            launch(1, 1, 65536, sink, 0);
            launch(times, 1, 16, sink, 0);
        }
        TIMED_CASE(calibration, "a chain of 65536, then %d of 1024", times) {
            launch(1, 1, 65536, sink, 0);
            launch(times, 132, 1024, sink, 0);
        }
    }
}

static void measure(struct calibration *calibration)
{
    float *sink = (float *)calibration_memory(sizeof *sink);

    TIMED_CASE(calibration, "an empty kernel")
        nothing<<<1, 32>>>();
    for (int blocks : {1024, 16384, 65536})
        TIMED_CASE(calibration, "%d empty blocks of 256 threads", blocks)
            nothing<<<blocks, 256>>>();
    for (int times : {2, 4, 8})
        TIMED_CASE(calibration, "%d empty kernels in a row", times)
            for (int k = 0; k < times; k++)
                nothing<<<1, 32>>>();
    for (int count : {256, 1024, 2048, 4096, 16384})
        TIMED_CASE(calibration, "a chain of %d", count)
            work<<<1, 32>>>(count, 0.5f, sink);
    for (int blocks : {132, 528, 1056, 1057, 2112, 3168})
        TIMED_CASE(calibration, "%d blocks of 256 threads", blocks)
            work<<<blocks, 256>>>(2048, 0.5f, sink);
    for (int blocks : {528, 529, 1056})
        TIMED_CASE(calibration, "%d blocks of 48 KiB", blocks)
            work_large<<<blocks, 128>>>(4096, 0.5f, sink);
    measure_rows(calibration, sink);
    CHECK(cudaFree(sink));
}

int main(int argc, char **argv)
{
    return calibration_main(argc, argv, "launch", measure);
}
