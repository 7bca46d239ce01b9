/* SPDX-License-Identifier: MIT */
#include "kernels.h"

#include <stdlib.h>
#include <string.h>

#include "kernel_lines.h"

enum { MAX_DEPTH = 3, TRIPS = 4, STEPS = 75 };

/* Two matrices of 16 rows in the words of each warp, loaded by whole warps or stored by them. */
static void put_matrices(struct kernel *k)
{
    const char *how = any(k, 2) ? ".trans" : "";
    const bool loads = any(k, 2);
    char a[8], b[8], word[8];
    snprintf(a, sizeof a, "%%r%u", any(k, POOL / 2));
    snprintf(b, sizeof b, "%%r%u", POOL / 2 + any(k, POOL / 2));
    any_register(k, 8, word);
    put(k, "st.shared.b64 [%%swap], %s;", word);
    put(k, "bar.sync 0;");
    fputs("    shl.b32 %t1, %swap, 1; and.b32 %t1, %t1, 0xf0; and.b32 %t2, %swap, -256;\n"
          "    or.b32 %t1, %t1, %t2;\n",
          k->file);
    if (loads) {
        put(k, "ldmatrix.sync.aligned.m8n8.x2%s.shared.b16 {%s, %s}, [%%t1];", how, a, b);
        keep_line(k, a);
        keep_line(k, b);
    } else {
        put(k, "stmatrix.sync.aligned.m8n8.x2%s.shared.b16 [%%t1], {%s, %s};", how, a, b);
        fputs("    bar.sync 0;\n", k->file);
        fprintf(k->file, "    ld.shared.b64 %s, [%%swap];\n", word);
        keep_line(k, word);
    }
    put(k, "bar.sync 0;");
}

/* Where all threads come: barriers, alone or around an exchange through shared memory. */
static void put_meeting(struct kernel *k)
{
    if (k->age == KERNEL_NEW && !any(k, 5)) {
        put_matrices(k);
        return;
    }
    const uint32_t barrier = any(k, k->age == KERNEL_NEW ? 16 : 1);
    char reg[8], other[8];
    any_register(k, 8, reg);
    any_register(k, 8, other);
    if (k->age == KERNEL_NEW && !any(k, 3)) {
        any_register(k, 4, reg);
        put(k, "barrier.red.popc%s.u32 %s, %u, %%p%u;", any(k, 2) ? ".aligned" : "", reg, barrier,
            any(k, POOL));
        keep_line(k, reg);
        return;
    }
    const char *sync = k->age == KERNEL_NEW && any(k, 2) ? "barrier" : "bar";
    put(k, "st.shared.b64 [%%swap], %s;", reg);
    put(k, "%s.sync %u;", sync, barrier);
    /* Of those who have exited the word is an old one, which all have written. */
    fprintf(k->file, "    xor.b32 %%t1, %%swap, %u;\n", 8 * any(k, KERNEL_BLOCK_THREADS));
    put(k, "ld.shared.b64 %s, [%%t1];", other);
    keep_line(k, other);
    put(k, "%s.sync %u;", sync, barrier);
}

static void put_call(struct kernel *k)
{
    char a[8], b[8], result[8];
    any_register(k, 4, a);
    any_register(k, 4, b);
    any_register(k, 4, result);
    fprintf(k->file, "    { .param .b32 a, b, c; st.param.b32 [a], %s; st.param.b32 [b], %s;\n", a,
            b);
    fprintf(k->file, "    call (c), mix, (a, b); ld.param.b32 %s, [c]; }\n", result);
    snprintf(k->line, sizeof k->line, "call (%s), mix, (%s, %s);", result, a, b);
    keep_line(k, result);
}

static void put_steps(struct kernel *k, uint32_t count);

/* One of two or four ways for each lane, with the lanes of each in a mask. */
static void put_ways(struct kernel *k)
{
    const int name = k->names++;
    const uint32_t ways = k->age == KERNEL_NEW && any(k, 3) == 0 ? 4 : 2;
    const struct kernel outer = *k;
    char reg[8];
    any_register(k, 4, reg);
    fprintf(k->file, "    { .reg .b32 %%w, %%m%d_<4>; .reg .pred %%v; and.b32 %%w, %s, %u;\n", name,
            reg, ways - 1);
    for (uint32_t i = 0; i < ways && k->age == KERNEL_NEW; i++)
        fprintf(k->file, "    setp.eq.u32 %%v, %%w, %u; vote.sync.ballot.b32 %%m%d_%u, %%v, %s;\n",
                i, name, i, outer.mask);
    if (ways == 4)
        fprintf(k->file,
                "    T%d: .branchtargets W%d_0, W%d_1, W%d_2, W%d_3;\n    brx.idx %%w, T%d;\n",
                name, name, name, name, name, name);
    else
        fprintf(k->file, "    setp.eq.u32 %%v, %%w, 1; @%%v bra W%d_1;\n", name);
    k->depth++;
    for (uint32_t i = 0; i < ways; i++) {
        fprintf(k->file, "W%d_%u:\n", name, i);
        snprintf(k->mask, sizeof k->mask, "%%m%d_%u", name, i);
        put_steps(k, 1 + any(k, 5));
        fprintf(k->file, "    bra E%d;\n", name);
    }
    fprintf(k->file, "    }\nE%d:\n", name);
    k->depth = outer.depth;
    memcpy(k->mask, outer.mask, sizeof k->mask);
}

/* A loop of one to four turns, by lane. Each turn has slots of its own. */
static void put_loop(struct kernel *k)
{
    const int name = k->names++, first = k->count;
    const struct kernel outer = *k;
    char reg[8];
    any_register(k, 4, reg);
    fprintf(k->file, "    { .reg .b32 %%c, %%n%d; .reg .b64 %%l; .reg .pred %%u;\n", name);
    fprintf(k->file, "    and.b32 %%c, %s, %d; mov.b64 %%l, %s; mov.b32 %%n%d, %s;\nL%d:\n", reg,
            TRIPS - 1, outer.base, name, outer.mask, name);
    snprintf(k->base, sizeof k->base, "%%l");
    snprintf(k->mask, sizeof k->mask, "%%n%d", name);
    k->depth++;
    k->in_loop = true;
    k->limit = first + 10;
    put_steps(k, 2 + any(k, 4));
    const int body = k->count - first;
    for (int i = 0; i < (TRIPS - 1) * body; i++, k->count++)
        if (k->count == KERNEL_SLOTS)
            abort();
        else
            k->slots[k->count] = k->slots[k->count - body];
    fprintf(k->file, "    add.u64 %%l, %%l, %d; setp.ne.u32 %%u, %%c, 0; sub.u32 %%c, %%c, 1;\n",
            body * SLOT_BYTES);
    if (k->age == KERNEL_NEW)
        fprintf(k->file, "    vote.sync.ballot.b32 %%n%d, %%u, %%n%d;\n", name, name);
    fprintf(k->file, "    @%%u bra L%d; }\n", name);
    memcpy(k->base, outer.base, sizeof k->base);
    memcpy(k->mask, outer.mask, sizeof k->mask);
    k->depth = outer.depth;
    k->in_loop = outer.in_loop;
    k->limit = outer.limit;
}

/* Some lanes have done their part. */
static void put_exit(struct kernel *k)
{
    const uint32_t p = any(k, POOL);
    if (k->age == KERNEL_NEW) {
        fprintf(k->file, "    not.pred %%q0, %%p%u; vote.sync.ballot.b32 %%here, %%q0, %s;\n", p,
                k->mask);
        snprintf(k->mask, sizeof k->mask, "%%here");
    }
    put(k, "@%%p%u %s;", p, any(k, 2) ? "exit" : "ret");
}

static void put_step(struct kernel *k)
{
    const bool new = k->age == KERNEL_NEW;
    const uint32_t kind = any(k, 100);
    if (kind < 6 && k->depth < MAX_DEPTH)
        put_ways(k);
    else if (kind < 9 && !k->in_loop && k->depth < MAX_DEPTH)
        put_loop(k);
    else if (kind < 18 && new)
        put_collective(k);
    else if (kind < 22 && k->depth == 0)
        put_meeting(k);
    else if (kind < 30)
        put_load(k);
    else if (kind < 40)
        put_own(k);
    else if (kind < 44)
        put_atomic(k);
    else if (kind < 47)
        put_sum(k);
    else if (kind < 49)
        put_call(k);
    else if (kind < 52)
        put_move(k);
    else if (kind < 55)
        put_carries(k);
    else
        put_plain(k);
}

static void put_steps(struct kernel *k, uint32_t count)
{
    while (count-- > 0 && k->count < k->limit)
        put_step(k);
}

void put_module(FILE *file, uint64_t seed, enum kernel_age age)
{
    uint64_t random = seed * 2 + 1;
    fprintf(file, ".version 8.7\n.target sm_%d\n.address_size 64\n", age == KERNEL_NEW ? 90 : 75);
    fprintf(file, ".const .align 8 .b64 table[%d] = {", TABLE_WORDS);
    for (int i = 0; i < TABLE_WORDS; i++)
        fprintf(file, "%s0x%llx", i ? ", " : "",
                (unsigned long long)any_number(&random, 2u << below(&random, 3)));
    fprintf(file,
            "};\n.func (.param .b32 c) mix(.param .b32 a, .param .b32 b)\n{\n"
            "    .reg .b32 %%a, %%b; .reg .pred %%p;\n"
            "    ld.param.b32 %%a, [a]; ld.param.b32 %%b, [b];\n"
            "    setp.lt.s32 %%p, %%a, %%b; @%%p bra LESS;\n"
            "    mad.lo.u32 %%a, %%a, 0x9e3779b1, %%b; st.param.b32 [c], %%a; ret;\n"
            "LESS:\n    sub.u32 %%a, %%b, %%a; shr.s32 %%a, %%a, 3; st.param.b32 [c], %%a; ret;\n"
            "}\n");
}

/* What a kernel declares, and where its memory is. The slot of the grid's words is the first. */
static void put_beginning(struct kernel *k, uint32_t number)
{
    fprintf(k->file,
            ".global .align 16 .b8 own%u[%d];\n"
            ".visible .entry k%u(.param .u64 log, .param .u64 in)\n{\n"
            "    .reg .pred %%p<6>, %%q<2>; .reg .b16 %%h<9>; .reg .b32 %%r<9>, %%t<8>, %%here;\n"
            "    .reg .b64 %%d<9>, %%log, %%all, %%in, %%own_g, %%own_l, %%gen_s, %%gen_l;\n"
            "    .reg .b32 %%own_s, %%swap, %%sums, %%table;\n"
            "    .shared .align 16 .b8 own[%d]; .shared .align 512 .b64 swap[%d], sums[%d];\n"
            "    .local .align 16 .b8 mine[%d];\n",
            number, OWN_BYTES * KERNEL_THREADS, number, OWN_BYTES * KERNEL_BLOCK_THREADS,
            KERNEL_BLOCK_THREADS, KERNEL_BLOCK_THREADS, OWN_BYTES);
    fprintf(
        k->file,
        "    mov.u32 %%t0, %%tid.x; mov.u32 %%t1, %%ctaid.x; mov.u32 %%t2, %%ntid.x;\n"
        "    mad.lo.u32 %%t1, %%t1, %%t2, %%t0;\n"
        "    ld.param.u64 %%all, [log]; mul.wide.u32 %%log, %%t1, 8;\n"
        "    ld.param.u64 %%in, [in]; add.u64 %%in, %%in, %%log; add.u64 %%log, %%log, %%all;\n"
        "    mov.u64 %%own_g, own%u; mul.wide.u32 %%d0, %%t1, %d; add.u64 %%own_g, %%own_g, %%d0;\n"
        "    mov.u32 %%own_s, own; mad.lo.u32 %%own_s, %%t0, %d, %%own_s;\n"
        "    mov.u32 %%swap, swap; mad.lo.u32 %%swap, %%t0, 8, %%swap;\n"
        "    mov.u64 %%own_l, mine; mov.u32 %%table, table;\n",
        number, OWN_BYTES, OWN_BYTES);
    if (k->age == KERNEL_NEW)
        fputs("    mov.u32 %sums, sums; mad.lo.u32 %t3, %t0, 8, %sums;\n"
              "    cvt.u64.u32 %gen_s, %own_s; cvta.shared.u64 %gen_s, %gen_s;\n"
              "    cvta.local.u64 %gen_l, %own_l;\n",
              k->file);
}

/* Every register and every byte of the thread's own memory gets something from the input. */
static void put_start(struct kernel *k)
{
    static const char *const owns[] = {"shared.b64 [%own_s", "local.b64 [%own_l",
                                       "global.b64 [%own_g"};
    for (uint32_t i = 0; i < POOL; i++) {
        static const char letters[] = {'h', 'r', 'd'};
        char reg[8];
        for (uint32_t j = 0; j < 3; j++) {
            snprintf(reg, sizeof reg, "%%%c%u", letters[j], i);
            put(k, "ld.global.b%d %s, [%%in+%u];", 16 << j, reg, any(k, 800) * 8);
            keep_line(k, reg);
        }
        snprintf(reg, sizeof reg, "%%p%u", i);
        put(k, "setp.gt.s32 %s, %%r%u, %u;", reg, i, any(k, 100));
        keep_line(k, reg);
    }
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t at = 0; at < OWN_BYTES; at += 8)
            put(k, "st.%s+%u], %%d%u;", owns[i], at, any(k, POOL));
    put(k, "st.shared.b64 [%%swap], %%d0;");
    if (k->age == KERNEL_NEW)
        put(k, "st.shared.b64 [%%t3], %%d1;");
    put(k, "bar.sync 0;");
}

/* What the block's words have come to. */
static void put_end_of_sums(struct kernel *k)
{
    if (k->age == KERNEL_OLD)
        return;
    put(k, "bar.sync 0;");
    fputs("    mov.u32 %t3, %tid.x; mad.lo.u32 %t3, %t3, 8, %sums;\n", k->file);
    put(k, "ld.shared.b64 %%d0, [%%t3];");
    keep(k, "%d0", "words that all threads of the block add to");
    put(k, "bar.sync 0;");
}

int put_kernel(FILE *file, uint64_t seed, uint32_t number, enum kernel_age age,
               struct kernel_slot slots[KERNEL_SLOTS])
{
    struct kernel k = {.file = file, .age = age, .slots = slots, .limit = STEPS};
    k.random =
        (seed + 1) * UINT64_C(0x9E3779B97F4A7C15) ^ (number + 1) * UINT64_C(0xD1B54A32D192ED03);
    snprintf(k.base, sizeof k.base, "%%log");
    snprintf(k.mask, sizeof k.mask, "-1");
    any(&k, 2);
    put_beginning(&k, number);
    slots[k.count++] = (struct kernel_slot){.line = "words that all threads add to"};
    put_start(&k);
    put_steps(&k, 200);
    put_end_of_sums(&k);
    /* Who has exited comes to no barrier: there are none from here on. */
    k.depth++;
    if (any(&k, 2))
        put_exit(&k);
    k.limit = STEPS + 15;
    put_steps(&k, 200);
    fputs("    ret;\n}\n", file);
    return k.count;
}
