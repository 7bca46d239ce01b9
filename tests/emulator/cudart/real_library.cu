/* The first call of a library of NVIDIA's that has no stand-in. */
#include <cusolverMg.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* that is why it has none */

int main(void)
{
    cusolverMgHandle_t handle;
    int device = 0;
    return cusolverMgCreate(&handle) != CUSOLVER_STATUS_SUCCESS ||
           cusolverMgDeviceSelect(handle, 1, &device) != CUSOLVER_STATUS_SUCCESS;
}
