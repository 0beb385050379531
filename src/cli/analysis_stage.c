#include "cli/analysis_stage.h"

#include "base/base.h"
#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum message_kind {
	MESSAGE_FINDING,      /* its JSON */
	MESSAGE_PENDING,      /* its JSON; empty: the finding before is not one */
	MESSAGE_GAP,          /* of prediction: the sentence */
	MESSAGE_COUNTS,       /* struct analysis_counts */
	MESSAGE_DEEP,         /* struct deep_stats */
	MESSAGE_LIMIT,        /* of struct deep_stats: the sentence */
	MESSAGE_EXPLORED,     /* struct explored_stats */
	MESSAGE_EXPLORED_GAP, /* of struct explored_stats: the sentence */
	MESSAGE_RUN,          /* enum observed_end, then the directory */
};

/* ---- in the stage ---------------------------------------------------------------------------- */

static void send_message(
	const struct stage_writer *w, enum message_kind kind, const void *p, size_t n)
{
	struct strbuf b = {0};

	strbuf_addc(&b, (char)kind);
	strbuf_add(&b, p, n);
	stage_send(w->fd, b.s, b.n);
	strbuf_release(&b);
}

void stage_send_finding(const struct stage_writer *w, const struct finding *f, bool pending)
{
	struct strbuf json = {0};

	if (f)
		finding_to_json(f, &json);
	send_message(w, f && !pending ? MESSAGE_FINDING : MESSAGE_PENDING, json.s, json.n);
	strbuf_release(&json);
}

void stage_send_gap(const struct stage_writer *w, const char *sentence)
{
	send_message(w, MESSAGE_GAP, sentence, strlen(sentence));
}

void stage_send_counts(const struct stage_writer *w, const struct analysis_counts *n)
{
	send_message(w, MESSAGE_COUNTS, n, sizeof *n);
}

void stage_send_deep(const struct stage_writer *w, const struct deep_stats *d)
{
	struct deep_stats plain = *d;

	memset(&plain.limits, 0, sizeof plain.limits);
	send_message(w, MESSAGE_DEEP, &plain, sizeof plain);
	vec_each (&d->limits, i)
		send_message(w, MESSAGE_LIMIT, d->limits.at[i], strlen(d->limits.at[i]));
}

void stage_send_explored(const struct stage_writer *w, const struct explored_stats *e)
{
	struct explored_stats plain = *e;

	memset(&plain.gaps, 0, sizeof plain.gaps);
	send_message(w, MESSAGE_EXPLORED, &plain, sizeof plain);
	vec_each (&e->gaps, i)
		send_message(w, MESSAGE_EXPLORED_GAP, e->gaps.at[i], strlen(e->gaps.at[i]));
}

void stage_send_run(const struct stage_writer *w, const char *dir, enum observed_end end)
{
	struct strbuf b = {0};

	strbuf_add(&b, &end, sizeof end);
	strbuf_adds(&b, dir);
	send_message(w, MESSAGE_RUN, b.s, b.n);
	strbuf_release(&b);
}

struct running { /* a stage, in both processes */
	struct analysis *c;
	struct analysis_stage *s;
};

static int work_in_stage(void *ctx, int fd)
{
	struct running *r = ctx;
	struct stage_writer to = {fd};
	int rc;

	r->c->to = &to;
	rc = r->s->work(r->c, r->s->ctx);
	analysis_clear_progress(r->c);
	stage_send_counts(&to, &r->c->n);
	return rc;
}

/* ---- in the command -------------------------------------------------------------------------- */

static void set_pending(struct analysis *c, struct finding *f)
{
	if (c->pending)
		finding_free(c->pending);
	c->pending = f;
}

static void receive_run(struct recorded_runs *runs, const char *p, size_t n)
{
	enum observed_end end;

	BUG_ON(n < sizeof end || !runs);
	memcpy(&end, p, sizeof end);
	vec_push(&runs->ends, end);
	vec_push(&runs->dirs, xstrndup(p + sizeof end, n - sizeof end));
}

static void receive_deep(struct analysis *c, const char *p, size_t n)
{
	BUG_ON(n != sizeof *c->deep || !c->deep);
	deep_stats_release(c->deep);
	memcpy(c->deep, p, n);
}

static void receive_explored(struct analysis *c, const char *p, size_t n)
{
	BUG_ON(n != sizeof *c->explored || !c->explored);
	vec_each (&c->explored->gaps, i)
		free(c->explored->gaps.at[i]);
	vec_release(&c->explored->gaps);
	memcpy(c->explored, p, n);
}

static void receive_message(void *ctx, const char *message, size_t size)
{
	struct running *r = ctx;
	struct analysis *c = r->c;
	const char *p = message + 1;
	size_t n = size - 1;
	char *text;

	BUG_ON(!size);
	switch ((enum message_kind)message[0]) {
	case MESSAGE_PENDING:
		set_pending(c, n ? finding_from_json(p, n, "a stage's finding") : NULL);
		break;
	case MESSAGE_FINDING:
		set_pending(c, NULL);
		analysis_keep(c, finding_from_json(p, n, "a stage's finding"));
		break;
	case MESSAGE_GAP:
		text = xstrndup(p, n);
		analysis_limit(c, text);
		free(text);
		break;
	case MESSAGE_COUNTS:
		BUG_ON(n != sizeof c->n);
		memcpy(&c->n, p, n);
		break;
	case MESSAGE_DEEP: receive_deep(c, p, n); break;
	case MESSAGE_LIMIT: vec_push(&c->deep->limits, xstrndup(p, n)); break;
	case MESSAGE_EXPLORED: receive_explored(c, p, n); break;
	case MESSAGE_EXPLORED_GAP: vec_push(&c->explored->gaps, xstrndup(p, n)); break;
	case MESSAGE_RUN: receive_run(r->s->runs, p, n); break;
	}
}

static char *describe_size(uint64_t bytes)
{
	return bytes >> 30 && !(bytes & ((1ull << 30) - 1))
		       ? xasprintf("%llu GB", (unsigned long long)(bytes >> 30))
		       : xasprintf("%llu MB", (unsigned long long)(bytes >> 20));
}

static char *describe_death(const struct analysis_stage *s, const struct supervised *st)
{
	const char *name = WIFSIGNALED(st->status) ? sigabbrev_np(WTERMSIG(st->status)) : NULL;

	if (name)
		return xasprintf("the process of %s was killed by SIG%s", s->doing, name);
	return xasprintf("the process of %s died", s->doing);
}

static char *describe_end(
	const struct analysis *c, const struct analysis_stage *s, const struct supervised *st)
{
	char *size, *text;

	switch (s->end) {
	case STAGE_TIME:
		return xasprintf("the time of %s was used up (%.0f s in all, --seconds)", s->doing,
			c->sup.seconds);
	case STAGE_SIGNAL:
		return xasprintf(
			"SIG%s interrupted %s", sigabbrev_np(c->sup.interrupted), s->doing);
	case STAGE_MEMORY:
		size = describe_size(c->sup.memory);
		text = xasprintf("the memory of %s (--memory) was used up in %s", size, s->doing);
		free(size);
		return text;
	case STAGE_DONE:
	case STAGE_DIED: break;
	}
	return describe_death(s, st);
}

/* Keeps the finding whose replay did not end: as a prediction, unless a run has shown it. If only a replay makes it a finding,
 * it is none. */
static void keep_pending(struct analysis *c)
{
	struct finding *f = c->pending;

	c->pending = NULL;
	if (f && (f->by_outcome || f->reused))
		finding_free(f);
	else if (f)
		analysis_keep(c, f);
}

/* The engines of a stage have a little less time than the stage: it writes its results before it is
 * asked to stop. */
static double get_own_end(double until)
{
	double seconds = until - clock_seconds();

	return until - MIN(MAX(seconds * 0.03, 0), 0.5);
}

int analysis_stage_run(struct analysis *c, struct analysis_stage *s, char **why)
{
	struct running r = {c, s};
	struct supervised st = {.work = work_in_stage,
		.receive = receive_message,
		.ctx = &r,
		.until = s->until,
		.forwards = s->forwards};

	*why = NULL;
	c->until = get_own_end(MIN(s->until, c->sup.deadline));
	s->end = supervisor_run(&c->sup, &st);
	s->returned = st.returned;
	keep_pending(c);
	if (st.returned)
		return st.result;
	if (isatty(2)) /* the stage did not come to removing its progress line */
		fputs("\r\033[K", stderr);
	*why = describe_end(c, s, &st);
	return 0;
}
