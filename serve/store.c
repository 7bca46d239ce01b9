/* SPDX-License-Identifier: MIT */
#include "store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "classroom.h"
#include "text.h"

enum { ID_DIGITS = 24, SESSION_SECONDS = 30 * 86400 };

struct store {
    sqlite3 *database;
    char *folder;
    bool of_one;
};

static const char schema[] =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;"
    "CREATE TABLE IF NOT EXISTS session (id TEXT PRIMARY KEY, secret TEXT NOT NULL,"
    " csrf TEXT NOT NULL, person TEXT NOT NULL, ends INTEGER NOT NULL);"
    "CREATE TABLE IF NOT EXISTS attempt (person TEXT NOT NULL, puzzle TEXT NOT NULL,"
    " verdict TEXT NOT NULL, at INTEGER NOT NULL);"
    "CREATE INDEX IF NOT EXISTS attempts ON attempt (person, puzzle);"
    "CREATE TABLE IF NOT EXISTS hint (person TEXT NOT NULL, puzzle TEXT NOT NULL,"
    " shown INTEGER NOT NULL, PRIMARY KEY (person, puzzle));";

/* --- The database ----------------------------------------------------------------------------- */

static sqlite3_stmt *prepare(struct store *store, const char *sql)
{
    sqlite3_stmt *statement = NULL;

    if (sqlite3_prepare_v2(store->database, sql, -1, &statement, NULL) != SQLITE_OK)
        complain("database: %s", sqlite3_errmsg(store->database));
    return statement;
}

static void bind_text(sqlite3_stmt *statement, int index, const char *text)
{
    sqlite3_bind_text(statement, index, text, -1, SQLITE_TRANSIENT);
}

/* For what returns no rows. */
static bool finish(struct store *store, sqlite3_stmt *statement)
{
    const bool done = sqlite3_step(statement) == SQLITE_DONE;

    if (!done)
        complain("database: %s", sqlite3_errmsg(store->database));
    sqlite3_finalize(statement);
    return done;
}

static const char *column(sqlite3_stmt *statement, int index)
{
    const char *text = (const char *)sqlite3_column_text(statement, index);

    return text ? text : "";
}

struct store *store_open(const char *folder, bool of_one)
{
    struct store *store = allocate(sizeof(*store));
    char *path = text_format("%s/serve.db", folder);
    const mode_t mask = umask(077);

    store->folder = copy_text(folder);
    store->of_one = of_one;
    if ((mkdir(folder, 0700) && errno != EEXIST) || access(folder, W_OK)) {
        complain("cannot write %s: %s", folder, strerror(errno));
        store = NULL;
    } else if (sqlite3_open(path, &store->database) != SQLITE_OK ||
               sqlite3_exec(store->database, schema, NULL, NULL, NULL) != SQLITE_OK) {
        complain("cannot write %s: %s", path, sqlite3_errmsg(store->database));
        store = NULL;
    }
    umask(mask);
    return store;
}

void store_close(struct store *store)
{
    sqlite3_close(store->database);
}

/* --- Sessions --------------------------------------------------------------------------------- */

void store_token(char *token, size_t digits)
{
    static const char hex[] = "0123456789abcdef";
    unsigned char bytes[TOKEN_SIZE];

    if (getrandom(bytes, digits, 0) != (ssize_t)digits)
        abort(); /* nothing here is safe without */
    for (size_t i = 0; i < digits; i++)
        token[i] = hex[bytes[i] & 15];
    token[digits] = '\0';
}

bool store_sign_in(struct store *store, const char *person, char token[TOKEN_SIZE])
{
    sqlite3_stmt *old = prepare(store, "DELETE FROM session WHERE ends < ?");
    sqlite3_stmt *statement = prepare(store, "INSERT INTO session VALUES (?, ?, ?, ?, ?)");
    char csrf[TOKEN_SIZE];

    store_token(token, TOKEN_SIZE - 1);
    store_token(csrf, TOKEN_SIZE - 1);
    sqlite3_bind_int64(old, 1, time(NULL));
    finish(store, old);
    sqlite3_bind_text(statement, 1, token, ID_DIGITS, SQLITE_TRANSIENT);
    bind_text(statement, 2, token + ID_DIGITS);
    bind_text(statement, 3, csrf);
    bind_text(statement, 4, person);
    sqlite3_bind_int64(statement, 5, time(NULL) + SESSION_SECONDS);
    return finish(store, statement);
}

void store_sign_out(struct store *store, const char *token)
{
    sqlite3_stmt *statement = prepare(store, "DELETE FROM session WHERE id = ?");

    sqlite3_bind_text(statement, 1, token, ID_DIGITS, SQLITE_TRANSIENT);
    finish(store, statement);
}

/* A session is looked up by the first part of its token; only the rest is secret. */
bool store_person(struct store *store, const char *token, char *person, size_t size,
                  char csrf[TOKEN_SIZE])
{
    bool found = false;

    if (strlen(token) != TOKEN_SIZE - 1)
        return false;
    sqlite3_stmt *statement =
        prepare(store, "SELECT secret, csrf, person FROM session WHERE id = ? AND ends > ?");
    sqlite3_bind_text(statement, 1, token, ID_DIGITS, SQLITE_TRANSIENT);
    sqlite3_bind_int64(statement, 2, time(NULL));
    if (sqlite3_step(statement) == SQLITE_ROW &&
        same_secret(column(statement, 0), token + ID_DIGITS)) {
        snprintf(csrf, TOKEN_SIZE, "%s", column(statement, 1));
        snprintf(person, size, "%s", column(statement, 2));
        found = true;
    }
    sqlite3_finalize(statement);
    return found;
}

/* --- Verdicts and hints ----------------------------------------------------------------------- */

void store_verdict(struct store *store, const char *person, const char *puzzle, const char *verdict)
{
    sqlite3_stmt *statement = prepare(store, "INSERT INTO attempt VALUES (?, ?, ?, ?)");

    bind_text(statement, 1, person);
    bind_text(statement, 2, puzzle);
    bind_text(statement, 3, verdict);
    sqlite3_bind_int64(statement, 4, time(NULL));
    finish(store, statement);
}

json_t *store_progress(struct store *store, const char *person)
{
    sqlite3_stmt *statement =
        prepare(store, "SELECT puzzle, verdict, max(rowid), count(*),"
                       " max(verdict = 'passed') FROM attempt WHERE person = ? GROUP BY puzzle");
    json_t *progress = json_object();

    bind_text(statement, 1, person);
    while (sqlite3_step(statement) == SQLITE_ROW)
        json_object_set_new(progress, column(statement, 0),
                            json_pack("{s:s, s:b, s:i}", "verdict", column(statement, 1), "passed",
                                      sqlite3_column_int(statement, 4), "tries",
                                      sqlite3_column_int(statement, 3)));
    sqlite3_finalize(statement);
    return progress;
}

int store_hints(struct store *store, const char *person, const char *puzzle)
{
    sqlite3_stmt *statement =
        prepare(store, "SELECT shown FROM hint WHERE person = ? AND puzzle = ?");
    int shown = 0;

    bind_text(statement, 1, person);
    bind_text(statement, 2, puzzle);
    if (sqlite3_step(statement) == SQLITE_ROW)
        shown = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return shown;
}

void store_set_hints(struct store *store, const char *person, const char *puzzle, int hints)
{
    sqlite3_stmt *statement = prepare(store, "INSERT OR REPLACE INTO hint VALUES (?, ?, ?)");

    bind_text(statement, 1, person);
    bind_text(statement, 2, puzzle);
    sqlite3_bind_int(statement, 3, hints);
    finish(store, statement);
}

/* --- Texts ------------------------------------------------------------------------------------ */

/* The folder of a person's texts, and the file of one, in `path`. */
static bool path_of(const struct store *store, const char *person, const char *kind,
                    const char *name, char path[PATH_MAX])
{
    return snprintf(path, PATH_MAX, "%s%s%s%s%s%s%s", store->folder, store->of_one ? "" : "/",
                    store->of_one ? "" : person, *kind ? "/" : "", kind, *name ? "/" : "",
                    name) < PATH_MAX;
}

char *store_text(const struct store *store, const char *person, const char *kind, const char *name)
{
    char path[PATH_MAX], *text = NULL;
    const int file = path_of(store, person, kind, name, path)
                         ? open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
                         : -1;
    struct stat status;

    if (file >= 0 && !fstat(file, &status) && S_ISREG(status.st_mode) &&
        status.st_size <= TEXT_LIMIT && (text = malloc((size_t)status.st_size + 1))) {
        const ssize_t count = read(file, text, (size_t)status.st_size);
        text[count > 0 ? count : 0] = '\0';
    }
    if (file >= 0)
        close(file);
    return text;
}

/* Put the text on the disk under another name. */
static bool write_durably(const char *path, const char *text)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    const ssize_t length = (ssize_t)strlen(text);
    const bool written = file >= 0 && write(file, text, (size_t)length) == length && !fsync(file);

    return file >= 0 && !close(file) && written;
}

bool store_save(const struct store *store, const char *person, const char *kind, const char *name,
                const char *text)
{
    char path[PATH_MAX], fresh[PATH_MAX];

    if (!path_of(store, person, "", "", path))
        return false;
    mkdir(path, 0700);
    if (!path_of(store, person, kind, "", path))
        return false;
    mkdir(path, 0700);
    if (!path_of(store, person, kind, name, path) ||
        snprintf(fresh, sizeof(fresh), "%s.new", path) >= (int)sizeof(fresh))
        return false;
    const bool saved = write_durably(fresh, text) && !rename(fresh, path);
    if (!saved)
        unlink(fresh);
    return saved;
}

bool store_remove(const struct store *store, const char *person, const char *kind, const char *name)
{
    char path[PATH_MAX];

    return path_of(store, person, kind, name, path) && !unlink(path);
}

static int is_program(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);

    return *entry->d_name != '.' && length > 3 && !strcmp(entry->d_name + length - 3, ".cu");
}

json_t *store_programs(const struct store *store, const char *person)
{
    char path[PATH_MAX];
    struct dirent **entries;
    json_t *names = json_array();
    const int count = path_of(store, person, "programs", "", path)
                          ? scandir(path, &entries, is_program, alphasort)
                          : -1;

    for (int i = 0; i < count; i++) {
        json_array_append_new(names, json_string(entries[i]->d_name));
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return names;
}
