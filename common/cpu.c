/* SPDX-License-Identifier: MIT */
#include "cpu.h"

#include <stdio.h>

#include "common.h"
#include "cores.h"

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
    snprintf(device->name, sizeof(device->name), "%s, %d core%s", name, usable_cores(),
             usable_cores() == 1 ? "" : "s");
    return EXIT_MATCH;
}
