/*
 * Answers that were found: sets of conjuncts that are satisfiable, with a model, and sets that are
 * not. A question is a set too: it is answered by the same set, by a satisfiable superset, by an
 * unsatisfiable subset. For the latter two only sets are looked at that have one of the question's
 * `keys`, the last few of them for each; cores make good subsets.
 *
 * Sets are sorted and have no element twice.
 */
#ifndef HEDDLE_SMT_ASK_CACHE_H
#define HEDDLE_SMT_ASK_CACHE_H

#include "base/vec.h"
#include "smt/sat.h"
#include "smt/term.h"

struct ask_cache;

enum { ASK_NO_MODEL = UINT32_MAX };

struct ask_known {
	enum sat_result result; /* SAT_UNKNOWN: it was asked before, and could not be decided */
	uint32_t model;         /* of SAT_SAT: the asker's number, or ASK_NO_MODEL */
};

struct ask_cache *ask_cache_new(void);
void ask_cache_free(struct ask_cache *c);
/* false if nothing is known of the set */
bool ask_cache_find(struct ask_cache *c, const struct vec_u32 *set, const struct vec_u32 *keys,
	struct ask_known *out);
/* whether the set has a subset that is unsatisfiable; no other answer is looked for */
bool ask_cache_refutes(struct ask_cache *c, const struct vec_u32 *set, const struct vec_u32 *keys);
void ask_cache_put(struct ask_cache *c, const struct vec_u32 *set, struct ask_known k);
/* time for ask_cache_drop(), which forgets everything */
bool ask_cache_full(const struct ask_cache *c);
void ask_cache_drop(struct ask_cache *c);

#endif
