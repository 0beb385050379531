/*
 * Loops that only wait: a thread that reaches a switch point again with the same state of the whole
 * machine need not run before another thread has run.
 */
#include "explore/explore_internal.h"

#include "base/bitset.h"

void loops_forget(struct explore *ex)
{
	if (ex->loop.mark)
		saved_free(ex->loop.mark);
	bitset_clear(&ex->loop.stuck);
	ex->loop.mark = NULL;
	ex->loop.since = 0;
	ex->loop.power = 1;
}

/*
 * If the state is the same as at the mark, the steps since then are a round of a loop that changes
 * nothing. The mark moves after distances that double (Brent 1980), so that loops of any length are
 * detected.
 */
void loops_note(struct explore *ex)
{
	struct machine *m = ex->m;

	if (ex->loop.mark && machine_same(m, ex->loop.mark)) {
		bitset_add(&ex->loop.stuck, m->current);
		if (!ex->loop.since) /* the round has one step */
			spin_note(&ex->sleep, m, m->threads.at[m->current]);
		return;
	}
	bitset_clear(&ex->loop.stuck);
	if (ex->loop.mark && ++ex->loop.since < ex->loop.power)
		return;
	if (ex->loop.mark)
		saved_free(ex->loop.mark);
	ex->loop.mark = machine_save(m);
	ex->loop.since = 0;
	ex->loop.power *= 2;
}

uint32_t loops_moving(struct explore *ex, const uint32_t *ready, uint32_t n, uint32_t *out)
{
	uint32_t k = 0;

	for (uint32_t i = 0; i < n; i++)
		if (!bitset_has(&ex->loop.stuck, ready[i]) &&
			!spin_waits(&ex->sleep, ex->m, ready[i]))
			out[k++] = ready[i];
	return k;
}
