/* SPDX-License-Identifier: MIT */
/* Compiled kernels on disk: how they are made, and that the program notices nothing of it. */
#define _GNU_SOURCE /* strdup(), posix_fallocate() */
#include "../../cmocka_main.h"
#include "../../temporary.h"
#include "machine/compile/compile.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *const text = "int made = 7;\n";

/* A folder, and where a kernel's library belongs in it. */
struct place {
    char folder[TEMPORARY_PATH], library[CACHE_PATH_SIZE];
};

static int place_set_up(void **state)
{
    static struct place place;
    assert_non_null(mkdtemp(temporary_name(place.folder)));
    snprintf(place.library, sizeof place.library, "%.200s/kernel.so", place.folder);
    *state = &place;
    return 0;
}

static int place_tear_down(void **state)
{
    const struct place *place = *state;
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%.200s'", place->folder);
    return system(command);
}

/* How many files are in the folder. */
static int count_files(const struct place *place)
{
    int count = -2; /* . and .. */
    DIR *folder = opendir(place->folder);
    assert_non_null(folder);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

static volatile sig_atomic_t heard;
static void hear(int number)
{
    heard = number;
}

static void assert_no_child(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    assert_int_equal(heard, 0);
}

static void start(struct job *job, const struct place *place)
{
    if (system("command -v cc >/dev/null") != 0)
        skip();
    heard = 0;
    assert_true(job_start(job, text, place->library, true));
}

TEST_WITH(test_made, place_set_up, place_tear_down)
{
    const struct place *place = *state;
    const int next = dup(0);
    struct job job;
    close(next);
    signal(SIGCHLD, hear);
    signal(SIGTERM, SIG_IGN);
    const mode_t mask = umask(0);
    start(&job, place);
    assert_no_child();
    const int after = dup(0);
    close(after);
    assert_int_equal(after, next);
    assert_true(job_ended(&job, true));
    umask(mask);
    assert_no_child();
    signal(SIGCHLD, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    assert_int_equal(count_files(place), 1);
    void *library = cache_load(place->library);
    assert_non_null(library);
    assert_int_equal(*(int *)dlsym(library, "made"), 7);
    dlclose(library);
}

/* A compiler that does not end by itself, and a pipe that it opens. */
static void patient_compiler(const struct place *place, char pipe[300])
{
    char path[300], longer[8192];
    snprintf(pipe, 300, "%.200s/alive", place->folder);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    snprintf(path, sizeof path, "%.200s/cc", place->folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\nexec sleep 20 1<>'%s'\n", pipe);
    fclose(file);
    chmod(path, 0700);
    snprintf(longer, sizeof longer, "%.200s:%s", place->folder, getenv("PATH"));
    setenv("PATH", longer, 1);
}

/* What the program has open is closed to the compiler, and nothing of it is left. */
TEST_WITH(test_stopped, place_set_up, place_tear_down)
{
    const struct place *place = *state;
    char *const search = strdup(getenv("PATH")), path[300], byte;
    struct job job;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    patient_compiler(place, path);
    start(&job, place);
    setenv("PATH", search, 1);
    free(search);
    close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 0);
    close(ends[0]);
    const int alive = open(path, O_RDONLY | O_CLOEXEC);
    const pid_t child = fork();
    if (child == 0) {
        job_stop(&job); /* it is not the child's */
        _exit(0);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_false(job_ended(&job, false));
    job_stop(&job);
    assert_int_equal(read(alive, &byte, 1), 0);
    close(alive);
    assert_true(job_ended(&job, false));
    assert_int_equal(count_files(place), 2); /* cc and alive */
}

static void assert_refused(const struct place *place)
{
    struct job job;
    assert_false(job_start(&job, text, place->library, true));
    assert_int_equal(count_files(place), 0);
}

TEST_WITH(test_refused, place_set_up, place_tear_down)
{
    const struct place *place = *state;
    struct rlimit before, little;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    little = (struct rlimit){4, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &little);
    assert_refused(place);
    setrlimit(RLIMIT_FSIZE, &before);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    assert_refused(place);
    prctl(PR_SET_CHILD_SUBREAPER, 0);
}

/* The oldest goes. */
TEST_WITH(test_limit, place_set_up, place_tear_down)
{
    static const char *const names[] = {"old.so", "new.so"};
    const struct place *place = *state;
    struct job job;
    for (int i = 0; i < 2; i++) {
        const struct timespec times[2] = {{.tv_sec = 1000 + i}, {.tv_sec = 1000 + i}};
        char path[300];
        snprintf(path, sizeof path, "%.200s/%s", place->folder, names[i]);
        const int file = open(path, O_CREAT | O_WRONLY, 0600);
        assert_int_equal(posix_fallocate(file, 0, 40 << 20), 0);
        assert_int_equal(futimens(file, times), 0);
        close(file);
    }
    start(&job, place);
    assert_true(job_ended(&job, true));
    assert_int_equal(count_files(place), 2);
    char path[300];
    snprintf(path, sizeof path, "%.200s/old.so", place->folder);
    assert_int_equal(access(path, F_OK), -1);
}

TEST_MAIN()
