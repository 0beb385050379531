/*
 * check_ctp [-p] [-x] TRACE: extracts the concurrent trace program of a recorded run and holds it
 * against itself: in the observed order every read gets the value that it had from the last write
 * before it, every guard holds, every written value is the recorded one; all terms are evaluated
 * with what was read, nothing is simplified or left out.
 *	-p  print it
 *	-x  the order must be exact
 */
#include "base/base.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "extract/extract.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct sim {
	const struct ctp *c;
	struct term_assign as;
	u128 *mem;
	bool *known;
	uint32_t wrong;
};

static void wrong(struct sim *s, uint32_t e, const char *what)
{
	if (s->wrong++ < 10)
		printf("e%u (%s): %s\n", e, ctp_kind_name(ctp_at(s->c, e)->kind), what);
}

static void read_cells(struct sim *s, uint32_t e, bool exact)
{
	const struct ctp_event *ev = ctp_at(s->c, e);

	for (uint32_t k = ev->first; k < ev->first + ev->n; k++) {
		const struct ctp_access *a = &s->c->accesses.at[k];

		if (!a->sym.id)
			continue;
		if (exact && s->known[a->cell] && s->mem[a->cell] != a->seen)
			wrong(s, e, "a read does not get its value");
		if (exact && !s->known[a->cell] && !(ev->flags & CTP_NATIVE_USE))
			wrong(s, e, "a read of an unknown value");
	}
}

static void write_cells(struct sim *s, uint32_t e)
{
	const struct ctp_event *ev = ctp_at(s->c, e);

	for (uint32_t k = ev->first; k < ev->first + ev->n; k++) {
		const struct ctp_access *a = &s->c->accesses.at[k];

		if (!a->value.id)
			continue;
		if (term_value(&s->as, a->value) != a->put)
			wrong(s, e, "a value is not the one that was written");
		s->mem[a->cell] = a->put;
		s->known[a->cell] = true;
	}
}

static void simulate(struct sim *s)
{
	const struct ctp *c = s->c;

	term_assign_init(&s->as, c->ts);
	s->mem = xcalloc(c->cells.n + 1, sizeof *s->mem);
	s->known = xcalloc(c->cells.n + 1, sizeof *s->known);
	vec_each (&c->cells, i) {
		s->mem[i] = c->cells.at[i].initial;
		s->known[i] = c->cells.at[i].known;
	}
	vec_each (&c->accesses, k)
		if (c->accesses.at[k].sym.id)
			term_assign_set(&s->as, c->accesses.at[k].sym, c->accesses.at[k].seen);
	vec_each (&c->order, i) {
		uint32_t e = c->order.at[i];
		const struct ctp_event *ev = ctp_at(c, e);

		if (ev->n) {
			read_cells(s, e, c->order_exact);
			write_cells(s, e);
		} else if (ev->cond.id && !term_value(&s->as, ev->cond)) {
			wrong(s, e, "a guard does not hold");
		}
	}
	free(s->mem);
	free(s->known);
	term_assign_release(&s->as);
}

static void summary(const struct ctp *c, double seconds)
{
	uint32_t n[CTP_NKINDS] = {0};

	vec_each (&c->events, e)
		n[c->events.at[e].kind]++;
	printf("%u threads, %u cells, %u events, %s order, %.3f s:", c->threads.n, c->cells.n,
		c->events.n, c->order_exact ? "exact" : "inexact", seconds);
	for (uint32_t k = 0; k < CTP_NKINDS; k++)
		if (n[k])
			printf(" %s %u", ctp_kind_name(k), n[k]);
	printf("\n");
	vec_each (&c->limits, i)
		printf("limit: %s\n", c->limits.at[i]);
	for (uint32_t i = 0; i < trace_nthreads(c->trace); i++) {
		const struct follow_result *r = &trace_thread(c->trace, i)->result;

		if (r->status != FOLLOW_DONE)
			printf("thread %u ends early: %s\n", i, r->reason.s ? r->reason.s : "");
	}
}

static int check(const char *dir, bool print, bool exact)
{
	struct extract_options opt = {.jobs = 2};
	struct trace *t = trace_open(dir);
	struct timespec a, b;
	struct strbuf out = {0};
	struct sim s = {0};
	const char *why;
	const struct ctp *c;

	if (!t)
		return 1;
	clock_gettime(CLOCK_MONOTONIC, &a);
	c = extract(t, &opt);
	clock_gettime(CLOCK_MONOTONIC, &b);
	if (!c)
		return 1;
	if (print) {
		ctp_print(c, &out);
		fputs(out.s ? out.s : "", stdout);
		strbuf_release(&out);
	}
	summary(c, (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9);
	s.c = c;
	if ((why = ctp_wrong(c))) {
		printf("wrong: %s\n", why);
		s.wrong++;
	}
	simulate(&s);
	if (exact && !c->order_exact) {
		printf("the order is not exact\n");
		s.wrong++;
	}
	ctp_free(c);
	trace_close(t);
	return s.wrong != 0;
}

int main(int argc, char **argv)
{
	bool print = false, exact = false;
	int i = 1;

	for (; i < argc && argv[i][0] == '-'; i++) {
		print |= !strcmp(argv[i], "-p");
		exact |= !strcmp(argv[i], "-x");
	}
	if (i + 1 != argc) {
		fprintf(stderr, "usage: check_ctp [-p] [-x] TRACE\n");
		return 2;
	}
	return check(argv[i], print, exact);
}
