/*
 * The process: how it ends, forks, and becomes another program.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <pthread.h>
#include <unistd.h>
#include "runtime/runtime.h"

/* ---- the end ------------------------------------------------------------------------------------ */

void process_exits(uint32_t kind, int status)
{
	struct log_shared *sh = rt.shared;
	if (!atomic_load(&rt.on))
		return;
	struct timespec ts;
	sys3(SYS_clock_gettime, CLOCK_MONOTONIC, &ts, 0);
	sh->tsc_end = __rdtsc();
	sh->ns_end = (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
	sh->exit_kind = kind;
	sh->exit_status = status;
	__atomic_store_n(&sh->exited, 1, __ATOMIC_RELEASE);
}

static void put_process_exit(uint32_t kind, int status)
{
	struct log_ctl *ctl = __heddle_ctl;
	if (!ctl->native)
		put_sync_more(ctl, &(struct sync_more){.kind = LOG_S_PROCESS_EXIT,
			.flags = LOG_F_MORE, .result = status});
	ctl->native = 1;
	process_exits(kind, status);
}

WRAP(_Noreturn void, exit)(int status)
{
	put_process_exit(EXIT_EXIT, status);
	exit(status);
}

WRAP(_Noreturn void, quick_exit)(int status)
{
	put_process_exit(EXIT_EXIT, status);
	quick_exit(status);
}

WRAP(_Noreturn void, _exit)(int status)
{
	put_process_exit(EXIT_NOW, status);
	dump_globals();
	_exit(status);
}

WRAP(_Noreturn void, _Exit)(int status)
{
	__heddle__exit(status);
}

WRAP(_Noreturn void, abort)(void)
{
	put_process_exit(EXIT_ABORT, 128 + SIGABRT);
	abort();
}

/* After every atexit handler and destructor: registered before all of them. */
static void at_exit(int status, void *unused)
{
	(void)unused;
	struct log_ctl *ctl = __heddle_ctl;
	process_exits(EXIT_EXIT, status);
	dump_globals();
	if (ctl_known(ctl))
		thread_end(ctl);
}

static void at_quick_exit_too(void)
{
	at_exit(rt.shared ? rt.shared->exit_status : 0, NULL);
}

/* ---- the globals at the end, for tests ----------------------------------------------------------- */

static void write_all(int fd, const void *p, uint64_t n)
{
	const char *at = p;
	while (n) {
		long r = sys3(SYS_write, fd, at, n < 1 << 30 ? n : 1 << 30);
		if (r <= 0)
			return;
		at += r;
		n -= (uint64_t)r;
	}
}

void dump_globals(void)
{
	const struct heddle_image *im = &__heddle_image;
	if (!rt.dump[0] || sys3(SYS_getpid, 0, 0, 0) != rt.pid)
		return;
	int fd = (int)sys3(SYS_open, rt.dump, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return;
	for (uint32_t i = 0; i < im->nglobals; i++) {
		struct {
			uint32_t id;
			uint64_t size;
		} LOG_PACKED head = {i, im->global_sizes[i]};
		if (!head.size || !im->globals[i])
			continue;
		write_all(fd, &head, sizeof(head));
		write_all(fd, im->globals[i], head.size);
	}
	sys3(SYS_close, fd, 0, 0);
}

/* ---- fork --------------------------------------------------------------------------------------- */

/*
 * The shared memory is replaced by private memory at the same place, so that code which still has
 * the cursor in a register (it was interrupted by the handler that forked) harms nobody. Only the
 * ctls of this thread, and the chunks of those that were interrupted, are kept.
 */
enum { MAX_NESTED = 8 };


static bool in_shared(const struct log_ctl *ctl)
{
	return (uint8_t *)ctl >= rt.base && (uint8_t *)ctl < rt.base + LOG_SHARED_SIZE;
}

void process_is_child(void)
{
	rt.pid = (int)sys3(SYS_getpid, 0, 0, 0);
	thread_after_fork();
	signal_after_fork();
	if (!atomic_exchange(&rt.on, 0))
		return;
	__atomic_fetch_add(&rt.shared->forks, 1, __ATOMIC_RELAXED);
	struct log_ctl copy[MAX_NESTED + 1], *ctls[MAX_NESTED + 1];
	uint8_t *chunks = map_memory(MAX_NESTED * (uint64_t)LOG_CHUNK);
	int n = 0;
	if (in_shared(__heddle_ctl))
		ctls[n++] = __heddle_ctl;
	for (struct signal_frame *f = signal_top; f && n <= MAX_NESTED; f = f->outer)
		if (in_shared(f->interrupted))
			ctls[n++] = f->interrupted;
	for (int i = 0; i < n; i++) {
		copy_bytes(&copy[i], ctls[i], sizeof(copy[i]));
		if (chunks && i && copy[i].chunk != LOG_NONE)
			copy_bytes(chunks + (i - 1) * (uint64_t)LOG_CHUNK, chunk_at(copy[i].chunk),
				LOG_CHUNK);
	}
	sys6(SYS_mmap, (long)rt.base, LOG_SHARED_SIZE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
	for (int i = 0; i < n; i++) {
		copy_bytes(ctls[i], &copy[i], sizeof(copy[i]));
		if (copy[i].chunk == LOG_NONE)
			continue;
		ctls[i]->scratch = (uint8_t *)(chunk_at(copy[i].chunk) + 1);
		if (chunks && i)
			copy_bytes(chunk_at(copy[i].chunk), chunks + (i - 1) * (uint64_t)LOG_CHUNK,
				LOG_CHUNK);
	}
	if (chunks)
		unmap_memory(chunks, MAX_NESTED * (uint64_t)LOG_CHUNK);
}

static pid_t do_fork(pid_t (*real)(void))
{
	struct log_ctl *ctl = __heddle_ctl;
	if (ctl->native)
		return real();
	uint64_t all = UINT64_MAX, mask;
	sys4(SYS_rt_sigprocmask, SIG_BLOCK, &all, &mask, sizeof(all));
	ctl->native = 1; /* handlers of pthread_atfork */
	pid_t pid = real();
	if (!pid && atomic_load(&rt.on))
		process_is_child();
	put_sync(ctl, LOG_S_FORK, pid, 0);
	ctl->native = 0;
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof(mask));
	return pid;
}

WRAP(pid_t, fork)(void)
{
	return do_fork(fork);
}

/* The child of a vfork runs on its parent's stack and stream. */
WRAP(pid_t, vfork)(void)
{
	return do_fork(fork);
}

pid_t _Fork(void) WEAK;
WRAP(pid_t, _Fork)(void)
{
	return do_fork(_Fork);
}

/* ---- exec --------------------------------------------------------------------------------------- */

static bool exec_begins(struct log_ctl *ctl)
{
	if (ctl->native)
		return false;
	put_sync_more(ctl, &(struct sync_more){.kind = LOG_S_EXEC, .flags = LOG_F_MORE});
	ctl->native = 1;
	process_exits(EXIT_EXEC, 0);
	return true;
}

static int exec_failed(struct log_ctl *ctl, bool logged, int r)
{
	if (!logged)
		return r;
	if (atomic_load(&rt.on)) {
		rt.shared->exited = 0;
		rt.shared->exit_kind = EXIT_EXIT;
	}
	put_sync(ctl, LOG_S_EXEC, r, 0);
	ctl->native = 0;
	return r;
}

#define EXEC(NAME, P, A) \
	WRAP(int, NAME) P \
	{ \
		struct log_ctl *ctl = __heddle_ctl; \
		bool logged = exec_begins(ctl); \
		return exec_failed(ctl, logged, NAME A); \
	}

EXEC(execve, (const char *path, char *const *argv, char *const *envp), (path, argv, envp))
EXEC(execv, (const char *path, char *const *argv), (path, argv))
EXEC(execvp, (const char *file, char *const *argv), (file, argv))
EXEC(execvpe, (const char *file, char *const *argv, char *const *envp), (file, argv, envp))
EXEC(fexecve, (int fd, char *const *argv, char *const *envp), (fd, argv, envp))

static size_t count_args(va_list ap)
{
	size_t n = 1; /* the null pointer */
	while (va_arg(ap, char *))
		n++;
	return n;
}

#define EXEC_LIST(NAME, REAL, ENVP) \
	WRAP(int, NAME)(const char *path, const char *arg, ...) \
	{ \
		va_list ap; \
		va_start(ap, arg); \
		size_t n = arg ? 1 + count_args(ap) : 1; \
		va_end(ap); \
		char *argv[n]; \
		argv[0] = (char *)arg; \
		va_start(ap, arg); \
		for (size_t i = 1; i < n; i++) \
			argv[i] = va_arg(ap, char *); \
		char *const *envp = ENVP; \
		va_end(ap); \
		struct log_ctl *ctl = __heddle_ctl; \
		bool logged = exec_begins(ctl); \
		return exec_failed(ctl, logged, REAL(path, argv, envp)); \
	}

EXEC_LIST(execl, execve, environ)
EXEC_LIST(execlp, execvpe, environ)
EXEC_LIST(execle, execve, va_arg(ap, char *const *))

void process_start_up(void)
{
	on_exit(at_exit, NULL);
	at_quick_exit(at_quick_exit_too);
	pthread_atfork(NULL, NULL, process_is_child);
}
