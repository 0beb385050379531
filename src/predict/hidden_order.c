/*
 * Calls whose results depend on state of the library or the system (log/hidden.h): the model has
 * the recorded results, which hold as long as calls on the same state keep their order. Adds a
 * limit for each state that two threads access in an order which some schedule changes.
 */
#include "predict/predict_internal.h"

#include "base/base.h"
#include "base/bitset.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "ctp/transfers.h"
#include "explain/places.h"
#include "log/hidden.h"

enum { PAIRS = 20000000, QUERIES = 80 }; /* for one state: then the order counts as changing */

struct hidden_calls {
	struct prediction *p;
	struct transfers transfers;
	struct vec_u32 at;        /* HIDDEN events of one state, or of those for files */
	struct bitset is_settled; /* reads that always return what they returned in the recorded
				    run, because they wait for it */
	struct bitset is_assumed; /* reads that come after the write of their bytes in each
				    linearization only because they have their recorded result */
	uint32_t pairs, queries;
};

static const struct ctp_event *event_of(const struct hidden_calls *h, uint32_t e)
{
	return ctp_at(h->p->c, e);
}

/* ---- which calls depend on each other -------------------------------------------------------- */

/* The file that a call is about, by name or through an open file; 0: not known. */
static uint64_t get_file(const struct ctp_event *e)
{
	const struct ctp_hidden *h = ctp_hidden(e);

	return h->fn->state == HIDDEN_FILES && h->object ? h->object : h->contents;
}

static bool is_same_object(const struct ctp_event *a, const struct ctp_event *b)
{
	const struct ctp_hidden *x = ctp_hidden(a), *y = ctp_hidden(b);

	if (x->fn->state == y->fn->state && (!x->object || !y->object || x->object == y->object))
		return true;
	if ((x->fn->state == HIDDEN_INPUT || y->fn->state == HIDDEN_INPUT) && !get_file(a) &&
		!get_file(b)) /* maybe through 'stdin' */
		return a->flags & b->flags & CTP_HAD_READ;
	if (get_file(a) == CTP_ANY_FILE || get_file(b) == CTP_ANY_FILE)
		return get_file(a) && get_file(b);
	return get_file(a) && get_file(a) == get_file(b);
}

/* Two open files with the same contents have positions of their own: reads do not disturb each
 * other. */
static bool is_same_position(const struct ctp_event *a, const struct ctp_event *b)
{
	const struct ctp_hidden *x = ctp_hidden(a), *y = ctp_hidden(b);

	return x->fn->state != y->fn->state || !x->object || !y->object || x->object == y->object;
}

static bool is_output(const struct ctp_event *e)
{
	return !(e->flags & CTP_HAD_READ);
}

/* The call may change what calls on other open files with the same contents read. */
static bool changes_contents(const struct ctp_event *e)
{
	return is_output(e) || ctp_hidden(e)->flushes;
}

/* Whether a call of the program reads what the two calls write. */
static bool has_reader(const struct hidden_calls *h, const struct ctp_event *a)
{
	vec_each (&h->at, i) {
		const struct ctp_event *e = event_of(h, h->at.at[i]);

		if (!is_output(e) && is_same_object(a, e))
			return true;
	}
	return false;
}

/* The calls have a version of their state: in another order a thread leaves its path. */
static bool are_versioned(const struct ctp_event *a, const struct ctp_event *b)
{
	return ctp_hidden(a)->versioned && ctp_hidden(b)->versioned;
}

static bool are_dependent(const struct hidden_calls *h, uint32_t a, uint32_t b)
{
	const struct ctp_event *x = event_of(h, a), *y = event_of(h, b);
	const struct ctp *c = h->p->c;

	if (ctp_group(c, x->thread) == ctp_group(c, y->thread) || !is_same_object(x, y))
		return false;
	if (!((x->flags | y->flags) & CTP_WROTE) || (h->p->opt->all_paths && are_versioned(x, y)))
		return false;
	if (bitset_has(&h->is_settled, a) || bitset_has(&h->is_settled, b))
		return !is_output(x) && !is_output(y);
	if (is_output(x) && is_output(y))
		return has_reader(h, x);
	return changes_contents(x) || changes_contents(y) || is_same_position(x, y);
}

/* ---- whether a schedule changes their order -------------------------------------------------- */

/* Some linearization satisfies the query, which is released; too many queries are not asked. */
static bool is_possible(struct hidden_calls *h, struct query *q)
{
	struct model_result r = {0};
	bool no = false;

	if (h->queries++ < QUERIES && budget_left(h->p)) {
		asker_ask(budgeted_asker(h->p), q, &r);
		no = r.answer == ANSWER_NO && !r.bounded;
		model_result_release(&r);
	}
	query_release(q);
	return !no;
}

/* Some linearization has b before a. */
static bool can_come_first(struct hidden_calls *h, uint32_t b, uint32_t a)
{
	struct query q = {0};

	query_at(&q, a);
	query_run(&q, b);
	return is_possible(h, &q);
}

/* The call b need not be executed when the thread of the read stands before it. */
static bool can_be_missing(struct hidden_calls *h, uint32_t read, uint32_t b)
{
	uint32_t before = ctp_pred(h->p->c, read);
	struct query q = {0};

	if (before != CTP_NONE && mhb_before(h->p->mhb, b, before))
		return false;
	query_at(&q, read);
	query_at(&q, b);
	return is_possible(h, &q);
}

/* As can_change(), for a read whose place behind the write of its bytes is an assumption. */
static bool can_differ(struct hidden_calls *h, uint32_t read, uint32_t b)
{
	return !mhb_before(h->p->mhb, read, b) && can_be_missing(h, read, b);
}

static bool can_change(struct hidden_calls *h, uint32_t a, uint32_t b)
{
	if (bitset_has(&h->is_assumed, a) && can_differ(h, a, b))
		return true;
	if (bitset_has(&h->is_assumed, b) && can_differ(h, b, a))
		return true;
	if (mhb_before(h->p->mhb, a, b) || mhb_before(h->p->mhb, b, a))
		return false;
	if (are_versioned(event_of(h, a), event_of(h, b)))
		return true; /* a linearization has them in the recorded order only */
	return can_come_first(h, a, b) && can_come_first(h, b, a);
}

/* ---- limits ---------------------------------------------------------------------------------- */

static void add_limit(struct hidden_calls *h, uint32_t a, uint32_t b)
{
	const struct ctp *c = h->p->c;
	const struct ctp_event *x = event_of(h, a), *y = event_of(h, b);
	const char *of_x = ctp_hidden(x)->fn->name, *of_y = ctp_hidden(y)->fn->name;
	struct strbuf s = {0};

	strbuf_addf(&s,
		"the results of calls that access %s depend on their order, which is "
		"assumed as recorded: '%s' in thread %u (",
		hidden_text(ctp_hidden(x)->fn->state), of_x, ctp_group(c, x->thread));
	place_add_event(c, a, &s);
	strbuf_addf(&s, ") and '%s' in thread %u (", of_y, ctp_group(c, y->thread));
	place_add_event(c, b, &s);
	strbuf_adds(&s, ")");
	vec_push(&h->p->st->limits, strbuf_detach(&s));
}

/* Adds a limit for the first two calls of the state whose order a schedule changes. */
static void check_state(struct hidden_calls *h)
{
	vec_each (&h->at, i)
		for (uint32_t k = i + 1; k < h->at.n; k++) {
			uint32_t a = h->at.at[i], b = h->at.at[k];

			if (h->pairs++ < PAIRS && (!are_dependent(h, a, b) || !can_change(h, a, b)))
				continue;
			add_limit(h, a, b);
			return;
		}
}

static void settle_reads(struct hidden_calls *h)
{
	struct vec_u32 from = {0};

	vec_each (&h->transfers.at, i) {
		uint32_t e = h->transfers.at.at[i];

		transfers_source(&h->transfers, e, &from);
		if (from.n)
			bitset_add(transfers_settled(&h->transfers, e) ? &h->is_settled
								       : &h->is_assumed,
				e);
	}
	vec_release(&from);
}

/* Names, descriptors and streams of files are checked together. */
static uint8_t group_states(uint8_t state)
{
	return state == HIDDEN_DESCRIPTOR || state == HIDDEN_STREAM || state == HIDDEN_INPUT ||
			       state == HIDDEN_OUTPUT
		       ? HIDDEN_FILES
		       : state;
}

void hidden_add_limits(struct prediction *p)
{
	struct hidden_calls h = {.p = p};
	struct vec_u32 of[HIDDEN_NSTATES] = {0};

	vec_each (&p->c->events, e)
		if (ctp_at(p->c, e)->kind == CTP_HIDDEN)
			vec_push(&of[group_states(ctp_hidden(ctp_at(p->c, e))->fn->state)], e);
	transfers_init(&h.transfers, p->c);
	settle_reads(&h);
	for (uint32_t s = 0; s < HIDDEN_NSTATES; s++) {
		h.at = of[s];
		h.pairs = h.queries = 0;
		check_state(&h);
		vec_release(&of[s]);
	}
	transfers_release(&h.transfers);
	bitset_release(&h.is_settled);
	bitset_release(&h.is_assumed);
}
