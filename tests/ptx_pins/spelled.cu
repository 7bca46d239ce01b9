/* Roundings spelled out, and a rolled loop with one load: nothing to find fault with. */
__global__ void spelled(const float *a, float *c, int n)
{
    float sum = 0;

#pragma unroll 1
    for (int i = 0; i < n; i++) {
        const float x = a[i];

        sum = __fadd_rn(__fmul_rn(x, x), fmaf(x, x, sum));
    }
    *c = sum;
}
