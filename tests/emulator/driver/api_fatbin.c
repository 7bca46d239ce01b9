/* SPDX-License-Identifier: MIT */
/* api_fatbin FILE: load a fat binary from its file, and from memory.
 * api_fatbin FILE broken: load it from memory cut short in every way, and with its bytes changed.
 * It may load or not, but no byte is read that is not there. */
#include "expect.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { COUNT = 64, MOST_BYTES = 1 << 20 };

static size_t read_file(const char *name, unsigned char *bytes)
{
    FILE *file = fopen(name, "rb");
    const size_t size = file ? fread(bytes, 1, MOST_BYTES, file) : 0;

    if (file)
        fclose(file);
    EXPECT(size > 0 && size < MOST_BYTES);
    return size;
}

static void runs(CUmodule module)
{
    int result[COUNT], factor = 3;
    CUfunction scale;
    CUdeviceptr out;

    EXPECT_SUCCESS(cuModuleGetFunction(&scale, module, "scale"));
    EXPECT_SUCCESS(cuMemAlloc(&out, sizeof(result)));
    void *arguments[] = {&out, &factor};
    EXPECT_SUCCESS(cuLaunchKernel(scale, 2, 1, 1, COUNT / 2, 1, 1, 0, NULL, arguments, NULL));
    EXPECT_SUCCESS(cuMemcpyDtoH(result, out, sizeof(result)));
    for (int i = 0; i < COUNT; i++)
        EXPECT(result[i] == 3 * i + 5);
    EXPECT_SUCCESS(cuMemFree(out));
    EXPECT_SUCCESS(cuModuleUnload(module));
}

/* `size` bytes at the end of a page, behind which nothing may be read. */
static void *at_end_of_page(const unsigned char *bytes, size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (size + page - 1) / page * page;
    unsigned char *pages =
        mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (pages == MAP_FAILED || mprotect(pages + room, page, PROT_NONE))
        exit(2);
    return memcpy(pages + room - size, bytes, size);
}

static void try_to_load(const unsigned char *bytes, size_t size)
{
    void *image = at_end_of_page(bytes, size);
    CUmodule module;

    if (!cuModuleLoadData(&module, image))
        EXPECT_SUCCESS(cuModuleUnload(module));
}

static void breaks(unsigned char *bytes, size_t size)
{
    enum { HEADER = 16 };

    for (size_t cut = HEADER; cut < size; cut += cut < 200 ? 7 : 101)
        try_to_load(bytes, cut);
    for (size_t at = 4; at < 160 && at < size; at++) {
        const unsigned char was = bytes[at];
        bytes[at] = (unsigned char)(was ^ 0xff);
        try_to_load(bytes, size);
        bytes[at] = was;
    }
}

int main(int argc, char **argv)
{
    static unsigned char bytes[MOST_BYTES];
    CUmodule module;

    const CUcontext context = own_context(first_device());
    const size_t size = read_file(argc > 1 ? argv[1] : "", bytes);
    if (argc > 2) {
        breaks(bytes, size);
    } else {
        EXPECT_SUCCESS(cuModuleLoad(&module, argv[1]));
        runs(module);
        EXPECT_SUCCESS(cuModuleLoadData(&module, at_end_of_page(bytes, size)));
        runs(module);
        EXPECT_SUCCESS(cuModuleLoadFatBinary(&module, bytes));
        runs(module);
    }
    EXPECT_SUCCESS(cuCtxDestroy(context));
    return finish();
}
