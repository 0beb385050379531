/*
 * final_states PROGRAM [ARG ...]: all schedules of a program by flips that become runs (src/deep), and
 * every way in which the model of these runs can end: the other side of enumerate --all.
 *
 *	--dir DIR      for the runs; default "deep"
 *	--seconds N    for the runs; default 60
 *	--states N     give up beyond so many states of the model; default 100000
 *
 * Prints one JSON object: "complete", "runs", "limits"; "findings" in full; "cells": the pieces of global
 * variables that are in the model, each {"name", "offset", "size"}; "finals": array of arrays with their
 * values, in hex, when main ended, null if there were too many states.
 *
 * A state is what the threads have done, and the values of cells and of what was read and is looked at
 * later. Linearizations are executed by model/simulate.h, each again from its beginning.
 */
#include "base/base.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "deep/deep.h"
#include "model/model_facts.h"
#include "model/simulate.h"
#include "trace/trace.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct finals {
	const struct ctp *c;
	struct facts *f;
	struct sim *s;
	struct vec_u32 done;      /* events, in order */
	VEC(struct vec_u32) uses; /* by access that reads: events whose terms need it */
	VEC(struct cell_now {
		bool known;
		u128 value;
	}) cells;
	struct vec_u32 shown;     /* cells of globals */
	struct map seen;
	uint64_t states, limit;
	bool full;
	VEC(char *) found;        /* arrays in JSON */
	struct strbuf cells_json;
};

/* ---- where values are looked at ------------------------------------------------------------------ */

static void use_term(struct finals *x, uint32_t event, term_t t)
{
	const struct term_syms *syms;

	if (!t.id)
		return;
	syms = term_syms(x->c->ts, t);
	for (uint32_t i = 0; i < syms->n; i++) {
		uint32_t number = term_sym_number(x->c->ts, syms->at[i]);
		uint32_t a = number < x->f->access_of.n ? x->f->access_of.at[number] : 0;

		if (a)
			vec_push(&x->uses.at[a - 1], event);
	}
}

static void find_uses(struct finals *x)
{
	vec_resize(&x->uses, x->c->accesses.n);
	vec_each (&x->c->events, e) {
		const struct ctp_event *ev = ctp_at(x->c, e);

		use_term(x, e, ev->cond);
		use_term(x, e, ev->operand);
		for (uint32_t i = 0; i < ev->n; i++)
			use_term(x, e, x->c->accesses.at[ev->first + i].value);
	}
}

static void find_globals(struct finals *x)
{
	const struct follow_snapshot *snap = trace_snapshot(x->c->trace);
	const struct ir_program *p = trace_program(x->c->trace);

	vec_each (&x->c->cells, i) {
		const struct ctp_cell *cell = &x->c->cells.at[i];

		vec_each (&p->globals, g) {
			uint64_t at = follow_global_addr(snap, g);

			if (!at || cell->addr < at || cell->addr >= at + p->globals.at[g].size)
				continue;
			strbuf_addf(&x->cells_json,
				"%s{\"name\": \"%s\", \"offset\": %llu, \"size\": %u}",
				x->shown.n ? ", " : "", ir_str(p, p->globals.at[g].name),
				(unsigned long long)(cell->addr - at), cell->size);
			vec_push(&x->shown, i);
			break;
		}
	}
}

/* ---- states -------------------------------------------------------------------------------------- */

static bool looked_at_later(const struct finals *x, uint32_t access)
{
	vec_each (&x->uses.at[access], i)
		if (!sim_done(x->s, x->c, x->uses.at[access].at[i]))
			return true;
	return false;
}

static bool is_of_waiting(enum ctp_kind k)
{
	return k == CTP_WAIT || k == CTP_WOKEN || k == CTP_SIGNAL || k == CTP_BROADCAST ||
	       k == CTP_TIMEOUT;
}

static uint64_t mix(uint64_t h, u128 v)
{
	return hash_u64(hash_u64(h ^ (uint64_t)v) ^ (uint64_t)(v >> 64)) + 1;
}

static uint64_t state_hash(const struct finals *x)
{
	uint64_t h = 1;

	vec_each (&x->c->threads, t)
		h = mix(h, sim_next(x->s, t));
	vec_each (&x->cells, i)
		h = mix(h, x->cells.at[i].known ? x->cells.at[i].value : ~(u128)0);
	vec_each (&x->done, i) {
		const struct ctp_event *ev = ctp_at(x->c, x->done.at[i]);

		/* who is woken by what depends on their order */
		if (is_of_waiting(ev->kind))
			h = mix(h, x->done.at[i]);
		for (uint32_t k = ev->first; k < ev->first + ev->n; k++) {
			u128 v = 0;

			if (x->c->accesses.at[k].sym.id && looked_at_later(x, k) &&
				sim_read(x->s, k, &v))
				h = mix(h + k, v);
		}
	}
	return h;
}

static void write_cells(struct finals *x, uint32_t event)
{
	const struct ctp_event *ev = ctp_at(x->c, event);

	for (uint32_t i = ev->first; i < ev->first + ev->n; i++) {
		const struct ctp_access *a = &x->c->accesses.at[i];
		struct cell_now *now = &x->cells.at[a->cell];

		if (a->value.id)
			now->known = sim_value(x->s, a->value, &now->value);
	}
}

/* Executes the event, and the guards behind it: they concern nobody else. */
static bool execute(struct finals *x, uint32_t event)
{
	const struct ctp_thread *t = &x->c->threads.at[ctp_at(x->c, event)->thread];
	uint32_t end = t->first + t->n;

	do {
		if (sim_step(x->s, event))
			return false;
		write_cells(x, event);
		vec_push(&x->done, event);
		event++;
	} while (event < end && ctp_is_guard(ctp_at(x->c, event)->kind));
	return true;
}

static void execute_again(struct finals *x, uint32_t n)
{
	x->done.n = n;
	vec_each (&x->c->cells, i)
		x->cells.at[i] = (struct cell_now){x->c->cells.at[i].known, x->c->cells.at[i].initial};
	sim_start(x->s, 0);
	vec_each (&x->done, i) {
		const char *why = sim_step(x->s, x->done.at[i]);

		if (why)
			BUG("event %u was executed before, and now: %s", x->done.at[i], why);
		write_cells(x, x->done.at[i]);
	}
}

/* Some alternative of the main thread has done all that was recorded of it, to the end. */
static bool main_ended(const struct finals *x)
{
	vec_each (&x->c->threads, i) {
		const struct ctp_thread *t = &x->c->threads.at[i];

		if (ctp_group(x->c, i) == 0 && t->n && t->end != CTP_NONE &&
			sim_next(x->s, i) == t->first + t->n)
			return true;
	}
	return false;
}

static void keep(struct finals *x)
{
	struct strbuf b = {0};

	strbuf_addf(&b, "[");
	vec_each (&x->shown, i) {
		const struct cell_now *now = &x->cells.at[x->shown.at[i]];
		uint64_t v = (uint64_t)now->value;

		if (now->known)
			strbuf_addf(&b, "%s\"%llx\"", i ? ", " : "", (unsigned long long)v);
		else
			strbuf_addf(&b, "%snull", i ? ", " : "");
	}
	strbuf_addf(&b, "]");
	vec_each (&x->found, i)
		if (!strcmp(x->found.at[i], b.s)) {
			strbuf_release(&b);
			return;
		}
	vec_push(&x->found, b.s);
}

static void explore(struct finals *x)
{
	uint64_t *seen = map_put(&x->seen, state_hash(x));
	uint32_t n = x->done.n;

	if (*seen || x->full)
		return;
	*seen = 1;
	if (++x->states > x->limit) {
		x->full = true;
		return;
	}
	if (main_ended(x)) {
		keep(x);
		return;
	}
	for (uint32_t t = 0; t < x->c->threads.n && !x->full; t++) {
		const struct ctp_thread *th = &x->c->threads.at[t];
		uint32_t next = sim_next(x->s, t);

		if (next >= th->first + th->n || ctp_at(x->c, next)->flags & CTP_PENDING ||
			ctp_at(x->c, next)->kind == CTP_FAIL)
			continue;
		if (execute(x, next))
			explore(x);
		if (x->done.n != n || sim_next(x->s, t) != next)
			execute_again(x, n);
	}
}

static void on_model(void *ctx, const struct ctp *model)
{
	struct finals *x = ctx;

	x->c = model;
	x->f = facts_new(model);
	x->s = sim_new(x->f, MODEL_CTP);
	vec_resize(&x->cells, model->cells.n);
	find_globals(x);
	find_uses(x);
	execute_again(x, 0);
	explore(x);
	sim_free(x->s);
	facts_free(x->f);
	vec_each (&x->uses, i)
		vec_release(&x->uses.at[i]);
	vec_release(&x->uses);
	vec_release(&x->cells);
	map_release(&x->seen);
}

/* ---- the rest ------------------------------------------------------------------------------------ */

struct told {
	struct finals x;
	struct strbuf findings;
};

static void on_found(void *ctx, struct finding *f)
{
	struct told *t = ctx;

	if (t->findings.n)
		strbuf_addf(&t->findings, ",\n");
	finding_to_json(f, &t->findings);
	finding_free(f);
}

static void on_model_of(void *ctx, const struct ctp *model)
{
	on_model(&((struct told *)ctx)->x, model);
}

static void print(const struct told *t, const struct deep_stats *st)
{
	printf("{\"complete\": %s, \"runs\": %llu, \"states\": %llu, \"limits\": [",
		st->complete ? "true" : "false", (unsigned long long)st->runs,
		(unsigned long long)t->x.states);
	vec_each (&st->limits, i)
		printf("%s\"%s\"", i ? ", " : "", st->limits.at[i]);
	printf("],\n\"findings\": [%s],\n\"cells\": [%s],\n\"finals\": ", t->findings.n ? t->findings.s : "",
		t->x.cells_json.n ? t->x.cells_json.s : "");
	if (!t->x.c || t->x.full)
		printf("null");
	vec_each (&t->x.found, i)
		if (t->x.c && !t->x.full)
			printf("%s%s", i ? ",\n " : "[", t->x.found.at[i]);
	printf("%s}\n", t->x.c && !t->x.full ? t->x.found.n ? "]" : "[]" : "");
}

static void told_release(struct told *t)
{
	vec_release(&t->x.done);
	vec_release(&t->x.shown);
	vec_each (&t->x.found, i)
		free(t->x.found.at[i]);
	vec_release(&t->x.found);
	strbuf_release(&t->x.cells_json);
	strbuf_release(&t->findings);
}

int main(int argc, char **argv)
{
	static const struct option opts[] = {
		{"dir", 1, 0, 'd'}, {"seconds", 1, 0, 's'}, {"states", 1, 0, 'n'}, {0}};
	struct told told = {.x = {.limit = 100000}};
	struct deep_options o = {.predict = {.switches = -1,
					 .query_seconds = 10,
					 .seconds = 60,
					 .memory = 1u << 30,
					 .jobs = 1,
					 .found = on_found,
					 .ctx = &told},
		.seconds = 60,
		.dir = "deep",
		.jobs = 1};
	struct deep_stats st;
	int c, rc;

	while ((c = getopt_long(argc, argv, "+", opts, NULL)) != -1)
		switch (c) {
		case 'd': o.dir = optarg; break;
		case 's': o.seconds = atof(optarg); break;
		case 'n': told.x.limit = strtoull(optarg, NULL, 10); break;
		default: return 2;
		}
	if (optind == argc) {
		fprintf(stderr, "usage: final_states [--dir DIR] [--seconds N] [--states N] "
				"PROGRAM [ARG ...]\n");
		return 2;
	}
	o.run.exe = argv[optind];
	o.run.argv = argv + optind;
	rc = deep_with(&o, &st, on_model_of, &told);
	if (!rc)
		print(&told, &st);
	deep_stats_release(&st);
	told_release(&told);
	return rc ? 1 : 0;
}
