/* SPDX-License-Identifier: MIT */
/* Streams and events, which are the runtime's. */
#include "driver/driver.h"

#include "cudart/stream.h"

/* The flags are the runtime's, too. */
FRONT(cuStreamCreate, cudaStreamCreateWithFlags(stream, flags), CUstream *stream, unsigned flags)
FRONT(cuStreamCreateWithPriority, cudaStreamCreateWithPriority(stream, flags, priority),
      CUstream *stream, unsigned flags, int priority)
FRONT(cuStreamDestroy_v2, cudaStreamDestroy(stream), CUstream stream)
FRONT_IN(ptsz, cuStreamSynchronize, cudaStreamSynchronize(stream), CUstream stream)
FRONT_IN(ptsz, cuStreamQuery, cudaStreamQuery(stream), CUstream stream)
FRONT_IN(ptsz, cuStreamWaitEvent, cudaStreamWaitEvent(stream, event, flags), CUstream stream,
         CUevent event, unsigned flags)
FRONT_IN(ptsz, cuStreamGetPriority, cudaStreamGetPriority(stream, priority), CUstream stream,
         int *priority)
FRONT_IN(ptsz, cuStreamGetFlags, cudaStreamGetFlags(stream, flags), CUstream stream,
         unsigned *flags)
#if CUDA_VERSION >= 12000
FRONT_IN(ptsz, cuStreamGetId, cudaStreamGetId(stream, number), CUstream stream,
         unsigned long long *number)
#endif
#if CUDA_VERSION >= 12080
FRONT_IN(ptsz, cuStreamGetDevice, cudaStreamGetDevice(stream, device), CUstream stream,
         CUdevice *device)
#endif
FRONT_IN(ptsz, cuStreamCopyAttributes, cudaStreamCopyAttributes(to, from), CUstream to,
         CUstream from)
FRONT_IN(ptsz, cuStreamGetAttribute,
         cudaStreamGetAttribute(stream, (cudaStreamAttrID)attribute, (cudaStreamAttrValue *)value),
         CUstream stream, CUstreamAttrID attribute, CUstreamAttrValue *value)
FRONT_IN(ptsz, cuStreamSetAttribute,
         cudaStreamSetAttribute(stream, (cudaStreamAttrID)attribute,
                                (const cudaStreamAttrValue *)value),
         CUstream stream, CUstreamAttrID attribute, const CUstreamAttrValue *value)
FRONT_IN(ptsz, cuStreamAttachMemAsync,
         cudaStreamAttachMemAsync(stream, pointer_of(start), length, flags), CUstream stream,
         CUdeviceptr start, size_t length, unsigned flags)

static cudaError_t get_context(struct runtime *runtime, CUstream stream, CUcontext *context)
{
    if (!context)
        return cudaErrorInvalidValue;
    if (!stream_valid(runtime, stream))
        return cudaErrorInvalidResourceHandle;
    *context = context_current();
    return cudaSuccess;
}
FRONT_IN(ptsz, cuStreamGetCtx, ASIDE(runtime, get_context(runtime, stream, context)),
         CUstream stream, CUcontext *context)

/* A callback of the driver gets the driver's error, which is always CUDA_SUCCESS. */
FRONT_IN(ptsz, cuStreamAddCallback,
         cudaStreamAddCallback(stream, (cudaStreamCallback_t)callback, data, flags),
         CUstream stream, CUstreamCallback callback, void *data, unsigned flags)
FRONT_IN(ptsz, cuLaunchHostFunc, cudaLaunchHostFunc(stream, function, data), CUstream stream,
         CUhostFn function, void *data)

/* --- Capture ---------------------------------------------------------------------------------- */

FRONT_IN(ptsz, cuStreamBeginCapture_v2,
         cudaStreamBeginCapture(stream, (enum cudaStreamCaptureMode)mode), CUstream stream,
         CUstreamCaptureMode mode)
FRONT_IN(ptsz, cuStreamEndCapture, cudaStreamEndCapture(stream, graph), CUstream stream,
         CUgraph *graph)
FRONT_IN(ptsz, cuStreamIsCapturing,
         cudaStreamIsCapturing(stream, (enum cudaStreamCaptureStatus *)status), CUstream stream,
         CUstreamCaptureStatus *status)
FRONT_ANYWHERE(cuThreadExchangeStreamCaptureMode,
               cudaThreadExchangeStreamCaptureMode((enum cudaStreamCaptureMode *)mode),
               CUstreamCaptureMode *mode)
#if CUDA_VERSION >= 13000
FRONT_IN(ptsz, cuStreamGetCaptureInfo_v2,
         cudaStreamGetCaptureInfo(stream, (enum cudaStreamCaptureStatus *)status,
                                  (unsigned long long *)number, graph, before, NULL, count),
         CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *number, CUgraph *graph,
         const CUgraphNode **before, size_t *count)
FRONT_IN(ptsz, cuStreamGetCaptureInfo_v3,
         cudaStreamGetCaptureInfo(stream, (enum cudaStreamCaptureStatus *)status,
                                  (unsigned long long *)number, graph, before,
                                  (const cudaGraphEdgeData **)edges, count),
         CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *number, CUgraph *graph,
         const CUgraphNode **before, const CUgraphEdgeData **edges, size_t *count)
#else
FRONT_IN(ptsz, cuStreamGetCaptureInfo_v2,
         cudaStreamGetCaptureInfo_v2(stream, (enum cudaStreamCaptureStatus *)status,
                                     (unsigned long long *)number, graph, before, count),
         CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *number, CUgraph *graph,
         const CUgraphNode **before, size_t *count)
#endif

/* --- Events ----------------------------------------------------------------------------------- */

FRONT(cuEventCreate, cudaEventCreateWithFlags(event, flags), CUevent *event, unsigned flags)
FRONT_IN(ptsz, cuEventRecord, cudaEventRecord(event, stream), CUevent event, CUstream stream)
FRONT_IN(ptsz, cuEventRecordWithFlags, cudaEventRecordWithFlags(event, stream, flags),
         CUevent event, CUstream stream, unsigned flags)
FRONT(cuEventQuery, cudaEventQuery(event), CUevent event)
FRONT(cuEventSynchronize, cudaEventSynchronize(event), CUevent event)
FRONT(cuEventDestroy_v2, cudaEventDestroy(event), CUevent event)
FRONT(cuEventElapsedTime, cudaEventElapsedTime(ms, start, end), float *ms, CUevent start,
      CUevent end)
#if CUDA_VERSION >= 12080
FRONT(cuEventElapsedTime_v2, cudaEventElapsedTime(ms, start, end), float *ms, CUevent start,
      CUevent end)
#endif
