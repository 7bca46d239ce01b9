/* SPDX-License-Identifier: MIT */
/* Contexts: the primary one of each device, which is the runtime's, and those that a program makes.
 * What a device holds belongs to none of its contexts: when the last one in use goes, all of it
 * goes. */
#include "driver/driver.h"

#include <stdlib.h>

enum { MOST_CURRENT = 64 };

struct CUctx_st {
    int device;
    unsigned flags;
    unsigned long long number; /* 1 is the primary context's */
};

/* The primary contexts are there for the whole process: primary_of() says whose each is. */
static struct CUctx_st primaries[MACHINES_MOST];
/* Those that this thread has pushed, the current one on top. */
static _Thread_local struct {
    CUcontext items[MOST_CURRENT];
    int count;
} current;

static CUcontext primary_of(int device)
{
    primaries[device].device = device;
    primaries[device].number = 1 + (unsigned)device;
    return &primaries[device];
}

static bool is_primary(const struct CUctx_st *context)
{
    return context >= primaries && context < primaries + MACHINES_MOST;
}

static bool is_context(const struct runtime *runtime, CUcontext context)
{
    return is_primary(context) || list_has(&runtime->driver.contexts, context);
}

/* A thread that has called the runtime is in the primary context, until it says otherwise; and it
 * is in that of another device after cudaSetDevice(). */
CUcontext context_current(void)
{
    const CUcontext top = current.count ? current.items[current.count - 1] : NULL;

    if (top && top->device != runtime_device())
        return current.items[current.count - 1] = primary_of(runtime_device());
    return top ? top : runtime_is_used() ? primary_of(runtime_device()) : NULL;
}

/* After a change of the current context: the thread's calls are about its device. */
static cudaError_t follow_current(cudaError_t error)
{
    if (!error && current.count && current.items[current.count - 1])
        runtime_set_device(current.items[current.count - 1]->device);
    return error;
}

CUresult driver_check(bool in_context)
{
    struct runtime *runtime = runtime_lock();
    const bool initialised = runtime->driver.initialised || runtime_is_used();
    const CUcontext context = context_current();
    const bool alive = is_context(runtime, context);

    runtime_unlock(runtime);
    if (!initialised)
        return CUDA_ERROR_NOT_INITIALIZED;
    if (!in_context)
        return CUDA_SUCCESS;
    return !context ? CUDA_ERROR_INVALID_CONTEXT
           : alive  ? CUDA_SUCCESS
                    : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

static cudaError_t push(CUcontext context)
{
    if (current.count == MOST_CURRENT)
        return cudaErrorMemoryAllocation;
    current.items[current.count++] = context;
    return cudaSuccess;
}

static cudaError_t set_current(struct runtime *runtime, CUcontext context)
{
    if (context && !is_context(runtime, context))
        return cudaErrorDeviceUninitialized;
    if (current.count)
        current.count--;
    else
        runtime_forget_use();
    return context ? push(context) : cudaSuccess;
}

static const unsigned known_flags = CU_CTX_FLAGS_MASK;

static cudaError_t create(struct runtime *runtime, CUcontext *result, unsigned flags,
                          CUdevice device)
{
    if (!result || flags & ~known_flags)
        return cudaErrorInvalidValue;
    if (!device_exists(runtime, device))
        return cudaErrorInvalidDevice;
    CUcontext made = calloc(1, sizeof(*made));
    if (!made || push(made) || !list_add(&runtime->driver.contexts, made)) {
        current.count -= made && current.count && current.items[current.count - 1] == made;
        free(made);
        return cudaErrorMemoryAllocation;
    }
    made->flags = flags;
    made->device = device;
    made->number = 1 + MACHINES_MOST + runtime->driver.made++;
    *result = made;
    return cudaSuccess;
}

/* Reset a device that need not be the current one. */
static cudaError_t reset(int device)
{
    const int before = runtime_device();

    runtime_set_device(device);
    const cudaError_t error = cudaDeviceReset();
    runtime_set_device(before);
    return error;
}

/* After a context has gone: the last one takes everything on the device with it. */
static cudaError_t clear_unused(int device)
{
    struct runtime *runtime = runtime_lock();
    const bool used = runtime->driver.retained[device] || runtime->driver.contexts.count ||
                      runtime->driver.runtime_used;

    runtime_unlock(runtime);
    return used ? cudaSuccess : reset(device);
}

static cudaError_t destroy(struct runtime *runtime, CUcontext context)
{
    if (!list_remove(&runtime->driver.contexts, context))
        return cudaErrorDeviceUninitialized;
    if (current.count && current.items[current.count - 1] == context)
        current.count--;
    free(context);
    return cudaSuccess;
}

static cudaError_t pop(CUcontext *popped)
{
    if (!current.count)
        return cudaErrorDeviceUninitialized;
    current.count--;
    if (popped)
        *popped = current.items[current.count];
    return cudaSuccess;
}

/* Destroy a context, and all that its device holds with the last one. */
static cudaError_t destroy_current(CUcontext context)
{
    TRY(ASIDE(runtime, destroy(runtime, context)));
    follow_current(cudaSuccess);
    return clear_unused(runtime_device());
}

#define GIVE(result, value) ((result) ? (*(result) = (value), cudaSuccess) : cudaErrorInvalidValue)
/* The context that is given or, if that is NULL, the current one. */
#define OR_CURRENT(context) ((context) ? (context) : context_current())
#define CONTEXT(runtime, context, call) \
    ASIDE(runtime, is_context(runtime, context) ? (call) : cudaErrorDeviceUninitialized)

FRONT_ANYWHERE(cuCtxCreate_v2,
               follow_current(ASIDE(runtime, create(runtime, context, flags, device))),
               CUcontext *context, unsigned flags, CUdevice device)
#if CUDA_VERSION >= 12050
/* Parameters that ask for nothing are as good as none. */
static bool asks_for_a_part(const CUctxCreateParams *parameters)
{
    return parameters && (parameters->execAffinityParams || parameters->cigParams);
}

FRONT_ANYWHERE(cuCtxCreate_v4,
               asks_for_a_part(parameters)
                   ? driver_supports_no("contexts of a part of the GPU")
                   : follow_current(ASIDE(runtime, create(runtime, context, flags, device))),
               CUcontext *context, CUctxCreateParams *parameters, unsigned flags, CUdevice device)
#endif
FRONT_ANYWHERE(cuCtxDestroy_v2, destroy_current(context), CUcontext context)
FRONT_ANYWHERE(cuCtxSetCurrent, follow_current(ASIDE(runtime, set_current(runtime, context))),
               CUcontext context)
FRONT_ANYWHERE(cuCtxGetCurrent, GIVE(context, context_current()), CUcontext *context)
FRONT_ANYWHERE(cuCtxPushCurrent_v2, follow_current(CONTEXT(runtime, context, push(context))),
               CUcontext context)
FRONT_ANYWHERE(cuCtxPopCurrent_v2, follow_current(pop(context)), CUcontext *context)
FRONT(cuCtxGetDevice, GIVE(device, runtime_device()), CUdevice *device)
FRONT(cuCtxSynchronize, cudaDeviceSynchronize(), void)
FRONT(cuCtxGetFlags, GIVE(flags, context_current()->flags), unsigned *flags)
FRONT(cuCtxGetLimit, cudaDeviceGetLimit(value, (enum cudaLimit)limit), size_t *value, CUlimit limit)
FRONT(cuCtxSetLimit, cudaDeviceSetLimit((enum cudaLimit)limit, value), CUlimit limit, size_t value)
FRONT(cuCtxGetCacheConfig, cudaDeviceGetCacheConfig((enum cudaFuncCache *)config),
      CUfunc_cache *config)
FRONT(cuCtxSetCacheConfig, cudaDeviceSetCacheConfig((enum cudaFuncCache)config),
      CUfunc_cache config)
FRONT(cuCtxGetStreamPriorityRange, cudaDeviceGetStreamPriorityRange(least, greatest), int *least,
      int *greatest)
FRONT(cuCtxResetPersistingL2Cache, cudaCtxResetPersistingL2Cache(), void)
FRONT_ANYWHERE(cuCtxGetApiVersion, CONTEXT(runtime, OR_CURRENT(context), GIVE(version, 3020)),
               CUcontext context, unsigned *version)
#if CUDA_VERSION >= 12000
FRONT_ANYWHERE(cuCtxGetId,
               CONTEXT(runtime, OR_CURRENT(context), GIVE(number, OR_CURRENT(context)->number)),
               CUcontext context, unsigned long long *number)
#endif
#if CUDA_VERSION >= 12010
FRONT(cuCtxSetFlags,
      flags & ~known_flags ? cudaErrorInvalidValue
                           : (context_current()->flags = flags, cudaSuccess),
      unsigned flags)
#endif

/* The current device is no peer of its own contexts. */
FRONT(cuCtxEnablePeerAccess,
      CONTEXT(runtime, peer, cudaSuccess) ?: cudaDeviceEnablePeerAccess(peer->device, flags),
      CUcontext peer, unsigned flags)
FRONT(cuCtxDisablePeerAccess,
      CONTEXT(runtime, peer, cudaSuccess) ?: cudaDeviceDisablePeerAccess(peer->device),
      CUcontext peer)

/* --- The primary context ---------------------------------------------------------------------- */

static cudaError_t retain(struct runtime *runtime, CUcontext *context, CUdevice device)
{
    if (!context)
        return cudaErrorInvalidValue;
    if (!device_exists(runtime, device))
        return cudaErrorInvalidDevice;
    runtime->driver.retained[device]++;
    *context = primary_of(device);
    return cudaSuccess;
}

static cudaError_t release(struct runtime *runtime, CUdevice device)
{
    if (!device_exists(runtime, device))
        return cudaErrorInvalidDevice;
    if (!runtime->driver.retained[device])
        return cudaErrorDeviceUninitialized;
    runtime->driver.retained[device]--;
    return cudaSuccess;
}

static cudaError_t get_state(const struct runtime *runtime, CUdevice device, unsigned *flags,
                             int *active)
{
    if (!flags || !active)
        return cudaErrorInvalidValue;
    if (!device_exists(runtime, device))
        return cudaErrorInvalidDevice;
    *flags = primary_of(device)->flags;
    *active = runtime->driver.retained[device] ||
              (runtime->driver.runtime_used && device == runtime_device());
    return cudaSuccess;
}

static cudaError_t set_flags(const struct runtime *runtime, CUdevice device, unsigned flags)
{
    if (flags & ~known_flags)
        return cudaErrorInvalidValue;
    if (!device_exists(runtime, device))
        return cudaErrorInvalidDevice;
    primary_of(device)->flags = flags;
    return cudaSuccess;
}

FRONT_ANYWHERE(cuDevicePrimaryCtxRetain, ASIDE(runtime, retain(runtime, context, device)),
               CUcontext *context, CUdevice device)
FRONT_ANYWHERE(cuDevicePrimaryCtxRelease_v2,
               ASIDE(runtime, release(runtime, device)) ?: clear_unused(device), CUdevice device)
FRONT_ANYWHERE(cuDevicePrimaryCtxReset_v2,
               ASIDE(runtime, device_about(runtime, device)) ?: reset(device), CUdevice device)
FRONT_ANYWHERE(cuDevicePrimaryCtxGetState,
               ASIDE(runtime, get_state(runtime, device, flags, active)), CUdevice device,
               unsigned *flags, int *active)
FRONT_ANYWHERE(cuDevicePrimaryCtxSetFlags_v2, ASIDE(runtime, set_flags(runtime, device, flags)),
               CUdevice device, unsigned flags)
