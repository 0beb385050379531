#include "shapes.h"

#include <stdlib.h>
#include <string.h>

static uint32_t rnd(uint32_t *state, uint32_t n)
{
	*state = *state * 1664525u + 1013904223u;
	return (*state >> 8) % n;
}

static void start(struct shape *s, uint32_t threads, uint32_t vars, uint32_t locks, uint32_t init)
{
	*s = (struct shape){
		.ts = terms_new(), .n_threads = threads + 1, .n_vars = vars, .n_locks = locks};
	for (uint32_t i = 0; i < vars; i++)
		vec_push(&s->init, init);
}

void shape_release(struct shape *s)
{
	terms_free(s->ts);
	vec_release(&s->ev);
	vec_release(&s->init);
	vec_release(&s->clock);
}

static uint32_t event(
	struct shape *s, enum event_kind kind, uint32_t thread, uint32_t obj, term_t t)
{
	vec_push(&s->ev, (struct event){.kind = kind, .thread = thread, .obj = obj, .term = t});
	return s->ev.n - 1;
}

static term_t read_var(struct shape *s, uint32_t thread, uint32_t var)
{
	term_t t = term_fresh(s->ts, "r", VALUE_BITS);

	event(s, EV_READ, thread, var, t);
	return t;
}

static void lock(struct shape *s, uint32_t thread, uint32_t lock)
{
	event(s, EV_ACQUIRE, thread, lock, TERM_NONE);
}

static void unlock(struct shape *s, uint32_t thread, uint32_t lock)
{
	event(s, EV_RELEASE, thread, lock, TERM_NONE);
}

static void all(struct shape *s, enum event_kind fork_or_join)
{
	for (uint32_t t = 1; t < s->n_threads; t++)
		event(s, fork_or_join, 0, t, TERM_NONE);
}

/* -- what every trace needs: neighbours, regions, clocks -- */

static void find_regions(struct shape *s)
{
	struct {
		uint32_t last, n, held[MAX_HELD];
	} *th = xcalloc(s->n_threads, sizeof *th);

	for (uint32_t t = 0; t < s->n_threads; t++)
		th[t].last = NO_EVENT;
	vec_each (&s->ev, i) {
		struct event *e = &s->ev.at[i];
		uint32_t t = e->thread, k;

		e->prev = th[t].last;
		th[t].last = i;
		e->match = NO_EVENT;
		if (e->kind == EV_ACQUIRE)
			th[t].held[th[t].n++] = i;
		e->n_held = th[t].n;
		memcpy(e->held, th[t].held, sizeof e->held);
		if (e->kind != EV_RELEASE)
			continue;
		for (k = th[t].n; k-- && s->ev.at[th[t].held[k]].obj != e->obj;)
			;
		e->match = th[t].held[k];
		s->ev.at[e->match].match = i;
		memmove(&th[t].held[k], &th[t].held[k + 1], (th[t].n - k - 1) * sizeof(uint32_t));
		th[t].n--;
	}
	free(th);
}

static void find_clocks(struct shape *s)
{
	uint32_t n = s->n_threads, *forked = xcalloc(n, sizeof *forked),
		 *last = xcalloc(n, sizeof *last);

	vec_resize(&s->clock, s->ev.n * n);
	for (uint32_t i = 0; i < s->ev.n; i++) {
		struct event *e = &s->ev.at[i];
		uint32_t *c = s->clock.at + (size_t)i * n;
		uint32_t from = e->prev != NO_EVENT ? e->prev + 1 : forked[e->thread];

		if (from)
			memcpy(c, s->clock.at + (size_t)(from - 1) * n, n * sizeof *c);
		if (e->kind == EV_JOIN && last[e->obj])
			for (uint32_t t = 0; t < n; t++)
				c[t] = MAX(c[t], s->clock.at[(size_t)(last[e->obj] - 1) * n + t]);
		c[e->thread]++;
		last[e->thread] = i + 1;
		if (e->kind == EV_FORK)
			forked[e->obj] = i + 1;
	}
	free(forked);
	free(last);
}

static void finish(struct shape *s)
{
	find_regions(s);
	find_clocks(s);
}

bool shape_ordered(const struct shape *s, uint32_t a, uint32_t b)
{
	uint32_t n = s->n_threads, t = s->ev.at[a].thread;

	return a != b && s->clock.at[(size_t)b * n + t] >= s->clock.at[(size_t)a * n + t];
}

bool shape_regions(const struct shape *s, uint32_t a, uint32_t b, uint32_t *ra, uint32_t *rb)
{
	const struct event *x = &s->ev.at[a], *y = &s->ev.at[b];

	if (x->thread == y->thread)
		return false;
	for (uint32_t i = 0; i < x->n_held; i++)
		for (uint32_t k = 0; k < y->n_held; k++)
			if (s->ev.at[x->held[i]].obj == s->ev.at[y->held[k]].obj) {
				*ra = x->held[i];
				*rb = y->held[k];
				return true;
			}
	return false;
}

/* -- the shapes -- */

static void update(struct shape *s, uint32_t thread, uint32_t var, uint32_t by, bool locks)
{
	term_t r;

	if (locks)
		lock(s, thread, var);
	r = read_var(s, thread, var);
	event(s, EV_WRITE, thread, var, term_add(s->ts, r, term_const(s->ts, VALUE_BITS, by)));
	if (locks)
		unlock(s, thread, var);
}

void shape_bank(struct shape *s, uint32_t n, uint32_t m, uint32_t accounts, bool locks)
{
	uint32_t seed = 777 + 31 * n + m;
	term_t sum;

	start(s, n, accounts, accounts, 100);
	all(s, EV_FORK);
	for (uint32_t k = 0; k < m; k++)
		for (uint32_t t = 1; t <= n; t++) {
			uint32_t from = rnd(&seed, accounts);
			uint32_t to = (from + 1 + rnd(&seed, accounts - 1)) % accounts;
			uint32_t amount = 1 + rnd(&seed, 9);

			update(s, t, from, -amount, locks);
			update(s, t, to, amount, locks);
		}
	all(s, EV_JOIN);
	sum = term_const(s->ts, VALUE_BITS, 0);
	for (uint32_t a = 0; a < accounts; a++)
		sum = term_add(s->ts, sum, read_var(s, 0, a));
	event(s, EV_ASSERT, 0, 0,
		term_eq(s->ts, sum, term_const(s->ts, VALUE_BITS, 100 * accounts)));
	finish(s);
}

void shape_indexer(struct shape *s, uint32_t n)
{
	uint32_t table[128] = {0};
	term_t zero;

	start(s, n, 128, 128, 0);
	zero = term_const(s->ts, VALUE_BITS, 0);
	all(s, EV_FORK);
	for (uint32_t m = 1; m <= 4; m++)
		for (uint32_t t = 1; t <= n; t++) {
			uint32_t word = 11 * m + t, h = word * 7 % 128;
			bool found;

			do {
				term_t r, empty;

				lock(s, t, h);
				r = read_var(s, t, h);
				empty = term_eq(s->ts, r, zero);
				event(s, EV_WRITE, t, h,
					term_ite(s->ts, empty, term_const(s->ts, VALUE_BITS, word),
						r));
				unlock(s, t, h);
				found = !table[h];
				if (found) {
					table[h] = word;
					event(s, EV_ASSERT, t, 0, empty);
				}
				event(s, EV_GUARD, t, 0, found ? empty : term_not(s->ts, empty));
				h = (h + 1) % 128;
			} while (!found);
		}
	all(s, EV_JOIN);
	finish(s);
}

void shape_counters(struct shape *s, uint32_t n, uint32_t m, uint32_t vars)
{
	uint32_t seed = 4242;

	start(s, n, vars, vars, 0);
	all(s, EV_FORK);
	for (uint32_t k = 0; k < m; k++)
		for (uint32_t t = 1; t <= n; t++) {
			uint32_t x = rnd(&seed, vars);
			term_t r;

			lock(s, t, x);
			r = read_var(s, t, x);
			if ((k * n + t) % 4 == 0) {
				unlock(s, t, x);
				lock(s, t, x);
			}
			event(s, EV_WRITE, t, x,
				term_add(s->ts, r, term_const(s->ts, VALUE_BITS, 1)));
			unlock(s, t, x);
		}
	all(s, EV_JOIN);
	finish(s);
}

void shape_window(struct shape *to, const struct shape *from, uint32_t lo, uint32_t hi)
{
	start(to, from->n_threads - 1, from->n_vars, from->n_locks, 0);
	for (uint32_t i = lo; i < hi; i++) {
		const struct event *e = &from->ev.at[i];
		term_t t = TERM_NONE;

		/* values do not matter to the queries that are asked of windows here */
		if (e->term.id)
			t = term_fresh(to->ts, "v", term_width(from->ts, e->term));
		event(to, e->kind, e->thread, e->obj, t);
	}
	finish(to);
}
