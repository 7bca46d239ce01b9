/* SPDX-License-Identifier: MIT */
/* The runtime behind the API: one object for the whole process, as CUDA itself has it.
 *
 * Every function of the API is one line, `return API(runtime, what_it_does(runtime, ...));`, or
 * stands behind ENTRY(API, ...), which is the same. It takes the lock, makes the device on first
 * use, answers with the pending error once a kernel has faulted, and remembers what went wrong for
 * cudaGetLastError.
 *
 *   runtime.c       the object, the lock, the errors of a thread
 *   module.c        registration, loading, symbols            fatbin.c   what is loaded
 *   launch.c        launches and their checks                 function.c attributes, occupancy
 *   allocation.c    device, managed and host memory           transfer.c copies and fills
 *   pool.c          allocation in the order of streams        managed.c  advice, prefetching
 *   array.c         CUDA arrays and their copies              texture.c  texture objects
 *   stream.c        streams and events                        device.c   properties and limits
 *   graph.h         graphs, and streams captured into them
 *   error.c         names and texts of errors                 entry.c    the driver's back doors
 *   library.c       code loaded at run time                   lacking.c  what is not emulated
 */
#ifndef RUNTIME_H
#define RUNTIME_H

/* What the toolkit declares is what we export. */
#pragma GCC visibility push(default)
#include <cuda_runtime_api.h>
#pragma GCC visibility pop

#include <pthread.h>

#include "cudart/settings.h"
#include "emu.h"
#include "machine/machine.h"
#include "machine/texture.h"
#include "check/check.h"
#include "profile/lines.h"
#include "profile/profile.h"
#include "trace/trace.h"
#include "time/registers.h"
#include "time/timing.h"

/* Pointers, in the order they came. */
struct list {
    void **items;
    size_t count, capacity;
};
/* False where there is no memory. */
bool list_add(struct list *list, void *item);
/* False if it is not there. */
bool list_remove(struct list *list, const void *item);
bool list_has(const struct list *list, const void *item);
/* Empty the list, freeing its items. */
void list_clear(struct list *list);

/* A registered fat binary, loaded when something in it is first used. */
struct binary {
    const void *data;
    char *text; /* the PTX of a library, in the place of `data`; or NULL */
    struct program *program; /* NULL: not loaded yet, or it failed */
    cudaError_t failure; /* why it cannot be loaded */
};

/* A kernel: a cudaKernel_t and a cudaFunction_t point to one of these. */
struct function {
    struct binary *binary;
    const void *host; /* address of its stub in the program */
    const char *name;
    const struct kernel *kernel; /* once loaded */
    int dynamic_shared; /* bytes a launch may ask for; -1: what fits without opting in */
    int carveout; /* preference, -1: none */
    bool any_cluster; /* larger clusters than every GPU has that knows them */
    bool refused; /* it cannot run, and that was said */
};

/* A __device__, __constant__ or __managed__ variable. */
struct variable {
    struct binary *binary;
    const void *host; /* its shadow in the program; of a managed one the pointer to it */
    const char *name;
    size_t size;
    bool managed;
};

/* What a program advised about managed memory. Where: a device, cudaCpuDeviceId, or
 * cudaInvalidDeviceId for nowhere. */
struct advice {
    bool read_mostly, accessed_by_device, accessed_by_host;
    int preferred, prefetched;
};

struct block {
    void *address;
    size_t size;
    enum { BLOCK_DEVICE, BLOCK_MANAGED, BLOCK_HOST, BLOCK_REGISTERED } kind;
    unsigned flags; /* of cudaHostAlloc, cudaHostRegister */
    cudaMemPool_t pool; /* that it came from; or NULL */
    struct graph_memory *graph; /* that it belongs to, and is freed with; or NULL */
    struct advice advice; /* of all of it, if managed */
};

/* Where memory that is allocated in the order of a stream comes from. Only its books are kept: the
 * memory itself is the device's. */
struct CUmemPoolHandle_st {
    int reuse[3]; /* cudaMemPoolReuseFollowEventDependencies and the two behind it */
    uint64_t threshold; /* bytes it keeps when nobody uses them */
    uint64_t used, used_high, reserved, reserved_high, most; /* bytes; `most` 0: no limit */
};

enum { STREAM_ATTRIBUTES = 4 }; /* that a stream keeps */

enum { LIMIT_COUNT = 5, COMPLAINT_SIZE = 1024 };

/* What works at the same time. With one copy engine both directions are ENGINE_TO_DEVICE's. */
enum engine { ENGINE_COMPUTE, ENGINE_TO_DEVICE, ENGINE_TO_HOST, ENGINE_COUNT };

struct runtime {
    pthread_mutex_t lock;
    struct settings settings; /* what `emu` was told, read once, before the program runs */
    char settings_error[SETTINGS_ERROR_SIZE]; /* why they cannot be read; "" where they could */
    cudaError_t broken; /* why there is no device, if it was tried */
    cudaError_t sticky; /* what a kernel died of: every call from then on says so */
    size_t complaints; /* what --error-exitcode asks about, checkers' reports apart */
    char complaint[COMPLAINT_SIZE]; /* the last one */
    int exitcode; /* the program's, once it ends */

    struct machine *machine; /* NULL before the first call */
    struct profile *profile; /* NULL unless asked for */
    struct lines *lines; /* likewise: the profile by line */
    struct trace *trace; /* likewise */
    struct checks *checks; /* likewise */
    struct timing *timing;

    struct list binaries, functions, variables; /* of struct binary, ... */
    struct list blocks, streams, events;
    struct list arrays, textures;
    struct list pools; /* that the program made */
    struct list graphs, graph_execs, captures, user_objects;
    struct CUmemPoolHandle_st *default_pool, *pool; /* made at first use; the current one */
    uint64_t workspace; /* for barriers of grids; 0: none was needed yet */
    struct CUmemPoolHandle_st graph_pool; /* what graphs allocate; keeps all until it is trimmed */
    cudaStreamAttrValue default_attributes[STREAM_ATTRIBUTES]; /* of the default streams */
    unsigned long long calls; /* of the API, without ASIDE and QUERY */
    unsigned long long streams_made, captures_made;
    double engine_ms[ENGINE_COUNT]; /* when each has done its work */
    bool behind_kernel; /* the last thing given to the device was one */
    size_t races; /* that --break-on has printed */
    unsigned device_flags;
    size_t limits[LIMIT_COUNT];
};

/* Take the lock, and make the device if there is none yet. */
struct runtime *runtime_enter(void);
/* Take the lock only: registration runs before main(). */
struct runtime *runtime_lock(void);
void runtime_unlock(struct runtime *runtime);
/* Remember `error` as the thread's last one, give the lock back, and return it. */
cudaError_t runtime_leave(struct runtime *runtime, cudaError_t error);
/* Run a function that the program has put into a stream, outside the lock: on a GPU another thread
 * does, whose errors the program does not see. It may not use the API. */
void runtime_call_back(void (*call)(void *argument), void *argument);
/* cudaSuccess, or why no call can succeed here or any more. */
cudaError_t runtime_failure(const struct runtime *runtime);

/* One call of the API that neither gives the device work nor waits for any: it only asks, or sets
 * what later launches go by. Launches before and after it may overlap. `runtime` is the name under
 * which `call`, an expression of type cudaError_t, knows the runtime. */
#define ASIDE(runtime, call)                                        \
    ({                                                              \
        struct runtime *runtime = runtime_enter();                  \
        runtime_leave(runtime, runtime_failure(runtime) ?: (call)); \
    })

/* Any other call. */
#define API(runtime, call) ASIDE(runtime, (runtime->calls++, (call)))

/* A call that might wait for the device, which CUDA forbids while streams are captured
 * (cudaStreamCaptureModeGlobal). */
#define API_OUTSIDE_CAPTURE(runtime, call) API(runtime, capture_forbids_calls(runtime) ?: (call))

/* The same for what a device answers even after a kernel has faulted. */
#define QUERY(runtime, call)                               \
    ({                                                     \
        struct runtime *runtime = runtime_enter();         \
        runtime_leave(runtime, runtime->broken ?: (call)); \
    })

/* ENTRY(API, cudaHostGetFlags, (flags, host), unsigned *flags, void *host) begins that function of
 * the API. What stands behind it is its body, with `runtime` in hand, and runs as API(), ASIDE() or
 * QUERY() says. The parameters are named first, then declared. */
#define ENTRY(kind, name, parameters, ...)                                          \
    static cudaError_t body_of_##name(struct runtime *runtime, __VA_ARGS__);        \
    cudaError_t name(__VA_ARGS__)                                                   \
    {                                                                               \
        return kind(runtime, body_of_##name(runtime, WITHOUT_BRACKETS parameters)); \
    }                                                                               \
    static cudaError_t body_of_##name(struct runtime *runtime __attribute__((unused)), __VA_ARGS__)
#define WITHOUT_BRACKETS(...) __VA_ARGS__

/* Return the error of `call`, where it has one. */
#define TRY(call)                          \
    do {                                   \
        const cudaError_t error_ = (call); \
        if (error_)                        \
            return error_;                 \
    } while (0)

/* `name` under the name that programs built with --default-stream per-thread ask for (suffix ptsz
 * or ptds): here every stream runs in order at once, so it is the same. */
#define PER_THREAD(name, suffix) \
    __attribute__((visibility("default"), alias(#name))) extern __typeof(name) name##_##suffix

/* Lines on stderr: those that begin with "emu: " in the language of the person we talk to. */
void runtime_say_lines(const char *text);
/* One line on stderr: "emu: " and the message, in that language. */
void runtime_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same for what the program did wrong on the device: it counts for --error-exitcode. A line
 * that repeats the one before is counted and not said. */
void runtime_complain(struct runtime *runtime, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The configuration `<<<>>>` puts aside between evaluating its parts and launching. */
struct configuration {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    bool may_begin_early; /* while the kernel in front still runs */
    dim3 cluster; /* blocks; 0s: not said */
    bool cooperative; /* all blocks must be on the GPU at once */
};
bool runtime_push(struct configuration configuration);
bool runtime_pop(struct configuration *configuration);
/* The thread launches a kernel into `stream`. Was its last launch into the same stream, and has no
 * call come in between that could have waited for it or given the device other work? */
bool runtime_launches(const struct runtime *runtime, cudaStream_t stream);

/* module.c. The kernel with this host address or handle, loaded. For what is none, NULL apart, CUDA
 * 13 takes the address for a handle and says cudaErrorInvalidResourceHandle, not
 * cudaErrorInvalidDeviceFunction. */
cudaError_t module_function(struct runtime *runtime, const void *host, struct function **function);
/* The variable with this host address, and where it is. cudaErrorInvalidSymbol. */
cudaError_t module_variable(struct runtime *runtime, const void *host, struct variable **variable,
                            uint64_t *address);
/* `binary` loaded, or why not; says so once. */
cudaError_t module_load(struct runtime *runtime, struct binary *binary);
/* Forget the kernels and variables of `binary`. */
void module_forget(struct runtime *runtime, const struct binary *binary);
/* Unload everything; what is used again is loaded again. */
void module_clear(struct runtime *runtime);

/* function.c */
struct function_needs {
    struct registers registers; /* of a thread; estimated ones limit nothing that follows */
    size_t shared; /* static, of a block */
    size_t local; /* of a thread */
    int bound_threads; /* of a block, by the launch bounds and the GPU */
    int max_threads; /* of a block, by its registers too if they are known */
    size_t max_dynamic; /* bytes of dynamic shared memory a launch may ask for */
    size_t usable_shared; /* bytes a block may have without opting in */
    bool fits; /* its static shared memory, in a block of this GPU */
};
struct function_needs function_needs(const struct runtime *runtime,
                                     const struct function *function);
/* Blocks of `threads` threads a multiprocessor holds at once, whatever the launch bounds: not fewer
 * than a GPU would hold, as estimated registers are no limit. */
int function_most_blocks(const struct runtime *runtime, const struct function *function,
                         int threads, size_t dynamic_shared);
/* Blocks that a cluster of the kernel may have. */
int function_most_cluster(const struct runtime *runtime, const struct function *function);

/* A device address as the API hands it out: the same number. */
static inline void *api_pointer(uint64_t address)
{
    return (void *)address; /* NOLINT(performance-no-int-to-ptr) */
}

/* allocation.c */
/* `size` bytes of a kind of block; 0 bytes are at NULL. Device memory comes from `pool`; from none
 * if that is NULL. `caller` is the program's call. */
cudaError_t allocation_make(struct runtime *runtime, void **pointer, size_t size, int kind,
                            cudaMemPool_t pool, const void *caller);
/* Give back device or managed memory; `function` is the name of the call. */
cudaError_t allocation_free(struct runtime *runtime, void *pointer, const char *function,
                            const void *caller);
/* The block that `address` points into, or NULL. */
struct block *allocation_find(const struct runtime *runtime, const void *address);
void allocation_clear(struct runtime *runtime);
/* Where the program called the API; for the API's functions themselves. */
#define CALLER __builtin_return_address(0)

/* pool.c */
/* `bytes` more are in use, or fewer where they are negative. False where the pool has no more. */
bool pool_use(cudaMemPool_t pool, int64_t bytes);
void pool_clear(struct runtime *runtime);

/* array.c */
struct channels {
    int count, bytes; /* of each */
};
struct cudaArray {
    struct cudaChannelFormatDesc desc;
    struct channels channels;
    struct cudaExtent extent; /* as asked for: 0 where there is no such dimension */
    unsigned flags;
    struct texels texels;
    size_t bytes;
};
/* How many channels, how wide. cudaErrorInvalidChannelDescriptor; or cudaErrorNotSupported, after a
 * line. */
cudaError_t channel_layout(const struct cudaChannelFormatDesc *desc, struct channels *channels);
void array_clear(struct runtime *runtime);

/* texture.c */
void texture_clear(struct runtime *runtime);

/* device.c */
int device_attribute(const struct runtime *runtime, enum cudaDeviceAttr attribute);

/* stream.c: what runs beside what, on the modelled clock. What a call asks for is done at once, but
 * its time is that of the engine that does it, in the order of its stream; the default stream waits
 * for all others but those made to be apart, and the host for it. */
/* Set the clock to when work of `stream` on the engine may begin. Returns what it showed. */
double stream_begin(struct runtime *runtime, cudaStream_t stream, enum engine engine);
/* The work is done, by the clock; set it back to `issued`, or not, where the host `waits`. */
void stream_end(struct runtime *runtime, cudaStream_t stream, enum engine engine, double issued,
                bool waits);
/* The host waits for everything. */
void stream_wait_all(struct runtime *runtime);
bool stream_valid(const struct runtime *runtime, cudaStream_t stream);
void stream_clear(struct runtime *runtime);

/* capture.c: what a stream is given becomes nodes of a graph instead of being done. */
/* Who gives work to a stream asks first: is it a stream, and may it be given any while others are
 * captured? Not the legacy stream, which would wait for them. */
cudaError_t stream_enter(struct runtime *runtime, cudaStream_t stream);
/* Does it record what it is given? */
bool stream_captures(cudaStream_t stream);

/* Record one operation of each kind. */
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
cudaError_t capture_allocation(struct runtime *runtime, void **pointer, size_t size,
                               const void *caller, cudaStream_t stream);
cudaError_t capture_free(struct runtime *runtime, void *pointer, cudaStream_t stream);
cudaError_t capture_graph(struct runtime *runtime, cudaGraph_t graph, cudaStream_t stream);
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

#endif
