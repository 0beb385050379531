#include "view/count.h"

#include "base/base.h"
#include "base/hash.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the second pass ------------------------------------------------------------------------ */

static void count_call(struct counts *c, struct thread_count *t, const struct follow_event *e)
{
	const struct plan *pl = trace_plan(c->v->t);
	const struct plan_insn *in;

	if (e->func >= c->v->p->funcs.n || !pl->funcs[e->func].insn)
		return;
	in = &pl->funcs[e->func].insn[e->insn];
	if (in->call == CALL_UNKNOWN || in->call == CALL_INDIRECT)
		++*map_put(&t->calls, e->callee < c->v->p->funcs.n ? e->callee + 1ull : 0);
}

static void count_access(struct touched *t, const struct follow_event *e, unsigned how)
{
	touched_access(t, e->addr, e->size, how | (e->order ? TOUCH_ATOMIC : 0), e->func, e->insn);
}

static void on_event(void *ctx, uint32_t thread, struct follow *f, const struct follow_event *e)
{
	struct counts *c = ctx;
	struct thread_count *t = &c->threads[thread];
	const struct sync_thread *h = &c->v->c.h.threads.at[thread];

	(void)f;
	if (e->kind != FOLLOW_LOCAL)
		t->all++;
	t->events[e->kind]++;
	switch (e->kind) {
	case FOLLOW_READ:
	case FOLLOW_CAS_FAIL:
	case FOLLOW_NATIVE_READ: count_access(&t->touched, e, TOUCH_READ); break;
	case FOLLOW_WRITE:
	case FOLLOW_NATIVE_WRITE: count_access(&t->touched, e, TOUCH_WRITE); break;
	case FOLLOW_RMW: count_access(&t->touched, e, TOUCH_READ | TOUCH_WRITE); break;
	case FOLLOW_LOCAL: touched_local(&t->touched, e->addr, e->size, e->func, e->local); break;
	case FOLLOW_CALL: count_call(c, t, e); break;
	case FOLLOW_SYNC:
	case FOLLOW_BEGIN:
	case FOLLOW_END:
		if (t->touched.events < h->events.n)
			touched_sync(&t->touched, &h->events.at[t->touched.events]);
		break;
	}
}

static int second_pass(struct counts *c)
{
	struct view *v = c->v;
	struct trace_observer o = {.event = on_event, .ctx = c};

	for (uint32_t k = 0; k < FOLLOW_NKINDS; k++)
		if (k != FOLLOW_BRANCH && k != FOLLOW_ENTER && k != FOLLOW_LEAVE &&
			k != FOLLOW_RETURN && k != FOLLOW_BLOCKED)
			o.kinds |= FOLLOW_BIT(k);
	return trace_follow(v->t, &o, NULL, v->jobs);
}

/* ---- calls ---------------------------------------------------------------------------------- */

static int compare_calls(const void *x, const void *y)
{
	const struct call_count *a = x, *b = y;

	return a->n != b->n ? (a->n < b->n ? 1 : -1) : strcmp(a->name, b->name);
}

static void count_calls(struct counts *c)
{
	const struct ir_program *p = c->v->p;
	struct map all = {0};

	for (uint32_t t = 0; t < trace_nthreads(c->v->t); t++)
		map_each (&c->threads[t].calls, i)
			*map_put(&all, c->threads[t].calls.slots[i].key) +=
				c->threads[t].calls.slots[i].val;
	map_each (&all, i) {
		uint64_t f = all.slots[i].key;
		bool body = f && !(p->funcs.at[f - 1].flags & IR_FN_EXTERN);

		vec_push(&c->calls,
			(struct call_count){
				f ? ir_func_name(p, (uint32_t)f - 1) : "(call through a pointer)",
				all.slots[i].val, body ? CALLS_EXCLUDED : CALLS_UNKNOWN});
	}
	map_release(&all);
	if (c->calls.n)
		qsort(c->calls.at, c->calls.n, sizeof *c->calls.at, compare_calls);
}

/* ---- locations ------------------------------------------------------------------------------ */

/* The name of the location by its object; if that is only an address, the name in an access. */
static void location_name(struct strbuf *out, struct counts *c, const struct location *l)
{
	const struct generation *g = &c->v->c.g.at.at[l->gen];
	size_t n = out->n;

	view_data(out, c->v, l->addr, l->size, l->gen);
	if (!strncmp(out->s + n, "0x", 2) || !strncmp(out->s + n, "block from", 10)) {
		const struct insn_names *in = names_of(&c->v->names, l->func, l->insn);

		if (in->to.text && (l->gen ? g->kind == GEN_HEAP : true)) {
			out->n = n;
			out->s[n] = 0;
			strbuf_adds(out, in->to.text);
		}
	}
}

/* "table[3].n" -> "table[].n" */
static uint64_t pattern_hash(const char *name)
{
	struct strbuf b = {0};
	uint64_t h;

	for (const char *s = name; *s; s++) {
		strbuf_addc(&b, *s);
		if (*s == '[')
			while (s[1] && s[1] != ']')
				s++;
	}
	h = hash_bytes(b.s, b.n);
	strbuf_release(&b);
	return h;
}

/* Replaces the indices in which the names differ: "table[*].n". */
static void widen_name(struct location_group *g, const char *other)
{
	const char *s = g->name;
	struct strbuf b = {0};

	while (*s) {
		if (*s == '[' && *other == '[') {
			size_t n = strcspn(s, "]"), m = strcspn(other, "]");

			if (n == m && !memcmp(s, other, n))
				strbuf_add(&b, s, n);
			else
				strbuf_adds(&b, "[*");
			s += n;
			other += m;
		} else {
			strbuf_addc(&b, *s++);
			other += *other != 0;
		}
	}
	free(g->name);
	g->name = strbuf_detach(&b);
}

static void group_location(struct counts *c, struct map *by_key, uint32_t i)
{
	const struct location *l = &c->locations.at.at[i];
	struct strbuf name = {0};
	struct location_group *g;
	uint64_t *at, key[2];

	location_name(&name, c, l);
	key[0] = pattern_hash(name.s);
	/* The summary shows all heap blocks from one place as one object. */
	key[1] = l->gen && c->v->c.g.at.at[l->gen].kind != GEN_HEAP ? l->gen : 0;
	at = map_put(by_key, hash_bytes(key, sizeof key));
	if (!*at) {
		g = vec_add(&c->groups);
		*at = c->groups.n;
		g->name = xstrdup(name.s);
		g->first = i;
		g->locks = LOCKSET_ALL;
	}
	g = &c->groups.at[*at - 1];
	if (strcmp(g->name, name.s))
		widen_name(g, name.s);
	g->n++;
	g->reads += l->reads;
	g->writes += l->writes;
	g->bytes += l->size;
	g->atomic |= l->atomic;
	g->plain |= l->plain;
	g->locks = lockset_meet(&c->sets, g->locks, l->locks);
	g->unlocked += !lockset_get(&c->sets, l->locks)->n;
	location_threads(&c->locations, l->threads, &g->threads);
	strbuf_release(&name);
}

static int compare_groups(const void *x, const void *y)
{
	const struct location_group *a = x, *b = y;
	uint64_t n = a->reads + a->writes, m = b->reads + b->writes;

	return n != m ? (n < m ? 1 : -1) : strcmp(a->name, b->name);
}

static void find_locations(struct counts *c)
{
	uint32_t n = trace_nthreads(c->v->t);
	struct touched **tables = xcalloc((size_t)n + 1, sizeof *tables);
	struct map by_key = {0};

	for (uint32_t t = 0; t < n; t++)
		tables[t] = &c->threads[t].touched;
	locations_build(&c->locations, tables, n, &c->sets);
	free(tables);
	vec_each (&c->locations.at, i)
		group_location(c, &by_key, i);
	map_release(&by_key);
	if (c->groups.n)
		qsort(c->groups.at, c->groups.n, sizeof *c->groups.at, compare_groups);
}

/* ---- synchronization objects ---------------------------------------------------------------- */

static bool is_acquire(uint8_t kind)
{
	return sync_is_lock(kind) || kind == LOG_S_SEM_WAIT || kind == LOG_S_SEM_TRYWAIT ||
	       kind == LOG_S_COND_WOKEN || kind == LOG_S_BARRIER_LEAVE;
}

static void count_operation(struct sync_object *o, uint32_t thread, const struct sync_event *e)
{
	o->ops += e->kind != LOG_S_BARRIER_ENTER && e->kind != LOG_S_COND_WAIT;
	bitset_add(&o->threads, thread);
	if (!is_acquire(e->kind))
		return;
	if (!sync_succeeded(e)) {
		o->failed++;
		return;
	}
	o->acquired++;
	o->waited += (e->flags & LOG_F_WAITED) != 0;
	o->handed_over += o->holder != LOG_NONE && o->holder != thread;
	o->holder = thread;
}

static int compare_objects(const void *x, const void *y)
{
	const struct sync_object *a = x, *b = y;

	return a->ops != b->ops    ? (a->ops < b->ops ? 1 : -1)
	       : a->addr < b->addr ? -1
				   : a->addr > b->addr;
}

static void find_objects(struct counts *c)
{
	const struct sync_order *o = &c->v->c.o;
	struct map by_key = {0};

	for (uint32_t r = 0; r < o->n; r++) {
		const struct order_point *p = &o->at[r];
		const struct sync_event *e = &o->h->threads.at[p->thread].events.at[p->event];
		int what = check_primitive_of(e->kind);
		uint64_t key[2] = {e->object}, *at;
		struct sync_object *so;

		if (p->part || !e->object || what < 0)
			continue;
		key[1] = (uint64_t)view_generation(c->v, p->thread, p->event + 1, e->object) << 8 |
			 (unsigned)what;
		at = map_put(&by_key, hash_bytes(key, sizeof key));
		if (!*at) {
			so = vec_add(&c->objects);
			*at = c->objects.n;
			*so = (struct sync_object){.addr = e->object,
				.gen = (uint32_t)(key[1] >> 8),
				.what = what,
				.thread = p->thread,
				.event = p->event,
				.holder = LOG_NONE};
		}
		count_operation(&c->objects.at[*at - 1], p->thread, e);
	}
	map_release(&by_key);
	if (c->objects.n)
		qsort(c->objects.at, c->objects.n, sizeof *c->objects.at, compare_objects);
}

void counts_object_name(struct strbuf *out, struct counts *c, const struct sync_object *o)
{
	view_sync_object(out, c->v, o->thread, o->event);
}

void counts_locks(struct strbuf *out, struct counts *c, uint32_t set)
{
	const struct lockset *s = lockset_get(&c->sets, set);

	for (uint32_t i = 0; i < s->n; i++) {
		const struct sync_object *found = NULL;

		vec_each (&c->objects, k)
			if (!found && c->objects.at[k].addr == s->at[i])
				found = &c->objects.at[k];
		if (i)
			strbuf_adds(out, ", ");
		if (found)
			counts_object_name(out, c, found);
		else
			view_data(out, c->v, s->at[i], 1, 0);
	}
}

/* ---- all counts ----------------------------------------------------------------------------- */

int counts_make(struct counts *c, struct view *v)
{
	uint32_t n = trace_nthreads(v->t);

	*c = (struct counts){.v = v};
	c->threads = xcalloc((size_t)n + 1, sizeof *c->threads);
	locksets_init(&c->sets);
	for (uint32_t t = 0; t < n; t++) {
		touched_init(&c->threads[t].touched, &v->c.g, &v->c.o, &c->sets, t);
		touched_fixed_range(&c->threads[t].touched, v->t);
	}
	if (second_pass(c))
		return -1;
	for (uint32_t t = 0; t < n; t++)
		for (uint32_t k = 0; k < FOLLOW_NKINDS; k++)
			c->events[k] += c->threads[t].events[k];
	count_calls(c);
	find_objects(c);
	find_locations(c);
	return 0;
}

void counts_release(struct counts *c)
{
	for (uint32_t t = 0; t < trace_nthreads(c->v->t); t++) {
		touched_release(&c->threads[t].touched);
		map_release(&c->threads[t].calls);
	}
	free(c->threads);
	locksets_release(&c->sets);
	locations_release(&c->locations);
	vec_each (&c->groups, i) {
		free(c->groups.at[i].name);
		bitset_release(&c->groups.at[i].threads);
	}
	vec_release(&c->groups);
	vec_each (&c->objects, i)
		bitset_release(&c->objects.at[i].threads);
	vec_release(&c->objects);
	vec_release(&c->calls);
}
