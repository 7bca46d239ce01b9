#include "matmul.h"

/* A matrix of n x n on the device, in the upper left of one of `padded` x `padded`; *ld becomes the
 * elements from one row to the next. */
static float *new_input(const float *host, size_t host_ld, size_t n, size_t padded, size_t *ld)
{
    size_t pitch;
    void *matrix;

    CHECK(cudaMallocPitch(&matrix, &pitch, padded * sizeof(float), padded));
    if (padded > n)
        CHECK(cudaMemset(matrix, 0, pitch * padded));
    CHECK(cudaMemcpy2D(matrix, pitch, host, host_ld * sizeof(float), n * sizeof(float), n,
                       cudaMemcpyHostToDevice));
    *ld = pitch / sizeof(float);
    return matrix;
}

struct matrices matrices_new(const float *a, size_t lda, const float *b, size_t ldb, int n,
                             int padded, struct run *run)
{
    const size_t rows = (size_t)n, all = (size_t)padded;
    struct matrices m;
    size_t pitch;

    m.c = device_output_pitched(float, run, all, all, &pitch);
    m.ldc = pitch / sizeof(float);
    m.a = new_input(a, lda, rows, all, &m.lda);
    m.b = new_input(b, ldb, rows, all, &m.ldb);
    return m;
}

void matrices_fetch(struct matrices *m, float *c, size_t ldc, int n, struct run *run)
{
    const size_t rows = (size_t)n;

    CHECK(cudaMemcpy2D(c, ldc * sizeof(float), m->c, m->ldc * sizeof(float), rows * sizeof(float),
                       rows, cudaMemcpyDeviceToHost));
    device_free(run, m->a);
    device_free(run, m->b);
    device_free(run, m->c);
}
