/* Adds facts about the locations that frames of the context and the functions they have called
 * access, and about globals that the program names. */
#include "context/context_internal.h"

#include "base/bitset.h"
#include "base/map.h"
#include "base/vec.h"
#include "facts/defs.h"

enum { MAX_PLACES = 4000 };

struct places {
	struct context *c;
	uint32_t thread;
	struct map seen; /* location -> 1 */
	struct map done; /* frames */
	struct map fact; /* hash of base, offset and size -> index in memory + 1 */
};

static void add_fact(struct places *ps, struct location *l)
{
	struct context *c = ps->c;
	uint32_t last = c->threads.at[ps->thread].stack.n - 1,
		 frame = frame_of(c, ps->thread, last);
	uint64_t *at;
	term_t t;

	if ((*map_put(&ps->seen, map_ptr(l)))++ || ps->seen.n > MAX_PLACES)
		return;
	if (c->threads.at[ps->thread].waiting &&
		writes_insn(c, frame_at(c, frame)->func, frame_at(c, frame)->insn, l))
		return; /* the thread is inside the call that writes it */
	t = memory_value(c, frame, frame_at(c, frame)->insn, l);
	if (!t.id)
		return;
	at = map_put(&ps->fact, map_ptr(l));
	if (*at) {
		conditions_add(c, term_eq(c->ts, c->memory.at[*at - 1].value, t));
		return;
	}
	vec_push(&c->memory, (struct context_memory){l->base, l->offset, t});
	*at = c->memory.n;
}

/* Can a user of the context refer to the location? Not if its base is a register of a returned
 * frame. */
static bool has_name(const struct context *c, const struct location *l)
{
	const struct symbol *s = symbol_get(c, l->base);

	return s->is.kind != CONTEXT_VALUE ||
	       (s->frame != IR_NONE && c->frames.at[s->frame].kind == FRAME_LISTED &&
		       !c->frames.at[s->frame].hidden);
}

static void add_access(struct places *ps, uint32_t frame, ir_ref address, ir_type type)
{
	struct location *l = memory_at(ps->c, frame, address, ir_type_bytes(type));
	const struct symbol *s = l ? symbol_get(ps->c, l->base) : NULL;

	if (!l || !has_name(ps->c, l) ||
		(s->is.kind == CONTEXT_GLOBAL && ps->c->p->globals.at[s->is.id].flags & IR_G_CONST))
		return;
	add_fact(ps, l);
}

static void add_places(struct places *ps, uint32_t frame, uint32_t insn);

static void add_called(struct places *ps, uint32_t frame, uint32_t insn)
{
	struct context *c = ps->c;
	uint32_t callee = code_callee(&c->code, frame_at(c, frame)->func, insn), v;

	if (callee == IR_NONE || (v = frame_returned(c, frame, insn, callee)) == IR_NONE)
		return;
	if (!(*map_put(&ps->done, v))++)
		add_places(ps, v, IR_NONE);
}

/* Adds the accesses that are executed on every path to the instruction; IR_NONE: all accesses. */
static void add_places(struct places *ps, uint32_t frame, uint32_t insn)
{
	struct context *c = ps->c;
	uint32_t func = frame_at(c, frame)->func;
	const struct ir_func *f = code_func(&c->code, func);
	struct shape *s = code_shape(&c->code, func);

	if (s->twice)
		return;
	vec_each (&f->insns, i) {
		const struct ir_insn *in = &f->insns.at[i];

		if (!cfg_reachable(&s->cfg, s->block_of[i]) ||
			(insn != IR_NONE && !code_dominates(&c->code, func, i, insn)))
			continue;
		switch (ir_ops[in->op].shape) {
		case IR_S_LOAD:
		case IR_S_RMW: add_access(ps, frame, in->arg[0], in->type); break;
		case IR_S_STORE: add_access(ps, frame, in->arg[0], in->type2); break;
		case IR_S_CALL: add_called(ps, frame, i); break;
		default: break;
		}
	}
}

/* Is the operand the address of a global plus a constant? */
static bool is_named_global(
	const struct ir_func *f, const struct shape *s, ir_ref r, uint32_t *global, int64_t *offset)
{
	const struct ir_insn *in;
	const struct ir_const *k;
	int64_t bytes;
	ir_ref base;

	*offset = 0;
	while (ir_is_reg(r)) {
		if (s->set_by[r] == IR_NONE)
			return false;
		in = &f->insns.at[s->set_by[r]];
		if (in->op != IR_PADD || !defs_adds_constant(f, in, &base, &bytes))
			return false;
		*offset += bytes;
		r = base;
	}
	k = ir_const(f, r);
	if (k->kind != IR_C_GLOBAL)
		return false;
	*global = k->id;
	*offset += (int64_t)k->lo;
	return true;
}

static void add_named(struct places *ps, uint32_t func, ir_ref address, ir_type type)
{
	struct context *c = ps->c;
	struct location want = {.size = ir_type_bytes(type), .func = func, .ref = address};
	uint32_t g;

	if (!is_named_global(code_func(&c->code, func), code_shape(&c->code, func), address, &g,
		    &want.offset) ||
		c->p->globals.at[g].flags & (IR_G_TLS | IR_G_CONST | IR_G_EXTERN | IR_G_MODEL) ||
		!want.size || want.size > 16)
		return;
	want.base = symbol_global(c, g, IR_NONE);
	want.object = points_to_of_global(c->pt, g);
	if (!bitset_has(&c->code.outside, want.object))
		add_fact(ps, memory_place(c, want));
}

static void add_globals(struct places *ps)
{
	const struct ir_program *p = ps->c->p;

	vec_each (&p->funcs, func) {
		const struct ir_func *f = &p->funcs.at[func];

		for (uint32_t i = 0; code_known(&ps->c->code, func) && i < f->insns.n; i++) {
			const struct ir_insn *in = &f->insns.at[i];

			if (in->op == IR_LOAD || ir_ops[in->op].shape == IR_S_RMW)
				add_named(ps, func, in->arg[0], in->type);
			else if (in->op == IR_STORE)
				add_named(ps, func, in->arg[0], in->type2);
		}
	}
}

/* Adds locations that were loaded and have not changed since the early phase. */
static void add_kept(struct places *ps)
{
	struct context *c = ps->c;

	vec_each (&c->locations, i) {
		struct location *l = c->locations.at[i];

		if (!l->kept.id || *map_put(&ps->fact, map_ptr(l)) || !has_name(c, l))
			continue;
		vec_push(&c->memory, (struct context_memory){l->base, l->offset, l->kept});
		*map_put(&ps->fact, map_ptr(l)) = c->memory.n;
	}
}

void memory_facts_init(struct context *c)
{
	struct places ps = {.c = c};

	vec_each (&c->threads, t) {
		ps.thread = t;
		map_clear(&ps.seen);
		for (uint32_t i = c->threads.at[t].stack.n; i-- > 0;)
			add_places(&ps, frame_of(c, t, i), frame_at(c, frame_of(c, t, i))->insn);
		add_globals(&ps);
	}
	add_kept(&ps);
	map_release(&ps.seen);
	map_release(&ps.done);
	map_release(&ps.fact);
}
