/* SPDX-License-Identifier: MIT */
/* Why is one step faster than another? One sentence, made from what was counted of both. */
#ifndef WHY_H
#define WHY_H

#include <stdbool.h>
#include <jansson.h>

#include "words.h"

/* A sentence that says how much faster or slower `to` is than `from` and why: the counters whose
 * change weighs most, and the limit that moved. Where the two cannot be compared it says that, and
 * why. The English one is plain ASCII but for what steps say themselves. */
char *why_sentence(const json_t *from, const json_t *to, enum language language);

/* A figure that changed, and by how much. */
struct why_figure {
    const char *name;
    double from, to;
};

/* The counters whose change weighs most, at most two, as the sentence ranks them; their count. */
int why_figures(const json_t *from, const json_t *to, struct why_figure figures[2]);

/* A sentence on whether `to` has what `from` needed to take 10 % less time, as the model had it of
 * its main kernel; NULL where none says. */
char *why_tenth(const json_t *from, const json_t *to, enum language language);

/* Whether the times of both say something about each other. */
bool why_comparable(const json_t *from, const json_t *to);

#endif
