/* SPDX-License-Identifier: MIT */
/* emu [OPTIONS] PROGRAM [ARGUMENTS]: run a CUDA program on the emulated GPU.
 *
 * Puts our libcudart and libcuda before the real ones (LD_PRELOAD), hands the options over in
 * the environment (cudart/settings.h), and becomes the program.
 */
#define _GNU_SOURCE /* memmem */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cudart/lacking.h"
#include "cudart/settings.h"
#include "escape.h"
#include "launcher/elf_file.h"
#include "launcher/installation.h"
#include "launcher/ptx_listing.h"
#include "number.h"
#include "output.h"
#include "translate.h"

/* The last two as env(1) and the shell have them: found but not run, not found. */
enum { EXIT_USAGE = 2, EXIT_CANNOT_RUN = 126, EXIT_NOT_FOUND = 127 };

static const char *const help[] = {
#include "launcher/help.def"
};

__attribute__((noreturn, format(printf, 2, 3))) static void fail(int code, const char *format, ...)
{
    char line[2 * PATH_MAX], shown[4 * PATH_MAX];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    char *said = translate(language_here(), line);
    fprintf(stderr, "emu: %s\n",
            escape_text(said ? said : line, strlen(said ? said : line), shown, sizeof(shown)));
    exit(code);
}

/* End after printing what was asked for; what did not arrive is an error. */
__attribute__((noreturn)) static void finish(void)
{
    if (fflush(stdout) || ferror(stdout))
        fail(EXIT_FAILURE, "cannot print: %s", strerror(errno));
    exit(EXIT_SUCCESS);
}

static void set(const char *name, const char *value)
{
    if (setenv(name, value, 1))
        fail(EXIT_CANNOT_RUN, "cannot set %s: %s", name, strerror(errno));
}

/* An absolute path: the program may change its folder before the file is written. */
static void set_file(const char *option, const char *name, const char *file)
{
    char path[PATH_MAX], here[PATH_MAX];

    if (!*file)
        fail(EXIT_USAGE, "%s: a file name is missing", option);
    if (*file == '/' || !getcwd(here, sizeof(here)))
        here[0] = '\0';
    const int length = snprintf(path, sizeof(path), "%s%s%s", here, *here ? "/" : "", file);
    if (length >= (int)sizeof(path))
        fail(EXIT_USAGE, "%s: cannot write %s: %s", option, file, strerror(ENAMETOOLONG));
    set(name, path);
}

static void set_profile_file(const char *file)
{
    set_file("--profile", "EMU_PROFILE_FILE", file);
}

static void set_trace(const char *file)
{
    set_file("--trace", "EMU_TRACE", file);
}

/* --profile=FORMAT[:FILE]; both may be empty. */
static void set_profile(const char *value)
{
    const size_t length = value ? strcspn(value, ":") : 0;
    char format[16];

    if (length >= sizeof(format))
        fail(EXIT_USAGE, "--profile: '%s' is neither text, json nor lines", value);
    snprintf(format, sizeof(format), "%.*s", (int)length, value ? value : "");
    set("EMU_PROFILE", *format ? format : "text");
    if (value && value[length] == ':')
        set_profile_file(value + length + 1);
}

static void list_gpus(void)
{
    struct settings settings;
    char error[SETTINGS_ERROR_SIZE];
    struct gpu gpu;

    if (!settings_read(&settings, error))
        fail(EXIT_USAGE, "%s", error);
    char *names = gpu_list(settings.gpus, error);
    if (!names)
        fail(EXIT_CANNOT_RUN, "%s", error);
    for (char *rest, *name = strtok_r(names, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
        if (!gpu_read(settings.gpus, name, &gpu, error))
            fail(EXIT_CANNOT_RUN, "%s", error);
        printf("%s: %s, compute capability %d.%d\n", name, gpu.name, gpu.major, gpu.minor);
    }
    free(names);
    finish();
}

static void set_gpu(const char *name)
{
    if (!strcmp(name, "list"))
        list_gpus();
    set("EMU_GPU", name);
}

/* Said twice, both count. */
static void set_check(const char *kinds)
{
    static char all[200];
    const size_t used = strlen(all);

    snprintf(all + used, sizeof(all) - used, "%s%s", used ? "," : "", kinds);
    set("EMU_CHECK", all);
}

/* Races are found by their checker. */
static void set_break_on(const char *what)
{
    set("EMU_BREAK_ON", what);
    if (strstr(what, "race") && !getenv("EMU_CHECK"))
        set("EMU_CHECK", "race");
}

/* The alarm goes on ringing in the program, whose runtime says where it was then. */
static void set_timeout(const char *seconds)
{
    enum { DAY = 24 * 60 * 60 };
    int64_t number;

    if (number_read(seconds, 1, DAY, &number))
        fail(EXIT_USAGE, "--timeout: '%s' is not a number of seconds from 1 to %d", seconds, DAY);
    alarm((unsigned)number);
}

static void print_help(const char *unused)
{
    (void)unused;
    fputs(help[language_here()], stdout);
    finish();
}

static void print_version(const char *unused)
{
    (void)unused;
    printf("emu %s for %s\n", EMU_VERSION, EMU_RUNTIME);
    finish();
}

enum value { VALUE_NONE, VALUE_MAY, VALUE_MUST };

static const struct option {
    const char *name;
    enum value value;
    const char *variable; /* which the value goes to as it is, "1" for none; NULL: */
    void (*set)(const char *value);
} options[] = {
    {"--profile", VALUE_MAY, .set = set_profile},
    {"--profile-file", VALUE_MUST, .set = set_profile_file},
    {"--trace", VALUE_MUST, .set = set_trace},
    {"--gpu", VALUE_MUST, .set = set_gpu},
    {"--devices", VALUE_MUST, .variable = "EMU_DEVICES"},
    {"--workers", VALUE_MUST, .variable = "EMU_WORKERS"},
    {"--schedule", VALUE_MUST, .variable = "EMU_SCHEDULE"},
    {"--engine", VALUE_MUST, .variable = "EMU_ENGINE"},
    {"--time", VALUE_MUST, .variable = "EMU_TIME"},
    {"--sample", VALUE_NONE, .variable = "EMU_SAMPLE"},
    {"--check", VALUE_MUST, .set = set_check},
    {"--break-on", VALUE_MUST, .set = set_break_on},
    {"--error-exitcode", VALUE_MUST, .variable = "EMU_ERROR_EXITCODE"},
    {"--timeout", VALUE_MUST, .set = set_timeout},
    {"--ptx", VALUE_NONE, .set = NULL},
    {"--help", VALUE_NONE, .set = print_help},
    {"-h", VALUE_NONE, .set = print_help},
    {"--version", VALUE_NONE, .set = print_version},
};

static const struct option *find_option(const char *argument)
{
    const size_t length = strcspn(argument, "=");

    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
        if (strlen(options[i].name) == length && !strncmp(options[i].name, argument, length))
            return &options[i];
    fail(EXIT_USAGE, "unknown option '%s'; emu --help lists them", argument);
}

/* Take emu's own options; returns the index of PROGRAM. */
static int take_options(int argc, char **argv, bool *list_ptx)
{
    int i = 1;

    for (; i < argc && argv[i][0] == '-'; i++) {
        if (!strcmp(argv[i], "--"))
            return i + 1;
        const struct option *option = find_option(argv[i]);
        const char *value = strchr(argv[i], '=');
        if (value && option->value == VALUE_NONE)
            fail(EXIT_USAGE, "%s takes no value", option->name);
        if (value)
            value++;
        else if (option->value == VALUE_MUST)
            value = ++i < argc ? argv[i] : NULL;
        if (option->value == VALUE_MUST && (!value || !*value))
            fail(EXIT_USAGE, "%s wants a value", option->name);
        if (option->variable)
            set(option->variable, value ? value : "1");
        else if (option->set)
            option->set(value);
        else
            *list_ptx = true;
    }
    return i;
}

static bool is_file(const char *path)
{
    struct stat status;

    return !stat(path, &status) && S_ISREG(status.st_mode);
}

static bool can_run(const char *path)
{
    return is_file(path) && !access(path, X_OK);
}

__attribute__((noreturn)) static void fail_not_executable(const char *name)
{
    const char *suffix = strrchr(name, '.');

    if (suffix && !strcmp(suffix, ".cu"))
        fail(EXIT_CANNOT_RUN, "%s: not executable; compile it with nvcc -cudart shared first",
             name);
    fail(EXIT_CANNOT_RUN, "%s: not executable", name);
}

/* PATH does not hold the folder that most programs to emulate lie in. */
__attribute__((noreturn)) static void fail_in_path(const char *name)
{
    if (can_run(name))
        fail(EXIT_NOT_FOUND, "%s: not found in PATH; did you mean ./%s?", name, name);
    if (is_file(name))
        fail_not_executable(name);
    fail(EXIT_NOT_FOUND, "%s: not found in PATH", name);
}

/* Where PROGRAM is: as given, or in a folder of PATH. */
static void find_program(const char *name, char *path)
{
    const char *folders = strchr(name, '/') ? NULL : getenv("PATH");

    if (!folders) {
        snprintf(path, PATH_MAX, "%s", name);
        if (!is_file(path))
            fail(access(path, F_OK) ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN, "%s: %s", name,
                 access(path, F_OK) ? strerror(errno) : "not a file");
    }
    for (const char *folder = folders; folder; folder = strchr(folder, ':')) {
        folder += *folder == ':';
        const int length = (int)strcspn(folder, ":");
        snprintf(path, PATH_MAX, "%.*s/%s", length ? length : 1, length ? folder : ".", name);
        if (can_run(path))
            return;
    }
    if (folders)
        fail_in_path(name);
    if (access(path, X_OK))
        fail_not_executable(name);
}

/* The CUDA runtime that a program is linked with. */
struct runtime_search {
    const char *prefix;
    char found[64];
};

static bool search_runtime(void *self, const char *name)
{
    struct runtime_search *search = self;

    if (strncmp(name, search->prefix, strlen(search->prefix)) != 0)
        return true;
    snprintf(search->found, sizeof(search->found), "%s", name);
    return false;
}

static bool loads(const struct elf_file *file, const char *prefix)
{
    struct runtime_search search = {.prefix = prefix};

    elf_libraries(file, search_runtime, &search);
    return *search.found;
}

/* NVIDIA's libraries, by the names of their files. */
static const struct {
    const char *prefix, *name;
} libraries[] = {
    {"libcublas", "cuBLAS"},     {"libcufft", "cuFFT"},       {"libcurand", "cuRAND"},
    {"libcusolver", "cuSOLVER"}, {"libcusparse", "cuSPARSE"}, {"libcudnn", "cuDNN"},
    {"libnccl", "NCCL"},
};

/* What a program that has no shared runtime has instead. */
static void name_other_runtime(const struct elf_file *file, const char *name)
{
    size_t size;

    for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++)
        if (loads(file, libraries[i].prefix) && !strstr(EMU_STAND_INS, libraries[i].prefix))
            fail(EXIT_CANNOT_RUN,
                 "%s uses %s, which is machine code and needs a GPU: run it on one, or put kernels "
                 "of your own in its place",
                 name, libraries[i].name);
    if (elf_section(file, ".nv_fatbin", &size))
        fail(EXIT_CANNOT_RUN,
             "%s has the static CUDA runtime, whose place nothing can take: link it with nvcc "
             "-cudart shared (CMake: CUDA_RUNTIME_LIBRARY Shared)",
             name);
}

/* Its libraries may have the runtime, or those that it opens: at its end we know. */
static void expect_library(const struct elf_file *file, const char *name)
{
    char process[16];

    name_other_runtime(file, name);
    snprintf(process, sizeof(process), "%d", (int)getpid());
    set("EMU_WATCHED", process);
}

/* Among the strings of a program, that of the library it opens by dlopen(). */
static bool names_driver(const struct elf_file *file)
{
    static const char driver[] = "libcuda.so";
    size_t size;
    const unsigned char *strings = elf_section(file, ".rodata", &size);

    return strings && memmem(strings, size, driver, strlen(driver));
}

/* A program calls the runtime, or the driver, which it may be linked with or open while it runs. */
static void check_runtime(const struct elf_file *file, const char *name)
{
    struct runtime_search search = {.prefix = "libcudart.so"};
    size_t size;

    elf_libraries(file, search_runtime, &search);
    const bool driver = loads(file, "libcuda.so") ||
                        (names_driver(file) && !elf_section(file, ".nv_fatbin", &size));
    if (!*search.found && !driver)
        expect_library(file, name);
    if (!elf_is_program(file))
        fail(EXIT_CANNOT_RUN,
             "%s is no program that loads libraries: it is one itself, or was linked with -static",
             name);
    if (*search.found && strcmp(search.found, EMU_RUNTIME) != 0)
        fail(EXIT_CANNOT_RUN, "%s needs %s, but this emu was built for %s", name, search.found,
             EMU_RUNTIME);
}

/* Functions that a program imports and our library lacks. */
struct missing {
    const struct elf_file *library;
    bool driver; /* the program is linked with the driver, too */
    const char *wanted;
    bool found;
    const char *names[64];
    size_t count;
};

static bool is_wanted(void *self, const char *name)
{
    struct missing *missing = self;

    missing->found |= !strcmp(name, missing->wanted);
    return !missing->found;
}

static bool check_import(void *self, const char *name)
{
    struct missing *missing = self;

    const bool of_driver =
        missing->driver && !strncmp(name, "cu", 2) && isupper((unsigned char)name[2]);

    if (strncmp(name, "cuda", 4) != 0 && strncmp(name, "__cuda", 6) != 0 && !of_driver)
        return true;
    missing->wanted = name;
    missing->found = false;
    elf_symbols(missing->library, true, is_wanted, missing);
    if (!missing->found && missing->count < sizeof(missing->names) / sizeof(missing->names[0]))
        missing->names[missing->count++] = name;
    return true;
}

static bool is_of(const char *function, const char *family)
{
    return !strcmp(family_of(function), family);
}

/* The names of one family, and how many they are, after what `line` holds. */
static void add_family(const struct missing *missing, const char *family, char *line, size_t size)
{
    size_t used = strlen(line), count = 0;

    for (size_t i = 0; i < missing->count; i++)
        count += is_of(missing->names[i], family);
    used += snprintf(line + used, size - used, "%s%s (%zu function%s: ", used ? "; " : "", family,
                     count, count == 1 ? "" : "s");
    for (size_t i = 0, nth = 0; i < missing->count && used < size; i++)
        if (is_of(missing->names[i], family))
            used +=
                snprintf(line + used, size - used, "%s%s", nth++ ? ", " : "", missing->names[i]);
    if (used < size)
        snprintf(line + used, size - used, ")");
}

static void check_imports(const struct elf_file *program, const char *name,
                          const struct installation *files)
{
    char error[ELF_ERROR_SIZE], line[PATH_MAX] = "";
    struct elf_file library;

    if (!elf_open(&library, files->runtime, error))
        fail(EXIT_CANNOT_RUN, "%s", error);
    struct missing missing = {.library = &library, .driver = loads(program, "libcuda.so")};
    elf_symbols(program, false, check_import, &missing);
    elf_close(&library);
    for (size_t i = 0; i < missing.count; i++) {
        const char *family = family_of(missing.names[i]);
        size_t first = 0;
        while (!is_of(missing.names[first], family))
            first++;
        if (first == i && strlen(line) + 1 < sizeof(line))
            add_family(&missing, family, line, sizeof(line));
    }
    if (missing.count)
        fail(EXIT_CANNOT_RUN, "%s uses what this emu does not know: %s", name, line);
}

/* The library at `path` as LD_PRELOAD can name it. There a blank or a colon ends a name: a path
 * with one goes as a file held open, which the program inherits; its name is put into `name`. */
static const char *library_name(const char *path, char name[static 32])
{
    enum { FIRST_FREE = 3 }; /* even where the program gets no standard streams */

    if (!strpbrk(path, " :"))
        return path;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const int inherited = file < 0 ? -1 : fcntl(file, F_DUPFD, FIRST_FREE);
    snprintf(name, 32, "/proc/self/fd/%d", inherited);
    if (inherited < 0 || access(name, R_OK))
        fail(EXIT_CANNOT_RUN, "cannot open '%s' as %s: %s", path, name, strerror(errno));
    return name;
}

static void add_library(char *list, size_t size, const char *path)
{
    const size_t used = strlen(list);
    char name[32];

    if (snprintf(list + used, size - used, "%s%s", used ? ":" : "", library_name(path, name)) >=
        (int)(size - used))
        fail(EXIT_CANNOT_RUN, "LD_PRELOAD is too long");
}

/* The emulated runtime, and what stands in the place of the driver and of NVIDIA's libraries. */
static void preload(const struct installation *files)
{
    const char *before = EMU_SANITIZER;
    const char *after = getenv("LD_PRELOAD");
    char list[8 * PATH_MAX], path[PATH_MAX + sizeof(EMU_STAND_INS) + 1];

    snprintf(list, sizeof(list), "%s", before);
    add_library(list, sizeof(list), files->runtime);
    add_library(list, sizeof(list), files->driver);
    for (const char *name = EMU_STAND_INS; *name; name += *name == ':') {
        const int length = (int)strcspn(name, ":");
        snprintf(path, sizeof(path), "%s/%.*s", files->home, length, name);
        if (!access(path, R_OK))
            add_library(list, sizeof(list), path);
        name += length;
    }
    const size_t used = strlen(list);
    if (after && *after &&
        snprintf(list + used, sizeof(list) - used, ":%s", after) >= (int)(sizeof(list) - used))
        fail(EXIT_CANNOT_RUN, "LD_PRELOAD is too long");
    set("LD_PRELOAD", list);
}

/* What is there and must stay as it is, or cannot be written to. */
static void check_there(const char *option, const char *path, const struct stat *status)
{
    if (!output_may_replace(path))
        fail(EXIT_USAGE, "%s: %s is nothing that emu wrote, and stays as it is", option, path);
    if (!S_ISREG(status->st_mode) && !S_ISDIR(status->st_mode) && access(path, W_OK))
        fail(EXIT_USAGE, "%s: cannot write %s: %s", option, path, strerror(errno));
}

/* Empty the file that the profile goes to, or make it, so that no one takes an earlier run's
 * profile for this one's. What is no regular file, a pipe for one, is left to the program. Returns
 * whether the file is new. */
static bool empty_profile_file(const char *path)
{
    struct stat status;
    const bool is_new = lstat(path, &status) != 0;
    const bool exists = !stat(path, &status);

    if (exists)
        check_there("--profile", path, &status);
    if (exists && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
        return false;
    FILE *file = fopen(path, "w");
    if (!file || fclose(file))
        fail(EXIT_USAGE, "--profile: cannot write %s: %s", path, strerror(errno));
    return is_new;
}

/* A trace is there whole or not at all: an earlier run's goes, and there is room for a new one. */
static void make_way_for_trace(const char *path)
{
    char folder[PATH_MAX];
    struct stat status;
    const bool exists = !stat(path, &status);

    if (exists)
        check_there("--trace", path, &status);
    if (exists && S_ISDIR(status.st_mode))
        fail(EXIT_USAGE, "--trace: cannot write %s: %s", path, strerror(EISDIR));
    if (exists && !S_ISREG(status.st_mode))
        return;
    snprintf(folder, sizeof(folder), "%.*s/", (int)(strrchr(path, '/') - path), path);
    if (access(folder, W_OK | X_OK) ||
        (!lstat(path, &status) && S_ISREG(status.st_mode) && unlink(path)))
        fail(EXIT_USAGE, "--trace: cannot write %s: %s", path, strerror(errno));
}

/* Become the program. From here on nothing is wrong with the command line, so files may change. */
__attribute__((noreturn)) static void become(const char *path, char **argv,
                                             const struct settings *settings)
{
    const char *profile_file = settings->profile_file;
    if (settings->trace_file)
        make_way_for_trace(settings->trace_file);
    const bool made = profile_file && empty_profile_file(profile_file);

    execv(path, argv);
    const int error = errno;
    if (made)
        unlink(profile_file);
    fail(EXIT_CANNOT_RUN, "%s: %s", argv[0], strerror(error));
}

/* Our own files; the GPU descriptions are handed on, unless others are named. */
static void find_files(struct installation *files)
{
    char error[FILES_ERROR_SIZE];

    if (!installation_find(files, error))
        fail(EXIT_CANNOT_RUN, "%s", error);
    if (!getenv("EMU_GPUS"))
        set("EMU_GPUS", files->gpus);
}

int main(int argc, char **argv)
{
    char path[PATH_MAX], error[ELF_ERROR_SIZE];
    struct settings settings;
    struct elf_file program;
    struct gpu gpu;
    struct installation files;
    bool list_ptx = false;

    find_files(&files);
    const int first = take_options(argc, argv, &list_ptx);
    if (!settings_read(&settings, error) || !settings_gpu(&settings, &gpu, error))
        fail(EXIT_USAGE, "%s", error);
    if (first >= argc)
        fail(EXIT_USAGE, "no program to run; emu --help says more");
    if (settings.profile_file && settings.profile == PROFILE_NONE)
        fail(EXIT_USAGE, "--profile-file: nothing is written without --profile");
    const char *name = argv[first];
    if (!*name)
        fail(EXIT_USAGE, "the name of the program is empty; emu --help says more");
    find_program(name, path);
    if (!elf_open(&program, path, error))
        fail(EXIT_CANNOT_RUN, "%s", error);
    if (list_ptx) {
        if (!ptx_listing(&program, error))
            fail(EXIT_CANNOT_RUN, "%s: %s", name, error);
        finish();
    }
    check_runtime(&program, name);
    check_imports(&program, name, &files);
    elf_close(&program);
    preload(&files);
    become(path, argv + first, &settings);
}
