/* overlap [N [one]]: launches of r9b in a row, which overlap where the GPU can, on inputs and with
 * results of their own, but one storage. Every result has to be exact. Exits with 77 without a
 * GPU. While one launch still adds up its words the next one writes: both must be there afterwards.
 *
 * one: all launches have one result, so that the race checker sees whether they wait in turn.
 *
 * On a GPU N is large enough that a launch begins while the one in front is busy.
 */
#include <stdio.h>
#include <stdlib.h>

#define STEP                                       \
    {                                              \
        "tests", "overlap", "r9b, overlapping", 75 \
    }
int r9b_main(int argc, char **argv);
#define main r9b_main
#include "../reduction/r9b_overlap.cu"
#undef main

enum { INPUTS = 5, LAUNCHES = 64, DEFAULT_N = 4 * 1024 * 1024 + 3 };

/* Every input is another, so that a sum of the wrong launch's words is seen; no sum passes 2^24. */
__global__ void fill(float *a, int n, int input)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        a[i] = i % (input + 2) == 0;
}

/* Whether the words of the last launch and of the one before are both there, in the half that each
 * has. */
static bool keeps_words(const word_t *d_words, unsigned blocks)
{
    word_t *word = (word_t *)memory_host(2 * blocks * sizeof(word_t));
    bool kept = true;

    CHECK(cudaMemcpy(word, d_words, 2 * blocks * sizeof(word_t), cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < 2 * blocks; i++) {
        const unsigned launch = (i < blocks) == (LAUNCHES % 2 == 0) ? LAUNCHES : LAUNCHES - 1;

        kept = kept && word[i] >> 32 == launch;
    }
    if (!kept)
        fprintf(stderr, "a launch wrote over the words of the one in front\n");
    free(word);
    return kept;
}

int main(int argc, char **argv)
{
    const bool one = argc > 2;
    const int n = argc > 1 ? atoi(argv[1]) : DEFAULT_N;
    const unsigned blocks = (n - 1) / (4 * TILE) + 1;
    cudaLaunchAttribute overlap;
    cudaLaunchConfig_t config = {.attrs = &overlap, .numAttrs = 1};
    float *inputs[INPUTS], *results, sums[LAUNCHES];
    struct device device;
    unsigned *started;
    word_t *words;
    bool wrong = false;
    int code = InitCUDA(0, 75, &device);

    if (code)
        return code;
    overlap = overlap_attribute(reduction);
    config.gridDim = blocks;
    config.blockDim = THREADS;
    for (int i = 0; i < INPUTS; i++) {
        CHECK(cudaMalloc(&inputs[i], n * sizeof(float)));
        fill<<<256, 256>>>(inputs[i], n, i);
    }
    CHECK(cudaMalloc(&words, 2 * blocks * sizeof(word_t)));
    CHECK(cudaMemset(words, 0, 2 * blocks * sizeof(word_t)));
    CHECK(cudaMalloc(&started, sizeof(unsigned)));
    CHECK(cudaMemset(started, 0, sizeof(unsigned)));
    CHECK(cudaMalloc(&results, sizeof(sums)));
    CHECK(cudaMemset(results, MEMORY_POISON, sizeof(sums)));

    for (unsigned i = 0; i < LAUNCHES; i++)
        CHECK(cudaLaunchKernelEx(&config, reduction, (const float *)inputs[i % INPUTS], n, i + 1,
                                 words, started, results + (one ? 0 : i)));

    CHECK(cudaMemcpy(sums, results, sizeof(sums), cudaMemcpyDeviceToHost));
    for (int i = one ? LAUNCHES : 0; i < LAUNCHES; i++) {
        const int expected = (n - 1) / (i % INPUTS + 2) + 1;

        if (sums[i] != (float)expected) {
            fprintf(stderr, "launch %d: %.9g, expected %d\n", i, (double)sums[i], expected);
            wrong = true;
        }
    }
    wrong = !keeps_words(words, blocks) || wrong;
    for (int i = 0; i < INPUTS; i++)
        CHECK(cudaFree(inputs[i]));
    CHECK(cudaFree(words));
    CHECK(cudaFree(started));
    CHECK(cudaFree(results));
    printf("%s, %d launches, overlapping: %s: %s\n", device.name, LAUNCHES,
           overlap.id == cudaLaunchAttributeIgnore ? "no" : "yes", wrong ? "mismatch" : "match");
    return wrong ? EXIT_MISMATCH : EXIT_MATCH;
}
