#include "trace/history.h"

#include "log/words.h"

#include <errno.h>

void history_init(struct history *h, uint32_t nthreads)
{
	*h = (struct history){0};
	vec_resize(&h->threads, nthreads);
	vec_each (&h->threads, t)
		h->threads.at[t].parent = LOG_NONE;
}

void history_release(struct history *h)
{
	vec_each (&h->threads, t) {
		vec_release(&h->threads.at[t].events);
		stacks_release(&h->threads.at[t].stacks);
	}
	vec_release(&h->threads);
}

const char *sync_kind_name(uint8_t kind)
{
	return kind == SYNC_BEGIN ? "begin" : kind == SYNC_END ? "end" : log_sync_text(kind);
}

bool sync_is_lock(uint8_t kind)
{
	switch (kind) {
	case LOG_S_LOCK:
	case LOG_S_TRYLOCK:
	case LOG_S_RDLOCK:
	case LOG_S_WRLOCK:
	case LOG_S_TRYRDLOCK:
	case LOG_S_TRYWRLOCK:
	case LOG_S_SPIN_LOCK:
	case LOG_S_SPIN_TRYLOCK: return true;
	default: return false;
	}
}

bool sync_succeeded(const struct sync_event *e)
{
	switch (e->kind) {
	case LOG_S_LOCK:
	case LOG_S_TRYLOCK: return !e->result || e->result == EOWNERDEAD;
	case LOG_S_COND_WOKEN: return e->result != EPERM && e->result != EINVAL;
	case LOG_S_BARRIER_LEAVE: return !e->result || e->result == -1;
	case LOG_S_FORK: return e->result >= 0;
	default: return !e->result;
	}
}

bool sync_is_stamped(const struct sync_thread *t, uint32_t event)
{
	return !event || t->events.at[event].tsc != t->events.at[event - 1].tsc;
}

bool sync_is_double(const struct sync_event *e)
{
	switch (e->kind) {
	case LOG_S_COND_WAIT:
	case LOG_S_COND_WOKEN:
	case LOG_S_COND_SIGNAL:
	case LOG_S_COND_BROADCAST: return e->flags & LOG_F_EXTRA;
	default: return false;
	}
}
