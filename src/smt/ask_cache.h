/*
 * The cache of decided queries: sets of conjuncts that are satisfiable, with the number of a model,
 * and sets that are unsatisfiable. A query is a set too. It is decided by an equal set, by a
 * satisfiable superset, or by an unsatisfiable subset; unsatisfiable cores make good subsets.
 * Supersets and subsets are searched only among the last 8 sets of each answer that contain an
 * element of `keys`, which is a subset of the query.
 *
 * Sets are sorted vectors of term ids without duplicates. Lifetime: heap, ask_cache_free().
 */
#ifndef HEDDLE_SMT_ASK_CACHE_H
#define HEDDLE_SMT_ASK_CACHE_H

#include "base/vec.h"
#include "smt/sat.h"
#include "term/term.h"

struct ask_cache;

enum { ASK_NO_MODEL = UINT32_MAX };

struct ask_known {
	enum sat_result result; /* SAT_UNKNOWN: an earlier query with this set was not decided */
	uint32_t model;         /* after SAT_SAT: its number in ask_models.h, or ASK_NO_MODEL */
	double seconds;         /* after SAT_UNKNOWN: the time that the solvers had */
};

struct ask_cache *ask_cache_new(void);
void ask_cache_free(struct ask_cache *c);
/* false if the cache does not decide the set */
bool ask_cache_find(struct ask_cache *c, const struct vec_u32 *set, const struct vec_u32 *keys,
	struct ask_known *out);
/* whether the cache has an unsatisfiable subset of the set */
bool ask_cache_refutes(struct ask_cache *c, const struct vec_u32 *set, const struct vec_u32 *keys);
/* Adds the set, or replaces its answer. */
void ask_cache_put(struct ask_cache *c, const struct vec_u32 *set, struct ask_known k);
/* whether the cache is at its limit of memory: call ask_cache_drop(), which removes all sets */
bool ask_cache_full(const struct ask_cache *c);
void ask_cache_drop(struct ask_cache *c);

#endif
