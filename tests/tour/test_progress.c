/* SPDX-License-Identifier: MIT */
/* What is said while steps run, where no line can be written anew. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../cmocka_main.h"
#include "manifest.h"
#include "progress.h"

static struct chapter chapters[] = {
    {.name = (char *)"quick", .title = (char *)"quick", .seconds = 40},
    {.name = (char *)"slow", .title = (char *)"slow", .seconds = 600},
};
static struct step steps[] = {
    {.chapter = (char *)"quick", .name = (char *)"q1", .selected = true},
    {.chapter = (char *)"quick", .name = (char *)"q2", .selected = true},
    {.chapter = (char *)"slow", .name = (char *)"s1", .selected = true},
    {.chapter = (char *)"slow", .name = (char *)"s2"},
};
static const struct manifest manifest = {chapters, 2, steps, 4};

/* What progress_show() says on stderr, a pipe, `seconds` into a step. */
static const char *said(struct progress *progress, double seconds)
{
    static char text[256];
    const int before = dup(STDERR_FILENO);
    int ends[2];
    ssize_t length;

    assert_int_equal(pipe(ends), 0);
    dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
    progress_show(progress, seconds);
    dup2(before, STDERR_FILENO);
    close(before);
    length = read(ends[0], text, sizeof(text) - 1);
    close(ends[0]);
    text[length] = '\0';
    return text;
}

static struct progress at(int step)
{
    struct progress progress = progress_new(&manifest);

    progress.live = false;
    for (int i = 0; i <= step; i++)
        progress_next(&progress, &steps[i]);
    return progress;
}

/* Lets seconds go by. */
static void pass(struct progress *progress, double seconds)
{
    progress->begin -= seconds;
    progress->said -= seconds;
}

TEST(test_every_few_seconds)
{
    struct progress progress = at(0);

    assert_string_equal(said(&progress, 0.5), "");
    pass(&progress, 4);
    assert_string_equal(said(&progress, 4), "");
    pass(&progress, 2);
    progress.what = "not built yet";
    progress.beside = "building quick [3/20]";
    assert_string_equal(said(&progress, 6),
                        "tour: [1/3] quick/q1, not built yet  6.0 s, building quick [3/20]\n");
    assert_string_equal(said(&progress, 6), "");
    pass(&progress, 6);
    assert_string_not_equal(said(&progress, 12), "");
}

/* The selected steps' shares of their chapters' seconds, at the pace of the steps before. */
TEST(test_time_left)
{
    struct progress progress = at(0);

    progress.foreseen = true;
    pass(&progress, 6);
    assert_string_equal(said(&progress, 6), "tour: [1/3] quick/q1  6.0 s, about 6 min left\n");
    progress.what = "not built yet"; /* nobody knows for how long */
    pass(&progress, 6);
    assert_string_equal(said(&progress, 12), "tour: [1/3] quick/q1, not built yet  12.0 s\n");
    progress = at(1);
    progress.foreseen = true;
    pass(&progress, 30);
    progress.since -= 30;
    progress_waited(&progress);
    pass(&progress, 42); /* q1 took 40 s, not 20 */
    assert_string_equal(said(&progress, 2), "tour: [2/3] quick/q2  2.0 s, about 11 min left\n");
    progress = at(2);
    progress.foreseen = true;
    pass(&progress, 302); /* both as long as foreseen */
    assert_string_equal(said(&progress, 262), "tour: [3/3] slow/s1  262.0 s, about 40 s left\n");
    pass(&progress, 98);
    assert_string_equal(said(&progress, 360), "tour: [3/3] slow/s1  360.0 s\n"); /* overdue */
}

/* A step that takes five times as long as it should changes the estimate while it runs, not when
 * the next one begins. */
TEST(test_no_jump)
{
    struct progress progress = at(1);

    progress.foreseen = true;
    pass(&progress, 40);
    assert_string_equal(said(&progress, 20), "tour: [2/3] quick/q2  20.0 s, about 5 min left\n");
    pass(&progress, 40);
    assert_string_equal(said(&progress, 60), "tour: [2/3] quick/q2  60.0 s, about 10 min left\n");
    pass(&progress, 40);
    assert_string_equal(said(&progress, 100), "tour: [2/3] quick/q2  100.0 s, about 15 min left\n");
    progress = at(2);
    progress.foreseen = true;
    pass(&progress, 120);
    assert_string_equal(said(&progress, 0), "tour: [3/3] slow/s1  0.0 s, about 15 min left\n");
}

/* Steps of a second each, of which one takes 30: the estimate does not stand still. */
TEST(test_of_seconds)
{
    struct progress progress;

    chapters[0].seconds = 2;
    chapters[1].seconds = 4;
    progress = at(0);
    progress.foreseen = true;
    pass(&progress, 6);
    assert_string_equal(said(&progress, 6), "tour: [1/3] quick/q1  6.0 s, about 10 s left\n");
    pass(&progress, 24);
    assert_string_equal(said(&progress, 30), "tour: [1/3] quick/q1  30.0 s, about 100 s left\n");
}

TEST_MAIN()
