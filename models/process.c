/*
 * The process and the machine it runs on: ids, limits, sysconf, resource use. Values that
 * vary with the host and would make two runs differ (processors, time used) come from the machine.
 */
#include "model.h"
#include "model_thread.h"
#include "model_time.h"
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <unistd.h>

/* ---- ids --------------------------------------------------------------------------------- */

#define ID(type, name) \
	type name(void) \
	{ \
		return (type)M_RAW(SYS_##name); \
	}

ID(pid_t, getpid)
ID(pid_t, getppid)
ID(uid_t, getuid)
ID(uid_t, geteuid)
ID(gid_t, getgid)
ID(gid_t, getegid)
ID(pid_t, getpgrp)

/* Each thread has its own; main has the process id. */
pid_t gettid(void)
{
	return (pid_t)(M_RAW(SYS_getpid) + __heddle_thread_self());
}

pid_t getpgid(pid_t pid)
{
	return (pid_t)M_SYS(SYS_getpgid, pid);
}

pid_t getsid(pid_t pid)
{
	return (pid_t)M_SYS(SYS_getsid, pid);
}

/* ---- the machine ------------------------------------------------------------------------- */

int getpagesize(void)
{
	return 4096;
}
extern int __getpagesize(void) __attribute__((alias("getpagesize")));

int get_nprocs(void)
{
	return __builtin_popcountll(MODEL_PROCESSORS);
}
M_ALIAS(get_nprocs_conf, get_nprocs);

static long pages(bool free)
{
	struct sysinfo info;

	if (M_SYS(SYS_sysinfo, &info) < 0)
		return -1;
	return (long)((free ? info.freeram : info.totalram) * info.mem_unit / 4096);
}

long get_phys_pages(void)
{
	return pages(false);
}

long get_avphys_pages(void)
{
	return pages(true);
}

int sysinfo(struct sysinfo *info)
{
	return (int)M_SYS(SYS_sysinfo, info);
}

int uname(struct utsname *name)
{
	return (int)M_SYS(SYS_uname, name);
}

int __gethostname(char *buf, size_t n)
{
	struct utsname u;
	size_t len;

	if (M_SYS(SYS_uname, &u) < 0)
		return -1;
	len = strlen(u.nodename) + 1;
	__builtin_memcpy(buf, u.nodename, len < n ? len : n);
	return len > n ? m_fail(ENAMETOOLONG) : 0;
}
M_ALIAS(gethostname, __gethostname);


int getdomainname(char *buf, size_t n)
{
	struct utsname u;
	size_t len;

	if (M_SYS(SYS_uname, &u) < 0)
		return -1;
	len = strlen(u.domainname) + 1;
	__builtin_memcpy(buf, u.domainname, len < n ? len : n);
	return 0;
}

int getloadavg(double load[], int n)
{
	for (int i = 0; i < n && i < 3; i++)
		load[i] = 0;
	return n < 3 ? n : 3;
}

/* ---- limits ------------------------------------------------------------------------------ */

int getrlimit(__rlimit_resource_t resource, struct rlimit *limit)
{
	return (int)M_SYS(SYS_prlimit64, 0, resource, NULL, limit);
}
extern int getrlimit64(__rlimit_resource_t, struct rlimit64 *) __attribute__((alias("getrlimit")));

int setrlimit(__rlimit_resource_t resource, const struct rlimit *limit)
{
	return (int)M_SYS(SYS_prlimit64, 0, resource, limit, NULL);
}
extern int setrlimit64(__rlimit_resource_t, const struct rlimit64 *)
	__attribute__((alias("setrlimit")));

int prlimit(
	pid_t pid, enum __rlimit_resource resource, const struct rlimit *new, struct rlimit *old)
{
	return (int)M_SYS(SYS_prlimit64, pid, resource, new, old);
}
extern int prlimit64(pid_t, enum __rlimit_resource, const struct rlimit64 *, struct rlimit64 *)
	__attribute__((alias("prlimit")));

static long limit_of(__rlimit_resource_t resource)
{
	struct rlimit limit;

	if (M_RAW(SYS_prlimit64, 0, resource, NULL, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
		return -1;
	return (long)limit.rlim_cur;
}

int getdtablesize(void)
{
	return (int)limit_of(RLIMIT_NOFILE);
}

static long argument_space(void)
{
	long quarter = limit_of(RLIMIT_STACK) / 4;

	return quarter > 131072 ? quarter : 131072;
}

long sysconf(int name)
{
	switch (name) {
#define SYSCONF(id, value) case _SC_##id: return value;
#include "sysconf.def"
#undef SYSCONF
	case _SC_ARG_MAX: return argument_space();
	case _SC_CHILD_MAX: return limit_of(RLIMIT_NPROC);
	case _SC_OPEN_MAX: return limit_of(RLIMIT_NOFILE);
	case _SC_SIGQUEUE_MAX: return limit_of(RLIMIT_SIGPENDING);
	case _SC_NPROCESSORS_CONF:
	case _SC_NPROCESSORS_ONLN: return __builtin_popcountll(MODEL_PROCESSORS);
	case _SC_PHYS_PAGES: return pages(false);
	case _SC_AVPHYS_PAGES: return pages(true);
	case _SC_LEVEL1_ICACHE_LINESIZE:
	case _SC_LEVEL1_DCACHE_LINESIZE:
	case _SC_LEVEL2_CACHE_LINESIZE:
	case _SC_LEVEL3_CACHE_LINESIZE: return 64;
	case _SC_LEVEL1_ICACHE_SIZE:
	case _SC_LEVEL1_DCACHE_SIZE: return 32768;
	case _SC_LEVEL2_CACHE_SIZE: return 524288;
	case _SC_LEVEL3_CACHE_SIZE: return 8388608;
	}
	return name < 0 || name > _SC_SIGSTKSZ ? m_fail(EINVAL) : -1;
}
extern long __sysconf(int) __attribute__((alias("sysconf")));

static long path_limit(int name)
{
	switch (name) {
	case _PC_LINK_MAX: return 127;
	case _PC_MAX_CANON: return 255;
	case _PC_MAX_INPUT: return 255;
	case _PC_NAME_MAX: return 255;
	case _PC_PATH_MAX: return 4096;
	case _PC_PIPE_BUF: return 4096;
	case _PC_CHOWN_RESTRICTED: return 1;
	case _PC_NO_TRUNC: return 1;
	case _PC_VDISABLE: return 0;
	}
	return name < 0 || name > _PC_2_SYMLINKS ? m_fail(EINVAL) : -1;
}

long pathconf(const char *path, int name)
{
	(void)path;
	return path_limit(name);
}

long fpathconf(int fd, int name)
{
	(void)fd;
	return path_limit(name);
}

/* ---- resource use ------------------------------------------------------------------------ */

int getrusage(__rusage_who_t who, struct rusage *use)
{
	uint64_t us = who == RUSAGE_CHILDREN ? 0 : __m_elapsed() / 1000;

	if (who != RUSAGE_SELF && who != RUSAGE_CHILDREN && who != RUSAGE_THREAD)
		return m_fail(EINVAL);
	__builtin_memset(use, 0, sizeof *use);
	use->ru_utime.tv_sec = (time_t)(us / 1000000);
	use->ru_utime.tv_usec = (suseconds_t)(us % 1000000);
	use->ru_maxrss = 4096;
	return 0;
}

clock_t times(struct tms *t)
{
	clock_t ticks = (clock_t)(__m_elapsed() / (M_NS_PER_S / 100));

	if (t)
		*t = (struct tms){.tms_utime = ticks};
	return (clock_t)(__heddle_now(CLOCK_MONOTONIC) / (M_NS_PER_S / 100));
}

int getpriority(__priority_which_t which, id_t who)
{
	(void)which;
	(void)who;
	return 0;
}

int setpriority(__priority_which_t which, id_t who, int value)
{
	(void)which;
	(void)who;
	return value < 0 ? m_fail(EACCES) : 0;
}

int nice(int increment)
{
	static int value;

	value += increment;
	value = value > 19 ? 19 : value < 0 ? 0 : value;
	return increment < 0 ? m_fail(EPERM) : value;
}
