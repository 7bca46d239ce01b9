/* SPDX-License-Identifier: MIT */
#include "mentions.h"

#include "tables.h"

static void mention(struct mentions *mentions, int reg, bool is_write)
{
    if (reg >= 0)
        mentions->items[mentions->count++] = (struct mention){reg, is_write};
}

static void mention_operand(struct mentions *mentions, const struct ptx_operand *operand,
                            bool is_write)
{
    switch (operand->kind) {
    case OPERAND_REGISTER:
        mention(mentions, operand->number, is_write);
        break;
    case OPERAND_PAIR:
        mention(mentions, operand->number, is_write);
        mention(mentions, operand->second, is_write);
        break;
    case OPERAND_ADDRESS:
        if (operand->base == BASE_REGISTER)
            mention(mentions, operand->number, false);
        for (int i = 0; i < operand->count; i++)
            mention_operand(mentions, &operand->elements[i], false);
        break;
    case OPERAND_VECTOR:
        for (int i = 0; i < operand->count; i++)
            mention_operand(mentions, &operand->elements[i], is_write);
        break;
    default:
        break;
    }
}

void find_mentions(const struct ptx_instr *instr, struct mentions *mentions)
{
    mentions->count = 0;
    mention(mentions, instr->guard, false);
    for (int i = 0; i < instr->operand_count; i++)
        mention_operand(mentions, &instr->operands[i], writes_operand(instr, i));
}
