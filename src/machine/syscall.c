/*
 * System calls of the program on the host. A table has the kinds of the arguments of each call;
 * buffers are copied between the program's memory and the host's, and checked.
 */
#include "machine/machine.h"
#include "base/base.h"
#include "machine/extension.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <unistd.h>

/*
 * Argument letters:
 *  i integer                s string                  R bytes in, length in the next argument
 *  W bytes out, length in the next argument, the result is the number of bytes written
 *  V vector of buffers out (readv), v in (writev), count in the next argument
 *  p struct pollfd array in and out, count in the next argument
 *  others: a struct of fixed size out (capital) or in (small); NULL allowed
 */
static const struct {
	long nr;
	const char *args;
	bool reads; /* may block until argument 0 has input */
} table[] = {
	{SYS_read, "iWi", true},
	{SYS_write, "iRi", false},
	{SYS_pread64, "iWii", false},
	{SYS_pwrite64, "iRii", false},
	{SYS_readv, "iVi", true},
	{SYS_writev, "ivi", false},
	{SYS_open, "sii", false},
	{SYS_openat, "isii", false},
	{SYS_creat, "si", false},
	{SYS_close, "i", false},
	{SYS_lseek, "iii", false},
	{SYS_fsync, "i", false},
	{SYS_fdatasync, "i", false},
	{SYS_ftruncate, "ii", false},
	{SYS_truncate, "si", false},
	{SYS_dup, "i", false},
	{SYS_dup2, "ii", false},
	{SYS_dup3, "iii", false},
	{SYS_pipe, "P", false},
	{SYS_pipe2, "Pi", false},
	{SYS_socketpair, "iiiP", false},
	{SYS_poll, "pii", false},
	{SYS_stat, "sS", false},
	{SYS_lstat, "sS", false},
	{SYS_fstat, "iS", false},
	{SYS_newfstatat, "isSi", false},
	{SYS_statx, "isiiX", false},
	{SYS_access, "si", false},
	{SYS_faccessat, "isi", false},
	{SYS_unlink, "s", false},
	{SYS_unlinkat, "isi", false},
	{SYS_mkdir, "si", false},
	{SYS_mkdirat, "isi", false},
	{SYS_rmdir, "s", false},
	{SYS_rename, "ss", false},
	{SYS_renameat, "isis", false},
	{SYS_link, "ss", false},
	{SYS_symlink, "ss", false},
	{SYS_readlink, "sWi", false},
	{SYS_readlinkat, "isWi", false},
	{SYS_chdir, "s", false},
	{SYS_fchdir, "i", false},
	{SYS_getcwd, "Wi", false},
	{SYS_chmod, "si", false},
	{SYS_fchmod, "ii", false},
	{SYS_chown, "sii", false},
	{SYS_fchown, "iii", false},
	{SYS_lchown, "sii", false},
	{SYS_umask, "i", false},
	{SYS_getdents64, "iWi", false},
	{SYS_flock, "ii", false},
	{SYS_utimensat, "isni", false},
	{SYS_getpid, "", false},
	{SYS_getppid, "", false},
	{SYS_getuid, "", false},
	{SYS_geteuid, "", false},
	{SYS_getgid, "", false},
	{SYS_getegid, "", false},
	{SYS_getpgrp, "", false},
	{SYS_getpgid, "i", false},
	{SYS_getsid, "i", false},
	{SYS_gettid, "", false},
	{SYS_uname, "U", false},
	{SYS_sysinfo, "Y", false},
	{SYS_getrusage, "iG", false},
	{SYS_times, "M", false},
	{SYS_getrlimit, "iL", false},
	{SYS_setrlimit, "il", false},
	{SYS_prlimit64, "iilL", false},
	{SYS_getrandom, "Wii", false},
};

/* size of a fixed struct by its letter, 0 for other letters */
static size_t struct_size(char c)
{
	switch (c) {
	case 'P': return 2 * sizeof(int);
	case 'S': return sizeof(struct stat);
	case 'X': return 256; /* struct statx */
	case 'U': return sizeof(struct utsname);
	case 'Y': return sizeof(struct sysinfo);
	case 'G': return sizeof(struct rusage);
	case 'M': return sizeof(struct tms);
	case 'L':
	case 'l': return sizeof(struct rlimit);
	case 'n': return 2 * sizeof(struct timespec);
	default: return 0;
	}
}

enum { MAX_IOV = 1024, MAX_BYTES = 1 << 30 };

struct call {
	struct machine *m;
	struct thread *t;
	const struct opnd *args; /* of __heddle_syscall: [0] is the number */
	const char *spec;
	long host[6];
	void *buf[6];
	struct iovec *guest_iov; /* of the argument with letter v or V */
};

static uint64_t arg_of(const struct call *c, int i)
{
	return c->args[1 + i].v.lo;
}

/* ---- before the call ------------------------------------------------------------------------- */

static enum step bring_bytes(struct call *c, int i, uint64_t n, bool in, bool out)
{
	uint64_t bad, a = arg_of(c, i);
	enum mem_status st;

	if (n > MAX_BYTES)
		return stop_unknown(c->m, c->t, STOP_UNMODELLED,
			"a system call with a buffer of %llu bytes", (unsigned long long)n);
	c->buf[i] = xcalloc(1, n + 1);
	c->host[i] = (long)(intptr_t)c->buf[i];
	/* the whole buffer must be valid, even if the kernel fills only a part of it */
	if (out && !mem_valid(&c->m->mem, a, n, &bad))
		return fault_memory(c->m, c->t, a, n, true, MEM_INVALID, bad);
	st = in ? mem_out(&c->m->mem, a, c->buf[i], n, &bad) : MEM_OK;
	return st == MEM_OK ? STEP_NEXT : fault_memory(c->m, c->t, a, n, false, st, bad);
}

static enum step bring_string(struct call *c, int i)
{
	uint64_t bad;
	int64_t n;

	if (!arg_of(c, i)) {
		c->host[i] = 0; /* the kernel returns EFAULT */
		return STEP_NEXT;
	}
	n = mem_strlen(&c->m->mem, arg_of(c, i), &bad);
	if (n < 0)
		return fault_memory(c->m, c->t, arg_of(c, i), 1, false,
			n == -2 ? MEM_SYM : MEM_INVALID, bad);
	return bring_bytes(c, i, (uint64_t)n, true, false);
}

static enum step bring_iov(struct call *c, int i, bool in)
{
	uint64_t n = arg_of(c, i + 1), bad;
	struct iovec *v;
	enum step st;

	if (n > MAX_IOV) {
		c->host[i] = 0; /* the kernel returns EINVAL for the count */
		return STEP_NEXT;
	}
	st = bring_bytes(c, i, n * sizeof *v, true, false);
	if (st != STEP_NEXT)
		return st;
	v = c->buf[i];
	c->guest_iov = xcalloc(n + 1, sizeof *v);
	memcpy(c->guest_iov, v, n * sizeof *v);
	for (uint64_t k = 0; k < n; k++) {
		uint64_t a = (uintptr_t)v[k].iov_base, len = v[k].iov_len;

		if (len > MAX_BYTES || !mem_valid(&c->m->mem, a, len, &bad))
			return fault_memory(c->m, c->t, a, len, !in, MEM_INVALID,
				len > MAX_BYTES ? a : bad);
		v[k].iov_base = xmalloc(len);
		if (in)
			mem_out(&c->m->mem, a, v[k].iov_base, len, &bad);
	}
	return STEP_NEXT;
}

static enum step bring_arg(struct call *c, int i)
{
	char k = c->spec[i];
	size_t fixed = struct_size(k);

	switch (k) {
	case 'i': c->host[i] = (long)arg_of(c, i); return STEP_NEXT;
	case 's': return bring_string(c, i);
	case 'R': return bring_bytes(c, i, arg_of(c, i + 1), true, false);
	case 'W': return bring_bytes(c, i, arg_of(c, i + 1), false, true);
	case 'v':
	case 'V': return bring_iov(c, i, k == 'v');
	case 'p':
		return bring_bytes(
			c, i, MIN(arg_of(c, i + 1), 4096ull) * sizeof(struct pollfd), true, true);
	default:
		if (!arg_of(c, i))
			return STEP_NEXT;
		return bring_bytes(c, i, fixed, k >= 'a', k < 'a');
	}
}

/* ---- after the call -------------------------------------------------------------------------- */

static void take_iov(struct call *c, int i, long result)
{
	struct iovec *v = c->buf[i];
	uint64_t bad, left = result > 0 ? (uint64_t)result : 0;

	for (uint64_t k = 0; k < arg_of(c, i + 1) && left; k++) {
		uint64_t n = MIN(left, v[k].iov_len);

		mem_in(&c->m->mem, (uintptr_t)c->guest_iov[k].iov_base, v[k].iov_base, n, &bad);
		left -= n;
	}
}

static enum step take_result(struct call *c, int i, long result)
{
	char k = c->spec[i];
	uint64_t bad, n = 0;
	enum mem_status st;

	if (k == 'V')
		take_iov(c, i, result);
	else if (k == 'W' && result > 0)
		n = (uint64_t)result;
	else if (k == 'p' && result >= 0)
		n = MIN(arg_of(c, i + 1), 4096ull) * sizeof(struct pollfd);
	else if (k >= 'A' && k <= 'Z' && k != 'R' && k != 'W' && k != 'V' && result >= 0 &&
		 c->buf[i])
		n = struct_size(k);
	if (!n)
		return STEP_NEXT;
	st = mem_in(&c->m->mem, arg_of(c, i), c->buf[i], n, &bad);
	return st == MEM_OK ? STEP_NEXT : fault_memory(c->m, c->t, arg_of(c, i), n, true, st, bad);
}

static void release_call(struct call *c)
{
	for (int i = 0; c->spec[i]; i++) {
		if ((c->spec[i] == 'v' || c->spec[i] == 'V') && c->guest_iov)
			for (uint64_t k = 0; k < arg_of(c, i + 1); k++)
				if (((struct iovec *)c->buf[i])[k].iov_base !=
					c->guest_iov[k].iov_base)
					free(((struct iovec *)c->buf[i])[k].iov_base);
		free(c->buf[i]);
	}
	free(c->guest_iov);
}

/* ---- fcntl, ioctl, reads that block ---------------------------------------------------------- */

/* argument letters of an fcntl command, NULL if it is not supported */
static const char *fcntl_spec(uint64_t cmd)
{
	switch (cmd) {
	case F_GETFD:
	case F_SETFD:
	case F_GETFL:
	case F_SETFL:
	case F_DUPFD:
	case F_DUPFD_CLOEXEC: return "iii";
	default: return NULL;
	}
}

enum { IOCTL_TCGETS = 0x5401, IOCTL_TIOCGWINSZ = 0x5413, IOCTL_FIONREAD = 0x541b };

static enum step ioctl_call(struct machine *m, struct thread *t, const struct opnd *args, long *r)
{
	static const struct { uint64_t cmd; size_t size; } known[] = {
		{IOCTL_TCGETS, 36}, {IOCTL_TIOCGWINSZ, 8}, {IOCTL_FIONREAD, 4}};
	unsigned char buf[64];
	uint64_t bad;

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (known[i].cmd != args[2].v.lo)
			continue;
		*r = syscall(SYS_ioctl, (long)args[1].v.lo, (long)known[i].cmd, buf);
		if (*r < 0) {
			*r = -errno;
			return STEP_NEXT;
		}
		if (mem_in(&m->mem, args[3].v.lo, buf, known[i].size, &bad) != MEM_OK)
			return fault_memory(m, t, args[3].v.lo, known[i].size, true, MEM_INVALID,
				bad);
		return STEP_NEXT;
	}
	return stop_unknown(m, t, STOP_UNMODELLED, "ioctl 0x%llx is not modelled",
		(unsigned long long)args[2].v.lo);
}

/* If a read would block and other threads exist, makes the thread wait for input. */
static bool would_block(struct machine *m, struct thread *t, int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	if (m->nlive < 2 || poll(&p, 1, 0) != 0)
		return false;
	t->state = THREAD_POLLING;
	t->poll_fd = fd;
	t->poll_events = POLLIN;
	t->why = "input";
	t->wait_on = 0;
	return true;
}

/* ---- the call -------------------------------------------------------------------------------- */

static enum step perform_call(struct call *c, long nr, long *result)
{
	enum step st = STEP_NEXT;

	for (int i = 0; c->spec[i] && st == STEP_NEXT; i++)
		st = bring_arg(c, i);
	if (st == STEP_NEXT) {
		long r = syscall(nr, c->host[0], c->host[1], c->host[2], c->host[3], c->host[4],
			c->host[5]);

		*result = r < 0 ? -errno : r;
		for (int i = 0; c->spec[i] && st == STEP_NEXT; i++)
			st = take_result(c, i, *result);
	}
	release_call(c);
	return st;
}

bool writes_outside(const struct machine *m, int fd)
{
	return m->world ? m->world_ops->is_outside(m, fd) : fd == 1 || fd == 2;
}

/* Whether the order of such calls of different threads is visible inside the program. Output on the
 * standard streams is visible outside only, unless the program has redirected them. */
static bool is_ordered(const struct machine *m, long nr, int fd)
{
	switch (nr) {
	case SYS_write:
	case SYS_writev:
	case SYS_pwrite64: return !writes_outside(m, fd);
	case SYS_read:
	case SYS_readv:
	case SYS_pread64:
	case SYS_lseek:
	case SYS_close:
	case SYS_dup:
	case SYS_dup2:
	case SYS_dup3:
	case SYS_ftruncate:
	case SYS_poll:
	case SYS_open:
	case SYS_openat:
	case SYS_unlink:
	case SYS_unlinkat:
	case SYS_rename:
	case SYS_renameat:
	case SYS_renameat2:
	case SYS_mkdir:
	case SYS_mkdirat:
	case SYS_rmdir:
	case SYS_link:
	case SYS_linkat:
	case SYS_symlink:
	case SYS_symlinkat:
	case SYS_truncate:
	case SYS_access:
	case SYS_faccessat:
	case SYS_newfstatat:
	case SYS_fstat:
	case SYS_getcwd:
	case SYS_stat:
	case SYS_getdents64:
	case SYS_chdir:
	case SYS_umask: return true;
	default: return false;
	}
}

/* True: the thread gives way before the call. */
static bool gives_way(struct machine *m, struct thread *t, const struct opnd *args)
{
	if (!t->resumed && m->opt->pick && is_ordered(m, (long)args[0].v.lo, (int)args[1].v.lo) &&
		sched_yields(m))
		return t->resumed = t->gave_way = true;
	return false;
}

enum step builtin_syscall(struct machine *m, struct thread *t, const struct opnd *args,
	uint32_t nargs, struct opnd *ret)
{
	long nr = (long)args[0].v.lo, result = -ENOSYS;
	struct call c = {.m = m, .t = t, .args = args};
	bool reads = false;
	enum step st;

	BUG_ON(nargs != 7);
	if (m->world && m->sym && m->world_ops->takes_terms(m, args))
		return m->world_ops->syscall(m, t, args, nargs, ret);
	if (gives_way(m, t, args))
		return STEP_AGAIN;
	if (m->world)
		return m->world_ops->syscall(m, t, args, nargs, ret);
	if (t->gave_way) /* else the call goes on after a wait */
		t->resumed = t->gave_way = false;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (table[i].nr == nr) {
			c.spec = table[i].args;
			reads = table[i].reads;
		}
	if (nr == SYS_fcntl)
		c.spec = fcntl_spec(args[2].v.lo);
	if (reads && would_block(m, t, (int)args[1].v.lo))
		return STEP_AGAIN;
	if (nr == SYS_ioctl)
		st = ioctl_call(m, t, args, &result);
	else if (c.spec)
		st = perform_call(&c, nr, &result);
	else
		return stop_unknown(m, t, STOP_UNMODELLED, "system call %ld is not modelled", nr);
	ret[0] = (struct opnd){.v = {(uint64_t)result, 0}};
	return st;
}
