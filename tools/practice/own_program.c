/* SPDX-License-Identifier: MIT */
/* A whole program of one's own: compiled, run, checked and profiled, on one page. */
#include "practice.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "files.h"
#include "profile/progress.h"
#include "results.h"
#include "runner.h"
#include "text.h"
#include "words.h"

enum { COSTLY_LINES = 3, LAST_LINES = 3, FULL_WIDTH = 130 };
enum { SILENT = 1, LINE_EVERY = 5, GRACE = 3 }; /* seconds */

/* --- A sign of life -------------------------------------------------------------------------- */

/* What is said on stderr while a program runs: how far its kernel is. */
struct life {
    char *path; /* where the emulator says so */
    const struct progress_file *file; /* NULL: not yet */
    uint64_t launches; /* seen last */
    double since, said; /* when that launch was seen first, when we said so */
};

static char *words_of(struct life *life, double seconds)
{
    const struct progress_file *file = life->file;
    const double done = file ? (double)file->ended : 0, all = file ? (double)file->blocks : 0;

    if (!file || !file->launches)
        return text_format("running, %.0f s", seconds);
    if (file->launches != life->launches) {
        life->launches = file->launches;
        life->since = seconds;
    }
    const double left = done > 0 ? (seconds - life->since) * (all - done) / done : 0;
    char *text = text_format("running, %.0f s: %.*s, %.0f of %.0f blocks", seconds, PROGRESS_NAME,
                             file->kernel, done, all);
    return left >= 1 ? text_format("%s, about %.0f s left", text, left) : text;
}

static void show_life(void *self, double seconds)
{
    struct life *life = self;

    if (seconds < SILENT || (!is_screen(stderr) && seconds - life->said < LINE_EVERY))
        return;
    if (!life->file)
        life->file = progress_map(life->path, false);
    life->said = seconds;
    char *words = words_of(life, seconds);
    text_clean(words); /* the program may have written to that file, too */
    const struct style style = style_for(stderr, false);
    style_progress(&style, words);
}

/* --- Runs ------------------------------------------------------------------------------------ */

/* Run the program with its arguments, behind what stands in `command`. */
static struct child run(const struct practice *practice, struct texts command, const char *program)
{
    struct life life = {.path = text_format("%s/progress", practice->scratch)};
    const struct child_limits limits = {
        .seconds = (double)practice->timeout, .grace = GRACE, .tick = show_life, .self = &life};

    texts_add(&command, program);
    texts_add_all(&command, (const char *const *)practice->arguments);
    unlink(life.path);
    setenv("EMU_PROGRESS", life.path, 1);
    const struct child child = child_call(child_become, command.list, &limits);
    if (life.said > 0)
        style_wipe();
    return child;
}

/* Run it on the emulator, which writes `profile`, as in "json:FILE", and the file `trace` unless
 * that is NULL. Always under the checkers: without them a fault ends a kernel. */
static struct child emulate(const struct practice *practice, const char *gpu, const char *profile,
                            const char *trace, const char *program)
{
    const char *checks = practice->checks;
    struct texts command = {0};

    texts_add(&command, text_format("%s/emulator/emu", practice->build));
    texts_add(&command, text_format("--check=all%s%s", checks ? "," : "", checks ? checks : ""));
    texts_add(&command, text_format("--profile=%s", profile));
    if (gpu)
        texts_add(&command, text_format("--gpu=%s", gpu));
    if (trace)
        texts_add(&command, text_format("--trace=%s", trace));
    return run(practice, command, program);
}

/* --- The page -------------------------------------------------------------------------------- */

static void heading(const struct practice *practice, const char *text)
{
    putchar('\n');
    tone_print(stdout, &practice->style, TONE_STRONG, text_in(practice->style.language, text));
    putchar('\n');
}

/* What the program printed: the lines of `text` that are not the emulator's. What is too wide is
 * broken between words; the rest stays as it is, with its blanks. */
static void print_output(const struct practice *practice, const char *text)
{
    const int width = practice->style.width - 2;

    for (char **line = text_lines(text); *line; line++)
        if (emulator_says(*line))
            continue;
        else if (width > 0 && text_width(*line) > width)
            style_print_indented(*line, 2, TONE_PLAIN, stdout, &practice->style);
        else
            printf("  %s\n", *line);
}

/* What the emulator said in `text`, in as many lines as it takes. Returns how many messages. */
static int print_findings(const struct practice *practice, const char *text)
{
    int count = 0;

    for (char **line = text_lines(text); *line; line++) {
        const char *said = emulator_says(*line);
        const int indent = said ? (int)strspn(said, " ") : 0;

        if (said)
            style_print_indented(said + indent, 2 + indent, TONE_PLAIN, stdout, &practice->style);
        count += said != NULL;
    }
    return count;
}

static void print_end(const struct practice *practice, const struct child *child)
{
    if (child_interrupted())
        tell("  interrupted\n");
    else if (child->timed_out)
        tell("  stopped after %lld seconds\n", (long long)practice->timeout);
    else if (WIFSIGNALED(child->status))
        tell("  ended by signal %d, %s\n", WTERMSIG(child->status),
             strsignal(WTERMSIG(child->status)));
    else
        tell("  exit code %d\n", WEXITSTATUS(child->status));
}

/* What the program printed last, in a few lines. */
static char *last_output(const char *text)
{
    const char *lines[LAST_LINES] = {0};
    char *output = copy_text("");
    int count = 0;

    for (char **line = text_lines(text); *line; line++)
        if (!emulator_says(*line))
            lines[count++ % LAST_LINES] = *line;
    for (int i = count < LAST_LINES ? 0 : count - LAST_LINES; i < count; i++)
        output = text_format("%s%s\n", output, lines[i % LAST_LINES]);
    return output;
}

/* Of what the emulator said, the first finding with its first place, and the last message. */
static void print_first_finding(const struct practice *practice, const char *text)
{
    const char *first = NULL, *place = NULL, *last = NULL;

    for (char **line = text_lines(text); *line; line++) {
        const char *said = emulator_says(*line);
        if (said && *said == ' ' && last == first && !place)
            place = said;
        else if (said && *said != ' ') {
            first = first ? first : said;
            last = said;
        }
    }
    if (first)
        style_print_indented(first, 2, TONE_PLAIN, stdout, &practice->style);
    if (place)
        style_print_indented(place + strspn(place, " "), 6, TONE_PLAIN, stdout, &practice->style);
    if (last != first)
        style_print_indented(last, 2, TONE_PLAIN, stdout, &practice->style);
}

/* The end of a long page, for a screen from which the rest has gone: what the program printed last
 * and how it ended, the first finding and how many there are, and the modelled time. */
static void print_short(const struct practice *practice, const struct child *result,
                        const char *text, const char *counters)
{
    json_t *profile = json_load_file(counters, 0, NULL);
    const json_t *kernel;
    double ms = 0;
    size_t i;

    json_array_foreach(json_object_get(profile, "kernels"), i, kernel)
        ms += json_number_value(json_object_get(kernel, "modelled_ms"));
    heading(practice, "in short");
    print_output(practice, last_output(result->streams[0]));
    print_end(practice, result);
    print_first_finding(practice, text);
    if (ms > 0)
        tell("  time (modelled): %s\n", text_time(ms / 1000));
}

static char *counter(const json_t *kernel, const char *key)
{
    const json_t *value = json_object_get(kernel, key);

    if (json_is_integer(value))
        return text_count((double)json_integer_value(value));
    return json_is_number(value) ? text_number(json_number_value(value)) : copy_text("-");
}

enum { NAME, FIRST_MOVED = 4, LAST_MOVED = 7, COLUMNS = 10 };

/* Adds a row; `narrow`: the kernel's name stands above it. */
static void add_kernel(struct table *table, const json_t *kernel, bool narrow)
{
    static const char *const keys[] = {
        "launches",          "warp_instructions",     "active_lanes",      "sectors_per_load",
        "sectors_per_store", "shared_bank_conflicts", "divergent_branches"};
    const char *bound = json_string_value(json_object_get(kernel, "bound_by"));
    const double ms = json_number_value(json_object_get(kernel, "modelled_ms"));
    char *name = copy_text(json_string_value(json_object_get(kernel, "name")));
    struct row *row = table_row(table);
    int column = NAME;

    if (narrow)
        row->heading = name;
    else
        table_set(row, NAME, TONE_STRONG, name);
    for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
        table_set(row, ++column, TONE_PLAIN, counter(kernel, keys[k]));
    /* A launch that was interrupted has no time yet. */
    table_set(row, ++column, TONE_PLAIN, text_time(ms > 0 ? ms / 1000 : NAN));
    table_set(row, ++column, TONE_PLAIN,
              copy_text(bound && ms > 0 ? word_for_limit(language_here(), bound) : ""));
}

/* Of too wide a table, the columns that tell what memory and branches did, or the others. */
static void show_part(struct table *table, bool moved)
{
    for (int i = 0; i < COLUMNS; i++)
        table->columns[i].hidden = i == NAME || (i >= FIRST_MOVED && i <= LAST_MOVED) != moved;
}

/* What to try next only where the result is as it should be. */
static void print_counters(const struct practice *practice, const char *path, bool fine)
{
    static const struct column columns[COLUMNS] = {
        [NAME] = {.header = "kernel", .key = true, .least = 12},
        {.header = "launches", .right = true},
        {.header = "warp instructions", .right = true},
        {.header = "active lanes", .right = true},
        [FIRST_MOVED] = {.header = "sectors per load", .right = true},
        {.header = "sectors per store", .right = true},
        {.header = "bank conflicts", .right = true},
        [LAST_MOVED] = {.header = "divergent branches", .right = true},
        {.header = "modelled", .right = true},
        {.header = "bound by"},
    };
    const bool narrow = practice->style.width > 0 && practice->style.width < FULL_WIDTH;
    json_t *profile = json_load_file(path, 0, NULL);
    struct table table = table_new(columns, COLUMNS);
    const json_t *kernel;
    char *advice = fine ? result_advice(profile, practice->style.language) : NULL;
    size_t i;

    json_array_foreach(json_object_get(profile, "kernels"), i, kernel)
        add_kernel(&table, kernel, narrow);
    if (!table.row_count)
        tell("%s\n", profile ? "  no kernel was launched" : "  nothing was counted yet");
    for (int part = 0; table.row_count && part <= narrow; part++) {
        if (narrow)
            show_part(&table, part);
        table_print(&table, stdout, &practice->style);
    }
    if (advice)
        style_print_wrapped(advice, stdout, &practice->style);
}

/* A line of the source, as --profile=lines has it. */
struct costly {
    uint64_t instructions;
    const char *text; /* the whole row */
};

/* The columns of the listing: a line's number, its instructions, 12 wide, more counts, its text. */
enum { NUMBER_WIDTH = 5, INSTRUCTIONS_END = 18, COUNTS_END = 47, SHARE_WIDTH = 8 };

static uint64_t row_instructions(const char *row)
{
    const size_t length = strlen(row);

    if (length < INSTRUCTIONS_END || row[INSTRUCTIONS_END - 1] == ' ')
        return 0;
    return strtoull(row + NUMBER_WIDTH, NULL, 10);
}

/* Keeps `line` among the `best`, which are in falling order. */
static void keep(struct costly *best, struct costly line)
{
    for (int i = 0; i < COSTLY_LINES; i++) {
        if (line.instructions > best[i].instructions) {
            const struct costly lower = best[i];
            best[i] = line;
            line = lower;
        }
    }
}

/* The counts of a line, and beside them its text, or below where there is no room for it. */
static void print_costly(const struct practice *practice, const struct costly *line, uint64_t all)
{
    const struct style *style = &practice->style;
    const char *counts =
        text_format("  %3.0f %% %.*s", 100.0 * (double)line->instructions / (double)all, COUNTS_END,
                    line->text);
    char *source = copy_text(line->text + COUNTS_END);

    text_clean(source);
    if (style->width == 0 || text_width(counts) + text_width(source) <= style->width) {
        printf("%s%s\n", counts, source);
        return;
    }
    puts(counts);
    style_print_indented(source + strspn(source, " "), SHARE_WIDTH, TONE_PLAIN, stdout, style);
}

static void print_lines(const struct practice *practice, const char *path)
{
    struct costly best[COSTLY_LINES] = {{0}};
    const char *listing = file_read(path);
    uint64_t all = 0;

    for (char **row = text_lines(listing ? listing : ""); *row; row++) {
        const uint64_t instructions = row_instructions(*row);
        all += instructions;
        keep(best, (struct costly){instructions, *row});
    }
    if (best[0].instructions)
        tell("  share  line  warp instr.    lanes  sectors  conflicts\n");
    for (int i = 0; i < COSTLY_LINES && best[i].instructions; i++)
        print_costly(practice, &best[i], all);
}

/* --- All of it ------------------------------------------------------------------------------- */

/* On the emulator, as its own choice or another GPU, or on a GPU. */
static void print_title(const struct practice *practice, const char *path, const char *gpu)
{
    const char *title = practice->on_gpu ? text_format("%s, on the GPU", path)
                                         : text_format("%s, on the emulator%s%s", path,
                                                       gpu ? " as " : "", gpu ? gpu : "");

    style_print_indented(title, 0, TONE_PLAIN, stdout, &practice->style);
}

static int show_page(const struct practice *practice, const char *path, const char *program,
                     int capability)
{
    const char *gpu = own_gpu(practice, capability);
    const char *counters =
        practice->json ? practice->json : text_format("%s/profile.json", practice->scratch);
    const char *lines = text_format("%s/lines.txt", practice->scratch);
    const struct child emulated =
        emulate(practice, gpu, text_format("json:%s", counters), NULL, program);
    const struct child result = practice->on_gpu && !child_interrupted()
                                    ? run(practice, (struct texts){0}, program)
                                    : emulated;
    const char *said = emulated.streams[0];
    const bool fine = child_succeeded(&result) && strstr(said, "emu: checked, 0 reports") &&
                      !strstr(said, "emu: launch ") && !strstr(said, " cannot run: ");

    const bool cut_off = child_interrupted() || emulated.timed_out;

    /* After an interrupt, or late: what was found and counted by then. */
    print_title(practice, path, gpu);
    heading(practice, "result");
    print_output(practice, result.streams[0]);
    print_end(practice, &result);
    heading(practice, "found by the checkers");
    if (!print_findings(practice, emulated.streams[0]))
        tell("%s\n",
             cut_off ? "  nothing yet" : "  nothing: it ended without a CUDA call, or was killed");
    heading(practice, "counters by kernel");
    print_counters(practice, counters, fine);
    if (!cut_off)
        emulate(practice, gpu, text_format("lines:%s", lines), practice->html, program);
    if (!cut_off && !child_interrupted()) {
        heading(practice, "the lines that cost most");
        print_lines(practice, lines);
    }
    if (practice->watched && !child_interrupted())
        print_short(practice, &result, said, counters);
    return fine ? 0 : EXIT_FAILED;
}

/* Where the program of that file or folder is to lie, under its name, which pages tell. */
static char *place_of(const struct practice *practice, const char *path)
{
    char *folder = text_format("%s/own", practice->scratch);
    char *whole = realpath(path, NULL);
    const char *name = whole ? strrchr(whole, '/') + 1 : "";
    const char *end = strrchr(name, '.');

    mkdir(folder, 0700);
    return text_format("%s/%.*s", folder, (int)(end > name ? end - name : (long)strlen(name)),
                       name);
}

int run_own(const struct practice *practice, const char *path)
{
    if (!own_readable(path))
        return EXIT_USAGE;
    const char *program = place_of(practice, path);
    const int capability = own_compile(practice, path, program);
    return capability ? show_page(practice, path, program, capability) : EXIT_FAILED;
}
