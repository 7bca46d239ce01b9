// Puzzle 14: read, wait, write, wait. The statement: puzzles/14_read_wait_write_wait/puzzle.md
//
// look() below is complete. One block of 70 threads runs it. How many arrivals at a barrier are
// counted? Each warp counts once, each time it comes by.
// prediction: ?

__global__ void look(int *out)
{
    __shared__ int tile[70];
    int mine = threadIdx.x;

#pragma unroll 1
    for (int k = 0; k < 5; k++) {
        tile[threadIdx.x] = mine;
        __syncthreads();
        mine += tile[69 - threadIdx.x];
        __syncthreads();
    }
    out[threadIdx.x] = mine;
}

enum { CELLS = 128 };

// Each block has a rod of 128 cells, one thread for each cell. In every round a cell becomes (left
// + 2 * own + right) / 4, all cells at once; beyond both ends it is 0. There is a barrier in every
// round, and that is not enough.
__global__ void heat(int *out, const int *in, int rounds)
{
    __shared__ int tile[CELLS + 2]; // the first and the last are the cold ends
    const int i = blockIdx.x * CELLS + threadIdx.x;
    const int t = threadIdx.x + 1;

    tile[t] = in[i];
    if (threadIdx.x == 0)
        tile[0] = tile[CELLS + 1] = 0;
    for (int k = 0; k < rounds; k++) {
        __syncthreads();
        tile[t] = (tile[t - 1] + 2 * tile[t] + tile[t + 1]) / 4; // your code: what may meet here?
    }
    out[i] = tile[t];
}
