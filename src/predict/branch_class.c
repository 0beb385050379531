#include "predict/branch_class_internal.h"

#include "base/base.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "explain/branch.h"
#include "explain/places.h"
#include "facts/spin.h"

#include <stdlib.h>
#include <string.h>

enum {
	MAX_QUERIES = 96, /* about one location */
	MAX_SECONDS = 4,  /* likewise */
};

struct branch_classes *branch_classes_new(const struct ctp *c, const struct mhb *mhb)
{
	struct branch_classes *b = xcalloc(1, sizeof *b);

	b->c = c;
	b->mhb = mhb;
	b->p = c->trace ? trace_program(c->trace) : NULL;
	b->spins = b->p ? spins_new(b->p) : NULL;
	activations_init(&b->ac, c);
	branch_places_init(&b->places, c);
	b->event_of = xmalloc((c->accesses.n + 1) * sizeof *b->event_of);
	vec_each (&c->events, e)
		for (uint32_t i = 0; i < ctp_at(c, e)->n; i++)
			b->event_of[ctp_at(c, e)->first + i] = e;
	vec_each (&c->accesses, a)
		if (c->accesses.at[a].sym.id)
			*map_put(&b->reader, c->accesses.at[a].sym.id) = a + 1;
	return b;
}

void branch_classes_free(struct branch_classes *b)
{
	if (!b)
		return;
	spins_free(b->spins);
	activations_release(&b->ac);
	branch_places_release(&b->places);
	map_release(&b->reader);
	free(b->event_of);
	free(b);
}

/* ---- text ------------------------------------------------------------------------------------ */

static void add_block_pos(const struct branch_classes *b, uint32_t func, uint32_t block,
	struct strbuf *out)
{
	const struct ir_block *k = &b->p->funcs.at[func].blocks.at[block];

	for (uint32_t i = k->first; i < k->first + k->n; i++) {
		struct diag_pos at = ir_diag_pos(b->p, b->p->funcs.at[func].insns.at[i].pos);
		const char *slash = at.file ? strrchr(at.file, '/') : NULL;

		if (!at.file || !at.line)
			continue;
		strbuf_addf(out, "%s:%u", slash ? slash + 1 : at.file, at.line);
		return;
	}
	strbuf_addf(out, "'%s'", ir_func_name(b->p, func));
}

void branch_add_thread(const struct branch_classes *b, uint32_t t, struct strbuf *out)
{
	const struct ctp_thread *th = &b->c->threads.at[t];

	if (th->parent == CTP_NONE && !t)
		strbuf_adds(out, "the main thread");
	else if (b->p && th->start_func < b->p->funcs.n)
		strbuf_addf(out, "thread %u '%s'", t, ir_func_name(b->p, th->start_func));
	else
		strbuf_addf(out, "thread %u", t);
}

uint32_t branch_access_of(const struct branch_classes *b, term_t sym)
{
	return (uint32_t)map_get_or(&b->reader, sym.id, 0) - 1;
}

/* Appends "'ready' and 'turn'": the data that the term depends on, each name once; returns their
 * number. */
static uint32_t add_names(const struct branch_classes *b, term_t t, struct strbuf *out)
{
	const struct term_syms *syms = term_syms(b->c->ts, t);
	struct strbuf one = {0};
	size_t start = out->n;
	uint32_t n = 0;

	for (uint32_t i = 0; i < syms->n && n < 3; i++) {
		uint32_t a = branch_access_of(b, syms->at[i]);

		if (a == CTP_NONE)
			continue;
		strbuf_clear(&one);
		strbuf_addc(&one, '\'');
		ctp_name_access(b->c, b->event_of[a], &one);
		strbuf_addc(&one, '\'');
		if (out->n > start && strstr(out->s + start, one.s))
			continue;
		strbuf_addf(out, "%s%s", n++ ? " and " : "", one.s);
	}
	strbuf_release(&one);
	return n;
}

/* ---- writes of other threads ----------------------------------------------------------------- */

uint32_t branch_writes_of(const struct branch_classes *b, uint32_t cell, uint32_t not_by,
	uint32_t out[BRANCH_MAX_WRITES])
{
	uint32_t n = 0;

	vec_each (&b->c->accesses, a) {
		const struct ctp_access *ac = &b->c->accesses.at[a];

		if (n < BRANCH_MAX_WRITES && ac->cell == cell && ac->value.id &&
			ctp_at(b->c, b->event_of[a])->thread != not_by)
			out[n++] = a;
	}
	return n;
}

/* Another thread that writes data that the term depends on; CTP_NONE. */
static uint32_t writer_of(const struct branch_classes *b, term_t t, uint32_t not_by)
{
	const struct term_syms *syms = term_syms(b->c->ts, t);

	for (uint32_t i = 0; i < syms->n; i++) {
		uint32_t a = branch_access_of(b, syms->at[i]), writes[BRANCH_MAX_WRITES];

		if (a != CTP_NONE &&
			branch_writes_of(b, b->c->accesses.at[a].cell, not_by, writes))
			return ctp_at(b->c, b->event_of[writes[0]])->thread;
	}
	return CTP_NONE;
}

/* ---- synchronization made by hand -------------------------------------------------------------- */

static void describe_wait(
	const struct branch_classes *b, uint32_t event, const struct spin *s, struct strbuf *out)
{
	const struct ctp_event *e = ctp_at(b->c, event);
	uint32_t by = e->cond.id ? writer_of(b, e->cond, e->thread) : CTP_NONE;

	strbuf_adds(out, "the loop at ");
	add_block_pos(b, e->func, s->header, out);
	if (s->kind == SPIN_TRY) {
		strbuf_adds(out, " tries to take a lock until it succeeds");
		return;
	}
	strbuf_adds(out, s->kind == SPIN_UPDATE ? " tries to change " : " only reads ");
	if (!e->cond.id || !add_names(b, e->cond, out))
		strbuf_adds(out, "memory");
	if (s->kind == SPIN_UPDATE) {
		strbuf_adds(out, " until it succeeds");
	} else {
		strbuf_adds(out, " until ");
		if (by == CTP_NONE)
			strbuf_adds(out, "another thread");
		else
			branch_add_thread(b, by, out);
		strbuf_adds(out, " changes that");
	}
}

static bool is_waiting(const struct spin *s)
{
	return s->kind == SPIN_READ || s->kind == SPIN_UPDATE || s->kind == SPIN_TRY;
}

static bool same_cells(const struct branch_classes *b, term_t t, term_t u)
{
	const struct term_syms *x = term_syms(b->c->ts, t), *y = term_syms(b->c->ts, u);

	for (uint32_t i = 0; i < x->n; i++)
		for (uint32_t k = 0; k < y->n; k++) {
			uint32_t m = branch_access_of(b, x->at[i]),
				 n = branch_access_of(b, y->at[k]);

			if (m != CTP_NONE && n != CTP_NONE &&
				b->c->accesses.at[m].cell == b->c->accesses.at[n].cell)
				return true;
		}
	return false;
}

/* Other threads wait in a loop for the data of this decision: one side of a hand-over. */
static bool hands_over(struct branch_classes *b, uint32_t event, struct strbuf *out)
{
	const struct ctp_event *e = ctp_at(b->c, event);
	struct spin s;

	if (!b->spins)
		return false;
	if (spin_decides(b->spins, e->func, e->insn, &s)) {
		strbuf_adds(out, "it decides which thread waits in the loop at ");
		add_block_pos(b, e->func, s.header, out);
		strbuf_adds(out, ", and which lets the others continue");
		return true;
	}
	vec_each (&b->c->events, i) {
		const struct ctp_event *o = ctp_at(b->c, i);

		if (o->kind != CTP_BRANCH || o->thread == e->thread || !o->cond.id)
			continue;
		s = spin_of(b->spins, o->func, o->insn);
		if (s.kind != SPIN_READ || !same_cells(b, e->cond, o->cond))
			continue;
		strbuf_adds(out, add_names(b, e->cond, out) > 1 ? " are what the loop at "
								 : " is what the loop at ");
		add_block_pos(b, o->func, s.header, out);
		strbuf_adds(out, " waits for");
		return true;
	}
	return false;
}

/* ---- the class ------------------------------------------------------------------------------- */

void branch_classify(struct branch_classes *b, struct asker *a, uint32_t event, struct finding *f)
{
	const struct ctp_event *e = ctp_at(b->c, event);
	struct strbuf why = {0};
	struct stale_search k = {.b = b,
		.a = a,
		.left = MAX_QUERIES,
		.until = clock_seconds() + MAX_SECONDS,
		.undecided = CTP_NONE,
		.out = &why};
	struct spin s = {.kind = SPIN_NONE};

	if (f->flip.class_ == FLIP_BUG)
		return;
	asker_seconds(a, MAX_SECONDS / 4.0);
	if (b->spins)
		s = spin_of(b->spins, e->func, e->insn);
	if (is_waiting(&s)) {
		f->flip.class_ = FLIP_ADHOC;
		describe_wait(b, event, &s, &why);
	} else if (stale_check_find(&k, event)) {
		f->flip.class_ = FLIP_BUG;
	} else if (e->kind == CTP_BRANCH && hands_over(b, event, &why)) {
		f->flip.class_ = FLIP_ADHOC;
	} else if (s.kind == SPIN_COND) {
		strbuf_adds(&why, "the loop around a wait for a condition variable checks again");
	} else if (k.undecided != CTP_NONE) {
		strbuf_adds(&why, "whether it still holds at ");
		place_add_event(b->c, k.undecided, &why);
		strbuf_adds(&why, " could not be decided");
	} else {
		strbuf_adds(&why, "neither branch is known to fail");
	}
	free(f->flip.why);
	f->flip.why = strbuf_detach(&why);
}
