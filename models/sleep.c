/* Waiting for time or for descriptors. Sleeps take virtual time only. */
#include "model_thread.h"
#include "model_time.h"
#include <poll.h>
#include <sys/select.h>
#include <unistd.h>

static bool valid(const struct timespec *t)
{
	return t->tv_sec >= 0 && t->tv_nsec >= 0 && t->tv_nsec < (long)M_NS_PER_S;
}

static uint64_t ns_of(const struct timespec *t)
{
	if ((uint64_t)t->tv_sec > UINT64_MAX / M_NS_PER_S - 1)
		return UINT64_MAX;
	return (uint64_t)t->tv_sec * M_NS_PER_S + (uint64_t)t->tv_nsec;
}

int nanosleep(const struct timespec *t, struct timespec *left)
{
	if (!valid(t))
		return m_fail(EINVAL);
	__m_sleep(ns_of(t), "nanosleep");
	if (left)
		*left = (struct timespec){0, 0};
	return 0;
}
extern int __nanosleep(const struct timespec *, struct timespec *)
	__attribute__((alias("nanosleep")));

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *t, struct timespec *left)
{
	uint64_t ns, now;

	if (!valid(t) || clock == CLOCK_THREAD_CPUTIME_ID)
		return EINVAL;
	ns = ns_of(t);
	if (flags & TIMER_ABSTIME) {
		now = __heddle_now(clock == CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC);
		ns = ns > now ? ns - now : 0;
	} else if (left) {
		*left = (struct timespec){0, 0};
	}
	__m_sleep(ns, "clock_nanosleep");
	return 0;
}

unsigned sleep(unsigned seconds)
{
	__m_sleep(seconds * M_NS_PER_S, "sleep");
	return 0;
}

int usleep(useconds_t us)
{
	__m_sleep(us * 1000ULL, "usleep");
	return 0;
}

/* ---- descriptors ------------------------------------------------------------------------- */

/* On the host it polls in a loop, with one real and one virtual millisecond between the calls, so that
 * both the host and the other threads make progress; in a world the call blocks this thread only.
 * timeout_ns < 0 is for ever. */
static int poll_until(struct pollfd *fds, nfds_t n, int64_t timeout_ns)
{
	const uint64_t slice = M_NS_PER_S / 1000;
	uint64_t start = __heddle_now(CLOCK_MONOTONIC);

	__m_testcancel();
	if (!n && timeout_ns >= 0) {
		__m_sleep((uint64_t)timeout_ns, "poll");
		return 0;
	}
	if (__heddle_has_world()) {
		int64_t ms = timeout_ns / 1000000 + (timeout_ns % 1000000 > 0);

		return (int)M_SYS(SYS_poll, fds, n, timeout_ns < 0 ? -1 : ms > INT_MAX ? INT_MAX : ms);
	}
	for (;;) {
		long r = M_SYS(SYS_poll, fds, n, 0);
		uint64_t gone = __heddle_now(CLOCK_MONOTONIC) - start, left;
		if (r || !timeout_ns)
			return (int)r;
		if (timeout_ns > 0 && gone >= (uint64_t)timeout_ns)
			return 0;
		left = timeout_ns < 0 ? slice : (uint64_t)timeout_ns - gone;
		M_RAW(SYS_poll, fds, n, 1);
		__m_sleep(left < slice ? left : slice, "poll");
	}
}

int __poll(struct pollfd *fds, nfds_t n, int timeout)
{
	return poll_until(fds, n, timeout < 0 ? -1 : (int64_t)timeout * 1000000);
}
M_ALIAS(poll, __poll);


int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask)
{
	(void)mask;
	if (timeout && !valid(timeout))
		return m_fail(EINVAL);
	return poll_until(fds, n, timeout ? (int64_t)ns_of(timeout) : -1);
}

static const struct {
	short ask, answer;
} events[3] = {
	{POLLIN, POLLIN | POLLHUP | POLLERR},
	{POLLOUT, POLLOUT | POLLERR},
	{POLLPRI, POLLPRI},
};

static int select_until(int n, fd_set *sets[3], int64_t timeout_ns)
{
	struct pollfd fds[FD_SETSIZE];
	nfds_t used = 0;
	int ready = 0;

	if (n < 0 || n > FD_SETSIZE)
		return m_fail(EINVAL);
	for (int fd = 0; fd < n; fd++) {
		struct pollfd p = {.fd = fd};
		for (int k = 0; k < 3; k++)
			if (sets[k] && FD_ISSET(fd, sets[k]))
				p.events |= events[k].ask;
		if (p.events)
			fds[used++] = p;
	}
	if (poll_until(fds, used, timeout_ns) < 0)
		return -1;
	for (int k = 0; k < 3; k++)
		for (nfds_t i = 0; i < used; i++)
			if (fds[i].revents & POLLNVAL)
				return m_fail(EBADF);
	for (int k = 0; k < 3; k++) {
		if (!sets[k])
			continue;
		__builtin_memset(sets[k], 0, (size_t)(n + 63) / 64 * 8);
		for (nfds_t i = 0; i < used; i++)
			if (fds[i].events & events[k].ask && fds[i].revents & events[k].answer) {
				FD_SET(fds[i].fd, sets[k]);
				ready++;
			}
	}
	return ready;
}

int select(int n, fd_set *restrict r, fd_set *restrict w, fd_set *restrict x,
	struct timeval *restrict timeout)
{
	int64_t ns = -1;

	if (timeout) {
		if (timeout->tv_sec < 0 || timeout->tv_usec < 0)
			return m_fail(EINVAL);
		ns = timeout->tv_sec * (int64_t)M_NS_PER_S + timeout->tv_usec * 1000;
	}
	return select_until(n, (fd_set *[3]){r, w, x}, ns);
}

int pselect(int n, fd_set *restrict r, fd_set *restrict w, fd_set *restrict x,
	const struct timespec *restrict timeout, const sigset_t *restrict mask)
{
	(void)mask;
	if (timeout && !valid(timeout))
		return m_fail(EINVAL);
	return select_until(n, (fd_set *[3]){r, w, x}, timeout ? (int64_t)ns_of(timeout) : -1);
}

long __fdelt_chk(long d)
{
	if (d < 0 || d >= FD_SETSIZE)
		__heddle_fault(
			HEDDLE_FAULT_BAD_ARGUMENT, "descriptor too large for an fd_set", NULL);
	return d / __NFDBITS;
}
M_ALIAS(__fdelt_warn, __fdelt_chk);
