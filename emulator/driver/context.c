/* SPDX-License-Identifier: MIT */
/* Contexts: the primary one, which is the runtime's, and those that a program makes. There is one
 * device behind them all, and what it holds belongs to none of them: when the last one in use goes,
 * all of it goes. */
#include "driver/driver.h"

#include <stdlib.h>

enum { MOST_CURRENT = 64 };

struct CUctx_st {
    unsigned flags;
    unsigned long long number; /* 1 is the primary context's */
};

/* The primary context is one for the whole process, and always there. */
static struct CUctx_st primary = {.number = 1};
/* Those that this thread has pushed, the current one on top. */
static _Thread_local struct {
    CUcontext items[MOST_CURRENT];
    int count;
} current;

static bool is_context(const struct runtime *runtime, CUcontext context)
{
    return context == &primary || list_has(&runtime->driver.contexts, context);
}

/* A thread that has called the runtime is in the primary context, until it says otherwise. */
CUcontext context_current(void)
{
    return current.count ? current.items[current.count - 1] : runtime_is_used() ? &primary : NULL;
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
    if (device != 0)
        return cudaErrorInvalidDevice;
    CUcontext made = calloc(1, sizeof(*made));
    if (!made || push(made) || !list_add(&runtime->driver.contexts, made)) {
        current.count -= made && current.count && current.items[current.count - 1] == made;
        free(made);
        return cudaErrorMemoryAllocation;
    }
    made->flags = flags;
    made->number = 2 + runtime->driver.made++;
    *result = made;
    return cudaSuccess;
}

/* After a context has gone: the last one takes everything on the device with it. */
static cudaError_t clear_unused(void)
{
    struct runtime *runtime = runtime_lock();
    const bool used =
        runtime->driver.retained || runtime->driver.contexts.count || runtime->driver.runtime_used;

    runtime_unlock(runtime);
    return used ? cudaSuccess : cudaDeviceReset();
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

#define GIVE(place, value) ((place) ? (*(place) = (value), cudaSuccess) : cudaErrorInvalidValue)
/* The context that is given or, if that is NULL, the current one. */
#define OR_CURRENT(context) ((context) ? (context) : context_current())
#define CONTEXT(runtime, context, call) \
    ASIDE(runtime, is_context(runtime, context) ? (call) : cudaErrorDeviceUninitialized)

FRONT_ANYWHERE(cuCtxCreate_v2, ASIDE(runtime, create(runtime, context, flags, device)),
               CUcontext *context, unsigned flags, CUdevice device)
#if CUDA_VERSION >= 12050
FRONT_ANYWHERE(cuCtxCreate_v4,
               parameters ? driver_supports_no("contexts of a part of the GPU")
                          : ASIDE(runtime, create(runtime, context, flags, device)),
               CUcontext *context, CUctxCreateParams *parameters, unsigned flags, CUdevice device)
#endif
FRONT_ANYWHERE(cuCtxDestroy_v2, ASIDE(runtime, destroy(runtime, context)) ?: clear_unused(),
               CUcontext context)
FRONT_ANYWHERE(cuCtxSetCurrent, ASIDE(runtime, set_current(runtime, context)), CUcontext context)
FRONT_ANYWHERE(cuCtxGetCurrent, GIVE(context, context_current()), CUcontext *context)
FRONT_ANYWHERE(cuCtxPushCurrent_v2, CONTEXT(runtime, context, push(context)), CUcontext context)
FRONT_ANYWHERE(cuCtxPopCurrent_v2, pop(context), CUcontext *context)
FRONT(cuCtxGetDevice, GIVE(device, 0), CUdevice *device)
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

/* A peer is another device, of which there is none. */
FRONT(cuCtxEnablePeerAccess,
      ((void)peer, flags ? cudaErrorInvalidValue : cudaErrorPeerAccessUnsupported), CUcontext peer,
      unsigned flags)
FRONT(cuCtxDisablePeerAccess, ((void)peer, cudaErrorPeerAccessNotEnabled), CUcontext peer)

/* --- The primary context ---------------------------------------------------------------------- */

static cudaError_t retain(struct runtime *runtime, CUcontext *context, CUdevice device)
{
    if (!context)
        return cudaErrorInvalidValue;
    if (device != 0)
        return cudaErrorInvalidDevice;
    runtime->driver.retained++;
    *context = &primary;
    return cudaSuccess;
}

static cudaError_t release(struct runtime *runtime, CUdevice device)
{
    if (device != 0)
        return cudaErrorInvalidDevice;
    if (!runtime->driver.retained)
        return cudaErrorDeviceUninitialized;
    runtime->driver.retained--;
    return cudaSuccess;
}

static cudaError_t get_state(const struct runtime *runtime, CUdevice device, unsigned *flags,
                             int *active)
{
    if (!flags || !active)
        return cudaErrorInvalidValue;
    *flags = primary.flags;
    *active = runtime->driver.retained || runtime->driver.runtime_used;
    return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

static cudaError_t set_flags(CUdevice device, unsigned flags)
{
    if (flags & ~known_flags)
        return cudaErrorInvalidValue;
    primary.flags = flags;
    return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

FRONT_ANYWHERE(cuDevicePrimaryCtxRetain, ASIDE(runtime, retain(runtime, context, device)),
               CUcontext *context, CUdevice device)
FRONT_ANYWHERE(cuDevicePrimaryCtxRelease_v2,
               ASIDE(runtime, release(runtime, device)) ?: clear_unused(), CUdevice device)
FRONT_ANYWHERE(cuDevicePrimaryCtxReset_v2, device == 0 ? cudaDeviceReset() : cudaErrorInvalidDevice,
               CUdevice device)
FRONT_ANYWHERE(cuDevicePrimaryCtxGetState,
               ASIDE(runtime, get_state(runtime, device, flags, active)), CUdevice device,
               unsigned *flags, int *active)
FRONT_ANYWHERE(cuDevicePrimaryCtxSetFlags_v2, ASIDE(runtime, set_flags(device, flags)),
               CUdevice device, unsigned flags)
