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

static void missing_wait(bool repaired)
{
    run(repaired ? missing_wait<true> : missing_wait<false>, numbers(THREADS), THREADS);
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

static void one_group_too_many(bool repaired)
{
    run(repaired ? one_group_too_many<true> : one_group_too_many<false>, numbers(THREADS), THREADS);
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

static void newest_group(bool repaired)
{
    run(repaired ? newest_group<true> : newest_group<false>, numbers(THREADS), THREADS);
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

static void never_committed(bool repaired)
{
    run(repaired ? never_committed<true> : never_committed<false>, numbers(THREADS), THREADS);
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

static void half_wait(bool repaired)
{
    run(repaired ? half_wait<true> : half_wait<false>, numbers(THREADS), THREADS);
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

static void missing_barrier_after_wait(bool repaired)
{
    run(repaired ? missing_barrier_after_wait<true> : missing_barrier_after_wait<false>,
        numbers(THREADS), THREADS);
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

static void barrier_before_wait(bool repaired)
{
    run(repaired ? barrier_before_wait<true> : barrier_before_wait<false>, numbers(THREADS),
        THREADS);
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

static void refilled_too_soon(bool repaired)
{
    run(repaired ? refilled_too_soon<true> : refilled_too_soon<false>, numbers(ROUNDS * THREADS),
        THREADS);
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

static void changed_source(bool repaired)
{
    run(repaired ? changed_source<true> : changed_source<false>, numbers(THREADS), THREADS);
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

static void source_of_second(bool repaired)
{
    run(repaired ? source_of_second<true> : source_of_second<false>, numbers(THREADS), THREADS);
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

static void source_of_others(bool repaired)
{
    run(repaired ? source_of_others<true> : source_of_others<false>, numbers(THREADS), THREADS);
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

static void two_into_one(bool repaired)
{
    run(repaired ? two_into_one<true> : two_into_one<false>, numbers(2 * THREADS), THREADS);
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

static void nothing_yet(bool repaired)
{
    run(repaired ? nothing_yet<true> : nothing_yet<false>, numbers(THREADS), THREADS);
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

static void past_the_end(bool repaired)
{
    run(repaired ? past_the_end<true> : past_the_end<false>, numbers(THREADS), THREADS);
}

static const struct planted cases[] = {
    {"missing_wait", missing_wait},
    {"one_group_too_many", one_group_too_many},
    {"newest_group", newest_group},
    {"never_committed", never_committed},
    {"half_wait", half_wait},
    {"missing_barrier_after_wait", missing_barrier_after_wait},
    {"barrier_before_wait", barrier_before_wait},
    {"refilled_too_soon", refilled_too_soon},
    {"changed_source", changed_source},
    {"source_of_second", source_of_second},
    {"source_of_others", source_of_others},
    {"two_into_one", two_into_one},
    {"unwritten_source", unwritten_source},
    {"nothing_yet", nothing_yet},
    {"past_the_end", past_the_end},
};

PLANTED_MAIN(cases)
