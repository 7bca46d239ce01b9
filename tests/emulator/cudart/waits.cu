/* Loops that look at the clock and sleep: what nothing but memory can end, and what time ends.
 *
 * waits barrier | parity | pipeline | semaphore | device | naps | times */
#include <cstdio>
#include <cstring>
#include <cuda/barrier> /* before <cuda/atomic>: see cmake/no_wait */
#include <cuda/pipeline>
#include <cuda/semaphore>

#include <cooperative_groups.h>

#pragma nv_diag_suppress 20054 /* constructors of what is in shared memory do nothing */

using barrier_type = cuda::barrier<cuda::thread_scope_block>;
using semaphore_type = cuda::counting_semaphore<cuda::thread_scope_block>;
enum { LONG = 100000 }; /* clocks */

__global__ void barrier(bool by_parity)
{
    __shared__ barrier_type bar;

    if (threadIdx.x == 0)
        init(&bar, blockDim.x + 1);
    __syncthreads();
    if (by_parity && threadIdx.x % 3) {
        (void)bar.arrive();
        bar.wait_parity(false);
    } else {
        bar.arrive_and_wait();
    }
}

/* The consumers release what they have not waited for. */
__global__ void pipeline(const int *in)
{
    __shared__ int tiles[2][32];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    const bool produces = threadIdx.x < 32;
    auto pipe = cuda::make_pipeline(cooperative_groups::this_thread_block(), &state,
                                    produces ? cuda::pipeline_role::producer
                                             : cuda::pipeline_role::consumer);

    for (int i = 0; produces && i < 4; i++) {
        pipe.producer_acquire();
        cuda::memcpy_async(&tiles[i % 2][threadIdx.x], in + threadIdx.x, sizeof(int), pipe);
        pipe.producer_commit();
    }
    if (!produces)
        pipe.consumer_release();
}

__global__ void semaphore()
{
    __shared__ semaphore_type places;

    if (threadIdx.x == 0)
        new (&places) semaphore_type(0);
    __syncthreads();
    places.acquire();
}

__global__ void device(cuda::atomic<int, cuda::thread_scope_device> *flag)
{
    flag->wait(0);
}

/* Two naps a round, and one warp is half a round ahead. */
__global__ void naps()
{
    __shared__ volatile int flag;

    flag = 0;
    __syncthreads();
    if (threadIdx.x < 32)
        __nanosleep(10);
    while (!flag) {
        __nanosleep(10);
        if (flag)
            break;
        __nanosleep(20);
    }
}

__device__ static bool is_late(long long start)
{
    return clock64() - start > LONG;
}

__global__ void only_time(int *out)
{
    const long long start = clock64();

    while (!is_late(start))
        __nanosleep(100);
    *out = 1;
}

__global__ void gives_up(volatile int *out)
{
    const long long start = clock64();
    bool late = false;

    while (!*out && !late) {
        if (is_late(start))
            late = true;
        __nanosleep(100);
    }
    *out = late;
}

/* The wait itself is given a time, in nanoseconds. */
__global__ void waits_for(int *out)
{
    __shared__ barrier_type bar;

    if (threadIdx.x == 0)
        init(&bar, blockDim.x + 1);
    __syncthreads();
    *out = !bar.try_wait_for(bar.arrive(), cuda::std::chrono::microseconds(20));
}

/* A warp stores once it is late, and the other one waits for that. */
__global__ void tells(volatile int *out)
{
    const long long start = clock64();
    int late = 0;

    while (threadIdx.x == 0 && !out[1]) {
        if (is_late(start))
            late = 1;
        out[0] = late;
        __nanosleep(100);
    }
    while (threadIdx.x == 32 && !out[0])
        __nanosleep(100);
    if (threadIdx.x == 32)
        out[1] = 1;
}

__global__ void comes_late(int *out)
{
    __shared__ barrier_type bar;

    if (threadIdx.x == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    for (const long long start = clock64(); threadIdx.x >= 32 && !is_late(start);)
        __nanosleep(100);
    bar.arrive_and_wait();
    *out = 1;
}

/* The other block comes late. */
__global__ void passes_on(cuda::atomic<int, cuda::thread_scope_device> *flag)
{
    if (blockIdx.x == 0) {
        flag->wait(0);
        return;
    }
    for (const long long start = clock64(); !is_late(start);)
        ;
    flag->store(1);
    flag->notify_all();
}

static bool ends(int *out)
{
    int result = 0;
    const bool good = !cudaMemcpy(&result, out, sizeof(result), cudaMemcpyDefault) && result == 1;

    cudaMemset(out, 0, 2 * sizeof(*out));
    return good;
}

static int times(int *out)
{
    only_time<<<1, 64>>>(out);
    bool good = ends(out);
    gives_up<<<1, 1>>>(out);
    good = ends(out) && good;
    waits_for<<<1, 32>>>(out);
    good = ends(out) && good;
    tells<<<1, 64>>>(out);
    good = ends(out) && good;
    comes_late<<<2, 64>>>(out);
    good = ends(out) && good;
    passes_on<<<2, 1>>>((cuda::atomic<int, cuda::thread_scope_device> *)out);
    return ends(out) && good ? 0 : 1;
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "";
    int *out;

    if (cudaMalloc((void **)&out, 256) || cudaMemset(out, 0, 256))
        return 3;
    if (!std::strcmp(kind, "times"))
        return times(out);
    if (!std::strcmp(kind, "barrier") || !std::strcmp(kind, "parity"))
        barrier<<<2, 96>>>(kind[0] == 'p');
    else if (!std::strcmp(kind, "pipeline"))
        pipeline<<<1, 64>>>(out);
    else if (!std::strcmp(kind, "semaphore"))
        semaphore<<<1, 64>>>();
    else if (!std::strcmp(kind, "device"))
        device<<<2, 32>>>((cuda::atomic<int, cuda::thread_scope_device> *)out);
    else
        naps<<<1, 64>>>();
    return cudaDeviceSynchronize() != cudaErrorLaunchFailure;
}
