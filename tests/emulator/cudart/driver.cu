/* A program with kernels that asks the driver for what is not documented, as the static runtime
 * does. */
#include <cuda.h>

int main(void)
{
    const void *table;
    CUuuid number = {};

    return cuGetExportTable(&table, &number) != CUDA_SUCCESS;
}
