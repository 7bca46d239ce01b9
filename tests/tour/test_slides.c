/* SPDX-License-Identifier: MIT */
/* Slides on a pseudo-terminal: what they show, the keys, and a terminal that is then as it was.
 * test_slides TOUR; it runs in the folder of the programs that stand in for steps. */
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <utmp.h>
#include <unistd.h>

#include "../cmocka_main.h"

enum { ROWS = 30, COLUMNS = 100, ROOM = 1 << 20, PATIENCE_MS = 20000, SKIPPED = 77 };

#define ENTERED "\033[?1049h"
#define LEFT "\033[?25h\033[?1049l"
#define CLEARED "\033[H\033[2J"

static const char *tour;

/* A terminal with slides on it. */
struct terminal {
    int file; /* our end */
    int other; /* the programs' end, kept open so that its settings can be read at the end */
    pid_t pid;
    struct termios before;
    char *text; /* all that was printed */
    size_t length;
};

static struct terminal start_in(const char *build, const char *const options[],
                                const char *const steps[], int rows)
{
    const struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = COLUMNS};
    struct terminal terminal = {.text = calloc(1, ROOM)};
    char *argv[16] = {(char *)tour, "--build", (char *)build, "--on", "emulator"};
    int count = 5;

    for (int i = 0; options[i]; i++)
        argv[count++] = (char *)options[i];
    argv[count++] = "slides";
    for (int i = 0; steps[i]; i++)
        argv[count++] = (char *)steps[i];
    if (openpty(&terminal.file, &terminal.other, NULL, NULL, &size) != 0) {
        puts("no pseudo-terminal here");
        exit(SKIPPED);
    }
    tcgetattr(terminal.other, &terminal.before);
    terminal.pid = fork();
    if (terminal.pid == 0) {
        close(terminal.file);
        login_tty(terminal.other);
        setenv("TERM", "xterm", 1);
        unsetenv("COLUMNS");
        unsetenv("NO_COLOR");
        execv(tour, argv);
        _exit(127);
    }
    return terminal;
}

static struct terminal start(const char *const steps[], int rows)
{
    static const char *const none[] = {NULL};

    return start_in("fixture", none, steps, rows);
}

/* Take in what is printed until it holds `wanted` behind `from`. Returns where. */
static size_t await(struct terminal *terminal, size_t from, const char *wanted)
{
    const char *found;

    while (!(found = strstr(terminal->text + from, wanted))) {
        struct pollfd poll_file = {.fd = terminal->file, .events = POLLIN};
        ssize_t count;

        if (poll(&poll_file, 1, PATIENCE_MS) <= 0)
            fail_msg("no '%s' in\n%s", wanted, terminal->text + from);
        count =
            read(terminal->file, terminal->text + terminal->length, ROOM - 1 - terminal->length);
        if (count <= 0)
            fail_msg("it ended without '%s' in\n%s", wanted, terminal->text + from);
        terminal->length += (size_t)count;
    }
    return (size_t)(found - terminal->text);
}

/* Press keys, and wait for the slide that they lead to, which is to hold `wanted`. */
static void press(struct terminal *terminal, const char *keys, const char *wanted)
{
    const size_t from = terminal->length;

    assert_int_equal(write(terminal->file, keys, strlen(keys)), (ssize_t)strlen(keys));
    await(terminal, await(terminal, from, CLEARED), wanted);
    await(terminal, from, "quit");
}

/* It ends, and the terminal is as it was. Returns the status. */
static int expect_end(struct terminal *terminal)
{
    struct termios after;
    size_t from;
    int status;

    from = await(terminal, 0, ENTERED);
    await(terminal, from, LEFT);
    waitpid(terminal->pid, &status, 0);
    tcgetattr(terminal->other, &after);
    assert_int_equal(after.c_lflag, terminal->before.c_lflag);
    assert_memory_equal(after.c_cc, terminal->before.c_cc, sizeof(after.c_cc));
    close(terminal->file);
    close(terminal->other);
    free(terminal->text);
    return status;
}

static const char *const climb[] = {"climb/c1_slow", "climb/c2_wide", "climb/c3_fast", NULL};

TEST(test_keys)
{
    struct terminal terminal = start(climb, ROWS);
    int status;

    await(&terminal, await(&terminal, 0, ENTERED), "quit");
    await(&terminal, 0, "c1_slow: one thread");
    await(&terminal, 0, "640 ms");
    press(&terminal, " ", "77.1 times as fast");
    press(&terminal, "\033[C", "c3_fast: neighbours read neighbours");
    await(&terminal, 0, "sectors per load");
    press(&terminal, "\033[C", "climb, 3 of 3"); /* there is no fourth */
    press(&terminal, "p", "climb, 2 of 3");
    press(&terminal, "\033[H", "climb, 1 of 3");
    press(&terminal, "\033OF", "climb, 3 of 3");
    press(&terminal, "x", "climb, 3 of 3");
    assert_int_equal(write(terminal.file, "q", 1), 1);
    status = expect_end(&terminal);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* A slide fits its screen, however low, which must not scroll. */
TEST(test_fits)
{
    for (int rows = 8; rows <= ROWS; rows += 2) {
        struct terminal terminal = start(climb, rows);
        size_t from;
        int lines = 0;

        await(&terminal, await(&terminal, 0, ENTERED), "quit");
        press(&terminal, " ", "climb, 2 of 3");
        from = terminal.length;
        press(&terminal, " ", "climb, 3 of 3");
        for (const char *next = terminal.text + from; (next = strstr(next, CLEARED)); next++)
            from = (size_t)(next - terminal.text); /* as it was drawn last */
        for (const char *c = terminal.text + from; *c; c++)
            lines += *c == '\n';
        if (lines >= rows)
            fail_msg("%d lines on %d rows:\n%s", lines, rows, terminal.text + from);
        assert_int_equal(write(terminal.file, "q", 1), 1);
        expect_end(&terminal);
    }
}

/* A screen that changes its size shows the slide anew. */
TEST(test_resize)
{
    const struct winsize size = {.ws_row = 40, .ws_col = 60};
    struct terminal terminal = start(climb, ROWS);
    size_t from;

    await(&terminal, await(&terminal, 0, ENTERED), "quit");
    from = terminal.length;
    ioctl(terminal.file, TIOCSWINSZ, &size);
    await(&terminal, await(&terminal, from, CLEARED), "\033[40;1H");
    assert_int_equal(write(terminal.file, "q", 1), 1);
    expect_end(&terminal);
}

TEST(test_runs_live)
{
    struct terminal terminal = start(climb, ROWS);

    await(&terminal, await(&terminal, 0, ENTERED), "quit");
    press(&terminal, "r", "640 ms");
    await(&terminal, 0, "[1/1] climb/c1_slow");
    assert_int_equal(write(terminal.file, "q", 1), 1);
    expect_end(&terminal);
}

/* A copy of the fixture in which programs are built from their sources, by something like make. */
static const char *const edited[] = {
    "#!/bin/sh",
    "cd \"${0%/*}\" || exit",
    "! grep -n nonsense fixture/climb/* | sed 's/:\\([0-9]*\\):.*/(\\1): error: what is this?/' "
    ">said",
    "sed \"s|^|[1/2] -Werror -o x\\n$PWD/|; s|$|\\nninja: build stopped|\" said",
    "[ ! -s said ] && cp fixture/climb/* fixture/built",
    NULL,
};

static char *make_checkout(void)
{
    static char checkout[] = "/tmp/slides.XXXXXX";
    char path[64], command[512];
    FILE *file;

    assert_non_null(mkdtemp(checkout));
    snprintf(command, sizeof(command),
             "cp -r fixture %s && cd %s/fixture && cp -r climb built &&"
             " sed -i 's|\"program\": \"climb|\"program\": \"built|' manifest.jsonl",
             checkout, checkout);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof(path), "%s/make", checkout);
    file = fopen(path, "w");
    for (int i = 0; edited[i]; i++)
        fprintf(file, "%s\n", edited[i]);
    fchmod(fileno(file), 0755);
    fclose(file);
    return checkout;
}

static void edit(const char *checkout, const char *step, const char *change)
{
    char command[256];

    snprintf(command, sizeof(command), "sed -i '%s' %s/fixture/climb/%s", change, checkout, step);
    assert_int_equal(system(command), 0);
}

/* What is shown is what ran, or is said not to be. */
TEST(test_edited)
{
    char *checkout = make_checkout(), build[64], make[64], command[64];
    const char *const options[] = {"--checkout", checkout, "--make", make, NULL};
    struct terminal terminal;
    size_t from;

    snprintf(build, sizeof(build), "%s/fixture", checkout);
    snprintf(make, sizeof(make), "%s/make", checkout);
    terminal = start_in(build, options, climb, ROWS);
    await(&terminal, await(&terminal, 0, ENTERED), "quit");
    press(&terminal, " ", "77.1 times as fast");
    edit(checkout, "c2_wide", "s/match [0-9.]*/match 100/");
    from = terminal.length;
    press(&terminal, "x", "c2_wide was edited after it ran: r builds and runs it");
    press(&terminal, " ", "c2_wide was edited after it ran");
    press(&terminal, "p", "c2_wide was edited after it ran");
    if (strstr(terminal.text + from, "as fast") || strstr(terminal.text + from, " ms"))
        fail_msg("old results beside a new source:\n%s", terminal.text + from);
    press(&terminal, "r", "6.40 times as fast");
    edit(checkout, "c2_wide", "s/match 100/nonsense 10/");
    press(&terminal, "r",
          "failed, so there is nothing to compare: it does not compile: fixture/climb/c2_wide(3):");
    edit(checkout, "c2_wide", "s/nonsense 10/match 10/");
    edit(checkout, "c1_slow", "s/match [0-9.]*/match 30/");
    press(&terminal, "r", "3.00 times as fast"); /* both are run */
    edit(checkout, "c2_wide", "s/match 10/mismatch 10/");
    press(&terminal, "r", "c2_wide did not get to its end");
    assert_int_equal(write(terminal.file, "q", 1), 1);
    expect_end(&terminal);
    snprintf(command, sizeof(command), "rm -r %s", checkout);
    assert_int_equal(system(command), 0);
}

/* By Ctrl-C, by a signal, by a terminal that goes away: nothing is left behind. */
TEST(test_interrupts)
{
    static const int signals[] = {SIGTERM, SIGHUP, SIGINT};

    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        struct terminal terminal = start(climb, ROWS);
        int status;

        await(&terminal, await(&terminal, 0, ENTERED), "quit");
        if (signals[i] == SIGINT)
            assert_int_equal(write(terminal.file, "\003", 1), 1);
        else
            kill(terminal.pid, signals[i]);
        status = expect_end(&terminal);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), signals[i]);
    }
}

TEST(test_skipped)
{
    static const char *const steps[] = {"trouble/t1_fine", "trouble/u1_skips", NULL};
    struct terminal terminal = start(steps, ROWS);

    await(&terminal, await(&terminal, 0, ENTERED), "quit");
    press(&terminal, "n", "u1_skips did not run here, so there is nothing to compare");
    assert_int_equal(write(terminal.file, "\004", 1), 1);
    expect_end(&terminal);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    tour = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
