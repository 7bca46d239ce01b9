/* SPDX-License-Identifier: MIT */
#include "profile/tenth.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "machine/machine.h"
#include "number.h"

static const double target = 0.1; /* of the time of a launch */

/* What a limit is made of. */
struct work {
    const char *counter, *name;
    uint64_t now;
};

static struct work counted(const struct profile_kernel *kernel, enum profile_counter counter,
                           const char *name)
{
    return (struct work){count_key(counter), name, kernel->counters[counter]};
}

/* On the way to memory: where requests are not made of sectors, transactions; atomics that collide;
 * or the sectors of the memory that most of them are of. */
static struct work requests_of(const struct gpu *gpu, const struct profile_kernel *kernel)
{
    const uint64_t *n = kernel->counters;

    if (gpu->coalescing != COALESCE_SECTORS)
        return counted(kernel, PROFILE_GLOBAL_TRANSACTIONS, "memory transactions");
    if (count_is_atomic(n))
        return counted(kernel, PROFILE_GLOBAL_ATOMICS, "global atomic requests");
    if (n[PROFILE_LOCAL_SECTORS] > n[PROFILE_GLOBAL_SECTORS])
        return counted(kernel, PROFILE_LOCAL_SECTORS, "sectors and requests of local memory");
    if (n[PROFILE_TEXTURE_SECTORS] > n[PROFILE_GLOBAL_SECTORS])
        return counted(kernel, PROFILE_TEXTURE_SECTORS, "sectors and requests of textures");
    return counted(kernel, PROFILE_GLOBAL_SECTORS, "sectors and requests of global memory");
}

/* Shared memory: requests wait for its answers, too; but where the issue of a request pays for its
 * first pass, for the others alone. */
static struct work shared_of(const struct gpu *gpu, const struct profile_kernel *kernel)
{
    const uint64_t *n = kernel->counters;

    if (gpu->issue_clocks)
        return counted(kernel, PROFILE_SHARED_CONFLICTS, "bank conflicts");
    if (kernel->timing.by_units)
        return counted(kernel, PROFILE_SHARED_WAVEFRONTS, "shared wavefronts");
    return (struct work){NULL, "shared requests",
                         n[PROFILE_SHARED_LOADS] + n[PROFILE_SHARED_STORES] +
                             n[PROFILE_SHARED_ATOMICS]};
}

/* What there would have to be less of where `limit` bounds. Nothing of latency: it has no name. */
static struct work work_of(const struct gpu *gpu, const struct profile_kernel *kernel,
                           enum timing_limit limit)
{
    switch (limit) {
    case TIMING_ISSUE:
        return counted(kernel, PROFILE_WARP_INSTRUCTIONS,
                       kernel->counters[PROFILE_TENSOR_INSTRUCTIONS]
                           ? "warp and tensor instructions"
                           : "warp instructions");
    case TIMING_LOAD_STORE:
        return requests_of(gpu, kernel);
    case TIMING_MEMORY:
        return (struct work){"memory_bytes", "bytes of device memory", kernel->memory_bytes};
    case TIMING_SHARED:
        return shared_of(gpu, kernel);
    case TIMING_BARRIER:
        return counted(kernel, PROFILE_BARRIERS, "barriers");
    case TIMING_LINK:
        return (struct work){"link_bytes", "bytes of other devices' memory", kernel->link_bytes};
    case TIMING_LAUNCH:
        return (struct work){"launches", "launches", kernel->launches};
    default:
        return (struct work){0};
    }
}

static void append(struct tenth *tenth, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void append(struct tenth *tenth, const char *format, ...)
{
    const size_t length = strlen(tenth->text);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(tenth->text + length, sizeof(tenth->text) - length, format, arguments);
    va_end(arguments);
}

/* A part of 1 in per cent. */
static double percent(double part)
{
    return round(100 * part);
}

static void take_away(struct tenth *tenth, struct work work, double part)
{
    char digits[NUMBER_GROUPED];

    if (!work.now)
        return;
    if (!*tenth->text) {
        tenth->counter = work.counter;
        tenth->now = (double)work.now;
        tenth->wanted = (double)work.now * (1 - part);
    }
    append(tenth, "%s%.0f %% fewer %s (%s now)", *tenth->text ? ", " : "", percent(part), work.name,
           number_group(work.now, digits));
}

uint64_t warps_in_flight(const struct gpu *gpu, const struct profile_kernel *kernel)
{
    const uint64_t most = (uint64_t)gpu->multiprocessors * (uint64_t)kernel->timing.resident_blocks;
    const uint64_t blocks = dim_count(kernel->grid);

    return (blocks < most ? blocks : most) * dim_warps(kernel->block);
}

/* By `warps` more warps, or by what each has under way: `each` more. */
static void hide_latency(struct tenth *tenth, const struct gpu *gpu,
                         const struct profile_kernel *kernel, double warps, double each)
{
    const uint64_t *n = kernel->counters, now = warps_in_flight(gpu, kernel);
    const uint64_t room =
        (uint64_t)gpu->multiprocessors * (uint64_t)gpu->max_threads_per_sm / WARP_SIZE;
    const double wanted = fmax((double)now + 1, round((double)now * (1 + warps)));
    char digits[2][NUMBER_GROUPED];

    if (wanted <= (double)room) {
        *tenth = (struct tenth){.counter = "warps_in_flight", .now = (double)now, .wanted = wanted};
        append(tenth, "%.0f %% more warps at work (%s now, room for %s), or ", percent(warps),
               number_group(now, digits[0]), number_group(room, digits[1]));
    }
    append(tenth,
           n[PROFILE_GLOBAL_LOADS] + n[PROFILE_LOCAL_LOADS] + n[PROFILE_TEXTURE_FETCHES]
               ? "%.0f %% more loads in flight per thread"
               : "%.0f %% more independent instructions per thread",
           percent(each));
}

/* `kept`: k of the kernel's time K, as in tenth.h. */
static void relieve_units(struct tenth *tenth, const struct gpu *gpu,
                          const struct profile_kernel *kernel, double kept)
{
    const struct timing_launch *timing = &kernel->timing;
    const double busy = fmin(1, timing->shares[timing->limit]);

    if (timing->limit == TIMING_LATENCY || (timing->limit != TIMING_ISSUE && busy <= kept))
        hide_latency(tenth, gpu, kernel, 1 / kept - 1, 1 / kept - 1);
    else
        take_away(tenth, work_of(gpu, kernel, timing->limit), (1 - kept) / fmax(busy, kept));
    for (int i = 0; i < TIMING_LIMIT_COUNT; i++) {
        if (i == (int)timing->limit || timing->shares[i] <= kept)
            continue;
        take_away(tenth, work_of(gpu, kernel, i), 1 - kept / fmin(1, timing->shares[i]));
        break;
    }
}

/* `kept`: k of K; `part`: of all waits for the limit. In the models that share out the time of each
 * warp, more warps make all that a warp does less; in the one that shares out the time in which no
 * warp can go on, only that. */
static void wait_less(struct tenth *tenth, const struct gpu *gpu,
                      const struct profile_kernel *kernel, double kept, double part)
{
    const enum timing_limit limit = kernel->timing.limit;
    const double each = 1 / (1 - part) - 1;

    if (limit == TIMING_LATENCY)
        hide_latency(tenth, gpu, kernel, gpu->issue_clocks ? each : 1 / kept - 1, each);
    else if (limit == TIMING_LAUNCH && kernel->launches == 1)
        append(tenth, "%.0f %% more work per launch", percent(each));
    else
        take_away(tenth, work_of(gpu, kernel, limit), part);
}

struct tenth tenth_off(const struct gpu *gpu, const struct profile_kernel *kernel)
{
    const struct timing_launch *timing = &kernel->timing;
    const double launch = timing->limit == TIMING_LINK ? 0 : gpu->launch_us / 1000 / timing->ms;
    const double kept = 1 - target / (1 - launch), share = timing->shares[timing->limit];
    struct tenth tenth = {.text = ""};

    if (timing->by_units && kept > 0)
        relieve_units(&tenth, gpu, kernel, kept);
    else if (!timing->by_units && share > target)
        wait_less(&tenth, gpu, kernel, kept, target / share);
    return tenth;
}
