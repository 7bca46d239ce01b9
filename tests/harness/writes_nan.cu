/* Broken: one result of many is not a number, which no "difference > tolerance" notices. */
#include <stdlib.h>

#include "common.h"

__global__ void twice(const float *number, int n, float *result)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        result[i] = i == n / 2 ? __int_as_float(0x7fc00000) : number[i] + number[i];
}

/* Doubles the `n` floats at `number`. */
static void twice_gpu(const float *number, int n, float *result, struct run *run)
{
    float *d_number = device_input(float, number, n);
    float *d_result = device_output(float, run, n);

    TIMED(run)
        twice<<<run->blocks, run->threads>>>(d_number, n, d_result);

    device_fetch(float, result, d_result, n);
    device_free(run, d_number);
    device_free(run, d_result);
}

int main(int argc, char **argv)
{
    enum { N = 1000 };
    const struct step step = STEP;
    struct options options = options_default(N);
    struct device device;
    struct verdict verdict;
    struct run run;
    float number[N], result[N];
    double reference[N], tolerance[N];
    struct rng rng;
    int code = options_parse(argc, argv, &options, N, N, "of this test", NULL, 0);

    if (code < 0)
        code = InitCUDA((int)options.device, step.minimum, &device);
    if (code)
        return code;
    rng = rng_seed((uint64_t)options.seed);
    for (int i = 0; i < N; i++) {
        number[i] = rng_float(&rng);
        reference[i] = 2.0 * number[i];
        tolerance[i] = 1e9;
    }
    run = run_new(&options, &device);
    run.blocks = 4;
    run.threads = 256;
    twice_gpu(number, N, result, &run);
    verdict = compare_floats(result, reference, tolerance, N);
    code = report(&step, &options, &device, &run, N, {}, &verdict, NULL);
    run_free(&run);
    return code;
}
