/*
 * What went wrong, for a person: the skeleton of ThreadSanitizer's reports, because people's
 * scripts read it. Every function here ends the run.
 */
#include "exec/machine.h"

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

/* one line a source function: inlined calls are frames too */
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

static void print_summary(struct machine *m, const char *kind, stack_id where)
{
	struct strbuf *b = &m->res->report;
	const struct stack_entry *e = NULL;

	strbuf_addf(b, "SUMMARY: heddle: %s", kind);
	if (stacks_get(&m->stacks, where, &e)) {
		const struct ir_func *fn = &m->p->funcs.at[e->func];
		uint32_t pos = fn->insns.at[e->insn].pos, name = m->p->positions.at[pos].func;

		strbuf_addc(b, ' ');
		print_place(b, m->p, pos);
		strbuf_addf(b, " in %s", name ? ir_str(m->p, name) : ir_str(m->p, fn->name));
	}
	strbuf_addc(b, '\n');
}

/* ---- what is at an address --------------------------------------------------------------------- */

static void describe_heap(struct machine *m, struct strbuf *b, uint64_t a,
	const struct heap_block *h)
{
	strbuf_addf(b, "\n  Location is ");
	if (a < h->base)
		strbuf_addf(b, "%llu bytes before", (unsigned long long)(h->base - a));
	else if (a >= h->base + h->size)
		strbuf_addf(b, "%llu bytes after",
			(unsigned long long)(a - h->base - h->size));
	else
		strbuf_addf(b, "%llu bytes inside", (unsigned long long)(a - h->base));
	strbuf_addf(b, " heap block of size %llu at 0x%llx, ", (unsigned long long)h->size,
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

static void describe_var(struct machine *m, struct strbuf *b, uint64_t a, struct thread *owner)
{
	const struct stack_var *v = NULL;
	const struct ir_local *l;
	bool dead = false;

	vec_each (&owner->vars, i)
		if (owner->vars.at[i].base <= a)
			v = &owner->vars.at[i];
	if (!v || a >= v->base + v->size) {
		const struct stack_var *gone = dead_var(owner, a);

		dead = gone != NULL;
		v = gone ? gone : v;
	}
	strbuf_adds(b, "\n  Location is ");
	if (v && v->local != IR_NONE) {
		l = &m->p->funcs.at[v->func].locals.at[v->local];
		if (a >= v->base + v->size)
			strbuf_addf(b, "%llu bytes after ",
				(unsigned long long)(a - v->base - v->size));
		else
			strbuf_addf(b, "%llu bytes inside ", (unsigned long long)(a - v->base));
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

static void describe(struct machine *m, struct strbuf *b, uint64_t a)
{
	struct heap_block *h;
	uint32_t g;

	if (a >= ADDR_TLS && a < ADDR_END && (a - ADDR_TLS) / TLS_STRIDE < m->threads.n) {
		strbuf_adds(b, "\n  Location is in the thread-local storage of ");
		print_thread(b, (uint32_t)((a - ADDR_TLS) / TLS_STRIDE));
		strbuf_addc(b, '\n');
	} else if (a >= ADDR_STACK && (a - ADDR_STACK) / STACK_STRIDE < m->threads.n) {
		describe_var(m, b, a, m->threads.at[(a - ADDR_STACK) / STACK_STRIDE]);
	} else if (a >= ADDR_HEAP && (h = heap_find(&m->heap, a))) {
		describe_heap(m, b, a, h);
	} else if (a >= ADDR_CONST && a < ADDR_HEAP &&
		   (g = globals_find(&m->globals, a)) != IR_NONE) {
		uint64_t off = a - m->globals.addr[g];
		const struct ir_global *gl = &m->p->globals.at[g];

		strbuf_adds(b, "\n  Location is ");
		if (off >= gl->size)
			strbuf_addf(b, "%llu bytes after ", (unsigned long long)(off - gl->size));
		else if (off)
			strbuf_addf(b, "%llu bytes inside ", (unsigned long long)off);
		strbuf_addf(b, "global '%s' of size %llu", ir_str(m->p, gl->name),
			(unsigned long long)gl->size);
		if (gl->pos) {
			strbuf_adds(b, " at ");
			print_place(b, m->p, gl->pos);
		}
		strbuf_addc(b, '\n');
	}
}

/* ---- the end ------------------------------------------------------------------------------------ */

static struct strbuf *begin(struct machine *m, enum exec_fate fate, const char *kind,
	const char *headline)
{
	struct strbuf *b = &m->res->report;

	m->res->fate = fate;
	m->res->kind = kind;
	strbuf_clear(b);
	strbuf_addf(b, "==================\nWARNING: heddle: %s\n", headline);
	return b;
}

static const char *memory_kind(struct machine *m, uint64_t bad, enum mem_status st)
{
	struct heap_block *h;

	if (st == MEM_READONLY)
		return "write-to-constant";
	if (bad < ADDR_NULL_END)
		return "null-dereference";
	if (bad >= ADDR_TLS && (bad - ADDR_TLS) / TLS_STRIDE < m->threads.n)
		return m->threads.at[(bad - ADDR_TLS) / TLS_STRIDE]->state == THREAD_DONE
			       ? "use-after-thread-exit"
			       : "tls-buffer-overflow";
	if (bad >= ADDR_STACK && (bad - ADDR_STACK) / STACK_STRIDE < m->threads.n)
		return dead_var(m->threads.at[(bad - ADDR_STACK) / STACK_STRIDE], bad)
			       ? "stack-use-after-return"
			       : "stack-buffer-overflow";
	if (bad >= ADDR_HEAP && (h = heap_find(&m->heap, bad)))
		return h->freed && bad >= h->base && bad < h->base + h->size
			       ? "heap-use-after-free"
			       : "heap-buffer-overflow";
	if (bad >= ADDR_CONST && bad < ADDR_HEAP && globals_find(&m->globals, bad) != IR_NONE)
		return "global-buffer-overflow";
	return "wild-pointer";
}

enum step fault_memory(struct machine *m, struct thread *t, uint64_t addr, uint64_t size,
	bool is_write, enum mem_status st, uint64_t bad)
{
	const char *kind = memory_kind(m, bad, st);
	struct strbuf *b = begin(m, EXEC_FAULT, kind, kind);
	stack_id where = stack_capture(m, t);

	strbuf_addf(b, "  %s of size %llu at 0x%llx by ", is_write ? "Write" : "Read",
		(unsigned long long)size, (unsigned long long)addr);
	print_thread(b, t->id);
	strbuf_adds(b, ":\n");
	print_stack(m, b, where);
	describe(m, b, bad);
	print_creation(m, b, t->id);
	print_summary(m, kind, where);
	return STEP_STOP;
}

enum step fault_free(struct machine *m, struct thread *t, uint64_t addr, struct heap_block *h)
{
	const char *kind = h && h->base == addr && h->freed ? "double-free" : "bad-free";
	struct strbuf *b = begin(m, EXEC_FAULT, kind, kind);
	stack_id where = stack_capture(m, t);

	strbuf_addf(b, "  Free of 0x%llx by ", (unsigned long long)addr);
	print_thread(b, t->id);
	strbuf_adds(b, ":\n");
	print_stack(m, b, where);
	describe(m, b, addr);
	print_creation(m, b, t->id);
	print_summary(m, kind, where);
	return STEP_STOP;
}

enum step fault_plain(struct machine *m, struct thread *t, const char *kind, const char *what,
	uint64_t object)
{
	struct strbuf *b = begin(m, EXEC_FAULT, kind, kind);
	stack_id where = stack_capture(m, t);

	strbuf_addf(b, "  %s, in ", what);
	print_thread(b, t->id);
	strbuf_adds(b, ":\n");
	print_stack(m, b, where);
	if (object)
		describe(m, b, object);
	print_creation(m, b, t->id);
	print_summary(m, kind, where);
	return STEP_STOP;
}

enum step fault_unknown(struct machine *m, struct thread *t, const char *what)
{
	static const char kind[] = "use-of-uninitialized-value";
	struct strbuf *b = begin(m, EXEC_FAULT, kind, kind);
	stack_id where = stack_capture(m, t);

	strbuf_addf(b, "  %s, in ", what);
	print_thread(b, t->id);
	strbuf_adds(b, ":\n");
	print_stack(m, b, where);
	if (t->unknown_addr) {
		strbuf_adds(b, "\n  Uninitialized memory was last read at:\n");
		print_stack(m, b, stacks_intern(&m->stacks, &t->unknown_at, 1));
		describe(m, b, t->unknown_addr);
	} else {
		strbuf_adds(b, "\n  The value is a variable that was never assigned\n");
	}
	print_creation(m, b, t->id);
	print_summary(m, kind, where);
	return STEP_STOP;
}

enum step fault_deadlock(struct machine *m)
{
	struct strbuf *b = begin(m, EXEC_DEADLOCK, "deadlock", "deadlock: every thread waits");
	stack_id where = {0};
	bool is_join = false;

	vec_each (&m->threads, i) {
		struct thread *t = m->threads.at[i];
		stack_id s;

		if (t->state == THREAD_DONE)
			continue;
		s = stack_capture(m, t);
		if (!where.id || (is_join && !strstr(t->why, "join"))) {
			where = s; /* who waits for a thread to end is rarely the culprit */
			is_join = strstr(t->why, "join");
		}
		strbuf_adds(b, i ? "\n  " : "  ");
		print_thread(b, t->id);
		strbuf_addf(b, " waits for %s at 0x%llx:\n", t->why,
			(unsigned long long)t->wait_on);
		print_stack(m, b, s);
		describe(m, b, t->wait_on);
	}
	print_summary(m, "deadlock", where);
	return STEP_STOP;
}

enum step stop_unknown(struct machine *m, struct thread *t, const char *kind, const char *fmt, ...)
{
	struct strbuf *b = &m->res->report;
	const struct stack_entry *e = NULL;
	stack_id where = stack_capture(m, t);
	va_list ap;

	m->res->fate = EXEC_STOPPED;
	m->res->kind = kind;
	strbuf_clear(b);
	if (stacks_get(&m->stacks, where, &e)) {
		print_place(b, m->p, m->p->funcs.at[e->func].insns.at[e->insn].pos);
		strbuf_adds(b, ": ");
	}
	va_start(ap, fmt);
	strbuf_vaddf(b, fmt, ap);
	va_end(ap);
	strbuf_addc(b, '\n');
	print_stack(m, b, where);
	return STEP_STOP;
}
