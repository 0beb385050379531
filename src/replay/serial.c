#include "replay/serial.h"

#include "base/base.h"
#include "base/vec.h"
#include "replay/output.h"

struct triple { /* two accesses of thread a, and one of thread b between them */
	uint32_t a, b;
	uint64_t first, middle, last; /* scheduling points of the accesses */
};

enum serial { SERIAL_NOT_RUN /* or not comparable */, SERIAL_SAME, SERIAL_OTHER };

static bool find_triple(const struct finding *f, struct triple *t)
{
	const struct finding_step *key[3];
	uint32_t n = 0;

	vec_each (&f->steps, i)
		if ((f->steps.at[i].flags & STEP_KEY) && n < 3)
			key[n++] = &f->steps.at[i];
	if (n < 3 || key[0]->thread != key[2]->thread || key[0]->thread == key[1]->thread)
		return false;
	*t = (struct triple){
		key[0]->thread, key[1]->thread, key[0]->point, key[1]->point, key[2]->point};
	return true;
}

/* ---- comparison of outcomes ------------------------------------------------------------------ */

/* Threads may print lines in any order, and parts of lines between parts of others', which is no effect
 * of the transaction. */
static enum serial compare_outcomes(const struct replay_result *x, const struct replay_result *y)
{
	if (x->out.fate != y->out.fate || x->out.code != y->out.code)
		return SERIAL_OTHER;
	if (x->output_cut || y->output_cut)
		return SERIAL_NOT_RUN;
	switch (output_compare(x->output.s, x->output.n, y->output.s, y->output.n, true)) {
	case OUTPUT_SAME:
	case OUTPUT_ORDER: return SERIAL_SAME;
	case OUTPUT_MIXED: return SERIAL_NOT_RUN;
	case OUTPUT_OTHER: break;
	}
	return SERIAL_OTHER;
}

/* ---- one serial order ------------------------------------------------------------------------ */

/* How many of its segments the later thread keeps before the other thread continues. Fewer is
 * closer to a serial order; but the other thread may depend on events of the later one. */
enum lead { LEAD_NONE, LEAD_SHORT /* all but the last segment */, LEAD_FULL, NLEADS };

/* Copies the schedule up to the first access of a or the access of b, whichever comes first.
 * waiting: the thread that comes later in the serial order. */
static void begin(struct finding *s, const struct finding *f, const struct triple *t,
	uint32_t waiting, enum lead lead)
{
	uint32_t last = UINT32_MAX;

	vec_each (&f->moves, i) {
		struct finding_move m = f->moves.at[i];
		uint64_t limit = m.thread == t->a   ? t->first
				 : m.thread == t->b ? t->middle
						    : UINT64_MAX;
		bool over = m.until > limit;

		if (m.thread == waiting && lead == LEAD_NONE)
			continue;
		if (m.thread == waiting)
			last = s->moves.n;
		vec_push(&s->moves, (struct finding_move){m.thread, over ? limit : m.until});
		if (over)
			break;
	}
	if (lead == LEAD_SHORT && last != UINT32_MAX)
		s->moves.n = last;
}

/* Runs one serial order. before: the access of b comes before the two of a; else after them. */
static int run_order(const struct finding *f, const struct replay_options *opt,
	const struct triple *t, bool before, enum lead lead, struct replay_result *res)
{
	struct finding *s = finding_new();
	int rc;

	vec_each (&f->threads, i)
		vec_push(&s->threads, (struct finding_thread){f->threads.at[i].parent,
					      f->threads.at[i].nth, NULL, {0}});
	begin(s, f, t, before ? t->a : t->b, lead);
	if (before)
		vec_push(&s->moves, (struct finding_move){t->b, t->middle + 1});
	else
		vec_push(&s->moves, (struct finding_move){t->a, t->last + 1});
	rc = replay_run(opt, s, res);
	finding_free(s);
	return rc;
}

static int try_order(const struct finding *f, const struct replay_options *opt,
	const struct triple *t, bool before, const struct replay_result *seen, enum serial *out)
{
	*out = SERIAL_NOT_RUN;
	for (enum lead lead = 0; lead < NLEADS && *out == SERIAL_NOT_RUN; lead++) {
		struct replay_result res = {0};

		if (run_order(f, opt, t, before, lead, &res))
			return -1;
		if (!res.out.diverged)
			*out = compare_outcomes(&res, seen);
		replay_result_release(&res);
	}
	return 0;
}

int serial_compare(const struct finding *f, const struct replay_options *opt,
	const struct replay_result *seen, struct strbuf *out)
{
	enum serial before = SERIAL_NOT_RUN, after = SERIAL_NOT_RUN;
	struct triple t;

	if (find_triple(f, &t) && (try_order(f, opt, &t, true, seen, &before) ||
					  try_order(f, opt, &t, false, seen, &after)))
		return -1;
	if (before == SERIAL_SAME || after == SERIAL_SAME)
		strbuf_adds(out, "; the outcome is that of a serial order");
	else if (before == SERIAL_OTHER && after == SERIAL_OTHER)
		strbuf_adds(out, "; the outcome differs from every serial order");
	else if (before == after)
		strbuf_adds(out, "; serial orders could not be compared");
	else
		strbuf_addf(out,
			"; the outcome differs from the serial order with the other thread %s, "
			"the one with it %s could not be compared",
			before == SERIAL_OTHER ? "first" : "last",
			before == SERIAL_OTHER ? "last" : "first");
	return before == SERIAL_OTHER && after == SERIAL_OTHER;
}
