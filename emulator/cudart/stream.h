/* SPDX-License-Identifier: MIT */
/* Streams and events, as stream.c and capture.c share them. */
#ifndef STREAM_H
#define STREAM_H

#include "cudart/runtime.h"

struct CUstream_st {
    unsigned flags;
    int priority;
    unsigned long long number;
    double ready; /* by the modelled clock: all it was given is done */
    cudaStreamAttrValue attributes[STREAM_ATTRIBUTES];
    struct capture *capture; /* that it takes part in; or NULL */
    struct list tail; /* nodes that what it captures next depends on */
};

struct CUevent_st {
    unsigned flags;
    bool recorded;
    double ms; /* of the modelled clock, when it was recorded */
    struct capture *capture; /* in which it was recorded last; or NULL */
    struct list tail; /* nodes it stands for there */
};

/* The default streams have no struct behind their handles. */
static inline bool stream_is_default(cudaStream_t stream)
{
    return !stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

/* A stream that no list has. NULL: no memory. */
cudaStream_t stream_make(struct runtime *runtime, unsigned flags, int priority);
/* When all that the stream was given is done, and what it waits for besides. */
double stream_ready_ms(const struct runtime *runtime, cudaStream_t stream);
/* What it is given next begins no earlier than `ms`. */
void stream_wait_ms(struct runtime *runtime, cudaStream_t stream, double ms);
/* Record an event behind what the stream was given, or let the stream wait for it, now. */
cudaError_t stream_record(struct runtime *runtime, cudaEvent_t event, cudaStream_t stream);
cudaError_t stream_wait(struct runtime *runtime, cudaStream_t stream, cudaEvent_t event);

#endif
