/* SPDX-License-Identifier: MIT */
/* What a stranger's text can reach while it is compiled, and what a child may use up. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../cmocka_main.h"
#include "compile.h"
#include "child.h"
#include "files.h"
#include "sandbox.h"
#include "text.h"
#include "../temporary.h"

static char folder[TEMPORARY_PATH];

/* --- The namespace ---------------------------------------------------------------------------- */

static bool writes(const char *path)
{
    const int file = open(path, O_WRONLY | O_CREAT, 0600);

    if (file >= 0)
        close(file);
    return file >= 0;
}

static ino_t namespace_of(int proc, const char *name)
{
    struct stat status;

    return fstatat(proc, name, &status, 0) ? 0 : status.st_ino;
}

/* The number of the first thing that is not as it should be. */
static int look_around(void)
{
    const char *const shown[] = {"/usr", "/usr/bin", "/etc/ld.so.cache", compile_toolkit};
    const int proc = open("/proc", O_RDONLY | O_DIRECTORY);
    const ino_t net = namespace_of(proc, "self/ns/net"), ipc = namespace_of(proc, "self/ns/ipc");
    struct statvfs status;

    if (!net || !ipc || !sandbox_enter(folder, compile_toolkit))
        return 1;
    if (namespace_of(proc, "self/ns/net") == net || namespace_of(proc, "self/ns/ipc") == ipc)
        return 2;
    for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
        if (!access(shown[i], F_OK) && (statvfs(shown[i], &status) || !(status.f_flag & ST_RDONLY)))
            return 3;
    if (writes("/usr/new") || errno != EROFS)
        return 4;
    if (!access("/etc/passwd", F_OK) || !access("/proc", F_OK) || !access("/home", F_OK))
        return 5;
    return writes("/work/new") && writes("/tmp/new") ? 0 : 6;
}

TEST(test_sandbox)
{
    int status = -1;

    if (!sandbox_works(folder, compile_toolkit))
        skip();
    const pid_t child = fork();
    if (child == 0)
        _exit(look_around());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* --- Limits ----------------------------------------------------------------------------------- */

static void spin(void *self, int fd)
{
    (void)self;
    (void)fd;
    for (volatile unsigned i = 0;; i++)
        continue;
}

TEST(test_processor_time)
{
    const struct child_limits limits = {.seconds = 20, .cpu_seconds = 1, .file = 1 << 20};
    struct child child = child_call(spin, NULL, &limits);

    assert_false(child.timed_out);
    assert_true(WIFSIGNALED(child.status));
    assert_int_equal(WTERMSIG(child.status), SIGXCPU);
}

TEST(test_time)
{
    const struct child_limits limits = {.seconds = 0.2, .cpu_seconds = 60, .file = 1 << 20};
    struct child child = child_call(spin, NULL, &limits);

    assert_true(child.timed_out);
}

static void grow(void *self, int fd)
{
    const size_t *bytes = self;

    if (malloc(*bytes))
        dprintf(fd, "had");
}

TEST(test_memory)
{
    const struct child_limits limits = {.seconds = 60, .memory = 256 << 20, .file = 1 << 20};
    size_t bytes[] = {16 << 20, 512 << 20};

    for (int i = 0; i < 2; i++) {
        struct child child = child_call(grow, &bytes[i], &limits);
        assert_string_equal(child.streams[0], i == 0 ? "had" : "");
    }
}

/* --- What is included ------------------------------------------------------------------------- */

static void expect_refused(const char *head, const char *file)
{
    char *source = text_format("%s\n__global__ void f() {}\n", head);
    struct verdict verdict = {.kind = VERDICT_PASSED};
    char *ptx = compile_ptx(source, "/nowhere/mine.cu", 75, TRUST_NONE, folder, &verdict);

    if (ptx || verdict.kind != VERDICT_INCLUDE)
        fail_msg("%s of %s: %s", head, file, ptx ? "compiled" : verdict_name(verdict.kind));
    assert_null(strstr(verdict.text, "hunter2"));
    free(source);
}

/* By its name, by one that goes up, by a macro, by a directive that only the compiler would see. */
TEST(test_includes)
{
    static const char *const heads[] = {
        "#include \"%s\"",
        "#include \"../%s\"",
        "#include <x/../../%s>",
        "#define X \"%s\"\n#include X",
        "#define X \"/usr/include/../..%s\"\n#include X",
        "#define H #\nH include \"%s\"",
        "%%:include \"%s\"",
    };
    char *secret = text_format("%s/secret.h", folder);

    assert_true(file_write(secret, "// hunter2\n"));
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        char *head = text_format(heads[i], secret);
        expect_refused(head, secret);
        free(head);
    }
    free(secret);
}

/* Headers of the toolkit and of the system may be. */
TEST(test_right_includes)
{
    struct verdict verdict = {.kind = VERDICT_PASSED};
    char *ptx = compile_ptx("#include <cuda_fp16.h>\n#include <cstdint>\n#include <math.h>\n"
                            "__global__ void f(__half *x) { *x = 1; }\n",
                            "/nowhere/mine.cu", 75, TRUST_NONE, folder, &verdict);

    if (!ptx)
        fail_msg("%s", verdict.text);
    free(ptx);
}

/* What lean headers leave out is there for whoever asks. */
TEST(test_full_headers)
{
    struct verdict verdict = {.kind = VERDICT_PASSED};
    char *ptx = compile_ptx("__global__ void f(int *x) { *x = sizeof(std::pair<int, int>); }\n",
                            "/nowhere/mine.cu", 75, TRUST_OWN, folder, &verdict);

    if (!ptx)
        fail_msg("%s", verdict.text);
    free(ptx);
}

/* --- An interrupt ----------------------------------------------------------------------------- */

static int ready[2]; /* a pipe: the child can be asked to end */

static void say_goodbye(void *self, int fd)
{
    sigset_t asked;
    int number;

    (void)self;
    sigemptyset(&asked);
    sigaddset(&asked, SIGTERM);
    sigprocmask(SIG_BLOCK, &asked, NULL);
    if (write(ready[1], "!", 1) == 1 && sigwait(&asked, &number) == 0)
        dprintf(fd, "goodbye");
}

static void interrupt_when_ready(void *self, double seconds)
{
    char byte;

    (void)self;
    (void)seconds;
    if (read(ready[0], &byte, 1) == 1)
        raise(SIGINT);
}

/* Who is interrupted lets a child end by itself, if it may. The last: the interrupt stays. */
TEST(test_grace)
{
    const struct child_limits limits = {
        .seconds = 60, .file = 1 << 20, .grace = 30, .tick = interrupt_when_ready};
    struct child child;

    assert_int_equal(pipe2(ready, O_NONBLOCK), 0);
    child_catch_signals();
    child = child_call(say_goodbye, NULL, &limits);
    assert_int_equal(child_interrupted(), SIGINT);
    assert_string_equal(child.streams[0], "goodbye");
    assert_false(child.timed_out);
}

int main(void)
{
    if (!mkdtemp(temporary_name(folder)))
        return EXIT_FAILURE;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    scratch_remove(folder);
    return failed;
}
