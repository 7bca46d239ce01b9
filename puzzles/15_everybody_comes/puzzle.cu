// Puzzle 15: everybody comes. The statement: puzzles/15_everybody_comes/puzzle.md
//
// look() below is complete, and one warp runs it. How many wavefronts does its load from shared
// memory take?
// prediction: ?

__global__ void look(int *out)
{
    __shared__ int tile[128];

    for (int k = 0; k < 4; k++)
        tile[32 * k + threadIdx.x] = k;
    __syncwarp();
    out[threadIdx.x] = tile[threadIdx.x % 4 * 32];
}

enum { TILE = 128 };

// in is cut into tiles of 128 elements; the last may be shorter. out[i] = in[i] - in[its mirror
// image in the same tile]: the first minus the last, the second minus the last but one. Always 2
// blocks of 128 threads, which take tiles in turn. There are two barriers, in the right places. Who
// comes to them?
__global__ void mirror_difference(int *out, const int *in, int n)
{
    __shared__ int tile[TILE];

    // your code: another loop
    for (int i = blockIdx.x * TILE + threadIdx.x; i < n; i += gridDim.x * TILE) {
        const int first = i - threadIdx.x; // of the tile
        const int length = min(n - first, TILE);

        tile[threadIdx.x] = in[i];
        __syncthreads();
        out[i] = tile[threadIdx.x] - tile[length - 1 - threadIdx.x];
        __syncthreads();
    }
}
