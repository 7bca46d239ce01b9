// verdict: race
// Adds up before the other warps have brought their part.
// prediction: 14
__global__ void look(int *out, const int *in)
{
    const int i = 32 + threadIdx.x;

    out[threadIdx.x] = in[i - 1] + in[i] + in[i + 1];
}

__global__ void blur(int *out, const int *in, int n)
{
    __shared__ int tile[256 + 6];
    const int first = blockIdx.x * 256 - 3;
    const int i = first + 3 + threadIdx.x;

    for (int k = threadIdx.x; k < 256 + 6; k += 256)
        tile[k] = first + k >= 0 && first + k < n ? in[first + k] : 0;
    int sum = 0;
    for (int k = 0; k < 7; k++)
        sum += tile[threadIdx.x + k];
    if (i < n)
        out[i] = sum;
}
