#include "trace/trace_validate.h"

#include "base/base.h"
#include "base/bitset.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "trace/check.h"
#include "trace/names.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#define ADDRESSES (1ull << 47) /* of a process: those below */
enum { MAX_SIGNAL = 64 };

static int bad_trace(const char *dir, const char *what)
{
	return error_at((struct diag_pos){.file = dir}, "the trace is invalid: %s (record again)", what);
}

/* ---- meta ------------------------------------------------------------------------------------- */

static bool are_crashes_valid(const struct store_meta *m)
{
	vec_each (&m->crashes, i) {
		const struct store_crash *c = &m->crashes.at[i];

		if (c->signo < 1 || c->signo > MAX_SIGNAL || c->thread >= LOG_MAX_THREADS ||
			c->proven > LOG_CHUNK_DATA)
			return false;
	}
	return true;
}

int trace_validate_meta(const char *dir, const struct store_meta *m)
{
	if (!m->exe || !m->cwd || !m->argv.n)
		return bad_trace(dir, "'meta' does not name the program and its arguments");
	if (!m->image || (strcmp(m->image, "record") && strcmp(m->image, "record-window")))
		return bad_trace(dir, "'meta' has an unknown kind of image");
	if (m->nthreads > LOG_MAX_THREADS || m->stop > LOG_NSTOPS)
		return bad_trace(dir, "a number in 'meta' is out of its range");
	if (m->tsc_end < m->tsc_start || m->ns_end < m->ns_start)
		return bad_trace(dir, "the run in 'meta' ends before it begins");
	return are_crashes_valid(m) ? 0 : bad_trace(dir, "'meta' has a crash that cannot be");
}

/* ---- threads ---------------------------------------------------------------------------------- */

static const struct trace_thread *find_thread(
	const struct trace_thread *threads, uint32_t n, uint32_t id)
{
	for (uint32_t lo = 0; lo < n;) {
		uint32_t mid = lo + (n - lo) / 2;

		if (threads[mid].id == id)
			return &threads[mid];
		if (threads[mid].id < id)
			lo = mid + 1;
		else
			n = mid;
	}
	return NULL;
}

/* What is wrong with the first record of a thread; NULL. */
static const char *wrong_head(
	const struct trace_thread *threads, uint32_t n, const struct trace_thread *th, bool partial)
{
	const struct trace_thread *parent;

	if (!th->known)
		return partial ? NULL : "its first record is missing";
	if (th->kind > LOG_T_SIGNAL)
		return "its kind is unknown";
	if ((th->kind == LOG_T_MAIN) != !th->id)
		return "it is the main thread, or there is none";
	if (th->stack_lo > th->stack_hi || th->stack_hi > ADDRESSES)
		return "its stack is outside of the address space";
	if (th->kind == LOG_T_SIGNAL && (!th->signo || th->signo > MAX_SIGNAL))
		return "it handles an unknown signal";
	if (th->kind != LOG_T_CREATED && th->kind != LOG_T_SIGNAL)
		return NULL;
	if (th->kind == LOG_T_SIGNAL && th->parent == LOG_NONE)
		return NULL; /* the signal came before the log of its thread began */
	if (th->parent >= th->id)
		return "its creator has no smaller number";
	parent = find_thread(threads, n, th->parent);
	return parent || partial ? NULL : "its creator has no log";
}

int trace_validate_threads(
	const char *dir, const struct trace_thread *threads, uint32_t n, bool partial)
{
	for (uint32_t i = 0; i < n; i++) {
		const char *wrong = wrong_head(threads, n, &threads[i], partial);

		if (wrong)
			return error_at((struct diag_pos){.file = dir},
				"the log of thread %u is invalid: %s (record again)", threads[i].id,
				wrong);
	}
	return 0;
}

/* ---- synchronization -------------------------------------------------------------------------- */

struct checker {
	const struct trace *t;
	const struct history *h;
	struct bitset created; /* threads with a record of their creation */
};

static int bad_operation(
	const struct trace *t, const struct history *h, const struct order_point *at, const char *what)
{
	const struct sync_event *e = &h->threads.at[at->thread].events.at[at->event];
	struct strbuf b = {0};

	names_pos(&b, trace_program(t), e->func, e->insn);
	error_at((struct diag_pos){.file = trace_dir(t)},
		"the log of thread %u is invalid: its operation %u, '%s'%s%s: %s (record again)",
		trace_thread(t, at->thread)->id, at->event, sync_kind_name(e->kind), b.n ? " at " : "",
		b.n ? b.s : "", what);
	strbuf_release(&b);
	return -1;
}

static const char *wrong_create(struct checker *c, uint32_t thread, const struct sync_event *e)
{
	const struct sync_thread *child = &c->h->threads.at[e->extra];

	if (!trace_thread(c->t, e->extra)->known)
		return NULL;
	if (child->kind != LOG_T_CREATED || child->parent != thread)
		return "it creates a thread that has another creator";
	return bitset_add(&c->created, e->extra) ? NULL : "it creates a thread a second time";
}

static const char *wrong_event(struct checker *c, uint32_t thread, uint32_t event)
{
	const struct sync_thread *th = &c->h->threads.at[thread];
	const struct sync_event *e = &th->events.at[event];

	switch (e->kind) {
	case SYNC_BEGIN: return event ? "it is not the first one" : NULL;
	case SYNC_END: return event + 1 < th->events.n ? "it is not the last one" : NULL;
	case LOG_S_CREATE:
		return e->result || e->extra >= c->h->threads.n ? NULL : wrong_create(c, thread, e);
	case LOG_S_JOIN:
		return !e->result && e->extra == thread ? "it joins its own thread" : NULL;
	case LOG_S_ALLOC:
		return e->object >= ADDRESSES || e->value > ADDRESSES - e->object
			       ? "it has a block outside of the address space"
			       : NULL;
	default: return NULL;
	}
}

/* A thread that was created has a record of that, unless its creator's log lacks its end. */
static int check_creations(const struct checker *c)
{
	vec_each (&c->h->threads, i) {
		const struct sync_thread *th = &c->h->threads.at[i];

		if (th->kind != LOG_T_CREATED || bitset_has(&c->created, i) ||
			th->parent >= c->h->threads.n || !trace_thread(c->t, th->parent)->begins ||
			c->h->threads.at[th->parent].fate != SYNC_COMPLETE)
			continue;
		return error_at((struct diag_pos){.file = trace_dir(c->t)},
			"the log of thread %u is invalid: thread %u did not create it (record again)",
			trace_thread(c->t, i)->id, trace_thread(c->t, th->parent)->id);
	}
	return 0;
}

int trace_validate_history(const struct trace *t, const struct history *h)
{
	struct checker c = {.t = t, .h = h};
	int rc = 0;

	for (uint32_t i = 0; !rc && i < h->threads.n; i++)
		for (uint32_t k = 0; !rc && k < h->threads.at[i].events.n; k++) {
			const char *wrong = wrong_event(&c, i, k);

			if (wrong)
				rc = bad_operation(t, h, &(struct order_point){i, k, 0}, wrong);
		}
	if (!rc)
		rc = check_creations(&c);
	bitset_release(&c.created);
	return rc;
}

/* Whether a thread may have executed an operation that has no record, which explains others: at most
 * one when the end of the process cuts it, any number if it went on without records. */
static bool lacks_records(const struct history *h)
{
	vec_each (&h->threads, i)
		if (h->threads.at[i].fate != SYNC_COMPLETE)
			return true;
	return false;
}

int trace_validate_order(const struct trace *t, const struct sync_order *o)
{
	struct check c;
	int rc = 0;

	if (lacks_records(o->h))
		return 0;
	check_run(&c, o);
	for (uint32_t i = 0; !rc && i < c.findings.n; i++)
		if (c.findings.at[i].kind == CHECK_VIOLATION)
			rc = bad_operation(t, o->h, &c.findings.at[i].at, c.findings.at[i].what);
	check_release(&c);
	return rc;
}
