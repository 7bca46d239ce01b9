/* SPDX-License-Identifier: MIT */
#include "slides.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "changes.h"
#include "child.h"
#include "diff.h"
#include "ladder.h"
#include "results.h"
#include "table.h"
#include "text.h"
#include "titles.h"
#include "why.h"

enum { CONTEXT = 1, ROWS = 30, TALL = 26, ESCAPE_MS = 50, LOOK_MS = 200 };
enum { NAME_WIDTH = 22, VALUE_WIDTH = 14, MOST_NUMBERS = 3 };

enum key { KEY_NONE, KEY_AWAITED, KEY_ON, KEY_BACK, KEY_FIRST, KEY_LAST, KEY_RUN, KEY_QUIT };

/* --- The terminal ----------------------------------------------------------------------------- */

static struct termios usual; /* the terminal as we found it */
static bool taken; /* and it is not so now */

bool slides_possible(void)
{
    if (isatty(STDIN_FILENO) && is_screen(stdout))
        return true;
    complain("slides need a terminal: a screen, and keys to go on and back");
    return false;
}

static void give_back_terminal(void)
{
    if (!taken)
        return;
    taken = false;
    fputs("\033[0m\033[?25h\033[?1049l", stdout); /* colours, cursor, the screen of before */
    fflush(stdout);
    tcsetattr(STDIN_FILENO, TCSADRAIN, &usual);
}

/* Keys come one by one and unseen. Ctrl-C still interrupts; Ctrl-Z would leave a strange screen. */
static void take_terminal(void)
{
    struct termios keys;

    if (tcgetattr(STDIN_FILENO, &usual) != 0)
        return;
    keys = usual;
    keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    keys.c_cc[VMIN] = 1;
    keys.c_cc[VTIME] = 0;
    keys.c_cc[VSUSP] = _POSIX_VDISABLE;
    taken = true;
    atexit(give_back_terminal);
    tcsetattr(STDIN_FILENO, TCSADRAIN, &keys);
    fputs("\033[?1049h\033[?25l", stdout);
}

/* --- Keys ------------------------------------------------------------------------------------- */

/* The next byte; -1 after `milliseconds` or an interrupt, -2 at the end. */
static int next_byte(int milliseconds)
{
    unsigned char byte;

    if (!child_await_input(STDIN_FILENO, milliseconds))
        return -1;
    return read(STDIN_FILENO, &byte, 1) == 1 ? byte : -2;
}

/* Arrows and keys for pages send an escape character and what is here; ESC O is as ESC [. */
static const struct {
    const char *bytes;
    enum key key;
} keys[] = {
    {" ", KEY_ON},      {"\n", KEY_ON},   {"\r", KEY_ON},     {"n", KEY_ON},     {"[C", KEY_ON},
    {"[B", KEY_ON},     {"[6~", KEY_ON},  {"\177", KEY_BACK}, {"\b", KEY_BACK},  {"p", KEY_BACK},
    {"b", KEY_BACK},    {"[D", KEY_BACK}, {"[A", KEY_BACK},   {"[5~", KEY_BACK}, {"[H", KEY_FIRST},
    {"[1~", KEY_FIRST}, {"[F", KEY_LAST}, {"[4~", KEY_LAST},  {"r", KEY_RUN},    {"q", KEY_QUIT},
    {"\4", KEY_QUIT}, /* Ctrl-D */
};

/* The next key, if one comes soon. */
static enum key next_key(void)
{
    int byte = next_byte(LOOK_MS);
    char bytes[4] = {(char)byte};

    if (byte < 0)
        return byte == -1 ? KEY_AWAITED : KEY_QUIT;
    if (byte == '\033') {
        byte = next_byte(ESCAPE_MS);
        if (byte == -1) /* the key itself */
            return KEY_QUIT;
        bytes[0] = (char)(byte == 'O' ? '[' : byte);
        if (bytes[0] != '[')
            return KEY_NONE;
        bytes[1] = (char)next_byte(ESCAPE_MS);
        if (bytes[1] >= '0' && bytes[1] <= '9')
            bytes[2] = (char)next_byte(ESCAPE_MS);
    }
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (!strcmp(keys[i].bytes, bytes))
            return keys[i].key;
    return KEY_NONE;
}

/* --- A slide ---------------------------------------------------------------------------------- */

struct show {
    json_t *steps;
    struct timespec *began; /* the run of each */
    struct manifest *manifest;
    const struct runner *runner;
    const char *checkout;
    struct style style; /* of the screen as it was drawn last */
};

static struct style screen_style(void)
{
    struct style style = style_for(stdout, false);

    if (style.rows == 0)
        style.rows = ROWS;
    return style;
}

/* Has the screen another size than when it was drawn? */
static bool is_resized(const struct show *show)
{
    const struct style now = screen_style();

    return now.width != show->style.width || now.rows != show->style.rows;
}

static const json_t *result_at(const struct show *show, int index)
{
    return index < 0 ? NULL : json_array_get(show->steps, (size_t)index);
}

/* The step before in the same chapter, or NULL. */
static const json_t *before(const struct show *show, int index)
{
    const json_t *result = result_at(show, index), *earlier = result_at(show, index - 1);

    return earlier && !strcmp(result_text(earlier, "chapter"), result_text(result, "chapter"))
               ? earlier
               : NULL;
}

static struct step *step_of(const struct show *show, const json_t *result)
{
    return manifest_find(show->manifest, text_format("%s/%s", result_text(result, "chapter"),
                                                     result_text(result, "step")));
}

/* Has somebody written to its source since it ran? Then this is not what ran. */
static bool is_edited(const struct show *show, int index)
{
    const struct step *step = step_of(show, result_at(show, index));
    const struct timespec *began = &show->began[index];
    struct stat status;

    if (!step || stat(text_format("%s/%s", show->checkout, step->source), &status))
        return false;
    return status.st_ctim.tv_sec > began->tv_sec ||
           (status.st_ctim.tv_sec == began->tv_sec && status.st_ctim.tv_nsec > began->tv_nsec);
}

/* The result that does not go with what is shown, of this step or of the one before; or NULL. */
static const json_t *outdated(const struct show *show, int index)
{
    if (is_edited(show, index))
        return result_at(show, index);
    return before(show, index) && is_edited(show, index - 1) ? before(show, index) : NULL;
}

static void print_row(const struct show *show, enum tone tone, const char *text, FILE *file)
{
    tone_print(file, &show->style, tone,
               text_fit(text_in(show->style.language, text), show->style.width,
                        style_ellipsis(&show->style)));
    fputc('\n', file);
}

/* Which step it is, and why it is faster. */
static void print_top(const struct show *show, int index, FILE *file)
{
    const json_t *result = result_at(show, index), *earlier = before(show, index);
    const json_t *old = outdated(show, index);
    const enum language language = show->style.language;
    char *device = ladder_device(result, language), *sentence = NULL;
    char *place =
        say(language, SAY_SLIDE, result_text(result, "chapter"), text_format("%d", index + 1),
            text_format("%zu", json_array_size(show->steps)));

    print_row(show, TONE_STRONG,
              say(language, SAY_OUTCOME, result_text(result, "step"),
                  title_of_step(show->manifest, show->checkout, result, language)),
              file);
    print_row(show, TONE_DIM, device ? say(language, SAY_SLIDE_ON, place, device) : place, file);
    fputc('\n', file);
    if (old)
        sentence = say(language, SAY_EDITED, result_text(old, "step"));
    else if (earlier)
        sentence = why_sentence(earlier, result, language);
    else if (*result_text(result, "why"))
        sentence = text_in(language, text_format("%s: %s", result_text(result, "outcome"),
                                                 result_text(result, "why")));
    if (sentence) {
        text_clean(sentence);
        style_print_wrapped(sentence, file, &show->style);
        fputc('\n', file);
    }
}

/* The lines that changed, or of a first step its code, in so many rows. */
static void print_code(const struct show *show, int index, int rows)
{
    const struct step *step = step_of(show, result_at(show, index));
    const struct step *old = before(show, index) ? step_of(show, before(show, index)) : NULL;
    struct changes changes;

    if (!step || rows < 3 ||
        !changes_read(old ? text_format("%s/%s", show->checkout, old->source) : NULL,
                      text_format("%s/%s", show->checkout, step->source), CONTEXT, &changes))
        return;
    diff_print_changes(&changes, rows - 1, "", stdout, &show->style);
    fputc('\n', stdout);
}

/* --- Numbers with bars ------------------------------------------------------------------------ */

static char *number_text(double value, bool time)
{
    if (time)
        return text_time(value);
    return value >= 1000 && value == floor(value) ? text_count(value) : text_number(value);
}

/* A bar behind its step's name; in two rows where the screen is tall. */
static void print_bar(const struct show *show, const json_t *result, double part,
                      const char *number, enum tone tone, FILE *file)
{
    const int width = show->style.width - NAME_WIDTH - VALUE_WIDTH - 4;
    const int length = part > 0 && width > 0 ? (int)fmax(1, round(width * part)) : 0;
    char *name = text_fit(result_text(result, "step"), NAME_WIDTH, style_ellipsis(&show->style));
    char *bar = text_repeat(show->style.utf8 ? "█" : "#", length);

    fprintf(file, "  %*s%s  ", NAME_WIDTH - text_width(name), "", name);
    tone_print(file, &show->style, tone, bar);
    fputs("  ", file);
    tone_print(file, &show->style, TONE_STRONG, number);
    fputc('\n', file);
    if (show->style.rows >= TALL) {
        fprintf(file, "  %*s  ", NAME_WIDTH, "");
        tone_print(file, &show->style, tone, bar);
        fputc('\n', file);
    }
}

/* A number of this step below that of the one before, which is NaN where there is none. */
static void print_number(const struct show *show, int index, const struct why_figure *figure,
                         bool time, FILE *file)
{
    const double longest =
        fmax(fmax(figure->from, figure->to), 1e-300); /* fmax() passes a NaN by */

    print_row(show, TONE_PLAIN, figure->name, file);
    if (!isnan(figure->from))
        print_bar(show, before(show, index), figure->from / longest,
                  number_text(figure->from, time), TONE_DIM, file);
    print_bar(show, result_at(show, index), figure->to / longest, number_text(figure->to, time),
              TONE_BAR, file);
}

/* The first numbers of a step, at most so many. */
static void print_numbers(const struct show *show, int index, int most, FILE *file)
{
    const json_t *result = result_at(show, index), *earlier = before(show, index);
    const bool timed = !isnan(result_time(result));
    const struct why_figure time = {
        .name = result_modelled(result) ? "time (modelled)" : "time",
        .from = earlier && why_comparable(earlier, result) ? result_time(earlier) : NAN,
        .to = result_time(result)};
    struct why_figure figures[2];
    const int count = earlier && result_is_good(result) ? why_figures(earlier, result, figures) : 0;

    if (outdated(show, index))
        return;
    if (timed && most > 0)
        print_number(show, index, &time, true, file);
    for (int i = 0; i < count && i + timed < most; i++)
        print_number(show, index, &figures[i], false, file);
}

/* The last line: keys, or what is going on. */
static void print_foot(const struct show *show, const char *text)
{
    printf("\033[%d;1H\033[K", show->style.rows);
    tone_print(stdout, &show->style, TONE_DIM,
               text_fit(text_in(show->style.language, text), show->style.width - 1,
                        style_ellipsis(&show->style)));
    fflush(stdout);
}

static int rows_of(const char *text)
{
    int rows = 0;

    for (; *text; text++)
        rows += *text == '\n';
    return rows;
}

/* As many numbers as there is room for, and the code in what that leaves. */
static void draw(struct show *show, int index)
{
    char *top, *numbers;
    FILE *file = text_open(&top);
    int most = MOST_NUMBERS;

    show->style = screen_style();
    print_top(show, index, file);
    fclose(file);
    do {
        file = text_open(&numbers);
        print_numbers(show, index, most, file);
        fclose(file);
    } while (rows_of(top) + rows_of(numbers) >= show->style.rows && most-- > 0);
    printf("\033[H\033[2J%s", top);
    print_code(show, index, show->style.rows - rows_of(top) - rows_of(numbers) - 1);
    fputs(numbers, stdout);
    print_foot(show, show->style.utf8 ? "→ on   ← back   r run it now   q quit"
                                      : "Space on   b back   r run it now   q quit");
}

/* --- Live ------------------------------------------------------------------------------------ */

/* As the script does around a build: wait until no other tour works in this checkout. Returns what
 * to close in the end, or -1 where there are no locks. */
static int take_turns(const struct show *show)
{
    const int lock = open(show->checkout, O_RDONLY | O_CLOEXEC);

    while (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK &&
           !child_interrupted()) {
        print_foot(show, text_format("waiting for another tour in %s", show->checkout));
        child_await_input(-1, LOOK_MS);
    }
    return lock;
}

/* The result of a step that could not be built, by the first error in the log of the build. */
static json_t *unbuilt(const struct show *show, const struct step *step)
{
    const char *log = changes_text(text_format("%s/tour.log", show->runner->build));
    const char *error = "";

    for (char **line = text_lines(log ? log : ""); *line; line++) {
        const char *source = strstr(*line, step->source);

        error = source ? source : *line;
        if (strstr(error, " error"))
            break;
    }
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:n, s:n}", "chapter", step->chapter, "step",
                     step->name, "title", step->title, "article", step->article, "outcome",
                     outcome_name(OUTCOME_FAILED), "why",
                     text_format("it does not compile: %s", error), "report", "kernels");
}

/* Build and run one step again; its result takes the old one's place. */
static void run_again(struct show *show, int index)
{
    struct step *step = step_of(show, result_at(show, index));
    struct timespec began;
    json_t *results, *result;
    bool built;

    if (!step || child_interrupted())
        return;
    for (int i = 0; i < show->manifest->step_count; i++)
        show->manifest->steps[i].selected = false;
    step->selected = true;
    clock_gettime(CLOCK_REALTIME, &began);
    results = runner_run(show->runner, show->manifest, NULL, NULL, &built);
    result = built                 ? json_incref(results_find(results, step->chapter, step->name))
             : child_interrupted() ? NULL
                                   : unbuilt(show, step);
    if (!result)
        return;
    json_array_set_new(show->steps, (size_t)index, result);
    if (show->runner->make)
        show->began[index] = began;
}

/* The step, and the one before if that was edited, so that both are what is shown. */
static void run_live(struct show *show, int index)
{
    const int lock = take_turns(show);

    print_foot(show, "");
    if (before(show, index) && is_edited(show, index - 1))
        run_again(show, index - 1);
    run_again(show, index);
    if (lock >= 0)
        close(lock);
}

void slides_show(json_t *results, const struct timespec *began, struct manifest *manifest,
                 const struct runner *runner, const char *checkout)
{
    struct show show = {.steps = json_object_get(results, "steps"),
                        .manifest = manifest,
                        .runner = runner,
                        .checkout = checkout};
    const int count = (int)json_array_size(show.steps);
    int index = 0;

    show.began = allocate((size_t)count * sizeof(*show.began));
    for (int i = 0; i < count; i++)
        show.began[i] = *began;
    take_terminal();
    for (enum key key = KEY_NONE; key != KEY_QUIT && !child_interrupted();) {
        draw(&show, index);
        do
            key = next_key();
        while (key == KEY_AWAITED && !is_resized(&show) && !child_interrupted());
        if (key == KEY_ON && index + 1 < count)
            index++;
        else if (key == KEY_BACK && index > 0)
            index--;
        else if (key == KEY_FIRST)
            index = 0;
        else if (key == KEY_LAST)
            index = count - 1;
        else if (key == KEY_RUN)
            run_live(&show, index);
    }
    give_back_terminal();
}
