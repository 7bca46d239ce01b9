/* SPDX-License-Identifier: MIT */
/* A program that has no CUDA runtime and opens the driver by itself. */
#include <dlfcn.h>
#include <stddef.h>

int main(void)
{
    return dlopen("libcuda.so", RTLD_NOW) == NULL;
}
