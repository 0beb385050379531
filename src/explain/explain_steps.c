/* Events as sentences, and the steps of a finding. */
#include "explain/explain_internal.h"

#include "base/base.h"
#include "explain/places.h"
#include "log/hidden.h"
#include "trace/check.h"
#include "trace/collect.h"

#include <inttypes.h>
#include <string.h>

/* ---- sentences ------------------------------------------------------------------------------ */

void add_object_kind(const struct explainer *x, uint64_t object, struct strbuf *out)
{
	ctp_name_object(x->c, object, out);
}

/* Appends the text between the quotes of "mutex 'q->lock'". */
void add_object(const struct explainer *x, uint64_t object, struct strbuf *out)
{
	struct strbuf b = {0};
	const char *open, *close;

	ctp_name_object(x->c, object, &b);
	open = strchr(b.s, '\'');
	close = strrchr(b.s, '\'');
	if (open && close > open)
		strbuf_add(out, open + 1, (size_t)(close - open - 1));
	else
		strbuf_adds(out, b.s);
	strbuf_release(&b);
}

void add_place(const struct explainer *x, uint32_t event, struct strbuf *out)
{
	place_add_event(x->c, event, out);
}

void add_thread(const struct explainer *x, uint32_t thread, struct strbuf *out)
{
	if (x->c->threads.at[thread].parent == CTP_NONE && !thread)
		strbuf_adds(out, "the main thread");
	else
		strbuf_addf(out, "thread %u", thread);
}

static void add_name(const struct explainer *x, uint32_t event, struct strbuf *out)
{
	ctp_name_access(x->c, event, out);
}

/* Appends "reads x = 1"; a different recorded value goes to `other`. */
static void describe_access(
	struct explainer *x, uint32_t e, bool written, struct strbuf *out, struct strbuf *other)
{
	struct strbuf now = {0}, then = {0};

	strbuf_adds(out, written ? "writes " : "reads ");
	add_name(x, e, out);
	if (value_add(x, e, written, false, &now)) {
		strbuf_addf(out, " = %s", now.s);
		value_add(x, e, written, true, &then);
		if (strcmp(now.s, then.s))
			strbuf_adds(other, then.s);
	}
	strbuf_release(&now);
	strbuf_release(&then);
}

static void describe_update(
	struct explainer *x, uint32_t e, struct strbuf *out, struct strbuf *other)
{
	struct strbuf now = {0}, then = {0};

	strbuf_adds(out, "updates ");
	add_name(x, e, out);
	if (value_add(x, e, false, false, &now)) {
		strbuf_adds(&now, " → ");
		value_add(x, e, true, false, &now);
		strbuf_addf(out, " = %s", now.s);
		value_add(x, e, false, true, &then);
		strbuf_adds(&then, " → ");
		value_add(x, e, true, true, &then);
		if (strcmp(now.s, then.s))
			strbuf_adds(other, then.s);
	}
	strbuf_release(&now);
	strbuf_release(&then);
}

static void describe_object(
	struct explainer *x, const char *verb, uint64_t object, struct strbuf *out)
{
	strbuf_addf(out, "%s ", verb);
	add_object(x, object, out);
}

/* What a blocked thread waits for. */
static void describe_waiting(struct explainer *x, uint32_t event, struct strbuf *out)
{
	const struct ctp_event *e = ctp_at(x->c, event);
	uint32_t r = blocking_region(x, event);

	switch ((enum ctp_kind)e->kind) {
	case CTP_JOIN:
		strbuf_adds(out, "waits for the end of ");
		if (ctp_peer(e) == CTP_NONE)
			strbuf_adds(out, "a thread");
		else
			add_thread(x, ctp_peer(e), out);
		return;
	case CTP_WOKEN:
	case CTP_TIMEOUT: describe_object(x, "sleeps on", e->object, out); break;
	case CTP_SEM_WAIT: describe_object(x, "waits for semaphore", e->object, out); break;
	case CTP_BARRIER_LEAVE: describe_object(x, "waits at barrier", e->object, out); break;
	case CTP_HIDDEN: strbuf_addf(out, "waits for data in '%s'", ctp_hidden(e)->fn->name); break;
	default: describe_object(x, "waits for", e->object, out); break;
	}
	if (r == CTP_NONE)
		return;
	strbuf_adds(out, e->kind == CTP_WOKEN ? ", its mutex is held by " : ", held by ");
	if (x->c->regions.at[r].thread == e->thread)
		strbuf_adds(out, "itself");
	else
		add_thread(x, x->c->regions.at[r].thread, out);
}

static bool waits_in_the_end(const struct explainer *x, const struct ctp_event *e)
{
	switch (x->v->kind) {
	case FAULT_DEADLOCK:
	case FAULT_LOST_WAKEUP:
	case FAULT_DOUBLE_LOCK:
	case FAULT_HANG: break;
	default: return e->flags & CTP_PENDING;
	}
	switch ((enum ctp_kind)e->kind) {
	case CTP_JOIN:
	case CTP_WOKEN:
	case CTP_TIMEOUT:
	case CTP_SEM_WAIT:
	case CTP_BARRIER_LEAVE:
	case CTP_HIDDEN:
	case CTP_LOCK:
	case CTP_RDLOCK: return true;
	default: return false;
	}
}

static void describe_guard(
	struct explainer *x, const struct ctp_event *e, struct strbuf *out, struct strbuf *other)
{
	u128 v;

	switch ((enum ctp_kind)e->kind) {
	case CTP_ASSERT: strbuf_adds(out, "the assertion fails"); break;
	case CTP_DIVISOR: strbuf_adds(out, "divides by zero"); break;
	case CTP_DEREF:
		if (e->flags & CTP_LENGTH) {
			v = value_of(x, e->operand);
			strbuf_addf(out, "accesses %" PRId64 " bytes at 0x%" PRIx64,
				(int64_t)((uint64_t)v - ctp_base(e)), ctp_base(e));
			if (v != e->at)
				strbuf_addf(other, "%" PRId64, (int64_t)(e->at - ctp_base(e)));
			break;
		}
		if (e->flags & CTP_OUTSIDE) {
			strbuf_addf(
				out, "accesses %" PRIu64 " bytes at 0x%" PRIx64, e->size, e->at);
			break;
		}
		if (!e->operand.id) {
			strbuf_addf(out, "uses address 0x%" PRIx64, e->at);
			break;
		}
		v = value_of(x, e->operand);
		if (!v)
			strbuf_adds(out, "uses a null pointer");
		else if (v < 4096)
			strbuf_addf(out, "uses a null pointer (address 0x%x)", (unsigned)v);
		else
			strbuf_addf(out, "uses address 0x%" PRIx64, (uint64_t)v);
		if (v != e->at)
			strbuf_addf(other, "0x%" PRIx64, e->at);
		break;
	default: strbuf_adds(out, ctp_kind_name(e->kind)); break;
	}
}

static void describe_thread(
	struct explainer *x, const char *verb, const struct ctp_event *e, struct strbuf *out)
{
	strbuf_addf(out, "%s ", verb);
	if (ctp_peer(e) == CTP_NONE)
		strbuf_adds(out, "a thread");
	else
		add_thread(x, ctp_peer(e), out);
}

static void describe_memory(struct explainer *x, uint32_t event, struct strbuf *out)
{
	const struct ctp_event *e = ctp_at(x->c, event);
	uint32_t block = block_of(x, event);
	uint64_t size = block != CTP_NONE ? x->c->blocks.at[block].size : e->size;

	if (e->flags & CTP_RETURN) {
		strbuf_addf(out, "returns from '%s'",
			x->p && e->func < x->p->funcs.n ? ir_func_name(x->p, e->func)
							: "a function");
		return;
	}
	strbuf_adds(out, e->kind == CTP_ALLOC ? "allocates " : "frees ");
	if (e->kind == CTP_FREE && x->p) {
		const char *name = names_of(&x->names, e->func, e->insn)->to.text;

		if (name)
			strbuf_addf(out, "%s: ", name);
	}
	if (size)
		strbuf_addf(out, "%" PRIu64 " bytes", size);
	else
		strbuf_addf(out, "0x%" PRIx64, e->at);
}

static const char *const object_verbs[CTP_NKINDS] = {
	[CTP_LOCK] = "locks",
	[CTP_UNLOCK] = "unlocks",
	[CTP_RDLOCK] = "locks for reading",
	[CTP_RDUNLOCK] = "unlocks after reading",
	[CTP_TRYFAIL] = "fails to lock",
	[CTP_WOKEN] = "is woken on",
	[CTP_TIMEOUT] = "times out waiting on",
	[CTP_SIGNAL] = "signals",
	[CTP_BROADCAST] = "wakes all threads on",
	[CTP_SEM_WAIT] = "takes semaphore",
	[CTP_SEM_FAIL] = "fails to take semaphore",
	[CTP_SEM_POST] = "posts semaphore",
	[CTP_STATE] = "reads the state of",
	[CTP_BARRIER_ENTER] = "enters barrier",
	[CTP_BARRIER_LEAVE] = "leaves barrier",
	[CTP_ONCE] = "returns from once",
	[CTP_INIT] = "initializes",
	[CTP_DESTROY] = "destroys",
};

static const char *describe_failure(const struct explainer *x)
{
	switch (x->v->kind) {
	case FAULT_DIVISION: return "divides by zero";
	case FAULT_NULL_DEREF: return "uses a null pointer";
	case FAULT_CRASH: return "crashes";
	default: return "fails";
	}
}

static void describe_event(
	struct explainer *x, uint32_t event, struct strbuf *out, struct strbuf *other)
{
	const struct ctp_event *e = ctp_at(x->c, event);
	bool done = bitset_has(&x->done, event);

	if (x->v->kind == FAULT_BRANCH && event == x->v->key[0]) {
		strbuf_adds(out, x->f->flip.flipped);
		strbuf_adds(other, x->f->flip.recorded);
	} else if (!done && is_key(x, event) && waits_in_the_end(x, e)) {
		describe_waiting(x, event, out);
	} else if (e->kind == CTP_READ || e->kind == CTP_WRITE) {
		describe_access(x, event, e->kind == CTP_WRITE, out, other);
	} else if (e->kind == CTP_RMW) {
		describe_update(x, event, out, other);
	} else if (ctp_is_guard(e->kind)) {
		describe_guard(x, e, out, other);
	} else if (ctp_has_peer(e->kind)) {
		describe_thread(x,
			e->kind == CTP_CREATE ? "starts"
			: e->kind == CTP_JOIN ? "joins"
					      : "does not join",
			e, out);
	} else if (e->kind == CTP_ALLOC || e->kind == CTP_FREE) {
		describe_memory(x, event, out);
	} else if (e->kind == CTP_WAIT) {
		describe_object(x, "waits on", e->object, out);
		describe_object(x, ", unlocks", ctp_mutex(e), out);
	} else if (object_verbs[e->kind]) {
		describe_object(x, object_verbs[e->kind], e->object, out);
	} else {
		strbuf_adds(out, e->kind == CTP_END    ? "ends"
				 : e->kind == CTP_FAIL ? describe_failure(x)
						       : ctp_kind_name(e->kind));
	}
}

/* ---- stacks --------------------------------------------------------------------------------- */

static const struct sync_thread *history_of(const struct explainer *x, uint32_t thread)
{
	if (!x->c->trace || !x->c->sync)
		return NULL;
	for (uint32_t i = 0; i < trace_nthreads(x->c->trace) && i < x->c->sync->h.threads.n; i++)
		if (trace_thread(x->c->trace, i)->id == x->c->threads.at[thread].id)
			return &x->c->sync->h.threads.at[i];
	return NULL;
}

static void add_frame(
	const struct explainer *x, const struct stack_entry *e, struct finding_step *s)
{
	const struct ir_func *f = e->func < x->p->funcs.n ? &x->p->funcs.at[e->func] : NULL;
	uint32_t pos = f && e->insn < f->insns.n ? f->insns.at[e->insn].pos : 0;

	if (!f)
		return;
	do { /* the function, then those that it was inlined into */
		const struct ir_pos *at = &x->p->positions.at[pos];
		const char *name =
			pos && at->func ? ir_str(x->p, at->func) : ir_func_name(x->p, e->func);

		vec_push(&s->stack,
			(struct finding_place){
				.file = pos && at->file ? xstrdup(ir_str(x->p, at->file)) : NULL,
				.function = xstrdup(name),
				.line = at->line,
				.col = at->col});
		pos = at->inlined_at;
	} while (pos && s->stack.n < 64);
}

static void add_stack(
	const struct explainer *x, uint32_t thread, uint32_t stack, struct finding_step *s)
{
	const struct sync_thread *h = stack && x->p ? history_of(x, thread) : NULL;
	const struct stack_entry *e;
	uint32_t n;

	if (!h || stack + 1 >= h->stacks.first.n)
		return;
	n = stacks_get(&h->stacks, (stack_id){stack}, &e);
	for (uint32_t i = 0; i < n; i++)
		add_frame(x, &e[i], s);
}

/* ---- steps ---------------------------------------------------------------------------------- */

static void add_step(struct explainer *x, uint32_t event)
{
	const struct ctp_event *e = ctp_at(x->c, event);
	struct finding_step *s = vec_add(&x->f->steps);
	struct strbuf what = {0}, other = {0};
	bool fails = x->v->kind == FAULT_BRANCH ||
		     (ctp_is_guard(e->kind) && schedule_fails_by_itself(x->c, x->v));

	vec_push(&x->shown, event);
	s->thread = e->thread;
	s->point = e->point;
	if (is_key(x, event))
		s->flags |= STEP_KEY;
	if (is_key(x, event) && !bitset_has(&x->done, event) && !fails)
		s->flags |= STEP_LAST;
	if (!bitset_has(&x->major, event))
		s->flags |= STEP_MINOR;
	place_of_event(x->c, event, &s->place);
	s->source = sources_line(&x->src, s->place.file, s->place.line);
	describe_event(x, event, &what, &other);
	s->what = strbuf_detach(&what);
	s->recorded = other.n ? strbuf_detach(&other) : NULL;
	if (!(s->flags & STEP_MINOR))
		add_stack(x, e->thread, e->stack, s);
}

void explain_steps(struct explainer *x)
{
	uint32_t last = UINT32_MAX;

	vec_each (&x->w->events, i) {
		uint32_t e = x->w->events.at[i];

		if (bitset_has(&x->major, e) || bitset_has(&x->minor, e))
			add_step(x, e);
	}
	for (uint32_t i = 0; i < x->v->nkeys; i++)
		if (!bitset_has(&x->done, x->v->key[i]))
			add_step(x, x->v->key[i]);
	vec_each (&x->f->steps, i) {
		struct finding_step *s = &x->f->steps.at[i];

		if (s->flags & STEP_MINOR)
			continue;
		if (last != UINT32_MAX && last != s->thread)
			s->flags |= STEP_SWITCHED;
		last = s->thread;
	}
}
