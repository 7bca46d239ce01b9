// verdict: race
// Shared memory is a good way; but here a warp takes what others have not brought yet.
// prediction: 6
__global__ void look(float *out)
{
    const int t = threadIdx.x;

    out[t % 3 * 32 + t / 3] = t;
}

__global__ void split(float *x, float *y, float *z, const float *points, int n)
{
    __shared__ float tile[3 * 96];
    const int first = blockIdx.x * blockDim.x;

    for (int k = threadIdx.x; k < 3 * 96; k += 96)
        if (3 * first + k < 3 * n)
            tile[k] = points[3 * first + k];
    if (first + threadIdx.x < n) {
        x[first + threadIdx.x] = tile[3 * threadIdx.x];
        y[first + threadIdx.x] = tile[3 * threadIdx.x + 1];
        z[first + threadIdx.x] = tile[3 * threadIdx.x + 2];
    }
}
