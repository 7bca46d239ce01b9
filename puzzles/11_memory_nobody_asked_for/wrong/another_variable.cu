// verdict: goal
// Still an index that nobody knows before the loop runs.
// prediction: 7
__global__ void look(int *out, const int *in)
{
    int count[8] = {0};

#pragma unroll 1
    for (int k = 0; k < 6; k++)
        count[in[32 * k + threadIdx.x] & 7]++;
    out[threadIdx.x] = count[threadIdx.x & 7];
}

__global__ void smooth(float *out, const float *in, int n)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;

    if (column >= n)
        return;
    float last[4] = {0, 0, 0, 0};
    int oldest = 0;

#pragma unroll 1
    for (int r = 0; r < 16; r++) {
        last[oldest] = in[r * n + column];
        oldest = oldest == 3 ? 0 : oldest + 1;
        out[r * n + column] = (last[0] + last[1] + last[2] + last[3]) / min(r + 1, 4);
    }
}
