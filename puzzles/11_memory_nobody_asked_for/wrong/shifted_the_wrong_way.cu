// verdict: result
// a is copied to b and on to c in one round: all three are the same.
// prediction: 7
__global__ void look(int *out, const int *in)
{
    int count[8] = {0};

#pragma unroll 1
    for (int k = 0; k < 6; k++)
        count[in[32 * k + threadIdx.x] & 7]++;
    out[threadIdx.x] = count[threadIdx.x & 7];
}

__global__ void smooth(float *out, const float *in, int n)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;

    if (column >= n)
        return;
    float a = 0, b = 0, c = 0;

#pragma unroll 1
    for (int r = 0; r < 16; r++) {
        const float now = in[r * n + column];
        out[r * n + column] = (a + b + c + now) / min(r + 1, 4);
        a = now;
        b = a;
        c = b;
    }
}
