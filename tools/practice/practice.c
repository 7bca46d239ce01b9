/* Behind ./tour puzzle and its kin: lays out puzzles, grades submissions, shows hints. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "confine.h"
#include "files.h"
#include "grading.h"
#include "prove.h"
#include "text.h"

enum { EXIT_FAILED = 1, EXIT_USAGE = 2 };

static const char usage[] =
    "Usage: practice try PUZZLE FILE      grade one file as a solution of PUZZLE\n"
    "       practice prove PUZZLE         PUZZLE as given, its solution and its wrong attempts "
    "each\n"
    "                                     get the verdict that is due\n"
    "PUZZLE is the folder's name, as in 01_every_element, or its number.\n";

static const struct puzzle_entry *find_puzzle(const char *name)
{
    char *end;
    const long number = strtol(name, &end, 10);

    for (int i = 0; i < puzzle_count; i++)
        if (!strcmp(puzzle_table[i].name, name) ||
            (end != name && !*end && strtol(puzzle_table[i].name, NULL, 10) == number))
            return &puzzle_table[i];
    fprintf(stderr, "tour: no puzzle '%s'; there are %s to %s\n", name, puzzle_table[0].name,
            puzzle_table[puzzle_count - 1].name);
    exit(EXIT_USAGE);
}

static void print_lines(const char *text, const char *before)
{
    while (*text) {
        const int length = (int)strcspn(text, "\n");
        printf("%s%.*s\n", before, length, text);
        text += length + (text[length] == '\n');
    }
}

static void print_verdict(const struct verdict *verdict)
{
    printf("%s\n", verdict_words(verdict->kind));
    print_lines(verdict->text, "  ");
    if (*verdict->prediction)
        printf("  prediction %s\n", verdict->prediction);
    print_lines(verdict->printed, "  it printed: ");
}

static char *scratch;

static void clean_up(void)
{
    if (scratch)
        scratch_remove(scratch);
}

static int try_file(const struct puzzle_entry *entry, const char *path)
{
    char shown[PATH_MAX];
    char *source = file_read(path);

    if (!source || !realpath(path, shown)) {
        fprintf(stderr, "tour: cannot read %s: %s\n", path, strerror(errno));
        return EXIT_USAGE;
    }
    const struct grading grading = {.entry = entry,
                                    .source = source,
                                    .shown = shown,
                                    .scratch = scratch,
                                    .seed = (uint64_t)time(NULL)};
    struct verdict verdict = grade(&grading);
    print_verdict(&verdict);
    const int code = verdict.kind == VERDICT_PASSED ? 0 : EXIT_FAILED;
    verdict_free(&verdict);
    free(source);
    return code;
}

int main(int argc, char **argv)
{
    const char *verb = argc > 1 ? argv[1] : "";
    int code = EXIT_USAGE;

    scratch = scratch_make();
    if (!scratch) {
        fprintf(stderr, "tour: cannot make a folder for temporary files: %s\n", strerror(errno));
        return EXIT_FAILED;
    }
    confine_signals(clean_up);
    if (!strcmp(verb, "try") && argc == 4)
        code = try_file(find_puzzle(argv[2]), argv[3]);
    else if (!strcmp(verb, "prove") && argc == 3)
        code = prove(find_puzzle(argv[2]), scratch) ? 0 : EXIT_FAILED;
    else
        fputs(usage, stderr);
    clean_up();
    return code;
}
