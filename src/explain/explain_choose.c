/*
 * Which events of a witness a finding shows. Major: the key events of the violation, the reads that
 * it depends on with the writes that these read from, transitively, the locks around them, and the
 * joins between the threads involved. Other events near the end are minor: only the full report
 * shows them.
 */
#include "explain/explain_internal.h"

/* A report is read if it has about twenty lines; a full report may have more. */
enum { MAX_MAJOR = 28, MAX_MINOR = 160, MAX_DEPTH = 8, MAX_TURNED = 4, MAX_LAST = 2 };

struct chooser {
	struct explainer *x;
	uint32_t n;
	struct bitset threads; /* that have an event to show */
};

bool is_key(const struct explainer *x, uint32_t event)
{
	for (uint32_t i = 0; i < x->v->nkeys; i++)
		if (x->v->key[i] == event)
			return true;
	return false;
}

void held_at(const struct explainer *x, uint32_t event, struct vec_u32 *regions)
{
	uint32_t thread = ctp_at(x->c, event)->thread;

	if (x->mhb) {
		mhb_held(x->mhb, event, regions);
		return;
	}
	vec_each (&x->c->regions, r) {
		const struct ctp_region *g = &x->c->regions.at[r];

		if (g->thread == thread && g->begin != CTP_NONE && g->begin < event &&
			(g->end == CTP_NONE || g->foreign || g->end >= event))
			vec_push(regions, r);
	}
}

static bool takes_exclusively(const struct ctp_event *e)
{
	return e->kind == CTP_LOCK || e->kind == CTP_WOKEN || e->kind == CTP_TIMEOUT;
}

uint32_t blocking_region(const struct explainer *x, uint32_t event)
{
	const struct ctp_event *e = ctp_at(x->c, event);
	uint64_t lock = e->kind == CTP_WOKEN || e->kind == CTP_TIMEOUT ? ctp_mutex(e) : e->object;

	if (!takes_exclusively(e) && e->kind != CTP_RDLOCK)
		return CTP_NONE;
	vec_each (&x->c->regions, r) {
		const struct ctp_region *g = &x->c->regions.at[r];

		if (g->object == lock && g->begin != CTP_NONE && g->begin != event &&
			bitset_has(&x->done, g->begin) &&
			(g->end == CTP_NONE || !bitset_has(&x->done, g->end)) &&
			(!g->shared || takes_exclusively(e)))
			return r;
	}
	return CTP_NONE;
}

static bool show_event(struct chooser *ch, uint32_t event)
{
	if (ctp_is_handover(ctp_at(ch->x->c, event)))
		return true; /* not shown itself, but its causes are */
	if (!bitset_has(&ch->x->major, event)) {
		if (ch->n >= MAX_MAJOR && !is_key(ch->x, event))
			return false;
		bitset_add(&ch->x->major, event);
		ch->n++;
	}
	bitset_add(&ch->threads, ctp_at(ch->x->c, event)->thread);
	return true;
}

/* ---- what decides values -------------------------------------------------------------------- */

static void because_of_term(struct chooser *ch, term_t t, uint32_t depth);

static bool writes_cell(const struct ctp *c, uint32_t event, uint32_t cell)
{
	const struct ctp_event *e = ctp_at(c, event);

	for (uint32_t a = e->first; a < e->first + e->n; a++)
		if (c->accesses.at[a].cell == cell && c->accesses.at[a].value.id)
			return true;
	return false;
}

/* Shows the write of another thread that the value read has overwritten. */
static void show_overwritten(struct chooser *ch, uint32_t access)
{
	struct explainer *x = ch->x;
	uint32_t from = x->from[access], by, at;

	if (from == CTP_NONE)
		return;
	by = x->event_of[from];
	for (at = x->place_of[by]; at-- > 0;)
		if (writes_cell(x->c, x->w->events.at[at], x->c->accesses.at[access].cell))
			break;
	if (at == UINT32_MAX ||
		ctp_at(x->c, x->w->events.at[at])->thread == ctp_at(x->c, by)->thread)
		return;
	show_event(ch, x->w->events.at[at]);
}

/* Shows the write that was read in the recorded run, if the witness executes it too. */
static void show_lost_write(struct chooser *ch, uint32_t access)
{
	struct explainer *x = ch->x;
	uint32_t old = x->recorded_from[access], e;

	if (old == CTP_NONE || old == x->from[access] ||
		!bitset_has(&x->done, e = x->event_of[old]) || !show_event(ch, e))
		return;
	because_of_term(ch, x->c->accesses.at[old].value, MAX_DEPTH);
}

static void because_of_read(struct chooser *ch, uint32_t access, uint32_t depth)
{
	struct explainer *x = ch->x;
	uint32_t from = x->from[access];

	if (!bitset_add(&x->causes, access) || depth > MAX_DEPTH ||
		!show_event(ch, x->event_of[access]))
		return;
	if (from != CTP_NONE && show_event(ch, x->event_of[from]))
		because_of_term(ch, x->c->accesses.at[from].value, depth + 1);
	if (depth <= 1) {
		show_lost_write(ch, access);
		show_overwritten(ch, access);
	}
}

static void because_of_term(struct chooser *ch, term_t t, uint32_t depth)
{
	const struct term_syms *syms;

	if (!t.id)
		return;
	syms = term_syms(ch->x->c->ts, t);
	for (uint32_t i = 0; i < syms->n; i++) {
		uint64_t *access = map_get(&ch->x->reader, syms->at[i].id);

		if (access)
			because_of_read(ch, (uint32_t)*access, depth);
	}
}

/* Of a failure of which only the place is known: the last reads of the thread. */
static void because_of_last_reads(struct chooser *ch, uint32_t event)
{
	struct explainer *x = ch->x;
	uint32_t n = 0;

	for (uint32_t e = event; e != CTP_NONE && n < MAX_LAST; e = ctp_pred(x->c, e)) {
		const struct ctp_event *ev = ctp_at(x->c, e);

		for (uint32_t a = ev->first; a < ev->first + ev->n; a++)
			if (x->c->accesses.at[a].sym.id) {
				because_of_read(ch, a, 0);
				n++;
			}
	}
}

static void because_of_key(struct chooser *ch, uint32_t event)
{
	const struct ctp_event *e = ctp_at(ch->x->c, event);

	show_event(ch, event);
	if (ch->x->v->certain && schedule_fails_by_itself(ch->x->c, ch->x->v))
		because_of_last_reads(ch, event);
	if (ctp_is_guard(e->kind))
		because_of_term(ch, e->cond, 0);
	because_of_term(ch, e->operand, 0);
	for (uint32_t a = e->first; a < e->first + e->n; a++)
		because_of_term(ch, ch->x->c->accesses.at[a].value, MAX_DEPTH);
}

/* Guards before the key whose reads read from other writes than in the recorded run. */
static void because_of_changed_guards(struct chooser *ch, uint32_t key)
{
	struct explainer *x = ch->x;
	uint32_t found = 0;

	for (uint32_t e = key; (e = ctp_pred(x->c, e)) != CTP_NONE && found < MAX_TURNED;) {
		const struct term_syms *syms;

		if (!ctp_is_guard(ctp_at(x->c, e)->kind) || !bitset_has(&x->done, e))
			continue;
		syms = term_syms(x->c->ts, ctp_at(x->c, e)->cond);
		for (uint32_t i = 0; i < syms->n; i++) {
			uint64_t *at = map_get(&x->reader, syms->at[i].id);
			uint32_t a = at ? (uint32_t)*at : CTP_NONE;

			if (a == CTP_NONE || x->from[a] == x->recorded_from[a] ||
				bitset_has(&x->major, x->event_of[a]))
				continue;
			show_event(ch, x->event_of[a]);
			if (x->from[a] != CTP_NONE)
				show_event(ch, x->event_of[x->from[a]]);
			found++;
		}
	}
}

/* ---- what lies around ----------------------------------------------------------------------- */

static void show_locks_around(struct chooser *ch, uint32_t event)
{
	struct explainer *x = ch->x;
	struct vec_u32 held = {0};

	held_at(x, event, &held);
	vec_each (&held, i) {
		const struct ctp_region *g = &x->c->regions.at[held.at[i]];

		if (ctp_at(x->c, g->begin)->flags & CTP_RECURSIVE)
			continue;
		show_event(ch, g->begin);
		if (g->end != CTP_NONE && bitset_has(&x->done, g->end))
			show_event(ch, g->end);
	}
	vec_release(&held);
}

/* Shows where the lock that the key waits for was taken. */
static void show_holders(struct chooser *ch, uint32_t key)
{
	uint32_t r = bitset_has(&ch->x->done, key) ? CTP_NONE : blocking_region(ch->x, key);

	if (r != CTP_NONE)
		show_event(ch, ch->x->c->regions.at[r].begin);
}

/* Shows the read that made the thread wait, and the writes to its cell since. */
static void show_condition(struct chooser *ch, uint32_t wait)
{
	struct explainer *x = ch->x;
	const struct term_syms *syms;
	uint32_t e = wait;

	do
		e = ctp_pred(x->c, e);
	while (e != CTP_NONE && !ctp_is_guard(ctp_at(x->c, e)->kind));
	if (e == CTP_NONE)
		return;
	syms = term_syms(x->c->ts, ctp_at(x->c, e)->cond);
	for (uint32_t i = 0; i < syms->n && i < 2; i++) {
		uint64_t *at = map_get(&x->reader, syms->at[i].id);

		if (!at)
			continue;
		show_event(ch, x->event_of[*at]);
		for (uint32_t k = x->w->events.n; k-- > 0;) {
			uint32_t o = x->w->events.at[k];

			if (o == x->event_of[*at])
				break;
			if (ctp_at(x->c, o)->kind == CTP_WRITE &&
				x->c->accesses.at[ctp_at(x->c, o)->first].cell ==
					x->c->accesses.at[*at].cell)
				show_event(ch, o);
		}
	}
}

/* Shows the wait, and the last signals, which came before it. */
static void show_wakeups(struct chooser *ch, uint32_t key)
{
	struct explainer *x = ch->x;
	const struct ctp_event *e = ctp_at(x->c, key);
	uint32_t shown = 0;

	if ((e->kind != CTP_WOKEN && e->kind != CTP_TIMEOUT) || bitset_has(&x->done, key))
		return;
	if (ctp_wait(e) != CTP_NONE) {
		show_event(ch, ctp_wait(e));
		show_condition(ch, ctp_wait(e));
	}
	for (uint32_t i = x->w->events.n; i-- > 0 && shown < 2;) {
		const struct ctp_event *o = ctp_at(x->c, x->w->events.at[i]);

		if ((o->kind == CTP_SIGNAL || o->kind == CTP_BROADCAST) && o->object == e->object) {
			show_event(ch, x->w->events.at[i]);
			shown++;
		}
	}
}

/* Shows the joins of threads that have events to show; creations are listed with the threads. */
static void show_joins(struct chooser *ch)
{
	struct explainer *x = ch->x;

	vec_each (&x->w->events, i) {
		uint32_t e = x->w->events.at[i];
		const struct ctp_event *ev = ctp_at(x->c, e);

		if (ev->kind == CTP_JOIN && ctp_peer(ev) != CTP_NONE &&
			bitset_has(&ch->threads, ev->thread) && bitset_has(&ch->threads, ctp_peer(ev)))
			show_event(ch, e);
	}
}

static void show_minor_events(struct chooser *ch)
{
	struct explainer *x = ch->x;
	uint32_t n = 0;

	for (uint32_t i = x->w->events.n; i-- > 0 && n < MAX_MINOR;) {
		uint32_t e = x->w->events.at[i];
		enum ctp_kind k = ctp_at(x->c, e)->kind;

		if (ctp_is_guard(k) || k == CTP_BEGIN || bitset_has(&x->major, e) ||
			ctp_is_handover(ctp_at(x->c, e)))
			continue;
		bitset_add(&x->minor, e);
		n++;
	}
}

void choose_events(struct explainer *x)
{
	struct chooser ch = {.x = x};
	struct vec_u32 chosen = {0};

	for (uint32_t i = 0; i < x->v->nkeys; i++)
		because_of_key(&ch, x->v->key[i]);
	for (uint32_t i = 0; i < x->v->nkeys; i++) {
		show_holders(&ch, x->v->key[i]);
		show_wakeups(&ch, x->v->key[i]);
		because_of_changed_guards(&ch, x->v->key[i]);
	}
	bitset_each (&x->major, e)
		vec_push(&chosen, e);
	vec_each (&chosen, i)
		show_locks_around(&ch, chosen.at[i]);
	show_joins(&ch);
	show_minor_events(&ch);
	vec_release(&chosen);
	bitset_release(&ch.threads);
}
