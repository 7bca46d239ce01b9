/* SPDX-License-Identifier: MIT */
/* Which chapters and steps there are: build/<preset>/manifest.jsonl. */
#ifndef MANIFEST_H
#define MANIFEST_H

#include <stdbool.h>
#include <jansson.h>

struct step {
    const char *chapter, *name, *title;
    const char *chinese; /* its title in Chinese; NULL: the chapter's page has it */
    const char *article; /* the figure its source prints, or "" */
    const char *shown_on; /* the GPU to emulate for it; "" or NULL: that of its chapter */
    int minimum; /* compute capability that it needs, as in 75 */
    const char *program, *source; /* below the build folder; below the checkout */
    bool sizes; /* it has --n */
    bool racy; /* wrong by a race, on purpose */
    bool own; /* a program of one's own: no report, no options of ours */
    json_t *check_size; /* arguments: the size to check it at, or all of one's own; may hold none */
    bool selected; /* to be run; false until someone asks for it */
};

struct chapter {
    const char *name, *title;
    const char *shown_on; /* the GPU to emulate for it, or "": the emulator's own choice */
    double seconds; /* about how long its steps take on the emulator, on two cores */
};

struct manifest {
    struct chapter *chapters;
    int chapter_count;
    struct step *steps;
    int step_count;
};

/* Read `build`/manifest.jsonl, no step selected. Returns false after one line on stderr that names
 * file, line and what is wrong. */
bool manifest_read(struct manifest *manifest, const char *build);

/* The step "chapter/name", or NULL after one line on stderr. */
struct step *manifest_find(struct manifest *manifest, const char *name);

/* "chapter/step"; a program of one's own, whose chapter is ".", by its path. */
char *manifest_name(const char *chapter, const char *step);

/* The step of a chapter, or NULL. */
const struct step *manifest_step(const struct manifest *manifest, const char *chapter,
                                 const char *name);

/* The GPU to emulate for a step; NULL: the emulator's own choice. */
const char *manifest_shown_on(const struct manifest *manifest, const struct step *step);

/* About how long a step takes: its share of its chapter's seconds. */
double manifest_seconds(const struct manifest *manifest, const struct step *step);

/* The title of a chapter; its name where it has none. */
const char *manifest_title(const struct manifest *manifest, const char *chapter);

#endif
