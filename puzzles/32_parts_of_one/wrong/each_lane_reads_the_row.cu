// verdict: goal
// Right: every lane goes through the row by itself to find the largest.
// prediction: 36
__global__ void look(float *out, const float *in)
{
    for (int k = threadIdx.x; k < 72; k += 32)
        out[72 * blockIdx.x + k] = in[72 * blockIdx.x + k];
}

__global__ void softmax(float *out, const float *in)
{
    const float *row = in + 64 * blockIdx.x;
    const int t = threadIdx.x;
    float largest = row[0], sum = 0;

    for (int k = 1; k < 64; k++)
        largest = fmaxf(largest, row[k]);
    for (int k = 0; k < 64; k++)
        sum += expf(row[k] - largest);
    out[64 * blockIdx.x + t] = expf(row[t] - largest) / sum;
    out[64 * blockIdx.x + t + 32] = expf(row[t + 32] - largest) / sum;
}
