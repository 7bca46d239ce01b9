#include "compile.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "confine.h"
#include "files.h"
#include "text.h"

static const struct limits compiler_limits = {
    .seconds = 20,
    .memory = (size_t)4 << 30,
    .file = 64 << 20,
};

struct command {
    const char *folder;
    char *const *arguments;
};

static void become(void *self, int fd)
{
    const struct command *command = self;

    dup2(fd, STDOUT_FILENO);
    dup2(fd, STDERR_FILENO);
    if (chdir(command->folder) == 0)
        execvp(command->arguments[0], command->arguments);
    dprintf(fd, "cannot run %s: %s\n", command->arguments[0], strerror(errno));
    _exit(127);
}

static struct verdict verdict_of(enum verdict_kind kind, char *text)
{
    return (struct verdict){
        .kind = kind, .text = text, .printed = copy_text(""), .prediction = copy_text("")};
}

/* What the compiler's end says, if it is none that PTX comes of. */
static bool failed(struct confined *confined, struct verdict *verdict)
{
    if (confined->start_error) {
        *verdict = verdict_of(VERDICT_BROKEN, text_format("cannot start nvcc: %s\n",
                                                          strerror(confined->start_error)));
    } else if (confined->timed_out) {
        *verdict = verdict_of(VERDICT_COMPILE, text_format("nvcc did not end within %.0f seconds\n",
                                                           compiler_limits.seconds));
    } else if (WIFEXITED(confined->status) && WEXITSTATUS(confined->status) == 127) {
        *verdict = verdict_of(VERDICT_BROKEN, copy_text(confined->output));
    } else if (confined->status) {
        text_clean_lines(confined->output);
        *verdict = verdict_of(VERDICT_COMPILE, copy_text(confined->output));
    } else {
        return false;
    }
    return true;
}

/* `ptx` with the file name `from` replaced by `to` where .file has it. */
static char *rename_source(char *ptx, const char *from, const char *to)
{
    char *quoted = text_format("\"%s\"", from);
    char *at = strstr(ptx, quoted);

    if (at) {
        *at = '\0';
        char *renamed = text_format("%s\"%s\"%s", ptx, to, at + strlen(quoted));
        free(ptx);
        ptx = renamed;
    }
    free(quoted);
    return ptx;
}

char *compile_ptx(const char *source, const char *shown, int capability, const char *scratch,
                  struct verdict *verdict)
{
    const char *name = strrchr(shown, '/') ? strrchr(shown, '/') + 1 : shown;
    char *copy = text_format("%s/%s", scratch, name);
    char *output = text_format("%s/submission.ptx", scratch);
    char *architecture = text_format("-arch=compute_%d", capability);
    char *const arguments[] = {NVCC, "-ptx", "-lineinfo",  "-std=c++17", architecture,
                               "-o", output, (char *)name, NULL};
    struct command command = {scratch, arguments};
    char *ptx = NULL;

    if (!file_write(copy, source)) {
        *verdict =
            verdict_of(VERDICT_BROKEN, text_format("cannot write %s: %s\n", copy, strerror(errno)));
    } else {
        struct confined confined = confine(become, &command, &compiler_limits);
        if (!failed(&confined, verdict)) {
            ptx = file_read(output);
            if (!ptx)
                *verdict = verdict_of(VERDICT_BROKEN, text_format("nvcc wrote no %s\n", output));
        }
        free(confined.output);
    }
    if (ptx)
        ptx = rename_source(ptx, copy, shown);
    free(copy);
    free(output);
    free(architecture);
    return ptx;
}
