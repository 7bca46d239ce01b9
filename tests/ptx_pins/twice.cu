/* A rolled loop with two loads, where a step has one: the check must count them. */
__global__ void twice(const float *a, const float *b, float *c, int n)
{
    float sum = 0;

#pragma unroll 1
    for (int i = 0; i < n; i++)
        sum = fmaf(a[i], b[i], sum);
    *c = sum;
}
