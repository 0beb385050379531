/*
 * Properties of a running thread that do not affect its behaviour here: name, scheduling, signal
 * mask, clocks. Results are those of an unprivileged process under SCHED_OTHER.
 */
#include "model_thread.h"
#include "model_signal.h"

int pthread_setname_np(pthread_t handle, const char *name)
{
	struct model_thread *t = __m_live_thread(handle);
	size_t n = 0;

	while (name[n])
		n++;
	if (n >= sizeof(t->name))
		return ERANGE;
	for (size_t i = 0; i <= n; i++)
		t->name[i] = name[i];
	return 0;
}

int pthread_getname_np(pthread_t handle, char *buf, size_t size)
{
	struct model_thread *t = __m_live_thread(handle);

	if (size < sizeof(t->name))
		return ERANGE;
	for (size_t i = 0; i < sizeof(t->name); i++)
		buf[i] = t->name[i];
	return 0;
}

int pthread_getcpuclockid(pthread_t handle, clockid_t *clock)
{
	__m_live_thread(handle);
	*clock = CLOCK_THREAD_CPUTIME_ID;
	return 0;
}

int pthread_getschedparam(pthread_t handle, int *restrict policy, struct sched_param *restrict p)
{
	__m_live_thread(handle);
	*policy = SCHED_OTHER;
	p->sched_priority = 0;
	return 0;
}

int pthread_setschedparam(pthread_t handle, int policy, const struct sched_param *p)
{
	__m_live_thread(handle);
	return __m_sched_check(policy, p->sched_priority);
}

int pthread_setschedprio(pthread_t handle, int priority)
{
	__m_live_thread(handle);
	return priority ? EINVAL : 0;
}

static int concurrency;

int pthread_getconcurrency(void)
{
	return concurrency;
}

int pthread_setconcurrency(int level)
{
	if (level < 0)
		return EINVAL;
	concurrency = level;
	return 0;
}

int pthread_kill(pthread_t handle, int sig)
{
	__heddle_sync("pthread_kill", NULL);
	struct model_thread *t = __m_live_thread(handle);

	if (sig < 0 || sig > SIGRTMAX)
		return EINVAL;
	if (sig == 0 || t->ended)
		return 0;
	if (t != __m_self())
		__heddle_unmodelled("pthread_kill of another thread");
	__m_signal_raise(sig);
	return 0;
}

int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
	return __m_sigmask(how, set, old);
}
