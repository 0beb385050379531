/*
 * The serial orders of an atomicity violation: the same run with the other thread's access before
 * the transaction, and with it after the transaction. If the outcome (output, exit status, fault)
 * of the violation differs from both, the interleaving is not serializable by its effect.
 */
#ifndef HEDDLE_REPLAY_SERIAL_H
#define HEDDLE_REPLAY_SERIAL_H

#include "base/strbuf.h"
#include "replay/replay.h"

/* Runs both serial orders and appends the result of the comparison. `seen`: a quiet run of the
 * violation with the options opt. 1: both orders were run and have other outcomes; 0: one has
 * the same outcome or could not be run; -1 after error_(). */
int serial_compare(const struct finding *f, const struct replay_options *opt,
	const struct replay_result *seen, struct strbuf *out);

#endif
