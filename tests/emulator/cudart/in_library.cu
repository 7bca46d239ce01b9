/* SPDX-License-Identifier: MIT */
/* A library with kernels, for programs that have none. */
extern "C" int fill_on_device(void); /* returns 0 if the kernel did its work */

__global__ void fill(int *out)
{
    out[threadIdx.x] = (int)threadIdx.x;
}

extern "C" int fill_on_device(void)
{
    int *out, last = 0;

    if (cudaMalloc((void **)&out, 32 * sizeof(*out)))
        return 1;
    fill<<<1, 32>>>(out);
    cudaMemcpy(&last, out + 31, sizeof(last), cudaMemcpyDeviceToHost);
    cudaFree(out);
    return last != 31;
}
