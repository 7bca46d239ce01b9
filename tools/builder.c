/* SPDX-License-Identifier: MIT */
#include "builder.h"

#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "text.h"

enum { TAIL = 4096 };

struct builder builder_new(const struct manifest *manifest, const char *folder, const char *make,
                           int64_t jobs)
{
    const int there = make ? 0 : manifest->step_count;

    return (struct builder){.manifest = manifest,
                            .folder = folder,
                            .make = make,
                            .jobs = jobs,
                            .next = there,
                            .built = there};
}

static char *log_of(const struct builder *builder)
{
    return text_format("%s/tour.log", builder->folder);
}

/* Add the targets of the steps from `next` on that are of its chapter and selected; those of the
 * chapter are passed. */
static void add_targets(struct builder *builder, struct texts *command)
{
    const struct step *steps = builder->manifest->steps;
    const char *chapter = steps[builder->next].chapter;

    for (; builder->next < builder->manifest->step_count; builder->next++) {
        const struct step *step = &steps[builder->next];

        if (strcmp(step->chapter, chapter) != 0)
            break;
        if (step->selected)
            texts_add(command, text_format("%s_%s", step->chapter, step->name));
    }
}

/* Begin with the next chapter of which a step is selected. Ninja itself, and not CMake in front of
 * it: a signal to end reaches what does the work. */
static void start_next(struct builder *builder)
{
    struct texts command = {0};

    texts_add(&command, builder->make);
    texts_add(&command, "-C");
    texts_add(&command, builder->folder);
    texts_add(&command, text_format("-j%lld", (long long)builder->jobs));
    const size_t before = command.count;
    while (command.count == before && builder->next < builder->manifest->step_count)
        add_targets(builder, &command);
    if (command.count == before)
        builder->built = builder->next;
    else
        builder->pid = child_start(command.list, log_of(builder));
    builder->failed = builder->pid < 0;
}

void builder_look(struct builder *builder)
{
    int status;

    if (builder->pid > 0 && waitpid(builder->pid, &status, WNOHANG) == builder->pid) {
        builder->pid = 0;
        builder->failed = !WIFEXITED(status) || WEXITSTATUS(status) != 0;
        if (!builder->failed)
            builder->built = builder->next;
    }
    if (builder->pid == 0 && !builder->failed && builder->built < builder->manifest->step_count)
        start_next(builder);
}

bool builder_has(const struct builder *builder, const struct step *step)
{
    return step - builder->manifest->steps < builder->built;
}

/* How far the build is by its own words, "[3/20]" or "[ 15%]", which begin a line of the log; NULL:
 * it has not said. */
static char *how_far(const struct builder *builder)
{
    char tail[TAIL + 1], *found = NULL;
    const int file = open(log_of(builder), O_RDONLY | O_CLOEXEC);
    ssize_t length = 0;

    if (file >= 0) {
        if (lseek(file, -TAIL, SEEK_END) < 0)
            lseek(file, 0, SEEK_SET);
        length = read(file, tail, TAIL);
        close(file);
    }
    tail[length > 0 ? length : 0] = '\0';
    for (char **line = text_lines(tail); *line; line++)
        if (**line == '[' && strchr(*line, ']'))
            found = *line;
    return found ? text_format("%.*s", (int)(strchr(found, ']') - found + 1), found) : NULL;
}

char *builder_says(const struct builder *builder)
{
    char *far;

    if (builder->pid <= 0)
        return NULL;
    far = how_far(builder);
    return text_format("building %s%s%s", builder->manifest->steps[builder->next - 1].chapter,
                       far ? " " : "", far ? far : "");
}

void builder_end(struct builder *builder)
{
    if (builder->pid > 0)
        child_end(builder->pid);
    builder->pid = 0;
}
