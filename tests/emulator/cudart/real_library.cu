/* The first call of a library of NVIDIA's. */
#ifdef USE_CUBLAS
#include <cublas_v2.h>
#elif defined(USE_CUFFT)
#include <cufft.h>
#else
#include <curand.h>
#endif

int main(void)
{
#ifdef USE_CUBLAS
    cublasHandle_t handle;
    return cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS;
#elif defined(USE_CUFFT)
    cufftHandle plan;
    return cufftPlan1d(&plan, 64, CUFFT_C2C, 1) != CUFFT_SUCCESS;
#else
    curandGenerator_t generator;
    return curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT) != CURAND_STATUS_SUCCESS;
#endif
}
