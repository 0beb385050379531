/*
 * Tries for locks and semaphores that another schedule makes fail, or succeed. What a try finds follows
 * from who took and gave back before: clauses over these operations, whatever the values.
 *
 * For locks that is exact. For semaphores the number of operations counts; asked are the plainest ways to
 * have one left, or none.
 */
#include "predict/branch_internal.h"

enum { TRY_REGIONS = 256 }; /* what a try is asked against */

static struct try_list *list_made(struct branching *b, uint64_t object)
{
	uint64_t *at = map_put(&b->lists_of, object);

	if (!*at) {
		vec_add(&b->lists);
		*at = b->lists.n;
	}
	return &b->lists.at[*at - 1];
}

void branching_tries_init(struct branching *b)
{
	vec_each (&b->c->regions, r)
		vec_push(&list_made(b, b->c->regions.at[r].object)->regions, r);
	vec_each (&b->c->events, e) {
		const struct ctp_event *ev = ctp_at(b->c, e);

		if (ev->kind == CTP_SEM_POST || ev->kind == CTP_SEM_WAIT)
			vec_push(&list_made(b, ev->object)->ops, e);
	}
}

void branching_tries_release(struct branching *b)
{
	vec_each (&b->lists, i) {
		vec_release(&b->lists.at[i].regions);
		vec_release(&b->lists.at[i].ops);
	}
	vec_release(&b->lists);
	map_release(&b->lists_of);
}

static const struct try_list *list_of(const struct branching *b, uint64_t object)
{
	static const struct try_list none;
	uint64_t at = map_get_or(&b->lists_of, object, 0);

	return at ? &b->lists.at[at - 1] : &none;
}

/* ---- locks ------------------------------------------------------------------------------------- */

/* The thread itself has the lock there. */
static bool holds_itself(const struct branching *b, uint32_t event)
{
	struct vec_u32 held = {0};
	bool found = false;

	mhb_held(b->cs->mhb, event, &held);
	vec_each (&held, i)
		found |= b->c->regions.at[held.at[i]].object == ctp_at(b->c, event)->object;
	vec_release(&held);
	return found;
}

/* It is over whenever the thread stands at the event. */
static bool is_over(const struct branching *b, const struct ctp_region *g, uint32_t event)
{
	uint32_t pred = ctp_pred(b->c, event);

	return g->end != CTP_NONE && pred != CTP_NONE &&
	       (g->end == pred || mhb_before(b->cs->mhb, g->end, pred));
}

/* It cannot have begun. */
static bool is_later(const struct branching *b, const struct ctp_region *g, uint32_t event)
{
	return g->begin != CTP_NONE &&
	       (g->begin == event || mhb_before(b->cs->mhb, event, g->begin));
}

/* Nobody has the lock: each of its regions has not begun, or is over. */
static void could_succeed(struct branching *b, uint32_t event)
{
	const struct vec_u32 *rs = &list_of(b, ctp_at(b->c, event)->object)->regions;
	struct candidate *k;
	uint32_t n = 0;

	vec_each (rs, i)
		n += !is_over(b, &b->c->regions.at[rs->at[i]], event) &&
		     !is_later(b, &b->c->regions.at[rs->at[i]], event);
	if (n > TRY_REGIONS) {
		candidates_limit(b->cs, "tries for locks that are taken more than %d times by "
					"others were not analysed", TRY_REGIONS);
		return;
	}
	if (!n || !(k = branching_add(b, event, CTP_NONE, 16 * n)))
		return;
	vec_each (rs, i) {
		const struct ctp_region *g = &b->c->regions.at[rs->at[i]];

		if (is_over(b, g, event) || is_later(b, g, event))
			continue;
		if (g->begin != CTP_NONE)
			query_add(&k->query,
				(struct atom){.kind = ATOM_RUN, .negated = true, .a = g->begin});
		if (g->end != CTP_NONE)
			query_add(&k->query, (struct atom){.kind = ATOM_RUN, .a = g->end});
		if (g->begin != CTP_NONE || g->end != CTP_NONE)
			query_end_clause(&k->query);
	}
}

/* Somebody else has the lock: one question for each region that keeps the try out. */
static void could_fail(struct branching *b, uint32_t event)
{
	const struct ctp_event *e = ctp_at(b->c, event);
	const struct vec_u32 *rs = &list_of(b, e->object)->regions;
	uint32_t n = 0;

	vec_each (rs, i) {
		const struct ctp_region *g = &b->c->regions.at[rs->at[i]];
		struct candidate *k;

		if (g->thread == e->thread || g->begin == CTP_NONE || is_over(b, g, event) ||
			is_later(b, g, event) || (e->kind == CTP_RDLOCK && g->shared))
			continue;
		if (++n > TRY_REGIONS) {
			candidates_limit(b->cs, "of tries for locks that are taken very often, %d "
						"holders each were analysed", TRY_REGIONS);
			return;
		}
		k = branching_add(b, event, g->begin, rank_distance(b->c, event, g->begin));
		if (!k)
			return;
		query_run(&k->query, g->begin);
		if (g->end == CTP_NONE)
			continue;
		query_add(&k->query, (struct atom){.kind = ATOM_RUN, .negated = true, .a = g->end});
		query_end_clause(&k->query);
	}
}

/* ---- semaphores -------------------------------------------------------------------------------- */

struct semaphore { /* as a thread finds it when it stands at a try */
	int64_t least;               /* value if nothing is done that need not have been */
	struct vec_u32 posts, waits; /* that may have been done, or not */
};

static bool read_semaphore(struct branching *b, uint32_t event, struct semaphore *s)
{
	const struct ctp_object *o = ctp_object(b->c, ctp_at(b->c, event)->object);
	const struct vec_u32 *ops = &list_of(b, ctp_at(b->c, event)->object)->ops;
	uint32_t pred = ctp_pred(b->c, event);

	if (!o || o->initial < 0)
		return false;
	s->least = o->initial;
	vec_each (ops, i) {
		uint32_t e = ops->at[i];
		bool post = ctp_at(b->c, e)->kind == CTP_SEM_POST;

		if (e == event || mhb_before(b->cs->mhb, event, e))
			continue;
		if (pred != CTP_NONE && (e == pred || mhb_before(b->cs->mhb, e, pred)))
			s->least += post ? 1 : -1;
		else if (post)
			vec_push(&s->posts, e);
		else
			vec_push(&s->waits, e);
	}
	return s->posts.n + s->waits.n <= TRY_REGIONS;
}

static void none_of(struct query *q, const struct vec_u32 *events)
{
	vec_each (events, i) {
		query_add(q, (struct atom){.kind = ATOM_RUN, .negated = true, .a = events->at[i]});
		query_end_clause(q);
	}
}

static void all_of(struct query *q, const struct vec_u32 *events)
{
	vec_each (events, i)
		query_run(q, events->at[i]);
}

/* It is not 0: nobody takes any, or one is posted and nobody takes any, or more are posted than can be
 * taken. */
static void sem_could_succeed(struct branching *b, uint32_t event, const struct semaphore *s)
{
	uint32_t cost = 16 * (s->posts.n + s->waits.n);
	struct candidate *k;

	if (s->least > 0 && (k = branching_add(b, event, CTP_NONE, cost)))
		none_of(&k->query, &s->waits);
	vec_each (&s->posts, i) {
		if (s->least < 0 || !(k = branching_add(b, event, s->posts.at[i], cost)))
			break;
		query_run(&k->query, s->posts.at[i]);
		none_of(&k->query, &s->waits);
	}
	if (s->posts.n && s->least + s->posts.n > s->waits.n &&
		(k = branching_add(b, event, CTP_NONE, 2 * cost)))
		all_of(&k->query, &s->posts);
}

/* It is 0: nothing is posted, and as many are taken as there were. */
static void sem_could_fail(struct branching *b, uint32_t event, const struct semaphore *s)
{
	uint32_t cost = 16 * (s->posts.n + s->waits.n);
	struct candidate *k;

	if (s->least == 0 && s->posts.n && (k = branching_add(b, event, CTP_NONE, cost)))
		none_of(&k->query, &s->posts);
	if (s->least == 1)
		vec_each (&s->waits, i) {
			if (!(k = branching_add(b, event, s->waits.at[i], cost)))
				break;
			query_run(&k->query, s->waits.at[i]);
			none_of(&k->query, &s->posts);
		}
	if (s->least > 1 && s->waits.n == s->least &&
		(k = branching_add(b, event, CTP_NONE, 2 * cost))) {
		all_of(&k->query, &s->waits);
		none_of(&k->query, &s->posts);
	}
	if (s->posts.n && s->waits.n == s->least + s->posts.n &&
		(k = branching_add(b, event, CTP_NONE, 2 * cost))) {
		all_of(&k->query, &s->waits);
		all_of(&k->query, &s->posts);
	}
}

static void try_semaphore(struct branching *b, uint32_t event)
{
	struct semaphore s = {0};

	if (!read_semaphore(b, event, &s))
		candidates_limit(b->cs, "tries for semaphores that are used very often, or whose "
					"first value is not known, were not analysed");
	else if (ctp_at(b->c, event)->kind == CTP_SEM_FAIL)
		sem_could_succeed(b, event, &s);
	else
		sem_could_fail(b, event, &s);
	vec_release(&s.posts);
	vec_release(&s.waits);
}

/* ---- all of them ------------------------------------------------------------------------------ */

void branching_try(struct branching *b, uint32_t event)
{
	const struct ctp_event *e = ctp_at(b->c, event);

	if (!branch_decides(b->c, event) || e->flags & (CTP_PENDING | CTP_RECURSIVE))
		return;
	switch ((enum ctp_kind)e->kind) {
	case CTP_SEM_FAIL:
	case CTP_SEM_WAIT: try_semaphore(b, event); break;
	case CTP_TRYFAIL:
		if (!holds_itself(b, event))
			could_succeed(b, event);
		break;
	case CTP_LOCK:
	case CTP_RDLOCK:
		if (!holds_itself(b, event))
			could_fail(b, event);
		break;
	default: break;
	}
}
