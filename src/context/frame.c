/* Frames of the context, frames that its values come from, and the symbols of the terms. */
#include "context/context_internal.h"

#include "base/base.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "base/vec.h"

#include <stdio.h>

enum { MAX_RETURNED = 6 }; /* nesting of returned calls */

static uint32_t add_frame(struct context *c, struct frame f)
{
	/* the frames above it were added before: the way up ends */
	BUG_ON(f.parent != IR_NONE && f.parent >= c->frames.n);
	vec_push(&c->frames, f);
	return c->frames.n - 1;
}

void frames_init(struct context *c)
{
	vec_each (&c->threads, t) {
		const struct context_thread *th = &c->threads.at[t];

		vec_push(&c->first, c->frames.n);
		vec_each (&th->stack, i)
			add_frame(c, (struct frame){.kind = FRAME_LISTED,
					     .func = th->stack.at[i].func,
					     .insn = th->stack.at[i].insn,
					     .parent = i ? c->frames.n - 1 : IR_NONE,
					     .call = i ? th->stack.at[i - 1].insn : IR_NONE,
					     .owner = t,
					     .depth = i,
					     .hidden = i < c->hidden.at[t]});
	}
}

void frames_release(struct context *c)
{
	vec_each (&c->frames, i) {
		map_release(&c->frames.at[i].terms);
		map_release(&c->frames.at[i].children);
	}
	vec_release(&c->frames);
	vec_release(&c->first);
	map_release(&c->lone);
	vec_release(&c->symbols);
	map_release(&c->symbol_of);
	map_release(&c->symbol_at);
}

uint32_t frame_of(const struct context *c, uint32_t thread, uint32_t depth)
{
	BUG_ON(thread >= c->first.n || depth >= c->threads.at[thread].stack.n);
	return c->first.at[thread] + depth;
}

uint32_t frame_returned(struct context *c, uint32_t parent, uint32_t call, uint32_t callee)
{
	struct frame *p = frame_at(c, parent);
	uint64_t key = (uint64_t)call << 32 | callee, *child = map_put(&p->children, key);
	uint32_t depth = p->kind == FRAME_RETURNED ? p->depth + 1 : 0, f;

	if (*child)
		return (uint32_t)*child - 1;
	if (depth >= MAX_RETURNED || c->code.recursive[callee] ||
		code_shape(&c->code, callee)->twice)
		return IR_NONE;
	f = add_frame(c, (struct frame){.kind = FRAME_RETURNED,
				 .func = callee,
				 .insn = IR_NONE,
				 .parent = parent,
				 .call = call,
				 .owner = p->owner,
				 .depth = depth});
	*map_put(&frame_at(c, parent)->children, key) = f + 1;
	return f;
}

/* True if exactly one call leads to the function and it is entered in no other way. */
static bool get_only_caller(struct context *c, uint32_t func, struct site *from)
{
	const struct code *k = &c->code;
	uint32_t n = 0;

	if (points_to_outside(c->pt, points_to_of_func(c->pt, func)) || k->callbacks[func].n ||
		k->starts[func].n || k->recursive[func] || func == ir_find_func(c->p, "main"))
		return false;
	vec_each (&c->p->ctors, i)
		n += c->p->ctors.at[i].func == func;
	vec_each (&c->p->dtors, i)
		n += c->p->dtors.at[i].func == func;
	for (uint32_t i = k->calls.caller_at[func]; i < k->calls.caller_at[func + 1]; i++) {
		const struct call_site *s = &k->calls.sites.at[k->calls.callers[i]];

		if (code_known(k, s->func)) {
			*from = (struct site){s->func, s->insn};
			n++;
		}
	}
	return n == 1 && from->func != IR_NONE;
}

/* The frame of the function in the context; IR_NONE. */
static uint32_t find_listed_frame(const struct context *c, uint32_t func)
{
	vec_each (&c->threads, t)
		vec_each (&c->threads.at[t].stack, k)
			if (c->threads.at[t].stack.at[k].func == func)
				return frame_of(c, t, k);
	return IR_NONE;
}

uint32_t frame_lone(struct context *c, uint32_t func, uint32_t insn)
{
	bool once = code_once(&c->code, func, code_func(&c->code, func)->blocks.at[0].first);
	uint64_t key = (uint64_t)func << 32 | (once ? IR_NONE : insn);
	uint32_t f = (uint32_t)map_get_or(&c->lone, key, 0), parent = IR_NONE;
	struct site from = {IR_NONE, IR_NONE};

	if (f)
		return f - 1;
	if (once && find_listed_frame(c, func) != IR_NONE)
		return find_listed_frame(c, func);
	if (get_only_caller(c, func, &from))
		parent = frame_lone(c, from.func, from.insn);
	f = add_frame(c, (struct frame){.kind = FRAME_LONE,
				 .func = func,
				 .insn = insn,
				 .parent = parent,
				 .call = from.insn,
				 .owner = IR_NONE});
	*map_put(&c->lone, key) = f + 1;
	return f;
}

/* ---- symbols --------------------------------------------------------------------------------- */

static uint64_t hash_symbol(const struct context_symbol *s, uint32_t frame)
{
	uint64_t h = hash_u64((uint64_t)s->kind << 32 | s->thread);

	h = hash_u64(h ^ ((uint64_t)s->frame << 32 | frame));
	h = hash_u64(h ^ ((uint64_t)s->func << 32 | s->insn));
	return hash_u64(h ^ ((uint64_t)s->reg << 32 | s->id));
}

static bool same_symbol(const struct context_symbol *a, const struct context_symbol *b)
{
	return a->kind == b->kind && a->thread == b->thread && a->frame == b->frame &&
	       a->func == b->func && a->insn == b->insn && a->reg == b->reg && a->id == b->id;
}

/* Appends a number of the key, or nothing. */
static void add_number(struct strbuf *out, char what, uint32_t number)
{
	if (number != IR_NONE)
		strbuf_addf(out, "%c%u", what, number);
}

/* The symbol with the name NAME!KEY. The key has all that the symbol stands for, so a context that
 * is made again has the same symbols. */
static term_t make_named(struct context *c, const struct context_symbol *is, uint32_t frame,
	const char *name, unsigned width)
{
	struct strbuf b = {0};
	term_t t;

	strbuf_addf(&b, "%s!%c", name, "vgflht"[is->kind]);
	if (is->thread != IR_NONE)
		strbuf_addf(&b, ".T%u", c->threads.at[is->thread].id);
	if (is->frame != IR_NONE)
		strbuf_addf(&b, ".%u", is->frame);
	strbuf_addc(&b, '.');
	add_number(&b, 'f', is->func);
	add_number(&b, 'i', is->insn);
	add_number(&b, 'r', is->reg);
	add_number(&b, 'n', is->id);
	if (is->thread == IR_NONE)
		add_number(&b, '@', frame);
	strbuf_addf(&b, ":%u", width);
	t = term_sym(c->ts, b.s, width);
	strbuf_release(&b);
	return t;
}

static term_t get_symbol(struct context *c, struct context_symbol is, uint32_t frame,
	const char *name, unsigned width)
{
	uint64_t *at = map_put(&c->symbol_at, hash_symbol(&is, frame));
	term_t t;

	BUG_ON(!width);
	if (*at && same_symbol(&c->symbols.at[*at - 1].is, &is) &&
		c->symbols.at[*at - 1].frame == frame)
		return c->symbols.at[*at - 1].term;
	t = make_named(c, &is, frame, name, width);
	vec_push(&c->symbols, (struct symbol){is, t, frame});
	*at = c->symbols.n;
	*map_put(&c->symbol_of, t.id) = c->symbols.n;
	return t;
}

#define NOTHING                                                                                    \
	.thread = IR_NONE, .frame = IR_NONE, .func = IR_NONE, .insn = IR_NONE, .reg = IR_NONE,     \
	.id = IR_NONE

term_t symbol_register(struct context *c, uint32_t frame, uint32_t reg)
{
	const struct frame *fr = frame_at(c, frame);
	const struct ir_func *f = code_func(&c->code, fr->func);
	struct context_symbol is = {.kind = CONTEXT_VALUE, NOTHING};
	struct strbuf name = {0};
	term_t t;

	BUG_ON(reg >= f->regs.n);
	is.func = fr->func;
	is.reg = reg;
	if (fr->kind == FRAME_LISTED && !fr->hidden) {
		is.thread = fr->owner;
		is.frame = fr->depth - c->hidden.at[fr->owner];
	}
	if (f->regs.at[reg].name)
		strbuf_addf(&name, "%s.%s", ir_func_name(c->p, fr->func),
			ir_str(c->p, f->regs.at[reg].name));
	else
		strbuf_addf(&name, "%s.r%u", ir_func_name(c->p, fr->func), reg);
	t = get_symbol(c, is, frame, name.s, ir_type_bits(f->regs.at[reg].type));
	strbuf_release(&name);
	return t;
}

/* The location is part of the symbol: one instruction may load several. */
term_t symbol_loaded(struct context *c, const struct location *l, uint32_t func, uint32_t insn)
{
	struct context_symbol is = {.kind = CONTEXT_VALUE, NOTHING};

	is.func = func;
	is.insn = insn;
	is.id = l->base.id ^ (uint32_t)hash_u64((uint64_t)l->offset) ^ l->size;
	return get_symbol(c, is, IR_NONE, "kept", 8 * l->size);
}

term_t symbol_past(struct context *c, uint32_t func, uint32_t insn, ir_ref r)
{
	struct context_symbol is = {.kind = CONTEXT_VALUE, NOTHING};

	is.func = func;
	is.insn = insn;
	is.reg = ir_is_reg(r) ? r : IR_NONE;
	is.id = 0; /* distinct from a symbol of symbol_loaded() */
	return get_symbol(c, is, IR_NONE, "past", 64);
}

term_t symbol_undefined(struct context *c, unsigned width)
{
	char name[40];

	snprintf(name, sizeof name, "undefined!%u:%u", c->undefined++, width);
	return term_sym(c->ts, name, width);
}

term_t symbol_global(struct context *c, uint32_t global, uint32_t owner)
{
	const struct ir_global *g = &c->p->globals.at[global];
	struct context_symbol is = {.kind = CONTEXT_GLOBAL, NOTHING};

	is.id = global;
	if (g->flags & IR_G_TLS)
		is.thread = owner;
	return get_symbol(c, is, IR_NONE, ir_str(c->p, g->name), 64);
}

term_t symbol_func(struct context *c, uint32_t func)
{
	struct context_symbol is = {.kind = CONTEXT_FUNC, NOTHING};

	is.id = func;
	return get_symbol(c, is, IR_NONE, ir_func_name(c->p, func), 64);
}

term_t symbol_local(struct context *c, uint32_t frame, uint32_t local)
{
	const struct frame *fr = frame_at(c, frame);
	const struct ir_local *l = &code_func(&c->code, fr->func)->locals.at[local];
	struct context_symbol is = {.kind = CONTEXT_LOCAL, NOTHING};

	BUG_ON(fr->kind != FRAME_LISTED || fr->hidden);
	is.thread = fr->owner;
	is.frame = fr->depth - c->hidden.at[fr->owner];
	is.func = fr->func;
	is.id = local;
	return get_symbol(c, is, IR_NONE, l->name ? ir_str(c->p, l->name) : "local", 64);
}

term_t symbol_thread(struct context *c, uint32_t thread)
{
	struct context_symbol is = {.kind = CONTEXT_THREAD, NOTHING};

	is.thread = thread;
	return get_symbol(c, is, IR_NONE, "thread", 64);
}

term_t symbol_heap(struct context *c, uint32_t func, uint32_t insn)
{
	struct context_symbol is = {.kind = CONTEXT_HEAP, NOTHING};

	is.func = func;
	is.insn = insn;
	return get_symbol(c, is, IR_NONE, "block", 64);
}

const struct symbol *symbol_get(const struct context *c, term_t t)
{
	uint64_t i = map_get_or(&c->symbol_of, t.id, 0);

	return i ? &c->symbols.at[i - 1] : NULL;
}

/* Is the instruction executed at most once in all frames that `frame` stands for? */
static bool is_executed_once(struct context *c, uint32_t frame, uint32_t insn)
{
	struct frame fr = *frame_at(c, frame);
	struct shape *s = code_shape(&c->code, fr.func);

	if (fr.kind != FRAME_RETURNED)
		return code_once(&c->code, fr.func, insn);
	return !s->twice && s->loops.of[s->block_of[insn]] == LOOP_NONE &&
	       is_executed_once(c, fr.parent, fr.call);
}

static bool is_set_once(struct context *c, uint32_t frame, uint32_t reg)
{
	uint32_t func = frame_at(c, frame)->func;
	struct shape *s = code_shape(&c->code, func);

	if (s->set_in[reg] == BLK_NONE)
		return false;
	return is_executed_once(c, frame,
		s->set_by[reg] != IR_NONE
			? s->set_by[reg]
			: code_func(&c->code, func)->blocks.at[s->set_in[reg]].first);
}

bool term_is_fixed(struct context *c, term_t t)
{
	const struct term_syms *syms = term_syms(c->ts, t);

	for (uint32_t i = 0; i < syms->n; i++) {
		const struct symbol *s = symbol_get(c, syms->at[i]);

		if (!s || (s->is.kind == CONTEXT_GLOBAL && s->is.thread != IR_NONE))
			return false;
		if (s->frame != IR_NONE && !is_set_once(c, s->frame, s->is.reg))
			return false;
	}
	return true;
}

static int64_t signed_constant(u128 k)
{
	return (int64_t)(uint64_t)k;
}

bool term_split(const struct terms *ts, term_t t, term_t *base, int64_t *offset)
{
	term_t a, b;
	u128 k;

	if (term_op(ts, t) == TERM_SYM) {
		*base = t;
		*offset = 0;
		return true;
	}
	if (term_op(ts, t) != TERM_ADD)
		return false;
	a = term_arg(ts, t, 0);
	b = term_arg(ts, t, 1);
	if (!term_is_const(ts, a, &k)) {
		term_t swap = a;

		a = b;
		b = swap;
	}
	if (!term_is_const(ts, a, &k) || term_op(ts, b) != TERM_SYM)
		return false;
	*base = b;
	*offset = signed_constant(k);
	return true;
}
