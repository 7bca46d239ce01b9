// Puzzle 9: four at once.
//
// 32 lanes read 8 bytes each, 256 in all. That would be 8 sectors, but they begin 8 bytes into the
// first: 9.
// prediction: 9

__global__ void look(int2 *out, const int2 *in)
{
    out[threadIdx.x] = in[threadIdx.x + 1];
}

__global__ void add_to(int *y, const int *x, int n)
{
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;

    if (thread < n / 4) {
        int4 *const mine = (int4 *)y + thread;
        const int4 a = *mine, b = ((const int4 *)x)[thread];
        *mine = make_int4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
    } else if (thread == n / 4) {
        for (int i = 4 * thread; i < n; i++) // what is left, three at most
            y[i] += x[i];
    }
}
