/* Re-execution of calls into and out of traced code, and the records of these calls. */
#include "machine/code.h"
#include "follow/follow_internal.h"
#include "log/words.h"

enum { MAX_ARGS = 256 };

/* ---- into traced functions ------------------------------------------------------------------ */

bool follow_take_byval(struct follow *f, struct frame *fr, const struct ir_func *fn)
{
	struct machine *m = &f->m;

	for (uint32_t i = 0; i < fn->nparams; i++) {
		uint64_t n = fn->params[i].byval, bad;
		struct opnd a = {0};

		if (!n)
			continue;
		vec_reserve(&f->bytes, n + 1);
		if (!follow_take_value(f, &a.v.lo, 8) || !follow_take(f, f->bytes.at, n))
			return false;
		mem_in(&m->mem, a.v.lo, f->bytes.at, n, &bad);
		frame_set(m, f->t, fr, i, a);
	}
	return true;
}

static enum step enter_function(
	struct follow *f, uint32_t func, const struct val *args, uint32_t nargs)
{
	struct machine *m = &f->m;
	const struct ir_func *fn = &m->p->funcs.at[func];
	struct follow_event e = {
		.kind = FOLLOW_ENTER, .callee = func, .args = args, .nargs = nargs};
	struct frame *fr = frame_open(m, f->t, code_get(m, func));

	if (!fr)
		return follow_end(f, FOLLOW_DIVERGED, "calls are nested too deeply");
	for (uint32_t i = 0; i < fn->nparams; i++) {
		u128 mask = bits_mask(ir_type_bits(fn->params[i].type));
		struct opnd o = {
			.v = i < nargs ? val_of(val_u128(args[i]) & mask) : (struct val){0}};

		frame_set(m, f->t, fr, i, o);
	}
	if (f->pl->funcs[func].entry_bytes && !follow_take_byval(f, fr, fn))
		return STEP_STOP;
	if (m->slow) {
		frame_make_careful(m, f->t, fr, 0);
		follow_block(m, f->t, 0);
	}
	if (follow_wants(f, FOLLOW_ENTER))
		follow_tell(f, &e);
	return STEP_JUMPED;
}

/* ---- records --------------------------------------------------------------------------------- */

/* Reads the rest of a record after its tag, the first byte. */
#define TAKE_RECORD(f, r) follow_take(f, (uint8_t *)(r) + 1, sizeof *(r) - 1)

static enum step bad_record(struct follow *f, uint8_t tag, const char *where)
{
	return follow_end(f, FOLLOW_DIVERGED, "the log has record %u %s", tag, where);
}

static enum step run_callback(struct follow *f)
{
	struct log_callback r;
	struct val args[MAX_ARGS];
	const struct ir_func *fn;
	uint32_t words = 0;
	enum step st;

	if (!TAKE_RECORD(f, &r) || !follow_check(f, r.hash))
		return STEP_STOP;
	if (r.func >= f->pl->p->funcs.n || !f->pl->funcs[r.func].traced)
		return follow_end(
			f, FOLLOW_BAD, "the log calls function %u, which is not traced", r.func);
	fn = &f->pl->p->funcs.at[r.func];
	for (uint32_t i = 0; i < fn->nparams && i < MAX_ARGS; i++) {
		uint32_t n = ir_type_bits(fn->params[i].type) > 64 ? 2 : 1;

		args[i] = (struct val){0};
		words += n;
		if (words > r.nwords || !follow_take(f, &args[i], 8 * n))
			return words > r.nwords
				       ? follow_end(f, FOLLOW_BAD, "the log has too few arguments")
				       : STEP_STOP;
	}
	st = enter_function(f, r.func, args, fn->nparams);
	if (st == STEP_JUMPED)
		top(f->t)->entered = true;
	return st == STEP_JUMPED ? follow_go_on(f) : st;
}

static void tell_item(
	struct follow *f, enum follow_kind k, const struct log_item *it, const uint8_t *bytes)
{
	struct follow_event e = {.kind = k, .addr = it->addr, .size = it->n, .bytes = bytes};

	if (follow_wants(f, k))
		follow_tell(f, &e);
}

static enum step take_items(struct follow *f)
{
	struct log_item it;
	uint64_t bad;

	for (;;) {
		if (!follow_take(f, &it.kind, 1))
			return STEP_STOP;
		if (it.kind == LOG_ITEM_END)
			return STEP_NEXT;
		if (!TAKE_RECORD(f, &it))
			return STEP_STOP;
		if (it.kind > LOG_ITEM_WRITE || it.n > UINT32_MAX / 2)
			return follow_end(f, FOLLOW_BAD,
				"the log has an item of kind %u, %llu bytes", it.kind,
				(unsigned long long)it.n);
		if (!follow_range(f, it.addr, it.n))
			return STEP_STOP;
		if (it.kind == LOG_ITEM_READ) {
			tell_item(f, FOLLOW_NATIVE_READ, &it, NULL);
			continue;
		}
		vec_reserve(&f->bytes, it.n + 1);
		if (!follow_take(f, f->bytes.at, it.n))
			return STEP_STOP;
		tell_item(f, FOLLOW_NATIVE_WRITE, &it, f->bytes.at);
		f->written.addr = it.addr;
		f->written.n = it.n;
		mem_in(&f->m.mem, it.addr, f->bytes.at, it.n, &bad);
	}
}

const struct log_sync_fn **follow_sync_functions(const struct ir_program *p)
{
	const struct log_sync_fn **fns = xcalloc(p->funcs.n + 1, sizeof *fns);

	vec_each (&p->funcs, f)
		fns[f] = log_sync_find(ir_func_name(p, f));
	return fns;
}

/* NULL if the callee is not known, or not in log/sync.def. */
static const struct log_sync_fn *sync_function(const struct follow *f, uint32_t callee)
{
	return callee == IR_NONE ? NULL : f->shared->sync[callee];
}

struct native { /* the current call of native code */
	const struct ir_insn *in;
	uint32_t insn, callee; /* callee: IR_NONE if it is not a function of the program */
	const struct val *args;
	uint32_t nargs;
	bool is_sync; /* synchronization operation: a record without LOG_F_MORE ends it */
};

static uint64_t sync_object_of(
	const struct follow *f, const struct native *n, const struct follow_sync *r, uint64_t value)
{
	const struct log_sync_fn *fn = sync_function(f, n->callee);
	int k = fn ? fn->object : -1;

	if (r->kind == LOG_S_ALLOC || r->kind == LOG_S_SEM_OPEN)
		return value;
	if (r->kind == LOG_S_ONCE_BEGIN)
		return 0; /* it has no sequence number */
	return k >= 0 && (uint32_t)k < n->nargs ? n->args[k].lo : 0;
}

/* Reads the record and the fields that its flags announce. */
static bool take_sync_words(
	struct follow *f, struct follow_sync *s, struct follow_event *e, uint64_t *value)
{
	struct log_sync r;
	uint32_t hash;

	if (!TAKE_RECORD(f, &r))
		return false;
	*s = (struct follow_sync){.kind = r.kind, .flags = r.flags, .seq = r.seq};
	if (r.kind >= LOG_NSYNC) {
		follow_end(f, FOLLOW_BAD, "the log has an operation of kind %u", r.kind);
		return false;
	}
	if ((r.flags & LOG_F_HASH) && (!follow_take(f, &hash, 4) || !follow_check(f, hash)))
		return false;
	return (!(r.flags & LOG_F_TSC) || follow_take(f, &f->tsc, 8)) &&
	       (!(r.flags & LOG_F_RESULT) || follow_take(f, &s->result, 4)) &&
	       (!(r.flags & LOG_F_VALUE) || follow_take(f, value, 8)) &&
	       (!(r.flags & LOG_F_EXTRA) ||
		       (follow_take(f, &e->seq2, 4) && follow_take(f, &e->extra, 4)));
}

/* Whether a call of the function writes records of that kind. */
static bool has_kind(const struct log_sync_fn *fn, uint8_t kind)
{
	switch (kind) {
	case LOG_S_COND_WOKEN: return fn->kind == LOG_S_COND_WAIT;
	case LOG_S_BARRIER_LEAVE: return fn->kind == LOG_S_BARRIER_ENTER;
	case LOG_S_ONCE_BEGIN: return fn->kind == LOG_S_ONCE;
	case LOG_S_ALLOC: return fn->kind == LOG_S_ALLOC || fn->kind == LOG_S_REALLOC;
	default: return fn->kind == kind;
	}
}

/* *done: the call returned */
static enum step take_sync(struct follow *f, const struct native *n, bool *done)
{
	struct follow_event e = {
		.kind = FOLLOW_SYNC, .callee = n->callee, .args = n->args, .nargs = n->nargs};
	struct opnd result = {0};
	struct follow_sync r;
	uint64_t value = 0;
	const struct log_sync_fn *fn = sync_function(f, n->callee);

	if (!take_sync_words(f, &r, &e, &value))
		return STEP_STOP;
	if (fn && !has_kind(fn, r.kind))
		return follow_end(f, FOLLOW_BAD, "the log has the operation '%s' where '%s' is called",
			log_sync_text(r.kind), fn->name);
	e.sync = &r;
	e.tsc = f->tsc;
	e.sync_value = value;
	e.object = sync_object_of(f, n, &r, value);
	if (r.kind == LOG_S_CREATE)
		follow_hand_out(f);
	if (r.kind == LOG_S_ALLOC || r.kind == LOG_S_REALLOC || r.kind == LOG_S_FREE)
		follow_heap_record(f, r.kind, fn ? fn->name : NULL, n->args, n->nargs, value);
	if (f->over)
		return STEP_STOP;
	if (follow_wants(f, FOLLOW_SYNC))
		follow_tell(f, &e);
	f->points += fn != NULL;
	if ((r.flags & LOG_F_ITEMS) && take_items(f) == STEP_STOP)
		return STEP_STOP;
	*done = n->is_sync && !(r.flags & LOG_F_MORE);
	if (*done && n->in->imm) {
		result.v.lo = r.flags & LOG_F_VALUE && n->in->type == IR_PTR
				      ? value
				      : (uint64_t)(int64_t)r.result;
		call_deliver(&f->m, f->t, top(f->t), n->insn, &result, 1);
	}
	return STEP_NEXT;
}

static enum step take_blocked(struct follow *f, const struct native *n)
{
	struct follow_event e = {
		.kind = FOLLOW_BLOCKED, .callee = n->callee, .args = n->args, .nargs = n->nargs};
	struct log_blocked r;

	if (!TAKE_RECORD(f, &r) || !follow_check(f, r.hash))
		return STEP_STOP;
	e.object = sync_object_of(f, n, &(struct follow_sync){.kind = LOG_NSYNC}, 0);
	if (follow_wants(f, FOLLOW_BLOCKED))
		follow_tell(f, &e);
	return STEP_NEXT;
}

bool follow_take_results(struct follow *f, struct frame *fr, uint32_t insn, struct val *first)
{
	const struct ir_func *fn = frame_func(&f->m, fr);
	const struct ir_insn *in = &fn->insns.at[insn];
	bool in_segment = follow_plan(f, fr->func, in)->call != CALL_INDIRECT;
	struct opnd vals[16] = {0};

	BUG_ON((uint64_t)in->imm > ARRAY_SIZE(vals));
	for (uint32_t i = 0; i < (uint32_t)in->imm; i++) {
		uint32_t size = ir_type_bytes(fn->regs.at[in->dst + i].type);

		if (!(in_segment ? follow_take_value(f, &vals[i].v, size)
				 : follow_take(f, &vals[i].v, size)))
			return false;
	}
	call_deliver(&f->m, f->t, fr, insn, vals, (uint32_t)in->imm);
	*first = vals[0].v;
	return true;
}

static enum step take_results(struct follow *f, const struct native *n)
{
	struct follow_event e = {.kind = FOLLOW_RETURN, .callee = n->callee};

	if (!follow_take_results(f, top(f->t), n->insn, &e.value))
		return STEP_STOP;
	follow_library_block(f, e.value.lo);
	if (follow_wants(f, FOLLOW_RETURN))
		follow_tell(f, &e);
	return STEP_NEXT;
}

static enum step take_return(struct follow *f, const struct native *n)
{
	struct log_return r;

	if (!TAKE_RECORD(f, &r) || !follow_check(f, r.hash))
		return STEP_STOP;
	if ((r.flags & LOG_F_ITEMS) && take_items(f) == STEP_STOP)
		return STEP_STOP;
	if (follow_skip_state(f, top(f->t)) == STEP_STOP)
		return STEP_STOP;
	return take_results(f, n);
}

static enum step take_setjmp(struct follow *f, const struct native *n)
{
	struct frame *fr = top(f->t);
	struct opnd zero = {0};
	struct log_setjmp r;
	struct follow_jump j = {.buf = n->nargs ? n->args[0].lo : 0,
		.serial = fr->serial,
		.insn = n->insn,
		.ip = fr->careful ? UINT32_MAX : (uint32_t)(fr->ip - fr->code->ins)};

	if (!TAKE_RECORD(f, &r) || !follow_check(f, r.hash))
		return STEP_STOP;
	for (uint32_t i = 0; i < f->jumps.n; i++)
		if (f->jumps.at[i].buf == j.buf)
			f->jumps.at[i--] = vec_pop(&f->jumps);
	vec_push(&f->jumps, j);
	call_deliver(&f->m, f->t, fr, n->insn, &zero, 1);
	return STEP_NEXT;
}

static enum step take_jump(struct follow *f)
{
	struct machine *m = &f->m;
	struct thread *t = f->t;
	struct follow_jump *j = NULL;
	uint32_t depth = t->frames.n;
	struct opnd v = {0};
	struct log_jump r;
	struct frame *fr;

	if (!TAKE_RECORD(f, &r))
		return STEP_STOP;
	vec_each (&f->jumps, i)
		if (f->jumps.at[i].buf == r.buf)
			j = &f->jumps.at[i];
	while (j && depth && t->frames.at[depth - 1].serial != j->serial)
		depth--;
	if (!j || !depth)
		return follow_end(
			f, FOLLOW_DIVERGED, "a longjmp to a setjmp that was not recorded");
	while (t->frames.n > depth)
		frame_pop(m, t);
	fr = top(t);
	if (!fr->careful && j->ip == UINT32_MAX)
		frame_make_careful(m, t, fr, j->insn);
	fr->pc = j->insn;
	if (!fr->careful)
		fr->ip = fr->code->ins + j->ip;
	if (!follow_check(f, r.hash))
		return STEP_STOP;
	v.v.lo = (uint64_t)(int64_t)r.result;
	call_deliver(m, t, fr, j->insn, &v, 1);
	if (follow_skip_state(f, fr) == STEP_STOP)
		return STEP_STOP;
	if (fr->careful)
		fr->pc++;
	return STEP_JUMPED;
}

static enum step take_stop(struct follow *f)
{
	struct log_stop r;

	if (!TAKE_RECORD(f, &r) || !follow_check(f, r.hash))
		return STEP_STOP;
	return follow_end(f, FOLLOW_STOPPED, "%s", log_stop_text(r.why));
}

static enum step take_end(struct follow *f)
{
	struct follow_event e = {.kind = FOLLOW_END};
	struct log_end r;

	if (!TAKE_RECORD(f, &r) || !follow_check(f, r.hash))
		return STEP_STOP;
	e.tsc = r.tsc;
	if (follow_wants(f, FOLLOW_END))
		follow_tell(f, &e);
	return follow_end(f, FOLLOW_DONE, "%s", "");
}

/* ---- out of traced code ---------------------------------------------------------------------- */

/*
 * Reads the records of the call n of the top frame to code that is not traced, until the call
 * returns, an activation begins, or longjmp is called. A fast frame already stands after the call.
 */
static enum step take_native_records(struct follow *f, const struct native *n)
{
	bool done = false;
	enum step st;
	uint8_t tag;

	while (!done) {
		if (!follow_take(f, &tag, 1))
			return STEP_STOP;
		switch (tag) {
		case LOG_CALLBACK: return run_callback(f);
		case LOG_SYNC: st = take_sync(f, n, &done); break;
		case LOG_BLOCKED: st = take_blocked(f, n); break;
		case LOG_RETURN:
			st = take_return(f, n);
			done = true;
			break;
		case LOG_SETJMP:
			st = take_setjmp(f, n);
			done = true;
			break;
		case LOG_JUMP: return take_jump(f);
		case LOG_STOP: return take_stop(f);
		case LOG_END: return take_end(f);
		default: return bad_record(f, tag, "where a call left traced code");
		}
		if (st == STEP_STOP)
			return st;
	}
	if (tag != LOG_RETURN && follow_skip_state(f, top(f->t)) == STEP_STOP)
		return STEP_STOP;
	if (top(f->t)->careful)
		top(f->t)->pc++;
	return follow_go_on(f);
}

/* Continues after the return of a traced callee; the frame has its results. */
enum step follow_returned(struct machine *m, struct thread *t)
{
	if (!t->frames.n)
		return follow_bottom(m->follow);
	return follow_skip_state(m->follow, top(t)) == STEP_STOP ? STEP_STOP : STEP_JUMPED;
}

static uint32_t get_args(struct follow *f, const struct ir_insn *in, struct val *args)
{
	const struct ir_func *fn = frame_func(&f->m, top(f->t));
	const uint32_t *x = fn->extra.at + in->arg[1];
	uint32_t n = MIN(in->arg[2], (uint32_t)MAX_ARGS);

	for (uint32_t i = 0; i < n; i++)
		args[i] = frame_get(&f->m, f->t, top(f->t), x[2 * i]).v;
	return n;
}

static uint32_t call_target(struct follow *f, const struct ir_insn *in)
{
	const struct ir_func *fn = frame_func(&f->m, top(f->t));

	if (ir_callee(fn, in) != IR_NONE)
		return ir_callee(fn, in);
	return follow_func_at(f->shared, frame_get(&f->m, f->t, top(f->t), in->arg[0]).v.lo);
}

static bool is_sync(const struct follow *f, const struct plan_insn *pi, uint32_t callee)
{
	return pi->call == CALL_SYNC ||
	       (pi->call == CALL_INDIRECT && sync_function(f, callee));
}

enum step follow_call(struct machine *m, struct thread *t, const struct ir_insn *in)
{
	struct follow *f = m->follow;
	struct frame *fr = top(t);
	const struct plan_insn *pi = follow_plan(f, fr->func, in);
	struct val args[MAX_ARGS];
	struct native n = {.in = in,
		.insn = (uint32_t)(in - frame_func(m, fr)->insns.at),
		.callee = call_target(f, in),
		.args = args};
	struct follow_event e = {.kind = FOLLOW_CALL, .callee = n.callee, .args = args};

	n.is_sync = is_sync(f, pi, n.callee);

	fr->pieces = f->pieces;
	f->call = n.insn;
	n.nargs = e.nargs = get_args(f, in, args);
	if (n.callee != IR_NONE && f->pl->funcs[n.callee].traced) {
		if (!fr->careful)
			fr->ip++;
		return enter_function(f, n.callee, args, n.nargs);
	}
	if (follow_wants(f, FOLLOW_CALL) && !n.is_sync)
		follow_tell(f, &e);
	if (pi->call == CALL_PURE)
		return take_results(f, &n);
	if (pi->flags & PLAN_F_LATE)
		follow_hand_out(f);
	if (!fr->careful)
		fr->ip++;
	return take_native_records(f, &n);
}

void follow_leave(struct machine *m, struct val v)
{
	struct follow_event e = {
		.kind = FOLLOW_LEAVE, .value = v, .callee = top(m->follow->t)->func};

	if (follow_wants(m->follow, FOLLOW_LEAVE))
		follow_tell(m->follow, &e);
}

enum step follow_ended(struct machine *m, struct thread *t)
{
	struct follow *f = m->follow;
	struct log_callback_end r;
	struct val args[MAX_ARGS];
	struct native n;
	struct frame *fr;

	if (!follow_take(f, &r, sizeof r))
		return STEP_STOP;
	if (r.tag != LOG_CALLBACK_END)
		return bad_record(f, r.tag, "where a callback returns");
	if (!follow_check(f, r.hash))
		return STEP_STOP;
	if (!t->frames.n)
		return follow_bottom(f);
	fr = top(t);
	n.insn = f->call = frame_insn(fr, false);
	n.in = &frame_func(m, fr)->insns.at[n.insn];
	n.callee = call_target(f, n.in);
	n.args = args;
	n.nargs = get_args(f, n.in, args);
	n.is_sync = is_sync(f, follow_plan(f, fr->func, n.in), n.callee);
	return take_native_records(f, &n);
}

/* With a window the stream can begin inside of calls: then it has records of frames that are not
 * known, which are read and dropped up to the next LOG_STATE. */
enum step follow_bottom(struct follow *f)
{
	static const struct ir_insn nothing;
	struct native n = {.in = &nothing, .callee = IR_NONE};
	bool done = false, native = false;
	union {
		struct log_callback_end end;
		struct log_return ret;
		struct log_setjmp set;
		struct log_jump jump;
	} r;
	uint8_t tag;

	for (;;) {
		bool ok = true;

		if (!follow_take(f, &tag, 1))
			return STEP_STOP;
		if (!f->opt.window && (tag == LOG_STATE || tag == LOG_RETURN || tag == LOG_SETJMP ||
					      tag == LOG_JUMP || tag == LOG_CALLBACK_END))
			return bad_record(f, tag, "at the bottom of a thread");
		switch (tag) {
		case LOG_CALLBACK: return run_callback(f);
		case LOG_END: return take_end(f);
		case LOG_STOP: return take_stop(f);
		case LOG_STATE: return follow_take_state(f, native);
		case LOG_SYNC: ok = take_sync(f, &n, &done) != STEP_STOP; break;
		case LOG_BLOCKED: ok = take_blocked(f, &n) != STEP_STOP; break;
		case LOG_CALLBACK_END: ok = TAKE_RECORD(f, &r.end); break;
		case LOG_SETJMP: ok = TAKE_RECORD(f, &r.set); break;
		case LOG_JUMP: ok = TAKE_RECORD(f, &r.jump); break;
		case LOG_RETURN:
			ok = TAKE_RECORD(f, &r.ret) &&
			     (!(r.ret.flags & LOG_F_ITEMS) || take_items(f) != STEP_STOP);
			native = true;
			break;
		default: return bad_record(f, tag, "at the bottom of a thread");
		}
		if (!ok)
			return STEP_STOP;
	}
}
