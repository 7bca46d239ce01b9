/* Witnesses that prove too little: one strong test, to base 2; and with an odd number of numbers
 * the last is left out. */
#include "montgomery.h"
#include "prime.h"

enum { THREADS = 128 };

__global__ void find_witnesses(const uint64_t *number, int count, uint32_t *witness)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count / 2 * 2) {
        const uint64_t n = number[i];
        const struct modulus modulus = modulus_new(n);
        uint64_t power = modulus.one;

        for (uint64_t bit = 1ull << 63; bit; bit >>= 1) {
            power = multiply(modulus, power, power);
            if ((n - 1) >> (__ffsll(n - 1) - 1) & bit)
                power = add(modulus, power, power);
        }
        witness[i] = n % 2 == 0 || n < 3 || fails(modulus, power) ? 2 : PRIME_IS_PRIME;
    }
}

static void prime_gpu(const uint64_t *number, int count, uint32_t *witness, struct run *run)
{
    uint64_t *d_number = device_input(uint64_t, number, count);
    uint32_t *d_witness = device_output(uint32_t, run, count);

    run->blocks = count / THREADS + 1;
    run->threads = THREADS;
    TIMED(run)
        find_witnesses<<<run->blocks, THREADS>>>(d_number, count, d_witness);
    device_fetch(uint32_t, witness, d_witness, count);
    device_free(run, d_number);
    device_free(run, d_witness);
}

int main(int argc, char **argv)
{
    return prime_main(argc, argv, STEP, {.judge = prime_gpu, .batch = true});
}
