/* SPDX-License-Identifier: MIT */
#include "picture.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpus/coalesce.h"
#include "text.h"

enum { BANKS = 32, WORD_BYTES = 4, SHOWN_WIDTH = 44 };

static const struct {
    const char *counter;
    enum ptx_space space;
    enum access_kind kind;
} requests[] = {
    {"global_load", PTX_GLOBAL, ACCESS_LOAD},     {"global_store", PTX_GLOBAL, ACCESS_STORE},
    {"global_atomic", PTX_GLOBAL, ACCESS_ATOMIC}, {"shared_load", PTX_SHARED, ACCESS_LOAD},
    {"shared_store", PTX_SHARED, ACCESS_STORE},   {"local_load", PTX_LOCAL, ACCESS_LOAD},
};

enum { REQUESTS = sizeof(requests) / sizeof(requests[0]) };

static bool is_about(const struct picture *picture, const char *counter)
{
    return !strncmp(picture->counter, counter, strlen(counter));
}

void picture_start(struct picture *picture, const char *prediction)
{
    *picture = (struct picture){.counter = prediction};
    picture->brackets = strstr(prediction, "sectors")      ? "share a sector"
                        : strstr(prediction, "wavefronts") ? "share a bank"
                        : is_about(picture, "divergent")   ? "go the same way"
                                                           : "come together";
}

/* --- Lanes ------------------------------------------------------------------------------------ */

/* "[0-7 9]" for a set of lanes. */
static void print_lanes(FILE *file, uint32_t lanes)
{
    const char *before = "[";

    for (int lane = 0; lane < WARP_SIZE; lane++) {
        int last = lane;
        if (!(lanes >> lane & 1))
            continue;
        while (last + 1 < WARP_SIZE && lanes >> (last + 1) & 1)
            last++;
        fprintf(file, last > lane ? "%s%d-%d" : "%s%d", before, lane, last);
        before = " ";
        lane = last;
    }
    fputc(']', file);
}

/* Adds a request to the row that looks like it. */
static void add(struct picture *picture, const char *text)
{
    int i = 0;

    while (i < picture->row_count && strcmp(picture->rows[i].text, text) != 0)
        i++;
    if (i == PICTURE_ROWS) {
        picture->others++;
        return;
    }
    if (i == picture->row_count)
        snprintf(picture->rows[picture->row_count++].text, PICTURE_WIDTH, "%s", text);
    picture->rows[i].times++;
}

/* Draws a request: lanes with equal keys in one pair of brackets, and behind them what it counts
 * for, `count` or the number of brackets. */
static void draw(struct picture *picture, uint32_t lanes, const uint64_t *keys, int count,
                 const char *unit)
{
    char *text;
    FILE *file = text_open(&text);
    int groups = 0;
    bool cut = false;

    for (uint32_t left = lanes; left; groups++) {
        const uint64_t key = keys[__builtin_ctz(left)];
        uint32_t group = 0;
        for (int lane = 0; lane < WARP_SIZE; lane++)
            group |= (left >> lane & 1 && keys[lane] == key ? 1u : 0) << lane;
        left &= ~group;
        if (ftell(file) < SHOWN_WIDTH || !left) {
            print_lanes(file, group);
            fputc(' ', file);
        } else if (!cut) {
            fputs("... ", file);
            cut = true;
        }
    }
    count = count ? count : groups;
    fprintf(file, "= %d %s%s", count, unit,
            count == 1                      ? ""
            : unit[strlen(unit) - 1] == 's' ? "es"
                                            : "s");
    fclose(file);
    add(picture, text);
    free(text);
}

/* --- Events ----------------------------------------------------------------------------------- */

static void on_access(void *self, const struct access_event *event)
{
    struct picture *picture = self;
    const bool sectors = strstr(picture->counter, "sectors"),
               banks = strstr(picture->counter, "wavefronts");
    uint64_t keys[WARP_SIZE] = {0};
    size_t i = 0;

    while (i < REQUESTS && (!is_about(picture, requests[i].counter) ||
                            requests[i].space != event->space || requests[i].kind != event->kind))
        i++;
    if (i == REQUESTS)
        return;
    for (int lane = 0; lane < WARP_SIZE; lane++)
        if (event->lanes >> lane & 1)
            keys[lane] = sectors ? event->addresses[lane] / SECTOR_BYTES
                         : banks ? event->addresses[lane] / WORD_BYTES % BANKS
                                 : 0;
    draw(picture, event->lanes, keys,
         banks ? (int)bank_wavefronts(BANKS, WARP_SIZE, event->kind == ACCESS_LOAD, event->lanes,
                                      event->addresses, event->bytes)
                     .total
               : 0,
         sectors ? "sector"
         : banks ? "pass"
                 : "request");
}

static void on_branch(void *self, const struct branch_event *event)
{
    struct picture *picture = self;
    uint64_t ways[WARP_SIZE];

    for (int lane = 0; lane < WARP_SIZE; lane++)
        ways[lane] = event->taken >> lane & 1;
    if (is_about(picture, "divergent") && event->taken && event->taken != event->active)
        draw(picture, event->active, ways, 1, "divergent branch");
}

static void on_barrier(void *self, const struct barrier_event *event)
{
    static const uint64_t together[WARP_SIZE];

    if (is_about(self, "barriers") && !event->of_warp)
        draw(self, event->lanes, together, 1, "arrival");
}

struct observer picture_observer(struct picture *picture)
{
    return (struct observer){
        .self = picture, .access = on_access, .branch = on_branch, .barrier = on_barrier};
}

char *picture_text(const struct picture *picture)
{
    char *text;
    FILE *file = text_open(&text);

    if (picture->row_count)
        fprintf(file, ". Lanes in brackets %s:", picture->brackets);
    for (int i = 0; i < picture->row_count; i++)
        fprintf(file, "\n  %6u x %s", picture->rows[i].times, picture->rows[i].text);
    if (picture->others)
        fprintf(file, "\n  %6u others", picture->others);
    fclose(file);
    return text;
}
