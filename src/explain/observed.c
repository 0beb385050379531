#include "explain/observed.h"

#include "base/base.h"
#include "base/strbuf.h"
#include "explain/deadlock.h"
#include "explain/places.h"
#include "log/schedule.h"
#include "explain/explain_internal.h"
#include "explain/violation.h"
#include "trace/trace.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static void observed_witness(const struct ctp *c, struct witness *w)
{
	uint32_t last = CTP_NONE;

	vec_each (&c->order, i) {
		const struct ctp_event *e = ctp_at(c, c->order.at[i]);

		vec_push(&w->events, c->order.at[i]);
		w->switches += last != CTP_NONE && last != e->thread;
		last = e->thread;
		for (uint32_t k = e->first; k < e->first + e->n; k++)
			if (c->accesses.at[k].sym.id)
				vec_push(&w->values,
					(struct witness_value){k, c->accesses.at[k].seen});
	}
}

static uint32_t last_event(const struct ctp *c, uint32_t thread)
{
	const struct ctp_thread *t = &c->threads.at[thread];

	return t->n ? t->first + t->n - 1 : CTP_NONE;
}

static const char in_recorded_run[] = " in the recorded run";

/* ---- hangs ------------------------------------------------------------------------------- */

static bool is_pending(const struct ctp *c, uint32_t e)
{
	return e != CTP_NONE && ctp_at(c, e)->flags & CTP_PENDING;
}

/* A sentence on the threads that are blocked and not part of the deadlock; NULL: there are none. */
static char *others_blocked(const struct ctp *c, const struct violation *v)
{
	struct strbuf b = {0};

	vec_each (&c->threads, t) {
		uint32_t e = last_event(c, t);
		bool key = false;

		for (uint32_t i = 0; i < v->nkeys; i++)
			key |= v->key[i] == e;
		if (key || !is_pending(c, e))
			continue;
		strbuf_adds(&b, b.n ? ", " : "Also blocked: ");
		if (t)
			strbuf_addf(&b, "thread %u, ", t);
		else
			strbuf_adds(&b, "the main thread, ");
		place_add_event(c, e, &b);
	}
	if (!b.n)
		return NULL;
	strbuf_adds(&b, ".");
	return strbuf_detach(&b);
}

/* The pending events: those of a cycle, which a prediction of the same deadlock has too, or all. A
 * wait for a condition variable comes first: it names the finding. */
static void hang_keys(const struct ctp *c, struct violation *v)
{
	bool wait = false;

	v->goal = SCHED_GOAL_STUCK;
	v->nkeys = deadlock_cycle(c, v->key, VIOLATION_KEYS);
	if (v->nkeys) {
		v->kind = FAULT_DEADLOCK;
		v->title = deadlock_title(c, v->key, v->nkeys);
		v->detail = others_blocked(c, v);
		return;
	}
	vec_each (&c->threads, t) {
		uint32_t e = last_event(c, t);

		if (!is_pending(c, e) || v->nkeys == VIOLATION_KEYS)
			continue;
		v->key[v->nkeys++] = e;
		if (ctp_at(c, e)->kind == CTP_WOKEN && !wait) {
			v->key[v->nkeys - 1] = v->key[0];
			v->key[0] = e;
			wait = true;
		}
	}
	v->kind = wait ? FAULT_LOST_WAKEUP : v->nkeys > 1 ? FAULT_DEADLOCK : FAULT_HANG;
}

/* Of a run that took too long: the last events of threads that still ran; if none did, of those
 * that wait. */
static void describe_hang(const struct ctp *c, struct violation *v, enum observed_end how)
{
	if (how == OBSERVED_HANG)
		hang_keys(c, v);
	if (v->nkeys)
		return;
	v->kind = FAULT_HANG;
	for (uint32_t waiting = 0; waiting < 2 && !v->nkeys; waiting++)
		vec_each (&c->threads, t) {
			uint32_t e = last_event(c, t);

			if (e != CTP_NONE && c->threads.at[t].end == CTP_NONE &&
				is_pending(c, e) == waiting && v->nkeys < VIOLATION_KEYS)
				v->key[v->nkeys++] = e;
		}
}

/* ---- crashes ----------------------------------------------------------------------------- */

static const struct store_crash *crash_of(const struct ctp *c, uint32_t *thread)
{
	const struct store_meta *m = trace_meta(c->trace);

	if (!m->complete || !WIFSIGNALED(m->status))
		return NULL;
	vec_each (&m->crashes, i)
		vec_each (&c->threads, t)
			if (trace_thread(c->trace, c->threads.at[t].id)->id == m->crashes.at[i].thread &&
				c->threads.at[t].n) {
				*thread = t;
				return &m->crashes.at[i];
			}
	return NULL;
}

static enum fault crash_kind(const struct store_crash *crash)
{
	switch (crash->signo) {
	case SIGABRT: return FAULT_ASSERT;
	case SIGFPE: return FAULT_DIVISION;
	case SIGSEGV:
	case SIGBUS: return crash->addr < 4096 ? FAULT_NULL_DEREF : FAULT_CRASH;
	default: return FAULT_CRASH;
	}
}

/* The FREE of the last block at the address; CTP_NONE: none, or a block there is not freed. */
static uint32_t freed_at(const struct ctp *c, uint64_t addr)
{
	uint32_t free = CTP_NONE;

	vec_each (&c->blocks, i) {
		const struct ctp_block *b = &c->blocks.at[i];

		if (addr - b->addr >= b->size)
			continue;
		if (b->free == CTP_NONE)
			return CTP_NONE;
		if (free == CTP_NONE || ctp_at(c, b->free)->rank > ctp_at(c, free)->rank)
			free = b->free;
	}
	return free;
}

static void describe_crash(
	const struct ctp *c, struct violation *v, const struct store_crash *crash, uint32_t thread)
{
	uint32_t free = CTP_NONE;

	v->kind = crash_kind(crash);
	v->key[v->nkeys++] = last_event(c, thread);
	if (v->kind == FAULT_CRASH && (crash->signo == SIGSEGV || crash->signo == SIGBUS))
		free = freed_at(c, crash->addr);
	if (free != CTP_NONE && free != v->key[0]) {
		v->kind = FAULT_USE_AFTER_FREE;
		v->goal = SCHED_GOAL_ACCESS; /* a replay keeps freed memory: it would not crash */
		v->key[v->nkeys++] = free;
	}
}

static const struct trace_thread *trace_thread_of(const struct ctp *c, uint32_t id)
{
	for (uint32_t i = 0; i < trace_nthreads(c->trace); i++)
		if (trace_thread(c->trace, i)->id == id)
			return trace_thread(c->trace, i);
	return NULL;
}

/* Where the thread was at the end: its last event may be before that place. */
static char *end_place(const struct ctp *c, uint32_t thread)
{
	const struct trace_thread *t = trace_thread_of(c, c->threads.at[thread].id);
	const char *reason = t && t->result.reason.n ? t->result.reason.s : NULL;
	const char *end = reason ? strstr(reason, "': ") : NULL;

	return end ? xasprintf("%.*s", (int)(end - reason + 1), reason) : NULL;
}

/* "file:line:col in 'function'" */
static bool parse_place(const char *text, struct finding_place *out)
{
	const char *in = strstr(text, " in '"), *colon = in;
	size_t n = strlen(text);

	for (uint32_t i = 0; i < 2 && colon; i++)
		colon = memrchr(text, ':', (size_t)(colon - text));
	if (!colon || sscanf(colon, ":%u:%u", &out->line, &out->col) != 2)
		return false;
	out->file = xasprintf("%.*s", (int)(colon - text), text);
	out->function = xasprintf("%.*s", (int)(text + n - in) - 6, in + 5);
	return true;
}

/* A loop need not have events: the place that was re-executed last shows where the thread runs. */
static void add_running(const struct ctp *c, uint32_t key, struct finding *f)
{
	uint32_t thread = ctp_at(c, key)->thread, last = thread;
	char *text = end_place(c, thread);
	struct finding_step s = {.thread = thread, .flags = STEP_KEY};
	struct sources src;

	if (is_pending(c, key) || !text || !parse_place(text, &s.place)) {
		free(text);
		return;
	}
	vec_each (&f->steps, i)
		if (f->steps.at[i].thread == thread && !f->steps.at[i].place.line)
			f->steps.at[i].flags = STEP_MINOR;
	sources_init(&src, c);
	s.source = sources_line(&src, s.place.file, s.place.line);
	sources_release(&src);
	s.what = xstrdup("still runs here");
	s.point = ctp_at(c, key)->point;
	vec_each (&f->steps, i)
		if (!(f->steps.at[i].flags & STEP_MINOR))
			last = f->steps.at[i].thread;
	if (last != thread)
		s.flags |= STEP_SWITCHED;
	vec_push(&f->steps, s);
	if (!f->summary)
		f->summary = text;
	else
		free(text);
}

/* The event is a call that frees memory: the library ended the program there. */
static bool dies_in_free(const struct ctp *c, uint32_t event)
{
	const struct ir_program *p = trace_program(c->trace);
	const struct ctp_event *e = ctp_at(c, event);
	const struct ir_func *fn = e->func < p->funcs.n ? &p->funcs.at[e->func] : NULL;
	const struct ir_insn *in = fn && e->insn < fn->insns.n ? &fn->insns.at[e->insn] : NULL;
	uint32_t callee = in ? ir_callee(fn, in) : IR_NONE;
	const char *name = callee != IR_NONE ? ir_func_name(p, callee) : "";

	return !strcmp(name, "free") || !strcmp(name, "realloc");
}

/* Moves the step of the failure from the last event to the place where the thread died. */
static void place_failure(const struct ctp *c, struct finding *f, const char *place)
{
	vec_each (&f->steps, i) {
		struct finding_step *s = &f->steps.at[i];
		struct finding_place at = {0};
		struct sources src;

		if (!(s->flags & STEP_KEY) || !s->what || strcmp(s->what, "fails") ||
			!parse_place(place, &at))
			continue;
		if (at.line == s->place.line) {
			finding_place_release(&at);
			continue;
		}
		finding_place_release(&s->place);
		s->place = at;
		free(s->source);
		sources_init(&src, c);
		s->source = sources_line(&src, at.file, at.line);
		sources_release(&src);
	}
}

/* ---- the finding ------------------------------------------------------------------------- */

static struct finding *make_finding(
	const struct ctp *c, const struct mhb *mhb, struct violation *v, uint32_t failing)
{
	struct witness w = {0};
	struct finding *f;

	v->certain = true;
	if (!v->title)
		v->title = xasprintf("%s%s", fault_words[v->kind].title, in_recorded_run);
	observed_witness(c, &w);
	f = explain(c, mhb, v, &w);
	f->status = FINDING_OBSERVED;
	/* the replay must stop before the access that ended the process */
	if (f->goal == SCHED_GOAL_ACCESS && f->moves.n && f->at_a == vec_last(&f->moves).until &&
		f->at_a)
		vec_last(&f->moves).until = --f->at_a;
	for (uint32_t i = 0; v->kind == FAULT_HANG && i < v->nkeys; i++)
		add_running(c, v->key[i], f);
	if (failing != CTP_NONE) {
		char *place = end_place(c, failing);

		f->expect_thread = failing;
		if (place) {
			free(f->summary);
			f->summary = place;
			if (!dies_in_free(c, v->key[0]))
				place_failure(c, f, place);
		}
	}
	witness_release(&w);
	free(v->title);
	free(v->detail);
	return f;
}

void observed_in_search(struct finding *f)
{
	const char *in = f->summary ? strstr(f->summary, " in '") : NULL;

	if (!strstr(f->title, in_recorded_run))
		return;
	free(f->title);
	f->title = xasprintf("%s%s", fault_words[f->kind].title, in ? in : "");
}

struct finding *observed_failure(
	const struct ctp *c, const struct mhb *mhb, enum observed_end how)
{
	struct violation v = {.goal = SCHED_GOAL_NONE};
	const struct store_crash *crash;
	uint32_t thread = CTP_NONE;

	if (how != OBSERVED_END) {
		describe_hang(c, &v, how);
		return v.nkeys ? make_finding(c, mhb, &v, CTP_NONE) : NULL;
	}
	crash = crash_of(c, &thread);
	if (!crash)
		return NULL;
	describe_crash(c, &v, crash, thread);
	return make_finding(c, mhb, &v, thread);
}
