/* cuBLASLt: products with a bias, an activation, batches, both orders and narrow types, against
 * plain loops. */
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cublasLt.h>
#include <cuda_fp16.h>
#include <vector>

#include "../cudart/expect.h"

#define EXPECT_DONE(call) EXPECT((call) == CUBLAS_STATUS_SUCCESS)

enum { M = 16, N = 8, K = 24, BATCH = 2 };

static float number(int i)
{
    return (float)(i * 7 % 13 - 6) / 4;
}

template <typename T> static T *on_device(int count, int start)
{
    std::vector<T> numbers;
    T *device;

    for (int i = 0; i < count; i++)
        numbers.push_back((T)number(start + i));
    EXPECT_SUCCESS(cudaMalloc(&device, count * sizeof(T)));
    EXPECT_SUCCESS(cudaMemcpy(device, numbers.data(), count * sizeof(T), cudaMemcpyHostToDevice));
    return device;
}

/* A product whose matrices are described, but for the epilogue. */
struct product {
    cublasLtMatmulDesc_t how;
    cublasLtMatrixLayout_t a, b, c;

    /* A is transposed; `type` is that of the matrices. */
    product(cudaDataType type, bool rows)
    {
        const cublasOperation_t transposed = CUBLAS_OP_T;
        const cublasLtOrder_t order = CUBLASLT_ORDER_ROW;
        const int32_t batch = BATCH;
        const int64_t strides[] = {K * M, K * N, M * N};

        EXPECT_DONE(cublasLtMatmulDescCreate(&how, CUBLAS_COMPUTE_32F, CUDA_R_32F));
        EXPECT_DONE(cublasLtMatmulDescSetAttribute(how, CUBLASLT_MATMUL_DESC_TRANSA, &transposed,
                                                   sizeof(transposed)));
        EXPECT_DONE(cublasLtMatrixLayoutCreate(&a, type, K, M, rows ? M : K));
        EXPECT_DONE(cublasLtMatrixLayoutCreate(&b, type, K, N, rows ? N : K));
        EXPECT_DONE(cublasLtMatrixLayoutCreate(&c, type, M, N, rows ? N : M));
        const cublasLtMatrixLayout_t layouts[] = {a, b, c};
        for (int i = 0; i < 3; i++) {
            if (rows)
                EXPECT_DONE(cublasLtMatrixLayoutSetAttribute(
                    layouts[i], CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof(order)));
            EXPECT_DONE(cublasLtMatrixLayoutSetAttribute(
                layouts[i], CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof(batch)));
            EXPECT_DONE(cublasLtMatrixLayoutSetAttribute(
                layouts[i], CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &strides[i],
                sizeof(strides[i])));
        }
    }
    void set_epilogue(cublasLtEpilogue_t epilogue, const void *bias)
    {
        EXPECT_DONE(cublasLtMatmulDescSetAttribute(how, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue,
                                                   sizeof(epilogue)));
        if (epilogue & CUBLASLT_EPILOGUE_BIAS) /* else a GPU's library refuses it */
            EXPECT_DONE(cublasLtMatmulDescSetAttribute(how, CUBLASLT_MATMUL_DESC_BIAS_POINTER,
                                                       &bias, sizeof(bias)));
    }
    ~product()
    {
        EXPECT_DONE(cublasLtMatmulDescDestroy(how));
        for (cublasLtMatrixLayout_t layout : {a, b, c})
            EXPECT_DONE(cublasLtMatrixLayoutDestroy(layout));
    }
};

static float activated(cublasLtEpilogue_t epilogue, float sum, int row)
{
    if (epilogue & CUBLASLT_EPILOGUE_BIAS)
        sum += number(row + 5);
    if (epilogue & CUBLASLT_EPILOGUE_RELU)
        return sum > 0 ? sum : 0;
    if (epilogue & CUBLASLT_EPILOGUE_GELU)
        return sum / 2 * (1 + std::tanh(0.7978845608f * (sum + 0.044715f * sum * sum * sum)));
    return sum;
}

template <typename T>
static void multiply(cublasLtHandle_t handle, cudaDataType type, bool rows,
                     cublasLtEpilogue_t epilogue)
{
    T *a = on_device<T>(BATCH * M * K, 0), *b = on_device<T>(BATCH * K * N, 3);
    T *c = on_device<T>(BATCH * M * N, 1), *bias = on_device<T>(M, 5);
    product product(type, rows);
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulHeuristicResult_t found;
    const float alpha = 0.5f, beta = 2;
    std::vector<T> result(BATCH * M * N);
    int count = 0;

    product.set_epilogue(epilogue, bias);
    EXPECT_DONE(cublasLtMatmulPreferenceCreate(&preference));
    EXPECT_DONE(cublasLtMatmulAlgoGetHeuristic(handle, product.how, product.a, product.b, product.c,
                                               product.c, preference, 1, &found, &count));
    EXPECT(count == 1 && found.workspaceSize == 0);
    EXPECT_DONE(cublasLtMatmul(handle, product.how, &alpha, a, product.a, b, product.b, &beta, c,
                               product.c, c, product.c, &found.algo, NULL, 0, NULL));
    EXPECT_SUCCESS(cudaMemcpy(result.data(), c, result.size() * sizeof(T), cudaMemcpyDeviceToHost));
    for (int n = 0; n < BATCH; n++)
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                const int at = n * M * N + (rows ? i * N + j : j * M + i);
                float sum = 0;
                for (int k = 0; k < K; k++)
                    sum += number(n * K * M + (rows ? k * M + i : i * K + k)) *
                           number(3 + n * K * N + (rows ? k * N + j : j * K + k));
                const float expected = activated(epilogue, alpha * sum + beta * number(1 + at), i);
                EXPECT(std::fabs((float)result[at] - expected) <=
                       2e-3f * (1 + std::fabs(expected)));
            }
    EXPECT_DONE(cublasLtMatmulPreferenceDestroy(preference));
    for (T *memory : {a, b, c, bias})
        EXPECT_SUCCESS(cudaFree(memory));
}

int main()
{
    cublasLtHandle_t handle;
    cublasLtMatmulDesc_t how;
    int32_t value = -1;
    size_t size = 0;

    EXPECT_DONE(cublasLtCreate(&handle));
    multiply<float>(handle, CUDA_R_32F, false, CUBLASLT_EPILOGUE_DEFAULT);
    multiply<float>(handle, CUDA_R_32F, true, CUBLASLT_EPILOGUE_DEFAULT);
    multiply<float>(handle, CUDA_R_32F, false, CUBLASLT_EPILOGUE_RELU_BIAS);
    multiply<__half>(handle, CUDA_R_16F, false, CUBLASLT_EPILOGUE_BIAS);
    multiply<__half>(handle, CUDA_R_16F, false, CUBLASLT_EPILOGUE_GELU);
    EXPECT_DONE(cublasLtMatmulDescCreate(&how, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    EXPECT_DONE(cublasLtMatmulDescGetAttribute(how, CUBLASLT_MATMUL_DESC_SCALE_TYPE, &value,
                                               sizeof(value), &size));
    EXPECT(value == CUDA_R_32F && size == sizeof(value));
    EXPECT(cublasLtMatmulDescSetAttribute(how, CUBLASLT_MATMUL_DESC_EPILOGUE, &value, 1) ==
           CUBLAS_STATUS_INVALID_VALUE);
    EXPECT_DONE(cublasLtMatmulDescDestroy(how));
    EXPECT_DONE(cublasLtDestroy(handle));
    return finish();
}
