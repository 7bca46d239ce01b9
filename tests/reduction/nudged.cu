/* A sum that is off by NUDGE, said to be that of a tree. */
#include "reduction.h"

__global__ void reduction(const float *a, int n, float *result)
{
    double sum = NUDGE;

    for (int i = 0; i < n; i++)
        sum += a[i];
    *result = sum;
}

static void reduction_gpu(const float *a, int n, struct run *run, float *sums)
{
    float *d_a = device_input(float, a, n);
    float *d_result = device_output(float, run, 1);

    run->blocks = 1;
    TIMED(run)
        reduction<<<1, 1>>>(d_a, n, d_result);
    device_fetch(float, sums, d_result, 1);
    device_free(run, d_a);
    device_free(run, d_result);
}

int main(int argc, char **argv)
{
    return reduction_main(argc, argv, STEP, reduction_gpu,
                          {.threads = 1, .map = MAP_ONE, .chain = 21});
}
