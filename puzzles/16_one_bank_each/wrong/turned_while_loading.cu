// verdict: goal
// Turned by 90 degrees, lane t adds up column t without conflicts. But now the stores that fill the
// tile meet, and the loads of the end.
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
        tile[t][r] = first + r < rows ? in[(first + r) * 32 + t] : 0;
    __syncwarp();
    float sum = 0;
    for (int k = 0; k < 32; k++)
        sum += tile[k][t];
    total[t] = sum;
    __syncwarp();
    for (int r = 0; r < 32 && first + r < rows; r++)
        out[(first + r) * 32 + t] = total[r] > 0 ? tile[t][r] / total[r] : 0;
}
