/* SPDX-License-Identifier: MIT */
/* What the files of this folder know of each other: a trace, as it is recorded and written out. */
#ifndef PARTS_H
#define PARTS_H

#include <stdio.h>

#include "gpus/gpu.h"
#include "profile/count.h"
#include "trace/spans.h"
#include "trace/sample.h"
#include "trace/trace.h"

/* A source, or the PTX of a kernel that was compiled without -lineinfo. */
struct source {
    char *path; /* of PTX: the kernel's name */
    bool is_ptx;
};

/* What a line asked for. */
struct traced_line {
    int source, number; /* of a source; number 0: no line of any */
    char *ptx; /* of PTX: the instruction */
    uint64_t n[PROFILE_COUNTER_COUNT];
};

/* An instruction that has records. */
struct site {
    int source, number; /* its line */
    char *text; /* of the PTX */
    /* Of a branch: lines of that source where its lanes jump to, go on and meet; 0: none. */
    int target, next, meet;
};

struct traced_kernel {
    char *name, *function;
    struct dim grid, block;
    size_t shared_bytes;
    uint64_t launches, failed;
    double ms; /* modelled, of all launches */
    struct timing_launch timing; /* of the first */
    uint64_t n[PROFILE_COUNTER_COUNT];
    struct traced_line *lines; /* by source and number */
    size_t line_count, line_room;
    /* Of the first launch. */
    struct site *sites;
    size_t site_count;
    struct record *records; /* with texts of their own; `instr` is not valid any more */
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
    struct traced_worker *workers; /* of the launch under way */
    int worker_count;
    struct sample sample; /* of it */
    size_t kernel; /* its */
    struct launch_spans *watching; /* NULL: nobody draws its time */
    double start_ms;
    struct source *sources;
    int source_count;
    struct traced_kernel *kernels;
    size_t kernel_count;
    struct traced_launch *launches;
    size_t launch_count, launch_room;
    /* Of all kernels: bytes of the records that are kept; blocks and spans of time. */
    size_t text_bytes, blocks, spans;
};

/* Which line an instruction belongs to (source_lines.c): that of the innermost CUDA source that led
 * to it, else of the kernel's own file; of PTX, where no line is known. */
struct source_line {
    int source, number;
};
struct source_line source_line_of(struct trace *trace, const struct kernel_info *info,
                                  const struct ptx_instr *instr);

/* The data of the page, one JSON object (data.c), and the Trace Event Format (events.c). */
void write_data(const struct trace *trace, const char *program, FILE *file);
void write_events(const struct trace *trace, const char *program, FILE *file);

/* `length` bytes of text as a JSON string that may stand in HTML: no <, > or &, nothing that
 * JavaScript takes for the end of a line, and U+FFFD for what is not UTF-8 (json_text.c). */
void write_string(const char *text, size_t length, FILE *file);
/* The same of a whole string; null for NULL. */
void write_text(const char *text, FILE *file);

#endif
