/* library_cublas: the row to beat.
 *
 * Now:    cuBLAS comes with the toolkit. cublasSgemm computes in plain FP32: pedantic mode rules
 *         out tensor cores and other formats. With --double 1 cublasDgemm multiplies the same
 *         numbers in double. cuBLAS stores matrices by columns. It takes our rows for the columns
 *         of the transposed matrix, and C' = B' A'.
 * See:    docs/matmul.md#library_cublas
 */
#include <cublas_v2.h>
#include <stdlib.h>

#include "matmul.h"

static int64_t in_double; /* --double */

/* As CHECK, for cuBLAS. */
static void check(cublasStatus_t status, const char *call)
{
    if (status == CUBLAS_STATUS_SUCCESS)
        return;
    check_say("%s: %s", call, cublasGetStatusString(status));
    exit(EXIT_CUDA);
}

template <typename From, typename To>
__global__ void convert(const From *from, To *to, size_t count)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count)
        to[i] = from[i];
}

/* The product in double: its time is that of cublasDgemm, without the conversions around it. */
static void multiply_double(cublasHandle_t handle, const float *d_a, const float *d_b, float *d_c,
                            int n, struct run *run)
{
    const size_t count = (size_t)n * n, blocks = (count + 255) / 256;
    const double one = 1, zero = 0;
    double *wide_a, *wide_b, *wide_c = device_output(double, run, count);

    CHECK(cudaMalloc(&wide_a, count * sizeof(double)));
    CHECK(cudaMalloc(&wide_b, count * sizeof(double)));
    convert<<<blocks, 256>>>(d_a, wide_a, count);
    convert<<<blocks, 256>>>(d_b, wide_b, count);

    TIMED(run)
        check(cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, wide_b, n, wide_a, n,
                          &zero, wide_c, n),
              "cublasDgemm");

    convert<<<blocks, 256>>>(wide_c, d_c, count);
    CHECK(cudaGetLastError());
    device_free(run, wide_a);
    device_free(run, wide_b);
    device_free(run, wide_c);
}

/* The whole device side, from host matrices to a host product. */
static void matmul_gpu(const float *a, size_t lda, const float *b, size_t ldb, float *c, size_t ldc,
                       int n, struct run *run)
{
    const size_t width = n * sizeof(float);
    const float one = 1, zero = 0;
    float *d_a, *d_b, *d_c = device_output(float, run, (size_t)n *n);
    cublasHandle_t handle;

    run->blocks = run->threads = 0; /* its own affair */
    check(cublasCreate(&handle), "cublasCreate");
    check(cublasSetMathMode(handle, CUBLAS_PEDANTIC_MATH), "cublasSetMathMode");
    CHECK(cudaMalloc(&d_a, width * n));
    CHECK(cudaMalloc(&d_b, width * n));
    CHECK(cudaMemcpy2D(d_a, width, a, lda * sizeof(float), width, n, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy2D(d_b, width, b, ldb * sizeof(float), width, n, cudaMemcpyHostToDevice));

    if (in_double)
        multiply_double(handle, d_a, d_b, d_c, n, run);
    else
        TIMED(run)
            check(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, d_b, n, d_a, n,
                              &zero, d_c, n),
                  "cublasSgemm");

    CHECK(cudaMemcpy2D(c, ldc * sizeof(float), d_c, width, width, n, cudaMemcpyDeviceToHost));
    device_free(run, d_a);
    device_free(run, d_b);
    device_free(run, d_c);
    check(cublasDestroy(handle), "cublasDestroy");
}

int main(int argc, char **argv)
{
    return matmul_main(
        argc, argv, STEP, matmul_gpu,
        {.sum = SUM_PLAIN,
         .in_double = &in_double,
         .gpu_only = true,
         .option = {
             .name = "double", .value = &in_double, .max = 1, .help = "1: multiply in double"}});
}
