/* A loop that nobody pins: the compiler unrolls it, and what it keeps rolled is the remainder. */
__global__ void remainder(const float *a, float *c, int n)
{
    float sum = 0;

    for (int i = 0; i < n; i++)
        sum = fmaf(a[i], a[i], sum);
    *c = sum;
}
