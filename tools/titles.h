/* SPDX-License-Identifier: MIT */
/* What chapters and steps are called, in both languages. */
#ifndef TITLES_H
#define TITLES_H

#include <jansson.h>

#include "manifest.h"
#include "words.h"

/* The title of a chapter: in English the manifest's; in Chinese the heading of its page, docs/zh
 * below `checkout`. Where there is none the English one. */
char *title_of_chapter(const struct manifest *manifest, const char *checkout, const char *chapter,
                       enum language language);

/* The title of a step: in English the result's; in Chinese the manifest's, or else that of the
 * section about it in the chapter's page, "## v3：..." of v3_coalesced. Where there is none the
 * English one. */
char *title_of_step(const struct manifest *manifest, const char *checkout, const json_t *result,
                    enum language language);

/* `results` with these titles of steps. */
json_t *titles_in(enum language language, const struct manifest *manifest, const char *checkout,
                  const json_t *results);

#endif
