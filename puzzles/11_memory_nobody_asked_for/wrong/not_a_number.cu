// verdict: result
// Divides by how many rows came before: in row 0 nothing by nothing.
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
        out[r * n + column] = (a + b + c) / min(r, 3);
        c = b;
        b = a;
        a = in[r * n + column];
    }
}
