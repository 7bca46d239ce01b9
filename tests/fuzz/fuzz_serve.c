/* SPDX-License-Identifier: MIT */
/* Fuzz target: the classroom's requests, as they come over a connection. What is between @ and @ in
 * an input stands for what nobody can guess: @cookie@ and @token@ of a student who has signed in,
 * @teacher@ and @pass@ of the instructor, @job@ of the student that waits and @drawn@ that is over;
 * and @length@ for how long the body behind it is, so that a body may change. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server.h"
#include "text.h"

enum { MOST_TURNS = 50 };

enum { STUDENT, TEACHER, PEOPLE };

static struct server server;
static struct person people[PEOPLE] = {{"bob", "code-of-bob", false},
                                       {"instructor", "chalk-and-board", true}};
static char cookies[PEOPLE][TOKEN_SIZE], tokens[PEOPLE][TOKEN_SIZE];
static char waiting[JOB_ID_SIZE], drawn[JOB_ID_SIZE];

static void judged(void *self, const struct job *job, const char *verdict)
{
    (void)self, (void)job, (void)verdict;
}

static void set_up(void)
{
    static struct bucket buckets[3], guesses[3];
    char folder[] = "/dev/shm/fuzz_serve.XXXXXX";

    server.classroom = (struct classroom){people, PEOPLE};
    server.is_class = server.sandbox = true;
    server.buckets = buckets;
    server.guesses = guesses;
    server.queue = (struct queue){.heard = stream_wake, .judged = judged, .self = &server};
    server.store = mkdtemp(folder) ? store_open(folder, false) : NULL;
    if (!server.store || !content_read(&server.content, CHECKOUT, BUILD))
        abort();
    server.daemon =
        MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_LISTEN_SOCKET, 0,
                         NULL, NULL, http_handle, &server, MHD_OPTION_NOTIFY_CONNECTION,
                         http_connection, &server, MHD_OPTION_NOTIFY_COMPLETED, http_completed,
                         &server, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
    if (!server.daemon)
        abort();
}

/* Whoever an input has signed out is signed in again. */
static void sign_in(void)
{
    char name[64];

    for (int i = 0; i < PEOPLE; i++)
        if (!store_person(server.store, cookies[i], name, sizeof(name), tokens[i]) &&
            (!store_sign_in(server.store, people[i].name, cookies[i]) ||
             !store_person(server.store, cookies[i], name, sizeof(name), tokens[i])))
            abort();
}

/* One job waits, and one is over and has drawn a page. */
static void add_jobs(void)
{
    struct job *job = queue_add(&server.queue, "bob", NULL, json_object());

    if (!job)
        abort();
    strcpy(drawn, job->id);
    job->trace = strdup("<p>");
    queue_cancel(&server.queue, job);
    job = queue_add(&server.queue, "bob", "01_every_element", json_object());
    if (!job)
        abort();
    strcpy(waiting, job->id);
}

/* The text with what @...@ stands for in its place; to be freed. */
static char *request_of(const char *data, size_t size, size_t *length)
{
    const struct {
        const char *mark, *text;
    } marks[] = {{"@cookie@", cookies[STUDENT]},
                 {"@token@", tokens[STUDENT]},
                 {"@teacher@", cookies[TEACHER]},
                 {"@pass@", tokens[TEACHER]},
                 {"@job@", waiting},
                 {"@drawn@", drawn}};
    static const char measure[] = "@length@", blank[] = "\r\n\r\n";
    char *text = NULL;
    FILE *file = open_memstream(&text, length);

    for (size_t at = 0; at < size;) {
        size_t taken = 0;
        for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]) && !taken; i++) {
            const size_t mark = strlen(marks[i].mark);
            if (size - at >= mark && !memcmp(data + at, marks[i].mark, mark)) {
                fputs(marks[i].text, file);
                taken = mark;
            }
        }
        if (!taken)
            fputc(data[at], file);
        at += taken ? taken : 1;
    }
    fclose(file);
    char *place = memmem(text, *length, measure, sizeof(measure) - 1);
    const char *end = text + *length;
    const char *body =
        place ? memmem(place, (size_t)(end - place), blank, sizeof(blank) - 1) : NULL;
    if (body) { /* as many digits as the mark has characters */
        char digits[sizeof(measure)];
        snprintf(digits, sizeof(digits), "%08zu", (size_t)(end - body) - (sizeof(blank) - 1));
        memcpy(place, digits, sizeof(measure) - 1);
    }
    return text;
}

/* Everything there is to do now; what is answered is dropped. */
static void run(int client)
{
    char answer[1 << 16];

    for (int turn = 0; turn < MOST_TURNS; turn++) {
        MHD_run(server.daemon);
        if (recv(client, answer, sizeof(answer), MSG_DONTWAIT) <= 0 && turn > 3)
            return;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct sockaddr address = {.sa_family = AF_UNIX};
    int ends[2];
    size_t length;

    if (!server.daemon)
        set_up();
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends))
        abort();
    for (int i = 0; i < 3; i++)
        server.buckets[i].level = server.guesses[i].level = 1000;
    sign_in();
    add_jobs();
    char *request = request_of((const char *)data, size, &length);
    MHD_add_connection(server.daemon, ends[0], &address, sizeof(address));
    for (size_t sent = 0; sent < length;) {
        const ssize_t count = send(ends[1], request + sent, length - sent, MSG_NOSIGNAL);
        if (count <= 0)
            break;
        sent += (size_t)count;
        run(ends[1]);
    }
    shutdown(ends[1], SHUT_WR);
    run(ends[1]);
    for (struct job *job = server.queue.first; job; job = job->next)
        queue_cancel(&server.queue, job);
    run(ends[1]);
    close(ends[1]);
    stream_end(&server);
    MHD_run(server.daemon);
    MHD_run(server.daemon);
    free(request);
    return 0;
}
