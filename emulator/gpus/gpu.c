/* SPDX-License-Identifier: MIT */
/* Reads the description of an emulated GPU, and does the sums its limits are for. */
#include "gpus/gpu.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu.h"

enum field_kind { FIELD_TEXT, FIELD_INT, FIELD_TRIPLE, FIELD_SIZE, FIELD_REAL, FIELD_COALESCING };

/* What needs a field: any description, or a model of time, which has all of its own or none. */
enum field_group { ALL_GPUS, CYCLE_GPUS, G80_GPUS, SOME_GPUS /* 0 for others */ };

/* One key of a description and where its value goes. */
static const struct field {
    const char *key;
    enum field_group group;
    enum field_kind kind;
    double min;
    size_t offset;
} fields[] = {
#define FIELD(kind, key, min) {#key, GROUP, FIELD_##kind, min, offsetof(struct gpu, key)},
#include "gpus/gpu.def"
#undef FIELD
};
enum { FIELD_COUNT = sizeof(fields) / sizeof(fields[0]) };

/* No GPU has more. */
enum { MAX_THREADS = 1024, MAX_MULTIPROCESSORS = 1024 };

static const char suffix[] = ".txt";

/* Where in a description we are, and what was read so far. */
struct reader {
    const char *folder;
    char file[PATH_MAX];
    int line;
    struct gpu *gpu;
    const struct reader *of; /* the description that is like this one, or NULL */
    bool seen[FIELD_COUNT]; /* in this file */
    bool known[FIELD_COUNT]; /* here, or in what it is like */
    int next; /* the field after the last one: most files have them in the order above */
    char *error;
};

__attribute__((format(printf, 2, 3))) static bool complain(struct reader *reader,
                                                           const char *format, ...)
{
    char message[GPU_ERROR_SIZE];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    snprintf(reader->error, GPU_ERROR_SIZE, "%.300s:%d: %.180s", reader->file, reader->line,
             message);
    return false;
}

/* 1, or what a unit after a number multiplies it by; 0 for what is no unit. */
static double unit_factor(const char *unit)
{
    if (!*unit)
        return 1;
    if (!strcmp(unit, "KiB"))
        return 1024;
    if (!strcmp(unit, "MiB"))
        return 1024.0 * 1024;
    if (!strcmp(unit, "GiB"))
        return 1024.0 * 1024 * 1024;
    return 0;
}

/* The largest value a field of `kind` takes: sizes stay exact in a double and far from overflow. */
static double field_max(enum field_kind kind)
{
    switch (kind) {
    case FIELD_INT:
        return INT_MAX;
    case FIELD_TRIPLE:
        return UINT32_MAX;
    case FIELD_SIZE:
        return 0x1p52;
    default:
        return 1e9;
    }
}

static void store(struct gpu *gpu, const struct field *field, int index, double value)
{
    void *to = (char *)gpu + field->offset;

    switch (field->kind) {
    case FIELD_INT:
        ((int *)to)[index] = (int)value;
        break;
    case FIELD_TRIPLE:
        ((uint32_t *)to)[index] = (uint32_t)value;
        break;
    case FIELD_SIZE:
        ((size_t *)to)[index] = (size_t)value;
        break;
    default:
        ((double *)to)[index] = value;
    }
}

static bool read_numbers(struct reader *reader, const struct field *field, char *text)
{
    const int count = field->kind == FIELD_TRIPLE ? 3 : 1;

    for (int i = 0; i < count; i++) {
        char *end;
        errno = 0;
        double value = strtod(text, &end);
        if (end == text || errno)
            return complain(reader, "%s: '%s' is not %s", field->key, text,
                            count == 1 ? "a number" : "as many numbers as it takes");
        text = end + strspn(end, " \t");
        if (i == count - 1) {
            const double factor = field->kind == FIELD_SIZE ? unit_factor(text) : !*text;
            if (factor == 0)
                return complain(reader, "%s: '%s' behind its number", field->key, text);
            value *= factor;
        }
        if (!(value >= field->min && value <= field_max(field->kind)))
            return complain(reader, "%s: %g is outside %g to %g", field->key, value, field->min,
                            field_max(field->kind));
        if (field->kind != FIELD_REAL && value != floor(value))
            return complain(reader, "%s: %g is not a whole number", field->key, value);
        store(reader->gpu, field, i, value);
    }
    return true;
}

static bool read_value(struct reader *reader, const struct field *field, char *value)
{
    struct gpu *gpu = reader->gpu;

    switch (field->kind) {
    case FIELD_TEXT:
        if (strlen(value) >= sizeof(gpu->name))
            return complain(reader, "name: longer than %zu characters", sizeof(gpu->name) - 1);
        memcpy(gpu->name, value, strlen(value) + 1);
        return true;
    case FIELD_COALESCING:
        if (!strcmp(value, "sectors"))
            gpu->coalescing = COALESCE_SECTORS;
        else if (!strcmp(value, "half-warp"))
            gpu->coalescing = COALESCE_HALF_WARP;
        else if (!strcmp(value, "segments"))
            gpu->coalescing = COALESCE_SEGMENTS;
        else
            return complain(reader, "coalescing: '%s' is neither sectors, half-warp nor segments",
                            value);
        return true;
    default:
        return read_numbers(reader, field, value);
    }
}

/* Cut comment and blanks off both ends. */
static char *trim(char *line)
{
    line[strcspn(line, "#\r\n")] = '\0';
    line += strspn(line, " \t");
    size_t length = strlen(line);
    while (length && isspace((unsigned char)line[length - 1]))
        line[--length] = '\0';
    return line;
}

/* The index of the field called `key`; -1: none. The search goes round once from `next`. */
static int find_field(const struct reader *reader, const char *key)
{
    for (int i = 0; i < FIELD_COUNT; i++) {
        const int index = (reader->next + i) % FIELD_COUNT;
        if (!strcmp(key, fields[index].key))
            return index;
    }
    return -1;
}

static bool read_description(struct reader *reader, const char *name);

/* "like NAME", the first line of all: what this description does not say is as there. */
static bool read_base(struct reader *reader, const char *name)
{
    struct reader base = {
        .folder = reader->folder, .gpu = reader->gpu, .of = reader, .error = reader->error};

    if (reader->of)
        return complain(reader, "like: %s is like this one", reader->of->file);
    for (int i = 0; i < FIELD_COUNT; i++)
        if (reader->known[i])
            return complain(reader, "like: it must come first, and once");
    if (!read_description(&base, name))
        return false;
    memcpy(reader->known, base.known, sizeof(base.known));
    return true;
}

static bool read_line(struct reader *reader, char *text)
{
    char *key = trim(text);
    if (!*key)
        return true;

    char *value = key + strcspn(key, " \t");
    if (*value)
        *value++ = '\0';
    value += strspn(value, " \t");
    if (!strcmp(key, "like"))
        return read_base(reader, value);
    const int index = find_field(reader, key);
    if (index < 0)
        return complain(reader, "unknown key '%s'", key);
    if (reader->seen[index])
        return complain(reader, "%s is given twice", key);
    if (!*value)
        return complain(reader, "%s has no value", key);
    reader->seen[index] = reader->known[index] = true;
    reader->next = index + 1;
    return read_value(reader, &fields[index], value);
}

/* Where one field of the group is given, all are. */
static bool check_group(struct reader *reader, enum field_group group)
{
    bool needed = group == ALL_GPUS;

    for (int i = 0; i < FIELD_COUNT; i++)
        needed |= fields[i].group == group && reader->known[i];
    for (int i = 0; needed && i < FIELD_COUNT; i++)
        if (fields[i].group == group && !reader->known[i])
            return complain(reader, "%s is missing", fields[i].key);
    return true;
}

/* What the rules of coalesce.c and the machine's tables are made for. */
static bool check_rules(struct reader *reader)
{
    const struct gpu *gpu = reader->gpu;
    const struct {
        const char *key;
        int value, most;
    } limits[] = {
        {"max_threads_per_block", gpu->max_threads_per_block, MAX_THREADS},
        {"multiprocessors", gpu->multiprocessors, MAX_MULTIPROCESSORS},
        {"schedulers", gpu->schedulers, SCHEDULERS_MOST},
        {"atomic_slices", gpu->atomic_slices, SLICES_MOST},
    };

    if (gpu->banks != 16 && gpu->banks != 32)
        return complain(reader, "banks: %d is neither 16 nor 32", gpu->banks);
    if (gpu->bank_lanes != 16 && gpu->bank_lanes != 32)
        return complain(reader, "bank_lanes: %d is neither 16 nor 32", gpu->bank_lanes);
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
        if (limits[i].value > limits[i].most)
            return complain(reader, "%s: %d is more than %d", limits[i].key, limits[i].value,
                            limits[i].most);
    return true;
}

static bool read_file(struct reader *reader, FILE *file)
{
    char line[512];

    while (fgets(line, sizeof(line), file)) {
        reader->line++;
        if (!strchr(line, '\n') && !feof(file))
            return complain(reader, "line longer than %zu characters", sizeof(line) - 2);
        if (!read_line(reader, line))
            return false;
    }
    if (ferror(file))
        return complain(reader, "%s", strerror(errno));
    return check_group(reader, ALL_GPUS) && check_group(reader, CYCLE_GPUS) &&
           check_group(reader, G80_GPUS) && check_rules(reader);
}

static bool read_description(struct reader *reader, const char *name)
{
    const bool plain = *name && !strchr(name, '/') && *name != '.';
    const int length =
        snprintf(reader->file, sizeof(reader->file), "%s/%s%s", reader->folder, name, suffix);
    FILE *file = plain && length < (int)sizeof(reader->file) ? fopen(reader->file, "r") : NULL;
    if (!file) {
        char *names = gpu_list(reader->folder, reader->error);
        if (names)
            snprintf(reader->error, GPU_ERROR_SIZE, "no GPU '%.60s'; there are: %.300s%s", name,
                     names, strlen(names) > 300 ? " ..." : "");
        free(names);
        return false;
    }
    const bool read = read_file(reader, file);
    fclose(file);
    return read;
}

bool gpu_read(const char *folder, const char *name, struct gpu *gpu, char *error)
{
    struct reader reader = {.folder = folder, .gpu = gpu, .error = error};

    memset(gpu, 0, sizeof(*gpu));
    return read_description(&reader, name);
}

static int is_description(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);
    const size_t tail = sizeof(suffix) - 1;

    return entry->d_name[0] != '.' && length > tail &&
           !strcmp(entry->d_name + length - tail, suffix);
}

/* The names of `count` descriptions without their suffix, or NULL without memory. */
static char *join_names(struct dirent *const *entries, int count)
{
    size_t size = 1;
    for (int i = 0; i < count; i++)
        size += strlen(entries[i]->d_name);
    char *names = malloc(size);
    if (!names)
        return NULL;

    char *end = names;
    for (int i = 0; i < count; i++) {
        const int stem = (int)(strlen(entries[i]->d_name) - (sizeof(suffix) - 1));
        end += sprintf(end, "%s%.*s", i ? " " : "", stem, entries[i]->d_name);
    }
    return names;
}

char *gpu_list(const char *folder, char *error)
{
    struct dirent **entries;

    const int count = scandir(folder, &entries, is_description, alphasort);
    if (count < 0) {
        snprintf(error, GPU_ERROR_SIZE, "no GPU descriptions: %.150s: %s", folder, strerror(errno));
        return NULL;
    }
    char *names = count ? join_names(entries, count) : NULL;
    if (!names)
        snprintf(error, GPU_ERROR_SIZE, "no GPU descriptions in %.150s", folder);
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    return names;
}

int gpu_blocks_per_multiprocessor(const struct gpu *gpu, int threads, int registers, size_t shared)
{
    const int warps = (threads + WARP_SIZE - 1) / WARP_SIZE;

    if (threads < 1 || threads > gpu->max_threads_per_block || registers > gpu->max_registers ||
        shared > gpu->shared_per_sm)
        return 0;
    int blocks = least(gpu->max_blocks_per_sm, gpu->max_threads_per_sm / (warps * WARP_SIZE));

    /* Registers are handed out to blocks on compute 1.x, and later to warps, each partition of the
     * multiprocessor having its share. */
    const size_t of_warp = (size_t)registers * WARP_SIZE;
    const size_t per_warp = round_up(of_warp, gpu->register_unit);
    if (of_warp && gpu->major == 1) {
        const size_t per_block =
            round_up(round_up(warps, gpu->warp_unit) * of_warp, gpu->register_unit);
        blocks = least(blocks, (int)(gpu->registers_per_sm / per_block));
    } else if (per_warp) {
        const size_t partition = (size_t)(gpu->registers_per_sm / gpu->warp_unit) / per_warp;
        const size_t per_block = round_up(warps, gpu->warp_unit) * per_warp;
        if (per_block > (size_t)gpu->registers_per_block)
            return 0;
        blocks = least(blocks, (int)(partition * gpu->warp_unit / warps));
    }

    const size_t per_block = round_up(shared + gpu->shared_reserved, gpu->shared_unit);
    if (per_block)
        blocks = least(blocks, (int)(gpu->shared_per_sm / per_block));
    return blocks;
}

int gpu_clusters_at_once(const struct gpu *gpu, int size, int blocks)
{
    const uint32_t *counts = gpu->cluster_groups, *sms = gpu->cluster_group_sms;
    const int most = gpu->multiprocessors * blocks / size;
    int clusters = 0;

    if (size <= 2 || counts[0] == 0)
        return most;
    for (int i = 0; i < 3; i++)
        if (sms[i] >= (uint32_t)size)
            clusters += (int)counts[i] * ((int)sms[i] * blocks / size);
    return least(clusters, most);
}
