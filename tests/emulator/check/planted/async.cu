/* Planted: copies in the background (compute capability 8.0), and nothing, or the wrong thing, that
 * waits for them. Prints the sum of what the threads got. */
#include "planted.h"

#include <cuda_pipeline.h>

enum { THREADS = 64, ROUNDS = 4 };

/* 1, 2, 3 ... */
static int *numbers(int count)
{
    int *numbers = device_ints(count, -2), *host = (int *)malloc(count * sizeof(int));

    for (int i = 0; i < count; i++)
        host[i] = i + 1;
    cudaMemcpy(numbers, host, count * sizeof(int), cudaMemcpyHostToDevice);
    free(host);
    return numbers;
}

/* Run `kernel` on one block; the sum of its `count` results. */
static void run(void (*kernel)(int *, int *), int *in, int count)
{
    int *out = device_ints(count, 0), *host = (int *)malloc(count * sizeof(int));
    long sum = 0;

    kernel<<<1, THREADS>>>(in, out);
    cudaMemcpy(host, out, count * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < count; i++)
        sum += host[i];
    printf("%ld\n", sum);
    free(host);
    cudaFree(in);
    cudaFree(out);
}

/* A thread reads its own copy. */
template <bool REPAIRED> __global__ void missing_wait(int *in, int *out)
{
    __shared__ int tile[THREADS];

    tile[threadIdx.x] = 0;
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(int));
    __pipeline_commit();
    if (REPAIRED)
        __pipeline_wait_prior(0);
    out[threadIdx.x] = tile[threadIdx.x]; // PLANTED: missing_wait
}

/* Two groups are under way, and the first is wanted: the last one alone may stay. */
template <bool REPAIRED> __global__ void one_group_too_many(int *in, int *out)
{
    __shared__ int tiles[2][THREADS];

    tiles[0][threadIdx.x] = tiles[1][threadIdx.x] = 0;
    for (int i = 0; i < 2; i++) {
        __pipeline_memcpy_async(&tiles[i][threadIdx.x], &in[threadIdx.x], sizeof(int));
        __pipeline_commit();
    }
    __pipeline_wait_prior(REPAIRED ? 1 : 2);
    out[threadIdx.x] = tiles[0][threadIdx.x]; // PLANTED: one_group_too_many
    __pipeline_wait_prior(0);
}

/* Two groups are under way, and the second is wanted. */
template <bool REPAIRED> __global__ void newest_group(int *in, int *out)
{
    __shared__ int tiles[2][THREADS];

    for (int i = 0; i < 2; i++) {
        __pipeline_memcpy_async(&tiles[i][threadIdx.x], &in[threadIdx.x], sizeof(int));
        __pipeline_commit();
    }
    __pipeline_wait_prior(REPAIRED ? 0 : 1);
    out[threadIdx.x] = tiles[1][threadIdx.x]; // PLANTED: newest_group
}

/* A wait is for groups: the copies of half the threads are in none. */
template <bool REPAIRED> __global__ void never_committed(int *in, int *out)
{
    __shared__ int tile[THREADS];

    __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(int));
    if (REPAIRED || threadIdx.x % 2)
        __pipeline_commit();
    __pipeline_wait_prior(0);
    out[threadIdx.x] = tile[threadIdx.x]; // PLANTED: never_committed
}

/* Half of the threads wait, each for its own copy. */
template <bool REPAIRED> __global__ void half_wait(int *in, int *out)
{
    __shared__ int tile[THREADS];

    __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(int));
    __pipeline_commit();
    if (REPAIRED || threadIdx.x % 2)
        __pipeline_wait_prior(0);
    out[threadIdx.x] = tile[threadIdx.x]; // PLANTED: half_wait
}

/* Everybody waits for its own copy, and reads another thread's. */
template <bool REPAIRED> __global__ void missing_barrier_after_wait(int *in, int *out)
{
    __shared__ int tile[THREADS];

    __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    if (REPAIRED)
        __syncthreads();
    out[threadIdx.x] = tile[THREADS - 1 - threadIdx.x]; // PLANTED: missing_barrier_after_wait
}

/* The barrier comes first: what it orders is not there yet. */
template <bool REPAIRED> __global__ void barrier_before_wait(int *in, int *out)
{
    __shared__ int tile[THREADS];

    tile[threadIdx.x] = 0;
    __syncthreads();
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(int));
    __pipeline_commit();
    if (REPAIRED)
        __pipeline_wait_prior(0);
    __syncthreads();
    out[threadIdx.x] = tile[THREADS - 1 - threadIdx.x]; // PLANTED: barrier_before_wait
    __pipeline_wait_prior(0);
}

/* A buffer is filled again while others still read it. */
template <bool REPAIRED> __global__ void refilled_too_soon(int *in, int *out)
{
    __shared__ int tile[THREADS];
    int sum = 0;

    for (int i = 0; i < ROUNDS; i++) {
        __pipeline_memcpy_async(&tile[threadIdx.x], // PLANTED: refilled_too_soon
                                &in[i * THREADS + threadIdx.x], sizeof(int));
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        sum += tile[THREADS - 1 - threadIdx.x];
        if (REPAIRED)
            __syncthreads();
    }
    out[threadIdx.x] = sum;
}

/* The thread changes what is still being copied. */
template <bool REPAIRED> __global__ void changed_source(int *in, int *out)
{
    __shared__ int tile[THREADS];

    __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(int));
    __pipeline_commit();
    if (REPAIRED)
        __pipeline_wait_prior(0);
    in[threadIdx.x] = 0; // PLANTED: changed_source
    __pipeline_wait_prior(0);
    out[threadIdx.x] = tile[threadIdx.x];
}

/* Two copies of one number, one of them waited for. (With bytes in shared memory the checker looks
 * at all of it by bytes.) */
template <bool REPAIRED> __global__ void source_of_second(int *in, int *out)
{
    __shared__ int tiles[2][THREADS];
    __shared__ char bytes[THREADS];

    bytes[threadIdx.x] = 0;
    for (int i = 0; i < 2; i++) {
        __pipeline_memcpy_async(&tiles[i][threadIdx.x], &in[threadIdx.x], sizeof(int));
        __pipeline_commit();
    }
    __pipeline_wait_prior(REPAIRED ? 0 : 1);
    in[threadIdx.x] = 0; // PLANTED: source_of_second
    __pipeline_wait_prior(0);
    out[threadIdx.x] = tiles[0][threadIdx.x] + tiles[1][threadIdx.x] + bytes[threadIdx.x];
}

/* All copy one number. One waits and changes it: the barrier says nothing of the others' copies. */
template <bool REPAIRED> __global__ void source_of_others(int *in, int *out)
{
    __shared__ int tile[THREADS];

    __pipeline_memcpy_async(&tile[threadIdx.x], &in[0], sizeof(int));
    __pipeline_commit();
    if (REPAIRED || threadIdx.x == THREADS - 1)
        __pipeline_wait_prior(0);
    __syncthreads();
    if (threadIdx.x == THREADS - 1)
        in[0] = 0; // PLANTED: source_of_others
    __pipeline_wait_prior(0);
    out[threadIdx.x] = tile[threadIdx.x];
}

/* Two copies to one place, none waited for in between: either may come last. */
template <bool REPAIRED> __global__ void two_into_one(int *in, int *out)
{
    __shared__ int tile[THREADS];

    __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(int));
    __pipeline_commit();
    if (REPAIRED)
        __pipeline_wait_prior(0);
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[THREADS + threadIdx.x], // PLANTED: two_into_one
                            sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[threadIdx.x] = tile[threadIdx.x];
}

/* Half of what is copied nobody wrote. */
template <bool REPAIRED> __global__ void unwritten_source(int *in, int *out)
{
    __shared__ int tile[THREADS];

    __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(int),
                            REPAIRED && threadIdx.x >= THREADS / 2 ? sizeof(int) : 0);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[threadIdx.x] = tile[threadIdx.x] + 1; // PLANTED: unwritten_source
}

static void unwritten_source(bool repaired)
{
    int *in = device_ints(THREADS, -2);

    cudaMemset(in, 0, THREADS / 2 * sizeof(int));
    run(repaired ? unwritten_source<true> : unwritten_source<false>, in, THREADS);
}

/* A copy has written nothing before its thread has waited for it. */
template <bool REPAIRED> __global__ void nothing_yet(int *in, int *out)
{
    __shared__ int tile[THREADS];

    __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(int));
    __pipeline_commit();
    if (REPAIRED)
        __pipeline_wait_prior(0);
    out[threadIdx.x] = tile[threadIdx.x] + 1; // PLANTED: nothing_yet
    __pipeline_wait_prior(0);
}

/* The last copies reach past the end. */
template <bool REPAIRED> __global__ void past_the_end(int *in, int *out)
{
    __shared__ int4 tile[THREADS];
    const int left = THREADS - 4 * (int)threadIdx.x;
    const int bytes = left <= 0 ? 0 : 16;

    __pipeline_memcpy_async(&tile[threadIdx.x], &in[4 * threadIdx.x], // PLANTED: past_the_end
                            sizeof(int4), REPAIRED ? sizeof(int4) - bytes : 0);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[threadIdx.x] = tile[threadIdx.x].x;
}

static const struct planted cases[] = {
    CASE(missing_wait, numbers(THREADS), THREADS),
    CASE(one_group_too_many, numbers(THREADS), THREADS),
    CASE(newest_group, numbers(THREADS), THREADS),
    CASE(never_committed, numbers(THREADS), THREADS),
    CASE(half_wait, numbers(THREADS), THREADS),
    CASE(missing_barrier_after_wait, numbers(THREADS), THREADS),
    CASE(barrier_before_wait, numbers(THREADS), THREADS),
    CASE(refilled_too_soon, numbers(ROUNDS *THREADS), THREADS),
    CASE(changed_source, numbers(THREADS), THREADS),
    CASE(source_of_second, numbers(THREADS), THREADS),
    CASE(source_of_others, numbers(THREADS), THREADS),
    CASE(two_into_one, numbers(2 * THREADS), THREADS),
    {"unwritten_source", unwritten_source},
    CASE(nothing_yet, numbers(THREADS), THREADS),
    CASE(past_the_end, numbers(THREADS), THREADS),
};

PLANTED_MAIN(cases)
