/* SPDX-License-Identifier: MIT */
/* The descriptions of GPUs: those we ship, and every way one can be wrong. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../cmocka_main.h"
#include "../../temporary.h"
#include "gpus/gpu.h"

TEST(shipped_descriptions_read)
{
    char error[GPU_ERROR_SIZE];
    struct gpu gpu;
    int count = 0;

    char *names = gpu_list(EMU_GPUS, error);
    assert_non_null(names);
    for (char *rest, *name = strtok_r(names, " ", &rest); name;
         name = strtok_r(NULL, " ", &rest), count++) {
        if (!gpu_read(EMU_GPUS, name, &gpu, error))
            fail_msg("%s", error);
        assert_non_null(strstr(gpu.name, "emulated"));
    }
    assert_true(count >= 2);
    free(names);
}

/* However many there are, no name is cut. */
TEST(long_lists_are_whole)
{
    enum { COUNT = 40 };
    char folder[TEMPORARY_PATH], file[TEMPORARY_PATH + 64], error[GPU_ERROR_SIZE];
    size_t length = 0;

    assert_non_null(mkdtemp(temporary_name(folder)));
    for (int i = 0; i < COUNT; i++) {
        snprintf(file, sizeof(file), "%s/a-description-with-a-long-name-%02d.txt", folder, i);
        fclose(fopen(file, "w"));
    }
    char *names = gpu_list(folder, error);
    for (int i = 0; i < COUNT; i++) {
        snprintf(file, sizeof(file), "%s/a-description-with-a-long-name-%02d.txt", folder, i);
        unlink(file);
    }
    rmdir(folder);
    assert_non_null(names);
    for (int i = 0; i < COUNT; i++) {
        snprintf(file, sizeof(file), "a-description-with-a-long-name-%02d", i);
        assert_non_null(strstr(names, file));
        length += strlen(file) + 1;
    }
    assert_int_equal(strlen(names), length - 1);
    free(names);
}

TEST(default_is_compute_7_5)
{
    char error[GPU_ERROR_SIZE];
    struct gpu gpu;

    assert_true(gpu_read(EMU_GPUS, "default", &gpu, error));
    assert_int_equal(gpu.major, 7);
    assert_int_equal(gpu.minor, 5);
    assert_int_equal(gpu.max_block[2], 64);
    assert_int_equal(gpu.memory, UINT64_C(15) << 30);
    /* 320 GB/s, as the data sheet has it. */
    assert_int_equal((int)(gpu.memory_clock_khz * 2e3 * gpu.memory_bus_bits / 8 / 1e9), 320);
}

/* A folder with one description: default.txt with the line of `key` replaced by `line`. */
struct scratch {
    char folder[TEMPORARY_PATH], file[TEMPORARY_PATH + 16];
};

static struct scratch write_variant(const char *key, const char *line)
{
    struct scratch scratch;
    char text[512];

    FILE *in = fopen(EMU_GPUS "/default.txt", "r");
    assert_non_null(in);
    assert_non_null(mkdtemp(temporary_name(scratch.folder)));
    snprintf(scratch.file, sizeof(scratch.file), "%s/other.txt", scratch.folder);
    FILE *out = fopen(scratch.file, "w");
    assert_non_null(out);
    while (fgets(text, sizeof(text), in)) {
        const size_t length = strlen(key);
        const bool here = !strncmp(text, key, length) && text[length] == ' ';
        fputs(here ? line : text, out);
    }
    fclose(in);
    fclose(out);
    return scratch;
}

static void read_variant(const char *key, const char *line, bool *read, struct gpu *gpu,
                         char *error)
{
    const struct scratch scratch = write_variant(key, line);

    error[0] = '\0';
    *read = gpu_read(scratch.folder, "other", gpu, error);
    unlink(scratch.file);
    rmdir(scratch.folder);
}

TEST(wrong_descriptions_are_refused)
{
    static const struct {
        const char *key, *line, *message;
    } cases[] = {
        {"banks", "", "banks is missing"},
        {"banks", "bonks 32\n", ": unknown key 'bonks'"},
        {"banks", "banks\n", ": banks has no value"},
        {"banks", "banks many\n", ": banks: 'many' is not a number"},
        {"banks", "banks 32 33\n", ": banks: '33' behind its number"},
        {"banks", "banks 0\n", ": banks: 0 is outside 1 to"},
        {"banks", "banks -1\n", ": banks: -1 is outside 1 to"},
        {"banks", "banks 1e99\n", ": banks: 1e+99 is outside 1 to"},
        {"banks", "banks nan\n", ": banks: nan is outside 1 to"},
        {"banks", "banks 1.5\n", ": banks: 1.5 is not a whole number"},
        {"banks", "banks 32\nbanks 32\n", ": banks is given twice"},
        {"banks", "banks 4 KiB\n", ": banks: 'KiB' behind its number"},
        {"banks", "banks 64\n", ": banks: 64 is neither 16 nor 32"},
        {"bank_lanes", "bank_lanes 1\n", ": bank_lanes: 1 is neither 16 nor 32"},
        {"max_threads_per_block", "max_threads_per_block 2048\n", "2048 is more than 1024"},
        {"multiprocessors", "multiprocessors 2000000000\n", "2000000000 is more than 1024"},
        {"schedulers", "schedulers 9\n", "9 is more than 8"},
        {"atomic_slices", "atomic_slices 257\n", "257 is more than 256"},
        {"memory", "memory 15 GB\n", ": memory: 'GB' behind its number"},
        {"max_grid", "max_grid 1 2\n", ": max_grid: '' is not as many numbers as it takes"},
        {"coalescing", "coalescing maybe\n", ": coalescing: 'maybe' is neither"},
        {"name", "like other\n", "/other.txt is like this one"},
        {"banks", "like other\n", ": like: it must come first, and once"},
    };
    char error[GPU_ERROR_SIZE];
    struct gpu gpu;
    bool read;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        read_variant(cases[i].key, cases[i].line, &read, &gpu, error);
        assert_false(read);
        if (!strstr(error, cases[i].message) || !strstr(error, "/other.txt:"))
            fail_msg("'%s' gave '%s'", cases[i].line, error);
    }
}

/* What a description does not say is as in the one that it is like. */
TEST(descriptions_may_be_like_others)
{
    const struct scratch scratch = write_variant("name", "name The first (emulated)\n");
    char error[GPU_ERROR_SIZE] = "", path[TEMPORARY_PATH + 16];
    struct gpu first, second;

    snprintf(path, sizeof(path), "%s/second.txt", scratch.folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("like other # but:\nname The second (emulated)\nbanks 16\nissue_clocks 4\n", file);
    fclose(file);
    assert_true(gpu_read(scratch.folder, "other", &first, error));
    assert_false(gpu_read(scratch.folder, "second", &second, error));
    assert_non_null(strstr(error, "special_clocks is missing")); /* of a group that it begins */
    file = fopen(path, "w");
    assert_non_null(file);
    fputs("like other\nname The second (emulated)\nbanks 16\n", file);
    fclose(file);
    if (!gpu_read(scratch.folder, "second", &second, error))
        fail_msg("%s", error);
    assert_string_equal(second.name, "The second (emulated)");
    assert_int_equal(second.banks, 16);
    assert_int_equal(first.banks, 32);
    assert_int_equal(second.l2_bytes, first.l2_bytes);
    assert_int_equal(second.major, first.major);
    assert_true(second.event_us == first.event_us);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs("like nothing\n", file);
    fclose(file);
    assert_false(gpu_read(scratch.folder, "second", &second, error));
    assert_non_null(strstr(error, "no GPU 'nothing'; there are: other second"));
    unlink(path);
    unlink(scratch.file);
    rmdir(scratch.folder);
}

TEST(error_names_the_line)
{
    char error[GPU_ERROR_SIZE];
    struct gpu gpu;
    bool read;

    read_variant("name", "\n\nname # nothing\n", &read, &gpu, error);
    assert_false(read);
    const char *number = strstr(error, ".txt:");
    assert_non_null(number);
    assert_true(atoi(number + 5) > 3);
    assert_non_null(strstr(error, "name has no value"));
}

TEST(units_multiply)
{
    char error[GPU_ERROR_SIZE];
    struct gpu gpu;
    bool read;

    read_variant("memory", "memory 0.5 MiB # half\n", &read, &gpu, error);
    assert_true(read);
    assert_int_equal(gpu.memory, 1 << 19);
}

TEST(unknown_gpu_names_the_known)
{
    static const char *const names[] = {"no-such", "", "../gpus/default", ".", "/etc/passwd"};
    char error[GPU_ERROR_SIZE];
    struct gpu gpu;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        assert_false(gpu_read(EMU_GPUS, names[i], &gpu, error));
        assert_non_null(strstr(error, "default"));
        assert_non_null(strstr(error, "h100"));
    }
    assert_false(gpu_read("/no/such/folder", "default", &gpu, error));
    assert_non_null(strstr(error, "/no/such/folder"));
}

TEST(occupancy_is_the_least_of_the_limits)
{
    char error[GPU_ERROR_SIZE];
    struct gpu gpu;

    assert_true(gpu_read(EMU_GPUS, "default", &gpu, error));
    assert_int_equal(gpu_blocks_per_multiprocessor(&gpu, 32, 16, 0), 16); /* blocks */
    assert_int_equal(gpu_blocks_per_multiprocessor(&gpu, 256, 16, 0), 4); /* threads */
    assert_int_equal(gpu_blocks_per_multiprocessor(&gpu, 257, 16, 0), 3); /* 9 warps */
    assert_int_equal(gpu_blocks_per_multiprocessor(&gpu, 256, 128, 0), 2); /* registers */
    assert_int_equal(gpu_blocks_per_multiprocessor(&gpu, 1024, 65, 0), 0);
    assert_int_equal(gpu_blocks_per_multiprocessor(&gpu, 1024, 64, 0), 1);
    assert_int_equal(gpu_blocks_per_multiprocessor(&gpu, 32, 16, 32768), 2); /* shared memory */
    assert_int_equal(gpu_blocks_per_multiprocessor(&gpu, 32, 16, 32769), 1);
    assert_int_equal(gpu_blocks_per_multiprocessor(&gpu, 32, 16, 65537), 0);
    assert_int_equal(gpu_blocks_per_multiprocessor(&gpu, 1025, 16, 0), 0);
    assert_int_equal(gpu_blocks_per_multiprocessor(&gpu, 0, 16, 0), 0);
    assert_int_equal(gpu_blocks_per_multiprocessor(&gpu, 32, 256, 0), 0);
}

/* Compute 1.x hands registers to blocks, rounded up; warps are counted by two. */
TEST(occupancy_of_compute_1)
{
    char error[GPU_ERROR_SIZE];
    struct gpu gpu;

    assert_true(gpu_read(EMU_GPUS, "gtx-280", &gpu, error));
    assert_int_equal(gpu.max_threads_per_sm / 32, 32);
    assert_int_equal(gpu_blocks_per_multiprocessor(&gpu, 128, 16, 0), 8); /* blocks, threads */
    assert_int_equal(gpu_blocks_per_multiprocessor(&gpu, 512, 16, 0), 2); /* threads */
    assert_int_equal(gpu_blocks_per_multiprocessor(&gpu, 128, 32, 0), 4); /* registers */
    assert_int_equal(gpu_blocks_per_multiprocessor(&gpu, 128, 33, 0), 3); /* as 36 */
    assert_int_equal(gpu_blocks_per_multiprocessor(&gpu, 128, 64, 0), 2);
    assert_int_equal(gpu_blocks_per_multiprocessor(&gpu, 32, 64, 0), 4); /* as two warps */
    assert_int_equal(gpu_blocks_per_multiprocessor(&gpu, 128, 8, 8192), 1); /* shared memory */
    assert_int_equal(gpu_blocks_per_multiprocessor(&gpu, 128, 8, 8192 - 16), 2);
    assert_int_equal(gpu_blocks_per_multiprocessor(&gpu, 513, 8, 0), 0);
    assert_true(gpu_read(EMU_GPUS, "geforce-8800-gt", &gpu, error));
    assert_int_equal(gpu_blocks_per_multiprocessor(&gpu, 256, 10, 0), 3);
    assert_int_equal(gpu_blocks_per_multiprocessor(&gpu, 256, 11, 0), 2); /* 3 x 2816 > 8192 */
    assert_int_equal(gpu_blocks_per_multiprocessor(&gpu, 256, 20, 0), 1);
}

TEST_MAIN()
