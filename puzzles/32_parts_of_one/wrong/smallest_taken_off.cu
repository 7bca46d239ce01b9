// verdict: result
// No exp is 0 any more, but the large ones are larger than ever.
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
    const float a = row[t], b = row[t + 32];
    float smallest = fminf(a, b);

    for (int away = 16; away > 0; away /= 2)
        smallest = fminf(smallest, __shfl_xor_sync(0xffffffff, smallest, away));
    const float ea = expf(a - smallest), eb = expf(b - smallest);
    float sum = ea + eb;
    for (int away = 16; away > 0; away /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, away);
    out[64 * blockIdx.x + t] = ea / sum;
    out[64 * blockIdx.x + t + 32] = eb / sum;
}
