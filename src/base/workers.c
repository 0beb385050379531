#include "base/workers.h"

#include "base/base.h"
#include "base/bitset.h"
#include "base/file.h"

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
	uint64_t n; /* bytes that follow */
};

struct shared {                   /* by all processes */
	_Atomic uint32_t next;    /* the next item to take */
	_Atomic uint32_t taken[]; /* by worker: the last item that it took + 1; 0: none yet */
};

struct worker {
	pid_t pid;
	struct strbuf in; /* bytes that are not a whole message yet */
};

struct crew {
	const struct workers_do *w;
	uint32_t n; /* items */
	struct shared *sh;
	struct worker *at; /* by worker, like fds */
	struct pollfd *fds;
	uint32_t jobs, running, died;
	struct bitset settled; /* items that are done or lost */
};

static bool is_over(const struct workers_do *w)
{
	return w->over && w->over(w->ctx);
}

/* ---- in a worker ---------------------------------------------------------------------------- */

/* Returns the exit status. */
static int work_on_items(struct crew *cr, uint32_t me, int fd)
{
	const struct workers_do *w = cr->w;
	uint32_t item;

	while (!is_over(w) && (item = atomic_fetch_add(&cr->sh->next, 1)) < cr->n) {
		struct strbuf answer = {0};
		struct message m = {.item = item};

		atomic_store(&cr->sh->taken[me], item + 1);
		w->work(w->ctx, item, &answer);
		m.n = answer.n;
		if (file_write_fd(fd, &m, sizeof m) || file_write_fd(fd, answer.s, answer.n))
			return 1;
		strbuf_release(&answer);
	}
	return 0;
}

/* ---- in the caller -------------------------------------------------------------------------- */

static bool start_worker(struct crew *cr, uint32_t i)
{
	int ends[2];
	pid_t pid, parent = getpid();

	if (pipe2(ends, O_CLOEXEC))
		return false;
	atomic_store(&cr->sh->taken[i], 0);
	fflush(NULL);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(getppid() == parent ? work_on_items(cr, i, ends[1]) : 1);
	}
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return false;
	}
	cr->at[i].pid = pid;
	cr->fds[i].fd = ends[0];
	cr->running++;
	return true;
}

static void lose_item(struct crew *cr, uint32_t item, const char *why)
{
	bitset_add(&cr->settled, item);
	if (cr->w->lost)
		cr->w->lost(cr->w->ctx, item, why);
}

static void take_messages(struct crew *cr, struct worker *wk)
{
	size_t at = 0;
	struct message m;

	while (wk->in.n - at >= sizeof m) {
		memcpy(&m, wk->in.s + at, sizeof m);
		if (wk->in.n - at - sizeof m < m.n)
			break;
		BUG_ON(m.item >= cr->n || bitset_has(&cr->settled, m.item));
		bitset_add(&cr->settled, m.item);
		cr->w->done(cr->w->ctx, m.item, wk->in.s + at + sizeof m, m.n);
		at += sizeof m + m.n;
	}
	if (at) {
		memmove(wk->in.s, wk->in.s + at, wk->in.n - at);
		wk->in.n -= at;
	}
}

static char *describe_death(int status)
{
	const char *name = WIFSIGNALED(status) ? sigabbrev_np(WTERMSIG(status)) : NULL;

	if (name)
		return xasprintf("the worker was killed by SIG%s", name);
	if (WIFSIGNALED(status))
		return xasprintf("the worker was killed by signal %d", WTERMSIG(status));
	return xasprintf("the worker ended with status %d", WEXITSTATUS(status));
}

/* Worker i has ended. Starts another one if it died after it had taken an item; a worker that dies
 * before that would die again. */
static void reap_worker(struct crew *cr, uint32_t i)
{
	uint32_t taken = atomic_load(&cr->sh->taken[i]);
	bool answered = !taken || bitset_has(&cr->settled, taken - 1);
	int status = 0;

	close(cr->fds[i].fd);
	cr->fds[i].fd = -1;
	while (waitpid(cr->at[i].pid, &status, 0) < 0 && errno == EINTR)
		;
	strbuf_release(&cr->at[i].in);
	cr->running--;
	if (!status && answered)
		return;
	cr->died++;
	if (!answered) {
		char *why = describe_death(status);

		lose_item(cr, taken - 1, why);
		free(why);
	}
	if (taken && atomic_load(&cr->sh->next) < cr->n)
		start_worker(cr, i);
}

static void read_worker(struct crew *cr, uint32_t i)
{
	char buf[1 << 16];
	ssize_t k = read(cr->fds[i].fd, buf, sizeof buf);

	if (k > 0) {
		strbuf_add(&cr->at[i].in, buf, (size_t)k);
		take_messages(cr, &cr->at[i]);
	} else if (!k || errno != EINTR) {
		reap_worker(cr, i);
	}
}

static void work_here(const struct workers_do *w, uint32_t n)
{
	for (uint32_t i = 0; i < n && !is_over(w); i++) {
		struct strbuf answer = {0};

		w->work(w->ctx, i, &answer);
		w->done(w->ctx, i, answer.s, answer.n);
		strbuf_release(&answer);
	}
}

static void run_crew(struct crew *cr)
{
	for (uint32_t i = 0; i < cr->jobs; i++)
		cr->fds[i] = (struct pollfd){-1, POLLIN, 0};
	for (uint32_t i = 0; i < cr->jobs && start_worker(cr, i); i++)
		;
	if (!cr->running) {
		work_here(cr->w, cr->n);
		return;
	}
	while (cr->running)
		if (poll(cr->fds, cr->jobs, -1) > 0)
			for (uint32_t i = 0; i < cr->jobs; i++)
				if (cr->fds[i].fd >= 0 && cr->fds[i].revents)
					read_worker(cr, i);
	/* a worker died between taking an item and noting it, or no other worker could be started */
	for (uint32_t i = 0; cr->died && i < cr->n && !is_over(cr->w); i++)
		if (!bitset_has(&cr->settled, i))
			lose_item(cr, i, "its worker died");
}

uint32_t workers_run(const struct workers_do *w, uint32_t n, uint32_t jobs)
{
	struct crew cr = {.w = w, .n = n, .jobs = MIN(jobs, n)};
	size_t size = sizeof *cr.sh + cr.jobs * sizeof *cr.sh->taken;

	if (cr.jobs <= 1) {
		work_here(w, n);
		return 0;
	}
	cr.sh = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (cr.sh == MAP_FAILED)
		oom_die();
	cr.at = xcalloc(cr.jobs, sizeof *cr.at);
	cr.fds = xcalloc(cr.jobs, sizeof *cr.fds);
	run_crew(&cr);
	bitset_release(&cr.settled);
	free(cr.at);
	free(cr.fds);
	munmap(cr.sh, size);
	return cr.died;
}
