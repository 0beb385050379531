/* The summary of a trace as one JSON object; docs/trace.md lists its members. */
#include "base/base.h"
#include "finding/json.h"
#include "view/count.h"

#include <stdio.h>
#include <sys/wait.h>

static void put_text(struct json *j, const char *key, struct strbuf *b)
{
	json_str(j, key, b->n ? b->s : "");
	strbuf_clear(b);
}

static void put_threads_of(struct json *j, struct view *v, const struct bitset *threads)
{
	json_array(j, "threads");
	bitset_each (threads, t)
		json_u64(j, NULL, view_thread_id(v, t));
	json_end(j);
}

static void put_run(struct json *j, struct view *v)
{
	const struct store_meta *m = trace_meta(v->t);
	struct strbuf b = {0};

	json_str(j, "program", m->exe);
	json_array(j, "arguments");
	vec_each (&m->argv, i)
		json_str(j, NULL, m->argv.at[i]);
	json_end(j);
	json_u64(j, "started", m->started);
	json_double(j, "seconds", trace_time(v->t, m->tsc_end));
	view_fate(&b, v);
	put_text(j, "end", &b);
	if (m->complete && WIFSIGNALED(m->status))
		json_i64(j, "signal", WTERMSIG(m->status));
	else if (m->complete)
		json_i64(j, "status", WEXITSTATUS(m->status));
	json_array(j, "excluded");
	vec_each (&m->exclude, i)
		json_str(j, NULL, m->exclude.at[i]);
	json_end(j);
	if (trace_gap(v->t))
		json_str(j, "incomplete", trace_gap(v->t));
	json_u64(j, "forks", m->forks);
	json_u64(j, "lost_threads", m->lost);
	json_u64(j, "dropped", m->dropped);
	strbuf_release(&b);
}

static void put_threads(struct json *j, struct counts *c)
{
	static const char *const kinds[] = {"main", "created", "foreign", "signal"};
	struct strbuf b = {0};

	json_array(j, "threads");
	for (uint32_t t = 0; t < trace_nthreads(c->v->t); t++) {
		const struct trace_thread *th = trace_thread(c->v->t, t);
		bool ok;

		json_object(j, NULL);
		json_u64(j, "id", th->id);
		json_str(j, "kind", th->kind < ARRAY_SIZE(kinds) ? kinds[th->kind] : "?");
		view_thread_name(&b, c->v, t);
		put_text(j, "name", &b);
		if (th->parent != LOG_NONE)
			json_u64(j, "parent", th->parent);
		json_u64(j, "events", c->threads[t].all);
		json_u64(j, "instructions", th->result.instructions);
		json_u64(j, "bytes", th->bytes);
		ok = view_thread_fate(&b, c->v, t);
		json_bool(j, "reproduced", ok);
		json_bool(j, "ended", th->result.status == FOLLOW_DONE);
		put_text(j, "fate", &b);
		json_end(j);
	}
	json_end(j);
	strbuf_release(&b);
}

static void put_locations(struct json *j, struct counts *c)
{
	struct strbuf b = {0};

	json_u64(j, "shared_locations", c->locations.at.n);
	json_array(j, "locations");
	vec_each (&c->groups, i) {
		const struct location_group *g = &c->groups.at[i];
		const struct location *l = &c->locations.at.at[g->first];

		json_object(j, NULL);
		json_str(j, "name", g->name);
		view_object(&b, c->v, l->addr, l->gen);
		put_text(j, "object", &b);
		json_addr(j, "address", l->addr);
		json_u64(j, "size", l->size);
		json_u64(j, "locations", g->n);
		json_u64(j, "reads", g->reads);
		json_u64(j, "writes", g->writes);
		json_bool(j, "atomic", g->atomic && !g->plain);
		put_threads_of(j, c->v, &g->threads);
		counts_locks(&b, c, g->locks);
		put_text(j, "locks", &b);
		json_u64(j, "unlocked", g->unlocked);
		json_end(j);
	}
	json_end(j);
	strbuf_release(&b);
}

static void put_objects(struct json *j, struct counts *c)
{
	struct strbuf b = {0};

	json_array(j, "objects");
	vec_each (&c->objects, i) {
		const struct sync_object *o = &c->objects.at[i];
		const struct sync_event *e = &c->v->c.h.threads.at[o->thread].events.at[o->event];

		json_object(j, NULL);
		counts_object_name(&b, c, o);
		put_text(j, "name", &b);
		json_str(j, "kind", check_primitive_names[o->what]);
		json_addr(j, "address", o->addr);
		names_place(&b, c->v->p, e->func, e->insn);
		put_text(j, "place", &b);
		json_u64(j, "operations", o->ops);
		json_u64(j, "acquired", o->acquired);
		json_u64(j, "waited", o->waited);
		json_u64(j, "handed_over", o->handed_over);
		json_u64(j, "failed", o->failed);
		put_threads_of(j, c->v, &o->threads);
		json_end(j);
	}
	json_end(j);
	strbuf_release(&b);
}

static void put_check(struct json *j, struct counts *c)
{
	static const char *const kinds[] = {"violation", "misuse", "unexplained"};
	const struct check *ch = &c->v->check;
	struct strbuf b = {0};

	json_object(j, "check");
	json_object(j, "checked");
	for (int i = 0; i < CHECK_NPRIMITIVES; i++)
		json_u64(j, check_primitive_names[i], ch->checked[i]);
	json_end(j);
	json_object(j, "unsure");
	for (int i = 0; i < CHECK_NPRIMITIVES; i++)
		json_u64(j, check_primitive_names[i], ch->unsure[i]);
	json_end(j);
	json_u64(j, "violations", ch->count[CHECK_VIOLATION]);
	json_u64(j, "misuses", ch->count[CHECK_MISUSE]);
	json_u64(j, "unexplained", ch->count[CHECK_UNEXPLAINED]);
	json_u64(j, "spurious", ch->spurious);
	json_u64(j, "timeouts", ch->timeouts);
	json_array(j, "findings");
	vec_each (&ch->findings, i) {
		json_object(j, NULL);
		json_str(j, "kind", kinds[ch->findings.at[i].kind]);
		view_finding(&b, c->v, &ch->findings.at[i]);
		put_text(j, "text", &b);
		json_end(j);
	}
	json_end(j);
	json_end(j);
	strbuf_release(&b);
}

void summary_json(struct counts *c)
{
	static const char *const sorts[] = {"unknown", "excluded"};
	struct strbuf out = {0};
	struct json j = {.out = &out};

	json_object(&j, NULL);
	put_run(&j, c->v);
	put_threads(&j, c);
	json_object(&j, "events");
	for (uint32_t k = 0; k < FOLLOW_NKINDS; k++)
		if (k != FOLLOW_LOCAL && c->events[k])
			json_u64(&j, event_kind_name(k), c->events[k]);
	json_end(&j);
	json_u64(&j, "loads", trace_plan(c->v->t)->nloads);
	json_u64(&j, "loads_logged", trace_plan(c->v->t)->nlogged);
	put_locations(&j, c);
	put_objects(&j, c);
	json_array(&j, "calls");
	vec_each (&c->calls, i) {
		json_object(&j, NULL);
		json_str(&j, "name", c->calls.at[i].name);
		json_str(&j, "kind", sorts[c->calls.at[i].sort]);
		json_u64(&j, "count", c->calls.at[i].n);
		json_end(&j);
	}
	json_end(&j);
	put_check(&j, c);
	json_end(&j);
	puts(out.s);
	strbuf_release(&out);
}
