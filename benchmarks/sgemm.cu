/* s16_by_shape against cuBLAS in plain FP32 (pedantic mode): see products.cuh. */
#include "products.cuh"

/* The kernels and their launch as they stand in the step, and nothing else of it. */
#define STEP                                            \
    {                                                   \
        "benchmarks", "sgemm", "s16 against cuBLAS", 90 \
    }
int s16_main(int argc, char **argv);
#define main s16_main
#include "../sgemm/s16_by_shape.cu"
#undef main

struct ours {
    typedef float element;
    typedef struct sgemm problem;
    enum { MINIMUM = 90, LAYOUTS = 1 };
    static constexpr cublasMath_t MATH = CUBLAS_PEDANTIC_MATH;
    static constexpr double RATE = 45e12;
    struct kernel kernel;
    struct cut cut;
    struct shared_work shared_work;
    float *work;

    static const char *step(void)
    {
        return "s16";
    }
    const char *name(void) const
    {
        return kernel.name;
    }
    void start(const struct sgemm &p)
    {
        kernel = choose(p);
        cut = cut_of(kernel, p);
        shared_work =
            new_shared_work(tiles_of(kernel, p) - cut.whole, cut.pieces, kernel.high, kernel.wide);
        work = new_work(p);
    }
    void end(void)
    {
        CHECK(cudaFree(work));
        CHECK(cudaFree(shared_work.sums));
    }
    void launch(const struct sgemm &p)
    {
        const bool row = p.m == 1; /* needs no padding */

        kernel.launch(row ? p : pad_rows(p, work), cut, shared_work);
    }
    static cublasStatus_t library(cublasHandle_t handle, const struct sgemm &p, int)
    {
        return cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, p.n, p.m, p.k, &p.alpha, p.b, p.ldb,
                           p.a, p.lda, &p.beta, p.c, p.ldc);
    }
    /* Sums of k products below 1/4, of either sign. */
    static float allowed(const struct sgemm &p)
    {
        return 0x1p-22f * 0.25f * p.k;
    }
};

int main(int argc, char **argv)
{
    static const int shapes[][3] = {
        {512, 512, 512},    {1000, 1000, 1000}, {1024, 1024, 1024}, {2048, 2048, 2048},
        {3000, 3000, 3000}, {4096, 4096, 4096}, {8192, 8192, 8192}, {16384, 16384, 16384},
        {8192, 8192, 64},   {64, 4096, 4096},   {1, 4096, 4096},    {4097, 4095, 1023},
    };

    return products_main<ours>(argc, argv, shapes, sizeof(shapes) / sizeof(shapes[0]));
}
