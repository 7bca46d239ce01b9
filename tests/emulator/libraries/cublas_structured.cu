/* cuBLAS's routines for matrices of which only a triangle, a band or both is stored, held against
 * plain loops over whole matrices. Numbers are small integers, so that every sum is exact. */
#include <complex>
#include <cublas_v2.h>
#include <type_traits>
#include <vector>

#include "../cudart/expect.h"
#include "device.h"

static cublasHandle_t handle;
static unsigned seed = 3;

typedef std::complex<float> Complex;
typedef std::complex<double> DoubleComplex;

#define EXPECT_DONE(call) EXPECT((call) == CUBLAS_STATUS_SUCCESS)

/* One name for the routines of all four types; those of complex matrices may have another. */
#define CALL2(real, complex, ...)                               \
    [&] {                                                       \
        if constexpr (std::is_same<T, float>::value) {          \
            typedef float E;                                    \
            return cublasS##real(handle, __VA_ARGS__);          \
        } else if constexpr (std::is_same<T, double>::value) {  \
            typedef double E;                                   \
            return cublasD##real(handle, __VA_ARGS__);          \
        } else if constexpr (std::is_same<T, Complex>::value) { \
            typedef cuComplex E;                                \
            return cublasC##complex(handle, __VA_ARGS__);       \
        } else {                                                \
            typedef cuDoubleComplex E;                          \
            return cublasZ##complex(handle, __VA_ARGS__);       \
        }                                                       \
    }()
#define CALL(routine, ...) CALL2(routine, routine, __VA_ARGS__)
#define AT(x) (E *)(x)

enum { N = 5, WIDE = 2, LD = 7 }; /* `WIDE`: diagonals of a band beside the main one */
static const int poison = 99;

template <typename T> struct Is {
    static const bool complex = false;
    typedef T Part;
    static T number()
    {
        seed = seed * 1103515245 + 12345;
        return T((int)(seed >> 16) % 9 - 4);
    }
    static T conj(T value)
    {
        return value;
    }
};
template <typename R> struct Is<std::complex<R>> {
    static const bool complex = true;
    typedef R Part;
    static std::complex<R> number()
    {
        const R re = Is<R>::number();
        return std::complex<R>(re, Is<R>::number());
    }
    static std::complex<R> conj(std::complex<R> value)
    {
        return std::conj(value);
    }
};

template <typename T> static std::vector<T> numbers(int count)
{
    std::vector<T> made;
    for (int i = 0; i < count; i++)
        made.push_back(Is<T>::number());
    return made;
}

/* Columns of N elements. */
template <typename T> static std::vector<T> hermitian(int band)
{
    std::vector<T> a(N * N);
    for (int j = 0; j < N; j++)
        for (int i = 0; i <= j; i++) {
            const T value = j - i > band ? T(0) : Is<T>::number();
            a[i + j * N] = i == j ? (value + Is<T>::conj(value)) : value;
            a[j + i * N] = Is<T>::conj(a[i + j * N]);
        }
    return a;
}

static bool is_in(cublasFillMode_t fill, int i, int j)
{
    return fill == CUBLAS_FILL_MODE_UPPER ? i <= j : i >= j;
}

template <typename T> static std::vector<T> whole(const std::vector<T> &a, cublasFillMode_t fill)
{
    std::vector<T> stored(N * LD, T(poison));
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            if (is_in(fill, i, j))
                stored[i + j * LD] = a[i + j * N];
    return stored;
}

template <typename T> static std::vector<T> packed(const std::vector<T> &a, cublasFillMode_t fill)
{
    std::vector<T> stored;
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            if (is_in(fill, i, j))
                stored.push_back(a[i + j * N]);
    return stored;
}

/* The element (i, j) is at row above + i - j. */
template <typename T>
static std::vector<T> band(const std::vector<T> &a, int rows, int columns, int below, int above)
{
    std::vector<T> stored(columns * LD, T(poison));
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++)
            if (i - j <= below && j - i <= above)
                stored[above + i - j + j * LD] = a[i + j * rows];
    return stored;
}

template <typename T>
static T element(cublasOperation_t op, const std::vector<T> &a, int rows, int i, int j)
{
    const T value = op ? a[j + i * rows] : a[i + j * rows];
    return op == CUBLAS_OP_C ? Is<T>::conj(value) : value;
}

/* --- A matrix and a vector -------------------------------------------------------------------- */

enum { X_STEP = 2, Y_STEP = -1 };

/* alpha op(A) x + beta y, with the steps above. */
template <typename T>
static std::vector<T> expected_mv(cublasOperation_t op, const std::vector<T> &a, int rows,
                                  int columns, T alpha, const std::vector<T> &x, T beta,
                                  std::vector<T> y)
{
    const int to = op ? columns : rows, from = op ? rows : columns;
    for (int i = 0; i < to; i++) {
        T sum = T(0);
        for (int k = 0; k < from; k++)
            sum += element(op, a, rows, i, k) * x[k * X_STEP];
        y[to - 1 - i] = alpha * sum + beta * y[to - 1 - i];
    }
    return y;
}

template <typename T> static void test_hermitian_mv(cublasFillMode_t fill)
{
    const bool upper = fill == CUBLAS_FILL_MODE_UPPER;
    const std::vector<T> a = hermitian<T>(N), narrow = hermitian<T>(WIDE);
    const std::vector<T> x = numbers<T>(N * X_STEP), y = numbers<T>(N);
    const T alpha = T(2), beta = T(-1);
    Device<T> d_a(whole(a, fill)), d_p(packed(a, fill)), d_x(x);
    Device<T> d_b(band(narrow, N, N, upper ? 0 : WIDE, upper ? WIDE : 0));
    const std::vector<T> expected = expected_mv(CUBLAS_OP_N, a, N, N, alpha, x, beta, y);

    Device<T> by_whole(y), by_packed(y), by_band(y);
    EXPECT_DONE(CALL2(symv, hemv, fill, N, AT(&alpha), AT(d_a.data), LD, AT(d_x.data), X_STEP,
                      AT(&beta), AT(by_whole.data), Y_STEP));
    EXPECT(by_whole.host() == expected);
    EXPECT_DONE(CALL2(spmv, hpmv, fill, N, AT(&alpha), AT(d_p.data), AT(d_x.data), X_STEP,
                      AT(&beta), AT(by_packed.data), Y_STEP));
    EXPECT(by_packed.host() == expected);
    EXPECT_DONE(CALL2(sbmv, hbmv, fill, N, WIDE, AT(&alpha), AT(d_b.data), LD, AT(d_x.data), X_STEP,
                      AT(&beta), AT(by_band.data), Y_STEP));
    EXPECT(by_band.host() == expected_mv(CUBLAS_OP_N, narrow, N, N, alpha, x, beta, y));
}

/* N x 4, with two diagonals below and one above. */
template <typename T> static void test_band(cublasOperation_t op)
{
    enum { COLUMNS = 4, BELOW = 2, ABOVE = 1 };
    std::vector<T> a = numbers<T>(N * COLUMNS);
    for (int j = 0; j < COLUMNS; j++)
        for (int i = 0; i < N; i++)
            if (i - j > BELOW || j - i > ABOVE)
                a[i + j * N] = T(0);
    const std::vector<T> x = numbers<T>(N * X_STEP), y = numbers<T>(op ? (int)COLUMNS : (int)N);
    const T alpha = T(3), beta = T(2);
    Device<T> d_a(band(a, N, COLUMNS, BELOW, ABOVE)), d_x(x), d_y(y);

    EXPECT_DONE(CALL(gbmv, op, N, COLUMNS, BELOW, ABOVE, AT(&alpha), AT(d_a.data), LD, AT(d_x.data),
                     X_STEP, AT(&beta), AT(d_y.data), Y_STEP));
    EXPECT(d_y.host() == expected_mv(op, a, N, COLUMNS, alpha, x, beta, y));
}

/* Sums of products of vectors. */
template <typename T> static void test_ranks(cublasFillMode_t fill)
{
    const std::vector<T> a = hermitian<T>(N), x = numbers<T>(N), y = numbers<T>(N);
    const typename Is<T>::Part real = 2;
    const T alpha = Is<T>::number();
    std::vector<T> one(a), two(a);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            one[i + j * N] += T(real) * x[i] * Is<T>::conj(x[j]);
            two[i + j * N] +=
                alpha * x[i] * Is<T>::conj(y[j]) + Is<T>::conj(alpha) * y[i] * Is<T>::conj(x[j]);
        }
    Device<T> d_x(x), d_y(y), a1(whole(a, fill)), a2(a1.host()), p1(packed(a, fill)), p2(p1.host());

    EXPECT_DONE(CALL2(syr, her, fill, N, &real, AT(d_x.data), 1, AT(a1.data), LD));
    EXPECT(a1.host() == whole(one, fill));
    EXPECT_DONE(CALL2(spr, hpr, fill, N, &real, AT(d_x.data), 1, AT(p1.data)));
    EXPECT(p1.host() == packed(one, fill));
    EXPECT_DONE(
        CALL2(syr2, her2, fill, N, AT(&alpha), AT(d_x.data), 1, AT(d_y.data), 1, AT(a2.data), LD));
    EXPECT(a2.host() == whole(two, fill));
    EXPECT_DONE(
        CALL2(spr2, hpr2, fill, N, AT(&alpha), AT(d_x.data), 1, AT(d_y.data), 1, AT(p2.data)));
    EXPECT(p2.host() == packed(two, fill));
}

/* The product with a triangle, and the solution, which is x again. The diagonal has powers of 2. */
template <typename T>
static void test_triangle(cublasFillMode_t fill, cublasOperation_t op, cublasDiagType_t diag)
{
    const bool upper = fill == CUBLAS_FILL_MODE_UPPER, unit = diag == CUBLAS_DIAG_UNIT;
    std::vector<T> a = numbers<T>(N * N), stored;
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            if (!is_in(fill, i, j) || std::abs(i - j) > WIDE)
                a[i + j * N] = T(0);
            else if (i == j)
                a[i + j * N] = T(unit ? 1 : i % 2 ? -2 : 4);
    stored = a;
    for (int i = 0; i < N && unit; i++)
        stored[i * (N + 1)] = T(poison);
    const std::vector<T> x = numbers<T>(N * X_STEP);
    std::vector<T> expected(x);
    for (int i = 0; i < N; i++) {
        expected[i * X_STEP] = T(0);
        for (int k = 0; k < N; k++)
            expected[i * X_STEP] += element(op, a, N, i, k) * x[k * X_STEP];
    }
    Device<T> d_a(whole(stored, fill)), d_p(packed(stored, fill)), by_whole(x), by_packed(x);
    Device<T> d_b(band(stored, N, N, upper ? 0 : WIDE, upper ? WIDE : 0)), by_band(x);

#define TWICE(mv, sv, name, ...)                                               \
    EXPECT_DONE(CALL(mv, fill, op, diag, __VA_ARGS__, AT(name.data), X_STEP)); \
    EXPECT(name.host() == expected);                                           \
    EXPECT_DONE(CALL(sv, fill, op, diag, __VA_ARGS__, AT(name.data), X_STEP)); \
    EXPECT(name.host() == x);
    TWICE(trmv, trsv, by_whole, N, AT(d_a.data), LD)
    TWICE(tpmv, tpsv, by_packed, N, AT(d_p.data))
    TWICE(tbmv, tbsv, by_band, N, WIDE, AT(d_b.data), LD)
}

/* --- Products of which a triangle is computed ------------------------------------------------- */

enum { DEEP = 3 };

/* alpha op(A) op(B)^T + beta C, plus the same with A and B exchanged if `both`; or ^H. */
template <typename T>
static std::vector<T> expected_update(cublasFillMode_t fill, cublasOperation_t op,
                                      const std::vector<T> &a, const std::vector<T> &b,
                                      std::vector<T> c, T alpha, T beta, bool both, bool adjoint)
{
    const int rows = op ? (int)DEEP : (int)N;
    const auto turned = [&](T value) { return adjoint ? Is<T>::conj(value) : value; };
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            T sum = T(0);
            for (int k = 0; k < DEEP; k++) {
                sum += alpha * element(op, a, rows, i, k) * turned(element(op, b, rows, j, k));
                if (both)
                    sum += turned(alpha) * element(op, b, rows, i, k) *
                           turned(element(op, a, rows, j, k));
            }
            if (is_in(fill, i, j))
                c[i + j * LD] = sum + beta * c[i + j * LD];
        }
    return c;
}

/* The product of complex matrices in two ways. */
template <typename T>
static void test_three_products(cublasOperation_t op, const std::vector<T> &a,
                                const std::vector<T> &b, T alpha)
{
    Device<T> d_a(a), d_b(b), plain(std::vector<T>(N * N)), other(std::vector<T>(N * N));
    const cublasOperation_t op_b = op ? CUBLAS_OP_N : CUBLAS_OP_C;
    const int rows = op ? (int)DEEP : (int)N;
    const T none = T(0);

    EXPECT_DONE(CALL(gemm, op, op_b, N, N, DEEP, AT(&alpha), AT(d_a.data), rows, AT(d_b.data), rows,
                     AT(&none), AT(plain.data), N));
    EXPECT_DONE(CALL2(gemm, gemm3m, op, op_b, N, N, DEEP, AT(&alpha), AT(d_a.data), rows,
                      AT(d_b.data), rows, AT(&none), AT(other.data), N));
    EXPECT(plain.host() == other.host());
}

template <typename T> static void test_updates(cublasFillMode_t fill, cublasOperation_t op)
{
    const std::vector<T> a = numbers<T>(N * DEEP), b = numbers<T>(N * DEEP);
    const std::vector<T> c = whole(hermitian<T>(N), fill);
    const T alpha = Is<T>::number(), beta = T(2);
    const typename Is<T>::Part real = 2;
    Device<T> d_a(a), d_b(b);
    const int rows = op ? (int)DEEP : (int)N;

    if (op != CUBLAS_OP_C) {
        Device<T> twice(c), once(c);
        EXPECT_DONE(CALL(syr2k, fill, op, N, DEEP, AT(&alpha), AT(d_a.data), rows, AT(d_b.data),
                         rows, AT(&beta), AT(twice.data), LD));
        EXPECT(twice.host() == expected_update(fill, op, a, b, c, alpha, beta, true, false));
        EXPECT_DONE(CALL(syrkx, fill, op, N, DEEP, AT(&alpha), AT(d_a.data), rows, AT(d_b.data),
                         rows, AT(&beta), AT(once.data), LD));
        EXPECT(once.host() == expected_update(fill, op, a, b, c, alpha, beta, false, false));
    }
    if constexpr (Is<T>::complex) {
        if (op == CUBLAS_OP_T)
            return;
        test_three_products(op, a, b, alpha);
        Device<T> twice(c), once(c), alone(c);
        if constexpr (std::is_same<T, Complex>::value) {
            EXPECT_DONE(cublasCher2k(handle, fill, op, N, DEEP, (cuComplex *)&alpha,
                                     (cuComplex *)d_a.data, rows, (cuComplex *)d_b.data, rows,
                                     &real, (cuComplex *)twice.data, LD));
            EXPECT_DONE(cublasCherk(handle, fill, op, N, DEEP, &real, (cuComplex *)d_a.data, rows,
                                    &real, (cuComplex *)once.data, LD));
            EXPECT_DONE(cublasCherkx(handle, fill, op, N, DEEP, (cuComplex *)&beta,
                                     (cuComplex *)d_a.data, rows, (cuComplex *)d_a.data, rows,
                                     &real, (cuComplex *)alone.data, LD));
        } else {
            EXPECT_DONE(cublasZher2k(handle, fill, op, N, DEEP, (cuDoubleComplex *)&alpha,
                                     (cuDoubleComplex *)d_a.data, rows, (cuDoubleComplex *)d_b.data,
                                     rows, &real, (cuDoubleComplex *)twice.data, LD));
            EXPECT_DONE(cublasZherk(handle, fill, op, N, DEEP, &real, (cuDoubleComplex *)d_a.data,
                                    rows, &real, (cuDoubleComplex *)once.data, LD));
            EXPECT_DONE(cublasZherkx(handle, fill, op, N, DEEP, (cuDoubleComplex *)&beta,
                                     (cuDoubleComplex *)d_a.data, rows, (cuDoubleComplex *)d_a.data,
                                     rows, &real, (cuDoubleComplex *)alone.data, LD));
        }
        EXPECT(twice.host() == expected_update(fill, op, a, b, c, alpha, beta, true, true));
        EXPECT(once.host() == expected_update(fill, op, a, a, c, T(real), beta, false, true));
        EXPECT(alone.host() == once.host());
    }
}

/* alpha A B + beta C, with a triangle of A. */
template <typename T> static void test_hemm(cublasFillMode_t fill)
{
    const std::vector<T> a = hermitian<T>(N), b = numbers<T>(N * DEEP), c = numbers<T>(N * DEEP);
    const T alpha = Is<T>::number(), beta = T(2);
    std::vector<T> expected(c);
    Device<T> d_a(whole(a, fill)), d_b(b), d_c(c);

    for (int j = 0; j < DEEP; j++)
        for (int i = 0; i < N; i++) {
            T sum = T(0);
            for (int k = 0; k < N; k++)
                sum += a[i + k * N] * b[k + j * N];
            expected[i + j * N] = alpha * sum + beta * c[i + j * N];
        }
    EXPECT_DONE(CALL2(symm, hemm, CUBLAS_SIDE_LEFT, fill, N, DEEP, AT(&alpha), AT(d_a.data), LD,
                      AT(d_b.data), N, AT(&beta), AT(d_c.data), N));
    EXPECT(d_c.host() == expected);
}

template <typename T> static void test_repack(cublasFillMode_t fill)
{
    const std::vector<T> a = hermitian<T>(N);
    Device<T> d_a(whole(a, fill)), d_p(std::vector<T>(N * (N + 1) / 2)),
        back(std::vector<T>(N * LD, T(poison)));

    EXPECT_DONE(CALL(trttp, fill, N, AT(d_a.data), LD, AT(d_p.data)));
    EXPECT(d_p.host() == packed(a, fill));
    EXPECT_DONE(CALL(tpttr, fill, N, AT(d_p.data), AT(back.data), LD));
    EXPECT(back.host() == whole(a, fill));
}

template <typename T> static void test_type()
{
    for (cublasFillMode_t fill : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER}) {
        test_hermitian_mv<T>(fill);
        test_ranks<T>(fill);
        test_hemm<T>(fill);
        test_repack<T>(fill);
        for (cublasOperation_t op : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C}) {
            test_updates<T>(fill, op);
            for (cublasDiagType_t diag : {CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT})
                test_triangle<T>(fill, op, diag);
        }
    }
    for (cublasOperation_t op : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C})
        test_band<T>(op);
}

int main()
{
    EXPECT_DONE(cublasCreate(&handle));
    test_type<float>();
    test_type<double>();
    test_type<Complex>();
    test_type<DoubleComplex>();
    EXPECT_DONE(cublasDestroy(handle));
    return finish();
}
