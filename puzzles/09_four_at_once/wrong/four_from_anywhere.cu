// verdict: memory
// The tail goes first, and so the fours no longer start at a multiple of 16 bytes.
// prediction: 9
__global__ void look(int2 *out, const int2 *in)
{
    out[threadIdx.x] = in[threadIdx.x + 1];
}

__global__ void add_to(int *y, const int *x, int n)
{
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const int rest = n % 4;

    if (thread < rest)
        y[thread] += x[thread];
    if (thread < n / 4) {
        int4 *const mine = (int4 *)(y + rest) + thread;
        const int4 a = *mine, b = ((const int4 *)(x + rest))[thread];
        *mine = make_int4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
    }
}
