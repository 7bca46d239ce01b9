/* SPDX-License-Identifier: MIT */
#include "calibration.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void calibration_case(struct calibration *calibration, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(calibration->name, sizeof calibration->name, format, arguments);
    va_end(arguments);
    calibration->run = run_new(&calibration->options, &calibration->device);
    /* A model's caches remember what the last case left, too. Who asks for N runs gets N. */
    if (calibration->run.warmups == 0 && calibration->options.runs == OPTIONS_RUNS_UNSET)
        calibration->run.warmups = 1;
    run_start(&calibration->run, calibration->program, 0);
}

bool calibration_again(struct calibration *calibration)
{
    struct run *run = &calibration->run;

    if (run_again(run))
        return true;
    const double us = run_times(run).median * 1000;
    if (calibration->options.json)
        printf("{\"program\": \"%s\", \"case\": \"%s\", \"us\": %.3f}\n", calibration->program,
               calibration->name, us);
    else
        printf("%-10s %-40s %12.3f us\n", calibration->program, calibration->name, us);
    fflush(stdout);
    run_free(run);
    return false;
}

void *calibration_memory(size_t bytes)
{
    void *memory;

    CHECK(cudaMalloc(&memory, bytes));
    CHECK(cudaMemset(memory, 0, bytes));
    return memory;
}

unsigned *calibration_words(size_t count, unsigned below, uint64_t seed)
{
    unsigned *words = (unsigned *)memory_host(count * sizeof *words);

    for (size_t i = 0; i < count; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        words[i] = (unsigned)(seed >> 33) % below;
    }
    unsigned *device = device_input(unsigned, words, count);
    free(words);
    return device;
}

float *calibration_floats(size_t count, float low, float high, uint64_t seed)
{
    float *numbers = (float *)memory_host(count * sizeof *numbers);

    for (size_t i = 0; i < count; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        numbers[i] = low + (high - low) * (float)(seed >> 40) / (1 << 24);
    }
    float *device = device_input(float, numbers, count);
    free(numbers);
    return device;
}

int calibration_main(int argc, char **argv, const char *program,
                     void (*measure)(struct calibration *calibration))
{
    const struct option_list list = {.row_count = 0};
    struct calibration calibration = {.program = program};
    const int code = options_parse(argc, argv, &list, &calibration.options);

    if (code >= 0)
        return code;
    const int found = InitCUDA((int)calibration.options.device, 75, &calibration.device);
    if (found)
        return found;
    measure(&calibration);
    return EXIT_MATCH;
}
