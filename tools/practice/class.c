/* SPDX-License-Identifier: MIT */
/* Many folders of submissions: a table of marks, and files for other programs. */
#include "practice.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "child.h"
#include "cores.h"
#include "files.h"
#include "handed.h"
#include "hidden.h"
#include "html.h"
#include "output.h"
#include "sandbox.h"
#include "settings.h"
#include "text.h"

enum { MAX_JOBS = 256, SUBMISSION_LIMIT = 256 << 10 };

struct class
{
    const struct practice *practice;
    bool json, sandbox;
    const char *junit, *csv, *hidden, *wanted;
    const struct puzzle_entry **puzzles; /* those that count */
    int count; /* of them */
    int64_t jobs, seed;
    enum trust trust;
    char **folders;
    char **names; /* the students': the last parts of the folders */
    char ***handed; /* by folder, then as in puzzle_table: the paths of their files, or NULL */
    struct texts *nameless; /* by folder: their files with no puzzle's name */
    int folder_count;
    struct hidden *checks; /* by puzzle that counts */
    struct verdict *verdicts; /* by folder, then by puzzle that counts */
    double *seconds; /* that each took */
};

static struct verdict *verdict_at(const struct class *class, int folder, int puzzle)
{
    return &class->verdicts[folder * class->count + puzzle];
}

/* --- Options --------------------------------------------------------------------------------- */

static bool refuse(const char *format, const char *what)
{
    complain(format, what); /* NOLINT(clang-diagnostic-format-nonliteral) */
    return false;
}

/* The last part of a folder's path, fit to print. */
static char *name_of(const char *folder)
{
    char *name = basename(copy_text(folder));

    text_clean(name);
    return name;
}

/* Those that --puzzles names, as in 1,7,13, in the order of the table; all without it. */
static bool choose_puzzles(struct class *class)
{
    bool *wanted = allocate((size_t)puzzle_count * sizeof(*wanted));
    char *words = copy_text(class->wanted ? class->wanted : ""), *rest;

    for (char *word = strtok_r(words, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        const struct puzzle_entry *entry = puzzle_find(word);
        if (!entry)
            return false;
        wanted[entry - puzzle_table] = true;
    }
    class->puzzles = allocate((size_t)puzzle_count * sizeof(struct puzzle_entry *));
    for (int i = 0; i < puzzle_count; i++)
        if (!class->wanted || wanted[i])
            class->puzzles[class->count++] = &puzzle_table[i];
    return class->count ||
           refuse("--puzzles takes numbers of puzzles, as in 1,7,13, not '%s'", class->wanted);
}

/* Is one of the folders before this one the same, by whatever path? Under another name it is
 * another student's, even where it is a link. */
static bool is_repeated(const struct class *class, int folder, const char *path)
{
    struct stat one, other;

    for (int i = 0; i < folder; i++)
        if (!strcmp(class->names[i], name_of(path)) && !stat(path, &one) &&
            !stat(class->folders[i], &other) && one.st_ino == other.st_ino &&
            one.st_dev == other.st_dev)
            return true;
    return false;
}

static bool take_arguments(struct class *class, int argc, char **argv)
{
    bool no_sandbox = false;
    const struct setting settings[] = {
        {"json", .flag = &class->json},
        {"no-sandbox", .flag = &no_sandbox},
        {"junit", .text = &class->junit},
        {"csv", .text = &class->csv},
        {"hidden", .text = &class->hidden},
        {"puzzles", .text = &class->wanted},
        {"jobs", .number = &class->jobs, .min = 1, .max = MAX_JOBS},
        {"seed", .number = &class->seed, .max = INT64_MAX},
        {0},
    };
    const int first = settings_read(argc, argv, settings, false);

    if (first < 0)
        return false;
    class->sandbox = !no_sandbox;
    class->folders = argv + first;
    if (first == argc)
        return refuse("grade takes folders of submissions, as in ./tour grade %s", "class/*/");
    class->names = allocate((size_t)(argc - first) * sizeof(*class->names));
    for (int i = first; i < argc; i++) {
        const int folder = class->folder_count;
        if (!file_is_folder(argv[i]))
            return refuse("'%s' is no folder", argv[i]);
        if (is_repeated(class, folder, argv[i]))
            continue;
        class->folders[folder] = argv[i];
        class->names[folder] = name_of(argv[i]);
        class->folder_count++;
    }
    return true;
}

/* --- One submission -------------------------------------------------------------------------- */

/* The text of a file that a student handed in. A link may lead anywhere. NULL and the verdict where
 * it is not to be graded. */
static char *read_submission(const char *path, struct verdict *verdict)
{
    struct stat status;
    char *text = NULL;

    if (!path || lstat(path, &status)) {
        *verdict = verdict_of(VERDICT_MISSING, copy_text(""));
    } else if (!S_ISREG(status.st_mode)) {
        *verdict = verdict_of(VERDICT_FILE,
                              copy_text(S_ISLNK(status.st_mode)   ? "it is a link\n"
                                        : S_ISDIR(status.st_mode) ? "it is a folder\n"
                                                                  : "it is a pipe or the like\n"));
    } else if (status.st_size > SUBMISSION_LIMIT) {
        *verdict = verdict_of(VERDICT_SPACE,
                              text_format("it is longer than %d KiB\n", SUBMISSION_LIMIT >> 10));
    } else {
        text = file_read(path);
        if (!text)
            *verdict = verdict_of(errno == EILSEQ ? VERDICT_COMPILE : VERDICT_MISSING,
                                  text_format("%s\n", file_error(errno)));
    }
    return text;
}

static struct verdict grade_one(const struct class *class, int folder, int puzzle,
                                const char *scratch)
{
    const char *path = class->handed[folder][class->puzzles[puzzle] - puzzle_table];
    char shown[PATH_MAX];
    struct verdict verdict;
    char *source = read_submission(path, &verdict);

    if (!source)
        return verdict;
    const struct grading grading = {
        .entry = class->puzzles[puzzle],
        .source = source,
        .shown = realpath(path, shown) ? shown : path,
        .scratch = scratch,
        .hidden = class->checks ? &class->checks[puzzle] : NULL,
        .seed = (uint64_t) class->seed,
        .trust = class->trust,
    };
    return grade(&grading);
}

/* --- Many at once ---------------------------------------------------------------------------- */

static char *result_path(const struct class *class, int task)
{
    return text_format("%s/result.%d", class->practice->scratch, task);
}

/* A child grades one and writes the verdict to a file. */
static pid_t start_task(const struct class *class, int task)
{
    const pid_t pid = fork();

    if (pid != 0)
        return pid;
    char *scratch = text_format("%s/task.%d", class->practice->scratch, task);
    char *path = result_path(class, task);
    mkdir(scratch, 0700);
    const double begin = child_clock();
    const struct verdict verdict =
        grade_one(class, task / class->count, task % class->count, scratch);
    json_t *json = verdict_json(&verdict);
    json_object_set_new(json, "seconds", json_real(child_clock() - begin));
    const bool written = json && !json_dump_file(json, path, 0);
    scratch_remove(scratch);
    _exit(!written);
}

static void take_result(const struct class *class, int task)
{
    char *path = result_path(class, task);
    json_t *json = json_load_file(path, 0, NULL);

    *verdict_at(class, task / class->count, task % class->count) = verdict_from_json(json);
    class->seconds[task] = json_real_value(json_object_get(json, "seconds"));
    unlink(path);
}

static void show_count(int done, int all)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r%s%s",
                text_in(language_here(), text_format("%d of %d graded", done, all)),
                done == all ? "\n" : "");
}

static void run_tasks(const struct class *class)
{
    const int all = class->folder_count * class->count;
    pid_t running[MAX_JOBS] = {0};
    int tasks[MAX_JOBS], next = 0, done = 0;

    while (done < all && !child_interrupted()) {
        for (int i = 0; i < class->jobs && next < all; i++) {
            if (!running[i]) {
                tasks[i] = next;
                running[i] = start_task(class, next++);
            }
        }
        const pid_t ended = waitpid(-1, NULL, 0);
        for (int i = 0; i < class->jobs; i++) {
            if (running[i] && (running[i] == ended || running[i] < 0)) {
                take_result(class, tasks[i]);
                running[i] = 0;
                show_count(++done, all);
            }
        }
    }
    for (int i = 0; i < class->jobs; i++) /* only after an interrupt */
        if (running[i] > 0)
            kill(running[i], SIGTERM);
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
        continue;
}

/* --- Reports --------------------------------------------------------------------------------- */

static int count_passed(const struct class *class, int folder)
{
    int passed = 0;

    for (int i = 0; i < class->count; i++)
        passed += verdict_at(class, folder, i)->kind == VERDICT_PASSED;
    return passed;
}

static long number_of(const struct class *class, int puzzle)
{
    return strtol(class->puzzles[puzzle]->name, NULL, 10);
}

/* The puzzles of which a student's folder has no file, as in 2,4-7; NULL: none. */
static char *not_handed_in(const struct class *class, int folder)
{
    char *numbers = NULL;

    for (int i = 0; i < class->count; i++) {
        const long first = number_of(class, i);
        long last = first;
        if (verdict_at(class, folder, i)->kind != VERDICT_MISSING)
            continue;
        while (i + 1 < class->count && number_of(class, i + 1) == last + 1 &&
               verdict_at(class, folder, i + 1)->kind == VERDICT_MISSING)
            last = number_of(class, ++i);
        text_join(&numbers, ",",
                  first == last ? text_format("%ld", first) : text_format("%ld-%ld", first, last));
    }
    return numbers;
}

/* What a student's row says beside the count; NULL for nothing. */
static char *not_passed(const struct class *class, int folder)
{
    const struct texts *nameless = &class->nameless[folder];
    const char *missing = not_handed_in(class, folder);
    char *rest = NULL, *names = NULL;

    for (int i = 0; i < class->count; i++) {
        const enum verdict_kind kind = verdict_at(class, folder, i)->kind;
        if (kind != VERDICT_PASSED && kind != VERDICT_MISSING)
            text_join(&rest, "; ",
                      text_format("puzzle %ld: %s", number_of(class, i), verdict_words(kind)));
    }
    if (missing)
        text_join(&rest, "; ", text_format("%s not handed in", missing));
    for (size_t i = 0; i < nameless->count; i++)
        text_join(&names, ", ", nameless->list[i]);
    if (names)
        text_join(&rest, "; ", text_format("not graded: %s", names));
    return rest;
}

static void print_table(const struct class *class)
{
    static const struct column columns[] = {
        {.header = "student", .key = true, .least = 8},
        {.header = "passed", .right = true},
        {.header = "not passed", .wraps = true, .least = 20},
    };
    struct table table = table_new(columns, 3);

    for (int f = 0; f < class->folder_count; f++) {
        struct row *row = table_row(&table);
        table_set(row, 0, TONE_STRONG, copy_text(class->names[f]));
        table_set(row, 1, TONE_PLAIN, text_format("%d / %d", count_passed(class, f), class->count));
        table_set(row, 2, TONE_PLAIN, not_passed(class, f));
    }
    table_print(&table, stdout, &class->practice->style);
}

static json_t *class_json(const struct class *class)
{
    json_t *students = json_array();

    for (int f = 0; f < class->folder_count; f++) {
        json_t *puzzles = json_object(), *nameless = json_array();
        for (int i = 0; i < class->count; i++)
            json_object_set_new(puzzles, class->puzzles[i]->name,
                                verdict_json(verdict_at(class, f, i)));
        for (size_t i = 0; i < class->nameless[f].count; i++)
            json_array_append_new(nameless, json_string(class->nameless[f].list[i]));
        json_array_append_new(students, json_pack("{s:s, s:s, s:i, s:o, s:o}", "student",
                                                  class->names[f], "folder", class->folders[f],
                                                  "passed", count_passed(class, f), "puzzles",
                                                  puzzles, "not_graded", nameless));
    }
    return json_pack("{s:i, s:b, s:o, s:o}", "puzzles", class->count, "sandboxed",
                     class->trust == TRUST_SANDBOX, "seed", json_integer(class->seed), "students",
                     students);
}

static void print_junit_case(const struct class *class, FILE *file, int folder, int puzzle)
{
    const struct verdict *verdict = verdict_at(class, folder, puzzle);

    fprintf(file, "    <testcase name=\"%s\" classname=\"", class->puzzles[puzzle]->name);
    html_print(file, "%s", class->names[folder]);
    fprintf(file, "\" time=\"%.3f\">", class->seconds[folder * class->count + puzzle]);
    if (verdict->kind == VERDICT_MISSING) {
        fputs("<skipped/>", file);
    } else if (verdict->kind != VERDICT_PASSED) {
        fprintf(file, "<failure type=\"%s\" message=\"", verdict_name(verdict->kind));
        html_print(file, "%s\">%s%s", verdict_words(verdict->kind), verdict->text,
                   verdict->prediction);
        fputs("</failure>", file);
    }
    fputs("</testcase>\n", file);
}

static void print_junit(const struct class *class, FILE *file)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", file);
    for (int f = 0; f < class->folder_count; f++) {
        int missing = 0;
        double seconds = 0;
        for (int i = 0; i < class->count; i++) {
            missing += verdict_at(class, f, i)->kind == VERDICT_MISSING;
            seconds += class->seconds[f * class->count + i];
        }
        fputs("  <testsuite name=\"", file);
        html_print(file, "%s", class->names[f]);
        fprintf(file, "\" tests=\"%d\" failures=\"%d\" skipped=\"%d\" time=\"%.3f\">\n",
                class->count, class->count - missing - count_passed(class, f), missing, seconds);
        for (int i = 0; i < class->count; i++)
            print_junit_case(class, file, f, i);
        fputs("  </testsuite>\n", file);
    }
    fputs("</testsuites>\n", file);
}

/* A name a spreadsheet takes as text: quoted where it must be, and no formula. */
static void print_csv_name(FILE *file, const char *name)
{
    fputc('"', file);
    if (*name && strchr("=+-@", *name))
        fputc('\'', file);
    for (; *name; name++) {
        if (*name == '"')
            fputc('"', file);
        fputc(*name, file);
    }
    fputc('"', file);
}

static void print_csv(const struct class *class, FILE *file)
{
    fputs("student,passed,of", file);
    for (int i = 0; i < class->count; i++)
        fprintf(file, ",%s", class->puzzles[i]->name);
    fputs(",not_graded\n", file);
    for (int f = 0; f < class->folder_count; f++) {
        char *nameless = NULL;
        print_csv_name(file, class->names[f]);
        fprintf(file, ",%d,%d", count_passed(class, f), class->count);
        for (int i = 0; i < class->count; i++)
            fprintf(file, ",%s", verdict_name(verdict_at(class, f, i)->kind));
        for (size_t i = 0; i < class->nameless[f].count; i++)
            text_join(&nameless, "; ", class->nameless[f].list[i]);
        fputc(',', file);
        print_csv_name(file, nameless ? nameless : "");
        fputc('\n', file);
    }
}

static bool write_report(const struct class *class, const char *path,
                         void (*print)(const struct class *class, FILE *file))
{
    FILE *file = path ? fopen(path, "w") : NULL;

    if (!path)
        return true;
    if (file)
        print(class, file);
    if (!file || fclose(file)) {
        complain("cannot write %s: %s", path, strerror(errno));
        return false;
    }
    return true;
}

static bool report(const struct class *class)
{
    if (class->json) {
        json_t *json = class_json(class);
        json_dumpf(json, stdout, JSON_COMPACT);
        putchar('\n');
    } else {
        print_table(class);
    }
    return write_report(class, class->junit, print_junit) &&
           write_report(class, class->csv, print_csv);
}

/* --- All of it ------------------------------------------------------------------------------- */

/* A report that cannot be written is known before the work. */
static bool can_write(const char *path)
{
    if (path && !output_may_replace(path))
        return refuse("%s is nothing that grade wrote, and stays as it is", path);

    const int file = path ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666) : 0;
    if (path && file < 0)
        return refuse("cannot write %s", path);
    if (path)
        close(file);
    return true;
}

static void choose_trust(struct class *class)
{
    const bool works = class->sandbox && sandbox_works(class->practice->scratch, compile_toolkit);

    class->trust = works ? TRUST_SANDBOX : TRUST_NONE;
    if (!works)
        complain(
            "no user namespaces here: nvcc runs with limits, and what a submission includes is "
            "looked at first, but nvcc sees all files that you may read");
}

static bool read_hidden(struct class *class)
{
    if (!class->hidden)
        return true;
    class->checks = allocate((size_t) class->count * sizeof(*class->checks));
    return hidden_read(class->hidden, class->puzzles, class->count, class->checks);
}

/* Does our own solution pass what is hidden? */
static bool try_hidden(const struct class *class)
{
    for (int i = 0; class->checks && i < class->count; i++) {
        const struct grading grading = {
            .entry = class->puzzles[i],
            .scratch = class->practice->scratch,
            .hidden = &class->checks[i],
            .seed = (uint64_t) class->seed,
        };
        if (!hidden_try(&grading))
            return false;
    }
    return true;
}

static bool grade_all(struct class *class)
{
    const size_t folders = (size_t) class->folder_count, count = folders * (size_t) class->count;

    choose_trust(class);
    class->handed = allocate(folders * sizeof(*class->handed));
    class->nameless = allocate(folders * sizeof(*class->nameless));
    class->verdicts = allocate(count * sizeof(*class->verdicts));
    class->seconds = allocate(count * sizeof(*class->seconds));
    for (int i = 0; i < class->folder_count; i++)
        class->handed[i] = handed_in(class->folders[i], class->names[i], &class->nameless[i]);
    run_tasks(class);
    return !child_interrupted() && report(class);
}

int grade_class(const struct practice *practice, int argc, char **argv)
{
    struct class class = {.practice = practice, .jobs = usable_cores()};

    if (getrandom(&class.seed, 4, 0) < 0)
        class.seed = 1;
    if (class.jobs > MAX_JOBS)
        class.jobs = MAX_JOBS;
    if (!take_arguments(&class, argc, argv) || !choose_puzzles(&class) || !read_hidden(&class) ||
        !can_write(class.junit) || !can_write(class.csv) || !try_hidden(&class))
        return EXIT_USAGE;
    return grade_all(&class) ? 0 : EXIT_FAILED;
}
