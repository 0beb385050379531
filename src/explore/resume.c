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

/* ---- writing -------------------------------------------------------------------------------------------- */

static json_t *trails(const struct explore *ex)
{
	struct state *const *s = frontier_list(ex->frontier);
	json_t *all = json_array();
	struct vec_u32 list = {0};

	for (uint64_t i = 0; i < frontier_count(ex->frontier); i++) {
		json_t *one = json_array();

		vec_clear(&list);
		trail_list(s[i]->trail, &list);
		vec_each (&list, k)
			json_array_append_new(one, json_integer(list.at[k]));
		json_array_append_new(all, one);
	}
	vec_release(&list);
	return all;
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
	json_object_set_new(o, "frontier", trails(ex));
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

/* ---- reading -------------------------------------------------------------------------------------------- */

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

static int read_trails(struct explore *ex, const json_t *all, const char *path)
{
	size_t i, k;
	json_t *one, *choice;

	json_array_foreach (all, i, one) {
		struct state *s = state_new();

		json_array_foreach (one, k, choice) {
			struct trail *t;

			if (!json_is_integer(choice)) {
				error_("'%s': choice %zu of state %zu is no number (remove the file and "
				       "explore anew)", path, k, i);
				state_free(s);
				return -1;
			}
			t = trail_add(s->trail, (uint32_t)json_integer_value(choice));
			trail_drop(s->trail);
			s->trail = t;
		}
		frontier_add(ex->frontier, s);
	}
	return 0;
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
		r = read_trails(ex, json_object_get(o, "frontier"), path);
	}
	json_decref(o);
	json_decref(mine);
	free(path);
	return r;
}
