/* SPDX-License-Identifier: MIT */
/* What a prediction is about, drawn: the requests that were counted, lane by lane. */
#ifndef PICTURE_H
#define PICTURE_H

#include "machine/observer.h"

enum { PICTURE_ROWS = 6, PICTURE_WIDTH = 100 };

struct picture {
    const char *counter; /* it begins with the name of one; NULL: nothing to draw */
    const char *brackets; /* what lanes in one pair of them do */
    struct {
        char text[PICTURE_WIDTH];
        unsigned times;
    } rows[PICTURE_ROWS];
    int row_count;
    unsigned others; /* requests unlike the rows' */
};

/* To watch one launch of one worker, for a prediction as in puzzle.h. */
void picture_start(struct picture *picture, const char *prediction);
struct observer picture_observer(struct picture *picture);

/* Lines behind a colon, each begun by a new line; "" where nothing was drawn. */
char *picture_text(const struct picture *picture);

#endif
