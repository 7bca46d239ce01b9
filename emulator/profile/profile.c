/* SPDX-License-Identifier: MIT */
/* The counters: counted a worker, added up a kernel, printed as text or JSON. */
#include "profile/profile.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"
#include "machine/observer_memory.h"
#include "number.h"
#include "profile/tenth.h"

/* One worker's counts of the launch under way, away from the cache lines of the others. */
struct worker_counts {
    _Alignas(64) uint64_t n[PROFILE_COUNTER_COUNT];
    struct turn_counts {
        uint64_t number, n[PROFILE_COUNTER_COUNT];
        uint32_t count; /* of reports */
    } turns[TURN_SLOTS]; /* what these add once */
};

/* A function of a library that the CPU does. */
struct hosted_count {
    const char *name;
    uint64_t calls;
};

struct profile {
    struct observer observer;
    struct profile *next; /* of the next device; NULL: none */
    int number; /* of the device */
    bool several; /* devices */
    struct gpu gpu;
    struct worker_counts *workers;
    int worker_count;
    struct profile_kernel *kernels;
    size_t kernel_count;
    unsigned range; /* that a launch now belongs to */
    const struct timing *timing; /* NULL: none */
    struct hosted_count *hosted;
    size_t hosted_count;
};

static const struct {
    const char *label, *metric;
} counter_names[] = {
#define X(id, key, label, metric) {label, metric},
    PROFILE_COUNTERS(X)
#undef X
};

/* Events. */

static void on_launch_begin(void *self, const struct launch *launch)
{
    struct profile *profile = self;

    if (launch->workers > profile->worker_count) {
        free(profile->workers);
        profile->workers = observer_allocate(launch->workers, sizeof(*profile->workers));
        profile->worker_count = launch->workers;
    }
    memset(profile->workers, 0, profile->worker_count * sizeof(*profile->workers));
}

/* An event that goes to the worker's counts. */
#define COUNTED(event_name)                                                            \
    static void on_##event_name(void *self, const struct event_name##_event *event)    \
    {                                                                                  \
        count_##event_name(((struct profile *)self)->workers[event->worker].n, event); \
    }
COUNTED(instruction)
COUNTED(fetch)
COUNTED(branch)
COUNTED(barrier)
#undef COUNTED

static void on_product(void *self, const struct collective_event *event)
{
    struct profile *profile = self;

    profile->workers[event->worker].n[PROFILE_TENSOR_INSTRUCTIONS]++;
}

static void on_stretch(void *self, const struct stretch_event *event)
{
    struct profile *profile = self;

    count_stretch(profile->workers[event->worker].n, event->stretch);
}

static void on_access(void *self, const struct access_event *event)
{
    struct profile *profile = self;

    count_access(profile->workers[event->worker].n, event);
}

static void on_request(void *self, const struct request_event *event)
{
    struct profile *profile = self;

    count_stretch(profile->workers[event->worker].n, event->stretch);
    count_request(profile->workers[event->worker].n, event);
}

static void on_turns(void *self, const struct turns_event *event)
{
    struct worker_counts *counts = &((struct profile *)self)->workers[event->worker];
    struct turn_counts *turn = &counts->turns[event->slot];

    if (turn->number != event->number || turn->count != event->count) {
        *turn = (struct turn_counts){.number = event->number, .count = event->count};
        for (uint32_t i = 0; i < event->count; i++)
            count_told(turn->n, &event->told[i]);
    }
    for (int i = 0; i < PROFILE_COUNTER_COUNT; i++)
        counts->n[i] += event->times * turn->n[i];
}

/* Where to count `launch`: with an earlier one of the same range, function and shape, or a new
 * row. */
static struct profile_kernel *find_kernel(struct profile *profile, const struct launch *launch)
{
    const struct kernel_info *info = kernel_info(launch->kernel);
    const size_t shared_bytes = info->function->shared_bytes + launch->dynamic_shared;

    for (size_t i = 0; i < profile->kernel_count; i++) {
        struct profile_kernel *kernel = &profile->kernels[i];
        if (kernel->range == profile->range &&
            strcmp(kernel->function, info->function->name) == 0 &&
            dim_equal(kernel->grid, launch->grid) && dim_equal(kernel->block, launch->block) &&
            kernel->shared_bytes == shared_bytes)
            return kernel;
    }
    profile->kernels =
        observer_grow(profile->kernels, profile->kernel_count + 1, sizeof(*profile->kernels));
    profile->kernels[profile->kernel_count] = (struct profile_kernel){
        .name = observer_copy(info->name),
        .function = observer_copy(info->function->name),
        .grid = launch->grid,
        .block = launch->block,
        .shared_bytes = shared_bytes,
        .range = profile->range,
    };
    return &profile->kernels[profile->kernel_count++];
}

/* Add what the launch counted; blocks that did not run in full count as those that did. */
static void add_launch(const struct profile *profile, const struct launch *launch,
                       struct profile_kernel *kernel)
{
    const uint64_t blocks = dim_count(launch->grid), counted = blocks - launch->sliced;
    uint64_t sum[PROFILE_COUNTER_COUNT] = {0};

    for (int worker = 0; worker < profile->worker_count; worker++)
        count_add(sum, profile->workers[worker].n);
    for (int i = 0; launch->sliced && i < PROFILE_COUNTER_COUNT; i++)
        sum[i] = (uint64_t)((double)sum[i] * (double)blocks / (double)counted + 0.5);
    count_add(kernel->counters, sum);
    count_totals(kernel->counters);
    kernel->sampled_blocks += launch->sliced ? counted : 0;
}

static void on_launch_end(void *self, const struct launch *launch, const struct fault *fault)
{
    struct profile *profile = self;
    struct profile_kernel *kernel = find_kernel(profile, launch);

    if (profile->timing && !(fault && fault->kind == FAULT_INTERRUPTED)) { /* it has no time */
        kernel->timing = timing_last(profile->timing);
        kernel->ms += kernel->timing.ms;
        kernel->link_bytes += kernel->timing.link_bytes;
        kernel->memory_bytes += kernel->timing.memory_bytes;
    }
    kernel->launches++;
    kernel->failed_launches += fault && fault->kind != FAULT_NONE;
    add_launch(profile, launch, kernel);
}

struct profile *profile_new(const struct machine *machine)
{
    struct profile *profile = observer_allocate(1, sizeof(*profile));

    profile->gpu = *machine_gpu(machine);
    profile->observer = (struct observer){
        .self = profile,
        .launch_begin = on_launch_begin,
        .launch_end = on_launch_end,
        .instruction = on_instruction,
        .stretch = on_stretch,
        .access = on_access,
        .request = on_request,
        .turns = on_turns,
        .fetch = on_fetch,
        .branch = on_branch,
        .barrier = on_barrier,
        .product = on_product,
    };
    return profile;
}

void profile_free(struct profile *profile)
{
    if (!profile)
        return;
    for (size_t i = 0; i < profile->kernel_count; i++) {
        free(profile->kernels[i].name);
        free(profile->kernels[i].function);
    }
    free(profile->kernels);
    free(profile->hosted);
    free(profile->workers);
    free(profile);
}

void profile_set_timing(struct profile *profile, const struct timing *timing)
{
    profile->timing = timing;
}

void profile_follow(struct profile *profile, struct profile *next)
{
    profile->next = next;
    profile->several = next->several = true;
    next->number = profile->number + 1;
}

void profile_hosted(struct profile *profile, const char *name)
{
    for (size_t i = 0; i < profile->hosted_count; i++)
        if (!strcmp(profile->hosted[i].name, name)) {
            profile->hosted[i].calls++;
            return;
        }
    profile->hosted =
        observer_grow(profile->hosted, profile->hosted_count + 1, sizeof(*profile->hosted));
    profile->hosted[profile->hosted_count++] = (struct hosted_count){name, 1};
}

void profile_next_range(struct profile *profile)
{
    profile->range++;
}

const struct observer *profile_observer(struct profile *profile)
{
    return &profile->observer;
}

const struct profile_kernel *profile_kernels(const struct profile *profile, size_t *count)
{
    *count = profile->kernel_count;
    return profile->kernels;
}

/* Ratios of two sums of counters. */

struct ratio {
    const char *key, *label;
    enum profile_counter over, under[3]; /* their sum */
    int under_count;
};

static const struct ratio ratios[] = {
    {"active_lanes",
     ACTIVE_LANES_NAME,
     PROFILE_THREAD_INSTRUCTIONS,
     {PROFILE_WARP_INSTRUCTIONS},
     1},
    {"sectors_per_load", SECTORS_LOAD_NAME, PROFILE_GLOBAL_LOAD_SECTORS, {PROFILE_GLOBAL_LOADS}, 1},
    {"sectors_per_store",
     SECTORS_STORE_NAME,
     PROFILE_GLOBAL_STORE_SECTORS,
     {PROFILE_GLOBAL_STORES},
     1},
    {"wavefronts_per_shared_request",
     WAVEFRONTS_NAME,
     PROFILE_SHARED_WAVEFRONTS,
     {PROFILE_SHARED_LOADS, PROFILE_SHARED_STORES, PROFILE_SHARED_ATOMICS},
     3},
    {"sectors_per_fetch",
     SECTORS_FETCH_NAME,
     PROFILE_TEXTURE_SECTORS,
     {PROFILE_TEXTURE_FETCHES},
     1},
    {"passes_per_constant_load",
     CONSTANT_PASSES_NAME,
     PROFILE_CONSTANT_PASSES,
     {PROFILE_CONSTANT_LOADS},
     1},
    {"global_efficiency",
     EFFICIENCY_NAME,
     PROFILE_GLOBAL_BYTES_ASKED,
     {PROFILE_GLOBAL_BYTES_MOVED},
     1},
};
enum { RATIO_COUNT = sizeof(ratios) / sizeof(ratios[0]) };

/* False where nothing was counted. */
static bool ratio_of(const struct ratio *ratio, const uint64_t *counters, double *value)
{
    uint64_t under = 0;

    for (int i = 0; i < ratio->under_count; i++)
        under += counters[ratio->under[i]];
    if (under == 0)
        return false;
    *value = (double)counters[ratio->over] / (double)under;
    return true;
}

/* Printing. */

static json_t *dim_json(struct dim dim)
{
    return json_pack("[I, I, I]", (json_int_t)dim.x, (json_int_t)dim.y, (json_int_t)dim.z);
}

/* Blocks smaller than a warp come before all else: their warps are short of lanes throughout. A
 * launch of one such block needs more work first. */
static const char *advice_for(const struct profile_kernel *kernel)
{
    const enum timing_limit limit = kernel->timing.limit;

    if (dim_count(kernel->block) < WARP_SIZE &&
        (dim_count(kernel->grid) > 1 || limit != TIMING_LAUNCH))
        return "make its blocks larger: they are smaller than a warp, whose other lanes do nothing";
    if (limit == TIMING_LOAD_STORE && count_is_atomic(kernel->counters))
        return "let fewer atomics meet in global memory: collect in shared memory first";
    return timing_limit_advice(limit);
}

static void add_timing(json_t *object, const struct gpu *gpu, const struct profile_kernel *kernel)
{
    const enum timing_limit limit = kernel->timing.limit;
    const struct tenth tenth = tenth_off(gpu, kernel);

    json_object_set_new(object, "modelled_ms", json_real(kernel->ms));
    json_object_set_new(object, "bound_by", json_string(timing_limit_name(limit)));
    json_object_set_new(object, "try_next", json_string(advice_for(kernel)));
    if (*tenth.text)
        json_object_set_new(object, "tenth",
                            json_pack("{s:s, s:s?, s:f, s:f}", "needs", tenth.text, "counter",
                                      tenth.counter, "now", tenth.now, "wanted", tenth.wanted));
    json_object_set_new(object, "memory_bytes", json_integer((json_int_t)kernel->memory_bytes));
    json_object_set_new(object, "warps_in_flight",
                        json_integer((json_int_t)warps_in_flight(gpu, kernel)));
    json_object_set_new(object, "occupancy", json_real(kernel->timing.occupancy));
    json_object_set_new(object, "registers", json_integer(kernel->timing.registers.count));
    json_object_set_new(object, "registers_estimated",
                        json_boolean(kernel->timing.registers.estimated));
}

static json_t *kernel_json(const struct profile *profile, const struct profile_kernel *kernel)
{
    json_t *object = json_pack(
        "{s:s, s:s, s:i, s:o, s:o, s:I, s:I, s:I}", "name", kernel->name, "function",
        kernel->function, "range", (int)kernel->range, "grid", dim_json(kernel->grid), "block",
        dim_json(kernel->block), "shared_bytes", (json_int_t)kernel->shared_bytes, "launches",
        (json_int_t)kernel->launches, "failed_launches", (json_int_t)kernel->failed_launches);

    if (profile->several) {
        json_object_set_new(object, "device", json_integer(profile->number));
        json_object_set_new(object, "link_bytes", json_integer((json_int_t)kernel->link_bytes));
    }
    if (kernel->sampled_blocks)
        json_object_set_new(object, "sampled_blocks",
                            json_integer((json_int_t)kernel->sampled_blocks));
    for (int i = 0; i < PROFILE_COUNTER_COUNT; i++)
        json_object_set_new(object, count_key(i), json_integer(kernel->counters[i]));
    for (int i = 0; i < RATIO_COUNT; i++) {
        double value;
        const bool counted = ratio_of(&ratios[i], kernel->counters, &value);
        json_object_set_new(object, ratios[i].key, counted ? json_real(value) : json_null());
    }
    if (profile->timing)
        add_timing(object, &profile->gpu, kernel);
    return object;
}

static void print_json(const struct profile *profile, FILE *file)
{
    json_t *kernels = json_array();

    for (const struct profile *device = profile; device; device = device->next)
        for (size_t i = 0; i < device->kernel_count; i++)
            json_array_append_new(kernels, kernel_json(device, &device->kernels[i]));

    json_t *hosted = json_array();
    for (size_t i = 0; i < profile->hosted_count; i++)
        json_array_append_new(hosted, json_pack("{s:s, s:I}", "name", profile->hosted[i].name,
                                                "calls", (json_int_t)profile->hosted[i].calls));
    json_t *object = json_pack("{s:s, s:o}", "device", profile->gpu.name, "kernels", kernels);
    if (profile->hosted_count)
        json_object_set(object, "on_cpu", hosted);
    json_decref(hosted);
    json_dumpf(object, file, JSON_COMPACT | JSON_REAL_PRECISION(9));
    fputc('\n', file);
    json_decref(object);
}

/* Counters that tell nothing more where they are 0 or repeat another. */
static bool is_worth_a_line(const struct profile *profile, const uint64_t *counters, int counter)
{
    switch (counter) {
    case PROFILE_WARP_INSTRUCTIONS:
    case PROFILE_THREAD_INSTRUCTIONS:
        return true;
    case PROFILE_ACTIVE_THREADS:
        return counters[counter] != counters[PROFILE_THREAD_INSTRUCTIONS];
    case PROFILE_DIVERGENT_BRANCHES:
        return counters[PROFILE_BRANCHES] != 0;
    case PROFILE_SHARED_CONFLICTS:
        return counters[PROFILE_SHARED_WAVEFRONTS] != 0;
    case PROFILE_GLOBAL_TRANSACTIONS:
        return counters[counter] != 0 && profile->gpu.coalescing != COALESCE_SECTORS;
    default:
        return counters[counter] != 0;
    }
}

/* What bounds it, and by which shares of the time, the largest first. */
static void print_timing(const struct gpu *gpu, const struct profile_kernel *kernel, FILE *file)
{
    const struct timing_launch *timing = &kernel->timing;
    const struct tenth tenth = tenth_off(gpu, kernel);
    bool said[TIMING_LIMIT_COUNT] = {false};
    bool any = false;

    if (!(kernel->ms > 0)) /* its only launch was interrupted */
        return;
    fprintf(file, "  %-38s %19.4g ms (modelled)\n", "time", kernel->ms);
    fprintf(file, "  %-38s %19.2f (%d blocks per SM)\n", "occupancy", timing->occupancy,
            timing->resident_blocks);
    fprintf(file, "  %-38s %19d%s\n", "registers per thread", timing->registers.count,
            timing->registers.estimated ? " (estimated)" : "");
    fprintf(file, "  %-38s %19s", "bound by", timing_limit_name(timing->limit));
    for (int n = 0; n < TIMING_LIMIT_COUNT; n++) {
        int most = -1;
        for (int i = 0; i < TIMING_LIMIT_COUNT; i++)
            if (!said[i] && (most < 0 || timing->shares[i] > timing->shares[most]))
                most = i;
        said[most] = true;
        if (timing->shares[most] >= 0.05)
            fprintf(file, "%s%s %.0f %%",
                    n                  ? ", "
                    : timing->by_units ? " (busy: "
                                       : " (waiting: ",
                    timing_limit_name(most), 100 * timing->shares[most]);
        any |= timing->shares[most] >= 0.05;
    }
    fprintf(file, "%s\n  %-38s %s\n", any ? ")" : "", "what to try next", advice_for(kernel));
    if (*tenth.text)
        fprintf(file, "  %-38s %s\n", "10 % less time needs", tenth.text);
}

/* Today's Nsight Compute knows compute capability 7.0 and later. */
static bool has_metrics(const struct gpu *gpu)
{
    return gpu->major >= 7;
}

static void print_kernel(const struct profile *profile, const struct profile_kernel *kernel,
                         FILE *file)
{
    const struct dim grid = kernel->grid, block = kernel->block;
    char text[NUMBER_GROUPED];

    if (profile->several)
        fprintf(file, "device %d: ", profile->number);
    fprintf(file, "%s <<<(%u, %u, %u), (%u, %u, %u)>>>", kernel->name, grid.x, grid.y, grid.z,
            block.x, block.y, block.z);
    fprintf(file, ", %zu bytes of shared memory, %" PRIu64 " launch%s", kernel->shared_bytes,
            kernel->launches, kernel->launches == 1 ? "" : "es");
    if (kernel->failed_launches)
        fprintf(file, " (%" PRIu64 " failed)", kernel->failed_launches);
    if (kernel->sampled_blocks)
        fprintf(file, ", counted in %" PRIu64 " blocks", kernel->sampled_blocks);
    fputc('\n', file);

    for (int i = 0; i < PROFILE_COUNTER_COUNT; i++) {
        const char *metric = has_metrics(&profile->gpu) ? counter_names[i].metric : NULL;
        if (!is_worth_a_line(profile, kernel->counters, i))
            continue;
        fprintf(file, "  %-38s %19s%s%s\n", counter_names[i].label,
                number_group(kernel->counters[i], text), metric ? "  " : "", metric ? metric : "");
    }
    if (kernel->link_bytes)
        fprintf(file, "  %-38s %19s\n", "bytes of other devices' memory",
                number_group(kernel->link_bytes, text));
    for (int i = 0; i < RATIO_COUNT; i++) {
        double value;
        if (ratio_of(&ratios[i], kernel->counters, &value))
            fprintf(file, "  %-38s %19.2f\n", ratios[i].label, value);
    }
    if (profile->timing)
        print_timing(&profile->gpu, kernel, file);
}

static void print_text(const struct profile *profile, FILE *file)
{
    fprintf(file, "profile on %s (PTX instructions%s)\n", profile->gpu.name,
            has_metrics(&profile->gpu) ? "; named metrics equal Nsight Compute's" : "");
    size_t count = 0;
    for (const struct profile *device = profile; device; device = device->next) {
        count += device->kernel_count;
        for (size_t i = 0; i < device->kernel_count; i++)
            print_kernel(device, &device->kernels[i], file);
    }
    if (count == 0)
        fputs("no kernel was launched\n", file);
    for (size_t i = 0; i < profile->hosted_count; i++)
        fprintf(file, "%s: on the CPU, no time, %" PRIu64 " call%s\n", profile->hosted[i].name,
                profile->hosted[i].calls, profile->hosted[i].calls == 1 ? "" : "s");
}

void profile_print(struct profile *profile, FILE *file, bool json)
{
    if (json)
        print_json(profile, file);
    else
        print_text(profile, file);
}
