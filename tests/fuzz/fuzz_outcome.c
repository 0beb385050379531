/*
 * Any bytes as the memory that a program shares with heddle: the outcome of the run is refused, or each of
 * its numbers is one that heddle can use. The input is copied over the memory at the offset that its first
 * two bytes give, so that it meets the head, the outcome and the tables.
 */
#include "base/base.h"
#include "base/vec.h"
#include "log/format.h"
#include "replay/outcome.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { THREADS = 4, SWITCHES = 8 };

struct memory {
	struct sched_shared head;
	struct sched_thread threads[THREADS];
	uint64_t counts[THREADS];
	struct sched_switch switches[SWITCHES];
};

static void init_memory(struct memory *m)
{
	*m = (struct memory){.head = {.magic = SCHED_MAGIC,
				     .version = SCHED_VERSION,
				     .size = sizeof m->head,
				     .nthreads = 1,
				     .nsteps = 3,
				     .threads_at = offsetof(struct memory, threads),
				     .counts_at = offsetof(struct memory, counts),
				     .switches_at = offsetof(struct memory, switches),
				     .out = {.nthreads = 2,
					     .max_threads = THREADS,
					     .nswitches = 2,
					     .max_switches = SWITCHES,
					     .fate = SCHED_EXITED}}};
}

static void check_thread(uint32_t thread, uint32_t n)
{
	BUG_ON(thread >= n && thread != SCHED_NONE);
}

static void check_result(const struct replay_result *r)
{
	const struct sched_outcome *o = &r->out;
	uint32_t n = r->threads.n;

	BUG_ON(n != o->nthreads || n > THREADS || r->counts.n != n || r->switches.n != o->nswitches ||
		o->nswitches > SWITCHES || o->nwaits > SCHED_MAX_WAITS || o->fate > SCHED_STUCK ||
		!memchr(o->text, 0, sizeof o->text));
	check_thread(o->thread, n);
	check_thread(o->misuse.thread, n);
	for (uint32_t i = 1; i < n; i++)
		BUG_ON(r->threads.at[i].parent >= i && r->threads.at[i].parent != SCHED_NONE);
	vec_each (&r->switches, i)
		check_thread(r->switches.at[i].thread, n);
	for (uint32_t i = 0; i < o->nwaits; i++)
		BUG_ON(o->waits[i].kind >= LOG_NSYNC);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct memory *m = xmalloc(sizeof *m);
	struct replay_result r = {0};
	struct sched_shared own;
	uint16_t at = 0;

	init_memory(m);
	own = m->head;
	if (n >= sizeof at) {
		memcpy(&at, data, sizeof at);
		at = (uint16_t)(at % sizeof *m);
		memcpy((char *)m + at, data + sizeof at, MIN(n - sizeof at, sizeof *m - at));
	}
	if (!outcome_take(&r, &own, NULL, m))
		check_result(&r);
	replay_result_release(&r);
	free(m);
	return 0;
}
