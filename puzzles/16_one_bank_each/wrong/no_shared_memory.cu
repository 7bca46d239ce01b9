// verdict: goal
// No bank, no conflict: but each load fetches 32 sectors.
// prediction: 8
__global__ void look(int *out)
{
    __shared__ int tile[32][40];

    tile[threadIdx.x][0] = threadIdx.x;
    __syncwarp();
    out[threadIdx.x] = tile[31 - threadIdx.x][0];
}

__global__ void shares(float *out, const float *in, int rows)
{
    const int row = 32 * blockIdx.x + threadIdx.x;
    float sum = 0;

    if (row >= rows)
        return;
    for (int k = 0; k < 32; k++)
        sum += in[row * 32 + k];
    for (int k = 0; k < 32; k++)
        out[row * 32 + k] = sum > 0 ? in[row * 32 + k] / sum : 0;
}
