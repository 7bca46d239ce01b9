// Puzzle 7: neighbours read neighbours.
//
// 32 lanes, 16 bytes apart, read from 512 bytes: 16 sectors, and 4 bytes of each 16 are used.
// prediction: 16

__global__ void look(float *out, const float *in)
{
    const int t = threadIdx.x;

    out[t] = in[4 * t];
}

__global__ void halve(float *out, const float *in, int n)
{
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const int threads = gridDim.x * blockDim.x;

    for (int k = 0; k < 4; k++) {
        const int i = thread + k * threads;
        if (i < n)
            out[i] = 0.5f * in[i];
    }
}
