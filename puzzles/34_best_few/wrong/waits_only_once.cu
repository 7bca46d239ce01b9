// verdict: race
// One barrier before the tree, none between its rounds.
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
    for (int k = 0; k < 4; k++)
        shared[k][t] = kept[k];
    __syncthreads();
    for (int half = 64; half > 0; half /= 2)
        if (t < half) {
            for (int k = 0; k < 4; k++)
                insert(kept, shared[k][t + half]);
            for (int k = 0; k < 4; k++)
                shared[k][t] = kept[k];
        }
    if (t == 0)
        for (int k = 0; k < 4; k++)
            out[4 * blockIdx.x + k] = kept[k];
}
