/* SPDX-License-Identifier: MIT */
#include "asked.h"

#include <stdio.h>

#include "settings.h"
#include "text.h"

enum { USUAL_PORT = 8765 };

static const char usage[] =
    "Usage: serve --checkout DIR --build DIR [--from DIR] [--on gpu|emulator] [--port N]\n"
    "             [--bind ADDRESS] [--class FILE] [--keep DIR]\n"
    "The script ./tour calls this; ./tour --help says what the options do.\n";

/* As the caller of the script means it; NULL stays NULL. */
static const char *path_from(const struct asked *asked, const char *path)
{
    return path && *path != '/' && asked->from ? text_format("%s/%s", asked->from, path) : path;
}

bool asked_read(int argc, char **argv, struct asked *asked)
{
    *asked = (struct asked){.port = USUAL_PORT, .bind = "127.0.0.1"};
    const struct setting settings[] = {
        {"checkout", .text = &asked->checkout},
        {"build", .text = &asked->build},
        {"from", .text = &asked->from},
        {"on", .text = &asked->on},
        {"bind", .text = &asked->bind},
        {"class", .text = &asked->class},
        {"keep", .text = &asked->keep},
        {"port", .number = &asked->port, .min = 0, .max = 65535},
        {0},
    };
    const int first = settings_read(argc, argv, settings, false);

    if (first < 0)
        return false;
    if (first != argc || !asked->checkout || !asked->build) {
        fputs(usage, stderr);
        return false;
    }
    asked->class = path_from(asked, asked->class);
    asked->keep = path_from(asked, asked->keep);
    return true;
}
