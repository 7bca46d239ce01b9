/* SPDX-License-Identifier: MIT */
#include "check/check.h"

#include <stdlib.h>
#include <string.h>

#include "machine/observer_memory.h"
#include "check/init.h"
#include "check/memory.h"
#include "check/race.h"
#include "check/sync.h"

struct checks {
    unsigned kinds;
    struct reports *reports;
    struct check_memory *memory; /* of leaks too; NULL: not asked for, as the others */
    struct check_race *race;
    struct check_sync *sync;
    struct check_init *init;
    struct apart *apart; /* of several machines */
};

/* Leaks must be asked for by name: a small program may leave its memory to the process's end. */
enum { ALL_KINDS = (1 << CHECK_LEAK) - 1 };

static unsigned kind_named(const char *name, size_t length)
{
    if (length == 3 && strncmp(name, "all", 3) == 0)
        return ALL_KINDS;
    for (int kind = 0; kind < CHECK_CALL; kind++)
        if (strlen(check_kind_name(kind)) == length &&
            strncmp(check_kind_name(kind), name, length) == 0)
            return 1u << kind;
    return 0;
}

unsigned checks_parse(const char *text, char *error, size_t error_size)
{
    unsigned kinds = 0;

    for (const char *name = text;;) {
        const size_t length = strcspn(name, ",");
        const unsigned kind = kind_named(name, length);
        if (!kind) {
            snprintf(error, error_size,
                     "--check: '%.*s' is none of memory, race, sync, init, leak, all",
                     length > 100 ? 100 : (int)length, name);
            return 0;
        }
        kinds |= kind;
        if (!name[length])
            return kinds;
        name += length + 1;
    }
}

static bool has(const struct checks *checks, enum check_kind kind)
{
    return checks->kinds >> kind & 1;
}

struct checks *checks_new(struct machine *machine, unsigned kinds)
{
    struct checks *checks = observer_allocate(1, sizeof(*checks));

    checks->kinds = kinds;
    checks->reports = reports_new();
    if (has(checks, CHECK_MEMORY) || has(checks, CHECK_LEAK))
        checks->memory = check_memory_new(machine, checks->reports);
    if (has(checks, CHECK_MEMORY)) {
        machine_observe(machine, check_memory_observer(checks->memory));
        machine_set_lenient(machine, true);
    }
    if (has(checks, CHECK_RACE))
        checks->race = check_race_new(machine, checks->reports);
    if (has(checks, CHECK_SYNC))
        checks->sync = check_sync_new(machine, checks->reports);
    if (has(checks, CHECK_INIT))
        checks->init = check_init_new(machine, checks->reports);
    return checks;
}

void checks_watch(struct checks *checks, struct machine *machine, struct machine *first, int from)
{
    if (has(checks, CHECK_RACE) && !checks->apart) {
        checks->apart = apart_new(checks->reports);
        apart_watch(checks->apart, first);
    }
    machine_observe_alike(machine, first, from);
    machine_set_lenient(machine, has(checks, CHECK_MEMORY));
}

struct apart *checks_apart(const struct checks *checks)
{
    return checks ? checks->apart : NULL;
}

void checks_free(struct checks *checks)
{
    if (!checks)
        return;
    check_memory_free(checks->memory);
    check_race_free(checks->race);
    check_sync_free(checks->sync);
    check_init_free(checks->init);
    apart_free(checks->apart);
    reports_free(checks->reports);
    free(checks);
}

void checks_overlap(struct checks *checks)
{
    if (checks && checks->race)
        check_race_overlap(checks->race);
}

void checks_allocated(struct checks *checks, uint64_t address, size_t size, bool blank,
                      const void *caller)
{
    if (checks && checks->memory)
        check_memory_allocated(checks->memory, address, size, caller);
    if (checks && checks->init && blank)
        check_init_allocated(checks->init, address, size, caller);
}

void checks_freed(struct checks *checks, uint64_t address, size_t size)
{
    if (checks && checks->memory)
        check_memory_freed(checks->memory, address);
    if (checks && checks->race)
        check_race_forget(checks->race, address, size);
    if (checks && checks->init)
        check_init_freed(checks->init, address);
}

void checks_bad_free(struct checks *checks, const char *function, uint64_t address,
                     const void *caller)
{
    if (checks && has(checks, CHECK_MEMORY))
        check_memory_bad_free(checks->memory, function, address, caller);
}

void checks_refused(struct checks *checks, const char *what, const void *caller)
{
    reports_add_call(checks->reports, CHECK_CALL, what, caller, 0);
}

void checks_written(struct checks *checks, uint64_t address, size_t size)
{
    if (checks && checks->init)
        check_init_written(checks->init, address, size);
}

void checks_copied(struct checks *checks, const char *function, uint64_t to, uint64_t from,
                   size_t size)
{
    if (checks && checks->init)
        check_init_copied(checks->init, function, to, from, size);
}

bool checks_read(struct checks *checks, const char *function, const char *what, uint64_t address,
                 size_t size)
{
    return !checks || !checks->init || check_init_read(checks->init, function, what, address, size);
}

void checks_forget(struct checks *checks)
{
    if (checks && checks->apart)
        apart_forget(checks->apart);
    if (checks)
        reports_forget(checks->reports);
}

bool checks_report_faults(const struct checks *checks, enum fault_kind kind)
{
    if (!checks)
        return false;
    return kind == FAULT_BARRIER
               ? has(checks, CHECK_SYNC)
               : (kind == FAULT_ADDRESS || kind == FAULT_MISALIGNED) && has(checks, CHECK_MEMORY);
}

size_t checks_print_races(const struct checks *checks, size_t shown, FILE *file)
{
    return checks ? reports_print_new(checks->reports, CHECK_RACE, shown, file) : 0;
}

size_t checks_finish(struct checks *checks, bool broken, FILE *file)
{
    if (has(checks, CHECK_LEAK) && !broken)
        check_memory_leaks(checks->memory);
    reports_print(checks->reports, checks->kinds, file);
    if (checks->memory && !has(checks, CHECK_LEAK) && !broken)
        check_memory_count_leaks(checks->memory, file);
    const size_t count = reports_count(checks->reports, CHECK_KIND_COUNT);
    if (checks->init && !broken && count == reports_count(checks->reports, CHECK_LEAK))
        check_init_unread(checks->init, file);
    return count;
}
