/* SPDX-License-Identifier: MIT */
/* The process behind one click: work.h. */
#include <errno.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cell.h"
#include "compile.h"
#include "files.h"
#include "profile/progress.h"
#include "results.h"
#include "runner.h"
#include "sandbox.h"
#include "text.h"
#include "work.h"

enum { PROCESSES = 96, DISK = 192 << 20, MOST_MARKS = 50 };
enum {
    SECONDS = 30,
    DATA = 2 << 10,
    TOUCHED = 1536,
    FILE_SIZE = 16 << 20
}; /* MiB: the second two */

/* --- Events ----------------------------------------------------------------------------------- */

const char *work_text(const struct work *work, const char *key)
{
    const char *text = json_string_value(json_object_get(work->request, key));

    return text ? text : "";
}

bool work_flag(const struct work *work, const char *key)
{
    return json_is_true(json_object_get(work->request, key));
}

void work_emit(json_t *event)
{
    json_dumpf(event, stdout, JSON_COMPACT);
    putchar('\n');
    fflush(stdout);
    json_decref(event);
}

void work_phase(const char *phase)
{
    work_emit(json_pack("{s:s, s:s}", "event", "phase", "phase", phase));
}

void work_fail(const struct work *work, const char *english)
{
    work_emit(json_pack("{s:s, s:s}", "event", "failed", "text", text_in(work->language, english)));
}

char *work_say(const struct work *work, const char *text)
{
    char *said = copy_text("");

    for (char **line = text_lines(text); *line; line++) {
        const char *marked = emulator_says(*line);
        char *clean = copy_text(marked ? marked : *line);
        text_clean(clean);
        said = text_format("%s%s\n", said, text_in(work->language, clean));
    }
    return said;
}

json_t *work_marks(const struct work *work, const char *text, const char *name)
{
    static regex_t place;
    regmatch_t parts[3];
    json_t *marks = json_array();

    if (regcomp(&place, "([A-Za-z0-9_.-]+\\.cu)[:(]([0-9]+)", REG_EXTENDED))
        return marks;
    for (char **line = text_lines(text); *line; line++) {
        if (regexec(&place, *line, 3, parts, 0) ||
            strncmp(*line + parts[1].rm_so, name, strlen(name)) != 0 ||
            json_array_size(marks) == MOST_MARKS)
            continue;
        const char *said = emulator_says(*line);
        json_array_append_new(marks,
                              json_pack("{s:i, s:s}", "line", atoi(*line + parts[2].rm_so), "text",
                                        text_in(work->language, said ? said : *line)));
    }
    regfree(&place);
    return marks;
}

/* --- Programs --------------------------------------------------------------------------------- */

/* How far a program is, and whether it takes too much. */
struct watch {
    char *path; /* where the emulator says how far it is */
    const struct progress_file *file; /* NULL: not yet */
    double said;
    bool too_large;
};

static void look(void *self, double seconds)
{
    struct watch *watch = self;

    if (getpid() == 1 && cell_memory() > (size_t)TOUCHED << 20) {
        watch->too_large = true;
        cell_kill();
    }
    if (seconds - watch->said < 0.5)
        return;
    watch->said = seconds;
    if (!watch->file)
        watch->file = progress_map(watch->path, false);
    char *kernel = text_format("%.*s", PROGRESS_NAME, watch->file ? watch->file->kernel : "");
    text_clean(kernel);
    work_emit(json_pack("{s:s, s:f, s:s, s:f, s:f}", "event", "progress", "seconds", seconds,
                        "kernel", kernel, "done", watch->file ? (double)watch->file->ended : 0,
                        "all", watch->file ? (double)watch->file->blocks : 0));
}

/* In the child: take no more rights, and become a stranger's program. */
static void become_stranger(void *argv, int fd)
{
#ifndef __SANITIZE_ADDRESS__
    const struct rlimit data = {(rlim_t)DATA << 20, (rlim_t)DATA << 20};

    setrlimit(RLIMIT_DATA, &data);
#endif
    if (!cell_lock())
        _exit(127);
    child_become(argv, fd);
}

struct child work_child(char *const argv[], bool own)
{
    struct watch watch = {.path = "progress"};
    const struct child_limits limits = {.seconds = SECONDS,
                                        .cpu_seconds = SECONDS,
                                        .file = FILE_SIZE,
                                        .tick = look,
                                        .self = &watch};

    unlink(watch.path);
    setenv("EMU_PROGRESS", watch.path, 1);
    struct child child = child_call(own ? become_stranger : child_become, (void *)argv, &limits);
    if (getpid() == 1) /* what it left behind */
        cell_clear();
    const char *why = NULL;
    if (watch.too_large)
        why = text_format("stopped: it took more than %d MiB of memory", TOUCHED);
    else if (child.timed_out)
        why = text_format("stopped after %d seconds", SECONDS);
    if (why)
        child.streams[0] = text_format("%semu: %s\n", child.streams[0], why);
    else if (WIFSIGNALED(child.status) && WTERMSIG(child.status) == SIGXFSZ)
        why = strsignal(SIGXFSZ);
    if (why)
        work_emit(json_pack("{s:s, s:s}", "event", "stopped", "text", why));
    return child;
}

/* --- All of it -------------------------------------------------------------------------------- */

static void begin(void *self)
{
    static const struct {
        const char *kind;
        void (*does)(struct work *work);
    } kinds[] = {
        {"grade", work_grade}, {"step", work_run}, {"program", work_run}, {"ladder", work_ladder}};
    struct work *work = self;
    const char *kind = work_text(work, "kind");
    size_t i = 0;

    setenv("TMPDIR", "/tmp", 1);
    setenv("HOME", "/tmp", 1);
    setenv("EMU_ENGINE", "interpreter", 1);
    signal(SIGPIPE, SIG_IGN);
    child_catch_signals();
    while (i < sizeof(kinds) / sizeof(kinds[0]) && strcmp(kinds[i].kind, kind) != 0)
        i++;
    if (chdir(work->folder))
        work_fail(work, strerror(errno));
    else if (i < sizeof(kinds) / sizeof(kinds[0]))
        kinds[i].does(work);
}

/* Only what the work is about can be read: no student's folder, nothing of the server's. */
static const char *const *shown_to(const struct work *work)
{
    static const char *const parts[] = {"base", "common", "emulator/gpus", "docs", "puzzles"};
    const char *step = work_text(work, "step");
    struct texts shown = {0};

    texts_add(&shown, work->practice.build);
    if (strncmp(compile_toolkit, "/usr/", 5) != 0)
        texts_add(&shown, compile_toolkit);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        texts_add(&shown, text_format("%s/%s", work->practice.checkout, parts[i]));
    if (*step)
        texts_add(&shown,
                  text_format("%s/%.*s", work->practice.checkout, (int)strcspn(step, "/"), step));
    return (const char *const *)shown.list;
}

/* Without a cell: what is ours, and strangers' device code. */
static void work_bare(struct work *work)
{
    char *folder = scratch_make();

    work->confined = false;
    work->folder = folder;
    if (!strcmp(work_text(work, "kind"), "program"))
        work_fail(work, "no programs of one's own here: this system allows no sandbox for them");
    else if (folder)
        begin(work);
    if (folder)
        scratch_remove(folder);
}

/* What the end of the cell says that its first process could not. */
static void report_end(const struct work *work, int status)
{
    if (status < 0)
        work_fail(work, text_format("no sandbox: %s", strerror(errno)));
    else if (WIFSIGNALED(status))
        work_fail(work, text_format("ended by signal %d, %s", WTERMSIG(status),
                                    strsignal(WTERMSIG(status))));
}

static int do_work(const char *checkout, const char *build)
{
    const char *gpu;
    struct work work = {.request = json_loadf(stdin, 0, NULL),
                        .confined = true,
                        .folder = CELL_FOLDER,
                        .practice = {.checkout = checkout, .build = build}};
    const struct cell_plan plan = {shown_to(&work), PROCESSES, DISK};
    char *const none[] = {NULL};

    gpu = work_text(&work, "gpu");
    work.language =
        !strcmp(work_text(&work, "language"), "zh") ? LANGUAGE_CHINESE : LANGUAGE_ENGLISH;
    work.practice.gpu = *gpu ? gpu : NULL;
    work.practice.scratch = work.folder;
    work.practice.arguments = (char **)none;
    language_of_children(LANGUAGE_ENGLISH); /* we read what they say */
    if (work_flag(&work, "bare") || !strcmp(gpu, OWN_GPU) || !cell_works())
        work_bare(&work);
    else
        report_end(&work, cell_run(&plan, begin, &work));
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "--sandbox")) /* is there one? */
        return !cell_works();
    if (argc != 3) {
        fputs("Usage: worker CHECKOUT BUILD <REQUEST.json\n       worker --sandbox\n", stderr);
        return EXIT_USAGE;
    }
    return do_work(argv[1], argv[2]);
}
