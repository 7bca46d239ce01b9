/* Broken: one result of many is not a number, which no "difference > tolerance" notices. */
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

enum { N = 1000 };

static int refuse(void *self, const struct session *session)
{
    return -1;
}

static struct measurement measure(void *self, const struct session *session)
{
    struct measurement measurement = measurement_new(session);
    float number[N], result[N];
    double reference[N], tolerance[N];
    struct rng rng = rng_seed((uint64_t)session->options.seed);

    for (int i = 0; i < N; i++) {
        number[i] = rng_float(&rng);
        reference[i] = 2.0 * number[i];
        tolerance[i] = 1e9;
    }
    measurement.run.blocks = 4;
    measurement.run.threads = 256;
    twice_gpu(number, N, result, &measurement.run);
    measurement.verdict = compare_floats(result, reference, tolerance, N);
    return measurement;
}

int main(int argc, char **argv)
{
    struct chapter chapter = {};

    chapter.options.size = {N, 0, N, N, "of this test"};
    chapter.refuse = refuse;
    chapter.measure = measure;
    return chapter_run(argc, argv, STEP, &chapter);
}
