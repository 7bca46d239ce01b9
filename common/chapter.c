/* SPDX-License-Identifier: MIT */
#include "common.h"

#include <stdio.h>

/* Read the command line and find the device. Returns -1 to go on, else the exit code. */
static int start(int argc, char **argv, const struct chapter *chapter, struct session *session)
{
    const int64_t modelled = chapter->options.size.modelled;
    struct options *options = &session->options;
    int code = options_parse(argc, argv, &chapter->options, options);

    if (code < 0 && chapter->look)
        code = chapter->look(chapter->self, options);
    if (code >= 0)
        return code;
    code = chapter->cpu ? use_cpu((int)options->device, &session->device)
                        : InitCUDA((int)options->device, session->step.minimum, &session->device);
    if (code)
        return code;
    if (session->device.sampled)
        options->check = false;
    if (!options->check && options->all_sizes)
        return options_refuse("--all-sizes checks results, and nothing is to be checked");
    if (session->device.modelled && modelled && options->check && !options->n_given)
        options->n = modelled;
    /* What poison leaves in L2 belongs to the time of a whole run, and so to a sample's. */
    options->poison = options->poison && (options->check || session->device.sampled);
    return -1;
}

/* One size of one variant, from input to report. Returns the exit code. */
static int measure_variant(const struct chapter *chapter, const struct session *session)
{
    struct measurement measurement;
    int code = chapter->refuse(chapter->self, session);

    if (code >= 0)
        return code;
    measurement = chapter->measure(chapter->self, session);
    if (!session->options.check)
        measurement.verdict = compare_nothing();
    code = chapter->report ? chapter->report(chapter->self, session, &measurement)
                           : report(session, &measurement);
    measurement_free(&measurement);
    return code;
}

/* One size of all variants. Returns the worst exit code. */
static int measure(const struct chapter *chapter, const struct session *session)
{
    struct chapter_variants *variants = chapter->variants;
    int worst = EXIT_MATCH;

    if (!variants)
        return measure_variant(chapter, session);
    for (int i = variants->first; i < variants->end && worst <= EXIT_MISMATCH; i++) {
        int code;

        variants->now = i;
        code = measure_variant(chapter, session);
        worst = code > worst ? code : worst;
    }
    return worst;
}

/* One size with every value of chapter->each. Returns the worst exit code. */
static int measure_each(const struct chapter *chapter, const struct session *session)
{
    const struct option_row *each = chapter->each;
    const uint64_t some = session->device.modelled ? chapter->modelled_each : 0;
    int worst = EXIT_MATCH;

    if (!each)
        return measure(chapter, session);
    for (int64_t value = each->min; value <= each->max && worst <= EXIT_MISMATCH; value++) {
        int code;

        if (some && !(some >> value & 1))
            continue;
        *each->value = value;
        code = measure(chapter, session);
        worst = code > worst ? code : worst;
    }
    return worst;
}

static int all_sizes(const struct chapter *chapter, struct session session)
{
    const bool fewer = session.device.modelled && chapter->modelled_count;
    const size_t count = fewer ? chapter->modelled_count : chapter->size_count;
    int worst = EXIT_MATCH;

    if (session.options.runs == OPTIONS_RUNS_UNSET)
        session.options.runs = 1;
    for (size_t i = 0; i < count && worst <= EXIT_MISMATCH; i++) {
        int code;

        session.options.n = chapter->sizes[i];
        code = measure_each(chapter, &session);
        worst = code > worst ? code : worst;
    }
    return worst;
}

int64_t chapter_wave_blocks(const struct chapter_wave *wave, const struct session *session)
{
    int blocks;

    if (!wave->kernel)
        return 1;
    CHECK(cudaFuncSetAttribute(wave->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               (int)wave->shared_bytes));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, wave->kernel, wave->threads,
                                                        wave->shared_bytes));
    return (int64_t)session->device.multiprocessors * blocks;
}

int chapter_run(int argc, char **argv, struct step step, const struct chapter *chapter)
{
    struct session session = {.step = step};
    int code = start(argc, argv, chapter, &session);

    if (code >= 0)
        return code;
    code = session.options.all_sizes ? all_sizes(chapter, session) : measure(chapter, &session);
    if (chapter->wrong && code <= EXIT_MISMATCH) {
        fprintf(stderr, "%s: wrong on purpose, whatever this run says: %s\n", step.name,
                chapter->wrong);
        return EXIT_MATCH;
    }
    return code;
}
