/* SPDX-License-Identifier: MIT */
/* Programs of one's own: how they are compiled, and how the runner takes them for steps. */
#include "practice.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "files.h"
#include "gpus/gpu.h"
#include "text.h"

enum { USUAL_CAPABILITY = 75, LATER_CAPABILITY = 90 };

static const char later_gpu[] = "h100"; /* of LATER_CAPABILITY */
static const struct child_limits patience = {.seconds = 600};

/* --- Compile --------------------------------------------------------------------------------- */

/* The .cu files of the program `path`, itself or those in it, ended by NULL; no file: empty. */
static char **sources_of(const char *path)
{
    char *plain = text_format("%s%s", *path == '-' ? "./" : "", path); /* no option of nvcc */
    struct texts alone = {0};

    texts_add(&alone, plain);
    return file_is_folder(path) ? file_sources(plain) : alone.list;
}

/* What most programs do without takes nvcc half of its time: C++17's functions for mathematicians
 * and looking up names in libstdc++.so (cmake/Compilers.cmake), lambdas for the device, linking its
 * code, and what cmake/lean leaves out. */
enum extent { LEAN, FULL, APART };

/* nvcc on the file or folder: PTX of `capability`, and machine code for the GPU that is there. The
 * device code of several files is linked, unless it is to stay APART. Lambdas are for the device
 * where nvcc `said` before that they ask for it. */
static struct child compile(const struct practice *practice, const char *path, const char *program,
                            int capability, enum extent extent, const char *said)
{
    /* A toolkit in no list of the system's: the program must know where its runtime is. */
    static const char *const options[] = {
        NVCC,      "-std=c++17", "-lineinfo", "-Xcompiler=-O1,-g1", /* lines of host code */
        "-cudart", "shared",     "-Xlinker",  "-rpath=" TOOLKIT "/lib64", NULL};
    const char *card = practice->card;
    char **sources = sources_of(path);
    const char *own = capability == LATER_CAPABILITY ? "a" : ""; /* wgmma and the like */
    struct texts command = {0};

    texts_add_all(&command, options);
    if (sources[1] && extent != APART)
        texts_add(&command, "-rdc=true");
    if (extent == LEAN) {
        texts_add(&command, LEAN_CMATH);
        texts_add(&command, text_format("-I%s/cmake/lean", practice->checkout));
        texts_add(&command, "-Xcompiler=-static-libstdc++");
        if (!sources[1])
            texts_add(&command, "-nodlink");
    } else if (strstr(said, "extended-lambda")) {
        texts_add(&command, "-extended-lambda");
    }
    texts_add(&command, text_format("-gencode=arch=compute_%d%s,code=compute_%d%s", capability, own,
                                    capability, own));
    if (card)
        texts_add(&command, text_format("-gencode=arch=compute_%s,code=sm_%s", card, card));
    texts_add(&command, "-o");
    texts_add(&command, program);
    texts_add_all(&command, (const char *const *)sources);
    if (practice->options)
        texts_add_all(&command, practice->options);
    return child_call(child_become, command.list, practice->limits ? practice->limits : &patience);
}

/* What to compile for; 0 after a line on stderr. */
static int wanted_capability(const struct practice *practice)
{
    const char *folder = getenv("EMU_GPUS");
    char error[GPU_ERROR_SIZE];
    struct gpu gpu;

    if (!practice->gpu)
        return USUAL_CAPABILITY;
    if (!gpu_read(folder ? folder : GPUS, practice->gpu, &gpu, error)) {
        complain("%s", error);
        return 0;
    }
    const int capability = 10 * gpu.major + gpu.minor;
    return capability > USUAL_CAPABILITY ? capability : USUAL_CAPABILITY; /* nvcc's oldest */
}

static bool lacks_main(const char *said)
{
    return strstr(said, "undefined reference to `main'");
}

static void explain_failure(const struct practice *practice, const char *path, const char *said)
{
    const char *slash = strrchr(path, '/'), *end = strrchr(slash ? slash : path, '.');

    fputs(errors_shown(practice, said), stderr);
    if (end && strcmp(end, ".cu") && !file_is_folder(path)) {
        const int stem = (int)(end - path);
        const int extra = stem > 3 && !strncmp(end - 3, ".cu", 3) ? 3 : 0; /* x.cu.txt */
        complain("'%s' is no .cu file, as programs with kernels are: name it %.*s.cu", path,
                 stem - extra, path);
    } else if (lacks_main(said)) {
        complain("%s has no main(), which a program starts with; is it a puzzle's? Then "
                 "./tour puzzle N grades it",
                 path);
    } else {
        complain("nvcc did not compile %s", path);
    }
}

bool own_readable(const char *path)
{
    char **sources = sources_of(path);

    if (!*sources) {
        complain("%s: Is a directory, and has no .cu file", path);
        return false;
    }
    for (; *sources; sources++) {
        if (!file_read(*sources)) {
            complain("cannot read %s: %s", *sources, file_error(errno));
            return false;
        }
    }
    return true;
}

int own_build(const struct practice *practice, const char *path, const char *program, char **said)
{
    const int wanted = wanted_capability(practice);
    const struct {
        int capability;
        enum extent extent;
    } attempts[] = {
        {wanted, LEAN},
        {wanted, FULL},
        {wanted, APART}, /* variables of one name in several files, as from a header */
        {LATER_CAPABILITY, FULL} /* it may need more than the usual, as clusters do */
    };
    const int count = practice->gpu ? 3 : 4;

    *said = wanted ? copy_text("") : NULL; /* that has been complained of */
    for (int i = 0; wanted && i < count && !child_interrupted() && !lacks_main(*said); i++) {
        const bool twice = strstr(*said, "multiple definition of ");
        if (i > 0 && twice != (attempts[i].extent == APART))
            continue;
        const struct child nvcc =
            compile(practice, path, program, attempts[i].capability, attempts[i].extent, *said);

        if (child_succeeded(&nvcc)) {
            *said = nvcc.streams[0]; /* warnings */
            return attempts[i].capability;
        }
        if (attempts[i].capability == wanted && attempts[i].extent != APART)
            *said = nvcc.streams[0];
    }
    return 0;
}

int own_compile(const struct practice *practice, const char *path, const char *program)
{
    char *said;
    const int capability = own_build(practice, path, program, &said);

    if (capability)
        fputs(said, stderr);
    else if (said && !child_interrupted())
        explain_failure(practice, path, said);
    return capability;
}

const char *own_gpu(const struct practice *practice, int capability)
{
    return practice->gpu ? practice->gpu : capability > USUAL_CAPABILITY ? later_gpu : NULL;
}

/* --- As steps -------------------------------------------------------------------------------- */

/* A line of a manifest (tools/manifest.h) for the program, which is compiled to `program`. */
static char *manifest_line(const struct practice *practice, const char *path, const char *program,
                           const char *source)
{
    json_t *arguments = json_array();

    for (char **argument = practice->arguments; *argument; argument++)
        json_array_append_new(arguments, json_string(*argument));
    json_t *step = json_pack("{s:s, s:s, s:s, s:s, s:s, s:b, s:b, s:o}", "chapter", ".", "step",
                             path, "title", path, "program", program, "source", source, "own", 1,
                             "sizes", 0, "check_size", arguments);
    return json_dumps(step, JSON_COMPACT);
}

/* Compile file number `index`, add it to `*manifest`, and raise `*capability` to what it takes.
 * Returns an exit code. */
static int add_file(const struct practice *practice, const char *path, int index, char **manifest,
                    int *capability)
{
    char source[PATH_MAX];
    const char *program = text_format("program.%d", index);

    if (!own_readable(path) || !realpath(path, source))
        return EXIT_USAGE;
    const char *line = manifest_line(practice, path, program, source + 1);
    if (!line) {
        complain("'%s': its name is no UTF-8", path);
        return EXIT_USAGE;
    }
    const int needs = own_compile(practice, path, text_format("%s/%s", practice->scratch, program));
    if (!needs)
        return EXIT_FAILED;
    *manifest = text_format("%s%s\n", *manifest, line);
    *capability = needs > *capability ? needs : *capability;
    return 0;
}

/* Run the runner in our place on the terminal. Returns its exit code. */
static int run_runner(char *const arguments[])
{
    const pid_t pid = fork();
    int status = 0;

    if (pid == 0) {
        signal(SIGPIPE, SIG_DFL);
        language_of_children(language_here());
        execv(arguments[0], arguments);
        complain("cannot run %s: %s", arguments[0], strerror(errno));
        _exit(EXIT_FAILED);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        kill(pid, SIGTERM);
    return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILED;
}

/* The runner on the build folder that `scratch` has become. */
static int run_tour(const struct practice *practice, const char *verb, int options, int argc,
                    char **argv, int capability)
{
    const char *gpu = own_gpu(practice, capability);
    struct texts command = {0};

    texts_add(&command, text_format("%s/tools/tour", practice->build));
    texts_add(&command, text_format("--build=%s", practice->scratch));
    texts_add(&command, "--on=emulator");
    texts_add(&command, "--checkout=/");
    if (gpu)
        texts_add(&command, text_format("--gpu=%s", gpu));
    for (int i = 0; i < options; i++)
        texts_add(&command, argv[i]);
    texts_add(&command, verb);
    for (int i = options; i < argc; i++)
        texts_add(&command, text_format("./%s", argv[i]));
    return run_runner(command.list);
}

int own_tour(const struct practice *practice, const char *verb, int argc, char **argv)
{
    const bool diff = !strcmp(verb, "diff");
    char *manifest = copy_text("");
    struct texts uncompiled = {0};
    int options = 0, kept, capability = 0, code = 0;

    while (options < argc && !strncmp(argv[options], "--", 2))
        options++;
    kept = options;
    if (diff ? argc - options != 2 : argc - options < 1) {
        complain("%s takes %s", verb, diff ? "two .cu files" : ".cu files");
        return EXIT_USAGE;
    }
    for (int i = options; diff && i < argc; i++) {
        if (file_is_folder(argv[i])) {
            complain("diff takes two .cu files, and %s is a folder", argv[i]);
            return EXIT_USAGE;
        }
    }
    for (int i = options; i < argc; i++) {
        const int failed = add_file(practice, argv[i], i, &manifest, &capability);
        if (failed == EXIT_FAILED)
            texts_add(&uncompiled, argv[i]);
        else
            argv[kept++] = argv[i];
        code = failed ? failed : code;
    }
    if (code && (diff || code != EXIT_FAILED || kept == options)) /* each has said why */
        return code;
    if (!file_write(text_format("%s/manifest.jsonl", practice->scratch), manifest) ||
        symlink(text_format("%s/emulator", practice->build),
                text_format("%s/emulator", practice->scratch))) {
        complain("%s: %s", practice->scratch, strerror(errno));
        return EXIT_FAILED;
    }
    const int found = run_tour(practice, verb, options, kept, argv, capability);
    for (size_t i = 0; i < uncompiled.count; i++) /* what was said of it is far above */
        complain("nvcc did not compile %s", uncompiled.list[i]);
    return found ? found : code;
}
