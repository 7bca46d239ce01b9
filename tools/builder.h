/* SPDX-License-Identifier: MIT */
/* Build the selected steps, chapter after chapter, while those of the chapters before run. */
#ifndef BUILDER_H
#define BUILDER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "manifest.h"

struct builder {
    const struct manifest *manifest;
    const char
        *folder; /* the build folder, whose tour.log takes what the build of a chapter says */
    const char *make; /* Ninja or make; NULL: there is nothing to build */
    int64_t jobs;
    int next; /* steps before this one are built, or under way */
    int built; /* steps before this one are built */
    pid_t pid; /* of what builds now; 0: nothing does */
    bool failed; /* one build did: there is no other */
};

/* Signals must be held (child.h) from here to builder_end(). */
struct builder builder_new(const struct manifest *manifest, const char *folder, const char *make,
                           int64_t jobs);

/* Look how the build fares; where that of a chapter has ended, begin with the next. */
void builder_look(struct builder *builder);

/* Is the step there to be run? */
bool builder_has(const struct builder *builder, const struct step *step);

/* What is being built and how far that is, as "building sumsq [3/20]"; NULL: nothing. */
char *builder_says(const struct builder *builder);

/* End what builds. */
void builder_end(struct builder *builder);

#endif
