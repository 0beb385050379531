/*
 * Input-covering schedules (paper 000): a small set of schedules such that every input can be executed
 * under one of them. A run is divided into bounded epochs by markers (markers.h); each epoch has
 * schedules of its own (search.h).
 *
 * Assumptions: no data races, and a bounded number of threads (section 8). Lifetime: heap,
 * cover_free(); the program must live longer.
 */
#ifndef HEDDLE_COVER_COVER_H
#define HEDDLE_COVER_COVER_H

#include "cover/search.h"

struct cover_options {
	struct search_options search;
	struct marker_options markers;
};

struct cover;

/* Makes the facts about the program and its entry epoch; NULL after error_(). */
struct cover *cover_new(const struct ir_program *p, const struct cover_options *opt);
void cover_free(struct cover *c);
/* Searches all epochs; 0 if their schedules cover every input, else -1. */
int cover_run(struct cover *c);
struct search *cover_search(struct cover *c);
const struct markers *cover_markers(const struct cover *c);

#endif
