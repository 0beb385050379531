/*
 * A second opinion on queries: the formula of the Fusion paper (§4.2, prefixes of §5.3), built from
 * the whole trace program and decided by Z3.
 *
 *	Φ_PO    program order, creation, joins, barriers, once, lifetimes
 *	Φ_VD    definitions of variables, and path conditions: a guard that is executed holds
 *	Φ_PI    π-functions: a use has the value of the last definition before it
 *	Φ_PRP   the query
 *
 * Each event t has a position O(t), an integer, and a path condition g(t), "t is executed"; g(t)
 * implies g of the event before it, so that the linearizations are prefixes and an event that is
 * not executed restricts no other. Synchronization operations are guarded assignments to variables
 * (§3.1): a lock that is taken was 0, a semaphore is decremented if it is greater than 0.
 *
 * The encoding shares no code with that of model.h: no facts, no clocks, no lemmas, no windows. It
 * is slow, and it is simple. What it cannot express is UNKNOWN, with the reason.
 *
 * Lifetime: heap, cssa_free(); refers to the trace program.
 */
#ifndef HEDDLE_MODEL_CSSA_H
#define HEDDLE_MODEL_CSSA_H

#include "base/vec.h"
#include "model/model.h"
#include "smt/sat.h"

struct cssa;

struct cssa *cssa_new(const struct ctp *c, enum model_kind kind);
void cssa_free(struct cssa *z);
/*
 * Decides a query about linearizations of the whole trace program. SAT_SAT: *events is one, in
 * order, not yet executed (simulate.h). SAT_UNKNOWN: *why is the reason (static). Cubic in the
 * definitions of one variable.
 */
enum sat_result cssa_decide(struct cssa *z, const struct query *q, const struct model_limits *lim,
	struct vec_u32 *events, const char **why);

#endif
