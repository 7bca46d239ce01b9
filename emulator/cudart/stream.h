/* SPDX-License-Identifier: MIT */
/* Streams and events, which stream.c and capture.c share. */
#ifndef STREAM_H
#define STREAM_H

#include "cudart/runtime.h"

struct CUstream_st {
    int device;
    unsigned flags;
    int priority;
    unsigned long long number;
    double ready; /* when all its work is done, on the modelled clock */
    bool of_graph; /* it runs the nodes of a graph, */
    double launched; /* which was launched at this time */
    cudaStreamAttrValue attributes[STREAM_ATTRIBUTES];
    struct capture *capture; /* the capture that it takes part in; or NULL */
    struct list tail; /* the nodes on which its next node will depend */
};

struct CUevent_st {
    int device;
    unsigned flags;
    bool recorded;
    double ms; /* when it was recorded, on the modelled clock */
    struct capture *capture; /* the capture in which it was last recorded; or NULL */
    struct list tail; /* the nodes that it stands for there */
};

/* The handles of default streams do not point to a struct. */
static inline bool stream_is_default(cudaStream_t stream)
{
    return !stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

/* Make a stream that is in no list; NULL if there is no memory. */
cudaStream_t stream_make(struct runtime *runtime, unsigned flags, int priority);
/* When all work of the stream is done, and all work that the stream waits for. */
double stream_ready_ms(const struct runtime *runtime, cudaStream_t stream);
/* Let the next work of the stream begin no earlier than `ms`. */
void stream_wait_ms(struct runtime *runtime, cudaStream_t stream, double ms);
/* Record an event after the work of the stream, or let the stream wait for an event, without
 * capturing it. */
cudaError_t stream_record(struct runtime *runtime, cudaEvent_t event, cudaStream_t stream);
cudaError_t stream_wait(struct runtime *runtime, cudaStream_t stream, cudaEvent_t event);

#endif
