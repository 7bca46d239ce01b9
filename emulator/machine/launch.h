/* SPDX-License-Identifier: MIT */
/* A machine, a launch and its workers. A launch runs blocks; a worker is one CPU thread of it. */
#ifndef LAUNCH_H
#define LAUNCH_H

#include <pthread.h>
#include <stdatomic.h>

#include "block.h"
#include "device_memory.h"
#include "fragment.h"
#include "texture.h"
#include "turns.h"

enum { MAX_OBSERVERS = 10, LOADS_FORESEEN = 64 };

struct machine {
    struct gpu gpu;
    int workers;
    struct schedule schedule;
    enum kernel_engine engine;
    bool insists; /* the user has asked for that schedule */
    bool lenient; /* lanes with a bad address are reported and left out */
    const volatile int *signal; /* that is to end the program, 0: none; or NULL */
    bool quiet; /* what kernels print is lost */
    bool sampling; /* of most blocks only slices run */
    struct observer observers[MAX_OBSERVERS];
    int observer_count;
    machine_clock_function *clock;
    void *clock_self;
    uint64_t launches;
    int number; /* among those that share the memory */
    uint64_t reach; /* machines whose memory its kernels may use: a set of numbers */
    struct memory *memory; /* the first one's */
    struct texture_table textures;
    struct heap *heap; /* of kernels; NULL before it is used */
    size_t heap_bytes; /* it has, once it is made */
    struct children *children; /* what kernels ask to be done; NULL before they do */
};

/* The functions of the observers that want an event, gathered once per launch. */
#define LISTENERS_AS(name, event)                              \
    struct {                                                   \
        int count;                                             \
        struct {                                               \
            void *self;                                        \
            __typeof__(((struct observer *)NULL)->event) call; \
        } list[MAX_OBSERVERS];                                 \
    } name;
#define LISTENERS(event) LISTENERS_AS(event, event)

struct listeners {
    EVENTS_OF_BLOCKS(LISTENERS)
    LISTENERS_AS(in_full, access) /* that want each access, and no requests */
    int everywhere; /* that want the instructions of all blocks */
    bool in_short; /* some want requests, and all that want stretches do */
    bool in_part; /* of accesses in full, those to global memory are enough */
    /* All that want more of what loops make them hear than accesses in full want it in multiples
     * (turns.h). */
    bool in_turns;
};

/* Is anybody to hear in full of an access to that space? */
static inline bool wants_in_full(const struct listeners *listeners, enum ptx_space space)
{
    return (listeners->in_short ? listeners->in_full.count : listeners->access.count) > 0 &&
           (space == PTX_GLOBAL || !listeners->in_part);
}

/* One CPU thread that runs blocks. */
struct worker {
    struct launch_state *launch;
    int number;
    pthread_t thread;
    _Atomic uint64_t writes; /* instructions that wrote memory: while they go on, nobody is stuck */
    _Atomic uint64_t stuck_at; /* the writes of all workers when its blocks were last found stuck */
    bool started;
    struct block *blocks; /* resident */
    int block_count;
    uint32_t turn; /* its number */
    bool opened; /* a barrier of a cluster, in this turn */
    struct block *spare; /* those that have ended, to be used again */
    uint64_t ended, issued; /* blocks, and instructions that their warps issued */
    uint64_t sliced; /* blocks of those that ended */
    /* Of the matrices of one product: the registers of all lanes (mma.c). */
    uint64_t fragments[4][FRAGMENT_REGISTERS][WARP_SIZE];
    struct turns turns; /* of its current warp */
    struct shape *shapes; /* by op->request; NULL: there was no memory */
    const char *loaded[LOADS_FORESEEN]; /* by a load's number: where it last loaded from */
};
#define WORKER_BUSY UINT64_MAX
#define WORKER_ENDED (UINT64_MAX - 1)

struct launch_state {
    struct launch launch;
    struct machine *machine;
    const struct kernel *kernel;
    const struct code *code;
    char *params; /* the kernel's */
    uint64_t block_count, threads; /* of a block */
    uint64_t until_position; /* no block at this position or a later one may start yet */
    uint32_t cluster_size; /* blocks, which start together on one worker */
    uint64_t group; /* within so many clusters in a row the order of starting may be random, */
    uint64_t first, stride; /* from this one on, by this step */
    /* All; those that sample blocks; all of a block that nobody samples. */
    struct listeners listeners, samplers, unsampled;
    struct worker *workers;
    int worker_count, max_resident;
    bool stepped; /* a time model says which warp runs when (stepped.h) */
    bool lockstep; /* its operations order blocks, which run in lockstep */
    bool sampling; /* blocks that nobody samples run the slice of the kernel */
    _Atomic uint64_t next_position; /* of the next block to start */
    _Atomic uint64_t failed_position; /* the lowest of a block that failed; UINT64_MAX: none */
    pthread_mutex_t fault_lock;
    struct fault fault;
};

static inline void note_many_writes(struct warp *warp, uint32_t count)
{
    struct worker *worker = warp->worker;
    warp->writes += count;
    atomic_store_explicit(&worker->writes,
                          atomic_load_explicit(&worker->writes, memory_order_relaxed) + count,
                          memory_order_relaxed);
}

static inline void note_write(struct warp *warp)
{
    note_many_writes(warp, 1);
}

/* The current path of the warp executes `op` for `lanes`. */
static inline struct instruction_event instruction_event_of(const struct warp *warp,
                                                            const struct op *op, uint32_t lanes)
{
    return (struct instruction_event){.worker = warp->worker->number,
                                      .warp = warp,
                                      .instr = op->instr,
                                      .active = warp->path->mask,
                                      .executing = lanes};
}

#define NOTIFY(listeners, ...)                                                 \
    do {                                                                       \
        for (int i_ = 0; i_ < (listeners).count; i_++)                         \
            (listeners).list[i_].call((listeners).list[i_].self, __VA_ARGS__); \
    } while (0)

/* Launches whose operations order blocks (lockstep.c). They have this many workers for so many CPU
 * threads. */
int lockstep_workers(int threads);
void lockstep_run(struct launch_state *launch, int threads);
/* Blocks that the GPU holds at once, counted by their threads alone. */
int lockstep_window(const struct launch_state *launch);

/* Launches (launch.c). Everything that comes before the first block, with the report to observers;
 * false if there is no memory. launch_end() is called in either case. `stepped`: the caller runs
 * the blocks (stepped.c). */
bool launch_begin(struct launch_state *launch, struct machine *machine,
                  const struct launch_request *request, bool stepped);
void launch_end(struct launch_state *launch, struct fault *fault);
/* Workers are about to run its blocks: compile the kernel, if its observers allow it. */
void launch_translate(const struct launch_state *launch);
/* Note that the launch has failed for want of memory. */
void launch_fail_without_memory(struct launch_state *launch);
/* All changes of memory so far. */
uint64_t launch_writes(const struct launch_state *launch);
/* Which cluster is the n-th to start (schedule.c): random orders step through all by a stride that
 * misses none. */
void launch_choose_stride(struct launch_state *launch);
uint64_t launch_cluster_at(const struct launch_state *launch, uint64_t n);
/* Which of the cluster's blocks is the n-th to start. */
uint32_t launch_rank_at(const struct launch_state *launch, uint32_t n);

/* Blocks of a worker (worker.c). Start the grid's next one, or those of its next cluster; false:
 * there is none, or no room. */
bool worker_start_block(struct worker *worker);
void worker_end_block(struct block *block);
/* Run blocks on all workers, a thread each, until there are none. */
void workers_run(struct launch_state *launch);
/* Free what the worker keeps for its next block. */
void worker_free_spare(struct worker *worker);

#endif
