#include "base/base.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "context_watch.h"

#include "context_peek.h"
#include "machine/machine.h"

#include <stdlib.h>

enum { MAX_PASSED = 12, MAX_STACK = 24 };

struct here {
	struct context_watch *w;
	struct machine *m;
	struct watched *x;
	struct thread *of[8]; /* by thread of the context */
	uint32_t bottom[8];   /* its frame that is the context's outermost */
	struct term_assign as;
	struct map bound; /* symbol -> 1; 2 = unknown bits */
};

static uint64_t random_of(struct context_watch *w)
{
	w->rng = w->rng * 6364136223846793005ull + 1442695040888963407ull;
	return w->rng >> 33;
}

static bool of_user(const struct context_watch *w, const struct frame *f)
{
	return !(w->p->funcs.at[f->func].flags & IR_FN_MODEL);
}

/* ---- taking ---------------------------------------------------------------------------------- */

/* the innermost frames that are the program's own; whether the thread is blocked in a call of the
 * library. False if it is in such a call and not blocked: that is no place. */
static bool user_frames(const struct context_watch *w, const struct thread *t, uint32_t *low,
	uint32_t *high, bool *inside)
{
	uint32_t i = t->frames.n;

	while (i && !of_user(w, &t->frames.at[i - 1]))
		i--;
	*inside = i < t->frames.n;
	if (*inside && t->state != THREAD_WAITING)
		return false;
	*high = i;
	while (i && of_user(w, &t->frames.at[i - 1]))
		i--;
	*low = i;
	return *low < *high;
}

static bool take_thread(struct context_watch *w, const struct thread *t, struct context_thread *out)
{
	uint32_t low, high;

	if (t->state == THREAD_DONE || !user_frames(w, t, &low, &high, &out->waiting) ||
		high - low > MAX_STACK)
		return false;
	/* now and then without the outer frames */
	if (random_of(w) % 3 == 0 && high - low > 1)
		low += 1 + (uint32_t)(random_of(w) % (high - low - 1));
	out->id = t->id;
	for (uint32_t i = low; i < high; i++) {
		const struct frame *f = &t->frames.at[i];

		vec_push(&out->stack,
			(struct context_place){f->func, frame_insn(f, i + 1 == t->frames.n)});
	}
	out->complete = false; /* context_new() finds out */
	return true;
}

static void keep(struct context_watch *w, struct vec_context_thread v)
{
	struct watched *x = xcalloc(1, sizeof *x);
	struct context_place at = vec_last(&v.at[0].stack);
	uint64_t *first = map_put(&w->at, (uint64_t)at.func << 32 | at.insn);

	x->threads = v;
	x->c = context_new(w->p, w->pt, w->ts, v.at, v.n, &w->opt);
	if (w->spoil)
		w->spoil(x->c);
	vec_push(&w->contexts, x);
	vec_push(&w->next, (uint32_t)*first);
	*first = w->contexts.n;
}

static void take(struct context_watch *w, struct machine *m, struct thread *t)
{
	struct vec_context_thread v = {0};
	struct context_thread first = {0};

	if (!take_thread(w, t, &first))
		return;
	vec_push(&v, first);
	vec_each (&m->threads, i) {
		struct context_thread other = {0};

		if (m->threads.at[i] == t || v.n >= 4 || random_of(w) % 3 == 0)
			continue;
		if (take_thread(w, m->threads.at[i], &other))
			vec_push(&v, other);
		else
			vec_release(&other.stack);
	}
	w->wanted--;
	keep(w, v);
}

void context_watch_add(struct context_watch *w, const char *places)
{
	struct vec_context_thread v = {0};

	if (context_parse(w->p, places, &v))
		BUG("places '%s'", places);
	keep(w, v);
}

/* ---- matching -------------------------------------------------------------------------------- */

static bool stands(struct here *h, uint32_t k, const struct thread *t)
{
	const struct context_thread *want = &h->x->threads.at[k];
	uint32_t low, high, n = want->stack.n;
	bool inside;

	if (t->state == THREAD_DONE || (want->id == 0) != (t->id == 0) ||
		(h->w->opt.numbered && want->id != t->id) ||
		!user_frames(h->w, t, &low, &high, &inside) || inside != want->waiting ||
		high - low < n)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		const struct frame *f = &t->frames.at[high - n + i];

		if (f->func != want->stack.at[i].func ||
			frame_insn(f, high - n + i + 1 == t->frames.n) != want->stack.at[i].insn)
			return false;
	}
	/* a complete stack has nothing of the program below it */
	if (context_thread_complete(h->x->c, k) && high - n != low)
		return false;
	h->bottom[k] = high - n;
	return true;
}

static bool find_threads(struct here *h, struct thread *t)
{
	uint64_t taken = 0;

	if (!stands(h, 0, t))
		return false;
	h->of[0] = t;
	taken |= 1ull << t->id;
	for (uint32_t k = 1; k < h->x->threads.n; k++) {
		h->of[k] = NULL;
		vec_each (&h->m->threads, i) {
			struct thread *o = h->m->threads.at[i];

			if (!h->of[k] && o->id < 64 && !(taken >> o->id & 1) && stands(h, k, o))
				h->of[k] = o;
		}
		if (!h->of[k])
			return false;
		taken |= 1ull << h->of[k]->id;
	}
	return true;
}

/* ---- symbols --------------------------------------------------------------------------------- */

static void bind(struct here *h, term_t sym, u128 v, bool unknown)
{
	uint64_t *b = map_put(&h->bound, sym.id);

	*b = unknown ? 2 : 1;
	term_assign_set(&h->as, sym, v);
}

static struct frame *frame_here(struct here *h, uint32_t thread, uint32_t depth)
{
	return &h->of[thread]->frames.at[h->bottom[thread] + depth];
}

static struct opnd register_here(struct here *h, uint32_t thread, uint32_t depth, uint32_t reg)
{
	return frame_get(h->m, h->of[thread], frame_here(h, thread, depth), reg);
}

static u128 wide(struct val v)
{
	return (u128)v.hi << 64 | v.lo;
}

static bool local_address(struct here *h, const struct context_symbol *s, uint64_t *a)
{
	struct thread *t = h->of[s->thread];
	uint32_t at = h->bottom[s->thread] + s->frame;
	uint32_t end = at + 1 < t->frames.n ? t->frames.at[at + 1].nvars : t->vars.n;

	for (uint32_t i = t->frames.at[at].nvars; i < end; i++)
		if (t->vars.at[i].func == s->func && t->vars.at[i].local == s->id) {
			*a = t->vars.at[i].base;
			return true;
		}
	return false;
}

static uint32_t heap_addresses(struct here *h, const struct context_symbol *s, uint64_t *a)
{
	uint32_t n = 0;

	vec_each (&h->m->heap.blocks, i) {
		const struct stack_entry *e;
		uint32_t k = stacks_get(&h->m->stacks, h->m->heap.blocks.at[i].alloc_stack, &e);

		for (uint32_t j = 0; j < k; j++)
			if (e[j].func == s->func && e[j].insn == s->insn) {
				*a = h->m->heap.blocks.at[i].base;
				n++;
				break;
			}
	}
	return n;
}

static void miss(struct here *h, const char *what)
{
	struct context_watch *w = h->w;

	if (w->missed++ > 8)
		return;
	strbuf_addf(&w->misses, "%s, in\n", what);
	context_print(h->x->c, &w->misses);
}

/* Registers of frames that were not given: below those of the context, or of a function that is
 * called once and that the main thread has on its stack. */
static void bind_elsewhere(struct here *h, term_t sym)
{
	struct thread *t = h->m->threads.at[0];
	struct context_peek k;
	struct opnd o;
	uint32_t at = IR_NONE;

	if (!context_peek(h->x->c, sym, &k))
		return;
	if (k.thread != IR_NONE) {
		t = h->of[k.thread];
		at = h->bottom[k.thread] - (uint32_t)k.below;
		if (at >= t->frames.n || t->frames.at[at].func != k.func) {
			miss(h, "another function below the stack");
			return;
		}
	}
	for (uint32_t i = 0; k.thread == IR_NONE && t->state != THREAD_DONE && i < t->frames.n; i++)
		if (t->frames.at[i].func == k.func)
			at = i;
	if (at == IR_NONE || at >= t->frames.n)
		return;
	o = frame_get(h->m, t, &t->frames.at[at], k.reg);
	bind(h, sym, wide(o.v), o.u.lo || o.u.hi);
}

static void bind_symbol(struct here *h, const struct context_symbol *s, term_t sym)
{
	uint64_t a = 0;
	struct opnd o;

	switch (s->kind) {
	case CONTEXT_VALUE:
		if (s->reg != IR_NONE && s->thread == IR_NONE)
			bind_elsewhere(h, sym);
		if (s->reg == IR_NONE || s->thread == IR_NONE)
			return;
		o = register_here(h, s->thread, s->frame, s->reg);
		bind(h, sym, wide(o.v), o.u.lo || o.u.hi);
		return;
	case CONTEXT_GLOBAL:
		a = h->m->globals.addr[s->id];
		if (h->w->p->globals.at[s->id].flags & IR_G_TLS) {
			if (s->thread == IR_NONE)
				return;
			a += h->of[s->thread]->tls;
		}
		break;
	case CONTEXT_FUNC: a = func_addr(s->id); break;
	case CONTEXT_THREAD: a = h->of[s->thread]->id + 1; break;
	case CONTEXT_LOCAL:
		if (!local_address(h, s, &a))
			return;
		break;
	case CONTEXT_HEAP:
		if (heap_addresses(h, s, &a) > 1)
			miss(h, "more than one block");
		if (!a)
			return;
		break;
	}
	bind(h, sym, a, false);
}

static void bind_symbols(struct here *h)
{
	for (uint32_t i = 0; i < terms_n_syms(h->w->ts); i++) {
		term_t sym = terms_sym_at(h->w->ts, i);
		const struct context_symbol *s = context_symbol(h->x->c, sym);

		if (s)
			bind_symbol(h, s, sym);
	}
}

/* Can the term be evaluated? */
static bool known(struct here *h, term_t t)
{
	const struct term_syms *syms = term_syms(h->w->ts, t);

	for (uint32_t i = 0; i < syms->n; i++)
		if (map_get_or(&h->bound, syms->at[i].id, 0) != 1)
			return false;
	return true;
}

/* The term must have that value; a symbol that is free yet gets it. */
static void expect(
	struct here *h, term_t t, u128 v, bool unknown, uint64_t *count, const char *what)
{
	struct strbuf b = {0};

	v &= term_mask(term_width(h->w->ts, t)); /* a slot that was never set has anything in it */
	if (unknown) {
		h->w->skipped++;
		return;
	}
	if (term_op(h->w->ts, t) == TERM_SYM && !map_get(&h->bound, t.id) &&
		context_symbol(h->x->c, t)) {
		bind(h, t, v, false);
		return;
	}
	if (!known(h, t)) {
		h->w->skipped++;
		return;
	}
	h->w->checked++;
	(*count)++;
	if (term_value(&h->as, t) == v)
		return;
	strbuf_addf(&b, "%s: ", what);
	term_print(&b, h->w->ts, t);
	strbuf_addf(&b, " is %#llx, said to be %#llx", (unsigned long long)v,
		(unsigned long long)term_value(&h->as, t));
	miss(h, b.s);
	strbuf_release(&b);
}

/* ---- facts ----------------------------------------------------------------------------------- */

static void check_registers(struct here *h)
{
	vec_each (&h->x->threads, k)
		vec_each (&h->x->threads.at[k].stack, d) {
			const struct ir_func *f =
				&h->w->p->funcs.at[h->x->threads.at[k].stack.at[d].func];

			vec_each (&f->regs, r) {
				term_t t = context_register(h->x->c, k, d, r);
				struct opnd o;
				struct strbuf b = {0};

				if (term_op(h->w->ts, t) == TERM_SYM && !map_get(&h->bound, t.id))
					bind_symbol(h, context_symbol(h->x->c, t), t);
				o = register_here(h, k, d, r);
				strbuf_addf(&b, "T%u: register %u of '%s'", h->of[k]->id, r,
					ir_str(h->w->p, f->name));
				expect(h, t, wide(o.v), o.u.lo || o.u.hi, &h->w->known, b.s);
				strbuf_release(&b);
			}
		}
}

static bool read_memory(struct here *h, uint64_t a, uint32_t n, u128 *v)
{
	uint8_t bytes[16] = {0}, mask[16] = {0};
	uint64_t bad;

	if (mem_read(&h->m->mem, a, bytes, mask, n, &bad) != MEM_OK)
		return false;
	*v = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (mask[i])
			return false;
		*v |= (u128)bytes[i] << (8 * i);
	}
	return true;
}

static void check_memory(struct here *h)
{
	const struct context_memory *at;
	uint32_t n;

	at = context_memory(h->x->c, &n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t bytes = term_width(h->w->ts, at[i].value) / 8;
		struct strbuf b = {0};
		u128 v;

		if (!known(h, at[i].base) ||
			!read_memory(h,
				(uint64_t)term_value(&h->as, at[i].base) + (uint64_t)at[i].offset,
				bytes, &v)) {
			h->w->skipped++;
			continue;
		}
		strbuf_adds(&b, "memory at ");
		term_print(&b, h->w->ts, at[i].base);
		strbuf_addf(&b, "%+lld", (long long)at[i].offset);
		expect(h, at[i].value, v, false, &h->w->facts, b.s);
		strbuf_release(&b);
	}
}

static void check_holds(struct here *h)
{
	const term_t *at;
	uint32_t n;

	at = context_conditions(h->x->c, &n);
	for (uint32_t i = 0; i < n; i++)
		expect(h, at[i], 1, false, &h->w->holds, "condition");
}

static void check_untouched(struct here *h)
{
	vec_each (&h->w->p->globals, g) {
		const struct ir_global *gl = &h->w->p->globals.at[g];
		uint32_t r = 0;
		u128 v;

		if (gl->flags & (IR_G_EXTERN | IR_G_TLS | IR_G_CONST) || !gl->size ||
			gl->size > 4096 || !context_untouched(h->x->c, g, 0, gl->size))
			continue;
		for (uint64_t i = 0; i < gl->size; i++) {
			while (r < gl->relocs.n && gl->relocs.at[r].offset + 8 <= i)
				r++;
			if (r < gl->relocs.n && gl->relocs.at[r].offset <= i)
				continue;
			h->w->checked++;
			if (!read_memory(h, h->m->globals.addr[g] + i, 1, &v) ||
				v != (gl->init ? gl->init[i] : 0)) {
				miss(h, ir_str(h->w->p, gl->name));
				break;
			}
		}
	}
}

/* ---- locks: what the models keep of them ----------------------------------------------------- */

/* mutex: __lock, __count, __owner; spin lock: -(id + 1); rwlock: __cur_writer at 24 */
static bool holds_mutex(struct here *h, uint64_t a, const struct thread *t)
{
	u128 lock, owner;

	return read_memory(h, a, 4, &lock) && read_memory(h, a + 8, 4, &owner) && lock == 1 &&
	       owner == t->id + 1;
}

static bool holds_lock(struct here *h, uint64_t a, const struct thread *t)
{
	u128 v;

	if (holds_mutex(h, a, t))
		return true;
	if (read_memory(h, a, 4, &v) && (uint32_t)v == (uint32_t)-(int)(t->id + 1))
		return true;
	return read_memory(h, a + 24, 4, &v) && v == t->id + 1;
}

static void check_must(struct here *h, const struct context_lock *l)
{
	const struct thread *t = h->of[l->thread];
	struct strbuf b = {0};
	u128 readers;
	uint64_t a;

	if (!known(h, l->lock)) {
		h->w->skipped++;
		return;
	}
	a = (uint64_t)term_value(&h->as, l->lock);
	h->w->checked++;
	h->w->must++;
	if (l->reader ? read_memory(h, a, 4, &readers) && readers : holds_lock(h, a, t))
		return;
	strbuf_addf(&b, "T%u does not hold ", t->id);
	term_print(&b, h->w->ts, l->lock);
	miss(h, b.s);
	strbuf_release(&b);
}

static bool listed(struct here *h, const struct context_lock *l, uint32_t n, uint32_t thread,
	uint64_t a, bool *sure)
{
	bool found = false;

	*sure = true;
	for (uint32_t i = 0; i < n; i++) {
		if (l[i].thread != thread)
			continue;
		if (!known(h, l[i].lock))
			*sure = false;
		else
			found |= (uint64_t)term_value(&h->as, l[i].lock) == a;
	}
	return found;
}

static void check_locks(struct here *h)
{
	const struct context_lock *l;
	uint32_t n;
	bool sure;

	l = context_locks(h->x->c, &n);
	for (uint32_t i = 0; i < n; i++)
		if (l[i].must)
			check_must(h, &l[i]);
	vec_each (&h->x->threads, k)
		vec_each (&h->w->locks, i) {
			uint64_t a = h->w->locks.at[i];

			if (!context_locks_known(h->x->c, k) || !holds_mutex(h, a, h->of[k]))
				continue;
			h->w->may++;
			if (!listed(h, l, n, k, a, &sure) && sure)
				miss(h, "a lock is held that is not in the list");
		}
}

static void check_barriers(struct here *h)
{
	const struct context_barrier *b;
	bool found, sure;
	uint32_t n;
	u128 v;

	b = context_barriers(h->x->c, &n);
	for (uint32_t i = 0; i < n; i++) {
		if (!b[i].counts.n || !known(h, b[i].barrier) ||
			!read_memory(h, (uint64_t)term_value(&h->as, b[i].barrier), 4, &v) || !v)
			continue;
		found = false;
		sure = true;
		vec_each (&b[i].counts, k) {
			if (!known(h, b[i].counts.at[k]))
				sure = false;
			else
				found |= term_value(&h->as, b[i].counts.at[k]) == v;
		}
		h->w->counts++;
		if (sure && !found)
			miss(h, "a barrier has another count");
	}
}

static void check(struct context_watch *w, struct machine *m, struct thread *t, struct watched *x)
{
	struct here h = {.w = w, .m = m, .x = x};

	if (x->threads.n > ARRAY_SIZE(h.of) || !find_threads(&h, t))
		return;
	x->passed++;
	w->passed++;
	term_assign_init(&h.as, w->ts);
	bind_symbols(&h);
	check_registers(&h);
	check_memory(&h);
	check_holds(&h);
	check_untouched(&h);
	check_locks(&h);
	check_barriers(&h);
	term_assign_release(&h.as);
	map_release(&h.bound);
}

/* ---- runs ------------------------------------------------------------------------------------ */

static void note_lock(
	struct context_watch *w, struct machine *m, struct thread *t, const struct ir_insn *in)
{
	const struct ir_func *f = frame_func(m, top(t));
	uint64_t a;

	if (in->op != IR_CALL || !in->arg[2] || !ir_is_const(in->arg[0]) ||
		ir_const(f, in->arg[0])->kind != IR_C_FUNC ||
		strcmp(ir_func_name(w->p, ir_const(f, in->arg[0])->id), "pthread_mutex_lock"))
		return;
	a = frame_get(m, t, top(t), f->extra.at[in->arg[1]]).v.lo;
	vec_each (&w->locks, i)
		if (w->locks.at[i] == a)
			return;
	vec_push(&w->locks, a);
}

static void observe(void *ctx, struct machine *m, struct thread *t, const struct ir_insn *in)
{
	struct context_watch *w = ctx;
	const struct frame *f = top(t);

	if (!of_user(w, f))
		return;
	if (w->taking) {
		if (w->wanted && random_of(w) % w->every == 0)
			take(w, m, t);
		return;
	}
	for (uint64_t i = map_get_or(&w->at, (uint64_t)f->func << 32 | f->pc, 0); i;
		i = w->next.at[i - 1])
		if (w->contexts.at[i - 1]->passed < MAX_PASSED)
			check(w, m, t, w->contexts.at[i - 1]);
	note_lock(w, m, t, in);
}

static enum exec_fate run(struct context_watch *w, uint64_t seed, uint64_t max_instructions)
{
	char name[] = "program";
	char *argv[] = {name, NULL};
	struct exec_options opt = {.seed = seed,
		.slow = true,
		.observe = observe,
		.switches = seed & 1 ? EXEC_SWITCH_ACCESS : EXEC_SWITCH_SYNC,
		.observe_ctx = w,
		.max_instructions = max_instructions};
	struct exec_result res;

	vec_clear(&w->locks);
	if (exec_run(w->p, 1, argv, &opt, &res))
		return EXEC_STOPPED;
	exec_result_release(&res);
	return res.fate;
}

void context_watch_init(struct context_watch *w, const struct ir_program *p,
	const struct points_to *pt, uint64_t seed)
{
	*w = (struct context_watch){.p = p, .pt = pt, .rng = seed * 2 + 1, .ts = terms_new()};
}

enum exec_fate context_watch_take(struct context_watch *w, uint64_t seed, uint32_t n,
	uint32_t every, uint64_t max_instructions)
{
	enum exec_fate fate;

	w->taking = true;
	w->wanted = n;
	w->every = every;
	fate = run(w, seed, max_instructions);
	w->taking = false;
	return fate;
}

enum exec_fate context_watch_run(struct context_watch *w, uint64_t seed, uint64_t max_instructions)
{
	return run(w, seed, max_instructions);
}

void context_watch_release(struct context_watch *w)
{
	vec_each (&w->contexts, i) {
		context_threads_release(&w->contexts.at[i]->threads);
		context_free(w->contexts.at[i]->c);
		free(w->contexts.at[i]);
	}
	vec_release(&w->contexts);
	vec_release(&w->next);
	vec_release(&w->locks);
	map_release(&w->at);
	strbuf_release(&w->misses);
	terms_free(w->ts);
}
