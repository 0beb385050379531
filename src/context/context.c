/* Creates a context with its facts, and gives access to them. */
#include "context/context_internal.h"

#include "base/base.h"
#include "base/bitset.h"
#include "base/diag.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "base/vec.h"

#include <string.h>

/* ---- creation -------------------------------------------------------------------------------- */

static void copy_threads(struct context *c, const struct context_thread *threads, uint32_t n)
{
	BUG_ON(n > MAX_THREADS); /* sets of threads are 64-bit masks with BY_OTHERS */
	for (uint32_t i = 0; i < n; i++) {
		struct context_thread t = {.id = threads[i].id,
			.complete = threads[i].complete,
			.waiting = threads[i].waiting};

		vec_each (&threads[i].stack, k)
			vec_push(&t.stack, threads[i].stack.at[k]);
		vec_push(&c->threads, t);
	}
}

/* A function that threads are created with is outermost, also if it was passed as a pointer. */
static void complete_stacks(struct context *c)
{
	vec_each (&c->threads, i) {
		struct context_thread *t = &c->threads.at[i];
		uint32_t func;

		BUG_ON(!t->stack.n);
		func = t->stack.at[0].func;
		if (t->id)
			t->complete |= c->code.starts[func].n != 0;
		else
			t->complete = func == ir_find_func(c->p, "main");
	}
}

struct context *context_new(const struct ir_program *p, const struct points_to *pt,
	struct terms *ts, const struct context_thread *threads, uint32_t n,
	const struct context_options *opt)
{
	struct context *c = xcalloc(1, sizeof *c);

	c->p = p;
	c->pt = pt;
	c->ts = ts;
	if (opt)
		c->opt = *opt;
	copy_threads(c, threads, n);
	code_init(&c->code, p, pt);
	complete_stacks(c);
	outer_frames_init(c);
	before_init(c);
	frames_init(c);
	regions_init(c);
	if (!c->opt.no_reach) {
		conditions_init(c);
		memory_facts_init(c);
	}
	if (!c->opt.no_invariants) {
		locks_init(c);
		barrier_counts_init(c);
		barrier_matching_init(c);
		tickets_init(c);
		numbers_init(c);
	}
	return c;
}

void context_free(struct context *c)
{
	if (!c)
		return;
	memory_release(c);
	frames_release(c);
	before_release(c);
	code_release(&c->code);
	vec_each (&c->threads, i)
		vec_release(&c->threads.at[i].stack);
	vec_release(&c->threads);
	vec_release(&c->hidden);
	vec_release(&c->complete);
	vec_release(&c->memory);
	vec_release(&c->holds);
	vec_release(&c->locks);
	vec_release(&c->locks_known);
	vec_each (&c->barriers, i)
		vec_release(&c->barriers.at[i].counts);
	vec_release(&c->barriers);
	free(c);
}

bool context_thread_complete(const struct context *c, uint32_t thread)
{
	return c->complete.at[thread];
}

/* ---- the facts ------------------------------------------------------------------------------- */

term_t context_register(struct context *c, uint32_t thread, uint32_t frame, uint32_t reg)
{
	uint32_t fr = frame_of(c, thread, c->hidden.at[thread] + frame);
	const struct frame *f = frame_at(c, fr);

	if (c->opt.no_reach || !reach_is_set(c, f->func, reg, f->insn))
		return symbol_register(c, fr, reg);
	return reach_ref(c, fr, reg);
}

const struct context_memory *context_memory(const struct context *c, uint32_t *n)
{
	*n = c->memory.n;
	return c->memory.at;
}

const term_t *context_conditions(const struct context *c, uint32_t *n)
{
	*n = c->holds.n;
	return c->holds.at;
}

const struct context_lock *context_locks(const struct context *c, uint32_t *n)
{
	*n = c->locks.n;
	return c->locks.at;
}

bool context_locks_known(const struct context *c, uint32_t thread)
{
	return !c->opt.no_invariants && c->locks_known.at[thread];
}

const struct context_barrier *context_barriers(const struct context *c, uint32_t *n)
{
	*n = c->barriers.n;
	return c->barriers.at;
}

const struct context_symbol *context_symbol(const struct context *c, term_t sym)
{
	const struct symbol *s = symbol_get(c, sym);

	return s ? &s->is : NULL;
}

/* ---- untouched globals ----------------------------------------------------------------------- */

struct ran { /* functions that may have been executed, and globals that they name */
	struct context *c;
	struct bitset funcs, globals;
	struct vec_u32 work;
};

static void add_func(struct ran *r, uint32_t func)
{
	if (bitset_add(&r->funcs, func))
		vec_push(&r->work, func);
}

static void add_global(struct ran *r, uint32_t global)
{
	const struct ir_global *g = &r->c->p->globals.at[global];

	if (!bitset_add(&r->globals, global))
		return;
	vec_each (&g->relocs, i) {
		if (g->relocs.at[i].kind == IR_C_FUNC)
			add_func(r, g->relocs.at[i].id);
		else if (g->relocs.at[i].kind == IR_C_GLOBAL)
			add_global(r, g->relocs.at[i].id);
	}
}

/* A function that is named may be called. !end: exit() has not been called yet. */
static void add_mentioned(struct ran *r, uint32_t func, bool end)
{
	const struct ir_func *f = &r->c->p->funcs.at[func];

	vec_each (&f->consts, i) {
		const struct ir_const *k = &f->consts.at[i];

		if (k->kind == IR_C_FUNC && (end || strcmp(ir_func_name(r->c->p, k->id), "exit")))
			add_func(r, k->id);
		else if (k->kind == IR_C_GLOBAL)
			add_global(r, k->id);
	}
}

/* A global of the models keeps its initial bytes if no function that names it may have been
 * executed. */
static bool is_model_untouched(struct context *c, uint32_t global)
{
	struct ran r = {.c = c};
	uint32_t start = ir_find_func(c->p, "__heddle_start"), main_ = ir_find_func(c->p, "main");
	bool listed = false, untouched;

	vec_each (&c->threads, t)
		listed |= !c->threads.at[t].id;
	if (main_ != IR_NONE)
		bitset_add(&r.funcs, main_);
	if (start != IR_NONE)
		add_mentioned(&r, start, !listed);
	vec_each (&c->before.writers, i) {
		struct writer w = c->before.writers.at[i];
		const struct call_site *s = callgraph_site(&c->code.calls, w.func, w.insn);

		for (uint32_t k = 0; s && k < s->n; k++)
			if (!code_known(&c->code, c->code.calls.callees.at[s->first + k]))
				add_func(&r, c->code.calls.callees.at[s->first + k]);
	}
	while (r.work.n)
		add_mentioned(&r, vec_pop(&r.work), true);
	vec_each (&c->p->funcs, f) /* the program may name it too */
		if (code_known(&c->code, f) && (c->before.all[f] || c->before.part[f]))
			vec_each (&c->p->funcs.at[f].consts, i)
				if (c->p->funcs.at[f].consts.at[i].kind == IR_C_GLOBAL)
					add_global(&r, c->p->funcs.at[f].consts.at[i].id);
	untouched = !bitset_has(&r.globals, global);
	bitset_release(&r.funcs);
	bitset_release(&r.globals);
	vec_release(&r.work);
	return untouched;
}

bool context_untouched(const struct context *cc, uint32_t global, uint64_t offset, uint64_t size)
{
	struct context *c = (struct context *)cc;
	const struct ir_global *g = &c->p->globals.at[global];
	struct location l = {.offset = (int64_t)offset, .size = (uint32_t)size};
	bool untouched;

	if (g->flags & IR_G_EXTERN || offset + size > g->size || offset + size < offset)
		return false;
	if (g->flags & IR_G_CONST)
		return true;
	if (c->opt.no_reach || size > 1u << 29 || offset > 1u << 29)
		return false;
	if (g->flags & IR_G_MODEL)
		return is_model_untouched(c, global);
	l.object = points_to_of_global(c->pt, global);
	if (bitset_has(&c->code.outside, l.object))
		return false;
	l.base = symbol_global(c, global, IR_NONE);
	untouched = !writes_ever(c, &l);
	map_release(&l.dirty);
	map_release(&l.writes);
	return untouched;
}

/* ---- printing -------------------------------------------------------------------------------- */

static void print_place(const struct context *c, struct context_place at, struct strbuf *out)
{
	const struct ir_insn *in = &c->p->funcs.at[at.func].insns.at[at.insn];
	struct diag_pos pos = ir_diag_pos(c->p, in->pos);

	strbuf_addf(out, "%s", ir_func_name(c->p, at.func));
	if (pos.line)
		strbuf_addf(out, ":%u", pos.line);
}

static void print_threads(const struct context *c, struct strbuf *out)
{
	vec_each (&c->threads, i) {
		const struct context_thread *t = &c->threads.at[i];

		strbuf_addf(out, "thread T%u ", t->id);
		vec_each (&t->stack, k) {
			strbuf_adds(out, k && k == c->hidden.at[i] ? ")>"
					 : k                       ? ">"
					 : t->complete             ? ""
								   : "...>");
			strbuf_adds(out, !k && c->hidden.at[i] ? "(" : "");
			print_place(c, t->stack.at[k], out);
		}
		strbuf_addf(out, "%s\n", t->waiting ? " waiting" : "");
	}
}

static void print_registers(struct context *c, struct strbuf *out)
{
	vec_each (&c->threads, t)
		for (uint32_t k = 0; k + c->hidden.at[t] < c->threads.at[t].stack.n; k++) {
			struct context_place at = c->threads.at[t].stack.at[c->hidden.at[t] + k];
			const struct ir_func *f = &c->p->funcs.at[at.func];

			vec_each (&f->regs, r) {
				if (!f->regs.at[r].name || !reach_is_set(c, at.func, r, at.insn))
					continue;
				strbuf_addf(out, "T%u %s.%s.%u = ", c->threads.at[t].id,
					ir_func_name(c->p, at.func),
					ir_str(c->p, f->regs.at[r].name), r);
				term_print(out, c->ts, context_register(c, t, k, r));
				strbuf_addc(out, '\n');
			}
		}
}

static void print_sync(const struct context *c, struct strbuf *out)
{
	vec_each (&c->locks, i) {
		struct context_lock l = c->locks.at[i];

		strbuf_addf(out, "T%u %s %s", c->threads.at[l.thread].id,
			l.must ? "holds" : "may hold", l.reader ? "to read " : "");
		term_print(out, c->ts, l.lock);
		if (l.most == CONTEXT_MANY)
			strbuf_addf(out, ", at least %u times", l.least);
		else if (l.most > 1)
			strbuf_addf(out, ", %u to %u times", l.least, l.most);
		strbuf_addc(out, '\n');
	}
	vec_each (&c->locks_known, t)
		if (!c->locks_known.at[t])
			strbuf_addf(out, "T%u may hold other locks\n", c->threads.at[t].id);
	vec_each (&c->barriers, i) {
		strbuf_adds(out, "barrier ");
		term_print(out, c->ts, c->barriers.at[i].barrier);
		strbuf_adds(out, c->barriers.at[i].counts.n ? " of" : " of any count");
		vec_each (&c->barriers.at[i].counts, k) {
			strbuf_addc(out, ' ');
			term_print(out, c->ts, c->barriers.at[i].counts.at[k]);
		}
		strbuf_addc(out, '\n');
	}
}

void context_print(const struct context *cc, struct strbuf *out)
{
	struct context *c = (struct context *)cc;

	print_threads(c, out);
	print_registers(c, out);
	vec_each (&c->memory, i) {
		struct context_memory m = c->memory.at[i];

		strbuf_adds(out, "memory ");
		term_print(out, c->ts, m.base);
		strbuf_addf(out, "%+lld = ", (long long)m.offset);
		term_print(out, c->ts, m.value);
		strbuf_addc(out, '\n');
	}
	vec_each (&c->holds, i) {
		strbuf_adds(out, "holds ");
		term_print(out, c->ts, c->holds.at[i]);
		strbuf_addc(out, '\n');
	}
	print_sync(c, out);
}
