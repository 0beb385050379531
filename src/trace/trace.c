#include "trace/trace.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/hash.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "import/import.h"
#include "ir/validate.h"
#include "log/words.h"
#include "trace/trace_validate.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

struct trace {
	char *dir;
	struct store *store;
	struct strbuf gap; /* empty: none */
	struct ir_program *p;
	struct plan *pl;
	VEC(struct trace_thread) threads; /* by stream */
	struct follow_snapshot *snapshot;
};

/* ---- opening --------------------------------------------------------------------------------- */

static int load_program(struct trace *t)
{
	const struct store_meta *m = store_meta(t->store);
	size_t n;
	const void *bc = store_program(t->store, &n);

	if (!bc)
		return -1;
	if (hash_bytes(bc, n) != m->bitcode)
		return error_at((struct diag_pos){.file = t->dir},
			"'program' is not the program that 'meta' names (record again)");
	t->p = ir_program_new();
	return import_bitcode(t->p, m->exe, bc, n, 0) ? -1 : ir_validate(t->p);
}

static int make_plan(struct trace *t)
{
	const struct store_meta *m = store_meta(t->store);
	struct diag_pos pos = {.file = t->dir};
	VEC(const char *) exclude = {0};
	struct plan_options opt = {.whole = !strcmp(m->image, "record-window")};

	vec_each (&m->exclude, i)
		vec_push(&exclude, m->exclude.at[i]);
	vec_push(&exclude, NULL);
	opt.exclude = exclude.at;
	t->pl = plan_new(t->p, &opt, m->open);
	vec_release(&exclude);
	if (t->pl->hash == m->plan)
		return 0;
	return error_at(pos,
		"the trace was recorded by another version of heddle (plan %016" PRIx64
		", this one has %016" PRIx64 "): record the run again",
		m->plan, t->pl->hash);
}

/* Adds the thread of stream i, as its first record describes it. */
static void read_head(struct trace *t, uint32_t i)
{
	const struct store_stream *s = store_stream(t->store, i);
	struct trace_thread *th = vec_add(&t->threads);
	struct strbuf head = {0};
	struct log_thread r;

	th->id = s->thread;
	th->bytes = s->bytes;
	th->parent = LOG_NONE;
	th->begins = s->begins;
	th->kind = LOG_T_FOREIGN;
	if (!store_head(t->store, i, &head)) {
		memcpy(&r, head.s, sizeof r);
		th->known = true;
		th->kind = r.kind;
		th->signo = r.signo;
		th->parent =
			r.kind == LOG_T_CREATED || r.kind == LOG_T_SIGNAL ? r.parent : LOG_NONE;
		th->tsc = r.tsc;
		th->stack_lo = r.stack_lo;
		th->stack_hi = r.stack_hi;
	}
	strbuf_release(&head);
}

/* The collector stores the hash of the plan when it gets the program's first message. */
static int check_begun(const struct trace *t)
{
	struct diag_pos pos = {.file = t->dir};

	if (store_meta(t->store)->plan)
		return 0;
	return error_at(pos, "the main thread's log is missing: the recording was killed before it "
			     "received anything from the program (record again)");
}

static void find_gap(struct trace *t)
{
	const struct store_meta *m = store_meta(t->store);
	const char *damage = store_damage(t->store);
	uint32_t n = store_nthreads(t->store);

	if (damage)
		strbuf_addf(&t->gap, "the log is damaged: %s", damage);
	else if (!m->complete)
		strbuf_adds(&t->gap, "the log ends early: the recording was interrupted");
	else if (m->stop)
		strbuf_addf(&t->gap, "recording was stopped before the end: %s", log_stop_text(m->stop - 1));
	else if (m->lost)
		strbuf_addf(&t->gap, "%u threads were not recorded", m->lost);
	else if (n > m->nthreads || (n < m->nthreads && !m->dropped))
		strbuf_addf(&t->gap, "the log has %u threads, %u were recorded", n, m->nthreads);
}

static int read_threads(struct trace *t)
{
	for (uint32_t i = 0; i < store_nthreads(t->store); i++)
		read_head(t, i);
	return trace_validate_threads(
		t->dir, t->threads.at, t->threads.n, t->gap.n || store_meta(t->store)->dropped);
}

struct trace *trace_open(const char *dir)
{
	struct trace *t = xcalloc(1, sizeof *t);

	t->dir = xstrdup(dir);
	t->store = store_open(dir);
	if (t->store && !check_begun(t) && !trace_validate_meta(dir, store_meta(t->store))) {
		find_gap(t);
		if (!read_threads(t) && !load_program(t) && !make_plan(t))
			return t;
	}
	trace_close(t);
	return NULL;
}

void trace_close(struct trace *t)
{
	if (!t)
		return;
	vec_each (&t->threads, i)
		strbuf_release(&t->threads.at[i].result.reason);
	vec_release(&t->threads);
	strbuf_release(&t->gap);
	follow_snapshot_free(t->snapshot);
	if (t->pl)
		plan_free(t->pl);
	if (t->p)
		ir_program_free(t->p);
	if (t->store)
		store_free(t->store);
	free(t->dir);
	free(t);
}

const char *trace_dir(const struct trace *t)
{
	return t->dir;
}

const char *trace_gap(const struct trace *t)
{
	return t->gap.n ? t->gap.s : NULL;
}

const struct ir_program *trace_program(const struct trace *t)
{
	return t->p;
}

const struct plan *trace_plan(const struct trace *t)
{
	return t->pl;
}

const struct store_meta *trace_meta(const struct trace *t)
{
	return store_meta(t->store);
}

uint32_t trace_nthreads(const struct trace *t)
{
	return t->threads.n;
}

const struct trace_thread *trace_thread(const struct trace *t, uint32_t i)
{
	return &t->threads.at[i];
}

struct follow_snapshot *trace_snapshot(const struct trace *t)
{
	return t->snapshot;
}

double trace_time(const struct trace *t, uint64_t tsc)
{
	const struct store_meta *m = store_meta(t->store);
	double per_tsc = m->tsc_end > m->tsc_start ? (double)(m->ns_end - m->ns_start) /
							     (double)(m->tsc_end - m->tsc_start)
						   : 0;

	return (double)(int64_t)(tsc - m->tsc_start) * per_tsc / 1e9;
}

/* ---- re-execution of the threads ------------------------------------------------------------- */

struct run { /* one call of trace_follow() */
	struct trace *t;
	const struct trace_observer *o;
	const struct bitset *only;
	pthread_mutex_t lock;
	pthread_cond_t ready;
	bool has_memory; /* the snapshot of the main thread is there: the others may start */
	uint32_t next;   /* first thread that no worker has */
};

struct worker { /* re-execution of one thread */
	struct run *run;
	uint32_t stream, chunk;
	uint8_t *buf;
	struct strbuf head; /* the thread's first record, if its stream lacks the beginning */
	bool in_window;     /* next_chunk() has returned head */
	const struct store_crash *crash; /* that ended the thread, or NULL */
	bool guess;                      /* continue after the last record of a crashed thread */
	bool guessing;                   /* next_chunk() has returned the bytes after it */
	size_t rest, rest_at;            /* those bytes, not returned yet: size, offset in buf */
	bool found;                      /* the access that crashed is known: */
	uint32_t crash_func, crash_insn;
	uint64_t crash_index; /* instructions before it */
	struct strbuf crash_place;
	uint64_t bad; /* address of the crash while guessing; else 0 */
	bool crashed; /* the re-execution is past that access: drop all events */
};

static bool is_memory_fault(const struct store_crash *c)
{
	return c->signo == SIGSEGV || c->signo == SIGBUS;
}

static void begin_guess(struct worker *w)
{
	w->guessing = true;
	if (is_memory_fault(w->crash))
		w->bad = w->crash->addr;
}

/* Cuts the last chunk of a crashed thread at its last record. The bytes after it are returned as a
 * chunk of their own, and only if w->guess. */
static bool split_chunk(struct worker *w, const uint8_t **data, size_t *n)
{
	size_t from = (size_t)(*data - w->buf), to = from + *n;
	size_t proven = MAX(from, (size_t)w->crash->proven);

	w->rest_at = proven;
	w->rest = w->guess ? to - proven : 0;
	*n = proven - from;
	if (*n || !w->rest)
		return *n > 0;
	begin_guess(w);
	w->rest = 0;
	*n = to - proven;
	return true;
}

static bool next_chunk(void *ctx, const uint8_t **data, size_t *n)
{
	struct worker *w = ctx;
	const struct store_stream *s = store_stream(w->run->t->store, w->stream);
	uint32_t skip = 0;
	int64_t k = 0;

	if (w->rest) {
		begin_guess(w);
		*data = w->buf + w->rest_at;
		*n = w->rest;
		w->rest = 0;
		return true;
	}
	if (!s->begins && !w->in_window) {
		w->in_window = true;
		*data = (const uint8_t *)w->head.s;
		*n = w->head.n;
		return true;
	}
	if (!s->begins && !w->chunk)
		skip = s->first_at;
	while (w->chunk < s->nchunks && !k)
		k = store_read(w->run->t->store, w->stream, w->chunk++, w->buf);
	if (k <= (int64_t)skip)
		return false;
	*data = w->buf + skip;
	*n = (size_t)k - skip;
	if (w->crash && w->chunk == s->nchunks && (int64_t)w->crash->proven < k)
		return split_chunk(w, data, n);
	return true;
}

enum {
	NULL_PAGE = 4096,
	CAREFUL_PATIENCE = 1000000, /* instructions; observing each one is many times slower */
	BUDGET = 500000000,  /* instructions of a thread, and these for each nanosecond of the run: */
	BUDGET_PER_NS = 100, /* many more than a processor executes in that time */
	ACCESSES = FOLLOW_BIT(FOLLOW_READ) | FOLLOW_BIT(FOLLOW_WRITE) | FOLLOW_BIT(FOLLOW_RMW) |
		   FOLLOW_BIT(FOLLOW_CAS_FAIL),
};

static bool is_crash_access(const struct worker *w, const struct follow_event *e)
{
	return ACCESSES & FOLLOW_BIT(e->kind) && w->crash->addr - e->addr < e->size;
}

static void on_event(void *ctx, struct follow *f, const struct follow_event *e)
{
	struct worker *w = ctx;

	if (w->guessing && w->found && is_crash_access(w, e) && e->func == w->crash_func &&
		e->insn == w->crash_insn && e->index == w->crash_index)
		w->crashed = true;
	if (!w->crashed && (w->run->o->shifts || w->run->o->kinds & FOLLOW_BIT(e->kind)))
		w->run->o->event(w->run->o->ctx, w->stream, f, e);
}

static void on_insn(void *ctx, struct follow *f, uint32_t func, uint32_t insn)
{
	struct worker *w = ctx;

	if (!w->crashed)
		w->run->o->insn(w->run->o->ctx, w->stream, f, func, insn);
}

static void on_snapshot(void *ctx, struct follow_snapshot *s)
{
	struct run *r = ((struct worker *)ctx)->run;

	pthread_mutex_lock(&r->lock);
	follow_snapshot_free(r->t->snapshot);
	r->t->snapshot = s;
	r->has_memory = true;
	pthread_cond_broadcast(&r->ready);
	pthread_mutex_unlock(&r->lock);
}

/* A thread that was stopped where no record can be written has the reason in its last chunk's
 * flags. */
static void stop_reason(struct follow_result *res, uint32_t stop)
{
	if (res->status != FOLLOW_CUT || !stop)
		return;
	res->status = FOLLOW_STOPPED;
	strbuf_addf(&res->reason, "%s%s", res->reason.n ? ": " : "", log_stop_text(stop - 1));
}

/* Instructions that a thread can have executed in the run; 0 = any number, because the end of the run
 * is not known. */
static uint64_t budget_of(const struct store_meta *m)
{
	uint64_t ns = m->ns_end - m->ns_start;

	if (!m->complete)
		return 0;
	return ns > UINT64_MAX / 2 / BUDGET_PER_NS ? 0 : BUDGET + BUDGET_PER_NS * ns;
}

static void follow_stream(struct worker *w, struct follow_options *opt, struct follow_result *res)
{
	struct run *r = w->run;
	bool is_main = r->t->threads.at[w->stream].kind == LOG_T_MAIN;
	struct follow *f;

	w->chunk = 0;
	w->in_window = w->guessing = w->crashed = false;
	w->rest = w->bad = 0;
	opt->ctx = w;
	opt->budget = budget_of(store_meta(r->t->store));
	opt->crash = &w->bad;
	if (!store_stream(r->t->store, w->stream)->begins) {
		opt->window = true;
		if (!w->head.n)
			store_head(r->t->store, w->stream, &w->head);
	}
	f = follow_new(r->t->pl, is_main ? NULL : r->t->snapshot, next_chunk, w, opt);
	follow_run(f, res);
	follow_free(f);
}

/* ---- crashes -----------------------------------------------------------------------------------
 *
 * After the last record of a crashed thread, its log may have space for values that were never
 * written: the compiler moves the stores of values and of the cursor past accesses of the program.
 * Those bytes are used only if a re-execution with them reaches the crash that the runtime saw.
 * Then all events before the access that crashed are reported, else no event after the last
 * record.
 */

static void on_guess(void *ctx, struct follow *f, const struct follow_event *e)
{
	struct worker *w = ctx;

	if (!w->guessing || w->found || !is_memory_fault(w->crash) || !is_crash_access(w, e))
		return;
	w->found = true;
	w->crash_func = e->func;
	w->crash_insn = e->insn;
	w->crash_index = e->index;
	follow_place(f, &w->crash_place);
	strbuf_addf(&w->crash_place, "%s address 0x%" PRIx64,
		e->kind == FOLLOW_WRITE ? "writes to" : "reads from", e->addr);
}

/* Whether the fault of the re-execution agrees with the signal of the program. */
static bool is_fault(const struct store_crash *c, enum fault fault)
{
	bool of_access = fault == FAULT_NULL_DEREF || fault == FAULT_WILD_DEREF ||
			 fault == FAULT_NO_ACCESS;

	if (!is_memory_fault(c) || !of_access)
		return !is_memory_fault(c) && !of_access;
	if (c->addr == STORE_NO_ADDRESS)
		return fault == FAULT_WILD_DEREF;
	return fault == (c->addr < NULL_PAGE ? FAULT_NULL_DEREF : FAULT_NO_ACCESS);
}

static void look_for_crash(struct worker *w)
{
	struct follow_options opt = {.event = on_guess, .kinds = ACCESSES};
	struct follow_result res;

	w->guess = true;
	follow_stream(w, &opt, &res);
	w->guess = w->found || (res.failed && is_fault(w->crash, res.fault));
	strbuf_release(&res.reason);
}

static const struct store_crash *crash_of(const struct trace *t, uint32_t thread)
{
	const struct store_meta *m = store_meta(t->store);

	vec_each (&m->crashes, i)
		if (m->crashes.at[i].thread == thread)
			return &m->crashes.at[i];
	return NULL;
}

/* ---- one thread ------------------------------------------------------------------------------ */

static void follow_one(struct run *r, uint32_t i)
{
	struct worker w = {.run = r,
		.stream = i,
		.buf = xmalloc(LOG_CHUNK_DATA),
		.crash = crash_of(r->t, r->t->threads.at[i].id)};
	struct trace_thread *th = &r->t->threads.at[i];
	struct follow_options opt = {.snapshot = on_snapshot};

	if (w.crash)
		look_for_crash(&w);
	if (r->o && (!r->only || bitset_has(r->only, i))) {
		opt.kinds = r->o->kinds | (w.found ? ACCESSES : 0);
		opt.event = on_event;
		if (r->o->insn) {
			opt.insn = on_insn;
			opt.shifts = r->o->shifts;
			opt.patience = CAREFUL_PATIENCE;
		}
		opt.beyond = r->o->to_abort && w.crash && w.crash->signo == SIGABRT;
	}
	strbuf_release(&th->result.reason);
	follow_stream(&w, &opt, &th->result);
	if (w.guess && th->result.failed)
		th->result.status = FOLLOW_CUT;
	if (w.found) {
		th->result.status = FOLLOW_CUT;
		th->result.instructions = w.crash_index;
		strbuf_release(&th->result.reason);
		strbuf_adds(&th->result.reason, w.crash_place.s);
	}
	stop_reason(&th->result, store_stream(r->t->store, i)->stop);
	th->followed = true;
	strbuf_release(&w.crash_place);
	strbuf_release(&w.head);
	free(w.buf);
}

/* A stream without its thread's first record lacks the addresses that re-execution starts with. A
 * stream without its beginning can be read only if the plan logs everything (plan_options.whole).
 */
static bool can_follow(struct run *r, uint32_t i)
{
	struct trace_thread *th = &r->t->threads.at[i];
	const struct store_stream *s = store_stream(r->t->store, i);

	if (th->known && (s->begins || (r->t->pl->whole && s->nchunks)))
		return true;
	th->followed = true;
	th->result = (struct follow_result){
		.status = th->known && r->t->pl->whole ? FOLLOW_CUT : FOLLOW_BAD};
	strbuf_adds(&th->result.reason, th->known && r->t->pl->whole
						? "the limit left nothing of its log"
						: "the beginning of its log is missing");
	return false;
}

static void *run_worker(void *ctx)
{
	struct run *r = ctx;

	for (;;) {
		uint32_t i = __atomic_fetch_add(&r->next, 1, __ATOMIC_RELAXED);
		bool is_main;

		if (i >= r->t->threads.n)
			return NULL;
		is_main = r->t->threads.at[i].kind == LOG_T_MAIN;
		if (!is_main && r->only && !bitset_has(r->only, i))
			continue;
		if (!can_follow(r, i))
			continue;
		if (!is_main) {
			pthread_mutex_lock(&r->lock);
			while (!r->has_memory)
				pthread_cond_wait(&r->ready, &r->lock);
			pthread_mutex_unlock(&r->lock);
		}
		if (is_main || r->t->snapshot)
			follow_one(r, i);
	}
}

int trace_follow(
	struct trace *t, const struct trace_observer *o, const struct bitset *only, uint32_t jobs)
{
	struct run r = {.t = t,
		.o = o,
		.only = only,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.ready = PTHREAD_COND_INITIALIZER};
	VEC(pthread_t) workers = {0};
	bool has_main = t->threads.n && t->threads.at[0].kind == LOG_T_MAIN && can_follow(&r, 0);

	if (!has_main)
		return error_at((struct diag_pos){.file = t->dir},
			"the beginning of the main thread's log is missing: nothing can be "
			"re-executed");
	jobs = MAX(1u, MIN(jobs, t->threads.n));
	for (uint32_t i = 1; i < jobs; i++) {
		pthread_t id;

		if (!pthread_create(&id, NULL, run_worker, &r))
			vec_push(&workers, id);
	}
	run_worker(&r);
	vec_each (&workers, i)
		pthread_join(workers.at[i], NULL);
	vec_release(&workers);
	return 0;
}
