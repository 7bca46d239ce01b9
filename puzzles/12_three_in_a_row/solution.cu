// Puzzle 12: three in a row.
//
// Of 32 neighbours in xyzxyz..., 11 are x, 11 are y and 10 are z. They go to three places, each
// from the start of a sector, 40 or 44 bytes long: 2 sectors each.
// prediction: 6

__global__ void look(float *out)
{
    const int t = threadIdx.x;

    out[t % 3 * 32 + t / 3] = t;
}

__global__ void split(float *x, float *y, float *z, const float *points, int n)
{
    for (int k = 0; k < 3; k++) {
        const int i = (3 * blockIdx.x + k) * blockDim.x + threadIdx.x; // of all 3 n numbers
        if (i < 3 * n) {
            float *const to = i % 3 == 0 ? x : i % 3 == 1 ? y : z;
            to[i / 3] = points[i];
        }
    }
}
