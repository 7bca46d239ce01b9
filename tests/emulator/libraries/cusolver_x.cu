/* cuSOLVER's routines whose types are parameters, held against what their results mean. */
#include <cmath>
#include <complex>
#include <cusolverDn.h>
#include <type_traits>
#include <vector>

#include "../cudart/expect.h"
#include "device.h"

static cusolverDnHandle_t handle;
static cusolverDnParams_t params;
static unsigned seed = 7;
static int *info;

#define EXPECT_DONE(call) EXPECT_STATUS(CUSOLVER_STATUS_SUCCESS, call)

enum { N = 6, M = 9, RIGHT = 2 };

static double number()
{
    seed = seed * 1103515245 + 12345;
    return (int)(seed >> 16) % 1000 / 500.0 - 1;
}

static float conjugate(float x)
{
    return x;
}

static double conjugate(double x)
{
    return x;
}

template <typename R> static std::complex<R> conjugate(std::complex<R> x)
{
    return std::conj(x);
}

template <typename T> static void fill(T &value)
{
    value = (T)number();
}

template <typename R> static void fill(std::complex<R> &value)
{
    value = std::complex<R>((R)number(), (R)number());
}

/* The m x n product of A or its conjugate transpose and B, by columns. */
template <typename T>
static std::vector<T> product(bool turned, int m, int n, int k, const std::vector<T> &a,
                              const std::vector<T> &b)
{
    std::vector<T> c(m * n);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            for (int l = 0; l < k; l++)
                c[i + j * m] += (turned ? conjugate(a[l + i * k]) : a[i + l * m]) * b[l + j * k];
    return c;
}

template <typename T> static bool same(const std::vector<T> &a, const std::vector<T> &b)
{
    const bool narrow = sizeof(std::abs(T())) == sizeof(float);
    for (size_t i = 0; i < b.size(); i++)
        if (!(std::abs(a[i] - b[i]) < (narrow ? 1e-3 : 1e-10)))
            return false;
    return true;
}

static bool went_well()
{
    int value = -99;
    EXPECT_SUCCESS(cudaMemcpy(&value, info, sizeof(value), cudaMemcpyDefault));
    return value == 0;
}

/* What a routine asks for, on either side. */
struct Room {
    size_t on_device = 0, on_host = 1;
    Device<char> device{{0}};
    std::vector<char> host;
    void make()
    {
        cudaFree(device.data);
        EXPECT_SUCCESS(cudaMalloc(&device.data, on_device + 1));
        host.resize(on_host + 1);
    }
};

#define ASK &room.on_device, &room.on_host
#define WORK type, room.device.data, room.on_device, room.host.data(), room.on_host, info

template <typename T, typename R>
static void test_values(cudaDataType type, cudaDataType real, const std::vector<T> &a,
                        const std::vector<T> &square)
{
    Room room;

    Device<T> vectors(square);
    Device<R> values(std::vector<R>(N, 0));
    EXPECT_DONE(cusolverDnXsyevd_bufferSize(handle, params, CUSOLVER_EIG_MODE_VECTOR,
                                            CUBLAS_FILL_MODE_LOWER, N, type, vectors.data, N, real,
                                            values.data, type, ASK));
    room.make();
    EXPECT_DONE(cusolverDnXsyevd(handle, params, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER,
                                 N, type, vectors.data, N, real, values.data, WORK));
    EXPECT(went_well());
    std::vector<T> stretched = vectors.host();
    for (int i = 0; i < N * N; i++)
        stretched[i] *= values.host()[i / N];
    EXPECT(same(product(false, N, N, N, square, vectors.host()), stretched));

    Device<T> matrix(a), u(std::vector<T>(M * N, T())), vt(std::vector<T>(N * N, T()));
    EXPECT_DONE(cusolverDnXgesvd_bufferSize(handle, params, 'S', 'S', M, N, type, matrix.data, M,
                                            real, values.data, type, u.data, M, type, vt.data, N,
                                            type, ASK));
    room.make();
    EXPECT_DONE(cusolverDnXgesvd(handle, params, 'S', 'S', M, N, type, matrix.data, M, real,
                                 values.data, type, u.data, M, type, vt.data, N, WORK));
    EXPECT(went_well());
    std::vector<T> left = u.host();
    for (int i = 0; i < M * N; i++)
        left[i] *= values.host()[i / M];
    EXPECT(same(product(false, M, N, N, left, vt.host()), a));
}

/* T is a number of that type, R its real part. */
template <typename T, typename R> static void test_type(cudaDataType type, cudaDataType real)
{
    std::vector<T> a(M * N), b(N * RIGHT);
    for (T &value : a)
        fill(value);
    for (T &value : b)
        fill(value);
    std::vector<T> square = product(true, N, N, M, a, a); /* and positive definite */
    Device<T> factors(square), x(b), tau(std::vector<T>(N, T()));
    Device<int64_t> pivots(std::vector<int64_t>(N, 0));
    Room room;

    EXPECT_DONE(
        cusolverDnXgetrf_bufferSize(handle, params, N, N, type, factors.data, N, type, ASK));
    room.make();
    EXPECT(room.on_device > 0);
    EXPECT_DONE(cusolverDnXgetrf(handle, params, N, N, type, factors.data, N, pivots.data, WORK));
    EXPECT(went_well());
    EXPECT_DONE(cusolverDnXgetrs(handle, params, CUBLAS_OP_N, N, RIGHT, type, factors.data, N,
                                 pivots.data, type, x.data, N, info));
    EXPECT(went_well() && same(product(false, N, RIGHT, N, square, x.host()), b));

    Device<T> roots(square), y(b);
    EXPECT_DONE(cusolverDnXpotrf_bufferSize(handle, params, CUBLAS_FILL_MODE_UPPER, N, type,
                                            roots.data, N, type, ASK));
    room.make();
    EXPECT_DONE(
        cusolverDnXpotrf(handle, params, CUBLAS_FILL_MODE_UPPER, N, type, roots.data, N, WORK));
    EXPECT(went_well());
    EXPECT_DONE(cusolverDnXpotrs(handle, params, CUBLAS_FILL_MODE_UPPER, N, RIGHT, type, roots.data,
                                 N, type, y.data, N, info));
    EXPECT(went_well() && same(product(false, N, RIGHT, N, square, y.host()), b));

    Device<T> tall(a);
    EXPECT_DONE(cusolverDnXgeqrf_bufferSize(handle, params, M, N, type, tall.data, M, type,
                                            tau.data, type, ASK));
    room.make();
    EXPECT_DONE(cusolverDnXgeqrf(handle, params, M, N, type, tall.data, M, type, tau.data, WORK));
    EXPECT(went_well());
    std::vector<T> upper(N * N);
    const std::vector<T> packed = tall.host();
    for (int j = 0; j < N; j++)
        for (int i = 0; i <= j; i++)
            upper[i + j * N] = packed[i + j * M];
    EXPECT(same(product(true, N, N, N, upper, upper), square));

    test_values<T, R>(type, real, a, square);
}

int main()
{
    EXPECT_DONE(cusolverDnCreate(&handle));
    EXPECT_DONE(cusolverDnCreateParams(&params));
    EXPECT_DONE(cusolverDnSetAdvOptions(params, CUSOLVERDN_GETRF, CUSOLVER_ALG_0));
    EXPECT_SUCCESS(cudaMalloc(&info, sizeof(*info)));
    test_type<float, float>(CUDA_R_32F, CUDA_R_32F);
    test_type<double, double>(CUDA_R_64F, CUDA_R_64F);
    test_type<std::complex<float>, float>(CUDA_C_32F, CUDA_R_32F);
    test_type<std::complex<double>, double>(CUDA_C_64F, CUDA_R_64F);
    EXPECT_SUCCESS(cudaFree(info));
    EXPECT_DONE(cusolverDnDestroyParams(params));
    EXPECT_DONE(cusolverDnDestroy(handle));
    return finish();
}
