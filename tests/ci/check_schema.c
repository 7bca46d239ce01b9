/* SPDX-License-Identifier: MIT */
/* check_schema SCHEMA NAME FILE: is every JSON value in FILE what SCHEMA's definition NAME says?
 *
 * Of JSON Schema what docs/schema.json uses: $ref to a definition, type, enum, required,
 * properties, additionalProperties false, items, minItems, maxItems, minimum, maximum, pattern,
 * description. Another keyword is refused, so that none is believed to be checked that is not. Exit
 * code 0: yes; 1: no, with a line that says where; 2: cannot tell.
 */
#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

enum { EXIT_NO = 1, EXIT_CANNOT_TELL = 2 };

static const json_t *definitions;

static bool check(const json_t *schema, const json_t *value, const char *where);

static bool wrong(const char *where, const char *what, const char *detail)
{
    fprintf(stderr, "check_schema: %s: %s %s\n", where, what, detail);
    return false;
}

static const json_t *definition(const char *name)
{
    const json_t *found = json_object_get(definitions, name);

    if (!found) {
        fprintf(stderr, "check_schema: no definition '%s'\n", name);
        exit(EXIT_CANNOT_TELL);
    }
    return found;
}

static bool has_type(const json_t *value, const char *type)
{
    return (!strcmp(type, "object") && json_is_object(value)) ||
           (!strcmp(type, "array") && json_is_array(value)) ||
           (!strcmp(type, "string") && json_is_string(value)) ||
           (!strcmp(type, "integer") && json_is_integer(value)) ||
           (!strcmp(type, "number") && json_is_number(value)) ||
           (!strcmp(type, "boolean") && json_is_boolean(value)) ||
           (!strcmp(type, "null") && json_is_null(value));
}

/* One type, or a list of them. */
static bool check_type(const json_t *types, const json_t *value, const char *where)
{
    const json_t *type;
    size_t i;

    if (json_is_string(types) && has_type(value, json_string_value(types)))
        return true;
    json_array_foreach(types, i, type)
        if (has_type(value, json_string_value(type)))
            return true;
    char *text = json_dumps(types, JSON_ENCODE_ANY);
    wrong(where, "is not of type", text);
    free(text);
    return false;
}

static bool check_enum(const json_t *allowed, const json_t *value, const char *where)
{
    const json_t *one;
    size_t i;

    json_array_foreach(allowed, i, one)
        if (json_equal(one, value))
            return true;
    return wrong(where, "is none of the values allowed", "");
}

static bool check_required(const json_t *keys, const json_t *value, const char *where)
{
    const json_t *key;
    size_t i;

    json_array_foreach(keys, i, key)
        if (json_is_object(value) && !json_object_get(value, json_string_value(key)))
            return wrong(where, "lacks", json_string_value(key));
    return true;
}

static bool check_properties(const json_t *schema, const json_t *value, const char *where)
{
    const json_t *properties = json_object_get(schema, "properties");
    const bool open = !json_is_false(json_object_get(schema, "additionalProperties"));
    const char *key;
    json_t *member;
    char path[300];

    json_object_foreach((json_t *)value, key, member)
    {
        const json_t *rule = json_object_get(properties, key);
        snprintf(path, sizeof(path), "%s.%s", where, key);
        if (!rule && !open)
            return wrong(path, "is not in the schema", "");
        if (rule && !check(rule, member, path))
            return false;
    }
    return true;
}

static bool check_items(const json_t *schema, const json_t *value, const char *where)
{
    const json_t *items = json_object_get(schema, "items"), *item;
    const json_t *least = json_object_get(schema, "minItems");
    const json_t *most = json_object_get(schema, "maxItems");
    const json_int_t size = (json_int_t)json_array_size(value);
    char path[300];
    size_t i;

    if (json_is_array(value) &&
        ((least && size < json_integer_value(least)) || (most && size > json_integer_value(most))))
        return wrong(where, "has too few or too many items", "");
    json_array_foreach(value, i, item) {
        snprintf(path, sizeof(path), "%s[%zu]", where, i);
        if (items && !check(items, item, path))
            return false;
    }
    return true;
}

static bool check_range(const json_t *schema, const json_t *value, const char *where)
{
    const json_t *least = json_object_get(schema, "minimum");
    const json_t *most = json_object_get(schema, "maximum");

    if (!json_is_number(value))
        return true;
    if ((least && json_number_value(value) < json_number_value(least)) ||
        (most && json_number_value(value) > json_number_value(most)))
        return wrong(where, "is out of range", "");
    return true;
}

static bool check_pattern(const char *pattern, const json_t *value, const char *where)
{
    regex_t regex;

    if (!pattern || !json_is_string(value))
        return true;
    if (regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB)) {
        fprintf(stderr, "check_schema: bad pattern '%s'\n", pattern);
        exit(EXIT_CANNOT_TELL);
    }
    const bool matches = !regexec(&regex, json_string_value(value), 0, NULL, 0);
    regfree(&regex);
    return matches || wrong(where, "does not match", pattern);
}

/* A rule that we would pass over in silence is none. */
static void refuse_unknown(const json_t *schema)
{
    static const char known[] = " $ref type enum required properties additionalProperties items "
                                "minItems maxItems minimum maximum pattern description ";
    const char *key;
    json_t *rule;
    char word[64];

    json_object_foreach((json_t *)schema, key, rule)
    {
        snprintf(word, sizeof(word), " %s ", key);
        if (!strstr(known, word)) {
            fprintf(stderr, "check_schema: cannot check '%s'\n", key);
            exit(EXIT_CANNOT_TELL);
        }
    }
}

static bool check(const json_t *schema, const json_t *value, const char *where)
{
    const char *reference = json_string_value(json_object_get(schema, "$ref"));
    const json_t *types = json_object_get(schema, "type");
    const json_t *allowed = json_object_get(schema, "enum");

    refuse_unknown(schema);
    if (reference) /* "#/definitions/NAME" */
        return check(definition(strrchr(reference, '/') + 1), value, where);
    return (!types || check_type(types, value, where)) &&
           (!allowed || check_enum(allowed, value, where)) && check_range(schema, value, where) &&
           check_pattern(json_string_value(json_object_get(schema, "pattern")), value, where) &&
           check_required(json_object_get(schema, "required"), value, where) &&
           check_properties(schema, value, where) && check_items(schema, value, where);
}

int main(int argc, char **argv)
{
    json_error_t error;
    int count = 0;

    json_t *schema = argc == 4 ? json_load_file(argv[1], 0, &error) : NULL;
    FILE *file = schema ? fopen(argv[3], "r") : NULL;
    if (!file) {
        fprintf(stderr, "check_schema: takes a schema, a definition and a file, and reads both\n");
        return EXIT_CANNOT_TELL;
    }
    definitions = json_object_get(schema, "definitions");
    bool right = true;
    for (json_t *value; right && (value = json_loadf(file, JSON_DISABLE_EOF_CHECK, &error));) {
        right = check(definition(argv[2]), value, argv[2]);
        json_decref(value);
        count++;
        const int next = getc(file); /* the end of a line, and of the file */
        if (next != '\n' && next != EOF)
            ungetc(next, file);
    }
    right = right && count > 0 && feof(file);
    fclose(file);
    json_decref(schema);
    return right ? EXIT_SUCCESS : EXIT_NO;
}
