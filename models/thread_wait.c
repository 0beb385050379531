/*
 * Blocking, time-outs and deferred cancellation, shared by all models that wait.
 */
#include "model_thread.h"

#define NS_PER_S 1000000000ull

int __m_timeout_check(const struct model_timeout *timeout)
{
	if (timeout->clock != CLOCK_REALTIME && timeout->clock != CLOCK_MONOTONIC)
		return EINVAL;
	if (timeout->at->tv_nsec < 0 || timeout->at->tv_nsec >= (long)NS_PER_S)
		return EINVAL;
	return 0;
}

/* Absolute time on the time-out's clock as a deadline for the machine: 0 is past, UINT64_MAX is
 * never. */
static uint64_t deadline(const struct model_timeout *timeout)
{
	if (timeout->at->tv_sec < 0)
		return 0;
	uint64_t s = (uint64_t)timeout->at->tv_sec;
	if (s >= UINT64_MAX / NS_PER_S)
		return UINT64_MAX;
	uint64_t at = s * NS_PER_S + (uint64_t)timeout->at->tv_nsec;
	uint64_t now = __heddle_now(timeout->clock);
	if (at <= now)
		return 0;
	uint64_t mono = __heddle_now(CLOCK_MONOTONIC);
	return at - now > UINT64_MAX - mono ? UINT64_MAX : mono + (at - now);
}

static bool cancel_due(const struct model_thread *t)
{
	return t->cancel_asked && t->cancel_state == PTHREAD_CANCEL_ENABLE;
}

static enum model_wake wait_on(struct model_thread *t, void *q, const char *why,
	const uint64_t *until)
{
	bool notified = true;

	t->cancel_woken = false;
	if (until && *until != UINT64_MAX)
		notified = __heddle_wait_until(q, why, *until);
	else
		__heddle_wait(q, why);
	t->cancel_awaits = false;
	if (t->cancel_woken)
		return MODEL_CANCELLED;
	return notified ? MODEL_WOKEN : MODEL_TIMED_OUT;
}

enum model_wake __m_wait(void *q, const char *why, const struct model_timeout *timeout,
	bool cancellable)
{
	struct model_thread *t = __m_self();

	if (cancellable && cancel_due(t))
		return MODEL_CANCELLED;
	t->cancel_awaits = cancellable && t->cancel_state == PTHREAD_CANCEL_ENABLE;
	uint64_t until = timeout ? deadline(timeout) : 0;
	return wait_on(t, q, why, timeout ? &until : NULL);
}

enum model_wake __m_wait_condition(void *q, const char *why, const struct model_timeout *timeout)
{
	struct model_thread *t = __m_self();

	if (timeout)
		return __m_wait(q, why, timeout, true);
	if (cancel_due(t))
		return MODEL_CANCELLED;
	t->cancel_awaits = t->cancel_state == PTHREAD_CANCEL_ENABLE;
	t->cancel_woken = false;
	bool notified = __heddle_wait_condition(q, why);
	t->cancel_awaits = false;
	return t->cancel_woken ? MODEL_CANCELLED : notified ? MODEL_WOKEN : MODEL_SPURIOUS;
}

void __m_sleep(uint64_t ns, const char *why)
{
	struct model_thread *t = __m_self();

	__m_testcancel();
	uint64_t now = __heddle_now(CLOCK_MONOTONIC);
	uint64_t until = ns > UINT64_MAX - now ? UINT64_MAX : now + ns;
	t->cancel_awaits = t->cancel_state == PTHREAD_CANCEL_ENABLE;
	if (wait_on(t, NULL, why, &until) == MODEL_CANCELLED)
		__m_testcancel();
}

void __m_testcancel(void)
{
	struct model_thread *t = __m_self();

	if (!cancel_due(t))
		return;
	t->cancel_state = PTHREAD_CANCEL_DISABLE; /* handlers must not be cancelled again */
	t->result = PTHREAD_CANCELED;
	__m_unwind(t);
}
