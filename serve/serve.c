/* SPDX-License-Identifier: MIT */
/* The classroom in a browser, behind ./tour serve. */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "asked.h"
#include "child.h"
#include "server.h"
#include "text.h"

enum { IDLE = 30, REQUEST_MEMORY = 16 << 10, TICK_MS = 1000 };
enum { EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* --- Where to listen -------------------------------------------------------------------------- */

static bool is_loopback(const struct addrinfo *address)
{
    if (address->ai_family == AF_INET6)
        return IN6_IS_ADDR_LOOPBACK(&((struct sockaddr_in6 *)address->ai_addr)->sin6_addr);
    return ntohl(((struct sockaddr_in *)address->ai_addr)->sin_addr.s_addr) >> 24 == 127;
}

/* A socket that listens; -1 after a line on stderr. */
static int listen_at(const struct asked *asked, int *code)
{
    const struct addrinfo wanted = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
                                    .ai_socktype = SOCK_STREAM};
    struct addrinfo *address;
    const int yes = 1;

    *code = EXIT_USAGE;
    if (getaddrinfo(asked->bind, text_format("%lld", (long long)asked->port), &wanted, &address)) {
        complain("--bind takes an address, as 192.168.1.5, not '%s'", asked->bind);
        return -1;
    }
    if (!is_loopback(address) && !asked->class) {
        complain("--bind %s lets others in: that goes with --class FILE alone", asked->bind);
        return -1;
    }
    *code = EXIT_FAILED;
    const int one = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (one >= 0)
        setsockopt(one, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    if (one < 0 || bind(one, address->ai_addr, address->ai_addrlen) || listen(one, SOMAXCONN)) {
        complain("cannot listen at %s, port %lld: %s", asked->bind, (long long)asked->port,
                 strerror(errno));
        return -1;
    }
    freeaddrinfo(address);
    return one;
}

static int64_t port_of(int listener)
{
    struct sockaddr_storage address;
    socklen_t size = sizeof(address);

    if (getsockname(listener, (struct sockaddr *)&address, &size))
        return 0;
    return ntohs(address.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&address)->sin6_port
                                               : ((struct sockaddr_in *)&address)->sin_port);
}

/* --- Set-up ----------------------------------------------------------------------------------- */

static void judged(void *self, const struct job *job, const char *verdict)
{
    const struct server *server = self;

    store_verdict(server->store, job->person, job->puzzle, verdict);
}

/* What people hand in lies beside the class's file, or, one's own, in my/, where ./tour puzzle has
 * it. */
static bool read_class(struct server *server, const struct asked *asked)
{
    const char *folder = asked->keep    ? asked->keep
                         : asked->class ? text_format("%s.work", asked->class)
                                        : text_format("%s/my", asked->checkout);

    server->is_class = asked->class != NULL;
    server->own_gpu = asked->on && !strcmp(asked->on, "gpu");
    server->classroom = classroom_of_one();
    if (server->is_class && !classroom_read(asked->class, &server->classroom))
        return false;
    server->store = store_open(folder, !server->is_class);
    const size_t buckets = (size_t)(server->classroom.count + 1) * sizeof(struct bucket);
    server->buckets = allocate(buckets);
    server->guesses = allocate(buckets);
    return server->store;
}

static void set_up_queue(struct server *server, const struct asked *asked)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);

    server->queue = (struct queue){
        .worker = text_format("%s/serve/worker", asked->build),
        .checkout = copy_text(asked->checkout),
        .build = copy_text(asked->build),
        .slots = (int)(cores < 1              ? 1
                       : cores > MOST_RUNNING ? MOST_RUNNING
                                              : cores),
        .heard = stream_wake,
        .judged = judged,
        .self = server,
    };
    char *const sandbox[] = {server->queue.worker, "--sandbox", NULL};
    const struct child child = child_run(sandbox, false, &(struct child_limits){.seconds = 20});
    server->sandbox = child_succeeded(&child);
    if (!server->sandbox)
        complain("no user namespaces here: puzzles are graded, but programs do not run");
}

static struct MHD_Daemon *start(struct server *server, int listener)
{
    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, http_handle, server,
        MHD_OPTION_LISTEN_SOCKET, listener, MHD_OPTION_NOTIFY_CONNECTION, http_connection, server,
        MHD_OPTION_NOTIFY_COMPLETED, http_completed, server, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)MOST_CALLERS, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_MEMORY, MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_END);
}

static void allow_files(void)
{
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files))
        return;
    files.rlim_cur = files.rlim_max < MOST_CALLERS + 512 ? files.rlim_max : MOST_CALLERS + 512;
    setrlimit(RLIMIT_NOFILE, &files);
}

/* --- The loop --------------------------------------------------------------------------------- */

static int hold_signals(void)
{
    sigset_t ends;

    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGHUP);
    sigprocmask(SIG_BLOCK, &ends, NULL);
    return signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Until a signal comes. */
static void serve(struct server *server, int signals)
{
    enum { DAEMON, SIGNALS, JOBS };
    const int epoll = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
    double swept = child_clock();

    for (;;) {
        struct pollfd polled[JOBS + MOST_RUNNING] = {{epoll, POLLIN, 0}, {signals, POLLIN, 0}};
        MHD_UNSIGNED_LONG_LONG timeout = TICK_MS;

        queue_turn(&server->queue);
        const int jobs = queue_polled(&server->queue, polled + JOBS);
        if (MHD_get_timeout(server->daemon, &timeout) != MHD_YES || timeout > TICK_MS)
            timeout = TICK_MS;
        if (poll(polled, (nfds_t)(JOBS + jobs), (int)timeout) < 0 && errno != EINTR)
            return;
        if (polled[SIGNALS].revents)
            return;
        queue_hear(&server->queue, polled + JOBS, jobs);
        MHD_run(server->daemon);
        if (child_clock() - swept >= 1) {
            swept = child_clock();
            http_sweep(server);
            stream_ping(server);
        }
    }
}

static int run(struct server *server, const struct asked *asked)
{
    int code;

    if (!read_class(server, asked) ||
        !content_read(&server->content, asked->checkout, asked->build))
        return EXIT_USAGE;
    const int listener = listen_at(asked, &code);
    if (listener < 0)
        return code;
    allow_files();
    set_up_queue(server, asked);
    const int signals = hold_signals();
    server->port = port_of(listener);
    server->daemon = start(server, listener);
    if (!server->daemon) {
        complain("cannot listen at %s, port %lld: %s", asked->bind, (long long)server->port,
                 strerror(errno));
        return EXIT_FAILED;
    }
    tell("open http://%s:%lld/ in a browser; Ctrl-C ends this\n",
         strchr(asked->bind, ':') ? text_format("[%s]", asked->bind) : asked->bind,
         (long long)server->port);
    fflush(stdout);
    serve(server, signals);
    queue_end(&server->queue);
    stream_end(server);
    MHD_run(server->daemon);
    MHD_stop_daemon(server->daemon);
    store_close(server->store);
    return 0;
}

int main(int argc, char **argv)
{
    static struct server server;
    struct asked asked;

    return asked_read(argc, argv, &asked) ? run(&server, &asked) : EXIT_USAGE;
}
