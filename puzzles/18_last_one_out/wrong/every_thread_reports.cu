// verdict: goal
// Adds up with no block in between: right, as soon as the total begins at 0, and 32 lanes queue for
// one word.
// prediction: 9
__global__ void look(int *count)
{
    atomicAdd(count, 1);
}

enum { THREADS = 128 };

// The sum of what the threads of a block bring; right for thread 0. Complete, and without a race.
__device__ int add_up(int mine)
{
    __shared__ int tile[THREADS];

    __syncthreads(); // nobody is still at the sum before
    tile[threadIdx.x] = mine;
    for (int offset = THREADS / 2; offset > 0; offset /= 2) {
        __syncthreads();
        if (threadIdx.x < offset)
            tile[threadIdx.x] += tile[threadIdx.x + offset];
    }
    return tile[0];
}

__global__ void sum(int *total, int *partial, unsigned *finished, const int *in, int n)
{
    __shared__ bool last;
    const int i = blockIdx.x * THREADS + threadIdx.x;

    if (threadIdx.x == 0) // the sum of all is kept in the place of the counter
        last = false;
    atomicAdd(finished, i < n ? (unsigned)in[i] : 0);
    add_up(0);
    (void)partial;
    atomicExch(total, (int)atomicAdd(finished, 0));
}
