/*
 * Input-covering schedules (paper 000): a small set of schedules such that every input can be executed
 * under one of them. A run is divided into bounded epochs by markers (markers.h); this computes the
 * markers, the schedules of the epoch at the program's entry, and the epochs that follow it. A program
 * without markers has one epoch: then the schedules cover all its inputs.
 *
 * Assumptions: no data races, and a bounded number of threads (section 8). Lifetime: heap,
 * cover_free(); the program must live longer.
 */
#ifndef HEDDLE_COVER_COVER_H
#define HEDDLE_COVER_COVER_H

#include "cover/epoch.h"

struct cover_options {
	struct epoch_options epoch;
	struct marker_options markers;
};

struct cover;

/* Makes the facts about the program and its entry epoch; NULL after error_(). */
struct cover *cover_new(const struct ir_program *p, const struct cover_options *opt);
void cover_free(struct cover *c);
/* Searches the entry epoch; 0 if its schedules cover every input, else -1. */
int cover_run(struct cover *c);
struct epoch *cover_entry(struct cover *c);
const struct markers *cover_markers(const struct cover *c);

#endif
