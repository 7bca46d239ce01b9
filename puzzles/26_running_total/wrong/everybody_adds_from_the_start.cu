// verdict: goal
// Right, but thread 255 adds 256 numbers, and its warp waits for it.
// prediction: 25
__global__ void look(int *out)
{
    __shared__ volatile int tile[128];
    const int t = threadIdx.x;

    for (int away = 1; away < 128; away *= 2)
        if (t >= away)
            tile[t] = away;
    if (t > 0)
        out[t] = tile[t];
}

__global__ void running_total(int *out, const int *in, int n)
{
    __shared__ int tile[256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int t = threadIdx.x;
    int sum = 0;

    tile[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int k = 0; k <= t; k++)
        sum += tile[k];
    if (i < n)
        out[i] = sum;
}
