/*
 * Reports of faults. The layout is that of ThreadSanitizer's reports, because existing scripts
 * parse it. The functions fault_*() and stop_unknown() end the run.
 */
#include "machine/extension.h"

#include "base/base.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "base/vec.h"

#include <stdarg.h>
#include <string.h>

enum { STACK_MAX = 64 };

/* ---- stacks ---------------------------------------------------------------------------------- */

stack_id stack_capture(struct machine *m, struct thread *t)
{
	struct stack_entry e[STACK_MAX];
	uint32_t n = 0;

	for (uint32_t i = t->frames.n; i-- > 0 && n < STACK_MAX;) {
		struct frame *f = &t->frames.at[i];

		if (frame_func(m, f)->flags & IR_FN_MODEL)
			continue;
		e[n++] = (struct stack_entry){f->func, frame_insn(f, i + 1 == t->frames.n)};
	}
	return stacks_intern(&m->stacks, e, n);
}

static void print_place(struct strbuf *b, const struct ir_program *p, uint32_t pos)
{
	const struct ir_pos *at = &p->positions.at[pos];

	if (!at->file)
		strbuf_adds(b, "<unknown place>");
	else if (at->col)
		strbuf_addf(b, "%s:%u:%u", ir_str(p, at->file), at->line, at->col);
	else
		strbuf_addf(b, "%s:%u", ir_str(p, at->file), at->line);
}

/* Prints one line for each source function: inlined calls get lines too. */
static void print_stack(struct machine *m, struct strbuf *b, stack_id id)
{
	const struct ir_program *p = m->p;
	const struct stack_entry *e = NULL;
	uint32_t n = stacks_get(&m->stacks, id, &e), line = 0;

	if (!n)
		strbuf_adds(b, "    (no frames)\n");
	for (uint32_t i = 0; i < n; i++) {
		const struct ir_func *fn = &p->funcs.at[e[i].func];
		uint32_t pos = fn->insns.at[e[i].insn].pos;

		if (!pos)
			pos = fn->pos;
		do {
			uint32_t name = p->positions.at[pos].func;

			strbuf_addf(b, "    #%u %s ", line++,
				name ? ir_str(p, name) : ir_str(p, fn->name));
			print_place(b, p, pos);
			strbuf_addc(b, '\n');
			pos = p->positions.at[pos].inlined_at;
		} while (pos);
	}
}

static void print_thread(struct strbuf *b, uint32_t id)
{
	if (id)
		strbuf_addf(b, "thread T%u", id);
	else
		strbuf_adds(b, "main thread");
}

static void print_creation(struct machine *m, struct strbuf *b, uint32_t id)
{
	struct thread *t = m->threads.at[id];

	if (!id)
		return;
	strbuf_addf(b, "\n  Thread T%u was created by ", id);
	print_thread(b, t->creator);
	strbuf_adds(b, ":\n");
	print_stack(m, b, t->created_at);
}

static void print_summary(struct machine *m, stack_id where)
{
	struct strbuf *b = &m->res->report;
	const struct stack_entry *e = NULL;

	strbuf_addf(b, "SUMMARY: heddle: %s", fault_words[m->res->fault].title);
	if (stacks_get(&m->stacks, where, &e)) {
		const struct ir_func *fn = &m->p->funcs.at[e->func];
		uint32_t pos = fn->insns.at[e->insn].pos, name = m->p->positions.at[pos].func;

		strbuf_addc(b, ' ');
		print_place(b, m->p, pos);
		strbuf_addf(b, " in %s", name ? ir_str(m->p, name) : ir_str(m->p, fn->name));
	}
	strbuf_addc(b, '\n');
}

/* ---- description of an address --------------------------------------------------------------- */

/* Prints the position of a relative to an object. */
static void print_side(struct strbuf *b, uint64_t a, uint64_t base, uint64_t size)
{
	uint64_t n = a < base ? base - a : a >= base + size ? a - base - size : a - base;

	strbuf_addf(b, "%llu byte%s %s ", (unsigned long long)n, n == 1 ? "" : "s",
		a < base ? "before" : a >= base + size ? "after" : "inside");
}

static void describe_heap(struct machine *m, struct strbuf *b, const char *lead, uint64_t a,
	const struct heap_block *h)
{
	strbuf_addf(b, "\n  %s is ", lead);
	print_side(b, a, h->base, h->size);
	strbuf_addf(b, "heap block of %s %llu at 0x%llx, ",
		h->symbolic ? "symbolic size up to" : "size", (unsigned long long)h->size,
		(unsigned long long)h->base);
	if (h->freed) {
		strbuf_adds(b, "freed by ");
		print_thread(b, h->free_thread);
		strbuf_adds(b, ":\n");
		print_stack(m, b, h->free_stack);
		strbuf_adds(b, "\n  It was ");
	}
	strbuf_adds(b, "allocated by ");
	print_thread(b, h->alloc_thread);
	strbuf_adds(b, ":\n");
	print_stack(m, b, h->alloc_stack);
}

static const struct stack_var *dead_var(const struct thread *t, uint64_t a)
{
	uint32_t n = MIN(t->ndead, (uint32_t)DEAD_VARS);

	for (uint32_t i = 1; i <= n; i++) {
		const struct stack_var *v = &t->dead[(t->ndead - i) % DEAD_VARS];

		if (v->base <= a && a < v->base + v->size)
			return v;
	}
	return NULL;
}

/* the live variable at the address, or the one nearest to it */
static const struct stack_var *near_var(const struct thread *t, uint64_t a)
{
	const struct stack_var *best = NULL;
	uint64_t least = UINT64_MAX;

	vec_each (&t->vars, i) {
		const struct stack_var *v = &t->vars.at[i];
		uint64_t n = a < v->base ? v->base - a
			     : a >= v->base + v->size ? a - v->base - v->size + 1
						      : 0;

		if (v->local != IR_NONE && n < least) {
			best = v;
			least = n;
		}
	}
	return best;
}

static void describe_var(struct machine *m, struct strbuf *b, const char *lead, uint64_t a,
	uint64_t near, struct thread *owner)
{
	const struct stack_var *v = near_var(owner, near);
	const struct ir_local *l;
	bool dead = false;

	if (!v || near < v->base || near >= v->base + v->size) {
		const struct stack_var *gone = dead_var(owner, near);

		dead = gone != NULL;
		v = gone ? gone : v;
	}
	strbuf_addf(b, "\n  %s is ", lead);
	if (v && v->local != IR_NONE) {
		l = &m->p->funcs.at[v->func].locals.at[v->local];
		print_side(b, a, v->base, v->size);
		strbuf_addf(b, "variable '%s' of size %llu of %s",
			l->name ? ir_str(m->p, l->name) : "(temporary)",
			(unsigned long long)v->size, ir_func_name(m->p, v->func));
		if (l->pos) {
			strbuf_adds(b, " declared at ");
			print_place(b, m->p, l->pos);
		}
		strbuf_adds(b, dead ? ", which has returned, " : ", ");
	}
	strbuf_adds(b, "on the stack of ");
	print_thread(b, owner->id);
	strbuf_addc(b, '\n');
}

/* Prints the position of a relative to the object at `near`, or to the nearest object. */
static void describe_near(struct machine *m, struct strbuf *b, const char *lead, uint64_t a,
	uint64_t near)
{
	struct heap_block *h;
	uint32_t g;

	if (near >= ADDR_TLS && near < ADDR_END && (near - ADDR_TLS) / TLS_STRIDE < m->threads.n) {
		strbuf_addf(b, "\n  %s is in the thread-local storage of ", lead);
		print_thread(b, (uint32_t)((near - ADDR_TLS) / TLS_STRIDE));
		strbuf_addc(b, '\n');
	} else if (near >= ADDR_STACK && (near - ADDR_STACK) / STACK_STRIDE < m->threads.n) {
		describe_var(m, b, lead, a, near, m->threads.at[(near - ADDR_STACK) / STACK_STRIDE]);
	} else if (near >= ADDR_HEAP && (h = heap_find(&m->heap, near))) {
		describe_heap(m, b, lead, a, h);
	} else if (near >= ADDR_CONST && near < ADDR_HEAP &&
		   (g = globals_find(&m->globals, m->p, near)) != IR_NONE) {
		const struct ir_global *gl = &m->p->globals.at[g];

		strbuf_addf(b, "\n  %s is ", lead);
		if (a != m->globals.addr[g])
			print_side(b, a, m->globals.addr[g], gl->size);
		strbuf_addf(b, "global '%s' of size %llu", ir_str(m->p, gl->name),
			(unsigned long long)gl->size);
		if (gl->pos) {
			strbuf_adds(b, " at ");
			print_place(b, m->p, gl->pos);
		}
		strbuf_addc(b, '\n');
	}
}

/* The same for an object of the initial state. */
static void describe_region(struct machine *m, struct strbuf *b, const char *lead, uint64_t a,
	uint64_t near)
{
	struct region_info r;

	if (near < ADDR_LAZY || near >= ADDR_CONST || !find_region(m, near, &r))
		return;
	strbuf_addf(b, "\n  %s is ", lead);
	print_side(b, a, r.base, r.size);
	strbuf_adds(b, "an object of the initial state");
	if (r.name)
		strbuf_addf(b, ", '%s'", intern_get(&m->names, r.name));
	if (!r.assumed)
		strbuf_addf(b, " of size %llu", (unsigned long long)r.size);
	strbuf_addc(b, '\n');
}

static void describe_address(struct machine *m, struct strbuf *b, const char *lead, uint64_t a)
{
	describe_near(m, b, lead, a, a);
}

/* ---- faults ---------------------------------------------------------------------------------- */

static struct strbuf *begin_report(struct machine *m, enum fault fault)
{
	struct strbuf *b = &m->res->report;

	m->res->fate = fault == FAULT_DEADLOCK ? EXEC_DEADLOCK : EXEC_FAULT;
	m->res->fault = fault;
	strbuf_clear(b);
	strbuf_addf(b, "==================\nWARNING: heddle: %s%s\n", fault_words[fault].title,
		fault == FAULT_DEADLOCK ? ": every thread waits" : "");
	return b;
}

/* Whether the address is in symbolic memory that was freed. */
static bool region_is_freed(struct machine *m, uint64_t a)
{
	struct region_info r;

	return find_region(m, a, &r) && r.freed;
}

static enum fault memory_fault(struct machine *m, uint64_t bad, enum mem_status st)
{
	struct heap_block *h;

	if (st == MEM_READONLY)
		return FAULT_WRITE_CONSTANT;
	if (bad < ADDR_NULL_END)
		return FAULT_NULL_DEREF;
	if (bad >= ADDR_TLS && (bad - ADDR_TLS) / TLS_STRIDE < m->threads.n)
		return m->threads.at[(bad - ADDR_TLS) / TLS_STRIDE]->state == THREAD_DONE
			       ? FAULT_USE_AFTER_EXIT
			       : FAULT_TLS_OVERRUN;
	if (bad >= ADDR_STACK && (bad - ADDR_STACK) / STACK_STRIDE < m->threads.n)
		return dead_var(m->threads.at[(bad - ADDR_STACK) / STACK_STRIDE], bad)
			       ? FAULT_USE_AFTER_RETURN
			       : FAULT_STACK_OVERRUN;
	if (bad >= ADDR_HEAP && (h = heap_find(&m->heap, bad)))
		return h->freed && bad >= h->base && bad < h->base + h->size
			       ? FAULT_USE_AFTER_FREE
			       : FAULT_OVERFLOW;
	if (bad >= ADDR_LAZY && bad < ADDR_CONST && has_regions(m))
		return region_is_freed(m, bad) ? FAULT_USE_AFTER_FREE : FAULT_OVERRUN;
	if (bad >= ADDR_CONST && bad < ADDR_HEAP && globals_find(&m->globals, m->p, bad) != IR_NONE)
		return FAULT_GLOBAL_OVERRUN;
	return FAULT_WILD_DEREF;
}

static struct strbuf *begin_access(struct machine *m, struct thread *t, enum fault fault,
	uint64_t addr, uint64_t size, bool is_write, stack_id where)
{
	struct strbuf *b = begin_report(m, fault);

	strbuf_addf(b, "  %s of size %llu at 0x%llx by ", is_write ? "Write" : "Read",
		(unsigned long long)size, (unsigned long long)addr);
	print_thread(b, t->id);
	strbuf_adds(b, ":\n");
	print_stack(m, b, where);
	return b;
}

enum step fault_symbolic(struct machine *m, struct thread *t, uint64_t addr, uint64_t size,
	bool is_write, enum mem_status st, uint64_t near, const char *note)
{
	stack_id where = stack_capture(m, t);
	struct strbuf *b = begin_access(m, t, memory_fault(m, near, st), addr, size, is_write, where);

	strbuf_addf(b, "\n  %s\n", note);
	describe_near(m, b, "Location", addr, near);
	describe_region(m, b, "Location", addr, near);
	print_creation(m, b, t->id);
	print_summary(m, where);
	return STEP_STOP;
}

enum step fault_memory(struct machine *m, struct thread *t, uint64_t addr, uint64_t size,
	bool is_write, enum mem_status st, uint64_t bad)
{
	stack_id where;
	struct region_info region;
	struct strbuf *b;

	if (st == MEM_SYM)
		return stop_unknown(m, t, STOP_SYMBOLIC_VALUE,
			"the byte at 0x%llx is not a constant, where one is needed",
			(unsigned long long)bad);
	if (find_region(m, addr, &region))
		return stop_unknown(m, t, STOP_SYMBOLIC_VALUE,
			"the bytes at 0x%llx are symbolic memory, where constants are needed",
			(unsigned long long)addr);
	where = stack_capture(m, t);
	b = begin_access(m, t, memory_fault(m, bad, st), addr, size, is_write, where);
	describe_address(m, b, bad == addr ? "Location" : "The first byte outside", bad);
	print_creation(m, b, t->id);
	print_summary(m, where);
	return STEP_STOP;
}

enum step fault_free(struct machine *m, struct thread *t, uint64_t addr, struct heap_block *h)
{
	bool twice = (h && h->base == addr && h->freed) ||
		     region_is_freed(m, addr);
	struct strbuf *b = begin_report(m, twice ? FAULT_DOUBLE_FREE : FAULT_BAD_FREE);
	stack_id where = stack_capture(m, t);

	strbuf_addf(b, "  Free of 0x%llx by ", (unsigned long long)addr);
	print_thread(b, t->id);
	strbuf_adds(b, ":\n");
	print_stack(m, b, where);
	describe_address(m, b, "Location", addr);
	print_creation(m, b, t->id);
	print_summary(m, where);
	return STEP_STOP;
}

enum step fault_plain(struct machine *m, struct thread *t, enum fault fault, const char *what,
	uint64_t object)
{
	struct strbuf *b = begin_report(m, fault);
	stack_id where = stack_capture(m, t);

	strbuf_addf(b, "  %s, in ", what);
	print_thread(b, t->id);
	strbuf_adds(b, ":\n");
	print_stack(m, b, where);
	if (object)
		describe_address(m, b, "Location", object);
	print_creation(m, b, t->id);
	print_summary(m, where);
	return STEP_STOP;
}

/* whether the address is in a variable of a model, which the user does not know */
static bool in_model(struct machine *m, uint64_t a)
{
	uint64_t k = (a - ADDR_STACK) / STACK_STRIDE;
	const struct stack_var *v;

	if (a < ADDR_STACK || a >= ADDR_TLS || k >= m->threads.n)
		return false;
	v = near_var(m->threads.at[k], a);
	return v && (m->p->funcs.at[v->func].flags & IR_FN_MODEL);
}

enum step fault_unknown(struct machine *m, struct thread *t, const char *what)
{
	struct strbuf *b = begin_report(m, FAULT_UNINITIALIZED);
	stack_id where = stack_capture(m, t);

	strbuf_addf(b, "  %s, in ", what);
	print_thread(b, t->id);
	strbuf_adds(b, ":\n");
	print_stack(m, b, where);
	if (t->unknown_addr && !in_model(m, t->unknown_addr)) {
		if (t->unknown_at.insn != IR_NONE) {
			strbuf_adds(b, "\n  Uninitialized memory was last read at:\n");
			print_stack(m, b, stacks_intern(&m->stacks, &t->unknown_at, 1));
		}
		describe_address(m, b, "Location", t->unknown_addr);
	} else {
		strbuf_adds(b, "\n  The value is a variable that was never assigned\n");
	}
	print_creation(m, b, t->id);
	print_summary(m, where);
	return STEP_STOP;
}

/* Prints the holder of the mutex that the thread waits for. The models keep it in glibc's field
 * __owner, as thread id + 1. */
static void print_holder(struct machine *m, struct strbuf *b, const struct thread *t)
{
	enum { OWNER = 8 };
	int32_t owner = 0;
	uint64_t bad;

	if (!strstr(t->why, "mutex_") ||
		mem_out(&m->mem, t->wait_on + OWNER, &owner, sizeof owner, &bad) || owner <= 0 ||
		(uint32_t)owner > m->threads.n)
		return;
	strbuf_adds(b, ", held by ");
	print_thread(b, (uint32_t)owner - 1);
	if (m->threads.at[owner - 1]->state == THREAD_DONE)
		strbuf_adds(b, ", which has ended");
}

enum step fault_deadlock(struct machine *m)
{
	struct strbuf *b = begin_report(m, FAULT_DEADLOCK);
	stack_id where = {0};
	bool is_join = false;

	vec_each (&m->threads, i) {
		struct thread *t = m->threads.at[i];
		stack_id s;

		if (t->state == THREAD_DONE)
			continue;
		s = stack_capture(m, t);
		if (!where.id || (is_join && !strstr(t->why, "join"))) {
			where = s; /* a thread in join is rarely the cause */
			is_join = strstr(t->why, "join");
		}
		strbuf_adds(b, i ? "\n  " : "  ");
		print_thread(b, t->id);
		strbuf_addf(b, " waits for %s", t->why);
		if (t->wait_on >= ADDR_NULL_END)
			strbuf_addf(b, " at 0x%llx", (unsigned long long)t->wait_on);
		print_holder(m, b, t);
		strbuf_adds(b, ":\n");
		print_stack(m, b, s);
		describe_address(m, b, "Location", t->wait_on);
	}
	print_summary(m, where);
	return STEP_STOP;
}

/* the model that the program called, if the thread is in one; else NULL */
static const char *entered_model(const struct machine *m, struct thread *t)
{
	const char *name = NULL;

	for (uint32_t i = t->frames.n; i-- > 0;) {
		const struct ir_func *fn = frame_func(m, &t->frames.at[i]);

		if (!(fn->flags & IR_FN_MODEL))
			return name;
		name = ir_str(m->p, fn->name);
	}
	return NULL;
}

static void print_access(struct machine *m, struct strbuf *b, const struct fault_access *a)
{
	strbuf_addf(b, "  %s%s of size %u at %#llx by ", a->atomic ? "Atomic " : "",
		a->write ? a->atomic ? "write" : "Write" : a->atomic ? "read" : "Read", a->n,
		(unsigned long long)a->addr);
	print_thread(b, a->thread->id);
	strbuf_adds(b, ":\n");
	print_stack(m, b, stack_capture(m, a->thread));
}

enum step fault_race(struct machine *m, const struct fault_access *a, const struct fault_access *z)
{
	struct strbuf *b = begin_report(m, FAULT_RACE);

	print_access(m, b, a);
	strbuf_addc(b, '\n');
	print_access(m, b, z);
	describe_address(m, b, "Location", a->addr);
	print_creation(m, b, a->thread->id);
	print_creation(m, b, z->thread->id);
	print_summary(m, stack_capture(m, a->thread));
	return STEP_STOP;
}

enum step stop_unknown(struct machine *m, struct thread *t, enum exec_stop stop, const char *fmt, ...)
{
	struct strbuf *b = &m->res->report;
	const struct stack_entry *e = NULL;
	stack_id where = stack_capture(m, t);
	const char *model;
	va_list ap;

	m->res->fate = EXEC_STOPPED;
	m->res->stop = stop;
	strbuf_clear(b);
	if (stacks_get(&m->stacks, where, &e)) {
		print_place(b, m->p, m->p->funcs.at[e->func].insns.at[e->insn].pos);
		strbuf_adds(b, ": ");
	}
	va_start(ap, fmt);
	strbuf_vaddf(b, fmt, ap);
	va_end(ap);
	model = entered_model(m, t);
	if (model)
		strbuf_addf(b, " (give '%s' a result with --stub %s=VALUE)", model, model);
	strbuf_addc(b, '\n');
	print_stack(m, b, where);
	return STEP_STOP;
}
