/* SPDX-License-Identifier: MIT */
#include "common.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* What follows from the times and the work. NaN: not known. */
struct rates {
    struct run_times ms;
    double gbs, gflops;
    double share; /* of the peak that `limit` names */
    char limit[80]; /* "" where the share is not known */
    const char *unit; /* of that peak, "GB/s" or "GFLOP/s" */
};

/* `amount` in a median run, in units of 10^9 a second. */
static double rate(double amount, const struct run_times *ms)
{
    return amount > 0 && ms->median > 0 ? amount / ms->median * 1e-6 : NAN;
}

/* `rate` (10^9 a second) as a share of `peak` (a second; 0: not known). */
static double share_of(double rate, double peak)
{
    return peak > 0 ? rate * 1e9 / peak : NAN;
}

static struct rates find_rates(const struct run *run, const struct device *device, struct work work)
{
    struct rates rates = {.ms = run_times(run)};
    double memory, arithmetic;
    bool by_memory;

    rates.gbs = rate(work.bytes, &rates.ms);
    rates.gflops = rate(work.flops, &rates.ms);
    memory = share_of(rates.gbs, device->peak_bytes);
    arithmetic = share_of(rates.gflops, device->peak_flops * (work.faster > 0 ? work.faster : 1));
    by_memory = isnan(arithmetic) || (memory >= arithmetic && work.faster == 0);
    rates.share = by_memory ? memory : arithmetic;
    rates.unit = isnan(rates.share) ? "" : by_memory ? "GB/s" : "GFLOP/s";
    if (!isnan(rates.share))
        snprintf(rates.limit, sizeof(rates.limit), "%s%s",
                 by_memory ? "device memory" : "arithmetic",
                 rates.share > 1 ? "; above 100 %: a cache, or a measuring error" : "");
    return rates;
}

/* Whole numbers as they are, others to six digits, NaN and infinities as null. */
static json_t *json_number(double value)
{
    char text[32];

    if (!isfinite(value))
        return json_null();
    if (value == floor(value) && fabs(value) < 0x1p53)
        return json_integer((json_int_t)value);
    snprintf(text, sizeof(text), "%.6g", value);
    return json_real(strtod(text, NULL));
}

json_t *report_whole(uint64_t value)
{
    return value <= UINT64_C(1) << 53 ? json_integer((json_int_t)value)
                                      : json_sprintf("%" PRIu64, value);
}

static json_t *json_text(const char *text)
{
    return *text ? json_string(text) : json_null();
}

/* A version as CUDA encodes it (13010) in the form people write it (13.1). */
static json_t *json_version(int version)
{
    return json_sprintf("%d.%d", version / 1000, version % 1000 / 10);
}

/* 10^9 a second; null where it is not known. */
static json_t *json_peak(double peak)
{
    return json_number(peak > 0 ? peak * 1e-9 : NAN);
}

static json_t *json_device(const struct device *device)
{
    json_t *object = json_object();

    json_object_set_new(object, "name", json_string(device->name));
    json_object_set_new(object, "modelled", json_boolean(device->modelled));
    json_object_set_new(object, "peak_gbs", json_peak(device->peak_bytes));
    json_object_set_new(object, "peak_gflops", json_peak(device->peak_flops));
    json_object_set_new(object, "compute",
                        device->cpu ? json_null()
                                    : json_sprintf("%d.%d", device->major, device->minor));
    json_object_set_new(object, "driver", device->cpu ? json_null() : json_version(device->driver));
    json_object_set_new(object, "toolkit",
                        device->cpu ? json_null() : json_version(device->runtime));
    return object;
}

static json_t *json_step(const struct step *step, const struct device *device)
{
    json_t *object = json_object();

    json_object_set_new(object, "chapter", json_string(step->chapter));
    json_object_set_new(object, "step", json_string(step->name));
    json_object_set_new(object, "title", json_string(step->title));
    json_object_set_new(object, "device", json_device(device));
    return object;
}

/* Null where nothing was launched. */
static json_t *json_shape(unsigned x, unsigned y)
{
    if (!x)
        return json_null();
    return json_pack("[I,I,i]", (json_int_t)x, (json_int_t)(y ? y : 1), 1);
}

static void add_launch(json_t *object, const struct run *run, int64_t n)
{
    json_object_set_new(object, "n", report_whole((uint64_t)n));
    json_object_set_new(object, "grid", json_shape(run->blocks, run->blocks_y));
    json_object_set_new(object, "block", json_shape(run->threads, run->threads_y));
    json_object_set_new(object, "shared_bytes", json_integer((json_int_t)run->shared_bytes));
    json_object_set_new(object, "reason", json_text(run->reason));
    json_object_set_new(object, "runs", json_integer(run->done));
}

static void add_rates(json_t *object, const struct run *run, struct work work,
                      const struct rates *rates)
{
    json_t *ms = json_object();

    json_object_set_new(ms, "min", json_number(rates->ms.min));
    json_object_set_new(ms, "median", json_number(rates->ms.median));
    json_object_set_new(ms, "max", json_number(rates->ms.max));
    json_object_set_new(object, "ms", ms);
    json_object_set_new(object, "total_ms",
                        run->total_ms > 0 ? json_number(run->total_ms) : json_null());
    json_object_set_new(object, "cycles",
                        run->cycles ? report_whole((uint64_t)run->cycles) : json_null());
    json_object_set_new(object, "span_cycles",
                        run->span_cycles ? report_whole((uint64_t)run->span_cycles) : json_null());
    json_object_set_new(object, "bytes", work.bytes > 0 ? json_number(work.bytes) : json_null());
    json_object_set_new(object, "flops", work.flops > 0 ? json_number(work.flops) : json_null());
    json_object_set_new(object, "gbs", json_number(rates->gbs));
    json_object_set_new(object, "gflops", json_number(rates->gflops));
    json_object_set_new(object, "share", json_number(rates->share));
    json_object_set_new(object, "limit", json_text(rates->limit));
    json_object_set_new(object, "limit_unit", json_text(rates->unit));
}

static const char *verdict_word(const struct verdict *verdict)
{
    return verdict->match ? "match" : verdict->unchecked ? "unchecked" : "mismatch";
}

static void add_verdict(json_t *object, const struct verdict *verdict)
{
    json_object_set_new(object, "result", json_text(verdict->result));
    json_object_set_new(object, "reference", json_text(verdict->reference));
    json_object_set_new(object, "error", json_number(verdict->error));
    json_object_set_new(object, "tolerance", json_number(verdict->tolerance));
    json_object_set_new(object, "verdict", json_string(verdict_word(verdict)));
    json_object_set_new(object, "why", json_text(verdict->why));
}

/* Print `object` on one line. */
static void print_object(const json_t *object)
{
    /* 15 digits: a number that was rounded to six prints as six. */
    json_dumpf(object, stdout, JSON_COMPACT | JSON_REAL_PRECISION(15));
    putchar('\n');
}

static void print_title(const struct step *step)
{
    printf("%s %s: %s\n", step->chapter, step->name, step->title);
}

void report_device_line(const struct device *device)
{
    if (device->cpu) {
        printf("  cpu     %s\n", device->name);
        return;
    }
    printf("  device  %s, compute %d.%d, driver %d.%d, toolkit %d.%d\n", device->name,
           device->major, device->minor, device->driver / 1000, device->driver % 1000 / 10,
           device->runtime / 1000, device->runtime % 1000 / 10);
}

static const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

/* "32 blocks" or "63 x 63 blocks". */
static void print_count(unsigned x, unsigned y, const char *what)
{
    printf("%u", x);
    if (y > 1)
        printf(" x %u", y);
    printf(" %s%s", what, plural(y > 1 ? y : x));
}

static void print_launch(const struct run *run, int64_t n)
{
    if (!run->blocks) {
        printf("  size    n = %" PRId64 "\n", n);
        return;
    }
    printf("  launch  n = %" PRId64 ", ", n);
    print_count(run->blocks, run->blocks_y, "block");
    fputs(" of ", stdout);
    print_count(run->threads, run->threads_y, "thread");
    if (run->shared_bytes)
        printf(", %zu bytes of dynamic shared memory", run->shared_bytes);
    putchar('\n');
    if (*run->reason)
        printf("  because %s\n", run->reason);
}

static void print_rates(const struct run *run, const struct device *device,
                        const struct rates *rates)
{
    const char *modelled = device->modelled ? ", modelled" : "";

    if (run->done == 1)
        printf("  time    %.4g ms (1 run%s)\n", rates->ms.median, modelled);
    else if (run->done > 1)
        printf("  time    %.4g ms (median of %d runs, %.4g to %.4g%s)\n", rates->ms.median,
               run->done, rates->ms.min, rates->ms.max, modelled);
    if (run->total_ms > 0)
        printf("  total   %.4g ms with allocation and copies%s\n", run->total_ms, modelled);
    if (!isnan(rates->gbs))
        printf("  memory  %.4g GB/s\n", rates->gbs);
    if (!isnan(rates->gflops))
        printf("  work    %.4g GFLOP/s\n", rates->gflops);
    if (*rates->limit)
        printf("  share   %.3g %% of the peak of %s\n", 100 * rates->share, rates->limit);
    if (run->cycles)
        printf("  cycles  %lld, the longest block's\n", run->cycles);
    if (run->span_cycles)
        printf("  span    %lld cycles from the first start to the last end\n", run->span_cycles);
}

static void print_own(json_t *own)
{
    const char *key;
    json_t *value;

    json_object_foreach(own, key, value)
    {
        if (json_is_null(value))
            continue;
        printf("  %-7s ", key);
        if (json_is_string(value))
            fputs(json_string_value(value), stdout);
        else
            json_dumpf(value, stdout, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
        putchar('\n');
    }
}

static void print_verdict(const struct verdict *verdict, const struct device *device)
{
    if (verdict->unchecked) {
        printf("  result  not checked%s\n", device->sampled ? ": time of a sample of blocks" : "");
        return;
    }
    printf("  result  %s, reference %s", verdict->result, verdict->reference);
    if (verdict->tolerance > 0)
        printf(", error %.3g of %.3g allowed", verdict->error, verdict->tolerance);
    printf(": %s\n", verdict->match ? "match" : "MISMATCH");
    if (*verdict->why)
        printf("  why     %s\n", verdict->why);
}

int report_delivered(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return EXIT_MATCH;
    check_say("what it printed could not be written");
    return EXIT_MISMATCH;
}

struct verdict report_verdict(const struct measurement *measurement)
{
    struct verdict verdict = measurement->verdict;

    if (measurement->run.overrun) {
        verdict.match = verdict.unchecked = false;
        snprintf(verdict.why, sizeof(verdict.why), "%s", measurement->run.overrun);
    }
    return verdict;
}

struct measurement measurement_new(const struct session *session)
{
    return (struct measurement){
        .n = session->options.n,
        .run = run_new(&session->options, &session->device),
    };
}

void measurement_free(struct measurement *measurement)
{
    json_decref(measurement->own);
    run_free(&measurement->run);
}

static void print_json(const struct session *session, const struct measurement *measurement,
                       const struct rates *rates, const struct verdict *verdict)
{
    json_t *object = json_step(&session->step, &session->device);

    if (measurement->problem)
        json_object_set_new(object, "problem", json_string(measurement->problem));
    add_launch(object, &measurement->run, measurement->n);
    add_rates(object, &measurement->run, measurement->work, rates);
    add_verdict(object, verdict);
    json_object_update_missing(object, measurement->own);
    print_object(object);
    json_decref(object);
}

static void print_text(const struct session *session, const struct measurement *measurement,
                       const struct rates *rates, const struct verdict *verdict)
{
    print_title(&session->step);
    report_device_line(&session->device);
    print_launch(&measurement->run, measurement->n);
    print_rates(&measurement->run, &session->device, rates);
    print_own(measurement->own);
    print_verdict(verdict, &session->device);
}

int report(const struct session *session, const struct measurement *measurement)
{
    const struct verdict verdict = report_verdict(measurement);
    const struct rates rates = find_rates(&measurement->run, &session->device, measurement->work);
    int code;

    if (session->options.json)
        print_json(session, measurement, &rates, &verdict);
    else
        print_text(session, measurement, &rates, &verdict);
    code = report_delivered();
    return verdict.match || verdict.unchecked ? code : EXIT_MISMATCH;
}

int report_device(struct step step, const struct device *device)
{
    json_t *object = json_step(&step, device);

    json_object_set_new(object, "verdict", json_string(device->sampled ? "unchecked" : "match"));
    print_object(object);
    json_decref(object);
    return report_delivered();
}
