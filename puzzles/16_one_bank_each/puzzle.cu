// Puzzle 16: a bank for each lane. The statement: puzzles/16_one_bank_each/puzzle.md
//
// look() below is complete, and one warp runs it. How many wavefronts does its load from shared
// memory take?
// prediction: ?

__global__ void look(int *out)
{
    __shared__ int tile[32][40];

    tile[threadIdx.x][0] = threadIdx.x;
    __syncwarp();
    out[threadIdx.x] = tile[31 - threadIdx.x][0];
}

// A table of 32 columns. out[r][c] = in[r][c] / the sum of row r, or 0 where that sum is 0. No
// number is negative. One warp in a block takes 32 rows: it brings them to shared memory, then lane
// t adds up row t. Right already; count the wavefronts of that addition.
__global__ void shares(float *out, const float *in, int rows)
{
    __shared__ float tile[32][32]; // your code: which bank does tile[t][k] lie in?
    __shared__ float total[32];
    const int first = 32 * blockIdx.x; // of the tile's rows
    const int t = threadIdx.x;

    for (int r = 0; r < 32; r++)
        tile[r][t] = first + r < rows ? in[(first + r) * 32 + t] : 0;
    __syncwarp();
    float sum = 0;
    for (int k = 0; k < 32; k++)
        sum += tile[t][k];
    total[t] = sum;
    __syncwarp();
    for (int r = 0; r < 32 && first + r < rows; r++)
        out[(first + r) * 32 + t] = total[r] > 0 ? tile[r][t] / total[r] : 0;
}
