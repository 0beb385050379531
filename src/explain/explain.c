#include "explain/explain_internal.h"

#include "base/base.h"
#include "base/hash.h"
#include "explain/branch.h"
#include "explain/places.h"
#include "trace/address.h"
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

/* ---- threads -------------------------------------------------------------------------------- */

static void name_threads(struct explainer *x)
{
	vec_each (&x->f->threads, t) {
		const struct ctp_thread *th = &x->c->threads.at[t];
		struct finding_thread *out = &x->f->threads.at[t];

		if (x->p && th->start_func < x->p->funcs.n)
			out->name = xstrdup(ir_func_name(x->p, th->start_func));
		else if (th->parent == CTP_NONE && !t)
			out->name = xstrdup("main");
		if (th->create != CTP_NONE && th->create < x->c->events.n)
			place_of_event(x->c, th->create, &out->created);
	}
}

/* ---- summary and fingerprint ---------------------------------------------------------------- */

/* Another branch is on the same line: only the column distinguishes them. */
static bool shares_line(const struct explainer *x, uint32_t event)
{
	const struct ctp_event *e = ctp_at(x->c, event);
	const struct ir_func *f = x->p && e->func < x->p->funcs.n ? &x->p->funcs.at[e->func] : NULL;
	const struct ir_pos *at;

	if (!f || e->insn >= f->insns.n || e->kind != CTP_BRANCH)
		return false;
	at = &x->p->positions.at[f->insns.at[e->insn].pos];
	vec_each (&f->insns, i) {
		const struct ir_pos *o = &x->p->positions.at[f->insns.at[i].pos];

		if ((f->insns.at[i].op == IR_CBR || f->insns.at[i].op == IR_SWITCH) &&
			o->line == at->line && o->file == at->file && o->col != at->col)
			return true;
	}
	return false;
}

static void write_summary(struct explainer *x)
{
	struct strbuf b = {0};
	struct finding_place p;

	if (!x->v->nkeys)
		return;
	place_of_event(x->c, x->v->key[0], &p);
	if (p.file && p.line)
		strbuf_addf(&b, "%s:%u", p.file, p.line);
	if (b.n && p.col && x->v->kind == FAULT_BRANCH && shares_line(x, x->v->key[0]))
		strbuf_addf(&b, ":%u", p.col);
	if (p.function)
		strbuf_addf(&b, "%sin '%s'", b.n ? " " : "", p.function);
	x->f->summary = b.n ? strbuf_detach(&b) : NULL;
	finding_place_release(&p);
}

static uint32_t first_line(const struct explainer *x, const struct ctp_event *e, uint32_t line)
{
	const struct ir_func *f = x->p && e->func < x->p->funcs.n ? &x->p->funcs.at[e->func] : NULL;
	uint32_t first = f && f->pos ? x->p->positions.at[f->pos].line : 0;

	return first && first < line ? first : line;
}

/* Hash of the place by the text of its line: it stays the same when other lines are added or the
 * file is in another folder. Equal lines of a function are distinguished by their number. */
static uint64_t place_print(struct explainer *x, uint32_t event)
{
	struct strbuf name = {0};
	struct finding_place p;
	char *text;
	uint64_t h = 1;

	place_of_event(x->c, event, &p);
	h = hash_mix_str(
		h, p.file ? (strrchr(p.file, '/') ? strrchr(p.file, '/') + 1 : p.file) : NULL);
	h = hash_mix_str(h, p.function);
	text = sources_line(&x->src, p.file, p.line);
	if (text)
		h = hash_mix(hash_mix_str(h, text),
			sources_repeats(&x->src, p.file, first_line(x, ctp_at(x->c, event), p.line),
				p.line));
	else if (p.line)
		h = hash_mix(h, p.line);
	else
		h = hash_mix(hash_mix(h, ctp_at(x->c, event)->func), ctp_at(x->c, event)->insn);
	if (x->p && ctp_is_access(ctp_at(x->c, event)->kind))
		ctp_name_access(x->c, event, &name);
	/* an address differs in the next run */
	if (name.n && strncmp(name.s, "0x", 2))
		h = hash_mix_str(h, name.s);
	strbuf_release(&name);
	finding_place_release(&p);
	free(text);
	return h;
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Several decisions may be on one line. */
static uint64_t flip_print(struct explainer *x)
{
	struct finding_place p;
	uint64_t h = place_print(x, x->v->key[0]);

	place_of_event(x->c, x->v->key[0], &p);
	h = hash_mix(hash_mix(h, p.col), branch_family(x->f->flip.kind));
	finding_place_release(&p);
	return h;
}

/* The order of the keys does not count: it is the same race whichever access is named first. */
static uint64_t make_fingerprint(struct explainer *x)
{
	uint64_t h = hash_mix_str(0, fault_words[x->v->kind].word), at[VIOLATION_KEYS];

	if (x->v->kind == FAULT_BRANCH)
		return hash_mix(h, flip_print(x));
	for (uint32_t i = 0; i < x->v->nkeys; i++)
		at[i] = place_print(x, x->v->key[i]);
	qsort(at, x->v->nkeys, sizeof *at, compare_u64);
	for (uint32_t i = 0; i < x->v->nkeys; i++)
		h = hash_mix(h, at[i]);
	return h;
}

/* ---- reused memory -------------------------------------------------------------------------- */

static uint32_t trace_number(const struct explainer *x, uint32_t thread)
{
	for (uint32_t t = 0; t < trace_nthreads(x->c->trace); t++)
		if (trace_thread(x->c->trace, t)->id == x->c->threads.at[thread].id)
			return t;
	return CTP_NONE;
}

/* The heap block at the address in the recorded run at the event; 0: none. */
static uint32_t heap_then(const struct explainer *x, uint32_t event, uint64_t addr)
{
	const struct ctp_event *e = ctp_at(x->c, event);
	uint32_t t = trace_number(x, e->thread), gen;

	if (t == CTP_NONE)
		return 0;
	gen = address_generation(x->c->sync, t, e->index, addr);
	return gen && x->c->sync->g.at.at[gen].kind == GEN_HEAP ? gen : 0;
}

/* Two blocks that had the same address one after the other may exist at once in the witness, at
 * different addresses; the model has one address for both. */
static bool is_reuse(struct explainer *x, uint32_t access)
{
	uint32_t from = x->from[access], then, now;
	const struct ctp_access *a = &x->c->accesses.at[access];
	uint64_t addr;

	if (!a->sym.id || from == CTP_NONE || from == x->recorded_from[access] ||
		x->c->cells.at[a->cell].size != sizeof addr)
		return false;
	addr = (uint64_t)value_read(x, access, false);
	then = heap_then(x, x->event_of[from], addr);
	now = then ? heap_then(x, x->event_of[access], addr) : 0;
	return now && then != now;
}

static bool rests_on_reuse(struct explainer *x)
{
	if (!x->c->trace || !x->c->sync)
		return false;
	vec_each (&x->w->events, i) {
		const struct ctp_event *e = ctp_at(x->c, x->w->events.at[i]);

		for (uint32_t k = 0; k < e->n; k++)
			if (is_reuse(x, e->first + k))
				return true;
	}
	return false;
}

/* ---- names ----------------------------------------------------------------------------------- */

static bool is_copy(const struct ctp *c, uint32_t event)
{
	const struct ctp_event *e = ctp_at(c, event);

	for (uint32_t a = e->first; e->kind == CTP_RMW && a < e->first + e->n; a++)
		if (!c->accesses.at[a].value.id)
			return true;
	return false;
}

uint32_t race_named_by(const struct ctp *c, uint32_t a, uint32_t b)
{
	if (is_copy(c, a) != is_copy(c, b))
		return is_copy(c, a) ? b : a;
	return ctp_writes(c, a) ? a : b;
}

/* ---- the finding ---------------------------------------------------------------------------- */

void copy_provenance(const struct trace *t, struct finding *f)
{
	const struct store_meta *m = t ? trace_meta(t) : NULL;

	if (!m)
		return;
	vec_each (&m->argv, i)
		vec_push(&f->argv, xstrdup(m->argv.at[i]));
	vec_each (&m->exclude, i)
		vec_push(&f->exclude, xstrdup(m->exclude.at[i]));
	f->exe = m->exe ? xstrdup(m->exe) : NULL;
	f->cwd = m->cwd ? xstrdup(m->cwd) : NULL;
	f->bitcode = m->bitcode;
}

struct finding *explain(const struct ctp *c, const struct mhb *mhb, const struct violation *v,
	const struct witness *w)
{
	struct explainer x = {.c = c, .mhb = mhb, .v = v, .w = w, .f = finding_new()};

	x.p = c->trace ? trace_program(c->trace) : NULL;
	if (x.p)
		names_init(&x.names, x.p);
	sources_init(&x.src, c);
	values_init(&x);
	x.f->kind = v->kind;
	x.f->status = v->certain ? FINDING_OBSERVED : FINDING_PREDICTED;
	x.f->by_outcome = v->by_outcome;
	x.f->title = xstrdup(v->title ? v->title : fault_words[v->kind].title);
	schedule_of(c, v, w, x.f);
	name_threads(&x);
	write_summary(&x);
	if (v->kind == FAULT_BRANCH)
		explain_flip(&x);
	else if (v->kind == FAULT_ASSERT)
		explain_guard(&x);
	choose_events(&x);
	explain_steps(&x);
	explain_parts(&x);
	explain_notes(&x);
	x.f->reused = rests_on_reuse(&x);
	x.f->fingerprint = make_fingerprint(&x);
	copy_provenance(c->trace, x.f);
	values_release(&x);
	bitset_release(&x.major);
	bitset_release(&x.minor);
	bitset_release(&x.causes);
	vec_release(&x.shown);
	sources_release(&x.src);
	if (x.p)
		names_release(&x.names);
	return x.f;
}
