/* SPDX-License-Identifier: MIT */
/* Work that waits for its turn, and that is being done: a worker process each (work.h).
 *
 * Each person's work waits in a line of its own; whoever has the least running and was served the
 * longest ago is next. What a worker says is kept as server-sent events, which any number of
 * listeners read, from the first one on. */
#ifndef QUEUE_H
#define QUEUE_H

#include <jansson.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { JOB_ID_SIZE = 32 + 1, MOST_RUNNING = 64 };

struct job {
    char id[JOB_ID_SIZE];
    char *person, *puzzle; /* puzzle: NULL unless one is graded */
    char *request; /* JSON, for the worker */
    size_t request_size;
    pid_t pid; /* 0: it waits; -1: it is over */
    int from; /* what the worker says */
    double since; /* it waits, or runs */
    char *line; /* said so far of a line */
    size_t line_size;
    char *events; /* as text/event-stream */
    size_t events_size;
    char *trace; /* a page of its own, or NULL */
    int listeners; /* nobody removes a job that somebody listens to */
    bool ended, cancelled;
    struct job *next;
};

struct queue {
    struct job *first, *last; /* in order of arrival, those that are over as well */
    char *worker, *checkout, *build;
    int running, slots;
    /* What to do when a job has said something, and when a verdict has come. */
    void (*heard)(void *self, struct job *job);
    void (*judged)(void *self, const struct job *job, const char *verdict);
    void *self;
};

/* Add work, whose JSON this frees. NULL: that person, or everybody, has too much waiting. */
struct job *queue_add(struct queue *queue, const char *person, const char *puzzle, json_t *request);
struct job *queue_find(struct queue *queue, const char *id);
/* How many will have their turn before it. */
int queue_ahead(const struct queue *queue, const struct job *job);
void queue_cancel(struct queue *queue, struct job *job);

/* Start whose turn it is, and end what takes too long. */
void queue_turn(struct queue *queue);
/* What to poll; returns how many. And what has come. */
int queue_polled(const struct queue *queue, struct pollfd polled[MOST_RUNNING]);
void queue_hear(struct queue *queue, const struct pollfd *polled, int count);

/* Kill all workers, and with them all they have started. */
void queue_end(struct queue *queue);

#endif
