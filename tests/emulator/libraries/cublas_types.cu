/* cuBLAS: routines whose types are parameters. A GPU with the real library gives the same. */
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "../cudart/expect.h"
#include "device.h"

static cublasHandle_t handle;

#define EXPECT_DONE(call) EXPECT((call) == CUBLAS_STATUS_SUCCESS)

/* Vectors whose type is a parameter: T as its numbers are, `sums` as they are added up. */
template <typename T, typename Scalar>
static void test_vectors_of(cudaDataType type, cudaDataType sums, T (*of)(float), float (*to)(T))
{
    Device<T> d_x({of(3), of(-4), of(0.5f)}), d_y({of(1), of(2), of(8)}), d_result({of(-1)});
    const Scalar three = Scalar(3);
    T result = of(0);

    EXPECT_DONE(cublasDotEx(handle, 3, d_x.data, type, 1, d_y.data, type, -1, &result, type, sums));
    EXPECT(to(result) == 16.5f);
    EXPECT_DONE(cublasDotcEx(handle, 2, d_x.data, type, 1, d_y.data, type, 2, &result, type, sums));
    EXPECT(to(result) == -29);
    EXPECT_DONE(cublasNrm2Ex(handle, 2, d_x.data, type, 1, &result, type, sums));
    EXPECT(to(result) == 5);
    EXPECT_DONE(cublasAxpyEx(handle, 2, &three, sums, d_x.data, type, 2, d_y.data, type, 1, sums));
    EXPECT(to(d_y.host()[0]) == 10 && to(d_y.host()[1]) == 3.5f && to(d_y.host()[2]) == 8);
    EXPECT_DONE(cublasScalEx(handle, 2, &three, sums, d_x.data, type, 2, sums));
    EXPECT(to(d_x.host()[0]) == 9 && to(d_x.host()[1]) == -4 && to(d_x.host()[2]) == 1.5f);
    EXPECT_DONE(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
    EXPECT_DONE(
        cublasDotEx(handle, 1, d_x.data, type, 1, d_x.data, type, 1, d_result.data, type, sums));
    EXPECT(to(d_result.host()[0]) == 81);
    EXPECT_DONE(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));
}

template <typename T> static T of_float(float value)
{
    return T(value);
}

template <typename T> static float to_float(T value)
{
    return (float)value;
}

/* A long sum of floats, which one after the other would be 46 more. */
static void test_long_sum()
{
    enum { COUNT = 100000 };
    const float part = 0.80935f;
    Device<float> d_x(std::vector<float>(COUNT, part));
    float sum = 0;

    EXPECT_DONE(cublasSdot(handle, COUNT, d_x.data, 1, d_x.data, 1, &sum));
    const double exact = (double)part * (double)part * COUNT;
    EXPECT(sum > exact - 0.1 && sum < exact + 0.1);
}

int main()
{
    EXPECT_DONE(cublasCreate(&handle));
    test_vectors_of<__half, float>(CUDA_R_16F, CUDA_R_32F, __float2half, __half2float);
    test_vectors_of<__nv_bfloat16, float>(CUDA_R_16BF, CUDA_R_32F, __float2bfloat16,
                                          __bfloat162float);
    test_vectors_of<float, float>(CUDA_R_32F, CUDA_R_32F, of_float<float>, to_float<float>);
    test_vectors_of<double, double>(CUDA_R_64F, CUDA_R_64F, of_float<double>, to_float<double>);
    Device<cuDoubleComplex> d_z({{1, 2}, {-3, 4}});
    cuDoubleComplex product;
    double length;
    EXPECT_DONE(cublasDotcEx(handle, 1, d_z.data, CUDA_C_64F, 1, d_z.data + 1, CUDA_C_64F, 1,
                             &product, CUDA_C_64F, CUDA_C_64F));
    EXPECT(product.x == 5 && product.y == 10);
    EXPECT_DONE(
        cublasNrm2Ex(handle, 1, d_z.data + 1, CUDA_C_64F, 1, &length, CUDA_R_64F, CUDA_R_64F));
    EXPECT(length == 5);
    test_long_sum();
    EXPECT_DONE(cublasDestroy(handle));
    return finish();
}
