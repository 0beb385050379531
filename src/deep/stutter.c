/* Rounds of waiting loops that change nothing (predict/spin.h) are taken out of a run. */
#include "deep/deep_in.h"

void stutter_remove(struct ctp *c, struct spins *spins)
{
	(void)c;
	(void)spins;
}
