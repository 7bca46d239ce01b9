/* c8: ITEMS numbers per thread, by 16-byte loads.
 *
 * Before: in c7c a block's barriers, its shuffles and its look back serve 1024 numbers.
 * Now:    they serve `TILE` numbers, of which each thread adds up `ITEMS` neighbours.
 *         Neighbouring lanes still load neighbouring quads: the tile passes through shared
 *         memory, where padded() puts the quads of neighbouring threads into different banks.
 * See:    docs/scan.md#c8
 */
#include "look_back.cuh"
#include "quads.cuh"

enum { ITEMS = 8, QUADS = ITEMS / 4, TILE = THREADS * ITEMS };
enum { SHARED_BYTES = (TILE / 4 + TILE / 32) * sizeof(quad<int>) };

__device__ static int padded(int i) /* where quad i of a tile lies in shared memory */
{
    return i + i / 8;
}

/* `words` and `started` are zeros at first. */
template <typename T>
__global__ void __launch_bounds__(THREADS) scan(const T *a, int n, bool inclusive, T *out,
                                                volatile unsigned long long *words, int *started)
{
    extern __shared__ float4 shared[];
    quad<T> *const quads = (quad<T> *)shared;
    __shared__ int tile;
    __shared__ T before;
    quad<T> own[QUADS];
    T sum = 0, total;

    if (threadIdx.x == 0)
        tile = atomicAdd(started, 1);
    __syncthreads();
    const int first = tile * (TILE / 4);

    for (int k = threadIdx.x; k < TILE / 4; k += THREADS)
        quads[padded(k)] = read_quad(a, first + k, n);
    __syncthreads();
    for (int k = 0; k < QUADS; k++) {
        own[k] = quads[padded(threadIdx.x * QUADS + k)];
        for (T &x : own[k].v) {
            const T up_to_here = sum + x;

            x = inclusive ? up_to_here : sum;
            sum = up_to_here;
        }
    }

    sum = block_scan(sum, &total);
    if (threadIdx.x < 32)
        before = leave_and_look_back(words, tile, total); /* the same in every lane */
    __syncthreads();
    sum += before;
    for (int k = 0; k < QUADS; k++) {
        for (T &x : own[k].v)
            x += sum;
        quads[padded(threadIdx.x * QUADS + k)] = own[k];
    }
    __syncthreads();
    for (int k = threadIdx.x; k < TILE / 4; k += THREADS)
        write_quad(out, first + k, n, quads[padded(k)]);
}

/* The whole device side, from host numbers to host sums. */
template <typename T>
static void scan_gpu(const T *a, int n, bool inclusive, struct run *run, T *sums)
{
    const int blocks = n > 0 ? (n - 1) / TILE + 1 : 1;
    T *d_a = device_input(T, a, n);
    T *d_sums = device_output(T, run, n);
    unsigned long long *d_words = device_output(unsigned long long, run, blocks + 1);
    int *d_started = (int *)(d_words + blocks);

    run->blocks = blocks;
    run->threads = THREADS;
    run->shared_bytes = SHARED_BYTES;
    CHECK(cudaFuncSetAttribute(scan<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES));
    TIMED(run) {
        CHECK(cudaMemsetAsync(d_words, 0, (blocks + 1) * sizeof(unsigned long long)));
        scan<<<blocks, THREADS, SHARED_BYTES>>>(d_a, n, inclusive, d_sums, d_words, d_started);
    }

    device_fetch(T, sums, d_sums, n);
    device_free(run, d_a);
    device_free(run, d_sums);
    device_free(run, d_words);
}

int main(int argc, char **argv)
{
    return scan_main(argc, argv, STEP,
                     {.ints = scan_gpu<int>,
                      .floats = scan_gpu<float>,
                      .tile = TILE,
                      .chain = 28 + ITEMS,
                      .wave = {(void *)scan<int>, THREADS, SHARED_BYTES}});
}
