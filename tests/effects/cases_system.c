#include <errno.h>
#include <grp.h>
#include <math.h>
#include <pthread.h>
#include <pwd.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timeb.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"
#include "watch.h"

/* what the macros of old headers call */
void _pthread_cleanup_push(struct _pthread_cleanup_buffer *buf, void (*routine)(void *), void *arg);
void _pthread_cleanup_pop(struct _pthread_cleanup_buffer *buf, int execute);

static void on_alarm(int signo)
{
	(void)signo;
}

static void interrupted_sleep(void)
{
	struct timespec *req = room(sizeof(*req)), *rem = room(sizeof(*rem));
	struct itimerval soon = {.it_value = {0, 300}}, *old = room(sizeof(*old));
	struct sigaction sa = {.sa_handler = on_alarm};

	sigaction(SIGALRM, &sa, NULL);
	*req = (struct timespec){0, 20000000};
	CALL(setitimer, setitimer(ITIMER_REAL, &soon, old), ITIMER_REAL, U(&soon), U(old));
	CALL(nanosleep, nanosleep(req, rem), U(req), U(rem));
	setitimer(ITIMER_REAL, &soon, NULL);
	CALL(clock_nanosleep, clock_nanosleep(CLOCK_MONOTONIC, 0, req, rem), CLOCK_MONOTONIC, 0,
		U(req), U(rem));
	setitimer(ITIMER_REAL, &soon, NULL);
	CALL(thrd_sleep, thrd_sleep(req, rem), U(req), U(rem));
	STIR(old);
	CALL(getitimer, getitimer(ITIMER_REAL, old), ITIMER_REAL, U(old));
}

void cases_time(void)
{
	time_t *t = room(8);
	struct tm *tm = room(sizeof(*tm));
	struct timespec *ts = room(sizeof(*ts));
	struct timeval *tv = room(sizeof(*tv));
	struct timezone *tz = room(sizeof(*tz));
	struct tms *tms = room(sizeof(*tms));
	char *to = room(64), *in = copy("2031-02-03 4x");
	clockid_t *clock = room(4);
	size_t n = rng_below(&rng, 40);

	CALL(time, time(t), U(t));
	CALL(time, time(NULL), 0);
	CALL(clock_gettime, clock_gettime(CLOCK_REALTIME, ts), CLOCK_REALTIME, U(ts));
	CALL(clock_gettime, clock_gettime(12345, ts), 12345, U(ts));
	CALL(clock_getres, clock_getres(CLOCK_REALTIME, ts), CLOCK_REALTIME, U(ts));
	CALL(timespec_get, timespec_get(ts, TIME_UTC), U(ts), TIME_UTC);
	CALL(gettimeofday, gettimeofday(tv, tz), U(tv), U(tz));
	CALL(times, times(tms), U(tms));
	CALL(localtime_r, U(localtime_r(t, tm)), U(t), U(tm));
	CALL(gmtime_r, U(gmtime_r(t, tm)), U(t), U(tm));
	tm->tm_mday += 40;
	CALL(mktime, mktime(tm), U(tm));
	CALL(asctime_r, U(asctime_r(tm, to)), U(tm), U(to));
	CALL(ctime_r, U(ctime_r(t, to)), U(t), U(to));
	CALL(strftime, strftime(to, n, "%Y-%m-%d %H:%M:%S", tm), U(to), n, U("%Y-%m-%d %H:%M:%S"),
		U(tm));
	CALL(strftime, strftime(to, n, "", tm), U(to), n, U(""), U(tm));
	CALL(strptime, U(strptime(in, "%Y-%m-%d %H:%M", tm)), U(in), U("%Y-%m-%d %H:%M"), U(tm));
	CALL(clock_getcpuclockid, clock_getcpuclockid(0, clock), 0, U(clock));
	interrupted_sleep();
}

static void children(void)
{
	int *status = room(4);
	struct rusage *ru = room(sizeof(*ru));
	siginfo_t *si = room(sizeof(*si));
	pid_t pids[4];

	for (int i = 0; i < 4; i++)
		if (!(pids[i] = fork()))
			_exit(i + 1);
	CALL(waitpid, waitpid(pids[0], status, 0), pids[0], U(status), 0);
	CALL(waitid, waitid(P_PID, pids[1], si, WEXITED), P_PID, pids[1], U(si), WEXITED);
	CALL(wait4, wait4(pids[2], status, 0, ru), pids[2], U(status), 0, U(ru));
	CALL(wait, wait(status), U(status));
	CALL(wait, wait(status), U(status));
	if (writes())
		BUG("there was nobody to wait for");
}

static void users(void)
{
	struct passwd *pw = room(sizeof(*pw)), **ppw = room(8);
	struct group *gr = room(sizeof(*gr)), **pgr = room(8);
	char *buf = room(4096);
	gid_t *groups = room(64 * 4);

	CALL(getpwuid_r, getpwuid_r(0, pw, buf, 4096, ppw), 0, U(pw), U(buf), 4096, U(ppw));
	CALL(getgrgid_r, getgrgid_r(0, gr, buf, 4096, pgr), 0, U(gr), U(buf), 4096, U(pgr));
	CALL(getgroups, getgroups(64, groups), 64, U(groups));
	CALL(getgroups, getgroups(0, groups), 0, U(groups));
	if (writes())
		BUG("getgroups only counts");
}

static void queues(void)
{
	int q = msgget(IPC_PRIVATE, 0600);
	struct {
		long type;
		char text[40];
	} *m = room(sizeof(*m));

	if (q < 0)
		return;
	m->type = 3;
	CALL(msgsnd, msgsnd(q, m, 25, 0), q, U(m), 25, 0);
	STIR(m);
	CALL(msgrcv, msgrcv(q, m, 40, 0, 0), q, U(m), 40, 0, 0);
	msgctl(q, IPC_RMID, NULL);
}

static void signals(void)
{
	sigset_t *set = room(sizeof(*set)), *old = room(sizeof(*old));
	siginfo_t *si = room(sizeof(*si));
	int *signo = room(4);
	struct timespec none = {0, 0};

	CALL(sigfillset, sigfillset(set), U(set));
	CALL(sigdelset, sigdelset(set, SIGUSR2), U(set), SIGUSR2);
	CALL(sigemptyset, sigemptyset(set), U(set));
	CALL(sigaddset, sigaddset(set, SIGUSR1), U(set), SIGUSR1);
	CALL(sigprocmask, sigprocmask(SIG_BLOCK, set, old), SIG_BLOCK, U(set), U(old));
	STIR(old);
	CALL(pthread_sigmask, pthread_sigmask(SIG_BLOCK, NULL, old), SIG_BLOCK, 0, U(old));
	STIR(old);
	CALL(sigorset, sigorset(old, set, set), U(old), U(set), U(set));
	raise(SIGUSR1);
	STIR(old);
	CALL(sigpending, sigpending(old), U(old));
	CALL(sigwait, sigwait(set, signo), U(set), U(signo));
	raise(SIGUSR1);
	CALL(sigtimedwait, sigtimedwait(set, si, &none), U(set), U(si), U(&none));
	CALL(sigtimedwait, sigtimedwait(set, si, &none), U(set), U(si), U(&none));
	sigprocmask(SIG_UNBLOCK, set, NULL);
}

void cases_process(void)
{
	struct rlimit *rl = room(sizeof(*rl));
	struct rusage *ru = room(sizeof(*ru));
	struct sysinfo *si = room(sizeof(*si));
	struct utsname *u = room(sizeof(*u));
	char *name = room(80);
	double *load = room(24);
	size_t n = rng_below(&rng, 80);

	CALL(getrlimit, getrlimit(RLIMIT_NOFILE, rl), RLIMIT_NOFILE, U(rl));
	STIR(rl);
	CALL(prlimit, prlimit(0, RLIMIT_NOFILE, NULL, rl), 0, RLIMIT_NOFILE, 0, U(rl));
	CALL(getrusage, getrusage(RUSAGE_SELF, ru), RUSAGE_SELF, U(ru));
	CALL(sysinfo, sysinfo(si), U(si));
	CALL(uname, uname(u), U(u));
	CALL(gethostname, gethostname(name, n), U(name), n);
	CALL(getdomainname, getdomainname(name, n), U(name), n);
	CALL(getloadavg, getloadavg(load, 2), U(load), 2);
	children();
	users();
	queues();
	signals();
}

static void attributes(void)
{
	pthread_attr_t *a = room(sizeof(*a));
	pthread_mutexattr_t *m = room(sizeof(*m));
	pthread_condattr_t *c = room(sizeof(*c));
	pthread_rwlockattr_t *r = room(sizeof(*r));
	pthread_barrierattr_t *b = room(sizeof(*b));
	int *i = room(4);
	size_t *n = room(8);
	void **p = room(8);
	struct sched_param *sp = memset(room(sizeof(*sp)), 0, sizeof(*sp));

	CALL(pthread_attr_init, pthread_attr_init(a), U(a));
	CALL(pthread_attr_setdetachstate, pthread_attr_setdetachstate(a, 1), U(a), 1);
	CALL(pthread_attr_setstacksize, pthread_attr_setstacksize(a, 1 << 17), U(a), 1 << 17);
	CALL(pthread_attr_setschedparam, pthread_attr_setschedparam(a, sp), U(a), U(sp));
	CALL(pthread_attr_getdetachstate, pthread_attr_getdetachstate(a, i), U(a), U(i));
	CALL(pthread_attr_getstacksize, pthread_attr_getstacksize(a, n), U(a), U(n));
	CALL(pthread_attr_getguardsize, pthread_attr_getguardsize(a, n), U(a), U(n));
	STIR(sp);
	CALL(pthread_attr_getschedparam, pthread_attr_getschedparam(a, sp), U(a), U(sp));
	CALL(pthread_attr_destroy, pthread_attr_destroy(a), U(a));
	CALL(pthread_getattr_np, pthread_getattr_np(pthread_self(), a), pthread_self(), U(a));
	CALL(pthread_attr_getstack, pthread_attr_getstack(a, p, n), U(a), U(p), U(n));
	pthread_attr_destroy(a);
	CALL(pthread_mutexattr_init, pthread_mutexattr_init(m), U(m));
	CALL(pthread_mutexattr_settype, pthread_mutexattr_settype(m, 1), U(m), 1);
	STIR(i);
	CALL(pthread_mutexattr_gettype, pthread_mutexattr_gettype(m, i), U(m), U(i));
	STIR(i);
	CALL(pthread_mutexattr_getrobust, pthread_mutexattr_getrobust(m, i), U(m), U(i));
	CALL(pthread_condattr_init, pthread_condattr_init(c), U(c));
	CALL(pthread_condattr_setclock, pthread_condattr_setclock(c, 1), U(c), 1);
	CALL(pthread_condattr_getclock, pthread_condattr_getclock(c, i), U(c), U(i));
	CALL(pthread_rwlockattr_init, pthread_rwlockattr_init(r), U(r));
	STIR(i);
	CALL(pthread_rwlockattr_getkind_np, pthread_rwlockattr_getkind_np(r, i), U(r), U(i));
	CALL(pthread_barrierattr_init, pthread_barrierattr_init(b), U(b));
	STIR(i);
	CALL(pthread_barrierattr_getpshared, pthread_barrierattr_getpshared(b, i), U(b), U(i));
}

void cases_threads(void)
{
	int *i = room(4);
	unsigned *cpu = room(4);
	char *name = room(16);
	cpu_set_t *cpus = room(sizeof(*cpus));
	pthread_key_t *key = room(4);
	struct sched_param *sp = room(sizeof(*sp));
	struct _pthread_cleanup_buffer *buf = room(sizeof(*buf));

	attributes();
	CALL(pthread_setcancelstate, pthread_setcancelstate(0, i), 0, U(i));
	CALL(pthread_setcancelstate, pthread_setcancelstate(77, i), 77, U(i));
	STIR(i);
	CALL(pthread_setcanceltype, pthread_setcanceltype(0, i), 0, U(i));
	CALL(pthread_getname_np, pthread_getname_np(pthread_self(), name, 16), pthread_self(),
		U(name), 16);
	CALL(pthread_getaffinity_np, pthread_getaffinity_np(pthread_self(), sizeof(*cpus), cpus),
		pthread_self(), sizeof(*cpus), U(cpus));
	STIR(cpus);
	CALL(sched_getaffinity, sched_getaffinity(0, sizeof(*cpus), cpus), 0, sizeof(*cpus),
		U(cpus));
	CALL(pthread_getschedparam, pthread_getschedparam(pthread_self(), i, sp), pthread_self(),
		U(i), U(sp));
	CALL(getcpu, getcpu(cpu, NULL), U(cpu), 0);
	CALL(pthread_key_create, pthread_key_create(key, free), U(key), U(free));
	pthread_key_delete(*key);
	STIR(key);
	CALL(tss_create, tss_create(key, free), U(key), U(free));
	tss_delete(*key);
	CALL(_pthread_cleanup_push, (_pthread_cleanup_push(buf, free, NULL), 0), U(buf), U(free),
		0);
	CALL(_pthread_cleanup_pop, (_pthread_cleanup_pop(buf, 0), 0), U(buf), 0);
}

void cases_math(void)
{
	int *i = room(4);
	double *d = room(8), *e = room(8), x = (double)rng_u64(&rng) / 3;
	float *f = room(4), *g = room(4);
	long double *l = room(16), *m = room(16);

	CALL(frexp, (frexp(x, i), 0), 0, U(i));
	STIR(i);
	CALL(frexpl, (frexpl(x, i), 0), 0, U(i));
	CALL(modf, (modf(x, d), 0), 0, U(d));
	CALL(modff, (modff((float)x, f), 0), 0, U(f));
	CALL(modfl, (modfl(x, l), 0), 0, U(l));
	CALL(remquo, (remquo(x, 7, i), 0), 0, 0, U(i));
	STIR(i);
	CALL(remquof, (remquof(9, 7, i), 0), 0, 0, U(i));
	CALL(sincos, (sincos(x, d, e), 0), 0, U(d), U(e));
	CALL(sincosf, (sincosf((float)x, f, g), 0), 0, U(f), U(g));
	CALL(sincosl, (sincosl(x, l, m), 0), 0, U(l), U(m));
	CALL(lgamma_r, (lgamma_r(-0.5, i), 0), 0, U(i));
}
