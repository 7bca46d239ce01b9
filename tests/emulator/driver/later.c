/* SPDX-License-Identifier: MIT */
/* A function that the driver of a later toolkit may have. */
int cuMemMuchLater(void);

int cuMemMuchLater(void)
{
    return 0;
}
