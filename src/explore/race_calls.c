/*
 * Calls of the C library beside accesses of other threads (--switch access). A model is executed as
 * a whole, so the orders inside of a call are not explored. That leaves out nothing unless another
 * thread is about to access the same memory: then the exploration is not complete. Which bytes a
 * call accesses is not known before: they are taken to be those from each pointer that it gets to
 * the end of the object. Pointers in the memory at its arguments count, too, if they are in the
 * caller's own variables or if the function is known to write there.
 */
#include "explore/explore_internal.h"

#include "base/base.h"
#include "base/strbuf.h"
#include "log/effects.h"
#include "machine/code.h"
#include "machine/lent.h"
#include "symbolic/find_object.h"

struct touch {
	uint64_t addr, end;
	bool write;
};

enum { MOST_TOUCHES = 64 };

struct touches {
	struct machine *m;
	struct thread *t;
	const char *call; /* the function; NULL: no call */
	bool write, deep; /* of the argument that is visited */
	uint64_t arg;
	uint32_t n;
	bool more; /* than MOST_TOUCHES */
	struct touch at[MOST_TOUCHES];
};

static void add_touch(struct touches *to, uint64_t addr, uint64_t end, bool write)
{
	if (to->n == MOST_TOUCHES)
		to->more = true;
	else
		to->at[to->n++] = (struct touch){addr, end, write};
}

static void visit_pointer(void *ctx, uint64_t a, uint32_t depth)
{
	struct touches *to = ctx;
	bool own = stack_is_private(to->m, to->t, to->arg);
	struct object o;

	if ((depth && !own && !to->deep) ||
		!call_shares(to->m, to->t, (struct opnd){.v = {a, 0}}) ||
		!find_object(to->m, a, &o) || o.dead || o.readonly)
		return;
	add_touch(to, a, o.base + o.size, depth ? to->deep : to->write);
}

/* What a call of the function may write; *none if it is a function of another kind. */
static struct effects_writes writes_of(const char *name, bool *none)
{
	struct effects_entry e = effects_find(name);

	*none = e.kind != EFFECTS_UNKNOWN && e.kind != EFFECTS_PURE && e.kind != EFFECTS_EFFECT;
	if (e.kind == EFFECTS_PURE)
		return (struct effects_writes){.format = -1};
	if (e.kind == EFFECTS_EFFECT)
		return effects_writes(e.number);
	return (struct effects_writes){UINT32_MAX, true, -1};
}

static void touch_call(struct touches *to, struct frame *f, const struct ir_insn *in)
{
	const struct ir_func *fn = frame_func(to->m, f);
	const uint32_t *x = fn->extra.at + in->arg[1];
	const char *name = "a function";
	struct effects_writes w;
	bool none;

	if (ir_is_const(in->arg[0]) && ir_const(fn, in->arg[0])->kind == IR_C_FUNC)
		name = ir_func_name(to->m->p, ir_const(fn, in->arg[0])->id);
	w = writes_of(name, &none);
	if (none)
		return;
	to->call = name;
	to->deep = w.deep;
	for (uint32_t i = 0; i < in->arg[2]; i++) {
		struct opnd arg = frame_get(to->m, to->t, f, x[2 * i]);

		if (ir_ref_type(fn, x[2 * i]) != IR_PTR)
			continue;
		to->write = w.args >> MIN(i, 31) & 1;
		to->arg = opnd_base(to->m, arg);
		call_each_pointer(to->m, arg, visit_pointer, to);
	}
}

/* The innermost frame of the program: it calls the model that the thread is in, if any. */
static struct frame *program_frame(struct thread *t)
{
	for (uint32_t i = t->frames.n; i-- > 0;)
		if (!t->frames.at[i].code->model)
			return &t->frames.at[i];
	return NULL;
}

static void get_touches(struct machine *m, struct thread *t, struct touches *to)
{
	struct pending p = pending_of(m, t);
	struct frame *f = program_frame(t);
	const struct ir_insn *in;

	to->m = m;
	to->t = t;
	to->call = NULL;
	to->n = 0;
	to->more = false;
	if (p.kind == PENDING_ACCESS || p.kind == PENDING_BLOCK)
		add_touch(to, p.addr, p.addr + p.n, p.write);
	if (p.kind == PENDING_BLOCK && p.from)
		add_touch(to, p.from, p.from + p.n, false);
	if (!f || (f == top(t) && !t->resumed))
		return;
	in = &frame_func(m, f)->insns.at[frame_insn(f, f == top(t))];
	if (ir_ops[in->op].shape == IR_S_CALL)
		touch_call(to, f, in);
}

static bool conflict(const struct touches *a, const struct touches *b)
{
	if (a->more || b->more)
		return true;
	for (uint32_t i = 0; i < a->n; i++)
		for (uint32_t k = 0; k < b->n; k++)
			if ((a->at[i].write || b->at[k].write) && a->at[i].addr < b->at[k].end &&
				b->at[k].addr < a->at[i].end)
				return true;
	return false;
}

void race_check_calls(struct explore *ex, struct thread *t, struct thread *u)
{
	struct strbuf why = {0};
	struct touches a, b;

	get_touches(ex->m, t, &a);
	if (!a.n)
		return;
	get_touches(ex->m, u, &b);
	if ((!a.call && !b.call) || !conflict(&a, &b))
		return;
	strbuf_addf(&why,
		"a call of '%s' and another thread may access the same memory at the same time: "
		"the orders inside of the call were not explored",
		a.call ? a.call : b.call);
	explore_reason_add(ex, why.s);
	ex->bounded = true;
	strbuf_release(&why);
}
