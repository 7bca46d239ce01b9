/* h14_by_shape against cuBLAS, bfloat16 with sums in single precision: see products.cuh. Ours takes
 * A and B by rows; cuBLAS takes whichever of the four layouts it is fastest with. */
#include "products.cuh"

/* The kernels and their launch as they stand in the step, and nothing else of it. */
#define STEP                                                  \
    {                                                         \
        "benchmarks", "hgemm", "h14 against cuBLAS", ALONE_90 \
    }
int h14_main(int argc, char **argv);
#define main h14_main
#include "../hgemm/h14_by_shape.cu"
#undef main

struct ours {
    typedef bf16 element;
    typedef struct hgemm problem;
    enum { MINIMUM = ALONE_90, LAYOUTS = 4 };
    static constexpr cublasMath_t MATH = CUBLAS_DEFAULT_MATH;
    static constexpr double RATE = 700e12;
    struct kernel kernel;
    bf16 *work;
    int blocks;

    static const char *step(void)
    {
        return "h14";
    }
    const char *name(void) const
    {
        return kernel.name;
    }
    void start(const struct hgemm &p)
    {
        struct run run = {};

        kernel = choose(p);
        blocks = kernel.plan(&run, p);
        work = new_work(p);
    }
    void end(void)
    {
        CHECK(cudaFree(work));
    }
    void launch(const struct hgemm &p)
    {
        kernel.launch(pad_rows(p, work), blocks);
    }
    static cublasStatus_t library(cublasHandle_t handle, const struct hgemm &p, int layout)
    {
        const bool a = layout % 2, b = layout / 2; /* by columns */

        return cublasGemmEx(handle, b ? CUBLAS_OP_T : CUBLAS_OP_N, a ? CUBLAS_OP_T : CUBLAS_OP_N,
                            p.n, p.m, p.k, &p.alpha, p.b, CUDA_R_16BF, b ? p.k : p.n, p.a,
                            CUDA_R_16BF, a ? p.m : p.k, &p.beta, p.c, CUDA_R_16BF, p.ldc,
                            CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
    }
    /* Sums of k products below 1/4, of either sign, cut and rounded to 8 bits. */
    static float allowed(const struct hgemm &p)
    {
        return 0x1p-22f * 0.25f * p.k + 0x1p-7f * sqrtf((float)p.k);
    }
};

int main(int argc, char **argv)
{
    static const int shapes[][3] = {
        {512, 512, 512},    {1024, 1024, 1024},    {2048, 2048, 2048}, {4096, 4096, 4096},
        {8192, 8192, 8192}, {16384, 16384, 16384}, {4097, 4095, 1023}, {64, 4096, 4096},
    };

    return products_main<ours>(argc, argv, shapes, sizeof(shapes) / sizeof(shapes[0]));
}
