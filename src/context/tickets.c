/*
 * Tickets: numbers that threads take from a counter (thread ids of SPLASH programs). Let a variable
 * be written by one instruction only after it got its first value: a store of the loaded value plus
 * one, with a mutex held from the load to the store, or an atomic addition of one. Then each
 * execution loads another value, in sequence from the first value. If each thread executes it at
 * most once, the values are below the first value plus the number of threads.
 */
#include "context/context_internal.h"

#include "base/bitset.h"
#include "base/vec.h"
#include "facts/defs.h"

#include <string.h>

struct ticket {
	uint32_t func, store; /* the instruction that writes */
	uint32_t reg;         /* the loaded value */
	uint32_t frame;       /* stands for all executions */
	struct location *l;
	term_t first;  /* the first value */
	term_t number; /* of threads, 64 bits */
	term_t few;    /* the condition under which the number is right; TERM_NONE: always */
};

/* ---- the instructions ------------------------------------------------------------------------ */

static bool is_mutex_lock(struct context *c, const struct ticket *k, uint32_t insn)
{
	uint32_t callee = code_direct(&c->code, k->func, insn);
	const char *name = callee == IR_NONE ? "" : ir_func_name(c->p, callee);
	term_t lock, base;
	int64_t offset;
	ir_ref r;

	if ((strcmp(name, "pthread_mutex_lock") && strcmp(name, "pthread_spin_lock")) ||
		code_known(&c->code, callee))
		return false;
	r = code_arg(&c->code, k->func, insn, 0);
	if (r == IR_NONE)
		return false;
	lock = reach_ref(c, k->frame, r);
	return term_is_fixed(c, lock) && term_split(c->ts, lock, &base, &offset);
}

/* Is a mutex that is the same in all executions taken before the load, in the same block, and held
 * up to the store? */
static bool is_locked(struct context *c, const struct ticket *k, uint32_t load)
{
	struct shape *s = code_shape(&c->code, k->func);
	uint32_t b = s->block_of[load], first = code_func(&c->code, k->func)->blocks.at[b].first;

	if (s->block_of[k->store] != b || load >= k->store)
		return false;
	for (uint32_t i = k->store; i-- > first;) {
		if (i < load && is_mutex_lock(c, k, i))
			return true;
		if (regions_end(c, k->func, i))
			return false;
	}
	return false;
}

/* Finds a load, an addition of one and this store. */
static bool find_addition(struct context *c, struct ticket *k)
{
	const struct ir_func *f = code_func(&c->code, k->func);
	const struct ir_insn *in = &f->insns.at[k->store], *add;
	struct shape *s = code_shape(&c->code, k->func);
	uint32_t load;
	int64_t one;

	if (!ir_is_reg(in->arg[1]) || s->set_by[in->arg[1]] == IR_NONE)
		return false;
	add = &f->insns.at[s->set_by[in->arg[1]]];
	if (add->op != IR_ADD || !ir_is_reg(add->arg[0]) || s->set_by[add->arg[0]] == IR_NONE ||
		!defs_constant(f, add->arg[1], &one) || one != 1)
		return false;
	k->reg = add->arg[0];
	load = s->set_by[k->reg];
	k->l = memory_at(c, k->frame, in->arg[0], ir_type_bytes(in->type2));
	return k->l && f->insns.at[load].op == IR_LOAD &&
	       memory_at(c, k->frame, f->insns.at[load].arg[0],
		       ir_type_bytes(f->insns.at[load].type)) == k->l &&
	       is_locked(c, k, load);
}

static bool find_access(struct context *c, struct ticket *k)
{
	const struct ir_func *f = code_func(&c->code, k->func);
	const struct ir_insn *in = &f->insns.at[k->store];
	int64_t one;

	if (in->op == IR_STORE)
		return find_addition(c, k);
	if (in->op != IR_RMW_ADD || !defs_constant(f, in->arg[1], &one) || one != 1)
		return false;
	k->reg = in->dst;
	k->l = memory_at(c, k->frame, in->arg[0], ir_type_bytes(in->type));
	return k->l != NULL;
}

/* ---- the first value ------------------------------------------------------------------------- */

/* Adds the instructions of main that execute func:insn themselves or call a function that may. */
static void find_in_main(struct context *c, uint32_t func, uint32_t insn, struct bitset *out)
{
	uint32_t main_ = ir_find_func(c->p, "main");
	const struct ir_func *f = code_func(&c->code, main_);
	struct bitset called = {0};

	if (func == main_)
		bitset_add(out, insn);
	vec_each (&f->insns, i) {
		if (f->insns.at[i].op != IR_CALL)
			continue;
		bitset_clear(&called);
		code_called(&c->code, main_, i, &called);
		if (bitset_has(&called, func))
			bitset_add(out, i);
	}
	bitset_release(&called);
}

/* May instruction b of the function be executed after a, or in the same call? */
static bool may_follow(struct context *c, uint32_t func, uint32_t a, uint32_t b)
{
	struct shape *s = code_shape(&c->code, func);
	struct vec_u32 work = {0};
	struct bitset seen = {0};
	bool hit = s->block_of[a] == s->block_of[b] && b >= a;

	vec_push(&work, s->block_of[a]);
	while (work.n && !hit) {
		uint32_t at = vec_pop(&work);

		for (uint32_t i = s->cfg.succ_at[at]; i < s->cfg.succ_at[at + 1]; i++) {
			hit |= s->cfg.succ[i] == s->block_of[b];
			if (bitset_add(&seen, s->cfg.succ[i]))
				vec_push(&work, s->cfg.succ[i]);
		}
	}
	vec_release(&work);
	bitset_release(&seen);
	return hit;
}

/* Is func:insn never executed in the main thread after a ticket was taken? */
static bool precedes_tickets(
	struct context *c, const struct bitset *tickets, uint32_t func, uint32_t insn)
{
	uint32_t main_ = ir_find_func(c->p, "main");
	struct bitset at = {0};
	bool ok = true;

	find_in_main(c, func, insn, &at);
	bitset_each (tickets, t)
		bitset_each (&at, i)
			ok = ok && !may_follow(c, main_, t, i);
	bitset_release(&at);
	return ok;
}

/* Other writes, and the end of the early phase, come before the first ticket. So the contents at
 * the end of the early phase are the first value. */
static bool writes_before_tickets(struct context *c, struct ticket *k)
{
	struct bitset tickets = {0};
	bool ok = !code_shape(&c->code, ir_find_func(c->p, "main"))->twice;

	find_in_main(c, k->func, k->store, &tickets);
	for (uint32_t i = 0; i < c->before.writers.n && ok; i++) {
		struct writer w = c->before.writers.at[i];

		if ((w.func == k->func && w.insn == k->store) ||
			!writes_location(c, w.func, w.insn, k->l))
			continue;
		ok = !phase_late(&c->code.phase, w.func, w.insn) &&
		     precedes_tickets(c, &tickets, w.func, w.insn);
	}
	vec_each (&c->p->funcs, f)
		bitset_each (&c->code.phase.ends[f], e)
			ok = ok && precedes_tickets(c, &tickets, f, e);
	vec_each (&c->p->ctors, i)
		ok = ok && code_known(&c->code, c->p->ctors.at[i].func) &&
		     !writes_called(c, c->p->ctors.at[i].func, k->l);
	bitset_release(&tickets);
	return ok;
}

/* ---- the number of tickets ------------------------------------------------------------------- */

/* Does each thread execute the instruction at most once? A function that is not recursive has one
 * call that is executed at most once, or is the function of the thread, or both in different
 * threads. */
static bool is_once_in_thread(struct context *c, uint32_t func, uint32_t insn, uint32_t depth)
{
	const struct code *k = &c->code;
	struct shape *s = code_shape(&c->code, func);
	const struct call_site *from = NULL;

	if (depth > 16 || s->twice || s->loops.of[s->block_of[insn]] != LOOP_NONE ||
		k->recursive[func] || k->callbacks[func].n)
		return false;
	for (uint32_t i = k->calls.caller_at[func]; i < k->calls.caller_at[func + 1]; i++) {
		const struct call_site *at = &k->calls.sites.at[k->calls.callers[i]];

		if (!code_known(k, at->func))
			continue;
		if (from)
			return false;
		from = at;
	}
	return !from || is_once_in_thread(c, from->func, from->insn, depth + 1);
}

static bool count_tickets(struct context *c, struct ticket *k)
{
	struct bitset users = {0}, all = {0};
	struct terms *ts = c->ts;
	struct users u;
	bool ok;

	vec_each (&c->p->funcs, f) {
		if (!code_known(&c->code, f))
			continue;
		bitset_clear(&all);
		code_closure(&c->code, f, &all);
		if (bitset_has(&all, k->func))
			bitset_add(&users, f);
	}
	ok = users_of(c, &users, &u) && u.fixed < 1u << 16 &&
	     is_once_in_thread(c, k->func, k->store, 0);
	bitset_release(&users);
	bitset_release(&all);
	if (!ok || (u.more.id && term_width(ts, u.more) > 64))
		return false;
	k->number = term_const(ts, 64, u.fixed);
	if (!u.more.id)
		return true;
	k->few = term_ult(ts, u.more, term_const(ts, term_width(ts, u.more), 1u << 30));
	k->number = term_add(ts, k->number,
		term_ite(ts, u.any, term_zext(ts, u.more, 64), term_const(ts, 64, 0)));
	return true;
}

/* ---- facts ----------------------------------------------------------------------------------- */

static bool find_ticket(struct context *c, struct ticket *k)
{
	const struct symbol *s;

	k->frame = frame_lone(c, k->func, k->store);
	if (code_shape(&c->code, k->func)->twice || !find_access(c, k) || k->l->size < 2 ||
		k->l->object == IR_NONE)
		return false;
	s = symbol_get(c, k->l->base);
	if ((s->is.kind != CONTEXT_GLOBAL && s->is.kind != CONTEXT_HEAP) ||
		s->is.thread != IR_NONE ||
		8 * k->l->size != ir_type_bits(code_func(&c->code, k->func)->regs.at[k->reg].type))
		return false;
	if (!writes_before_tickets(c, k) || !count_tickets(c, k))
		return false;
	k->first = memory_at_phase_end(c, k->l);
	return k->first.id != 0 && (k->l->size >= 4 || !k->few.id);
}

/* The ticket that the thread of the frame took; TERM_NONE. */
static term_t get_taken(struct context *c, const struct ticket *k, uint32_t frame)
{
	struct frame fr = *frame_at(c, frame);
	const struct ir_func *f = code_func(&c->code, k->func);
	struct shape *s = code_shape(&c->code, k->func);

	if (fr.func != k->func || fr.owner == IR_NONE)
		return TERM_NONE;
	if (fr.kind == FRAME_LISTED)
		return reach_is_set(c, k->func, k->reg, fr.insn) ? symbol_register(c, frame, k->reg)
								 : TERM_NONE;
	if (fr.kind != FRAME_RETURNED)
		return TERM_NONE;
	vec_each (&f->blocks, b)
		if (ir_terminator(f, b)->op == IR_RET && cfg_reachable(&s->cfg, b) &&
			!dominates(&s->dom, s->block_of[k->store], b))
			return TERM_NONE;
	return symbol_register(c, frame, k->reg);
}

static void add_fact(struct context *c, const struct ticket *k, term_t t)
{
	conditions_add(c, k->few.id ? term_implies(c->ts, k->few, t) : t);
}

/* Other loads of the counter between the lock and the store load the same value: `me = id; id++`
 * may load it twice. */
static void add_equal_loads(struct context *c, const struct ticket *k, uint32_t frame, term_t taken)
{
	const struct ir_func *f = code_func(&c->code, k->func);
	struct shape *s = code_shape(&c->code, k->func);
	uint32_t first = f->blocks.at[s->block_of[k->store]].first;

	if (f->insns.at[k->store].op != IR_STORE)
		return;
	for (uint32_t i = k->store; i-- > first && !regions_end(c, k->func, i);) {
		const struct ir_insn *in = &f->insns.at[i];

		if (is_mutex_lock(c, k, i))
			return;
		if (in->op == IR_LOAD && in->dst != k->reg &&
			memory_at(c, k->frame, in->arg[0], ir_type_bytes(in->type)) == k->l)
			conditions_add(c, term_eq(c->ts, taken, symbol_register(c, frame, in->dst)));
	}
}

static void add_ticket_facts(struct context *c, const struct ticket *k)
{
	struct terms *ts = c->ts;
	uint32_t n = c->frames.n;
	term_t a, b;

	for (uint32_t i = 0; i < n; i++) {
		if (!(a = get_taken(c, k, i)).id)
			continue;
		add_fact(c, k,
			term_ult(ts, term_zext(ts, term_sub(ts, a, k->first), 64), k->number));
		add_equal_loads(c, k, i, a);
		for (uint32_t j = 0; j < i; j++)
			if (frame_at(c, j)->owner != frame_at(c, i)->owner &&
				(b = get_taken(c, k, j)).id)
				add_fact(c, k, term_ne(ts, a, b));
	}
}

/* Computes all registers of the context, which makes the frames of the calls that have returned. */
static void reach_everything(struct context *c)
{
	uint32_t n = c->frames.n;

	for (uint32_t i = 0; i < n; i++) {
		struct frame fr = *frame_at(c, i);
		const struct ir_func *f = code_func(&c->code, fr.func);

		vec_each (&f->regs, r)
			if (fr.kind == FRAME_LISTED && f->regs.at[r].type != IR_VOID &&
				reach_is_set(c, fr.func, r, fr.insn))
				reach_ref(c, i, r);
	}
}

void tickets_init(struct context *c)
{
	uint32_t main_ = ir_find_func(c->p, "main");

	if (main_ == IR_NONE || !code_uncalled(&c->code, main_))
		return;
	vec_each (&c->p->funcs, f)
		if (!strncmp(ir_func_name(c->p, f), "pthread_mutexattr_setrobust", 27))
			return; /* a lock call may return without the lock */
	reach_everything(c);
	vec_each (&c->p->funcs, f) {
		const struct ir_func *fn = &c->p->funcs.at[f];

		for (uint32_t i = 0; code_known(&c->code, f) && i < fn->insns.n; i++) {
			struct ticket k = {.func = f, .store = i};

			if ((fn->insns.at[i].op == IR_STORE || fn->insns.at[i].op == IR_RMW_ADD) &&
				before_by(c, f, i) && find_ticket(c, &k))
				add_ticket_facts(c, &k);
		}
	}
}
