/* Says more than it does: the check must hold it to its word.
 *
 * Pinned: both loops stay rolled.
 */
__global__ void promised(const float *a, float *c, int n)
{
    float sum = 0;

#pragma unroll 1
    for (int i = 0; i < n; i++)
        sum = fmaf(a[i], a[i], sum);
    for (int i = 0; i < n; i++)
        c[i] = sum;
}
