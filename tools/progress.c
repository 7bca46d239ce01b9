/* SPDX-License-Identifier: MIT */
#include "progress.h"

#include <stdlib.h>

#include "text.h"

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
        .total = count_selected(manifest),
    };
}

void progress_next(struct progress *progress, const struct step *step)
{
    progress->step = step;
    progress->number++;
    progress_show(progress, 0);
}

void progress_show(void *self, double seconds)
{
    const struct progress *progress = self;
    char *line, *fitted;

    if (!progress->live)
        return;
    line = text_format("[%d/%d] %s/%s%s%s  %.1f s", progress->number, progress->total,
                       progress->step->chapter, progress->step->name, progress->what ? ", " : "",
                       progress->what ? progress->what : "", seconds);
    fitted = text_fit(line, progress->style.width - 1, style_ellipsis(&progress->style));
    fprintf(stderr, "\r\033[K%s", fitted);
    fflush(stderr);
    free(fitted);
    free(line);
}

void progress_end(const struct progress *progress)
{
    if (progress->live)
        fputs("\r\033[K", stderr);
}
