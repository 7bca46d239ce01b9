// verdict: goal
// A struct of three floats is still three loads, 12 bytes apart.
// prediction: 6
__global__ void look(float *out)
{
    const int t = threadIdx.x;

    out[t % 3 * 32 + t / 3] = t;
}

__global__ void split(float *x, float *y, float *z, const float *points, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        const float3 point = ((const float3 *)points)[i];
        x[i] = point.x;
        y[i] = point.y;
        z[i] = point.z;
    }
}
