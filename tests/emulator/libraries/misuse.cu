/* What a program can do wrong with cuBLAS, one thing a run. */
#include <cstdio>
#include <cstring>
#include <cublasXt.h>
#include <cublas_v2.h>
#include <cuda_runtime.h>

static cublasHandle_t handle;

/* C = A A, of n x n elements; C has room for `room` of them. */
static cublasStatus_t multiply(int n, const float *a, size_t room)
{
    const float one = 1, zero = 0;
    float *c;

    cudaMalloc(&c, room * sizeof(float));
    const cublasStatus_t status =
        cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, a, n, &zero, c, n);
    cudaFree(c);
    return status;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    const int n = 8;
    float *a, on_host[n * n] = {0};

    cublasStatus_t status = cublasCreate(&handle);
    cudaMalloc(&a, n * n * sizeof(float));
    if (strcmp(what, "unwritten") != 0)
        cudaMemcpy(a, on_host, sizeof(on_host), cudaMemcpyHostToDevice);
    if (!status && !strcmp(what, "lacking"))
        status =
            cublasCsymv(handle, CUBLAS_FILL_MODE_LOWER, n, NULL, NULL, n, NULL, 1, NULL, NULL, 1);
    else if (!status && !strcmp(what, "several"))
        status = cublasXtSsyrk(NULL, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, n, n, on_host, a, n,
                               on_host, a, n);
    else if (!status)
        status = multiply(n, strcmp(what, "host") != 0 ? a : on_host,
                          strcmp(what, "short") != 0 ? n * n : n * n - 1);
    std::printf("%s, %s\n", cublasGetStatusName(status), cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
