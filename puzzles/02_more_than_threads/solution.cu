// Puzzle 2: more elements than threads.
//
// Warp 0 comes by three times, for elements 0, 64 and 128; the third time only two lanes load, and
// it is a request all the same. Warp 1 comes by for 32 and 96.
// prediction: 5

__global__ void look(int *out, const int *in, int n)
{
#pragma unroll 1
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[i] = in[i];
}

__global__ void absolute(int *out, const int *in, int n)
{
    const int threads = gridDim.x * blockDim.x;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
        out[i] = abs(in[i]);
}
