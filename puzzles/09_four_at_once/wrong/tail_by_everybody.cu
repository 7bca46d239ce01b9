// verdict: race
// Up to three elements are left, but every thread adds them.
// prediction: 9
__global__ void look(int2 *out, const int2 *in)
{
    out[threadIdx.x] = in[threadIdx.x + 1];
}

__global__ void add_to(int *y, const int *x, int n)
{
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;

    if (thread < n / 4) {
        const int4 a = ((int4 *)y)[thread], b = ((const int4 *)x)[thread];
        ((int4 *)y)[thread] = make_int4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
    }
    for (int i = n / 4 * 4; i < n; i++)
        y[i] += x[i];
}
