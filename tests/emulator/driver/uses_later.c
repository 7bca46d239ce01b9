/* SPDX-License-Identifier: MIT */
/* Is linked with the driver and calls what our driver does not know. */
#include <cuda.h>

int cuMemMuchLater(void);

int main(void)
{
    return (int)cuInit(0) + cuMemMuchLater();
}
