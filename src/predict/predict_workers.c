/*
 * Items over processes. Workers are forked when all candidates exist, take the next item from a
 * shared counter, and write its result to a pipe, findings as JSON. A solver that crashes or runs
 * out of memory ends one worker and loses one item; another worker is forked in its place.
 */
#include "predict/predict_internal.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct shared {                /* by all processes */
	_Atomic uint32_t next; /* the next item to take */
	_Atomic uint32_t
		taken[]; /* by worker: its item + 1, 0 = none; then by group: has a witness */
};

struct header { /* of a message; then the finding's JSON, then why */
	uint32_t item;
	uint32_t done, refused;
	uint32_t widest;
	uint64_t queries, yes, no, bounded, unknown;
	uint64_t json, why; /* bytes */
};

struct worker {
	pid_t pid; /* 0 = none */
	int fd;
	struct strbuf in;
};

struct crew {
	struct prediction *p;
	struct shared *sh;
	struct worker *at;
	uint32_t n, running;
	struct item_result *results; /* by item */
	uint32_t taken;              /* results that result_take() has */
};

static _Atomic uint32_t *found_flag(const struct crew *cr, uint32_t group)
{
	return &cr->sh->taken[cr->n + group];
}

/* ---- in a worker ---------------------------------------------------------------------------- */

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

static bool send_result(int fd, uint32_t item, struct item_result *r)
{
	struct strbuf json = {0};
	struct header h = {.item = item,
		.done = r->done,
		.refused = r->refused,
		.widest = r->widest,
		.queries = r->queries,
		.yes = r->yes,
		.no = r->no,
		.bounded = r->bounded,
		.unknown = r->unknown};
	bool ok;

	if (r->finding)
		finding_to_json(r->finding, &json);
	h.json = json.n;
	h.why = r->why ? strlen(r->why) : 0;
	ok = write_all(fd, &h, sizeof h) && write_all(fd, json.s, json.n) &&
	     write_all(fd, r->why, h.why);
	strbuf_release(&json);
	if (r->finding)
		finding_free(r->finding);
	free(r->why);
	return ok;
}

static bool is_found(const void *ctx, uint32_t group)
{
	return atomic_load(found_flag(ctx, group));
}

static void run_worker(struct crew *cr, uint32_t me, int fd)
{
	uint32_t item, n = count_items(cr->p);

	while ((item = atomic_fetch_add(&cr->sh->next, 1)) < n) {
		struct item_result r = {0};
		uint32_t group = item_group(cr->p, item);
		_Atomic uint32_t *found = found_flag(cr, group);

		atomic_store(&cr->sh->taken[me], item + 1);
		if (atomic_load(found) || group_is_covered(cr->p, group, is_found, cr))
			r.done = true;
		else
			check_item(cr->p, item, &r);
		if (r.finding)
			atomic_store(found, 1);
		if (!send_result(fd, item, &r))
			break;
		atomic_store(&cr->sh->taken[me], 0);
	}
	_exit(0);
}

/* ---- in the parent -------------------------------------------------------------------------- */

static bool start_worker(struct crew *cr, uint32_t i)
{
	int fds[2];
	pid_t pid, parent = getpid();

	if (pipe2(fds, O_CLOEXEC) < 0)
		return false;
	pid = fork();
	if (pid == 0) {
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
			_exit(1);
		close(fds[0]);
		run_worker(cr, i, fds[1]);
	}
	close(fds[1]);
	if (pid < 0) {
		close(fds[0]);
		return false;
	}
	cr->at[i] = (struct worker){.pid = pid, .fd = fds[0]};
	cr->running++;
	return true;
}

static bool has_result(const struct item_result *r)
{
	return r->done || r->refused;
}

static void take_ready(struct crew *cr)
{
	for (; cr->taken < count_items(cr->p) && has_result(&cr->results[cr->taken]); cr->taken++)
		result_take(cr->p, cr->taken, &cr->results[cr->taken]);
}

static void take_messages(struct crew *cr, struct worker *wk)
{
	size_t at = 0;
	struct header h;

	while (wk->in.n - at >= sizeof h) {
		struct item_result *r;
		const char *text = wk->in.s + at + sizeof h;

		memcpy(&h, wk->in.s + at, sizeof h);
		if (wk->in.n - at - sizeof h < h.json + h.why)
			break;
		r = &cr->results[h.item];
		*r = (struct item_result){.queries = h.queries,
			.yes = h.yes,
			.no = h.no,
			.bounded = h.bounded,
			.unknown = h.unknown,
			.widest = h.widest,
			.done = h.done,
			.refused = h.refused};
		if (h.json)
			r->finding = finding_from_json(text, h.json, "a worker's finding");
		if (h.why)
			r->why = xstrndup(text + h.json, h.why);
		at += sizeof h + h.json + h.why;
	}
	if (at) {
		memmove(wk->in.s, wk->in.s + at, wk->in.n - at);
		wk->in.n -= at;
	}
	take_ready(cr);
}

/* The worker has ended. An item whose result it did not send is lost. */
static void reap_worker(struct crew *cr, uint32_t i)
{
	struct worker *wk = &cr->at[i];
	uint32_t item = atomic_load(&cr->sh->taken[i]);
	int status = 0;

	close(wk->fd);
	while (waitpid(wk->pid, &status, 0) < 0 && errno == EINTR)
		;
	strbuf_release(&wk->in);
	wk->pid = 0;
	cr->running--;
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return;
	cr->p->died++;
	if (item && !has_result(&cr->results[item - 1])) {
		struct item_result *r = &cr->results[item - 1];

		r->unknown = r->done = 1;
		r->why = WIFSIGNALED(status) ? xasprintf("the worker was killed by SIG%s",
						       sigabbrev_np(WTERMSIG(status)))
					     : xasprintf("the worker ended with status %d",
						       WEXITSTATUS(status));
	}
	atomic_store(&cr->sh->taken[i], 0);
	if (atomic_load(&cr->sh->next) < count_items(cr->p))
		start_worker(cr, i);
	take_ready(cr);
}

static void listen_once(struct crew *cr)
{
	struct pollfd *p = xcalloc(cr->n, sizeof *p);

	for (uint32_t i = 0; i < cr->n; i++)
		p[i] = (struct pollfd){cr->at[i].pid ? cr->at[i].fd : -1, POLLIN, 0};
	if (poll(p, cr->n, -1) > 0)
		for (uint32_t i = 0; i < cr->n; i++) {
			char buf[1 << 16];
			ssize_t k;

			if (!p[i].revents)
				continue;
			k = read(cr->at[i].fd, buf, sizeof buf);
			if (k > 0) {
				strbuf_add(&cr->at[i].in, buf, (size_t)k);
				take_messages(cr, &cr->at[i]);
			} else if (k == 0 || errno != EINTR) {
				reap_worker(cr, i);
			}
		}
	free(p);
}

void check_items_in_processes(struct prediction *p, uint32_t jobs)
{
	size_t size = sizeof(struct shared) + (jobs + p->groups.n) * sizeof(uint32_t);
	struct crew cr = {.p = p, .n = jobs};

	cr.sh = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (cr.sh == MAP_FAILED)
		oom_die();
	cr.at = xcalloc(jobs, sizeof *cr.at);
	cr.results = xcalloc(count_items(p), sizeof *cr.results);
	for (uint32_t i = 0; i < jobs; i++)
		if (!start_worker(&cr, i))
			break;
	while (cr.running)
		listen_once(&cr);
	/* items without a worker: no process could be made, or the last one died between two items
	 */
	for (uint32_t i = cr.taken; i < count_items(p); i++) {
		if (!has_result(&cr.results[i]) && !p->died)
			check_item(p, i, &cr.results[i]);
		result_take(p, i, &cr.results[i]);
	}
	free(cr.results);
	free(cr.at);
	munmap(cr.sh, size);
}
