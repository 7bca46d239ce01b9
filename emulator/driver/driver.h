/* SPDX-License-Identifier: MIT */
/* The driver's API (cuLaunchKernel and so on): a second front of the runtime behind the first. Its
 * handles are the runtime's, and nearly every function here asks a function of the runtime.
 *
 *   driver.c    errors, devices             context.c   contexts, and which is current
 *   module.c    code, functions, launches   memory.c    memory, copies, fills
 *   array.c     arrays and textures         tensor.c    maps of tensors
 *   stream.c    streams and events          graph.c     graphs
 *   link.c      linking at run time         nvrtc.c     what NVRTC compiles
 *   entry.c     functions by name           export.c    what no header declares
 *   virtual.c   addresses and memory apart  lacking.c   what is not emulated
 */
#ifndef DRIVER_H
#define DRIVER_H

#include "cudart/runtime.h"

/* All versions of each function, by their own names; and everything is exported. */
#pragma GCC visibility push(default)
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#pragma GCC visibility pop

/* The driver's error for one of the runtime's. Nearly all have one number in both. */
CUresult driver_error(cudaError_t error);

/* May the thread call the driver? 0 if cuInit() was called, or any function of the runtime, and,
 * for a call that needs one, if a context is current. */
CUresult driver_check(bool in_context);

/* A call of the driver. `call` is an expression of type cudaError_t, and what it does leaves no
 * trace for cudaGetLastError. */
#define DRIVER(in_context, call)                                   \
    ({                                                             \
        CUresult result_ = driver_check(in_context);               \
        if (!result_) {                                            \
            call_enter_driver(__func__, CALLER);                   \
            const struct runtime_thread before_ = runtime_aside(); \
            result_ = driver_error(call);                          \
            runtime_resume(before_);                               \
            call_leave_driver();                                   \
        }                                                          \
        result_;                                                   \
    })

/* FRONT(cuMemFree_v2, call, parameters...): that function of the driver, in the current context. */
#define FRONT(name, call, ...)     \
    CUresult name(__VA_ARGS__)     \
    {                              \
        return DRIVER(true, call); \
    }

/* The same with its name for per-thread default streams. */
#define FRONT_IN(suffix, name, call, ...) \
    FRONT(name, call, __VA_ARGS__)        \
    PER_THREAD(name, suffix);

/* One that needs no context. */
#define FRONT_ANYWHERE(name, call, ...) \
    CUresult name(__VA_ARGS__)          \
    {                                   \
        return DRIVER(false, call);     \
    }

/* Memory as the runtime's functions take it. */
static inline void *pointer_of(CUdeviceptr address)
{
    return api_pointer(address);
}

/* The copy in three dimensions that a program describes to the driver, for the runtime. */
cudaError_t driver_copy_parameters(const CUDA_MEMCPY3D *given, struct cudaMemcpy3DParms *parms);

/* module.c: Put `error`, or nothing, into the buffer that is among a program's options. */
void driver_write_logs(const char *error, unsigned count, const CUjit_option *options,
                       void **values);

/* entry.c: Say that none of these are supported, and return cudaErrorNotSupported. */
cudaError_t driver_supports_no(const char *what);

/* context.c: the current context of this thread; NULL if it has none. */
CUcontext context_current(void);

#endif
