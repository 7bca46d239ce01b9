/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* sched_getaffinity */
#include "cpu.h"

#include <sched.h>
#include <stdio.h>

#include "common.h"

int cpu_cores(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);
}

int use_cpu(int wanted, struct device *device)
{
    FILE *file;
    char line[256], name[128] = "CPU";

    if (wanted >= 0)
        return options_refuse("--device %d: no such device; this step runs on the CPU", wanted);
    file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof(line), file))
        if (sscanf(line, "model name : %127[^\n]", name) == 1)
            break;
    if (file)
        fclose(file);
    *device = (struct device){.cpu = true};
    snprintf(device->name, sizeof(device->name), "%s, %d core%s", name, cpu_cores(),
             cpu_cores() == 1 ? "" : "s");
    return EXIT_MATCH;
}
