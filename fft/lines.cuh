/* A signal as a matrix: blocks that transform several neighbouring lines of it, columns or rows,
 * and the roots of unity for the turns between columns and rows. */
#ifndef LINES_CUH
#define LINES_CUH

#include "passes.cuh"

enum { FINE = 1024 };

/* The shape of a block that transforms lines of LENGTH points. Neighbouring threads belong to
 * neighbouring lines. */
template <int LENGTH> struct lines_of {
    enum { POINTS = LENGTH <= 512 ? 8 : 16, LINES = LENGTH <= 512 ? 8 : 4 };
    enum { APART = LENGTH / POINTS, THREADS = APART * LINES };
    enum { ROOM = LENGTH + 16 / LINES }; /* half a warp has 16 / LINES points of each line */
};

/* exp(-2 pi i k / n), the product of one of FINE fine steps and one of n / FINE coarse ones. */
__device__ inline float2 root_of(const float2 *__restrict__ roots, int k)
{
    return multiply(roots[k % FINE], roots[FINE + k / FINE]);
}

/* The table `roots` of root_of(), on the device; device_free() it. */
static inline float2 *new_roots(int n)
{
    const int count = FINE + n / FINE;
    float2 *all = (float2 *)memory_host(n * sizeof(float2));
    float2 *roots = (float2 *)memory_host(count * sizeof(float2)), *device;

    fft_roots(all, n, n);
    for (int k = 0; k < FINE; k++)
        roots[k] = all[k];
    for (int k = 0; k < n / FINE; k++)
        roots[FINE + k] = all[k * FINE];
    device = device_input(float2, roots, count);
    free(all);
    free(roots);
    return device;
}

#endif
