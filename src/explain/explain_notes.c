/* The notes of a finding: why the recorded run passed, and why the order of the witness is
 * possible. */
#include "explain/explain_internal.h"

#include "base/base.h"

#include <string.h>

enum { MAX_SENTENCES = 4 };

void note_add(struct explainer *x, const char *head, struct strbuf *text)
{
	while (text->n && (text->s[text->n - 1] == '\n' || text->s[text->n - 1] == ' '))
		text->s[--text->n] = 0;
	if (text->n)
		vec_push(&x->f->notes, (struct finding_note){xstrdup(head), strbuf_detach(text)});
	strbuf_release(text);
}

static void capitalize_at(struct strbuf *b, size_t at)
{
	if (at < b->n && b->s[at] >= 'a' && b->s[at] <= 'z')
		b->s[at] -= 'a' - 'A';
}

/* At the beginning of a sentence. */
static void add_Thread(struct explainer *x, uint32_t thread, struct strbuf *out)
{
	size_t at = out->n;

	add_thread(x, thread, out);
	capitalize_at(out, at);
}

static void add_event_place(struct explainer *x, uint32_t event, struct strbuf *out)
{
	strbuf_adds(out, " at ");
	add_place(x, event, out);
}

/* ---- why the recorded run passed ------------------------------------------------------------ */

static void add_writer(struct explainer *x, uint32_t from, uint32_t reader, struct strbuf *out)
{
	uint32_t e;

	if (from == CTP_NONE) {
		strbuf_adds(out, ", the initial value");
		return;
	}
	e = x->event_of[from];
	strbuf_adds(out, ", written by ");
	if (ctp_at(x->c, e)->thread == ctp_at(x->c, reader)->thread)
		strbuf_adds(out, "itself");
	else
		add_thread(x, ctp_at(x->c, e)->thread, out);
	add_event_place(x, e, out);
}

/* Where the write is in the witness that the access read from in the recorded run. */
static void add_old_writer(struct explainer *x, uint32_t access, struct strbuf *out)
{
	uint32_t old = x->recorded_from[access], e;

	if (old == CTP_NONE ||
		ctp_at(x->c, x->event_of[old])->thread == ctp_at(x->c, x->event_of[access])->thread)
		return;
	e = x->event_of[old];
	if (x->place_of[e] < x->place_of[x->event_of[access]]) {
		strbuf_adds(out, ", which overwrites the value that ");
		add_thread(x, ctp_at(x->c, e)->thread, out);
		strbuf_adds(out, " wrote");
		add_event_place(x, e, out);
	} else {
		strbuf_adds(out, "; ");
		add_thread(x, ctp_at(x->c, e)->thread, out);
		strbuf_adds(out, " reaches ");
		add_place(x, e, out);
		strbuf_adds(out, " only later");
	}
}

/* "Thread 1 read balance = 100 at bank.c:31, written by …; here it reads 0, written by …" */
static bool passed_by_value(struct explainer *x, uint32_t access, struct strbuf *out)
{
	uint32_t e = x->event_of[access];
	struct strbuf now = {0}, then = {0};
	bool differs = x->from[access] != x->recorded_from[access];

	if (differs && value_add(x, e, false, true, &then) && value_add(x, e, false, false, &now)) {
		add_Thread(x, ctp_at(x->c, e)->thread, out);
		strbuf_adds(out, " read ");
		ctp_name_access(x->c, e, out);
		strbuf_addf(out, " = %s", then.s);
		add_event_place(x, e, out);
		add_writer(x, x->recorded_from[access], e, out);
		strbuf_addf(out, ". Here it reads %s", now.s);
		add_writer(x, x->from[access], e, out);
		add_old_writer(x, access, out);
		strbuf_adds(out, ".\n");
	} else {
		differs = false;
	}
	strbuf_release(&now);
	strbuf_release(&then);
	return differs;
}

static void passed_by_values(struct explainer *x, struct strbuf *out)
{
	uint32_t n = 0;

	bitset_each (&x->causes, a)
		if (n < MAX_SENTENCES)
			n += passed_by_value(x, a, out);
}

static bool was_before(const struct ctp *c, uint32_t a, uint32_t b)
{
	return ctp_at(c, a)->rank < ctp_at(c, b)->rank;
}

static void passed_by_order(struct explainer *x, struct strbuf *out)
{
	uint32_t a = x->v->key[0], b = x->v->key[1];
	struct strbuf here = {0}, there = {0};

	if (was_before(x->c, b, a)) {
		a = x->v->key[1];
		b = x->v->key[0];
	}
	add_Thread(x, ctp_at(x->c, a)->thread, out);
	strbuf_adds(out, " was");
	add_event_place(x, a, out);
	strbuf_adds(out, " first, ");
	add_thread(x, ctp_at(x->c, b)->thread, out);
	strbuf_adds(out, " got ");
	add_place(x, a, &here);
	add_place(x, b, &there);
	strbuf_addf(out, "%s%s later: by chance, no synchronization orders the two.\n",
		strcmp(here.s, there.s) ? "to " : "", strcmp(here.s, there.s) ? there.s : "there");
	strbuf_release(&here);
	strbuf_release(&there);
}

/* The access of the other thread came before both accesses, or after both. */
static void passed_by_serial(struct explainer *x, struct strbuf *out)
{
	const uint32_t *k = x->v->key;
	bool before = was_before(x->c, k[1], k[0]), after = was_before(x->c, k[2], k[1]);

	if (!before && !after) {
		strbuf_adds(out,
			"It did not: the three accesses had this order in the recorded run too.\n");
		return;
	}
	add_Thread(x, ctp_at(x->c, k[1])->thread, out);
	strbuf_addf(out, " was");
	add_event_place(x, k[1], out);
	strbuf_adds(out, before ? " before " : " after ");
	add_thread(x, ctp_at(x->c, k[0])->thread, out);
	strbuf_adds(out, before ? " began" : " had made both accesses");
	add_event_place(x, before ? k[0] : k[2], out);
	strbuf_adds(out, ".\n");
}

static void passed_by_locks(struct explainer *x, struct strbuf *out)
{
	for (uint32_t i = 0; i < x->v->nkeys; i++) {
		uint32_t e = x->v->key[i], r = blocking_region(x, e);
		const struct ctp_region *g;

		if (r == CTP_NONE || ctp_at(x->c, e)->flags & CTP_PENDING)
			continue;
		g = &x->c->regions.at[r];
		if (g->thread == ctp_at(x->c, e)->thread)
			continue;
		add_Thread(x, ctp_at(x->c, e)->thread, out);
		strbuf_adds(out, " locked ");
		add_object(x, g->object, out);
		add_event_place(x, e, out);
		if (was_before(x->c, e, g->begin)) {
			strbuf_adds(out, " before ");
			add_thread(x, g->thread, out);
			strbuf_adds(out, " locked it");
			add_event_place(x, g->begin, out);
		} else {
			strbuf_adds(out, " after ");
			add_thread(x, g->thread, out);
			strbuf_adds(out, " had unlocked it");
			if (g->end != CTP_NONE)
				add_event_place(x, g->end, out);
		}
		strbuf_adds(out, ".\n");
	}
}

static void passed_by_free(struct explainer *x, struct strbuf *out)
{
	uint32_t use = x->v->key[0], gone = x->v->key[1];

	if (!was_before(x->c, use, gone))
		return;
	add_Thread(x, ctp_at(x->c, use)->thread, out);
	strbuf_adds(out, " had passed ");
	add_place(x, use, out);
	strbuf_adds(out, " before ");
	add_thread(x, ctp_at(x->c, gone)->thread, out);
	strbuf_adds(out, " reached ");
	add_place(x, gone, out);
	strbuf_adds(out, ".\n");
}

/* In the recorded run the signal came after the thread began to wait. */
static void passed_by_signal(struct explainer *x, struct strbuf *out)
{
	uint32_t e = x->v->key[0];

	if (ctp_at(x->c, e)->kind != CTP_WOKEN || ctp_at(x->c, e)->flags & CTP_PENDING)
		return;
	add_Thread(x, ctp_at(x->c, e)->thread, out);
	strbuf_adds(out, " was waiting");
	add_event_place(x, e, out);
	strbuf_adds(out, " when the signal came. Here the signal comes first and is lost: a "
			 "condition variable does not remember signals.\n");
}

static void why_passed(struct explainer *x)
{
	struct strbuf b = {0};

	if (x->v->certain)
		return;
	switch (x->v->kind) {
	case FAULT_RACE: passed_by_order(x, &b); break;
	case FAULT_ATOMICITY:
		if (x->v->nkeys >= 3)
			passed_by_serial(x, &b);
		break;
	case FAULT_DEADLOCK: passed_by_locks(x, &b); break;
	case FAULT_LOST_WAKEUP:
		passed_by_signal(x, &b);
		passed_by_locks(x, &b);
		break;
	case FAULT_USE_AFTER_FREE:
	case FAULT_DOUBLE_FREE:
	case FAULT_DESTROY:
	case FAULT_DOUBLE_UNLOCK:
	case FAULT_FOREIGN_UNLOCK:
		if (x->v->nkeys >= 2)
			passed_by_free(x, &b);
		break;
	default: break;
	}
	passed_by_values(x, &b);
	note_add(x,
		x->v->kind == FAULT_BRANCH ? "which writes decide it"
					     : "why the recorded run passed",
		&b);
}

/* ---- why this order is possible ------------------------------------------------------------- */

/* Appends "Thread 1 holds mutex 'm' at bank.c:31."; returns the number of locks. */
static uint32_t add_held(struct explainer *x, uint32_t event, struct strbuf *out)
{
	struct vec_u32 held = {0};
	uint32_t n = 0;

	held_at(x, event, &held);
	add_Thread(x, ctp_at(x->c, event)->thread, out);
	strbuf_adds(out, " holds ");
	vec_each (&held, i) {
		const struct ctp_region *g = &x->c->regions.at[held.at[i]];

		if (ctp_at(x->c, g->begin)->flags & CTP_RECURSIVE)
			continue;
		strbuf_adds(out, n++ ? " and " : "");
		add_object_kind(x, g->object, out);
		strbuf_adds(out, g->shared ? " for reading" : "");
	}
	if (!n)
		strbuf_adds(out, "no lock");
	add_event_place(x, event, out);
	strbuf_adds(out, ".\n");
	vec_release(&held);
	return n;
}

static void possible_by_locks(struct explainer *x, uint32_t a, uint32_t b, struct strbuf *out)
{
	size_t at = out->n;
	uint32_t n = add_held(x, a, out), m = add_held(x, b, out);

	if (n && m) {
		strbuf_adds(out, "The two have no lock in common.\n");
	} else if (!n && !m) {
		out->n = at;
		out->s[at] = 0;
		strbuf_adds(out, "Neither thread holds a lock there.\n");
	}
}

/* The critical section of the lock that the event lies in; CTP_NONE. */
static uint32_t region_of(struct explainer *x, uint32_t event, uint64_t lock)
{
	struct vec_u32 held = {0};
	uint32_t found = CTP_NONE;

	held_at(x, event, &held);
	vec_each (&held, i)
		if (x->c->regions.at[held.at[i]].object == lock)
			found = held.at[i];
	vec_release(&held);
	return found;
}

/* The thread holds a lock at both of its accesses, but unlocks it in between. */
static bool gives_back(struct explainer *x, uint32_t first, uint32_t second, struct strbuf *out)
{
	struct vec_u32 held = {0};
	bool found = false;

	held_at(x, first, &held);
	for (uint32_t i = held.n; i-- > 0 && !found;) {
		const struct ctp_region *g = &x->c->regions.at[held.at[i]];
		uint32_t other = region_of(x, second, g->object);

		if (other == CTP_NONE || other == held.at[i] || g->end == CTP_NONE)
			continue;
		add_Thread(x, g->thread, out);
		strbuf_adds(out, " holds ");
		add_object_kind(x, g->object, out);
		add_event_place(x, first, out);
		strbuf_adds(out, " and");
		add_event_place(x, second, out);
		strbuf_adds(out, ", but unlocks it in between,");
		add_event_place(x, g->end, out);
		strbuf_adds(out, ".\n");
		found = true;
	}
	vec_release(&held);
	return found;
}

static void possible_between(struct explainer *x, struct strbuf *out)
{
	const uint32_t *k = x->v->key;

	if (!gives_back(x, k[0], k[2], out)) {
		size_t at = out->n;
		uint32_t n = add_held(x, k[0], out), m = add_held(x, k[2], out);

		if (!n && !m) {
			out->n = at;
			add_Thread(x, ctp_at(x->c, k[0])->thread, out);
			strbuf_adds(out, " holds no lock between its two accesses.\n");
		}
		add_held(x, k[1], out);
	}
	note_uses(x, k[1], out);
}

static void possible_by_cycle(struct explainer *x, struct strbuf *out)
{
	for (uint32_t i = 0; i < x->v->nkeys; i++) {
		uint32_t e = x->v->key[i], r = blocking_region(x, e);
		struct vec_u32 held = {0};
		uint32_t n = 0;

		held_at(x, e, &held);
		add_Thread(x, ctp_at(x->c, e)->thread, out);
		vec_each (&held, k) {
			const struct ctp_region *g = &x->c->regions.at[held.at[k]];

			if (ctp_at(x->c, g->begin)->flags & CTP_RECURSIVE)
				continue;
			strbuf_adds(out, n++ ? ", " : " holds ");
			add_object(x, g->object, out);
			strbuf_adds(out, " (since ");
			add_place(x, g->begin, out);
			strbuf_adds(out, ")");
		}
		strbuf_adds(out, n ? " and waits" : " waits");
		if (r != CTP_NONE) {
			strbuf_adds(out, " for ");
			add_object(x, x->c->regions.at[r].object, out);
		} else if (ctp_at(x->c, e)->kind == CTP_JOIN) {
			strbuf_adds(out, " for the end of ");
			if (ctp_peer(ctp_at(x->c, e)) == CTP_NONE)
				strbuf_adds(out, "a thread");
			else
				add_thread(x, ctp_peer(ctp_at(x->c, e)), out);
		} else if (ctp_at(x->c, e)->object) {
			strbuf_adds(out, " for ");
			add_object_kind(x, ctp_at(x->c, e)->object, out);
		}
		add_event_place(x, e, out);
		strbuf_adds(out, ".\n");
		vec_release(&held);
	}
}

/* The locks that the last thread that signals holds. */
static void possible_by_signal(struct explainer *x, struct strbuf *out)
{
	const struct ctp_event *e = ctp_at(x->c, x->v->key[0]);

	for (uint32_t i = x->w->events.n; i-- > 0;) {
		const struct ctp_event *s = ctp_at(x->c, x->w->events.at[i]);

		if ((s->kind == CTP_SIGNAL || s->kind == CTP_BROADCAST) && s->object == e->object &&
			s->thread != e->thread) {
			add_held(x, x->w->events.at[i], out);
			out->n -= 2; /* its end */
			strbuf_adds(out, ", where it signals.\n");
			return;
		}
	}
}

/* The accesses to the variables that the violation depends on, and their locks. */
static void possible_by_uses(struct explainer *x, struct strbuf *out)
{
	struct bitset told = {0};
	uint32_t n = 0;

	bitset_each (&x->causes, a)
		if (n < 2 && bitset_add(&told, x->c->accesses.at[a].cell)) {
			note_uses(x, x->event_of[a], out);
			n++;
		}
	bitset_release(&told);
}

static void why_possible(struct explainer *x)
{
	const uint32_t *k = x->v->key;
	struct strbuf b = {0};

	switch (x->v->kind) {
	case FAULT_BRANCH:
		if (x->v->nkeys > 1) /* a try, and the event that locked, or posted */
			possible_by_locks(x, k[0], k[1], &b);
		else
			possible_by_uses(x, &b);
		break;
	case FAULT_RACE:
		possible_by_locks(x, k[0], k[1], &b);
		note_uses(x, race_named_by(x->c, k[0], k[1]), &b);
		break;
	case FAULT_ATOMICITY:
		if (x->v->nkeys >= 3)
			possible_between(x, &b);
		break;
	case FAULT_LOST_WAKEUP:
		possible_by_signal(x, &b);
		possible_by_cycle(x, &b);
		break;
	case FAULT_DEADLOCK:
	case FAULT_HANG: possible_by_cycle(x, &b); break;
	case FAULT_USE_AFTER_FREE:
	case FAULT_USE_AFTER_RETURN:
	case FAULT_DOUBLE_FREE:
		if (x->v->nkeys >= 2)
			possible_by_locks(x, k[0], k[1], &b);
		break;
	default: possible_by_uses(x, &b); break;
	}
	note_add(x, "why this order is possible", &b);
}

/* Of an atomicity violation: the thread that comes between. */
static void add_interruption(struct explainer *x, struct strbuf *out)
{
	const uint32_t *k = x->v->key;

	add_Thread(x, ctp_at(x->c, k[1])->thread, out);
	strbuf_adds(out, " accesses ");
	ctp_name_access(x->c, k[0], out);
	strbuf_adds(out, " between two accesses by ");
	add_thread(x, ctp_at(x->c, k[0])->thread, out);
	strbuf_adds(out, " that belong together");
	if (x->v->detail)
		strbuf_addf(out, " (%s)", x->v->detail);
	strbuf_adds(out, ".");
}

void explain_notes(struct explainer *x)
{
	struct strbuf b = {0};

	if (x->v->kind == FAULT_ATOMICITY && x->v->nkeys >= 3)
		add_interruption(x, &b);
	else if (x->v->detail)
		strbuf_adds(&b, x->v->detail);
	note_add(x, "what happens", &b);
	why_passed(x);
	if (!x->v->certain || x->v->kind == FAULT_DEADLOCK || x->v->kind == FAULT_LOST_WAKEUP)
		why_possible(x);
	note_location(x);
}
