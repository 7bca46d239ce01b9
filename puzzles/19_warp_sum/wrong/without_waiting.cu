// verdict: race
// Through shared memory, with the right result as long as lanes run in step. They need not.
// prediction: 2
__global__ void look(volatile int *out)
{
    const int t = threadIdx.x;

    if (t / 32 % 2 == 0)
        out[t] = 1;
    else
        out[t] = 2;
    if (t % 64 < 40)
        out[t] = 3;
    else
        out[t] = 4;
}

__global__ void warp_sums(int *sums, const int *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ volatile int part[128 + 16];
    const int t = threadIdx.x;

    part[t] = i < n ? in[i] : 0;
    if (t < 16)
        part[128 + t] = 0;
    __syncthreads();
    for (int away = 16; away > 0; away /= 2)
        part[t] = part[t] + part[t + away];
    if (i < n && t % 32 == 0)
        sums[i / 32] = part[t];
}
