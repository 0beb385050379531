/*
 * The frontier on disk: what is left of an exploration that was interrupted, as the trails of its
 * states, with what was counted and found so far. A state is found again by executing its trail.
 */
#include "base/diag.h"
#include "explore/exploring.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { VERSION = 1 };

/* the counters that add up over several runs */
#define COUNTERS(X) X(paths) X(incomplete) X(forks) X(switches) X(instructions)

static char *file_name(const struct explore *ex)
{
	char *path;

	if (asprintf(&path, "%s/frontier.json", ex->opt.out) < 0)
		oom_die();
	return path;
}

/* What two runs must have in common for one to go on with the other's states. */
static json_t *settings(const struct explore *ex)
{
	json_t *o = json_object(), *specs = json_array();

	json_object_set_new(o, "identity", json_integer((json_int_t)ex->opt.identity));
	json_object_set_new(o, "access", json_boolean(ex->opt.switches == EXEC_SWITCH_ACCESS));
	json_object_set_new(o, "argv", json_string(ex->settings ? ex->settings : ""));
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

/* Each decision once, as [number of the one before, choice]; returns its number. 0 is the start. */
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

static void put_trails(const struct explore *ex, json_t *o)
{
	struct state *const *s = frontier_list(ex->frontier);
	json_t *nodes = json_array(), *states = json_array();

	for (uint64_t i = 0; i < frontier_count(ex->frontier); i++)
		json_array_append_new(states, json_integer(put_trail(s[i]->trail, nodes)));
	json_object_set_new(o, "decisions", nodes);
	json_object_set_new(o, "states", states);
}

static json_t *text(const char *s)
{
	return s ? json_string(s) : json_null();
}

static json_t *findings(const struct explore *ex)
{
	json_t *all = json_array();

	vec_each (&ex->findings, i) {
		const struct explore_finding *f = &ex->findings.at[i];
		json_t *o = json_object();

		json_object_set_new(o, "kind", text(f->kind));
		json_object_set_new(o, "file", text(f->file));
		json_object_set_new(o, "line", json_integer(f->line));
		json_object_set_new(o, "report", text(f->report));
		json_object_set_new(o, "test", text(f->test));
		json_object_set_new(o, "key", json_integer((json_int_t)f->key));
		json_object_set_new(o, "count", json_integer((json_int_t)f->count));
		json_object_set_new(o, "incomplete", json_boolean(f->incomplete));
		json_array_append_new(all, o);
	}
	return all;
}

static json_t *counters(const struct explore *ex)
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
	json_object_set_new(o, "settings", settings(ex));
	json_object_set_new(o, "counters", counters(ex));
	json_object_set_new(o, "findings", findings(ex));
	put_trails(ex, o);
	if (asprintf(&tmp, "%s.new", path) < 0)
		oom_die();
	r = json_dump_file(o, tmp, JSON_COMPACT);
	if (!r)
		r = rename(tmp, path);
	if (r)
		error_("'%s' cannot be written: %s (what is left cannot be resumed)", path,
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

static uint64_t get_number(const json_t *o, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(o, key));
}

static void read_findings(struct explore *ex, const json_t *all)
{
	size_t i;
	json_t *o;

	json_array_foreach (all, i, o)
		vec_push(&ex->findings,
			(struct explore_finding){.kind = get_text(o, "kind"),
				.file = get_text(o, "file"), .line = (uint32_t)get_number(o, "line"),
				.report = get_text(o, "report"), .test = get_text(o, "test"),
				.key = get_number(o, "key"), .count = get_number(o, "count"),
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

static int read_trails(struct explore *ex, const json_t *nodes, const json_t *states,
	const char *path)
{
	size_t n = json_array_size(nodes) / 2, i;
	struct trail **at = xcalloc(n + 1, sizeof *at);
	json_t *one;
	int r = 0;

	for (i = 0; i < n; i++) {
		uint64_t before = (uint64_t)json_integer_value(json_array_get(nodes, 2 * i));
		uint64_t choice = (uint64_t)json_integer_value(json_array_get(nodes, 2 * i + 1));

		if (before > i || choice > UINT32_MAX)
			break;
		at[i + 1] = trail_add(at[before], (uint32_t)choice);
	}
	json_array_foreach (states, i, one) {
		uint64_t k = (uint64_t)json_integer_value(one);
		struct state *s;

		if (k > n || (k && !at[k])) {
			r = error_("'%s': state %zu is not whole (remove the file and explore anew)", path, i);
			break;
		}
		s = state_new();
		s->trail = trail_keep(at[k]);
		frontier_add(ex->frontier, s);
	}
	for (i = 0; i <= n; i++)
		trail_drop(at[i]);
	free(at);
	return r;
}

int frontier_read(struct explore *ex)
{
	char *path = file_name(ex);
	json_error_t err;
	json_t *o = json_load_file(path, 0, &err), *mine = settings(ex);
	int r = -1;

	if (!o && err.line < 0)
		error_("'%s' cannot be read: %s (nothing to resume: explore without --resume first)",
			path, err.text);
	else if (!o)
		error_("'%s':%d: %s (remove it and explore anew)", path, err.line, err.text);
	else if (get_number(o, "heddle-frontier") != VERSION)
		error_("'%s' is not the frontier of an exploration by this version", path);
	else if (!json_equal(json_object_get(o, "settings"), mine))
		error_("'%s' is of another program, or other inputs (give the same command line as "
		       "before, or explore without --resume)", path);
	else {
		read_counters(ex, json_object_get(o, "counters"));
		read_findings(ex, json_object_get(o, "findings"));
		r = read_trails(ex, json_object_get(o, "decisions"), json_object_get(o, "states"), path);
	}
	json_decref(o);
	json_decref(mine);
	free(path);
	return r;
}
