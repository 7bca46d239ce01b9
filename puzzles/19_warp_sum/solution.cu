// Puzzle 19: a warp adds up.
//
// The first branch goes one way for all lanes of a warp. In the second, t % 64 < 40 parts the warps
// 1 and 3, whose lanes have 32 to 63: lanes 0 to 7 go one way, the others the other.
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
    int sum = i < n ? in[i] : 0;

    for (int away = 16; away > 0; away /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, away);
    if (i < n && threadIdx.x % 32 == 0)
        sums[i / 32] = sum;
}
