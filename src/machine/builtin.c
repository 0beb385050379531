/* The functions that models call: models/heddle_model.h is the contract. */
#include "machine/machine.h"
#include "base/base.h"
#include "base/map.h"
#include "machine/extension.h"
#include "models/heddle_model.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BUILTIN(name)                                                                              \
	static enum step name(struct machine *m, struct thread *t, const struct opnd *args,        \
		uint32_t nargs, struct opnd *ret)
#define UNUSED (void)m, (void)t, (void)args, (void)nargs, (void)ret
#define ARG(i) (args[i].v.lo)

static enum step give_value(struct opnd *ret, uint64_t v)
{
	ret[0] = (struct opnd){.v = {v, 0}};
	return STEP_NEXT;
}

/* A string of the program's memory, interned in machine.names; NULL after a fault. */
static const char *guest_str(struct machine *m, struct thread *t, uint64_t a)
{
	uint64_t bad;
	int64_t n = mem_strlen(&m->mem, a, &bad);
	const char *kept;
	char *s;

	if (n < 0) {
		fault_memory(m, t, a, 1, false, n == -2 ? MEM_SYM : MEM_INVALID, bad);
		return NULL;
	}
	s = xmalloc((size_t)n + 1);
	mem_out(&m->mem, a, s, (uint64_t)n, &bad);
	kept = intern_get(&m->names, intern_strn(&m->names, s, (size_t)n));
	free(s);
	return kept;
}

static enum step guest_in(struct machine *m, struct thread *t, uint64_t a, const void *p, uint64_t n)
{
	uint64_t bad;
	enum mem_status st = mem_in(&m->mem, a, p, n, &bad);

	return st == MEM_OK ? STEP_NEXT : fault_memory(m, t, a, n, true, st, bad);
}

/* ---- threads and wait queues ----------------------------------------------------------------- */

BUILTIN(b_sync)
{
	UNUSED;
	if (!t->resumed && sched_yields(m)) {
		t->resumed = true;
		return STEP_AGAIN;
	}
	if (m->sym) {
		const char *kind = guest_str(m, t, ARG(0));
		enum step st = kind ? m->symbolic_ops->sync(m, t, kind, args[1]) : STEP_STOP;

		if (st != STEP_NEXT) {
			t->resumed = false;
			return st;
		}
	}
	t->resumed = false;
	return give_value(ret, t->waits_first);
}

BUILTIN(b_order)
{
	UNUSED;
	if (!t->resumed && m->opt->pick && sched_yields(m)) {
		t->resumed = true;
		return STEP_AGAIN;
	}
	t->resumed = false;
	return STEP_NEXT;
}

/* The call is executed twice: first it blocks, then it returns whether it was notified. */
static enum step wait_for(struct machine *m, struct thread *t, struct opnd q, uint64_t why,
	uint64_t deadline, struct opnd *ret)
{
	const char *s;

	if (t->resumed) {
		t->resumed = false;
		return give_value(ret, t->notified);
	}
	if (deadline && !m->opt->pick && deadline <= sched_now(m, CLOCK_MONOTONIC))
		return give_value(ret, false);
	s = guest_str(m, t, why);
	if (!s)
		return STEP_STOP;
	sched_wait(m, t, q, s, deadline);
	return STEP_AGAIN;
}

BUILTIN(b_wait)
{
	UNUSED;
	return wait_for(m, t, args[0], ARG(1), 0, ret);
}

BUILTIN(b_wait_until)
{
	UNUSED;
	return wait_for(m, t, args[0], ARG(1), MAX(ARG(2), 1ull), ret);
}

BUILTIN(b_wait_condition)
{
	enum step st;

	UNUSED;
	st = wait_for(m, t, args[0], ARG(1), 0, ret);
	t->at_condition = st == STEP_AGAIN;
	return st;
}

BUILTIN(b_notify_one)
{
	uint32_t n;

	UNUSED;
	return sched_notify(m, t, args[0], false, &n) == STEP_NEXT ? give_value(ret, n) : STEP_STOP;
}

BUILTIN(b_notify_all)
{
	uint32_t n;

	UNUSED;
	return sched_notify(m, t, args[0], true, &n) == STEP_NEXT ? give_value(ret, n) : STEP_STOP;
}

BUILTIN(b_notify_thread)
{
	UNUSED;
	return give_value(ret, ARG(0) < m->threads.n && sched_wake(m, m->threads.at[ARG(0)]));
}

BUILTIN(b_now)
{
	UNUSED;
	return give_value(ret, sched_now(m, (int)ARG(0)));
}

BUILTIN(b_thread_create)
{
	uint32_t func = func_at(m->p, ARG(0));
	struct opnd arg = args[1];
	ir_type type = IR_PTR;
	struct thread *n;

	UNUSED;
	if (func == IR_NONE || (m->p->funcs.at[func].flags & IR_FN_EXTERN))
		return fault_plain(m, t, FAULT_WILD_CALL,
			"a thread is started with a pointer that is not a function", ARG(0));
	if (m->threads.n >= 32000)
		return stop_unknown(m, t, STOP_BUDGET, "more than 32000 threads were created");
	n = thread_new(m, t->id, stack_capture(m, t));
	if (frame_push(m, n, func, &arg, &type, NULL, 1) == STEP_STOP)
		return STEP_STOP;
	top(n)->entered = true;
	return give_value(ret, n->id);
}

BUILTIN(b_thread_self)
{
	UNUSED;
	return give_value(ret, t->id);
}

BUILTIN(b_thread_exit)
{
	UNUSED;
	thread_done(m, t);
	return STEP_AGAIN;
}

/* ---- misuse and the end ---------------------------------------------------------------------- */

BUILTIN(b_fault)
{
	const char *s = guest_str(m, t, ARG(1));
	uint32_t k = (uint32_t)ARG(0);

	_Static_assert((int)HEDDLE_FAULT_NO_ACCESS == (int)FAULT_NO_ACCESS, "one table");

	UNUSED;
	if (!s)
		return STEP_STOP;
	if (k >= NFAULTS)
		return stop_unknown(m, t, STOP_UNMODELLED, "a fault without a name: %s", s);
	return fault_plain(m, t, (enum fault)k, s, ARG(2));
}

BUILTIN(b_exit)
{
	UNUSED;
	if (args[0].u.lo & 0xff && !m->opt->trust)
		return fault_unknown(m, t, "the exit status is uninitialized");
	m->res->fate = EXEC_EXITED;
	m->res->status = (int)ARG(0);
	if (m->sym)
		m->symbolic_ops->exits(m, args[0].t);
	return STEP_STOP;
}

BUILTIN(b_unmodelled)
{
	const char *s = guest_str(m, t, ARG(0));

	UNUSED;
	return s ? stop_unknown(m, t, STOP_UNMODELLED, "%s is not modelled", s) : STEP_STOP;
}

/* Ends the run without a finding: an assumption of the program does not hold. */
BUILTIN(b_assumption)
{
	const char *s = guest_str(m, t, ARG(0));

	UNUSED;
	return s ? stop_unknown(m, t, STOP_ASSUMPTION, "the assumption '%s' does not hold", s)
		 : STEP_STOP;
}

/* ---- memory ---------------------------------------------------------------------------------- */

BUILTIN(b_alloc)
{
	UNUSED;
	if (args[0].t.id)
		return m->symbolic_ops->alloc(m, t, args[0], ARG(1), ARG(2) & 1, ret);
	return give_value(ret, heap_alloc(&m->heap, &m->mem, ARG(0), ARG(1), ARG(2) & 1, t->id,
				 stack_capture(m, t)));
}

static struct heap_block *live_block(struct machine *m, uint64_t a)
{
	struct heap_block *h = heap_find(&m->heap, a);

	return h && h->base == a && !h->freed ? h : NULL;
}

BUILTIN(b_free)
{
	struct heap_block *h = live_block(m, ARG(0));

	UNUSED;
	if (args[0].t.id || has_regions(m))
		return m->symbolic_ops->free(m, t, args[0]);
	if (args[0].u.lo)
		return fault_unknown(m, t, "an uninitialized pointer is freed");
	if (!h)
		return fault_free(m, t, ARG(0), heap_find(&m->heap, ARG(0)));
	heap_free(&m->heap, &m->mem, h, t->id, stack_capture(m, t));
	return STEP_NEXT;
}

BUILTIN(b_alloc_size)
{
	struct heap_block *h = live_block(m, ARG(0));

	UNUSED;
	if (args[0].t.id || has_regions(m))
		return m->symbolic_ops->alloc_size(m, t, args[0], ret);
	return h ? give_value(ret, h->size) : fault_free(m, t, ARG(0), heap_find(&m->heap, ARG(0)));
}

/* ---- arguments, inputs, numbers -------------------------------------------------------------- */

BUILTIN(b_writes_outside)
{
	UNUSED;
	return give_value(ret, writes_outside(m, (int)ARG(0)));
}

BUILTIN(b_has_world)
{
	UNUSED;
	return give_value(ret, m->world != NULL);
}

BUILTIN(b_argv)
{
	int n = (int)m->nargs;

	UNUSED;
	if (guest_in(m, t, ARG(0), &n, sizeof n))
		return STEP_STOP;
	return give_value(ret, m->args);
}

BUILTIN(b_envp)
{
	UNUSED;
	return give_value(ret, m->env);
}

BUILTIN(b_input)
{
	const char *s = m->world ? guest_str(m, t, ARG(2)) : NULL;

	UNUSED;
	if (!m->world)
		return STEP_NEXT;
	return s ? m->world_ops->input(m, t, ARG(0), ARG(1), s) : STEP_STOP;
}

/* Concretizes its argument: builtin_known_args() has already done it. */
BUILTIN(b_known)
{
	UNUSED;
	return give_value(ret, ARG(0));
}

BUILTIN(b_read_size)
{
	UNUSED;
	return give_value(ret, m->world && m->world_ops->end_is_open(m, (int)ARG(0)) ? 1 : ARG(1));
}

BUILTIN(b_ctor)
{
	UNUSED;
	return give_value(ret, ARG(0) < m->p->ctors.n ? func_addr(m->p->ctors.at[ARG(0)].func) : 0);
}

BUILTIN(b_dtor)
{
	UNUSED;
	return give_value(ret, ARG(0) < m->p->dtors.n ? func_addr(m->p->dtors.at[ARG(0)].func) : 0);
}

/* Accepts "%[flags][width][.prec]C" only: asprintf gets a single argument. */
static bool is_float_spec(const char *s)
{
	if (*s++ != '%')
		return false;
	s += strspn(s, "-+ #0'");
	s += strspn(s, "0123456789");
	if (*s == '.')
		s += 1 + strspn(s + 1, "0123456789");
	return *s && strchr("aAeEfFgG", *s) && !s[1];
}

static enum step format_number(struct machine *m, struct thread *t, const struct opnd *args,
	struct opnd *ret, bool is_long, long double x)
{
	const char *spec = guest_str(m, t, ARG(2));
	char with_l[64], *out = NULL;
	enum step st = STEP_NEXT;
	size_t k;
	int n;

	if (!spec)
		return STEP_STOP;
	k = strlen(spec);
	if (!is_float_spec(spec) || k + 2 > sizeof with_l)
		return stop_unknown(m, t, STOP_UNMODELLED, "number format '%s'", spec);
	snprintf(with_l, sizeof with_l, "%.*s%s%c", (int)k - 1, spec, is_long ? "L" : "",
		spec[k - 1]);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	n = is_long ? asprintf(&out, with_l, x) : asprintf(&out, with_l, (double)x);
#pragma GCC diagnostic pop
	if (n < 0)
		oom_die();
	if (ARG(1)) {
		uint64_t cut = MIN((uint64_t)n, ARG(1) - 1);

		out[cut] = 0;
		st = guest_in(m, t, ARG(0), out, cut + 1);
	}
	free(out);
	return st == STEP_NEXT ? give_value(ret, (uint32_t)n) : st;
}

BUILTIN(b_format_double)
{
	double x;

	UNUSED;
	memcpy(&x, &args[3].v.lo, 8);
	return format_number(m, t, args, ret, false, x);
}

BUILTIN(b_format_ldouble)
{
	long double x = 0;
	uint64_t bad;
	enum mem_status st = mem_out(&m->mem, ARG(3), &x, 10, &bad);

	UNUSED;
	if (st != MEM_OK)
		return fault_memory(m, t, ARG(3), 16, false, st, bad);
	return format_number(m, t, args, ret, true, x);
}

static enum step parse_number(struct machine *m, struct thread *t, const struct opnd *args,
	struct opnd *ret, char kind)
{
	const char *s = guest_str(m, t, ARG(0));
	long double x;
	char *end;
	double d;
	float f;
	int range;
	enum step st;

	if (!s)
		return STEP_STOP;
	errno = 0;
	switch (kind) {
	case 'f':
		f = strtof(s, &end);
		st = guest_in(m, t, ARG(1), &f, sizeof f);
		break;
	case 'd':
		d = strtod(s, &end);
		st = guest_in(m, t, ARG(1), &d, sizeof d);
		break;
	default:
		x = strtold(s, &end);
		st = guest_in(m, t, ARG(1), &x, sizeof x);
	}
	range = errno == ERANGE;
	if (st == STEP_STOP || guest_in(m, t, ARG(2), &range, sizeof range))
		return STEP_STOP;
	return give_value(ret, (uint64_t)(end - s));
}

BUILTIN(b_parse_float)
{
	UNUSED;
	return parse_number(m, t, args, ret, 'f');
}

BUILTIN(b_parse_double)
{
	UNUSED;
	return parse_number(m, t, args, ret, 'd');
}

BUILTIN(b_parse_ldouble)
{
	UNUSED;
	return parse_number(m, t, args, ret, 'l');
}

static const struct {
	const char *name;
	builtin_fn fn;
	uint32_t terms; /* bit i: argument i may be a term */
} table[] = {
	{"__heddle_sync", b_sync, 1 << 1},
	{"__heddle_order", b_order, 1 << 0},
	{"__heddle_wait", b_wait, 1 << 0},
	{"__heddle_wait_condition", b_wait_condition, 1 << 0},
	{"__heddle_wait_until", b_wait_until, 1 << 0},
	{"__heddle_notify_one", b_notify_one, 1 << 0},
	{"__heddle_notify_all", b_notify_all, 1 << 0},
	{"__heddle_notify_thread", b_notify_thread, 0},
	{"__heddle_now", b_now, 0},
	{"__heddle_thread_create", b_thread_create, 1 << 1},
	{"__heddle_thread_self", b_thread_self, 0},
	{"__heddle_thread_exit", b_thread_exit, 0},
	{"__heddle_fault", b_fault, 0},
	{"__heddle_exit", b_exit, 1 << 0},
	{"__heddle_unmodelled", b_unmodelled, 0},
	{"__heddle_assumption", b_assumption, 0},
	{"__heddle_alloc", b_alloc, 1 << 0},
	{"__heddle_free", b_free, 1 << 0},
	{"__heddle_alloc_size", b_alloc_size, 1 << 0},
	{"__heddle_syscall", builtin_syscall, 0},
	{"__heddle_has_world", b_has_world, 0},
	{"__heddle_writes_outside", b_writes_outside, 0},
	{"__heddle_argv", b_argv, 0},
	{"__heddle_envp", b_envp, 0},
	{"__heddle_input", b_input, 0},
	{"__heddle_read_size", b_read_size, 0},
	{"__heddle_known", b_known, 0},
	{"__heddle_ctor", b_ctor, 0},
	{"__heddle_dtor", b_dtor, 0},
	{"__heddle_format_double", b_format_double, 0},
	{"__heddle_format_ldouble", b_format_ldouble, 0},
	{"__heddle_parse_float", b_parse_float, 0},
	{"__heddle_parse_double", b_parse_double, 0},
	{"__heddle_parse_ldouble", b_parse_ldouble, 0},
	{"setjmp", call_setjmp, 0},
	{"_setjmp", call_setjmp, 0},
	{"__sigsetjmp", call_setjmp, 0},
	{"sigsetjmp", call_setjmp, 0},
	{"longjmp", call_longjmp, 0},
	{"_longjmp", call_longjmp, 0},
	{"siglongjmp", call_longjmp, 0},
	{"__longjmp_chk", call_longjmp, 0},
};

builtin_fn builtin_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (!strcmp(table[i].name, name))
			return table[i].fn;
	return math_find(name);
}

enum step builtin_known_args(struct machine *m, struct thread *t, uint32_t func, struct opnd *args,
	uint32_t n)
{
	uint32_t keep = 0;

	if (m->builtins[func] == builtin_syscall && m->world && m->world_ops->takes_terms(m, args))
		return STEP_NEXT;

	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (table[i].fn == m->builtins[func])
			keep = table[i].terms;
	for (uint32_t i = 0; i < n; i++)
		if (!(keep >> MIN(i, 31u) & 1) && opnd_concretize(m, t, &args[i], 128))
			return STEP_STOP;
	return STEP_NEXT;
}
