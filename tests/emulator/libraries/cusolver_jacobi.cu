/* cuSOLVER's eigenvalues and singular values by Jacobi's rotations, one by one and in batches;
 * pencils of two matrices; and batches of Cholesky factors. */
#include <cmath>
#include <complex>
#include <cusolverDn.h>
#include <type_traits>
#include <vector>

#include "../cudart/expect.h"
#include "device.h"

static cusolverDnHandle_t handle;
static unsigned seed = 5;

typedef std::complex<double> Complex;
typedef std::complex<float> FloatComplex;

#define EXPECT_DONE(call) EXPECT_STATUS(CUSOLVER_STATUS_SUCCESS, call)
#define CALL2(real, complex, ...)                                    \
    [&] {                                                            \
        if constexpr (std::is_same<T, float>::value) {               \
            typedef float E;                                         \
            return cusolverDnS##real(handle, __VA_ARGS__);           \
        } else if constexpr (std::is_same<T, double>::value) {       \
            typedef double E;                                        \
            return cusolverDnD##real(handle, __VA_ARGS__);           \
        } else if constexpr (std::is_same<T, FloatComplex>::value) { \
            typedef cuComplex E;                                     \
            return cusolverDnC##complex(handle, __VA_ARGS__);        \
        } else {                                                     \
            typedef cuDoubleComplex E;                               \
            return cusolverDnZ##complex(handle, __VA_ARGS__);        \
        }                                                            \
    }()
#define CALL(routine, ...) CALL2(routine, routine, __VA_ARGS__)
#define AT(x) (E *)(x)

enum { N = 4, M = 6, COUNT = 3 };

static double number()
{
    seed = seed * 1103515245 + 12345;
    return (int)(seed >> 16) % 1000 / 500.0 - 1;
}
static void fill(float &x)
{
    x = (float)number();
}
static void fill(double &x)
{
    x = number();
}
static void fill(Complex &x)
{
    const double re = number();
    x = Complex(re, number());
}
static void fill(FloatComplex &x)
{
    const float re = (float)number();
    x = FloatComplex(re, (float)number());
}
static float conj_of(float x)
{
    return x;
}
static double conj_of(double x)
{
    return x;
}
static FloatComplex conj_of(FloatComplex x)
{
    return std::conj(x);
}
static Complex conj_of(Complex x)
{
    return std::conj(x);
}

template <typename T> static std::vector<T> numbers(int count)
{
    std::vector<T> made(count);
    for (T &x : made)
        fill(x);
    return made;
}

/* B^H B + shift, of N columns. */
template <typename T> static std::vector<T> positive(double shift)
{
    const std::vector<T> b = numbers<T>(N * N);
    std::vector<T> a(N * N);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            a[i + j * N] = i == j ? T(shift) : T(0);
            for (int k = 0; k < N; k++)
                a[i + j * N] += conj_of(b[k + i * N]) * b[k + j * N];
        }
    return a;
}

/* A x = w B x for vector number j of the columns from `x` on? Without B it is 1. */
template <typename T>
static bool is_eigen(const std::vector<T> &a, const T *b, const T *x, Complex w)
{
    for (int i = 0; i < N; i++) {
        Complex rest = 0;
        for (int k = 0; k < N; k++)
            rest += Complex(a[i + k * N]) * Complex(x[k]) -
                    w * (b ? Complex(b[i + k * N]) : Complex(i == k)) * Complex(x[k]);
        if (!(std::abs(rest) < 1e-3))
            return false;
    }
    return true;
}

template <typename T, typename R> static void test_eigen()
{
    std::vector<T> all;
    const std::vector<T> b = positive<T>(2);
    syevjInfo_t info;
    Device<R> w(std::vector<R>(N * COUNT, 0));
    Device<int> failed(std::vector<int>(COUNT, -1));
    int room = 0, sweeps = 0;
    double residual = 1;

    for (int i = 0; i < COUNT; i++)
        for (T x : positive<T>(0))
            all.push_back(x);
    const std::vector<T> first(all.begin(), all.begin() + N * N);
    Device<T> one(first), batch(all), pencil(first), right(b);
    EXPECT_DONE(cusolverDnCreateSyevjInfo(&info));
    EXPECT_DONE(cusolverDnXsyevjSetTolerance(info, 1e-7));
    EXPECT_DONE(cusolverDnXsyevjSetMaxSweeps(info, 15));
    EXPECT_DONE(cusolverDnXsyevjSetSortEig(info, 1));
#define WHICH CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, N
    EXPECT_DONE(
        CALL2(syevj_bufferSize, heevj_bufferSize, WHICH, AT(one.data), N, w.data, &room, info));
    Device<T> work(std::vector<T>(room + N * N * COUNT));
    EXPECT_DONE(CALL2(syevj, heevj, WHICH, AT(one.data), N, w.data, AT(work.data), room,
                      failed.data, info));
    const std::vector<T> x = one.host();
    for (int j = 0; j < N; j++) {
        EXPECT(is_eigen(first, (const T *)NULL, &x[j * N], w.host()[j]));
        EXPECT(j == 0 || w.host()[j] >= w.host()[j - 1]);
    }
    EXPECT_DONE(cusolverDnXsyevjGetSweeps(handle, info, &sweeps));
    EXPECT_DONE(cusolverDnXsyevjGetResidual(handle, info, &residual));
    EXPECT(sweeps > 0 && residual < 1e-3);
    EXPECT_DONE(CALL2(syevjBatched_bufferSize, heevjBatched_bufferSize, WHICH, AT(batch.data), N,
                      w.data, &room, info, COUNT));
    EXPECT_DONE(CALL2(syevjBatched, heevjBatched, WHICH, AT(batch.data), N, w.data, AT(work.data),
                      room, failed.data, info, COUNT));
    const std::vector<T> xs = batch.host();
    for (int i = 0; i < COUNT; i++) {
        const std::vector<T> a(all.begin() + i * N * N, all.begin() + (i + 1) * N * N);
        EXPECT(failed.host()[i] == 0);
        for (int j = 0; j < N; j++)
            EXPECT(is_eigen(a, (const T *)NULL, &xs[(i * N + j) * N], w.host()[i * N + j]));
    }
    EXPECT_DONE(CALL2(sygvd_bufferSize, hegvd_bufferSize, CUSOLVER_EIG_TYPE_1, WHICH,
                      AT(pencil.data), N, AT(right.data), N, w.data, &room));
    Device<T> more(std::vector<T>(room + 1));
    EXPECT_DONE(CALL2(sygvd, hegvd, CUSOLVER_EIG_TYPE_1, WHICH, AT(pencil.data), N, AT(right.data),
                      N, w.data, AT(more.data), room, failed.data));
    const std::vector<T> y = pencil.host();
    for (int j = 0; j < N; j++)
        EXPECT(is_eigen(first, b.data(), &y[j * N], w.host()[j]));
    Device<T> pencil2(first), right2(b);
    EXPECT_DONE(CALL2(sygvj_bufferSize, hegvj_bufferSize, CUSOLVER_EIG_TYPE_1, WHICH,
                      AT(pencil2.data), N, AT(right2.data), N, w.data, &room, info));
    Device<T> most(std::vector<T>(room + 1));
    EXPECT_DONE(CALL2(sygvj, hegvj, CUSOLVER_EIG_TYPE_1, WHICH, AT(pencil2.data), N,
                      AT(right2.data), N, w.data, AT(most.data), room, failed.data, info));
    const std::vector<T> z = pencil2.host();
    for (int j = 0; j < N; j++)
        EXPECT(is_eigen(first, b.data(), &z[j * N], w.host()[j]));
    EXPECT_DONE(cusolverDnDestroySyevjInfo(info));
}

/* U S V^H, where U has rows of `rows`, is A again? */
template <typename T, typename R>
static bool is_svd(const T *a, int rows, const T *u, const R *s, const T *v)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < N; j++) {
            Complex sum = 0;
            for (int k = 0; k < N; k++)
                sum += Complex(u[i + k * rows]) * Complex(s[k]) * std::conj(Complex(v[j + k * N]));
            if (!(std::abs(sum - Complex(a[i + j * rows])) < 1e-3))
                return false;
        }
    return true;
}

template <typename T, typename R> static void test_singular()
{
    const std::vector<T> a = numbers<T>(M * N), all = numbers<T>(N * N * COUNT);
    gesvdjInfo_t info;
    Device<R> s(std::vector<R>(N * COUNT, 0));
    Device<int> failed(std::vector<int>(COUNT, -1));
    Device<T> u(std::vector<T>(M * M)), v(std::vector<T>(N * N)), batch(all);
    Device<T> us(std::vector<T>(N * N * COUNT)), vs(std::vector<T>(N * N * COUNT));
    int room = 0;

    EXPECT_DONE(cusolverDnCreateGesvdjInfo(&info));
    EXPECT_DONE(cusolverDnXgesvdjSetTolerance(info, 1e-7));
    EXPECT_DONE(cusolverDnXgesvdjSetMaxSweeps(info, 15));
    EXPECT_DONE(cusolverDnXgesvdjSetSortEig(info, 1));
    for (int few : {0, 1}) {
        Device<T> d_a(a);
        EXPECT_DONE(CALL(gesvdj_bufferSize, CUSOLVER_EIG_MODE_VECTOR, few, M, N, AT(d_a.data), M,
                         s.data, AT(u.data), M, AT(v.data), N, &room, info));
        Device<T> work(std::vector<T>(room + 1));
        EXPECT_DONE(CALL(gesvdj, CUSOLVER_EIG_MODE_VECTOR, few, M, N, AT(d_a.data), M, s.data,
                         AT(u.data), M, AT(v.data), N, AT(work.data), room, failed.data, info));
        EXPECT(failed.host()[0] == 0);
        EXPECT(is_svd(a.data(), M, u.host().data(), s.host().data(), v.host().data()));
    }
    int sweeps = 0;
    double residual = 1;
    EXPECT_DONE(cusolverDnXgesvdjGetSweeps(handle, info, &sweeps));
    EXPECT_DONE(cusolverDnXgesvdjGetResidual(handle, info, &residual));
    EXPECT(sweeps > 0 && residual < 1e-3);
    EXPECT_DONE(CALL(gesvdjBatched_bufferSize, CUSOLVER_EIG_MODE_VECTOR, N, N, AT(batch.data), N,
                     s.data, AT(us.data), N, AT(vs.data), N, &room, info, COUNT));
    Device<T> work(std::vector<T>(room + 1));
    EXPECT_DONE(CALL(gesvdjBatched, CUSOLVER_EIG_MODE_VECTOR, N, N, AT(batch.data), N, s.data,
                     AT(us.data), N, AT(vs.data), N, AT(work.data), room, failed.data, info,
                     COUNT));
    for (int i = 0; i < COUNT; i++)
        EXPECT(is_svd(&all[i * N * N], N, &us.host()[i * N * N], &s.host()[i * N],
                      &vs.host()[i * N * N]));
    EXPECT_DONE(cusolverDnDestroyGesvdjInfo(info));
}

template <typename T> static void test_cholesky()
{
    const std::vector<T> a = positive<T>(1), b = numbers<T>(N);
    Device<T> first(a), second(a), x(b), y(b);
    Device<int> failed({-1, -1});
    Device<T *> matrices({first.data, second.data}), columns({x.data, y.data});

    EXPECT_DONE(
        CALL(potrfBatched, CUBLAS_FILL_MODE_UPPER, N, (E **)matrices.data, N, failed.data, 2));
    EXPECT((failed.host() == std::vector<int>{0, 0}));
    EXPECT_DONE(CALL(potrsBatched, CUBLAS_FILL_MODE_UPPER, N, 1, (E **)matrices.data, N,
                     (E **)columns.data, N, failed.data, 2));
    EXPECT(x.host() == y.host());
    for (int i = 0; i < N; i++) {
        Complex sum = 0;
        for (int k = 0; k < N; k++)
            sum += Complex(a[i + k * N]) * Complex(y.host()[k]);
        EXPECT(std::abs(sum - Complex(b[i])) < 1e-3);
    }
}

int main()
{
    EXPECT_DONE(cusolverDnCreate(&handle));
    test_eigen<float, float>();
    test_eigen<double, double>();
    test_eigen<FloatComplex, float>();
    test_eigen<Complex, double>();
    test_singular<float, float>();
    test_singular<double, double>();
    test_singular<FloatComplex, float>();
    test_singular<Complex, double>();
    test_cholesky<float>();
    test_cholesky<double>();
    test_cholesky<FloatComplex>();
    test_cholesky<Complex>();
    EXPECT_DONE(cusolverDnDestroy(handle));
    return finish();
}
