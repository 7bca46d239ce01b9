/* SPDX-License-Identifier: MIT */
#include "inputs.h"

uint32_t trial_random(struct trial *trial, uint32_t bound)
{
    return rng_below(trial_rng(trial), bound);
}

int *trial_ints(struct trial *trial, size_t count, int low, int high)
{
    int *values = trial_zeros(trial, count, sizeof(*values));

    for (size_t i = 0; i < count; i++)
        values[i] = low + (int)trial_random(trial, (uint32_t)(high - low) + 1);
    return values;
}

float *trial_floats(struct trial *trial, size_t count, float low, float high)
{
    float *values = trial_zeros(trial, count, sizeof(*values));

    for (size_t i = 0; i < count; i++)
        values[i] = low + (high - low) * rng_float(trial_rng(trial));
    return values;
}

struct shape shape_line(unsigned blocks, unsigned threads)
{
    return shape_plane(blocks, 1, threads, 1);
}

struct shape shape_plane(unsigned blocks_x, unsigned blocks_y, unsigned threads_x,
                         unsigned threads_y)
{
    return (struct shape){{blocks_x, blocks_y, 1}, {threads_x, threads_y, 1}, 0};
}

unsigned parts(size_t whole, unsigned part)
{
    return whole ? (unsigned)((whole + part - 1) / part) : 1;
}
