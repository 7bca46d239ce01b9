/* What the files of the machine know of each other.
 *
 * A launch runs blocks; a block has warps; a warp has paths. A path is a set of lanes that share a
 * program counter. Where a branch divides a path, a record remembers which lanes are to meet again
 * and where. A function called from a kernel runs in a frame of its own: registers, local memory
 * and parameters.
 */
#ifndef INTERNAL_H
#define INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "machine.h"
#include "paced.h"

enum { FULL_WARP = -1 }; /* as uint32_t: every lane */
enum { MAX_OBSERVERS = 8, MAX_BARRIERS = 16, MAX_CALL_DEPTH = 4096, MAX_CALL_ARGUMENTS = 64 };

/* Shared and local memory as generic addresses see them: where no host pointer can be. */
#define SHARED_WINDOW UINT64_C(0xA500000000000000)
#define LOCAL_WINDOW UINT64_C(0xA600000000000000)
#define WINDOW_MASK UINT64_C(0xFFFF000000000000)

/* Registers are untyped memory: these views may alias. */
typedef uint32_t __attribute__((may_alias)) lane_u32;
typedef int32_t __attribute__((may_alias)) lane_s32;
typedef float __attribute__((may_alias)) lane_f32;
typedef uint64_t __attribute__((may_alias)) lane_u64;
typedef int64_t __attribute__((may_alias)) lane_s64;
typedef double __attribute__((may_alias)) lane_f64;

struct op;

/* Executes `op` for `lanes` of the warp's current path; never called with an empty set. */
typedef void op_handler(struct warp *warp, const struct op *op, uint32_t lanes);

/* Compares op's sources a and b in all lanes: one bit a lane. */
typedef uint32_t comparison(const struct warp *warp, const struct op *op);

/* Half precision, computed in double (half.c). */
typedef double half_function(double a, double b, double c);

/* What atomics make of the value in memory, their second and their third source. */
typedef uint64_t combine_function(const struct op *op, uint64_t old, uint64_t with, uint64_t third);
/* What lanes of a warp do together (collective.c). */
struct exchange;
typedef void exchange_function(const struct op *op, struct exchange *exchange);

/* Where an operand lives: `offset` bytes into one of the warp's files. Values are 32 lanes next to
 * each other; predicates are one word, a bit a lane. */
enum operand_file {
    FILE_REGISTERS,
    FILE_PREDICATES,
    FILE_SPECIALS, /* special registers of the warp */
    FILE_POOL, /* constants of the function, the same in every lane */
    FILE_COUNT,
};

struct slot {
    uint32_t offset;
    uint8_t file;
    uint8_t bytes; /* between lanes: 4 or 8; 0: a predicate */
    uint8_t width; /* of the register's type, in bytes */
    bool negated; /* of a predicate */
    bool present; /* false: '_', or not written */
};

enum address_kind { ADDRESS_CONSTANT, ADDRESS_32, ADDRESS_64 };

/* What an address of a variable counts from, known only when it runs. */
enum relative {
    RELATIVE_NONE,
    RELATIVE_LOCAL, /* the frame's local memory */
    RELATIVE_DYNAMIC_SHARED, /* the kernel's dynamic shared memory */
};

/* An instruction bound to its executor. */
struct op {
    op_handler *handler;
    op_handler
        *inner; /* float: what runs between a change of the host's rounding and its undoing */
    const struct ptx_instr *instr;
    struct slot d, a, b, c;
    struct slot d2; /* the q of p|q: compare (setp), collective (shfl, match) */
    struct slot e; /* bits: bfi's fourth source; collective: the mask of members */
    struct slot pointer; /* the register of an address */
    struct slot *elements; /* of a vector operand */
    int guard; /* predicate, or -1 */
    uint32_t guard_flip;
    bool always; /* runs even where the guard lets no lane through: branches */

    /* Floats. */
    bool ftz, sat, relu;
    bool integral; /* cvt: to a whole number */
    int rounding; /* as fesetround takes it; for integral rounding too */
    half_function *function;

    /* Memory. */
    enum address_kind address;
    enum ptx_space space;
    enum ptx_type type;
    enum ptx_type source_type; /* cvt */
    uint8_t bytes; /* of one element */
    uint8_t vector;
    enum relative relative;
    bool frame_param; /* among the frame's parameters, not the kernel's */
    bool ordered; /* needs a fence */
    bool sign_extend;
    int64_t offset;
    uint64_t window; /* cvta: where generic addresses of the space start */

    /* arithmetic: enum carry bits; bits: lop3's table; collective, compare: the modifier that says
     * which operation; half: the sign bits; move: which special register. */
    uint32_t immediate;
    comparison *compare;
    combine_function *combine;
    exchange_function *exchange;
    uint32_t immediate_yes; /* compare (set): what a true comparison gives */

    /* Control. */
    struct call *call;

    /* For a pacer (paced.h). */
    int number; /* in its program */
    uint8_t held; /* in front of it a paced warp stops: enum paced_stop, or 0 */
    bool meets; /* other blocks may see when it runs: in rounds a warp stops in front of it */
};

/* A function bound to its executors. */
struct code {
    const struct program *program;
    const struct ptx_function *function;
    struct op *ops;
    int op_count;
    char *pool;
    size_t pool_used, pool_size;
    uint32_t specials; /* a set of enum ptx_sreg: those it reads */
    bool reads_others; /* what other blocks write, and as they write it */
    bool meets; /* one of its ops does, or one of a function it may call */
    char *failure; /* why it cannot run, or NULL */
};

/* A call's callee and what is passed: variables among the caller's parameters. */
struct call {
    const struct code *callee; /* NULL for a function that we provide */
    const struct ptx_var *arguments[MAX_CALL_ARGUMENTS], *results[MAX_CALL_ARGUMENTS];
    int argument_count, result_count;
};

struct kernel {
    struct program *program;
    struct code *code;
    struct kernel_info info;
};

struct program {
    struct ptx_module *module;
    struct code *codes; /* by function of the module */
    struct kernel *kernels;
    int kernel_count;
    const struct allocation **variables; /* by variable of the module, NULL for other spaces */
    int op_count; /* of all functions */
};

/* Memory (device_memory.c). */
struct allocation_list {
    struct allocation **items; /* sorted by address */
    size_t count, room;
};

struct memory {
    char *region;
    size_t region_size, capacity, used;
    uint64_t fresh; /* first address of the region never handed out */
    struct allocation_list live;
    struct allocation_list freed; /* to say so of a pointer that is used after */
    uint64_t next_number;
    pthread_mutex_t lock;
};

struct machine {
    struct gpu gpu;
    int workers;
    struct schedule schedule;
    bool insists; /* on that schedule */
    bool lenient; /* lanes with a bad address are told of and left out */
    struct observer observers[MAX_OBSERVERS];
    int observer_count;
    machine_clock_function *clock, *globaltimer;
    void *clock_self;
    uint64_t launches;
    struct memory memory;
};

bool memory_start(struct memory *memory, size_t capacity);
void memory_stop(struct memory *memory);

/* Where the lanes of a divided path meet again. */
enum { NO_PC = -1 };
struct record {
    bool used;
    int pc; /* of the meeting point; NO_PC: at the return of a call */
    uint32_t expected, arrived;
    struct record *parent;
    struct frame *frame; /* where they go on */
    int resume; /* program counter to go on at */
    struct frame *called; /* of a call: goes when all have returned */
};

struct frame {
    const struct code *code;
    const struct call *call; /* that made it; NULL: the kernel's */
    struct frame *caller;
    struct frame *older, *younger; /* of the warp's frames, in no other order */
    struct record record; /* lanes that have returned */
    int depth;
    uint64_t local_base; /* first local address of this frame */
    char *registers, *predicates;
    char *local, *params; /* 32 threads next to each other */
    size_t bytes; /* of registers to params */
};

enum path_state {
    PATH_FREE,
    PATH_READY,
    PATH_YIELDED, /* ready, but others come first */
    PATH_AT_BARRIER, /* of the block: `barrier` */
    PATH_AT_COLLECTIVE, /* waits for lanes of its warp */
    PATH_ASLEEP, /* polls words that nobody has changed */
};

struct path {
    enum path_state state;
    int pc;
    uint32_t mask;
    struct record *record;
    struct frame *frame;
    int barrier;
    uint32_t members; /* of the collective it waits for */
    uint32_t spins; /* backward branches since it last gave way */
    /* To see that it goes in circles: a digest of its registers, and when it was taken. */
    uint64_t snapshot, writes_then;
    uint32_t checks, next_snapshot;
    bool woke; /* it slept in front of the instruction in hand */
    bool polls; /* its registers come back to what they were */
    bool stuck; /* and no memory changed */
    /* The same in front of what meets others, of its last but one stop there or an earlier one. */
    uint64_t stop_snapshot, stop_writes;
    uint32_t stops, next_stop;
};

/* WARP_HELD: in front of what meets other blocks. WARP_ASLEEP: some path polls, the others wait. */
enum warp_state { WARP_READY, WARP_WAITING, WARP_DONE, WARP_HELD, WARP_ASLEEP };

/* What a lane has read, since its path was last compared with itself, of what others write. */
enum { WATCHED_WORDS = 4 };
struct watch {
    struct {
        const char *pointer;
        uint64_t value;
    } words[WATCHED_WORDS];
    uint8_t bytes[WATCHED_WORDS];
    uint8_t count; /* more than there are: some were not noted */
    uint64_t writes; /* the launch's, when the last was read */
};

struct warp {
    char *base[FILE_COUNT]; /* of the current path */
    struct path *path; /* the current one */
    bool stop; /* the current path cannot go on now */
    uint32_t threads; /* lanes that the block has threads for */
    uint32_t live; /* of those, the ones that have not exited */
    uint32_t carry; /* condition code, a bit a lane */
    uint32_t index;
    uint64_t issued; /* instructions */
    uint64_t writes; /* that changed memory */
    struct watch *watches; /* by lane; NULL where the kernel meets no other block */
    bool circles; /* paced: it has just read once more what it had read */
    struct block *block;
    struct worker *worker;
    const struct allocation *last_allocation;
    enum warp_state state;
    bool yielded;
    struct path paths[WARP_SIZE];
    int path_limit; /* those from here on were never used */
    struct record records[WARP_SIZE];
    struct frame *frame; /* the kernel's */
    struct frame *youngest; /* of all frames of the warp */
    char *specials;
    uint64_t scratch[8];
    _Alignas(16) char sink[32]; /* where accesses go that are left out */
};

struct barrier {
    uint32_t arrived; /* threads */
    uint32_t expected; /* 0: all live threads */
    uint32_t count; /* bar.red: threads whose predicate holds */
};

struct block {
    struct launch_state *launch;
    struct worker *worker;
    struct dim index;
    uint64_t number; /* in the grid */
    uint64_t turn; /* the how many-th to start */
    int warp_count;
    struct warp *warps;
    char *shared;
    size_t shared_bytes;
    struct barrier barriers[MAX_BARRIERS];
    int barrier_limit; /* those from here on were never used */
    uint32_t live; /* threads */
    uint64_t random; /* state of its own sequence */
    bool failed;
    bool stuck; /* when it last had a turn */
    bool done; /* in rounds: to be ended between two */
    uint32_t turns; /* without an end */
    struct block *next; /* of its worker */
};

/* The functions of those who listen, fetched once a launch. */
#define LISTENERS(event)       \
    struct {                   \
        int count;             \
        struct {               \
            void *self;        \
            event              \
        } list[MAX_OBSERVERS]; \
    }

struct listeners {
    LISTENERS(void (*call)(void *, int, const struct launch *, struct dim);)
    block_begin, block_end, barrier_release;
    LISTENERS(void (*call)(void *, const struct instruction_event *);) instruction;
    LISTENERS(void (*call)(void *, const struct access_event *);) access;
    LISTENERS(void (*call)(void *, const struct branch_event *);) branch;
    LISTENERS(void (*call)(void *, const struct barrier_event *);) barrier;
    LISTENERS(void (*call)(void *, const struct barrier_open_event *);) barrier_open;
    LISTENERS(void (*call)(void *, const struct collective_event *);) collective;
    LISTENERS(void (*call)(void *, const struct instruction_event *);) fence;
    LISTENERS(void (*call)(void *, const struct instruction_event *);) dependency;
    LISTENERS(void (*call)(void *, const struct fault_event *);) fault;
};

/* One CPU thread that runs blocks. */
struct worker {
    struct launch_state *launch;
    int number;
    pthread_t thread;
    _Atomic uint64_t writes; /* that changed memory: nobody is stuck while this moves */
    _Atomic uint64_t stuck_at; /* all workers' writes when its blocks were last seen stuck */
    bool started;
    struct block *blocks; /* resident */
    int block_count;
    struct block *spare;
};
#define WORKER_BUSY UINT64_MAX
#define WORKER_ENDED (UINT64_MAX - 1)

struct launch_state {
    struct launch launch;
    struct machine *machine;
    const struct kernel *kernel;
    const struct code *code;
    char *params; /* the kernel's */
    size_t shared_bytes;
    uint64_t block_count, threads; /* of a block */
    uint64_t first, stride; /* of a random order of blocks */
    struct listeners listeners;
    struct worker *workers;
    int worker_count, max_resident;
    bool paced; /* somebody else says which warp runs when */
    bool rounds; /* its blocks may meet, and run in rounds */
    _Atomic uint64_t next_turn;
    _Atomic uint64_t failed_turn; /* the lowest; UINT64_MAX: none */
    pthread_mutex_t fault_lock;
    struct fault fault;
};

/* Faults (fault.c): "WHAT in kernel K, FILE:LINE, block, thread: DETAIL". The first of its block
 * stops the block, the one of the lowest block is the launch's. `lane`: whose thread is named. */
void warp_fault(struct warp *warp, const struct ptx_instr *instr, int lane, enum fault_kind kind,
                const char *what, const char *format, ...) __attribute__((format(printf, 6, 7)));
/* The same, but the block goes on: the launch fails when it has ended. */
void warp_complain(struct warp *warp, const struct ptx_instr *instr, int lane, enum fault_kind kind,
                   const char *what, const char *detail);

/* Bytes from thread to thread of a frame's local memory or parameters. */
static inline size_t frame_stride(size_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

/* Values of a slot. */
static inline void *slot_lanes(const struct warp *warp, struct slot slot)
{
    return warp->base[slot.file] + slot.offset;
}

static inline uint32_t slot_predicate(const struct warp *warp, struct slot slot)
{
    const uint32_t mask = *(lane_u32 *)slot_lanes(warp, slot);
    return slot.negated ? ~mask : mask;
}

static inline void slot_set_predicate(struct warp *warp, struct slot slot, uint32_t lanes,
                                      uint32_t mask)
{
    lane_u32 *word = slot_lanes(warp, slot);
    *word = (*word & ~lanes) | (mask & lanes);
}

/* One lane's value of a slot, zero-extended. */
static inline uint64_t slot_read(const struct warp *warp, struct slot slot, int lane)
{
    const char *lanes = slot_lanes(warp, slot);
    return slot.bytes == 8 ? ((const lane_u64 *)lanes)[lane] : ((const lane_u32 *)lanes)[lane];
}

/* Write one lane, cut to the register's width. */
static inline void slot_write(const struct warp *warp, struct slot slot, int lane, uint64_t value)
{
    char *lanes = slot_lanes(warp, slot);
    if (slot.bytes == 8)
        ((lane_u64 *)lanes)[lane] = value;
    else
        ((lane_u32 *)lanes)[lane] = slot.width == 2   ? (uint16_t)value
                                    : slot.width == 1 ? (uint8_t)value
                                                      : (uint32_t)value;
}

/* Addresses of the device's memory are the host's. */
static inline void *host_pointer(uint64_t address)
{
    return (void *)(uintptr_t)address; /* NOLINT(performance-no-int-to-ptr) */
}

static inline int first_lane(uint32_t lanes)
{
    return __builtin_ctz(lanes);
}

static inline void note_write(struct warp *warp)
{
    struct worker *worker = warp->worker;
    warp->writes++;
    atomic_store_explicit(&worker->writes,
                          atomic_load_explicit(&worker->writes, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

#define NOTIFY(listeners, ...)                                                 \
    do {                                                                       \
        for (int i_ = 0; i_ < (listeners).count; i_++)                         \
            (listeners).list[i_].call((listeners).list[i_].self, __VA_ARGS__); \
    } while (0)

/* The special registers of a warp: 32-bit ones by number, the grid's number in 64 bits, and a place
 * for results that nobody wants. */
enum {
    SPECIALS_ROW = WARP_SIZE * 4,
    SPECIALS_WIDE = SREG_FIRST_VOLATILE * SPECIALS_ROW,
    SPECIALS_SINK = SPECIALS_WIDE + WARP_SIZE * 8,
    SPECIALS_BYTES = SPECIALS_SINK + WARP_SIZE * 8,
};

static inline uint32_t special_offset(int sreg, bool wide)
{
    return wide ? SPECIALS_WIDE : (uint32_t)sreg * SPECIALS_ROW;
}

/* Binding (bind.c): from instructions to ops. */
struct binder {
    struct machine *machine;
    struct program *program;
    struct code *code;
    const struct ptx_instr *instr;
    struct op *op;
    bool failed;
    char *error;
    size_t error_size;
};

/* Each takes operand `i`; each refuses one of the wrong kind or width. */
void bind_destination(struct binder *binder, struct slot *slot, int i, size_t bytes);
void bind_source(struct binder *binder, struct slot *slot, int i, size_t bytes);
void bind_predicate(struct binder *binder, struct slot *slot, int i);
void bind_element(struct binder *binder, struct slot *slot, const struct ptx_operand *operand,
                  size_t bytes, bool destination);
/* The predicate q of a destination p|q; tells whether it is written. */
void bind_second(struct binder *binder, struct slot *slot, int i, bool *written);
/* The elements of a vector into op->elements: registers of `bytes` or wider. */
void bind_elements(struct binder *binder, const struct ptx_operand *vector, size_t bytes,
                   bool destination);
/* One operand, a register of `bytes` or wider. */
void bind_wider(struct binder *binder, struct slot *slot, const struct ptx_operand *operand,
                size_t bytes, bool destination);
void bind_address(struct binder *binder, int i);
/* The address of a variable, and what it is to be added to. */
uint64_t bind_symbol(struct binder *binder, int number, enum relative *relative);
/* Destination and up to three sources, all of the instruction's type. */
void bind_plain(struct binder *binder, int sources);
/* Refuse the instruction; `why` may be NULL. */
void bind_refuse(struct binder *binder, const char *why);
/* 4 or 8: how far apart lanes of this type are. */
static inline size_t lane_bytes(enum ptx_type type)
{
    return ptx_type_size(type) > 4 ? 8 : 4;
}
bool bind_code(struct binder *binder, int function);
/* Behind all of a program's: which functions meet other blocks, by themselves or by what they call.
 * False: no memory. */
bool bind_meetings(struct program *program);

void bind_arithmetic(struct binder *binder);
void bind_bits(struct binder *binder);
void bind_compare(struct binder *binder);
void bind_move(struct binder *binder);
void bind_memory(struct binder *binder);
void bind_collective(struct binder *binder);
void bind_control(struct binder *binder);

/* Parts of families that have files of their own. */
void bind_float(struct binder *binder);
void bind_half(struct binder *binder);
void bind_convert(struct binder *binder);
void bind_atomic(struct binder *binder);
void bind_call(struct binder *binder);

/* What the address of `op` counts from (access.c). */
uint64_t address_base(const struct warp *warp, const struct op *op);

/* The end of a function's instructions: a ret. */
void control_end(struct warp *warp, const struct op *op, uint32_t lanes);
void call_vprintf(struct warp *warp, const struct op *op, uint32_t lanes);
void call_assertfail(struct warp *warp, const struct op *op, uint32_t lanes);

#endif
