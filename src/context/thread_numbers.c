/*
 * Threads of one call. If the program creates threads by one call, once in each round of a loop
 * with step 1 that is entered at most once, then the thread with the number k (context_options has
 * `numbered`) was created in round k. So its argument is that of round k, and
 * the variable that pthread_create() writes in that round has its handle, if nothing else writes it
 * after threads exist. Calls of pthread_create() are assumed to succeed.
 */
#include "context/context_internal.h"

#include "base/bitset.h"
#include "base/vec.h"

#include <string.h>

/* ---- the call -------------------------------------------------------------------------------- */

/* True if the program creates threads by one call only. */
static bool get_only_creation(struct context *c, struct site *at)
{
	uint32_t n = 0;

	vec_each (&c->p->funcs, f) {
		const struct ir_func *fn = &c->p->funcs.at[f];

		for (uint32_t i = 0; code_known(&c->code, f) && i < fn->insns.n; i++)
			if (fn->insns.at[i].op == IR_CALL &&
				code_sync(&c->code, f, i) == LOG_S_CREATE) {
				*at = (struct site){f, i};
				n++;
			}
	}
	return n == 1;
}

/* Is the call executed in every round of the loop? */
static bool is_in_every_round(struct context *c, struct site at, uint32_t loop)
{
	struct shape *s = code_shape(&c->code, at.func);
	struct vec_u32 latches = {0};
	bool all = true;

	loop_latches(&s->loops, &s->cfg, loop, &latches);
	vec_each (&latches, i)
		all = all && dominates(&s->dom, s->block_of[at.insn], latches.at[i]);
	vec_release(&latches);
	return all;
}

static bool find_creation(struct context *c, struct creation *out)
{
	*out = (struct creation){0};
	return get_only_creation(c, &out->at) &&
	       users_find_loop(c, out->at, &out->k, &out->counter) &&
	       is_in_every_round(c, out->at, out->k.loop) && term_is_fixed(c, out->k.start);
}

static const struct creation *get_creation(struct context *c)
{
	if (!c->opt.numbered || c->opt.no_invariants)
		return NULL;
	if (!c->creation_known) {
		c->creation_known = 1; /* not found: the search itself may ask for parameters */
		if (find_creation(c, &c->creation))
			c->creation_known = 2;
	}
	return c->creation_known == 2 ? &c->creation : NULL;
}

/* ---- its operands ---------------------------------------------------------------------------- */

static term_t replace(struct context *c, term_t t, term_t from, term_t to)
{
	struct term_subst s;

	term_subst_init(&s, c->ts);
	term_subst_put(&s, from, to);
	t = term_subst(&s, t);
	term_subst_release(&s);
	return t;
}

/* An operand of the call that created the thread, when it did; TERM_NONE. */
static term_t get_created_with(struct context *c, uint32_t thread, uint32_t argument)
{
	const struct creation *m = get_creation(c);
	uint32_t number = c->threads.at[thread].id, frame;
	term_t t, i;
	ir_ref r;

	if (!m || !number || !c->threads.at[thread].complete)
		return TERM_NONE;
	r = code_arg(&c->code, m->at.func, m->at.insn, argument);
	if (r == IR_NONE || (ir_is_const(r) && ir_const(code_func(&c->code, m->at.func), r)->kind ==
						       IR_C_UNDEF))
		return TERM_NONE;
	frame = frame_lone(c, m->at.func, m->at.insn);
	i = symbol_register(c, frame, m->counter);
	t = replace(c, reach_ref(c, frame, r), i,
		term_add(c->ts, m->k.start, term_const(c->ts, term_width(c->ts, i), number - 1)));
	return term_is_fixed(c, t) ? t : TERM_NONE;
}

term_t numbers_argument(struct context *c, uint32_t thread)
{
	const struct creation *m = get_creation(c);

	if (!m || strcmp(ir_func_name(c->p, code_direct(&c->code, m->at.func, m->at.insn)),
			  "pthread_create"))
		return TERM_NONE;
	return get_created_with(c, thread, 3);
}

/* The thread exists, so the loop had its round. */
static void add_round(struct context *c, const struct creation *m, uint32_t number)
{
	unsigned width = term_width(c->ts, m->k.start);
	term_t i = term_add(c->ts, m->k.start, term_const(c->ts, width, number - 1));

	if (term_is_fixed(c, m->k.bound))
		conditions_add(c, m->k.is_signed ? term_slt(c->ts, i, m->k.bound)
						 : term_ult(c->ts, i, m->k.bound));
}

static bool has_symbol(struct context *c, term_t t, term_t sym)
{
	const struct term_syms *syms = term_syms(c->ts, t);

	for (uint32_t i = 0; i < syms->n; i++)
		if (term_same(syms->at[i], sym))
			return true;
	return false;
}

/* The bytes from the address in one round to that in the next, if it depends on the counter only by
 * `wide`, which is the counter with 64 bits and grows by one; else 0. */
static int64_t get_stride(struct context *c, term_t address, term_t counter, term_t wide)
{
	term_t e = term_fresh(c->ts, "round", 64), t = replace(c, address, wide, e);
	u128 v;

	if (has_symbol(c, t, counter) ||
		!term_is_const(c->ts,
			term_sub(c->ts,
				replace(c, t, e, term_add(c->ts, e, term_const(c->ts, 64, 1))), t),
			&v))
		return 0;
	return (int64_t)(uint64_t)v;
}

/* Do different rounds of the call write handles to different places? The counter does not wrap
 * around: its step is 1, and it is below its bound in each round. */
static bool writes_apart(struct context *c, const struct creation *m)
{
	uint32_t frame = frame_lone(c, m->at.func, m->at.insn);
	term_t i = symbol_register(c, frame, m->counter), at;
	ir_ref r = code_arg(&c->code, m->at.func, m->at.insn, 0);
	int64_t by;

	if (r == IR_NONE || term_width(c->ts, i) > 64)
		return false;
	at = reach_ref(c, frame, r);
	by = get_stride(c, at, i, term_zext(c->ts, i, 64));
	if (!by && m->k.is_signed)
		by = get_stride(c, at, i, term_sext(c->ts, i, 64));
	return (by >= 8 && by < 1 << 20) || (by <= -8 && by > -(1 << 20));
}

/* Is nothing but the call that creates threads a late writer of the location? */
static bool is_written_by_creation(struct context *c, const struct creation *m, struct location *l)
{
	vec_each (&c->before.writers, i) {
		struct writer w = c->before.writers.at[i];

		if ((w.func != m->at.func || w.insn != m->at.insn) &&
			phase_late(&c->code.phase, w.func, w.insn) &&
			writes_location(c, w.func, w.insn, l))
			return false;
	}
	return true;
}

static void add_handle(struct context *c, const struct creation *m, uint32_t thread)
{
	struct location want = {.size = 8, .func = m->at.func}, *l;
	term_t at = get_created_with(c, thread, 0);
	const struct symbol *s;

	want.ref = code_arg(&c->code, m->at.func, m->at.insn, 0);
	if (!at.id || !term_split(c->ts, at, &want.base, &want.offset) ||
		!(s = symbol_get(c, want.base)) || s->is.kind == CONTEXT_VALUE ||
		!memory_object(c, s, &want.object) || want.object == IR_NONE ||
		bitset_has(&c->code.outside, want.object))
		return;
	l = memory_place(c, want);
	if (is_written_by_creation(c, m, l))
		vec_push(&c->memory,
			(struct context_memory){l->base, l->offset, symbol_thread(c, thread)});
}

void numbers_init(struct context *c)
{
	const struct creation *m = get_creation(c);
	bool apart = m && !c->opt.races && writes_apart(c, m);

	vec_each (&c->threads, t) {
		if (!m || !c->threads.at[t].id || !c->threads.at[t].complete)
			continue;
		add_round(c, m, c->threads.at[t].id);
		if (apart)
			add_handle(c, m, t);
	}
}
