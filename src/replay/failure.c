#include "replay/failure.h"

#include "base/base.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/map.h"
#include "replay/points.h"
#include "replay/lines.h"
#include "replay/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_SWITCHES = 24 }; /* segments of the report: the last ones before the failure */

/* ---- the failure ----------------------------------------------------------------------------- */

bool failure_is(const struct replay_result *r)
{
	return r->out.fate >= SCHED_ASSERT;
}

bool replay_failed(const struct replay_result *r)
{
	return failure_is(r) || r->out.misuse.what;
}

/* Appends the text without hexadecimal numbers: addresses differ from run to run. */
static void add_text(struct strbuf *b, const char *text)
{
	for (; *text; text++) {
		strbuf_addc(b, *text);
		if (text[0] == '0' && text[1] == 'x')
			while (strchr("0123456789abcdefx", text[1]) && text[1])
				text++;
	}
}

uint64_t failure_key(const struct replay_result *r)
{
	const struct sched_outcome *o = &r->out;
	struct strbuf b = {0};
	uint64_t h;

	strbuf_addf(&b, "%u %d %u ", o->fate, o->code, o->thread);
	add_text(&b, o->text);
	for (uint32_t i = 0; i < MIN(o->nwaits, (uint32_t)SCHED_MAX_WAITS); i++)
		strbuf_addf(&b, " %u %u %llx", o->waits[i].thread, o->waits[i].kind,
			(unsigned long long)o->waits[i].object);
	h = hash_bytes(b.s, b.n);
	strbuf_release(&b);
	return h;
}

/* The program was stopped because of a misuse: by the runtime, or by glibc, which aborts on a
 * double free. */
static bool is_misuse(const struct replay_result *r)
{
	return r->out.fate == SCHED_MISUSE ||
	       (r->out.fate == SCHED_ASSERT && r->out.misuse.what == SCHED_FREE_FREED &&
		       !words_assertion(r->out.text, &(size_t){0}));
}

static enum fault kind_of(const struct replay_result *r)
{
	const char *words;
	uint32_t kind;

	switch (r->out.fate) {
	case SCHED_ASSERT:
		return is_misuse(r) && replay_misuse(r, &kind, &words) ? kind : FAULT_ASSERT;
	case SCHED_DEADLOCK: return FAULT_DEADLOCK;
	case SCHED_STUCK: return FAULT_HANG;
	case SCHED_MISUSE: return replay_misuse(r, &kind, &words) ? kind : FAULT_CRASH;
	default: return FAULT_CRASH;
	}
}

static struct finding *begin(const struct replay_options *opt, const struct replay_result *r)
{
	struct finding *f = finding_new();

	f->kind = kind_of(r);
	f->status = FINDING_OBSERVED;
	f->expect_thread = is_misuse(r) ? r->out.misuse.thread : r->out.thread;
	if (f->kind == FAULT_DEADLOCK || f->kind == FAULT_HANG)
		f->expect_thread = SCHED_NONE;
	vec_each (&r->threads, i)
		vec_push(&f->threads, (struct finding_thread){r->threads.at[i].parent,
					      r->threads.at[i].nth, NULL, {0}});
	vec_each (&r->switches, i)
		vec_push(&f->moves,
			(struct finding_move){r->switches.at[i].thread, r->switches.at[i].until});
	f->exe = xstrdup(opt->exe);
	f->cwd = opt->cwd ? xstrdup(opt->cwd) : NULL;
	f->input = opt->input ? xstrdup(opt->input) : NULL;
	for (char **a = opt->argv; a && *a; a++)
		vec_push(&f->argv, xstrdup(*a));
	for (const char *const *e = opt->exclude; e && *e; e++)
		vec_push(&f->exclude, xstrdup(*e));
	return f;
}

/* ---- reduction of the schedule --------------------------------------------------------------- */

/* Runs the schedule of f. 1: the run has the failure `key`; 0: it does not; -1 after error_(). */
static int fails_still(const struct replay_options *opt, const struct finding *f, uint64_t key)
{
	struct replay_result r = {0};
	int rc = replay_run(opt, f, &r);

	if (!rc)
		rc = !r.out.diverged && failure_key(&r) == key;
	replay_result_release(&r);
	return rc;
}

static void take_out(struct finding *f, uint32_t at, uint32_t n)
{
	memmove(f->moves.at + at, f->moves.at + at + n,
		(f->moves.n - at - n) * sizeof *f->moves.at);
	f->moves.n -= n;
}

/* Removes n segments from `at` on, and restores them if the failure is gone. As fails_still(). */
static int try_without(
	const struct replay_options *opt, struct finding *f, uint64_t key, uint32_t at, uint32_t n)
{
	size_t size = f->moves.n * sizeof *f->moves.at;
	struct finding_move *kept = xmalloc(size);
	uint32_t all = f->moves.n;
	int rc;

	memcpy(kept, f->moves.at, size);
	take_out(f, at, n);
	rc = fails_still(opt, f, key);
	if (!rc) {
		memcpy(f->moves.at, kept, size);
		f->moves.n = all;
	}
	free(kept);
	return rc;
}

/* Removes parts of the schedule while the run still has the failure: first all segments, then
 * parts of half the size, down to single segments. A thread executes the events of a removed
 * segment in its next one. */
static int reduce(struct finding *f, const struct replay_options *opt, uint64_t key, double seconds)
{
	double end = clock_seconds() + seconds;

	for (uint32_t n = f->moves.n; n; n /= 2)
		for (uint32_t at = 0; at < f->moves.n && clock_seconds() < end;) {
			uint32_t size = MIN(n, f->moves.n - at);
			int rc = try_without(opt, f, key, at, size);

			if (rc < 0)
				return -1;
			at += rc ? 0 : size;
		}
	return 0;
}

static void count_switches(struct finding *f)
{
	f->switches = 0;
	for (uint32_t i = 1; i < f->moves.n; i++)
		f->switches += f->moves.at[i].thread != f->moves.at[i - 1].thread;
}

/* ---- places ---------------------------------------------------------------------------------- */

struct places {
	struct finding *f;
	struct points *ps;
	struct lines src;
};

static void name_threads(struct places *pl)
{
	vec_each (&pl->f->threads, i) {
		uint32_t t = points_find(pl->ps, pl->f, i);
		struct finding_thread *ft = &pl->f->threads.at[i];

		if (!i)
			ft->name = xstrdup("main");
		else if (t != UINT32_MAX && points_routine(pl->ps, t))
			ft->name = xstrdup(points_routine(pl->ps, t));
	}
}

static void add_step(struct places *pl, uint32_t thread, uint64_t point, uint32_t flags)
{
	uint32_t t = points_find(pl->ps, pl->f, thread);
	struct finding_step *s;
	const struct point *p;
	const char *object, *line;

	if (t == UINT32_MAX || point >= pl->ps->threads.at[t].at.n)
		return;
	p = &pl->ps->threads.at[t].at.at[point];
	object = points_object(pl->ps, p);
	s = vec_add(&pl->f->steps);
	s->thread = thread;
	s->flags = flags;
	s->point = point;
	points_place(pl->ps, p, &s->place);
	line = s->place.file ? lines_get(&pl->src, s->place.file, s->place.line) : NULL;
	s->source = line ? xstrdup(line) : NULL;
	s->what = xasprintf("%s%s%s", points_verb(p), object ? " " : "", object ? object : "");
}

/* The starts of the last segments, then the points at which the threads of the failure stand. */
static void add_steps(struct places *pl, const struct replay_result *r)
{
	const struct sched_outcome *o = &r->out;
	uint32_t n = r->switches.n, first = n > SHOWN_SWITCHES ? n - SHOWN_SWITCHES : 0;
	struct map at = {0}; /* thread -> next point */

	for (uint32_t i = 0; i < n; i++) {
		uint64_t *from = map_put(&at, r->switches.at[i].thread);

		if (i >= first && *from < r->switches.at[i].until)
			add_step(pl, r->switches.at[i].thread, *from, i ? STEP_SWITCHED : 0);
		*from = r->switches.at[i].until;
	}
	map_release(&at);
	if (o->fate == SCHED_DEADLOCK)
		for (uint32_t i = 0; i < MIN(o->nwaits, (uint32_t)SCHED_MAX_WAITS); i++)
			add_step(pl, o->waits[i].thread, o->waits[i].point, STEP_KEY | STEP_LAST);
	else if (is_misuse(r))
		add_step(pl, o->misuse.thread, o->misuse.point, STEP_KEY | STEP_LAST);
	else if (o->thread != SCHED_NONE)
		add_step(pl, o->thread, o->point, STEP_KEY | STEP_LAST);
}

/* Records a run of the schedule and makes the steps of the finding from its trace. */
static int find_places(struct finding *f, const struct replay_options *opt,
	const struct failure_options *how, struct replay_result *last)
{
	struct places pl = {.f = f, .src = {.cwd = f->cwd, .exe = f->exe}};
	struct replay_options o = *opt;
	int rc;

	o.trace = how->scratch;
	rc = replay_run(&o, f, last);
	if (!rc && (pl.ps = points_read(how->scratch))) {
		name_threads(&pl);
		add_steps(&pl, last);
	}
	remove_directory(how->scratch);
	points_free(pl.ps);
	lines_release(&pl.src);
	return rc;
}

/* ---- words ----------------------------------------------------------------------------------- */

/* Corrects the last step: the thread fails instead of executing the operation of its point, and the
 * message of an assertion has the exact line. */
static void name_failure(struct finding *f, const struct sched_outcome *o)
{
	struct lines lines = {.cwd = f->cwd, .exe = f->exe};
	struct finding_step *s = f->steps.n ? &vec_last(&f->steps) : NULL;
	const char *colon = strchr(o->text, ':'), *text;
	unsigned line;

	if (!s || !(s->flags & STEP_KEY) || (f->kind != FAULT_ASSERT && f->kind != FAULT_CRASH))
		return;
	free(s->what);
	s->what = xstrdup(f->kind == FAULT_ASSERT ? "fails" : "crashes");
	if (words_assertion(o->text, &(size_t){0}) && colon && sscanf(colon, ":%u:", &line) == 1) {
		free(s->place.file);
		free(s->source);
		s->place.file = xstrndup(o->text, (size_t)(colon - o->text));
		s->place.line = line;
		text = lines_get(&lines, s->place.file, line);
		s->source = text ? xstrdup(text) : NULL;
	}
	lines_release(&lines);
}

static void add_title(struct finding *f, const struct replay_result *r)
{
	struct strbuf b = {0}, where = {0};
	size_t n = 0;
	const char *expression = words_assertion(r->out.text, &n), *words;
	uint32_t kind;

	if (f->kind == FAULT_ASSERT && expression)
		strbuf_addf(&b, "assertion '%.*s' fails", (int)n, expression);
	else
		strbuf_adds(&b, fault_words[f->kind].title);
	if (f->kind == FAULT_CRASH && r->out.fate == SCHED_SIGNAL) {
		strbuf_adds(&b, " by ");
		words_signal(&b, r->out.code);
	} else if (is_misuse(r) && replay_misuse(r, &kind, &words)) {
		strbuf_addf(&b, ": a thread %s", words);
	}
	vec_each (&f->steps, i)
		if ((f->steps.at[i].flags & STEP_KEY) && !where.n)
			words_place(&where, &f->steps.at[i].place);
	f->title = strbuf_detach(&b);
	f->summary = where.n ? strbuf_detach(&where) : xstrdup(f->title);
	strbuf_release(&where);
}

/* A hash that is equal for failures that a user regards as the same: of the title, and the
 * functions and source lines of the key steps. */
static uint64_t fingerprint(const struct finding *f)
{
	struct strbuf b = {0};
	uint64_t h;

	strbuf_adds(&b, f->title);
	vec_each (&f->steps, i) {
		const struct finding_step *s = &f->steps.at[i];

		if (s->flags & STEP_KEY)
			strbuf_addf(&b, " %s %s", s->place.function ? s->place.function : "",
				s->source ? s->source : "");
	}
	h = hash_bytes(b.s, b.n);
	strbuf_release(&b);
	return h;
}

/* Passes the failure on without places, in the words of the runtime. -1 after error_(). */
static int tell_seen(struct finding *f, const struct replay_options *opt,
	const struct replay_result *r, const struct failure_options *how)
{
	int rc;

	add_title(f, r);
	if (f->expect_thread != SCHED_NONE) {
		free(f->summary);
		f->summary = xasprintf("in thread %u", f->expect_thread);
	}
	f->fingerprint = fingerprint(f);
	rc = replay_confirm(f, opt);
	if (!rc)
		how->seen(how->ctx, f);
	free(f->title);
	free(f->summary);
	free(f->outcome);
	free(f->divergence);
	f->title = f->summary = f->outcome = f->divergence = NULL;
	f->status = FINDING_OBSERVED;
	return rc;
}

struct finding *failure_finding(const struct replay_options *opt, const struct replay_result *r,
	const struct failure_options *how)
{
	struct finding *f = begin(opt, r);
	struct replay_options o = *opt;
	struct replay_result last = {0};
	uint64_t key = failure_key(r);
	int rc;

	f->bitcode = how->bitcode;
	o.mode = SCHED_STEPS;
	o.quiet = true;
	rc = fails_still(&o, f, key);
	if (rc > 0)
		rc = reduce(f, &o, key, how->seconds);
	count_switches(f);
	if (rc >= 0 && how->seen)
		rc = tell_seen(f, &o, r, how);
	if (rc >= 0)
		rc = find_places(f, &o, how, &last);
	if (!rc) {
		name_failure(f, &last.out);
		add_title(f, r);
		f->fingerprint = fingerprint(f);
		rc = replay_confirm(f, &o);
	}
	replay_result_release(&last);
	if (!rc)
		return f;
	finding_free(f);
	return NULL;
}
