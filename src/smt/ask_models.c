#include "smt/ask_models.h"

#include "base/base.h"
#include "base/map.h"

#include <stdlib.h>

enum { RECENT = 16 };

struct recent {
	uint32_t model;
	struct map truth; /* conjunct -> 1 false, 2 true under the model; absent: not evaluated */
};

struct ask_models {
	struct terms *ts;
	VEC(struct term_assign *) all; /* by number; without memo and stamp */
	struct recent recent[RECENT];  /* the most recently used first */
	uint32_t n_recent;
	struct term_assign scratch; /* has the memo and stamp for the model that is evaluated */
};

struct ask_models *ask_models_new(struct terms *ts)
{
	struct ask_models *ms = xcalloc(1, sizeof *ms);

	ms->ts = ts;
	term_assign_init(&ms->scratch, ts);
	return ms;
}

void ask_models_drop(struct ask_models *ms)
{
	vec_each (&ms->all, i) {
		term_assign_release(ms->all.at[i]);
		free(ms->all.at[i]);
	}
	vec_clear(&ms->all);
	for (uint32_t i = 0; i < ms->n_recent; i++)
		map_release(&ms->recent[i].truth);
	ms->n_recent = 0;
}

void ask_models_free(struct ask_models *ms)
{
	if (!ms)
		return;
	ask_models_drop(ms);
	vec_release(&ms->all);
	term_assign_release(&ms->scratch);
	free(ms);
}

static void to_front(struct ask_models *ms, uint32_t i)
{
	struct recent r = ms->recent[i];

	for (; i; i--)
		ms->recent[i] = ms->recent[i - 1];
	ms->recent[0] = r;
}

uint32_t ask_models_put(struct ask_models *ms, struct term_assign *as)
{
	struct term_assign *m = xmalloc(sizeof *m);
	uint32_t last = ms->n_recent;

	*m = *as;
	term_assign_init(as, ms->ts);
	/* evaluation uses the memo and stamp of ms->scratch */
	vec_release(&m->memo);
	vec_release(&m->stamp);
	vec_push(&ms->all, m);
	if (last < RECENT)
		ms->n_recent++;
	else
		map_release(&ms->recent[--last].truth);
	ms->recent[last] = (struct recent){.model = ms->all.n - 1};
	to_front(ms, last);
	return ms->all.n - 1;
}

/* Model i with the memo and stamp of ms->scratch, in a new epoch: values of another model are
 * invalid. give_back() ends the use. */
static struct term_assign *borrow_model(struct ask_models *ms, uint32_t i)
{
	struct term_assign *m = ms->all.at[i];

	m->memo = ms->scratch.memo;
	m->stamp = ms->scratch.stamp;
	m->epoch = ++ms->scratch.epoch;
	return m;
}

static void give_back(struct ask_models *ms, struct term_assign *m)
{
	ms->scratch.memo = m->memo;
	ms->scratch.stamp = m->stamp;
	m->memo.at = NULL;
	m->memo.n = m->memo.cap = 0;
	m->stamp = (struct vec_u32){0};
}

u128 ask_models_value(struct ask_models *ms, uint32_t i, term_t t)
{
	struct term_assign *m = borrow_model(ms, i);
	u128 v = term_value(m, t);

	give_back(ms, m);
	return v;
}

const struct term_assign *ask_models_at(struct ask_models *ms, uint32_t i)
{
	BUG_ON(i >= ms->all.n);
	return ms->all.at[i];
}

/* Whether a term of the set is known to be false under the model; else *open are the terms to
 * evaluate. Most models are rejected here, without an evaluation. */
static bool known_false(const struct recent *r, const struct vec_u32 *set, struct vec_u32 *open)
{
	vec_clear(open);
	vec_each (set, i) {
		uint64_t *at = map_get(&r->truth, set->at[i]);

		if (at && *at == 1)
			return true;
		if (!at)
			vec_push(open, set->at[i]);
	}
	return false;
}

static bool satisfies_all(struct ask_models *ms, struct recent *r, const struct vec_u32 *open)
{
	struct term_assign *m = borrow_model(ms, r->model);
	bool all = true;

	for (uint32_t i = 0; i < open->n && all; i++) {
		all = term_value(m, (term_t){open->at[i]});
		*map_put(&r->truth, open->at[i]) = all ? 2 : 1;
	}
	give_back(ms, m);
	return all;
}

uint32_t ask_models_try(struct ask_models *ms, const struct vec_u32 *set, uint32_t first)
{
	static const struct vec_u32 none;
	struct vec_u32 open = none, front = {.at = &first, .n = 1, .cap = 1};
	uint32_t found = UINT32_MAX;

	for (uint32_t i = 0; i < ms->n_recent && found == UINT32_MAX; i++) {
		struct recent *r = &ms->recent[i];

		if (known_false(r, &front, &open) || !satisfies_all(ms, r, &open) ||
			known_false(r, set, &open) || !satisfies_all(ms, r, &open))
			continue;
		found = r->model;
		to_front(ms, i);
	}
	vec_release(&open);
	return found;
}
