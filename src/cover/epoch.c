#include "cover/epoch.h"

#include "base/base.h"
#include "base/debug.h"
#include "base/hash.h"
#include "base/map.h"
#include "machine/save.h"
#include "symbolic/summary.h"
#include "world/world.h"

#include <stdlib.h>
#include <string.h>

struct epoch {
	const struct cover_facts *facts;
	struct epoch_options opt;
	struct terms *ts;
	struct ask *ask;
	struct sym sym;
	struct exec_options eo;
	struct exec_result res;
	struct machine *m;
	struct saved *start;
	struct path_run run;
	VEC(struct vec_u32) constraints; /* conjunctions that are not covered yet */
	VEC(struct covered) schedules;
	VEC(struct epoch_end) reached;
	VEC(struct epoch_reason) reasons;
	VEC(struct epoch_failure) failures;
	uint64_t paths;
};

/* ---- places ---------------------------------------------------------------------------------------- */

/* The name of the epoch at the end of the path: a sum, so the order of the threads does not matter. */
static uint64_t name_of(const struct path *p)
{
	uint64_t h = 0;

	vec_each (&p->places, i)
		h += hash_u64(p->places.at[i].context ^ p->places.at[i].waiting);
	return h;
}

/* The index of the epoch at the end of the path among those that were reached; adds it if it is new. */
static int note_reached(struct epoch *e, const struct path *p)
{
	struct epoch_end end = {.name = name_of(p)};

	vec_each (&e->reached, i)
		if (e->reached.at[i].name == end.name)
			return (int)i;
	vec_each (&p->places, i)
		vec_push(&end.places, p->places.at[i]);
	vec_push(&e->reached, end);
	return (int)e->reached.n - 1;
}

/* ---- the initial state ------------------------------------------------------------------------------ */

static int make_machine(struct epoch *e)
{
	struct world_options world;
	char **argv, **envp;
	int argc;

	if (inputs_arguments(
		    e->opt.inputs, e->opt.argc, e->opt.argv, e->opt.envp, &argc, &argv, &envp))
		return -1;
	e->eo.envp = envp;
	e->m = machine_new(e->facts->p, argc, argv, &e->eo, &e->res);
	if (!e->m)
		return -1;
	sym_attach(e->m, &e->sym, e->ts);
	world = inputs_world(e->opt.inputs);
	world_attach(e->m, world_new(&world));
	inputs_install(e->opt.inputs, e->m);
	summaries_install(e->m);
	e->m->slow = true;
	return 0;
}

struct epoch *epoch_new(const struct cover_facts *facts, const struct epoch_options *opt)
{
	struct epoch *e = xcalloc(1, sizeof *e);
	struct ask_options ao = {.seconds = opt->solver_seconds};

	e->facts = facts;
	e->opt = *opt;
	e->ts = terms_new();
	e->ask = ask_new(e->ts, &ao);
	e->sym = (struct sym){.ask = e->ask, .ops = &path_sym_ops, .ctx = &e->run};
	e->eo = (struct exec_options){.stubs = opt->stubs, .nstubs = opt->nstubs};
	path_hooks(&e->eo, &e->run);
	e->run.facts = facts;
	e->run.limits = &e->opt.limits;
	if (make_machine(e)) {
		epoch_free(e);
		return NULL;
	}
	e->run.m = e->m;
	e->start = machine_save(e->m);
	return e;
}

/* ---- the search --------------------------------------------------------------------------------------- */

static void add_reason(struct epoch *e, const char *why)
{
	vec_each (&e->reasons, i)
		if (!strcmp(e->reasons.at[i].why, why)) {
			e->reasons.at[i].paths++;
			return;
		}
	vec_push(&e->reasons, (struct epoch_reason){xstrdup(why), 1});
}

static struct vec_u32 extend(const struct vec_u32 *c, term_t t)
{
	struct vec_u32 n = {0};

	vec_each (c, i)
		vec_push(&n, c->at[i]);
	vec_push(&n, t.id);
	return n;
}

/* Executes one path under the constraint; false if the constraint contradicts the initial state. */
static bool run_path(struct epoch *e, const struct vec_u32 *constraint, struct path *path)
{
	machine_restore(e->m, e->start);
	vec_each (constraint, i)
		if (!sym_assume(e->m, (term_t){constraint->at[i]}))
			return false;
	path_execute(&e->run, path);
	vec_each (&path->why, i)
		add_reason(e, path->why.at[i]);
	return true;
}

static bool has_schedule(const struct path *p)
{
	return p->end != PATH_INFEASIBLE && p->end != PATH_STOPPED;
}

/* The constraints of the inputs that leave the path at one of its conditions. */
static void add_alternatives(struct epoch *e, const struct vec_u32 *constraint,
	const struct slice *s, struct vec_u32 *when)
{
	vec_each (constraint, i)
		vec_push(when, constraint->at[i]);
	vec_each (&s->conditions, i) {
		term_t b = s->conditions.at[i];
		enum ask_answer may =
			ask_may(e->ask, (const term_t *)when->at, when->n, term_not(e->ts, b));

		if (may != ASK_NO)
			vec_push(&e->constraints, extend(when, term_not(e->ts, b)));
		vec_push(when, b.id);
	}
}

/* Adds the constraint to the schedule, or the schedule to the set. */
static void add_schedule(struct epoch *e, struct schedule *s, struct vec_u32 when, int next)
{
	struct covered *c;

	vec_each (&e->schedules, i)
		if (schedule_same(e->schedules.at[i].schedule, s) &&
			e->schedules.at[i].next == next) {
			schedule_free(s);
			vec_push(&e->schedules.at[i].when, when);
			e->schedules.at[i].paths++;
			return;
		}
	c = vec_add(&e->schedules);
	c->schedule = s;
	c->paths = 1;
	c->next = next;
	vec_push(&c->when, when);
}

/* The inputs of the path that ended; NULL if the solver gave none. */
static struct testcase *example_of(struct epoch *e)
{
	struct testcase tc = {0}, *copy = NULL;
	struct term_assign model;

	term_assign_init(&model, e->ts);
	if (ask_model(e->ask, e->sym.path.at, e->sym.path.n, &model) == ASK_YES) {
		inputs_take(e->opt.inputs, e->m, &model, &tc);
		copy = testcase_copy(&tc);
		testcase_release(&tc);
	}
	term_assign_release(&model);
	return copy;
}

static void note_failure(struct epoch *e, enum path_end end)
{
	const char *report = e->res.report.s ? e->res.report.s : "";

	vec_each (&e->failures, i)
		if (!strcmp(e->failures.at[i].report, report)) {
			e->failures.at[i].paths++;
			return;
		}
	vec_push(&e->failures, (struct epoch_failure){end, xstrdup(report), example_of(e), 1});
}

static void cover_one(struct epoch *e, const struct vec_u32 *constraint)
{
	struct path path = {0};
	struct slice slice = {0};
	struct vec_u32 when = {0};

	e->paths++;
	if (run_path(e, constraint, &path)) {
		if (path.end == PATH_FAULT || path.end == PATH_DEADLOCK)
			note_failure(e, path.end);
		slice_compute(e->facts, &path, &slice);
		add_alternatives(e, constraint, &slice, &when);
		LOG(cover, "path %llu: %u steps, %u in the slice, %u conditions of %u",
			(unsigned long long)e->paths, path.steps.n, slice.nsteps,
			slice.conditions.n, path.decisions.n);
		if (has_schedule(&path))
			add_schedule(e, schedule_make(&path), when,
				path.end == PATH_EPOCH ? note_reached(e, &path) : -1);
		else
			vec_release(&when);
		slice_release(&slice);
	}
	path_release(&path);
}

/* Schedules of runs that end early are prefixes of others (4.1.1). */
static void merge_prefixes(struct epoch *e)
{
	for (uint32_t i = 0; i < e->schedules.n; i++) {
		struct covered *a = &e->schedules.at[i];

		if (a->schedule->end != PATH_EXIT && a->schedule->end != PATH_FAULT)
			continue;
		for (uint32_t k = 0; k < e->schedules.n; k++) {
			struct covered *b = &e->schedules.at[k];

			if (k == i || !schedule_is_prefix(a->schedule, b->schedule))
				continue;
			vec_each (&a->when, w)
				vec_push(&b->when, a->when.at[w]);
			b->paths += a->paths;
			vec_release(&a->when);
			schedule_free(a->schedule);
			e->schedules.at[i--] = e->schedules.at[--e->schedules.n];
			break;
		}
	}
}

struct schedule *epoch_run(struct epoch *e, const term_t *constraint, uint32_t n)
{
	struct vec_u32 c = {0};
	struct path path = {0};
	struct schedule *s = NULL;

	for (uint32_t i = 0; i < n; i++)
		vec_push(&c, constraint[i].id);
	if (run_path(e, &c, &path) && has_schedule(&path))
		s = schedule_make(&path);
	vec_release(&c);
	path_release(&path);
	return s;
}

int epoch_search(struct epoch *e)
{
	vec_push(&e->constraints, (struct vec_u32){0});
	while (e->constraints.n) {
		struct vec_u32 c = vec_pop(&e->constraints);

		if (e->opt.max_paths && e->paths >= e->opt.max_paths) {
			add_reason(e, "the limit of paths was reached (--max-paths)");
			vec_push(&e->constraints, c);
			break;
		}
		cover_one(e, &c);
		vec_release(&c);
		if (e->run.cut)
			break;
	}
	if (!e->opt.no_prefixes)
		merge_prefixes(e);
	return e->constraints.n || e->reasons.n ? -1 : 0;
}

/* ---- results ------------------------------------------------------------------------------------------ */

const struct covered *epoch_schedules(const struct epoch *e, uint32_t *n)
{
	*n = e->schedules.n;
	return e->schedules.at;
}

const struct epoch_end *epoch_reached(const struct epoch *e, uint32_t *n)
{
	*n = e->reached.n;
	return e->reached.at;
}

const struct epoch_reason *epoch_reasons(const struct epoch *e, uint32_t *n)
{
	*n = e->reasons.n;
	return e->reasons.at;
}

const struct epoch_failure *epoch_failures(const struct epoch *e, uint32_t *n)
{
	*n = e->failures.n;
	return e->failures.at;
}

struct terms *epoch_terms(const struct epoch *e)
{
	return e->ts;
}

uint64_t epoch_paths(const struct epoch *e)
{
	return e->paths;
}

static void release_lists(struct epoch *e)
{
	vec_each (&e->constraints, i)
		vec_release(&e->constraints.at[i]);
	vec_each (&e->schedules, i) {
		vec_each (&e->schedules.at[i].when, k)
			vec_release(&e->schedules.at[i].when.at[k]);
		vec_release(&e->schedules.at[i].when);
		schedule_free(e->schedules.at[i].schedule);
	}
	vec_each (&e->reached, i)
		vec_release(&e->reached.at[i].places);
	vec_each (&e->reasons, i)
		free(e->reasons.at[i].why);
	vec_each (&e->failures, i) {
		free(e->failures.at[i].report);
		testcase_free(e->failures.at[i].tc);
	}
	vec_release(&e->failures);
	vec_release(&e->constraints);
	vec_release(&e->schedules);
	vec_release(&e->reached);
	vec_release(&e->reasons);
}

void epoch_free(struct epoch *e)
{
	release_lists(e);
	if (e->start)
		saved_free(e->start);
	if (e->m) {
		world_free(e->m->world);
		machine_free(e->m);
	}
	map_release(&e->run.frames);
	vec_release(&e->run.threads);
	map_release(&e->sym.bases);
	vec_release(&e->sym.path);
	vec_release(&e->sym.switches);
	exec_result_release(&e->res);
	ask_free(e->ask);
	terms_free(e->ts);
	free(e);
}
