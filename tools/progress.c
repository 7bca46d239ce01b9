/* SPDX-License-Identifier: MIT */
#include "progress.h"

#include <math.h>

#include "child.h"
#include "text.h"

enum { LINE_EVERY = 5 }; /* seconds, where no line can be written anew */

static int count_selected(const struct manifest *manifest)
{
    int count = 0;

    for (int i = 0; i < manifest->step_count; i++)
        count += manifest->steps[i].selected;
    return count;
}

struct progress progress_new(const struct manifest *manifest)
{
    return (struct progress){
        .style = style_for(stderr, false),
        .live = is_screen(stderr),
        .manifest = manifest,
        .begin = child_clock(),
        .said = child_clock(),
        .total = count_selected(manifest),
    };
}

void progress_next(struct progress *progress, const struct step *step)
{
    progress->step = step;
    progress->number++;
    progress->since = child_clock();
    progress_show(progress, 0);
}

void progress_waited(struct progress *progress)
{
    progress->begin += child_clock() - progress->since;
}

/* About how long it all still takes, `seconds` into the step, at the pace of the steps before it,
 * and of this one once it takes longer than it should: so it has its effect little by little, and
 * the next one does not begin with a surprise. NAN: nobody knows, as while a step is waited for. */
static double time_left(const struct progress *progress, double seconds)
{
    enum { ENOUGH = 10 }; /* seconds that tell of the pace */
    const struct manifest *manifest = progress->manifest;
    const struct step *end = manifest->steps + manifest->step_count;
    const double here = manifest_seconds(manifest, progress->step);
    const double taken = child_clock() - progress->begin;
    double before = 0, later = 0, pace;

    if (!progress->foreseen || progress->what)
        return NAN;
    for (const struct step *step = manifest->steps; step < end; step++)
        if (step->selected && step != progress->step)
            *(step < progress->step ? &before : &later) += manifest_seconds(manifest, step);
    pace = before < ENOUGH ? 1 : (taken - seconds) / before;
    if (fmax(before + here, taken) >= ENOUGH)
        pace = fmax(pace, taken / (before + here));
    return pace * later + fmax(pace * here - seconds, 0);
}

/* Behind what runs: "", or about how long it all still takes. */
static char *words_left(const struct progress *progress, double seconds)
{
    enum { MINUTE = 60, COARSE = 10 };
    const double left = time_left(progress, seconds);

    if (isnan(left) || left <= 0) /* the last step is overdue */
        return copy_text("");
    if (left > 2 * MINUTE)
        return text_format(", about %.0f min left", left / MINUTE);
    return text_format(", about %.0f s left", COARSE * fmax(ceil(left / COARSE), 1));
}

void progress_show(void *self, double seconds)
{
    struct progress *progress = self;
    const struct step *step = progress->step;

    if (!progress->live && child_clock() - progress->said < LINE_EVERY)
        return;
    progress->said = child_clock();
    style_progress(
        &progress->style,
        text_format("[%d/%d] %s%s%s  %.1f s%s%s%s", progress->number, progress->total,
                    manifest_name(step->chapter, step->name), progress->what ? ", " : "",
                    progress->what ? progress->what : "", seconds, progress->beside ? ", " : "",
                    progress->beside ? progress->beside : "", words_left(progress, seconds)));
}
