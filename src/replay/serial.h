/*
 * The serial orders beside an atomicity violation: the same run with the other thread's access
 * before the transaction, and after it. If what the program does then (output, exit, fate) is never
 * what the violation did, nobody can say that the transactions were as good as serial.
 */
#ifndef HEDDLE_REPLAY_SERIAL_H
#define HEDDLE_REPLAY_SERIAL_H

#include "base/strbuf.h"
#include "replay/replay.h"

/* Appends what the comparison gave. `seen`: a quiet run of the violation; opt: how it was run. 1: every
 * serial order was run, and has another outcome; 0: not so; -1 after error_(). */
int serial_compare(const struct finding *f, const struct replay_options *opt,
	const struct replay_result *seen, struct strbuf *out);

#endif
