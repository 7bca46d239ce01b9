/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* dladdr1, execvpe */
#include "check/call_site.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ptx/ptx.h"

/* Calls with the caller's caller, in a table so that one pointer stands for both. */
static struct call {
    const void *code, *outer;
} calls[4096];

static const struct call *find_call(struct call call)
{
    enum { COUNT = sizeof(calls) / sizeof(*calls), MOST_TRIED = 64 };
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    const uintptr_t hash = (uintptr_t)call.code * 31 + (uintptr_t)call.outer;
    struct call *found = NULL;

    pthread_mutex_lock(&lock);
    for (int i = 0; i < MOST_TRIED && !found; i++) {
        struct call *slot = &calls[(hash + i) % COUNT];
        if (!slot->code)
            *slot = call;
        if (slot->code == call.code && slot->outer == call.outer)
            found = slot;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

/* Whatever the register holds: no read leaves the stack, and code lies near other code. */
__attribute__((no_sanitize("address"))) const void *host_call(const void *code,
                                                              const uintptr_t *frame)
{
    enum { SMALL = 512, NEAR = 16 << 20 }; /* the frame of a header's function; bytes */
    const uintptr_t above = *frame - (uintptr_t)frame;

    if (above >= SMALL || above % sizeof(*frame))
        return code;
    const uintptr_t outer = frame[above / sizeof(*frame) + 1];
    if (outer - (uintptr_t)code + NEAR >= 2 * NEAR)
        return code;
    const struct call *call = find_call((struct call){code, (const void *)outer});
    return call ? (const void *)call : code;
}

/* The file that holds `code`, which the loader has no name for if it is the program. */
static bool find_file(const void *code, Dl_info *info, char *file, size_t size)
{
    struct link_map *map = NULL;

    if (!dladdr1(code, info, (void **)&map, RTLD_DL_LINKMAP) || !map)
        return false;
    const ssize_t length = *map->l_name ? -1 : readlink("/proc/self/exe", file, size - 1);
    if (length > 0)
        file[length] = '\0';
    else
        snprintf(file, size, "%s", *map->l_name ? map->l_name : info->dli_fname);
    return true;
}

/* What addr2line is asked: where `file` has these addresses, written as numbers. */
enum { NUMBER_SIZE = 20, MOST_NUMBERS = 64 };
struct question {
    const char *file;
    char numbers[MOST_NUMBERS][NUMBER_SIZE];
    int count;
};

/* Its answer goes to `output`. No fork(), which would wait for the runtime's lock. */
static pid_t start(struct question *question, int output)
{
    char *command[MOST_NUMBERS + 5] = {"addr2line", "-i", "-e", (char *)question->file};
    char *const none[] = {NULL}; /* not what emu puts in front of programs */
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);

    for (int i = 0; i < question->count; i++)
        command[4 + i] = question->numbers[i];
    const pid_t child = vfork();
    if (child) {
        close(nowhere);
        return child;
    }
    dup2(nowhere, STDIN_FILENO);
    dup2(nowhere, STDERR_FILENO);
    dup2(output, STDOUT_FILENO);
    execvpe(*command, command, none);
    _exit(127);
}

/* Its answer in `lines`. Returns false where it cannot be asked. */
static bool ask(struct question *question, char *lines, size_t size)
{
    size_t used = 0;
    int ends[2];

    if (pipe2(ends, O_CLOEXEC))
        return false;
    const pid_t child = start(question, ends[1]);
    close(ends[1]);
    for (ssize_t got; (got = read(ends[0], lines + used, size - 1 - used)) > 0;)
        used += (size_t)got;
    close(ends[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    lines[used] = '\0';
    return true;
}

static void add_number(struct question *question, size_t address)
{
    snprintf(question->numbers[question->count++], NUMBER_SIZE, "0x%zx", address);
}

/* cudafe counts the lines of vadd.cu, but some under the name of what it makes of it:
 * "tmpxft_00000bbf_00000000-6_vadd.cudafe1.cpp:12". */
static char *source_name(char *name)
{
    static const char made[] = ".cudafe1.cpp:";
    char *end = strstr(name, made);
    int prefix = 0;

    if (!end || sscanf(name, "tmpxft_%*x_%*x-%*d_%n", &prefix) == EOF || !prefix)
        return name;
    const char *line = end + strlen(made);
    memcpy(end, ".cu:", 4);
    memmove(end + 4, line, strlen(line) + 1);
    return name + prefix;
}

/* Of lines "/home/me/vadd.cu:12", each inlined into the next, the first that the program's author
 * wrote, or the last: as lines in kernels are named. *is_bare: it lacks the folder. */
static const char *pick_line(char *lines, bool *is_bare, bool *is_own)
{
    const char *picked = lines;

    *is_bare = *is_own = false;
    for (char *line = strtok(lines, "\n"); line && !*is_own; line = strtok(NULL, "\n")) {
        char *slash = strrchr(line, '/'), *name = slash ? slash + 1 : line;
        const char *source = source_name(name);
        char *copy = strstr(source, " (discriminator "); /* which one of the line */
        *is_bare = source != name;
        picked = *is_bare ? source : ptx_short_path(line);
        if (copy)
            *copy = '\0';
        *is_own = strncmp(line, "/usr/", 5) != 0 && strncmp(source, "cuda_runtime", 12) != 0;
    }
    return picked;
}

/* Give the line "vadd.cu:12" the folder that cudafe lost, if code nearby is of such a file. */
static void add_folder(const char *file, size_t address, char *text, size_t size)
{
    enum { STEP = 48, MOST_LINES = 16 << 10 };
    const size_t length = strcspn(text, ":");
    struct question question = {.file = file};
    static char lines[MOST_LINES]; /* a signal handler's stack may be small */
    char line[240];

    for (size_t i = 0; i < MOST_NUMBERS; i++)
        add_number(&question, address + i * STEP - MOST_NUMBERS / 2 * STEP);
    if (!ask(&question, lines, sizeof(lines)))
        return;
    for (char *path = strtok(lines, "\n"); path; path = strtok(NULL, "\n")) {
        char *slash = strrchr(path, '/');
        if (!slash || strncmp(slash + 1, text, length + 1) != 0)
            continue;
        snprintf(line, sizeof(line), "%s", text + length);
        slash[1 + length] = '\0';
        snprintf(text, size, "%s%s", ptx_short_path(path), line);
        return;
    }
}

/* "vadd.cu:12"; false where nobody knows. */
static bool find_line(const char *file, size_t address, char *text, size_t size, bool *is_own)
{
    struct question question = {.file = file};
    char lines[4096];
    bool is_bare;

    add_number(&question, address);
    if (!ask(&question, lines, sizeof(lines)))
        return false;
    snprintf(text, size, "%s", pick_line(lines, &is_bare, is_own));
    if (is_bare)
        add_folder(file, address, text, size);
    return *text && *text != '?' && !strstr(text, ":?") && !strstr(text, ":0");
}

/* *is_own: no header of the toolkit's, or nobody knows. */
static bool describe(const void *code, char *text, size_t size, bool *is_own)
{
    const uintptr_t at = (uintptr_t)code - 1; /* in the call, not after it */
    char path[4096];
    Dl_info info;

    *is_own = true;
    if (!find_file((const void *)at, &info, path, sizeof(path))) {
        snprintf(text, size, "%p", code);
        return false;
    }
    const ElfW(Ehdr) *header = info.dli_fbase;
    const uintptr_t base = header->e_type == ET_EXEC ? 0 : (uintptr_t)info.dli_fbase;
    if (find_line(path, at - base, text, size, is_own))
        return true;
    const char *slash = strrchr(path, '/');
    const char *file = slash ? slash + 1 : path;
    if (info.dli_sname)
        snprintf(text, size, "%s+0x%zx in %s", info.dli_sname,
                 (size_t)((const char *)code - (const char *)info.dli_saddr), file);
    else
        snprintf(text, size, "%s+0x%zx", file, (size_t)((const char *)code - base));
    return false;
}

bool call_site(const void *code, char *text, size_t size)
{
    const uintptr_t at = (uintptr_t)code - (uintptr_t)calls;
    const struct call *call = at < sizeof(calls) ? code : NULL;
    char outer[300];
    bool is_own;

    const bool found = describe(call ? call->code : code, text, size, &is_own);
    if (call && found && !is_own && describe(call->outer, outer, sizeof(outer), &is_own))
        snprintf(text, size, "%s", outer);
    return found;
}

const void *host_first_own(void *const *addresses, int count)
{
    struct link_map *map;
    Dl_info info;

    for (int i = 0; i < count; i++)
        if (dladdr1(addresses[i], &info, (void **)&map, RTLD_DL_LINKMAP) && !*map->l_name)
            return addresses[i];
    return *addresses;
}
