/*
 * The query front on made-up traces of the shapes that prediction meets. Each case runs lazily,
 * eagerly and by Z3; CPU seconds, building the query included. usage: bench_smt [seconds] [case]
 */
#include "encode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct tally {
	uint32_t sat, unsat, unknown, filtered;
	uint64_t judged, conflicts;
	double build, solve;
};

static double cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static struct solve_limits limits_of(enum solve_stage stage, double seconds)
{
	struct solve_limits l = {.seconds = 2 * seconds, .refinements = UINT32_MAX};

	if (stage == SOLVE_EAGER) {
		l.eager = true;
		l.seconds = seconds;
	}
	if (stage == SOLVE_Z3) {
		l.eager = true;
		l.gates = 1;
		l.z3_seconds = seconds;
	}
	return l;
}

static void check(struct encoding *e, const lit_t *assume, uint32_t n, const struct solve_limits *l,
	struct tally *t)
{
	switch (solve_check(e->q, assume, n, l)) {
	case SAT_SAT: t->sat++; break;
	case SAT_UNSAT: t->unsat++; break;
	case SAT_UNKNOWN: t->unknown++; break;
	}
}

/* every assertion of the trace, one after the other, in one solver */
static void assertions(struct shape *s, enum solve_stage stage, double seconds, struct tally *t)
{
	struct solve_limits l = limits_of(stage, seconds);
	struct encoding e;
	double start = cpu();

	encode(&e, s);
	if (stage == SOLVE_EAGER)
		solve_set_refine(e.q, NULL, NULL);
	t->build = cpu() - start;
	start = cpu();
	vec_each (&e.asked, i)
		if (cpu() - start < seconds)
			check(&e, &e.asked.at[i].lit, 1, &l, t);
		else
			t->unknown++;
	t->solve = cpu() - start;
	t->judged = e.judged;
	t->conflicts = solve_stats(e.q)->conflicts;
	encoding_release(&e);
}

/* where no lock is held before event i */
static bool *quiet_places(const struct shape *s)
{
	bool *quiet = xcalloc(s->ev.n + 1, sizeof *quiet);
	uint32_t held = 0;

	vec_each (&s->ev, i) {
		quiet[i] = !held;
		held += s->ev.at[i].kind == EV_ACQUIRE;
		held -= s->ev.at[i].kind == EV_RELEASE;
	}
	quiet[s->ev.n] = !held;
	return quiet;
}

/* c reads and c2 writes in one thread; r, of another thread, in between: a window around them */
static void ask_triple(struct shape *s, const bool *quiet, uint32_t c, uint32_t r, uint32_t c2,
	const struct solve_limits *l, struct tally *t)
{
	uint32_t half = 140, first = s->n_threads - 1, lo = MIN(c, r), hi = MAX(c2, r);
	struct shape window;
	struct encoding e;
	double start = cpu();
	lit_t as[4];

	lo = lo > half + first ? lo - half : first;
	hi = MIN(hi + half, s->ev.n - first);
	while (!quiet[lo])
		lo--;
	while (!quiet[hi])
		hi++;
	shape_window(&window, s, lo, hi);
	encode(&e, &window);
	t->build += cpu() - start;
	start = cpu();
	as[0] = encode_before(&e, c - lo, r - lo);
	as[1] = encode_before(&e, r - lo, c2 - lo);
	as[2] = e.x.at[c2 - lo];
	as[3] = e.x.at[r - lo];
	check(&e, as, 4, l, t);
	t->solve += cpu() - start;
	t->conflicts += solve_stats(e.q)->conflicts;
	t->judged += e.judged;
	encoding_release(&e);
	shape_release(&window);
}

static void triples(struct shape *s, enum solve_stage stage, double seconds, struct tally *t)
{
	struct solve_limits l = limits_of(stage, seconds);
	bool *quiet = quiet_places(s);
	uint32_t ra, rb, rc, rd;

	for (uint32_t c = 0; c < s->ev.n && t->build + t->solve < seconds; c++) {
		uint32_t c2 = c + 1, r;

		if (s->ev.at[c].kind != EV_READ)
			continue;
		while (s->ev.at[c2].kind != EV_WRITE || s->ev.at[c2].thread != s->ev.at[c].thread)
			c2++;
		for (r = c + 1; r < s->ev.n && r < c + 100; r++)
			if (s->ev.at[r].kind == EV_WRITE && s->ev.at[r].obj == s->ev.at[c].obj &&
				s->ev.at[r].thread != s->ev.at[c].thread)
				break;
		if (r == s->ev.n || r == c + 100)
			continue;
		if (shape_regions(s, c, r, &ra, &rb) && shape_regions(s, c2, r, &rc, &rd) &&
			ra == rc && rb == rd) /* one region all along */
			t->filtered++;
		else
			ask_triple(s, quiet, c, r, c2, &l, t);
	}
	free(quiet);
}

static const struct {
	const char *name;
	void (*run)(struct shape *, enum solve_stage, double, struct tally *);
	int shape;
	uint32_t a, b, c, d;
} cases[] = {
	{"indexer, 12 threads", assertions, 0, 12, 0, 0, 0},
	{"indexer, 25 threads", assertions, 0, 25, 0, 0, 0},
	{"bank buggy, 5 threads", assertions, 1, 5, 2, 4, 0},
	{"bank buggy, 10 threads", assertions, 1, 10, 4, 8, 0},
	{"bank fixed, 3 threads", assertions, 1, 3, 2, 3, 1},
	{"bank fixed, 10 threads", assertions, 1, 10, 1, 4, 1},
	{"triples in windows, 10^5 accesses", triples, 2, 8, 6250, 40, 0},
};

static void make(struct shape *s, uint32_t i)
{
	switch (cases[i].shape) {
	case 0: shape_indexer(s, cases[i].a); break;
	case 1: shape_bank(s, cases[i].a, cases[i].b, cases[i].c, cases[i].d); break;
	default: shape_counters(s, cases[i].a, cases[i].b, cases[i].c); break;
	}
}

int main(int argc, char **argv)
{
	static const char *const stages[] = {"lazy", "eager", "z3"};
	double seconds = argc > 1 ? atof(argv[1]) : 5;

	printf("%-34s %7s %-5s %5s %5s %7s %8s %8s %9s %9s\n", "case", "events", "stage", "sat",
		"unsat", "unknown", "build s", "solve s", "conflicts", "judged");
	for (uint32_t i = 0; i < ARRAY_SIZE(cases); i++)
		for (enum solve_stage st = SOLVE_LAZY; st <= SOLVE_Z3; st++) {
			struct shape s;
			struct tally t = {0};

			if (argc > 2 && !strstr(cases[i].name, argv[2]))
				continue;
			/* no data in those queries: one stage is all there is */
			if (cases[i].run == triples && st != SOLVE_LAZY)
				continue;
			make(&s, i);
			cases[i].run(&s, st, seconds, &t);
			printf("%-34s %7u %-5s %5u %5u %7u %8.3f %8.3f %9lu %9lu\n", cases[i].name,
				s.ev.n, stages[st], t.sat, t.unsat, t.unknown, t.build, t.solve,
				(unsigned long)t.conflicts, (unsigned long)t.judged);
			if (t.filtered)
				printf("%-34s %u more by the lock filter alone\n", "", t.filtered);
			fflush(stdout);
			shape_release(&s);
		}
	return 0;
}
