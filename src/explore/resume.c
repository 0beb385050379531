/*
 * The frontier on disk: the trails of the states that an interrupted exploration has left, and its
 * counters, findings and coverage. Execution of its trail reaches a state again. Sleep sets
 * (reduce.h) contain addresses, which are the same only in the same environment: with another
 * environment they are not used, and more orders than necessary are explored.
 */
#include "base/base.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/strbuf.h"
#include "base/map.h"
#include "base/vec.h"
#include "explore/assumption.h"
#include "explore/explore_internal.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { VERSION = 2 };

/* the counters that are summed over several runs */
#define COUNTERS(X) X(paths) X(incomplete) X(forks) X(switches) X(instructions) X(undecided) X(assumed) X(met)

static char *file_name(const struct explore *ex)
{
	char *path;

	if (asprintf(&path, "%s/frontier.json", ex->opt.out) < 0)
		oom_die();
	return path;
}

/* The settings that must be equal for one run to continue with the states of another. */
static json_t *put_settings(const struct explore *ex)
{
	json_t *o = json_object(), *specs = json_array(), *stubs = json_array(),
	       *assume = json_array();

	json_object_set_new(o, "identity", json_integer((json_int_t)ex->opt.identity));
	json_object_set_new(o, "access", json_boolean(ex->opt.switches == EXEC_SWITCH_ACCESS));
	json_object_set_new(o, "argv", json_string(ex->settings ? ex->settings : ""));
	json_object_set_new(o, "summaries", json_boolean(!ex->opt.no_summaries));
	json_object_set_new(o, "spurious", json_boolean(ex->opt.spurious));
	json_object_set_new(o, "from", json_string(ex->opt.places ? ex->opt.places : ""));
	for (uint32_t i = 0; ex->opt.assume && i < ex->opt.assume->at.n; i++)
		json_array_append_new(assume, json_string(ex->opt.assume->at.at[i].text));
	json_object_set_new(o, "assume", assume);
	for (uint32_t i = 0; i < ex->opt.nstubs; i++) {
		json_array_append_new(stubs, json_string(ex->opt.stubs[i].name));
		json_array_append_new(stubs, json_integer(ex->opt.stubs[i].value));
	}
	json_object_set_new(o, "stubs", stubs);
	json_object_set_new(o, "inputs", specs);
	vec_each (&ex->opt.inputs->specs, i) {
		const struct input_spec *s = &ex->opt.inputs->specs.at[i];
		json_t *one = json_array();

		json_array_append_new(one, json_integer(s->kind));
		json_array_append_new(one, json_integer(s->index));
		json_array_append_new(one, json_string(s->name ? s->name : ""));
		json_array_append_new(one, json_integer((json_int_t)s->min));
		json_array_append_new(one, json_integer((json_int_t)s->max));
		json_array_append_new(specs, one);
	}
	return o;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Adds the decisions of a trail that are not in nodes yet, as [number of the one before, choice].
 * Returns the number of the last; 0 is the start. */
static uint32_t put_trail(struct trail *t, json_t *nodes)
{
	VEC(struct trail *) way = {0};
	uint32_t before = 0;

	for (; t && !t->number; t = t->before)
		vec_push(&way, t);
	before = t ? t->number : 0;
	while (way.n) {
		t = vec_pop(&way);
		json_array_append_new(nodes, json_integer(before));
		json_array_append_new(nodes, json_integer(t->choice));
		before = t->number = (uint32_t)(json_array_size(nodes) / 2);
	}
	vec_release(&way);
	return before;
}

static json_t *put_pending(const struct pending *p)
{
	return json_pack("[i,i,b,b,b,I,I,I,I]", (int)p->thread, (int)p->kind, p->write, p->atomic,
		p->blocks, (json_int_t)p->n, (json_int_t)p->addr, (json_int_t)p->func,
		(json_int_t)p->insn);
}

static json_t *put_sleep(const struct sleep *s)
{
	json_t *at = json_array(), *spins = json_array();

	vec_each (&s->at, i)
		json_array_append_new(at, put_pending(&s->at.at[i]));
	vec_each (&s->spins, i) {
		const struct spin *w = &s->spins.at[i];

		json_array_append_new(spins, json_pack("[i,i,I,I]", (int)w->thread, (int)w->n,
						     (json_int_t)w->addr, (json_int_t)w->value));
	}
	return json_pack("[o,o]", at, spins);
}

/* Adds s to the array if it is not there yet; returns its number, from 1; 0 for none. */
static uint32_t put_omitted(struct omitted *s, json_t *nodes, json_t *omitted)
{
	json_t *others;

	if (!s || !s->others.n)
		return 0;
	if (s->number)
		return s->number;
	others = json_array();
	vec_each (&s->others, i)
		json_array_append_new(others, put_pending(&s->others.at[i]));
	json_array_append_new(
		omitted, json_pack("[I,i,o,o]", (json_int_t)put_trail(s->trail, nodes), (int)s->why,
				 put_sleep(&s->sleep), others));
	return s->number = (uint32_t)json_array_size(omitted);
}

/* A state is the number of its trail, or [trail, sleep set, omitted choices]. */
static json_t *put_state(const struct state *s, json_t *nodes, json_t *omitted)
{
	json_int_t trail = put_trail(s->trail, nodes);

	if (!s->sleep.at.n && !s->sleep.spins.n && !s->omitted)
		return json_integer(trail);
	return json_pack("[I,o,I]", trail, put_sleep(&s->sleep),
		(json_int_t)put_omitted(s->omitted, nodes, omitted));
}

static void put_states(const struct explore *ex, json_t *o)
{
	struct state *const *s = frontier_list(ex->frontier);
	json_t *nodes = json_array(), *states = json_array(), *omitted = json_array();

	for (uint64_t i = 0; i < frontier_count(ex->frontier); i++)
		json_array_append_new(states, put_state(s[i], nodes, omitted));
	json_object_set_new(o, "decisions", nodes);
	json_object_set_new(o, "spares", omitted);
	json_object_set_new(o, "states", states);
}

static json_t *put_reasons(const struct explore *ex)
{
	json_t *all = json_array();

	vec_each (&ex->reasons, i)
		json_array_append_new(all, json_pack("[s,I]", ex->reasons.at[i].why,
						   (json_int_t)ex->reasons.at[i].count));
	return all;
}

static json_t *put_races(const struct explore *ex)
{
	json_t *all = json_array();

	map_each (&ex->races, i)
		json_array_append_new(all, json_integer((json_int_t)ex->races.slots[i].key));
	return all;
}

/* For each function with marks: its number, and the indices of its marks. */
static json_t *put_covered(const struct explore *ex)
{
	uint8_t **marks = coverage_marks(ex->cov)->marks;
	json_t *all = json_array();

	vec_each (&ex->p->funcs, f) {
		json_t *one = json_array();

		for (uint32_t k = 0; marks[f] && k <= ex->p->funcs.at[f].edges.n; k++)
			if (marks[f][k])
				json_array_append_new(one, json_integer(k));
		if (json_array_size(one))
			json_array_append_new(all, json_pack("[i,O]", (int)f, one));
		json_decref(one);
	}
	return all;
}

static json_t *put_text(const char *s)
{
	return s ? json_string(s) : json_null();
}

static json_t *testcase_json(const struct testcase *tc)
{
	struct strbuf b = {0};
	json_t *o = NULL;

	if (tc) {
		testcase_to_json(tc, &b);
		o = json_loadb(b.s, b.n, 0, NULL);
		strbuf_release(&b);
	}
	return o ? o : json_null();
}

static json_t *put_findings(const struct explore *ex)
{
	json_t *all = json_array();

	vec_each (&ex->findings, i) {
		const struct explore_finding *f = &ex->findings.at[i];
		json_t *o = json_object();

		json_object_set_new(o, "kind", put_text(fault_words[f->fault].word));
		json_object_set_new(o, "file", put_text(f->file));
		json_object_set_new(o, "line", json_integer(f->line));
		json_object_set_new(o, "report", put_text(f->report));
		json_object_set_new(o, "test", put_text(f->test));
		json_object_set_new(o, "testcase", testcase_json(f->tc));
		json_object_set_new(o, "key", json_integer((json_int_t)f->key));
		json_object_set_new(o, "count", json_integer((json_int_t)f->count));
		json_object_set_new(o, "incomplete", json_boolean(f->incomplete));
		json_array_append_new(all, o);
	}
	return all;
}

static json_t *put_counters(const struct explore *ex)
{
	json_t *o = json_object(), *ends = json_array();

#define X(name) json_object_set_new(o, #name, json_integer((json_int_t)ex->stats.name));
	COUNTERS(X)
#undef X
	for (int i = 0; i < EXPLORE_N_ENDS; i++)
		json_array_append_new(ends, json_integer((json_int_t)ex->stats.ends[i]));
	json_object_set_new(o, "ends", ends);
	return o;
}

/* The checksum of everything in the file but itself. */
static json_int_t check_of(const json_t *o)
{
	char *s = json_dumps(o, JSON_COMPACT | JSON_SORT_KEYS);
	uint64_t h = s ? hash_bytes(s, strlen(s)) : 0;

	free(s);
	return (json_int_t)h;
}

int frontier_write(struct explore *ex)
{
	char *path, *tmp;
	json_t *o;
	int r;

	if (!ex->opt.out)
		return 0;
	path = file_name(ex);
	if (!frontier_count(ex->frontier)) {
		unlink(path);
		free(path);
		return 0;
	}
	o = json_object();
	json_object_set_new(o, "heddle-frontier", json_integer(VERSION));
	json_object_set_new(o, "settings", put_settings(ex));
	json_object_set_new(o, "counters", put_counters(ex));
	json_object_set_new(o, "findings", put_findings(ex));
	json_object_set_new(o, "reasons", put_reasons(ex));
	json_object_set_new(o, "bounded", json_boolean(ex->bounded));
	json_object_set_new(o, "races", put_races(ex));
	json_object_set_new(o, "lent", testcase_put_lent(&ex->lent));
	json_object_set_new(o, "covered", put_covered(ex));
	json_object_set_new(o, "environment", json_integer((json_int_t)ex->environment));
	put_states(ex, o);
	json_object_set_new(o, "check", json_integer(check_of(o)));
	if (asprintf(&tmp, "%s.new", path) < 0)
		oom_die();
	r = json_dump_file(o, tmp, JSON_COMPACT);
	if (!r)
		r = rename(tmp, path);
	if (r)
		error_("cannot write '%s': %s (the exploration cannot be resumed)", path,
			strerror(errno));
	json_decref(o);
	free(tmp);
	free(path);
	return r ? -1 : 0;
}

/* ---- reading --------------------------------------------------------------------------------- */

static char *get_text(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? xstrdup(s) : NULL;
}

static struct testcase *get_testcase(const json_t *o)
{
	char *s = json_dumps(json_object_get(o, "testcase"), 0);
	struct testcase *tc = s ? xcalloc(1, sizeof *tc) : NULL;

	if (tc && testcase_from_json(tc, s, strlen(s), "frontier.json")) {
		free(tc);
		tc = NULL;
	}
	free(s);
	return tc;
}

static enum fault get_fault(const json_t *o)
{
	const char *word = json_string_value(json_object_get(o, "kind"));

	return word ? fault_by_word(word) : FAULT_NONE;
}

static uint64_t get_number(const json_t *o, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(o, key));
}

static uint64_t number_at(const json_t *array, size_t i)
{
	return (uint64_t)json_integer_value(json_array_get(array, i));
}

static void read_findings(struct explore *ex, const json_t *all)
{
	size_t i;
	json_t *o;

	json_array_foreach(all, i, o) vec_push(&ex->findings,
		(struct explore_finding){.fault = get_fault(o),
			.file = get_text(o, "file"),
			.line = (uint32_t)get_number(o, "line"),
			.report = get_text(o, "report"),
			.test = get_text(o, "test"),
			.tc = get_testcase(o),
			.key = get_number(o, "key"),
			.count = get_number(o, "count"),
			.incomplete = json_is_true(json_object_get(o, "incomplete"))});
}

static void read_counters(struct explore *ex, const json_t *o)
{
	const json_t *ends = json_object_get(o, "ends");

#define X(name) ex->stats.name = get_number(o, #name);
	COUNTERS(X)
#undef X
	for (size_t i = 0; i < EXPLORE_N_ENDS; i++)
		ex->stats.ends[i] = (uint64_t)json_integer_value(json_array_get(ends, i));
}

static void read_races(struct explore *ex, const json_t *all)
{
	for (size_t i = 0; i < json_array_size(all); i++)
		*map_put(&ex->races, number_at(all, i)) = 1;
}

static void read_reasons(struct explore *ex, const json_t *all)
{
	size_t i;
	json_t *o;

	json_array_foreach(all, i, o)
	{
		const char *why = json_string_value(json_array_get(o, 0));

		if (why)
			vec_push(&ex->reasons,
				(struct explore_reason){xstrdup(why), number_at(o, 1)});
	}
}

static void read_covered(struct explore *ex, const json_t *all)
{
	uint8_t **marks = coverage_marks(ex->cov)->marks;
	size_t i, k;
	json_t *o, *mark;

	json_array_foreach(all, i, o)
	{
		uint64_t f = number_at(o, 0);

		json_array_foreach(json_array_get(o, 1), k, mark)
		{
			uint64_t at = (uint64_t)json_integer_value(mark);

			if (f < ex->p->funcs.n && marks[f] && at <= ex->p->funcs.at[f].edges.n)
				marks[f][at] = 1;
		}
	}
}

static struct pending get_pending(const json_t *o)
{
	return (struct pending){.thread = (uint32_t)number_at(o, 0),
		.kind = (uint8_t)number_at(o, 1),
		.write = json_is_true(json_array_get(o, 2)),
		.atomic = json_is_true(json_array_get(o, 3)),
		.blocks = json_is_true(json_array_get(o, 4)),
		.n = (uint32_t)number_at(o, 5),
		.addr = number_at(o, 6),
		.func = (uint32_t)number_at(o, 7),
		.insn = (uint32_t)number_at(o, 8)};
}

static void get_sleep(struct sleep *s, const json_t *o)
{
	size_t i;
	json_t *one;

	json_array_foreach(json_array_get(o, 0), i, one) vec_push(&s->at, get_pending(one));
	json_array_foreach(json_array_get(o, 1), i, one) vec_push(
		&s->spins, (struct spin){(uint32_t)number_at(one, 0), (uint32_t)number_at(one, 1),
				   number_at(one, 2), number_at(one, 3)});
}

/* Trails and omitted choices of a file, by number; trails[0] is the start, omitted[0] is NULL. */
struct found {
	struct trail **trails;
	struct omitted **omitted;
	size_t ntrails, nomitted;
	bool same; /* the environment is the same, and so are addresses */
};

static void read_trails(struct found *f, const json_t *nodes)
{
	size_t n = json_array_size(nodes) / 2;

	f->trails = xcalloc(n + 1, sizeof *f->trails);
	for (f->ntrails = 1; f->ntrails <= n; f->ntrails++) {
		uint64_t before = number_at(nodes, 2 * f->ntrails - 2);
		uint64_t choice = number_at(nodes, 2 * f->ntrails - 1);

		if (before >= f->ntrails || choice > UINT32_MAX)
			break;
		f->trails[f->ntrails] = trail_add(f->trails[before], (uint32_t)choice);
	}
}

static void read_omitted(struct found *f, const json_t *all)
{
	size_t i, k;
	json_t *o, *other;

	f->omitted = xcalloc(json_array_size(all) + 1, sizeof *f->omitted);
	f->nomitted = json_array_size(all) + 1;
	json_array_foreach(all, i, o)
	{
		struct omitted *s = f->omitted[i + 1] = xcalloc(1, sizeof *s);
		uint64_t trail = number_at(o, 0);

		s->refs = 1;
		s->trail = trail < f->ntrails ? trail_keep(f->trails[trail]) : NULL;
		s->why = (enum exec_pick)number_at(o, 1);
		if (f->same)
			get_sleep(&s->sleep, json_array_get(o, 2));
		json_array_foreach(json_array_get(o, 3), k, other)
			vec_push(&s->others, get_pending(other));
	}
}

static struct state *get_state(const struct found *f, const json_t *o)
{
	uint64_t trail = json_is_array(o) ? number_at(o, 0) : (uint64_t)json_integer_value(o);
	uint64_t omitted = json_is_array(o) ? number_at(o, 2) : 0;
	struct state *s;

	if (trail >= f->ntrails || omitted >= f->nomitted)
		return NULL;
	s = state_new();
	s->trail = trail_keep(f->trails[trail]);
	s->omitted = omitted_keep(f->omitted[omitted]);
	if (f->same && json_is_array(o))
		get_sleep(&s->sleep, json_array_get(o, 1));
	return s;
}

static int read_states(struct explore *ex, const json_t *o, const char *path)
{
	struct found f = {.same = get_number(o, "environment") == ex->environment};
	json_t *one;
	size_t i;
	int r = 0;

	read_trails(&f, json_object_get(o, "decisions"));
	read_omitted(&f, json_object_get(o, "spares"));
	json_array_foreach(json_object_get(o, "states"), i, one)
	{
		struct state *s = get_state(&f, one);

		if (!s) {
			r = error_(
				"'%s': state %zu is incomplete (remove the file and start again)",
				path, i);
			break;
		}
		frontier_add(ex->frontier, s);
	}
	for (i = 0; i < f.ntrails; i++)
		trail_drop(f.trails[i]);
	for (i = 0; i < f.nomitted; i++)
		omitted_drop(f.omitted[i]);
	free(f.trails);
	free(f.omitted);
	return r;
}

/* The contents of the file; NULL after error_(). */
static json_t *load_file(const char *path)
{
	struct strbuf b = {0};
	json_error_t err;
	json_t *o = NULL;

	if (access(path, F_OK)) {
		error_("cannot read '%s': %s (nothing to resume: explore without --resume first)",
			path, strerror(errno));
		return NULL;
	}
	if (!file_read(&b, path)) {
		o = json_loadb(b.s ? b.s : "", b.n, JSON_REJECT_DUPLICATES, &err);
		if (!o)
			error_("'%s':%d: %s (remove it and start again)", path, err.line, err.text);
	}
	strbuf_release(&b);
	return o;
}

/* Whether the file is as it was written. A state that is missing would make the exploration claim
 * more than it explored. */
static bool is_as_written(json_t *o)
{
	json_int_t check = json_integer_value(json_object_get(o, "check"));

	return !json_object_del(o, "check") && check_of(o) == check;
}

int frontier_read(struct explore *ex)
{
	char *path = file_name(ex);
	json_t *o = load_file(path), *mine = put_settings(ex);
	int r = -1;

	if (!o)
		(void)0; /* load_file() has reported it */
	else if (get_number(o, "heddle-frontier") != VERSION)
		error_("'%s' was not written by an exploration of this version (remove it and "
		       "start "
		       "again)",
			path);
	else if (!is_as_written(o))
		error_("'%s' is damaged: it is not as heddle wrote it (remove it and start again)",
			path);
	else if (!json_equal(json_object_get(o, "settings"), mine))
		error_("'%s' belongs to another program or other inputs (give the same command "
		       "line as before, or explore without --resume)",
			path);
	else {
		read_counters(ex, json_object_get(o, "counters"));
		read_findings(ex, json_object_get(o, "findings"));
		read_reasons(ex, json_object_get(o, "reasons"));
		ex->bounded = json_is_true(json_object_get(o, "bounded"));
		read_races(ex, json_object_get(o, "races"));
		testcase_get_lent(json_object_get(o, "lent"), &ex->lent);
		read_covered(ex, json_object_get(o, "covered"));
		r = read_states(ex, o, path);
	}
	json_decref(o);
	json_decref(mine);
	free(path);
	return r;
}
