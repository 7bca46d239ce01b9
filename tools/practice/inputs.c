/* SPDX-License-Identifier: MIT */
#include "inputs.h"

#include <inttypes.h>
#include <math.h>

#include "text.h"

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

const size_t element_sizes[] = {sizeof(int), sizeof(int64_t), sizeof(float)};

static int64_t whole(enum element kind, const void *values, size_t i)
{
    return kind == INTS ? ((const int *)values)[i] : ((const int64_t *)values)[i];
}

bool element_differs(enum element kind, const void *found, const void *expected, size_t i,
                     double tolerance)
{
    if (kind != FLOATS)
        return whole(kind, found, i) != whole(kind, expected, i);
    return !(fabs((double)((const float *)found)[i] - (double)((const float *)expected)[i]) <=
             tolerance);
}

char *element_text(enum element kind, const void *values, size_t i)
{
    return kind == FLOATS ? text_format("%.9g", (double)((const float *)values)[i])
                          : text_format("%" PRId64, whole(kind, values, i));
}

void expect_ints(struct trial *trial, buffer address, const int *expected, size_t count)
{
    trial_expect(trial, address, INTS, expected, count, 0);
}

void expect_longs(struct trial *trial, buffer address, const int64_t *expected, size_t count)
{
    trial_expect(trial, address, LONGS, expected, count, 0);
}

void expect_floats(struct trial *trial, buffer address, const float *expected, size_t count,
                   double tolerance)
{
    trial_expect(trial, address, FLOATS, expected, count, tolerance);
}
