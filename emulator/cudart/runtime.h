/* SPDX-License-Identifier: MIT */
/* The runtime behind the API: one object for the whole process, as CUDA itself has it.
 *
 * Every function of the API is one line, `return API(runtime, what_it_does(runtime, ...));`, or
 * stands after ENTRY(API, ...), which is the same. It takes the lock, makes the device on first
 * use, answers with the pending error once a kernel has faulted, and remembers what went wrong for
 * cudaGetLastError.
 *
 *   runtime.c       the object, the lock, the errors of a thread
 *   module.c        registration, loading, symbols            fatbin.c   what is loaded
 *   launch.c        launches and their checks                 function.c attributes, occupancy
 *   allocation.c    device, managed and host memory           transfer.c copies and fills
 *   pool.c          allocation in the order of streams        managed.c  advice, prefetching
 *   array.c         CUDA arrays and their copies              mipmap.c   those with levels
 *   texture.c       texture objects
 *   stream.c        streams and events                        queue.c    work put off
 *   device.c        properties and limits
 *   graph.h         graphs, and streams captured into them
 *   error.c         names and texts of errors                 profiler.c its switches
 *   reports.c       what is said at the end         refuse.c   arguments refused
 *   children.c      launches by kernels                       hosted.c   calls for the CPU
 *   loaded.c        code loaded at run time                   library.c  libraries of it
 *   peer.c          devices and each other's memory
 *   lacking.c       what is not emulated                      unused.c   programs without a call
 */
#ifndef RUNTIME_H
#define RUNTIME_H

/* Everything that the toolkit declares is exported. */
#pragma GCC visibility push(default)
#include <cuda_runtime_api.h>
#pragma GCC visibility pop

#include <pthread.h>
#include <signal.h>

#include "cudart/settings.h"
#include "emu.h"
#include "machine/machine.h"
#include "machine/texture.h"
#include "check/check.h"
#include "check/call_site.h"
#include "profile/lines.h"
#include "profile/profile.h"
#include "trace/trace.h"
#include "time/link.h"
#include "time/registers.h"
#include "time/timing.h"
#include "time/usage.h"

/* A list of pointers, in the order in which they were added. */
struct list {
    void **items;
    size_t count, capacity;
};
/* Returns false if there is no memory. */
bool list_add(struct list *list, void *item);
/* Returns false if the item is not in the list. */
bool list_remove(struct list *list, const void *item);
bool list_has(const struct list *list, const void *item);
/* Remove and return the last item of this device, of items that begin with the number of theirs; or
 * NULL. */
void *list_take_from(struct list *list, int device);
/* Empty the list, freeing its items. */
void list_clear(struct list *list);

/* Parts the texts of what cuLinkComplete() linked: a form feed, which no PTX has. */
enum { PTX_SEPARATOR = '\f' };

/* A registered fat binary. It is loaded when something in it is first used. */
struct binary {
    const void *data; /* NULL for PTX text */
    const void *const *objects; /* of one linked by nvlink: the fat binary of each object, NULL */
    char *copy; /* of code loaded at run time: all of it, a fat binary or PTX text; else NULL */
    size_t size; /* of `copy` */
    struct program *programs[MACHINES_MOST]; /* by device. NULL: not loaded, or loading failed */
    cudaError_t failure; /* why it cannot be loaded */
};

/* A kernel: a cudaKernel_t and a cudaFunction_t point to one of these. */
struct function {
    struct binary *binary;
    const void *host; /* address of its stub in the program */
    const char *name;
    const struct kernel *kernel; /* on the device that it was last looked up for; or NULL */
    struct function_on {
        const struct kernel *kernel; /* once loaded */
        int dynamic_shared; /* bytes a launch may ask for; -1: all without opting in */
        int carveout; /* the preferred carveout; -1: none */
        bool any_cluster; /* it may have clusters of more than PORTABLE_CLUSTER blocks */
    } on[MACHINES_MOST]; /* each device */
    bool refused; /* that it cannot run was said */
};

/* A __device__, __constant__ or __managed__ variable. */
struct variable {
    struct binary *binary;
    const void *host; /* its shadow in the program; for a managed variable, the pointer to it */
    const char *name;
    size_t size;
    bool managed;
};

/* What a program advised about managed memory. Where: a device, cudaCpuDeviceId, or
 * cudaInvalidDeviceId for nowhere. */
struct advice {
    bool read_mostly, accessed_by_host;
    uint64_t accessed_by; /* a set of devices */
    int preferred, prefetched;
};

struct block {
    int device; /* on which it was allocated */
    void *address;
    size_t size;
    enum { BLOCK_DEVICE, BLOCK_MANAGED, BLOCK_HOST, BLOCK_REGISTERED } kind;
    unsigned flags; /* of cudaHostAlloc or cudaHostRegister */
    cudaMemPool_t pool; /* that it came from; or NULL */
    struct graph_memory *graph; /* that it belongs to, and is freed with; or NULL */
    struct advice advice; /* of all of it, if managed */
    const void *caller; /* where the program allocated it */
};

/* Where memory that is allocated in the order of a stream comes from. Only its books are kept: the
 * memory itself is the device's. */
struct CUmemPoolHandle_st {
    int device;
    int reuse[3]; /* cudaMemPoolReuseFollowEventDependencies and the two after it */
    uint64_t threshold; /* bytes it keeps when nobody uses them */
    uint64_t used, used_high, reserved, reserved_high, most; /* bytes; `most` 0: no limit */
};

enum { STREAM_ATTRIBUTES = 4 }; /* that a stream keeps */

enum { LIMIT_COUNT = 7, COMPLAINT_SIZE = 1024 };

/* The engines of a GPU, which work side by side. With a single copy engine ENGINE_TO_DEVICE does
 * the copies in both directions. */
enum engine { ENGINE_COMPUTE, ENGINE_TO_DEVICE, ENGINE_TO_HOST, ENGINE_COUNT };

enum link_way { LINK_IN, LINK_OUT, LINK_COUNT };

/* One of the devices, with what each has for itself. */
struct device {
    int number;
    struct machine *machine; /* NULL before the first call */
    struct profile *profile; /* NULL unless asked for */
    struct lines *lines; /* the profile by line; NULL unless asked for */
    struct timing *timing;
    struct link *link; /* to the other devices; NULL: there are none */
    cudaError_t sticky; /* the error of a kernel that faulted, which every later call returns */
    unsigned
        failures; /* calls that have returned it: the second one's program goes on, and is told */
    struct CUmemPoolHandle_st *default_pool, *pool; /* made at first use; the current one */
    struct CUmemPoolHandle_st graph_pool; /* what graphs allocate; keeps all until it is trimmed */
    uint64_t workspace; /* for barriers of grids; 0: none was needed yet */
    cudaStreamAttrValue default_attributes[STREAM_ATTRIBUTES]; /* of the default streams */
    double ready; /* when all work of the default stream is done, on the modelled clock */
    double engine_ms[ENGINE_COUNT]; /* when each engine is done */
    struct usage usage; /* of ENGINE_COMPUTE, which does several things at a time */
    double launch_ms; /* when the next kernel can be launched */
    double allowed_ms; /* for which the last kernel ran on after it let the next one begin, */
    double allowed_share; /* and the share of the GPU that it used meanwhile */
    double link_ms[LINK_COUNT]; /* when each way of its link to other devices is free */
    bool behind_kernel; /* the last work for the device was a kernel */
    uint64_t peers; /* to whose memory it has access: a set of numbers */
    unsigned flags;
    size_t limits[LIMIT_COUNT];
};

struct runtime {
    pthread_mutex_t lock;
    struct settings settings; /* the options of `emu` */
    char settings_error[SETTINGS_ERROR_SIZE]; /* why they could not be read; or "" */
    cudaError_t broken; /* why the device could not be made; or cudaSuccess */
    size_t complaints; /* for --error-exitcode; the checkers' reports do not count */
    char complaint[COMPLAINT_SIZE]; /* the last one */
    struct list refused; /* where the program made calls that were refused */
    int exitcode; /* of the program; set when it ends */

    struct device devices[MACHINES_MOST];
    int device_count;
    /* The device that the call is about, and what it has. */
    struct device *device;
    struct machine *machine; /* NULL before the first call */
    struct profile *profile;
    struct lines *lines;
    struct timing *timing;
    struct trace *trace; /* NULL unless asked for */
    struct checks *checks; /* likewise */

    bool is_used; /* by a call, or by code that was registered */
    struct list binaries, functions, variables; /* of struct binary and so on */
    struct list blocks, streams, events;
    struct list arrays, mipmaps, textures;
    struct list pools; /* that the program made */
    struct list graphs, graph_execs, captures, user_objects, conditions;
    struct list pending; /* work put off, in the order in which it was called for */
    uint64_t pending_random;
    bool pending_watched; /* by a thread */
    unsigned long long calls; /* of functions of the API defined with API() or QUEUED() */
    unsigned long long streams_made, captures_made;
    struct {
        bool initialised; /* by cuInit() */
        bool runtime_used; /* by a function of the runtime, which keeps the primary context */
        unsigned retained[MACHINES_MOST]; /* how often each primary context is */
        unsigned long long made; /* contexts */
        struct list contexts; /* that are not destroyed yet */
    } driver;
    size_t races; /* that have been printed for --break-on */
    int nesting; /* of the kernel that runs: 0 if the host launched it */
};

/* Take the lock. Makes the devices if there are none yet; the call is about the thread's. */
struct runtime *runtime_enter(void);
/* Without the lock, for what happens at any time: a signal. */
struct runtime *runtime_now(void);
/* Only take the lock, as for registration, which happens before main(). */
struct runtime *runtime_lock(void);
void runtime_unlock(struct runtime *runtime);
/* Is this the process whose reports these are, not one that it made by vfork(), and not over? */
bool runtime_reports(void);
/* A function with nothing set on any device. */
struct function function_of(struct binary *binary, const void *host, const char *name);
/* The device of the calling thread, 0 until it says otherwise. */
int runtime_device(void);
void runtime_set_device(int number);
/* From here on the call is about this device. The host's clock goes on as it was. */
void device_select(struct runtime *runtime, int number);
/* The same, if there is such a device, else cudaErrorInvalidDevice. */
cudaError_t device_about(struct runtime *runtime, int number);
/* Is it one of the devices? */
bool device_exists(const struct runtime *runtime, int number);
/* Release the lock and return `error`. If it is an error, the thread's cudaGetLastError will
 * return it. */
cudaError_t runtime_leave(struct runtime *runtime, cudaError_t error);
/* What a thread sets aside while it is in a call of the driver, which leaves no error behind for
 * cudaGetLastError and does not put the thread into the primary context. */
struct runtime_thread {
    cudaError_t last_error;
    bool in_driver;
};
struct runtime_thread runtime_aside(void);
void runtime_resume(struct runtime_thread thread);
/* Has this thread called a function of the runtime, which puts it into the primary context? */
bool runtime_is_used(void);
void runtime_forget_use(void);
/* Run a function that the program has put into a stream. It runs without the lock and may not
 * use the API. On a GPU a thread of the driver runs it, so errors in it do not reach the thread
 * that calls this. */
void runtime_call_back(void (*call)(void *argument), void *argument);
/* The reason why every call fails, now or from now on; cudaSuccess if there is none. */
cudaError_t runtime_failure(const struct runtime *runtime);
/* That of the device: the error of a kernel that faulted. A program that goes on after that is told
 * once what its later errors come from: at the second of them, or where checkers report the fault
 * at the end, after that, by device_explain_failures(). So is one whose only call copies,
 * and that does not look at its error. */
cudaError_t device_failure(const struct runtime *runtime);
void device_explain_failures(const struct runtime *runtime);
/* The copy in hand returns `error`. */
cudaError_t error_of_copy(cudaError_t error);

/* queue.c: do all work that was put off. Functions that do some of it return what went wrong on
 * the device that the call is about. */
cudaError_t queue_settle_all(struct runtime *runtime);
static inline cudaError_t queue_settle(struct runtime *runtime)
{
    return runtime->pending.count ? queue_settle_all(runtime) : cudaSuccess;
}
/* Do what work of the stream would come after, all of the device, or of an event. */
cudaError_t queue_settle_stream(struct runtime *runtime, cudaStream_t stream);
cudaError_t queue_settle_device(struct runtime *runtime);
cudaError_t queue_settle_event(struct runtime *runtime, cudaEvent_t event);
/* The program or library of these kernels ends: those that still wait to run never do. */
void queue_abandon(struct runtime *runtime, const struct binary *binary);
/* Is the event still to be recorded? */
bool queue_records(const struct runtime *runtime, cudaEvent_t event);
/* Is what a stream is given put off? Is this thread at work on what was? */
bool queue_takes(const struct runtime *runtime);
bool queue_works(void);
/* Put off an operation, which the queue owns from then on, or the launch of a graph. */
struct operation;
cudaError_t queue_add(struct runtime *runtime, cudaStream_t stream, struct operation *operation);
cudaError_t queue_graph(struct runtime *runtime, cudaGraphExec_t exec, cudaStream_t stream);
/* The last one reads these bytes, which come from malloc(). */
void queue_hold(struct runtime *runtime, void *bytes);

/* A call of the API that neither gives the device work nor waits for it, but asks or sets
 * something. Launches before and after such a call may overlap. `call` is an expression of type
 * cudaError_t, in which the runtime has the name `runtime`. */
#define ASIDE(runtime, call)                                        \
    ({                                                              \
        call_note(__func__, CALLER);                                \
        struct runtime *runtime = runtime_enter();                  \
        runtime_leave(runtime, runtime_failure(runtime) ?: (call)); \
    })

/* A call of the API that gives a stream work, which may be put off, or waits for some of that. */
#define QUEUED(runtime, call) ASIDE(runtime, (runtime->calls++, (call)))

/* A call of which CUDA says that it waits, or that ends or changes what work put off may use.
 * Nothing is pending before it, nor after it. */
#define API(runtime, call) QUEUED(runtime, queue_settle(runtime) ?: (call) ?: queue_settle(runtime))

/* A call that might wait for the device, which CUDA forbids while streams are captured
 * (cudaStreamCaptureModeGlobal). */
#define API_OUTSIDE_CAPTURE(runtime, call) API(runtime, capture_forbids_calls(runtime) ?: (call))

/* A call that succeeds even after a kernel has faulted. */
#define QUERY(runtime, call)                               \
    ({                                                     \
        struct runtime *runtime = runtime_enter();         \
        runtime_leave(runtime, runtime->broken ?: (call)); \
    })

/* ENTRY(ASIDE, cudaHostGetFlags, (flags, host), unsigned *flags, void *host) starts the definition
 * of that function of the API: the body comes next. In it the runtime has the name `runtime`.
 * The first argument, API, QUEUED, ASIDE or QUERY, says what kind of call it is. The parameters
 * come twice, by name only and as declared. */
#define ENTRY(kind, name, parameters, ...)                                          \
    static cudaError_t body_of_##name(struct runtime *runtime, __VA_ARGS__);        \
    cudaError_t name(__VA_ARGS__)                                                   \
    {                                                                               \
        return kind(runtime, body_of_##name(runtime, WITHOUT_BRACKETS parameters)); \
    }                                                                               \
    static cudaError_t body_of_##name(struct runtime *runtime __attribute__((unused)), __VA_ARGS__)
#define WITHOUT_BRACKETS(...) __VA_ARGS__

/* If `call` gives an error, return that. */
#define TRY(call)                          \
    do {                                   \
        const cudaError_t error_ = (call); \
        if (error_)                        \
            return error_;                 \
    } while (0)

/* Define `name` under a second name, with the suffix ptsz or ptds, which programs built with
 * --default-stream per-thread use. All work is done in order anyway, so the function is the
 * same. */
#define PER_THREAD(name, suffix) \
    __attribute__((visibility("default"), alias(#name))) extern __typeof(name) name##_##suffix

/* name() in the default stream, and nameAsync() in the stream that it takes as its last parameter.
 * Both have their names for per-thread default streams, too. `call`, which does the work, says
 * `stream`. */
#define AND_ASYNC(name, call, ...)                                                           \
    cudaError_t name(__VA_ARGS__)                                                            \
    {                                                                                        \
        const cudaStream_t stream = NULL;                                                    \
        return error_of_copy(QUEUED(runtime, (call) ?: queue_settle_stream(runtime, NULL))); \
    }                                                                                        \
    PER_THREAD(name, ptds);                                                                  \
    cudaError_t name##Async(__VA_ARGS__, cudaStream_t stream)                                \
    {                                                                                        \
        return QUEUED(runtime, call);                                                        \
    }                                                                                        \
    PER_THREAD(name##Async, ptsz)

/* Lines on stderr: those that begin with "emu: " in the language of the person we talk to. */
void runtime_say_lines(const char *text);
/* Print a line on stderr: "emu: " and the message, in the language of the locale. */
void runtime_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same for an error of the program on the device, which counts for --error-exitcode. A
 * message that repeats the one before it is counted and not printed. */
void runtime_complain(struct runtime *runtime, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* reports.c: Write counters or trace to the file that the settings name. If that fails, says so
 * and returns false. */
bool runtime_print_profile(const struct runtime *runtime);
bool runtime_write_trace(const struct runtime *runtime);
/* Print the checkers' reports, and add their number to `count`. Returns false if they could not
 * be written. */
bool runtime_print_checks(const struct runtime *runtime, size_t *count);
/* The signal that is to end the program; 0: none. Those are watched of which the program has not
 * said itself what becomes of them. */
extern volatile sig_atomic_t runtime_signal;
void runtime_watch_signals(void);
/* It has come: say where the kernel was that ran for so many seconds, or with NULL that none ran,
 * print what was found and counted, and end by that signal. */
__attribute__((noreturn)) void runtime_interrupted(struct runtime *runtime, const char *where,
                                                   double seconds);
/* Tell another process how far a launch is. */
void runtime_watch_progress(struct runtime *runtime);
/* On a clock that never goes back. */
double runtime_seconds(void);

/* The configuration of a launch. `<<<>>>` pushes it, evaluates the arguments of the kernel, and
 * pops it. */
struct configuration {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    bool may_begin_early; /* while the kernel before it is still running */
    bool at_once; /* the host did nothing else since the one before it in the stream */
    dim3 cluster; /* in blocks; all 0: the launch does not say */
    bool cooperative; /* all blocks must be on the GPU at once */
    const void *caller; /* the `<<<>>>`; NULL: it was not written so */
};
bool runtime_push(struct configuration configuration);
bool runtime_pop(struct configuration *configuration);
/* Called for each launch. Was the last launch of this thread into the same stream, and has there
 * been no call since that could have waited for it or given the device other work? */
bool runtime_launches(const struct runtime *runtime, cudaStream_t stream);

/* refuse.c */
/* The program's call that this thread is in. Below a call of the driver there is no other. */
void call_note(const char *name, const void *caller);
/* The next one is the rest of a launch that began at `caller`. */
void call_launches(const void *caller);
/* What comes next is such a call of a kernel, until it is NULL. */
void call_by_kernel(const char *name);
void call_enter_driver(const char *name, const void *caller);
void call_leave_driver(void);
/* It was refused, as `what` says; a line adds where, once for each site. */
void call_refused(struct runtime *runtime, const char *what);
/* "cudaMemcpy() refused, nothing was copied: REASON", where `done` is "copied". Returns `error`. */
cudaError_t call_refuse(struct runtime *runtime, cudaError_t error, const char *done,
                        const char *format, ...) __attribute__((format(printf, 4, 5)));
/* The same for what it was to read or write: past the end of an allocation, freed, host's. */
cudaError_t call_refuse_memory(struct runtime *runtime, bool writes, const char *done,
                               uint64_t address, size_t bytes);
/* The name of the variable of the device that has its shadow in the program there; or NULL. */
const char *call_shadow(const struct runtime *runtime, uint64_t address);

/* module.c: Find the kernel with this host address or handle, and load it. If there is none,
 * CUDA 13 takes any address but NULL for a handle, and returns cudaErrorInvalidResourceHandle
 * and not cudaErrorInvalidDeviceFunction. */
cudaError_t module_function(struct runtime *runtime, const void *host, struct function **function);
/* Find the variable with this host address, and its address on the device; or
 * cudaErrorInvalidSymbol. */
cudaError_t module_variable(struct runtime *runtime, const void *host, struct variable **variable,
                            uint64_t *address);
/* Load `binary` if it is not loaded yet. If that fails, the first call prints the reason. */
cudaError_t module_load(struct runtime *runtime, struct binary *binary);
/* Add to `texts` the PTX of `binary` for the current device: one text for each object that has
 * some. If that fails, says why. */
cudaError_t module_texts(struct runtime *runtime, const struct binary *binary, struct list *texts);
/* Forget the kernels and variables of `binary`. */
void module_forget(struct runtime *runtime, const struct binary *binary);
/* Unload everything. What is used afterwards is loaded again. */
void module_clear(struct runtime *runtime);

/* The same of a kernel that another one names. */
cudaError_t module_kernel(struct runtime *runtime, const struct kernel *kernel,
                          struct function **function);

/* children.c */
/* Let kernels call the runtime. */
void children_start(struct runtime *runtime);
/* Do what the kernel that has just run in `stream` asked for, and what this asks for in turn; or
 * forget it, if the kernel ended with an error, which is returned. */
cudaError_t children_run(struct runtime *runtime, cudaStream_t stream, cudaError_t error);

/* function.c */
struct function_needs {
    struct registers registers; /* per thread; if estimated, they do not limit what follows */
    size_t shared; /* static, per block */
    size_t local; /* per thread */
    int bound_threads; /* per block, by the launch bounds and the GPU */
    int max_threads; /* per block, and by the registers if they are known */
    size_t max_dynamic; /* dynamic shared memory that a launch may ask for */
    size_t usable_shared; /* what a block may have without opting in */
    bool fits; /* a block of this GPU has room for the static shared memory */
};
struct function_needs function_needs(const struct runtime *runtime,
                                     const struct function *function);
/* How many blocks of `threads` threads fit on a multiprocessor at once, whatever the launch
 * bounds say. The result is never less than on a GPU: registers that are only estimated are not
 * counted. */
int function_most_blocks(const struct runtime *runtime, const struct function *function,
                         int threads, size_t dynamic_shared);
/* How many blocks a cluster of the kernel may have. */
int function_most_cluster(const struct runtime *runtime, const struct function *function);

/* A device address as the API passes it. */
static inline void *api_pointer(uint64_t address)
{
    return (void *)address; /* NOLINT(performance-no-int-to-ptr) */
}

/* allocation.c */
/* `size` bytes of a kind of block; 0 bytes are at NULL. Device memory comes from `pool`; from none
 * if that is NULL. `caller` is the program's call. */
cudaError_t allocation_make(struct runtime *runtime, void **pointer, size_t size, int kind,
                            cudaMemPool_t pool, const void *caller);
/* The same for rows of `width` bytes, each at a multiple of *pitch. */
cudaError_t allocation_make_rows(struct runtime *runtime, void **pointer, size_t *pitch,
                                 size_t width, size_t rows, const void *caller);
/* Give back device or managed memory; `function` is the name of the call. */
cudaError_t allocation_free(struct runtime *runtime, void *pointer, const char *function,
                            const void *caller);
/* The block that `address` points into, or NULL. */
struct block *allocation_find(const struct runtime *runtime, const void *address);
void allocation_clear(struct runtime *runtime);
/* Where the program called the API; for the API's functions themselves. */
#define CALLER host_call(__builtin_return_address(0), __builtin_frame_address(0))

/* pool.c */
/* `bytes` more are in use, or fewer where they are negative. False where the pool has no more. */
bool pool_use(cudaMemPool_t pool, int64_t bytes);
void pool_clear(struct runtime *runtime);
/* Allocate in the order of a stream, from the current pool if `pool` is NULL; and give back. */
cudaError_t pool_allocate(struct runtime *runtime, void **pointer, size_t size, cudaMemPool_t pool,
                          cudaStream_t stream, const void *caller);
cudaError_t pool_free(struct runtime *runtime, void *pointer, cudaStream_t stream,
                      const char *function, const void *caller);

/* array.c */
struct channels {
    int count, bytes; /* bytes of each one */
};
struct cudaArray {
    int device;
    struct cudaChannelFormatDesc desc;
    struct channels channels;
    struct cudaExtent
        extent; /* as the program gave it: 0 for a dimension that the array does not have */
    unsigned flags;
    struct texels texels;
    size_t bytes;
    bool is_level; /* of a mipmapped array, whose memory it shares */
};
/* Find how many channels there are and how wide they are. Fails with
 * cudaErrorInvalidChannelDescriptor or, after a line on stderr, cudaErrorNotSupported. */
cudaError_t channel_layout(const struct cudaChannelFormatDesc *desc, struct channels *channels);
/* Check what the program asked of an array, and find the layout of its texels. */
cudaError_t array_prepare(const struct runtime *runtime, struct cudaArray *array);
void array_clear(struct runtime *runtime);

/* mipmap.c */
struct cudaMipmappedArray {
    int device;
    int count; /* levels */
    struct cudaArray *levels[1 + MAX_MIPS];
    uint64_t address;
    size_t bytes;
};
void mipmap_clear(struct runtime *runtime);

/* texture.c */
void texture_clear(struct runtime *runtime);

/* device.c */
/* Free all that is on the device that the call is about. */
void device_clear(struct runtime *runtime);
int device_attribute(const struct runtime *runtime, enum cudaDeviceAttr attribute);
/* The same; or an error, if there is no such attribute. */
cudaError_t device_find_attribute(const struct runtime *runtime, enum cudaDeviceAttr attribute,
                                  int *value);

/* peer.c: May kernels of `device` use the memory of `peer`? And no more of any, when the device
 * that the call is about is reset. */
bool peer_enabled(const struct runtime *runtime, int device, int peer);
void peer_clear(struct runtime *runtime);

/* stream.c: The modelled time of work in streams, which is spent on one of the engines, after the
 * earlier work of its stream. The default stream waits for all other streams but the
 * non-blocking ones, and the host waits for the default stream. */
struct stream_work {
    enum engine engine;
    double issued, begun;
    double launched; /* when the host, or the graph that it is a node of, could launch it */
    bool of_graph;
};
/* Advance the clock to the time when work of `stream` can begin on the engine. `at_once`: the host
 * did nothing else since the launch of a kernel before it in the stream. */
struct stream_work stream_begin(struct runtime *runtime, cudaStream_t stream, enum engine engine,
                                bool at_once);
/* Of a kernel's launch_us, what is over when it can begin. */
double stream_launched_ms(const struct runtime *runtime, const struct stream_work *work);
/* Called when the clock shows the end of the work, if nothing else was there that needs the `share`
 * of the engine, from 0 to 1, that it takes. Unless the host `waits` for it, the clock is set back
 * to when it was issued. */
void stream_end(struct runtime *runtime, cudaStream_t stream, struct stream_work work, double share,
                bool waits);
/* The host waits for everything. */
void stream_wait_all(struct runtime *runtime);
bool stream_valid(const struct runtime *runtime, cudaStream_t stream);
/* The number of the stream's device: of a default stream, that which the call is about. */
int stream_device(const struct runtime *runtime, cudaStream_t stream);
void stream_clear(struct runtime *runtime);

/* capture.c: what a stream is given becomes nodes of a graph instead of being done. */
/* Who gives work to a stream asks first: is it a stream, and may it be given any while others are
 * captured? Not the legacy stream, which would wait for them. */
cudaError_t stream_enter(struct runtime *runtime, cudaStream_t stream);
/* Does it record what it is given? */
bool stream_captures(cudaStream_t stream);
/* Is it not done, but recorded or put off? */
bool stream_keeps(const struct runtime *runtime, cudaStream_t stream);

/* Record one operation of each kind, or put it off. */
struct area;
struct box;
struct kernel_operation;
cudaError_t capture_kernel(struct runtime *runtime, const struct kernel_operation *kernel);
cudaError_t capture_copy(struct runtime *runtime, const struct area *to, const struct area *from,
                         struct box box, enum cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t capture_fill(struct runtime *runtime, const struct area *area, unsigned value,
                         size_t unit, struct box box, cudaStream_t stream);
cudaError_t capture_host(struct runtime *runtime, cudaHostFn_t function, void *data,
                         cudaStream_t stream);
/* The graph that a captured stream records into. */
cudaGraph_t capture_graph(cudaStream_t stream);
cudaError_t capture_allocation(struct runtime *runtime, void **pointer, size_t size,
                               const void *caller, cudaStream_t stream);
cudaError_t capture_free(struct runtime *runtime, void *pointer, cudaStream_t stream);
/* An event that a captured stream records stands for the nodes so far; a stream that waits for such
 * an event joins the capture. `external` makes nodes of them instead. */
cudaError_t capture_record(struct runtime *runtime, cudaEvent_t event, cudaStream_t stream,
                           bool external);
cudaError_t capture_wait(struct runtime *runtime, cudaStream_t stream, cudaEvent_t event,
                         bool external);

/* An error for calls that wait for work that is only being recorded: on this stream, of this event,
 * of any stream. They spoil the capture. */
cudaError_t capture_forbids_stream(struct runtime *runtime, cudaStream_t stream);
cudaError_t capture_forbids_event(cudaEvent_t event);
cudaError_t capture_forbids_all(struct runtime *runtime);
/* The same for calls that might wait, where the modes of captures and the thread forbid them. */
cudaError_t capture_forbids_calls(struct runtime *runtime);
/* The stream is going: a capture that began with it ends in nothing. */
void capture_leave(struct runtime *runtime, cudaStream_t stream);
void capture_clear(struct runtime *runtime);

/* graph.c */
void graph_clear(struct runtime *runtime);
/* graph_condition.c: a kernel sets the condition with this handle. False: there is none. */
bool condition_set(struct runtime *runtime, uint64_t handle, unsigned value);

/* stray.c */
/* From now on say where the program's own code reads or writes memory of the device. */
void stray_watch(void);

/* The program ends with this code and runs no destructors: print the reports now (launcher/exit.c).
 * Does not come back if --error-exitcode asks for another code. */
__attribute__((visibility("default"))) void __cudaEmuFinish(int code);

#endif
