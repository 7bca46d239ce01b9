/* cuRAND: the numbers of three generators in every distribution, made for the host. That
 * needs no GPU, so the real library runs this too, without emu, and must print the same; normal
 * numbers are rounded for that. A generator for the device gives the same numbers. */
#include <cmath>
#include <cstdio>
#include <cstring>
#include <curand.h>
#include <vector>

#include "../cudart/expect.h"

#define EXPECT_STATUS(status, call) EXPECT((call) == (status))
#define EXPECT_DONE(call) EXPECT_STATUS(CURAND_STATUS_SUCCESS, call)

enum { KINDS = 7 };
static const size_t sizes[] = {10, 4, 4100, 9000, 2};
static const unsigned long long seeds[] = {0, 0x123456789abcdef0};
static const unsigned long long offsets[] = {0, 5, 1000000007};

/* `n` numbers of one kind into memory for as many doubles. */
static curandStatus_t generate(curandGenerator_t generator, int kind, void *out, size_t n)
{
    switch (kind) {
    case 0:
        return curandGenerate(generator, (unsigned *)out, n);
    case 1:
        return curandGenerateUniform(generator, (float *)out, n);
    case 2:
        return curandGenerateUniformDouble(generator, (double *)out, n);
    case 3:
        return curandGenerateNormal(generator, (float *)out, n, 1, 2);
    case 4:
        return curandGenerateNormalDouble(generator, (double *)out, n, 1, 2);
    case 5:
        return curandGenerateLogNormal(generator, (float *)out, n, 0, 0.5f);
    default:
        return curandGenerateLogNormalDouble(generator, (double *)out, n, 0, 0.5);
    }
}

static bool is_double(int kind)
{
    return kind == 2 || kind == 4 || kind == 6;
}

/* A sum over all bits where these are exact, else over rounded numbers; and some numbers. */
static void print(int kind, const std::vector<double> &numbers, size_t n)
{
    const unsigned *bits = (const unsigned *)numbers.data();
    const float *floats = (const float *)numbers.data();
    unsigned long long sum = 0;

    if (kind <= 2) {
        for (size_t i = 0; i < n * (is_double(kind) ? 2 : 1); i++)
            sum = (sum ^ bits[i]) * 0x100000001b3;
        std::printf("%d, %zu numbers: %016llx\n", kind, n, sum);
        return;
    }
    double total = 0;
    for (size_t i = 0; i < n; i++)
        total += is_double(kind) ? numbers[i] : floats[i];
    std::printf("%d, %zu numbers: mean %.4f, last %.3f\n", kind, n, total / n,
                is_double(kind) ? numbers[n - 1] : floats[n - 1]);
}

static curandGenerator_t make(curandRngType_t type, bool on_host, unsigned long long seed,
                              unsigned long long offset)
{
    curandGenerator_t generator;

    EXPECT_DONE(on_host ? curandCreateGeneratorHost(&generator, type)
                        : curandCreateGenerator(&generator, type));
    EXPECT_DONE(curandSetPseudoRandomGeneratorSeed(generator, seed));
    EXPECT_DONE(curandSetGeneratorOffset(generator, offset));
    EXPECT_DONE(curandSetGeneratorOrdering(generator, seed ? CURAND_ORDERING_PSEUDO_LEGACY
                                                           : CURAND_ORDERING_PSEUDO_BEST));
    return generator;
}

/* What the host's generator gives, printed; with `device` held against the device's. */
static void test_kind(curandRngType_t type, int kind, unsigned long long seed,
                      unsigned long long offset, bool device)
{
    const curandGenerator_t generator = make(type, true, seed, offset);
    curandGenerator_t other = NULL;

    if (device)
        other = make(type, false, seed, offset);
    for (size_t n : sizes) {
        std::vector<double> numbers(n), copy(n);
        const size_t bytes = n * (is_double(kind) ? sizeof(double) : sizeof(float));
        void *d_numbers;
        EXPECT_DONE(generate(generator, kind, numbers.data(), n));
        print(kind, numbers, n);
        if (!device)
            continue;
        EXPECT_SUCCESS(cudaMalloc(&d_numbers, bytes));
        EXPECT_DONE(generate(other, kind, d_numbers, n));
        EXPECT_SUCCESS(cudaMemcpy(copy.data(), d_numbers, bytes, cudaMemcpyDefault));
        EXPECT(memcmp(copy.data(), numbers.data(), bytes) == 0 || kind > 2);
        EXPECT_SUCCESS(cudaFree(d_numbers));
    }
    EXPECT_DONE(curandDestroyGenerator(generator));
    if (device)
        EXPECT_DONE(curandDestroyGenerator(other));
}

static void test_codes()
{
    const curandGenerator_t generator = make(CURAND_RNG_PSEUDO_XORWOW, true, 1, 0);
    float numbers[3];
    int version = 0;

    EXPECT_STATUS(CURAND_STATUS_LENGTH_NOT_MULTIPLE,
                  curandGenerateNormal(generator, numbers, 3, 0, 1));
    EXPECT_DONE(curandGenerateSeeds(generator));
    EXPECT_DONE(curandSetStream(generator, NULL));
    EXPECT_DONE(curandDestroyGenerator(generator));
    EXPECT_STATUS(CURAND_STATUS_NOT_INITIALIZED, curandDestroyGenerator(NULL));
    EXPECT_DONE(curandGetVersion(&version));
    EXPECT(version >= 10000);
}

/* With an argument, for the device too. */
int main(int argc, char **)
{
    for (int kind = 0; kind < KINDS; kind++) {
        for (unsigned long long seed : seeds)
            for (unsigned long long offset : offsets)
                test_kind(CURAND_RNG_PSEUDO_DEFAULT, kind, seed, offset, argc > 1);
        test_kind(CURAND_RNG_PSEUDO_PHILOX4_32_10, kind, seeds[kind % 2], offsets[kind % 3],
                  argc > 1);
        if (kind <= 3) /* the real library takes a second to begin */
            test_kind(CURAND_RNG_PSEUDO_MRG32K3A, kind, seeds[kind % 2], offsets[kind % 3],
                      argc > 1);
    }
    test_codes();
    return finish();
}
