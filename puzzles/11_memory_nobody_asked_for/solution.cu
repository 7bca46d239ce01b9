// Puzzle 11: memory nobody asked for.
//
// Registers have no index that a program could compute, so count[] lies in local memory. Each of
// the 6 rounds loads a counter and stores it again, and the end loads one more. That the lanes want
// different elements changes nothing: one instruction of the warp is one request.
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
    float a = 0, b = 0, c = 0; // one, two and three rows ago

#pragma unroll 1
    for (int r = 0; r < 16; r++) {
        const float now = in[r * n + column];
        out[r * n + column] = (a + b + c + now) / min(r + 1, 4);
        c = b;
        b = a;
        a = now;
    }
}
