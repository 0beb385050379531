/* Extraction of synchronization: makes events from records. */
#include "extract/extract_internal.h"

#include "base/bitset.h"
#include "base/map.h"
#include "base/vec.h"
#include "log/words.h"
#include "trace/check.h"

#include <errno.h>

/* results of threads.h in glibc */
enum { C11_BUSY = 1, C11_TIMED_OUT = 4 };

struct op { /* the current record */
	struct extractor *x;
	struct follow *f;
	const struct sync_event *s;
	uint16_t traits;
	uint32_t nth; /* index of the record in the thread's synchronization events */
};

/* ---- objects -------------------------------------------------------------------------------- */

static struct ctp_object *note_object(const struct op *o, uint64_t addr, int kind)
{
	struct ctp *c = o->x->c;
	uint64_t *at;

	if (kind < 0 || !addr)
		return NULL;
	at = map_put(&o->x->objects, addr);
	if (!*at) {
		vec_push(&c->objects,
			(struct ctp_object){.addr = addr,
				.kind = (uint8_t)kind,
				.initial = -1,
				.func = o->s->func,
				.insn = o->s->insn,
				.gen = touched_generation_ever(o->x->tr->touched, addr)});
		*at = c->objects.n;
		if (kind == CHECK_RWLOCK && o->f)
			modelled_rwlock(o->x, o->f, addr);
	}
	return &c->objects.at[*at - 1];
}

/* ---- events --------------------------------------------------------------------------------- */

static uint32_t first_rank(const struct op *o)
{
	return 2 + 2 * sync_order_first(&o->x->sync->o, o->x->tr->stream, o->nth);
}

static uint32_t last_rank(const struct op *o)
{
	return 2 + 2 * sync_order_last(&o->x->sync->o, o->x->tr->stream, o->nth);
}

static struct ctp_event *put(const struct op *o, enum ctp_kind kind)
{
	struct ctp_event *e = extract_event(o->x, kind, o->f, o->s->func, o->s->insn);

	e->stack = o->s->stack.id;
	e->object = o->s->object;
	if (o->traits & FUNC_TIMED)
		e->flags |= CTP_TIMED;
	vec_last(&o->x->rank) = first_rank(o);
	return e;
}

/* Whether the object is a robust mutex whose state is modelled. */
static bool has_robust_state(const struct op *o)
{
	if (!o->x->tr->on || !map_get(&o->x->robust, o->s->object))
		return false;
	if (!o->x->stateful)
		modelled_gap(o->x, o->s->func, o->s->insn, sync_kind_name(o->s->kind),
			"the state of the robust mutex is not known in a part of a run");
	return o->x->stateful;
}

static void put_consistent(const struct op *o)
{
	if (!has_robust_state(o) || !note_object(o, o->s->object, CHECK_MUTEX))
		return;
	put(o, CTP_STATE);
	robust_consistent(o->x, o->f, o->s);
}

/* A named semaphore is one object, however often it is opened. */
static void put_open(const struct op *o, struct ctp_object *ob)
{
	bool first = ob->initial < 0;

	if ((o->s->flags & LOG_F_EXTRA) && (first || !o->x->tr->on))
		ob->initial = o->s->extra;
	if (first)
		put(o, CTP_INIT);
}

/* An initialization while threads run gives the object its first state again. */
static void put_first_state(const struct op *o)
{
	struct extractor *x = o->x;

	if (!x->tr->on || !x->stateful)
		return;
	if (o->s->kind == LOG_S_SEM_INIT ? x->counts
					 : o->s->kind == LOG_S_BARRIER_INIT ||
						   map_get(&x->robust, o->s->object))
		state_set(x, o->s->object, o->s->kind == LOG_S_SEM_INIT ? o->s->extra : 0);
}

static void put_init(const struct op *o)
{
	struct ctp_object *ob;

	if (o->s->flags & SYNC_CONSISTENT) {
		put_consistent(o);
		return;
	}
	if (!sync_succeeded(o->s))
		return;
	ob = note_object(o, o->s->object, check_primitive_of(o->s->kind));
	if (!ob)
		return;
	if (o->s->kind == LOG_S_MUTEX_INIT)
		ob->type = o->s->extra & 15;
	if (o->s->kind == LOG_S_SEM_OPEN) {
		put_open(o, ob);
		return;
	}
	/* before the first thread, the last of several initializations counts */
	if ((o->s->kind == LOG_S_SEM_INIT || o->s->kind == LOG_S_BARRIER_INIT) &&
		(ob->initial < 0 || !o->x->tr->on))
		ob->initial = o->s->extra;
	put(o, CTP_INIT);
	put_first_state(o);
}

static bool ran_out(const struct op *o)
{
	int r = o->s->result;

	if (o->traits & FUNC_C11)
		return r == C11_BUSY || r == C11_TIMED_OUT;
	return r == EBUSY || r == ETIMEDOUT;
}

static void put_lock(const struct op *o, enum ctp_kind kind, bool try)
{
	struct ctp_object *ob = note_object(o, o->s->object, check_primitive_of(o->s->kind));
	struct ctp_event *e;

	if (!ob)
		return;
	if (!sync_succeeded(o->s)) {
		if (ran_out(o) && o->x->tr->on)
			put(o, CTP_TRYFAIL);
		else if (o->s->result == EDEADLK && !(o->traits & FUNC_C11) && o->x->tr->on)
			put(o, CTP_TRYFAIL)->flags |= CTP_ERRORCHECK;
		else if (o->s->result == ENOTRECOVERABLE && has_robust_state(o)) {
			put(o, CTP_TRYFAIL);
			robust_fails(o->x, o->f, o->s);
		}
		return;
	}
	e = put(o, kind);
	e->flags |= (try ? CTP_TRIED : 0) |
		    (ob->kind == CHECK_MUTEX && ob->type == 2 ? CTP_ERRORCHECK : 0);
	if (has_robust_state(o))
		robust_lock(o->x, o->f, o->s);
}

static void put_plain(const struct op *o, enum ctp_kind kind)
{
	if (sync_succeeded(o->s) && note_object(o, o->s->object, check_primitive_of(o->s->kind)))
		put(o, kind);
}

static void put_unlock(const struct op *o)
{
	put_plain(o, CTP_UNLOCK);
	if (sync_succeeded(o->s) && has_robust_state(o))
		robust_unlock(o->x, o->s->object);
}

/* The end of a thread releases the robust mutexes that it holds. */
static void put_end(const struct op *o)
{
	const struct vec_u64 *held = &o->x->tr->robust;

	vec_each (held, i) {
		put(o, CTP_UNLOCK);
		robust_owner_ends(o->x, held->at[i]);
	}
	put(o, CTP_END);
}

/* The threads that enter are counted, because the last one of a round gets
 * PTHREAD_BARRIER_SERIAL_THREAD: so does the library, where POSIX leaves the thread open. */
static void put_enter(const struct op *o)
{
	struct extractor *x = o->x;
	const struct ctp_object *ob = note_object(o, o->s->object, CHECK_BARRIER);

	put_plain(o, CTP_BARRIER_ENTER);
	x->tr->entered = TERM_NONE;
	if (!ob || !sync_succeeded(o->s) || !x->stateful || !x->tr->on || ob->initial <= 0)
		return;
	x->tr->entered = state_add(x, o->s->object, 1);
	x->tr->count = (uint32_t)ob->initial;
}

static void put_leave(const struct op *o)
{
	const struct ir_program *p = o->x->p;

	put_plain(o, CTP_BARRIER_LEAVE);
	if (o->x->tr->entered.id)
		barrier_result(o->x, o->s);
	else if (o->s->func < p->funcs.n &&
		!extract_unused(o->x, o->s->func, &p->funcs.at[o->s->func].insns.at[o->s->insn]))
		modelled_gap(o->x, o->s->func, o->s->insn, "pthread_barrier_wait",
			"the thread that gets PTHREAD_BARRIER_SERIAL_THREAD is assumed as recorded");
}

static void put_woken(const struct op *o)
{
	bool late = o->s->result == ETIMEDOUT ||
		    ((o->traits & FUNC_C11) && o->s->result == C11_TIMED_OUT);
	struct ctp_event *e;

	if (!sync_succeeded(o->s))
		return;
	e = put(o, late ? CTP_TIMEOUT : CTP_WOKEN);
	e->of.mutex = o->s->value;
	vec_last(&o->x->rank) = last_rank(o);
}

static void put_cond(const struct op *o)
{
	struct ctp_event *e;

	if (o->s->kind == LOG_S_COND_WOKEN) {
		put_woken(o);
		return;
	}
	if (!note_object(o, o->s->object, CHECK_COND))
		return;
	if (o->s->kind == LOG_S_COND_WAIT) {
		note_object(o, o->s->value, CHECK_MUTEX);
		e = put(o, CTP_WAIT);
		e->of.mutex = o->s->value;
	} else if (sync_succeeded(o->s) && o->x->tr->on) {
		put(o, o->s->kind == LOG_S_COND_SIGNAL ? CTP_SIGNAL : CTP_BROADCAST);
		/* it takes effect between its two ranks: place_signals() in extract_link.c */
		vec_last(&o->x->rank) = last_rank(o);
	}
}

static void put_sem(const struct op *o)
{
	bool took = o->s->kind != LOG_S_SEM_POST, ok = sync_succeeded(o->s);
	struct ctp_object *ob = note_object(o, o->s->object, CHECK_SEM);
	struct ctp_event *e;

	if (!ob)
		return;
	if (!o->x->tr->on) { /* before the first thread: only the resulting value matters */
		if (ok && ob->initial >= 0)
			ob->initial += took ? -1 : 1;
		return;
	}
	if (ok) {
		e = put(o, took ? CTP_SEM_WAIT : CTP_SEM_POST);
		if (o->s->kind == LOG_S_SEM_TRYWAIT)
			e->flags |= CTP_TRIED;
		if (o->x->counts)
			state_add(o->x, o->s->object, took ? -1 : 1);
	} else if (took && (o->s->kind == LOG_S_SEM_TRYWAIT || (o->traits & FUNC_TIMED))) {
		put(o, CTP_SEM_FAIL);
	}
}

static void put_sem_value(const struct op *o)
{
	struct extractor *x = o->x;

	if (!sync_succeeded(o->s) || !x->tr->on || !note_object(o, o->s->object, CHECK_SEM))
		return;
	put(o, CTP_STATE);
	if (x->counts) {
		state_read(x, o->s->object);
		x->tr->value_event = x->c->events.n - 1;
	} else {
		modelled_gap(x, o->s->func, o->s->insn, "sem_getvalue",
			"the value of the semaphore is not known in a part of a run");
	}
}

/* The start argument of the new thread: the last one of pthread_create() and thrd_create(). */
static uint64_t start_argument(const struct op *o)
{
	const struct tracer *tr = o->x->tr;

	return tr->on && tr->arg_vals.n ? (uint64_t)vec_last(&tr->arg_vals) : 0;
}

/* The other thread of a creation or a join. */
static uint32_t peer_of(const struct op *o)
{
	return o->s->extra < trace_nthreads(o->x->t) ? o->x->thread_of[o->s->extra] : CTP_NONE;
}

static void put_thread(const struct op *o)
{
	struct extractor *x = o->x;
	bool create = o->s->kind == LOG_S_CREATE;
	struct ctp_event *e;
	uint32_t other = peer_of(o);

	if (!sync_succeeded(o->s)) {
		if (modelled_join_fails(o->s->result) && !create && other != CTP_NONE)
			put(o, CTP_JOINFAIL)->link.peer = other;
		return;
	}
	if (create && !x->tr->on)
		extract_begins(x, o->f);
	e = put(o, create ? CTP_CREATE : CTP_JOIN);
	e->link.peer = other;
	if (o->traits & FUNC_TRIES)
		e->flags |= CTP_TRIED;
	if (create)
		e->of.start = (struct ctp_start){start_argument(o), o->s->value};
	x->tr->joined = create ? CTP_NONE : other;
}

/* ---- memory --------------------------------------------------------------------------------- */

void extract_zeros(struct extractor *x, uint32_t stream, uint32_t event)
{
	uint32_t gen = (uint32_t)map_get_or(&x->gen_of_alloc, (uint64_t)stream << 32 | event, 0);
	uint32_t k = gen ? cells_from(&x->cells, x->c, gen, 0) : CTP_NONE;

	for (; k < x->c->cells.n && x->c->cells.at[k].gen == gen; k++)
		x->c->cells.at[k].known = true;
}

static void put_alloc(const struct op *o)
{
	struct extractor *x = o->x;
	uint32_t gen = (uint32_t)map_get_or(
		&x->gen_of_alloc, (uint64_t)x->tr->stream << 32 | o->nth, 0);
	struct ctp_event *e;

	if (!gen)
		return;
	shadow_clear(&x->tr->mem, x->sync->g.at.at[gen].base, x->sync->g.at.at[gen].size);
	if ((o->traits & FUNC_ZEROS) && !x->chunk)
		extract_zeros(x, x->tr->stream, o->nth);
	e = put(o, CTP_ALLOC); /* see extract_drop_blocks() */
	e->object = 0;
	e->block = extract_block_of(x, gen);
	e->at = x->sync->g.at.at[gen].base;
	e->size = x->sync->g.at.at[gen].size;
}

static void put_free(const struct op *o)
{
	struct extractor *x = o->x;
	struct tracer *tr = x->tr;
	bool of_call = x->tr->on && tr->args.n && (o->traits & FUNC_FREES);
	term_t t = of_call ? tr->args.at[0] : TERM_NONE;
	uint32_t block = o->s->object ? extract_block(x, o->s->object) : CTP_NONE;
	const struct ctp_block *b = block == CTP_NONE ? NULL : &x->c->blocks.at[block];
	struct ctp_event *e;

	if (o->s->kind == LOG_S_REALLOC && b && tr->on)
		data_native_read(x, o->f, o->s->func, o->s->insn, b->addr, b->size);
	if ((b && bitset_has(&x->kept_blocks, b->gen)) || t.id) {
		e = put(o, CTP_FREE);
		e->object = 0;
		e->block = block;
		e->at = o->s->object;
		e->size = b ? b->size : 0;
		e->operand = t;
	}
	if (t.id)
		extract_fix(x, o->f, o->s->func, o->s->insn, t, tr->arg_vals.at[0]);
	if (b)
		shadow_clear(&tr->mem, b->addr, b->size);
}

/* ---- annotations of the program ------------------------------------------------------------- */

static void put_assume(const struct op *o)
{
	struct tracer *tr = o->x->tr;
	struct terms *ts = o->x->ts;
	term_t t, zero;

	if (!tr->on || !tr->args.n || !(t = tr->args.at[0]).id)
		return;
	zero = term_const(ts, term_width(ts, t), 0);
	extract_guard(o->x, CTP_ASSUME, o->f, o->s->func, o->s->insn,
		tr->arg_vals.at[0] ? term_ne(ts, t, zero) : term_eq(ts, t, zero));
}

/* ---- dispatch ------------------------------------------------------------------------------- */

static void put_other(const struct op *o)
{
	switch (o->s->kind) {
	case SYNC_BEGIN: put(o, CTP_BEGIN); break;
	case SYNC_END: put_end(o); break;
	case LOG_S_PROCESS_EXIT:
		o->x->tr->exits = true;
		if (o->traits & FUNC_QUITS) /* without handlers: no record follows */
			put(o, CTP_END);
		break;
	case LOG_S_CREATE:
	case LOG_S_JOIN: put_thread(o); break;
	case LOG_S_ALLOC: put_alloc(o); break;
	case LOG_S_REALLOC:
	case LOG_S_FREE: put_free(o); break;
	case LOG_S_USER_ATOMIC_BEGIN:
	case LOG_S_USER_ATOMIC_END:
		if (o->x->tr->on)
			put(o, o->s->kind == LOG_S_USER_ATOMIC_BEGIN ? CTP_ATOMIC_BEGIN
								      : CTP_ATOMIC_END);
		break;
	case LOG_S_USER_ASSUME: put_assume(o); break;
	default: break;
	}
}

static void put_event(const struct op *o)
{
	switch (o->s->kind) {
	case LOG_S_MUTEX_INIT:
	case LOG_S_RW_INIT:
	case LOG_S_SPIN_INIT:
	case LOG_S_COND_INIT:
	case LOG_S_SEM_INIT:
	case LOG_S_SEM_OPEN:
	case LOG_S_BARRIER_INIT: put_init(o); break;
	case LOG_S_MUTEX_DESTROY:
	case LOG_S_RW_DESTROY:
	case LOG_S_SPIN_DESTROY:
	case LOG_S_COND_DESTROY:
	case LOG_S_SEM_DESTROY:
	case LOG_S_BARRIER_DESTROY:
		if (!(o->traits & FUNC_CLOSES))
			put_plain(o, CTP_DESTROY);
		break;
	case LOG_S_LOCK:
	case LOG_S_SPIN_LOCK:
	case LOG_S_WRLOCK: put_lock(o, CTP_LOCK, false); break;
	case LOG_S_TRYLOCK:
	case LOG_S_SPIN_TRYLOCK:
	case LOG_S_TRYWRLOCK: put_lock(o, CTP_LOCK, true); break;
	case LOG_S_RDLOCK: put_lock(o, CTP_RDLOCK, false); break;
	case LOG_S_TRYRDLOCK: put_lock(o, CTP_RDLOCK, true); break;
	case LOG_S_UNLOCK:
	case LOG_S_SPIN_UNLOCK:
	case LOG_S_RW_UNLOCK: put_unlock(o); break;
	case LOG_S_COND_WAIT:
	case LOG_S_COND_WOKEN:
	case LOG_S_COND_SIGNAL:
	case LOG_S_COND_BROADCAST: put_cond(o); break;
	case LOG_S_SEM_WAIT:
	case LOG_S_SEM_TRYWAIT:
	case LOG_S_SEM_POST: put_sem(o); break;
	case LOG_S_SEM_VALUE: put_sem_value(o); break;
	case LOG_S_BARRIER_ENTER: put_enter(o); break;
	case LOG_S_BARRIER_LEAVE: put_leave(o); break;
	case LOG_S_ONCE:
		put_plain(o, CTP_ONCE);
		if (sync_succeeded(o->s) && o->s->extra == 1)
			vec_last(&o->x->c->events).flags |= CTP_RAN;
		break;
	default: put_other(o); break;
	}
}

/* Whether the object of the operation is known, if it must have one. It is not in a call through a
 * pointer to code outside the program, nor in a log that lacks its beginning. */
static bool has_object(const struct op *o)
{
	if (o->s->object || o->s->kind < LOG_S_MUTEX_INIT || o->s->kind > LOG_S_ONCE ||
		!sync_succeeded(o->s))
		return true;
	extract_limit(o->x, "'%s' on an object that is not known is not modelled",
		sync_kind_name(o->s->kind));
	return false;
}

void sync_event(struct extractor *x, struct follow *f, const struct follow_event *e)
{
	struct tracer *tr = x->tr;
	const struct sync_thread *h = &x->sync->h.threads.at[tr->stream];
	struct op o = {.x = x,
		.f = f,
		.nth = tr->touched->events,
		.traits = e->kind == FOLLOW_SYNC && e->callee < x->p->funcs.n ? x->traits[e->callee]
									      : 0};

	tr->blocked = LOG_NSYNC;
	if (o.nth >= h->events.n)
		return;
	o.s = &h->events.at[o.nth];
	if (!tr->cut && has_object(&o))
		put_event(&o);
	if (e->kind == FOLLOW_SYNC && (o.traits & FUNC_SYNC))
		tr->points++;
}

/* ---- operations that had not returned when the recording ended ------------------------------- */

void sync_blocked(struct extractor *x, struct follow *f, const struct follow_event *e)
{
	struct tracer *tr = x->tr;
	const struct log_sync_fn *fn =
		e->callee < x->p->funcs.n ? log_sync_find(ir_func_name(x->p, e->callee)) : NULL;

	if (!fn)
		return;
	tr->blocked = fn->kind;
	tr->waits = *extract_event(x, CTP_FAIL, f, e->func, e->insn);
	x->c->events.n--;
	x->rank.n--;
	tr->waits.object = fn->kind == LOG_S_JOIN && e->nargs ? e->args[0].lo : e->object;
}

static enum ctp_kind pending_kind(uint8_t kind)
{
	switch (kind) {
	case LOG_S_LOCK:
	case LOG_S_SPIN_LOCK:
	case LOG_S_WRLOCK: return CTP_LOCK;
	case LOG_S_RDLOCK: return CTP_RDLOCK;
	case LOG_S_SEM_WAIT: return CTP_SEM_WAIT;
	case LOG_S_JOIN: return CTP_JOIN;
	default: return CTP_NKINDS;
	}
}

static void add_pending(struct extractor *x, struct ctp_event e, enum ctp_kind kind)
{
	e.kind = kind;
	e.flags |= CTP_PENDING;
	e.region = CTP_NONE;
	e.n = 0; /* the state of its object is not accessed yet */
	e.point = x->tr->points;
	e.index = x->tr->insns;
	e.rank = UINT32_MAX;
	vec_push(&x->c->events, e);
	vec_push(&x->rank, 0);
}

void sync_ends(struct extractor *x)
{
	struct tracer *tr = x->tr;
	const struct sync_thread *h = &x->sync->h.threads.at[tr->stream];
	const struct ctp_event *last = x->c->events.n ? &vec_last(&x->c->events) : NULL;
	uint8_t kind = h->events.n ? vec_last(&h->events).kind : SYNC_NKINDS;

	if (tr->cut || !last || last->thread != tr->thread)
		return;
	if (tr->blocked != LOG_NSYNC) {
		struct op o = {.x = x, .s = &vec_last(&h->events), .nth = h->events.n - 1};

		if (pending_kind(tr->blocked) == CTP_NKINDS)
			return;
		if (tr->blocked != LOG_S_JOIN)
			note_object(&o, tr->waits.object, check_primitive_of(tr->blocked));
		add_pending(x, tr->waits, pending_kind(tr->blocked));
	} else if (last->kind == CTP_WAIT && kind == LOG_S_COND_WAIT) {
		add_pending(x, *last, CTP_WOKEN);
	} else if (last->kind == CTP_BARRIER_ENTER && kind == LOG_S_BARRIER_ENTER) {
		add_pending(x, *last, CTP_BARRIER_LEAVE);
	}
}
