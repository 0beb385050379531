#include "replay/outcome.h"

#include "base/vec.h"
#include "log/format.h"

#include <stddef.h>
#include <string.h>

/* Whether the number is that of a thread, or of none. */
static bool is_thread(uint32_t thread, uint32_t nthreads)
{
	return thread < nthreads || thread == SCHED_NONE;
}

static const char *check_numbers(const struct sched_outcome *o, const struct sched_shared *own)
{
	if (o->max_threads != own->out.max_threads || o->max_switches != own->out.max_switches)
		return "the size of a table has changed";
	if (o->nthreads < own->nthreads || o->nthreads > o->max_threads)
		return "the number of threads is impossible";
	if (o->nswitches > o->max_switches)
		return "the number of context switches is impossible";
	if (o->nwaits > SCHED_MAX_WAITS)
		return "the number of waiting threads is impossible";
	if (o->done > own->nsteps)
		return "the number of completed segments is impossible";
	if (o->fate > SCHED_STUCK || o->misuse.what > SCHED_RANGE_FREED ||
		o->memory[0].what > SCHED_UNMAPPED || o->memory[1].what > SCHED_UNMAPPED)
		return "the outcome is none of those that there are";
	return NULL;
}

static const char *check_outcome(const struct sched_outcome *o, const struct sched_shared *own)
{
	const char *wrong = check_numbers(o, own);
	uint32_t n = o->nthreads;

	if (wrong)
		return wrong;
	if (!is_thread(o->thread, n) || !is_thread(o->misuse.thread, n) ||
		!is_thread(o->memory[0].freed_by, n) || !is_thread(o->memory[1].freed_by, n))
		return "the outcome names a thread that does not exist";
	for (uint32_t i = 0; i < o->nwaits; i++)
		if (!is_thread(o->waits[i].thread, n) || !is_thread(o->waits[i].holder, n) ||
			o->waits[i].kind >= LOG_NSYNC)
			return "a waiting thread does not exist";
	return NULL;
}

/* The threads of the schedule keep the names that f gives them. Another thread comes after its
 * parent. */
static const char *take_threads(struct replay_result *res, const struct sched_shared *own,
	const struct finding *f, const char *memory)
{
	uint32_t n = res->out.nthreads;

	vec_resize(&res->threads, n);
	vec_resize(&res->counts, n);
	memcpy(res->threads.at, memory + own->threads_at, n * sizeof *res->threads.at);
	memcpy(res->counts.at, memory + own->counts_at, n * sizeof *res->counts.at);
	res->threads.at[0] = (struct sched_thread){SCHED_NONE, SCHED_NONE};
	for (uint32_t i = 1; f && i < f->threads.n; i++)
		res->threads.at[i] =
			(struct sched_thread){f->threads.at[i].parent, f->threads.at[i].nth};
	for (uint32_t i = own->nthreads; i < n; i++)
		if (res->threads.at[i].parent >= i && res->threads.at[i].parent != SCHED_NONE)
			return "the creator of a thread is impossible";
	return NULL;
}

static const char *take_switches(
	struct replay_result *res, const struct sched_shared *own, const char *memory)
{
	uint32_t n = res->out.nswitches;

	vec_resize(&res->switches, n);
	if (n)
		memcpy(res->switches.at, memory + own->switches_at, n * sizeof *res->switches.at);
	for (uint32_t i = 0; i < n; i++)
		if (!is_thread(res->switches.at[i].thread, res->out.nthreads))
			return "a context switch names a thread that does not exist";
	return NULL;
}

const char *outcome_take(struct replay_result *res, const struct sched_shared *own,
	const struct finding *f, const void *memory)
{
	struct sched_shared now;
	const char *wrong;

	memcpy(&now, memory, sizeof now);
	res->out = now.out;
	res->out.text[SCHED_TEXT - 1] = 0;
	if (memcmp(&now, own, offsetof(struct sched_shared, out)))
		wrong = "its head has changed";
	else
		wrong = check_outcome(&res->out, own);
	if (!wrong)
		wrong = take_threads(res, own, f, memory);
	return wrong ? wrong : take_switches(res, own, memory);
}
