#include "trace/check.h"

#include "base/map.h"
#include "trace/check_objects.h"

#include <errno.h>

const char *const check_primitive_names[CHECK_NPRIMITIVES] = {
#define X(id, text) [CHECK_##id] = text,
	CHECK_PRIMITIVES(X)
#undef X
};

int check_primitive_of(uint8_t kind)
{
	switch (kind) {
	case LOG_S_CREATE ... LOG_S_CANCEL:
	case SYNC_BEGIN:
	case SYNC_END: return CHECK_THREAD;
	case LOG_S_MUTEX_INIT ... LOG_S_UNLOCK: return CHECK_MUTEX;
	case LOG_S_RW_INIT ... LOG_S_RW_UNLOCK: return CHECK_RWLOCK;
	case LOG_S_SPIN_INIT ... LOG_S_SPIN_UNLOCK: return CHECK_SPIN;
	case LOG_S_COND_INIT ... LOG_S_COND_BROADCAST: return CHECK_COND;
	case LOG_S_SEM_INIT ... LOG_S_SEM_OPEN: return CHECK_SEM;
	case LOG_S_BARRIER_INIT ... LOG_S_BARRIER_LEAVE: return CHECK_BARRIER;
	case LOG_S_ONCE: return CHECK_ONCE;
	default: return -1;
	}
}

/* ---- threads -------------------------------------------------------------------------------- */

static void check_thread(struct checker *c, const struct sync_event *e)
{
	struct check_thread *t, *self = &c->threads[c->now.thread];

	c->out->checked[CHECK_THREAD]++;
	if (e->kind == SYNC_BEGIN) {
		const struct sync_thread *th = &c->h->threads.at[c->now.thread];

		if (th->kind == LOG_T_CREATED && !self->created &&
			(th->parent >= c->h->threads.n || !may_lack_last(c, th->parent)))
			violation(c, "a thread began that no thread created");
		return;
	}
	if (e->kind == SYNC_END) {
		self->ended = true;
		objects_forget(c, c->h->threads.at[c->now.thread].stack_lo,
			c->h->threads.at[c->now.thread].stack_hi);
		return;
	}
	if (e->result || e->extra >= c->h->threads.n)
		return;
	t = &c->threads[e->extra];
	if (e->kind == LOG_S_CREATE) {
		if (t->created)
			violation(c, "thread %u was created twice", e->extra);
		t->created = true;
	} else if (e->kind == LOG_S_JOIN) {
		if (!t->ended && c->h->threads.at[e->extra].fate == SYNC_COMPLETE)
			violation(c, "thread %u was joined before its end", e->extra);
		if (t->joined)
			misuse(c, NULL, "a thread was joined twice");
		t->joined = true;
	}
}

/* ---- mutexes, spin locks -------------------------------------------------------------------- */

static void mutex_acquire(struct checker *c, struct object *o, const struct sync_event *e)
{
	uint32_t self = c->self;
	bool recursive = o->type == MUTEX_RECURSIVE || o->type == MUTEX_UNKNOWN;

	if (o->owner == self && !o->unsure) {
		if (o->what == CHECK_SPIN || !recursive)
			violation(c, "locked while the thread itself holds it");
		o->depth++;
		return;
	}
	if (o->owner != NO_THREAD && !o->unsure && !lock_may_be_free(c, o, e))
		violation(c, "locked while thread %u holds it", o->owner);
	/* A thread that may hold the recursive mutex already has an unknown depth: the object stays
	 * unsure. When a second thread acquires it, the depth is 1. */
	o->unsure = o->unsure && o->what == CHECK_MUTEX && recursive &&
		    (o->acquirer == NO_THREAD || o->acquirer == self);
	o->acquirer = self;
	o->owner = self;
	o->depth = 1;
}

static void mutex_release(struct checker *c, struct object *o)
{
	uint32_t self = c->self;
	bool strict = o->robust || o->type == MUTEX_RECURSIVE || o->type == MUTEX_ERRORCHECK;

	if (o->owner == self) {
		if (!--o->depth)
			o->owner = NO_THREAD;
		return;
	}
	if (wait_was_cancelled(c, o->addr)) {
		c->threads[c->now.thread].waits_mutex = 0;
	} else if (!o->unsure) {
		if (strict)
			violation(c, "unlocked although the thread does not hold it, and no error");
		else
			misuse(c, o,
				o->owner == NO_THREAD ? "unlocked although no thread holds it"
						   : "unlocked although another thread holds it");
	}
	o->owner = NO_THREAD;
	o->depth = 0;
}

static void mutex_init(struct object *o, const struct sync_event *e)
{
	if (e->flags & SYNC_CONSISTENT)
		return;
	object_reset(o);
	o->type = e->flags & LOG_F_EXTRA ? e->extra & 15 : MUTEX_UNKNOWN;
	o->robust = e->flags & LOG_F_EXTRA && e->extra & 16;
}

static void check_mutex(struct checker *c, struct object *o, const struct sync_event *e)
{
	bool ok = sync_succeeded(e);

	switch (e->kind) {
	case LOG_S_MUTEX_INIT:
	case LOG_S_SPIN_INIT:
		if (ok)
			mutex_init(o, e);
		break;
	case LOG_S_MUTEX_DESTROY:
	case LOG_S_SPIN_DESTROY:
		if (ok && o->owner != NO_THREAD && !o->unsure)
			misuse(c, o, "destroyed while a thread holds it");
		if (ok)
			object_reset(o);
		break;
	case LOG_S_LOCK:
	case LOG_S_TRYLOCK:
	case LOG_S_SPIN_LOCK:
	case LOG_S_SPIN_TRYLOCK:
		if (ok)
			mutex_acquire(c, o, e);
		else if (e->result == EDEADLK && o->type == MUTEX_ERRORCHECK && !o->unsure &&
			 o->owner != c->self)
			violation(
				c, "a deadlock was reported although the thread does not hold it");
		break;
	case LOG_S_UNLOCK:
	case LOG_S_SPIN_UNLOCK:
		if (ok)
			mutex_release(c, o);
		else if (e->result == EPERM && o->owner == c->self && !o->unsure)
			violation(c, "unlocking failed although the thread holds it");
		break;
	default: BUG("kind %u", e->kind);
	}
}

/* ---- reader-writer locks -------------------------------------------------------------------- */

static void rw_unlock(struct checker *c, struct object *o)
{
	uint32_t self = c->self;

	if (o->owner == self) {
		o->owner = NO_THREAD;
	} else if (!readers_remove(o, self)) {
		if (!o->unsure)
			misuse(c, o, "unlocked although the thread does not hold it");
		object_unsure(o);
	}
}

static void check_rwlock(struct checker *c, struct object *o, const struct sync_event *e)
{
	bool write = e->kind == LOG_S_WRLOCK || e->kind == LOG_S_TRYWRLOCK;

	if (e->result)
		return;
	switch (e->kind) {
	case LOG_S_RW_DESTROY:
		if ((o->owner != NO_THREAD || o->readers.n) && !o->unsure)
			misuse(c, o, "destroyed while a thread holds it");
		object_reset(o);
		break;
	case LOG_S_RW_INIT: object_reset(o); break;
	case LOG_S_RW_UNLOCK: rw_unlock(c, o); break;
	default:
		if (o->owner != NO_THREAD && !o->unsure && !may_lack_last(c, o->owner))
			violation(c, "locked while thread %u holds it for writing", o->owner);
		else if (write && o->readers.n && !o->unsure && !readers_may_be_gone(c, o))
			violation(c, "locked for writing while thread %u reads", o->readers.at[0]);
		if (write) {
			vec_clear(&o->readers);
			o->owner = c->self;
			o->unsure = false;
		} else {
			o->owner = NO_THREAD;
			vec_push(&o->readers, c->self);
		}
	}
}

/* ---- condition variables -------------------------------------------------------------------- */

/* The mutex is a second object of the operation, with a point of its own. */
static void cond_mutex(struct checker *c, const struct sync_event *e)
{
	struct check_thread *t = &c->threads[c->now.thread];
	struct object *m = object_at(c, e->value, CHECK_MUTEX);

	if (!m)
		return;
	if (e->kind == LOG_S_COND_WAIT) {
		t->waits_mutex = e->value;
		t->held_mutex = m->owner == c->self;
		/* a wait without the mutex may fail; the result is in the COND_WOKEN event */
		if (t->held_mutex)
			mutex_release(c, m);
		else if (!m->unsure)
			misuse(c, m, "waited on with a mutex that the thread does not hold");
	} else {
		if (sync_succeeded(e) || t->held_mutex)
			mutex_acquire(c, m, e);
		t->waits_mutex = 0;
	}
	m->last = c->rank;
}

static void cond_woken(struct checker *c, struct object *o, const struct sync_event *e)
{
	const struct check_thread *t = &c->threads[c->now.thread];

	if (e->result == ETIMEDOUT || e->result == 4 /* thrd_timedout */)
		c->out->timeouts++;
	else if (!e->result && !o->signals_open && !o->unsure &&
		 (t->wait_rank == NEVER || o->signal_end == NEVER || o->signal_end < t->wait_rank))
		c->out->spurious++;
}

static void check_cond(struct checker *c, struct object *o, const struct sync_event *e)
{
	switch (e->kind) {
	case LOG_S_COND_INIT:
	case LOG_S_COND_DESTROY:
		if (!e->result)
			object_reset(o);
		break;
	case LOG_S_COND_WAIT: c->threads[c->now.thread].wait_rank = c->rank; break;
	case LOG_S_COND_WOKEN: cond_woken(c, o, e); break;
	default:
		if (!sync_is_double(e)) {
			o->signal_end = c->rank;
		} else if (!c->now.part) {
			o->signals_open++;
		} else {
			o->signals_open -= o->signals_open > 0;
			o->signal_end = c->rank;
		}
	}
}

/* ---- semaphores, barriers, once ------------------------------------------------------------- */

static void check_sem(struct checker *c, struct object *o, const struct sync_event *e)
{
	if (e->result)
		return;
	switch (e->kind) {
	case LOG_S_SEM_INIT:
		object_reset(o);
		o->counted = !(e->flags & SYNC_SHARED) && e->flags & LOG_F_EXTRA;
		o->value = e->extra;
		break;
	case LOG_S_SEM_DESTROY: object_reset(o); break;
	case LOG_S_SEM_POST: o->value++; break;
	case LOG_S_SEM_WAIT:
	case LOG_S_SEM_TRYWAIT:
		/* each thread that was cut off may have posted once without a record */
		if (o->counted && !o->unsure && o->value + (int64_t)c->ncut <= 0)
			violation(c, "taken although its value is 0");
		o->value--;
		break;
	}
}

static void barrier_leave(struct checker *c, struct object *o, const struct sync_event *e)
{
	struct check_thread *t = &c->threads[c->now.thread];
	uint64_t round;

	if (t->barrier != o->addr || t->barrier_life != o->life) {
		/* the first thread to leave may have destroyed the barrier and initialized it
		 * again */
		if (t->barrier != o->addr && !o->unsure)
			violation(c, "left by a thread that did not enter");
		t->barrier = 0;
		return;
	}
	t->barrier = 0;
	o->leaves++;
	o->serial += e->result == -1;
	if (!o->counted || o->unsure)
		return;
	round = (o->leaves + o->count - 1) / o->count;
	if (o->enters + c->ncut < round * o->count)
		violation(c, "left before all %u threads of the round had entered", o->count);
	else if (o->serial > (o->enters + c->ncut) / o->count)
		violation(c, "two threads of one round got PTHREAD_BARRIER_SERIAL_THREAD");
	else if (o->leaves == o->enters && o->leaves % o->count == 0 && !c->ncut &&
		 o->serial != o->leaves / o->count)
		violation(c, "no thread of a round got PTHREAD_BARRIER_SERIAL_THREAD");
}

static void check_barrier(struct checker *c, struct object *o, const struct sync_event *e)
{
	struct check_thread *t = &c->threads[c->now.thread];

	switch (e->kind) {
	case LOG_S_BARRIER_INIT:
	case LOG_S_BARRIER_DESTROY:
		if (e->result)
			break;
		object_reset(o);
		if (e->kind == LOG_S_BARRIER_INIT) {
			o->counted =
				e->flags & LOG_F_EXTRA && e->extra && !(e->flags & SYNC_SHARED);
			o->count = e->extra;
		}
		break;
	case LOG_S_BARRIER_ENTER:
		t->barrier = o->addr;
		t->barrier_life = o->life;
		o->enters++;
		break;
	case LOG_S_BARRIER_LEAVE:
		if (sync_succeeded(e))
			barrier_leave(c, o, e);
		break;
	}
}

static void check_once(struct checker *c, struct object *o, const struct sync_event *e)
{
	if (e->result || !(e->flags & LOG_F_EXTRA))
		return;
	if (e->extra == 1 && o->runs++ && !o->unsure)
		violation(c, "the routine of a once ran twice");
	o->returns++;
	o->first_return = o->returns == 1 ? c->now : o->first_return;
}

/* At the end of the order: a thread must have run the routine. Its sequence number may be larger
 * than those of other returns. */
static void check_once_ran(struct checker *c)
{
	vec_each (&c->objects, i) {
		const struct object *o = &c->objects.at[i];

		if (o->what != CHECK_ONCE || !o->returns || o->runs || o->unsure || c->ncut ||
			c->ndark)
			continue;
		c->now = o->first_return;
		violation(c, "the routine of a once never ran");
	}
}

/* ---- the observed order --------------------------------------------------------------------- */

static void check_event(struct checker *c, const struct sync_event *e)
{
	int what = check_primitive_of(e->kind);
	struct object *o;

	if (e->kind == LOG_S_FREE || e->kind == LOG_S_REALLOC || e->kind == LOG_S_ALLOC) {
		heap_step(c, e);
	} else if (what == CHECK_THREAD) {
		check_thread(c, e);
	} else if (what == CHECK_COND && c->now.part && e->kind != LOG_S_COND_SIGNAL &&
		   e->kind != LOG_S_COND_BROADCAST) {
		cond_mutex(c, e);
	} else if (what >= 0 && (o = object_at(c, e->object, (enum check_primitive)what))) {
		if (!c->now.part)
			(o->unsure ? c->out->unsure : c->out->checked)[what]++;
		switch (what) {
		case CHECK_MUTEX:
		case CHECK_SPIN: check_mutex(c, o, e); break;
		case CHECK_RWLOCK: check_rwlock(c, o, e); break;
		case CHECK_COND: check_cond(c, o, e); break;
		case CHECK_SEM: check_sem(c, o, e); break;
		case CHECK_BARRIER: check_barrier(c, o, e); break;
		case CHECK_ONCE: check_once(c, o, e); break;
		}
		o->last = c->rank;
		if ((e->kind == LOG_S_COND_WAIT || e->kind == LOG_S_COND_WOKEN) &&
			!sync_is_double(e))
			cond_mutex(
				c, e); /* the mutex has no sequence number: use this point */
	}
}

static void order_faults(struct checker *c)
{
	const struct sync_order *o = c->o;

	vec_each (&o->faults, i) {
		c->now = o->faults.at[i].at;
		if (o->faults.at[i].kind == ORDER_CYCLE)
			violation(c, "the sequence numbers contradict the order of the threads");
		else
			violation(
				c, "it has the sequence number of another operation on the object");
	}
	c->out->count[CHECK_VIOLATION] += o->nfaults - o->faults.n;
}

void check_run(struct check *out, const struct sync_order *o)
{
	struct checker c = {.out = out, .o = o, .h = o->h};

	*out = (struct check){.o = o};
	arena_init(&out->arena);
	checker_init(&c);
	order_faults(&c);
	for (c.rank = 0; c.rank < o->n; c.rank++) {
		c.now = o->at[c.rank];
		threads_before(&c);
		check_event(&c, &c.h->threads.at[c.now.thread].events.at[c.now.event]);
		threads_after(&c);
	}
	check_once_ran(&c);
	checker_release(&c);
}

void check_release(struct check *c)
{
	vec_release(&c->findings);
	arena_release(&c->arena);
}
