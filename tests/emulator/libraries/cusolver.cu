/* cuSOLVER, held against what its results mean: factors give the matrix again, solutions solve.
 * With an argument: calls that go wrong. */
#include <cmath>
#include <cusolverDn.h>
#include <type_traits>
#include <vector>

#include "../cudart/expect.h"
#include "add.h"
#include "device.h"

static cusolverDnHandle_t handle;
static unsigned seed = 7;

#define EXPECT_DONE(call) EXPECT_STATUS(CUSOLVER_STATUS_SUCCESS, call)

/* One name for the routines of both types. */
#define CALL(routine, ...)                                    \
    [&] {                                                     \
        if constexpr (std::is_same<T, float>::value)          \
            return cusolverDnS##routine(handle, __VA_ARGS__); \
        else                                                  \
            return cusolverDnD##routine(handle, __VA_ARGS__); \
    }()

static double number()
{
    seed = seed * 1103515245 + 12345;
    return (int)(seed >> 16) % 1000 / 500.0 - 1;
}

/* A matrix by columns, and where the device has it. */
template <typename T> struct Matrix {
    int rows, columns;
    std::vector<T> host;
    T *device;

    Matrix(int m, int n, bool random) : rows(m), columns(n), host((size_t)m * n), device(nullptr)
    {
        for (T &value : host)
            value = random ? (T)number() : 0;
        EXPECT_SUCCESS(cudaMalloc((void **)&device, bytes()));
        EXPECT_SUCCESS(cudaMemcpy(device, host.data(), bytes(), cudaMemcpyDefault));
    }
    ~Matrix()
    {
        cudaFree(device);
    }
    size_t bytes() const
    {
        return host.size() * sizeof(T);
    }
    T &at(int i, int j)
    {
        return host[i + (size_t)j * rows];
    }
    /* What the device has now. */
    Matrix &fetch()
    {
        EXPECT_SUCCESS(cudaMemcpy(host.data(), device, bytes(), cudaMemcpyDefault));
        return *this;
    }
    void send()
    {
        EXPECT_SUCCESS(cudaMemcpy(device, host.data(), bytes(), cudaMemcpyDefault));
    }
};

template <typename T> static bool near(double a, double b)
{
    return std::fabs(a - b) < (std::is_same<T, float>::value ? 2e-4 : 1e-11);
}

/* op(A) B = C? */
template <typename T> static bool is_product(Matrix<T> &a, bool turned, Matrix<T> &b, Matrix<T> &c)
{
    for (int i = 0; i < c.rows; i++)
        for (int j = 0; j < c.columns; j++) {
            double sum = 0;
            for (int k = 0; k < b.rows; k++)
                sum += (double)(turned ? a.at(k, i) : a.at(i, k)) * b.at(k, j);
            if (!near<T>(sum, c.at(i, j)))
                return false;
        }
    return true;
}

static int *info;

static int told()
{
    int value = -99;
    EXPECT_SUCCESS(cudaMemcpy(&value, info, sizeof(value), cudaMemcpyDefault));
    return value;
}

template <typename T> static void systems()
{
    enum { N = 7, RIGHT = 3 };
    Matrix<T> a(N, N, true), factors = Matrix<T>(N, N, false), b(N, RIGHT, true);
    Matrix<int> pivots(N, 1, false);
    int size = 0;

    for (int i = 0; i < N; i++) /* so that no exchanges are needed */
        a.at(i, i) += 6;
    EXPECT_DONE(CALL(getrf_bufferSize, N, N, factors.device, N, &size));
    EXPECT(size > 0);
    Matrix<T> room(1, size, true);
    for (bool exchanges : {true, false})
        for (cublasOperation_t trans : {CUBLAS_OP_N, CUBLAS_OP_T}) {
            Matrix<T> x(N, RIGHT, false);
            x.host = b.host;
            x.send();
            factors.host = a.host;
            factors.send();
            int *order = exchanges ? pivots.device : nullptr;
            EXPECT_DONE(CALL(getrf, N, N, factors.device, N, room.device, order, info));
            EXPECT(told() == 0);
            EXPECT_DONE(CALL(getrs, trans, N, RIGHT, factors.device, N, order, x.device, N, info));
            EXPECT(told() == 0);
            EXPECT(is_product(a, trans == CUBLAS_OP_T, x.fetch(), b));
        }
    for (int i = 0; i < N; i++)
        factors.at(i, 2) = 0;
    factors.send();
    EXPECT_DONE(CALL(getrf, N, N, factors.device, N, room.device, pivots.device, info));
    EXPECT(told() == 3);
}

/* The other triangle is not looked at. */
template <typename T> static void cholesky()
{
    enum { N = 6, RIGHT = 2 };
    Matrix<T> root(N, N, true), a(N, N, false), b(N, RIGHT, true);
    int size = 0;

    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                a.at(i, j) += root.at(i, k) * root.at(j, k) + (i == j ? 1 : 0);
    for (cublasFillMode_t fill : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER}) {
        Matrix<T> half(N, N, false), x(N, RIGHT, false);
        x.host = b.host;
        x.send();
        half.host = a.host;
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                if (fill == CUBLAS_FILL_MODE_LOWER ? j > i : j < i)
                    half.at(i, j) = NAN;
        half.send();
        EXPECT_DONE(CALL(potrf_bufferSize, fill, N, half.device, N, &size));
        EXPECT(size > 0);
        Matrix<T> room(1, size, true);
        EXPECT_DONE(CALL(potrf, fill, N, half.device, N, room.device, size, info));
        EXPECT(told() == 0);
        EXPECT_DONE(CALL(potrs, fill, N, RIGHT, half.device, N, x.device, N, info));
        EXPECT(told() == 0);
        EXPECT(is_product(a, false, x.fetch(), b));
    }
    a.at(3, 3) = -1;
    a.send();
    Matrix<T> room(1, size, true);
    EXPECT_DONE(CALL(potrf, CUBLAS_FILL_MODE_LOWER, N, a.device, N, room.device, size, info));
    EXPECT(told() == 4);
}

/* A = Q R, with Q applied and with Q made. */
template <typename T> static void reflectors()
{
    enum { M = 8, N = 5 };
    Matrix<T> a(M, N, true), qr(M, N, false), tau(N, 1, false), r(M, N, false);
    Matrix<T> upper(N, N, false);
    int size = 0;

    qr.host = a.host;
    qr.send();
    EXPECT_DONE(CALL(geqrf_bufferSize, M, N, qr.device, M, &size));
    EXPECT(size > 0);
    Matrix<T> room(1, size, true);
    EXPECT_DONE(CALL(geqrf, M, N, qr.device, M, tau.device, room.device, size, info));
    EXPECT(told() == 0);
    qr.fetch();
    for (int j = 0; j < N; j++)
        for (int i = 0; i <= j; i++)
            r.at(i, j) = upper.at(i, j) = qr.at(i, j);
    r.send();
    EXPECT_DONE(CALL(ormqr_bufferSize, CUBLAS_SIDE_LEFT, CUBLAS_OP_N, M, N, N, qr.device, M,
                     tau.device, r.device, M, &size));
    EXPECT(size > 0);
    Matrix<T> more(1, size, true);
    EXPECT_DONE(CALL(ormqr, CUBLAS_SIDE_LEFT, CUBLAS_OP_N, M, N, N, qr.device, M, tau.device,
                     r.device, M, more.device, size, info));
    EXPECT(told() == 0);
    r.fetch();
    for (size_t i = 0; i < a.host.size(); i++)
        EXPECT(near<T>(r.host[i], a.host[i]));
    EXPECT_DONE(CALL(orgqr_bufferSize, M, N, N, qr.device, M, tau.device, &size));
    Matrix<T> most(1, size, true);
    EXPECT_DONE(CALL(orgqr, M, N, N, qr.device, M, tau.device, most.device, size, info));
    EXPECT(told() == 0);
    EXPECT(is_product(qr.fetch(), false, upper, a));
    EXPECT_STATUS(CUSOLVER_STATUS_INVALID_VALUE,
                  CALL(orgqr, M, N, N + 1, qr.device, M, tau.device, most.device, size, info));
}

template <typename T> static void eigenvalues()
{
    enum { N = 6 };
    Matrix<T> a(N, N, true), values(N, 1, false), scaled(N, N, false);
    int size = 0;

    for (int i = 0; i < N; i++)
        for (int j = 0; j < i; j++)
            a.at(j, i) = a.at(i, j);
    for (cublasFillMode_t fill : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER}) {
        Matrix<T> vectors(N, N, false);
        vectors.host = a.host;
        vectors.send();
        EXPECT_DONE(CALL(syevd_bufferSize, CUSOLVER_EIG_MODE_VECTOR, fill, N, vectors.device, N,
                         values.device, &size));
        EXPECT(size > 0);
        Matrix<T> room(1, size, true);
        EXPECT_DONE(CALL(syevd, CUSOLVER_EIG_MODE_VECTOR, fill, N, vectors.device, N, values.device,
                         room.device, size, info));
        EXPECT(told() == 0);
        values.fetch();
        vectors.fetch();
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++)
                scaled.at(i, j) = vectors.at(i, j) * values.host[j];
        EXPECT(is_product(a, false, vectors, scaled));
        for (int i = 1; i < N; i++)
            EXPECT(values.host[i - 1] <= values.host[i]);
    }
    std::vector<T> before = values.host;
    a.send();
    EXPECT_DONE(CALL(syevd_bufferSize, CUSOLVER_EIG_MODE_NOVECTOR, CUBLAS_FILL_MODE_LOWER, N,
                     a.device, N, values.device, &size));
    Matrix<T> room(1, size, true);
    EXPECT_DONE(CALL(syevd, CUSOLVER_EIG_MODE_NOVECTOR, CUBLAS_FILL_MODE_LOWER, N, a.device, N,
                     values.device, room.device, size, info));
    values.fetch();
    for (int i = 0; i < N; i++)
        EXPECT(near<T>(values.host[i], before[i]));
}

template <typename T> static void singular_values()
{
    enum { M = 7, N = 4 };
    Matrix<T> a(M, N, true), values(N, 1, false), u(M, M, false), vt(N, N, false);
    Matrix<T> scaled(N, N, false);
    int size = 0;

    EXPECT_DONE(CALL(gesvd_bufferSize, M, N, &size));
    EXPECT(size > 0);
    Matrix<T> room(1, size, true);
    for (signed char mode : {'A', 'S', 'N'}) {
        Matrix<T> lost(M, N, false), left(M, N, false);
        lost.host = a.host;
        lost.send();
        EXPECT_DONE(CALL(gesvd, mode, mode, M, N, lost.device, M, values.device, u.device, M,
                         vt.device, N, room.device, size, nullptr, info));
        EXPECT(told() == 0);
        values.fetch();
        for (int i = 1; i < N; i++)
            EXPECT(values.host[i - 1] >= values.host[i] && values.host[i] > 0);
        u.fetch();
        vt.fetch();
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                scaled.at(i, j) = values.host[i] * vt.at(i, j);
        std::copy(u.host.begin(), u.host.begin() + M * N, left.host.begin());
        EXPECT(is_product(left, false, scaled, a));
    }
}

/* Work of a stream comes before and behind. */
static void in_order()
{
    cudaStream_t stream, given;
    Matrix<float> a(1, 1, false);
    int size = 0;

    EXPECT_SUCCESS(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    EXPECT_DONE(cusolverDnSetStream(handle, stream));
    EXPECT_DONE(cusolverDnGetStream(handle, &given));
    EXPECT(given == stream);
    EXPECT_DONE(cusolverDnSpotrf_bufferSize(handle, CUBLAS_FILL_MODE_LOWER, 1, a.device, 1, &size));
    Matrix<float> room(1, size, true);
    add(a.device, 1, 1, 16, stream);
    EXPECT_DONE(
        cusolverDnSpotrf(handle, CUBLAS_FILL_MODE_LOWER, 1, a.device, 1, room.device, size, info));
    add(a.device, 1, 1, 1, stream);
    EXPECT_SUCCESS(cudaStreamSynchronize(stream));
    EXPECT(a.fetch().host[0] == 5);
    EXPECT_DONE(cusolverDnSetStream(handle, NULL));
    EXPECT_SUCCESS(cudaStreamDestroy(stream));
}

int main(int argc, char **argv)
{
    int version = 0;

    (void)argv;
    EXPECT_DONE(cusolverDnCreate(&handle));
    if (argc > 1) {
        float *small;
        cudaMalloc((void **)&small, 60);
        cudaMalloc((void **)&info, sizeof(*info));
        const int lacking =
            cusolverDnSsytrf(handle, CUBLAS_FILL_MODE_LOWER, 1, NULL, 1, NULL, NULL, 0, info);
        std::printf("%d %d\n", lacking,
                    cusolverDnSgetrf(handle, 4, 4, small, 4, small, NULL, info));
        return 0;
    }
    EXPECT_DONE(cusolverGetVersion(&version));
    EXPECT(version == CUSOLVER_VERSION);
    EXPECT_DONE(cusolverGetProperty(MAJOR_VERSION, &version));
    EXPECT(version == CUSOLVER_VER_MAJOR);
    EXPECT_SUCCESS(cudaMalloc((void **)&info, sizeof(*info)));
    systems<float>();
    systems<double>();
    cholesky<float>();
    cholesky<double>();
    reflectors<float>();
    reflectors<double>();
    eigenvalues<float>();
    eigenvalues<double>();
    singular_values<float>();
    singular_values<double>();
    in_order();
    EXPECT_DONE(cusolverDnDestroy(handle));
    EXPECT_SUCCESS(cudaFree(info));
    return finish();
}
