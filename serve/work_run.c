/* SPDX-License-Identifier: MIT */
/* A step, a changed copy of one, or a program: compiled, run, checked, counted. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cell.h"
#include "files.h"
#include "manifest.h"
#include "results.h"
#include "runner.h"
#include "text.h"
#include "why.h"
#include "words.h"
#include "work.h"

enum { TRACE_LIMIT = 6 << 20, OUTPUT_LIMIT = 64 << 10 };

static const struct child_limits compiler_limits = {
    .seconds = 90, .cpu_seconds = 30, .memory = (size_t)4 << 30, .file = 64 << 20};

/* One run and what came of it. */
struct ran {
    struct child child;
    char *output, *findings; /* the program's lines, and the emulator's */
    json_t *profile, *report;
};

/* What the page asked for, as a step takes it. */
static void add_sizes(const struct work *work, struct texts *command)
{
    static const char *const names[] = {"n", "threads", "blocks"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const json_t *value = json_object_get(work->request, names[i]);
        if (json_is_integer(value)) {
            texts_add(command, text_format("--%s", names[i]));
            texts_add(command, text_format("%" JSON_INTEGER_FORMAT, json_integer_value(value)));
        }
    }
}

/* What it said: as output, findings and report. */
static void take_output(struct ran *ran)
{
    ran->output = copy_text("");
    ran->findings = copy_text("");
    for (char **line = text_lines(ran->child.streams[0]); *line; line++) {
        char **to = emulator_says(*line) ? &ran->findings : &ran->output;
        const int left = OUTPUT_LIMIT - (int)strlen(*to);
        if (left > 0)
            *to = text_format("%s%.*s\n", *to, left, *line);
    }
    for (char **line = text_lines(ran->output); *line && !ran->report; line++)
        ran->report = **line == '{' ? json_loads(*line, 0, NULL) : NULL;
}

/* Run `program` on the emulator; `trace`: draw it. */
static struct ran emulate(const struct work *work, const char *program, bool own, const char *gpu,
                          const struct texts *arguments, bool trace)
{
    struct texts command = {0};
    struct ran ran = {0};

    texts_add(&command, text_format("%s/emulator/emu", work->practice.build));
    texts_add(&command, "--profile=json:profile.json");
    texts_add(&command, "--workers=2");
    if (work_flag(work, "check"))
        texts_add(&command, "--check=all");
    if (gpu)
        texts_add(&command, text_format("--gpu=%s", gpu));
    if (trace)
        texts_add(&command, "--trace=trace.html");
    texts_add(&command, program);
    if (arguments->count)
        texts_add_all(&command, (const char *const *)arguments->list);
    unlink("profile.json");
    ran.child = work_child(command.list, own);
    take_output(&ran);
    ran.profile = json_load_file("profile.json", 0, NULL);
    return ran;
}

/* Run our `program` on the GPU of this machine: after other runs there, which would disturb its
 * times. */
static struct ran measure(const struct work *work, const char *program,
                          const struct texts *arguments)
{
    struct texts command = {0};
    struct ran ran = {0};
    const int turn =
        open(text_format("%s/manifest.jsonl", work->practice.build), O_RDONLY | O_CLOEXEC);

    if (turn >= 0)
        flock(turn, LOCK_EX);
    setenv("CUDA_CACHE_DISABLE", "1", 1); /* in /tmp it could be anybody's */
    texts_add(&command, program);
    texts_add_all(&command, (const char *const *)arguments->list);
    ran.child = work_child(command.list, false);
    take_output(&ran);
    return ran;
}

static char *how_it_ended(const struct work *work, const struct child *child)
{
    if (WIFSIGNALED(child->status))
        return text_in(work->language,
                       text_format("ended by signal %d, %s", WTERMSIG(child->status),
                                   strsignal(WTERMSIG(child->status))));
    return text_in(work->language, text_format("exit code %d", WEXITSTATUS(child->status)));
}

/* As the files of results have it (tools/results.h), for why_sentence(). */
static json_t *as_result(const struct ran *ran, const char *name)
{
    json_t *kernels = json_object_get(ran->profile, "kernels");

    return json_pack("{s:s, s:s, s:s, s:O?, s:O?}", "chapter", "", "step", name, "outcome",
                     child_succeeded(&ran->child) ? "match" : "failed", "report", ran->report,
                     "kernels", kernels);
}

/* What a model says of the kernels, in the person's language. */
static void translate_limits(const struct work *work, json_t *result)
{
    json_t *kernel;
    size_t i;

    json_array_foreach(json_object_get(result, "kernels"), i, kernel) {
        const char *bound = json_string_value(json_object_get(kernel, "bound_by"));
        if (bound)
            json_object_set_new(kernel, "bound_by",
                                json_string(word_for_limit(work->language, bound)));
    }
}

static json_t *event_of(const struct work *work, const struct ran *ran, const char *name)
{
    json_t *event = as_result(ran, name);

    json_object_set_new(event, "event", json_string("result"));
    json_object_set_new(event, "ended", json_string(how_it_ended(work, &ran->child)));
    json_object_set_new(event, "code",
                        json_integer(WIFEXITED(ran->child.status)
                                         ? WEXITSTATUS(ran->child.status)
                                         : 128 + WTERMSIG(ran->child.status)));
    text_clean_lines(ran->output);
    json_object_set_new(event, "output", json_string(ran->output));
    json_object_set_new(event, "findings", json_string(work_say(work, ran->findings)));
    json_object_set_new(event, "marks", work_marks(work, ran->findings, name));
    json_object_set(event, "device", json_object_get(ran->profile, "device"));
    char *advice = result_advice(event, work->language);
    if (advice && result_outcome(event) == OUTCOME_MATCH)
        json_object_set_new(event, "advice", json_string(text_in(work->language, advice)));
    return event;
}

static void add_trace(json_t *event)
{
    char *page = file_read("trace.html");

    if (page && strlen(page) < TRACE_LIMIT)
        json_object_set_new(event, "trace", json_string(page));
}

/* --- Compile ---------------------------------------------------------------------------------- */

/* What a changed copy of a step is compiled with, as cmake/AddStep.cmake has it. */
static const char *const *options_of(const struct work *work, const struct step *step)
{
    static const char *const bases[] = {STEP_BASES};
    const char *checkout = work->practice.checkout, *build = work->practice.build;
    struct texts options = {0};

    texts_add(&options, text_format("-I%s/%s", checkout, step->chapter));
    texts_add(&options, text_format("-I%s/common", checkout));
    texts_add(&options, text_format("-I%s/base", checkout));
    texts_add(&options, text_format("-DSTEP_CHAPTER=\"%s\"", step->chapter));
    texts_add(&options, text_format("-DSTEP_NAME=\"%s\"", step->name));
    texts_add(&options, "-DSTEP_TITLE=\"changed\"");
    texts_add(&options, text_format("-DSTEP_MINIMUM=%d", step->minimum));
    texts_add(&options, text_format("%s/%s/lib%s.a", build, step->chapter, step->chapter));
    texts_add(&options, text_format("%s/common/libcommon.a", build));
    for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++)
        texts_add(&options, text_format("%s/base/lib%s.a", build, bases[i]));
    texts_add(&options, "-ljansson");
    texts_add(&options, STEP_LIBRARIES);
    return (const char *const *)options.list;
}

/* Compile the text to `program`. Returns its compute capability; 0 after the event that says why
 * not. */
static int compile(struct work *work, const struct step *step, const char *name,
                   const char *program)
{
    struct practice *practice = &work->practice;
    char *path = text_format("%s/%s", work->folder, name), *said;

    if (!file_write(path, work_text(work, "source"))) {
        work_fail(work, "cannot write the program");
        return 0;
    }
    work_phase("compiling");
    practice->limits = &compiler_limits;
    practice->options = step ? options_of(work, step) : NULL;
    const int capability = own_build(practice, name, program, &said);
    cell_clear();
    if (said && *said) {
        text_clean_lines(said);
        work_emit(json_pack("{s:s, s:b, s:s, s:o}", "event", capability ? "warnings" : "compile",
                            "failed", !capability, "text", said, "marks",
                            work_marks(work, said, name)));
    } else if (!capability) {
        work_fail(work, "nvcc did not compile it");
    }
    return capability;
}

/* --- Runs ------------------------------------------------------------------------------------- */

/* The step that the request names, or NULL. */
static const struct step *step_of(struct work *work)
{
    static struct manifest manifest;
    const char *name = work_text(work, "step"), *slash = strchr(name, '/');

    if (!slash || !manifest_read(&manifest, work->practice.build))
        return NULL;
    const struct step *step =
        manifest_step(&manifest, text_format("%.*s", (int)(slash - name), name), slash + 1);
    if (step && !work->practice.gpu)
        work->practice.gpu = manifest_shown_on(&manifest, step);
    return step;
}

static void run_step(struct work *work, const struct step *step)
{
    const bool trace = work_flag(work, "trace");
    struct texts arguments = {0};

    if (step->sizes)
        add_sizes(work, &arguments);
    texts_add(&arguments, "--json");
    work_phase("running");
    const char *program = text_format("%s/%s", work->practice.build, step->program);
    const char *gpu = work->practice.gpu;
    const struct ran ran = gpu && !strcmp(gpu, OWN_GPU)
                               ? measure(work, program, &arguments)
                               : emulate(work, program, false, gpu, &arguments, trace);
    json_t *event = event_of(work, &ran, text_format("%s.cu", step->name));
    if (trace)
        add_trace(event);
    translate_limits(work, event);
    work_emit(event);
}

/* A changed step beside the step itself: both results, and why one is faster. */
static void add_original(struct work *work, const struct step *step, const struct ran *ran,
                         const struct texts *arguments, json_t *event)
{
    const struct ran original =
        emulate(work, text_format("%s/%s", work->practice.build, step->program), false,
                work->practice.gpu, arguments, false);
    json_t *from = as_result(&original, step->name), *to = as_result(ran, "yours");

    json_object_set_new(from, "chapter", json_string(step->chapter));
    json_object_set_new(to, "chapter", json_string(step->chapter));
    json_object_set_new(event, "why", json_string(why_sentence(from, to, work->language)));
    json_object_set_new(event, "original", from);
}

static void run_program(struct work *work, const struct step *step)
{
    const char *name = step ? text_format("%s.cu", step->name) : "program.cu";
    const int capability = compile(work, step, name, "./program");
    const bool trace = work_flag(work, "trace");
    struct texts arguments = {0};

    if (!capability)
        return;
    if (step && step->sizes)
        add_sizes(work, &arguments);
    if (step)
        texts_add(&arguments, "--json");
    work_phase("running");
    const char *gpu = own_gpu(&work->practice, capability);
    const struct ran ran = emulate(work, "./program", true, gpu, &arguments, trace);
    json_t *event = event_of(work, &ran, name);
    if (trace)
        add_trace(event);
    if (step && child_succeeded(&ran.child))
        add_original(work, step, &ran, &arguments, event);
    translate_limits(work, event);
    translate_limits(work, json_object_get(event, "original"));
    work_emit(event);
}

void work_run(struct work *work)
{
    const bool program = !strcmp(work_text(work, "kind"), "program");
    const struct step *step = *work_text(work, "step") ? step_of(work) : NULL;

    if (!step && (!program || *work_text(work, "step")))
        work_fail(work, "no such step");
    else if (program)
        run_program(work, step);
    else
        run_step(work, step);
}

/* --- A chapter's ladder ----------------------------------------------------------------------- */

void work_ladder(struct work *work)
{
    const struct practice *practice = &work->practice;
    struct manifest manifest;
    struct texts command = {0};

    if (!manifest_read(&manifest, practice->build)) {
        work_fail(work, "no such chapter");
        return;
    }
    texts_add(&command, text_format("%s/tools/tour", practice->build));
    texts_add(&command, text_format("--build=%s", practice->build));
    texts_add(&command, text_format("--checkout=%s", practice->checkout));
    texts_add(&command, "--on=emulator");
    texts_add(&command, "--html=ladder.html");
    if (practice->gpu)
        texts_add(&command, text_format("--gpu=%s", practice->gpu));
    texts_add(&command, "run");
    for (int i = 0; i < manifest.step_count; i++)
        if (!strcmp(manifest.steps[i].chapter, work_text(work, "step")))
            texts_add(&command, manifest_name(manifest.steps[i].chapter, manifest.steps[i].name));
    work_phase("running");
    const struct child child = work_child(command.list, false);
    char *page = file_read("ladder.html");
    if (page)
        work_emit(json_pack("{s:s, s:s}", "event", "ladder", "trace", page));
    else
        work_fail(work, text_format("no ladder: %s", child.streams[0]));
}
