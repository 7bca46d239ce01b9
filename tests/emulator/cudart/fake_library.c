/* SPDX-License-Identifier: MIT */
/* A library with the name of one of NVIDIA's. */
int fake_library(void);

int fake_library(void)
{
    return 0;
}
