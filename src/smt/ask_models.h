/*
 * Models of earlier queries, by number. The 16 most recently used ones are tried on a query before
 * a solver runs. Each of them keeps the truth values of the conjuncts that were evaluated under it,
 * so that on a longer path only new conjuncts are evaluated.
 *
 * Lifetime: heap, ask_models_free(); the terms must live longer.
 */
#ifndef HEDDLE_SMT_ASK_MODELS_H
#define HEDDLE_SMT_ASK_MODELS_H

#include "base/vec.h"
#include "term/term.h"

struct ask_models;

struct ask_models *ask_models_new(struct terms *ts);
void ask_models_free(struct ask_models *ms);
/* Adds a model and returns its number. The contents of *as are moved; *as is empty afterwards.
 * Numbers are valid until ask_models_drop(), which removes all models. */
uint32_t ask_models_put(struct ask_models *ms, struct term_assign *as);
void ask_models_drop(struct ask_models *ms);

/* a recent model that satisfies all terms of the set, or UINT32_MAX; the term `first` of the set is
 * evaluated first */
uint32_t ask_models_try(struct ask_models *ms, const struct vec_u32 *set, uint32_t first);
/* the value of a term under model i */
u128 ask_models_value(struct ask_models *ms, uint32_t i, term_t t);
const struct term_assign *ask_models_at(struct ask_models *ms, uint32_t i);

#endif
