// verdict: goal
// Right where all blocks have a place. With more of them, those that block 0 waits for may never
// begin.
// prediction: 9
__global__ void look(int *count)
{
    atomicAdd(count, 1);
}

enum { THREADS = 128 };

// The sum of what the threads of a block bring. Complete, and without a race.
__device__ int add_up(int mine)
{
    __shared__ int tile[THREADS];

    __syncthreads(); // nobody still reads the sum before
    tile[threadIdx.x] = mine;
    __syncthreads();
    for (int offset = THREADS / 2; offset > 0; offset /= 2) {
        if (threadIdx.x < offset)
            tile[threadIdx.x] += tile[threadIdx.x + offset];
        __syncthreads();
    }
    return tile[0];
}

__global__ void sum(int *total, int *partial, unsigned *finished, const int *in, int n)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    const int mine = add_up(i < n ? in[i] : 0);

    if (threadIdx.x == 0) {
        partial[blockIdx.x] = mine;
        __threadfence();
        atomicAdd(finished, 1);
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        int all = 0;
        while (atomicAdd(finished, 0) < gridDim.x)
            ;
        __threadfence();
        for (int b = 0; b < gridDim.x; b++)
            all += partial[b];
        *total = all;
    }
}
