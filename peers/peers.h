/* Chapter: several GPUs. A sum, an all-reduce, a stencil, a product and a
 * transposition on all GPUs of a machine.
 *
 * Here is what every step shares: the inputs, the CPU's answer, the sizes to check, the options and
 * the report. What happens on the devices is in the step.
 */
#ifndef PEERS_H
#define PEERS_H

#include "common.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MAX_DEVICES = 64, ITERATIONS = 8 };

/* The device side of a step, on devices 0 to devices - 1; device 0 is the current one before and
 * after. A step has one of them. */
struct peers_step {
    /* The sum of n numbers. */
    long long (*sum)(const int *a, int n, int devices, struct run *run);
    /* From a vector of n numbers of each device, one behind the other at `in`, the sum of all
     * vectors for each, one behind the other at `out`. */
    void (*all_reduce)(const unsigned *in, unsigned *out, int n, int devices, struct run *run);
    /* ITERATIONS times each inner cell of n x n becomes the mean of its four neighbours. */
    void (*heat)(const float *in, float *out, int n, int devices, struct run *run);
    /* C = A B, all n x n. */
    void (*product)(const float *a, const float *b, float *c, int n, int devices, struct run *run);
    /* out = in turned over, both n x n. */
    void (*transpose)(const float *in, float *out, int n, int devices, struct run *run);
    bool alone; /* uses one device */
    bool peers; /* the devices must reach each other's memory */
    int rank, ranks; /* with all_reduce: this process has vector `rank` of `ranks`; 0 ranks: all */
};

/* main() of a step, STEP. Every number must equal the CPU's. Returns the exit code. */
int peers_main(int argc, char **argv, struct step step, struct peers_step how);

/* The first of n that share d of `shares` begins with; those of share `shares` begin at n. */
static inline int share(int n, int d, int shares)
{
    return (int)((long long)n * d / shares);
}

#ifdef __cplusplus
}
#endif

#endif
