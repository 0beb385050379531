/* The summary of a trace as text. */
#include "base/print.h"
#include "view/count.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { TOP = 20, WIDE = 40 };

struct printer {
	struct counts *c;
	struct view *v;
	struct strbuf line;
};

static void flush_line(struct printer *p)
{
	while (p->line.n && p->line.s[p->line.n - 1] == ' ')
		p->line.s[--p->line.n] = 0;
	print_clean(stdout, "%s\n", p->line.n ? p->line.s : "");
	strbuf_clear(&p->line);
}

static uint32_t shown_rows(const struct printer *p, uint32_t n)
{
	return p->v->all || n <= TOP + 1 ? n : TOP;
}

static void say_rest(struct printer *p, uint32_t n)
{
	if (n > shown_rows(p, n)) {
		strbuf_addf(&p->line, "  … %u more (use --all)", n - shown_rows(p, n));
		flush_line(p);
	}
}

static void print_title(struct printer *p, const char *fmt, uint64_t n)
{
	putchar('\n');
	strbuf_addf(&p->line, fmt, n);
	flush_line(p);
}

static void add_threads(struct printer *p, const struct bitset *threads)
{
	uint32_t n = 0;

	strbuf_adds(&p->line, bitset_count(threads) == 1 ? "thread " : "threads ");
	bitset_each (threads, t) {
		if (n++ == 6) {
			strbuf_addf(&p->line, ", … (%u)", bitset_count(threads));
			break;
		}
		strbuf_addf(&p->line, "%s%u", n > 1 ? ", " : "", view_thread_id(p->v, t));
	}
}

/* ---- the run -------------------------------------------------------------------------------- */

static void add_bytes(struct strbuf *b, uint64_t n)
{
	if (n < 10240)
		strbuf_addf(b, "%" PRIu64 " bytes", n);
	else if (n < 10240ull << 10)
		strbuf_addf(b, "%.1f KiB", (double)n / 1024);
	else
		strbuf_addf(b, "%.1f MiB", (double)n / 1048576);
}

static void print_crashes(struct printer *p)
{
	const struct store_meta *m = trace_meta(p->v->t);

	vec_each (&m->crashes, i) {
		const struct store_crash *cr = &m->crashes.at[i];

		strbuf_addf(&p->line, "crash       SIG%s in thread %u", sigabbrev_np(cr->signo),
			cr->thread);
		if (cr->addr == STORE_NO_ADDRESS)
			strbuf_adds(&p->line, " at a non-canonical address");
		else if (cr->signo == SIGSEGV || cr->signo == SIGBUS)
			strbuf_addf(&p->line, " at address 0x%" PRIx64, cr->addr);
		for (uint32_t t = 0; t < trace_nthreads(p->v->t); t++) {
			const struct follow_result *r = &trace_thread(p->v->t, t)->result;

			if (trace_thread(p->v->t, t)->id == cr->thread && r->reason.n)
				strbuf_addf(&p->line, "; last known place: %s", r->reason.s);
		}
		flush_line(p);
	}
}

static void print_run(struct printer *p)
{
	const struct store_meta *m = trace_meta(p->v->t);
	time_t started = (time_t)m->started;
	struct tm tm;
	char when[64];

	strbuf_adds(&p->line, "program    ");
	vec_each (&m->argv, i)
		strbuf_addf(&p->line, " %s", m->argv.at[i]);
	strbuf_addf(&p->line, "  (%s)", m->exe);
	flush_line(p);
	localtime_r(&started, &tm);
	strftime(when, sizeof when, "%F %T", &tm);
	strbuf_addf(&p->line, "recorded    %s, %.6f s", when, trace_time(p->v->t, m->tsc_end));
	flush_line(p);
	strbuf_adds(&p->line, "end         ");
	view_fate(&p->line, p->v);
	flush_line(p);
	if (trace_gap(p->v->t)) {
		strbuf_addf(&p->line, "incomplete  %s", trace_gap(p->v->t));
		flush_line(p);
	}
	print_crashes(p);
	vec_each (&m->exclude, i) {
		strbuf_addf(&p->line, "excluded    functions that match '%s'", m->exclude.at[i]);
		flush_line(p);
	}
	if (m->forks) {
		strbuf_addf(&p->line, "forks       %u; child processes are not recorded", m->forks);
		flush_line(p);
	}
	if (m->lost) {
		strbuf_addf(&p->line, "lost        %u threads: a trace cannot hold more", m->lost);
		flush_line(p);
	}
	if (m->dropped) {
		strbuf_addf(&p->line, "dropped     %" PRIu64 " chunks, because of the size limit",
			m->dropped);
		flush_line(p);
	}
}

/* ---- threads -------------------------------------------------------------------------------- */

static void print_thread(struct printer *p, uint32_t t)
{
	const struct trace_thread *th = trace_thread(p->v->t, t);

	strbuf_addf(&p->line, "  %-4u ", th->id);
	view_thread_name(&p->line, p->v, t);
	if (th->kind == LOG_T_CREATED && th->parent != LOG_NONE)
		strbuf_addf(&p->line, ", created by %u", th->parent);
	else if (th->kind == LOG_T_SIGNAL && th->parent != LOG_NONE)
		strbuf_addf(&p->line, " on thread %u", th->parent);
	view_pad_to(&p->line, 34);
	strbuf_addf(&p->line, "%10" PRIu64 " events %12" PRIu64 " instructions  ",
		p->c->threads[t].all, th->result.instructions);
	add_bytes(&p->line, th->bytes);
	view_pad_to(&p->line, 82);
	view_thread_fate(&p->line, p->v, t);
	flush_line(p);
}

/* Prints all threads that are not reproduced, even if the list is shortened. */
static void print_threads(struct printer *p)
{
	uint32_t n = trace_nthreads(p->v->t), max = shown_rows(p, n);
	struct strbuf b = {0};

	print_title(p, n == 1 ? "%" PRIu64 " thread" : "%" PRIu64 " threads", n);
	for (uint32_t t = 0; t < n; t++)
		if (t < max || !view_thread_fate(&b, p->v, t))
			print_thread(p, t);
	strbuf_release(&b);
	say_rest(p, n);
}

static void print_events(struct printer *p)
{
	uint64_t all = 0;
	bool some = false;

	for (uint32_t k = 0; k < FOLLOW_NKINDS; k++)
		all += k == FOLLOW_LOCAL ? 0 : p->c->events[k];
	print_title(p, "%" PRIu64 " events", all);
	strbuf_adds(&p->line, "  ");
	for (uint32_t k = 0; k < FOLLOW_NKINDS; k++) {
		if (k == FOLLOW_LOCAL || !p->c->events[k])
			continue;
		strbuf_addf(&p->line, "%s%" PRIu64 " %s", some ? ", " : "", p->c->events[k],
			event_kind_name(k));
		some = true;
	}
	flush_line(p);
	strbuf_addf(&p->line, "  %u of %u load instructions are logged; the others are recomputed",
		trace_plan(p->v->t)->nlogged, trace_plan(p->v->t)->nloads);
	flush_line(p);
}

/* ---- data ----------------------------------------------------------------------------------- */

static void add_protection(struct printer *p, const struct location_group *g)
{
	if (lockset_get(&p->c->sets, g->locks)->n) {
		strbuf_adds(&p->line, "; always under ");
		counts_locks(&p->line, p->c, g->locks);
	} else if (!g->unlocked) {
		strbuf_adds(&p->line, "; each always under one lock, not all the same");
	} else if (g->atomic && !g->plain) {
		strbuf_adds(&p->line, "; always atomic");
	} else if (g->unlocked < g->n) {
		strbuf_addf(&p->line, "; no common lock for %u of them", g->unlocked);
	} else {
		strbuf_adds(&p->line, "; no common lock");
	}
}

static void print_group(struct printer *p, const struct location_group *g)
{
	const struct location *l = &p->c->locations.at.at[g->first];

	strbuf_addf(&p->line, "  %s", g->name);
	view_pad_to(&p->line, WIDE);
	strbuf_addf(&p->line, "%" PRIu64 " reads, %" PRIu64 " writes by ", g->reads, g->writes);
	add_threads(p, &g->threads);
	add_protection(p, g);
	flush_line(p);
	strbuf_adds(&p->line, "      ");
	if (g->n > 1)
		strbuf_addf(&p->line, "%u locations, ", g->n);
	strbuf_addf(&p->line, "%" PRIu64 " bytes in ", g->bytes);
	view_object(&p->line, p->v, l->addr, l->gen);
	flush_line(p);
}

static void print_locations(struct printer *p)
{
	print_title(p,
		p->c->locations.at.n == 1 ? "%" PRIu64 " shared location"
					  : "%" PRIu64 " shared locations",
		p->c->locations.at.n);
	for (uint32_t i = 0; i < shown_rows(p, p->c->groups.n); i++)
		print_group(p, &p->c->groups.at[i]);
	say_rest(p, p->c->groups.n);
}

static void print_object(struct printer *p, const struct sync_object *o)
{
	const struct sync_event *e = &p->v->c.h.threads.at[o->thread].events.at[o->event];

	strbuf_adds(&p->line, "  ");
	counts_object_name(&p->line, p->c, o);
	view_pad_to(&p->line, 26);
	strbuf_adds(&p->line, check_primitive_names[o->what]);
	view_pad_to(&p->line, WIDE);
	strbuf_addf(&p->line, "%" PRIu64 " operations by ", o->ops);
	add_threads(p, &o->threads);
	if (o->what == CHECK_MUTEX || o->what == CHECK_SPIN || o->what == CHECK_RWLOCK)
		strbuf_addf(&p->line,
			"; taken %" PRIu64 " times, %" PRIu64 " from another thread, %" PRIu64
			" after waiting",
			o->acquired, o->handed_over, o->waited);
	if (o->failed)
		strbuf_addf(&p->line, "; %" PRIu64 " failed", o->failed);
	flush_line(p);
	strbuf_adds(&p->line, "      first at ");
	names_place(&p->line, p->v->p, e->func, e->insn);
	flush_line(p);
}

static void print_objects(struct printer *p)
{
	print_title(p,
		p->c->objects.n == 1 ? "%" PRIu64 " synchronization object"
				     : "%" PRIu64 " synchronization objects",
		p->c->objects.n);
	for (uint32_t i = 0; i < shown_rows(p, p->c->objects.n); i++)
		print_object(p, &p->c->objects.at[i]);
	say_rest(p, p->c->objects.n);
}

static void print_calls(struct printer *p, enum call_sort sort, const char *heading)
{
	uint32_t n = 0, k = 0;

	vec_each (&p->c->calls, i)
		n += p->c->calls.at[i].sort == sort;
	if (!n)
		return;
	print_title(p, heading, n);
	vec_each (&p->c->calls, i) {
		if (p->c->calls.at[i].sort != sort || k++ >= shown_rows(p, n))
			continue;
		strbuf_addf(&p->line, "  %-36s %" PRIu64 " calls", p->c->calls.at[i].name,
			p->c->calls.at[i].n);
		flush_line(p);
	}
	say_rest(p, n);
}

/* ---- the checker ---------------------------------------------------------------------------- */

static void print_findings(struct printer *p, enum check_finding_kind kind, const char *heading)
{
	const struct check *c = &p->v->check;
	uint32_t k = 0;

	if (!c->count[kind])
		return;
	strbuf_addf(&p->line, heading, c->count[kind]);
	flush_line(p);
	vec_each (&c->findings, i) {
		if (c->findings.at[i].kind != kind || (k++ >= TOP && !p->v->all))
			continue;
		strbuf_adds(&p->line, "    ");
		view_finding(&p->line, p->v, &c->findings.at[i]);
		flush_line(p);
	}
}

static void print_check(struct printer *p)
{
	const struct check *c = &p->v->check;
	uint64_t unsure = 0, checked = 0;
	bool some = false;

	for (int i = 0; i < CHECK_NPRIMITIVES; i++) {
		unsure += c->unsure[i];
		checked += c->checked[i];
	}
	print_title(p,
		c->count[CHECK_VIOLATION] ? "synchronization: the trace is inconsistent"
					  : "synchronization: %" PRIu64
					    " operations checked, trace is consistent",
		checked);
	strbuf_adds(&p->line, "  ");
	for (int i = 0; i < CHECK_NPRIMITIVES; i++) {
		if (!c->checked[i])
			continue;
		strbuf_addf(&p->line, "%s%" PRIu64 " %s", some ? ", " : "", c->checked[i],
			check_primitive_names[i]);
		some = true;
	}
	flush_line(p);
	if (unsure) {
		strbuf_addf(&p->line,
			"  %" PRIu64
			" more could not be checked: the state of the object before is not"
			" known",
			unsure);
		flush_line(p);
	}
	if (c->spurious || c->timeouts) {
		strbuf_addf(&p->line,
			"  %" PRIu64 " waits woke up without a signal, %" PRIu64 " timed out",
			c->spurious, c->timeouts);
		flush_line(p);
	}
	print_findings(p, CHECK_VIOLATION,
		"  %" PRIu64 " inconsistencies (a bug in heddle, or a damaged trace):");
	print_findings(p, CHECK_MISUSE, "  %" PRIu64 " misuses of synchronization by the program:");
	print_findings(p, CHECK_UNEXPLAINED,
		"  %" PRIu64 " operations that depend on code that is not recorded:");
}

static void summary_text(struct counts *c)
{
	struct printer p = {.c = c, .v = c->v};

	print_run(&p);
	print_threads(&p);
	print_events(&p);
	print_locations(&p);
	print_objects(&p);
	print_calls(&p, CALLS_UNKNOWN, "%" PRIu64 " native functions without a model");
	print_calls(&p, CALLS_EXCLUDED, "%" PRIu64 " excluded functions called");
	print_check(&p);
	strbuf_release(&p.line);
}

int view_summary(struct view *v)
{
	struct counts c;
	int status = counts_make(&c, v);

	if (!status)
		(v->json ? summary_json : summary_text)(&c);
	counts_release(&c);
	return status;
}
