/* SPDX-License-Identifier: MIT */
/* All that the server has in hand. One thread does everything: the work is done by processes. */
#ifndef SERVER_H
#define SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "classroom.h"
#include "content.h"
#include "http.h"
#include "queue.h"
#include "store.h"

enum { MOST_CALLERS = 2048 };

struct server {
    struct MHD_Daemon *daemon;
    struct classroom classroom;
    bool is_class; /* people sign in */
    bool sandbox; /* programs may run */
    bool own_gpu; /* the machine has one: steps run there, too */
    int64_t port;
    struct store *store;
    struct content content;
    struct queue queue;
    struct caller *callers;
    int caller_count;
    struct stream *streams; /* who listens to jobs */
    struct bucket *buckets; /* requests: one for each person, and one for all others */
    struct bucket *guesses; /* wrong codes, likewise */
    bool chinese; /* what a browser of no known language gets */
};

/* streams.c: answer with a job's events, as they come. */
enum MHD_Result stream_events(struct request *request, struct job *job);
/* Wake whoever listens to the job. */
void stream_wake(void *server, struct job *job);
/* To those who have heard nothing for a while: we are here. */
void stream_ping(struct server *server);
/* Let go of all. */
void stream_end(struct server *server);

#endif
