// verdict: goal
// Right, and every round goes through memory twice.
// prediction: 34
__global__ void look(volatile int *out)
{
    const int t = threadIdx.x;

    for (int away = 1; away < 32; away *= 2)
        if (t % 32 >= away)
            out[t] = away;
}

__global__ void warp_totals(int *out, const int *in, int n)
{
    __shared__ int tile[128];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x % 32;
    int total = i < n ? in[i] : 0;

    for (int away = 1; away < 32; away *= 2) {
        tile[threadIdx.x] = total;
        __syncwarp();
        if (lane >= away)
            total += tile[threadIdx.x - away];
        __syncwarp();
    }
    if (i < n)
        out[i] = total;
}
