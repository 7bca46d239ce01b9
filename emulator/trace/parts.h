/* SPDX-License-Identifier: MIT */
/* Declarations that the files of this folder share: a trace while it is recorded and written. */
#ifndef PARTS_H
#define PARTS_H

#include <stdio.h>

#include "profile/count.h"
#include "trace/spans.h"
#include "trace/sample.h"
#include "trace/trace.h"

/* A source, or the PTX of a kernel that was compiled without -lineinfo. */
struct source {
    char *path; /* for PTX: the kernel's name */
    bool is_ptx;
};

/* The counters of a line. */
struct traced_line {
    int source, number; /* a line of a source; number 0: of none */
    char *ptx; /* for PTX: the instruction */
    uint64_t n[PROFILE_COUNTER_COUNT];
};

/* An instruction that has records. */
struct site {
    int source, number; /* its line */
    char *text; /* the instruction as PTX */
    /* For a branch, the lines of that source where its lanes jump to, go on, and meet; 0: not in
     * it. */
    int target, next, meet;
};

struct traced_kernel {
    char *name, *function;
    struct dim grid, block;
    size_t shared_bytes;
    uint64_t launches, failed;
    double ms; /* modelled time of all launches */
    struct timing_launch timing; /* of the first */
    uint64_t n[PROFILE_COUNTER_COUNT];
    struct traced_line *lines; /* in the order of source and number */
    size_t line_count, line_room;
    /* Of the first launch. */
    struct site *sites;
    size_t site_count;
    struct record *records; /* they own their texts; `instr` is no longer valid */
    int *record_sites;
    size_t record_count, records_left_out;
    uint64_t sampled_blocks[SAMPLE_BLOCKS];
    uint32_t sampled_block_count, sampled_warps[SAMPLE_WARPS], sampled_warp_count;
    struct launch_spans times;
};

struct traced_launch {
    size_t kernel; /* index */
    double start_ms, ms;
};

struct trace {
    struct observer observer;
    struct timeline timeline;
    const struct machine *machine;
    struct timing *timing;
    struct traced_worker *workers; /* of the current launch */
    int worker_count;
    struct sample sample; /* of the current launch */
    size_t kernel; /* index of its kernel */
    struct launch_spans *watching; /* where its times go; or NULL */
    double start_ms;
    struct source *sources;
    int source_count;
    struct traced_kernel *kernels;
    size_t kernel_count;
    struct traced_launch *launches;
    size_t launch_count, launch_room;
    /* Over all kernels: bytes of the records kept, and the numbers of block spans and warp
     * spans. */
    size_t text_bytes, blocks, spans;
};

/* The line that an instruction belongs to (source_lines.c). That is the innermost line of CUDA
 * source it was inlined from, or else one in the file of the kernel. If no line is known, it is
 * the line in the PTX. */
struct source_line {
    int source, number;
};
struct source_line source_line_of(struct trace *trace, const struct kernel_info *info,
                                  const struct ptx_instr *instr);

/* Write the data of the page, which is one JSON object (data.c), or the Trace Event Format
 * (events.c). */
void write_data(const struct trace *trace, const char *program, FILE *file);
void write_events(const struct trace *trace, const char *program, FILE *file);

/* Write `length` bytes of text as a JSON string that may be part of HTML (json_text.c). It has
 * no <, > or &, and nothing that ends a line in JavaScript. What is not UTF-8 becomes U+FFFD. */
void write_string(const char *text, size_t length, FILE *file);
/* Write a NUL-terminated string in the same way, and null for NULL. */
void write_text(const char *text, FILE *file);

#endif
