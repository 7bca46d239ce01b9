/* SPDX-License-Identifier: MIT */
/* What each address answers with. */
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server.h"
#include "text.h"
#include "work.h"

static enum MHD_Result missing(struct request *request)
{
    return http_refuse(request, MHD_HTTP_NOT_FOUND, "no such thing");
}

static enum MHD_Result done(struct request *request)
{
    return http_json(request, MHD_HTTP_OK, json_pack("{s:b}", "done", 1));
}

static enum language language_of(const char *tag)
{
    return !strcmp(tag, "zh") ? LANGUAGE_CHINESE : LANGUAGE_ENGLISH;
}

/* --- Who is there ----------------------------------------------------------------------------- */

/* The token for what changes something goes to our own page alone: no other can read it. */
static enum MHD_Result get_me(struct request *request)
{
    const struct server *server = request->server;
    json_t *me = json_pack("{s:b, s:b, s:b, s:s, s:s?, s:b}", "class", server->is_class, "sandbox",
                           server->sandbox, "own_gpu", server->own_gpu, "token", request->csrf,
                           "name", request->person ? request->person->name : NULL, "teaches",
                           request->person && request->person->teaches);

    return http_json(request, MHD_HTTP_OK, me);
}

/* Answer with a new session's cookie. */
static enum MHD_Result sign_in(struct request *request, const struct person *person)
{
    const char *proto =
        MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND, "X-Forwarded-Proto");
    static const char text[] = "{\"done\":true}";
    struct MHD_Response *response =
        MHD_create_response_from_buffer(sizeof(text) - 1, (void *)text, MHD_RESPMEM_PERSISTENT);
    char token[TOKEN_SIZE], cookie[256];

    if (!response || !store_sign_in(request->server->store, person->name, token))
        return MHD_NO;
    snprintf(cookie, sizeof(cookie),
             "session=%s; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict%s", token,
             proto && !strcmp(proto, "https") ? "; Secure" : "");
    http_add_headers(response, "application/json", false);
    MHD_add_response_header(response, "Cache-Control", "no-store");
    MHD_add_response_header(response, "Set-Cookie", cookie);
    request->caller->answered = true;
    const enum MHD_Result queued = MHD_queue_response(request->connection, MHD_HTTP_OK, response);
    MHD_destroy_response(response);
    return queued;
}

/* In a class by name and code; on one's own machine, the page asks at once. Who guesses has few
 * guesses for each name, and whose name it is must wait as well. */
static enum MHD_Result post_sign_in(struct request *request)
{
    enum { GUESSES = 10, SECONDS = 6 };
    const struct server *server = request->server;
    const struct classroom *classroom = &server->classroom;
    const char *name = http_text(request, "name");

    if (!server->is_class)
        return sign_in(request, &classroom->people[0]);
    struct bucket *guesses = &server->guesses[classroom_index(classroom, name)];
    if (!http_take(guesses, GUESSES, 1.0 / SECONDS))
        return http_refuse(request, MHD_HTTP_TOO_MANY_REQUESTS, "too often");
    const struct person *person = classroom_find(classroom, name, http_text(request, "code"));
    if (!person)
        return http_refuse(request, MHD_HTTP_FORBIDDEN, "no such name and code");
    guesses->level += 1; /* it was none */
    return sign_in(request, person);
}

static enum MHD_Result post_sign_out(struct request *request)
{
    const char *token =
        MHD_lookup_connection_value(request->connection, MHD_COOKIE_KIND, "session");

    store_sign_out(request->server->store, token ? token : "");
    return done(request);
}

/* --- To read ---------------------------------------------------------------------------------- */

static enum MHD_Result get_chapters(struct request *request)
{
    const char *text = request->server->content.chapters;

    return http_answer(request, MHD_HTTP_OK, "application/json", text, strlen(text));
}

static enum MHD_Result get_step(struct request *request)
{
    const json_t *step = content_step(&request->server->content, http_query(request, "name"));

    return step ? http_json(request, MHD_HTTP_OK, json_incref((json_t *)step)) : missing(request);
}

static enum MHD_Result get_page(struct request *request)
{
    char *html = content_page(&request->server->content, http_query(request, "name"));

    if (!html)
        return missing(request);
    json_t *page = json_pack("{s:s}", "html", html);
    free(html);
    return http_json(request, MHD_HTTP_OK, page);
}

static enum MHD_Result get_asset(struct request *request, const struct asset *asset)
{
    const char *known =
        MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND, "If-None-Match");
    const bool same = known && !strcmp(known, asset->tag);
    struct MHD_Response *response = MHD_create_response_from_buffer(
        same ? 0 : asset->size, asset->data, MHD_RESPMEM_PERSISTENT);

    if (!response)
        return MHD_NO;
    http_add_headers(response, asset->type, false);
    MHD_add_response_header(response, "ETag", asset->tag);
    MHD_add_response_header(response, "Cache-Control", "no-cache");
    request->caller->answered = true;
    const enum MHD_Result queued = MHD_queue_response(
        request->connection, same ? MHD_HTTP_NOT_MODIFIED : MHD_HTTP_OK, response);
    MHD_destroy_response(response);
    return queued;
}

/* --- Puzzles ---------------------------------------------------------------------------------- */

static enum MHD_Result get_puzzles(struct request *request)
{
    struct server *server = request->server;

    return http_json(request, MHD_HTTP_OK,
                     json_pack("{s:o, s:o}", "puzzles", content_puzzles(&server->content),
                               "progress", store_progress(server->store, request->person->name)));
}

static char *file_of_puzzle(const char *puzzle)
{
    char *name = NULL;

    return asprintf(&name, "%s.cu", puzzle) < 0 ? NULL : name;
}

static enum MHD_Result get_puzzle(struct request *request)
{
    struct server *server = request->server;
    const char *person = request->person->name, *name = http_query(request, "name");
    json_t *puzzle =
        content_puzzle(&server->content, name, language_of(http_query(request, "language")),
                       store_hints(server->store, person, name));

    if (!puzzle)
        return missing(request);
    char *file = file_of_puzzle(name), *given = content_given(&server->content, name);
    char *text = file ? store_text(server->store, person, "", file) : NULL;
    json_object_set_new(puzzle, "given", json_string(given));
    json_object_set_new(puzzle, "text", json_string(text ? text : given));
    json_object_set_new(puzzle, "file", json_string(file));
    free(file);
    free(given);
    free(text);
    return http_json(request, MHD_HTTP_OK, puzzle);
}

static enum MHD_Result post_hint(struct request *request)
{
    struct server *server = request->server;
    const char *person = request->person->name, *name = http_text(request, "puzzle");
    const int shown = store_hints(server->store, person, name);
    json_t *puzzle = content_puzzle(&server->content, name, LANGUAGE_ENGLISH, 0);
    const json_t *all = json_object_get(json_object_get(puzzle, "hints"), "all");

    if (!puzzle)
        return missing(request);
    if (shown < json_integer_value(all))
        store_set_hints(server->store, person, name, shown + 1);
    json_decref(puzzle);
    return done(request);
}

/* --- What people write ------------------------------------------------------------------------ */

static bool is_program_name(const char *name)
{
    const size_t length = strlen(name);

    return length > 3 && length <= 64 && *name != '.' && *name != '-' &&
           !strcmp(name + length - 3, ".cu") &&
           !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")];
}

/* Of a puzzle, by its name, or a program, by its file's: where it goes; false: it is neither. */
static bool place_of(const struct request *request, const char *puzzle, const char *program,
                     const char **kind, char **name)
{
    char *given = *puzzle ? content_given(&request->server->content, puzzle) : NULL;
    const bool is_puzzle = given != NULL;

    free(given);
    *kind = is_puzzle ? "" : "programs";
    *name = is_puzzle ? file_of_puzzle(puzzle) : is_program_name(program) ? strdup(program) : NULL;
    return *name;
}

static enum MHD_Result post_save(struct request *request)
{
    struct server *server = request->server;
    const char *person = request->person->name, *text = http_text(request, "text"), *kind;
    char *name;

    if (!place_of(request, http_text(request, "puzzle"), http_text(request, "program"), &kind,
                  &name))
        return http_refuse(request, MHD_HTTP_BAD_REQUEST, "no name of a puzzle or program");
    json_t *programs = *kind ? store_programs(server->store, person) : NULL;
    const bool full = json_array_size(programs) >= MOST_PROGRAMS;
    const bool fits = strlen(text) <= TEXT_LIMIT && !full;
    const bool saved = fits && store_save(server->store, person, kind, name, text);
    json_decref(programs);
    free(name);
    return saved ? done(request)
                 : http_refuse(request, MHD_HTTP_INSUFFICIENT_STORAGE, "cannot be saved");
}

static enum MHD_Result post_remove(struct request *request)
{
    const char *program = http_text(request, "program");

    if (!is_program_name(program) ||
        !store_remove(request->server->store, request->person->name, "programs", program))
        return missing(request);
    return done(request);
}

static enum MHD_Result get_programs(struct request *request)
{
    return http_json(request, MHD_HTTP_OK,
                     store_programs(request->server->store, request->person->name));
}

/* Its text; null where there is none yet. */
static enum MHD_Result get_program(struct request *request)
{
    const char *name = http_query(request, "name");

    if (!is_program_name(name))
        return missing(request);
    char *text = store_text(request->server->store, request->person->name, "programs", name);
    json_t *program = json_pack("{s:s?}", "text", text);
    free(text);
    return program ? http_json(request, MHD_HTTP_OK, program) : missing(request);
}

/* --- Work ------------------------------------------------------------------------------------- */

/* What a worker may be asked: nothing else of the request goes to it. Returns NULL where one of
 * them is not as it should be. */
static json_t *work_of(const struct request *request)
{
    static const char *const texts[] = {"kind", "step", "puzzle", "gpu", "source", "language"};
    static const char *const numbers[] = {"n", "threads", "blocks"};
    static const char *const flags[] = {"check", "trace"};
    enum { TEXTS = sizeof(texts) / sizeof(texts[0]), SOURCE = 4, MOST = 1 << 30 };
    json_t *work = json_object();

    for (int i = 0; i < TEXTS; i++) {
        const char *text = http_text(request, texts[i]);
        const size_t most = i == SOURCE ? TEXT_LIMIT : 80;
        if (strlen(text) > most ||
            (i != SOURCE && text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_-/")])) {
            json_decref(work);
            return NULL;
        }
        if (*text)
            json_object_set_new(work, texts[i], json_string(text));
    }
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        const json_int_t value = json_integer_value(json_object_get(request->json, numbers[i]));
        if (value >= 0 && value <= MOST &&
            json_is_integer(json_object_get(request->json, numbers[i])))
            json_object_set_new(work, numbers[i], json_integer(value));
    }
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
        json_object_set_new(work, flags[i],
                            json_boolean(json_is_true(json_object_get(request->json, flags[i]))));
    return work;
}

static enum MHD_Result post_work(struct request *request)
{
    struct server *server = request->server;
    const char *puzzle = http_text(request, "puzzle");
    json_t *work = work_of(request);

    if (!work)
        return http_refuse(request, MHD_HTTP_BAD_REQUEST, "no such work");
    if (!strcmp(http_text(request, "gpu"), OWN_GPU) &&
        (!server->own_gpu || strcmp(http_text(request, "kind"), "step") != 0)) {
        json_decref(work);
        return http_refuse(request, MHD_HTTP_BAD_REQUEST,
                           "the GPU of this machine runs steps as they are, and nothing else");
    }
    const bool grades = !strcmp(http_text(request, "kind"), "grade");
    struct job *job =
        queue_add(&server->queue, request->person->name, grades ? puzzle : NULL, work);
    if (!job)
        return http_refuse(request, MHD_HTTP_TOO_MANY_REQUESTS, "too much waits already");
    return http_json(
        request, MHD_HTTP_OK,
        json_pack("{s:s, s:i}", "job", job->id, "ahead", queue_ahead(&server->queue, job)));
}

/* The job that is asked for, if it is this person's. */
static struct job *own_job(const struct request *request, const char *id)
{
    struct job *job = queue_find(&request->server->queue, id);

    return job && !strcmp(job->person, request->person->name) ? job : NULL;
}

static enum MHD_Result post_cancel(struct request *request)
{
    struct job *job = own_job(request, http_text(request, "job"));

    if (!job)
        return missing(request);
    queue_cancel(&request->server->queue, job);
    return done(request);
}

static enum MHD_Result get_events(struct request *request)
{
    struct job *job = own_job(request, http_query(request, "job"));

    return job ? stream_events(request, job) : missing(request);
}

/* A page that emu has drawn, in a frame of ours. */
static enum MHD_Result get_drawing(struct request *request)
{
    const struct job *job = own_job(request, http_query(request, "job"));

    if (!job || !job->trace)
        return missing(request);
    struct MHD_Response *response =
        MHD_create_response_from_buffer(strlen(job->trace), job->trace, MHD_RESPMEM_MUST_COPY);
    if (!response)
        return MHD_NO;
    http_add_headers(response, "text/html; charset=utf-8", true);
    MHD_add_response_header(response, "Cache-Control", "no-store");
    request->caller->answered = true;
    const enum MHD_Result queued = MHD_queue_response(request->connection, MHD_HTTP_OK, response);
    MHD_destroy_response(response);
    return queued;
}

/* --- The class -------------------------------------------------------------------------------- */

static json_t *class_progress(struct server *server)
{
    json_t *students = json_array();

    for (int i = 0; i < server->classroom.count; i++) {
        const struct person *person = &server->classroom.people[i];
        if (!person->teaches)
            json_array_append_new(students,
                                  json_pack("{s:s, s:o}", "name", person->name, "progress",
                                            store_progress(server->store, person->name)));
    }
    return json_pack("{s:o, s:o}", "puzzles", content_puzzles(&server->content), "students",
                     students);
}

static enum MHD_Result get_class(struct request *request)
{
    return request->person->teaches
               ? http_json(request, MHD_HTTP_OK, class_progress(request->server))
               : http_refuse(request, MHD_HTTP_FORBIDDEN, "for the instructor");
}

/* A cell of a spreadsheet: a name, and never a formula. */
static void print_cell(FILE *file, const char *name)
{
    fputs(strchr("=+-@", *name) ? "\"'" : "\"", file);
    for (; *name; name++)
        fprintf(file, *name == '"' ? "\"\"" : "%c", *name);
    fputc('"', file);
}

/* As ./tour grade --csv writes it. */
static void print_class(FILE *file, const json_t *class)
{
    const json_t *puzzles = json_object_get(class, "puzzles"), *puzzle, *student;
    size_t i, k;

    fputs("student,passed,of", file);
    json_array_foreach(puzzles, i, puzzle)
        fprintf(file, ",%s", json_string_value(json_object_get(puzzle, "name")));
    json_array_foreach(json_object_get(class, "students"), i, student) {
        const json_t *progress = json_object_get(student, "progress"), *one;
        const char *name;
        int passed = 0;
        json_object_foreach((json_t *)progress, name, one) passed +=
            json_is_true(json_object_get(one, "passed"));
        fputc('\n', file);
        print_cell(file, json_string_value(json_object_get(student, "name")));
        fprintf(file, ",%d,%zu", passed, json_array_size(puzzles));
        json_array_foreach(puzzles, k, puzzle) {
            one = json_object_get(progress, json_string_value(json_object_get(puzzle, "name")));
            const char *verdict = json_string_value(json_object_get(one, "verdict"));
            const bool has = json_is_true(json_object_get(one, "passed"));
            fprintf(file, ",%s", has ? "passed" : verdict ? verdict : "missing");
        }
    }
    fputc('\n', file);
}

static enum MHD_Result get_csv(struct request *request)
{
    json_t *class = request->person->teaches ? class_progress(request->server) : NULL;
    char *text = NULL;
    size_t size;
    FILE *file = class ? open_memstream(&text, &size) : NULL;
    enum MHD_Result queued;

    if (file) {
        print_class(file, class);
        fclose(file);
        queued = http_answer(request, MHD_HTTP_OK, "text/csv; charset=utf-8", text, size);
    } else {
        queued = http_refuse(request, MHD_HTTP_FORBIDDEN, "for the instructor");
    }
    free(text);
    json_decref(class);
    return queued;
}

/* --- All of it -------------------------------------------------------------------------------- */

static const struct {
    const char *path;
    enum MHD_Result (*answer)(struct request *request);
    bool posts, open; /* open: to those who have not signed in */
} routes[] = {
    {"/api/me", get_me, false, true},
    {"/api/sign-in", post_sign_in, true, true},
    {"/api/sign-out", post_sign_out, true, false},
    {"/api/chapters", get_chapters, false, true},
    {"/api/step", get_step, false, true},
    {"/api/page", get_page, false, true},
    {"/api/puzzles", get_puzzles, false, false},
    {"/api/puzzle", get_puzzle, false, false},
    {"/api/hint", post_hint, true, false},
    {"/api/save", post_save, true, false},
    {"/api/remove", post_remove, true, false},
    {"/api/programs", get_programs, false, false},
    {"/api/program", get_program, false, false},
    {"/api/work", post_work, true, false},
    {"/api/cancel", post_cancel, true, false},
    {"/api/events", get_events, false, false},
    {"/api/drawing", get_drawing, false, false},
    {"/api/class", get_class, false, false},
    {"/api/class.csv", get_csv, false, false},
};

/* The addresses of the page itself, which finds out by them what to show. */
static bool is_page(const char *path)
{
    static const char *const pages[] = {"/read",  "/step",   "/puzzle", "/program",
                                        "/class", "/ladder", "/sign-in"};

    for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
        const size_t length = strlen(pages[i]);
        if (!strncmp(path, pages[i], length) && (!path[length] || path[length] == '/'))
            return true;
    }
    return !strcmp(path, "/");
}

enum MHD_Result route(struct request *request)
{
    const struct asset *asset;

    for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++) {
        if (strcmp(routes[i].path, request->path) != 0 || routes[i].posts != request->posts)
            continue;
        if (!request->person && !routes[i].open)
            return http_refuse(request, MHD_HTTP_UNAUTHORIZED, "nobody has signed in");
        return routes[i].answer(request);
    }
    if (request->posts)
        return missing(request);
    asset = content_asset(&request->server->content,
                          is_page(request->path) ? "/static/index.html" : request->path);
    return asset ? get_asset(request, asset) : missing(request);
}
