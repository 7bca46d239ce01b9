/* SPDX-License-Identifier: MIT */
/* Work of different devices that uses the same bytes, one of them writing, without an order.
 *
 * Streams, and the host, are timelines, each with a clock for what it knows of the others (vector
 * clocks). Work knows what its stream knew, and what the host knew that asked for it. Events pass
 * knowledge on, and so do waits. Work is kept with the bytes it used until every timeline that is
 * in use knows of it. Atomics and the accesses that flags are made of are left out.
 */
#ifndef APART_H
#define APART_H

#include "check/report.h"

struct apart;

/* A stream: `stream` NULL is the device's default stream; with that a blocking one is in order. */
struct apart_stream {
    int device;
    const void *stream;
    bool blocking;
};

struct apart *apart_new(struct reports *reports);
void apart_free(struct apart *apart);
/* Watch the kernels of one of the machines. */
void apart_watch(struct apart *apart, struct machine *machine);

/* Work of a stream begins; a copy or fill uses memory; the work is over, and the host may wait for
 * it. */
void apart_begin(struct apart *apart, struct apart_stream stream);
void apart_use(struct apart *apart, const char *what, uint64_t address, size_t size, bool writes);
void apart_end(struct apart *apart, bool host_waits);

/* An event is recorded in a stream; the stream waits for an event; the host does. */
void apart_record(struct apart *apart, struct apart_stream stream, const void *event);
void apart_wait(struct apart *apart, struct apart_stream stream, const void *event);
void apart_host_waits_for(struct apart *apart, const void *event);
/* The host waits for a stream; for all streams of a device. */
void apart_host_waits(struct apart *apart, struct apart_stream stream);
void apart_host_waits_for_device(struct apart *apart, int device);
/* Modules were unloaded. */
void apart_forget(struct apart *apart);

#endif
