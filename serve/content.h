/* SPDX-License-Identifier: MIT */
/* What there is to read. All of it is looked up by name in tables made at the start: no request
 * becomes a path. */
#ifndef CONTENT_H
#define CONTENT_H

#include <jansson.h>
#include <stddef.h>

#include "manifest.h"
#include "translate.h"

/* A file that is served as it is. */
struct asset {
    char *name; /* as asked for: "/static/main.js", "/docs/figures/tree.svg" */
    const char *type;
    char *data;
    size_t size;
    char tag[24]; /* changes when the data does */
};

struct content {
    const char *checkout, *build;
    struct asset *assets;
    int asset_count;
    struct manifest manifest;
    char *chapters; /* JSON */
    json_t *steps; /* by name: what content_step() made */
};

/* False after a line on stderr. */
bool content_read(struct content *content, const char *checkout, const char *build);

const struct asset *content_asset(const struct content *content, const char *name);

/* A page as HTML, to be freed: of "docs/sumsq.md" in that language, or NULL. */
char *content_page(const struct content *content, const char *name);
/* A puzzle's statement up to its hints as HTML, and its hints, the first `hints` of them. NULL
 * where there is no such puzzle. */
json_t *content_puzzle(const struct content *content, const char *name, enum language language,
                       int hints);
/* The file of a puzzle as it is given, to be freed; NULL where there is no such puzzle. */
char *content_given(const struct content *content, const char *name);
/* All puzzles: an array of {name, title, zh, group}. */
json_t *content_puzzles(const struct content *content);

/* A step: its source, its options, the step before it and what changed; or NULL. */
const json_t *content_step(struct content *content, const char *name);

#endif
