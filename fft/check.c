/* Is the transform what it should be? */
#include "fft.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORTH_THREADS = 1 << 14 }; /* points: fewer are done before a second thread has begun */

double fft_bound(int n, double root_error)
{
    return 0x1p-24 * (1 + log2(n) / 2) + root_error * sqrt(log2(n) / 2);
}

/* What came of one signal; or the worst of several. */
struct outcome {
    double l2, peak; /* relative errors; NaN if a point is none */
    int signal, point; /* the one that is furthest off */
    float2 result;
    struct fft_point reference;
};

/* The larger error, and NaN before any. */
static bool worse(double error, double than)
{
    return !isnan(than) && !(error <= than);
}

static size_t place(const struct fft_host *host, int signal, int point)
{
    const struct fft *p = &host->p;

    return host->interleaved ? (size_t)point * (size_t)p->batch + (size_t)signal
                             : (size_t)signal * (size_t)p->n + (size_t)point;
}

/* Room for a signal and its transform. */
struct room {
    struct fft_point *in, *out;
    const struct fft_point *roots;
};

static struct outcome check_signal(const struct fft_host *host, int signal, struct room *room)
{
    const struct fft *p = &host->p;
    struct outcome outcome = {.l2 = 0, .peak = -1, .signal = signal};
    double error = 0, size = 0, largest = 0, scale;

    for (int j = 0; j < p->n; j++) {
        const float2 in = p->in[place(host, signal, j)];

        room->in[j] = (struct fft_point){(double)in.x, (double)in.y};
    }
    fft_reference(room->in, room->out, p->n, p->inverse, room->roots);
    for (int k = 0; k < p->n; k++) {
        const struct fft_point reference = room->out[k];

        size += reference.x * reference.x + reference.y * reference.y;
        largest = fmax(largest, hypot(reference.x, reference.y));
    }
    scale = FFT_PEAK * sqrt(size / p->n) + largest;
    for (int k = 0; k < p->n; k++) {
        const float2 result = p->out[place(host, signal, k)];
        const struct fft_point reference = room->out[k];
        const double x = (double)result.x - reference.x, y = (double)result.y - reference.y;
        const double off = hypot(x, y);
        const double peak = off == 0 ? 0 : off / scale;

        error += off * off;
        if (worse(peak, outcome.peak)) {
            outcome.peak = peak;
            outcome.point = k;
            outcome.result = result;
            outcome.reference = reference;
        }
    }
    outcome.l2 = error == 0 ? 0 : sqrt(error / size);
    return outcome;
}

static struct verdict judge(const struct fft_host *host, const struct outcome *worst, int wrong)
{
    const struct fft *p = &host->p;
    struct verdict verdict = {.match = wrong == 0,
                              .result = "none",
                              .reference = "none",
                              .error = worst->l2,
                              .tolerance = fft_bound(p->n, host->root_error)};

    if (worst->signal < 0)
        return verdict;
    snprintf(verdict.result, sizeof(verdict.result), "%.7g%+.7gi", (double)worst->result.x,
             (double)worst->result.y);
    snprintf(verdict.reference, sizeof(verdict.reference), "%.7g%+.7gi", worst->reference.x,
             worst->reference.y);
    if (wrong)
        snprintf(verdict.why, sizeof(verdict.why),
                 "%d of %d signals are wrong; the worst is %d, at point %d", wrong, p->batch,
                 worst->signal, worst->point);
    return verdict;
}

struct verdict fft_check(const struct fft_host *host, double *l2, double *peak)
{
    const struct fft *p = &host->p;
    const double bound = fft_bound(p->n, host->root_error);
    struct fft_point *roots = fft_reference_roots(p->n);
    struct outcome worst = {.l2 = 0, .signal = -1};
    int wrong = 0;

    *l2 = *peak = 0;
#ifdef _OPENMP
#pragma omp parallel if (p->batch * (int64_t)p->n > WORTH_THREADS)
#endif
    {
        struct fft_point *points = memory_host(2 * (size_t)p->n * sizeof(*points));
        struct room room = {points, points + p->n, roots};

#ifdef _OPENMP
#pragma omp for schedule(static)
#endif
        for (int signal = 0; signal < p->batch; signal++) {
            const struct outcome outcome = check_signal(host, signal, &room);
            const bool good = outcome.l2 <= bound && outcome.peak <= bound;

#ifdef _OPENMP
#pragma omp critical
#endif
            {
                wrong += !good;
                if (worse(outcome.peak, *peak))
                    *peak = outcome.peak;
                if (worst.signal < 0 || worse(outcome.l2, worst.l2))
                    worst = outcome;
                *l2 = worst.l2;
            }
        }
        free(points);
    }
    free(roots);
    return judge(host, &worst, wrong);
}
