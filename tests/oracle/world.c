#include "base/base.h"
#include "base/hash.h"
#include "base/vec.h"
#include "world.h"
#include "touched.h"

#include <stdlib.h>
#include <string.h>

enum { ASTRAY_MAX = 100000, FREE_MAX = 16 };

/* ---- where and what
 * -------------------------------------------------------------------------------- */

const struct ir_pos *world_pos(const struct world *w, uint32_t func, uint32_t insn)
{
	return &w->p->positions.at[w->p->funcs.at[func].insns.at[insn].pos];
}

const struct path_item *lane_item(const struct world *w, const struct lane *l)
{
	const struct path *p = &w->paths->of.at[l->path];

	return l->at < p->items.n ? &p->items.at[l->at] : NULL;
}

void world_tell(struct world *w, struct sighting *s, const uint32_t *lines)
{
	memcpy(s->line, lines, s->n * sizeof *lines);
	if (strcmp(s->kind, "atomicity"))
		sort_u32(s->line, s->n);
	w->saw(w->saw_ctx, s);
}

void world_saw(struct world *w, const char *kind, const uint32_t *lines, uint32_t n)
{
	struct sighting s = {.kind = kind, .n = n};

	world_tell(w, &s, lines);
}

static const struct {
	const char *name;
	uint8_t kind;
} sync_functions[] = {
#define SYNC(name, kind, object, ...) {#name, LOG_S_##kind},
#include "log/sync.def"
};

/* The function that a call instruction calls directly; IR_NONE. */
static uint32_t callee_of(const struct ir_func *fn, const struct ir_insn *in)
{
	ir_ref r = in->arg[0];

	return in->op == IR_CALL && ir_is_const(r) && ir_const(fn, r)->kind == IR_C_FUNC
		       ? ir_const(fn, r)->id
		       : IR_NONE;
}

/* enum log_sync_kind; LOG_NSYNC: it is none of these. */
static uint8_t sync_of(const struct world *w, uint32_t func)
{
	const char *name = func == IR_NONE ? "" : ir_func_name(w->p, func);

	for (size_t i = 0; i < ARRAY_SIZE(sync_functions); i++)
		if (!strcmp(sync_functions[i].name, name))
			return sync_functions[i].kind;
	return LOG_NSYNC;
}

static bool is_failure(const struct world *w, uint32_t func)
{
	static const char *const names[] = {
		"__assert_fail",
		"__assert_perror_fail",
		"__assert",
		"abort",
		"__heddle_user_assert",
		"heddle_assert_failed_",
	};
	const char *name = ir_func_name(w->p, func);

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

static uint64_t value(struct world *w, struct thread *t, ir_ref r)
{
	return frame_get(w->m, t, top(t), r).v.lo;
}

/* The address that the recorded process had for it; 0 if that is not known. */
static uint64_t recorded_address(struct world *w, uint64_t a)
{
	struct heap_block *h;
	uint64_t base;
	uint32_t g;

	if (a >= ADDR_HEAP && a < ADDR_STACK && (h = heap_find(&w->m->heap, a))) {
		vec_each (&w->blocks, i)
			if (w->blocks.at[i].here == h->base)
				return w->blocks.at[i].there + (a - h->base);
		return 0;
	}
	if (a < ADDR_CONST || a >= ADDR_HEAP ||
		(g = globals_find(&w->m->globals, w->p, a)) == IR_NONE ||
		g >= trace_program(w->paths->trace)->globals.n)
		return 0;
	base = follow_global_addr(trace_snapshot(w->paths->trace), g);
	return base ? base + (a - w->m->globals.addr[g]) : 0;
}

static void flip(struct world *w, const char *what, uint32_t func, uint32_t insn)
{
	struct flip f = {what, func, insn};

	w->flipped(w->saw_ctx, &f);
}

uint32_t world_joined(const struct world *w, const struct path_item *it)
{
	uint32_t path = w->free ? it->extra : paths_thread(w->paths, it->extra);

	vec_each (&w->lanes, i)
		if (w->lanes.at[i].path == path)
			return i;
	return LOG_NONE;
}

/* ---- arriving at a point
 * ------------------------------------------------------------------------------ */

static void add_access(struct lane *l, uint64_t addr, uint64_t size, bool write, bool atomic)
{
	l->access[l->naccess++] = (struct access){addr, size, write, atomic};
}

static void find_accesses(
	struct world *w, struct thread *t, struct lane *l, const struct ir_insn *in)
{
	const struct plan_insn *pi = &w->plan->funcs[l->func].insn[l->insn];
	bool atomic = ir_order(in->flags) != IR_O_NONE;

	l->naccess = 0;
	switch (ir_ops[in->op].shape) {
	case IR_S_LOAD:
		add_access(l, value(w, t, in->arg[0]), ir_type_bytes(in->type), false, atomic);
		break;
	case IR_S_STORE:
		add_access(l, value(w, t, in->arg[0]), ir_type_bytes(in->type2), true, atomic);
		break;
	case IR_S_RMW:
	case IR_S_CAS:
		add_access(l, value(w, t, in->arg[0]), ir_type_bytes(in->type), true, true);
		break;
	case IR_S_BULK:
		if (pi->flags & PLAN_F_WRITE)
			add_access(
				l, value(w, t, in->arg[0]), value(w, t, in->arg[2]), true, false);
		if (pi->flags & PLAN_F_READ)
			add_access(
				l, value(w, t, in->arg[1]), value(w, t, in->arg[2]), false, false);
		break;
	default: break;
	}
}

/* The address is none of a live object. */
static const char *wrong_address(struct world *w, uint64_t a, uint64_t size)
{
	struct heap_block *h;
	uint64_t bad;

	if (mem_valid(&w->m->mem, a, size, &bad))
		return NULL;
	if (a < ADDR_NULL_END)
		return "null";
	h = a >= ADDR_HEAP && a < ADDR_STACK ? heap_find(&w->m->heap, a) : NULL;
	if (h && h->freed && bad >= h->base && bad < h->base + h->size)
		return "use-after-free";
	return h ? "overflow" : "wild";
}

void world_saw_access(struct world *w, const char *kind, uint32_t line, uint64_t addr)
{
	struct heap_block *h =
		addr >= ADDR_HEAP && addr < ADDR_STACK ? heap_find(&w->m->heap, addr) : NULL;
	uint32_t lines[2] = {line};
	const struct stack_entry *e = NULL;

	if (h && h->freed && stacks_get(&w->m->stacks, h->free_stack, &e))
		lines[1] = world_line(w, e->func, e->insn);
	world_saw(w, kind, lines, lines[1] ? 2 : 1);
}

static void go_astray(struct lane *l)
{
	l->stand = STAND_ASTRAY;
	l->naccess = 0;
}

static void arrive_at_access(struct world *w, struct thread *t, struct lane *l,
	const struct ir_insn *in, const struct path_item *it)
{
	l->stand = STAND_ACCESS;
	find_accesses(w, t, l, in);
	for (uint32_t i = 0; i < l->naccess && !w->free; i++) {
		uint64_t want = i ? it->from : it->addr, a = l->access[i].addr;
		uint64_t there = recorded_address(w, a);
		const char *wrong;

		if (there == want || (!there && a >= ADDR_STACK))
			continue;
		wrong = wrong_address(w, a, l->access[i].size);
		if (wrong)
			world_saw_access(w, wrong, lane_line(w, l), a);
		flip(w, "dereference", l->func, l->insn);
		l->stand = STAND_ELSEWHERE;
		l->access[0] = l->access[i];
		l->naccess = 1;
		return;
	}
}

/* The items of its path that a free lane has, with the one that it stands before. */
static uint32_t free_items(const struct lane *l)
{
	return l->at + (l->stand == STAND_SYNC || l->stand == STAND_WAIT);
}

static void arrive_at_sync(
	struct world *w, struct thread *t, struct lane *l, const struct ir_insn *in)
{
	const uint32_t *ex = frame_func(w->m, top(t))->extra.at + in->arg[1];

	l->stand = STAND_SYNC;
	l->object = in->arg[2] > 0 ? value(w, t, ex[0]) : 0;
	l->object2 = in->arg[2] > 1 ? value(w, t, ex[2]) : 0;
}

/* A thread without a path: what it stands before becomes the end of it. */
static void arrive_free(struct world *w, struct thread *t, struct lane *l, const struct ir_insn *in)
{
	struct path *p = &w->own.of.at[l->path];
	struct path_item it = {.kind = PATH_SYNC, .func = l->func, .insn = l->insn};

	p->items.n = l->at;
	if (in->op != IR_CALL) {
		arrive_at_access(w, t, l, in, NULL);
		return;
	}
	arrive_at_sync(w, t, l, in);
	it.sync = sync_of(w, callee_of(frame_func(w->m, top(t)), in));
	it.addr = l->object;
	it.from = l->object2;
	it.extra = (uint32_t)l->object - 1; /* a handle is the thread's number + 1 */
	vec_push(&p->items, it);
}

static void arrive(struct world *w, struct thread *t, struct lane *l, const struct ir_insn *in)
{
	const struct path_item *it = lane_item(w, l);
	bool call = in->op == IR_CALL;

	l->func = top(t)->func;
	l->insn = top(t)->pc;
	l->naccess = 0;
	if (w->free) {
		arrive_free(w, t, l, in);
		return;
	}
	if (w->lost || !it) { /* it is astray already, or nothing more was recorded of it */
		go_astray(l);
		return;
	}
	if (it->func != l->func || it->insn != l->insn ||
		it->kind != (call ? PATH_SYNC : PATH_ACCESS))
		BUG("thread %u is at line %u, its path at item %u (line %u)", t->id,
			lane_line(w, l), l->at, world_line(w, it->func, it->insn));
	if (!call) {
		arrive_at_access(w, t, l, in, it);
		return;
	}
	arrive_at_sync(w, t, l, in);
	if (it->sync == LOG_S_FREE && (l->object || it->addr) &&
		recorded_address(w, l->object) != it->addr)
		l->stand = STAND_ELSEWHERE;
}

/* An update that leaves the value as it is (a compare-and-swap that fails) is a read for others. */
static bool changes(
	struct world *w, struct thread *t, const struct ir_insn *in, const struct access *a)
{
	struct val old = {0}, new = {0};
	uint64_t bad;

	if (in->op != IR_CAS && ir_ops[in->op].shape != IR_S_RMW)
		return a->write;
	mem_read(&w->m->mem, a->addr, &old, NULL, (unsigned)a->size, &bad);
	if (in->op == IR_CAS)
		return old.lo == value(w, t, in->arg[1]) && old.lo != value(w, t, in->arg[2]);
	return eval_rmw(in, old, frame_get(w->m, t, top(t), in->arg[1]).v, &new) != EVAL_OK ||
	       new.lo != old.lo;
}

/* ---- on the way: asked before each instruction
 * ---------------------------------------------------------- */

/* The call of a point has come back. */
static void returned(struct world *w, struct thread *t, struct lane *l)
{
	const struct ir_insn *in = &frame_func(w->m, top(t))->insns.at[l->insn];
	const struct path_item *it = lane_item(w, l);

	w->passing = 0;
	if (w->free) {
		if (in->dst != IR_NONE)
			w->own.of.at[l->path].items.at[l->at].result = !!value(w, t, in->dst);
		l->at++;
		return;
	}
	while (it->more && l->at + 1 < w->paths->of.at[l->path].items.n) {
		l->at++;
		it = lane_item(w, l);
	}
	l->at++;
	if (it->sync == LOG_S_ALLOC && in->dst != IR_NONE)
		vec_push(&w->blocks, (struct block){value(w, t, in->dst), it->addr});
	switch (it->sync) {
	case LOG_S_USER_ATOMIC_END: touched_end(w, t->id); break;
	case LOG_S_TRYLOCK:
	case LOG_S_TRYRDLOCK:
	case LOG_S_TRYWRLOCK:
	case LOG_S_SPIN_TRYLOCK:
	case LOG_S_SEM_TRYWAIT:
	case LOG_S_LOCK:
	case LOG_S_UNLOCK:
		if (in->dst == IR_NONE || !value(w, t, in->dst) == !it->result)
			break;
		w->other = true;
		if (it->sync != LOG_S_LOCK && it->sync != LOG_S_UNLOCK)
			flip(w, "try", l->func, l->insn);
		break;
	default: break;
	}
}

static void branch(struct world *w, struct thread *t, struct lane *l, const struct ir_insn *in)
{
	const struct ir_func *fn = frame_func(w->m, top(t));
	const struct path_item *it = lane_item(w, l);
	uint64_t v = value(w, t, in->arg[0]);
	uint32_t taken = 0;

	if (w->free) {
		l->func_decided = top(t)->func;
		l->decided = top(t)->pc;
		return;
	}
	if (in->op == IR_CBR)
		taken = !(v & 1);
	for (uint32_t i = 0; in->op == IR_SWITCH && i < in->arg[2]; i++)
		if (ir_const(fn, fn->extra.at[in->arg[1] + 1 + 2 * i])->lo == v) {
			taken = 1 + i;
			break;
		}
	if (!it) {
		w->lost = true;
		return;
	}
	if (it->kind != PATH_BRANCH || it->func != top(t)->func || it->insn != top(t)->pc)
		BUG("thread %u branches at line %u, its path is at item %u (line %u)", t->id,
			world_line(w, top(t)->func, top(t)->pc), l->at,
			world_line(w, it->func, it->insn));
	if (it->taken == taken) {
		l->at++;
		return;
	}
	w->lost = true;
	l->func = top(t)->func;
	l->insn = top(t)->pc;
	flip(w, "branch", l->func, l->insn);
}

/* An item of the thread's path that says where it went; false: it goes elsewhere now. */
static bool goes_there(struct world *w, struct thread *t, struct lane *l, const struct ir_insn *in)
{
	const struct path_item *it = lane_item(w, l);
	uint32_t kind = in->op == IR_CALL ? PATH_CALL : PATH_DEREF, f;
	uint64_t a = value(w, t, in->arg[0]), there;

	if (!it) {
		w->lost = true;
		return true;
	}
	if (it->kind != kind || it->func != top(t)->func || it->insn != top(t)->pc)
		BUG("thread %u follows a pointer at line %u, its path is at item %u (line %u)",
			t->id, world_line(w, top(t)->func, top(t)->pc), l->at,
			world_line(w, it->func, it->insn));
	f = kind == PATH_CALL ? func_at(w->p, a) : IR_NONE;
	there = f != IR_NONE ? follow_func_addr(trace_snapshot(w->paths->trace), f)
			     : recorded_address(w, a);
	l->at++;
	return there == it->addr || (kind == PATH_DEREF && a >= ADDR_STACK);
}

static bool divides_by_zero(struct world *w, struct thread *t, const struct ir_insn *in)
{
	return (in->op == IR_SDIV || in->op == IR_UDIV || in->op == IR_SREM || in->op == IR_UREM) &&
	       !value(w, t, in->arg[1]);
}

/* The thread's first function of the program's own, or main(). */
static bool is_outermost(const struct machine *m, const struct thread *t)
{
	for (uint32_t i = 0; i + 1 < t->frames.n; i++)
		if (!(frame_func(m, &t->frames.at[i])->flags & IR_FN_MODEL))
			return false;
	return true;
}

/* The thread stops before a division, or in an assertion: with a path it is astray. */
static bool divided(struct world *w, struct thread *t, struct lane *l)
{
	uint32_t line = world_line(w, top(t)->func, top(t)->pc);

	world_saw(w, "division", &line, 1);
	if (!w->free)
		flip(w, "divisor", top(t)->func, top(t)->pc);
	go_astray(l);
	w->died = w->free;
	return true;
}

static bool failed(struct world *w, struct lane *l)
{
	uint32_t line = w->free ? world_line(w, l->func_decided, l->decided) : lane_line(w, l);

	world_saw(w, "assert", &line, 1);
	go_astray(l);
	w->died = w->free;
	return true;
}

static bool pause(void *ctx, struct machine *m, struct thread *t, const struct ir_insn *in)
{
	struct world *w = ctx;
	struct lane *l = &w->lanes.at[t->id];
	uint32_t func = top(t)->func, callee;
	const struct plan_insn *pi;

	clear_registers(m, t);
	if (frame_func(m, top(t))->flags & IR_FN_MODEL)
		return false;
	pi = &w->plan->funcs[func].insn[top(t)->pc];
	if (w->passing && t->frames.n == w->passing)
		returned(w, t, l);
	if (w->other)
		return true;
	if (w->lost && (!w->left-- || (in->op == IR_RET && is_outermost(m, t)))) {
		go_astray(l); /* its end is not that of the recorded thread */
		return true;
	}
	if (!w->lost && divides_by_zero(w, t, in))
		return divided(w, t, l);
	if ((in->op == IR_CBR || in->op == IR_SWITCH) && !w->lost)
		branch(w, t, l, in);
	if (!w->lost && !w->free && (path_is_call(in) || path_is_deref(in, pi)) &&
		!goes_there(w, t, l, in)) {
		flip(w, in->op == IR_CALL ? "call" : "dereference", func, top(t)->pc);
		go_astray(l);
		return true;
	}
	callee = callee_of(frame_func(m, top(t)), in);
	if (callee != IR_NONE && is_failure(w, callee))
		return failed(w, l);
	if (sync_of(w, callee) == LOG_NSYNC &&
		!(w->plan->funcs[func].traced && pi->flags & PLAN_F_EVENT))
		return false;
	if (w->pass) {
		w->pass = false;
		if (in->op == IR_CALL) {
			w->passing = t->frames.n;
			return false;
		}
		for (uint32_t i = 0; i < l->naccess && !w->free; i++)
			touched_add(w, t->id, &l->access[i], changes(w, t, in, &l->access[i]));
		l->at += !w->free;
		return false;
	}
	arrive(w, t, l, in);
	return true;
}

/* ---- moves
 * ---------------------------------------------------------------------------------------------------
 */

/* The machine stopped at an instruction of the program: the thread stays there. */
static enum move fault(struct world *w, uint32_t thread)
{
	static const enum fault of_access[] = {
		FAULT_USE_AFTER_FREE, FAULT_NULL_DEREF, FAULT_OVERFLOW, FAULT_WILD_DEREF};
	struct thread *t = w->m->threads.at[thread];
	struct lane *l = &w->lanes.at[thread];
	const struct ir_insn *in;
	uint32_t line;

	if (frame_func(w->m, top(t))->flags & IR_FN_MODEL)
		return MOVE_FAULT;
	in = &frame_func(w->m, top(t))->insns.at[top(t)->pc];
	line = world_line(w, top(t)->func, top(t)->pc);
	for (size_t i = 0; i < ARRAY_SIZE(of_access); i++)
		if (w->res.fate == EXEC_FAULT && w->res.fault == of_access[i] && !w->lost)
			world_saw_access(
				w, fault_words[of_access[i]].word, line, value(w, t, in->arg[0]));
	w->res.fate = EXEC_EXITED;
	go_astray(l);
	return w->free ? MOVE_DIED : MOVE_MADE;
}

/* Runs the thread until it stands somewhere. */
static enum move go(struct world *w, uint32_t thread)
{
	struct thread *t = w->m->threads.at[thread];
	uint8_t was = w->lanes.at[thread].stand;
	enum step st;

	w->lost = w->other = w->died = false;
	w->left = ASTRAY_MAX;
	w->m->current = thread;
	w->m->fuel = INT64_MAX;
	w->lanes.at[thread].stand = STAND_NEW;
	do
		st = step_run(w->m, t);
	while (st != STEP_AGAIN && st != STEP_STOP && t->state == THREAD_READY);
	if (w->other)
		return MOVE_OTHER;
	if (w->died)
		return MOVE_DIED;
	if (st == STEP_STOP && w->res.fate == EXEC_EXITED) {
		w->lanes.at[thread].stand = STAND_ENDED;
		w->over = true;
		return MOVE_OVER;
	}
	if (st == STEP_STOP)
		return fault(w, thread);
	if (t->state == THREAD_DONE) {
		w->lanes.at[thread].stand = STAND_ENDED;
		return MOVE_MADE;
	}
	if (t->state == THREAD_WAITING) {
		const struct path_item *it = lane_item(w, &w->lanes.at[thread]);
		struct lane *l = &w->lanes.at[thread];

		w->wait_on = t->wait_on;
		if (was == STAND_WAIT)
			return MOVE_BLOCKED; /* woken, but its mutex is taken */
		if (it->sync != LOG_S_COND_WAIT && it->sync != LOG_S_BARRIER_ENTER)
			return MOVE_BLOCKED;
		l->stand = STAND_WAIT;
	}
	return MOVE_MADE;
}

/* The path of the next thread that the creator has made. */
static uint32_t path_of_new(const struct world *w, uint32_t creator)
{
	const struct path *p = &w->paths->of.at[w->lanes.at[creator].path];
	uint32_t seen = 0, nth = 0;

	vec_each (&w->lanes, i)
		nth += i && w->m->threads.at[i]->creator == creator;
	vec_each (&p->items, i)
		if (p->items.at[i].kind == PATH_SYNC && p->items.at[i].sync == LOG_S_CREATE &&
			seen++ == nth)
			return paths_thread(w->paths, p->items.at[i].extra);
	return LOG_NONE;
}

/* Threads that were just created run to their first point. */
static enum move start_new(struct world *w, uint32_t creator)
{
	while (w->lanes.n < w->m->threads.n) {
		struct lane l = {
			.stand = STAND_NEW, .path = w->free ? w->lanes.n : path_of_new(w, creator)};
		enum move mv;

		BUG_ON(l.path >= w->paths->of.n);
		vec_push(&w->lanes, l);
		mv = go(w, w->lanes.n - 1);
		if (mv != MOVE_MADE)
			return mv;
	}
	return MOVE_MADE;
}

uint32_t world_moves(const struct world *w, uint32_t thread)
{
	const struct lane *l = &w->lanes.at[thread];
	const struct path_item *it = lane_item(w, l);
	uint32_t n = 0;

	if (w->over)
		return 0;
	switch (l->stand) {
	case STAND_WAIT: return w->m->threads.at[thread]->state == THREAD_READY;
	case STAND_ACCESS: return 1;
	case STAND_SYNC:
		if (it->sync == LOG_S_COND_SIGNAL)
			vec_each (&w->m->queue, i)
				n += w->m->queue.at[i].addr == l->object;
		return MAX(n, 1u);
	default: return 0;
	}
}

/* The k-th of those who wait for the address becomes the first. */
static void prefer(struct machine *m, uint64_t addr, uint32_t k)
{
	for (uint32_t i = 0; i < m->queue.n; i++) {
		struct waiter who = m->queue.at[i];

		if (who.addr != addr || k--)
			continue;
		memmove(m->queue.at + 1, m->queue.at, i * sizeof who);
		m->queue.at[0] = who;
		return;
	}
}

enum move world_move(struct world *w, uint32_t thread, uint32_t k)
{
	struct lane *l = &w->lanes.at[thread];
	const struct path_item *it = lane_item(w, l);
	enum move mv;

	for (uint32_t i = 0; l->stand == STAND_ACCESS && i < l->naccess; i++) {
		const char *wrong = wrong_address(w, l->access[i].addr, l->access[i].size);

		if (wrong && w->free)
			world_saw_access(w, wrong, lane_line(w, l), l->access[i].addr);
		if (wrong)
			return w->free ? MOVE_DIED : MOVE_FAULT;
	}
	if (l->stand == STAND_SYNC && it->sync == LOG_S_COND_SIGNAL)
		prefer(w->m, l->object, k);
	w->pass = l->stand != STAND_WAIT;
	w->passing = l->stand == STAND_WAIT ? w->m->threads.at[thread]->frames.n : 0;
	if (l->stand ==
		STAND_WAIT) { /* the call came from the outermost frame that is no model's */
		struct thread *t = w->m->threads.at[thread];

		while (frame_func(w->m, &t->frames.at[w->passing - 1])->flags & IR_FN_MODEL)
			w->passing--;
	}
	mv = go(w, thread);
	return mv == MOVE_MADE ? start_new(w, thread) : mv;
}

/* ---- states
 * ---------------------------------------------------------------------------------------------------
 */

struct kept {
	struct snapshot *s;
	VEC(struct lane) lanes;
	VEC(struct block) blocks;
	VEC(struct touched) touched;
};

struct kept *world_keep(const struct world *w)
{
	struct kept *k = xcalloc(1, sizeof *k);

	k->s = snapshot_take(w->m);
	vec_each (&w->lanes, i)
		vec_push(&k->lanes, w->lanes.at[i]);
	vec_each (&w->blocks, i)
		vec_push(&k->blocks, w->blocks.at[i]);
	vec_each (&w->touched, i)
		vec_push(&k->touched, w->touched.at[i]);
	return k;
}

void world_restore(struct world *w, const struct kept *k)
{
	snapshot_restore(w->m, k->s);
	w->over = false;
	vec_clear(&w->lanes);
	vec_each (&k->lanes, i) {
		const struct lane *l = &k->lanes.at[i];

		vec_push(&w->lanes, *l);
		if (w->free)
			w->own.of.at[l->path].items.n = free_items(l);
	}
	vec_clear(&w->blocks);
	vec_each (&k->blocks, i)
		vec_push(&w->blocks, k->blocks.at[i]);
	vec_clear(&w->touched);
	vec_each (&k->touched, i)
		vec_push(&w->touched, k->touched.at[i]);
}

void kept_free(struct kept *k)
{
	snapshot_free(k->s);
	vec_release(&k->lanes);
	vec_release(&k->blocks);
	vec_release(&k->touched);
	free(k);
}

/* Of the locks that a free lane holds: the machine may not say who has one for reading. */
static uint64_t held_hash(const struct world *w, const struct lane *l)
{
	const struct path *p = &w->paths->of.at[l->path];
	uint64_t h = 0;

	for (uint32_t i = 0; i < l->at; i++) {
		const struct path_item *it = &p->items.at[i];

		if (it->sync == LOG_S_RDLOCK || it->sync == LOG_S_WRLOCK)
			h += hash_u64(it->addr);
		else if (it->sync == LOG_S_RW_UNLOCK)
			h -= hash_u64(it->addr);
	}
	return h;
}

static uint64_t touched_hash(const struct touched *t)
{
	uint64_t h = hash_mix(hash_mix(t->thread, t->line), t->insn);

	h = hash_mix(hash_mix(h, t->addr), t->write << 1 | t->last_write);
	for (uint32_t i = 0; i < t->nothers; i++)
		h = hash_mix(h, (uint64_t)t->others[i].line << 1 | t->others[i].write);
	return h;
}

uint64_t world_hash(struct world *w)
{
	uint64_t h = machine_hash(w->m, &w->hashes) + w->over;

	vec_each (&w->lanes, i) {
		const struct lane *l = &w->lanes.at[i];

		if (w->free)
			h = hash_u64(h ^ l->stand) + held_hash(w, l);
		else
			h = hash_u64(h ^ ((uint64_t)l->at << 8 | l->stand)) + l->path;
	}
	vec_each (&w->touched, i)
		h = hash_mix(h, touched_hash(&w->touched.at[i]));
	return h;
}

struct world *world_make(const struct ir_program *p, const struct paths *paths, bool is_free)
{
	struct world *w = xcalloc(1, sizeof *w);
	const struct store_meta *meta = trace_meta(paths->trace);

	w->p = p;
	w->free = is_free;
	w->paths = is_free ? &w->own : paths;
	w->own.trace = paths->trace;
	vec_resize(&w->own.of, FREE_MAX);
	w->plan = trace_plan(paths->trace);
	w->opt = (struct exec_options){.slow = true, .trust = true, .pause = pause, .pause_ctx = w};
	w->m = machine_new(p, (int)meta->argv.n, meta->argv.at, &w->opt, &w->res);
	if (!w->m) {
		free(w);
		return NULL;
	}
	vec_push(&w->lanes, (struct lane){0});
	return w;
}

enum move world_start(struct world *w)
{
	enum move mv = go(w, 0);

	return mv == MOVE_MADE ? start_new(w, 0) : mv;
}

void world_end(struct world *w)
{
	machine_free(w->m);
	exec_result_release(&w->res);
	vec_release(&w->lanes);
	vec_release(&w->blocks);
	vec_release(&w->touched);
	page_hashes_release(&w->hashes);
	paths_release(&w->own);
	free(w);
}
