/* Faults on demand: loaded before the C library (LD_PRELOAD), it counts the operations that change files below one folder, and kills the
   process before the n-th of them, asks it to stop, or lets the operation fail. Nothing happens until `faults_arm` is called. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { COUNT = 0, KILL = 1, FAIL_ONCE = 2, FULL = 3, STOP = 4, DEAD = 5 };

static atomic_long done;
static atomic_int armed;
static int mode, code, record = -1;
static long at;
static char below[PATH_MAX];

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

void faults_arm(const char *folder, int how, long when, int error, const char *log) {
    snprintf(below, sizeof below, "%s", folder);
    mode = how; at = when; code = error;
    if (log) record = REAL(open)(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    atomic_store(&done, 0);
    atomic_store(&armed, 1);
}

long faults_seen(void) { return atomic_load(&done); }

static int inside(const char *path) { return strncmp(path, below, strlen(below)) == 0; }

static void of_descriptor(int fd, char *out) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, out, PATH_MAX - 1);
    out[n < 0 ? 0 : n] = 0;
}

static void whole(int dirfd, const char *path, char *out) {
    char base[PATH_MAX] = "";
    if (path[0] == '/') { snprintf(out, PATH_MAX, "%s", path); return; }
    if (dirfd == AT_FDCWD) { if (!getcwd(base, sizeof base)) base[0] = 0; }
    else of_descriptor(dirfd, base);
    if (strlen(base) + strlen(path) + 2 > PATH_MAX) { out[0] = 0; return; }
    strcpy(out, base); strcat(out, "/"); strcat(out, path);
}

/* Whether the operation is to fail; `grows` if a full disk would refuse it. */
static int struck(const char *what, const char *path, int grows) {
    if (!atomic_load(&armed) || !inside(path)) return 0;
    long n = atomic_fetch_add(&done, 1) + 1;
    if (record >= 0) {
        char line[PATH_MAX + 64];
        int length = snprintf(line, sizeof line, "%s %s\n", what, path);
        if (REAL(write)(record, line, length) < 0) abort();
    }
    if (mode == KILL && n == at) { kill(getpid(), SIGKILL); for (;;) pause(); }
    if (mode == STOP && n == at) kill(getpid(), SIGTERM);
    if ((mode == FAIL_ONCE && n == at) || (mode == FULL && n >= at && grows) || (mode == DEAD && n >= at)) { errno = code; return 1; }
    return 0;
}

#define AT(what, dirfd, path, grows) \
    char spot_[PATH_MAX] = ""; \
    if (atomic_load(&armed)) { int kept_ = errno; whole(dirfd, path, spot_); errno = kept_; if (struck(what, spot_, grows)) return -1; }
#define ON(what, fd, grows) \
    char spot_[PATH_MAX] = ""; \
    if (atomic_load(&armed)) { int kept_ = errno; of_descriptor(fd, spot_); errno = kept_; if (struck(what, spot_, grows)) return -1; }
#define OPENED(dirfd, path, flags) \
    mode_t rights = 0; \
    if (flags & (O_CREAT | O_TMPFILE)) { va_list more; va_start(more, flags); rights = va_arg(more, mode_t); va_end(more); } \
    if (flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)) { AT("open", dirfd, path, flags & O_CREAT) }

int open(const char *path, int flags, ...) { OPENED(AT_FDCWD, path, flags) return REAL(open)(path, flags, rights); }
int open64(const char *path, int flags, ...) { OPENED(AT_FDCWD, path, flags) return REAL(open64)(path, flags, rights); }
int openat(int d, const char *path, int flags, ...) { OPENED(d, path, flags) return REAL(openat)(d, path, flags, rights); }
int openat64(int d, const char *path, int flags, ...) { OPENED(d, path, flags) return REAL(openat64)(d, path, flags, rights); }
int creat(const char *path, mode_t m) { AT("open", AT_FDCWD, path, 1) return REAL(creat)(path, m); }
ssize_t write(int fd, const void *b, size_t n) { ON("write", fd, 1) return REAL(write)(fd, b, n); }
ssize_t pwrite(int fd, const void *b, size_t n, off_t o) { ON("write", fd, 1) return REAL(pwrite)(fd, b, n, o); }
ssize_t pwrite64(int fd, const void *b, size_t n, off64_t o) { ON("write", fd, 1) return REAL(pwrite64)(fd, b, n, o); }
ssize_t writev(int fd, const struct iovec *v, int n) { ON("write", fd, 1) return REAL(writev)(fd, v, n); }
ssize_t sendfile64(int o, int i, off64_t *p, size_t n);
ssize_t sendfile(int o, int i, off_t *p, size_t n) { ON("write", o, 1) return REAL(sendfile)(o, i, p, n); }
ssize_t sendfile64(int o, int i, off64_t *p, size_t n) { ON("write", o, 1) return REAL(sendfile64)(o, i, p, n); }
ssize_t copy_file_range(int i, off64_t *p, int o, off64_t *q, size_t n, unsigned f) { ON("write", o, 1) return REAL(copy_file_range)(i, p, o, q, n, f); }
int fsync(int fd) { ON("fsync", fd, 0) return REAL(fsync)(fd); }
int fdatasync(int fd) { ON("fsync", fd, 0) return REAL(fdatasync)(fd); }
int ftruncate(int fd, off_t n) { ON("truncate", fd, 1) return REAL(ftruncate)(fd, n); }
int ftruncate64(int fd, off64_t n) { ON("truncate", fd, 1) return REAL(ftruncate64)(fd, n); }
int rename(const char *a, const char *b) { AT("rename", AT_FDCWD, b, 0) return REAL(rename)(a, b); }
int renameat(int c, const char *a, int d, const char *b) { AT("rename", d, b, 0) return REAL(renameat)(c, a, d, b); }
int renameat2(int c, const char *a, int d, const char *b, unsigned f) { AT("rename", d, b, 0) return REAL(renameat2)(c, a, d, b, f); }
int link(const char *a, const char *b) { AT("link", AT_FDCWD, b, 1) return REAL(link)(a, b); }
int linkat(int c, const char *a, int d, const char *b, int f) { AT("link", d, b, 1) return REAL(linkat)(c, a, d, b, f); }
int symlink(const char *a, const char *b) { AT("link", AT_FDCWD, b, 1) return REAL(symlink)(a, b); }
int unlink(const char *p) { AT("unlink", AT_FDCWD, p, 0) return REAL(unlink)(p); }
int unlinkat(int d, const char *p, int f) { AT("unlink", d, p, 0) return REAL(unlinkat)(d, p, f); }
int rmdir(const char *p) { AT("rmdir", AT_FDCWD, p, 0) return REAL(rmdir)(p); }
int mkdir(const char *p, mode_t m) { AT("mkdir", AT_FDCWD, p, 1) return REAL(mkdir)(p, m); }
int mkdirat(int d, const char *p, mode_t m) { AT("mkdir", d, p, 1) return REAL(mkdirat)(d, p, m); }
int chmod(const char *p, mode_t m) { AT("chmod", AT_FDCWD, p, 0) return REAL(chmod)(p, m); }
int fchmod(int fd, mode_t m) { ON("chmod", fd, 0) return REAL(fchmod)(fd, m); }
int fchmodat(int d, const char *p, mode_t m, int f) { AT("chmod", d, p, 0) return REAL(fchmodat)(d, p, m, f); }
int setxattr(const char *p, const char *n, const void *v, size_t s, int f) { AT("xattr", AT_FDCWD, p, 1) return REAL(setxattr)(p, n, v, s, f); }
