/* Launches that a timing model drives: blocks and stretches of warps at its word. */
#include "machine/paced.h"

#include <stdlib.h>

#include "observer_memory.h"
#include "launch.h"

struct launch_state *paced_launch(struct machine *machine, const struct launch_request *request,
                                  struct fault *fault)
{
    struct launch_state *launch = observer_allocate(1, sizeof *launch);

    if (launch_begin(launch, machine, request, true))
        return launch;
    paced_finish(launch, fault);
    return NULL;
}

void paced_finish(struct launch_state *launch, struct fault *fault)
{
    launch_end(launch, fault);
    free(launch);
}

const struct launch *paced_info(const struct launch_state *launch)
{
    return &launch->launch;
}

struct block *paced_start(struct launch_state *launch, int thread)
{
    struct worker *worker = &launch->workers[thread];

    if (!worker_start_block(worker))
        return NULL;
    return worker->blocks;
}

void paced_end(struct launch_state *launch, struct block *block)
{
    struct worker *worker = block->worker;
    struct block **link = &worker->blocks;

    (void)launch;
    while (*link != block)
        link = &(*link)->next;
    worker_end_block(worker, link);
}

struct warp *paced_warp(struct block *block, int index)
{
    return &block->warps[index];
}

bool paced_failed(const struct block *block)
{
    return block->failed || block->launch->failed_turn != UINT64_MAX;
}

void paced_deadlock(struct block *block)
{
    block_deadlock(block);
}

uint64_t paced_writes(const struct launch_state *launch)
{
    return launch_writes(launch);
}

int paced_op_count(const struct launch_state *launch)
{
    return launch->code->program->op_count;
}

void paced_visit(const struct launch_state *launch,
                 void (*visit)(void *self, int number, const struct ptx_function *function,
                               const struct ptx_instr *instr),
                 void *self)
{
    const struct program *program = launch->code->program;

    for (int f = 0; f < program->module->function_count; f++) {
        const struct code *code = &program->codes[f];
        for (int i = 0; i < code->op_count; i++)
            visit(self, code->ops[i].number, code->function, code->ops[i].instr);
    }
}
