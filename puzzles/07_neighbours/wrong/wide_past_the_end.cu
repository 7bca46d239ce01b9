// verdict: memory
// Four floats at once, even where n leaves less than four.
// prediction: 16
__global__ void look(float *out, const float *in)
{
    const int t = threadIdx.x;

    out[t] = in[4 * t];
}

__global__ void halve(float *out, const float *in, int n)
{
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;

    if (4 * thread < n) {
        const float4 four = ((const float4 *)in)[thread];
        ((float4 *)out)[thread] =
            make_float4(0.5f * four.x, 0.5f * four.y, 0.5f * four.z, 0.5f * four.w);
    }
}
