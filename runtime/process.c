/*
 * The process: exit, fork, exec.
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
#include "runtime/enforce.h"
#include "runtime/runtime.h"

/* ---- the end ---------------------------------------------------------------------------- */

void process_exits(uint32_t kind, int status)
{
	struct log_shared *sh = rt.shared;
	enforce_exit(kind, status);
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
	if (!ctl->native) {
		enforce_point(LOG_S_PROCESS_EXIT, NULL);
		put_sync_more(ctl,
			&(struct sync_more){
				.kind = LOG_S_PROCESS_EXIT, .flags = LOG_F_MORE, .result = status});
	}
	ctl->native = 1;
	if (kind != EXIT_ABORT)
		enforce_end(kind != EXIT_NOW);
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

static void end_last_thread(void)
{
	struct log_ctl *ctl = __heddle_ctl;
	dump_globals();
	if (ctl_known(ctl))
		thread_end(ctl);
}

/* Registered before all other functions and therefore called after them, also after the
 * destructors, for which the dynamic loader registers a function. In a static program the
 * destructors run later. */
static void at_exit(int status, void *unused)
{
	(void)unused;
	if (!rt.is_static)
		enforce_end(false);
	process_exits(EXIT_EXIT, status);
	if (!rt.is_static)
		end_last_thread();
}

static void last_destructor(void)
{
	if (rt.is_static) {
		enforce_end(false);
		end_last_thread();
	}
}

__attribute__((section(".fini_array.00000"), used)) static void (*const last_entry)(
	void) = last_destructor;

static void at_quick_exit_too(void)
{
	enforce_end(false);
	process_exits(EXIT_EXIT, rt.shared ? rt.shared->exit_status : 0);
	end_last_thread();
}

/* ---- the globals at the end, for tests -------------------------------------------------- */

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
	if (!rt.dump[0])
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

/* ---- fork ------------------------------------------------------------------------------- */

/*
 * In the child, private memory replaces the shared memory at the same address: interrupted code may
 * still have the cursor in a register (a signal handler forked). The ctls of the thread and the
 * chunks of interrupted code must be as before the fork. The parent continues with them at once, so
 * copies are made before the fork.
 */
enum { MAX_NESTED = 8 };

struct kept {
	int n;
	struct log_ctl *at[MAX_NESTED + 1];
	struct log_ctl ctl[MAX_NESTED + 1];
	uint8_t chunk[MAX_NESTED + 1][LOG_CHUNK]; /* the first is not used */
};
static __thread struct kept *kept __attribute__((tls_model("initial-exec")));

static void keep_ctl(struct kept *k, struct log_ctl *ctl)
{
	if ((uint8_t *)ctl < rt.base || (uint8_t *)ctl >= rt.base + LOG_SHARED_SIZE)
		return;
	k->at[k->n] = ctl;
	copy_bytes(&k->ctl[k->n], ctl, sizeof(*ctl));
	if (k->n && ctl->chunk != LOG_NONE)
		copy_bytes(k->chunk[k->n], chunk_at(ctl->chunk), LOG_CHUNK);
	k->n++;
}

static void before_fork(void)
{
	if (!atomic_load(&rt.on))
		return;
	kept = map_memory(sizeof(*kept));
	if (!kept)
		return;
	keep_ctl(kept, __heddle_ctl);
	for (struct signal_frame *f = signal_top; f && kept->n <= MAX_NESTED; f = f->outer)
		keep_ctl(kept, f->interrupted);
}

static void after_fork(void)
{
	if (kept)
		unmap_memory(kept, sizeof(*kept));
	kept = NULL;
}

void process_is_child(void)
{
	rt.pid = (int)sys3(SYS_getpid, 0, 0, 0);
	rt.dump[0] = 0;
	thread_after_fork();
	signal_after_fork();
	enforce_child();
	if (!atomic_exchange(&rt.on, 0))
		return;
	__atomic_fetch_add(&rt.shared->forks, 1, __ATOMIC_RELAXED);
	uint32_t native = __heddle_ctl->native;
	sys6(SYS_mmap, (long)rt.base, LOG_SHARED_SIZE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
	for (int i = 0; kept && i < kept->n; i++) {
		struct log_ctl *ctl = kept->at[i];
		copy_bytes(ctl, &kept->ctl[i], sizeof(*ctl));
		if (ctl->chunk == LOG_NONE)
			continue;
		ctl->scratch = (uint8_t *)(chunk_at(ctl->chunk) + 1);
		if (i)
			copy_bytes(chunk_at(ctl->chunk), kept->chunk[i], LOG_CHUNK);
	}
	if (!kept && ctl_known(__heddle_ctl)) { /* no handler ran before the fork */
		__heddle_ctl = scratch_new();
		__heddle_ctl->native = native;
	}
	after_fork();
}

static pid_t do_fork(pid_t (*real)(void), bool with_handlers)
{
	struct log_ctl *ctl = __heddle_ctl;
	if (ctl->native)
		return real();
	enforce_point(LOG_S_FORK, NULL);
	uint64_t all = UINT64_MAX, mask;
	sys4(SYS_rt_sigprocmask, SIG_BLOCK, &all, &mask, sizeof(all));
	ctl->native = 1; /* handlers of pthread_atfork */
	if (!with_handlers)
		before_fork();
	pid_t pid = real();
	if (!with_handlers && !pid)
		process_is_child();
	if (!with_handlers && pid)
		after_fork();
	ctl = __heddle_ctl;
	put_sync(ctl, LOG_S_FORK, pid, 0);
	ctl->native = 0;
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof(mask));
	return pid;
}

WRAP(pid_t, fork)(void)
{
	return do_fork(fork, true);
}

/* A fork: the child of a real vfork would use the stack and the stream of its parent. */
WRAP(pid_t, vfork)(void)
{
	return do_fork(fork, true);
}

pid_t _Fork(void) WEAK;
WRAP(pid_t, _Fork)(void)
{
	return do_fork(_Fork, false);
}

/* ---- exec ------------------------------------------------------------------------------- */

static bool exec_begins(struct log_ctl *ctl)
{
	if (ctl->native)
		return false;
	enforce_point(LOG_S_EXEC, NULL);
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
	enforce_point(LOG_S_EXEC, NULL);
	put_sync(ctl, LOG_S_EXEC, r, 0);
	ctl->native = 0;
	return r;
}

#define EXEC(NAME, P, A)                                                                           \
	WRAP(int, NAME) P                                                                          \
	{                                                                                          \
		struct log_ctl *ctl = __heddle_ctl;                                                \
		bool logged = exec_begins(ctl);                                                    \
		return exec_failed(ctl, logged, NAME A);                                           \
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

#define EXEC_LIST(NAME, REAL, ENVP)                                                                \
	WRAP(int, NAME)(const char *path, const char *arg, ...)                                    \
	{                                                                                          \
		va_list ap;                                                                        \
		va_start(ap, arg);                                                                 \
		size_t n = arg ? 1 + count_args(ap) : 1;                                           \
		va_end(ap);                                                                        \
		char *argv[n];                                                                     \
		argv[0] = (char *)arg;                                                             \
		va_start(ap, arg);                                                                 \
		for (size_t i = 1; i < n; i++)                                                     \
			argv[i] = va_arg(ap, char *);                                              \
		char *const *envp = ENVP;                                                          \
		va_end(ap);                                                                        \
		struct log_ctl *ctl = __heddle_ctl;                                                \
		bool logged = exec_begins(ctl);                                                    \
		return exec_failed(ctl, logged, REAL(path, argv, envp));                           \
	}

EXEC_LIST(execl, execve, environ)
EXEC_LIST(execlp, execvpe, environ)
EXEC_LIST(execle, execve, va_arg(ap, char *const *))

void process_start_up(void)
{
	on_exit(at_exit, NULL);
	at_quick_exit(at_quick_exit_too);
	pthread_atfork(before_fork, after_fork, process_is_child);
}
