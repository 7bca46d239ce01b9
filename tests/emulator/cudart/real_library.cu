/* The first call of a library of NVIDIA's. */
#ifdef USE_CUSPARSE
#include <cusparse.h>
#else
#include <cusolverDn.h>
#endif

int main(void)
{
#ifdef USE_CUSPARSE
    cusparseHandle_t handle;
    return cusparseCreate(&handle) != CUSPARSE_STATUS_SUCCESS;
#else
    cusolverDnHandle_t handle;
    return cusolverDnCreate(&handle) != CUSOLVER_STATUS_SUCCESS;
#endif
}
