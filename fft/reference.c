/* The CPU's transform, in double: the textbook's recursion and no more. */
#include "fft.h"

#include <math.h>
#include <stdlib.h>

struct fft_point *fft_reference_roots(int n)
{
    struct fft_point *roots = memory_host((size_t)n * sizeof(*roots));
    const int eighth = n / 8;

    for (int k = 0; k < n; k++) {
        /* Angles of at most 45 degrees, the rest by symmetry: cos(90 degrees) is then 0 and nothing
         * else. */
        const int octant = eighth ? k / eighth : 0;
        const int turn = eighth ? (octant + 1) / 2 : 4 * k / n; /* quarters to go back */
        const double angle = 2 * M_PI * (k - turn * (n / 4.0)) / n;
        const double x = cos(angle), y = sin(angle);
        const struct fft_point turned[] = {{x, y}, {-y, x}, {-x, -y}, {y, -x}};

        roots[k] = turned[turn % 4];
        roots[k].y = -roots[k].y;
    }
    return roots;
}

/* The transform of in[0], in[step] ... in[(n - 1) step]: of the even points, of the odd ones, and
 * both together. */
static void transform(const struct fft_point *in, int step, struct fft_point *out, int n,
                      double sign, const struct fft_point *roots)
{
    const int half = n / 2;

    if (n == 1) {
        out[0] = in[0];
        return;
    }
    transform(in, 2 * step, out, half, sign, roots);
    transform(in + step, 2 * step, out + half, half, sign, roots);
    for (int k = 0; k < half; k++) {
        const struct fft_point a = out[k], b = out[half + k];
        const double c = roots[(size_t)k * (size_t)step].x;
        const double s = roots[(size_t)k * (size_t)step].y * sign;
        const double x = b.x * c - b.y * s, y = b.x * s + b.y * c;

        out[k] = (struct fft_point){a.x + x, a.y + y};
        out[half + k] = (struct fft_point){a.x - x, a.y - y};
    }
}

void fft_reference(const struct fft_point *in, struct fft_point *out, int n, bool inverse,
                   const struct fft_point *roots)
{
    transform(in, 1, out, n, inverse ? -1 : 1, roots);
}

void fft_roots(float2 *roots, int n, int count)
{
    struct fft_point *exact = fft_reference_roots(n);

    for (int k = 0; k < count; k++)
        roots[k] = (float2){(float)exact[k].x, (float)exact[k].y};
    free(exact);
}
