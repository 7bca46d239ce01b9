/* A loop whose pragma the compiler cannot heed, for there is one round: the check must miss it. */
__global__ void unrolled(float *c)
{
#pragma unroll 1
    for (int i = 0; i < 1; i++)
        c[i] = 1;
}
