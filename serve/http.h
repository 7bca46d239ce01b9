/* SPDX-License-Identifier: MIT */
/* Requests and answers. What is wrong with a request before anybody looks at what it asks for is
 * found here, refused, and leaves one line in the log. */
#ifndef HTTP_H
#define HTTP_H

#include <jansson.h>
#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>

#include "classroom.h"
#include "store.h"

struct server;

/* One connection. */
struct caller {
    int socket;
    double since; /* it was made, or last answered */
    bool answered; /* its request is whole, and ours to answer */
    struct caller *next, *before;
};

struct request {
    struct server *server;
    struct MHD_Connection *connection;
    struct caller *caller;
    const char *path;
    bool posts;
    char *body;
    size_t size;
    json_t *json; /* of a POST; NULL: none */
    const struct person *person; /* NULL: nobody has signed in */
    char csrf[TOKEN_SIZE];
    bool refused;
};

/* The handler of MHD for one request. */
enum MHD_Result http_handle(void *self, struct MHD_Connection *connection, const char *path,
                            const char *method, const char *version, const char *data, size_t *size,
                            void **request);
void http_completed(void *self, struct MHD_Connection *connection, void **request,
                    enum MHD_RequestTerminationCode code);
/* Connections come and go. */
void http_connection(void *self, struct MHD_Connection *connection, void **caller,
                     enum MHD_ConnectionNotificationCode code);
/* End those that are too slow to say what they want. */
void http_sweep(struct server *server);

/* So many things at once, and so many more each second. */
struct bucket {
    double level, at;
};
/* Take one; false: there is none. */
bool http_take(struct bucket *bucket, double burst, double per_second);

/* Text of a query's argument, or "". */
const char *http_query(const struct request *request, const char *name);
/* Text of the JSON that was sent, or "". */
const char *http_text(const struct request *request, const char *key);

/* Answers; `text` is copied. */
enum MHD_Result http_answer(struct request *request, unsigned status, const char *type,
                            const char *text, size_t size);
/* JSON, which this frees. */
enum MHD_Result http_json(struct request *request, unsigned status, json_t *json);
/* Not so, and why; a line in the log. */
enum MHD_Result http_refuse(struct request *request, unsigned status, const char *why);
/* The headers that every answer has; `page`: a page that emu wrote, with scripts in it, which gets
 * no access to anything. */
void http_add_headers(struct MHD_Response *response, const char *type, bool page);

/* routes.c: answer a request that is in order. */
enum MHD_Result route(struct request *request);

#endif
