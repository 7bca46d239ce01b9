/* cuBLASXt: products of matrices that stay on the host. */
#include <cublasXt.h>
#include <vector>

#include "../cudart/expect.h"

#define EXPECT_DONE(call) EXPECT((call) == CUBLAS_STATUS_SUCCESS)

enum { M = 5, N = 4, K = 3 };

/* Small integers, so that every sum is exact. */
static float value(int i)
{
    return (float)(i * 7 % 11 - 5);
}

/* C = 2 A^T B - C, in a matrix with a gap after each column. */
template <typename T, typename Gemm> static void test_product(cublasXtHandle_t handle, Gemm gemm)
{
    enum { LD = M + 1 };
    std::vector<T> a(K * M), b(K * N), c(LD * N);
    const T alpha = 2, beta = -1;
    for (int i = 0; i < K * M; i++)
        a[i] = value(i);
    for (int i = 0; i < K * N; i++)
        b[i] = value(i + 3);
    for (int i = 0; i < LD * N; i++)
        c[i] = value(i + 5);
    std::vector<T> expected(c);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++) {
            T sum = 0;
            for (int k = 0; k < K; k++)
                sum += a[k + i * K] * b[k + j * K];
            expected[i + j * LD] = alpha * sum + beta * c[i + j * LD];
        }
    EXPECT_DONE(gemm(handle, CUBLAS_OP_T, CUBLAS_OP_N, M, N, K, &alpha, a.data(), K, b.data(), K,
                     &beta, c.data(), LD));
    EXPECT(c == expected);
}

int main()
{
    cublasXtHandle_t handle;
    int devices[] = {0}, tile = 0;
    cublasXtPinnedMemMode_t pinning;
    const cuComplex i = {0, 1}, none = {0, 0};
    cuComplex square = {7, 7};

    EXPECT_DONE(cublasXtCreate(&handle));
    EXPECT_DONE(cublasXtDeviceSelect(handle, 1, devices));
    EXPECT_DONE(cublasXtSetBlockDim(handle, 64));
    EXPECT_DONE(cublasXtGetBlockDim(handle, &tile));
    EXPECT(tile == 64);
    EXPECT_DONE(cublasXtSetPinningMemMode(handle, CUBLASXT_PINNING_ENABLED));
    EXPECT_DONE(cublasXtGetPinningMemMode(handle, &pinning));
    EXPECT(pinning == CUBLASXT_PINNING_ENABLED);
    test_product<float>(handle, cublasXtSgemm);
    test_product<double>(handle, cublasXtDgemm);
    EXPECT_DONE(cublasXtCgemm(handle, CUBLAS_OP_C, CUBLAS_OP_N, 1, 1, 1, &i, &i, 1, &i, 1, &none,
                              &square, 1)); /* i * conj(i) * i */
    EXPECT(square.x == 0 && square.y == 1);
    const cuDoubleComplex j = {0, 1}, one = {1, 0};
    cuDoubleComplex sum = {2, 0};
    EXPECT_DONE(cublasXtZgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, &j, 1, &j, 1, &one,
                              &sum, 1)); /* j * j + 2 */
    EXPECT(sum.x == 1 && sum.y == 0);
    EXPECT_DONE(cublasXtDestroy(handle));
    return finish();
}
