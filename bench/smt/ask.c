/*
 * Questions of a symbolic execution on made-up trees of paths: at each branch both sides are asked
 * for, one is taken, the other waits for later. For bench/bench_smt.py.
 */
#include "base/base.h"
#include "base/vec.h"
#include "smt/ask.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BYTES = 64, WORDS = 12, MAX_DEPTH = 300 };

struct waiting {
	uint32_t n;
	term_t *path;
};

struct tree {
	struct terms *ts;
	uint64_t rng;
	term_t byte[BYTES], word[WORDS], array;
	term_t path[MAX_DEPTH];
	uint32_t n;
	VEC(struct waiting) waiting;
};

static uint32_t below(struct tree *t, uint32_t n)
{
	t->rng ^= t->rng << 13;
	t->rng ^= t->rng >> 7;
	t->rng ^= t->rng << 17;
	return (uint32_t)((t->rng >> 32) * n >> 32);
}

/* a parser: one byte against a character or a range, now and then against its neighbour */
static term_t parser(struct tree *t)
{
	uint32_t i = (t->n / 3 + below(t, 4)) % BYTES;
	term_t b = t->byte[i], k = term_const(t->ts, 8, 32 + below(t, 90));

	switch (below(t, 8)) {
	case 0: return term_ult(t->ts, b, t->byte[(i + 1) % BYTES]);
	case 1:
	case 2: return term_ult(t->ts, b, k);
	case 3:
		return term_slt(
			t->ts, term_sext(t->ts, b, 32), term_const(t->ts, 32, below(t, 128)));
	default: return term_eq(t->ts, b, k);
	}
}

/* counters: sums and multiples of words, compared */
static term_t counters(struct tree *t)
{
	term_t x = t->word[below(t, WORDS)], y = t->word[below(t, WORDS)];
	term_t k = term_const(t->ts, 32, below(t, 1000));

	switch (below(t, 6)) {
	case 0: return term_ult(t->ts, term_add(t->ts, x, y), k);
	case 1: return term_eq(t->ts, term_mul(t->ts, x, term_const(t->ts, 32, 12)), y);
	case 2: return term_slt(t->ts, x, y);
	case 3: return term_ult(t->ts, term_and(t->ts, x, term_const(t->ts, 32, 0xff0)), k);
	default: return term_ult(t->ts, x, k);
	}
}

/* a table in unknown memory: bytes at constant places, and one place that varies */
static term_t table(struct tree *t)
{
	term_t i = term_const(t->ts, 64, below(t, 32));

	if (!below(t, 10))
		i = term_zext(
			t->ts, term_and(t->ts, t->byte[below(t, 4)], term_const(t->ts, 8, 31)), 64);
	return term_ult(t->ts, term_read(t->ts, t->array, i), term_const(t->ts, 8, below(t, 256)));
}

static void wait(struct tree *t, term_t c)
{
	struct waiting w = {.n = t->n + 1, .path = xmalloc((t->n + 1) * sizeof(term_t))};

	for (uint32_t i = 0; i < t->n; i++)
		w.path[i] = t->path[i];
	w.path[t->n] = c;
	vec_push(&t->waiting, w);
}

/* on with another path, any of those that wait */
static void resume(struct tree *t)
{
	uint32_t i = below(t, t->waiting.n);
	struct waiting w;

	t->n = 0;
	if (!t->waiting.n)
		return;
	w = t->waiting.at[i];

	for (; t->n < w.n; t->n++)
		t->path[t->n] = w.path[t->n];
	free(w.path);
	t->waiting.at[i] = vec_last(&t->waiting);
	t->waiting.n--;
}

/* the machine is shared */
static double cpu_seconds(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

static void row(const char *name, term_t (*branch)(struct tree *), double seconds)
{
	struct tree t = {.ts = terms_new(), .rng = 88172645463325252u};
	struct ask *a = ask_new(t.ts, &(struct ask_options){0});
	const struct ask_stats *st = ask_stats(a);
	double start = cpu_seconds(), spent;
	uint64_t depth = 0, branches = 0;

	for (unsigned i = 0; i < BYTES; i++)
		t.byte[i] = term_fresh(t.ts, "b", 8);
	for (unsigned i = 0; i < WORDS; i++)
		t.word[i] = term_fresh(t.ts, "w", 32);
	t.array = term_fresh_array(t.ts, "m");
	while ((spent = cpu_seconds() - start) < seconds) {
		term_t c = branch(&t), no = term_not(t.ts, c);
		bool yes = ask_may(a, t.path, t.n, c) == ASK_YES,
		     other = ask_may(a, t.path, t.n, no) == ASK_YES;

		depth += t.n;
		branches++;
		if (yes && other && t.n + 1 < MAX_DEPTH)
			wait(&t, no);
		t.path[t.n++] = yes ? c : no;
		if (t.n == MAX_DEPTH || !below(&t, 200))
			resume(&t);
	}
	printf("%-9s %6.0f/s, %3.0f deep: shape %2.0f%% cache %2.0f%% model %2.0f%% "
	       "solver %2.0f%% z3 %2.0f%%, %lu unknown\n",
		name, (double)st->asked / spent, (double)depth / (double)branches,
		100.0 * (double)st->by_shape / (double)st->asked,
		100.0 * (double)st->by_cache / (double)st->asked,
		100.0 * (double)st->by_model / (double)st->asked,
		100.0 * (double)st->by_solver / (double)st->asked,
		100.0 * (double)st->by_z3 / (double)st->asked, (unsigned long)st->unknown);
	vec_each (&t.waiting, i)
		free(t.waiting.at[i].path);
	vec_release(&t.waiting);
	ask_free(a);
	terms_free(t.ts);
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 3;

	row("parser", parser, seconds);
	row("counters", counters, seconds);
	row("table", table, seconds);
	return 0;
}
