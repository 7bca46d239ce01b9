/* SPDX-License-Identifier: MIT */
/* NVIDIA's own cuRAND, of which some generators and the tables of Sobol's numbers come: it computes
 * on the host without any GPU. */
#ifndef CURAND_REAL_H
#define CURAND_REAL_H

#include <stdbool.h>

#define CURANDAPI __attribute__((visibility("default")))
#include <curand.h>

/* Its functions, or NULL where it is not found. */
struct curand_real {
    curandStatus_t (*create)(curandGenerator_t *, curandRngType_t);
    curandStatus_t (*destroy)(curandGenerator_t);
    curandStatus_t (*seed)(curandGenerator_t, unsigned long long);
    curandStatus_t (*offset)(curandGenerator_t, unsigned long long);
    curandStatus_t (*order)(curandGenerator_t, curandOrdering_t);
    curandStatus_t (*dimensions)(curandGenerator_t, unsigned);
    curandStatus_t (*bits)(curandGenerator_t, unsigned *, size_t);
    curandStatus_t (*long_bits)(curandGenerator_t, unsigned long long *, size_t);
    curandStatus_t (*uniform)(curandGenerator_t, float *, size_t);
    curandStatus_t (*uniform_double)(curandGenerator_t, double *, size_t);
    curandStatus_t (*normal)(curandGenerator_t, float *, size_t, float, float);
    curandStatus_t (*normal_double)(curandGenerator_t, double *, size_t, double, double);
    curandStatus_t (*log_normal)(curandGenerator_t, float *, size_t, float, float);
    curandStatus_t (*log_normal_double)(curandGenerator_t, double *, size_t, double, double);
    curandStatus_t (*poisson)(curandGenerator_t, unsigned *, size_t, double);
    curandStatus_t (*vectors)(curandDirectionVectors32_t **, curandDirectionVectorSet_t);
    curandStatus_t (*vectors_64)(curandDirectionVectors64_t **, curandDirectionVectorSet_t);
    curandStatus_t (*constants)(unsigned **);
    curandStatus_t (*constants_64)(unsigned long long **);
};
const struct curand_real *curand_real(void);

#endif
