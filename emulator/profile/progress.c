/* SPDX-License-Identifier: MIT */
#include "profile/progress.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine/machine.h"

struct progress_file *progress_map(const char *path, bool make)
{
    const int fd = open(path, make ? O_RDWR | O_CREAT | O_CLOEXEC : O_RDONLY | O_CLOEXEC, 0600);
    void *memory = MAP_FAILED;
    struct stat status;

    if (fd < 0)
        return NULL;
    /* Beyond its end a file that is mapped raises SIGBUS: one just made may have no size yet. */
    if (make ? !ftruncate(fd, sizeof(struct progress_file))
             : !fstat(fd, &status) && (size_t)status.st_size >= sizeof(struct progress_file))
        memory = mmap(NULL, sizeof(struct progress_file), make ? PROT_READ | PROT_WRITE : PROT_READ,
                      MAP_SHARED, fd, 0);
    close(fd);
    return memory == MAP_FAILED ? NULL : memory;
}

static void on_launch_begin(void *self, const struct launch *launch)
{
    struct progress_file *file = self;
    const struct dim grid = launch->grid;

    snprintf(file->kernel, PROGRESS_NAME, "%s", kernel_info(launch->kernel)->name);
    file->blocks = (uint64_t)grid.x * grid.y * grid.z;
    file->ended = 0;
    file->launches++;
}

static void on_block_end(void *self, int worker, const struct launch *launch, struct dim block,
                         uint64_t issued)
{
    struct progress_file *file = self;

    (void)worker;
    (void)launch;
    (void)block;
    (void)issued;
    __atomic_fetch_add(&file->ended, 1, __ATOMIC_RELAXED);
}

struct observer progress_observer(struct progress_file *file)
{
    return (struct observer){
        .self = file, .launch_begin = on_launch_begin, .block_end = on_block_end};
}
