/* cuSOLVER's routines of complex matrices, held against what their results mean. */
#include <algorithm>
#include <cmath>
#include <complex>
#include <cusolverDn.h>
#include <type_traits>
#include <vector>

#include "../cudart/expect.h"
#include "device.h"

static cusolverDnHandle_t handle;
static unsigned seed = 7;

#define EXPECT_DONE(call) EXPECT_STATUS(CUSOLVER_STATUS_SUCCESS, call)

/* One name for the routines of both types. */
#define CALL(routine, ...)                                    \
    [&] {                                                     \
        if constexpr (std::is_same<R, float>::value) {        \
            return cusolverDnC##routine(handle, __VA_ARGS__); \
        } else {                                              \
            return cusolverDnZ##routine(handle, __VA_ARGS__); \
        }                                                     \
    }()

template <typename R>
using Raw =
    typename std::conditional<std::is_same<R, float>::value, cuComplex, cuDoubleComplex>::type;
template <typename R> using Numbers = std::vector<std::complex<R>>;

static double number()
{
    seed = seed * 1103515245 + 12345;
    return (int)(seed >> 16) % 1000 / 500.0 - 1;
}

template <typename R> static Numbers<R> numbers(int count)
{
    Numbers<R> made(count);
    for (std::complex<R> &value : made) {
        value.real((R)number());
        value.imag((R)number());
    }
    return made;
}

/* The m x n product of A or its conjugate transpose, which is m x k, and B, all by columns. */
template <typename R>
static Numbers<R> product(bool turned, int m, int n, int k, const Numbers<R> &a,
                          const Numbers<R> &b)
{
    Numbers<R> c(m * n);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            for (int l = 0; l < k; l++)
                c[i + j * m] += (turned ? std::conj(a[l + i * k]) : a[i + l * m]) * b[l + j * k];
    return c;
}

template <typename R> static bool same(const Numbers<R> &a, const Numbers<R> &b)
{
    for (size_t i = 0; i < b.size(); i++)
        if (!(std::abs(a[i] - b[i]) < (std::is_same<R, float>::value ? 2e-4 : 1e-11)))
            return false;
    return true;
}

static int *info;

static bool went_well()
{
    int value = -99;
    EXPECT_SUCCESS(cudaMemcpy(&value, info, sizeof(value), cudaMemcpyDefault));
    return value == 0;
}

enum { N = 6, M = 9, RIGHT = 2 };

template <typename R> static void systems()
{
    typedef std::complex<R> C;
    typedef Raw<R> E;
    const Numbers<R> a = numbers<R>(N * N), b = numbers<R>(N * RIGHT);
    Numbers<R> steep = a;
    Device<int> pivots(std::vector<int>(N, 0));
    int size = 0;

    for (int i = 0; i < N; i++)
        steep[i + i * N] += (R)9;
    for (bool exchanges : {true, false})
        for (cublasOperation_t trans : {CUBLAS_OP_N, CUBLAS_OP_C}) {
            const Numbers<R> &matrix = exchanges ? a : steep;
            Device<C> factors(matrix), x(b);
            int *order = exchanges ? pivots.data : nullptr;
            EXPECT_DONE(CALL(getrf_bufferSize, N, N, (E *)factors.data, N, &size));
            EXPECT(size > 0);
            Device<C> room(numbers<R>(size));
            EXPECT_DONE(CALL(getrf, N, N, (E *)factors.data, N, (E *)room.data, order, info));
            EXPECT(went_well());
            EXPECT_DONE(CALL(getrs, trans, N, RIGHT, (const E *)factors.data, N, order, (E *)x.data,
                             N, info));
            EXPECT(went_well());
            EXPECT(same(product(trans == CUBLAS_OP_C, N, RIGHT, N, matrix, x.host()), b));
        }
    Numbers<R> square = product(true, N, N, N, a, a);
    Device<C> factors(square), x(b);
    EXPECT_DONE(CALL(potrf_bufferSize, CUBLAS_FILL_MODE_LOWER, N, (E *)factors.data, N, &size));
    Device<C> room(numbers<R>(size));
    EXPECT_DONE(
        CALL(potrf, CUBLAS_FILL_MODE_LOWER, N, (E *)factors.data, N, (E *)room.data, size, info));
    EXPECT(went_well());
    EXPECT_DONE(CALL(potrs, CUBLAS_FILL_MODE_LOWER, N, RIGHT, (const E *)factors.data, N,
                     (E *)x.data, N, info));
    EXPECT(went_well());
    /* the condition of the square is that of A squared */
    if (std::is_same<R, double>::value)
        EXPECT(same(product(false, N, RIGHT, N, square, x.host()), b));
}

template <typename R> static void reflectors()
{
    typedef std::complex<R> C;
    typedef Raw<R> E;
    const Numbers<R> a = numbers<R>(M * N);
    Device<C> factors(a), tau(numbers<R>(N)), turned(a);
    Numbers<R> upper(N * N);
    int size = 0;

    EXPECT_DONE(CALL(geqrf_bufferSize, M, N, (E *)factors.data, M, &size));
    Device<C> room(numbers<R>(size));
    EXPECT_DONE(CALL(geqrf, M, N, (E *)factors.data, M, (E *)tau.data, (E *)room.data, size, info));
    EXPECT(went_well());
    const Numbers<R> packed = factors.host();
    for (int j = 0; j < N; j++)
        for (int i = 0; i <= j; i++)
            upper[i + j * N] = packed[i + j * M];
    EXPECT_DONE(CALL(unmqr_bufferSize, CUBLAS_SIDE_LEFT, CUBLAS_OP_C, M, N, N,
                     (const E *)factors.data, M, (const E *)tau.data, (const E *)turned.data, M,
                     &size));
    Device<C> more(numbers<R>(size));
    EXPECT_DONE(CALL(unmqr, CUBLAS_SIDE_LEFT, CUBLAS_OP_C, M, N, N, (const E *)factors.data, M,
                     (const E *)tau.data, (E *)turned.data, M, (E *)more.data, size, info));
    EXPECT(went_well());
    const Numbers<R> top = turned.host(); /* conj(Q)^T A is R above zeros */
    Numbers<R> tall(M * N);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            tall[i + j * M] = upper[i + j * N];
    EXPECT(same(top, tall));
    EXPECT(CALL(unmqr, CUBLAS_SIDE_LEFT, CUBLAS_OP_T, M, N, N, (const E *)factors.data, M,
                (const E *)tau.data, (E *)turned.data, M, (E *)more.data, size,
                info) == CUSOLVER_STATUS_INVALID_VALUE);
    EXPECT_DONE(
        CALL(ungqr_bufferSize, M, N, N, (const E *)factors.data, M, (const E *)tau.data, &size));
    Device<C> most(numbers<R>(size));
    EXPECT_DONE(CALL(ungqr, M, N, N, (E *)factors.data, M, (const E *)tau.data, (E *)most.data,
                     size, info));
    EXPECT(went_well());
    EXPECT(same(product(false, M, N, N, factors.host(), upper), a));
}

template <typename R> static void values()
{
    typedef std::complex<R> C;
    typedef Raw<R> E;
    const Numbers<R> a = numbers<R>(M * N), square = product(true, N, N, M, a, a);
    Device<C> vectors(square), matrix(a), u(numbers<R>(M * M)), vt(numbers<R>(N * N));
    Device<R> eigen(std::vector<R>(N, 0)), singular(std::vector<R>(N, 0)),
        rest(std::vector<R>(5 * N, 0));
    int size = 0;

    EXPECT_DONE(CALL(heevd_bufferSize, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, N,
                     (const E *)vectors.data, N, eigen.data, &size));
    Device<C> room(numbers<R>(size));
    EXPECT_DONE(CALL(heevd, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, N, (E *)vectors.data,
                     N, eigen.data, (E *)room.data, size, info));
    EXPECT(went_well());
    const Numbers<R> v = vectors.host();
    const std::vector<R> w = eigen.host();
    Numbers<R> stretched = v;
    for (int i = 0; i < N * N; i++)
        stretched[i] *= w[i / N];
    EXPECT(same(product(false, N, N, N, square, v), stretched));

    EXPECT_DONE(CALL(gesvd_bufferSize, M, N, &size));
    Device<C> more(numbers<R>(size));
    EXPECT_DONE(CALL(gesvd, 'S', 'S', M, N, (E *)matrix.data, M, singular.data, (E *)u.data, M,
                     (E *)vt.data, N, (E *)more.data, size, rest.data, info));
    EXPECT(went_well());
    const std::vector<R> s = singular.host();
    Numbers<R> left = u.host();
    left.resize(M * N);
    for (int i = 0; i < M * N; i++)
        left[i] *= s[i / M];
    EXPECT(same(product(false, M, N, N, left, vt.host()), a));
    for (int i = 0; i < N; i++) /* they are the roots of the square's */
        EXPECT(std::fabs(s[i] * s[i] - w[N - 1 - i]) < 1e-4);
}

int main()
{
    EXPECT_DONE(cusolverDnCreate(&handle));
    EXPECT_SUCCESS(cudaMalloc(&info, sizeof(*info)));
    systems<float>();
    systems<double>();
    reflectors<float>();
    reflectors<double>();
    values<float>();
    values<double>();
    EXPECT_SUCCESS(cudaFree(info));
    EXPECT_DONE(cusolverDnDestroy(handle));
    return finish();
}
