/* SPDX-License-Identifier: MIT */
/* What the checkers found: every pair of accesses once, with a count. */
#ifndef CHECK_REPORT_H
#define CHECK_REPORT_H

#include <stdio.h>

#include "machine/machine.h"

enum check_kind {
    CHECK_MEMORY,
    CHECK_RACE,
    CHECK_SYNC,
    CHECK_INIT,
    CHECK_LEAK,
    CHECK_CALL, /* refused; always among them, and named only where there are some */
    CHECK_KIND_COUNT,
};

/* The name that options and reports use: "memory". */
const char *check_kind_name(enum check_kind kind);

/* A thread that took part, or, without an instruction, the host. */
struct party {
    const char *act; /* "store", "load", "cudaFree" */
    const struct ptx_instr *instr;
    struct dim block, thread;
    const struct launch *launch; /* if it is an earlier one than the finding's; else NULL */
};

/* One finding; `parties` are one or two. */
struct finding {
    enum check_kind kind;
    const struct launch *launch; /* NULL: on the host */
    const char *what; /* what happened, and to which memory */
    const char *why; /* may be empty */
    struct party parties[2];
    int party_count;
    int rank; /* of findings counted as one, the first of the highest rank is printed */
};

struct reports;

struct reports *reports_new(void);
void reports_free(struct reports *reports);

/* Has a finding with this key been added? Then it is counted, and there is no more to do. The key
 * is the kind, two instructions, and a number of the caller's own. */
bool reports_again(struct reports *reports, enum check_kind kind, const void *first,
                   const void *second, uint64_t third);
/* The rank of the finding that was asked for last and had been added. */
int reports_rank(const struct reports *reports);
/* Add what was asked for last. Findings that read alike but for threads and addresses are one. */
void reports_add(struct reports *reports, const struct finding *finding);

/* Add what the host did wrong in its call from `caller`, a return address; or a leak that it made.
 * Calls from one site with one number are one. */
void reports_add_call(struct reports *reports, enum check_kind kind, const char *what,
                      const void *caller, uint64_t number);

/* The instructions of a module are gone: their addresses may come again. */
void reports_forget(struct reports *reports);

/* How many different ones, of one kind or (CHECK_KIND_COUNT) all. */
size_t reports_count(const struct reports *reports, enum check_kind kind);

/* Print those of `kind`, as they are by now, beyond the first `shown`; returns how many of it there
 * are. */
size_t reports_print_new(const struct reports *reports, enum check_kind kind, size_t shown,
                         FILE *file);

/* Print all, and one line that counts them by the kinds in `kinds`, a set of bits. */
void reports_print(const struct reports *reports, unsigned kinds, FILE *file);

/* Say in which allocation an address is, and at which byte. */
void describe_global(const struct machine *machine, uint64_t address, char *text, size_t size);
/* Say in which __shared__ variable of the launch's kernel. */
void describe_shared(const struct launch *launch, uint64_t offset, char *text, size_t size);

#endif
