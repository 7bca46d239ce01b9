/* Kernels in streams of their own: those that leave each other room, and those that do not. */
#include "calibration.h"
#include "work.cuh"

enum { STREAMS = 16, MILLION = 1 << 20 };
static cudaStream_t streams[STREAMS];

__global__ void read(const float4 *in, int n, float *sink)
{
    float sum = 0;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i].x + in[i].w;
    if (sum == 1)
        *sink = sum;
}

static void measure(struct calibration *calibration)
{
    static const struct {
        int kernels, blocks, threads;
    } cases[] = {
        {1, 1, 256},    {2, 1, 256},    {4, 1, 256},    {8, 1, 256},    {16, 1, 256},
        {1, 66, 256},   {2, 66, 256},   {3, 66, 256},   {4, 66, 256},   {2, 132, 32},
        {4, 132, 32},   {1, 132, 1024}, {2, 132, 1024}, {1, 1056, 256}, {2, 1056, 256},
        {1, 1584, 256}, {2, 1584, 256},
    };
    const size_t bytes = 64 * MILLION;
    float *sink = (float *)calibration_memory(sizeof *sink);
    const float4 *one = (const float4 *)calibration_memory(bytes);
    const float4 *other = (const float4 *)calibration_memory(bytes);
    const int n = bytes / sizeof *one;

    for (int k = 0; k < STREAMS; k++)
        CHECK(cudaStreamCreate(&streams[k]));
    for (int kernels : {2, 4, 8})
        TIMED_CASE(calibration, "%d empty kernels in as many streams", kernels)
            for (int k = 0; k < kernels; k++)
                nothing<<<1, 32, 0, streams[k]>>>();
    for (auto [kernels, blocks, threads] : cases)
        TIMED_CASE(calibration, "%d x %d blocks of %d threads in streams", kernels, blocks, threads)
            for (int k = 0; k < kernels; k++)
                work<<<blocks, threads, 0, streams[k]>>>(16384, 0.5f, sink);
    TIMED_CASE(calibration, "a read of 64 MiB by 132 blocks")
        read<<<132, 256, 0, streams[0]>>>(one, n, sink);
    TIMED_CASE(calibration, "two of them in streams") {
        read<<<132, 256, 0, streams[0]>>>(one, n, sink);
        read<<<132, 256, 0, streams[1]>>>(other, n, sink);
    }
    TIMED_CASE(calibration, "a read by 1056 blocks")
        read<<<1056, 256, 0, streams[0]>>>(one, n, sink);
    TIMED_CASE(calibration, "two of these in streams") {
        read<<<1056, 256, 0, streams[0]>>>(one, n, sink);
        read<<<1056, 256, 0, streams[1]>>>(other, n, sink);
    }
    TIMED_CASE(calibration, "one by 132 blocks, beside 132 blocks of work") {
        read<<<132, 256, 0, streams[0]>>>(one, n, sink);
        work<<<132, 128, 0, streams[1]>>>(16384, 0.5f, sink);
    }
    for (int k = 0; k < STREAMS; k++)
        CHECK(cudaStreamDestroy(streams[k]));
    CHECK(cudaFree((void *)one));
    CHECK(cudaFree((void *)other));
    CHECK(cudaFree(sink));
}

int main(int argc, char **argv)
{
    return calibration_main(argc, argv, "streams", measure);
}
