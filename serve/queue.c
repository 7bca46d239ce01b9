/* SPDX-License-Identifier: MIT */
#include "queue.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "store.h"
#include "text.h"

enum {
    MOST_OF_ONE = 3, /* jobs of one person that wait or run */
    MOST_WAITING = 600,
    KEPT = 4, /* jobs of one person that are over */
    LINE_LIMIT = 16 << 20,
    SECONDS = 240,
};

/* --- Jobs ------------------------------------------------------------------------------------- */

static void free_job(struct job *job)
{
    free(job->person);
    free(job->puzzle);
    free(job->request);
    free(job->line);
    free(job->events);
    free(job->trace);
    free(job);
}

/* Forget what has been over for the longest, of a person who has more of that than is kept. */
static void forget(struct queue *queue, const char *person)
{
    int over = 0;

    for (const struct job *job = queue->first; job; job = job->next)
        over += job->pid < 0 && !strcmp(job->person, person);
    for (struct job **link = &queue->first, *before = NULL; *link && over > KEPT;) {
        struct job *job = *link;
        if (job->pid < 0 && !job->listeners && !strcmp(job->person, person)) {
            *link = job->next;
            if (queue->last == job)
                queue->last = before;
            free_job(job);
            over--;
        } else {
            before = job;
            link = &job->next;
        }
    }
}

struct job *queue_add(struct queue *queue, const char *person, const char *puzzle, json_t *request)
{
    int waiting = 0, of_one = 0;

    for (const struct job *job = queue->first; job; job = job->next) {
        waiting += job->pid == 0;
        of_one += job->pid >= 0 && !strcmp(job->person, person);
    }
    forget(queue, person);
    struct job *job =
        of_one < MOST_OF_ONE && waiting < MOST_WAITING ? calloc(1, sizeof(*job)) : NULL;
    if (job) {
        store_token(job->id, JOB_ID_SIZE - 1);
        job->person = strdup(person);
        job->puzzle = puzzle ? strdup(puzzle) : NULL;
        job->request = json_dumps(request, JSON_COMPACT);
        job->request_size = job->request ? strlen(job->request) : 0;
        job->from = -1;
        job->since = child_clock();
        *(queue->last ? &queue->last->next : &queue->first) = job;
        queue->last = job;
    }
    json_decref(request);
    return job;
}

struct job *queue_find(struct queue *queue, const char *id)
{
    struct job *job = queue->first;

    while (job && strcmp(job->id, id) != 0)
        job = job->next;
    return job;
}

int queue_ahead(const struct queue *queue, const struct job *job)
{
    int ahead = 0;

    for (const struct job *other = queue->first; other && other != job; other = other->next)
        ahead += other->pid == 0;
    return ahead;
}

/* --- What is said ----------------------------------------------------------------------------- */

static void say(struct queue *queue, struct job *job, const char *text, size_t size)
{
    static const char head[] = "data: ", tail[] = "\n\n";
    const size_t more = sizeof(head) - 1 + size + sizeof(tail) - 1;
    char *events = realloc(job->events, job->events_size + more);

    if (!events)
        return;
    job->events = events;
    events += job->events_size;
    memcpy(events, head, sizeof(head) - 1);
    memcpy(events + sizeof(head) - 1, text, size);
    memcpy(events + sizeof(head) - 1 + size, tail, sizeof(tail) - 1);
    job->events_size += more;
    queue->heard(queue->self, job);
}

static bool is_last(const char *event)
{
    static const char *const last[] = {"verdict", "result", "ladder", "failed"};

    for (size_t i = 0; i < sizeof(last) / sizeof(last[0]); i++)
        if (!strcmp(event, last[i]))
            return true;
    return false;
}

/* A line of the worker's: a page in it is kept apart, a verdict is handed on. What is no event is
 * left out. */
static void take_line(struct queue *queue, struct job *job, const char *line, size_t size)
{
    json_t *event = json_loadb(line, size, 0, NULL);
    const char *kind = json_string_value(json_object_get(event, "event"));
    const char *trace = json_string_value(json_object_get(event, "trace"));
    const char *verdict = json_string_value(json_object_get(event, "verdict"));

    if (kind && !job->ended) {
        job->ended = is_last(kind);
        if (!strcmp(kind, "stopped"))
            complain("the sandbox ended a run of %s: %s", job->person,
                     json_string_value(json_object_get(event, "text")));
        if (trace) {
            free(job->trace);
            job->trace = strdup(trace);
            json_object_set_new(event, "trace", json_true());
        }
        if (verdict && job->puzzle)
            queue->judged(queue->self, job, verdict);
        char *text = json_dumps(event, JSON_COMPACT);
        if (text)
            say(queue, job, text, strlen(text));
        free(text);
    }
    json_decref(event);
}

static void take_lines(struct queue *queue, struct job *job)
{
    char *at = job->line, *end;

    while ((end = memchr(at, '\n', job->line_size - (size_t)(at - job->line))) != NULL) {
        take_line(queue, job, at, (size_t)(end - at));
        at = end + 1;
    }
    job->line_size -= (size_t)(at - job->line);
    memmove(job->line, at, job->line_size);
}

/* Its end, which every listener hears of. */
static void end(struct queue *queue, struct job *job)
{
    static const char cancelled[] = "{\"event\":\"cancelled\"}";
    static const char lost[] = "{\"event\":\"failed\",\"text\":\"\"}";

    if (job->pid > 0) {
        kill(job->pid, SIGKILL);
        waitpid(job->pid, NULL, 0);
        queue->running--;
    }
    if (job->from >= 0)
        close(job->from);
    job->from = -1;
    job->pid = -1;
    free(job->line);
    free(job->request);
    job->line = job->request = NULL;
    job->line_size = 0;
    if (job->cancelled)
        say(queue, job, cancelled, sizeof(cancelled) - 1);
    else if (!job->ended)
        say(queue, job, lost, sizeof(lost) - 1);
    job->ended = true;
    queue->heard(queue->self, job);
}

void queue_cancel(struct queue *queue, struct job *job)
{
    if (job->pid < 0)
        return;
    job->cancelled = true;
    end(queue, job);
}

/* --- Workers ---------------------------------------------------------------------------------- */

/* In the child. */
static void become_worker(const struct queue *queue, int request, int to, pid_t server)
{
    sigset_t none;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != server)
        _exit(EXIT_FAILURE);
    setpgid(0, 0);
    dup2(request, STDIN_FILENO);
    dup2(to, STDOUT_FILENO);
    close_range(3, ~0U, 0);
    execl(queue->worker, queue->worker, queue->checkout, queue->build, (char *)NULL);
    _exit(EXIT_FAILURE);
}

static void start(struct queue *queue, struct job *job)
{
    const int request = memfd_create("request", MFD_CLOEXEC);
    const pid_t server = getpid();
    int ends[2] = {-1, -1};

    job->since = child_clock();
    if (request < 0 || pipe2(ends, O_CLOEXEC | O_NONBLOCK) ||
        write(request, job->request, job->request_size) != (ssize_t)job->request_size ||
        lseek(request, 0, SEEK_SET) || (job->pid = fork()) < 0) {
        complain("cannot start a worker: %s", strerror(errno));
        job->pid = 0;
    } else if (job->pid == 0) {
        fcntl(ends[1], F_SETFL, 0); /* the worker waits for us */
        become_worker(queue, request, ends[1], server);
    } else {
        job->from = ends[0];
        ends[0] = -1;
        queue->running++;
    }
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0)
            close(ends[i]);
    if (request >= 0)
        close(request);
    if (!job->pid)
        end(queue, job);
}

/* Of the person of `job`, how many run, and when the last one was begun. */
static int count_running(const struct queue *queue, const struct job *job, double *begun)
{
    int running = 0;

    *begun = 0;
    for (const struct job *other = queue->first; other; other = other->next) {
        if (other->pid == 0 || strcmp(other->person, job->person) != 0)
            continue;
        running += other->pid > 0;
        *begun = other->since > *begun ? other->since : *begun;
    }
    return running;
}

static struct job *next_of(const struct queue *queue)
{
    struct job *best = NULL;
    double best_begun = 0;
    int best_running = 0;

    for (struct job *job = queue->first; job; job = job->next) {
        double begun;
        if (job->pid != 0)
            continue;
        const int running = count_running(queue, job, &begun);
        if (!best || running < best_running || (running == best_running && begun < best_begun)) {
            best = job;
            best_running = running;
            best_begun = begun;
        }
    }
    return best;
}

void queue_turn(struct queue *queue)
{
    const double now = child_clock();

    for (struct job *job = queue->first; job; job = job->next)
        if (job->pid > 0 && now - job->since > SECONDS)
            end(queue, job);
    for (struct job *job; queue->running < queue->slots && (job = next_of(queue));)
        start(queue, job);
}

int queue_polled(const struct queue *queue, struct pollfd polled[MOST_RUNNING])
{
    int count = 0;

    for (const struct job *job = queue->first; job && count < MOST_RUNNING; job = job->next)
        if (job->from >= 0)
            polled[count++] = (struct pollfd){job->from, POLLIN, 0};
    return count;
}

/* Takes in what is there. Returns false at the end. */
static bool take_in(struct queue *queue, struct job *job)
{
    enum { BLOCK = 1 << 16 };

    for (;;) {
        char *line = realloc(job->line, job->line_size + BLOCK);
        if (!line)
            return false;
        job->line = line;
        const ssize_t count = read(job->from, line + job->line_size, BLOCK);
        if (count < 0)
            return errno == EAGAIN || errno == EINTR;
        if (count == 0 || job->line_size > LINE_LIMIT)
            return false;
        job->line_size += (size_t)count;
        take_lines(queue, job);
    }
}

void queue_hear(struct queue *queue, const struct pollfd *polled, int count)
{
    for (int i = 0; i < count; i++) {
        struct job *job = queue->first;
        while (job && job->from != polled[i].fd)
            job = job->next;
        if (polled[i].revents && job && !take_in(queue, job))
            end(queue, job);
    }
}

void queue_end(struct queue *queue)
{
    for (struct job *job = queue->first; job; job = job->next)
        if (job->pid >= 0)
            queue_cancel(queue, job);
}
