/* h02: threads that want different words of one bank wait for each other.
 *
 * Claim:  shared memory has 16 banks, and word w lies in bank w % 16. If the threads of a half-warp
 *         read every fourth word, four of them need the same bank, and reading takes four times as
 *         long. If all read the same word, nobody waits. Rows of 17 words instead of 16 spread a
 *         column over all banks.
 * Today:  32 banks for the 32 threads of a warp. A stride of 16 still takes 16 passes; a stride of
 *         32 was no worse then and takes 32 now.
 * Pinned: the loop over the reads stays rolled; its unrolled body holds nothing else.
 * See:    docs/hardware.md#h02
 */
#include "reference.cuh"

enum { THREADS = 256, READS = 1024, UNROLL = 128, ROUNDS = 32, SIDE = 16 };
enum { SPAN = 32, MAX_STRIDE = 33, WORDS = 31 * MAX_STRIDE + SPAN };

/* Lane l reads the words from l * STRIDE on, again and again; the last one counts. */
template <int STRIDE> __global__ void strided(const int *in, int n, int *out)
{
    __shared__ volatile int words[WORDS];
    const int i = blockIdx.x * THREADS + threadIdx.x;
    const int first = threadIdx.x % 32 * STRIDE;
    int number = 0;

    for (int w = threadIdx.x; w < WORDS; w += THREADS)
        words[w] = in[w];
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < READS; k += UNROLL)
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            number = words[first + u % SPAN];
    if (i < n)
        out[i] = number + i;
}

/* The article's cure: the threads write a tile of 16 x 16 by rows and read it by columns. */
template <int ROW> __global__ void transposed(const int *in, int n, int *out)
{
    __shared__ int tile[SIDE * ROW];
    const int i = blockIdx.x * THREADS + threadIdx.x;
    const int row = threadIdx.x / SIDE, column = threadIdx.x % SIDE;
    int number = in[threadIdx.x];

#pragma unroll 1
    for (int round = 0; round < ROUNDS; round++) {
        tile[row * ROW + column] = number;
        __syncthreads();
        number = tile[column * ROW + row] + round;
        __syncthreads();
    }
    if (i < n)
        out[i] = number + i;
}

template <void (*KERNEL)(const int *, int, int *), int ACCESSES> static void launch(struct trial *t)
{
    hardware_grid(t, THREADS);
    t->work = (double)t->run->blocks * THREADS * ACCESSES;
    TIMED(t->run)
        KERNEL<<<t->run->blocks, THREADS>>>(t->in, t->n, t->out);
}

static const struct variant variants[] = {
    {"stride_1", "neighbouring words", launch<strided<1>, READS>, 1, 0, "full speed"},
    {"broadcast", "all the same word", launch<strided<0>, READS>, 0, 0, "no conflict"},
    {"stride_2", "every other word", launch<strided<2>, READS>, 2},
    {"stride_4", "every fourth word", launch<strided<4>, READS>, 4, 0, "1/4 of the speed"},
    {"stride_16", "a column of rows of 16", launch<strided<16>, READS>, 16, 0, "severe conflicts"},
    {"stride_17", "a column of rows of 17", launch<strided<17>, READS>, 17, 0, "no conflict"},
    {"stride_32", "a column of rows of 32", launch<strided<32>, READS>, 32},
    {"stride_33", "a column of rows of 33", launch<strided<33>, READS>, 33},
    {"rows_of_16", "write rows, read columns", launch<transposed<16>, 2 * ROUNDS>, 16, 1,
     "severe conflicts"},
    {"rows_of_17", "the same with a word of padding", launch<transposed<17>, 2 * ROUNDS>, 17, 1,
     "no conflict"},
};

static const struct experiment experiment = {
    HARDWARE_VARIANTS(variants),
    .size = {.usual = 1 << 20, .modelled = 10752, .min = 1, .max = 1 << 28},
    .unit = "Gword/s",
    .counters = {{"wavefronts per load", "shared_load_wavefronts", "shared_loads"},
                 {"wavefronts per store", "shared_store_wavefronts", "shared_stores"}},
    .inputs_more = WORDS,
    .cpu = reference_banks<THREADS, SPAN, ROUNDS>,
};

int main(int argc, char **argv)
{
    return hardware_main(argc, argv, STEP, &experiment);
}
