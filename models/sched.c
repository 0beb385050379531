/*
 * <sched.h> and processor affinity: yielding, and the results for an unprivileged process under
 * SCHED_OTHER.
 */
#include "model_thread.h"

enum { REALTIME_MIN = 1, REALTIME_MAX = 99 };

uint64_t __m_cpus_get(size_t size, const cpu_set_t *set)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < size && i < sizeof(bits); i++)
		bits |= (uint64_t)((const unsigned char *)set)[i] << 8 * i;
	return bits;
}

void __m_cpus_put(uint64_t bits, size_t size, cpu_set_t *set)
{
	for (size_t i = 0; i < size; i++)
		((unsigned char *)set)[i] = i < sizeof(bits) ? (unsigned char)(bits >> 8 * i) : 0;
}

int __m_sched_check(int policy, int priority)
{
	if (policy < SCHED_OTHER || policy > SCHED_RR)
		return EINVAL;
	if (policy == SCHED_OTHER)
		return priority ? EINVAL : 0;
	return priority < REALTIME_MIN || priority > REALTIME_MAX ? EINVAL : EPERM;
}

int sched_yield(void)
{
	__heddle_sync("sched_yield", NULL);
	return 0;
}

int sched_getcpu(void)
{
	return (int)(__heddle_thread_self() % (unsigned)__builtin_popcountll(MODEL_PROCESSORS));
}

static int priority_bound(int policy, int realtime)
{
	switch (policy) {
	case SCHED_FIFO:
	case SCHED_RR: return realtime;
	case SCHED_OTHER:
	case SCHED_BATCH:
	case SCHED_IDLE: return 0;
	default: return m_fail(EINVAL);
	}
}

int sched_get_priority_max(int policy)
{
	return priority_bound(policy, REALTIME_MAX);
}

int sched_get_priority_min(int policy)
{
	return priority_bound(policy, REALTIME_MIN);
}

int sched_getscheduler(pid_t pid)
{
	(void)pid;
	return SCHED_OTHER;
}

int sched_getparam(pid_t pid, struct sched_param *p)
{
	(void)pid;
	p->sched_priority = 0;
	return 0;
}

static int answer(int err)
{
	return err ? m_fail(err) : 0;
}

int sched_setparam(pid_t pid, const struct sched_param *p)
{
	(void)pid;
	return answer(__m_sched_check(SCHED_OTHER, p->sched_priority));
}

int sched_setscheduler(pid_t pid, int policy, const struct sched_param *p)
{
	(void)pid;
	return answer(__m_sched_check(policy, p->sched_priority));
}

static int affinity_set(struct model_thread *t, size_t size, const cpu_set_t *set)
{
	uint64_t bits = __m_cpus_get(size, set) & MODEL_PROCESSORS;

	if (!bits)
		return EINVAL;
	t->affinity = bits;
	return 0;
}

static int affinity_get(const struct model_thread *t, size_t size, cpu_set_t *set)
{
	if (size < sizeof(uint64_t) || size % sizeof(uint64_t))
		return EINVAL;
	__m_cpus_put(t->affinity, size, set);
	return 0;
}

/* the calling thread's, for any pid: there is one process */
int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
	(void)pid;
	return answer(affinity_set(__m_self(), size, set));
}

int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
	(void)pid;
	return answer(affinity_get(__m_self(), size, set));
}

int pthread_setaffinity_np(pthread_t handle, size_t size, const cpu_set_t *set)
{
	return affinity_set(__m_live_thread(handle), size, set);
}

int pthread_getaffinity_np(pthread_t handle, size_t size, cpu_set_t *set)
{
	return affinity_get(__m_live_thread(handle), size, set);
}
