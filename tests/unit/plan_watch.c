#include "base/base.h"
#include "base/diag.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "plan_watch.h"

#include "machine/machine.h"
#include "log/effects.h"
#include "log/format.h"

#include <stdlib.h>

struct here { /* the instruction that is about to be executed */
	struct plan_watch *w;
	struct machine *m;
	struct thread *t;
	const struct ir_func *f;
	uint32_t func, insn;
	const struct plan_insn *pi; /* NULL: native code */
	bool early;
	/* of the writer */
	bool native, told;
};

static void complain(const struct here *h, uint32_t func, uint32_t insn, const char *what,
	uint64_t addr)
{
	struct plan_watch *w = h->w;
	struct diag_pos pos = ir_diag_pos(w->p, w->p->funcs.at[func].insns.at[insn].pos);

	if ((*map_put(&w->seen, (uint64_t)func << 32 | insn))++)
		return;
	w->missed++;
	strbuf_addf(&w->misses, "%s:%u: in '%s', instruction %u: %s (thread %u, address %#llx)\n",
		pos.file ? pos.file : "?", pos.line, ir_func_name(w->p, func), insn, what, h->t->id,
		(unsigned long long)addr);
}

static struct plan_note *note_of(struct plan_watch *w, uint64_t addr)
{
	uint64_t *slot = map_put(&w->at, addr);

	if (!*slot) {
		vec_push(&w->notes, (struct plan_note){.user = IR_NONE, .func = IR_NONE});
		*slot = w->notes.n;
	}
	return &w->notes.at[*slot - 1];
}

/* ---- who is writing ----------------------------------------------------------------------------- */

static bool traced(const struct here *h, uint32_t frame)
{
	return h->w->pl->funcs[h->t->frames.at[frame].func].traced;
}

/* the call of traced code that native code is busy with: the log has what it writes, or not */
static void find_writer(struct here *h)
{
	uint32_t i = h->t->frames.n - 1;
	const struct frame *f;
	const struct ir_insn *in;
	const struct ir_func *fn;

	h->native = !h->pi;
	while (!traced(h, i))
		if (!i--)
			return;
	f = &h->t->frames.at[i];
	fn = &h->w->p->funcs.at[f->func];
	in = &fn->insns.at[frame_insn(f, i == h->t->frames.n - 1)];
	if (h->native && in->op == IR_CALL && ir_is_const(in->arg[0]) &&
		ir_const(fn, in->arg[0])->kind == IR_C_FUNC)
		h->told = h->w->logs_items[ir_const(fn, in->arg[0])->id];
}

static bool logs_items(const char *name)
{
	struct effects_entry e = effects_find(name);

	if (e.kind == EFFECTS_EFFECT)
		return true;
	return e.kind == EFFECTS_SYNC &&
	       (e.number == LOG_S_CREATE || e.number == LOG_S_JOIN || e.number == LOG_S_ALLOC ||
		       e.number == LOG_S_REALLOC || e.number == LOG_S_SIGACTION ||
		       e.number == LOG_S_SEM_VALUE ||
		       e.number == LOG_S_USER_INPUT);
}

/* ---- private variables ---------------------------------------------------------------------------- */

static const struct stack_var *variable_at(const struct here *h, uint64_t a, const struct thread **owner)
{
	uint64_t k = (a - ADDR_STACK) / STACK_STRIDE;
	const struct thread *t = k < h->m->threads.n ? h->m->threads.at[k] : NULL;

	*owner = t;
	if (a < ADDR_STACK || a >= ADDR_TLS)
		return NULL;
	for (uint32_t i = t ? t->vars.n : 0; i-- > 0;)
		if (a >= t->vars.at[i].base && a < t->vars.at[i].base + t->vars.at[i].size)
			return &t->vars.at[i];
	return NULL;
}

static bool is_private(const struct plan_watch *w, const struct stack_var *v)
{
	const struct ir_func *f;

	if (!v || v->local == IR_NONE || !w->pl->funcs[v->func].traced)
		return false;
	f = &w->p->funcs.at[v->func];
	vec_each (&f->insns, i)
		if (f->insns.at[i].op == IR_ALLOCA && (uint32_t)f->insns.at[i].imm == v->local)
			return w->pl->funcs[v->func].insn[i].flags & PLAN_F_PRIVATE;
	return false;
}

static void check_private(const struct here *h, uint64_t addr, uint64_t n)
{
	const struct thread *owner;
	const struct stack_var *v = variable_at(h, addr, &owner);
	bool bulk = h->pi && ir_ops[h->f->insns.at[h->insn].op].shape == IR_S_BULK;
	bool yes = is_private(h->w, v);

	if (h->pi && h->pi->flags & PLAN_F_PRIVATE && !yes)
		complain(h, h->func, h->insn, "not in a private variable", addr);
	if (!yes)
		return;
	if (owner != h->t)
		complain(h, v->func, 0, "a private variable is used by another thread", addr);
	else if (!h->pi || h->func != v->func || addr + n > v->base + v->size ||
		(!bulk && !(h->pi->flags & PLAN_F_PRIVATE)))
		complain(h, v->func, 0, "a private variable is used by others", addr);
}

/* ---- accesses --------------------------------------------------------------------------------------- */

/* by a native call that is not back yet? */
static bool pending(const struct here *h, const struct plan_note *b)
{
	const struct plan_calls *c = &h->w->threads.at[h->t->id];

	if (!b->native || b->writer != h->t->id)
		return false;
	for (uint32_t i = 0; i + 1 < h->t->frames.n; i++)
		if (traced(h, i) && !traced(h, i + 1) && i < c->began.n && b->wtime >= c->began.at[i])
			return true;
	return false;
}

static void check_left_out(struct here *h, uint64_t addr, const struct plan_note *b)
{
	h->w->checked++;
	if (!b->wtime)
		return;
	if (b->native && !b->told)
		complain(h, h->func, h->insn, "code outside wrote what is not logged", addr);
	else if (b->writer != h->t->id && !b->early)
		complain(h, h->func, h->insn, "another thread wrote what is not logged", addr);
	else if (pending(h, b))
		complain(h, h->func, h->insn, "a call that is under way wrote what is not logged",
			addr);
}

/* one that others may see must be known as such, whoever of them comes first */
static void check_event(struct here *h, uint64_t addr, struct plan_note *b, bool write, bool event)
{
	if (!h->pi || h->early)
		return;
	if (b->user == IR_NONE)
		b->user = h->t->id;
	b->several |= b->user != h->t->id;
	b->written |= write;
	if (!event) {
		b->func = h->func;
		b->insn = h->insn;
	}
	if (b->several && b->written && b->func != IR_NONE)
		complain(h, b->func, b->insn, "no event, but others use it too", addr);
}

static void access(struct here *h, uint64_t addr, uint64_t n, bool write, bool logged, bool event)
{
	uint64_t bad;

	if (!n || n > 1 << 20 || !mem_valid(&h->m->mem, addr, (uint32_t)n, &bad))
		return; /* it faults */
	check_private(h, addr, n);
	for (uint64_t a = addr; a < addr + n; a++) {
		struct plan_note *b = note_of(h->w, a);

		if (!write && h->pi && !logged)
			check_left_out(h, a, b);
		check_event(h, a, b, write, event);
	}
}

static void wrote(struct here *h, uint64_t addr, uint64_t n)
{
	uint64_t bad;

	if (!n || n > 1 << 20 || !mem_valid(&h->m->mem, addr, (uint32_t)n, &bad))
		return;
	for (uint64_t a = addr; a < addr + n; a++) {
		struct plan_note *b = note_of(h->w, a);

		b->wtime = h->w->time;
		b->writer = h->t->id;
		b->native = h->native;
		b->told = h->told;
		b->early = h->early;
	}
}

/* ---- instructions ----------------------------------------------------------------------------------- */

static uint64_t value(const struct here *h, ir_ref r)
{
	return frame_get(h->m, h->t, top(h->t), r).v.lo;
}

static void load(struct here *h, const struct ir_insn *in)
{
	bool logged = h->pi && h->pi->what != PLAN_NOTHING;

	if (h->pi) {
		h->w->loads++;
		h->w->logged += logged;
	}
	access(h, value(h, in->arg[0]), ir_type_bytes(in->type), false, logged,
		h->pi && h->pi->flags & PLAN_F_EVENT);
}

static void store(struct here *h, const struct ir_insn *in, ir_type t)
{
	uint64_t addr = value(h, in->arg[0]);

	access(h, addr, ir_type_bytes(t), true, false, h->pi && h->pi->flags & PLAN_F_EVENT);
	wrote(h, addr, ir_type_bytes(t));
}

static void bulk(struct here *h, const struct ir_insn *in)
{
	uint64_t n = value(h, in->arg[2]);
	unsigned flags = h->pi ? h->pi->flags : 0;

	if (in->op != IR_MEMSET)
		access(h, value(h, in->arg[1]), n, false, h->pi && h->pi->what != PLAN_NOTHING,
			flags & PLAN_F_READ);
	access(h, value(h, in->arg[0]), n, true, false, flags & PLAN_F_WRITE);
	wrote(h, value(h, in->arg[0]), n);
}

static void call(struct here *h)
{
	struct plan_calls *c = &h->w->threads.at[h->t->id];

	if (c->began.n < h->t->frames.n)
		vec_resize(&c->began, h->t->frames.n);
	c->began.at[h->t->frames.n - 1] = h->w->time;
}

/* variables that are gone since the last time: what lies there next is something else */
static void forget_dead(struct here *h)
{
	struct plan_calls *c = &h->w->threads.at[h->t->id];
	uint64_t *slot;

	for (uint64_t a = h->t->sp; a < c->sp; a++)
		if ((slot = map_get(&h->w->at, a)))
			h->w->notes.at[*slot - 1] =
				(struct plan_note){.user = IR_NONE, .func = IR_NONE};
	c->sp = h->t->sp;
}

static void observe(void *ctx, struct machine *m, struct thread *t, const struct ir_insn *in)
{
	struct plan_watch *w = ctx;
	struct frame *f = top(t);
	struct here h = {w, m, t, frame_func(m, f), f->func, f->pc, NULL, m->threads.n == 1, false, false};

	w->time++;
	if (w->threads.n <= t->id)
		vec_resize(&w->threads, t->id + 1);
	if (w->pl->funcs[f->func].traced)
		h.pi = &w->pl->funcs[f->func].insn[f->pc];
	forget_dead(&h);
	find_writer(&h);
	switch (ir_ops[in->op].shape) {
	case IR_S_LOAD: load(&h, in); break;
	case IR_S_STORE: store(&h, in, in->type2); break;
	case IR_S_RMW:
	case IR_S_CAS:
		load(&h, in);
		store(&h, in, in->type);
		break;
	case IR_S_BULK: bulk(&h, in); break;
	case IR_S_VA:
		if (in->op == IR_VA_COPY)
			access(&h, value(&h, in->arg[1]), 24, false,
				h.pi && h.pi->what != PLAN_NOTHING, false);
		if (in->op != IR_VA_END)
			wrote(&h, value(&h, in->arg[0]), 24);
		break;
	case IR_S_CALL: call(&h); break;
	default: break;
	}
}

enum exec_fate plan_watch_run(struct plan_watch *w, const struct ir_program *p, const struct plan *pl,
	uint64_t seed, uint64_t max_instructions)
{
	char name[] = "program";
	char *argv[] = {name, NULL};
	struct exec_options opt = {.seed = seed, .slow = true, .observe = observe,
		.observe_ctx = w, .max_instructions = max_instructions};
	struct exec_result res;

	w->p = p;
	w->pl = pl;
	w->logs_items = xcalloc(p->funcs.n + 1, sizeof *w->logs_items);
	vec_each (&p->funcs, f)
		w->logs_items[f] = !pl->funcs[f].traced && logs_items(ir_func_name(p, f));
	if (exec_run(p, 1, argv, &opt, &res))
		return EXEC_STOPPED;
	exec_result_release(&res);
	return res.fate;
}

void plan_watch_release(struct plan_watch *w)
{
	vec_each (&w->threads, i)
		vec_release(&w->threads.at[i].began);
	vec_release(&w->threads);
	vec_release(&w->notes);
	map_release(&w->at);
	map_release(&w->seen);
	free(w->logs_items);
	strbuf_release(&w->misses);
}
