#include "deep/workers.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct message {
	uint32_t item;
	uint32_t n; /* bytes that follow */
};

struct worker {
	pid_t pid;
	int fd;
	struct strbuf in;
};

static bool write_all(int fd, const void *p, size_t n)
{
	while (n) {
		ssize_t k = write(fd, p, n);

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return false;
		p = (const char *)p + k;
		n -= (size_t)k;
	}
	return true;
}

static void work(const struct workers_do *w, uint32_t n, _Atomic uint32_t *next, int fd)
{
	uint32_t item;

	while (!(w->over && w->over(w->ctx)) && (item = atomic_fetch_add(next, 1)) < n) {
		struct strbuf answer = {0};
		struct message m = {.item = item};

		w->work(w->ctx, item, &answer);
		m.n = (uint32_t)answer.n;
		if (!write_all(fd, &m, sizeof m) || !write_all(fd, answer.s, answer.n))
			break;
		strbuf_release(&answer);
	}
}

static bool start(struct worker *wk, const struct workers_do *w, uint32_t n, _Atomic uint32_t *next)
{
	int ends[2];
	pid_t parent = getpid();

	if (pipe2(ends, O_CLOEXEC))
		return false;
	fflush(NULL);
	wk->pid = fork();
	if (!wk->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() == parent)
			work(w, n, next, ends[1]);
		_exit(0);
	}
	close(ends[1]);
	if (wk->pid < 0) {
		close(ends[0]);
		return false;
	}
	wk->fd = ends[0];
	return true;
}

/* Messages that are whole. Returns how many. */
static uint32_t take(struct worker *wk, const struct workers_do *w)
{
	uint32_t taken = 0;
	size_t at = 0;
	struct message m;

	while (wk->in.n - at >= sizeof m) {
		memcpy(&m, wk->in.s + at, sizeof m);
		if (wk->in.n - at - sizeof m < m.n)
			break;
		w->done(w->ctx, m.item, wk->in.s + at + sizeof m, m.n);
		at += sizeof m + m.n;
		taken++;
	}
	if (at) {
		memmove(wk->in.s, wk->in.s + at, wk->in.n - at);
		wk->in.n -= at;
	}
	return taken;
}

/* False when it has come to its end. */
static bool listen_to(struct worker *wk, const struct workers_do *w, uint32_t *answered)
{
	char buf[65536];
	ssize_t n = read(wk->fd, buf, sizeof buf);

	if (n < 0 && errno == EINTR)
		return true;
	if (n > 0) {
		strbuf_add(&wk->in, buf, (size_t)n);
		*answered += take(wk, w);
		return true;
	}
	close(wk->fd);
	while (waitpid(wk->pid, NULL, 0) < 0 && errno == EINTR)
		;
	wk->fd = -1;
	strbuf_release(&wk->in);
	return false;
}

uint32_t workers_run(const struct workers_do *w, uint32_t n, uint32_t jobs)
{
	_Atomic uint32_t *next = mmap(NULL, sizeof *next, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	VEC(struct worker) all = {0};
	VEC(struct pollfd) fds = {0};
	uint32_t answered = 0, running = 0;

	if (next == MAP_FAILED)
		return n;
	for (uint32_t i = 0; i < MIN(jobs, n); i++) {
		struct worker wk = {.fd = -1};

		running += start(&wk, w, n, next);
		vec_push(&all, wk);
		vec_push(&fds, (struct pollfd){wk.fd, POLLIN, 0});
	}
	while (running) {
		if (poll(fds.at, fds.n, -1) < 0)
			continue;
		vec_each (&all, i)
			if (fds.at[i].fd >= 0 && fds.at[i].revents &&
				!listen_to(&all.at[i], w, &answered)) {
				fds.at[i].fd = -1;
				running--;
			}
	}
	vec_release(&all);
	vec_release(&fds);
	munmap(next, sizeof *next);
	return n - answered;
}
