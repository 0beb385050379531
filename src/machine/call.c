/* Calls, returns, setjmp and longjmp. */
#include "base/base.h"
#include "machine/code.h"
#include "machine/extension.h"
#include "machine/lent.h"

#include <string.h>

enum { MAX_ARGS = 256, MAX_RESULTS = 16 };

/* ---- the caller's side --------------------------------------------------------------------- */

void call_deliver(struct machine *m, struct thread *t, struct frame *f, uint32_t insn,
	const struct opnd *vals, uint32_t n)
{
	const struct ir_func *fn = frame_func(m, f);
	const struct ir_insn *in = &fn->insns.at[insn];
	bool unknown = (uint32_t)in->imm > n;

	for (uint32_t i = 0; i < (uint32_t)in->imm && i < n; i++)
		unknown |= val_u128(vals[i].u) != 0 || vals[i].t.id;
	if (unknown && !f->careful)
		frame_make_careful(m, t, f, insn);
	for (uint32_t i = 0; i < (uint32_t)in->imm; i++) {
		uint32_t bits = ir_type_bits(fn->regs.at[in->dst + i].type);
		struct opnd o = {.u = val_of(bits_mask(bits))};

		frame_set(m, t, f, in->dst + i, i < n ? opnd_narrow(m, vals[i], bits) : o);
	}
}

enum step call_return(struct machine *m, struct thread *t, const struct opnd *vals, uint32_t n)
{
	bool entered = top(t)->entered, initial = top(t)->initial;
	struct frame *f;

	if (m->follow)
		m->follow_ops->leave(m, n ? vals[0].v : (struct val){0});
	frame_pop(m, t);
	if (initial) {
		t->state = THREAD_LEFT;
		m->nlive--;
		return STEP_SWITCH;
	}
	if (entered && m->follow)
		return m->follow_ops->ended(m, t);
	if (entered) {
		thread_done(m, t);
		return STEP_SWITCH;
	}
	if (unlikely(!t->frames.n)) { /* re-execution from the middle: no caller yet */
		BUG_ON(!m->follow);
		return m->follow_ops->returned(m, t);
	}
	f = top(t);
	call_deliver(m, t, f, frame_insn(f, false), vals, n);
	if (f->careful)
		f->pc++;
	return m->follow ? m->follow_ops->returned(m, t) : STEP_JUMPED;
}

/* ---- the callee ------------------------------------------------------------------------------ */

static enum step run_builtin(struct machine *m, struct thread *t, uint32_t func,
	const struct ir_insn *in, struct opnd *args, uint32_t n)
{
	struct opnd ret[MAX_RESULTS] = {0};
	struct frame *f = top(t);
	uint32_t insn = (uint32_t)(in - frame_func(m, f)->insns.at);
	enum step st;

	if (m->sym && opaque_call(m, f, func, in, args, n, &ret[0].t)) {
		call_deliver(m, t, f, insn, ret, MAX_RESULTS);
		return STEP_NEXT;
	}
	if (m->sym && builtin_known_args(m, t, func, args, n) != STEP_NEXT)
		return STEP_STOP;
	st = m->builtins[func](m, t, args, n, ret);

	if (st == STEP_NEXT || st == STEP_SWITCH)
		call_deliver(m, t, f, insn, ret, MAX_RESULTS);
	return st;
}

static enum step call_func(struct machine *m, struct thread *t, uint32_t func,
	const struct ir_insn *in, struct opnd *args, const ir_type *types, const uint64_t *byval,
	uint32_t n)
{
	const struct ir_func *fn = &m->p->funcs.at[func];
	struct opnd ret = {0};

	if (m->stubs[func]) {
		ret = (struct opnd){.v = {(uint64_t)m->stubs[func]->value,
					    m->stubs[func]->value < 0 ? UINT64_MAX : 0}};
		call_deliver(
			m, t, top(t), (uint32_t)(in - frame_func(m, top(t))->insns.at), &ret, 1);
		return STEP_NEXT;
	}
	if (m->builtins[func])
		return run_builtin(m, t, func, in, args, n);
	if (m->summarized && m->summarized[func]) {
		bool done;

		if (m->symbolic_ops->summary(m, t, func, args, n, &ret, &done) != STEP_NEXT)
			return STEP_STOP;
		if (done) {
			call_deliver(m, t, top(t), (uint32_t)(in - frame_func(m, top(t))->insns.at),
				&ret, 1);
			return STEP_NEXT;
		}
	}
	if (!(fn->flags & IR_FN_EXTERN)) {
		if (!top(t)->careful)
			top(t)->ip++; /* the callee returns to the next instruction */
		return frame_push(m, t, func, args, types, byval, n);
	}
	return stop_unknown(m, t, STOP_UNMODELLED,
		"call of unmodelled function '%s' (give a result with --stub %s=VALUE; if it "
		"belongs to the program, build its file with heddle-cc: see heddle info)",
		ir_str(m->p, fn->name), ir_str(m->p, fn->name));
}

static enum step call_target(struct machine *m, struct thread *t, ir_ref r, uint32_t *func)
{
	const struct ir_func *fn = frame_func(m, top(t));
	struct opnd o;

	*func = ir_func_of(fn, r);
	if (*func != IR_NONE)
		return STEP_NEXT;
	o = frame_get(m, t, top(t), r);
	if (val_u128(o.u))
		return fault_unknown(m, t, "an uninitialized function pointer is called");
	if (o.t.id) {
		if (m->symbolic_ops->callee(m, t, o.t, func) != STEP_NEXT)
			return STEP_STOP;
		if (*func != IR_NONE)
			return STEP_NEXT;
	}
	if (opnd_concretize(m, t, &o, 64) != STEP_NEXT)
		return STEP_STOP;
	*func = func_at(m->p, o.v.lo);
	if (*func == IR_NONE)
		return fault_plain(m, t, !o.v.lo ? FAULT_NULL_CALL : FAULT_WILD_CALL,
			!o.v.lo ? "a null function pointer is called"
				: "a pointer that is not a function is called",
			o.v.lo);
	return STEP_NEXT;
}

bool call_shares(struct machine *m, const struct thread *t, struct opnd addr)
{
	uint64_t a = opnd_base(m, addr);

	return !stack_is_private(m, t, a) && a >= ADDR_GLOBAL && a < ADDR_END;
}

/* Visits the pointer and, in depth, those in the memory there: an iovec, a va_list, a state of
 * strtok_r(). The words of larger objects are not all seen. */
static void each_pointer(struct machine *m, uint64_t a, uint32_t depth, call_visit visit, void *ctx)
{
	static const uint32_t words[] = {512, 32, 0}; /* by depth */
	uint64_t word, bad, at = ALIGN_UP(a, 8);

	visit(ctx, a, depth);
	if (a < ADDR_CONST || a >= ADDR_END)
		return;
	for (uint32_t i = 0; i < words[depth] && mem_valid(&m->mem, at + 8 * i, 8, &bad); i++)
		if (mem_out(&m->mem, at + 8 * i, &word, 8, &bad) == MEM_OK && word >= ADDR_CONST &&
			word < ADDR_END)
			each_pointer(m, word, depth + 1, visit, ctx);
}

void call_each_pointer(struct machine *m, struct opnd arg, call_visit visit, void *ctx)
{
	each_pointer(m, opnd_base(m, arg), 0, visit, ctx);
}

struct sharing {
	struct machine *m;
	const struct thread *t;
	bool shares;
};

static void note_shared(void *ctx, uint64_t a, uint32_t depth)
{
	struct sharing *s = ctx;

	(void)depth;
	s->shares |= call_shares(s->m, s->t, (struct opnd){.v = {a, 0}});
}

/* Whether a call with the pointer may access memory that other threads access. */
static bool reaches_shared(struct machine *m, const struct thread *t, struct opnd arg)
{
	struct sharing s = {m, t, call_shares(m, t, arg)};

	if (!s.shares)
		call_each_pointer(m, arg, note_shared, &s);
	return s.shares;
}

/* Whether the function synchronizes: its model has the scheduling point inside. */
static bool is_sync_name(const char *name)
{
	static const char *const prefixes[] = {
		"pthread_", "sem_", "mtx_", "cnd_", "thrd_", "sched_"};

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

/* Whether the thread gives way before a call of a model that gets a pointer to shared memory. */
static bool gives_way(struct machine *m, struct thread *t, uint32_t func, const struct opnd *args,
	const ir_type *types, uint32_t n)
{
	const struct ir_func *fn = frame_func(m, top(t));

	if (!call_may_be_point(m, fn, &m->p->funcs.at[func]) ||
		is_sync_name(ir_func_name(m->p, func)))
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (types[i] == IR_PTR && reaches_shared(m, t, args[i])) {
			if (!t->resumed && sched_yields(m))
				return t->resumed = true;
			t->resumed = false;
			return false;
		}
	return false;
}

enum step call_step(struct machine *m, struct thread *t, const struct ir_insn *in)
{
	const struct ir_func *fn = frame_func(m, top(t));
	const uint32_t *x = fn->extra.at + in->arg[1];
	uint32_t n = in->arg[2], func = IR_NONE;
	struct opnd args[MAX_ARGS];
	ir_type types[MAX_ARGS];
	uint64_t byval[MAX_ARGS];

	if (m->follow)
		return m->follow_ops->call(m, t, in);
	if (n > MAX_ARGS)
		return stop_unknown(m, t, STOP_UNSUPPORTED, "call with %u arguments", n);
	if (call_target(m, t, in->arg[0], &func) == STEP_STOP)
		return STEP_STOP;
	for (uint32_t i = 0; i < n; i++) {
		args[i] = frame_get(m, t, top(t), x[2 * i]);
		types[i] = ir_ref_type(fn, x[2 * i]);
		byval[i] = x[2 * i + 1];
		if (m->sym && byval[i] && !val_u128(args[i].u) &&
			m->symbolic_ops->readable(m, t, args[i], byval[i]) != STEP_NEXT)
			return STEP_STOP;
	}
	if (gives_way(m, t, func, args, types, n))
		return STEP_AGAIN;
	return call_func(m, t, func, in, args, types, byval, n);
}

/* ---- setjmp and longjmp ---------------------------------------------------------------------- */

struct jump { /* the contents of a jmp_buf */
	uint64_t magic, serial;
	uint32_t thread, insn, ip; /* ip: cinsn after the call, UINT32_MAX in the careful mode */
};
#define JUMP_MAGIC 0x686564646c656a62ull

enum step call_setjmp(struct machine *m, struct thread *t, const struct opnd *args, uint32_t nargs,
	struct opnd *ret)
{
	struct frame *f = top(t);
	struct jump j = {JUMP_MAGIC, f->serial, t->id, frame_insn(f, true),
		f->careful ? UINT32_MAX : (uint32_t)(f->ip + 1 - f->code->ins)};
	uint64_t bad;
	enum mem_status st = mem_in(&m->mem, args[0].v.lo, &j, sizeof j, &bad);

	(void)nargs;
	if (st != MEM_OK)
		return fault_memory(m, t, args[0].v.lo, sizeof j, true, st, bad);
	ret[0] = (struct opnd){0};
	return STEP_NEXT;
}

enum step call_longjmp(struct machine *m, struct thread *t, const struct opnd *args, uint32_t nargs,
	struct opnd *ret)
{
	struct opnd val = {.v = {(uint32_t)args[1].v.lo ? (uint32_t)args[1].v.lo : 1, 0}};
	struct jump j = {0};
	struct frame *f;
	uint32_t depth;
	uint64_t bad;
	enum mem_status st = mem_out(&m->mem, args[0].v.lo, &j, sizeof j, &bad);

	(void)nargs;
	(void)ret;
	if (st != MEM_OK)
		return fault_memory(m, t, args[0].v.lo, sizeof j, false, st, bad);
	for (depth = t->frames.n; depth; depth--)
		if (t->frames.at[depth - 1].serial == j.serial)
			break;
	if (j.magic != JUMP_MAGIC || j.thread != t->id || !depth)
		return fault_plain(m, t, FAULT_BAD_LONGJMP,
			"longjmp to a jmp_buf whose setjmp is not on this thread's stack",
			args[0].v.lo);
	while (t->frames.n > depth)
		frame_pop(m, t);
	f = top(t);
	if (!f->careful && (j.ip == UINT32_MAX || f->code->guard))
		frame_make_careful(m, t, f, j.insn);
	f->pc = j.insn;
	if (!f->careful)
		f->ip = f->code->ins + j.ip;
	call_deliver(m, t, f, j.insn, &val, 1);
	if (f->careful)
		f->pc++;
	return STEP_JUMPED;
}
