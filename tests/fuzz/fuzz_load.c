/* SPDX-License-Identifier: MIT */
/* Fuzz target: PTX text, read and made ready for a GPU: whole, as the runtime does it, and linked
 * as two objects, at its second .version or with itself. */
#include "fuzz.h"
#include "parse_ptx.h"

static void load(struct machine *machine, struct ptx_module *module)
{
    char error[256];
    struct program *program = module ? machine_load(machine, module, error, sizeof error) : NULL;
    if (program)
        machine_unload(machine, program);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct gpu gpu = test_gpu(90);
    struct machine *machine = machine_new(&gpu, 1);
    char error[256], *text = fuzz_text(data, size);
    const char *second = *text ? strstr(text + 1, ".version") : NULL;
    char *first = second ? strndup(text, (size_t)(second - text)) : strdup(text);
    const char *const texts[] = {first, second ? second : text};
    load(machine, parse_ptx(text, error, sizeof error));
    load(machine, ptx_parse(&(const char *){text}, 1, error, sizeof error));
    load(machine, ptx_parse(texts, 2, error, sizeof error));
    free(first);
    free(text);
    machine_free(machine);
    return 0;
}
