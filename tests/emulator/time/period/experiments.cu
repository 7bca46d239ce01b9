/* experiments NAME NUMBER...: one figure of the device, on a line: what the articles measured of
 * theirs, in the fewest lines. The result is checked first; a wrong one exits with 1.
 *
 *   fma THREADS BLOCKS            GFLOP/s of multiply-adds in registers, each needing the last
 *   read BYTES, copy BYTES        GB/s in words of so many bytes, 128 threads a block
 *   stride WORDS, operand WORDS   clocks of a warp's load from shared memory, lanes so far apart;
 *                                 of a load and the sum that takes it
 */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

enum { FMAS = 512, LOADS = 256, CHASERS = 512, BYTES = 1 << 24 };

__attribute__((noreturn)) static void fail(const char *why)
{
    std::fprintf(stderr, "experiments: %s\n", why);
    std::exit(1);
}

static void check(cudaError_t error)
{
    if (error != cudaSuccess)
        fail(cudaGetErrorString(error));
}

static __global__ void nothing(void)
{
}

/* Milliseconds of a launch, beyond those of an empty one. */
template <class Launch> static double time_of(Launch launch)
{
    cudaEvent_t events[3];
    float empty, ms;

    for (cudaEvent_t &event : events)
        check(cudaEventCreate(&event));
    check(cudaEventRecord(events[0]));
    nothing<<<1, 1>>>();
    check(cudaEventRecord(events[1]));
    launch();
    check(cudaGetLastError());
    check(cudaEventRecord(events[2]));
    check(cudaEventSynchronize(events[2]));
    check(cudaEventElapsedTime(&empty, events[0], events[1]));
    check(cudaEventElapsedTime(&ms, events[1], events[2]));
    return ms - empty;
}

template <class T> static T *new_device(size_t count)
{
    T *data;

    check(cudaMalloc(&data, count * sizeof(T)));
    return data;
}

/* The paper's loop: a = b * a + b and b = a * b + a, in turn. */
static __global__ void multiply_add(float *out, float a, float b, int rounds)
{
#pragma unroll 1
    for (int round = 0; round < rounds; round++)
#pragma unroll
        for (int i = 0; i < FMAS / 2; i++) {
            a = fmaf(b, a, b);
            b = fmaf(a, b, a);
        }
    out[blockIdx.x * blockDim.x + threadIdx.x] = a + b;
}

static double fma_rate(int threads, int blocks)
{
    const int rounds = 40;
    const float start_a = 0.5f, start_b = -0.25f;
    const size_t count = (size_t)threads * blocks;
    float *out = new_device<float>(count), a = start_a, b = start_b, got;
    const double ms =
        time_of([=] { multiply_add<<<blocks, threads>>>(out, start_a, start_b, rounds); });

    for (int i = 0; i < rounds * FMAS / 2; i++) {
        a = fmaf(b, a, b);
        b = fmaf(a, b, a);
    }
    check(cudaMemcpy(&got, out + count - 1, sizeof(got), cudaMemcpyDeviceToHost));
    if (got != a + b)
        fail("wrong sum");
    return 2.0 * FMAS * rounds * (double)count / ms * 1e-6;
}

static __device__ int sum_of(int x)
{
    return x;
}

static __device__ int sum_of(int2 x)
{
    return x.x + x.y;
}

static __device__ int sum_of(int4 x)
{
    return x.x + x.y + x.z + x.w;
}

template <class T> static __global__ void read_words(const T *in, int *out, int words)
{
    const int stride = gridDim.x * blockDim.x;
    int sum = 0;

#pragma unroll 4
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += stride)
        sum += sum_of(in[i]);
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template <class T> static __global__ void copy_words(const T *in, T *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = in[i];
}

template <class T> static double read_rate(void)
{
    const int words = BYTES / sizeof(T), blocks = 240, threads = 128;
    T *in = new_device<T>(words);
    int *out = new_device<int>(blocks * threads), *sums = new int[blocks * threads];

    check(cudaMemset(in, 1, BYTES));
    const double ms = time_of([=] { read_words<<<blocks, threads>>>(in, out, words); });
    check(cudaMemcpy(sums, out, blocks * threads * sizeof(int), cudaMemcpyDeviceToHost));
    long long sum = 0;
    for (int i = 0; i < blocks * threads; i++)
        sum += (unsigned)sums[i];
    if ((unsigned)sum != (unsigned)(BYTES / 4 * 0x01010101u))
        fail("wrong sum");
    delete[] sums;
    return BYTES / ms * 1e-6;
}

template <class T> static double copy_rate(void)
{
    const int words = BYTES / sizeof(T), threads = 128;
    T *in = new_device<T>(words), *out = new_device<T>(words);
    char *bytes = new char[BYTES];

    check(cudaMemset(in, 7, BYTES));
    check(cudaMemset(out, 0, BYTES));
    const double ms = time_of([=] { copy_words<<<words / threads, threads>>>(in, out); });
    check(cudaMemcpy(bytes, out, BYTES, cudaMemcpyDeviceToHost));
    for (int i = 0; i < BYTES; i++)
        if (bytes[i] != 7)
            fail("wrong copy");
    delete[] bytes;
    return 2.0 * BYTES / ms * 1e-6;
}

/* Every lane's word holds its own address: nothing but loads. */
static __global__ void chase(unsigned *out, int words)
{
    __shared__ unsigned tile[32 * 33];
    unsigned at = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x % 32 * words]);

    tile[threadIdx.x % 32 * words] = at;
    __syncthreads();
    const unsigned begin = clock();
#pragma unroll
    for (int i = 0; i < LOADS; i++)
        asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at));
    __syncthreads();
    out[threadIdx.x] = clock() - begin;
}

/* Each load is taken by a sum alone. */
static __global__ void add_up(unsigned *out, int words)
{
    __shared__ unsigned tile[LOADS + 32 * 33];
    const unsigned at = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x % 32 * words]);
    unsigned sum = 0, value;

    for (int i = threadIdx.x; i < LOADS + 32 * 33; i += blockDim.x)
        tile[i] = i;
    __syncthreads();
    const unsigned begin = clock();
#pragma unroll
    for (int i = 0; i < LOADS; i++) {
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(at));
        sum += value;
    }
    __syncthreads();
    out[threadIdx.x] = sum == LOADS * (threadIdx.x % 32 * words) ? clock() - begin : 0;
}

static double stride_clocks(bool operand, int words)
{
    unsigned *out = new_device<unsigned>(CHASERS), clocks;

    if (operand)
        add_up<<<1, CHASERS>>>(out, words);
    else
        chase<<<1, CHASERS>>>(out, words);
    check(cudaGetLastError());
    check(cudaMemcpy(&clocks, out, sizeof(clocks), cudaMemcpyDeviceToHost));
    return (double)clocks / LOADS / (CHASERS / 32);
}

static double figure_of(const char *name, int number, int other)
{
    if (!strcmp(name, "fma"))
        return fma_rate(number, other);
    if (!strcmp(name, "stride") || !strcmp(name, "operand"))
        return stride_clocks(*name == 'o', number);
    if (!strcmp(name, "read"))
        return number == 4 ? read_rate<int>() : number == 8 ? read_rate<int2>() : read_rate<int4>();
    return number == 4 ? copy_rate<int>() : number == 8 ? copy_rate<int2>() : copy_rate<int4>();
}

int main(int argc, char **argv)
{
    if (argc < 3 || !strstr(" fma read copy stride operand ", argv[1])) {
        std::fprintf(stderr, "usage: experiments fma|read|copy|stride|operand NUMBER [NUMBER]\n");
        return 2;
    }
    std::printf("%.6g\n", figure_of(argv[1], atoi(argv[2]), argc > 3 ? atoi(argv[3]) : 0));
    return 0;
}
