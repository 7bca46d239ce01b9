/* The first call of a library of NVIDIA's that has no stand-in. */
#include <cusolverDn.h>

int main(void)
{
    cusolverDnHandle_t handle;
    return cusolverDnCreate(&handle) != CUSOLVER_STATUS_SUCCESS;
}
