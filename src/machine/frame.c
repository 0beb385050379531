#include "base/base.h"
#include "base/vec.h"
#include "machine/code.h"
#include "machine/machine.h"
#include "machine/extension.h"

#include <string.h>

enum { FRAME_BYTES = 48 }; /* least size of a native frame: bounds the depth of recursion */

uint32_t frame_insn(const struct frame *f, bool is_top)
{
	if (f->careful)
		return f->pc;
	return is_top ? f->ip->ir : f->ip[-1].ir;
}

/* ---- registers ----------------------------------------------------------------------------- */

static struct opnd const_get(struct machine *m, struct thread *t, const struct ir_const *c)
{
	struct opnd o = {.v = code_const(m, c)};

	if (c->kind == IR_C_UNDEF && !m->opt->trust)
		o.u = val_of(bits_mask(ir_type_bits(c->type)));
	else if (code_const_is_tls(m, c))
		o.v.lo += t->tls;
	return o;
}

struct opnd frame_get(struct machine *m, struct thread *t, struct frame *f, ir_ref r)
{
	const struct ir_func *fn = frame_func(m, f);
	struct opnd o = {0};
	uint32_t s;

	if (!ir_is_reg(r))
		return const_get(m, t, ir_const(fn, r));
	s = f->base + f->code->slot[r];
	o.v.lo = t->slots[s];
	if (ir_type_bits(fn->regs.at[r].type) > 64)
		o.v.hi = t->slots[s + 1];
	if (f->careful) {
		o.u.lo = t->shadow[s];
		if (ir_type_bits(fn->regs.at[r].type) > 64)
			o.u.hi = t->shadow[s + 1];
		if (t->terms)
			o.t.id = t->terms[s];
	}
	return o;
}

static void set_slot(struct thread *t, struct frame *f, uint32_t s, uint64_t v, uint64_t u)
{
	t->slots[s] = v;
	if (!f->careful)
		return;
	f->nundefined += (u != 0) - (t->shadow[s] != 0);
	t->shadow[s] = u;
}

static void set_term(struct thread *t, struct frame *f, uint32_t s, term_t term)
{
	if (!t->terms) {
		if (!term.id)
			return;
		t->terms = xcalloc(t->cap, sizeof *t->terms);
	}
	if (!f->careful)
		return;
	f->nundefined += (term.id != 0) - (t->terms[s] != 0);
	t->terms[s] = term.id;
}

void frame_set(struct machine *m, struct thread *t, struct frame *f, uint32_t reg, struct opnd o)
{
	uint32_t s = f->base + f->code->slot[reg];
	uint32_t bits = ir_type_bits(frame_func(m, f)->regs.at[reg].type);

	BUG_ON(o.t.id && !f->careful);
	set_slot(t, f, s, o.v.lo, o.u.lo);
	if (bits > 64)
		set_slot(t, f, s + 1, o.v.hi, o.u.hi);
	set_term(t, f, s, o.t);
}

/* ---- modes --------------------------------------------------------------------------------- */

void frame_make_careful(struct machine *m, struct thread *t, struct frame *f, uint32_t pc)
{
	f->careful = true;
	f->pc = pc;
	if (f->code->guard) { /* shadow and terms are still valid */
		f->code = m->codes[f->func];
		return;
	}
	if (!t->shadow)
		t->shadow = xcalloc(t->cap, sizeof *t->shadow);
	memset(t->shadow + f->base, 0, f->code->nslots * sizeof *t->shadow);
	if (t->terms)
		memset(t->terms + f->base, 0, f->code->nslots * sizeof *t->terms);
	f->nundefined = 0;
}

void frame_make_fast(struct machine *m, struct frame *f, uint32_t block)
{
	(void)m;
	f->careful = false;
	f->ip = f->code->ins + f->code->block_ip[block];
}

/* ---- the stack ----------------------------------------------------------------------------- */

uint64_t stack_place(const struct thread *t, uint64_t size, uint64_t align)
{
	uint64_t zone = MAX((uint64_t)16, MIN(size / 8, (uint64_t)256));

	return ALIGN_UP(t->sp + zone, MAX(align, (uint64_t)16));
}

uint64_t stack_alloc(
	struct machine *m, struct thread *t, uint64_t size, uint64_t align, uint32_t local)
{
	uint64_t base = stack_place(t, size, align);

	if (size > STACK_LIMIT || base + size > t->limit) {
		fault_plain(m, t, FAULT_CALL_DEPTH, "the stack of the thread is used up", 0);
		return 0;
	}
	mem_map(&m->mem, base, size, false);
	vec_push(&t->vars, (struct stack_var){base, size, top(t)->func, local});
	t->sp = base + size;
	return base;
}

void stack_cut(struct machine *m, struct thread *t, uint32_t nvars, uint64_t sp)
{
	while (t->vars.n > nvars) {
		struct stack_var *v = &vec_pop(&t->vars);

		t->dead[t->ndead++ % DEAD_VARS] = *v;
		mem_unmap(&m->mem, v->base, v->size);
	}
	t->sp = sp;
}

/* ---- push and pop -------------------------------------------------------------------------- */

static void reserve_slots(struct thread *t, uint32_t want)
{
	uint32_t old = t->cap;

	if (want <= t->cap)
		return;
	t->cap = MAX(want, MAX(t->cap * 2, 1024u));
	t->slots = xrealloc(t->slots, t->cap * sizeof *t->slots);
	if (t->shadow) {
		t->shadow = xrealloc(t->shadow, t->cap * sizeof *t->shadow);
		memset(t->shadow + old, 0, (t->cap - old) * sizeof *t->shadow);
	}
	if (t->terms) {
		t->terms = xrealloc(t->terms, t->cap * sizeof *t->terms);
		memset(t->terms + old, 0, (t->cap - old) * sizeof *t->terms);
	}
}

struct frame *frame_open(struct machine *m, struct thread *t, const struct code *c)
{
	struct frame *f;

	if (unlikely(t->sp + FRAME_BYTES > t->limit)) {
		fault_plain(m, t, FAULT_CALL_DEPTH, "calls are nested too deeply", 0);
		return NULL;
	}
	if (unlikely(t->nslots + c->nslots > t->cap))
		reserve_slots(t, t->nslots + c->nslots);
	vec_reserve(&t->frames, t->frames.n + 1);
	f = &t->frames.at[t->frames.n++]; /* sets all fields that are read before written */
	f->func = c->func;
	f->code = c;
	f->base = t->nslots;
	f->ip = c->ins;
	f->careful = f->entered = f->initial = f->alone = false;
	f->nvars = t->vars.n;
	f->sp = t->sp;
	f->serial = ++m->serial;
	t->sp += FRAME_BYTES;
	t->nslots += c->nslots;
	for (uint32_t i = 0, k = f->base + c->const_first; i < c->nconst; i++)
		t->slots[k + i] = c->const_vals[i];
	for (uint32_t i = 0; i < c->ntls; i++)
		t->slots[f->base + c->tls[i].slot] = t->tls + c->tls[i].offset;
	return f;
}

void frame_pop(struct machine *m, struct thread *t)
{
	struct frame *f = top(t);

	if (t->vars.n > f->nvars)
		stack_cut(m, t, f->nvars, f->sp);
	t->sp = f->sp;
	t->nslots = f->base;
	t->frames.n--;
}

/* ---- arguments ----------------------------------------------------------------------------- */

/* The x86-64 System V layout that clang's expansion of va_arg reads: integers in 48 bytes, then
 * floats in 128 bytes, 16 for each, the rest on the stack in 8-byte units. */
enum { VA_GP_END = 48, VA_FP_END = 176 };

struct va_layout {
	struct thread *t;
	uint64_t regs, mem;
	uint32_t gp, fp, used;
};

static enum mem_status va_put(struct machine *m, uint64_t a, struct opnd o, uint32_t n)
{
	uint64_t bad;

	return opnd_put(m, a, o, n, &bad);
}

static bool pair_of_floats(const ir_type *types, uint32_t i, uint32_t n)
{
	/* a lone float is promoted to double; two in a row are one struct passed as <2 x float> */
	return types[i] == IR_F32 && i + 1 < n && types[i + 1] == IR_F32;
}

/* Copies an object of the caller to the callee's stack. Faults of an address that is a term were
 * decided before the call (symbolic_ops.readable). */
static enum step copy_object(
	struct machine *m, struct thread *t, uint64_t to, struct opnd from, uint64_t size)
{
	static const struct ir_insn move = {.op = IR_MEMMOVE};
	enum mem_status st;
	uint64_t bad;
	bool w;

	if (m->sym)
		return m->symbolic_ops->bulk(m, t, &move, (struct opnd){.v = {to, 0}}, from,
			(struct opnd){.v = {size, 0}});
	st = mem_move(&m->mem, to, from.v.lo, size, &bad, &w);
	return st == MEM_OK ? STEP_NEXT : fault_memory(m, t, from.v.lo, size, false, st, bad);
}

/* Places argument i; if a.regs is 0 (a named argument), only counts the registers that it uses.
 * Returns the number of operands that it consumed. */
static uint32_t va_place(struct machine *m, struct va_layout *a, const struct opnd *args,
	const ir_type *types, const uint64_t *byval, uint32_t i, uint32_t n)
{
	ir_type ty = types[i];
	struct opnd o = args[i];
	bool wide = ir_type_bits(ty) > 64, is_fp = ir_type_is_float(ty) && ty != IR_F80;
	uint32_t took = 1, size = wide ? 16 : 8, step = is_fp ? 16 : size;
	uint32_t *cursor = is_fp ? &a->fp : &a->gp;
	uint32_t end = is_fp ? VA_FP_END : VA_GP_END;

	if (pair_of_floats(types, i, n)) {
		o.v.lo |= args[i + 1].v.lo << 32;
		o.u.lo |= args[i + 1].u.lo << 32;
		if (o.t.id || args[i + 1].t.id)
			o.t = term_concat(
				m->ts, opnd_term(m, args[i + 1], 32), opnd_term(m, args[i], 32));
		took = 2;
	}
	if (byval && byval[i]) {
		size = (uint32_t)ALIGN_UP(byval[i], 8);
		if (a->mem)
			copy_object(m, a->t, a->mem + a->used, args[i], byval[i]);
		if (a->regs)
			a->used += size;
		return 1;
	}
	if (ty != IR_F80 && *cursor + step <= end) {
		if (a->regs)
			va_put(m, a->regs + *cursor, o, size);
		*cursor += step;
		return took;
	}
	if (!a->regs)
		return took;
	if (size == 16)
		a->used = ALIGN_UP(a->used, 16);
	if (a->mem)
		va_put(m, a->mem + a->used, o, size);
	a->used += size;
	return took;
}

static enum step va_build(struct machine *m, struct thread *t, const struct opnd *args,
	const ir_type *types, const uint64_t *byval, uint32_t named, uint32_t n)
{
	struct frame *f = top(t);
	struct va_layout a = {.t = t, .fp = VA_GP_END};

	for (uint32_t i = 0; i < named && i < n;)
		i += va_place(m, &a, args, types, byval, i, named);
	f->va_gp = (uint16_t)a.gp;
	f->va_fp = (uint16_t)a.fp;
	a.regs = stack_alloc(m, t, VA_FP_END, 16, IR_NONE);
	if (!a.regs)
		return STEP_STOP;
	/* the first round computes the size of the stack area, the second writes it */
	for (int round = 0; round < 2; round++) {
		a.gp = f->va_gp;
		a.fp = f->va_fp;
		a.used = 0;
		for (uint32_t i = named; i < n;)
			i += va_place(m, &a, args, types, byval, i, n);
		if (!round) {
			a.mem = stack_alloc(m, t, a.used, 16, IR_NONE);
			if (!a.mem)
				return STEP_STOP;
		}
	}
	f = top(t);
	f->va_regs = a.regs;
	f->va_mem = a.mem;
	return STEP_JUMPED;
}

enum step va_start_step(struct machine *m, struct thread *t, uint64_t list)
{
	struct frame *f = top(t);
	struct {
		uint32_t gp, fp;
		uint64_t mem, regs;
	} va = {f->va_gp, f->va_fp, f->va_mem, f->va_regs};
	uint64_t bad;
	enum mem_status st = mem_in(&m->mem, list, &va, sizeof va, &bad);

	return st == MEM_OK ? STEP_NEXT : fault_memory(m, t, list, sizeof va, true, st, bad);
}

/* Copies a by-value argument and replaces the operand by the address of the copy. */
static enum step copy_byval(struct machine *m, struct thread *t, struct opnd *o, uint64_t size)
{
	uint64_t a = stack_alloc(m, t, size, 16, IR_NONE);

	if (!a || copy_object(m, t, a, *o, size) != STEP_NEXT)
		return STEP_STOP;
	*o = (struct opnd){.v = {a, 0}};
	return STEP_NEXT;
}

enum step frame_push(struct machine *m, struct thread *t, uint32_t func, const struct opnd *args,
	const ir_type *types, const uint64_t *byval, uint32_t nargs)
{
	const struct ir_func *fn = &m->p->funcs.at[func];
	struct frame *f = frame_open(m, t, code_get(m, func));
	bool unknown = m->slow || (nargs < fn->nparams && !m->opt->trust);

	if (!f)
		return STEP_STOP;
	cover_mark(m, func, 0);
	for (uint32_t i = 0; i < nargs && i < fn->nparams; i++)
		unknown |= val_u128(args[i].u) != 0 || args[i].t.id;
	if (unknown)
		frame_make_careful(m, t, f, 0);
	for (uint32_t i = 0; i < fn->nparams; i++) {
		uint32_t bits = ir_type_bits(fn->params[i].type);
		struct opnd o = {.u = val_of(m->opt->trust ? 0 : bits_mask(bits))};

		if (i < nargs)
			o = opnd_narrow(m, args[i], bits);
		if (i < nargs && byval && byval[i] && copy_byval(m, t, &o, byval[i]) == STEP_STOP)
			return STEP_STOP;
		frame_set(m, t, f, i, o);
	}
	if (fn->flags & IR_FN_VARARG)
		return va_build(m, t, args, types, byval, fn->nparams, nargs);
	return STEP_JUMPED;
}
