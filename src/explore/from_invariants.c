/*
 * Synchronization objects of the initial state (paper 001, §4.3). The first operation on an object
 * that existed before the start *adopts* it: sets its fields to the values that the facts of the
 * context allow. A lock is free or held by a thread whose lockset may contain it; a barrier has a
 * count with which it was initialized. The layouts are those of models/.
 */
#include "machine/code.h"

#include "base/strbuf.h"
#include "base/base.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "explore/from_internal.h"

#include <limits.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum object_kind { MUTEX, SPIN, RWLOCK, COND, BARRIER, SEMAPHORE, ONCE, OTHER };

static enum object_kind kind_of(const char *op)
{
	static const struct {
		const char *prefix;
		enum object_kind kind;
	} table[] = {{"pthread_mutex_", MUTEX}, {"mtx_", MUTEX}, {"pthread_spin_", SPIN},
		{"pthread_rwlock_", RWLOCK}, {"pthread_cond_", COND}, {"pthread_barrier_", BARRIER},
		{"sem_", SEMAPHORE}, {"pthread_once", ONCE}, {"call_once", ONCE}};
	const char *end = strrchr(op, '_');

	if (end && (!strcmp(end, "_init") || !strcmp(end, "_open")))
		return OTHER; /* the operation initializes it */
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (!strncmp(op, table[i].prefix, strlen(table[i].prefix)))
			return table[i].kind;
	return OTHER;
}

struct adoption { /* of one object by an operation of t */
	struct from *f;
	struct machine *m;
	struct thread *t;
	term_t at; /* the object's address */
};

static enum step store_field(struct adoption *a, uint32_t offset, ir_type type, term_t value)
{
	struct terms *ts = a->f->ts;
	struct opnd at = opnd_of_term(a->m, term_add(ts, a->at, term_const(ts, 64, offset)));

	return sym_store(a->m, a->t, at, type, opnd_of_term(a->m, value));
}

static enum step load_field(struct adoption *a, uint32_t offset, ir_type type, struct opnd *value)
{
	struct terms *ts = a->f->ts;

	return sym_load(a->m, a->t, opnd_of_term(a->m, term_add(ts, a->at, term_const(ts, 64, offset))),
		type, value);
}

static term_t number_term(struct adoption *a, uint64_t v)
{
	return term_const(a->f->ts, 32, v);
}

/* The symbol of an unknown field of the object: WHAT!(address), the same one on every path. */
static term_t field_sym(struct adoption *a, const char *what, unsigned bits)
{
	struct strbuf name = {0};
	term_t t;

	strbuf_addf(&name, "%s!(", what);
	lazy_name(a->m, a->at, &name);
	strbuf_addc(&name, ')');
	t = term_sym(a->f->ts, name.s, bits);
	strbuf_release(&name);
	return t;
}

static uint32_t machine_id(const struct from *f, uint32_t thread)
{
	return f->ids[thread];
}

/* ---- holders of locks ------------------------------------------------------------------------ */

/* Term for id + 1 of the thread that holds the lock, 0 if free: a choice over the locksets. */
static term_t holder_of(struct adoption *a)
{
	struct from *f = a->f;
	struct terms *ts = f->ts;
	const struct context_lock *l;
	term_t who = number_term(a, 0);
	char name[40];
	uint32_t n;

	l = context_locks(f->c, &n);
	for (uint32_t i = 0; i < n; i++) {
		term_t is = term_eq(ts, a->at, from_term(f, l[i].lock));

		if (l[i].reader)
			continue;
		snprintf(name, sizeof name, "held#%u", i);
		if (!l[i].must)
			is = term_and(ts, is, term_sym(ts, name, 1));
		who = term_ite(ts, is, number_term(a, machine_id(f, l[i].thread) + 1), who);
	}
	vec_each (&f->threads, k) {
		if (!f->opt.no_invariants && context_locks_known(f->c, k))
			continue;
		snprintf(name, sizeof name, "held by T%u", f->threads.at[k].id);
		who = term_ite(
			ts, field_sym(a, name, 1), number_term(a, machine_id(f, k) + 1), who);
	}
	return who;
}

static enum step adopt_mutex(struct adoption *a)
{
	struct terms *ts = a->f->ts;
	term_t who = holder_of(a), taken = term_ite(ts, term_eq(ts, who, number_term(a, 0)),
					   number_term(a, 0), number_term(a, 1));
#define AT(field) offsetof(pthread_mutex_t, __data.field)
	if (store_field(a, AT(__lock), 32, taken) || store_field(a, AT(__count), 32, taken) ||
		store_field(a, AT(__owner), 32, who) ||
		store_field(a, AT(__kind), 32, number_term(a, 0)) ||
		store_field(a, AT(__elision), 16, term_const(ts, 16, 0)))
		return STEP_STOP;
#undef AT
	return STEP_NEXT;
}

static enum step adopt_spin(struct adoption *a)
{
	struct terms *ts = a->f->ts;
	term_t who = holder_of(a);

	return store_field(a, 0, 32,
		term_ite(ts, term_eq(ts, who, number_term(a, 0)), number_term(a, 1),
			term_neg(ts, who)));
}

/* Term for the number of times that a thread holds a read lock. The bound of "any number" keeps
 * sums of these terms from overflowing. */
static term_t count_reads(struct adoption *a, const char *name, uint32_t least, uint32_t most)
{
	enum { ANY_NUMBER = 1 << 16 };
	struct terms *ts = a->f->ts;
	term_t n;

	if (least == most)
		return number_term(a, least);
	n = term_sym(ts, name, 32);
	sym_assume(a->m, term_ule(ts, number_term(a, least), n));
	sym_assume(a->m, term_ule(ts, n, number_term(a, most == CONTEXT_MANY ? ANY_NUMBER : most)));
	return n;
}

/* Term for the number of times that a thread of the context holds the lock for reading. */
static term_t reads_of(struct adoption *a, uint32_t thread)
{
	struct from *f = a->f;
	struct terms *ts = f->ts;
	const struct context_lock *l;
	term_t sum = number_term(a, 0);
	char name[40];
	uint32_t n;
	u128 no;

	l = context_locks(f->c, &n);
	for (uint32_t i = 0; i < n; i++) {
		term_t is = term_eq(ts, a->at, from_term(f, l[i].lock));

		if (!l[i].reader || l[i].thread != thread || (term_is_const(ts, is, &no) && !no))
			continue;
		snprintf(name, sizeof name, "read#%u", i);
		sum = term_add(ts, sum, term_ite(ts, is,
						count_reads(a, name, l[i].least, l[i].most), number_term(a, 0)));
	}
	if (f->opt.no_invariants || !context_locks_known(f->c, thread)) {
		snprintf(name, sizeof name, "reads by T%u#%u", f->threads.at[thread].id, a->at.id);
		sum = term_add(ts, sum, count_reads(a, name, 0, CONTEXT_MANY));
	}
	return sum;
}

/* Makes struct initial_reads of models/pthread_rwlock.c; its address, and the sum in *readers. */
static term_t make_initial_reads(struct adoption *a, term_t *readers)
{
	struct from *f = a->f;
	struct machine *m = a->m;
	uint64_t at = heap_alloc(&m->heap, &m->mem, 4 * (m->threads.n + 1), 16, true, 0, (stack_id){0});
	uint64_t bad;

	*readers = number_term(a, 0);
	opnd_put(m, at, (struct opnd){.v.lo = m->threads.n}, 4, &bad);
	vec_each (&f->threads, k) {
		term_t n = reads_of(a, k);

		*readers = term_add(f->ts, *readers, n);
		opnd_put(m, at + 4 * (machine_id(f, k) + 1), opnd_of_term(m, n), 4, &bad);
	}
	return term_const(f->ts, 64, at);
}

static enum step adopt_rwlock(struct adoption *a)
{
	struct terms *ts = a->f->ts;
	term_t readers, reads = make_initial_reads(a, &readers), writer = holder_of(a);
	term_t zero = number_term(a, 0);

	sym_assume(a->m, term_or(ts, term_eq(ts, writer, zero), term_eq(ts, readers, zero)));
#define AT(field) offsetof(pthread_rwlock_t, __data.field)
	if (store_field(a, AT(__readers), 32, readers) || store_field(a, AT(__writers), 32, zero) ||
		store_field(a, AT(__pad3), 32, zero) || store_field(a, AT(__pad4), 32, zero) ||
		store_field(a, AT(__cur_writer), 32, writer) ||
		store_field(a, AT(__flags), 32, zero) || store_field(a, AT(__pad2), 64, reads))
		return STEP_STOP;
#undef AT
	return STEP_NEXT;
}

/* ---- counts ---------------------------------------------------------------------------------- */

/* struct barrier of models/pthread_barrier.c: expected, arrived, state */
static enum step adopt_barrier(struct adoption *a)
{
	struct from *f = a->f;
	struct terms *ts = f->ts;
	term_t expected = field_sym(a, "expected", 32), arrived = number_term(a, 0);
	const struct context_barrier *b;
	uint32_t n;

	b = context_barriers(f->c, &n);
	for (uint32_t i = 0; i < n; i++) {
		term_t any = term_bool(ts, !b[i].counts.n);

		vec_each (&b[i].counts, k)
			any = term_or(ts, any,
				term_eq(ts, expected, from_term(f, b[i].counts.at[k])));
		sym_assume(a->m, term_implies(ts, term_eq(ts, a->at, from_term(f, b[i].barrier)), any));
	}
	sym_assume(a->m, term_slt(ts, number_term(a, 0), expected));
	if (f->opt.no_invariants) {
		arrived = field_sym(a, "arrived", 32);
		sym_assume(a->m, term_ult(ts, arrived, expected));
	}
	if (store_field(a, 0, 32, expected) || store_field(a, 4, 32, arrived) ||
		store_field(a, 8, 32, number_term(a, 0)))
		return STEP_STOP;
	return STEP_NEXT;
}

/* Assumes that a thread which waits at a barrier is not the last to arrive. */
static enum step has_room(struct adoption *a)
{
	struct terms *ts = a->f->ts;
	struct opnd expected, arrived;
	bool yes;

	if (load_field(a, 0, 32, &expected) || load_field(a, 4, 32, &arrived) ||
		sym_decide(a->m, a->t,
			term_ult(ts, term_add(ts, opnd_term(a->m, arrived, 32), number_term(a, 1)),
				opnd_term(a->m, expected, 32)),
			&yes))
		return STEP_STOP;
	return yes ? STEP_NEXT
		   : stop_unknown(a->m, a->t, STOP_ASSUMPTION,
			     "a barrier for which all threads have arrived is passed");
}

/* struct sem of models/semaphore.c: value, waiters, state */
static enum step adopt_semaphore(struct adoption *a)
{
	struct terms *ts = a->f->ts;
	term_t value = field_sym(a, "value", 32);

	sym_assume(a->m, term_sle(ts, number_term(a, 0), value));
	if (store_field(a, 0, 32, value) || store_field(a, 4, 32, number_term(a, 0)) ||
		store_field(a, 8, 32, number_term(a, 0)))
		return STEP_STOP;
	return STEP_NEXT;
}

/* struct cond of models/pthread_cond.c: waiters, state, clock, mutex. The count of waiters is 0,
 * because initial waiters execute their wait before all other steps (pick.c). */
static enum step adopt_cond(struct adoption *a)
{
	if (store_field(a, 0, 32, number_term(a, 0)) || store_field(a, 4, 32, number_term(a, 0)) ||
		store_field(a, 8, 32, number_term(a, 0)) ||
		store_field(a, 16, 64, term_const(a->f->ts, 64, 0)))
		return STEP_STOP;
	return STEP_NEXT;
}

static enum step adopt_once(struct adoption *a)
{
	enum { DONE = 2 };
	struct terms *ts = a->f->ts;

	return store_field(a, 0, 32,
		term_ite(ts, field_sym(a, "done", 1), number_term(a, DONE), number_term(a, 0)));
}

/* ---- first operations ------------------------------------------------------------------------ */

/* Whether an operation has adopted the object before; forks if the addresses may be equal. */
static enum step is_adopted(struct adoption *a, bool *yes)
{
	const struct lazy *l = a->m->sym->lazy;

	*yes = false;
	for (uint32_t i = 0; i < lazy_adopted_count(l) && !*yes; i++)
		if (sym_decide(a->m, a->t, term_eq(a->f->ts, a->at, lazy_adopted(l, i)), yes))
			return STEP_STOP;
	return STEP_NEXT;
}

/* Whether the object existed before the start: it is in a lazy region, or memory has a symbol
 * there. Objects that were made since then are in newly allocated memory or were initialized by an
 * operation; static objects that are context_untouched() keep the bytes of their initializers. */
static bool is_initial(struct adoption *a)
{
	struct mem_sym cells[4];
	uint8_t known[4], mask[4];
	uint64_t bad;
	u128 v;

	if (!term_is_const(a->f->ts, a->at, &v))
		return true;
	if (lazy_find(a->m->sym->lazy, (uint64_t)v) != IR_NONE)
		return true;
	return !mem_get_sym(&a->m->mem, (uint64_t)v, cells, known, mask, 4, &bad) && cells[0].term;
}

static enum step adopt_object(struct adoption *a, enum object_kind kind)
{
	static enum step (*const how[])(struct adoption *) = {[MUTEX] = adopt_mutex,
		[SPIN] = adopt_spin, [RWLOCK] = adopt_rwlock, [COND] = adopt_cond,
		[BARRIER] = adopt_barrier, [SEMAPHORE] = adopt_semaphore, [ONCE] = adopt_once};
	bool yes;

	if (!is_initial(a))
		return STEP_NEXT;
	if (is_adopted(a, &yes))
		return STEP_STOP;
	if (yes)
		return STEP_NEXT;
	if (how[kind](a))
		return STEP_STOP;
	lazy_adopt(a->m->sym->lazy, a->at);
	return STEP_NEXT;
}

/* ---- threads ------------------------------------------------------------------------------------------- */

/* Whether the handle is that of a thread of the machine; forks where it may be. */
static enum step is_thread(struct adoption *a, term_t handle, bool *yes)
{
	*yes = false;
	for (uint32_t i = 0; i < a->m->threads.n && !*yes; i++) {
		if (a->m->threads.at[i]->state == THREAD_LEFT && !a->m->threads.at[i]->frames.n)
			continue;
		if (sym_decide(a->m, a->t, term_eq(a->f->ts, handle, term_const(a->f->ts, 64, i + 1)), yes))
			return STEP_STOP;
	}
	return STEP_NEXT;
}

/* pthread_join of a thread that is not in the context: the thread has ended, with any result; or it
 * ends at an unknown time, and the joining thread leaves the exploration. The latter cannot be if
 * the context has all threads. A thread that waits for it cannot be then either. */
static enum step join_other(struct adoption *a)
{
	struct machine *m = a->m;
	struct opnd handle = frame_get(m, a->t, top(a->t), 0), to = frame_get(m, a->t, top(a->t), 1), zero = {0};
	bool known, has_ended = a->f->opt.all_threads;
	term_t result;

	if (!handle.t.id)
		return STEP_NEXT;
	if (is_thread(a, handle.t, &known))
		return STEP_STOP;
	if (known)
		return STEP_NEXT;
	if (a->t->waits_first && has_ended)
		return stop_unknown(m, a->t, STOP_ASSUMPTION, "a thread waits for one that has ended");
	a->at = handle.t;
	if (!a->t->waits_first && !has_ended &&
		sym_decide(m, a->t, field_sym(a, "has ended", 1), &has_ended))
		return STEP_STOP;
	if (!has_ended) {
		a->t->state = THREAD_LEFT;
		m->nlive--;
		return STEP_SWITCH;
	}
	result = field_sym(a, "result", 64);
	if ((to.t.id || to.v.lo) && sym_store(m, a->t, to, 64, opnd_of_term(m, result)))
		return STEP_STOP;
	return call_return(m, a->t, &zero, 1);
}

enum step from_invariant(struct from *f, struct machine *m, struct thread *t, const char *op,
	struct opnd object)
{
	struct adoption a = {f, m, t, opnd_term(m, object, 64)};
	enum object_kind kind = kind_of(op);

	if (!strcmp(op, "pthread_join"))
		return join_other(&a);
	if (kind == OTHER || (!object.t.id && !object.v.lo))
		return STEP_NEXT;
	if (adopt_object(&a, kind))
		return STEP_STOP;
	if (kind == BARRIER && t->waits_first)
		return has_room(&a);
	if (kind != COND || strcmp(op, "pthread_cond_wait"))
		return STEP_NEXT;
	a.at = opnd_term(m, frame_get(m, t, top(t), 1), 64); /* its mutex */
	return adopt_object(&a, MUTEX);
}

/* The name of the lock, if its address is that of a global variable; else NULL. */
static const char *lock_name(const struct from *f, const struct machine *m, term_t lock)
{
	const struct context_symbol *s = context_symbol(f->c, lock);

	return s && s->kind == CONTEXT_GLOBAL ? ir_str(m->p, m->p->globals.at[s->id].name) : NULL;
}

static int tell_excluded(const struct from *f, const struct machine *m, const struct context_lock *a,
	const struct context_lock *b)
{
	const char *name = lock_name(f, m, a->lock);

	return error_("T%u and T%u hold the same lock at these places%s%s%s: no run has both there",
		f->threads.at[a->thread].id, f->threads.at[b->thread].id, name ? ", '" : "",
		name ? name : "", name ? "' by their locksets" : "");
}

int from_exclude(struct from *f, struct machine *m)
{
	const struct context_lock *l;
	uint32_t n;

	l = context_locks(f->c, &n);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = i + 1; k < n; k++)
			if (l[i].must && l[k].must && l[i].thread != l[k].thread &&
				!(l[i].reader && l[k].reader) &&
				!sym_assume(m, term_ne(f->ts, from_term(f, l[i].lock),
						       from_term(f, l[k].lock))))
				return tell_excluded(f, m, &l[i], &l[k]);
	return 0;
}
