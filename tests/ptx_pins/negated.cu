/* A product that is subtracted by way of its negative: no rounding either. */
__global__ void negated(const float *a, float *product, float *sum)
{
    const float p = -(a[0] * a[1]);

    *product = p;
    *sum = a[2] + p;
}
