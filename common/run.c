/* SPDX-License-Identifier: MIT */
#include "common.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct run run_new(const struct options *options, const struct device *device)
{
    const int usual = device->cpu ? RUN_CPU_RUNS : device->modelled ? 1 : RUN_DEFAULT_RUNS;
    struct run run = {
        .warmups = device->cpu || device->modelled ? 0 : RUN_WARMUPS,
        .runs = options->runs == OPTIONS_RUNS_UNSET ? usual : (int)options->runs,
        .wholes = device->modelled ? 1 : RUN_WHOLE_RUNS,
        .poison = options->poison,
        .guard = options->guard,
        .cold = options->cold,
    };

    run.ms = memory_host((size_t)run.runs * sizeof(float));
    if (device->cpu)
        return run;
    CHECK(cudaEventCreate(&run.begin));
    CHECK(cudaEventCreate(&run.end));
    if (run.cold) {
        int l2_bytes;

        CHECK(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, device->index));
        run.flush_bytes = 2 * (size_t)l2_bytes;
        CHECK(cudaMalloc(&run.flush, run.flush_bytes));
    }
    return run;
}

void run_free(struct run *run)
{
    if (run->begin) { /* not on a CPU */
        CHECK(cudaEventDestroy(run->begin));
        CHECK(cudaEventDestroy(run->end));
        CHECK(cudaFree(run->flush));
    }
    free(run->overrun);
    free(run->ms);
    memset(run, 0, sizeof(*run));
}

void run_start(struct run *run, const char *file, int line)
{
    run->file = file;
    run->line = line;
    run->done = 0;
    run->warmed = 0;
    run->in_flight = false;
}

void run_flush(const struct run *run)
{
    if (run->cold)
        CHECK(cudaMemset(run->flush, 0, run->flush_bytes));
}

/* Wait for the launch that was made, and check what it did. */
static void finish(struct run *run)
{
    float ms;

    check_cuda(cudaGetLastError(), "the launch", run->file, run->line);
    CHECK(cudaEventRecord(run->end, NULL));
    check_cuda(cudaEventSynchronize(run->end), "the kernel", run->file, run->line);
    CHECK(cudaEventElapsedTime(&ms, run->begin, run->end));
    memory_check_guards(run);
    if (run->warmed < run->warmups)
        run->warmed++;
    else
        run->ms[run->done++] = ms;
}

bool run_again(struct run *run)
{
    if (run->in_flight)
        finish(run);
    run->in_flight = run->done < run->runs;
    if (run->in_flight) {
        /* No wait in between: the device is still busy with these while the launch is on its way,
         * and the time between the events is the kernel's alone. */
        memory_poison(run);
        run_flush(run);
        CHECK(cudaEventRecord(run->begin, NULL));
    }
    return run->in_flight;
}

static int compare_ms(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

/* The middle of `count` > 0 times, sorted: of the middle two the mean. */
static double middle(const float *sorted, size_t count)
{
    return ((double)sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

struct run_times run_times(const struct run *run)
{
    struct run_times times = {.min = NAN, .median = NAN, .max = NAN};
    const size_t count = (size_t)run->done;
    float *sorted;

    if (count == 0)
        return times;
    sorted = memory_host(count * sizeof(float));
    memcpy(sorted, run->ms, count * sizeof(float));
    qsort(sorted, count, sizeof(float), compare_ms);
    times.min = sorted[0];
    times.max = sorted[count - 1];
    times.median = middle(sorted, count);
    free(sorted);
    return times;
}

/* The time of one call of `side`, in ms. */
static float time_side(struct run *run, run_side *side, void *context)
{
    cudaEvent_t begin, end;
    float ms;

    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventRecord(begin, NULL));
    side(run, context);
    CHECK(cudaEventRecord(end, NULL));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    return ms;
}

void run_whole(struct run *run, run_side *side, void *context)
{
    float whole[RUN_WHOLE_RUNS];

    if (run->warmups == 0 && run->runs == 1) {
        run->total_ms = time_side(run, side, context);
        return;
    }
    for (int i = 0; i < run->wholes; i++) {
        struct run bare = *run;
        float ms;

        bare.warmups = 0;
        bare.runs = 1;
        bare.done = 0;
        bare.poison = bare.guard = bare.cold = false;
        bare.ms = &ms;
        whole[i] = time_side(&bare, side, context);
    }
    qsort(whole, (size_t)run->wholes, sizeof(float), compare_ms);
    run->total_ms = middle(whole, (size_t)run->wholes);
    side(run, context); /* last: the results that remain are those of the checked runs */
}
