/* SPDX-License-Identifier: MIT */
/* Instructions made up from the table, right and wrong. */
#ifndef GENERATE_H
#define GENERATE_H

#include <stdint.h>

#include "isa/isa.h"

/* What stands around the lines of a text: a header for a target, and a kernel's beginning and end.
 * The kernel declares what the lines name. */
extern const char generated_kernel[];
extern const char generated_end[];

/* A line made from the sequence of `random`: an instruction of the table as it should be, one with
 * something wrong, or a declaration. */
void generate(uint64_t *random, char *line, size_t size);

enum { DRAFT_MAX_WORDS = ISA_MAX_WORDS + 2, DRAFT_MAX_TEXT = 96 };

/* An instruction in pieces. */
struct draft {
    enum opcode opcode;
    const struct isa_form *form;
    char words[DRAFT_MAX_WORDS][32];
    int word_count;
    enum ptx_type types[ISA_MAX_TYPES + 2]; /* two too many */
    int type_count;
    char operands[ISA_MAX_OPERANDS + 1][DRAFT_MAX_TEXT];
    int operand_count;
};

/* Below `count`, at random (xorshift64*). */
uint32_t below(uint64_t *random, uint32_t count);

/* Suffixes of the form, without those it may go without half of the time. */
void choose_suffixes(uint64_t *random, struct draft *draft);
bool has_word(const struct draft *draft, const char *word);
void put_draft(const struct draft *draft, char *line, size_t size);

#endif
