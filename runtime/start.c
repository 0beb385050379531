/*
 * The start of a recorded process, before every constructor (section .preinit_array). libc is
 * usable there, but its environment is not set yet: the environment is the third argument.
 */
#include <fcntl.h>
#include <stddef.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include "log/schedule.h"
#include "runtime/enforce.h"
#include "runtime/runtime.h"

struct runtime rt;

static const char *after_name(const char *entry, const char *name)
{
	while (*name)
		if (*entry++ != *name++)
			return NULL;
	return *entry == '=' ? entry + 1 : NULL;
}

/* The entry of a variable in the environment, and its value; NULL if it is not set. */
static char **find_variable(char **envp, const char *name, const char **value)
{
	for (; *envp; envp++)
		if ((*value = after_name(*envp, name)))
			return envp;
	return NULL;
}

static int parse_number(const char *s)
{
	int n = 0;
	if (!*s)
		return -1;
	for (; *s; s++) {
		if (*s < '0' || *s > '9' || n > 1000000)
			return -1;
		n = n * 10 + (*s - '0');
	}
	return n;
}

/* HEDDLE_OPTIONS is a list of key=value, separated by colons; the runtime reads only `dump`. */
static void read_options(char **envp)
{
	const char *s;
	if (!find_variable(envp, "HEDDLE_OPTIONS", &s))
		return;
	while (*s) {
		const char *value = s;
		while (*s && *s != ':')
			s++;
		const char *end = s;
		if (*s)
			s++;
		const char *key = "dump=";
		while (*key && *value == *key)
			value++, key++;
		size_t n = (size_t)(end - value);
		if (*key || n >= sizeof(rt.dump))
			continue;
		copy_bytes(rt.dump, value, n);
		rt.dump[n] = 0;
	}
}

static bool is_valid(const struct log_shared *sh)
{
	return sh->magic == LOG_MAGIC && sh->version == LOG_VERSION && sh->size == sizeof(*sh) &&
	       !sh->base;
}

static void attach_memory(int fd)
{
	struct stat st;
	if (sys3(SYS_fstat, fd, &st, 0) < 0 || (uint64_t)st.st_size < LOG_SHARED_SIZE)
		return;
	long r = sys6(SYS_mmap, 0, LOG_SHARED_SIZE, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_NORESERVE, fd, 0);
	if (r < 0 && r > -4096)
		return;
	struct log_shared *sh = (struct log_shared *)r;
	if (!is_valid(sh)) {
		sys3(SYS_munmap, r, LOG_SHARED_SIZE, 0);
		return;
	}
	sys3(SYS_madvise, r, LOG_SHARED_SIZE, MADV_DONTDUMP);
	struct timespec ts;
	sys3(SYS_clock_gettime, CLOCK_MONOTONIC, &ts, 0);
	sh->tsc_start = __rdtsc();
	sh->ns_start = (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
	sh->plan = __heddle_image.plan;
	sh->target = (uint32_t)rt.pid;
	__atomic_store_n(&sh->base, (uint64_t)r, __ATOMIC_RELEASE);
	rt.shared = sh;
	rt.base = (uint8_t *)r;
	rt.collector_is_parent = sys3(SYS_getppid, 0, 0, 0) == (long)sh->collector;
	atomic_store(&rt.on, 1);
}

static void read_stack_size(void)
{
	struct rlimit lim;
	rt.stack_size = 2 << 20; /* the default of threads if there is no limit */
	if (!sys4(SYS_prlimit64, 0, RLIMIT_STACK, NULL, &lim) && lim.rlim_cur != RLIM_INFINITY)
		rt.stack_size = lim.rlim_cur;
}

/* Tools such as ps show the name of the program instead of the file name of the image. */
static void take_name(const char *path)
{
	const char *name = path;
	for (; *path; path++)
		if (*path == '/' && path[1])
			name = path + 1;
	sys3(SYS_prctl, PR_SET_NAME, name, 0);
}

/* The number in a variable of heddle, -1 if it is not set. Removes the variable from the
 * environment. */
static int take_descriptor(char **envp, const char *name)
{
	const char *value;
	char **at = find_variable(envp, name, &value);
	if (!at)
		return -1;
	int fd = parse_number(value);
	do
		at[0] = at[1];
	while (*at++);
	return fd;
}

static void start(int argc, char **argv, char **envp)
{
	if (argc)
		take_name(argv[0]);
	rt.pid = (int)sys3(SYS_getpid, 0, 0, 0);
	read_options(envp);
	read_stack_size();
	int fd = take_descriptor(envp, LOG_ENV_FD);
	if (fd >= 0) {
		attach_memory(fd);
		sys3(SYS_close, fd, 0, 0);
	}
	fd = take_descriptor(envp, SCHED_ENV);
	enforce_attach(fd);
	if (fd >= 0)
		sys3(SYS_close, fd, 0, 0);
	/* the last string of the environment ends where the stack begins */
	char **last = envp;
	while (*last)
		last++;
	rt.main_stack_hi = ((uint64_t)last + 4096) & ~(uint64_t)4095;
	rt.is_static = !getauxval(AT_BASE);
	process_start_up();
	thread_start_up();
	if (atomic_load(&rt.on) || enforce_watches())
		signal_start_up();
}

__attribute__((section(".preinit_array"), used)) static void (*const start_entry)(
	int, char **, char **) = start;
