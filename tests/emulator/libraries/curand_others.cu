/* cuRAND's other generators and distributions, which need the real library: a generator for the
 * device gives what the host's gives. */
#include <cstring>
#include <curand.h>
#include <vector>

#include "../cudart/expect.h"
#include "device.h"

#define EXPECT_DONE(call) EXPECT((call) == CURAND_STATUS_SUCCESS)

enum { DIMENSIONS = 3, N = DIMENSIONS * 1000 };

/* Generators of one kind, for the host and for the device. */
struct Pair {
    curandGenerator_t of_host, of_device;
    explicit Pair(curandRngType_t type)
    {
        EXPECT_DONE(curandCreateGeneratorHost(&of_host, type));
        EXPECT_DONE(curandCreateGenerator(&of_device, type));
    }
    ~Pair()
    {
        EXPECT_DONE(curandDestroyGenerator(of_host));
        EXPECT_DONE(curandDestroyGenerator(of_device));
    }
    /* The same call for both, whose numbers are then the same. */
    template <typename T, typename Generate> std::vector<T> same(Generate generate) const
    {
        std::vector<T> numbers(N);
        Device<T> d_numbers(numbers);
        EXPECT_DONE(generate(of_host, numbers.data()));
        EXPECT_DONE(generate(of_device, d_numbers.data));
        EXPECT(d_numbers.host() == numbers);
        return numbers;
    }
};

static void test_sobol(curandRngType_t type, bool scrambled)
{
    const Pair pair(type);

    for (curandGenerator_t generator : {pair.of_host, pair.of_device})
        EXPECT_DONE(curandSetQuasiRandomGeneratorDimensions(generator, DIMENSIONS));
    const std::vector<float> first = pair.same<float>([](curandGenerator_t generator, float *out) {
        return curandGenerateUniform(generator, out, N);
    });
    const float few[] = {0, 0.5f, 0.75f, 0.25f}; /* of every dimension */
    for (int d = 0; d < DIMENSIONS && !scrambled; d++)
        for (int i = 0; i < 2; i++)
            EXPECT(first[d * (N / DIMENSIONS) + i] == few[i] ||
                   (i == 0 && first[d * (N / DIMENSIONS)] < 1e-9f));
    std::vector<float> odd(N);
    EXPECT(curandGenerateUniform(pair.of_host, odd.data(), N - 1) ==
           CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    EXPECT_DONE(curandSetGeneratorOffset(pair.of_host, 0));
    EXPECT_DONE(curandGenerateUniform(pair.of_host, odd.data(), N));
    EXPECT(odd == first);
}

static void test_long(curandRngType_t type)
{
    const Pair pair(type);
    unsigned long long all = 0;

    for (unsigned long long number :
         pair.same<unsigned long long>([](curandGenerator_t generator, unsigned long long *out) {
             return curandGenerateLongLong(generator, out, N);
         }))
        all |= number;
    EXPECT(all >> 60 == 15);
}

static void test_poisson(curandRngType_t type)
{
    const Pair pair(type);
    double sum = 0;

    for (curandGenerator_t generator : {pair.of_host, pair.of_device})
        EXPECT_DONE(curandSetPseudoRandomGeneratorSeed(generator, 7));
    for (unsigned number : pair.same<unsigned>([](curandGenerator_t generator, unsigned *out) {
             return curandGeneratePoisson(generator, out, N, 10);
         }))
        sum += number;
    EXPECT(sum / N > 9.5 && sum / N < 10.5);
}

static void test_twister(curandRngType_t type)
{
    curandGenerator_t generator;
    Device<float> d_numbers(std::vector<float>(N, 9));
    double sum = 0;

    EXPECT_DONE(curandCreateGenerator(&generator, type));
    EXPECT_DONE(curandGenerateUniform(generator, d_numbers.data, N));
    for (float number : d_numbers.host()) {
        EXPECT(number > 0 && number <= 1);
        sum += number;
    }
    EXPECT(sum / N > 0.45 && sum / N < 0.55);
    EXPECT_DONE(curandGenerateNormal(generator, d_numbers.data, N, 5, 1));
    sum = 0;
    for (float number : d_numbers.host())
        sum += number;
    EXPECT(sum / N > 4.9 && sum / N < 5.1);
    EXPECT_DONE(curandDestroyGenerator(generator));
}

static void test_tables()
{
    curandDirectionVectors32_t *vectors = NULL;
    curandDirectionVectors64_t *vectors_64 = NULL;
    unsigned *constants = NULL;
    unsigned long long *constants_64 = NULL;

    EXPECT_DONE(curandGetDirectionVectors32(&vectors, CURAND_DIRECTION_VECTORS_32_JOEKUO6));
    EXPECT_DONE(curandGetDirectionVectors64(&vectors_64, CURAND_DIRECTION_VECTORS_64_JOEKUO6));
    EXPECT_DONE(curandGetScrambleConstants32(&constants));
    EXPECT_DONE(curandGetScrambleConstants64(&constants_64));
    for (int i = 0; i < 32; i++)
        EXPECT(vectors[0][i] == 0x80000000u >> i);
    EXPECT(vectors[1][1] == 0xc0000000u && vectors_64[1][0] == 1ull << 63);
    EXPECT(constants && constants_64);
}

int main()
{
    test_sobol(CURAND_RNG_QUASI_SOBOL32, false);
    test_sobol(CURAND_RNG_QUASI_SCRAMBLED_SOBOL32, true);
    test_sobol(CURAND_RNG_QUASI_SOBOL64, false);
    test_sobol(CURAND_RNG_QUASI_SCRAMBLED_SOBOL64, true);
    test_long(CURAND_RNG_QUASI_SOBOL64);
    test_poisson(CURAND_RNG_PSEUDO_DEFAULT);
    test_poisson(CURAND_RNG_PSEUDO_PHILOX4_32_10);
    test_twister(CURAND_RNG_PSEUDO_MTGP32);
    test_tables();
    return finish();
}
