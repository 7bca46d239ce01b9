/* SPDX-License-Identifier: MIT */
/* What observers may ask of a warp. */
#include "launch.h"

struct warp_id warp_id(const struct warp *warp)
{
    return (struct warp_id){.block = warp->block->index, .index = warp->index};
}

int warp_multiprocessor(const struct warp *warp)
{
    const struct block *block = warp->block;
    return (int)(block->number % (uint64_t)block->launch->machine->gpu.multiprocessors);
}

const struct launch *warp_launch(const struct warp *warp)
{
    return &warp->block->launch->launch;
}

uint64_t warp_issued(const struct warp *warp)
{
    return warp->issued;
}

uint32_t warp_live(const struct warp *warp)
{
    return warp->live;
}

struct dim warp_thread(const struct warp *warp, int lane)
{
    const struct dim block = warp->block->launch->launch.block;
    const uint32_t thread = warp->index * WARP_SIZE + (uint32_t)lane;
    return (struct dim){thread % block.x, thread / block.x % block.y, thread / block.x / block.y};
}

void *warp_scratch(const struct warp *warp)
{
    return ((struct warp *)warp)->scratch;
}

const struct ptx_function *warp_function(const struct warp *warp)
{
    return warp->path->frame->code->function;
}

const void *warp_frame(const struct warp *warp)
{
    return warp->path->frame;
}

uint64_t warp_register(const struct warp *warp, int number, int lane)
{
    const struct ptx_register *reg = &warp_function(warp)->registers[number];
    if (reg->type == PTX_PRED)
        return ((const lane_u32 *)warp->base[FILE_PREDICATES])[reg->slot] >> lane & 1;
    const char *lanes = warp->base[FILE_REGISTERS] + reg->slot;
    return ptx_type_size(reg->type) > 4 ? ((const lane_u64 *)lanes)[lane]
                                        : ((const lane_u32 *)lanes)[lane];
}

void warp_listen(const struct warp *warp, void *self,
                 void (*listener)(void *self, const struct instruction_event *event))
{
    struct launch_state *launch = warp->block->launch;
    struct listeners *const sets[] = {&launch->listeners, &launch->unsampled};
    for (int i = 0; i < 2; i++) {
        const int last = sets[i]->instruction.count++;
        sets[i]->instruction.list[last].self = self;
        sets[i]->instruction.list[last].call = listener;
        sets[i]->everywhere++;
    }
    ((struct warp *)warp)->stop = true; /* and it is chosen again, as one that is heard */
}
