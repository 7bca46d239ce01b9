/* Roundings spelled out, and a rolled loop: nothing to find fault with. */
__global__ void spelled(const float *a, const float *b, float *c, int n)
{
    float sum = 0;

#pragma unroll 1
    for (int i = 0; i < n; i++)
        sum = __fadd_rn(__fmul_rn(a[i], b[i]), fmaf(a[i], b[i], sum));
    *c = sum;
}

int main(void)
{
    spelled<<<1, 1>>>(NULL, NULL, NULL, 0);
    return 0;
}
