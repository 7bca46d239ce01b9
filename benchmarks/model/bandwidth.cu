/* How fast data moves: read, written and copied, by the width of an access and by where it lies. */
#include "calibration.h"

enum { THREADS = 256, L2_WORDS = 1 << 21 };

template <typename T> __global__ void read_once(const T *data, unsigned *sink)
{
    const T value = data[blockIdx.x * THREADS + threadIdx.x];

    if (*(const unsigned *)&value == 0xFFFFFFFF)
        *sink = 1;
}

template <typename T> __global__ void copy_once(const T *from, T *to)
{
    to[blockIdx.x * THREADS + threadIdx.x] = from[blockIdx.x * THREADS + threadIdx.x];
}

/* A grid that stays, each thread with four loads under way. */
__global__ void read_stride(const uint4 *data, unsigned count, unsigned *sink)
{
    const unsigned stride = gridDim.x * THREADS;
    unsigned seen = 0;

#pragma unroll 4
    for (unsigned i = blockIdx.x * THREADS + threadIdx.x; i < count; i += stride)
        seen |= data[i].x | data[i].y | data[i].z | data[i].w;
    if (seen == 0xFFFFFFFF)
        *sink = seen;
}

/* Every block reads its own 16 KiB again and again: the L1 cache. */
__global__ void read_again(const unsigned *data, int times, unsigned *sink)
{
    const unsigned *mine = data + blockIdx.x % 64 * 4096 + threadIdx.x;
    unsigned seen = 0;

#pragma unroll 1
    for (int k = 0; k < times; k++)
#pragma unroll
        for (int i = 0; i < 16; i++)
            seen += mine[(i * THREADS + k * 32) % 4096];
    if (seen == 0xFFFFFFFF)
        *sink = seen;
}

/* Neighbouring threads `stride` words apart. */
__global__ void read_apart(const unsigned *data, unsigned stride, unsigned *sink)
{
    if (data[(size_t)(blockIdx.x * THREADS + threadIdx.x) * stride] == 0xFFFFFFFF)
        *sink = 1;
}

/* The same in L2: each thread reads or writes 16 words, `stride` from its neighbours'. */
__device__ static unsigned place(unsigned i, unsigned stride)
{
    return (i * gridDim.x * THREADS + blockIdx.x * THREADS + threadIdx.x) * stride % L2_WORDS;
}

__global__ void read_l2(const unsigned *data, unsigned stride, unsigned *sink)
{
    unsigned seen = 0;

#pragma unroll
    for (unsigned i = 0; i < 16; i++)
        seen |= __ldcg(&data[place(i, stride)]);
    if (seen == 0xFFFFFFFF)
        *sink = seen;
}

__global__ void write_l2(unsigned *data, unsigned stride)
{
#pragma unroll
    for (unsigned i = 0; i < 16; i++)
        data[place(i, stride)] = i;
}

template <typename T>
static void measure_width(struct calibration *calibration, void *from, void *to, size_t mib)
{
    const unsigned blocks = (unsigned)((mib << 20) / sizeof(T) / THREADS);

    TIMED_CASE(calibration, "read %zu MiB by %zu bytes", mib, sizeof(T))
        read_once<<<blocks, THREADS>>>((const T *)from, (unsigned *)to);
    TIMED_CASE(calibration, "copy %zu MiB by %zu bytes", mib, sizeof(T))
        copy_once<<<blocks, THREADS>>>((const T *)from, (T *)to);
}

static void measure(struct calibration *calibration)
{
    const size_t most = 128;
    void *from = calibration_memory(most << 20), *to = calibration_memory(most << 20);

    for (size_t mib : {(size_t)8, most}) {
        measure_width<unsigned>(calibration, from, to, mib);
        if (mib < most)
            measure_width<uint2>(calibration, from, to, mib);
        measure_width<uint4>(calibration, from, to, mib);
        TIMED_CASE(calibration, "read %zu MiB in 1056 blocks", mib)
            read_stride<<<1056, THREADS>>>((const uint4 *)from, (unsigned)(mib << 16),
                                           (unsigned *)to);
    }
    TIMED_CASE(calibration, "write 128 MiB by cudaMemset")
        CHECK(cudaMemsetAsync(to, 0, most << 20));
    TIMED_CASE(calibration, "read 16 KiB 64 times in each of 528 blocks")
        read_again<<<528, THREADS>>>((const unsigned *)from, 64, (unsigned *)to);
    for (unsigned stride : {2, 8, 32})
        TIMED_CASE(calibration, "read 2^18 words %u apart", stride)
            read_apart<<<1024, THREADS>>>((const unsigned *)from, stride, (unsigned *)to);
    for (unsigned stride : {8, 32}) {
        TIMED_CASE(calibration, "read 2^22 words %u apart, from L2", stride)
            read_l2<<<1024, THREADS>>>((const unsigned *)from, stride, (unsigned *)to);
        TIMED_CASE(calibration, "write 2^22 words %u apart, to L2", stride)
            write_l2<<<1024, THREADS>>>((unsigned *)from, stride);
    }
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
}

int main(int argc, char **argv)
{
    return calibration_main(argc, argv, "bandwidth", measure);
}
