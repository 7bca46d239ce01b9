// Puzzle 34: the best few.
//
// The lanes that begin with 0 see 0 3 6 1 4 7 2 5: records at i = 0, 1, 2 and 5. Those that begin
// with 5 see 5 0 3 6 1 4 7 2: records at i = 0, 3 and 6. The warp stores in each round in which any
// of its lanes has a record: 0, 1, 2, 3, 5 and 6. With random numbers in 32 lanes, nearly every
// round has a record somewhere: a branch around the work rarely saves the warp any.
// prediction: 6

__global__ void look(volatile int *out)
{
    const int first = threadIdx.x < 16 ? 0 : 5;
    int best = -1;

    for (int i = 0; i < 8; i++) {
        const int x = (first + 3 * i) % 8;
        if (x > best) {
            best = x;
            out[threadIdx.x] = x;
        }
    }
}

// The smaller of the two moves on to the next place. No index depends on the data.
__device__ void insert(int kept[4], int x)
{
    for (int k = 0; k < 4; k++) {
        const int smaller = min(kept[k], x);
        kept[k] = max(kept[k], x);
        x = smaller;
    }
}

__global__ void best(int *out, const int *in, int n)
{
    __shared__ int shared[4][128];
    const int t = threadIdx.x;
    const int begin = blockIdx.x * 1024;
    const int end = min(n, begin + 1024);
    int kept[4] = {INT_MIN, INT_MIN, INT_MIN, INT_MIN};

    for (int i = begin + t; i < end; i += 128)
        insert(kept, in[i]);
    // The upper half hands over. Each round writes places that no other round reads.
    for (int half = 64; half > 0; half /= 2) {
        if (t >= half && t < 2 * half)
            for (int k = 0; k < 4; k++)
                shared[k][t] = kept[k];
        __syncthreads();
        if (t < half)
            for (int k = 0; k < 4; k++)
                insert(kept, shared[k][t + half]);
    }
    if (t == 0)
        for (int k = 0; k < 4; k++)
            out[4 * blockIdx.x + k] = kept[k];
}
