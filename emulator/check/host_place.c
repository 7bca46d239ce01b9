/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* dladdr1, execvpe */
#include "check/host_place.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* addr2line's answer goes to `output`. No fork(), which would wait for the runtime's lock. */
static pid_t ask(const char *file, const char *address, int output)
{
    char *const command[] = {"addr2line", "-i", "-e", (char *)file, (char *)address, NULL};
    char *const none[] = {NULL}; /* not what emu puts in front of programs */
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
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
 * wrote, without its folder; or the last. */
static const char *pick_line(char *lines)
{
    char *name = lines;

    for (char *line = strtok(lines, "\n"); line; line = strtok(NULL, "\n")) {
        char *slash = strrchr(line, '/');
        name = source_name(slash ? slash + 1 : line);
        line[strcspn(line, " ")] = '\0'; /* behind it: which copy of the line */
        if (strncmp(line, "/usr/", 5) != 0 && strncmp(name, "cuda_runtime", 12) != 0)
            break;
    }
    return name;
}

/* "vadd.cu:12"; false where nobody knows. */
static bool find_line(const char *file, size_t address, char *text, size_t size)
{
    char number[32], lines[4096];
    int ends[2];
    size_t used = 0;

    snprintf(number, sizeof(number), "0x%zx", address);
    if (pipe2(ends, O_CLOEXEC))
        return false;
    const pid_t child = ask(file, number, ends[1]);
    close(ends[1]);
    for (ssize_t got; (got = read(ends[0], lines + used, sizeof(lines) - 1 - used)) > 0;)
        used += (size_t)got;
    close(ends[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    lines[used] = '\0';
    snprintf(text, size, "%s", pick_line(lines));
    return *text && *text != '?' && !strstr(text, ":?") && !strstr(text, ":0");
}

void host_place(const void *code, char *text, size_t size)
{
    const uintptr_t at = (uintptr_t)code - 1; /* in the call, not behind it */
    char path[4096];
    Dl_info info;

    if (!find_file((const void *)at, &info, path, sizeof(path))) {
        snprintf(text, size, "%p", code);
        return;
    }
    const ElfW(Ehdr) *header = info.dli_fbase;
    const uintptr_t base = header->e_type == ET_EXEC ? 0 : (uintptr_t)info.dli_fbase;
    if (find_line(path, at - base, text, size))
        return;
    const char *slash = strrchr(path, '/');
    const char *file = slash ? slash + 1 : path;
    if (info.dli_sname)
        snprintf(text, size, "%s+0x%zx in %s", info.dli_sname,
                 (size_t)((const char *)code - (const char *)info.dli_saddr), file);
    else
        snprintf(text, size, "%s+0x%zx", file, (size_t)((const char *)code - base));
}

const void *host_first_own(void *const *places, int count)
{
    struct link_map *map;
    Dl_info info;

    for (int i = 0; i < count; i++)
        if (dladdr1(places[i], &info, (void **)&map, RTLD_DL_LINKMAP) && !*map->l_name)
            return places[i];
    return *places;
}
