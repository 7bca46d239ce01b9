/* SPDX-License-Identifier: MIT */
/* vprintf, __assertfail, malloc and free, which the device provides and kernels call. */
#include "machine/access.h"
#include "machine/device_memory.h"
#include "machine/execute/builtin.h"
#include "machine/execute/lanes.h"
#include "machine/heap.h"
#include "machine/launch.h"

#include <inttypes.h>
#include <stdlib.h>

/* The longest conversion that is passed on to the host: flags, a width and a precision, of which
 * one may have all digits of an int, then "ll" and the letter. */
enum { MAX_TEXT = 4096, MAX_FLAGS = 20, MAX_INT = 11, MAX_SPEC = MAX_FLAGS + MAX_INT + 4 };

/* Copy a string of the device, at most `size` bytes. Returns false after a fault. */
static bool read_string(struct warp *warp, const struct op *op, int lane, uint64_t address,
                        char *text, size_t size)
{
    for (size_t i = 0; i + 1 < size; i++) {
        const char *byte = generic_pointer(warp, op, lane, address + i, 1);
        if (!byte)
            return false;
        text[i] = *byte;
        if (!*byte)
            return true;
    }
    text[size - 1] = '\0';
    return true;
}

/* The state of one thread's printf. */
struct printing {
    struct warp *warp;
    const struct op *op;
    int lane;
    uint64_t arguments; /* the address of the next one, before it is aligned */
    uint32_t count;
    bool failed;
    char *text;
    size_t used, size;
};

/* The next argument. It has 4 or 8 bytes, and is aligned to as many. */
static uint64_t next_argument(struct printing *p, size_t bytes)
{
    p->arguments = (p->arguments + bytes - 1) / bytes * bytes;
    const char *at = generic_pointer(p->warp, p->op, p->lane, p->arguments, bytes);
    uint64_t value = 0;
    p->arguments += bytes;
    p->count++;
    if (at)
        memcpy(&value, at, bytes);
    else
        p->failed = true;
    return value;
}

static void put(struct printing *p, const char *text, size_t length)
{
    if (length > p->size - 1 - p->used)
        length = p->size - 1 - p->used;
    memcpy(p->text + p->used, text, length);
    p->used += length;
    p->text[p->used] = '\0';
}

/* Replace widths and precisions of more than four digits by 9999. Only MAX_TEXT bytes of a
 * conversion are kept, so the output stays the same, and no program makes the host write
 * gigabytes of blanks. */
static size_t bound_numbers(char *spec, size_t length)
{
    size_t end = 0;

    for (size_t at = 0; at < length;) {
        const size_t zeros = strspn(spec + at, "0");
        const size_t digits = strspn(spec + at + zeros, "0123456789");
        if (digits <= 4) {
            memmove(spec + end, spec + at, zeros + digits);
            end += zeros + digits;
        } else {
            if (zeros)
                spec[end++] = '0';
            memcpy(spec + end, "9999", 4);
            end += 4;
        }
        at += zeros + digits;
        if (at < length)
            spec[end++] = spec[at++];
    }
    return end;
}

/* Copy the part of a conversion before the letter, such as "%-08.3", into `spec`, with the
 * argument in place of each `*`. Returns what follows it. */
static const char *read_flags(struct printing *p, const char *at, char *spec, size_t *length)
{
    *length = 0;
    spec[(*length)++] = '%';
    while (*at && strchr("-+ #0123456789.*", *at) && *length < MAX_FLAGS) {
        if (*at == '*')
            *length +=
                (size_t)snprintf(spec + *length, MAX_INT + 1, "%d", (int)next_argument(p, 4));
        else
            spec[(*length)++] = *at;
        at++;
    }
    spec[*length] = '\0';
    *length = bound_numbers(spec, *length);
    return at;
}

/* Read the length modifiers. Arguments of h and hh are ints; those of l, ll, z, j and t have 64
 * bits. */
static const char *read_length(const char *at, bool *is_long, int *shorts)
{
    *is_long = false;
    *shorts = 0;
    for (; *at && strchr("hlzjtL", *at); at++) {
        if (*at == 'h')
            ++*shorts;
        else
            *is_long = true;
    }
    return at;
}

static int64_t as_signed(uint64_t value, bool is_long, int shorts)
{
    if (is_long)
        return (int64_t)value;
    return shorts == 0 ? (int32_t)value : shorts == 1 ? (int16_t)value : (int8_t)value;
}

static uint64_t as_unsigned(uint64_t value, bool is_long, int shorts)
{
    if (is_long)
        return value;
    return shorts == 0 ? (uint32_t)value : shorts == 1 ? (uint16_t)value : (uint8_t)value;
}

static void put_string(struct printing *p, const char *spec, char *out)
{
    char string[MAX_TEXT];
    const uint64_t address = next_argument(p, 8);
    if (p->failed)
        return;
    if (address == 0)
        snprintf(string, sizeof string, "(null)");
    else if (!read_string(p->warp, p->op, p->lane, address, string, sizeof string))
        p->failed = true;
    if (!p->failed)
        snprintf(out, MAX_TEXT, spec, string);
}

/* Print one conversion. Returns what follows it. */
static const char *convert(struct printing *p, const char *at)
{
    char spec[MAX_SPEC], out[MAX_TEXT] = "";
    size_t length;
    bool is_long;
    int shorts;
    at = read_length(read_flags(p, at, spec, &length), &is_long, &shorts);
    const char kind = *at;
    const bool integer = kind && strchr("dioxXu", kind);
    if (integer)
        length += (size_t)snprintf(spec + length, 3, "ll");
    spec[length] = kind;
    spec[length + 1] = '\0';
    if (kind == 'd' || kind == 'i')
        snprintf(out, sizeof out, spec,
                 (long long)as_signed(next_argument(p, is_long ? 8 : 4), is_long, shorts));
    else if (integer)
        snprintf(
            out, sizeof out, spec,
            (unsigned long long)as_unsigned(next_argument(p, is_long ? 8 : 4), is_long, shorts));
    else if (kind && strchr("eEfFgGaA", kind)) {
        const uint64_t bits = next_argument(p, 8);
        double value;
        memcpy(&value, &bits, sizeof value);
        snprintf(out, sizeof out, spec, value);
    } else if (kind == 'c')
        snprintf(out, sizeof out, spec, (int)next_argument(p, 4));
    else if (kind == 's')
        put_string(p, spec, out);
    else if (kind == 'p')
        snprintf(out, sizeof out, spec, host_pointer(next_argument(p, 8)));
    else if (kind == '%')
        snprintf(out, sizeof out, "%%");
    else
        snprintf(out, sizeof out, "%s",
                 spec); /* like a device, print unknown conversions as they are */
    put(p, out, strlen(out));
    return kind ? at + 1 : at;
}

static bool print_thread(struct printing *p)
{
    char format[MAX_TEXT];
    const uint64_t address = call_argument(p->warp, p->op, p->lane, 0);
    if (!read_string(p->warp, p->op, p->lane, address, format, sizeof format))
        return false;
    const char *at = format;
    while (*at && !p->failed) {
        const size_t plain = strcspn(at, "%");
        put(p, at, plain);
        at += plain;
        if (*at == '%')
            at = convert(p, at + 1);
    }
    return !p->failed;
}

void call_vprintf(struct warp *warp, const struct op *op, uint32_t lanes)
{
    enum { SIZE = 4 * MAX_TEXT };
    char *text = malloc(SIZE);
    if (!text) {
        warp_fault(warp, op->instr, first_lane(lanes), FAULT_UNSUPPORTED, "printf",
                   "the host has not enough memory");
        return;
    }
    EACH_LANE(i, lanes) {
        struct printing printing = {.warp = warp,
                                    .op = op,
                                    .lane = i,
                                    .arguments = call_argument(warp, op, i, 1),
                                    .text = text,
                                    .size = SIZE};
        text[0] = '\0';
        if (!print_thread(&printing))
            break;
        if (!warp->block->launch->machine->quiet &&
            fwrite(text, 1, printing.used, stdout) != printing.used) {
            warp_fault(warp, op->instr, i, FAULT_UNSUPPORTED, "printf",
                       "what it prints cannot be written");
            break;
        }
        call_set_result(warp, op, i, printing.count);
    }
    free(text);
}

/* __assertfail(condition, file, line, function, size of a character) */
void call_assertfail(struct warp *warp, const struct op *op, uint32_t lanes)
{
    const int lane = first_lane(lanes);
    char condition[70], file[300], function[80];
    if (!read_string(warp, op, lane, call_argument(warp, op, lane, 0), condition,
                     sizeof condition) ||
        !read_string(warp, op, lane, call_argument(warp, op, lane, 1), file, sizeof file) ||
        !read_string(warp, op, lane, call_argument(warp, op, lane, 3), function, sizeof function))
        return;
    warp_fault(warp, op->instr, lane, FAULT_ASSERT, "assertion failed", "%s (%s:%u, %s)", condition,
               *file == '/' ? ptx_short_path(file) : file,
               (uint32_t)call_argument(warp, op, lane, 2), function);
}

void call_malloc(struct warp *warp, const struct op *op, uint32_t lanes)
{
    struct machine *machine = warp->block->launch->machine;
    for (int lane = 0; lane < WARP_SIZE; lane++)
        if (lanes >> lane & 1)
            call_set_result(warp, op, lane,
                            heap_allocate(machine, call_argument(warp, op, lane, 0)));
    note_write(warp);
}

void call_free(struct warp *warp, const struct op *op, uint32_t lanes)
{
    struct machine *machine = warp->block->launch->machine;
    for (int lane = 0; lane < WARP_SIZE; lane++) {
        const uint64_t address = lanes >> lane & 1 ? call_argument(warp, op, lane, 0) : 0;
        if (address && !heap_free(machine, address)) {
            warp_fault(warp, op->instr, lane, FAULT_ADDRESS, "bad free",
                       "of 0x%llx, which malloc() did not return or which is free already",
                       (unsigned long long)address);
            return;
        }
    }
    note_write(warp);
}
