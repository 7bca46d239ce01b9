/* SPDX-License-Identifier: MIT */
/* What a program registers before main(), and how it is loaded on first use. */
#define _GNU_SOURCE /* dl_iterate_phdr, dladdr */
#include "cudart/runtime.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cudart/cubin.h"
#include "cudart/fatbin.h"
#include "cudart/registration.h"

enum { WRAPPER_MAGIC = 0x466243b1, WRAPPER_LINKED = 2, ERROR_SIZE = 512 };

/* What the program passes: __fatBinC_Wrapper_t in the fatbinary_section.h of the toolkit. Linked
 * by nvlink (-rdc=true), `data` has only machine code, and `objects` what each object had. */
struct wrapper {
    uint32_t magic, version;
    const void *data;
    const void *const *objects;
};

/* A search for the segment of a loaded object that holds `address`; `left` is the number of
 * bytes from there to its end. */
struct segment_search {
    uintptr_t address;
    size_t left;
};

static int search_segment(struct dl_phdr_info *info, size_t size, void *data)
{
    struct segment_search *search = data;
    (void)size;

    for (int i = 0; i < info->dlpi_phnum; i++) {
        const uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        const size_t length = info->dlpi_phdr[i].p_memsz;
        if (info->dlpi_phdr[i].p_type == PT_LOAD && search->address - start < length) {
            search->left = length - (search->address - start);
            return 1;
        }
    }
    return 0;
}

/* How many bytes of `binary` may be read at `data`: of a copy all, else up to the end of its
 * segment. */
static size_t readable_bytes(const struct binary *binary, const void *data)
{
    struct segment_search search = {.address = (uintptr_t)data};

    if (binary->copy)
        return binary->size;
    dl_iterate_phdr(search_segment, &search);
    return search.left;
}

/* The capability whose PTX a GPU takes. No current toolkit makes PTX for compute capability 1.x.
 * Those GPUs take the oldest that there is, and the instructions that they did not have are
 * refused one by one. */
static int ptx_capability(const struct gpu *gpu)
{
    enum { OLDEST = 75 };

    return gpu->major == 1 ? OLDEST : 10 * gpu->major + gpu->minor;
}

/* Say that there is no PTX for this GPU, and name a GPU for which there is some. */
static void complain_no_ptx(struct runtime *runtime, const struct binary *binary, const void *data,
                            const char *message)
{
    const int lowest = fatbin_lowest_ptx(data, readable_bytes(binary, data));
    char *gpu = lowest ? settings_gpu_for(&runtime->settings, lowest) : NULL;

    runtime_complain(runtime, "%s%s%s", message,
                     gpu ? ", or emulate a GPU that takes what it has: --gpu " : "",
                     gpu ? gpu : "");
    free(gpu);
}

/* The error for PTX that cannot run. No current program has code for the first GPUs, so their
 * driver would find no image. */
static cudaError_t cannot_run(const struct gpu *gpu)
{
    return gpu->major == 1 ? cudaErrorNoKernelImageForDevice : cudaErrorInvalidPtx;
}

/* Add the PTX in a fat binary for this GPU to `texts`. */
static cudaError_t find_text(struct runtime *runtime, const struct binary *binary, const void *data,
                             struct list *texts, char *error)
{
    const int capability = ptx_capability(machine_gpu(runtime->machine));
    char *text;

    switch (fatbin_ptx(data, readable_bytes(binary, data), capability, &text, error)) {
    case FATBIN_NO_PTX:
        return cudaErrorNoKernelImageForDevice;
    case FATBIN_BROKEN:
        return cudaErrorInvalidKernelImage;
    case FATBIN_OK:
        break;
    }
    if (list_add(texts, text))
        return cudaSuccess;
    free(text);
    snprintf(error, FATBIN_ERROR_SIZE, "no memory for the program's PTX");
    return cudaErrorMemoryAllocation;
}

/* Add the texts that PTX_SEPARATOR parts. */
static cudaError_t split_texts(const char *text, struct list *texts)
{
    for (const char *end; text; text = end ? end + 1 : NULL) {
        end = strchr(text, PTX_SEPARATOR);
        char *part = end ? strndup(text, (size_t)(end - text)) : strdup(text);
        if (!part || !list_add(texts, part)) {
            free(part);
            return cudaErrorMemoryAllocation;
        }
    }
    return cudaSuccess;
}

/* Of objects, each that has PTX for this GPU: the one that nvlink adds to every program has only
 * machine code. */
cudaError_t module_texts(struct runtime *runtime, const struct binary *binary, struct list *texts)
{
    if (!binary->data)
        return split_texts(binary->copy, texts);
    const void *const only[] = {binary->data, NULL};
    char error[FATBIN_ERROR_SIZE], why[FATBIN_ERROR_SIZE] = "no PTX in the program";
    const void *without = NULL;

    for (const void *const *data = binary->objects ? binary->objects : only; *data; data++) {
        const cudaError_t failure = find_text(runtime, binary, *data, texts, error);
        if (failure && failure != cudaErrorNoKernelImageForDevice) {
            runtime_complain(runtime, "%s", error);
            return failure;
        }
        if (failure && !without) {
            without = *data;
            snprintf(why, sizeof(why), "%s", error);
        }
    }
    if (texts->count)
        return cudaSuccess;
    complain_no_ptx(runtime, binary, without, why);
    return cudaErrorNoKernelImageForDevice;
}

/* The module of `binary`; or NULL and the error. */
static struct ptx_module *read_module(struct runtime *runtime, const struct binary *binary,
                                      cudaError_t *failure)
{
    struct ptx_module *module = NULL;
    char error[ERROR_SIZE];
    struct list texts = {0};

    *failure = module_texts(runtime, binary, &texts);
    if (!*failure)
        module =
            ptx_parse((const char *const *)texts.items, (int)texts.count, error, sizeof(error));
    if (!module && !*failure) {
        runtime_complain(runtime, "cannot read the program's PTX: %s", error);
        *failure = cudaErrorInvalidPtx;
    }
    list_clear(&texts);
    return module;
}

/* If the program also holds machine code, tell the kernels of `module` how many registers ptxas
 * gave them. No current program holds machine code like that of the first GPUs. */
static void take_registers(const struct gpu *gpu, const struct binary *binary,
                           struct ptx_module *module)
{
    const int capability = 10 * gpu->major + gpu->minor;
    struct fatbin_entry entry;
    size_t size;

    void *code = gpu->major == 1 ? NULL
                                 : fatbin_code(binary->data, readable_bytes(binary, binary->data),
                                               capability, &entry, &size);
    for (int i = 0; code && i < module->function_count; i++) {
        struct ptx_function *function = &module->functions[i];
        if (!function->is_entry)
            continue;
        function->ptxas_registers = cubin_registers(code, size, function->name);
        function->ptxas_runs_here = fatbin_runs(&entry, capability);
    }
    free(code);
}

static bool is_later(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec > b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec > b->tv_nsec);
}

/* The file that `data` was loaded from: a library, or the program itself. A relative name of the
 * program may be of no use here, as it may have changed its folder. */
static const char *holder(const void *data, struct stat *status)
{
    static const char program[] = "/proc/self/exe";
    Dl_info info;

    if (dladdr(data, &info) && info.dli_fname && !stat(info.dli_fname, status))
        return info.dli_fname;
    return stat(program, status) ? NULL : "the program";
}

/* Print a line on stderr if a source (known through -lineinfo) has changed since the binary was
 * built: its lines may then be other ones. */
static void warn_if_stale(const struct binary *binary, const struct ptx_module *module)
{
    struct stat built, source;
    const char *name = holder(binary->data, &built);

    for (int i = 0; name && i < module->file_count; i++) {
        const char *file = module->files[i];
        if (file && !stat(file, &source) && S_ISREG(source.st_mode) &&
            is_later(&source.st_mtim, &built.st_mtim)) {
            runtime_say("%s is older than its source %s: compile it again", name, file);
            return;
        }
    }
}

/* As some device has loaded the binary; NULL: none has. */
static const struct program *any_program(const struct binary *binary)
{
    const struct program *any = NULL;

    for (int i = 0; i < MACHINES_MOST && !any; i++)
        any = binary->programs[i];
    return any;
}

static cudaError_t load(struct runtime *runtime, struct binary *binary)
{
    const struct gpu *gpu = machine_gpu(runtime->machine);
    cudaError_t failure = cudaSuccess;
    char error[ERROR_SIZE];

    struct ptx_module *module = read_module(runtime, binary, &failure);
    if (!module)
        return failure;
    if (!binary->copy)
        warn_if_stale(binary, module);
    if (binary->data)
        take_registers(gpu, binary, module);
    struct program **program = &binary->programs[runtime->device->number];
    *program =
        machine_load_beside(runtime->machine, module, any_program(binary), error, sizeof(error));
    if (!*program) {
        runtime_complain(runtime, "cannot load the program's PTX: %s", error);
        return cannot_run(gpu);
    }
    return cudaSuccess;
}

/* Set the program's pointers to the managed variables of `binary`. */
static void point_to_managed(const struct runtime *runtime, const struct binary *binary)
{
    const struct program *program = binary->programs[runtime->device->number];

    for (size_t i = 0; i < runtime->variables.count; i++) {
        const struct variable *variable = runtime->variables.items[i];
        const struct allocation *allocation = variable->managed && variable->binary == binary
                                                  ? program_variable(program, variable->name)
                                                  : NULL;
        if (allocation)
            *(void **)variable->host = api_pointer(allocation->address);
    }
}

cudaError_t module_load(struct runtime *runtime, struct binary *binary)
{
    if (binary->programs[runtime->device->number] || binary->failure)
        return binary->failure;
    binary->failure = load(runtime, binary);
    if (!binary->failure)
        point_to_managed(runtime, binary);
    return binary->failure;
}

void module_clear(struct runtime *runtime)
{
    checks_forget(runtime->checks);
    const int device = runtime->device->number;

    for (size_t i = 0; i < runtime->functions.count; i++) {
        struct function *function = runtime->functions.items[i];
        function->kernel = function->on[device].kernel = NULL;
    }
    for (size_t i = 0; i < runtime->binaries.count; i++) {
        struct binary *binary = runtime->binaries.items[i];
        if (binary->programs[device])
            machine_unload(runtime->machine, binary->programs[device]);
        binary->programs[device] = NULL;
    }
}

/* Can the kernel be launched? If not, the first call prints the reason. */
static cudaError_t check_kernel(struct runtime *runtime, struct function *function)
{
    const struct kernel_info *info = kernel_info(function->kernel);

    if (!info->failure)
        return cudaSuccess;
    if (!function->refused)
        runtime_complain(runtime, "kernel %.100s cannot run: %s", info->name, info->failure);
    function->refused = true;
    return cannot_run(machine_gpu(runtime->machine));
}

/* Only an object that is linked with others may lack PTX. */
static cudaError_t lacks_kernel(struct runtime *runtime, struct function *function)
{
    const int capability = ptx_capability(machine_gpu(runtime->machine));
    char name[128];

    if (!function->binary->objects)
        return cudaErrorInvalidDeviceFunction;
    ptx_function_name(function->name, name, sizeof(name));
    if (!function->refused)
        runtime_complain(runtime,
                         "kernel %s is in an object without PTX for this GPU: build all with "
                         "-gencode arch=compute_%d,code=compute_%d",
                         name, capability, capability);
    function->refused = true;
    return cudaErrorNoKernelImageForDevice;
}

static const cudaError_t unknown_function =
    CUDART_VERSION >= 13000 ? cudaErrorInvalidResourceHandle : cudaErrorInvalidDeviceFunction;

cudaError_t module_function(struct runtime *runtime, const void *host, struct function **function)
{
    for (size_t i = 0; i < runtime->functions.count; i++) {
        struct function *candidate = runtime->functions.items[i];
        if (candidate->host != host && candidate != host)
            continue;
        TRY(module_load(runtime, candidate->binary));
        struct function_on *here = &candidate->on[runtime->device->number];
        if (!here->kernel)
            here->kernel = program_kernel(candidate->binary->programs[runtime->device->number],
                                          candidate->name);
        candidate->kernel = here->kernel;
        *function = candidate;
        return candidate->kernel ? check_kernel(runtime, candidate)
                                 : lacks_kernel(runtime, candidate);
    }
    return host ? unknown_function : cudaErrorInvalidDeviceFunction;
}

cudaError_t module_kernel(struct runtime *runtime, const struct kernel *kernel,
                          struct function **function)
{
    const struct kernel_info *info = kernel_info(kernel);

    for (size_t i = 0; i < runtime->functions.count; i++) {
        const struct function *candidate = runtime->functions.items[i];
        const struct program *program = candidate->binary->programs[runtime->device->number];
        if (program && program_module(program) == info->module &&
            strcmp(candidate->name, info->function->name) == 0)
            return module_function(runtime, candidate, function);
    }
    return cudaErrorInvalidDeviceFunction;
}

/* The program knows a managed variable by its address in managed memory, too. */
static bool is_variable(const struct variable *variable, const void *host)
{
    return variable->host == host ||
           (variable->managed && host && *(void *const *)variable->host == host);
}

cudaError_t module_variable(struct runtime *runtime, const void *host, struct variable **variable,
                            uint64_t *address)
{
    for (size_t i = 0; i < runtime->variables.count; i++) {
        struct variable *candidate = runtime->variables.items[i];
        if (!is_variable(candidate, host))
            continue;
        TRY(module_load(runtime, candidate->binary));
        const struct allocation *allocation =
            program_variable(candidate->binary->programs[runtime->device->number], candidate->name);
        if (!allocation)
            return cudaErrorInvalidSymbol;
        *variable = candidate;
        *address = allocation->address;
        return cudaSuccess;
    }
    return cudaErrorInvalidSymbol;
}

/* Registration cannot return an error, so without memory the program is ended. */
static void *must_register(struct list *list, size_t size)
{
    void *item = calloc(1, size);

    if (!item || !list_add(list, item)) {
        runtime_say("no memory to register the program's kernels");
        abort();
    }
    return item;
}

void **__cudaRegisterFatBinary(void *wrapper_pointer)
{
    const struct wrapper *wrapper = wrapper_pointer;
    struct runtime *runtime = runtime_lock();
    struct binary *binary = must_register(&runtime->binaries, sizeof(*binary));

    runtime->is_used = true;
    binary->data = wrapper->data;
    binary->objects = wrapper->version == WRAPPER_LINKED ? wrapper->objects : NULL;
    if (wrapper->magic != WRAPPER_MAGIC) {
        runtime_complain(runtime, "the program registers something that is not a fat binary");
        binary->failure = cudaErrorInvalidKernelImage;
    }
    runtime_unlock(runtime);
    return (void **)binary;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

static const struct binary *binary_of(void *item, bool function)
{
    return function ? ((struct function *)item)->binary : ((struct variable *)item)->binary;
}

/* Remove what `binary` registered from the list. */
static void forget(struct list *list, const struct binary *binary, bool function)
{
    size_t kept = 0;

    for (size_t i = 0; i < list->count; i++) {
        if (binary_of(list->items[i], function) == binary)
            free(list->items[i]);
        else
            list->items[kept++] = list->items[i];
    }
    list->count = kept;
}

void module_forget(struct runtime *runtime, const struct binary *binary)
{
    forget(&runtime->functions, binary, true);
    forget(&runtime->variables, binary, false);
}

/* The struct program is kept, because observers still name its kernels when the process ends. */
void __cudaUnregisterFatBinary(void **handle)
{
    struct runtime *runtime = runtime_lock();

    if (list_has(&runtime->binaries, handle)) {
        queue_abandon(runtime, (struct binary *)handle);
        module_forget(runtime, (struct binary *)handle);
    }
    runtime_unlock(runtime);
}

struct function function_of(struct binary *binary, const void *host, const char *name)
{
    struct function function = {.binary = binary, .host = host, .name = name};

    for (int i = 0; i < MACHINES_MOST; i++)
        function.on[i] = (struct function_on){.dynamic_shared = -1, .carveout = -1};
    return function;
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int thread_limit, uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid,
                            int *warp_size)
{
    struct runtime *runtime = runtime_lock();
    struct function *function = must_register(&runtime->functions, sizeof(*function));

    *function = function_of((struct binary *)handle, host, name);
    runtime_unlock(runtime);
    (void)device, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid,
        (void)warp_size;
}

static void register_variable(void **handle, const void *host, const char *name, size_t size,
                              bool managed)
{
    struct runtime *runtime = runtime_lock();
    struct variable *variable = must_register(&runtime->variables, sizeof(*variable));

    *variable = (struct variable){
        .binary = (struct binary *)handle,
        .host = host,
        .name = name,
        .size = size,
        .managed = managed,
    };
    runtime_unlock(runtime);
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext,
                       size_t size, int constant, int global)
{
    register_variable(handle, host, name, size, false);
    (void)device, (void)ext, (void)constant, (void)global;
}

void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int ext,
                              size_t size, int constant, int global)
{
    register_variable(handle, host, name, size, true);
    (void)device, (void)ext, (void)constant, (void)global;
}

/* The program calls this before it first uses a managed variable. Returns whether the module
 * could be loaded. */
char __cudaInitModule(void **handle)
{
    return ASIDE(runtime, module_load(runtime, (struct binary *)handle)) == cudaSuccess;
}

static cudaError_t find_handle(const struct runtime *runtime, void **handle, const void *host)
{
    *handle = NULL;
    for (size_t i = 0; i < runtime->functions.count; i++) {
        struct function *function = runtime->functions.items[i];
        if (function->host == host) {
            *handle = function;
            return cudaSuccess;
        }
    }
    return cudaErrorInvalidDeviceFunction;
}

/* The program asks only once and keeps the answer. So nothing is loaded here, as that might
 * fail. */
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host)
{
    return ASIDE(runtime, find_handle(runtime, (void **)kernel, host));
}

cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *host)
{
    return ASIDE(runtime,
                 kernel ? find_handle(runtime, (void **)kernel, host) : cudaErrorInvalidValue);
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *host)
{
    return ASIDE(runtime,
                 function ? find_handle(runtime, (void **)function, host) : cudaErrorInvalidValue);
}

ENTRY(ASIDE, cudaGetSymbolAddress, (address, symbol), void **address, const void *symbol)
{
    struct variable *variable;
    uint64_t found;

    if (!address)
        return cudaErrorInvalidValue;
    TRY(module_variable(runtime, symbol, &variable, &found));
    *address = api_pointer(found);
    return cudaSuccess;
}

ENTRY(ASIDE, cudaGetSymbolSize, (size, symbol), size_t *size, const void *symbol)
{
    struct variable *variable;
    uint64_t found;

    if (!size)
        return cudaErrorInvalidValue;
    TRY(module_variable(runtime, symbol, &variable, &found));
    *size = variable->size;
    return cudaSuccess;
}
