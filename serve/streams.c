/* SPDX-License-Identifier: MIT */
/* Server-sent events: a job's, to whoever listens. */
#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "server.h"

enum { BLOCK = 16 << 10, MOST_OF_ONE = 16 };
static const double ping_every = 15; /* seconds */

struct stream {
    struct server *server;
    struct job *job;
    struct MHD_Connection *connection;
    size_t sent;
    double at; /* when something was sent last */
    bool waits, pings;
    struct stream *next;
};

/* What is there to send. */
static ssize_t take(void *self, uint64_t position, char *buffer, size_t size)
{
    struct stream *stream = self;
    const size_t left = stream->job->events_size - stream->sent;
    const size_t count = left < size ? left : size;

    (void)position;
    stream->at = child_clock();
    if (count) {
        memcpy(buffer, stream->job->events + stream->sent, count);
        stream->sent += count;
        return (ssize_t)count;
    }
    if (stream->job->pid < 0)
        return MHD_CONTENT_READER_END_OF_STREAM;
    if (stream->pings && size >= 3) {
        stream->pings = false;
        memcpy(buffer, ":\n\n", 3);
        return 3;
    }
    stream->waits = true;
    MHD_suspend_connection(stream->connection);
    return 0;
}

static void forget(void *self)
{
    struct stream *stream = self;
    struct stream **link = &stream->server->streams;

    while (*link != stream)
        link = &(*link)->next;
    *link = stream->next;
    stream->job->listeners--;
    free(stream);
}

/* How many a person listens to. */
static int count_of(const struct server *server, const char *person)
{
    int count = 0;

    for (const struct stream *stream = server->streams; stream; stream = stream->next)
        count += !strcmp(stream->job->person, person);
    return count;
}

enum MHD_Result stream_events(struct request *request, struct job *job)
{
    struct server *server = request->server;

    if (count_of(server, job->person) >= MOST_OF_ONE)
        return http_refuse(request, MHD_HTTP_TOO_MANY_REQUESTS, "too often");
    struct stream *stream = calloc(1, sizeof(*stream));
    if (!stream)
        return MHD_NO;
    *stream = (struct stream){.server = server,
                              .job = job,
                              .connection = request->connection,
                              .at = child_clock(),
                              .next = server->streams};
    server->streams = stream;
    job->listeners++;
    struct MHD_Response *response =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, take, stream, forget);
    if (!response) {
        forget(stream);
        return MHD_NO;
    }
    http_add_headers(response, "text/event-stream", false);
    MHD_add_response_header(response, "Cache-Control", "no-store");
    MHD_add_response_header(response, "X-Accel-Buffering", "no"); /* to a proxy */
    request->caller->answered = true;
    const enum MHD_Result queued = MHD_queue_response(request->connection, MHD_HTTP_OK, response);
    MHD_destroy_response(response);
    return queued;
}

static void resume(struct stream *stream)
{
    if (!stream->waits)
        return;
    stream->waits = false;
    MHD_resume_connection(stream->connection);
}

void stream_wake(void *self, struct job *job)
{
    const struct server *server = self;

    for (struct stream *stream = server->streams; stream; stream = stream->next)
        if (stream->job == job)
            resume(stream);
}

void stream_ping(struct server *server)
{
    for (struct stream *stream = server->streams; stream; stream = stream->next)
        if (child_clock() - stream->at > ping_every) {
            stream->pings = true;
            resume(stream);
        }
}

void stream_end(struct server *server)
{
    for (struct stream *stream = server->streams; stream; stream = stream->next)
        resume(stream);
}
