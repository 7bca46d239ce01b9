/* SPDX-License-Identifier: MIT */
/* Puzzles for one student: copies in my/, progress, hints, solutions. */
#include "practice.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "child.h"
#include "files.h"
#include "text.h"

/* --- Files ----------------------------------------------------------------------------------- */

static char *given_path(const struct practice *practice, const struct puzzle_entry *entry,
                        const char *file)
{
    return text_format("%s/puzzles/%s/%s", practice->checkout, entry->name, file);
}

static char *my_path(const struct practice *practice, const struct puzzle_entry *entry)
{
    return text_format("%s/my/%s.cu", practice->checkout, entry->name);
}

/* What we remember of a puzzle: hints shown, the last verdict. */
static char *state_path(const struct practice *practice, const struct puzzle_entry *entry,
                        const char *what)
{
    return text_format("%s/my/.state/%s.%s", practice->checkout, entry->name, what);
}

/* "" where nothing is remembered. */
static char *state_read(const struct practice *practice, const struct puzzle_entry *entry,
                        const char *what)
{
    char *text = file_read(state_path(practice, entry, what));

    return text ? text : copy_text("");
}

/* What cannot be written is forgotten. */
static void state_write(const struct practice *practice, const struct puzzle_entry *entry,
                        const char *what, const char *text)
{
    mkdir(text_format("%s/my", practice->checkout), 0777);
    mkdir(text_format("%s/my/.state", practice->checkout), 0777);
    file_write(state_path(practice, entry, what), text);
}

/* The path as one types it in the checkout. */
static const char *short_path(const struct practice *practice, const char *path)
{
    const size_t length = strlen(practice->checkout);

    return !strncmp(path, practice->checkout, length) && path[length] == '/' ? path + length + 1
                                                                             : path;
}

char *lay_out(const struct practice *practice, const struct puzzle_entry *entry, bool *is_new)
{
    char *path = my_path(practice, entry);

    *is_new = access(path, F_OK) != 0;
    if (!*is_new)
        return path;
    char *given = given_path(practice, entry, "puzzle.cu");
    char *text = file_read(given);
    const char *wrong = text ? NULL : given;

    mkdir(text_format("%s/my", practice->checkout), 0777);
    if (text && !file_write(path, text))
        wrong = path;
    if (wrong)
        complain("%s: %s", wrong, strerror(errno));
    return wrong ? NULL : path;
}

/* --- Verdicts -------------------------------------------------------------------------------- */

/* FNV-1a, over the text and over what grades it. */
static uint64_t fingerprint(const char *source)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    struct stat grader = {0};

    stat("/proc/self/exe", &grader);
    hash ^= (uint64_t)grader.st_mtim.tv_sec * 1000003 + (uint64_t)grader.st_mtim.tv_nsec;
    for (; *source; source++)
        hash = (hash ^ (unsigned char)*source) * UINT64_C(0x100000001b3);
    return hash;
}

static struct verdict grade_source(const struct practice *practice,
                                   const struct puzzle_entry *entry, const char *source,
                                   const char *shown)
{
    struct timespec time;

    clock_gettime(CLOCK_REALTIME, &time);
    const struct grading grading = {
        .entry = entry,
        .source = source,
        .shown = shown,
        .scratch = practice->scratch,
        .seed = (uint64_t)time.tv_sec * 1000000007 + (uint64_t)time.tv_nsec,
    };
    return grade(&grading);
}

/* Each line behind `before`; nvcc's own words stay as they are. */
static void print_lines(const char *text, const char *before)
{
    for (char **line = text_lines(text); *line; line++)
        tell("%s%s\n", before, *line);
}

static void print_verdict(const struct practice *practice, const struct puzzle_entry *entry,
                          const struct verdict *verdict)
{
    const bool passed = verdict->kind == VERDICT_PASSED;

    if (child_interrupted())
        return;
    tell("puzzle %ld: ", strtol(entry->name, NULL, 10));
    tone_print(stdout, &practice->style, passed ? TONE_GOOD : TONE_BAD,
               text_in(practice->style.language, verdict_words(verdict->kind)));
    putchar('\n');
    if (verdict->kind == VERDICT_COMPILE)
        print_lines(errors_shown(practice, verdict->text), "");
    else
        print_lines(verdict->text, "  ");
    if (*verdict->prediction)
        print_lines(text_format("prediction %s", verdict->prediction), "  ");
    print_lines(verdict->printed, "  the kernel printed: ");
}

int grade_file(const struct practice *practice, const struct puzzle_entry *entry, const char *path)
{
    char shown[PATH_MAX];
    char *source = file_read(path);

    if (!source || !realpath(path, shown)) {
        complain("%s: %s", path, file_error(errno));
        return EXIT_USAGE;
    }
    struct verdict verdict = grade_source(practice, entry, source, shown);
    const bool passed = verdict.kind == VERDICT_PASSED;
    print_verdict(practice, entry, &verdict);
    if (!strcmp(my_path(practice, entry), shown) && !child_interrupted())
        state_write(
            practice, entry, "verdict",
            text_format("%016" PRIx64 " %s\n", fingerprint(source), verdict_name(verdict.kind)));
    return passed ? 0 : EXIT_FAILED;
}

/* --- puzzle ---------------------------------------------------------------------------------- */

/* The statement, in the language of the locale; NULL after a line on stderr. */
static char *statement(const struct practice *practice, const struct puzzle_entry *entry,
                       char **path)
{
    *path = given_path(practice, entry, language_here() ? "puzzle.zh.md" : "puzzle.md");
    char *text = file_read(*path);

    if (!text)
        complain("%s: %s", *path, strerror(errno));
    return text;
}

/* Its title, behind "# 谜题 1：" in the Chinese statement; the English one without that. */
static const char *title_of(const struct practice *practice, const struct puzzle_entry *entry)
{
    static const char colon[] = "：";
    char *text = file_read(given_path(practice, entry, "puzzle.zh.md"));
    const char *title = text && language_here() ? strstr(text, colon) : NULL;

    return title ? text_format("%.*s", (int)strcspn(title, "\n") - (int)strlen(colon),
                               title + strlen(colon))
                 : entry->puzzle->title;
}

/* Prints `text`, its lines broken where the terminal ends. */
static void print_wrapped(const struct practice *practice, const char *text)
{
    for (char **line = text_lines(text); *line; line++) {
        if (**line)
            style_print_indented(*line, 0, TONE_PLAIN, stdout, &practice->style);
        else
            putchar('\n');
    }
}

/* Prints the statement up to its hints. */
static void print_statement(const struct practice *practice, const struct puzzle_entry *entry)
{
    char *path;
    char *text = statement(practice, entry, &path);

    if (text) {
        const char *hint = strstr(text, "\n### ");
        size_t length = hint ? (size_t)(hint - text) : strlen(text);
        const char *heading = NULL;
        for (const char *at = text; (at = strstr(at, "\n## ")) && at < text + length; at++)
            heading = at;
        if (hint && heading)
            length = (size_t)(heading - text);
        text[length] = '\0';
        print_wrapped(practice, text);
        putchar('\n');
    }
}

/* The verdict on a student's copy as it is now, by name: "passed"; NULL where there is none, or it
 * is as it was given. Grades only what has changed. */
static const char *standing(const struct practice *practice, const struct puzzle_entry *entry)
{
    char *path = my_path(practice, entry), *source = file_read(path);
    char *original = file_read(given_path(practice, entry, "puzzle.cu"));
    char *state = state_read(practice, entry, "verdict"), *due;

    if (!source || (original && !strcmp(source, original)))
        return NULL;
    due = text_format("%016" PRIx64 " ", fingerprint(source));
    if (strncmp(state, due, strlen(due)) != 0) {
        state = text_format("%s%s\n", due,
                            verdict_name(grade_source(practice, entry, source, path).kind));
        if (!child_interrupted())
            state_write(practice, entry, "verdict", state);
    }
    char *said = state + strlen(due);
    said[strcspn(said, "\n")] = '\0';
    const enum verdict_kind kind = verdict_find(said);
    return kind == VERDICT_COUNT ? NULL : verdict_name(kind);
}

int show_progress(const struct practice *practice)
{
    const enum language language = practice->style.language;
    const char *group = "";
    const struct puzzle_entry *next = NULL;
    int passed = 0;

    for (int i = 0; i < puzzle_count && !child_interrupted(); i++) {
        const struct puzzle_entry *entry = &puzzle_table[i];
        const char *stands = standing(practice, entry);
        const bool done = stands && !strcmp(stands, "passed");
        const char *words = !stands    ? "-"
                            : language ? text_in(language, verdict_words(verdict_find(stands)))
                                       : stands;

        if (strcmp(group, entry->puzzle->group) != 0)
            tell("%s%s\n", *group ? "\n" : "", entry->puzzle->group);
        group = entry->puzzle->group;
        printf("  %2ld  ", strtol(entry->name, NULL, 10));
        tone_print(stdout, &practice->style,
                   done     ? TONE_GOOD
                   : stands ? TONE_BAD
                            : TONE_DIM,
                   words);
        printf("%*s  %s\n", (language ? 22 : 10) - text_width(words), "",
               title_of(practice, entry));
        fflush(stdout);
        passed += done;
        if (!done && !next)
            next = entry;
    }
    tell("\n%d of %d passed", passed, puzzle_count);
    if (next)
        tell("; next: ./tour puzzle %ld\n", strtol(next->name, NULL, 10));
    else
        tell(": all of them\n");
    return 0;
}

/* Where to read first, in the language of the statement. */
static void print_reading(const struct puzzle_entry *entry)
{
    tell("Read first: docs/%s%s\n", language_here() ? "zh/" : "",
         entry->puzzle->read + strlen("docs/"));
}

static const struct puzzle_entry *after(const struct puzzle_entry *entry)
{
    return entry + 1 < puzzle_table + puzzle_count ? entry + 1 : NULL;
}

/* The verdict on `path`, and what one may do next. */
static int grade_and_advise(const struct practice *practice, const struct puzzle_entry *entry,
                            const char *path, bool is_new)
{
    const long number = strtol(entry->name, NULL, 10);

    tell("%s, ", short_path(practice, path));
    fflush(stdout);
    const int code = grade_file(practice, entry, path);
    putchar('\n');
    if (is_new) {
        tell("Edit %s, then ./tour puzzle %ld again, or ./tour watch %ld\n",
             short_path(practice, path), number, number);
        print_reading(entry);
    } else if (code == EXIT_FAILED)
        tell("Stuck? ./tour hint %ld. What to do: puzzles/%s/%s\n", number, entry->name,
             language_here() ? "puzzle.zh.md" : "puzzle.md");
    else if (!code && after(entry))
        tell("Next: ./tour puzzle %ld\n", strtol(after(entry)->name, NULL, 10));
    return code;
}

char *lay_out_next(const struct practice *practice, const struct puzzle_entry **entry)
{
    const struct puzzle_entry *next = after(*entry);
    const char *stands = next ? standing(practice, next) : NULL;
    bool is_new;

    while (stands && !strcmp(stands, "passed")) {
        next = after(next);
        stands = next ? standing(practice, next) : NULL;
    }
    char *path = next ? lay_out(practice, next, &is_new) : NULL;
    if (!path)
        return NULL;
    putchar('\n');
    if (is_new)
        print_statement(practice, next);
    print_reading(next);
    *entry = next;
    return path;
}

int do_puzzle(const struct practice *practice, const char *name)
{
    const struct puzzle_entry *entry = puzzle_find(name);
    bool is_new;
    char *path = entry ? lay_out(practice, entry, &is_new) : NULL;

    if (!path)
        return entry ? EXIT_FAILED : EXIT_USAGE;
    if (is_new)
        print_statement(practice, entry);
    return grade_and_advise(practice, entry, path, is_new);
}

int do_file(const struct practice *practice, const char *path)
{
    const struct puzzle_entry *entry = puzzle_of(path);

    return entry ? grade_and_advise(practice, entry, path, false) : run_own(practice, path);
}

/* --- hint, solution -------------------------------------------------------------------------- */

/* The start of hint `number`, 1 and up, and its length; NULL where there are fewer. */
static const char *find_hint(const char *text, int number, int *length)
{
    const char *at = text;

    while (number-- > 0) {
        at = strstr(at, "\n### ");
        if (!at)
            return NULL;
        at++;
    }
    const char *end = strstr(at, "\n### ");
    *length = end ? (int)(end - at) : (int)strlen(at);
    while (*length && at[*length - 1] == '\n')
        --*length;
    return at;
}

int show_hint(const struct practice *practice, const char *name)
{
    const struct puzzle_entry *entry = puzzle_find(name);
    char *path, *text = entry ? statement(practice, entry, &path) : NULL;

    if (!text)
        return entry ? EXIT_FAILED : EXIT_USAGE;
    int shown = atoi(state_read(practice, entry, "hints")), length = 0;
    if (shown < 0)
        shown = 0;
    if (find_hint(text, shown + 1, &length))
        shown++;
    for (int i = 1; i <= shown; i++) {
        const char *hint = find_hint(text, i, &length);
        if (hint)
            print_wrapped(practice, text_format("%s%.*s\n", i > 1 ? "\n" : "", length, hint));
    }
    const long number = strtol(entry->name, NULL, 10);
    if (find_hint(text, shown + 1, &length))
        tell("\nOne more: ./tour hint %ld again\n", number);
    else
        tell("\nThat was the last one. ./tour solution %ld shows ours\n", number);
    state_write(practice, entry, "hints", text_format("%d\n", shown));
    return 0;
}

/* Asks, the first time, whether to show it. */
static bool wants_solution(const struct practice *practice, const struct puzzle_entry *entry)
{
    char answer[16];

    if (*state_read(practice, entry, "solution"))
        return true;
    tell("Show the solution of puzzle %ld, %s? [y/N] ", strtol(entry->name, NULL, 10),
         title_of(practice, entry));
    fflush(stdout);
    if (!fgets(answer, sizeof(answer), stdin) || (*answer != 'y' && *answer != 'Y')) {
        tell("Not shown.\n");
        return false;
    }
    state_write(practice, entry, "solution", "asked\n");
    return true;
}

int show_solution(const struct practice *practice, const char *name)
{
    const struct puzzle_entry *entry = puzzle_find(name);

    if (!entry)
        return EXIT_USAGE;
    if (!wants_solution(practice, entry))
        return EXIT_FAILED;
    char *path = given_path(practice, entry, "solution.cu");
    char *text = file_read(path);
    if (text)
        fputs(text, stdout);
    else
        complain("%s: %s", path, strerror(errno));
    return text ? 0 : EXIT_FAILED;
}
