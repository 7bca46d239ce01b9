// Puzzle 28: neighbours count.
//
// The load of in[i] begins at a sector and fetches 4. The other two are off by one word, so that
// their 128 bytes touch 5 sectors each.
// prediction: 14

__global__ void look(int *out, const int *in)
{
    const int i = 32 + threadIdx.x;

    out[threadIdx.x] = in[i - 1] + in[i] + in[i + 1];
}

__global__ void blur(int *out, const int *in, int n)
{
    __shared__ int tile[256 + 6];
    const int first = blockIdx.x * 256 - 3; // what tile[0] holds
    const int i = first + 3 + threadIdx.x;

    for (int k = threadIdx.x; k < 256 + 6; k += 256)
        tile[k] = first + k >= 0 && first + k < n ? in[first + k] : 0;
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < 7; k++)
        sum += tile[threadIdx.x + k];
    if (i < n)
        out[i] = sum;
}
