/* h04: how wide a thread reads.
 *
 * Claim:  one instruction reads 32, 64 or 128 bits. On the 8800 GT 32 are best and 128 clearly
 *         slower. On the GTX 280, with blocks of 128 threads, 64 bits give 124.8 GB/s and 32 bits
 *         121.6, of 141.7, and a barrier after the reads helps a little.
 * Today:  what counts is how many bytes are in flight: wide reads, or several reads at once.
 * Pinned: the loops are unrolled by their batch only; a whole batch is read before it is added.
 * See:    docs/hardware.md#h04
 */
#include "reference.cuh"

enum { THREADS = 128, BLOCKS_PER_SM = 16 };

__device__ static int sum_of(int v)
{
    return v;
}
__device__ static int sum_of(int2 v)
{
    return v.x + v.y;
}
__device__ static int sum_of(int4 v)
{
    return v.x + v.y + v.z + v.w;
}

/* Thread t of all adds up the words t, t + all, ..., BATCH of them at a time. The numbers that do
 * not fill a word at the end go to the first threads. */
template <typename word, int BATCH, bool BARRIER>
__global__ void add_up(const int *in, int n, int *out)
{
    const int threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
    const int width = sizeof(word) / sizeof(int), words = n / width;
    const int batched = words / (BATCH * threads) * BATCH * threads;
    const word *from = (const word *)in + thread;
    int sum = 0;

#pragma unroll 1
    for (int i = 0; i < batched; i += BATCH * threads) {
        word batch[BATCH];

#pragma unroll
        for (int b = 0; b < BATCH; b++)
            batch[b] = from[i + b * threads];
        if (BARRIER)
            __syncthreads();
#pragma unroll
        for (int b = 0; b < BATCH; b++)
            sum += sum_of(batch[b]);
    }
#pragma unroll 1
    for (int i = batched; i + thread < words; i += threads)
        sum += sum_of(from[i]);
    if (words * width + thread < n)
        sum += in[words * width + thread];
    out[thread] = sum;
}

static int threads_of(const struct trial *t)
{
    return BLOCKS_PER_SM * t->device->multiprocessors * THREADS;
}

template <typename word, int BATCH, bool BARRIER> static void read(struct trial *t)
{
    t->run->threads = t->variant->other;
    t->run->blocks = threads_of(t) / t->run->threads;
    t->work = (double)t->n * sizeof(int);
    TIMED(t->run)
        add_up<word, BATCH, BARRIER><<<t->run->blocks, t->run->threads>>>(t->in, t->n, t->out);
}

static const struct variant variants[] = {
    {"bits_32", "32 bits per read", read<int, 1, false>, 1, THREADS, "GTX 280: 121.6 GB/s"},
    {"bits_64", "64 bits", read<int2, 1, false>, 2, THREADS, "124.8 GB/s; 8800 GT: a bit slower"},
    {"bits_128", "128 bits", read<int4, 1, false>, 4, THREADS, "8800 GT: clearly slower"},
    {"bits_32_barrier", "32 bits and a barrier", read<int, 1, true>, 1, THREADS, "a little faster"},
    {"bits_64_barrier", "64 bits and a barrier", read<int2, 1, true>, 2, THREADS,
     "a little faster"},
    {"bits_128_barrier", "128 bits and a barrier", read<int4, 1, true>, 4, THREADS},
    {"bits_32_by_4", "four reads of 32 bits on their way", read<int, 4, false>, 1, THREADS},
    {"bits_64_by_4", "four of 64 bits", read<int2, 4, false>, 2, THREADS},
    {"bits_128_by_4", "four of 128 bits", read<int4, 4, false>, 4, THREADS},
    {"bits_128_by_8", "eight of 128 bits, 256 threads", read<int4, 8, false>, 4, 2 * THREADS},
};

static const struct experiment experiment = {
    HARDWARE_VARIANTS(variants),
    .size = {.usual = 1 << 28, .modelled = 1 << 24, .min = 1, .max = 1 << 28},
    .unit = "GB/s",
    .counters = {{"sectors per load", "global_load_sectors", "global_loads"},
                 {"global load requests", "global_loads"}},
    .outputs = threads_of,
    .cpu = reference_words,
};

int main(int argc, char **argv)
{
    return hardware_main(argc, argv, STEP, &experiment);
}
