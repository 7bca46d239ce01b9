/* SPDX-License-Identifier: MIT */
#include "check/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check/call_site.h"
#include "machine/observer_memory.h"

struct report {
    enum check_kind kind;
    uint64_t count;
    int rank;
    char *alike; /* reports that share this text are one */
    char *text;
};

struct key {
    bool used;
    enum check_kind kind;
    const void *first, *second;
    uint64_t third;
    size_t report;
};

struct reports {
    struct report *items;
    size_t count, room;
    struct key *keys; /* open addressing */
    size_t key_count, key_room; /* a power of two */
    struct key *last; /* the one asked for last */
    bool again; /* had it been added before? */
};

const char *check_kind_name(enum check_kind kind)
{
    static const char *const names[CHECK_KIND_COUNT] = {"memory", "race", "sync",
                                                        "init",   "leak", "call"};

    return names[kind];
}

struct reports *reports_new(void)
{
    struct reports *reports = observer_allocate(1, sizeof(*reports));

    reports->key_room = 64;
    reports->keys = observer_allocate(reports->key_room, sizeof(*reports->keys));
    return reports;
}

void reports_free(struct reports *reports)
{
    if (!reports)
        return;
    for (size_t i = 0; i < reports->count; i++) {
        free(reports->items[i].alike);
        free(reports->items[i].text);
    }
    free(reports->items);
    free(reports->keys);
    free(reports);
}

static struct key *find_key(struct reports *reports, const struct key *key)
{
    uint64_t hash = (uintptr_t)key->first ^ hash_spread((uintptr_t)key->second) ^
                    (key->third + (uint64_t)key->kind) * UINT64_C(0xD6E8FEB86659FD93);
    hash ^= hash >> 32;
    for (;; hash++) {
        struct key *slot = &reports->keys[hash & (reports->key_room - 1)];
        if (!slot->used || (slot->kind == key->kind && slot->first == key->first &&
                            slot->second == key->second && slot->third == key->third))
            return slot;
    }
}

static void grow_keys(struct reports *reports)
{
    struct key *old = reports->keys;
    const size_t old_room = reports->key_room;

    reports->key_room *= 2;
    reports->keys = observer_allocate(reports->key_room, sizeof(*reports->keys));
    for (size_t i = 0; i < old_room; i++)
        if (old[i].used)
            *find_key(reports, &old[i]) = old[i];
    free(old);
}

bool reports_again(struct reports *reports, enum check_kind kind, const void *first,
                   const void *second, uint64_t third)
{
    const struct key key = {true, kind, first, second, third, 0};

    if (2 * reports->key_count >= reports->key_room)
        grow_keys(reports);
    struct key *slot = find_key(reports, &key);
    reports->last = slot;
    reports->again = slot->used;
    if (slot->used) {
        reports->items[slot->report].count++;
        return true;
    }
    *slot = key;
    reports->key_count++;
    return false;
}

int reports_rank(const struct reports *reports)
{
    return reports->items[reports->last->report].rank;
}

void reports_forget(struct reports *reports)
{
    memset(reports->keys, 0, reports->key_room * sizeof(*reports->keys));
    reports->key_count = 0;
}

static void add_text(char **text, const char *more)
{
    const size_t length = *text ? strlen(*text) : 0;

    *text = observer_grow(*text, length + strlen(more) + 1, 1);
    strcpy(*text + length, more);
}

static void add_party(char **text, char **alike, const struct finding *finding,
                      const struct party *party)
{
    const struct launch *launch = party->launch ? party->launch : finding->launch;
    char source_line[PTX_SOURCE_LINE_SIZE], line[600];

    if (!party->instr)
        return;
    ptx_source_line(kernel_info(launch->kernel)->module, party->instr, source_line);
    snprintf(line, sizeof(line), "\nemu:     %s at %s, block (%u,%u,%u), thread (%u,%u,%u)",
             party->act, source_line, party->block.x, party->block.y, party->block.z,
             party->thread.x, party->thread.y, party->thread.z);
    add_text(text, line);
    add_text(alike, party->act);
    add_text(alike, source_line);
    if (!party->launch)
        return;
    const uint64_t ago = finding->launch->number - launch->number;
    snprintf(line, sizeof(line), ", kernel %s, %" PRIu64 " launch%s before",
             kernel_info(launch->kernel)->name, ago, ago == 1 ? "" : "es");
    add_text(text, line);
    add_text(alike, kernel_info(launch->kernel)->name);
}

/* "out-of-bounds store": a bad load on the same line is another finding. */
static int length_of_two_words(const char *text)
{
    const size_t first = strcspn(text, " ");

    return (int)(text[first] ? first + 1 + strcspn(text + first + 1, " ") : first);
}

/* A report's text up to its count, and the text that it shares with reports like it. */
static struct report spell(const struct finding *finding)
{
    struct report report = {.kind = finding->kind, .count = 1, .rank = finding->rank};
    char line[1600];
    const char *kernel = finding->launch ? kernel_info(finding->launch->kernel)->name : NULL;

    snprintf(line, sizeof(line), "emu: %s: %s%s%s", check_kind_name(finding->kind), finding->what,
             kernel ? ", kernel " : "", kernel ? kernel : "");
    add_text(&report.text, line);
    add_text(&report.alike, kernel ? kernel : finding->what);
    if (kernel && finding->kind == CHECK_MEMORY) {
        snprintf(line, sizeof(line), " %.*s", length_of_two_words(finding->what), finding->what);
        add_text(&report.alike, line);
    }
    for (int i = 0; i < finding->party_count; i++)
        add_party(&report.text, &report.alike, finding, &finding->parties[i]);
    if (*finding->why) {
        snprintf(line, sizeof(line), "\nemu:     %s", finding->why);
        add_text(&report.text, line);
    }
    if (!finding->party_count)
        add_text(&report.alike, finding->why);
    return report;
}

/* Count `report` as another `old`. */
static void merge(struct report *old, struct report *report)
{
    if (report->rank > old->rank) {
        char *text = old->text;
        old->text = report->text;
        old->rank = report->rank;
        report->text = text;
    }
    free(report->alike);
    free(report->text);
}

void reports_add(struct reports *reports, const struct finding *finding)
{
    struct report report = spell(finding);

    if (reports->again) {
        merge(&reports->items[reports->last->report], &report);
        return;
    }
    for (size_t i = 0; i < reports->count; i++) {
        struct report *old = &reports->items[i];
        if (old->kind != report.kind || strcmp(old->alike, report.alike) != 0)
            continue;
        old->count++;
        reports->last->report = i;
        merge(old, &report);
        return;
    }
    MAKE_ROOM(reports->items, reports->count, reports->room);
    reports->last->report = reports->count;
    reports->items[reports->count++] = report;
}

void reports_add_call(struct reports *reports, enum check_kind kind, const char *what,
                      const void *caller, uint64_t number)
{
    char site[240], call[260] = "";

    if (reports_again(reports, kind, caller, NULL, number))
        return;
    if (caller) {
        call_site(caller, site, sizeof(site));
        snprintf(call, sizeof(call), kind == CHECK_LEAK ? "made at %s" : "called from %s", site);
    }
    const struct finding finding = {.kind = kind, .what = what, .why = call};
    reports_add(reports, &finding);
}

size_t reports_count(const struct reports *reports, enum check_kind kind)
{
    size_t count = 0;

    for (size_t i = 0; i < reports->count; i++)
        count += kind == CHECK_KIND_COUNT || reports->items[i].kind == kind;
    return count;
}

size_t reports_print_new(const struct reports *reports, enum check_kind kind, size_t shown,
                         FILE *file)
{
    size_t count = 0;

    for (size_t i = 0; i < reports->count; i++)
        if (reports->items[i].kind == kind && count++ >= shown)
            fprintf(file, "%s\n", reports->items[i].text);
    return count;
}

void reports_print(const struct reports *reports, unsigned kinds, FILE *file)
{
    const size_t all = reports_count(reports, CHECK_KIND_COUNT);
    const char *separator = ": ";

    for (size_t i = 0; i < reports->count; i++) {
        const struct report *report = &reports->items[i];
        fputs(report->text, file);
        if (report->count > 1)
            fprintf(file, "\nemu:     %" PRIu64 " times", report->count);
        fputc('\n', file);
    }
    fprintf(file, "emu: checked, %zu report%s", all, all == 1 ? "" : "s");
    for (int kind = 0; kind < CHECK_KIND_COUNT; kind++) {
        const size_t count = reports_count(reports, kind);
        if (!(kinds >> kind & 1) && !(kind == CHECK_CALL && count))
            continue;
        fprintf(file, "%s%s %zu", separator, check_kind_name(kind), count);
        separator = ", ";
    }
    fputc('\n', file);
}

void describe_global(const struct machine *machine, uint64_t address, char *text, size_t size)
{
    const struct allocation *allocation = memory_find(machine, address, 1);
    char name[120];

    if (allocation && allocation->name)
        ptx_variable_name(allocation->name, name, sizeof(name));
    if (!allocation)
        snprintf(text, size, "at 0x%" PRIx64, address);
    else if (allocation->name)
        snprintf(text, size, "at 0x%" PRIx64 ", byte %" PRIu64 " of variable %s", address,
                 address - allocation->address, name);
    else
        snprintf(text, size,
                 "at 0x%" PRIx64 ", byte %" PRIu64 " of allocation no. %" PRIu64 " (%zu bytes)",
                 address, address - allocation->address, allocation->number, allocation->size);
}

void describe_shared(const struct launch *launch, uint64_t offset, char *text, size_t size)
{
    const struct kernel_info *info = kernel_info(launch->kernel);
    const struct ptx_module *module = info->module;
    const size_t dynamic = info->function->dynamic_shared_offset;
    char name[120];

    for (int i = 0; i < module->var_count; i++) {
        const struct ptx_var *var = &module->vars[i];
        const uint64_t start = var->is_extern ? dynamic : var->offset;
        const uint64_t bytes = var->is_extern ? launch->dynamic_shared : var->size;
        if (var->space != PTX_SHARED || offset - start >= bytes ||
            !ptx_may_use(module, info->function, i))
            continue;
        ptx_variable_name(var->name, name, sizeof(name));
        snprintf(text, size, "at 0x%" PRIx64 ", byte %" PRIu64 " of __shared__ %s", offset,
                 offset - start, name);
        return;
    }
    snprintf(text, size, "at 0x%" PRIx64, offset);
}
