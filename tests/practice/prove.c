/* SPDX-License-Identifier: MIT */
/* Is a puzzle whole? prove PUZZLE
 *
 * Its file as given gets the verdict that check.c names, its solution passes, and each of at least
 * three attempts in wrong/ gets the verdict of its first line, "// verdict: race"; its statement
 * has the same headings and hints in both languages. A line for each. */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "child.h"
#include "files.h"
#include "grading.h"
#include "handed.h"
#include "text.h"

enum { LEAST_WRONG = 3, LEAST_HINTS = 2, PROOF_SEED = 20 };

struct proof {
    const struct puzzle_entry *entry;
    const char *scratch;
    bool whole;
};

__attribute__((format(printf, 2, 3))) static void fault(struct proof *proof, const char *format,
                                                        ...)
{
    va_list arguments;

    va_start(arguments, format);
    printf("%s: ", proof->entry->name);
    vprintf(format, arguments);
    putchar('\n');
    va_end(arguments);
    proof->whole = false;
}

/* Grade `source`, which must get the verdict named `due`. */
static void try(struct proof *proof, const char *path, const char *source, const char *due)
{
    const struct grading grading = {.entry = proof->entry,
                                    .source = source,
                                    .shown = path,
                                    .scratch = proof->scratch,
                                    .seed = PROOF_SEED};
    const bool own = !strcmp(basename(path), "solution.cu");
    struct verdict verdict = own ? grade_own(&grading) : grade(&grading);
    const char *file = path + strlen(PUZZLES "/");

    printf("%s: %s\n", file, verdict_name(verdict.kind));
    for (char **line = text_lines(verdict.text); *line; line++)
        printf("    %s\n", *line);
    if (*verdict.prediction)
        printf("    prediction %s\n", verdict.prediction);
    if (verdict_find(due) == VERDICT_COUNT)
        fault(proof, "%s: '%s' is no verdict", file, due);
    else if (verdict.kind != verdict_find(due))
        fault(proof, "%s: should get '%s', gets '%s'", file, due, verdict_name(verdict.kind));
}

static char *path_of(const struct proof *proof, const char *file)
{
    return text_format(PUZZLES "/%s/%s", proof->entry->name, file);
}

static char *must_read(struct proof *proof, const char *path)
{
    char *text = file_read(path);

    if (!text)
        fault(proof, "%s: %s", path, strerror(errno));
    return text ? text : copy_text("");
}

static void try_file(struct proof *proof, const char *file, const char *due)
{
    char *path = path_of(proof, file);

    try(proof, path, must_read(proof, path), due);
}

static void try_wrong(struct proof *proof)
{
    static const char mark[] = "// verdict: ";
    glob_t found;

    if (glob(path_of(proof, "wrong/*.cu"), 0, NULL, &found))
        found.gl_pathc = 0;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char *source = must_read(proof, found.gl_pathv[i]);
        if (strncmp(source, mark, strlen(mark)) != 0) {
            fault(proof, "%s: its first line is not '%sNAME'", found.gl_pathv[i], mark);
        } else {
            const char *due = source + strlen(mark);
            try(proof, found.gl_pathv[i], source,
                text_format("%.*s", (int)strcspn(due, " \r\n"), due));
        }
    }
    if (found.gl_pathc < LEAST_WRONG)
        fault(proof, "has %zu wrong attempts, not at least %d", found.gl_pathc, LEAST_WRONG);
}

/* How many lines begin with `mark`. */
static int count_lines(const char *text, const char *mark)
{
    int count = 0;

    for (char **line = text_lines(text); *line; line++)
        count += !strncmp(*line, mark, strlen(mark));
    return count;
}

static void check_statement(struct proof *proof)
{
    char *english = must_read(proof, path_of(proof, "puzzle.md"));
    char *chinese = must_read(proof, path_of(proof, "puzzle.zh.md"));

    if (count_lines(english, "### ") < LEAST_HINTS)
        fault(proof, "puzzle.md has fewer than %d hints (### headings)", LEAST_HINTS);
    if (count_lines(english, "## ") != count_lines(chinese, "## ") ||
        count_lines(english, "### ") != count_lines(chinese, "### "))
        fault(proof, "puzzle.md and puzzle.zh.md have not the same headings");
    if (count_lines(english, "# ") != 1 || count_lines(chinese, "# ") != 1)
        fault(proof, "puzzle.md or puzzle.zh.md has not one title");
}

int main(int argc, char **argv)
{
    const struct puzzle_entry *entry = argc == 2 ? puzzle_find(argv[1]) : NULL;
    struct proof proof = {entry, scratch_make(), true};

    if (!entry || !proof.scratch) {
        fputs("usage: prove PUZZLE\n", stderr);
        return 2;
    }
    child_catch_signals();
    try_file(&proof, "puzzle.cu", entry->puzzle->given ? entry->puzzle->given : "result");
    try_file(&proof, "solution.cu", "passed");
    try_wrong(&proof);
    check_statement(&proof);
    scratch_remove(proof.scratch);
    return !proof.whole;
}
