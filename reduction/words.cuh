/* How the blocks of a launch hand over their sums, for r9a and r9b.
 *
 * A block leaves one 64-bit word: the number of the launch, and below it the 32 bits of its sum.
 * The word is written and read whole, so a thread that sees the launch's number sees the sum that
 * belongs to it, and no fence has to order the two.
 */
#ifndef WORDS_CUH
#define WORDS_CUH

#include <cuda/atomic>

#include "tile.cuh"

enum { WORDS = 8 }; /* a thread asks for at a time */

typedef unsigned long long word_t;
typedef cuda::atomic_ref<word_t, cuda::thread_scope_device> word_ref;

/* Leave the sum of this block. One thread calls it. */
__device__ static void leave_word(word_t *words, unsigned launch, float sum)
{
    word_ref(words[blockIdx.x])
        .store((word_t)launch << 32 | __float_as_uint(sum), cuda::memory_order_relaxed);
}

/* A thread's share of the sum over the words of all blocks of this launch. It waits for words that
 * still have an earlier launch's number. */
__device__ static double take_words(word_t *words, unsigned launch)
{
    double sum = 0;

    for (int first = threadIdx.x; first < gridDim.x; first += WORDS * THREADS) {
        word_t word[WORDS]; /* asked for together; those of an earlier launch once more */

        for (int k = 0; k < WORDS; k++) {
            const int block = first + k * THREADS;

            word[k] = block < gridDim.x ? word_ref(words[block]).load(cuda::memory_order_relaxed)
                                        : (word_t)launch << 32; /* and 0 below it */
        }
        for (int k = 0; k < WORDS; k++) {
            while (word[k] >> 32 != launch)
                word[k] = word_ref(words[first + k * THREADS]).load(cuda::memory_order_relaxed);
            sum += __uint_as_float((unsigned)word[k]);
        }
    }
    return sum;
}

#endif
