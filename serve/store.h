/* SPDX-License-Identifier: MIT */
/* What is kept: in a database who is signed in, verdicts and hints; as files what people write.
 *
 * A file is replaced as a whole or not at all, and is on the disk before the page hears that it is
 * saved: whenever the server is killed, nothing that was saved is lost. */
#ifndef STORE_H
#define STORE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct store;

enum { TOKEN_SIZE = 64 + 1, TEXT_LIMIT = 192 << 10, MOST_PROGRAMS = 50 };

/* The database `folder`/serve.db, made if need be; people's own folders lie in `folder` too, or,
 * for the one reader, are `folder` itself. NULL after a line on stderr. */
struct store *store_open(const char *folder, bool of_one);
void store_close(struct store *store);

/* Sessions: a token names one, and another is for requests that change something. */
bool store_sign_in(struct store *store, const char *person, char token[TOKEN_SIZE]);
void store_sign_out(struct store *store, const char *token);
/* Who has that token; false: nobody. */
bool store_person(struct store *store, const char *token, char *person, size_t size,
                  char csrf[TOKEN_SIZE]);

/* Verdicts. */
void store_verdict(struct store *store, const char *person, const char *puzzle,
                   const char *verdict);
/* {puzzle: {"verdict": the last, "passed": has one passed?, "tries": how many}}. */
json_t *store_progress(struct store *store, const char *person);

int store_hints(struct store *store, const char *person, const char *puzzle);
void store_set_hints(struct store *store, const char *person, const char *puzzle, int hints);

/* Texts, by kind ("" or "programs") and name. */
char *store_text(const struct store *store, const char *person, const char *kind, const char *name);
bool store_save(const struct store *store, const char *person, const char *kind, const char *name,
                const char *text);
bool store_remove(const struct store *store, const char *person, const char *kind,
                  const char *name);
/* The names of programs: a JSON array. */
json_t *store_programs(const struct store *store, const char *person);

/* Random hexadecimal digits. */
void store_token(char *token, size_t digits);

#endif
