/* The initial state of an exploration from a context: threads, frames, registers. */
#include "explore/from.h"

#include "base/base.h"
#include "base/diag.h"
#include "machine/code.h"
#include "explore/from_internal.h"

#include <stdlib.h>
#include <string.h>

struct from *from_new(const struct ir_program *p, const char *text, const struct from_options *opt)
{
	struct vec_context_thread threads = {0};
	struct from *f;

	if (context_parse(p, text, &threads))
		return NULL;
	f = from_new_at(p, &threads, opt);
	f->text = xstrdup(text);
	return f;
}

struct from *from_new_at(const struct ir_program *p, const struct vec_context_thread *threads,
	const struct from_options *opt)
{
	struct from *f = xcalloc(1, sizeof *f);

	f->p = p;
	f->opt = *opt;
	f->threads = *threads;
	f->pt = points_to_new(p, NULL);
	return f;
}

void from_free(struct from *f)
{
	if (f->c)
		context_free(f->c);
	points_to_free(f->pt);
	context_threads_release(&f->threads);
	vec_release(&f->locals);
	vec_release(&f->solved);
	free(f->ids);
	free(f->text);
	map_release(&f->words);
	map_release(&f->heaps);
	map_release(&f->addresses);
	term_subst_release(&f->subst);
	free(f);
}

void from_print(const struct from *f, struct strbuf *out)
{
	if (f->c)
		context_print(f->c, out);
}

const char *from_text(const struct from *f)
{
	return f->text;
}

/* ---- values for the report ------------------------------------------------------------------ */

/* Appends the name without suffixes: "work.k" for "work.k!10", "count" for "count+0". */
static void print_name(const struct from *f, term_t sym, struct strbuf *out)
{
	struct strbuf b = {0};
	char *s, *end;

	term_print(&b, f->ts, sym);
	s = b.s + (*b.s == '|');
	end = s + strcspn(s, "|!");
	if (end - s > 2 && !strncmp(end - 2, "+0", 2))
		end -= 2;
	strbuf_add(out, s, (size_t)(end - s));
	strbuf_release(&b);
}

static void print_value(const struct from *f, term_t sym, struct term_assign *model, struct strbuf *out)
{
	unsigned bits = term_width(f->ts, sym);
	u128 v = term_value(model, sym);

	print_name(f, sym, out);
	if (bits <= 64 && !(bits == 64 && v >> 32))
		strbuf_addf(out, " = %lld\n", (long long)((int64_t)((uint64_t)v << (64 - bits)) >> (64 - bits)));
	else
		strbuf_addf(out, " = 0x%llx\n", (unsigned long long)v);
}

void from_values(const struct from *f, const term_t *path, uint32_t n, struct term_assign *model,
	struct strbuf *out)
{
	enum { MOST = 24 };
	struct map told = {0};
	uint32_t count = 0;

	for (uint32_t i = 0; i < n && count < MOST; i++) {
		const struct term_syms *syms = term_syms(f->ts, path[i]);

		for (uint32_t k = 0; k < syms->n && count < MOST; k++) {
			uint64_t *seen = map_put(&told, syms->at[k].id);

			if (*seen || !term_width(f->ts, syms->at[k]) ||
				!strncmp(term_name(f->ts, syms->at[k]), SYM_OPAQUE, strlen(SYM_OPAQUE)))
				continue;
			*seen = 1;
			count++;
			print_value(f, syms->at[k], model, out);
		}
	}
	map_release(&told);
}

/* ---- execution of models up to a function ---------------------------------------------------- */

bool from_pause(void *ctx, struct machine *m, struct thread *t, const struct ir_insn *in)
{
	const struct from *f = ctx;

	(void)m, (void)in;
	return top(t)->func == f->stop_at && !top(t)->pc;
}

/* Executes only the thread, until it is before the first instruction of the function. */
static int run_to(struct from *f, struct machine *m, struct thread *t, uint32_t func)
{
	f->stop_at = func;
	m->current = t->id;
	for (;;) {
		enum step st;

		m->fuel = INT32_MAX;
		st = step_run(m, t);
		if (t->frames.n && top(t)->func == func && !top(t)->pc)
			return 0;
		if (st == STEP_STOP || t->state != THREAD_READY)
			return error_("cannot create a state of the program at '%s': %s",
				ir_func_name(f->p, func), m->res->report.s ? m->res->report.s : "");
	}
}

/* Calls a function of the models in the main thread, which is before main. */
static int call_function(struct from *f, struct machine *m, uint32_t func, const struct opnd *args,
	const ir_type *types, uint32_t n)
{
	struct thread *t = m->threads.at[0];
	enum step st;

	if (frame_push(m, t, func, args, types, NULL, n) == STEP_STOP)
		return error_("the stack of the main thread is too small");
	top(t)->initial = true; /* its return ends the execution with THREAD_LEFT */
	f->stop_at = IR_NONE;
	m->current = 0;
	do {
		m->fuel = INT32_MAX;
		st = step_run(m, t);
	} while (st != STEP_STOP && t->state == THREAD_READY);
	if (t->state != THREAD_LEFT)
		return error_("'%s' did not return: %s", ir_func_name(f->p, func),
			m->res->report.s ? m->res->report.s : "");
	t->state = THREAD_READY;
	m->nlive++;
	return 0;
}

/* Makes a thread with the model of pthread_create(), executes it up to its start function, and
 * removes the frame of that function. */
static struct thread *make_thread(struct from *f, struct machine *m, uint32_t start)
{
	static const ir_type types[4] = {IR_PTR, IR_PTR, IR_PTR, IR_PTR};
	uint32_t create = ir_find_func(f->p, "pthread_create");
	uint64_t handle = heap_alloc(&m->heap, &m->mem, 8, 16, true, 0, (stack_id){0});
	struct opnd args[4] = {[0].v.lo = handle, [2].v.lo = func_addr(start)};
	struct thread *t;

	if (create == IR_NONE || (f->p->funcs.at[create].flags & IR_FN_EXTERN)) {
		error_("the program starts no threads: only T0, its main thread, can be given");
		return NULL;
	}
	if (call_function(f, m, create, args, types, 4))
		return NULL;
	t = m->threads.at[m->threads.n - 1];
	if (run_to(f, m, t, start))
		return NULL;
	frame_pop(m, t);
	return t;
}

/* ---- frames ---------------------------------------------------------------------------------- */

static uint64_t alloca_size(const struct ir_func *fn, const struct ir_insn *in)
{
	const struct ir_local *l = &fn->locals.at[in->imm];

	if (ir_is_const(in->arg[0]) && ir_const(fn, in->arg[0])->kind == IR_C_BITS)
		return l->size * ir_const(fn, in->arg[0])->lo;
	return l->size * 64; /* an array of unknown length: assumes 64 elements */
}

/* Allocates all stack variables of the frame, also those whose alloca comes after its place. */
static int make_locals(struct from *f, struct machine *m, struct thread *t, uint32_t thread,
	uint32_t frame)
{
	const struct ir_func *fn = frame_func(m, top(t));

	vec_each (&fn->insns, i) {
		const struct ir_insn *in = &fn->insns.at[i];
		uint64_t size, a;

		if (ir_ops[in->op].shape != IR_S_ALLOCA)
			continue;
		size = alloca_size(fn, in);
		a = stack_alloc(m, t, size, fn->locals.at[in->imm].align, (uint32_t)in->imm);
		if (!a)
			return error_("the stack of thread T%u is too small", thread);
		vec_push(&f->locals, (struct from_local){thread, frame, top(t)->func,
					     (uint32_t)in->imm, a, size, in->dst});
	}
	return 0;
}

static int make_frames(struct from *f, struct machine *m, struct thread *t, uint32_t k)
{
	const struct context_thread *ct = &f->threads.at[k];

	vec_each (&ct->stack, i) {
		const struct context_place *at = &ct->stack.at[i];
		struct frame *fr = frame_open(m, t, code_get(m, at->func));

		if (!fr)
			return error_("the stack of thread T%u is too small", ct->id);
		frame_make_careful(m, t, fr, at->insn);
		if (i == 0)
			fr->initial = !context_thread_complete(f->c, k);
		if (make_locals(f, m, t, k, i))
			return -1;
	}
	return 0;
}

/* ---- registers ------------------------------------------------------------------------------- */

/* Asks the context for every register of every initial frame, which makes the symbols that
 * fill_addresses() needs. */
static void ask_registers(struct from *f)
{
	vec_each (&f->threads, k)
		vec_each (&f->threads.at[k].stack, i) {
			const struct ir_func *fn = &f->p->funcs.at[f->threads.at[k].stack.at[i].func];

			vec_each (&fn->regs, r)
				if (fn->regs.at[r].type != IR_VOID)
					context_register(f->c, k, i, r);
		}
}

static void set_registers(struct from *f, struct machine *m, struct thread *t, uint32_t k)
{
	uint32_t base = t->frames.n - f->threads.at[k].stack.n;

	vec_each (&f->threads.at[k].stack, i) {
		struct frame *fr = &t->frames.at[base + i];
		const struct ir_func *fn = frame_func(m, fr);

		vec_each (&fn->regs, r) {
			term_t v;

			if (fn->regs.at[r].type == IR_VOID)
				continue;
			v = from_term(f, context_register(f->c, k, i, r));
			frame_set(m, t, fr, r, opnd_of_term(m, v));
		}
	}
	vec_each (&f->locals, i) {
		const struct from_local *l = &f->locals.at[i];

		if (l->thread == k)
			frame_set(m, t, &t->frames.at[base + l->frame], l->reg,
				(struct opnd){.v = {l->addr, 0}});
	}
}

/* ---- the whole state ------------------------------------------------------------------------- */

static int start_models(struct from *f, struct machine *m)
{
	uint32_t main_ = ir_find_func(f->p, "main");
	struct thread *t = m->threads.at[0];

	if (run_to(f, m, t, main_))
		return -1;
	frame_pop(m, t);
	return 0;
}

static int make_threads(struct from *f, struct machine *m, struct thread **who)
{
	bool main_given = false;

	vec_each (&f->threads, k) {
		const struct context_thread *ct = &f->threads.at[k];

		who[k] = ct->id ? make_thread(f, m, ct->stack.at[0].func) : m->threads.at[0];
		main_given |= !ct->id;
		if (!who[k])
			return -1;
		f->ids[k] = who[k]->id;
	}
	vec_each (&f->threads, k) {
		if (make_frames(f, m, who[k], k))
			return -1;
		who[k]->waits_first = f->threads.at[k].waiting;
	}
	if (!main_given) {
		m->threads.at[0]->state = THREAD_LEFT;
		m->nlive--;
	}
	return 0;
}

/* An initial waiter, if there is one: it executes its wait before other threads execute an operation,
 * and the thread that runs first may have no choice before its first one. */
static uint32_t first_to_run(const struct from *f, struct thread *const *who)
{
	vec_each (&f->threads, k)
		if (f->threads.at[k].waiting)
			return who[k]->id;
	return who[0]->id;
}

int from_install(struct from *f, struct machine *m)
{
	struct context_options co = {f->opt.no_reach, f->opt.no_invariants,
		f->opt.races || m->opt->switches == EXEC_SWITCH_ACCESS, true};
	struct thread **who = xcalloc(f->threads.n, sizeof *who);
	const term_t *holds;
	uint32_t n;
	int r = -1;

	f->m = m;
	f->ids = xcalloc(f->threads.n, sizeof *f->ids);
	f->ts = m->ts;
	f->c = context_new(f->p, f->pt, f->ts, f->threads.at, f->threads.n, &co);
	if (!start_models(f, m) && !make_threads(f, m, who)) {
		ask_registers(f);
		from_solve(f);
		from_memory(f, m);
		vec_each (&f->threads, k)
			set_registers(f, m, who[k], k);
		holds = context_conditions(f->c, &n);
		for (uint32_t i = 0; i < n; i++)
			if (!sym_assume(m, from_term(f, holds[i])))
				note_("a condition of the initial state can never hold");
		r = f->opt.no_invariants ? 0 : from_exclude(f, m);
		m->current = first_to_run(f, who);
		m->instructions = m->branches = 0;
	}
	free(who);
	return r;
}
