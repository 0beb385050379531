#include "explore/reduce.h"

#include "base/base.h"
#include "machine/code.h"
#include "machine/lent.h"
#include "symbolic/sym.h"
#include "world/world.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>

/* Operations that access only their object; all others may depend on everything. */
static bool one_object(const char *kind)
{
	static const char *const kinds[] = {"pthread_mutex_lock", "pthread_mutex_unlock",
		"pthread_mutex_trylock", "pthread_spin_lock", "pthread_spin_unlock",
		"pthread_spin_trylock", "pthread_rwlock_rdlock", "pthread_rwlock_wrlock",
		"pthread_rwlock_unlock", "pthread_rwlock_tryrdlock", "pthread_rwlock_trywrlock",
		"pthread_mutex_timedlock", "pthread_mutex_clocklock", "sem_wait", "sem_post",
		"sem_trywait", "sem_timedwait", "sem_clockwait", "sem_getvalue",
		"pthread_barrier_wait", "mtx_lock", "mtx_unlock", "mtx_trylock"};

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
		mem_out(&m->mem, mutex + offsetof(pthread_mutex_t, __data.__owner), &owner, 4,
			&bad))
		return false;
	return lock && owner != t->id + 1;
}

static bool has_prefix(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

/* Whether a wait for the object, which is a mutex or a semaphore, would not end. */
static bool is_taken(struct machine *m, const struct thread *t, const char *op, uint64_t object)
{
	uint32_t value;
	uint64_t bad;

	if (has_prefix(op, "sem_")) /* the value comes first (models/semaphore.c) */
		return !mem_out(&m->mem, object, &value, 4, &bad) && !value;
	return held_by_other(m, t, object);
}

/* Operations that only wait if the object is taken. */
static bool waits_if_taken(const char *op)
{
	return !strcmp(op, "pthread_mutex_lock") || !strcmp(op, "sem_wait");
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

/* Whether the thread has a variable with lent bytes in a function other than main. */
static bool lends_below_main(const struct machine *m, const struct thread *t)
{
	vec_each (&t->vars, i)
		if (lent_any(m, t, t->vars.at[i].base, t->vars.at[i].size) &&
			strcmp(ir_func_name(m->p, t->vars.at[i].func), "main") != 0)
			return true;
	return false;
}

/*
 * A thread begins. Where accesses are no switch points, its begin stands for its accesses to
 * variables of its creator: the end of such a variable comes before it, or after it.
 */
static void pending_begin(struct machine *m, struct thread *t, struct pending *out)
{
	const struct thread *by = m->threads.at[t->creator];

	out->kind = PENDING_OWN;
	if (m->opt->switches == EXEC_SWITCH_ACCESS || !lends_below_main(m, by))
		return;
	pending_object(out, by->stack);
	out->n = STACK_LIMIT;
	out->write = false;
}

/* A thread ends: so do its variables. */
static void pending_end(struct machine *m, struct thread *t, struct pending *out)
{
	if (threads_are_watched(m->p))
		return;
	out->kind = PENDING_OWN;
	if (lent_any(m, t, t->stack, t->sp - t->stack)) {
		pending_object(out, t->stack);
		out->n = (uint32_t)(t->sp - t->stack);
	}
}

static void pending_sync(
	struct machine *m, struct thread *t, const struct ir_insn *in, struct pending *out)
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
		pending_end(m, t, out);
	} else if (!strcmp(name, "pthread_create")) {
		pending_object(out, CREATION);
	} else if (one_object(name)) {
		pending_object(out, object.v.lo);
		out->blocks = waits_if_taken(name) && is_taken(m, t, name, object.v.lo);
	}
}

/* Whether the program can end a sleep before its time. */
static bool sleeps_are_interrupted(const struct ir_program *p)
{
	return ir_find_func(p, "pthread_cancel") != IR_NONE ||
	       ir_find_func(p, "pthread_kill") != IR_NONE;
}

/*
 * The thread is in a wait that ends, or may end, now. After a wait for a mutex or a semaphore it
 * tests the object again, and waits again if the object is taken. A sleep accesses nothing.
 */
static void pending_wait(struct machine *m, struct thread *t, struct pending *out)
{
	bool waits = t->state == THREAD_WAITING;

	if (!t->wait_on) {
		if (!sleeps_are_interrupted(m->p))
			out->kind = PENDING_OWN;
		return;
	}
	if (!one_object(t->why) ||
		!(has_prefix(t->why, "sem_") || has_prefix(t->why, "pthread_mutex_")))
		return;
	pending_object(out, t->wait_on);
	out->blocks = (waits ? !t->deadline : t->notified) && is_taken(m, t, t->why, t->wait_on);
}

static struct opnd argument(
	struct machine *m, struct thread *t, const struct ir_insn *in, uint32_t i)
{
	return frame_get(m, t, top(t), frame_func(m, top(t))->extra.at[in->arg[1] + 2 * i]);
}

/* Bytes of a state that results may point to, such as the buffer of gmtime(): the program reads them. */
enum { ORDERED_BYTES = 64 };

/* An access to state that is no variable of the program. */
static void pending_order(
	struct machine *m, struct thread *t, const struct ir_insn *in, struct pending *out)
{
	struct opnd state = argument(m, t, in, 0), changes = argument(m, t, in, 1);

	if (state.t.id)
		return;
	pending_object(out, state.v.lo);
	out->n = ORDERED_BYTES;
	out->write = changes.t.id || changes.v.lo & 1;
}

/* A system call: the file of its descriptor is the object; a call with a path may change any file.
 */
static void pending_syscall(
	struct machine *m, struct thread *t, const struct ir_insn *in, struct pending *out)
{
	enum { FILES = 0x1000, MOST_FILES = 0x10000 }; /* no address of the program */
	struct opnd nr = argument(m, t, in, 0), fd = argument(m, t, in, 1);
	uint32_t node = UINT32_MAX;

	if (nr.t.id || fd.t.id || !m->world)
		return;
	switch (nr.v.lo) {
	case SYS_read:
	case SYS_readv:
	case SYS_pread64:
	case SYS_write:
	case SYS_writev:
	case SYS_pwrite64:
	case SYS_lseek: node = world_file_of(m->world, (int)fd.v.lo); break;
	default: break;
	}
	pending_object(out, FILES + (node < MOST_FILES ? node : 0));
	out->n = node < MOST_FILES ? 1 : MOST_FILES;
}

/* The function that the instruction calls by its name; "" if it is another instruction. */
static const char *callee_name(
	struct machine *m, const struct ir_func *fn, const struct ir_insn *in)
{
	if (ir_ops[in->op].shape != IR_S_CALL || !ir_is_const(in->arg[0]) ||
		ir_const(fn, in->arg[0])->kind != IR_C_FUNC)
		return "";
	return ir_func_name(m->p, ir_const(fn, in->arg[0])->id);
}

static void pending_access(
	struct machine *m, struct thread *t, const struct ir_insn *in, struct pending *out)
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

static void pending_block(
	struct machine *m, struct thread *t, const struct ir_insn *in, struct pending *out)
{
	struct opnd to = frame_get(m, t, top(t), in->arg[0]), from = {0};
	struct opnd n = frame_get(m, t, top(t), in->arg[2]);

	if (in->op != IR_MEMSET)
		from = frame_get(m, t, top(t), in->arg[1]);
	if (to.t.id || from.t.id || n.t.id || !n.v.lo)
		return;
	out->kind = PENDING_BLOCK;
	out->addr = to.v.lo;
	out->from = from.v.lo;
	out->n = (uint32_t)MIN(n.v.lo, UINT32_MAX);
	out->write = true;
}

bool thread_begins(struct thread *t)
{
	struct frame *f = t->frames.n == 1 ? top(t) : NULL;

	return f && f->entered && t->id && (f->careful ? !f->pc : f->ip == f->code->ins);
}

struct pending pending_of(struct machine *m, struct thread *t)
{
	struct pending out = {
		.thread = t->id, .kind = PENDING_ANY, .func = IR_NONE, .insn = IR_NONE};
	struct frame *f = top(t);
	const struct ir_func *fn = frame_func(m, f);
	uint32_t i = frame_insn(f, true);
	const struct ir_insn *in = &fn->insns.at[i];
	enum ir_shape s = ir_ops[in->op].shape;
	uint64_t begin, n;

	if (thread_begins(t)) {
		pending_begin(m, t, &out);
		return out;
	}
	if (!t->resumed && t->state != THREAD_WAITING)
		return out;
	if (f->code->model && has_prefix(callee_name(m, fn, in), "__heddle_wait")) {
		pending_wait(m, t, &out);
	} else if (f->code->model && !strcmp(callee_name(m, fn, in), "__heddle_sync")) {
		pending_sync(m, t, in, &out);
	} else if (f->code->model && !strcmp(callee_name(m, fn, in), "__heddle_order")) {
		pending_order(m, t, in, &out);
	} else if (f->code->model && !strcmp(callee_name(m, fn, in), "__heddle_syscall")) {
		pending_syscall(m, t, in, &out);
	} else if (lent_change(m, t, in, &begin, &n)) {
		pending_object(&out, begin);
		out.n = (uint32_t)n;
	} else if (!f->code->model &&
		   (s == IR_S_LOAD || s == IR_S_STORE || s == IR_S_RMW || s == IR_S_CAS)) {
		out.func = f->func;
		out.insn = i;
		pending_access(m, t, in, &out);
	} else if (!f->code->model && s == IR_S_BULK) {
		out.func = f->func;
		out.insn = i;
		pending_block(m, t, in, &out);
	}
	return out;
}

static bool accesses_race(const struct pending *a, const struct pending *b)
{
	return (a->write || b->write) && !(a->atomic && b->atomic) && a->addr < b->addr + b->n &&
	       b->addr < a->addr + a->n;
}

/* The accesses of an operation: for a block operation the write, then the read. */
static uint32_t split_access(const struct pending *p, struct pending out[2])
{
	if (p->kind != PENDING_ACCESS && p->kind != PENDING_BLOCK)
		return 0;
	out[0] = out[1] = *p;
	out[1].addr = p->from;
	out[1].write = false;
	return p->kind == PENDING_BLOCK && p->from ? 2 : 1;
}

bool pending_races(struct pending *a, struct pending *b)
{
	struct pending x[2], y[2];
	uint32_t nx = split_access(a, x), ny = split_access(b, y);

	for (uint32_t i = 0; i < nx; i++)
		for (uint32_t k = 0; k < ny; k++)
			if (accesses_race(&x[i], &y[k])) {
				*a = x[i];
				*b = y[k];
				return true;
			}
	return false;
}

static bool pending_independent(const struct pending *a, const struct pending *b)
{
	if (a->kind == PENDING_ANY || b->kind == PENDING_ANY)
		return false;
	if (a->kind == PENDING_BLOCK || b->kind == PENDING_BLOCK)
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
