// verdict: result
// The addition may walk its row from anywhere. The last step may not: each share goes to another
// number.
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
    __shared__ float tile[32][32];
    __shared__ float total[32];
    const int first = 32 * blockIdx.x; // of the tile's rows
    const int t = threadIdx.x;

    for (int r = 0; r < 32; r++)
        tile[r][t] = first + r < rows ? in[(first + r) * 32 + t] : 0;
    __syncwarp();
    float sum = 0;
    for (int k = 0; k < 32; k++)
        sum += tile[t][(k + t) % 32];
    total[t] = sum;
    __syncwarp();
    for (int r = 0; r < 32 && first + r < rows; r++)
        out[(first + r) * 32 + t] = total[r] > 0 ? tile[r][(t + r) % 32] / total[r] : 0;
}
