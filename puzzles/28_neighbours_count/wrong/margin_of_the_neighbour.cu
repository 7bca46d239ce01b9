// verdict: init
// Each block fetches its own elements and nobody the margin.
// prediction: 14
__global__ void look(int *out, const int *in)
{
    const int i = 32 + threadIdx.x;

    out[threadIdx.x] = in[i - 1] + in[i] + in[i + 1];
}

__global__ void blur(int *out, const int *in, int n)
{
    __shared__ int tile[256 + 6];
    const int i = blockIdx.x * 256 + threadIdx.x;

    tile[3 + threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < 7; k++)
        sum += tile[threadIdx.x + k];
    if (i < n)
        out[i] = sum;
}
