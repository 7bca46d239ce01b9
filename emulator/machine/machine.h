/* SPDX-License-Identifier: MIT */
/* The machine: device memory, loaded modules, and launches.
 *
 * One `struct machine` is one emulated GPU. Nothing here is global: two machines share nothing but,
 * where they are made so, their addresses.
 */
#ifndef MACHINE_H
#define MACHINE_H

#include <stdio.h>

#include "emu.h"
#include "gpus/gpu.h"
#include "machine/observer.h"
#include "ptx/ptx.h"

struct machine;

/* How warps and blocks take turns. The same schedule gives the same run. */
enum schedule_kind { SCHEDULE_FORWARD, SCHEDULE_REVERSE, SCHEDULE_RANDOM };
struct schedule {
    enum schedule_kind kind;
    uint64_t seed; /* of SCHEDULE_RANDOM */
};

/* A machine like `gpu` (copied) whose blocks run on `workers` CPU threads; 0: one a core. Returns
 * NULL where there is no memory. */
struct machine *machine_new(const struct gpu *gpu, int workers);
/* The first of `count` such machines, up to MACHINES_MOST, whose memory has different addresses;
 * and another one beside it, its `number`-th from 1 on. The first goes last. */
struct machine *machine_new_first(const struct gpu *gpu, int workers, int count);
struct machine *machine_new_beside(struct machine *first, int number);
enum { MACHINES_MOST = 64 };
void machine_free(struct machine *machine);
/* Kernels of `machine` may use the memory of machine `number` from now on, or no more. What both
 * sides share, managed and registered memory, they always may. */
void machine_set_reach(struct machine *machine, int number, bool may);

const struct gpu *machine_gpu(const struct machine *machine);

/* Watch every launch from now on. `observer` is copied; the first added hears of an event first. */
void machine_observe(struct machine *machine, const struct observer *observer);
/* How many do; and let those from number `from` on watch another machine too. */
int machine_observer_count(const struct machine *machine);
void machine_observe_alike(struct machine *machine, const struct machine *other, int from);

/* The next number of a sequence that a random schedule goes by. */
uint64_t schedule_random(uint64_t *state);
void machine_set_schedule(struct machine *machine, struct schedule schedule);
/* The user asked for the schedule: a time model that orders warps itself must not do so. */
void machine_insist_on_schedule(struct machine *machine);
bool machine_insists_on_schedule(const struct machine *machine);

/* Who executes kernels. The results are the same. */
enum kernel_engine {
    ENGINE_INTERPRETER,
    ENGINE_BACKGROUND, /* hot kernels are compiled while they go on (compile/) */
    ENGINE_COMPILED, /* all are, before they run */
};
void machine_set_engine(struct machine *machine, enum kernel_engine engine);

/* Lenient: a lane with a bad address is left out of the access (a load gives it anything), the
 * kernel goes on, and its launch fails only at the end. Observers hear of every bad address. */
void machine_set_lenient(struct machine *machine, bool lenient);

/* Where the number of a signal comes that is to end the program: launches stop then. */
void machine_set_signal(struct machine *machine, const volatile int *signal);

/* Sampling, of the programs loaded from now on: of a kernel that has a slice (slice.h) only those
 * blocks run in full whose instructions an observer samples. Of the others only the slice
 * runs, or nothing where no observer needs that either, and only observers that sample hear of it.
 * What such a kernel writes is anything. */
void machine_set_sampling(struct machine *machine, bool sampling);

/* Where %clock comes from, clocks of `warp`'s multiprocessor, and %globaltimer, the same in
 * nanoseconds. Without one a warp's clock counts the instructions it issued, and so does the timer.
 */
typedef uint64_t machine_clock_function(void *self, const struct warp *warp);
void machine_set_clock(struct machine *machine, machine_clock_function *clock, void *self);

/* Device memory (device_memory.c). Addresses are host addresses in a region of their own, 256-byte
 * aligned, each allocation with unmapped room after it; 0 is never one. Nothing of the device's
 * own can be read there: the CPU has it elsewhere, so that a program that reads it crashes. */
enum memory_kind {
    MEMORY_DEVICE,
    MEMORY_CONSTANT,
    MEMORY_MANAGED, /* the host's too */
    MEMORY_HOST, /* registered */
};
struct allocation {
    uint64_t address;
    size_t size;
    enum memory_kind kind;
    const char *name; /* of a variable, or NULL */
    uint64_t shift; /* from an address to where the CPU has it; 0 of what is the host's too */
    uint64_t number; /* 1, 2, 3 ... by age */
    int machine; /* whose memory it is; of registered memory 0 */
    uint64_t access; /* of memory that the program maps, the machines that may use it; else 0 */
};
/* Returns 0 where the device, or the host, has not that much left. Size 0 returns 0. Contents start
 * as 0xCD bytes, so that none relies on zeros; managed memory as zeros, as the host's does. */
uint64_t memory_allocate(struct machine *machine, size_t size, enum memory_kind kind,
                         const char *name);
/* Make host memory [address, address + size) reachable from kernels (cudaHostAlloc,
 * cudaHostRegister). Returns false if it overlaps what is there. */
bool memory_register_host(struct machine *machine, void *address, size_t size);
/* Free or unregister what starts at `address`; false if nothing does. */
bool memory_release(struct machine *machine, uint64_t address);
/* The allocation, of any machine, that holds all of [address, address + size), or NULL. */
const struct allocation *memory_find(const struct machine *machine, uint64_t address, size_t size);
/* The same for a kernel of the machine: NULL too where it may not reach the memory. */
const struct allocation *memory_reach(const struct machine *machine, uint64_t address, size_t size);
/* Where the CPU has what kernels find at `address`: at the same address, except for memory of the
 * device's own. */
void *memory_host(const struct machine *machine, uint64_t address);
/* The address for kernels of what the CPU has at `pointer`. */
uint64_t memory_address(const struct machine *machine, const void *pointer);
/* Is it an address of the device's own memory, allocated or not? */
bool memory_is_own(const struct machine *machine, uint64_t address);
/* Is there memory that the host can write while a kernel runs? */
bool memory_is_shared(const struct machine *machine);
/* Is it memory of another machine, and not shared by all? */
bool memory_is_abroad(const struct machine *machine, uint64_t address);
/* Say in `text` what lies at `address`: how far after which allocation, freed, null, host's. */
void memory_describe(const struct machine *machine, uint64_t address, size_t size, char *text,
                     size_t text_size);
/* The same of a whole allocation: "a 4000-byte allocation". */
void describe_allocation(const struct allocation *allocation, char *text, size_t size);
/* Bytes not allocated. */
size_t memory_available(const struct machine *machine);
/* Where device memory begins: what does not depend on where the host maps it counts from here. */
uint64_t memory_base(const struct machine *machine);

/* A module made ready: variables placed and initialised, kernels bound to their executors. Owns
 * `module`. On an error (no memory, a variable that is not defined) returns NULL and one line in
 * `error`, and frees `module`. What a kernel needs and the GPU or the emulator lacks is no error of
 * the module: see kernel_info. */
struct program *machine_load(struct machine *machine, struct ptx_module *module, char *error,
                             size_t error_size);
/* The same of a module that another machine has loaded as `first`, whose managed variables are this
 * one's too; NULL: none has. */
struct program *machine_load_beside(struct machine *machine, struct ptx_module *module,
                                    const struct program *first, char *error, size_t error_size);
void machine_unload(struct machine *machine, struct program *program);
const struct ptx_module *program_module(const struct program *program);
/* How much malloc() in kernels may give in all, from its first use on. */
void machine_set_heap(struct machine *machine, size_t bytes);
/* NULL where there is none of that name. */
const struct kernel *program_kernel(const struct program *program, const char *name);
const struct allocation *program_variable(const struct program *program, const char *name);

/* What is known of a kernel before it runs. */
struct kernel_info {
    const struct ptx_module *module;
    const struct ptx_function *function;
    char name[256]; /* demangled as far as the base name: "sum_of_squares" */
    const char *failure; /* why it cannot run, and where; NULL: it can be launched */
    bool allows_next; /* to begin before it has ended (griddepcontrol.launch_dependents) */
};
const struct kernel_info *kernel_info(const struct kernel *kernel);

/* A kernel to run. `arguments[i]` points to argument i, as in cudaLaunchKernel. */
struct launch_request {
    const struct kernel *kernel;
    struct dim grid, block;
    size_t dynamic_shared; /* bytes */
    void **arguments;
    struct dim cluster; /* blocks; 0s: what the kernel says, or 1 x 1 x 1 */
    uint64_t workspace; /* of a cooperative launch: global memory for a barrier of the grid; or 0 */
};

/* Run a kernel to its end. The caller has checked the request against the GPU's limits. Where it
 * fails, `fault` says why and the launch stops; device memory holds what was written until then. */
void machine_launch(struct machine *machine, const struct launch_request *request,
                    struct fault *fault);
/* The same, for these observers alone: nothing is printed, and afterwards memory is what it was.
 * Returns false where that is more than 1 GiB, or than the host has room for; nothing has run then.
 */
bool machine_dry_run(struct machine *machine, const struct launch_request *request,
                     const struct observer *observers, int observer_count, struct fault *fault);

/* Of a warp, for observers. */
struct warp_id {
    struct dim block; /* blockIdx */
    uint32_t index; /* of the warp in its block */
};
struct warp_id warp_id(const struct warp *warp);
/* Its block's number modulo multiprocessors. */
int warp_multiprocessor(const struct warp *warp);
const struct launch *warp_launch(const struct warp *warp);
/* Instructions it has issued, the one that an event is about among them. */
uint64_t warp_issued(const struct warp *warp);
/* Lanes that have not exited. */
uint32_t warp_live(const struct warp *warp);
/* threadIdx of a lane. */
struct dim warp_thread(const struct warp *warp, int lane);
/* 64 bytes of an observer's own, zero when the warp starts. Only one observer may use them. */
void *warp_scratch(const struct warp *warp);
/* The function that its current path is in; a name for that function's registers, which may come
 * again once the function has returned; and a register of it, by number (a predicate: 0 or 1). */
const struct ptx_function *warp_function(const struct warp *warp);
const void *warp_frame(const struct warp *warp);
uint64_t warp_register(const struct warp *warp, int number, int lane);
/* Of a collective_event whose instruction shuffles: where the halves of what each lane is about to
 * get come from. In either half a lane's number and 1, with SHUFFLED_UPPER of its upper half; 0:
 * from a lane that takes no part. */
void warp_shuffled(const struct warp *warp, uint32_t lanes, uint32_t from[WARP_SIZE]);
enum { SHUFFLED_UPPER = 64, HALF_BYTES = 2 };
/* Of a collective_event whose instruction multiplies matrices: how its operand d, a, b or c, by
 * number, is distributed among the lanes. */
const struct fragment *warp_fragment(const struct warp *warp, int operand);
/* From the next instruction of the launch on, `listener` is told of each as an observer is. To be
 * called from an event, where one worker runs all blocks. */
void warp_listen(const struct warp *warp, void *self,
                 void (*listener)(void *self, const struct instruction_event *event));
/* Which register moves the byte at `offset` of what `lane` loads or stores: byte `at` of element
 * `element` of some lane's vector. It is the same lane's unless the instruction exchanges halves
 * between lanes. Bytes of one event->unit stay together. Only while the event is told. */
struct register_byte {
    int lane;
    uint32_t element, at;
};
struct register_byte access_register(const struct access_event *event, int lane, uint32_t offset);
/* What a store is about to write there. */
uint8_t access_stored(const struct access_event *event, int lane, uint32_t offset);

#endif
