#include "base/base.h"
#include "base/hash.h"
#include "base/vec.h"
#include "sync_sim.h"

#include "base/map.h"

#include <errno.h>
#include <string.h>

enum { THREADS = 6, LOCKS = 4, CONDS = 2, SEMS = 2, ONCES = 8, COUNTERS = 3, ROUND = 2 };
enum { /* addresses, far from each other */
	AT_LOCK = 0x1000,
	AT_RW = 0x2000,
	AT_SPIN = 0x3000,
	AT_COND = 0x4000,
	AT_SEM = 0x5000,
	AT_BARRIER = 0x6000,
	AT_ONCE = 0x7000,
	APART = 64,
};

enum op { IDLE, ACQUIRE, RELEASE, WAIT, SIGNAL, BARRIER, ONCE, INIT, CREATE, JOIN, END, GONE };

struct runner {
	enum op op;
	uint32_t phase;
	struct sync_event e;
	uint32_t what;    /* index of the object in its kind */
	uint32_t held;    /* mutexes below this one may not be taken; LOCKS = none held */
	uint32_t depth;   /* of the mutex held */
	uint8_t rw, spin; /* 1 reading, 2 writing; 1 held */
	bool woken, ran, started, timed_out;
	uint64_t round;
	uint32_t todo; /* operations before it ends */
};

struct world {
	struct sim *s;
	uint64_t rng, clock;
	uint32_t counter[COUNTERS];
	struct runner r[THREADS];
	int owner[LOCKS]; /* -1 free */
	uint32_t lock_depth[LOCKS];
	uint32_t readers;
	int writer, spinner;
	int64_t sem[SEMS];
	struct vec_u32 waiting[CONDS];
	uint32_t inside; /* the barrier */
	uint64_t rounds;
	uint8_t once[ONCES]; /* 1 running, 2 done */
	uint32_t events, inits;
};

static uint32_t rnd(struct world *w, uint32_t n)
{
	w->rng ^= w->rng << 13;
	w->rng ^= w->rng >> 7;
	w->rng ^= w->rng << 17;
	return (uint32_t)(w->rng >> 20) % n;
}

void sim_add(struct history *h, uint32_t thread, struct sync_event e)
{
	vec_push(&h->threads.at[thread].events, e);
}

static uint32_t number(struct world *w, uint64_t object)
{
	return ++w->counter[hash_u64(object) % COUNTERS];
}

static void emit(struct world *w, uint32_t t)
{
	w->r[t].e.tsc = w->clock;
	sim_add(&w->s->h, t, w->r[t].e);
	w->r[t].e.index = w->clock;
	w->events++;
}

static void begin(struct world *w, uint32_t t, enum op op, struct sync_event e, uint32_t what)
{
	struct runner *r = &w->r[t];

	r->op = op;
	r->phase = 0;
	r->e = e;
	r->e.index = w->clock;
	r->what = what;
	r->woken = r->ran = r->timed_out = false;
}

/* ---- effects -------------------------------------------------------------------------------- */

/* false: it must wait */
static bool acquire(struct world *w, uint32_t t)
{
	struct runner *r = &w->r[t];
	uint32_t i = r->what;

	switch (r->e.kind) {
	case LOG_S_LOCK:
	case LOG_S_TRYLOCK:
		if (w->owner[i] >= 0 && w->owner[i] != (int)t)
			return false;
		w->owner[i] = (int)t;
		w->lock_depth[i]++;
		r->held = i;
		r->depth = w->lock_depth[i];
		return true;
	case LOG_S_RDLOCK:
		if (w->writer >= 0)
			return false;
		w->readers++;
		r->rw = 1;
		return true;
	case LOG_S_WRLOCK:
		if (w->writer >= 0 || w->readers)
			return false;
		w->writer = (int)t;
		r->rw = 2;
		return true;
	case LOG_S_SPIN_LOCK:
		if (w->spinner >= 0)
			return false;
		w->spinner = (int)t;
		r->spin = 1;
		return true;
	default: /* SEM_WAIT */
		if (w->sem[i] <= 0)
			return false;
		w->sem[i]--;
		return true;
	}
}

static void release(struct world *w, uint32_t t)
{
	struct runner *r = &w->r[t];
	uint32_t i = r->what;

	switch (r->e.kind) {
	case LOG_S_UNLOCK:
		r->depth = --w->lock_depth[i];
		if (!r->depth) {
			w->owner[i] = -1;
			r->held = LOCKS;
		}
		break;
	case LOG_S_RW_UNLOCK:
		if (r->rw == 2)
			w->writer = -1;
		else
			w->readers--;
		r->rw = 0;
		break;
	case LOG_S_SPIN_UNLOCK:
		w->spinner = -1;
		r->spin = 0;
		break;
	default: w->sem[i]++; /* SEM_POST */
	}
}

/* ---- operations, one small step each -------------------------------------------------------- */

static bool step_acquire(struct world *w, uint32_t t)
{
	struct runner *r = &w->r[t];

	switch (r->phase++) {
	case 0:
		if (acquire(w, t))
			return false;
		if (r->e.kind == LOG_S_TRYLOCK || rnd(w, 50) == 0) { /* busy, or the time is over */
			r->e.result = r->e.kind == LOG_S_TRYLOCK    ? EBUSY
				      : r->e.kind == LOG_S_SEM_WAIT ? -1
								    : ETIMEDOUT;
			if (r->e.kind != LOG_S_SPIN_LOCK)
				return false;
			r->e.result = 0;
		}
		r->phase = 0;
		return false;
	case 1: r->e.seq = number(w, r->e.object); return false;
	default: emit(w, t); return true;
	}
}

static bool step_release(struct world *w, uint32_t t)
{
	struct runner *r = &w->r[t];

	switch (r->phase++) {
	case 0: r->e.seq = number(w, r->e.object); return false;
	case 1: release(w, t); return false;
	default: emit(w, t); return true;
	}
}

static bool step_wait(struct world *w, uint32_t t)
{
	struct runner *r = &w->r[t];
	uint32_t m = r->held, c = r->what;

	switch (r->phase++) {
	case 0: r->e.seq = number(w, r->e.object); return false;
	case 1: r->e.seq2 = number(w, r->e.value); return false;
	case 2: emit(w, t); return false;
	case 3:
		w->owner[m] = -1;
		w->lock_depth[m] = 0;
		vec_push(&w->waiting[c], t);
		return false;
	case 4:
		r->timed_out = !r->woken && rnd(w, 100) == 0;
		if (!r->woken && !r->timed_out) {
			r->phase = 4;
			return false;
		}
		for (uint32_t i = 0; i < w->waiting[c].n; i++)
			if (w->waiting[c].at[i] == t)
				w->waiting[c].at[i--] = w->waiting[c].at[--w->waiting[c].n];
		return false;
	case 5:
		if (w->owner[m] >= 0) {
			r->phase = 5;
			return false;
		}
		w->owner[m] = (int)t;
		w->lock_depth[m] = 1;
		r->e.kind = LOG_S_COND_WOKEN;
		r->e.flags = LOG_F_EXTRA;
		r->e.result = r->timed_out ? ETIMEDOUT : 0;
		return false;
	case 6: r->e.seq = number(w, r->e.object); return false;
	case 7: r->e.seq2 = number(w, r->e.value); return false;
	default: emit(w, t); return true;
	}
}

static bool step_signal(struct world *w, uint32_t t)
{
	struct runner *r = &w->r[t];
	struct vec_u32 *q = &w->waiting[r->what];

	switch (r->phase++) {
	case 0: r->e.seq = number(w, r->e.object); return false;
	case 1:
		for (uint32_t n = r->e.kind == LOG_S_COND_SIGNAL ? MIN(q->n, 1u) : q->n; n--;)
			w->r[vec_pop(q)].woken = true;
		return false;
	case 2: r->e.seq2 = number(w, r->e.object); return false;
	default: emit(w, t); return true;
	}
}

static bool step_barrier(struct world *w, uint32_t t)
{
	struct runner *r = &w->r[t];

	switch (r->phase++) {
	case 0: r->e.seq = number(w, r->e.object); return false;
	case 1: emit(w, t); return false;
	case 2:
		r->round = w->rounds;
		r->e.kind = LOG_S_BARRIER_LEAVE;
		r->e.flags = 0;
		if (++w->inside == ROUND) {
			w->inside = 0;
			w->rounds++;
			r->e.result = -1;
		}
		return false;
	case 3: r->phase -= r->round == w->rounds; return false;
	case 4: r->e.seq = number(w, r->e.object); return false;
	default: emit(w, t); return true;
	}
}

static bool step_once(struct world *w, uint32_t t)
{
	struct runner *r = &w->r[t];
	uint8_t *once = &w->once[r->what];

	switch (r->phase++) {
	case 0:
		if (*once == 1)
			r->phase = 0;
		else if (!*once)
			*once = 1, r->ran = true;
		return false;
	case 1:
		if (r->ran)
			*once = 2;
		return false;
	case 2: r->e.seq = number(w, r->e.object); return false;
	default:
		r->e.extra = r->ran;
		emit(w, t);
		return true;
	}
}

static bool step_simple(struct world *w, uint32_t t)
{
	struct runner *r = &w->r[t];

	switch (r->op) {
	case INIT:
		r->e.seq = number(w, r->e.object);
		emit(w, t);
		return true;
	case CREATE:
		if (!r->phase++) {
			w->r[r->e.extra].started = true;
			return false;
		}
		emit(w, t);
		return true;
	case JOIN:
		if (w->r[r->e.extra].op != GONE)
			return false;
		emit(w, t);
		return true;
	default: /* END */
		emit(w, t);
		r->op = GONE;
		return false;
	}
}

/* ---- what to do next ------------------------------------------------------------------------ */

static struct sync_event ev(uint8_t kind, uint64_t object, uint16_t flags)
{
	return (struct sync_event){.kind = kind, .object = object, .flags = flags};
}

static uint64_t lock_at(uint32_t i)
{
	return AT_LOCK + i * APART;
}

static bool choose_release(struct world *w, uint32_t t)
{
	struct runner *r = &w->r[t];

	if (r->spin)
		begin(w, t, RELEASE, ev(LOG_S_SPIN_UNLOCK, AT_SPIN, 0), 0);
	else if (r->rw && rnd(w, 2))
		begin(w, t, RELEASE, ev(LOG_S_RW_UNLOCK, AT_RW, 0), 0);
	else if (r->held != LOCKS && rnd(w, 2))
		begin(w, t, RELEASE, ev(LOG_S_UNLOCK, lock_at(r->held), 0), r->held);
	else
		return false;
	return true;
}

static void choose_free(struct world *w, uint32_t t)
{
	uint32_t i = rnd(w, LOCKS);
	struct sync_event e;

	switch (rnd(w, 7)) {
	case 0: begin(w, t, ACQUIRE, ev(LOG_S_LOCK, lock_at(i), 0), i); break;
	case 1: begin(w, t, ACQUIRE, ev(LOG_S_TRYLOCK, lock_at(i), 0), i); break;
	case 2: begin(w, t, ACQUIRE, ev(LOG_S_RDLOCK, AT_RW, 0), 0); break;
	case 3: begin(w, t, ACQUIRE, ev(LOG_S_WRLOCK, AT_RW, 0), 0); break;
	case 4: begin(w, t, ACQUIRE, ev(LOG_S_SPIN_LOCK, AT_SPIN, 0), 0); break;
	case 5:
		if (t >= ROUND) {
			begin(w, t, BARRIER, ev(LOG_S_BARRIER_ENTER, AT_BARRIER, LOG_F_MORE), 0);
			break;
		}
		/* fallthrough */
	default:
		i = rnd(w, ONCES);
		e = ev(LOG_S_ONCE, AT_ONCE + i * APART, LOG_F_EXTRA);
		begin(w, t, ONCE, e, i);
	}
}

static void choose(struct world *w, uint32_t t)
{
	struct runner *r = &w->r[t];
	bool free = r->held == LOCKS && !r->rw && !r->spin;
	uint32_t i = rnd(w, SEMS);
	struct sync_event e;

	if (r->todo && (r->todo -= 1) % 3 == 0 && !r->spin) {
		if (rnd(w, 2))
			begin(w, t, RELEASE, ev(LOG_S_SEM_POST, AT_SEM + i * APART, 0), i);
		else
			begin(w, t, ACQUIRE, ev(LOG_S_SEM_WAIT, AT_SEM + i * APART, 0), i);
	} else if (free && !r->todo) {
		begin(w, t, END, ev(SYNC_END, 0, 0), 0);
	} else if (!free && choose_release(w, t)) {
		return;
	} else if (r->held != LOCKS && r->depth == 1 && r->todo && !r->rw && rnd(w, 3) == 0) {
		i = rnd(w, CONDS);
		e = ev(LOG_S_COND_WAIT, AT_COND + i * APART, LOG_F_EXTRA | LOG_F_MORE);
		e.value = lock_at(r->held);
		begin(w, t, WAIT, e, i);
	} else if (r->held == 1 && r->depth < 3 && r->todo) { /* the recursive one */
		begin(w, t, ACQUIRE, ev(LOG_S_LOCK, lock_at(1), 0), 1);
	} else if (free && rnd(w, 4)) {
		choose_free(w, t);
	} else {
		i = rnd(w, CONDS);
		begin(w, t, SIGNAL,
			ev(rnd(w, 2) ? LOG_S_COND_SIGNAL : LOG_S_COND_BROADCAST,
				AT_COND + i * APART, LOG_F_EXTRA),
			i);
	}
}

/* The main thread makes the objects and the threads, then waits for them. */
static void choose_main(struct world *w)
{
	static const struct {
		uint8_t kind;
		uint16_t at;
		uint32_t extra;
	} inits[] = {
		{LOG_S_MUTEX_INIT, AT_LOCK, 0},
		{LOG_S_MUTEX_INIT, AT_LOCK + APART, 1},
		{LOG_S_MUTEX_INIT, AT_LOCK + 2 * APART, 2},
		{LOG_S_RW_INIT, AT_RW, 0},
		{LOG_S_SPIN_INIT, AT_SPIN, 0},
		{LOG_S_SEM_INIT, AT_SEM, 1},
		{LOG_S_SEM_INIT, AT_SEM + APART, 3},
		{LOG_S_BARRIER_INIT, AT_BARRIER, ROUND},
	};
	uint32_t k = w->inits++;
	struct sync_event e;

	if (k < ARRAY_SIZE(inits)) {
		e = ev(inits[k].kind, inits[k].at, LOG_F_EXTRA);
		e.extra = inits[k].extra;
		begin(w, 0, INIT, e, 0);
		return;
	}
	k -= ARRAY_SIZE(inits);
	e = ev(k < THREADS - 1 ? LOG_S_CREATE : LOG_S_JOIN, 0, LOG_F_EXTRA);
	e.extra = 1 + k % (THREADS - 1);
	begin(w, 0, k < THREADS - 1 ? CREATE : k < 2 * (THREADS - 1) ? JOIN : END, e, 0);
	if (w->r[0].op == END)
		w->r[0].e = ev(SYNC_END, 0, 0);
}

static void step(struct world *w, uint32_t t)
{
	struct runner *r = &w->r[t];
	bool done = false;

	switch (r->op) {
	case IDLE:
		if (!t)
			choose_main(w);
		else
			choose(w, t);
		return;
	case ACQUIRE: done = step_acquire(w, t); break;
	case RELEASE: done = step_release(w, t); break;
	case WAIT: done = step_wait(w, t); break;
	case SIGNAL: done = step_signal(w, t); break;
	case BARRIER: done = step_barrier(w, t); break;
	case ONCE: done = step_once(w, t); break;
	default: done = step_simple(w, t);
	}
	if (done)
		r->op = IDLE;
}

static void start(struct world *w, uint32_t t, uint32_t todo)
{
	w->r[t].held = LOCKS;
	w->r[t].todo = todo;
	w->s->h.threads.at[t].kind = t ? LOG_T_CREATED : LOG_T_MAIN;
	w->s->h.threads.at[t].parent = t ? 0 : LOG_NONE;
	w->s->h.threads.at[t].fate = SYNC_CUT;
}

void sim_run(struct sim *s, uint64_t seed, uint32_t n)
{
	struct world w = {
		.s = s, .rng = hash_u64(seed) | 1, .writer = -1, .spinner = -1, .sem = {1, 3}};
	bool begun[THREADS] = {false};

	history_init(&s->h, THREADS);
	memset(w.owner, 0xff, sizeof w.owner);
	for (uint32_t t = 0; t < THREADS; t++)
		start(&w, t, n / THREADS);
	w.r[0].started = true;
	/* who waits at the barrier, or for a semaphore, when the others are gone, waits for ever */
	for (uint64_t idle = 0; idle < 5000; idle++) {
		uint32_t t = rnd(&w, THREADS), before = w.events;

		w.clock++;
		if (!w.r[t].started || w.r[t].op == GONE)
			continue;
		if (!begun[t]) {
			begun[t] = true;
			w.r[t].e = ev(SYNC_BEGIN, 0, 0);
			emit(&w, t);
		}
		step(&w, t);
		if (w.events != before)
			idle = 0;
	}
	for (uint32_t t = 0; t < THREADS; t++)
		if (w.r[t].op == GONE)
			s->h.threads.at[t].fate = SYNC_COMPLETE;
	for (uint32_t i = 0; i < CONDS; i++)
		vec_release(&w.waiting[i]);
}

void sim_release(struct sim *s)
{
	history_release(&s->h);
}
