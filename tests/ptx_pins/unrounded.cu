/* A product that is stored and added: the assembler may fuse the addition, and the check must see
 * it. */
__global__ void unrounded(const float *a, float *product, float *sum)
{
    const float p = a[0] * a[1];

    *product = p;
    *sum = p + a[2];
}
