#include "trace/locksets.h"

#include "base/base.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

void locksets_init(struct locksets *s)
{
	*s = (struct locksets){.lock = PTHREAD_MUTEX_INITIALIZER};
	vec_push(&s->at, (struct lockset){0});
}

void locksets_release(struct locksets *s)
{
	vec_each (&s->at, i)
		free(s->at.at[i].at);
	vec_release(&s->at);
	map_release(&s->by_hash);
	map_release(&s->meets);
}

static uint32_t intern_locked(struct locksets *s, const uint64_t *locks, uint32_t n)
{
	uint64_t hash = hash_bytes(locks, n * sizeof *locks), *v;
	struct lockset set;

	if (!n)
		return 0;
	for (;; hash++) {
		v = map_put(&s->by_hash, hash);
		if (!*v)
			break;
		if (s->at.at[*v].n == n && !memcmp(s->at.at[*v].at, locks, n * sizeof *locks))
			return (uint32_t)*v;
	}
	set = (struct lockset){xmalloc(n * sizeof *locks), n};
	memcpy(set.at, locks, n * sizeof *locks);
	*v = s->at.n;
	vec_push(&s->at, set);
	return s->at.n - 1;
}

/* locks: addresses, ascending and distinct. */
static uint32_t lockset_intern(struct locksets *s, const uint64_t *locks, uint32_t n)
{
	uint32_t id;

	pthread_mutex_lock(&s->lock);
	id = intern_locked(s, locks, n);
	pthread_mutex_unlock(&s->lock);
	return id;
}

static uint32_t meet_locked(struct locksets *s, uint32_t a, uint32_t b)
{
	uint64_t *v = map_put(&s->meets, (uint64_t)MIN(a, b) << 32 | MAX(a, b));
	VEC(uint64_t) both = {0};
	uint32_t id;

	if (*v)
		return (uint32_t)*v - 1;
	for (uint32_t i = 0, j = 0; i < s->at.at[a].n && j < s->at.at[b].n;) {
		uint64_t x = s->at.at[a].at[i], y = s->at.at[b].at[j];

		if (x == y)
			vec_push(&both, x);
		i += x <= y;
		j += y <= x;
	}
	id = intern_locked(s, both.at, both.n);
	*v = id + 1ull;
	vec_release(&both);
	return id;
}

uint32_t lockset_meet(struct locksets *s, uint32_t a, uint32_t b)
{
	uint32_t id;

	if (a == b || b == LOCKSET_ALL)
		return a;
	if (a == LOCKSET_ALL || !b)
		return b;
	if (!a)
		return a;
	pthread_mutex_lock(&s->lock);
	id = meet_locked(s, a, b);
	pthread_mutex_unlock(&s->lock);
	return id;
}

const struct lockset *lockset_get(const struct locksets *s, uint32_t id)
{
	return &s->at.at[id == LOCKSET_ALL ? 0 : id];
}

/* ---- locks of one thread -------------------------------------------------------------------- */

static int compare_u64(const void *x, const void *y)
{
	uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;

	return a < b ? -1 : a > b;
}

static void held_changed(struct held *h, struct locksets *s)
{
	uint64_t few[16], *set = h->locks.n > 16 ? xmalloc(h->locks.n * sizeof *set) : few;
	uint32_t n = 0;

	vec_each (&h->locks, i) {
		bool twice = false;

		for (uint32_t k = 0; k < n; k++)
			twice |= set[k] == h->locks.at[i];
		if (!twice)
			set[n++] = h->locks.at[i];
	}
	if (n > 1)
		qsort(set, n, sizeof *set, compare_u64);
	h->set = lockset_intern(s, set, n);
	if (set != few)
		free(set);
}

static bool drop_lock(struct held *h, uint64_t lock)
{
	for (uint32_t i = h->locks.n; i--;) {
		if (h->locks.at[i] == lock) {
			memmove(&h->locks.at[i], &h->locks.at[i + 1],
				(h->locks.n - i - 1) * sizeof *h->locks.at);
			h->locks.n--;
			return true;
		}
	}
	return false;
}

void held_step(struct held *h, struct locksets *s, const struct sync_event *e)
{
	bool changed = false;

	if (sync_is_lock(e->kind) && (changed = sync_succeeded(e)))
		vec_push(&h->locks, e->object);
	switch (e->kind) {
	case LOG_S_UNLOCK:
	case LOG_S_RW_UNLOCK:
	case LOG_S_SPIN_UNLOCK: changed = sync_succeeded(e) && drop_lock(h, e->object); break;
	case LOG_S_CREATE: h->others += sync_succeeded(e); break;
	case LOG_S_JOIN: h->others -= sync_succeeded(e) && h->others; break;
	case LOG_S_COND_WAIT: changed = drop_lock(h, e->value); break;
	case LOG_S_COND_WOKEN:
		if ((changed = sync_succeeded(e)))
			vec_push(&h->locks, e->value);
		break;
	default: break;
	}
	if (changed)
		held_changed(h, s);
}

uint32_t held_meet(struct held *h, struct locksets *s, uint32_t with)
{
	uint64_t *v;

	if (h->first && !h->others)
		return with;
	if (with == h->set || with == LOCKSET_ALL)
		return h->set;
	if (!with || !h->set)
		return 0;
	v = map_put(&h->meets, (uint64_t)with << 32 | h->set);
	if (!*v)
		*v = lockset_meet(s, with, h->set) + 1ull;
	return (uint32_t)*v - 1;
}

void held_release(struct held *h)
{
	vec_release(&h->locks);
	map_release(&h->meets);
}
