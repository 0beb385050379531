/*
 * Models that satisfied some question: kept by number, the last of them tried on the next question
 * before a solver is. What a recent one makes of a conjunct is remembered with it, so trying it
 * again on a path that grew evaluates what is new.
 */
#ifndef HEDDLE_SMT_ASK_MODELS_H
#define HEDDLE_SMT_ASK_MODELS_H

#include "base/vec.h"
#include "smt/term.h"

struct ask_models;

struct ask_models *ask_models_new(struct terms *ts);
void ask_models_free(struct ask_models *ms);
/* Its number; what *as has is moved. Numbers are valid until ask_models_drop(). */
uint32_t ask_models_put(struct ask_models *ms, struct term_assign *as);
void ask_models_drop(struct ask_models *ms);

/* a recent one under which all of the set hold, or UINT32_MAX; `first` is looked at first */
uint32_t ask_models_try(struct ask_models *ms, const struct vec_u32 *set, uint32_t first);
/* whether model number i satisfies all of the set */
bool ask_models_holds(struct ask_models *ms, uint32_t i, const struct vec_u32 *set);
u128 ask_models_value(struct ask_models *ms, uint32_t i, term_t t);
const struct term_assign *ask_models_at(struct ask_models *ms, uint32_t i);

#endif
