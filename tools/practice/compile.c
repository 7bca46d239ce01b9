/* SPDX-License-Identifier: MIT */
#include "compile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "files.h"
#include "sandbox.h"
#include "text.h"

static const struct child_limits compiler_limits = {
    .seconds = 90, /* of the clock, for a machine that has much else to do */
    .cpu_seconds = 10,
    .memory = (size_t)4 << 30,
    .file = 64 << 20,
};

const char compile_toolkit[] = TOOLKIT;

struct command {
    const char *folder;
    char *const *arguments;
    bool sandboxed;
};

static void become(void *self, int fd)
{
    const struct command *command = self;

    /* What a compiler that is killed leaves behind goes with the folder. */
    unsetenv("LD_PRELOAD"); /* under emu: the runtime is for us, not for compilers */
    setenv("TMPDIR", command->sandboxed ? "/tmp" : command->folder, 1);
    if (command->sandboxed ? !sandbox_enter(command->folder, TOOLKIT)
                           : chdir(command->folder) != 0) {
        dprintf(fd, "cannot enter %s: %s\n", command->folder, strerror(errno));
        _exit(127);
    }
    if (command->sandboxed)
        setenv("PATH", TOOLKIT "/bin:/usr/bin:/bin", 1);
    child_become((void *)command->arguments, fd);
}

/* Which limit a part of nvcc has met, as nvcc, gcc or the part says in these words, or NULL. */
static char *limit_met(const struct child *child)
{
    const struct child_limits *limits = &compiler_limits;
    char *time = text_format("nvcc took more than %u seconds of CPU time\n", limits->cpu_seconds);
    char *memory = text_format("nvcc took more than %zu GiB of memory\n", limits->memory >> 30);
    char *length = text_format("nvcc wrote more than %zu MiB\n", limits->file >> 20);
    char *killed = copy_text("nvcc was killed: it may be that the machine had no memory left\n");
    const struct {
        const char *words;
        char *limit;
    } ends[] = {
        {"CPU time limit exceeded", time},  {"died due to signal 24", time},
        {"out of memory", memory},          {"bad_alloc", memory},
        {"Cannot allocate memory", memory}, {"virtual memory exhausted", memory},
        {"File size limit", length},        {"died due to signal 25", length},
        {"Killed signal", killed},          {"died due to signal 9", killed},
    };

    if (child->timed_out)
        return text_format("nvcc took more than %.0f seconds\n", limits->seconds);
    if (!child->status ||
        strstr(child->streams[0], "): error")) /* a line of the text, which may have such words */
        return NULL;
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
        if (strstr(child->streams[0], ends[i].words))
            return ends[i].limit;
    return NULL;
}

/* What the compiler's end says, if it is none that PTX comes of. */
static bool failed(struct child *child, struct verdict *verdict)
{
    char *limit = child->start_error ? NULL : limit_met(child);

    if (child->start_error) {
        *verdict = verdict_of(VERDICT_BROKEN,
                              text_format("cannot start nvcc: %s\n", strerror(child->start_error)));
    } else if (limit) {
        *verdict = verdict_of(VERDICT_COMPILE, limit);
    } else if (WIFEXITED(child->status) && WEXITSTATUS(child->status) == 127) {
        *verdict = verdict_of(VERDICT_BROKEN, copy_text(child->streams[0]));
    } else if (child->status) {
        text_clean_lines(child->streams[0]);
        *verdict = verdict_of(VERDICT_COMPILE, copy_text(child->streams[0]));
    } else {
        return false;
    }
    return true;
}

/* `ptx` with the file name `from` replaced by `to`, which may be any, where .file has it. */
static char *rename_source(char *ptx, const char *from, const char *to)
{
    char *quoted = text_format("\"%s\"", from), *name = copy_text(to);
    char *at = strstr(ptx, quoted);

    if (!at)
        return ptx;
    text_clean(name);
    for (char *c = name; (c = strpbrk(c, "\"\\")); c++) /* they would end a string of PTX */
        *c = '\'';
    *at = '\0';
    return text_format("%s\"%s\"%s", ptx, name, at + strlen(quoted));
}

/* --- What a stranger's text includes --------------------------------------------------------- */

/* The directive at `line`, after # or %:, as in "include", as long as returned; 0: none. */
static size_t directive(const char *line, const char **word)
{
    line += strspn(line, " \t");
    if (*line == '#')
        line++;
    else if (!strncmp(line, "%:", 2))
        line += 2;
    else
        return 0;
    *word = line + strspn(line, " \t");
    return strspn(*word, "abcdefghijklmnopqrstuvwxyz_");
}

static bool is_word(const char *word, size_t length, const char *wanted)
{
    return strlen(wanted) == length && !strncmp(word, wanted, length);
}

/* Does the path, from a folder on, lead out of that folder? */
static bool climbs(const char *path, size_t length)
{
    int depth = 0;

    for (const char *end = path + length; path < end && depth >= 0; path++) {
        const char *slash = memchr(path, '/', (size_t)(end - path));
        const size_t part = (size_t)((slash ? slash : end) - path);
        if (part == 2 && path[0] == '.' && path[1] == '.')
            depth--;
        else if (part && !(part == 1 && *path == '.'))
            depth++;
        path += part;
    }
    return depth < 0;
}

/* Does `path`, of an #include or a line marker, leave the toolkit and the system's headers? */
static bool leaves(const char *path, size_t length)
{
    static const char *const allowed[] = {TOOLKIT "/", "/usr/include/", "/usr/lib/gcc/",
                                          "/usr/local/include/"};

    for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++) {
        const size_t root = strlen(allowed[i]);
        if (length > root && !strncmp(path, allowed[i], root))
            return climbs(path + root, length - root);
    }
    return *path == '/' || climbs(path, length);
}

/* Says so for the first #include of `source` that names a path out of here. Macros and the like get
 * past this: it is for a clear word on the plain case. */
static bool includes_plainly(const char *source, struct verdict *verdict)
{
    char **lines = text_lines(source);
    const char *word;

    for (int i = 0; lines[i]; i++) {
        const size_t length = directive(lines[i], &word);
        if (!is_word(word, length, "include") && !is_word(word, length, "include_next"))
            continue;
        const char *path = word + length + strspn(word + length, " \t") + 1;
        const size_t end = path[-1] ? strcspn(path, ">\"") : 0;
        if (end && (*path == '/' || leaves(path, end))) {
            *verdict =
                verdict_of(VERDICT_INCLUDE,
                           text_format("line %d includes %.*s: only headers of the toolkit may be "
                                       "included, by their names\n",
                                       i + 1, (int)end, path));
            return true;
        }
    }
    return false;
}

/* The preprocessor's output: does a marker name a file out of here, or is a directive left that the
 * compiler would still follow (a macro may stand for #)? */
static bool strays(const char *text)
{
    const char *word;

    for (char **line = text_lines(text); *line; line++) {
        const size_t length = directive(*line, &word);
        if (length && !is_word(word, length, "pragma"))
            return true;
        if (**line == '#' && !length) { /* # 12 "file" */
            const char *path = *line + strcspn(*line, "\"");
            if (*path && leaves(path + 1, strcspn(path + 1, "\"")))
                return true;
        }
    }
    return false;
}

/* --- nvcc ------------------------------------------------------------------------------------ */

/* Is it no option, and nothing to the shells between nvcc and its parts? */
static bool is_plain(const char *name)
{
    return *name != '-' && !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                              "0123456789_.-")];
}

/* Run nvcc; returns what it wrote to `output` in the folder, or NULL and why. */
static char *run_nvcc(const struct command *command, const char *output, struct verdict *verdict)
{
    struct child child = child_call(become, (void *)command, &compiler_limits);
    char *text = NULL;

    if (!failed(&child, verdict)) {
        text = file_read(text_format("%s/%s", command->folder, output));
        if (!text)
            *verdict = verdict_of(VERDICT_SPACE, copy_text("nvcc's output is too long\n"));
    }
    return text;
}

/* Without a namespace: does what the preprocessor makes of it include anything else? */
static bool includes_slyly(const char *name, char *architecture, const char *scratch,
                           struct verdict *verdict)
{
    char *const arguments[] = {NVCC,         "-E",         "-x", "cu",
                               "-std=c++17", architecture, "-o", "submission.ii",
                               (char *)name, NULL};
    const struct command command = {scratch, arguments, false};
    char *text = run_nvcc(&command, "submission.ii", verdict);
    const bool sly = !text || strays(text);

    if (text && sly)
        *verdict = verdict_of(VERDICT_INCLUDE, copy_text("it includes a file that is no header of "
                                                         "the toolkit\n"));
    return sly;
}

/* cmake/lean where a sandbox sees it, in a folder that no submission is called. */
static bool write_lean_header(const char *scratch)
{
    char *text = file_read(LEAN_HEADERS "/cuda_runtime.h"),
         *folder = text_format("%s/+lean", scratch);

    return text && (!mkdir(folder, 0755) || errno == EEXIST) &&
           file_write(text_format("%s/cuda_runtime.h", folder), text);
}

/* nvcc on the copy in `scratch`; `lean`: on headers without what most kernels do without. */
static char *compile_copy(const char *name, char *architecture, bool lean, const char *scratch,
                          enum trust trust, struct verdict *verdict)
{
    char *const lean_options = lean ? LEAN_CMATH : NULL; /* NULL: the arguments end here */
    char *const arguments[] = {
        NVCC, "-ptx",           "-x",         "cu",         "-lineinfo", "-std=c++17", architecture,
        "-o", "submission.ptx", (char *)name, lean_options, "-I+lean",   NULL};
    const struct command command = {scratch, arguments, trust == TRUST_SANDBOX};

    return run_nvcc(&command, "submission.ptx", verdict);
}

char *compile_ptx(const char *source, const char *shown, int capability, enum trust trust,
                  const char *scratch, struct verdict *verdict)
{
    const char *name = is_plain(basename(shown)) ? basename(shown) : "submission.cu";
    char *copy = text_format("%s/%s", scratch, name);
    char *seen = text_format("%s/%s", trust == TRUST_SANDBOX ? "/work" : scratch, name);
    char *architecture = text_format("-arch=compute_%d", capability);
    char *ptx = NULL;

    if (trust != TRUST_OWN && includes_plainly(source, verdict)) {
        ;
    } else if (!file_write(copy, source)) {
        *verdict =
            verdict_of(VERDICT_BROKEN, text_format("cannot write %s: %s\n", copy, strerror(errno)));
    } else if (trust != TRUST_NONE || !includes_slyly(name, architecture, scratch, verdict)) {
        const bool lean = write_lean_header(scratch);
        ptx = compile_copy(name, architecture, lean, scratch, trust, verdict);
        if (!ptx && lean && strstr(verdict->text, "): error")) /* it may want what was left out */
            ptx = compile_copy(name, architecture, false, scratch, trust, verdict);
    }
    return ptx ? rename_source(ptx, seen, shown) : NULL;
}
