/* SPDX-License-Identifier: MIT */
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "text.h"

static bool write_all(const char *path, const char *text)
{
    const int file = open(path, O_WRONLY | O_CLOEXEC);
    const ssize_t length = (ssize_t)strlen(text);
    const bool written = file >= 0 && write(file, text, (size_t)length) == length;

    if (file >= 0)
        close(file);
    return written;
}

bool sandbox_unshare(int namespaces, unsigned inside)
{
    const unsigned user = geteuid(), group = getegid();
    char map[64];

    if (unshare(namespaces))
        return false;
    write_all("/proc/self/setgroups", "deny");
    snprintf(map, sizeof(map), "%u %u 1", inside, user);
    if (!write_all("/proc/self/uid_map", map))
        return false;
    snprintf(map, sizeof(map), "%u %u 1", inside, group);
    return write_all("/proc/self/gid_map", map);
}

/* Every folder on the way to `path`. */
static void make_folders(const char *path)
{
    char *copy = copy_text(path);

    for (char *at = copy + 1; (at = strchr(at, '/')) != NULL; *at++ = '/') {
        *at = '\0';
        mkdir(copy, 0755);
    }
    mkdir(copy, 0755);
}

bool sandbox_show(const char *root, const char *path)
{
    char link[4096];
    struct stat status;
    char *place = text_format("%s%s", root, path);
    bool done = true;

    if (lstat(path, &status)) {
        done = errno == ENOENT;
    } else if (S_ISLNK(status.st_mode)) { /* /lib -> usr/lib */
        const ssize_t length = readlink(path, link, sizeof(link) - 1);
        link[length > 0 ? length : 0] = '\0';
        done = !symlink(link, place);
    } else {
        if (S_ISDIR(status.st_mode))
            make_folders(place);
        else
            close(open(place, O_CREAT | O_WRONLY, 0644));
        const unsigned long locked = MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID;
        done = !mount(path, place, NULL, MS_BIND | MS_REC, NULL) &&
               (!mount(NULL, place, NULL, locked, NULL) ||
                !mount(NULL, place, NULL, locked | MS_NODEV, NULL));
    }
    return done;
}

bool sandbox_show_device(const char *root, const char *path)
{
    char *place = text_format("%s%s", root, path);

    mkdir(text_format("%s/dev", root), 0755);
    close(open(place, O_CREAT | O_WRONLY, 0644));
    return !mount(path, place, NULL, MS_BIND, NULL);
}

bool sandbox_fill(const char *root)
{
    static const char *const shown[] = {
        "/usr", "/bin", "/lib", "/lib64", "/etc/alternatives", "/etc/ld.so.cache"};

    mkdir(text_format("%s/etc", root), 0755);
    mkdir(text_format("%s/tmp", root), 0777);
    for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
        if (!sandbox_show(root, shown[i]))
            return false;
    return true;
}

bool sandbox_enter(const char *folder, const char *toolkit)
{
    char *root = text_format("%s/root", folder);
    char *work = text_format("%s/root/work", folder);
    bool entered = false;

    mkdir(root, 0755);
    if (sandbox_unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC, 0) &&
        !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
        !mount("none", root, "tmpfs", MS_NOSUID | MS_NODEV, "size=64m")) {
        mkdir(work, 0755);
        entered = sandbox_fill(root) &&
                  (!strncmp(toolkit, "/usr/", 5) || sandbox_show(root, toolkit)) &&
                  !mount(folder, work, NULL, MS_BIND, NULL) && !chdir(root) &&
                  !syscall(SYS_pivot_root, ".", ".") && !umount2(".", MNT_DETACH) &&
                  !chdir("/work") && !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    }
    return entered;
}

bool sandbox_works(const char *folder, const char *toolkit)
{
    int status = -1;
    const pid_t child = fork();

    if (child == 0)
        _exit(sandbox_enter(folder, toolkit) && access("/work", W_OK) == 0 &&
                      access("/etc/passwd", F_OK) != 0
                  ? 0
                  : 1);
    if (child > 0)
        waitpid(child, &status, 0);
    return status == 0;
}

/* What malloc, stdio on open files, the end of a process and AddressSanitizer take. */
static const unsigned sealed_calls[] = {
    SYS_read,         SYS_write,         SYS_pread64,     SYS_lseek,     SYS_fstat,
    SYS_newfstatat,   SYS_close,         SYS_mmap,        SYS_munmap,    SYS_mremap,
    SYS_brk,          SYS_mprotect,      SYS_madvise,     SYS_futex,     SYS_getpid,
    SYS_gettid,       SYS_exit,          SYS_exit_group,  SYS_getrandom, SYS_rt_sigprocmask,
    SYS_rt_sigreturn, SYS_clock_gettime, SYS_sigaltstack,
};

#if defined(__aarch64__)
enum { THIS_MACHINE = AUDIT_ARCH_AARCH64 };
#else
enum { THIS_MACHINE = AUDIT_ARCH_X86_64 };
#endif

/* All others fail, with EPERM. */
bool sandbox_seal(void)
{
    enum { CALLS = sizeof(sealed_calls) / sizeof(sealed_calls[0]) };
    const struct sock_filter deny = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    struct sock_filter filter[CALLS + 6] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_MACHINE, 1, 0),
        deny,
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    };
    const struct sock_fprog program = {.len = CALLS + 6, .filter = filter};

    for (unsigned i = 0; i < CALLS; i++) /* to the last line of all */
        filter[4 + i] =
            (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, sealed_calls[i], CALLS - i, 0);
    filter[4 + CALLS] = deny;
    filter[5 + CALLS] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
           !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
