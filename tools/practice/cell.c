/* SPDX-License-Identifier: MIT */
#include "cell.h"

#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox.h"
#include "text.h"

enum { NOBODY = 65534, STRANGER = 1000 }; /* user ids: outside instead of root; inside */

/* --- Namespaces ------------------------------------------------------------------------------- */

/* The kernel counts nobody's processes, but not root's. */
static bool give_up_root(void)
{
    if (geteuid() == 0 && (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
                           setresuid(NOBODY, NOBODY, NOBODY)))
        return false;
    return !prctl(PR_SET_DUMPABLE, 1); /* or our own files in /proc were root's */
}

/* Devices that programs expect, and processes: without those a cell is poorer, but works. */
static void furnish(const char *root)
{
    static const char *const devices[] = {"/dev/null", "/dev/zero", "/dev/urandom"};
    char *proc = text_format("%s/proc", root);

    for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++)
        sandbox_show_device(root, devices[i]);
    mkdir(proc, 0555);
    mount("proc", proc, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

/* A folder that a cell's root may cover, for nothing that is shown lies in it; NULL: none. */
static const char *free_folder(const struct cell_plan *plan)
{
    static const char *const folders[] = {"/mnt", "/srv", "/media", "/home", "/tmp"};

    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        const size_t length = strlen(folders[i]);
        const char *const *path = plan->shown;
        while (*path && (strncmp(*path, folders[i], length) != 0 || (*path)[length] != '/'))
            path++;
        if (!*path && !access(folders[i], X_OK))
            return folders[i];
    }
    return NULL;
}

/* Make the root of a cell, and go there. */
static bool build(const struct cell_plan *plan)
{
    const char *root = free_folder(plan);
    char *size = text_format("size=%zu,nr_inodes=16384,mode=755", plan->disk);

    if (!root || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("none", root, "tmpfs", MS_NOSUID | MS_NODEV, size) || !sandbox_fill(root))
        return false;
    for (const char *const *path = plan->shown; *path; path++)
        if (!sandbox_show(root, *path))
            return false;
    furnish(root);
    return !mkdir(text_format("%s" CELL_FOLDER, root), 0700) && !chdir(root) &&
           !syscall(SYS_pivot_root, ".", ".") && !umount2(".", MNT_DETACH) && !chdir(CELL_FOLDER);
}

/* The first process: ends with the other end of the pipe `alive`, too, should its parent have died
 * before it could ask to be told. */
static void live(const struct cell_plan *plan, int alive, int built, void (*body)(void *self),
                 void *self)
{
    const struct rlimit processes = {plan->processes, plan->processes};
    struct pollfd parent = {alive, 0, 0};
    const bool ready = build(plan) && !setrlimit(RLIMIT_NPROC, &processes) &&
                       !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_DUMPABLE, 0) &&
                       !prctl(PR_SET_PDEATHSIG, SIGKILL) && poll(&parent, 1, 0) == 0;
    const int error = ready ? 0 : errno ? errno : EPERM;

    if (write(built, &error, sizeof(error)) != sizeof(error) || !ready)
        _exit(EXIT_FAILURE);
    close(built);
    close(alive);
    body(self);
    _exit(EXIT_SUCCESS);
}

int cell_run(const struct cell_plan *plan, void (*body)(void *self), void *self)
{
    const int all = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWPID |
                    CLONE_NEWUTS | CLONE_NEWCGROUP;
    int alive[2], built[2], error = 0, status = -1;

    if (pipe(alive) || pipe(built) || !give_up_root())
        return -1;
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* which a change of user clears */
    if (!sandbox_unshare(all, STRANGER))
        return -1;
    const pid_t first = fork();
    if (first == 0) {
        close(alive[1]);
        close(built[0]);
        live(plan, alive[0], built[1], body, self);
    }
    close(alive[0]);
    close(built[1]);
    if (first < 0)
        return -1;
    if (read(built[0], &error, sizeof(error)) != sizeof(error) && !error)
        error = ECHILD;
    while (waitpid(first, &status, 0) < 0 && errno == EINTR)
        continue;
    errno = error;
    return error ? -1 : status;
}

static void do_nothing(void *self)
{
    (void)self;
    _exit(access(CELL_FOLDER, W_OK) || !access("/etc/passwd", F_OK));
}

bool cell_works(void)
{
    static const char *const nothing[] = {NULL};
    const struct cell_plan plan = {nothing, 4, 1 << 20};
    int status = -1;
    const pid_t child = fork();

    if (child == 0)
        _exit(cell_run(&plan, do_nothing, NULL) != 0);
    if (child > 0)
        waitpid(child, &status, 0);
    return status == 0;
}

/* --- In a cell -------------------------------------------------------------------------------- */

void cell_kill(void)
{
    kill(-1, SIGKILL);
}

void cell_clear(void)
{
    cell_kill();
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
        continue;
}

/* Pages in memory that one process has by itself, and those of shared memory. */
static size_t pages_of(const char *process)
{
    FILE *file = fopen(text_format("/proc/%s/statm", process), "r");
    unsigned long size, resident = 0, shared = 0;

    if (!file)
        return 0;
    if (fscanf(file, "%lu %lu %lu", &size, &resident, &shared) != 3)
        resident = 0;
    fclose(file);
    return resident;
}

size_t cell_memory(void)
{
    DIR *all = opendir("/proc");
    size_t pages = 0;

    for (const struct dirent *entry; all && (entry = readdir(all));)
        if (*entry->d_name >= '1' && *entry->d_name <= '9' && strcmp(entry->d_name, "1") != 0)
            pages += pages_of(entry->d_name);
    if (all)
        closedir(all);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* What could reach the kernel's less trodden paths. */
static const unsigned locked_calls[] = {
    SYS_unshare,
    SYS_setns,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_io_uring_setup,
    SYS_kexec_load,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_open_by_handle_at,
    SYS_fsopen,
    SYS_fsmount,
    SYS_move_mount,
    SYS_open_tree,
    SYS_mount_setattr,
    SYS_syslog,
    SYS_quotactl,
    SYS_personality,
    SYS_acct,
    SYS_swapon,
    SYS_reboot,
};

#if defined(__aarch64__)
enum { THIS_MACHINE = AUDIT_ARCH_AARCH64, FOREIGN_CALLS = 0 };
#else
enum { THIS_MACHINE = AUDIT_ARCH_X86_64, FOREIGN_CALLS = 0x40000000 }; /* x32's */
#endif

/* Those fail with EPERM, as does clone() with a new namespace; clone3(), whose flags a filter
 * cannot see, is said not to exist. */
bool cell_lock(void)
{
    enum { CALLS = sizeof(locked_calls) / sizeof(locked_calls[0]), HEAD = 7, TAIL = 9 };
    const unsigned spaces = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC |
                            CLONE_NEWPID | CLONE_NEWUTS | CLONE_NEWCGROUP;
    struct sock_filter filter[HEAD + CALLS + TAIL] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_MACHINE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FOREIGN_CALLS ? FOREIGN_CALLS : ~0U, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_MISC | BPF_TAX, 0),
    };
    const struct sock_filter tail[TAIL] = {
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 2),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, spaces, 2, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {HEAD + CALLS + TAIL, filter};

    for (unsigned i = 0; i < CALLS; i++) /* to the tail's line that refuses */
        filter[HEAD + i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, locked_calls[i],
                                                        CALLS - i - 1 + TAIL - 2, 0);
    memcpy(filter + HEAD + CALLS, tail, sizeof(tail));
    return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
           !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
