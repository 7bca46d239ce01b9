// verdict: race
// volatile makes each access reach memory. In which order others see two of them, it does not say.
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
        *(volatile int *)&partial[blockIdx.x] = mine;
        last = atomicAdd(finished, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        int rest = 0;
        for (int b = threadIdx.x; b < gridDim.x; b += THREADS)
            rest += *(volatile int *)&partial[b];
        const int all = add_up(rest);
        if (threadIdx.x == 0)
            *total = all;
    }
}
