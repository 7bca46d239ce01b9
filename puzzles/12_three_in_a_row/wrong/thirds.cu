// verdict: result
// All x first, then all y, then all z: that is how they should lie, not how they do.
// prediction: 6
__global__ void look(float *out)
{
    const int t = threadIdx.x;

    out[t % 3 * 32 + t / 3] = t;
}

__global__ void split(float *x, float *y, float *z, const float *points, int n)
{
    for (int k = 0; k < 3; k++) {
        const int i = (3 * blockIdx.x + k) * blockDim.x + threadIdx.x;
        if (i < 3 * n) {
            float *const to = i / n == 0 ? x : i / n == 1 ? y : z;
            to[i % n] = points[i];
        }
    }
}
