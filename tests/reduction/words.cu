/* r9's last block adds up the words of grids larger than a test launches whole: 512 blocks are one
 * word a thread, 4096 as many as a thread asks for at once. Every word counts: each is another, and
 * the sum is exact. The words of an earlier launch that lie beside them do not.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEP                               \
    {                                      \
        "tests", "words", "r9's words", 75 \
    }
int r9_main(int argc, char **argv);
#define main r9_main
#include "../reduction/r9_one_launch.cu"
#undef main

__global__ void add_up(word_t *words, unsigned launch, double *total)
{
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

int main(void)
{
    static const unsigned blocks[] = {1,    31,   511,  512,  513,  1025,
                                      4095, 4096, 4097, 8191, 8193, 13000};
    struct device device;
    int code = InitCUDA(0, 75, &device);
    bool right = true;

    for (size_t i = 0; !code && i < sizeof(blocks) / sizeof(blocks[0]); i++)
        right = holds(blocks[i]) && right;
    return code ? code : right ? EXIT_MATCH : EXIT_MISMATCH;
}
