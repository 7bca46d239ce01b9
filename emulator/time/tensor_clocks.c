/* SPDX-License-Identifier: MIT */
#include "time/tensor_clocks.h"

#include "machine/fragment.h"

/* What a product of two numbers takes, in 16ths of that of halves: the dense rates of NVIDIA's
 * whitepapers on Turing, A100 and H100. */
static int weight_of(const struct gpu *gpu, enum ptx_type type, bool by_group)
{
    switch (type) {
    case PTX_F64:
        return 256;
    case PTX_TF32:
        return 32;
    case PTX_U8:
    case PTX_S8:
        return 8;
    case PTX_E4M3:
    case PTX_E5M2: /* on 9.0 mma is made of products of halves, and wgmma is not */
        return gpu->major < 9 || by_group ? 8 : 16;
    case PTX_U4:
    case PTX_S4: /* and of bytes, two for each */
        return gpu->major < 9 ? 4 : 16;
    case PTX_B1:
        return 1;
    default:
        return 16;
    }
}

int tensor_clocks(const struct gpu *gpu, const struct ptx_instr *instr)
{
    enum { WHOLE = 16, USUAL = 512 }; /* Turing: 64 in each of 8 tensor cores */
    const struct product_shape shape = shape_of(instr);
    const bool of_halves = instr->type_count < 3;
    const bool by_group = instr->opcode == OP_WGMMA_MMA;
    const int own = by_group ? gpu->wgmma_products : 0;
    const int products = own ? own : gpu->tensor_products ? gpu->tensor_products : USUAL;
    const int rate = products / gpu->schedulers;
    const int64_t work = (int64_t)shape.m * shape.n * shape.k *
                         weight_of(gpu, of_halves ? PTX_F16 : instr->types[1], by_group);
    const int64_t clocks = (work + WHOLE * rate / 2) / (WHOLE * rate);

    return clocks > 1 ? (int)clocks : 1;
}
