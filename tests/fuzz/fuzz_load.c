/* SPDX-License-Identifier: MIT */
/* Fuzz target: PTX text, read and made ready for a GPU, whole and as the runtime does it. */
#include "fuzz.h"

typedef struct ptx_module *parser(const char *text, char *error, size_t error_size);

static void load(struct machine *machine, parser *parse, const char *text)
{
    char error[256];
    struct ptx_module *module = parse(text, error, sizeof error);
    struct program *program = module ? machine_load(machine, module, error, sizeof error) : NULL;
    if (program)
        machine_unload(machine, program);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct gpu gpu = test_gpu(90);
    struct machine *machine = machine_new(&gpu, 1);
    char *text = fuzz_text(data, size);
    load(machine, ptx_parse, text);
    load(machine, ptx_parse_functions, text);
    free(text);
    machine_free(machine);
    return 0;
}
