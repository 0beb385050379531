/*
 * The class of a decision that depends on the schedule: a bug, synchronization made by hand, or not
 * known. explain_flip.c has classified the flips that are failures by themselves.
 *
 * Check-then-act: the thread passed the guard, and then uses the data of the guard once more. If
 * the guard's condition can be false for the value at that time, the check did not protect the use.
 * A use is an update, a write, or a read whose value flows on; a read that is checked in the same
 * way is the next check, not a use.
 *
 * Lifetime: heap, branch_classes_free().
 */
#ifndef HEDDLE_PREDICT_BRANCH_CLASS_H
#define HEDDLE_PREDICT_BRANCH_CLASS_H

#include "finding/finding.h"
#include "model/model.h"

struct branch_classes;
struct branch_classes *branch_classes_new(const struct ctp *c, const struct mhb *mhb);
void branch_classes_free(struct branch_classes *b);
/* Fills class and reason of f->flip unless the values of the flip gave them already. Queries go to
 * the asker. */
void branch_classify(struct branch_classes *b, struct asker *a, uint32_t event, struct finding *f);

#endif
