/* SPDX-License-Identifier: MIT */
#include "http.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "child.h"
#include "escape.h"
#include "server.h"
#include "text.h"

enum { BODY_LIMIT = 256 << 10, PATH_LIMIT = 512, COOKIE_SIZE = 64, LOG_SIZE = 240 };
enum { PATIENCE = 15, HURRY = 2 }; /* seconds to say what one wants */
enum { BURST = 60, PER_SECOND = 2, ANONYMOUS_BURST = 100, ANONYMOUS_PER_SECOND = 20 };

static const char *header(const struct request *request, const char *name)
{
    const char *value = MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND, name);

    return value ? value : "";
}

/* --- The log ---------------------------------------------------------------------------------- */

static void log_line(const struct request *request, unsigned status, const char *why)
{
    char shown[LOG_SIZE];
    const size_t length = strlen(request->path);

    fprintf(stderr, "serve: %s %s %s: %u %s\n", request->person ? request->person->name : "-",
            request->posts ? "POST" : "GET",
            escape_text(request->path, length < LOG_SIZE ? length : LOG_SIZE, shown, sizeof(shown)),
            status, why);
}

/* --- Answers ---------------------------------------------------------------------------------- */

void http_add_headers(struct MHD_Response *response, const char *type, bool page)
{
    static const char ours[] =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'";
    static const char drawn[] =
        "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; "
        "style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'";
    const char *const headers[][2] = {
        {"Content-Type", type},
        {"Content-Security-Policy", page ? drawn : ours},
        {"X-Content-Type-Options", "nosniff"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
    };

    for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
        MHD_add_response_header(response, headers[i][0], headers[i][1]);
}

enum MHD_Result http_answer(struct request *request, unsigned status, const char *type,
                            const char *text, size_t size)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(size, (void *)text, MHD_RESPMEM_MUST_COPY);
    enum MHD_Result queued = MHD_NO;

    if (response) {
        http_add_headers(response, type, false);
        MHD_add_response_header(response, "Cache-Control", "no-store");
        queued = MHD_queue_response(request->connection, status, response);
        MHD_destroy_response(response);
    }
    request->caller->answered = true;
    return queued;
}

enum MHD_Result http_json(struct request *request, unsigned status, json_t *json)
{
    char *text = json_dumps(json, JSON_COMPACT);
    const enum MHD_Result queued =
        text ? http_answer(request, status, "application/json", text, strlen(text)) : MHD_NO;

    free(text);
    json_decref(json);
    return queued;
}

enum MHD_Result http_refuse(struct request *request, unsigned status, const char *why)
{
    const bool chinese = !strcmp(header(request, "X-Language"), "zh");
    char *said = translate(chinese ? LANGUAGE_CHINESE : LANGUAGE_ENGLISH, why);
    json_t *error = json_pack("{s:s}", "error", said ? said : why);

    free(said);
    request->refused = true;
    log_line(request, status, why);
    return http_json(request, status, error);
}

/* --- What is asked ---------------------------------------------------------------------------- */

const char *http_query(const struct request *request, const char *name)
{
    const char *value =
        MHD_lookup_connection_value(request->connection, MHD_GET_ARGUMENT_KIND, name);

    return value ? value : "";
}

const char *http_text(const struct request *request, const char *key)
{
    const char *text = json_string_value(json_object_get(request->json, key));

    return text ? text : "";
}

/* Is it a name of this machine, as its own browser asks for it? A name of the net that leads here
 * is somebody else's page. */
static bool is_own_host(const char *host)
{
    static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const size_t length = strlen(names[i]);
        if (!strncmp(host, names[i], length) && (!host[length] || host[length] == ':'))
            return true;
    }
    return false;
}

/* Does the browser say that another site's page sent this? */
static bool is_foreign(const struct request *request)
{
    const char *origin = header(request, "Origin"), *site = header(request, "Sec-Fetch-Site");
    const char *host = strstr(origin, "://");

    if (*site && strcmp(site, "same-origin") != 0)
        return true;
    return *origin && (!host || strcmp(host + 3, header(request, "Host")) != 0);
}

/* Who asks, by the cookie. */
static void find_person(struct request *request)
{
    struct server *server = request->server;
    const char *token =
        MHD_lookup_connection_value(request->connection, MHD_COOKIE_KIND, "session");
    char name[COOKIE_SIZE * 4];

    if (!token || !store_person(server->store, token, name, sizeof(name), request->csrf))
        return;
    for (int i = 0; i < server->classroom.count; i++)
        if (!strcmp(server->classroom.people[i].name, name))
            request->person = &server->classroom.people[i];
}

bool http_take(struct bucket *bucket, double burst, double per_second)
{
    const double now = child_clock();

    bucket->level += (now - bucket->at) * per_second;
    bucket->at = now;
    if (bucket->level > burst)
        bucket->level = burst;
    if (bucket->level < 1)
        return false;
    bucket->level -= 1;
    return true;
}

/* Those who have not signed in share what they may ask for: all of a class may come in at once. */
static bool is_too_often(const struct request *request)
{
    const struct server *server = request->server;
    const int people = server->classroom.count;

    return request->person
               ? !http_take(&server->buckets[request->person - server->classroom.people], BURST,
                            PER_SECOND)
               : !http_take(&server->buckets[people], ANONYMOUS_BURST + 2 * people,
                            ANONYMOUS_PER_SECOND);
}

/* Everything that is known before the body. Returns why not, and the status; NULL: go on. */
static const char *check_head(struct request *request, const char *method, unsigned *status)
{
    const char *length = header(request, "Content-Length");
    const bool gets = !strcmp(method, "GET") || !strcmp(method, "HEAD");

    request->posts = !strcmp(method, "POST");
    *status = MHD_HTTP_FORBIDDEN;
    if (!gets && !request->posts) {
        *status = MHD_HTTP_METHOD_NOT_ALLOWED;
        return "method";
    }
    if (strlen(request->path) > PATH_LIMIT) {
        *status = MHD_HTTP_URI_TOO_LONG;
        return "path too long";
    }
    if (!request->server->is_class && !is_own_host(header(request, "Host")))
        return "asked for under another name";
    find_person(request);
    if (!request->posts)
        return NULL;
    if (is_foreign(request))
        return "another site's page";
    if (strncmp(header(request, "Content-Type"), "application/json", 16) != 0)
        return "no JSON";
    if (request->person && !same_secret(request->csrf, header(request, "X-Token")))
        return "no token, or a wrong one";
    if (strtoull(length, NULL, 10) > BODY_LIMIT) {
        *status = MHD_HTTP_CONTENT_TOO_LARGE;
        return "body too long";
    }
    if (is_too_often(request)) {
        *status = MHD_HTTP_TOO_MANY_REQUESTS;
        return "too often";
    }
    return NULL;
}

/* --- Requests --------------------------------------------------------------------------------- */

static enum MHD_Result begin(void *self, struct MHD_Connection *connection, const char *path,
                             const char *method, void **place)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    struct request *request = calloc(1, sizeof(*request));
    unsigned status;

    if (!request)
        return MHD_NO;
    *place = request;
    request->server = self;
    request->connection = connection;
    request->caller = info ? info->socket_context : NULL;
    request->path = path;
    const char *wrong = check_head(request, method, &status);
    return wrong ? http_refuse(request, status, wrong) : MHD_YES;
}

/* A part of the body. */
static enum MHD_Result take_in(struct request *request, const char *data, size_t *size)
{
    if (request->refused || request->size + *size > BODY_LIMIT) {
        request->refused = true;
    } else {
        char *body = realloc(request->body, request->size + *size);
        if (!body)
            return MHD_NO;
        memcpy(body + request->size, data, *size);
        request->body = body;
        request->size += *size;
    }
    *size = 0;
    return MHD_YES;
}

enum MHD_Result http_handle(void *self, struct MHD_Connection *connection, const char *path,
                            const char *method, const char *version, const char *data, size_t *size,
                            void **place)
{
    struct request *request = *place;

    (void)version;
    if (!request)
        return begin(self, connection, path, method, place);
    if (*size)
        return take_in(request, data, size);
    request->path = path;
    if (request->refused)
        return http_refuse(request, MHD_HTTP_CONTENT_TOO_LARGE, "body too long");
    if (request->posts) {
        request->json = json_loadb(request->body ? request->body : "", request->size, 0, NULL);
        if (!json_is_object(request->json))
            return http_refuse(request, MHD_HTTP_BAD_REQUEST, "no JSON object");
    }
    return route(request);
}

void http_completed(void *self, struct MHD_Connection *connection, void **place,
                    enum MHD_RequestTerminationCode code)
{
    struct request *request = *place;

    (void)self, (void)connection, (void)code;
    if (!request)
        return;
    request->caller->answered = false;
    request->caller->since = child_clock();
    json_decref(request->json);
    free(request->body);
    free(request);
    *place = NULL;
}

/* --- Connections ------------------------------------------------------------------------------ */

void http_connection(void *self, struct MHD_Connection *connection, void **place,
                     enum MHD_ConnectionNotificationCode code)
{
    struct server *server = self;
    struct caller *caller = *place;

    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info =
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        caller = allocate(sizeof(*caller));
        *caller = (struct caller){info->connect_fd, child_clock(), false, server->callers, NULL};
        if (server->callers)
            server->callers->before = caller;
        server->callers = caller;
        server->caller_count++;
    } else if (caller) {
        *(caller->before ? &caller->before->next : &server->callers) = caller->next;
        if (caller->next)
            caller->next->before = caller->before;
        server->caller_count--;
        free(caller);
        caller = NULL;
    }
    *place = caller;
}

void http_sweep(struct server *server)
{
    const bool full = server->caller_count > MOST_CALLERS / 4 * 3;
    const double now = child_clock(), patience = full ? HURRY : PATIENCE;
    int ended = 0;

    for (struct caller *caller = server->callers; caller; caller = caller->next) {
        if (caller->answered || now - caller->since < patience)
            continue;
        shutdown(caller->socket, SHUT_RDWR); /* MHD sees its end */
        caller->since = now;
        ended++;
    }
    if (full)
        complain("%d connections, %d of them ended: they said nothing", server->caller_count,
                 ended);
}
