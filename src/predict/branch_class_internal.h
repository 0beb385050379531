/* Private to branch_class.c, which classifies guards, and stale_check.c. */
#ifndef HEDDLE_PREDICT_BRANCH_CLASS_INTERNAL_H
#define HEDDLE_PREDICT_BRANCH_CLASS_INTERNAL_H

#include "base/map.h"
#include "base/strbuf.h"
#include "explain/branch.h"
#include "facts/spin.h"
#include "predict/activation.h"
#include "predict/branch_class.h"

enum { BRANCH_MAX_WRITES = 16 }; /* of one cell by other threads */

struct branch_classes {
	const struct ctp *c;
	const struct mhb *mhb;
	const struct ir_program *p; /* NULL in tests */
	struct spins *spins;        /* NULL without a program */
	struct activations ac;
	struct branch_places places;
	struct map reader; /* symbol -> access + 1 */
	uint32_t *event_of; /* by access */
};

/* The access that reads the symbol; CTP_NONE. */
uint32_t branch_access_of(const struct branch_classes *b, term_t sym);
/* The writes to the cell by other threads than `not_by`; at most BRANCH_MAX_WRITES. */
uint32_t branch_writes_of(const struct branch_classes *b, uint32_t cell, uint32_t not_by,
	uint32_t out[BRANCH_MAX_WRITES]);
void branch_add_thread(const struct branch_classes *b, uint32_t t, struct strbuf *out);

struct stale_search {
	struct branch_classes *b;
	struct asker *a;
	uint32_t left;     /* queries */
	double until;      /* of the clock */
	uint32_t undecided; /* a use whose query the solver did not decide; CTP_NONE */
	struct strbuf *out;
};

/* Whether data that the guard, or another instance of its branch, checked may have changed when the
 * thread uses it (stale_check.c). Appends the reason to k->out. */
bool stale_check_find(struct stale_search *k, uint32_t event);

#endif
