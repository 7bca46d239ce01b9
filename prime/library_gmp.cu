/* library_gmp: the row to beat.
 *
 * Now:    no GPU. GMP's mpz_probab_prime_p(n, 25), what one would otherwise use, on all cores of
 *         the CPU. Below 2^64 its answer is certain (a Baillie-PSW test comes first). It gives no
 *         witness: the base that proves a composite is found afterwards, outside the timed region.
 * See:    docs/prime.md#library_gmp
 */
#include <string.h>
#include <time.h>

#include "prime.h"

#ifdef HAVE_GMP
#include <gmp.h>

struct batch {
    const uint64_t *number;
    uint32_t *witness;
};

static void ask_gmp(void *self, size_t begin, size_t end)
{
    const struct batch *batch = (const struct batch *)self;
    mpz_t n;

    mpz_init(n);
    for (size_t i = begin; i < end; i++) {
        mpz_set_ui(n, batch->number[i]);
        batch->witness[i] = mpz_probab_prime_p(n, 25) ? PRIME_IS_PRIME : PRIME_IS_NEITHER;
    }
    mpz_clear(n);
}

/* A witness for each number that GMP calls composite. */
static void find_witnesses(void *self, size_t begin, size_t end)
{
    const struct batch *batch = (const struct batch *)self;

    for (size_t i = begin; i < end; i++)
        if (batch->witness[i] != PRIME_IS_PRIME && batch->number[i] >= 2)
            for (uint32_t w = 2; !prime_witness_holds(batch->number[i], batch->witness[i] = w); w++)
                if (w == 37)
                    break;
}

static void prime_cpu(const uint64_t *number, int count, uint32_t *witness, struct run *run)
{
    struct batch batch = {number, witness};

    for (run->done = 0; run->done < run->runs; run->done++) {
        struct timespec begin, end;

        memset(witness, MEMORY_POISON, count * sizeof(uint32_t));
        clock_gettime(CLOCK_MONOTONIC, &begin);
        prime_parallel(count, ask_gmp, &batch);
        clock_gettime(CLOCK_MONOTONIC, &end);
        run->ms[run->done] =
            1e3 * (end.tv_sec - begin.tv_sec) + 1e-6 * (end.tv_nsec - begin.tv_nsec);
    }
    prime_parallel(count, find_witnesses, &batch);
}

int main(int argc, char **argv)
{
    return prime_main(argc, argv, STEP, {.judge = prime_cpu, .batch = true, .cpu = true});
}

#else

int main(void)
{
    check_say("built without GMP: install it (Debian: libgmp-dev) and configure again");
    return EXIT_SKIP;
}

#endif
