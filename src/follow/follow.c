#include "follow/follow.h"

#include "base/arena.h"
#include "base/diag.h"
#include "ir/cfg.h"
#include "machine/code.h"
#include "follow/follow_internal.h"

#include <stdarg.h>
#include <stdlib.h>

/* ---- the stream ------------------------------------------------------------------------------ */

static uint64_t consumed_bytes(const struct follow *f)
{
	return f->taken + f->piece - (uint64_t)(f->m.log.end - f->m.log.at);
}

/* Gets the next piece. The current one must be used up. */
static bool look_ahead(struct follow *f)
{
	if (!f->ahead && !f->next(f->next_ctx, &f->ahead, &f->ahead_n))
		f->ahead = NULL;
	return f->ahead;
}

/* Whether the stream has another byte. */
static bool follow_more(struct follow *f)
{
	return f->m.log.at < f->m.log.end || look_ahead(f);
}

enum step follow_go_on(struct follow *f)
{
	if (f->opt.beyond || follow_more(f))
		return STEP_JUMPED;
	return follow_end(f, FOLLOW_CUT, "the log ends here");
}

bool follow_take_slow(struct follow *f, void *to, size_t n)
{
	uint8_t *out = to;

	while (n) {
		size_t k = MIN(n, (size_t)(f->m.log.end - f->m.log.at));

		if (k) { /* else there may be no piece */
			memcpy(out, f->m.log.at, k);
			f->m.log.at += k;
			out += k;
			n -= k;
		}
		if (!n)
			break;
		f->taken += f->piece;
		f->piece = 0;
		if (!look_ahead(f)) {
			f->m.log.at = f->m.log.end = NULL;
			follow_end(f, FOLLOW_CUT, "the log ends here");
			return false;
		}
		f->m.log.at = f->ahead;
		f->piece = f->ahead_n;
		f->m.log.end = f->m.log.at + f->ahead_n;
		f->ahead = NULL;
		f->pieces++;
	}
	return true;
}

bool follow_take_value_slow(struct follow *f, void *to, size_t n)
{
	if (f->whole && f->m.log.at == f->m.log.end && !follow_skip_segment_state(f))
		return false;
	return follow_take(f, to, n);
}

bool follow_range(struct follow *f, uint64_t addr, uint64_t n)
{
	if (addr <= 1ull << 47 && n <= (1ull << 47) - addr)
		return true;
	follow_end(f, FOLLOW_BAD, "the log has %llu bytes at address 0x%llx", (unsigned long long)n,
		(unsigned long long)addr);
	return false;
}

bool follow_check(struct follow *f, uint32_t hash)
{
	if (log_fold(f->m.log.hash) == hash) {
		f->sure = f->m.instructions;
		return true;
	}
	follow_end(f, FOLLOW_DIVERGED,
		"addresses or branches differ from the recorded ones (does the program read memory "
		"that "
		"that it did not initialize?)");
	return false;
}

void follow_place(const struct follow *f, struct strbuf *b)
{
	for (uint32_t i = f->t->frames.n; i-- > 0;) {
		const struct frame *fr = &f->t->frames.at[i];
		const struct ir_func *fn = &f->pl->p->funcs.at[fr->func];
		uint32_t insn = frame_insn(fr, i + 1 == f->t->frames.n);
		struct diag_pos pos =
			ir_diag_pos(f->pl->p, fn->insns.at[MIN(insn, fn->insns.n - 1)].pos);

		if (!pos.file)
			continue;
		strbuf_addf(b, "%s:%u:%u in '%s': ", pos.file, pos.line, pos.col,
			ir_str(f->pl->p, fn->name));
		return;
	}
}

enum step follow_end(struct follow *f, enum follow_status st, const char *fmt, ...)
{
	va_list ap;

	if (f->over)
		return STEP_STOP;
	f->over = true;
	f->res->status = st;
	if (st != FOLLOW_DONE) {
		follow_place(f, &f->res->reason);
		va_start(ap, fmt);
		strbuf_vaddf(&f->res->reason, fmt, ap);
		va_end(ap);
	}
	return STEP_STOP;
}

/* ---- events ---------------------------------------------------------------------------------- */

void follow_tell(struct follow *f, struct follow_event *e)
{
	e->func = e->insn = IR_NONE;
	if (f->t->frames.n) {
		const struct frame *fr = top(f->t);

		e->func = fr->func;
		e->insn = MIN(frame_insn(fr, true), f->pl->p->funcs.at[fr->func].insns.n - 1);
		if (e->kind == FOLLOW_SYNC || e->kind == FOLLOW_BLOCKED ||
			e->kind == FOLLOW_RETURN || e->kind == FOLLOW_NATIVE_READ ||
			e->kind == FOLLOW_NATIVE_WRITE)
			e->insn = f->call; /* the frame may already be after the call */
	}
	f->told = e->insn;
	e->index = f->m.instructions;
	f->events++;
	f->opt.event(f->opt.ctx, f, e);
}

uint32_t follow_stack(const struct follow *f, struct follow_frame *out, uint32_t max)
{
	uint32_t n = f->t->frames.n;

	for (uint32_t i = 0; i < n && i < max; i++) {
		const struct frame *fr = &f->t->frames.at[n - 1 - i];

		out[i] = (struct follow_frame){fr->func, i ? frame_insn(fr, false) : f->told};
	}
	return n;
}

uint64_t follow_frame(const struct follow *f)
{
	return f->t->frames.n ? vec_last(&f->t->frames).serial : 0;
}

bool follow_in_frame(const struct follow *f, uint64_t frame)
{
	for (uint32_t i = f->t->frames.n; i-- > 0;)
		if (f->t->frames.at[i].serial <= frame)
			return f->t->frames.at[i].serial == frame;
	return false;
}

bool follow_memory(const struct follow *f, uint64_t addr, void *to, uint32_t n)
{
	uint64_t bad;

	return mem_out((struct mem *)&f->m.mem, addr, to, n, &bad) == MEM_OK;
}

/* The instructions of the current block that the frame has executed, including insn. The fast mode
 * counts instructions at the end of a block. */
static uint64_t in_block(const struct follow *f, const struct frame *fr, uint32_t insn)
{
	const struct ir_func *fn = &f->pl->p->funcs.at[fr->func];

	return insn - fn->blocks.at[cfg_block_of(fn, insn)].first + 1;
}

void follow_shift(struct follow *f, bool careful, uint32_t kinds)
{
	struct thread *t = f->t;

	f->opt.kinds = kinds;
	f->m.slow = careful;
	for (uint32_t i = 0; careful && i < t->frames.n; i++) {
		struct frame *fr = &t->frames.at[i];
		uint32_t insn = i + 1 == t->frames.n ? f->told : frame_insn(fr, false);

		if (fr->careful)
			continue;
		f->m.instructions += in_block(f, fr, insn);
		frame_make_careful(&f->m, t, fr, insn);
	}
}

uint64_t follow_instructions(const struct follow *f)
{
	return f->m.instructions;
}

uint64_t follow_points(const struct follow *f)
{
	return f->points;
}

struct val follow_reg(const struct follow *f, uint32_t reg)
{
	return frame_get((struct machine *)&f->m, f->t, top(f->t), reg).v;
}

/* ---- addresses ------------------------------------------------------------------------------- */

static uint64_t func_addr_of(const struct machine *m, uint32_t func)
{
	return follow_func_addr(m->follow->shared, func);
}

static uint32_t func_at_addr(const struct machine *m, uint64_t addr)
{
	return follow_func_at(m->follow->shared, addr);
}

uint64_t follow_global_addr(const struct follow_snapshot *s, uint32_t global)
{
	return s && global < s->nglobals ? s->globals[global] : 0;
}

uint64_t follow_func_addr(const struct follow_snapshot *s, uint32_t func)
{
	return s && func < s->nfuncs ? s->funcs[func] : 0;
}

uint32_t follow_func_at(const struct follow_snapshot *s, uint64_t addr)
{
	return s ? (uint32_t)map_get_or(&s->by_addr, addr, 0) - 1 : IR_NONE;
}

static struct follow_snapshot *follow_snapshot_ref(struct follow_snapshot *s)
{
	__atomic_add_fetch(&s->refs, 1, __ATOMIC_RELAXED);
	return s;
}

void follow_snapshot_free(struct follow_snapshot *s)
{
	if (!s || __atomic_sub_fetch(&s->refs, 1, __ATOMIC_ACQ_REL))
		return;
	mem_release(&s->mem);
	free(s->globals);
	free(s->funcs);
	free(s->sync);
	map_release(&s->by_addr);
	free(s);
}

static struct follow_snapshot *snapshot_new(const struct ir_program *p)
{
	struct follow_snapshot *s = xcalloc(1, sizeof *s);

	s->refs = 1;
	s->nglobals = p->globals.n;
	s->nfuncs = p->funcs.n;
	s->globals = xcalloc(p->globals.n + 1, sizeof *s->globals);
	s->funcs = xcalloc(p->funcs.n + 1, sizeof *s->funcs);
	s->sync = follow_sync_functions(p);
	return s;
}

/* ---- the start of a thread ------------------------------------------------------------------- */

static enum step take_tables(struct follow *f, const struct log_thread *r)
{
	const struct ir_program *p = f->pl->p;
	struct follow_snapshot *s = f->shared;
	uint32_t nglobals = 0;

	vec_each (&p->globals, g)
		nglobals += !(p->globals.at[g].flags & IR_G_TLS);
	if (r->nglobals != nglobals || r->nfuncs != p->funcs.n)
		return follow_end(f, FOLLOW_BAD,
			"the log belongs to another program: %u globals and %u functions, not %u "
			"and %u",
			r->nglobals, r->nfuncs, nglobals, p->funcs.n);
	vec_each (&p->globals, g)
		if (!(p->globals.at[g].flags & IR_G_TLS) && !follow_take(f, &s->globals[g], 8))
			return STEP_STOP;
	vec_each (&p->funcs, i) {
		if (!follow_take(f, &s->funcs[i], 8))
			return STEP_STOP;
		if (s->funcs[i] && !map_get(&s->by_addr, s->funcs[i]))
			*map_put(&s->by_addr, s->funcs[i]) = i + 1;
	}
	return STEP_NEXT;
}

/* thread.tls is this far below the first thread-local variable: an offset of 0 means undefined. */
enum { TLS_SLACK = 64 };

static enum step take_tls(struct follow *f, const struct log_thread *r)
{
	const struct ir_program *p = f->pl->p;
	uint32_t ntls = 0;
	uint64_t a;

	vec_each (&p->globals, g)
		ntls += (p->globals.at[g].flags & IR_G_TLS) != 0;
	if (r->ntls != ntls)
		return follow_end(f, FOLLOW_BAD,
			"the log belongs to another program: %u thread-local variables, not %u",
			r->ntls, ntls);
	f->t->tls = 0;
	vec_each (&p->globals, g) {
		if (!(p->globals.at[g].flags & IR_G_TLS))
			continue;
		if (!follow_take(f, &a, 8))
			return STEP_STOP;
		if (!f->t->tls)
			f->t->tls = a - TLS_SLACK;
		f->m.globals.addr[g] = a ? a - f->t->tls : 0;
	}
	return STEP_NEXT;
}

static void fill_global(struct follow *f, uint32_t g, uint64_t a)
{
	const struct ir_program *p = f->pl->p;
	const struct ir_global *gl = &p->globals.at[g];
	struct mem *m = &f->m.mem;
	uint64_t bad, v;

	if (!a || (gl->flags & IR_G_EXTERN))
		return;
	mem_map(m, a, gl->size, true);
	if (gl->init)
		mem_in(m, a, gl->init, gl->size, &bad);
	vec_each (&gl->relocs, k) {
		const struct ir_reloc *r = &gl->relocs.at[k];

		switch (r->kind) {
		case IR_C_FUNC: v = follow_func_addr(f->shared, r->id); break;
		case IR_C_BLOCK: v = block_addr(r->id, (uint32_t)r->addend); break;
		default: v = follow_global_addr(f->shared, r->id); break;
		}
		if (v && r->kind != IR_C_BLOCK)
			v += (uint64_t)r->addend;
		mem_in(m, a + r->offset, &v, 8, &bad);
	}
}

/* Reads the record of the thread's start. False after follow_end(). */
static bool follow_begin_thread(struct follow *f)
{
	const struct ir_program *p = f->pl->p;
	struct log_thread r;
	struct follow_event e = {.kind = FOLLOW_BEGIN, .thread = &r};

	if (!follow_take(f, &r, sizeof r))
		return false;
	if (r.tag != LOG_THREAD)
		return follow_end(f, FOLLOW_BAD, "the log does not start with a thread's record"),
		       false;
	if (take_tls(f, &r) == STEP_STOP)
		return false;
	if (f->is_main && take_tables(f, &r) == STEP_STOP)
		return false;
	vec_each (&p->globals, g) {
		bool tls = p->globals.at[g].flags & IR_G_TLS;

		if (!tls)
			f->m.globals.addr[g] = follow_global_addr(f->shared, g);
		if (tls && f->m.globals.addr[g])
			fill_global(f, g, f->t->tls + f->m.globals.addr[g]);
		else if (!tls && f->is_main)
			fill_global(f, g, f->m.globals.addr[g]);
	}
	e.tsc = f->tsc = r.tsc;
	if (follow_wants(f, FOLLOW_BEGIN))
		follow_tell(f, &e);
	return true;
}

void follow_hand_out(struct follow *f)
{
	if (!f->is_main || f->handed_out)
		return;
	f->handed_out = true;
	mem_freeze(&f->m.mem, &f->shared->mem);
	if (f->opt.snapshot)
		f->opt.snapshot(f->opt.ctx, follow_snapshot_ref(f->shared));
}

/* ---- one thread ------------------------------------------------------------------------------ */

/* Limits of work and memory. A log can be made so that a loop has any number of iterations. */
enum {
	CHECK_INTERVAL = 1 << 18, /* instructions between checks of the limits */
	MAX_PAGES = 1 << 20,      /* of memory, 4 GiB */
};

static uint32_t patience_of(const struct follow *f)
{
	return f->opt.patience ? f->opt.patience : 20000000;
}

static int64_t check_interval(const struct follow *f)
{
	return MIN(patience_of(f), (uint32_t)CHECK_INTERVAL);
}

/* Checks the limits. A thread in a loop without logged values never reads the log: the program may
 * have been killed in it, so the end of the log is looked for after some time. */
static enum step check_limits(struct follow *f)
{
	f->m.fuel = check_interval(f);
	if (f->opt.budget && f->m.instructions + f->work > f->opt.budget)
		return follow_end(f, FOLLOW_DIVERGED,
			"the thread executes more instructions than the time of the run allows");
	if (f->m.mem.npages > MAX_PAGES)
		return follow_end(f, FOLLOW_DIVERGED, "the thread uses more than 4 GiB of memory");
	if (f->m.instructions < f->look_at)
		return STEP_JUMPED;
	f->look_at = f->m.instructions + patience_of(f);
	return follow_go_on(f);
}

static void observe_insn(void *ctx, struct machine *m, struct thread *t, const struct ir_insn *in)
{
	struct follow *f = ctx;
	uint32_t func = top(t)->func;

	f->opt.insn(f->opt.ctx, f, func, (uint32_t)(in - m->p->funcs.at[func].insns.at));
}

static const struct follow_ops ops = {
	.insn = follow_insn,
	.call = follow_call,
	.leave = follow_leave,
	.returned = follow_returned,
	.ended = follow_ended,
	.block = follow_block,
	.branch = follow_branch,
	.fast_access = follow_fast_access,
	.fast_call = follow_fast_call,
	.block_hash = follow_block_hash,
	.wants_branches = follow_wants_branches,
	.func_addr = func_addr_of,
	.func_at = func_at_addr,
};

static void machine_open(struct follow *f)
{
	struct machine *m = &f->m;
	uint32_t n = f->pl->p->funcs.n;

	f->mres = (struct exec_result){.fault = FAULT_NONE, .stop = STOP_NONE};
	f->mopt = (struct exec_options){.trust = true, .slow = f->opt.insn && !f->opt.shifts};
	if (f->opt.insn) {
		f->mopt.observe = observe_insn;
		f->mopt.observe_ctx = f;
	}
	*m = (struct machine){.p = f->pl->p,
		.opt = &f->mopt,
		.res = &f->mres,
		.follow = f,
		.follow_ops = &ops,
		.slow = f->mopt.slow};
	arena_init(&m->arena);
	intern_init(&m->names);
	mem_init_open(&m->mem, f->is_main ? NULL : &f->shared->mem);
	heap_init(&m->heap, 0);
	m->builtins = arena_array(&m->arena, builtin_fn, n);
	m->stubs = arena_array(&m->arena, const struct exec_stub *, n);
	m->codes = arena_array(&m->arena, struct code *, n);
	m->globals.addr = xcalloc(f->pl->p->globals.n + 1, sizeof *m->globals.addr);
	m->fuel = check_interval(f);
	f->t = xcalloc(1, sizeof *f->t);
	f->t->stack = ADDR_STACK;
	f->t->sp = f->t->stack + 64;
	f->t->limit = ADDR_TLS;
}

struct follow *follow_new(const struct plan *pl, struct follow_snapshot *memory, follow_next next,
	void *next_ctx, const struct follow_options *opt)
{
	struct follow *f = xcalloc(1, sizeof *f);

	f->pl = pl;
	f->next = next;
	f->next_ctx = next_ctx;
	if (opt)
		f->opt = *opt;
	f->is_main = !memory;
	f->whole = pl->whole;
	f->shared = memory ? follow_snapshot_ref(memory) : snapshot_new(pl->p);
	machine_open(f);
	return f;
}

void follow_free(struct follow *f)
{
	vec_release(&f->t->frames);
	vec_release(&f->t->vars);
	free(f->t->slots);
	free(f->t->shadow);
	free(f->t);
	machine_release_memory(&f->m);
	strbuf_release(&f->mres.report);
	vec_release(&f->jumps);
	vec_release(&f->saves);
	vec_release(&f->bytes);
	vec_release(&f->live);
	map_release(&f->blocks);
	follow_snapshot_free(f->shared);
	free(f);
}

/* The machine stopped, mostly by a fault. At the end of the log the program had the same fault;
 * before the end, the re-execution diverged. */
static void end_by_fault(struct follow *f)
{
	bool at_end = f->m.log.at == f->m.log.end;

	f->res->failed = true;
	f->res->fault = f->mres.fault;
	follow_end(f, at_end ? FOLLOW_CUT : FOLLOW_DIVERGED, "%s",
		f->mres.fault != FAULT_NONE    ? fault_words[f->mres.fault].title
		: exec_stop_word(f->mres.stop) ? exec_stop_word(f->mres.stop)
					       : "the machine stopped");
}

void follow_run(struct follow *f, struct follow_result *res)
{
	enum step st = STEP_STOP;

	*res = (struct follow_result){.fault = FAULT_NONE};
	f->res = res;
	f->look_at = patience_of(f);
	if (follow_begin_thread(f))
		st = follow_bottom(f);
	while (st != STEP_STOP && f->t->frames.n) {
		st = top(f->t)->careful ? step_run(&f->m, f->t) : interp_run(&f->m, f->t);
		if (f->m.fuel < 0 && st != STEP_STOP)
			st = check_limits(f);
	}
	if (!f->over)
		end_by_fault(f);
	follow_hand_out(f);
	res->instructions = f->m.instructions;
	res->sure = f->sure;
	res->events = f->events;
	res->bytes = consumed_bytes(f);
}
