// verdict: result
// Looks four times for what is smaller than the last: of equal numbers it takes one.
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

__global__ void best(int *out, const int *in, int n)
{
    __shared__ int largest;
    const int begin = blockIdx.x * 1024;
    const int end = min(n, begin + 1024);
    int bound = INT_MAX;

    for (int k = 0; k < 4; k++) {
        if (threadIdx.x == 0)
            largest = INT_MIN;
        __syncthreads();
        for (int i = begin + threadIdx.x; i < end; i += 128)
            if (in[i] < bound)
                atomicMax(&largest, in[i]);
        __syncthreads();
        bound = largest;
        if (threadIdx.x == 0)
            out[4 * blockIdx.x + k] = bound;
        __syncthreads();
    }
}
