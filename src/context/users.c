/*
 * The number of threads that may execute given functions. A thread is created by a call that is
 * executed at most once, or in each round of a loop with step 1 that is entered at most once.
 */
#include "context/context_internal.h"

#include "base/base.h"
#include "base/bitset.h"
#include "base/vec.h"

bool users_find_loop(struct context *c, struct site at, struct loop_counter *k, uint32_t *counter)
{
	struct shape *s = code_shape(&c->code, at.func);
	uint32_t loop = s->loops.of[s->block_of[at.insn]], frame, header;
	const struct ir_func *f = code_func(&c->code, at.func);

	if (s->twice || loop == LOOP_NONE || s->loops.at.at[loop].parent != LOOP_NONE ||
		s->loops.at.at[loop].header == s->block_of[at.insn] ||
		!code_once(&c->code, at.func, f->blocks.at[0].first))
		return false;
	frame = frame_lone(c, at.func, at.insn);
	header = s->loops.at.at[loop].header;
	vec_each (&f->regs, r)
		if (s->set_by[r] == IR_NONE && s->set_in[r] == header && r >= f->nparams &&
			conditions_find_counter(c, frame, r, k) && k->step == 1 && k->bound.id &&
			k->guards_body) {
			*counter = r;
			return true;
		}
	return false;
}

static term_t make_less(struct context *c, const struct loop_counter *k)
{
	return k->is_signed ? term_slt(c->ts, k->start, k->bound)
			    : term_ult(c->ts, k->start, k->bound);
}

static bool add_users(struct context *c, struct site at, struct users *u)
{
	struct loop_counter k;
	uint32_t counter;
	term_t rounds;
	u128 n, any;

	if (code_once(&c->code, at.func, at.insn)) {
		u->fixed++;
		return true;
	}
	if (!users_find_loop(c, at, &k, &counter))
		return false;
	rounds = term_sub(c->ts, k.bound, k.start);
	if (!term_is_fixed(c, rounds))
		return false;
	if (term_is_const(c->ts, make_less(c, &k), &any) && !any)
		return true;
	if (term_is_const(c->ts, rounds, &n)) {
		u->fixed += (uint64_t)MIN(n, (u128)UINT32_MAX);
		return true;
	}
	if (u->more.id)
		return false;
	u->more = rounds;
	u->any = make_less(c, &k);
	return true;
}

bool users_of(struct context *c, const struct bitset *funcs, struct users *u)
{
	uint32_t main_ = ir_find_func(c->p, "main");

	*u = (struct users){.fixed = main_ != IR_NONE && bitset_has(funcs, main_)};
	bitset_each (funcs, f) {
		if (points_to_outside(c->pt, points_to_of_func(c->pt, f)) ||
			bitset_has(&c->code.later, f))
			return false;
		vec_each (&c->code.starts[f], i)
			if (!add_users(c, c->code.starts[f].at[i], u))
				return false;
	}
	vec_each (&c->p->ctors, i)
		if (bitset_has(funcs, c->p->ctors.at[i].func))
			return false;
	vec_each (&c->p->dtors, i)
		if (bitset_has(funcs, c->p->dtors.at[i].func))
			return false;
	return true;
}

term_t users_are_few(struct context *c, const struct users *u)
{
	unsigned width = u->more.id ? term_width(c->ts, u->more) : 0;

	if (width <= 32)
		return TERM_NONE;
	return term_ult(c->ts, u->more, term_const(c->ts, width, (u128)1 << 31));
}
