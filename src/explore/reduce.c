#include "explore/reduce.h"

#include "base/base.h"
#include "machine/code.h"
#include "symbolic/sym.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

/* Operations that access only their object; all others may depend on everything. */
static bool one_object(const char *kind)
{
	static const char *const kinds[] = {"pthread_mutex_lock", "pthread_mutex_unlock",
		"pthread_mutex_trylock", "pthread_spin_lock", "pthread_spin_unlock",
		"pthread_spin_trylock", "pthread_rwlock_rdlock", "pthread_rwlock_wrlock",
		"pthread_rwlock_unlock", "pthread_rwlock_tryrdlock", "pthread_rwlock_trywrlock",
		"sem_wait", "sem_post", "sem_trywait", "sem_getvalue", "pthread_barrier_wait",
		"mtx_lock", "mtx_unlock", "mtx_trylock"};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kinds[i], kind))
			return true;
	return false;
}

/* Whether another thread holds the mutex (the fields are those of models/pthread_mutex.c). */
static bool held_by_other(struct machine *m, const struct thread *t, uint64_t mutex)
{
	uint32_t lock = 0, owner = 0;
	uint64_t bad;

	if (mem_out(&m->mem, mutex + offsetof(pthread_mutex_t, __data.__lock), &lock, 4, &bad) ||
		mem_out(&m->mem, mutex + offsetof(pthread_mutex_t, __data.__owner), &owner, 4, &bad))
		return false;
	return lock && owner != t->id + 1;
}

static void pending_join(struct machine *m, struct thread *t, struct pending *out)
{
	struct opnd handle = frame_get(m, t, top(t), 0);
	uint64_t id = handle.v.lo - 1; /* models/pthread_thread.c */

	if (handle.t.id || id >= m->threads.n || id == t->id)
		return;
	out->kind = PENDING_OWN;
	out->blocks = m->threads.at[id]->state != THREAD_DONE;
}

/* Whether the program can observe the state of a thread without a wait for its end. */
static bool threads_are_watched(const struct ir_program *p)
{
	static const char *const names[] = {"pthread_tryjoin_np", "pthread_clockjoin_np",
		"pthread_detach", "pthread_kill", "pthread_cancel", "pthread_key_create"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (ir_find_func(p, names[i]) != IR_NONE)
			return true;
	return false;
}

static void pending_object(struct pending *out, uint64_t addr)
{
	out->kind = PENDING_OBJECT;
	out->addr = addr;
	out->n = 1;
	out->write = true;
}

static void pending_sync(struct machine *m, struct thread *t, const struct ir_insn *in,
	struct pending *out)
{
	enum { CREATION = 1 }; /* one object for all creations: their order gives the ids */
	struct frame *f = top(t);
	const struct ir_func *fn = frame_func(m, f);
	const uint32_t *x = fn->extra.at + in->arg[1];
	struct opnd kind = frame_get(m, t, f, x[0]), object = frame_get(m, t, f, x[2]);
	char name[40] = {0};
	uint64_t bad;
	int64_t n;

	if (kind.t.id || object.t.id)
		return;
	n = mem_strlen(&m->mem, kind.v.lo, &bad);
	if (n < 0 || n >= (int64_t)sizeof name)
		return;
	mem_out(&m->mem, kind.v.lo, name, (uint64_t)n, &bad);
	if (!strcmp(name, "pthread_join")) {
		pending_join(m, t, out);
	} else if (!strcmp(name, "thread_end")) {
		if (!threads_are_watched(m->p))
			out->kind = PENDING_OWN;
	} else if (!strcmp(name, "pthread_create")) {
		pending_object(out, CREATION);
	} else if (one_object(name)) {
		pending_object(out, object.v.lo);
		out->blocks = !strcmp(name, "pthread_mutex_lock") &&
			      held_by_other(m, t, object.v.lo);
	}
}

static void pending_access(struct machine *m, struct thread *t, const struct ir_insn *in,
	struct pending *out)
{
	struct opnd a = frame_get(m, t, top(t), in->arg[0]);
	enum ir_shape s = ir_ops[in->op].shape;

	if (a.t.id)
		return;
	out->kind = PENDING_ACCESS;
	out->addr = a.v.lo;
	out->n = ir_type_bytes(s == IR_S_STORE ? in->type2 : in->type);
	out->write = s != IR_S_LOAD;
	out->atomic = s == IR_S_RMW || s == IR_S_CAS || ir_order(in->flags);
}

struct pending pending_of(struct machine *m, struct thread *t)
{
	struct pending out = {.thread = t->id, .kind = PENDING_ANY, .func = IR_NONE, .insn = IR_NONE};
	struct frame *f = top(t);
	const struct ir_func *fn = frame_func(m, f);
	uint32_t i = frame_insn(f, true);
	const struct ir_insn *in = &fn->insns.at[i];
	enum ir_shape s = ir_ops[in->op].shape;

	if (t->frames.n == 1 && f->entered && t->id &&
		(f->careful ? !f->pc : f->ip == f->code->ins)) {
		out.kind = PENDING_OWN;
		return out;
	}
	if (!t->resumed)
		return out;
	if (s == IR_S_CALL && f->code->model && ir_is_const(in->arg[0]) &&
		ir_const(fn, in->arg[0])->kind == IR_C_FUNC &&
		!strcmp(ir_func_name(m->p, ir_const(fn, in->arg[0])->id), "__heddle_sync")) {
		pending_sync(m, t, in, &out);
	} else if (!f->code->model && (s == IR_S_LOAD || s == IR_S_STORE || s == IR_S_RMW ||
					       s == IR_S_CAS)) {
		out.func = f->func;
		out.insn = i;
		pending_access(m, t, in, &out);
	}
	return out;
}

bool pending_races(const struct pending *a, const struct pending *b)
{
	return a->kind == PENDING_ACCESS && b->kind == PENDING_ACCESS &&
	       (a->write || b->write) && !(a->atomic && b->atomic) &&
	       a->addr < b->addr + b->n && b->addr < a->addr + a->n;
}

static bool pending_independent(const struct pending *a, const struct pending *b)
{
	if (a->kind == PENDING_ANY || b->kind == PENDING_ANY)
		return false;
	if (a->kind == PENDING_OWN || b->kind == PENDING_OWN)
		return true;
	if (!a->write && !b->write)
		return true;
	return a->addr + a->n <= b->addr || b->addr + b->n <= a->addr;
}

void sleep_clear(struct sleep *s)
{
	vec_clear(&s->at);
	vec_clear(&s->spins);
}

void sleep_copy(struct sleep *to, const struct sleep *from)
{
	sleep_clear(to);
	vec_each (&from->at, i)
		vec_push(&to->at, from->at.at[i]);
	vec_each (&from->spins, i)
		vec_push(&to->spins, from->spins.at[i]);
}

static bool spin_value(struct machine *m, const struct spin *w, uint64_t *value)
{
	uint64_t bad;

	*value = 0;
	return mem_out(&m->mem, w->addr, value, w->n, &bad) == MEM_OK;
}

void spin_note(struct sleep *s, struct machine *m, struct thread *t)
{
	struct pending p = pending_of(m, t);
	struct spin w = {.thread = t->id, .n = p.n, .addr = p.addr};

	if (p.kind == PENDING_ACCESS && p.n <= 8 && spin_value(m, &w, &w.value) &&
		!spin_waits(s, m, t->id))
		vec_push(&s->spins, w);
}

bool spin_waits(struct sleep *s, struct machine *m, uint32_t thread)
{
	uint64_t now;

	vec_each (&s->spins, i) {
		if (s->spins.at[i].thread != thread)
			continue;
		if (spin_value(m, &s->spins.at[i], &now) && now == s->spins.at[i].value)
			return true;
		s->spins.at[i] = vec_pop(&s->spins);
		return false;
	}
	return false;
}

void sleep_release(struct sleep *s)
{
	vec_release(&s->at);
	vec_release(&s->spins);
}

bool sleep_has(const struct sleep *s, uint32_t thread)
{
	vec_each (&s->at, i)
		if (s->at.at[i].thread == thread)
			return true;
	return false;
}

void sleep_step(struct sleep *s, const struct pending *made)
{
	uint32_t n = 0;

	vec_each (&s->at, i)
		if (s->at.at[i].thread != made->thread && pending_independent(&s->at.at[i], made))
			s->at.at[n++] = s->at.at[i];
	s->at.n = n;
}
