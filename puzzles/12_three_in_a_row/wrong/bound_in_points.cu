// verdict: result
// There are n points, and 3 n numbers.
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
        if (i < n) {
            float *const to = i % 3 == 0 ? x : i % 3 == 1 ? y : z;
            to[i / 3] = points[i];
        }
    }
}
