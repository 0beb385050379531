/*
 * check-name: threads wait for pipes in the order of the schedule, in virtual time
 * args: read
 * drive: --mode random --seed 1
 * expect: flags 0
 * expect: fate exited 0
 * drive: --mode random --seed 2
 * expect: flags 0
 * expect: fate exited 0
 * drive: --mode pct --seed 3 --depth 3 --length 100
 * expect: flags 0
 * expect: fate exited 0
 * drive:
 * expect: flags 0
 * expect: fate exited 0
 * args: timeout
 * drive: --mode random --seed 1
 * expect: flags 0
 * expect: fate exited 0
 * args: signal
 * drive: --mode random --seed 1
 * expect: fate exited 0
 * drive: --mode random --seed 2
 * expect: fate exited 0
 * args: spin
 * drive: --mode random --seed 1
 * expect: fate exited 0
 */
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2], pair[2];
static int got;
static atomic_int expired, waits;
static char large[200000];

static void *reads(void *arg)
{
	char c;

	for (int i = 0; i < 4; i++) {
		assert(read(ends[0], &c, 1) == 1);
		got += c;
	}
	return arg;
}

static void *selects(void *arg)
{
	fd_set in;
	char c;

	FD_ZERO(&in);
	FD_SET(pair[0], &in);
	assert(select(pair[0] + 1, &in, NULL, NULL, NULL) == 1);
	assert(recv(pair[0], &c, 1, 0) == 1);
	assert(send(pair[0], &c, 1, 0) == 1);
	return arg;
}

static void *drains(void *arg)
{
	char part[1000];
	size_t n = 0;

	while (n < sizeof large) {
		ssize_t k = read(ends[0], part, sizeof part);

		assert(k > 0);
		n += (size_t)k;
	}
	return arg;
}

static void test_reads(void)
{
	pthread_t t, u;
	char c = 1;

	pthread_create(&t, NULL, reads, NULL);
	pthread_create(&u, NULL, selects, NULL);
	for (int i = 0; i < 4; i++)
		assert(write(ends[1], &c, 1) == 1);
	assert(write(pair[1], &c, 1) == 1);
	assert(read(pair[1], &c, 1) == 1);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	assert(got == 4);
	pthread_create(&t, NULL, drains, NULL);
	assert(write(ends[1], large, sizeof large) == sizeof large);
	pthread_join(t, NULL);
}

static void *expires(void *arg)
{
	struct pollfd p = {.fd = ends[0], .events = POLLIN};

	assert(poll(&p, 1, 3600 * 1000) == 0);
	expired = 1;
	return arg;
}

static void on_signal(int signo)
{
	(void)signo;
}

static void *is_interrupted(void *arg)
{
	char c;

	waits = 1;
	assert(read(ends[0], &c, 1) == -1 && errno == EINTR);
	return arg;
}

/* The reader never returns, and the thread that spins for it is no livelock. */
static void *reads_outside(void *arg)
{
	struct pollfd p = {.fd = 0, .events = POLLPRI};

	poll(&p, 1, 300);
	expired = 1;
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t;
	struct sigaction sa = {.sa_handler = on_signal};
	const char *what = argc > 1 ? argv[1] : "read";

	assert(!pipe(ends) && !socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	if (!strcmp(what, "read")) {
		test_reads();
	} else if (!strcmp(what, "timeout")) {
		pthread_create(&t, NULL, expires, NULL);
		pthread_join(t, NULL);
		assert(expired);
	} else if (!strcmp(what, "signal")) {
		sigaction(SIGUSR1, &sa, NULL);
		pthread_create(&t, NULL, is_interrupted, NULL);
		while (!waits)
			;
		usleep(1000);
		pthread_kill(t, SIGUSR1);
		pthread_join(t, NULL);
	} else {
		pthread_create(&t, NULL, reads_outside, NULL);
		while (!expired)
			;
		pthread_join(t, NULL);
	}
	return 0;
}
