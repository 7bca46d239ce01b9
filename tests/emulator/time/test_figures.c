/* SPDX-License-Identifier: MIT */
/* Every figure of a GPU's description that a model of time reads: changed in the file, the time of
 * a kernel that lives by it moves, and that of another kernel does not. And what the models know
 * beside those figures: one kernel takes longer than another. With SHOW in the environment it
 * prints all ratios. */
#include "observed.h"

#include <ctype.h>
#include <dirent.h>

#include "../../temporary.h"
#include "gpus/gpu.h"
#include "machine/texture.h"
#include "rules.h"

enum { DATA = 9 << 20, TEXELS = 1 << 14, TEXT = 1 << 18, PATH = 4096 };

static char folder[TEMPORARY_PATH]; /* of changed ones */

/* --- Descriptions ----------------------------------------------------------------------------- */

static char *read_file(const char *gpu)
{
    char path[PATH];
    char *text = calloc(1, TEXT);

    snprintf(path, sizeof(path), "%s/%s.txt", EMU_GPUS, gpu);
    FILE *file = fopen(path, "r");
    if (!file || !fread(text, 1, TEXT - 1, file))
        fail_msg("cannot read %s", path);
    fclose(file);
    return text;
}

/* The line behind this one; NULL: it is the last. */
static char *next_line(char *line)
{
    line = strchr(line, '\n');
    return line ? line + 1 : NULL;
}

/* The line of the figure in `text`; NULL: none. */
static char *find_line(char *text, const char *figure)
{
    const size_t length = strlen(figure);

    for (char *line = text; line && *line; line = next_line(line))
        if (!strncmp(line, figure, length) && line[length] == ' ')
            return line;
    return NULL;
}

/* A description with every figure in it, also those that another one, which it is like, has. */
static char *read_description(const char *gpu)
{
    char *text = read_file(gpu), *like = find_line(text, "like"), base[64];

    if (!like || sscanf(like, "like %63s", base) != 1)
        return text;
    char *whole = read_file(base);
    for (char *line = text, *next; (next = next_line(line)); line = next) {
        char figure[64], tail[TEXT];
        if (line == like || !islower((unsigned char)*line) || sscanf(line, "%63s", figure) != 1)
            continue;
        char *there = find_line(whole, figure);
        strcpy(tail, next_line(there));
        sprintf(there, "%.*s%s", (int)(next - line), line, tail);
    }
    free(text);
    return whole;
}

/* Put `value` in the place of the figure's, or its own value times `factor`. */
static void change(char *text, const char *figure, double value, double factor)
{
    char *line = find_line(text, figure), *rest, tail[TEXT];

    if (!line)
        fail_msg("no figure %s", figure);
    char *number = line + strlen(figure);
    const double old = strtod(number, &rest);
    strcpy(tail, factor != 0 ? rest : strchr(rest, '\n'));
    sprintf(number, " %.10g%s", factor != 0 ? old * factor : value, tail);
}

/* The GPU of a trial, with one of its figures changed unless that is NULL. */
static struct gpu gpu_of(const struct trial *trial, const char *figure, double factor)
{
    char *text = read_description(trial->gpu), error[GPU_ERROR_SIZE] = "", path[PATH + 16];
    struct gpu gpu;

    for (int i = 0; i < WITH && trial->with[i].figure; i++)
        change(text, trial->with[i].figure, trial->with[i].value, 0);
    if (figure)
        change(text, figure, 0, factor);
    snprintf(path, sizeof(path), "%s/changed.txt", folder);
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file))
        fail_msg("cannot write %s", path);
    if (!gpu_read(folder, "changed", &gpu, error))
        fail_msg("%s", error);
    unlink(path);
    free(text);
    gpu.memory = 64 << 20;
    return gpu;
}

/* --- Kernels ---------------------------------------------------------------------------------- */

/* data: DATA bytes of zeros; each thread knows where in them it has 4, 16 and 128 bytes. */
static const char head[] = ".version 8.0\n.target sm_%s\n.address_size 64\n"
                           ".const .align 16 .b32 table[1024];\n"
                           ".visible .entry trial(.param .u64 data, .param .u64 texture)\n";
static const char registers[] = "{\n    .reg .b32 %r<32>;\n    .reg .f32 %f<16>;\n"
                                "    .reg .f64 %d<8>;\n    .reg .b64 %rd<16>;\n"
                                "    .reg .pred %p<4>;\n"
                                "    ld.param.u64 %rd1, [data];\n";

/* To be freed. */
static char *ptx_of(const struct trial *trial, const struct work *work)
{
    char *ptx = NULL;
    size_t size;
    FILE *file = open_memstream(&ptx, &size);

    fprintf(file, head, trial->cluster || !strcmp(trial->gpu, "h200") ? "90a" : "75");
    if (trial->cluster)
        fprintf(file, ".explicitcluster .reqnctapercluster %d, 1, 1\n", trial->cluster);
    fputs(registers, file);
    fputs(work->before ? work->before : "", file);
    for (int i = 0; i < work->times; i++)
        fputs(work->each, file);
    fprintf(file, "%s    ret;\n}\n", work->after ? work->after : "");
    fclose(file);
    return ptx;
}

static uint64_t make_texture(const struct observed *observed)
{
    const struct texture texture = {
        .texels = {.address = observed_memory(observed, TEXELS * sizeof(float)),
                   .pitch = TEXELS * sizeof(float)},
        .bytes = TEXELS * sizeof(float),
        .dimensions = 1,
        .size = {TEXELS, 1, 1},
        .layers = 1,
        .linear = true,
        .kind = TEXEL_FLOAT,
        .channels = 1,
        .channel_bytes = 4,
    };

    return texture_create(observed->machine, &texture);
}

/* Milliseconds, the second time: what fits is in L2. */
static double time_of(const struct gpu *gpu, const struct trial *trial, const struct work *work)
{
    char *ptx = ptx_of(trial, work);
    struct observed observed =
        observe_ptx_by(gpu, 1, ptx, trial->plain ? TIMING_PLAIN : TIMING_BEST);
    uint64_t arguments[] = {observed_memory(&observed, trial->blocks > 64 ? DATA : DATA / 8),
                            make_texture(&observed)};

    for (int i = 0; i < 2; i++)
        observed_launch(&observed, "trial", trial->blocks, trial->threads, arguments, 2);
    const double ms = timing_last(observed.timing).ms;
    observed_free(&observed);
    free(ptx);
    return ms;
}

/* --- The tests -------------------------------------------------------------------------------- */

static bool moves(double ratio, double least)
{
    return least > 1 ? ratio >= least : ratio <= least;
}

/* What a launch costs is left out of times, but where it is what changes. */
static bool check_figure(const struct figure *figure)
{
    const struct trial *trial = &figure->trial;
    const struct gpu gpu = gpu_of(trial, NULL, 0);
    const struct gpu changed = gpu_of(trial, figure->name, figure->factor);
    const double launch = gpu.launch_us / 1000;
    const double before = time_of(&gpu, trial, &trial->work);
    const double after = time_of(&changed, trial, &trial->work);
    const double ratio = (after - launch) / (before - launch);
    bool right = moves(ratio, figure->least);

    if (!right || getenv("SHOW"))
        print_message("%s x %g on %s%s: the time is %.3f x what it was, not %.3g or %s\n",
                      figure->name, figure->factor, trial->gpu, trial->plain ? ", plain" : "",
                      ratio, figure->least, figure->least > 1 ? "more" : "less");
    if (!figure->still)
        return right;
    const double is = time_of(&gpu, trial, figure->still);
    const double stays = time_of(&changed, trial, figure->still);
    if (is != stays)
        print_message("%s x %g on %s%s: what has nothing to do with it takes %.9g us, not %.9g\n",
                      figure->name, figure->factor, trial->gpu, trial->plain ? ", plain" : "",
                      stays * 1000, is * 1000);
    return right && is == stays;
}

TEST(test_figures_move_times)
{
    int wrong = 0;

    for (int i = 0; i < FIGURE_COUNT; i++)
        wrong += !check_figure(&figures[i]);
    assert_int_equal(wrong, 0);
}

TEST(test_models_know_more_than_figures)
{
    int wrong = 0;

    for (int i = 0; i < RULE_COUNT; i++) {
        const struct trial *trial = &rules[i].trial;
        const struct gpu gpu = gpu_of(trial, NULL, 0);
        const double launch = gpu.launch_us / 1000;
        const double ratio = (time_of(&gpu, trial, &trial->work) - launch) /
                             (time_of(&gpu, trial, &rules[i].other) - launch);
        const bool right = ratio >= rules[i].least && ratio <= rules[i].most;
        if (!right || getenv("SHOW"))
            print_message("%s on %s%s: it takes %.3f x as long, not %.3g to %.3g x\n",
                          rules[i].name, trial->gpu, trial->plain ? ", plain" : "", ratio,
                          rules[i].least, rules[i].most);
        wrong += !right;
    }
    assert_int_equal(wrong, 0);
}

static bool has_row(const char *name)
{
    for (int i = 0; i < FIGURE_COUNT; i++)
        if (!strcmp(figures[i].name, name))
            return true;
    for (int i = 0; i < NO_TIME_COUNT; i++)
        if (!strcmp(no_times[i], name))
            return true;
    return false;
}

static void check_description(const char *gpu)
{
    char *text = read_description(gpu);

    for (char *line = text, name[64]; line && *line; line = next_line(line))
        if (islower((unsigned char)*line) && sscanf(line, "%63s", name) == 1 && !has_row(name))
            fail_msg("%s of %s has no row in figures.h", name, gpu);
    free(text);
}

TEST(test_every_figure_has_a_row)
{
    DIR *files = opendir(EMU_GPUS);
    int count = 0;

    assert_non_null(files);
    for (struct dirent *entry; (entry = readdir(files));) {
        char *suffix = strstr(entry->d_name, ".txt");
        if (!suffix)
            continue;
        *suffix = '\0';
        check_description(entry->d_name);
        count++;
    }
    closedir(files);
    assert_true(count > 3);
}

int main(void)
{
    if (!mkdtemp(temporary_name(folder)))
        return EXIT_FAILURE;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failed;
}
