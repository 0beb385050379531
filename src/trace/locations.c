#include "trace/locations.h"

#include "base/base.h"
#include "base/hash.h"
#include "base/vec.h"
#include "facts/plan.h"
#include "trace/trace.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { RECENT = 1 << 12 };

/* ---- one thread ----------------------------------------------------------------------------- */

void touched_init(struct touched *t, const struct generations *g, const struct sync_order *o,
	struct locksets *sets, uint32_t thread)
{
	*t = (struct touched){.g = g,
		.o = o,
		.sets = sets,
		.thread = thread,
		.held = {.first = o->h->threads.at[thread].kind == LOG_T_MAIN},
		.stack_lo = o->h->threads.at[thread].stack_lo,
		.stack_hi = o->h->threads.at[thread].stack_hi};
}

void touched_fixed_range(struct touched *t, const struct trace *tr)
{
	const struct ir_program *p = trace_program(tr);

	vec_each (&p->globals, g) {
		uint64_t a = p->globals.at[g].flags & (IR_G_EXTERN | IR_G_TLS)
				     ? 0
				     : follow_global_addr(trace_snapshot(tr), g);

		if (!a)
			continue;
		t->fixed_lo = t->fixed_hi ? MIN(t->fixed_lo, a) : a;
		t->fixed_hi = MAX(t->fixed_hi, a + p->globals.at[g].size);
	}
}

void touched_release(struct touched *t)
{
	free(t->spans);
	free(t->recent);
	live_locals_release(&t->locals);
	held_release(&t->held);
}

void touched_sync(struct touched *t, const struct sync_event *e)
{
	t->events++;
	held_step(&t->held, t->sets, e);
}

void touched_local(struct touched *t, uint64_t base, uint64_t size, uint32_t func, uint32_t local)
{
	live_locals_add(&t->locals, base, size, func, local, t->events);
}

/* Ranks of the thread's last event and of its next one. */
static uint32_t rank_before(const struct touched *t)
{
	return t->events ? sync_order_first(t->o, t->thread, t->events - 1) : 0;
}

static uint32_t rank_after(const struct touched *t)
{
	return t->events < t->o->h->threads.at[t->thread].events.n
		       ? sync_order_last(t->o, t->thread, t->events)
		       : t->o->n;
}

static bool is_own_stack(const struct touched *t, uint64_t addr)
{
	return addr >= t->stack_lo && addr < t->stack_hi;
}

/* The address of the current instruction may be that of the variable. */
static bool may_mean(const struct touched *t, const struct pts_locs *locs, uint32_t gen)
{
	const struct generation *g = &t->g->at.at[gen];

	vec_each (&locs->list, i) {
		const struct pts_object *o = points_to_object(t->pl->pt, locs->list.at[i].object);

		if (o->kind == PTS_K_LOCAL ? g->kind == GEN_LOCAL && o->func == g->func &&
							   o->id == g->local
					   : o->kind == PTS_K_EXTERNAL)
			return true;
	}
	return !locs->list.n;
}

/* Of the variables of another thread that had the address, the last one that the current instruction
 * may mean. A pointer to a variable whose function has returned leads to another variable. */
static uint32_t meant_variable(const struct touched *t, uint64_t addr, uint32_t gen)
{
	const struct ir_insn *in = &t->pl->p->funcs.at[t->func].insns.at[t->insn];
	enum ir_shape s = ir_ops[in->op].shape;
	struct pts_locs locs = {0};
	uint32_t found = 0;

	if (s != IR_S_LOAD && s != IR_S_STORE && s != IR_S_RMW && s != IR_S_CAS)
		return gen;
	points_to_get(t->pl->pt, t->func, in->arg[0], &locs);
	for (uint32_t i = 1; !may_mean(t, &locs, gen) && i < t->g->at.n; i++) {
		const struct generation *g = &t->g->at.at[i];

		if (g->kind == GEN_LOCAL && addr - g->base < g->size && g->from < rank_after(t) &&
			may_mean(t, &locs, i) && (!found || g->from >= t->g->at.at[found].from))
			found = i;
	}
	pts_locs_release(&locs);
	return found ? found : gen;
}

static bool is_of_stack(const struct generation *g)
{
	return g->kind == GEN_LOCAL || g->kind == GEN_STACK;
}

/* The generation at the address at the thread's present place; 0 = none. */
static uint32_t touched_generation(const struct touched *t, uint64_t addr)
{
	const struct live_local *l;
	uint32_t gen;

	if (addr >= t->fixed_lo && addr < t->fixed_hi)
		return 0;
	if (is_own_stack(t, addr) && (l = live_locals_at(&t->locals, addr))) {
		gen = generation_of_local(t->g, t->thread, l->serial);
		/* a variable that lives between two events has no generation: use the stack's */
		return gen ? gen : generation_of_stack(t->g, addr, rank_before(t), rank_after(t));
	}
	gen = generation_at(t->g, addr, rank_before(t), rank_after(t));
	return t->pl && t->func != IR_NONE && gen && is_of_stack(&t->g->at.at[gen])
		       ? meant_variable(t, addr, gen)
		       : gen;
}

uint32_t touched_generation_ever(const struct touched *t, uint64_t addr)
{
	uint32_t gen = touched_generation(t, addr);

	if (gen || (addr >= t->fixed_lo && addr < t->fixed_hi))
		return gen;
	return generation_at(t->g, addr, 0, t->o->n);
}

/* Index of the span, or of the free slot for it. */
static uint32_t span_slot(const struct span *at, uint32_t cap, const struct span *s)
{
	uint64_t h = hash_u64(s->addr ^ (uint64_t)s->gen << 40 ^ s->size << 56);
	uint32_t k = (uint32_t)h & (cap - 1);

	while (at[k].how && (at[k].addr != s->addr || at[k].size != s->size || at[k].gen != s->gen))
		k = (k + 1) & (cap - 1);
	return k;
}

static void grow_spans(struct touched *t)
{
	uint32_t cap = t->cap ? 2 * t->cap : 256;
	struct span *at = xcalloc(cap, sizeof *at);

	for (uint32_t i = 0; i < t->cap; i++)
		if (t->spans[i].how)
			at[span_slot(at, cap, &t->spans[i])] = t->spans[i];
	free(t->spans);
	t->spans = at;
	t->cap = cap;
	free(t->recent);
	t->recent = xcalloc(RECENT, sizeof *t->recent);
}

/* Whether the span's generation is surely still at its address; a lookup is then not needed. */
static bool is_current(const struct touched *t, const struct span *s)
{
	if (is_own_stack(t, s->addr))
		return false;
	if (s->last == t->events)
		return true;
	return s->gen && generation_spans(t->g, s->gen, rank_before(t), rank_after(t));
}

static struct span *find_span(struct touched *t, uint64_t addr, uint64_t size)
{
	struct span new = {.addr = addr, .size = size, .thread = t->thread, .locks = LOCKSET_ALL};
	struct span *s;
	uint32_t *recent;

	if (t->n + 1 > t->cap / 4 * 3)
		grow_spans(t);
	recent = &t->recent[hash_u64(addr) & (RECENT - 1)];
	s = *recent ? &t->spans[*recent - 1] : NULL;
	if (s && s->addr == addr && s->size == size && is_current(t, s))
		return s;
	new.gen = t->ever ? touched_generation_ever(t, addr) : touched_generation(t, addr);
	*recent = span_slot(t->spans, t->cap, &new) + 1;
	s = &t->spans[*recent - 1];
	if (!s->how) {
		t->n++;
		*s = new;
	}
	return s;
}

void touched_access(
	struct touched *t, uint64_t addr, uint64_t size, unsigned how, uint32_t func, uint32_t insn)
{
	struct span *s;

	if (!size)
		return;
	s = find_span(t, addr, size);
	if (!s->how || (how & TOUCH_WRITE && !s->writes)) {
		s->func = func;
		s->insn = insn;
	}
	s->last = t->events;
	s->how |= (uint8_t)(how | (how & TOUCH_ATOMIC ? 0 : TOUCH_PLAIN));
	if (how & TOUCH_READ)
		s->reads += s->reads != UINT32_MAX;
	if (how & TOUCH_WRITE) {
		s->wrote = t->events;
		s->writes += s->writes != UINT32_MAX;
	}
	s->locks = held_meet(&t->held, t->sets, s->locks);
}

/* ---- the sweep ------------------------------------------------------------------------------ */

static int compare_span(const void *x, const void *y)
{
	const struct span *a = x, *b = y;

	if (a->gen != b->gen)
		return a->gen < b->gen ? -1 : 1;
	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return a->size < b->size ? -1 : a->size > b->size;
}

void sweep_add(struct sweep *s, const struct touched *t)
{
	for (uint32_t i = 0; i < t->cap; i++)
		if (t->spans[i].how)
			vec_push(&s->spans, t->spans[i]);
}

static void drop_ended(struct sweep *s)
{
	for (uint32_t i = 0; i < s->active.n;)
		if (sweep_span(s, i)->addr + sweep_span(s, i)->size <= s->to)
			s->active.at[i] = vec_pop(&s->active);
		else
			i++;
}

/* Whether another span of the current generation follows. */
static bool has_next(const struct sweep *s)
{
	return s->next < s->spans.n && s->spans.at[s->next].gen == s->gen;
}

bool sweep_next(struct sweep *s)
{
	if (!s->sorted && s->spans.n)
		qsort(s->spans.at, s->spans.n, sizeof *s->spans.at, compare_span);
	s->sorted = true;
	drop_ended(s);
	s->apart = !s->active.n;
	s->entered = s->next;
	s->from = s->to;
	if (s->apart) {
		if (s->next == s->spans.n)
			return false;
		s->gen = s->spans.at[s->next].gen;
		s->from = s->spans.at[s->next].addr;
	}
	while (has_next(s) && s->spans.at[s->next].addr == s->from)
		vec_push(&s->active, s->next++);
	s->to = has_next(s) ? s->spans.at[s->next].addr : UINT64_MAX;
	vec_each (&s->active, i)
		s->to = MIN(s->to, sweep_span(s, i)->addr + sweep_span(s, i)->size);
	assert(s->from < s->to && s->active.n);
	return true;
}

void sweep_release(struct sweep *s)
{
	vec_release(&s->spans);
	vec_release(&s->active);
}

/* ---- locations ------------------------------------------------------------------------------ */

static uint32_t add_thread(struct thread_sets *s, uint32_t set, uint32_t thread)
{
	uint64_t *v = map_put(&s->by_pair, (uint64_t)set << 32 | thread);

	if (!*v) {
		*v = s->at.n;
		vec_push(&s->at, (struct thread_set){set, thread, s->at.at[set].n + 1});
	}
	return (uint32_t)*v;
}

void location_threads(const struct locations *l, uint32_t set, struct bitset *out)
{
	for (; set; set = l->sets.at.at[set].rest)
		bitset_add(out, l->sets.at.at[set].thread);
}

static uint32_t join_threads(struct thread_sets *s, uint32_t a, uint32_t b)
{
	uint32_t rest, thread;

	if (a == b || !b)
		return a;
	if (!a)
		return b;
	/* thread numbers descend along a chain */
	thread = MAX(s->at.at[a].thread, s->at.at[b].thread);
	rest = join_threads(s, s->at.at[a].thread == thread ? s->at.at[a].rest : a,
		s->at.at[b].thread == thread ? s->at.at[b].rest : b);
	return add_thread(s, rest, thread);
}

/* A group: accesses that overlap, within 8 aligned bytes. */
struct group {
	struct location all; /* of all its bytes */
	struct {
		uint64_t from, to;
	} shared[8]; /* its shared bytes: ranges that do not touch */
	uint32_t n;
};

static void add_span(
	struct locations *l, struct location *to, const struct span *s, struct locksets *sets)
{
	if (!to->threads || (s->writes && !to->writes)) {
		to->func = s->func;
		to->insn = s->insn;
	}
	to->reads += s->reads;
	to->writes += s->writes;
	to->atomic |= (s->how & TOUCH_ATOMIC) != 0;
	to->plain |= (s->how & TOUCH_PLAIN) != 0;
	to->locks = lockset_meet(sets, to->locks, s->locks);
	to->threads = join_threads(&l->sets, to->threads, add_thread(&l->sets, 0, s->thread));
	to->nthreads = l->sets.at.at[to->threads].n;
}

/* Two threads access the current range, one of them with a write. */
static bool is_shared(const struct sweep *s)
{
	bool two = false, writes = false;

	vec_each (&s->active, i) {
		two |= sweep_span(s, i)->thread != sweep_span(s, 0)->thread;
		writes |= sweep_span(s, i)->how & TOUCH_WRITE;
	}
	return two && writes;
}

static void add_range(struct group *g, uint64_t from, uint64_t to)
{
	if (g->n && g->shared[g->n - 1].to == from) {
		g->shared[g->n - 1].to = to;
		return;
	}
	assert(g->n < ARRAY_SIZE(g->shared));
	g->shared[g->n].from = from;
	g->shared[g->n++].to = to;
}

/* Adds a location for each range of shared bytes in the group. */
static void emit_group(struct locations *l, struct group *g)
{
	for (uint32_t i = 0; i < g->n; i++) {
		struct location out = g->all;

		out.addr = g->shared[i].from;
		out.size = g->shared[i].to - g->shared[i].from;
		vec_push(&l->at, out);
	}
}

/* Adds the span to the sweep, in parts that do not cross a multiple of 8. */
static void add_parts(struct sweep *sw, const struct span *s)
{
	struct span part = *s;

	for (uint64_t at = s->addr; at < s->addr + s->size; at += part.size) {
		part.addr = at;
		part.size = MIN(8 - (at & 7), s->addr + s->size - at);
		vec_push(&sw->spans, part);
	}
}

void locations_build(
	struct locations *l, struct touched *const *threads, uint32_t n, struct locksets *sets)
{
	struct sweep s = {0};
	struct group g = {0};

	*l = (struct locations){0};
	vec_push(&l->sets.at, (struct thread_set){0});
	for (uint32_t t = 0; t < n; t++)
		for (uint32_t i = 0; threads[t] && i < threads[t]->cap; i++)
			if (threads[t]->spans[i].how)
				add_parts(&s, &threads[t]->spans[i]);
	while (sweep_next(&s)) {
		if (s.apart) {
			emit_group(l, &g);
			g = (struct group){.all = {.gen = s.gen, .locks = LOCKSET_ALL}};
		}
		for (uint32_t i = s.entered; i < s.next; i++)
			add_span(l, &g.all, &s.spans.at[i], sets);
		if (is_shared(&s))
			add_range(&g, s.from, s.to);
	}
	emit_group(l, &g);
	sweep_release(&s);
}

void locations_release(struct locations *l)
{
	vec_release(&l->at);
	vec_release(&l->sets.at);
	map_release(&l->sets.by_pair);
}
