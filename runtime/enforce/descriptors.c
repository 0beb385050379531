/*
 * Replacements for the functions of log/instead.def that wait for a descriptor. Other threads run
 * until the descriptor is ready, so that the schedule decides the order of the calls on a pipe. A
 * thread waits in the system only if no thread can run: then only the outside can end its wait.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include "runtime/enforce/control.h"

/* ---- pipes of the program ----------------------------------------------------------------- */

/* Pipes and pairs of sockets that traced code made: no other process has them before a fork. */
enum { MAX_PIPES = 256 };
static struct {
	uint64_t dev, ino;
} pipes[MAX_PIPES];
static uint32_t npipes;

static bool is_own(int fd)
{
	struct stat st;
	if (control.forked || fstat(fd, &st))
		return false;
	for (uint32_t i = 0; i < npipes && i < MAX_PIPES; i++)
		if (pipes[i].ino == st.st_ino && pipes[i].dev == st.st_dev)
			return true;
	return false;
}

static int pipe_made(int r, const int *fds)
{
	struct stat st;
	int saved = errno;
	for (uint32_t i = 0; !r && i < 2; i++)
		if (!fstat(fds[i], &st)) {
			pipes[npipes % MAX_PIPES].dev = st.st_dev;
			pipes[npipes++ % MAX_PIPES].ino = st.st_ino;
		}
	errno = saved;
	return r;
}

INSTEAD(int, pipe)(int fds[2])
{
	return pipe_made(pipe(fds), fds);
}

INSTEAD(int, pipe2)(int fds[2], int flags)
{
	return pipe_made(pipe2(fds, flags), fds);
}

INSTEAD(int, socketpair)(int domain, int type, int protocol, int fds[2])
{
	return pipe_made(socketpair(domain, type, protocol, fds), fds);
}

/* ---- waiting ------------------------------------------------------------------------------ */

static bool is_ready(const struct waited_fds *w)
{
	return sys3(SYS_poll, w->at, w->n, 0) != 0;
}

bool fds_ready(struct controlled *t)
{
	return t->interrupted || t->cancelled || t->outside || is_ready(t->fds);
}

enum wait_end {
	WAIT_READY, /* or only the outside can end the wait: the system decides */
	WAIT_TIMED_OUT,
	WAIT_INTERRUPTED, /* a signal handler ran */
};

static enum wait_end wait_for_fds(struct pollfd *at, uint64_t n, uint64_t deadline)
{
	struct controlled *t = me;
	struct waited_fds w = {at, n};
	bool in_time = true;
	if (!in_control() || is_ready(&w))
		return WAIT_READY;
	t->fds = &w;
	t->interrupted = 0;
	t->outside = false;
	t->cancelled = false;
	in_time = wait_until(LOG_NSYNC, NULL, fds_ready, deadline);
	t->fds = NULL;
	t->cancelled = false; /* the call of the library tests it */
	if (t->interrupted && !is_ready(&w))
		return WAIT_INTERRUPTED;
	return in_time ? WAIT_READY : WAIT_TIMED_OUT;
}

static bool is_restarted(int signo)
{
	struct sigaction sa;
	return !sigaction(signo, NULL, &sa) && sa.sa_flags & SA_RESTART;
}

/* Before a call that reads from or writes to the descriptor; false if a signal ended the wait. */
static bool may_call(int fd, short events)
{
	struct pollfd p = {.fd = fd, .events = events};
	int saved = errno, flags;
	if (!in_control() || (flags = fcntl(fd, F_GETFL)) < 0 || flags & O_NONBLOCK) {
		errno = saved;
		return true;
	}
	errno = saved;
	while (wait_for_fds(&p, 1, NO_DEADLINE) == WAIT_INTERRUPTED)
		if (!is_restarted(me->interrupted)) {
			errno = EINTR;
			return false;
		}
	return true;
}

/* ---- reading and writing ------------------------------------------------------------------ */

#define CALL(TYPE, NAME, P, A, FD, EVENTS)                                                         \
	INSTEAD(TYPE, NAME) P                                                                      \
	{                                                                                          \
		return may_call(FD, EVENTS) ? NAME A : -1;                                         \
	}

CALL(ssize_t, read, (int fd, void *to, size_t n), (fd, to, n), fd, POLLIN)
CALL(ssize_t, readv, (int fd, const struct iovec *to, int n), (fd, to, n), fd, POLLIN)
CALL(ssize_t, writev, (int fd, const struct iovec *from, int n), (fd, from, n), fd, POLLOUT)

ssize_t __read_chk(int fd, void *to, size_t n, size_t size);
CALL(ssize_t, __read_chk, (int fd, void *to, size_t n, size_t size), (fd, to, n, size), fd, POLLIN)

static bool is_pipe(int fd)
{
	struct stat st;
	return !fstat(fd, &st) && S_ISFIFO(st.st_mode);
}

/* A pipe that is ready takes PIPE_BUF bytes without waiting. */
INSTEAD(ssize_t, write)(int fd, const void *from, size_t n)
{
	size_t done = 0;
	bool parts = n > PIPE_BUF && in_control() && is_pipe(fd);
	do {
		size_t k = parts && n - done > PIPE_BUF ? PIPE_BUF : n - done;
		ssize_t r = may_call(fd, POLLOUT) ? write(fd, (const char *)from + done, k) : -1;
		if (r < 0)
			return done ? (ssize_t)done : r;
		done += (size_t)r;
		if ((size_t)r < k)
			break;
	} while (done < n);
	return (ssize_t)done;
}

static bool may_call_socket(int fd, short events, int flags)
{
	return flags & MSG_DONTWAIT || may_call(fd, events);
}

#define CALL_SOCKET(NAME, P, A, EVENTS)                                                            \
	INSTEAD(ssize_t, NAME) P                                                                   \
	{                                                                                          \
		return may_call_socket(fd, EVENTS, flags) ? NAME A : -1;                           \
	}

CALL_SOCKET(recv, (int fd, void *to, size_t n, int flags), (fd, to, n, flags), POLLIN)
CALL_SOCKET(recvfrom,
	(int fd, void *to, size_t n, int flags, struct sockaddr *address, socklen_t *size),
	(fd, to, n, flags, address, size), POLLIN)
CALL_SOCKET(recvmsg, (int fd, struct msghdr *m, int flags), (fd, m, flags), POLLIN)
CALL_SOCKET(send, (int fd, const void *from, size_t n, int flags), (fd, from, n, flags), POLLOUT)
CALL_SOCKET(sendto,
	(int fd, const void *from, size_t n, int flags, const struct sockaddr *address,
		socklen_t size),
	(fd, from, n, flags, address, size), POLLOUT)
CALL_SOCKET(sendmsg, (int fd, const struct msghdr *m, int flags), (fd, m, flags), POLLOUT)
CALL(int, accept, (int fd, struct sockaddr *address, socklen_t *size), (fd, address, size), fd,
	POLLIN)
CALL(int, accept4, (int fd, struct sockaddr *address, socklen_t *size, int flags),
	(fd, address, size, flags), fd, POLLIN)

/* ---- waiting for several ------------------------------------------------------------------ */

#define MS     1000000ull
#define SECOND 1000000000ull

static uint64_t after_ns(uint64_t ns)
{
	return control.now + ns < control.now ? NO_DEADLINE - 1 : control.now + ns;
}

static uint64_t after_timespec(const struct timespec *ts)
{
	if (!ts || ts->tv_sec < 0 || ts->tv_sec > INT_MAX || ts->tv_nsec < 0)
		return NO_DEADLINE;
	return after_ns((uint64_t)ts->tv_sec * SECOND + (uint64_t)ts->tv_nsec);
}

/* In virtual time, unless another process could end the wait earlier. */
static bool is_over(enum wait_end end, const struct pollfd *at, uint64_t n)
{
	if (end != WAIT_TIMED_OUT)
		return false;
	for (uint64_t i = 0; i < n; i++)
		if (at[i].fd >= 0 && !is_own(at[i].fd))
			return false;
	return true;
}

/* Calls that wait for several descriptors are not restarted after a signal. */
#define WAIT_MANY(AT, N, TIMEOUT, DEADLINE, SOON, CALLED)                                          \
	do {                                                                                       \
		if ((TIMEOUT) || !in_control())                                                    \
			return CALLED;                                                             \
		enum wait_end end = wait_for_fds(AT, N, DEADLINE);                                 \
		if (end == WAIT_INTERRUPTED) {                                                     \
			errno = EINTR;                                                             \
			return -1;                                                                 \
		}                                                                                  \
		if (is_over(end, AT, N))                                                           \
			return SOON;                                                               \
		return CALLED;                                                                     \
	} while (0)

INSTEAD(int, poll)(struct pollfd *at, nfds_t n, int timeout)
{
	WAIT_MANY(at, n, timeout == 0, timeout < 0 ? NO_DEADLINE : after_ns((uint64_t)timeout * MS),
		poll(at, n, 0), poll(at, n, timeout));
}

int __poll_chk(struct pollfd *at, nfds_t n, int timeout, size_t size);
INSTEAD(int, __poll_chk)(struct pollfd *at, nfds_t n, int timeout, size_t size)
{
	if (size / sizeof(*at) < n)
		return __poll_chk(at, n, timeout, size);
	return __heddle_instead_poll(at, n, timeout);
}

/* With a mask of signals the system waits: the handler must run within the call. */
INSTEAD(int, ppoll)(struct pollfd *at, nfds_t n, const struct timespec *ts, const sigset_t *mask)
{
	const struct timespec now = {0};
	WAIT_MANY(at, n, mask || (ts && !ts->tv_sec && !ts->tv_nsec), after_timespec(ts),
		ppoll(at, n, &now, NULL), ppoll(at, n, ts, mask));
}

/* The sets as an array; its length, or 0 if there is nothing to wait for. */
static uint64_t fds_of_sets(
	int n, const fd_set *in, const fd_set *out, const fd_set *other, struct pollfd *at)
{
	uint64_t k = 0;
	for (int fd = 0; fd < n && fd < FD_SETSIZE; fd++) {
		short events = (short)((in && FD_ISSET(fd, in) ? POLLIN : 0) |
				       (out && FD_ISSET(fd, out) ? POLLOUT : 0) |
				       (other && FD_ISSET(fd, other) ? POLLPRI : 0));
		if (events)
			at[k++] = (struct pollfd){.fd = fd, .events = events};
	}
	return k;
}

INSTEAD(int, select)(int n, fd_set *in, fd_set *out, fd_set *other, struct timeval *tv)
{
	struct pollfd at[FD_SETSIZE];
	struct timeval now = {0};
	struct timespec ts = {
		.tv_sec = tv ? tv->tv_sec : 0, .tv_nsec = tv ? tv->tv_usec * 1000 : 0};
	uint64_t k = fds_of_sets(n, in, out, other, at);
	WAIT_MANY(at, k, tv && !tv->tv_sec && !tv->tv_usec, after_timespec(tv ? &ts : NULL),
		select(n, in, out, other, &now), select(n, in, out, other, tv));
}

INSTEAD(int, pselect)
(int n, fd_set *in, fd_set *out, fd_set *other, const struct timespec *ts, const sigset_t *mask)
{
	struct pollfd at[FD_SETSIZE];
	const struct timespec now = {0};
	uint64_t k = fds_of_sets(n, in, out, other, at);
	WAIT_MANY(at, k, mask || (ts && !ts->tv_sec && !ts->tv_nsec), after_timespec(ts),
		pselect(n, in, out, other, &now, NULL), pselect(n, in, out, other, ts, mask));
}

INSTEAD(int, epoll_wait)(int fd, struct epoll_event *to, int n, int timeout)
{
	struct pollfd at = {.fd = fd, .events = POLLIN};
	WAIT_MANY(&at, 1, timeout == 0,
		timeout < 0 ? NO_DEADLINE : after_ns((uint64_t)timeout * MS),
		epoll_wait(fd, to, n, 0), epoll_wait(fd, to, n, timeout));
}
