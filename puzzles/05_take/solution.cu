// Puzzle 5: take, do not hand out.
//
// The first load has 128 bytes from the start of a sector: 4 sectors. The other two begin 4 and 8
// bytes later and reach into a fifth: 4 + 5 + 5.
// prediction: 14

__global__ void look(int *out, const int *in)
{
    const int t = threadIdx.x;

    out[t] = in[t] + in[t + 1] + in[t + 2];
}

__global__ void spread(int *out, const int *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = (i > 0 ? in[i - 1] : 0) + in[i] + (i < n - 1 ? in[i + 1] : 0);
}
