/* Kernels launched to begin while the one in front still runs: what orders them, and what does not.
 *
 *   launches CASE
 */
#include <stdio.h>
#include <string.h>

#include <cuda_runtime.h>

enum { THREADS = 64, BLOCKS = 4, RUNS = 5 };

static int *memory; /* of a case: enough for all of them, zeros */
static cudaStream_t stream;

/* Below compute capability 9.0 there is nothing to wait for. */
__device__ static void wait_for_front()
{
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}

__device__ static void trigger()
{
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/* Launch, to begin early or behind all that is in front. */
template <typename... PARAMETERS, typename... ARGUMENTS>
static void launch(int early, int blocks, void (*kernel)(PARAMETERS...), ARGUMENTS... arguments)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};

    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = early;
    config.gridDim = blocks;
    config.blockDim = THREADS;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    if (cudaLaunchKernelEx(&config, kernel, arguments...))
        fprintf(stderr, "launches: %s\n", cudaGetErrorString(cudaGetLastError()));
}

__global__ void store(int *data)
{
    data[threadIdx.x] = threadIdx.x + 1;
}

__global__ void store_other(int *data)
{
    data[threadIdx.x] = threadIdx.x + 2;
}

__global__ void trigger_and_store(int *data)
{
    trigger();
    data[threadIdx.x] = threadIdx.x + 1;
}

__global__ void load(const int *data, int *out)
{
    out[threadIdx.x] = data[THREADS - 1 - threadIdx.x];
}

__global__ void wait_and_load(const int *data, int *out)
{
    wait_for_front();
    out[threadIdx.x] = data[THREADS - 1 - threadIdx.x];
}

/* What the first thread has read, it has read in this launch, not in those in front. */
__global__ void tell_and_store(int *data, volatile int *flag)
{
    if (threadIdx.x == 0)
        *flag = 1;
    if (threadIdx.x != 32)
        return;
    while (*flag == 0) {
    }
    data[THREADS - 1] = 0;
}

/* One thread waits, and tells the others or does not. */
__global__ void one_waits(const int *data, int *out, bool tells)
{
    if (threadIdx.x == 0)
        wait_for_front();
    if (tells)
        __syncthreads();
    out[threadIdx.x] = data[THREADS - 1 - threadIdx.x];
}

__global__ void add(int *sum)
{
    atomicAdd(sum, 1);
}

__global__ void add_in_block(int *sum)
{
    atomicAdd_block(sum, 1);
}

/* A thread of the first block waits and sets a flag, all other blocks wait for the flag. */
__global__ void tell_by_flag(const int *data, int *flag, int *out)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        wait_for_front();
        __threadfence();
        atomicExch(flag, 1);
    }
    while (blockIdx.x > 0 && !atomicAdd(flag, 0)) {
    }
    __threadfence();
    __syncthreads();
    out[blockIdx.x * THREADS + threadIdx.x] = data[threadIdx.x];
}

__global__ void nothing(bool waits_first, bool waits_behind)
{
    if (waits_first)
        wait_for_front();
    trigger();
    if (waits_behind)
        wait_for_front();
}

/* The warp that triggers is not the one that waited. */
__global__ void trigger_elsewhere(bool barrier)
{
    if (threadIdx.x == 0)
        wait_for_front();
    if (barrier)
        __syncthreads();
    if (threadIdx.x == 32)
        trigger();
}

__global__ void store_one(int *data, int threads)
{
    if (threadIdx.x < threads)
        data[0] = threadIdx.x;
}

/* The next launch begins behind the trigger of every block, and so behind the wait of one. */
__global__ void first_block_waits(bool first)
{
    if ((blockIdx.x == 0) == first)
        wait_for_front();
    trigger();
}

/* A sum in one launch: of every block a part, which the last one to draw a ticket adds up. Launches
 * take two halves of `parts` in turn, and the last block alone waits: behind it all is known of the
 * launch in front, and so the next one, which begins behind its trigger, meets nobody in its
 * half. */
__global__ void sum(int *parts, int *tickets, int *result)
{
    __shared__ bool last;

    if (threadIdx.x == 0) {
        parts[blockIdx.x] = blockIdx.x + 1;
        __threadfence();
        last = atomicAdd(tickets, 1) == gridDim.x - 1;
        if (last)
            wait_for_front();
        trigger();
    }
    __syncthreads();
    if (!last || threadIdx.x > 0)
        return;
    __threadfence();
    *result = 0;
    for (int i = 0; i < gridDim.x; i++)
        *result += parts[i];
    *tickets = 0;
}

static void store_then(int early, void (*second)(const int *, int *))
{
    launch(0, 1, store, memory);
    launch(early, 1, second, memory, memory + THREADS);
}

static void one_tells(bool tells)
{
    launch(0, 1, store, memory);
    launch(1, 1, one_waits, memory, memory + THREADS, tells);
}

/* What comes between the two launches, in the same stream or not. */
static void store_something_load(void (*something)())
{
    launch(0, 1, store, memory);
    something();
    launch(1, 1, load, memory, memory + THREADS);
}

/* A first, a middle and a third kernel, which loads what the first stored. */
static void three(bool waits_first, bool waits_behind, void (*third)(const int *, int *))
{
    launch(0, 1, trigger_and_store, memory);
    launch(1, 1, nothing, waits_first, waits_behind);
    launch(1, 1, third, memory, memory + THREADS);
}

static void three_around(void (*middle)())
{
    launch(0, 1, trigger_and_store, memory);
    middle();
    launch(1, 1, load, memory, memory + THREADS);
}

static void three_elsewhere(bool barrier)
{
    launch(0, 1, trigger_and_store, memory);
    launch(1, 1, trigger_elsewhere, barrier);
    launch(1, 1, load, memory, memory + THREADS);
}

static void sums(int halves)
{
    for (int run = 0; run < RUNS; run++) {
        const int half = run % halves;

        launch(1, BLOCKS, sum, memory + half * BLOCKS, memory + 2 * BLOCKS + half,
               memory + 2 * BLOCKS + 2);
    }
}

static const struct {
    const char *name;
    void (*run)();
} cases[] = {
    {"load", [] { store_then(1, load); }},
    {"load_behind_wait", [] { store_then(1, wait_and_load); }},
    {"load_not_early", [] { store_then(0, load); }},
    {"one_tells", [] { one_tells(true); }},
    {"one_keeps", [] { one_tells(false); }},
    {"flag",
     [] {
         launch(0, 1, store, memory);
         launch(1, BLOCKS, tell_by_flag, memory, memory + THREADS, memory + 2 * THREADS);
     }},
    {"store_behind_load",
     [] {
         launch(0, 1, load, memory, memory + THREADS);
         launch(1, 1, store, memory);
     }},
    {"store_behind_store",
     [] {
         launch(0, 1, store, memory);
         launch(1, 1, store_other, memory);
     }},
    {"same_value",
     [] {
         launch(0, 1, store, memory);
         launch(1, 1, store, memory);
     }},
    {"atomics",
     [] {
         launch(0, 1, add, memory);
         launch(1, 1, add, memory);
     }},
    {"atomics_of_block",
     [] {
         launch(0, 1, add_in_block, memory);
         launch(1, 1, add_in_block, memory);
     }},
    {"told_of_reads",
     [] {
         launch(0, 1, load, memory, memory + THREADS);
         launch(1, 1, tell_and_store, memory, memory + 2 * THREADS);
     }},
    {"memset", [] { store_something_load([] { cudaMemsetAsync(memory, 0, 4, stream); }); }},
    {"copy",
     [] {
         store_something_load(
             [] { cudaMemcpyAsync(memory, memory + 1, 4, cudaMemcpyDefault, stream); });
     }},
    {"synchronize", [] { store_something_load([] { cudaStreamSynchronize(stream); }); }},
    {"event",
     [] {
         store_something_load([] {
             cudaEvent_t event;

             cudaEventCreate(&event);
             cudaEventRecord(event, stream);
             cudaEventDestroy(event);
         });
     }},
    {"other_stream", [] { store_something_load([] { cudaStreamCreate(&stream); }); }},
    {"ask_for_errors",
     [] { store_something_load([] { cudaGetLastError(), cudaPeekAtLastError(); }); }},
    {"set_attribute",
     [] {
         store_something_load(
             [] { cudaFuncSetAttribute(load, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024); });
     }},
    {"ask_for_attributes",
     [] {
         store_something_load([] {
             cudaFuncAttributes attributes;
             int blocks;

             cudaFuncGetAttributes(&attributes, load);
             cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, load, THREADS, 0);
         });
     }},
    {"three_wait_first", [] { three(true, false, load); }},
    {"three_wait_behind", [] { three(false, true, load); }},
    {"three_never_wait", [] { three(false, false, load); }},
    {"three_last_waits", [] { three(false, false, wait_and_load); }},
    {"three_behind_one_that_waited",
     [] {
         launch(0, 1, store, memory + 2 * THREADS);
         launch(1, 1, nothing, true, false);
         three(false, false, load);
     }},
    {"three_neither", [] { three_around([] { launch(1, 1, add, memory + 3 * THREADS); }); }},
    {"second_of_three",
     [] {
         launch(0, 1, add, memory + 3 * THREADS);
         launch(1, 1, trigger_and_store, memory);
         launch(1, 1, load, memory, memory + THREADS);
     }},
    {"six_before",
     [] {
         launch(0, 1, trigger_and_store, memory);
         for (int i = 0; i < 5; i++)
             launch(1, 1, nothing, false, false);
         launch(1, 1, load, memory, memory + THREADS);
     }},
    {"three_first_block", [] { three_around([] { launch(1, BLOCKS, first_block_waits, true); }); }},
    {"three_other_blocks",
     [] { three_around([] { launch(1, BLOCKS, first_block_waits, false); }); }},
    {"again",
     [] {
         launch(0, 1, store_one, memory, 1);
         launch(0, 1, load, memory, memory + THREADS);
         launch(0, 1, store_one, memory, THREADS);
     }},
    {"load_behind_early",
     [] {
         launch(0, 1, store, memory);
         launch(1, 1, add, memory + 3 * THREADS);
         launch(0, 1, load, memory, memory + THREADS);
     }},
    {"three_elsewhere", [] { three_elsewhere(false); }},
    {"three_elsewhere_barrier", [] { three_elsewhere(true); }},
    {"sums_in_halves", [] { sums(2); }},
    {"sums_in_place", [] { sums(1); }},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases) && argc == 2; i++) {
        if (strcmp(argv[1], cases[i].name) != 0)
            continue;
        cudaMalloc(&memory, 1024 * sizeof(int));
        cudaMemset(memory, 0, 1024 * sizeof(int));
        cases[i].run();
        cudaDeviceSynchronize();
        cudaFree(memory);
        return 0;
    }
    fprintf(stderr, "usage: %s CASE\n", argv[0]);
    return 2;
}
