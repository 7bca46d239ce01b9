/* SPDX-License-Identifier: MIT */
#include "verdict.h"

#include <string.h>

#include "text.h"

static const struct {
    const char *name, *words;
} verdicts[] = {
#define X(id, name, words) {name, words},
    VERDICTS(X)
#undef X
};

const char *verdict_name(enum verdict_kind kind)
{
    return verdicts[kind].name;
}

const char *verdict_words(enum verdict_kind kind)
{
    return verdicts[kind].words;
}

enum verdict_kind verdict_find(const char *name)
{
    int i = 0;

    while (i < VERDICT_COUNT && strcmp(verdicts[i].name, name) != 0)
        i++;
    return (enum verdict_kind)i;
}

struct verdict verdict_of(enum verdict_kind kind, char *text)
{
    return (struct verdict){
        .kind = kind, .text = text, .printed = copy_text(""), .prediction = copy_text("")};
}

json_t *verdict_json(const struct verdict *verdict)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:b}", "verdict", verdict_name(verdict->kind), "text",
                     verdict->text, "printed", verdict->printed, "prediction", verdict->prediction,
                     "predicted", verdict->predicted);
}

static char *copy_string(const json_t *json, const char *key)
{
    const char *value = json_string_value(json_object_get(json, key));

    return copy_text(value ? value : "");
}

struct verdict verdict_from_json(const json_t *json)
{
    const char *name = json_string_value(json_object_get(json, "verdict"));
    enum verdict_kind kind = verdict_find(name ? name : "");

    return (struct verdict){
        .kind = kind == VERDICT_COUNT ? VERDICT_BROKEN : kind,
        .text = copy_string(json, "text"),
        .printed = copy_string(json, "printed"),
        .prediction = copy_string(json, "prediction"),
        .predicted = json_is_true(json_object_get(json, "predicted")),
    };
}
