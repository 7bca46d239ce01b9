/* cuBLAS, held against plain loops: what every call here gives, a GPU with the real library gives
 * as well. Numbers are small integers where the sum is to be exact in any order. */
#include <cmath>
#include <complex>
#include <cstdlib>
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <string>
#include <type_traits>
#include <vector>

#include "../cudart/expect.h"
#include "add.h"
#include "device.h"

static cublasHandle_t handle;
static unsigned seed = 1;

typedef std::complex<float> Complex;
typedef std::complex<double> DoubleComplex;

#define EXPECT_DONE(call) EXPECT_STATUS(CUBLAS_STATUS_SUCCESS, call)

/* One name for the routines of all four types. */
#define cublasCger cublasCgeru
#define cublasZger cublasZgeru
#define CALL(T, routine, ...)                                   \
    [&] {                                                       \
        if constexpr (std::is_same<T, float>::value) {          \
            typedef float E;                                    \
            return cublasS##routine(handle, __VA_ARGS__);       \
        } else if constexpr (std::is_same<T, double>::value) {  \
            typedef double E;                                   \
            return cublasD##routine(handle, __VA_ARGS__);       \
        } else if constexpr (std::is_same<T, Complex>::value) { \
            typedef cuComplex E;                                \
            return cublasC##routine(handle, __VA_ARGS__);       \
        } else {                                                \
            typedef cuDoubleComplex E;                          \
            return cublasZ##routine(handle, __VA_ARGS__);       \
        }                                                       \
    }()

static int small_number()
{
    seed = seed * 1103515245 + 12345;
    return (int)(seed >> 16) % 9 - 4;
}

template <typename T> static T number()
{
    return T(small_number());
}
template <> Complex number()
{
    return Complex(small_number(), small_number());
}
template <> DoubleComplex number()
{
    return DoubleComplex(small_number(), small_number());
}

template <typename T> static T conjugate(T value)
{
    return value;
}
static Complex conjugate(Complex value)
{
    return std::conj(value);
}
static DoubleComplex conjugate(DoubleComplex value)
{
    return std::conj(value);
}

template <typename T> static std::vector<T> numbers(size_t count)
{
    std::vector<T> made(count);
    for (T &element : made)
        element = number<T>();
    return made;
}

/* Element (i, j) of op(A). */
template <typename T>
static T element(const std::vector<T> &a, int ld, cublasOperation_t op, int i, int j)
{
    if (op == CUBLAS_OP_N)
        return a[(size_t)j * ld + i];
    const T value = a[(size_t)i * ld + j];
    return op == CUBLAS_OP_C ? conjugate(value) : value;
}

/* --- Products --------------------------------------------------------------------------------- */

template <typename T>
static std::vector<T> product(cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,
                              T alpha, const std::vector<T> &a, int lda, const std::vector<T> &b,
                              int ldb, T beta, std::vector<T> c, int ldc)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            T sum = T(0);
            for (int l = 0; l < k; l++)
                sum += element(a, lda, op_a, i, l) * element(b, ldb, op_b, l, j);
            T &place = c[(size_t)j * ldc + i];
            place = beta == T(0) ? alpha * sum : alpha * sum + beta * place;
        }
    return c;
}

/* With beta 0 there are NaNs in C, also between its columns, where they stay. */
template <typename T>
static void test_gemm(cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k, bool add)
{
    const int lda = (op_a ? k : m) + 2, ldb = (op_b ? n : k) + 1, ldc = m + 3;
    const std::vector<T> a = numbers<T>((size_t)lda * ((op_a ? m : k) + 1));
    const std::vector<T> b = numbers<T>((size_t)ldb * ((op_b ? k : n) + 1));
    std::vector<T> c = numbers<T>((size_t)ldc * n + 1);
    const T alpha = number<T>(), beta = add ? T(2) : T(0);

    for (T &value : c)
        value = add ? value : T(NAN);
    Device<T> d_a(a), d_b(b), d_c(c);
    EXPECT_DONE(CALL(T, gemm, op_a, op_b, m, n, k, (const E *)&alpha, (E *)d_a.data, lda,
                     (E *)d_b.data, ldb, (const E *)&beta, (E *)d_c.data, ldc));
    const std::vector<T> expected =
        product(op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    const std::vector<T> got = d_c.host();
    size_t wrong = 0;
    for (size_t i = 0; i < got.size(); i++)
        wrong += !(got[i] == expected[i]) && !(got[i] != got[i] && expected[i] != expected[i]);
    EXPECT(wrong == 0);
}

template <typename T> static void test_products()
{
    static const int sizes[][3] = {{1, 1, 1}, {3, 5, 7}, {33, 17, 65}, {64, 1, 31}, {4, 4, 0}};

    for (int op_a = CUBLAS_OP_N; op_a <= CUBLAS_OP_C; op_a++)
        for (int op_b = CUBLAS_OP_N; op_b <= CUBLAS_OP_C; op_b++)
            for (const int *size : sizes)
                for (int add = 0; add < 2; add++)
                    test_gemm<T>((cublasOperation_t)op_a, (cublasOperation_t)op_b, size[0], size[1],
                                 size[2], add);
}

/* A batch, by strides and by pointers, gives what its products give one by one. */
template <typename T> static void test_batches()
{
    const int m = 5, n = 4, k = 6, batch = 3;
    const T alpha = T(2), beta = T(-1);
    const std::vector<T> a = numbers<T>(m * k * batch), b = numbers<T>(k * n);
    const std::vector<T> c = numbers<T>(m * n * batch);
    Device<T> d_a(a), d_b(b), d_strided(c), d_pointed(c);
    std::vector<T *> a_list, b_list, c_list;
    std::vector<T> expected = c;

    for (int i = 0; i < batch; i++) {
        const std::vector<T> part(a.begin() + i * m * k, a.begin() + (i + 1) * m * k);
        const std::vector<T> old(c.begin() + i * m * n, c.begin() + (i + 1) * m * n);
        const std::vector<T> now =
            product(CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, alpha, part, m, b, k, beta, old, m);
        std::copy(now.begin(), now.end(), expected.begin() + i * m * n);
        a_list.push_back(d_a.data + i * m * k);
        b_list.push_back(d_b.data);
        c_list.push_back(d_pointed.data + i * m * n);
    }
    Device<T *> d_a_list(a_list), d_b_list(b_list), d_c_list(c_list);
    EXPECT_DONE(CALL(T, gemmStridedBatched, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, (const E *)&alpha,
                     (E *)d_a.data, m, m * k, (E *)d_b.data, k, 0, (const E *)&beta,
                     (E *)d_strided.data, m, m * n, batch));
    EXPECT(d_strided.host() == expected);
    EXPECT_DONE(CALL(T, gemmBatched, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, (const E *)&alpha,
                     (E **)d_a_list.data, m, (E **)d_b_list.data, k, (const E *)&beta,
                     (E **)d_c_list.data, m, batch));
    EXPECT(d_pointed.host() == expected);
}

/* Narrow types: sums of small integers are exact in all of them. */
template <typename From, typename To, typename Scalar>
static void test_mixed(cudaDataType from, cudaDataType to, cublasComputeType_t compute)
{
    const int m = 12, n = 8, k = 4;
    const std::vector<float> a = numbers<float>(m * k), b = numbers<float>(k * n);
    const std::vector<float> c = numbers<float>(m * n);
    const Scalar alpha = Scalar(2.0f), beta = Scalar(1.0f);
    const std::vector<float> expected =
        product(CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, 2.0f, a, m, b, k, 1.0f, c, m);

    std::vector<From> narrow_a, narrow_b;
    std::vector<To> narrow_c;
    for (float value : a)
        narrow_a.push_back(From(value));
    for (float value : b)
        narrow_b.push_back(From(value));
    for (float value : c)
        narrow_c.push_back(To(value));
    Device<From> d_a(narrow_a), d_b(narrow_b);
    Device<To> d_c(narrow_c);
    EXPECT_DONE(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &alpha, d_a.data, from, m,
                             d_b.data, from, k, &beta, d_c.data, to, m, compute,
                             CUBLAS_GEMM_DEFAULT));
    const std::vector<To> got = d_c.host();
    for (size_t i = 0; i < expected.size(); i++)
        EXPECT((float)got[i] == expected[i]);
}

/* Results round to the nearest, ties to even; too large ones become infinite. */
static void test_halves()
{
    static const struct {
        float a, b, product;
    } cases[] = {{2049, 1, 2048},
                 {2051, 1, 2052},
                 {65519, 1, 65504},
                 {65520, 1, INFINITY},
                 {0x1p-12f, 0x1p-12f, 0x1p-24f},
                 {0x1.8p-12f, 0x1p-13f, 0x1p-24f},
                 {0x1p-12f, 0x1p-13f, 0},
                 {-0x1p-14f, 1, -0x1p-14f},
                 {0x1p-24f, 8, 0x1p-21f}};
    const float one = 1, zero = 0;

    for (const auto &c : cases) {
        /* a as the sum of two halves */
        const __half high = __float2half_rd(c.a), low = __float2half(c.a - __half2float(high));
        Device<__half> d_a({high, low}), d_b({__float2half(c.b), __float2half(c.b)});
        Device<__half> d_c({__float2half(NAN)});
        EXPECT_DONE(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 2, &one, d_a.data,
                                 CUDA_R_16F, 1, d_b.data, CUDA_R_16F, 2, &zero, d_c.data,
                                 CUDA_R_16F, 1, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
        EXPECT(__half2float(d_c.host()[0]) == c.product);
    }
    /* every way to ask for such a product: 1.5 * 1.5 - 2 * -2 */
    const __half one_half = __float2half(1), zero_half = __float2half(0);
    Device<__half> d_a({__float2half(1.5f), __float2half(-2)}), d_c({zero_half});
    EXPECT_DONE(cublasHgemm(handle, CUBLAS_OP_T, CUBLAS_OP_N, 1, 1, 2, &one_half, d_a.data, 2,
                            d_a.data, 2, &zero_half, d_c.data, 1));
    EXPECT(__half2float(d_c.host()[0]) == 6.25f);
    Device<__half *> d_list({d_a.data}), d_c_list({d_c.data});
#define EXPECT_AGAIN(call)                      \
    EXPECT_SUCCESS(cudaMemset(d_c.data, 0, 2)); \
    EXPECT_DONE(call);                          \
    EXPECT(__half2float(d_c.host()[0]) == 6.25f)
    EXPECT_AGAIN(cublasHgemmBatched(handle, CUBLAS_OP_T, CUBLAS_OP_N, 1, 1, 2, &one_half,
                                    d_list.data, 2, d_list.data, 2, &zero_half, d_c_list.data, 1,
                                    1));
    EXPECT_AGAIN(cublasHgemmStridedBatched(handle, CUBLAS_OP_T, CUBLAS_OP_N, 1, 1, 2, &one_half,
                                           d_a.data, 2, 0, d_a.data, 2, 0, &zero_half, d_c.data, 1,
                                           0, 1));
    EXPECT_AGAIN(cublasSgemmEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, 1, 1, 2, &one, d_a.data,
                               CUDA_R_16F, 2, d_a.data, CUDA_R_16F, 2, &zero, d_c.data, CUDA_R_16F,
                               1));
    EXPECT_AGAIN(cublasGemmBatchedEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, 1, 1, 2, &one,
                                     (void **)d_list.data, CUDA_R_16F, 2, (void **)d_list.data,
                                     CUDA_R_16F, 2, &zero, (void **)d_c_list.data, CUDA_R_16F, 1, 1,
                                     CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
    EXPECT_AGAIN(cublasGemmStridedBatchedEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, 1, 1, 2, &one,
                                            d_a.data, CUDA_R_16F, 2, 0, d_a.data, CUDA_R_16F, 2, 0,
                                            &zero, d_c.data, CUDA_R_16F, 1, 0, 1,
                                            CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
}

/* --- Vectors ---------------------------------------------------------------------------------- */

/* Steps of vectors; a negative one begins at the end. */
template <typename T> static T &at(std::vector<T> &x, int n, int step, int i)
{
    return x[step < 0 ? (i - n + 1) * step : i * step];
}

template <typename T> static void test_vectors(int n, int x_step, int y_step)
{
    std::vector<T> x = numbers<T>((size_t)std::abs(x_step) * n + 1);
    std::vector<T> y = numbers<T>((size_t)std::abs(y_step) * n + 1);
    const T alpha = number<T>();
    Device<T> d_x(x), d_y(y);

    EXPECT_DONE(CALL(T, axpy, n, (const E *)&alpha, (E *)d_x.data, x_step, (E *)d_y.data, y_step));
    for (int i = 0; i < n; i++)
        at(y, n, y_step, i) += alpha * at(x, n, x_step, i);
    EXPECT(d_y.host() == y);
    EXPECT_DONE(CALL(T, swap, n, (E *)d_x.data, x_step, (E *)d_y.data, y_step));
    for (int i = 0; i < n; i++)
        std::swap(at(x, n, x_step, i), at(y, n, y_step, i));
    EXPECT(d_x.host() == x && d_y.host() == y);
    EXPECT_DONE(CALL(T, copy, n, (E *)d_x.data, x_step, (E *)d_y.data, y_step));
    for (int i = 0; i < n; i++)
        at(y, n, y_step, i) = at(x, n, x_step, i);
    EXPECT(d_y.host() == y);
    EXPECT_DONE(CALL(T, scal, n, (const E *)&alpha, (E *)d_x.data, std::abs(x_step)));
    for (int i = 0; i < n; i++)
        x[(size_t)i * std::abs(x_step)] *= alpha;
    EXPECT(d_x.host() == x);
}

/* The routines whose result has a type of its own, in the type that the letters name. */
#define TEST_REAL_RESULTS(T, R, letters, index, one_of)                        \
    do {                                                                       \
        Device<T> x({one_of(3), one_of(-4), one_of(0), one_of(1)});            \
        R result = -1;                                                         \
        int place = -1;                                                        \
        EXPECT_DONE(cublas##letters##nrm2(handle, 2, x.data, 1, &result));     \
        EXPECT(result == 5);                                                   \
        EXPECT_DONE(cublas##letters##asum(handle, 2, x.data + 1, 2, &result)); \
        EXPECT(result == 5);                                                   \
        EXPECT_DONE(cublasI##index##amax(handle, 4, x.data, 1, &place));       \
        EXPECT(place == 2);                                                    \
        EXPECT_DONE(cublasI##index##amin(handle, 4, x.data, 1, &place));       \
        EXPECT(place == 3);                                                    \
    } while (0)

static cuComplex complex_of(float part)
{
    return make_cuComplex(0, part);
}
static cuDoubleComplex double_complex_of(double part)
{
    return make_cuDoubleComplex(0, part);
}

static void test_all_reductions()
{
    TEST_REAL_RESULTS(float, float, S, s, float);
    TEST_REAL_RESULTS(double, double, D, d, double);
    TEST_REAL_RESULTS(cuComplex, float, Sc, c, complex_of);
    TEST_REAL_RESULTS(cuDoubleComplex, double, Dz, z, double_complex_of);
    Device<double> d_x({1, 2, 3, 4});
    const std::vector<cuDoubleComplex> z = {{1, 2}, {-3, 4}};
    Device<cuDoubleComplex> d_z(z);
    cuDoubleComplex product;
    const double c = 0, s = 1;
    double sum;

    EXPECT_DONE(cublasDdot(handle, 2, d_x.data, 1, d_x.data + 2, 1, &sum));
    EXPECT(sum == 11);
    EXPECT_DONE(cublasDrot(handle, 2, d_x.data, 1, d_x.data + 2, 1, &c, &s));
    EXPECT((d_x.host() == std::vector<double>{3, 4, -1, -2}));
    EXPECT_DONE(cublasZdotu(handle, 1, d_z.data, 1, d_z.data + 1, 1, &product));
    EXPECT(product.x == -11 && product.y == -2);
    EXPECT_DONE(cublasZdotc(handle, 1, d_z.data, 1, d_z.data + 1, 1, &product));
    EXPECT(product.x == 5 && product.y == 10);
    /* conj(y) makes the difference */
    const cuDoubleComplex one = {1, 0};
    Device<cuDoubleComplex> d_a(std::vector<cuDoubleComplex>(1, cuDoubleComplex{0, 0}));
    EXPECT_DONE(cublasZgerc(handle, 1, 1, &one, d_z.data, 1, d_z.data + 1, 1, d_a.data, 1));
    EXPECT(d_a.host()[0].x == 5 && d_a.host()[0].y == -10);
    const cuComplex one_c = {1, 0};
    Device<cuComplex> d_y({{1, 2}, {-3, 4}, {0, 0}});
    EXPECT_DONE(cublasCgerc(handle, 1, 1, &one_c, d_y.data, 1, d_y.data + 1, 1, d_y.data + 2, 1));
    EXPECT(d_y.host()[2].x == 5 && d_y.host()[2].y == -10);
}

static void test_reductions()
{
    const float x[] = {3, -4, 0, 12, -12, 0.5f};
    Device<float> d_x({3, -4, 0, 12, -12, 0.5f});
    const std::vector<cuComplex> z = {{1, 2}, {-3, 4}, {0, -1}};
    Device<cuComplex> d_z(z);
    float result = -1;
    cuComplex dot;
    int index = -1;

    EXPECT_DONE(cublasSnrm2(handle, 2, d_x.data, 1, &result));
    EXPECT(result == 5);
    EXPECT_DONE(cublasSasum(handle, 3, d_x.data, 2, &result));
    EXPECT(result == x[0] + x[2] - x[4]);
    EXPECT_DONE(cublasSdot(handle, 3, d_x.data, 1, d_x.data + 3, -1, &result));
    EXPECT(result == x[0] * x[5] + x[1] * x[4] + x[2] * x[3]);
    EXPECT_DONE(cublasIsamax(handle, 6, d_x.data, 1, &index));
    EXPECT(index == 4);
    EXPECT_DONE(cublasIsamin(handle, 6, d_x.data, 1, &index));
    EXPECT(index == 3);
    EXPECT_DONE(cublasScasum(handle, 3, d_z.data, 1, &result));
    EXPECT(result == 11);
    EXPECT_DONE(cublasIcamax(handle, 3, d_z.data, 1, &index));
    EXPECT(index == 2);
    EXPECT_DONE(cublasIcamin(handle, 3, d_z.data, 1, &index));
    EXPECT(index == 3);
    EXPECT_DONE(cublasCdotu(handle, 2, d_z.data, 1, d_z.data + 1, 1, &dot));
    EXPECT(dot.x == -7 && dot.y == 1); /* (1+2i)(-3+4i) + (-3+4i)(-i) */
    EXPECT_DONE(cublasCdotc(handle, 1, d_z.data, 1, d_z.data + 1, 1, &dot));
    EXPECT(dot.x == 5 && dot.y == 10); /* (1-2i)(-3+4i) */
    EXPECT_DONE(cublasSnrm2(handle, 0, d_x.data, 1, &result));
    EXPECT(result == 0);
    EXPECT_DONE(cublasIsamax(handle, 0, d_x.data, 1, &index));
    EXPECT(index == 0);
    const float c = 0, s = 1;
    EXPECT_DONE(cublasSrot(handle, 2, d_x.data, 1, d_x.data + 2, 1, &c, &s));
    EXPECT((d_x.host() == std::vector<float>{0, 12, -3, 4, -12, 0.5f}));
}

/* Scalars and results that are on the device. */
static void test_device_mode()
{
    Device<float> d_alpha({3}), d_beta({0}), d_result({-1}), d_x({1, 2}), d_y({NAN});
    Device<int> d_index({-1});
    cublasPointerMode_t mode;

    EXPECT_DONE(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
    EXPECT_DONE(cublasGetPointerMode(handle, &mode));
    EXPECT(mode == CUBLAS_POINTER_MODE_DEVICE);
    EXPECT_DONE(cublasSscal(handle, 2, d_alpha.data, d_x.data, 1));
    EXPECT((d_x.host() == std::vector<float>{3, 6}));
    EXPECT_DONE(cublasSdot(handle, 2, d_x.data, 1, d_x.data, 1, d_result.data));
    EXPECT(d_result.host()[0] == 45);
    EXPECT_DONE(cublasIsamax(handle, 2, d_x.data, 1, d_index.data));
    EXPECT(d_index.host()[0] == 2);
    EXPECT_DONE(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 2, d_alpha.data, d_x.data, 1,
                            d_x.data, 2, d_beta.data, d_y.data, 1));
    EXPECT(d_y.host()[0] == 135);
    EXPECT_DONE(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));
}

/* --- A matrix and others ---------------------------------------------------------------------- */

template <typename T> static void test_gemv_ger(cublasOperation_t op, int m, int n)
{
    const int lda = m + 1, x_count = op ? m : n, y_count = op ? n : m;
    std::vector<T> a = numbers<T>((size_t)lda * n), x = numbers<T>(2 * x_count);
    std::vector<T> y(y_count, T(NAN));
    const T alpha = number<T>(), zero = T(0);
    Device<T> d_a(a), d_x(x), d_y(y);

    EXPECT_DONE(CALL(T, gemv, op, m, n, (const E *)&alpha, (E *)d_a.data, lda, (E *)d_x.data, 2,
                     (const E *)&zero, (E *)d_y.data, -1));
    for (int i = 0; i < y_count; i++) {
        T sum = T(0);
        for (int j = 0; j < x_count; j++)
            sum += element(a, lda, op, i, j) * x[2 * j];
        y[y_count - 1 - i] = alpha * sum;
    }
    EXPECT(d_y.host() == y);
    if (op)
        return;
    EXPECT_DONE(CALL(T, ger, m, n, (const E *)&alpha, (E *)d_y.data, 1, (E *)d_x.data, 2,
                     (E *)d_a.data, lda));
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            a[(size_t)j * lda + i] += alpha * y[i] * x[2 * j];
    EXPECT(d_a.host() == a);
}

/* A triangle as a whole matrix; what is outside of it must not matter and is NaN on the device. */
template <typename T>
static void test_triangles(cublasSideMode_t side, cublasFillMode_t fill, cublasOperation_t op,
                           cublasDiagType_t diag)
{
    const int m = 5, n = 4, order = side ? n : m;
    std::vector<T> whole(order * order, T(0)), given(order * order, T(NAN)), both(whole);
    const std::vector<T> b = numbers<T>(m * n), c(m * n, T(NAN));
    const T alpha = T(2), zero = T(0), one = T(1);

    for (int j = 0; j < order; j++)
        for (int i = 0; i < order; i++)
            if (i == j || (fill == CUBLAS_FILL_MODE_UPPER) == (i < j)) {
                const T value = i == j ? T(j % 2 ? -1 : 1) : number<T>();
                given[j * order + i] = value;
                whole[j * order + i] = i == j && diag == CUBLAS_DIAG_UNIT ? one : value;
                both[j * order + i] = both[i * order + j] = value;
            }
    Device<T> d_a(given), d_b(b), d_c(c);
    EXPECT_DONE(CALL(T, trmm, side, fill, op, diag, m, n, (const E *)&alpha, (E *)d_a.data, order,
                     (E *)d_b.data, m, (E *)d_c.data, m));
    const std::vector<T> expected =
        side ? product(CUBLAS_OP_N, op, m, n, n, alpha, b, m, whole, n, zero, c, m)
             : product(op, CUBLAS_OP_N, m, n, m, alpha, whole, m, b, m, zero, c, m);
    EXPECT(d_c.host() == expected);
    /* trsm undoes it, the sums being exact */
    const T half = T(0.5f);
    EXPECT_DONE(CALL(T, trsm, side, fill, op, diag, m, n, (const E *)&half, (E *)d_a.data, order,
                     (E *)d_c.data, m));
    EXPECT(d_c.host() == b);
    EXPECT_DONE(CALL(T, symm, side, fill, m, n, (const E *)&alpha, (E *)d_a.data, order,
                     (E *)d_b.data, m, (const E *)&zero, (E *)d_c.data, m));
    EXPECT((d_c.host() ==
            (side ? product(CUBLAS_OP_N, CUBLAS_OP_N, m, n, n, alpha, b, m, both, n, zero, c, m)
                  : product(CUBLAS_OP_N, CUBLAS_OP_N, m, n, m, alpha, both, m, b, m, zero, c, m))));
}

template <typename T> static void test_others()
{
    const int m = 3, n = 4;
    const std::vector<T> a = numbers<T>(m * n), b = numbers<T>(n * m), x = numbers<T>(2 * n);
    const T alpha = T(2), beta = T(-3), zero = T(0);
    std::vector<T> sum(m * n), scaled(m * n), square(n * n, T(NAN));
    Device<T> d_a(a), d_b(b), d_x(x), d_c(sum), d_square(square);

    EXPECT_DONE(CALL(T, geam, CUBLAS_OP_N, CUBLAS_OP_C, m, n, (const E *)&alpha, (E *)d_a.data, m,
                     (const E *)&beta, (E *)d_b.data, n, (E *)d_c.data, m));
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            sum[j * m + i] = alpha * a[j * m + i] + beta * element(b, n, CUBLAS_OP_C, i, j);
            scaled[j * m + i] = a[j * m + i] * x[2 * j];
        }
    EXPECT(d_c.host() == sum);
    EXPECT_DONE(CALL(T, dgmm, CUBLAS_SIDE_RIGHT, m, n, (E *)d_a.data, m, (E *)d_x.data, 2,
                     (E *)d_c.data, m));
    EXPECT(d_c.host() == scaled);
    EXPECT_DONE(CALL(T, syrk, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, n, m, (const E *)&alpha,
                     (E *)d_a.data, m, (const E *)&zero, (E *)d_square.data, n));
    const std::vector<T> full =
        product(CUBLAS_OP_T, CUBLAS_OP_N, n, n, m, alpha, a, m, a, m, zero, square, n);
    const std::vector<T> got = d_square.host();
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) /* the other triangle is left alone */
            EXPECT(i >= j ? got[j * n + i] == full[j * n + i] : got[j * n + i] != got[j * n + i]);
}

/* --- Copies, codes, streams ------------------------------------------------------------------- */

static void test_copies()
{
    const std::vector<float> a = numbers<float>(5 * 3);
    std::vector<float> back(4 * 3, 7);
    Device<float> d_a(std::vector<float>(6 * 3, 9)), d_x({0, 0, 0, 0, 0});

    EXPECT_DONE(cublasSetMatrix(3, 3, sizeof(float), a.data(), 5, d_a.data, 6));
    EXPECT_DONE(cublasGetMatrix(3, 3, sizeof(float), d_a.data, 6, back.data(), 4));
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 4; i++)
            EXPECT(back[j * 4 + i] == (i < 3 ? a[j * 5 + i] : 7));
    EXPECT(d_a.host()[3] == 9);
    EXPECT_DONE(cublasSetVector(2, sizeof(float), a.data(), 3, d_x.data, 2));
    EXPECT((d_x.host() == std::vector<float>{a[0], 0, a[3], 0, 0}));
    EXPECT_DONE(cublasGetVector(3, sizeof(float), d_x.data, 1, back.data(), 1));
    EXPECT(back[2] == a[3]);
    EXPECT_DONE(cublasSetMatrixAsync(1, 2, sizeof(float), a.data(), 3, d_a.data, 1, NULL));
    EXPECT_DONE(cublasSetVectorAsync(1, sizeof(float), a.data() + 1, 1, d_a.data + 2, 1, NULL));
    EXPECT_DONE(cublasGetMatrixAsync(1, 2, sizeof(float), d_a.data, 1, back.data(), 1, NULL));
    EXPECT_DONE(cublasGetVectorAsync(1, sizeof(float), d_a.data + 2, 1, &back[2], 1, NULL));
    EXPECT_SUCCESS(cudaDeviceSynchronize());
    EXPECT(back[0] == a[0] && back[1] == a[3] && back[2] == a[1]);
    EXPECT_STATUS(CUBLAS_STATUS_MAPPING_ERROR,
                  cublasSetMatrix(3, 3, sizeof(float), a.data(), 2, d_a.data, 6));
    EXPECT_STATUS(CUBLAS_STATUS_INVALID_VALUE, cublasGetVector(3, 0, d_x.data, 1, back.data(), 1));
}

static void test_codes()
{
    const float one = 1;
    Device<float> d({1, 2, 3, 4});
    float *p = d.data;
    int version = 0;

#define GEMM(handle, op, m, k, alpha, lda) \
    cublasSgemm(handle, op, CUBLAS_OP_N, m, 2, k, alpha, p, lda, p, 2, &one, p, 2)
    EXPECT_STATUS(CUBLAS_STATUS_NOT_INITIALIZED, GEMM(NULL, CUBLAS_OP_N, 2, 2, &one, 2));
    EXPECT_STATUS(CUBLAS_STATUS_INVALID_VALUE, GEMM(handle, CUBLAS_OP_N, -1, 2, &one, 2));
    EXPECT_STATUS(CUBLAS_STATUS_INVALID_VALUE, GEMM(handle, CUBLAS_OP_N, 2, -1, &one, 2));
    EXPECT_STATUS(CUBLAS_STATUS_INVALID_VALUE, GEMM(handle, CUBLAS_OP_N, 2, 2, &one, 1));
    EXPECT_DONE(GEMM(handle, CUBLAS_OP_N, 0, 2, &one, 1));
    EXPECT((d.host() == std::vector<float>{1, 2, 3, 4}));
    EXPECT_STATUS(CUBLAS_STATUS_NOT_INITIALIZED, cublasDestroy(NULL));
    EXPECT_DONE(cublasGetVersion(handle, &version));
    EXPECT(version / 10000 == CUBLAS_VER_MAJOR);
    EXPECT(!std::string(cublasGetStatusName(CUBLAS_STATUS_NOT_SUPPORTED))
                .compare("CUBLAS_STATUS_NOT_SUPPORTED"));
    int major = 0, target = -1;
    EXPECT_DONE(cublasGetProperty(MAJOR_VERSION, &major));
    EXPECT(major == CUBLAS_VER_MAJOR);
    cublasMath_t math;
    EXPECT_DONE(cublasSetMathMode(handle, CUBLAS_PEDANTIC_MATH));
    EXPECT_DONE(cublasGetMathMode(handle, &math));
    EXPECT(math == CUBLAS_PEDANTIC_MATH);
    EXPECT_DONE(cublasSetMathMode(handle, CUBLAS_DEFAULT_MATH));
    cublasAtomicsMode_t atomics;
    EXPECT_DONE(cublasSetAtomicsMode(handle, CUBLAS_ATOMICS_ALLOWED));
    EXPECT_DONE(cublasGetAtomicsMode(handle, &atomics));
    EXPECT(atomics == CUBLAS_ATOMICS_ALLOWED);
    EXPECT_DONE(cublasSetSmCountTarget(handle, 0));
    EXPECT_DONE(cublasGetSmCountTarget(handle, &target));
    EXPECT(target == 0);
    EXPECT_DONE(cublasSetWorkspace(handle, NULL, 0));
}

/* Kernel, product, kernel in one stream; then the same captured, and run twice. */
static void test_streams()
{
    Device<float> d_x({0, 0, 0, 0});
    const float two = 2, zero = 0;
    cudaStream_t stream, found;
    cudaGraph_t graph;
    cudaGraphExec_t exec;

    EXPECT_SUCCESS(cudaStreamCreate(&stream));
    EXPECT_DONE(cublasSetStream(handle, stream));
    EXPECT_DONE(cublasGetStream(handle, &found));
    EXPECT(found == stream);
    Device<float> d_y({1});
#define WORK                                                                              \
    add(d_x.data, 4, 1, 1, stream);                                                       \
    EXPECT_DONE(cublasSgemm(handle, CUBLAS_OP_T, CUBLAS_OP_N, 1, 1, 4, &two, d_x.data, 4, \
                            d_x.data, 4, &zero, d_y.data, 1));                            \
    add(d_y.data, 1, 1, 0.5f, stream)
    WORK;
    EXPECT_SUCCESS(cudaStreamSynchronize(stream));
    EXPECT(d_y.host()[0] == 8.5f);
    EXPECT_SUCCESS(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    WORK;
    EXPECT_SUCCESS(cudaStreamEndCapture(stream, &graph));
    EXPECT(d_y.host()[0] == 8.5f);
    EXPECT_SUCCESS(cudaGraphInstantiate(&exec, graph, 0));
    EXPECT_SUCCESS(cudaGraphDestroy(graph));
    for (int i = 2; i < 4; i++) {
        EXPECT_SUCCESS(cudaGraphLaunch(exec, stream));
        EXPECT_SUCCESS(cudaStreamSynchronize(stream));
        EXPECT(d_y.host()[0] == 8 * i * i + 0.5f);
    }
    EXPECT_SUCCESS(cudaGraphExecDestroy(exec));
    EXPECT_DONE(cublasSetStream(handle, NULL));
    EXPECT_SUCCESS(cudaStreamDestroy(stream));
}

template <typename T> static void test_type()
{
    test_products<T>();
    test_batches<T>();
    for (int n : {0, 1, 31, 33})
        for (int step : {1, 2, -1}) {
            test_vectors<T>(n, step, 1);
            test_vectors<T>(n, 1, -step);
        }
    for (int op = CUBLAS_OP_N; op <= CUBLAS_OP_C; op++) {
        test_gemv_ger<T>((cublasOperation_t)op, 1, 1);
        test_gemv_ger<T>((cublasOperation_t)op, 17, 5);
        for (int bits = 0; bits < 8; bits++)
            test_triangles<T>((cublasSideMode_t)(bits & 1), (cublasFillMode_t)(bits >> 1 & 1),
                              (cublasOperation_t)op, (cublasDiagType_t)(bits >> 2));
    }
    test_others<T>();
}

int main()
{
    EXPECT_DONE(cublasCreate(&handle));
    EXPECT_STATUS(CUBLAS_STATUS_INVALID_VALUE, cublasCreate(NULL));
    if (failures)
        return finish();
    test_type<float>();
    test_type<double>();
    test_type<Complex>();
    test_type<DoubleComplex>();
    test_mixed<__half, __half, float>(CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F);
    test_mixed<__half, float, float>(CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F);
    test_mixed<__half, __half, __half>(CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F);
    test_mixed<__nv_bfloat16, __nv_bfloat16, float>(CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F);
    test_mixed<__nv_bfloat16, float, float>(CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F);
    test_mixed<signed char, int, int>(CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I);
    test_mixed<float, float, float>(CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_PEDANTIC);
    test_mixed<double, double, double>(CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F);
    test_halves();
    test_reductions();
    test_all_reductions();
    test_device_mode();
    test_copies();
    test_codes();
    test_streams();
    EXPECT_DONE(cublasDestroy(handle));
    return finish();
}
