#include "replay/rehearse.h"

#include "base/base.h"
#include "base/diag.h"
#include "world/world.h"
#include "explore/explore.h"
#include "explore/reduce.h"
#include "image/image.h"
#include "log/schedule.h"
#include "replay/point_counter.h"
#include "replay/replay.h"

#include <signal.h>
#include <string.h>

/* ---- the program ----------------------------------------------------------------------------- */

int test_program_init(
	struct test_program *tp, const char *exe, struct ir_program *p, struct ir_program *own)
{
	bool open = false;

	*tp = (struct test_program){.exe = xstrdup(exe), .p = p, .own = own};
	if (image_find_open(exe, &open) || replay_bitcode(exe, &tp->identity)) {
		test_program_release(tp);
		return -1;
	}
	tp->plan = plan_new(own, NULL, open);
	return 0;
}

void test_program_release(struct test_program *tp)
{
	if (tp->plan)
		plan_free(tp->plan);
	ir_program_free(tp->p);
	ir_program_free(tp->own);
	image_file_release(&tp->image);
	free(tp->exe);
	*tp = (struct test_program){0};
}

/* Some 7 seconds: an instruction in careful mode takes about 50 ns. */
#define MOST_INSTRUCTIONS (1ull << 27)
enum { SLICE = 200000 }; /* the same value as in explore */
/* Instructions after which threads that wait in loops are regarded as a livelock. */
enum { LONG_ENOUGH = 1 << 20 };

struct stage {
	struct rehearsal *r;
	const struct testcase *tc;
	struct finding *schedule; /* the new schedule */
	struct point_counter counter;
	const struct plan *plan;
	uint64_t picks; /* calls of pick() so far */
	bool race;      /* the data race of the test case was found */
	bool loops;     /* the test case expects a livelock, and all its choices were made */
	uint32_t next;  /* index of the next choice in tc->switches */
};

/* ---- data races ------------------------------------------------------------------------------ */

static bool is_point(const struct stage *s, const struct pending *a)
{
	const struct plan_func *pf = &s->plan->funcs[a->func];

	return pf->traced && pf->insn[a->insn].flags & PLAN_F_EVENT;
}

/* Two threads are about to access the same bytes. If both accesses are scheduling points, the
 * replay gets the goal to show that. */
static void found_race(
	struct stage *s, struct machine *m, const struct pending *a, const struct pending *b)
{
	struct finding *f = s->schedule;
	struct fault_access x = {m->threads.at[a->thread], a->addr, a->n, a->write, a->atomic};
	struct fault_access y = {m->threads.at[b->thread], b->addr, b->n, b->write, b->atomic};

	s->race = true;
	fault_race(m, &x, &y);
	f->a = a->thread;
	f->b = b->thread;
	f->at_a = counter_standing(&s->counter, m, x.thread);
	f->at_b = counter_standing(&s->counter, m, y.thread);
	f->goal = is_point(s, a) && is_point(s, b) ? SCHED_GOAL_RACE : SCHED_GOAL_NONE;
}

static void look_for_race(struct stage *s, struct machine *m, const uint32_t *ready, uint32_t n)
{
	struct pending a = pending_of(m, m->threads.at[m->current]), b;

	for (uint32_t i = 0; i < n && !s->race; i++) {
		if (ready[i] == a.thread)
			continue;
		b = pending_of(m, m->threads.at[ready[i]]);
		if (pending_races(&a, &b))
			found_race(s, m, &a, &b);
	}
}

/* ---- choices --------------------------------------------------------------------------------- */

static bool expects(const struct stage *s, enum fault fault)
{
	return s->tc->fate == EXEC_FAULT && s->tc->fault == fault;
}

static uint32_t next_in_turn(const struct machine *m, const uint32_t *ready, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (ready[i] > m->current)
			return ready[i];
	return ready[0];
}

static uint32_t pick(
	void *ctx, struct machine *m, const uint32_t *ready, uint32_t n, enum exec_pick why)
{
	struct stage *s = ctx;
	const struct testcase_choice *sw;
	uint64_t k = s->picks++;

	if (s->loops)
		return next_in_turn(m, ready, n);
	if (why == EXEC_PICK_POINT && k == s->tc->picks && expects(s, FAULT_RACE))
		look_for_race(s, m, ready, n);
	if (k == s->tc->picks && expects(s, FAULT_LIVELOCK)) {
		s->loops = true;
		return ready[0];
	}
	while (s->next < s->tc->switches.n && s->tc->switches.at[s->next].picks < k)
		s->next++;
	if (s->next == s->tc->switches.n || s->tc->switches.at[s->next].picks != k)
		return explore_default_pick(m, ready, n, why);
	sw = &s->tc->switches.at[s->next++];
	for (uint32_t i = 0; i < n; i++)
		if (ready[i] == sw->thread)
			return sw->thread;
	if (!s->r->trouble)
		s->r->trouble = xasprintf(
			"thread %u cannot run where the test case chooses it (choice %llu)",
			sw->thread, (unsigned long long)k);
	return explore_default_pick(m, ready, n, why);
}

/* ---- inputs ---------------------------------------------------------------------------------- */

static struct world *world_of(const struct testcase *tc)
{
	struct world *w = world_new(&(struct world_options){.host_files = true});
	bool has_stdin = false;

	vec_each (&tc->inputs, i) {
		const struct testcase_input *in = &tc->inputs.at[i];
		const char *name;
		uint32_t nth;
		size_t n;

		if (!strcmp(in->name, "stdin")) {
			world_stdin(w, in->bytes, NULL, in->n);
			has_stdin = true;
		} else if (!strncmp(in->name, "file:", 5)) {
			world_file(w, in->name + 5, in->bytes, NULL, in->n);
		} else if (testcase_name(in->name, "object", &name, &n, &nth)) {
			char *own = xstrndup(name, n);

			world_give(w, own, nth, in->bytes, in->n);
			free(own);
		} else if (testcase_name(in->name, "syscall", &name, &n, &nth)) {
			char *own = xasprintf("syscall:%.*s", (int)n, name);

			world_give(w, own, nth, in->bytes, in->n);
			free(own);
		}
	}
	if (!has_stdin)
		world_stdin(w, (const uint8_t *)"", NULL, 0);
	return w;
}

/* ---- the run --------------------------------------------------------------------------------- */

/* Runs the threads round-robin. True if, after LONG_ENOUGH instructions, thread t is again at the
 * instruction and call depth at which it is now. */
static bool goes_on(struct machine *m, struct thread *t)
{
	uint64_t end = m->instructions + LONG_ENOUGH;
	struct thread *at = t;
	uint32_t depth = t->frames.n, insn = frame_insn(top(t), true);
	enum step st;

	for (;;) {
		st = top(at)->careful ? step_run(m, at) : interp_run(m, at);
		if (st == STEP_STOP)
			return false;
		if (st != STEP_SWITCH && st != STEP_AGAIN)
			continue;
		at = sched_pick(m, at, st == STEP_AGAIN);
		if (!at)
			return false;
		if (m->instructions >= end && at == t && t->frames.n == depth &&
			frame_insn(top(t), true) == insn)
			return true;
	}
}

/* The innermost frame outside of the models. */
static void find_place(const struct machine *m, const struct thread *t, struct finding_place *out)
{
	for (uint32_t i = t->frames.n; i--;) {
		const struct frame *f = &t->frames.at[i];
		const struct ir_func *fn = frame_func(m, f);
		const struct ir_pos *pos;

		if (fn->flags & IR_FN_MODEL)
			continue;
		pos = &m->p->positions.at[fn->insns.at[frame_insn(f, i + 1 == t->frames.n)].pos];
		out->line = pos->line;
		out->col = pos->col;
		out->file = pos->file ? xstrdup(ir_str(m->p, pos->file)) : NULL;
		out->function = xstrdup(ir_func_name(m->p, f->func));
		return;
	}
}

static void add_step(
	struct stage *s, const struct machine *m, const struct thread *t, uint32_t flags)
{
	struct finding_step *step = vec_add(&s->schedule->steps);

	step->thread = t->id;
	step->flags = flags;
	step->point = counter_count(&s->counter, t->id);
	find_place(m, t, &step->place);
}

static void run(struct stage *s, struct machine *m)
{
	struct thread *t = m->threads.at[0], *next;
	enum step st;

	m->fuel = SLICE;
	for (;;) {
		st = top(t)->careful ? step_run(m, t) : interp_run(m, t);
		if (st == STEP_STOP)
			break;
		if (st != STEP_SWITCH && st != STEP_AGAIN)
			continue;
		if (st == STEP_AGAIN)
			counter_again(&s->counter, m, t);
		next = sched_pick(m, t, st == STEP_AGAIN);
		if (!next || s->race)
			break;
		if (next != t && counter_switch(&s->counter, m, t))
			add_step(s, m, t, s->schedule->steps.n ? STEP_SWITCHED : 0);
		t = next;
		if (s->loops)
			break;
	}
	if (!s->loops)
		counter_end(&s->counter, m, t);
	else if (goes_on(m, t))
		fault_plain(m, t, FAULT_LIVELOCK,
			"threads spin for a write that no thread executes", 0);
	s->r->thread = t->id;
}

/* ---- the result ------------------------------------------------------------------------------ */

/* Name of the thread's start function: its outermost frame outside of the models. */
static char *routine_of(const struct machine *m, const struct thread *t)
{
	vec_each (&t->frames, i)
		if (!(frame_func(m, &t->frames.at[i])->flags & IR_FN_MODEL))
			return xstrdup(ir_func_name(m->p, t->frames.at[i].func));
	return NULL;
}

static void name_threads(struct finding *schedule, const struct machine *m)
{
	vec_each (&m->threads, i) {
		const struct thread *t = m->threads.at[i];
		struct finding_thread *ft = vec_add(&schedule->threads);

		ft->parent = ft->nth = UINT32_MAX;
		ft->name = i ? routine_of(m, t) : xstrdup("main");
		if (!i)
			continue;
		ft->parent = t->creator;
		ft->nth = 0;
		for (uint32_t k = 1; k < i; k++)
			ft->nth += m->threads.at[k]->creator == t->creator;
	}
}

/* The thread on whose stack thread t accesses a variable that has ended; NULL: not known. */
static struct thread *owner_of_access(struct machine *m, struct thread *t)
{
	struct frame *f = top(t);
	const struct ir_insn *in = &frame_func(m, f)->insns.at[frame_insn(f, true)];
	enum ir_shape s = ir_ops[in->op].shape;
	uint64_t i;

	if (s != IR_S_LOAD && s != IR_S_STORE && s != IR_S_RMW && s != IR_S_CAS)
		return NULL;
	i = (frame_get(m, t, f, in->arg[0]).v.lo - ADDR_STACK) / STACK_STRIDE;
	return i < m->threads.n && i != t->id ? m->threads.at[i] : NULL;
}

/* The goal of the replay: the thread stands before the access that failed. */
static void set_goal(struct stage *s, struct machine *m)
{
	struct finding *f = s->schedule;
	struct thread *t = m->threads.at[s->r->thread], *owner = NULL;

	if (s->r->res.fault == FAULT_USE_AFTER_RETURN)
		owner = owner_of_access(m, t);
	f->goal = owner ? SCHED_GOAL_STACK : SCHED_GOAL_ACCESS;
	f->a = t->id;
	f->b = owner ? owner->id : t->id;
	f->at_a = counter_count(&s->counter, f->a);
	f->at_b = counter_count(&s->counter, f->b);
}

/* Adds the points before which threads wait in a deadlock, and the access that failed as the goal.
 */
static void finish_schedule(struct stage *s, struct machine *m)
{
	struct rehearsal *r = s->r;
	struct finding *f = s->schedule;

	name_threads(f, m);
	vec_each (&s->counter.moves, i)
		vec_push(&f->moves, s->counter.moves.at[i]);
	f->switches = f->moves.n ? f->moves.n - 1 : 0;
	vec_each (&m->threads, i) {
		vec_push(&r->counts, counter_count(&s->counter, i));
		if (r->res.fate == EXEC_DEADLOCK && m->threads.at[i]->state == THREAD_WAITING)
			add_step(s, m, m->threads.at[i], STEP_KEY | STEP_LAST);
	}
	if (r->res.fate == EXEC_FAULT)
		find_place(m, m->threads.at[r->thread], &r->place);
	if (r->res.fate == EXEC_FAULT && counter_at_access(&s->counter, r->thread))
		set_goal(s, m);
}

static void keep_output(struct rehearsal *r, const struct machine *m)
{
	const uint8_t *known;
	const uint32_t *terms;
	uint64_t n = world_stream(m, 1, &known, &terms);

	strbuf_add(&r->output, known, n);
}

static int perform(struct stage *s, const struct test_program *tp, const struct exec_options *opt)
{
	const struct testcase *tc = s->tc;
	struct machine *m = machine_new(tp->p, (int)tc->argv.n, tc->argv.at, opt, &s->r->res);

	if (!m)
		return -1;
	world_attach(m, world_of(tc));
	run(s, m);
	finish_schedule(s, m);
	keep_output(s->r, m);
	s->r->res.instructions = m->instructions;
	s->r->res.threads = m->threads.n;
	world_free(m->world);
	world_attach(m, NULL);
	machine_free(m);
	return 0;
}

#define SWAP(a, b)                                                                                 \
	do {                                                                                       \
		__typeof__(a) kept_ = (a);                                                         \
		(a) = (b);                                                                         \
		(b) = kept_;                                                                       \
	} while (0)

void schedule_replace(struct finding *f, struct finding *schedule)
{
	SWAP(f->threads, schedule->threads);
	SWAP(f->steps, schedule->steps);
	SWAP(f->moves, schedule->moves);
	f->goal = schedule->goal;
	f->a = schedule->a;
	f->b = schedule->b;
	f->at_a = schedule->at_a;
	f->at_b = schedule->at_b;
	f->switches = schedule->switches;
	finding_free(schedule);
}

int rehearse(struct rehearsal *r, struct finding *f, const struct test_program *tp)
{
	const struct testcase *tc = f->test;
	struct stage s = {.r = r, .tc = tc, .plan = tp->plan, .schedule = finding_new()};
	struct environment env;
	struct exec_options opt = {
		.switches = tc->switch_access ? EXEC_SWITCH_ACCESS : EXEC_SWITCH_SYNC,
		.spurious = tc->spurious,
		.lent = &tc->lent,
		.max_instructions = MOST_INSTRUCTIONS,
		.slow = true,
		.pick = pick,
		.pick_ctx = &s,
		.observe = counter_observe,
		.observe_ctx = &s.counter};
	int rc;

	*r = (struct rehearsal){0};
	environment_init(&env, tc);
	opt.envp = env.at;
	counter_init(&s.counter, tp->p, tp->plan);
	rc = perform(&s, tp, &opt);
	counter_release(&s.counter);
	environment_release(&env);
	schedule_replace(f, s.schedule);
	if (rc)
		rehearsal_release(r);
	return rc;
}

static bool same_place(const struct testcase *tc, const struct rehearsal *r)
{
	return !tc->line || !r->place.line || tc->line == r->place.line;
}

bool rehearsal_agrees(const struct rehearsal *r, const struct testcase *tc)
{
	if (r->res.fate != tc->fate)
		return false;
	switch (tc->fate) {
	case EXEC_EXITED: return r->res.status == tc->status;
	case EXEC_FAULT: return r->res.fault == tc->fault && same_place(tc, r);
	case EXEC_STOPPED: return tc->stop == STOP_NONE || r->res.stop == tc->stop;
	default: return true;
	}
}

void rehearsal_release(struct rehearsal *r)
{
	exec_result_release(&r->res);
	finding_place_release(&r->place);
	vec_release(&r->counts);
	strbuf_release(&r->output);
	free(r->trouble);
}
