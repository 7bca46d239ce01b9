/* The last block of r9a and r9b adds up the words of grids larger than a test launches whole: 512
 * blocks are one word per thread, 4096 as many as a thread asks for at once. Every word counts:
 * each is another, and the sum is exact. The words of an earlier launch beside them do not count.
 * And a block that looks before the others have left their words waits for them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "words.cuh"

__global__ void add_up(word_t *words, unsigned launch, double *total)
{
    if (blockIdx.x == 0) {
        const double sum = block_sum(take_words(words, launch));

        if (threadIdx.x == 0)
            *total = sum;
    }
}

/* Block 0 starts first, and looks while the words of the others are an earlier launch's. */
__global__ void wait_for_all(word_t *words, unsigned launch, double *total)
{
    if (threadIdx.x == 0)
        leave_word(words, launch, blockIdx.x);
    if (blockIdx.x == 0) {
        const double sum = block_sum(take_words(words, launch));

        if (threadIdx.x == 0)
            *total = sum;
    }
}

/* Whether `blocks` words come to their sum. */
static bool holds(unsigned blocks)
{
    const unsigned launch = 7;
    word_t *word = (word_t *)memory_host(2 * blocks * sizeof(word_t)), *d_words;
    double expected = 0, total, *d_total;

    for (unsigned i = 0; i < 2 * blocks; i++) {
        const float sum = i + 1;

        word[i] = (word_t)(i < blocks ? launch : launch - 1) << 32;
        memcpy(&word[i], &sum, sizeof(sum));
        expected += i < blocks ? sum : 0;
    }
    CHECK(cudaMalloc(&d_words, 2 * blocks * sizeof(word_t)));
    CHECK(cudaMalloc(&d_total, sizeof(double)));
    CHECK(cudaMemcpy(d_words, word, 2 * blocks * sizeof(word_t), cudaMemcpyHostToDevice));
    add_up<<<blocks, THREADS>>>(d_words, launch, d_total);
    CHECK(cudaMemcpy(&total, d_total, sizeof(double), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_words));
    CHECK(cudaFree(d_total));
    free(word);
    if (total != expected)
        fprintf(stderr, "%u blocks: %.17g, expected %.17g\n", blocks, total, expected);
    return total == expected;
}

/* Whether a block that looks early comes to the sum of all. Few enough blocks to run at once. */
static bool waits(void)
{
    const unsigned blocks = 40;
    const double expected = blocks * (blocks - 1) / 2;
    word_t *d_words;
    double total = 0, *d_total;

    CHECK(cudaMalloc(&d_words, blocks * sizeof(word_t)));
    CHECK(cudaMalloc(&d_total, sizeof(double)));
    CHECK(cudaMemset(d_words, 0, blocks * sizeof(word_t)));
    for (unsigned launch = 1; launch <= 2 && total == (launch > 1 ? expected : 0); launch++) {
        wait_for_all<<<blocks, THREADS>>>(d_words, launch, d_total);
        CHECK(cudaMemcpy(&total, d_total, sizeof(double), cudaMemcpyDeviceToHost));
    }
    CHECK(cudaFree(d_words));
    CHECK(cudaFree(d_total));
    if (total != expected)
        fprintf(stderr, "waiting: %.17g, expected %.17g\n", total, expected);
    return total == expected;
}

int main(void)
{
    static const unsigned blocks[] = {1, 31, 511, 512, 513, 1025, 4096, 4097, 8193};
    struct device device;
    int code = InitCUDA(0, 75, &device);
    bool right = true;

    for (size_t i = 0; !code && i < sizeof(blocks) / sizeof(blocks[0]); i++)
        right = holds(blocks[i]) && right;
    right = !code && waits() && right;
    return code ? code : right ? EXIT_MATCH : EXIT_MISMATCH;
}
