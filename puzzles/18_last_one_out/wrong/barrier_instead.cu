// verdict: race
// A barrier orders the threads of one block, and says nothing to the others.
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
    __shared__ bool last;
    const int i = blockIdx.x * THREADS + threadIdx.x;
    const int mine = add_up(i < n ? in[i] : 0);

    if (threadIdx.x == 0) {
        partial[blockIdx.x] = mine;
    }
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(finished, 1) == gridDim.x - 1;
    __syncthreads();
    if (last) {
        int rest = 0;
        for (int b = threadIdx.x; b < gridDim.x; b += THREADS)
            rest += partial[b];
        const int all = add_up(rest);
        if (threadIdx.x == 0)
            *total = all;
    }
}
