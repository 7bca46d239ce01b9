/* library_cufft: the row to beat.
 *
 * Now:    cufftExecC2C, out of place, all signals in one plan. With --interleaved 1 the signals are
 *         interleaved as in f1.
 * See:    docs/fft.md#library_cufft
 */
#include <cufft.h>
#include <stdlib.h>

#include "fft.h"

static int64_t interleaved; /* --interleaved */

/* As CHECK, for cuFFT. */
static void check(cufftResult result, const char *call)
{
    if (result == CUFFT_SUCCESS)
        return;
    check_say("%s: cuFFT error %d", call, (int)result);
    exit(EXIT_CUDA);
}

static void fft_gpu(const struct fft *p, struct run *run)
{
    const int stride = interleaved ? p->batch : 1, distance = interleaved ? 1 : p->n;
    const int direction = p->inverse ? CUFFT_INVERSE : CUFFT_FORWARD;
    int n = p->n;
    cufftHandle plan;

    run->blocks = run->threads = 0; /* its own affair */
    check(cufftPlanMany(&plan, 1, &n, &n, stride, distance, &n, stride, distance, CUFFT_C2C,
                        p->batch),
          "cufftPlanMany");
    TIMED(run)
        check(cufftExecC2C(plan, (cufftComplex *)p->in, p->out, direction), "cufftExecC2C");
    check(cufftDestroy(plan), "cufftDestroy");
}

int main(int argc, char **argv)
{
    return fft_main(argc, argv, STEP, fft_gpu,
                    {.min = 2,
                     .max = FFT_MAX_N,
                     .usual = 4096,
                     .choose_interleaved = &interleaved,
                     .gpu_only = true,
                     .options = {{.name = "interleaved",
                                  .value = &interleaved,
                                  .max = 1,
                                  .help = "1: signals interleaved, as in f1"}}});
}
