/* SPDX-License-Identifier: MIT */
#include "settings.h"

#include <getopt.h>
#include <stddef.h>

#include "number.h"
#include "text.h"

enum { MAX_SETTINGS = 18 };

static bool refuse(const char *name, const char *value, const char *allowed)
{
    complain("--%s takes %s, not '%s'", name, allowed, value);
    return false;
}

static bool take_value(const struct setting *setting, const char *value)
{
    const long long min = setting->min, max = setting->max;

    if (setting->flag)
        *setting->flag = true;
    else if (setting->number && number_read(value, min, max, setting->number))
        return refuse(setting->name, value, text_format("a number from %lld to %lld", min, max));
    else if (setting->count && *setting->count == max)
        return refuse(setting->name, value, text_format("at most %lld files", max));
    else if (setting->count)
        setting->text[(*setting->count)++] = value;
    else if (setting->text)
        *setting->text = value;
    return true;
}

int settings_read(int argc, char **argv, const struct setting *settings, bool prefix)
{
    struct option options[MAX_SETTINGS + 1] = {0};
    int found, row;

    for (int i = 0; settings[i].name; i++)
        options[i] = (struct option){settings[i].name,
                                     settings[i].flag ? no_argument : required_argument, NULL, 0};
    optind = 0; /* from the beginning, whatever was read before */
    opterr = 0; /* the messages are ours */
    while ((found = getopt_long(argc, argv, prefix ? "+" : "", options, &row)) != -1) {
        if (found == '?')
            complain("no option '%s', or not in this way; see ./tour --help", argv[optind - 1]);
        if (found == '?' || !take_value(&settings[row], optarg))
            return -1;
    }
    return optind;
}
