/* Chapter: batched Fourier transforms of complex numbers in single precision, out of place.
 *
 * Here is what every step shares: the input, the CPU's transform, the lengths and batches to check,
 * the options and the report. The kernel and its launch are in the step.
 *
 * A signal of n points x becomes X, with X[k] the sum of x[j] exp(-2 pi i j k / n); the inverse has
 * exp(+2 pi i j k / n). Neither divides by n. n is a power of two.
 */
#ifndef FFT_H
#define FFT_H

#include "common.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    FFT_BYTES = 64 << 20, /* of input, unless --batch says otherwise: as in the paper */
    FFT_MODELLED_BYTES = 1 << 20, /* where times are modelled */
    FFT_MAX_N = 1 << 20,
    FFT_MAX_POINTS = 1 << 30, /* of all signals together */
};

/* `batch` signals of n points. Point j of signal s is at s * n + j, and where signals are
 * interleaved at j * batch + s. */
struct fft {
    int n, batch;
    bool inverse;
    const float2 *in;
    float2 *out;
};

/* The device side of a step: choose the launch, say it in `run`, and repeat it with TIMED. `in` and
 * `out` are in device memory, batch is at least 1. */
typedef void fft_function(const struct fft *p, struct run *run);

enum { FFT_OPTIONS = 3 };

/* What the host must know about a step. */
struct fft_step {
    int min, max; /* lengths it takes: the powers of two from min to max */
    int usual; /* the length unless --n says another; 0: min */
    bool interleaved;
    const int64_t *choose_interleaved; /* where there is one: not 0 interleaves */
    bool gpu_only; /* has instructions or calls that modelled devices lack */

    /* How many signals of n points one grid takes at once, where it is not all there are.
     * --all-sizes checks a batch of one more. NULL: one. */
    int (*wave)(int n);

    /* How far off this run's roots of unity may be, beyond one rounding. NULL: no further. */
    double (*root_error)(void);

    struct option_row options[FFT_OPTIONS]; /* of its own; none without a name */
};

/* main() of a step, STEP: options, device, input, `gpu`, comparison, report. Returns the exit
 * code. */
int fft_main(int argc, char **argv, struct step step, fft_function *gpu, struct fft_step how);

/* roots[k] = exp(-2 pi i k / n) for k below `count`, each component the float nearest to it. */
void fft_roots(float2 *roots, int n, int count);

/* The problem's arrays on the host. */
struct fft_host {
    struct fft p; /* in and out are the host's */
    bool interleaved;
    double root_error; /* as in struct fft_step */
};

/* Hold host->p.out against the CPU, signal by signal. The error in the 2-norm may reach
 * fft_bound() of the transform's own; that of a point fft_bound() of the largest magnitude plus
 * FFT_PEAK times the root mean square. *l2 and *peak become the largest errors met, as such
 * shares. */
struct verdict fft_check(const struct fft_host *host, double *l2, double *peak);

enum { FFT_PEAK = 8 };

/* The bound on the relative error in the 2-norm, u = 2^-24: u (1 + log2(n) / 2). A bound that no
 * input can break is 6 u log2(n) or so (Higham, "Accuracy and Stability of Numerical Algorithms",
 * 2nd edition, theorem 24.2); for the mixed signs of our inputs the roundings nearly cancel.
 *
 * Roots that are off by more than their rounding add root_error sqrt(log2(n) / 2): each of log2(n)
 * stages turns half of its points by a wrong root, which costs root_error / sqrt(2), and the errors
 * of the stages have nothing to do with each other. */
double fft_bound(int n, double root_error);

struct fft_point {
    double x, y; /* real, imaginary */
};

/* The CPU's transform of n points in[0], in[1] ...: roots are those of fft_reference_roots(n). */
void fft_reference(const struct fft_point *in, struct fft_point *out, int n, bool inverse,
                   const struct fft_point *roots);

/* A new array of exp(-2 pi i k / n) for k below n; free() it. */
struct fft_point *fft_reference_roots(int n);

#ifdef __cplusplus
}
#endif

#endif
