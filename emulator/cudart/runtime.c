/* SPDX-License-Identifier: MIT */
/* The runtime object, its lock, and the errors of each thread. */
#define _GNU_SOURCE /* program_invocation_short_name */
#include "cudart/runtime.h"
#include "cudart/lacking.h"
#include "translate.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The only mutable state that is not passed as an argument: functions of the API start from
 * here. */
static struct runtime the_runtime = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .device_count = 1, .device = the_runtime.devices};

/* The process whose reports these are, not one that it made by vfork(); 0 before its first call and
 * at its end. */
static pid_t reporter;

enum { MAX_CONFIGURATIONS = 16 };
static _Thread_local struct {
    cudaError_t last_error;
    struct configuration configurations[MAX_CONFIGURATIONS];
    int configuration_count;
    int device; /* that its calls are about */
    bool is_used; /* by a call of the runtime */
    bool in_driver; /* it is in a call of the driver */
    bool calls_back; /* it is running a function that the program put into a stream */
    unsigned long long launch_call; /* runtime.calls at its last launch, or 0 */
    cudaStream_t launch_stream;
} the_thread;

static void say(const char *english)
{
    char *message = translate(language_here(), english);

    fprintf(stderr, "emu: %s\n", message ? message : english);
    free(message);
}

void runtime_say(const char *format, ...)
{
    char message[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    fflush(stdout);
    say(message);
}

void runtime_say_lines(const char *text)
{
    static const char mark[] = "emu: ";

    fflush(stdout);
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        char *line = strndup(text, length);
        if (line && !strncmp(line, mark, strlen(mark)))
            say(line + strlen(mark));
        else
            fprintf(stderr, "%.*s\n", (int)length, text);
        free(line);
    }
}

void runtime_complain(struct runtime *runtime, const char *format, ...)
{
    char message[COMPLAINT_SIZE];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    if (!runtime->complaints++ || strcmp(message, runtime->complaint) != 0)
        runtime_say("%s", message);
    memcpy(runtime->complaint, message, sizeof(message));
}

int runtime_lacks(const char *function)
{
    return ASIDE(runtime, (runtime_complain(runtime, "%s() is not emulated (%s)", function,
                                            family_of(function)),
                           cudaErrorNotSupported));
}

bool list_add(struct list *list, void *item)
{
    if (list->count == list->capacity) {
        const size_t capacity = list->capacity ? 2 * list->capacity : 16;
        void **items = realloc(list->items, capacity * sizeof(*items));
        if (!items)
            return false;
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count++] = item;
    return true;
}

bool list_remove(struct list *list, const void *item)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i] != item)
            continue;
        list->count--;
        memmove(list->items + i, list->items + i + 1, (list->count - i) * sizeof(*list->items));
        return true;
    }
    return false;
}

bool list_has(const struct list *list, const void *item)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i] == item)
            return true;
    return false;
}

void *list_take_from(struct list *list, int device)
{
    void *last = NULL;

    for (size_t i = list->count; i-- > 0 && !last;)
        if (*(const int *)list->items[i] == device)
            last = list->items[i];
    list_remove(list, last);
    return last;
}

void list_clear(struct list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i]);
    free(list->items);
    *list = (struct list){0};
}

static void note_exitcode(int code, void *runtime)
{
    ((struct runtime *)runtime)->exitcode = code & 0xff; /* all that the parent gets */
}

/* The settings are read before main(), so that later changes of the environment have no effect. */
__attribute__((constructor)) static void read_settings(void)
{
    settings_read(&the_runtime.settings, the_runtime.settings_error);
}

/* Some GPUs have a time model that orders the warps itself. With --schedule they use the plain
 * one instead, and a line says so. */
static void insist_on_schedule(const struct device *device)
{
    struct machine *machine = device->machine;

    machine_insist_on_schedule(machine);
    if (machine_gpu(machine)->issue_clocks && device->number == 0)
        runtime_say("%s: with --schedule it takes the plain clock instead of its own model; do not "
                    "compare its times with the article's",
                    machine_gpu(machine)->name);
}

static void lock(void)
{
    runtime_lock();
}

static void unlock(void)
{
    runtime_unlock(&the_runtime);
}

/* After fork() the child has no device: as with a driver, it cannot use what its parent
 * initialised. It has nothing to report, either. */
static void forsake(void)
{
    memset(the_runtime.devices, 0, sizeof(the_runtime.devices));
    the_runtime.device_count = 1;
    the_runtime.device = the_runtime.devices;
    the_runtime.machine = NULL;
    the_runtime.profile = NULL;
    the_runtime.lines = NULL;
    the_runtime.timing = NULL;
    the_runtime.trace = NULL;
    the_runtime.checks = NULL;
    the_runtime.complaints = 0;
    the_runtime.pending.count = 0;
    the_runtime.broken = cudaErrorInitializationError;
    unlock();
}

static void report_at_abort(void);

/* Make a device, the first one or one beside it, and what observes it. */
static bool start_device(struct runtime *runtime, struct device *device, const struct gpu *gpu)
{
    const struct settings *settings = &runtime->settings;
    /* The checkers keep one state for all blocks, so they need a single worker. */
    const int workers = settings->checks ? 1 : settings->workers;

    device->machine = device->number ? machine_new_beside(runtime->devices->machine, device->number)
                                     : machine_new_first(gpu, workers, settings->devices);
    if (!device->machine)
        return false;
    device->graph_pool.threshold = UINT64_MAX;
    machine_set_engine(device->machine, settings->engine);
    machine_set_signal(device->machine, &runtime_signal);
    machine_set_sampling(device->machine, settings->sampling);
    machine_set_schedule(device->machine, settings->schedule);
    if (settings->scheduled)
        insist_on_schedule(device);
    device->timing = timing_new(device->machine, settings->model);
    if (settings->trace_file) /* must exist before the time model first reports to it */
        runtime->trace = trace_new(device->machine, device->timing);
    machine_observe(device->machine, timing_observer(device->timing));
    if (settings->devices > 1) {
        device->link = link_new(device->machine, device->timing);
        machine_observe(device->machine, link_observer(device->link));
    }
    if (runtime->trace)
        machine_observe(device->machine, trace_observer(runtime->trace));
    if (settings->profile == PROFILE_LINES) {
        device->lines = lines_new(device->machine);
    } else if (settings->profile != PROFILE_NONE) {
        device->profile = profile_new(device->machine);
        profile_set_timing(device->profile, device->timing);
        machine_observe(device->machine, profile_observer(device->profile));
    }
    device_select(runtime, device->number);
    children_start(runtime);
    return true;
}

/* All devices; the checkers watch them together. */
static bool start_devices(struct runtime *runtime, const struct gpu *gpu)
{
    const unsigned kinds = runtime->settings.checks;

    runtime->pending_random = runtime->settings.schedule.seed;
    runtime->device_count = runtime->settings.devices;
    for (int i = 0; i < runtime->device_count; i++) {
        struct device *device = &runtime->devices[i];
        device->number = i;
        if (!start_device(runtime, device, gpu))
            return false;
        struct machine *first = runtime->devices->machine;
        const int others = machine_observer_count(device->machine);
        if (kinds && i == 0)
            runtime->checks = checks_new(device->machine, kinds);
        else if (kinds)
            checks_watch(runtime->checks, device->machine, first, others);
        if (i > 0 && device->profile)
            profile_follow(runtime->devices[i - 1].profile, device->profile);
    }
    device_select(runtime, the_thread.device);
    return true;
}

static cudaError_t start(struct runtime *runtime)
{
    const struct settings settings = runtime->settings;
    struct gpu gpu;
    char error[SETTINGS_ERROR_SIZE];

    if (*runtime->settings_error) {
        runtime_say("%s", runtime->settings_error);
        return cudaErrorInitializationError;
    }
    if (!settings_gpu(&settings, &gpu, error)) {
        runtime_say("%s", error);
        return cudaErrorInitializationError;
    }
    if (!start_devices(runtime, &gpu)) {
        runtime_say("no room for a device with %zu MiB: is the address space limited (ulimit -v)?",
                    gpu.memory >> 20);
        return cudaErrorMemoryAllocation;
    }
    if (settings.progress_file)
        runtime_watch_progress(runtime);
    runtime_watch_signals();
    /* A destructor does not get the exit code, and on_exit() does. */
    on_exit(note_exitcode, runtime);
    report_at_abort();
    stray_watch();
    pthread_atfork(lock, unlock, forsake);
    return cudaSuccess;
}

bool runtime_reports(void)
{
    return reporter == getpid();
}

struct runtime *runtime_lock(void)
{
    pthread_mutex_lock(&the_runtime.lock);
    return &the_runtime;
}

void runtime_unlock(struct runtime *runtime)
{
    if (runtime_signal)
        runtime_interrupted(runtime, NULL, 0);
    pthread_mutex_unlock(&runtime->lock);
}

int runtime_device(void)
{
    return the_thread.device;
}

void runtime_set_device(int number)
{
    the_thread.device = number;
}

cudaError_t device_about(struct runtime *runtime, int number)
{
    if (!device_exists(runtime, number))
        return cudaErrorInvalidDevice;
    device_select(runtime, number);
    return cudaSuccess;
}

bool device_exists(const struct runtime *runtime, int number)
{
    return number >= 0 && number < runtime->device_count;
}

void device_select(struct runtime *runtime, int number)
{
    struct device *device = &runtime->devices[number];

    if (runtime->device == device && runtime->machine == device->machine)
        return;
    if (runtime->timing)
        timing_advance(device->timing,
                       timing_now_ms(runtime->timing) - timing_now_ms(device->timing));
    runtime->device = device;
    runtime->machine = device->machine;
    runtime->profile = device->profile;
    runtime->lines = device->lines;
    runtime->timing = device->timing;
}

struct runtime *runtime_now(void)
{
    return &the_runtime;
}

struct runtime *runtime_enter(void)
{
    struct runtime *runtime = runtime_lock();

    runtime->is_used = true;
    if (!the_thread.in_driver)
        runtime->driver.runtime_used = the_thread.is_used = true;
    if (!runtime->machine && !runtime->broken)
        runtime->broken = start(runtime);
    device_select(runtime, the_thread.device);
    return runtime;
}

cudaError_t runtime_leave(struct runtime *runtime, cudaError_t error)
{
    runtime_unlock(runtime);
    if (error)
        the_thread.last_error = error;
    return error;
}

struct runtime_thread runtime_aside(void)
{
    const struct runtime_thread before = {the_thread.last_error, the_thread.in_driver};

    the_thread.in_driver = true;
    return before;
}

void runtime_resume(struct runtime_thread thread)
{
    the_thread.last_error = thread.last_error;
    the_thread.in_driver = thread.in_driver;
}

bool runtime_is_used(void)
{
    return the_thread.is_used;
}

void runtime_forget_use(void)
{
    the_thread.is_used = false;
}

cudaError_t runtime_failure(const struct runtime *runtime)
{
    return runtime->broken         ? runtime->broken
           : the_thread.calls_back ? cudaErrorNotPermitted
                                   : device_failure(runtime);
}

void runtime_call_back(void (*call)(void *), void *argument)
{
    const cudaError_t error = the_thread.last_error;
    const bool within = the_thread.calls_back;

    the_thread.calls_back = true;
    call(argument);
    the_thread.calls_back = within;
    the_thread.last_error = error;
}

bool runtime_push(struct configuration configuration)
{
    if (the_thread.configuration_count == MAX_CONFIGURATIONS)
        return false;
    the_thread.configurations[the_thread.configuration_count++] = configuration;
    return true;
}

bool runtime_pop(struct configuration *configuration)
{
    if (!the_thread.configuration_count)
        return false;
    *configuration = the_thread.configurations[--the_thread.configuration_count];
    return true;
}

bool runtime_launches(const struct runtime *runtime, cudaStream_t stream)
{
    const bool is_next = the_thread.launch_call && the_thread.launch_call + 1 == runtime->calls &&
                         the_thread.launch_stream == stream;

    the_thread.launch_call = runtime->calls;
    the_thread.launch_stream = stream;
    return is_next;
}

cudaError_t cudaPeekAtLastError(void)
{
    return the_thread.last_error;
}

/* Even the error of a kernel that faulted is cleared; as on a GPU, the next call returns it
 * again. */
cudaError_t cudaGetLastError(void)
{
    const cudaError_t error = the_thread.last_error;

    the_thread.last_error = cudaSuccess;
    return error;
}

/* The exit code, or -1 for the program's own. `wrong` counts what went wrong on the device.
 * `told` is false if a report could not be written: success then becomes failure, and a failure
 * stays what it is. */
static int exitcode(const struct runtime *runtime, size_t wrong, bool told)
{
    const int code = wrong && !*runtime->settings_error ? runtime->settings.error_exitcode : -1;

    return !told && (code < 0 ? runtime->exitcode : code) == 0 ? EXIT_FAILURE : code;
}

/* All devices and what is on them, the first one last, whose addresses the others share. */
static void free_devices(struct runtime *runtime)
{
    graph_clear(runtime);
    for (int i = runtime->device_count - 1; i >= 0; i--) {
        struct device *device = &runtime->devices[i];
        device_select(runtime, i);
        device_clear(runtime);
        link_free(device->link);
        timing_free(device->timing);
        profile_free(device->profile);
        lines_free(device->lines);
        machine_free(device->machine);
        *device = (struct device){.number = i};
        runtime->timing = NULL;
    }
    struct list *const emptied[] = {&runtime->streams, &runtime->events,  &runtime->pools,
                                    &runtime->arrays,  &runtime->mipmaps, &runtime->textures};
    for (size_t i = 0; i < sizeof(emptied) / sizeof(*emptied); i++)
        list_clear(emptied[i]);
    runtime->machine = NULL;
    runtime->profile = NULL;
    runtime->lines = NULL;
}

/* At the end of the process: print the reports and free everything. */
__attribute__((destructor)) static void finish(void)
{
    struct runtime *runtime = runtime_lock();
    queue_settle(runtime);
    size_t wrong = runtime->complaints;
    bool told = true;

    reporter = 0;
    if (runtime->checks)
        told = runtime_print_checks(runtime, &wrong);
    device_explain_failures(runtime);
    if (runtime->checks) {
        checks_free(runtime->checks);
        runtime->checks = NULL;
    }
    if (runtime->profile || runtime->lines)
        told = runtime_print_profile(runtime) && told;
    if (runtime->trace) {
        told = runtime_write_trace(runtime) && told;
        trace_free(runtime->trace);
        runtime->trace = NULL;
    }
    if (runtime->machine)
        free_devices(runtime);
    list_clear(&runtime->pending);
    free(runtime->refused.items);
    runtime->refused = (struct list){0};
    list_clear(&runtime->functions);
    list_clear(&runtime->variables);
    for (size_t i = 0; i < runtime->binaries.count; i++)
        free(((struct binary *)runtime->binaries.items[i])->copy);
    list_clear(&runtime->binaries);
    list_clear(&runtime->driver.contexts);
    runtime->broken = cudaErrorCudartUnloading;
    runtime_unlock(runtime);
    const int code = exitcode(runtime, wrong, told);
    if (code >= 0) {
        fflush(NULL);
        _exit(code);
    }
}

/* --- Ends without destructors ----------------------------------------------------------------- */

void __cudaEmuFinish(int code)
{
    /* Not where a call is under way: the runtime may be half changed. */
    if (!runtime_reports() || pthread_mutex_trylock(&the_runtime.lock) != 0)
        return;
    the_runtime.exitcode = code & 0xff;
    runtime_unlock(&the_runtime);
    finish();
}

/* abort() is also how a failed assert() and an uncaught exception end. */
static void on_abort(int number)
{
    __cudaEmuFinish(128 + number);
    signal(number, SIG_DFL);
    raise(number);
}

static void report_at_abort(void)
{
    void (*const before)(int) = signal(SIGABRT, on_abort);

    if (before != SIG_DFL) /* the program's own, which may go on */
        signal(SIGABRT, before);
    at_quick_exit(finish);
    reporter = getpid();
}
