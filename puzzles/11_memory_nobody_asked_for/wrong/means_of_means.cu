// verdict: init
// Reads what it wrote three rows ago, and in row 0 what nobody wrote.
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
#pragma unroll 1
    for (int r = 0; r < 16; r++) {
        float sum = in[r * n + column];
        for (int k = 1; k < 4; k++)
            sum += out[max(r - k, 0) * n + column];
        out[r * n + column] = sum / min(r + 1, 4);
    }
}
