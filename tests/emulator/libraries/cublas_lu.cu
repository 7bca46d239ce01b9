/* cuBLAS's batches of factors, solutions and inverses, held against what they mean. */
#include <cmath>
#include <complex>
#include <cublas_v2.h>
#include <type_traits>
#include <vector>

#include "../cudart/expect.h"
#include "device.h"

static cublasHandle_t handle;
static unsigned seed = 7;

#define EXPECT_DONE(call) EXPECT((call) == CUBLAS_STATUS_SUCCESS)

enum { N = 5, RIGHT = 2, COUNT = 3 };

template <typename T> struct Raw {
    typedef T type;
};
template <> struct Raw<std::complex<float>> {
    typedef cuComplex type;
};
template <> struct Raw<std::complex<double>> {
    typedef cuDoubleComplex type;
};

#define CALL(routine, ...)                                              \
    [&] {                                                               \
        if constexpr (std::is_same<T, float>::value)                    \
            return cublasS##routine(handle, __VA_ARGS__);               \
        else if constexpr (std::is_same<T, double>::value)              \
            return cublasD##routine(handle, __VA_ARGS__);               \
        else if constexpr (std::is_same<T, std::complex<float>>::value) \
            return cublasC##routine(handle, __VA_ARGS__);               \
        else                                                            \
            return cublasZ##routine(handle, __VA_ARGS__);               \
    }()

static double number()
{
    seed = seed * 1103515245 + 12345;
    return (int)(seed >> 16) % 1000 / 500.0 - 1;
}

template <typename T> static void fill(T &value)
{
    value = (T)number();
}
template <typename R> static void fill(std::complex<R> &value)
{
    value = std::complex<R>((R)number(), (R)number());
}

static std::complex<double> wide(std::complex<double> x)
{
    return x;
}

/* op(A) B = C? Each by columns, from a place on. */
template <typename T>
static bool is_product(cublasOperation_t op, const std::vector<T> &a, const std::vector<T> &b,
                       const std::vector<T> &c, int matrix, int columns)
{
    const bool narrow = sizeof(std::abs(T())) == sizeof(float);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < columns; j++) {
            std::complex<double> sum = 0;
            for (int k = 0; k < N; k++) {
                const int at = matrix * N * N + (op ? k + i * N : i + k * N);
                const std::complex<double> left = wide(a[at]);
                sum += (op == CUBLAS_OP_C ? std::conj(left) : left) *
                       wide(b[matrix * N * columns + k + j * N]);
            }
            if (!(std::abs(sum - wide(c[matrix * N * columns + i + j * N])) <
                  (narrow ? 1e-3 : 1e-10)))
                return false;
        }
    return true;
}

/* Pointers to the matrices of a batch, on the device. */
template <typename T> static std::vector<typename Raw<T>::type *> places(T *data, int elements)
{
    std::vector<typename Raw<T>::type *> list;
    for (int i = 0; i < COUNT; i++)
        list.push_back((typename Raw<T>::type *)(data + i * elements));
    return list;
}

static bool all_are(const Device<int> &info, int value)
{
    for (int i : info.host())
        if (i != value)
            return false;
    return true;
}

template <typename T> static void test_batches()
{
    typedef typename Raw<T>::type E;
    std::vector<T> a(COUNT * N * N), b(COUNT * N * RIGHT), one(COUNT * N * N);
    for (T &value : a)
        fill(value);
    for (T &value : b)
        fill(value);
    for (int i = 0; i < COUNT * N; i++)
        one[i / N * N * N + i % N * (N + 1)] = T(1);
    Device<int> pivots(std::vector<int>(COUNT * N, 0)), info(std::vector<int>(COUNT, -1));
    Device<T> factors(a), inverse(one);
    Device<E *> list(places(factors.data, N * N)), inverses(places(inverse.data, N * N));
    int wrong = -1;

    EXPECT_DONE(CALL(getrfBatched, N, list.data, N, pivots.data, info.data, COUNT));
    EXPECT(all_are(info, 0));
    for (cublasOperation_t op : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C}) {
        Device<T> x(b);
        Device<E *> right(places(x.data, N * RIGHT));
        EXPECT_DONE(CALL(getrsBatched, op, N, RIGHT, (const E *const *)list.data, N, pivots.data,
                         right.data, N, &wrong, COUNT));
        EXPECT(wrong == 0);
        for (int i = 0; i < COUNT; i++)
            EXPECT(is_product(op, a, x.host(), b, i, RIGHT));
    }
    EXPECT_DONE(CALL(getriBatched, N, (const E *const *)list.data, N, pivots.data, inverses.data, N,
                     info.data, COUNT));
    EXPECT(all_are(info, 0));
    for (int i = 0; i < COUNT; i++)
        EXPECT(is_product(CUBLAS_OP_N, a, inverse.host(), one, i, N));
    Device<T> given(a);
    Device<E *> those(places(given.data, N * N));
    EXPECT_DONE(CALL(matinvBatched, N, (const E *const *)those.data, N, inverses.data, N, info.data,
                     COUNT));
    EXPECT(all_are(info, 0));
    for (int i = 0; i < COUNT; i++)
        EXPECT(is_product(CUBLAS_OP_N, a, inverse.host(), one, i, N));
    EXPECT(CALL(getrsBatched, CUBLAS_OP_N, N, RIGHT, (const E *const *)list.data, N - 1,
                pivots.data, list.data, N, &wrong, COUNT) == CUBLAS_STATUS_INVALID_VALUE);
    EXPECT(wrong == -5);
}

enum { TALL = N + 3 };

/* Least squares: what is left of c is at right angles to every column of A. */
template <typename T> static void test_least_squares()
{
    typedef typename Raw<T>::type E;
    std::vector<T> a(COUNT * TALL * N), c(COUNT * TALL * RIGHT);
    for (T &value : a)
        fill(value);
    for (T &value : c)
        fill(value);
    Device<T> d_a(a), d_c(c), d_q(a), d_tau(std::vector<T>(COUNT * N));
    Device<E *> left(places(d_a.data, TALL * N)), right(places(d_c.data, TALL * RIGHT));
    Device<E *> factors(places(d_q.data, TALL * N)), tau(places(d_tau.data, N));
    Device<int> info(std::vector<int>(COUNT, -1));
    int wrong = -1;

    EXPECT_DONE(CALL(gelsBatched, CUBLAS_OP_N, TALL, N, RIGHT, left.data, TALL, right.data, TALL,
                     &wrong, info.data, COUNT));
    EXPECT(wrong == 0 && all_are(info, 0));
    const std::vector<T> x = d_c.host();
    for (int m = 0; m < COUNT; m++)
        for (int j = 0; j < RIGHT; j++) {
            std::vector<std::complex<double>> rest(TALL);
            for (int i = 0; i < TALL; i++) {
                rest[i] = wide(c[(m * RIGHT + j) * TALL + i]);
                for (int k = 0; k < N; k++)
                    rest[i] -=
                        wide(a[(m * N + k) * TALL + i]) * wide(x[(m * RIGHT + j) * TALL + k]);
            }
            for (int k = 0; k < N; k++) {
                std::complex<double> sum = 0;
                for (int i = 0; i < TALL; i++)
                    sum += std::conj(wide(a[(m * N + k) * TALL + i])) * rest[i];
                EXPECT(std::abs(sum) < 1e-4);
            }
        }
    EXPECT_DONE(CALL(geqrfBatched, TALL, N, factors.data, TALL, tau.data, &wrong, COUNT));
    EXPECT(wrong == 0);
    EXPECT(d_q.host() == d_a.host()); /* R above the diagonal, the reflections below it */
    EXPECT(CALL(gelsBatched, CUBLAS_OP_N, N - 1, N, RIGHT, left.data, TALL, right.data, TALL,
                &wrong, info.data, COUNT) == CUBLAS_STATUS_NOT_SUPPORTED);
}

/* Without exchanges of rows; and a matrix that has no inverse. */
static void test_singular()
{
    const std::vector<double> steep = {4, 2, 1, 5}, flat = {1, 2, 2, 4};
    Device<double> d_steep(steep), d_flat(flat), d_inverse({0, 0, 0, 0});
    Device<double *> list({d_steep.data, d_flat.data}), last({d_flat.data}), to({d_inverse.data});
    Device<int> info({-1, -1});

    EXPECT_DONE(cublasDgetrfBatched(handle, 2, list.data, 2, NULL, info.data, 2));
    EXPECT((info.host() == std::vector<int>{0, 2}));
    EXPECT((d_steep.host() == std::vector<double>{4, 0.5, 1, 4.5}));
    EXPECT((d_flat.host() == std::vector<double>{1, 2, 2, 0}));
    EXPECT_DONE(cublasDgetriBatched(handle, 2, last.data, 2, NULL, to.data, 2, info.data, 1));
    EXPECT(info.host()[0] == 2);
}

int main()
{
    EXPECT_DONE(cublasCreate(&handle));
    test_batches<float>();
    test_batches<double>();
    test_batches<std::complex<float>>();
    test_batches<std::complex<double>>();
    test_least_squares<float>();
    test_least_squares<double>();
    test_least_squares<std::complex<float>>();
    test_least_squares<std::complex<double>>();
    test_singular();
    EXPECT_DONE(cublasDestroy(handle));
    return finish();
}
