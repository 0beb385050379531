/*
 * From concurrent trace programs to findings: for every property its candidates, the cheap filters,
 * the queries, and for each violation a finding with its witness.
 *
 * One finding for one bug: candidates are grouped by what the user would call the same (kind, the
 * places in the source, the variable), and a group is done when one of its queries has a witness.
 */
#ifndef HEDDLE_PREDICT_PREDICT_H
#define HEDDLE_PREDICT_PREDICT_H

#include "base/map.h"
#include "model/model.h"
#include "finding/finding.h"

struct predict_options {
	uint32_t kinds; /* bits of enum finding_kind; 0 = all but BRANCH */
	enum model_kind model;
	int32_t switches; /* negative: unbounded; else at most that many */
	double seconds;   /* for everything; 0 = no limit */
	double query_seconds;
	uint64_t memory;
	uint32_t jobs;
	bool every; /* ask every group, also those that belong to the same bug as another one */
	const char *dump;
	/* places (func << 32 | insn) of branches that need not be asked, and the only ones that are; NULL */
	const struct map *skip, *only;
	/* told as soon as it is found; the finding belongs to the caller */
	void (*found)(void *ctx, struct finding *f);
	void (*progress)(void *ctx, const char *what, uint64_t done, uint64_t of);
	void *ctx;
};

struct predict_stats {
	uint64_t candidates, filtered, queries;
	uint64_t yes, no, bounded, unknown;
	uint32_t widest;
	double seconds;
	VEC(char *) limits; /* sentences for "what was not covered" */
	struct predict_kind_stats {
		uint64_t candidates, queries, found, unknown, bounded;
	} kind[FINDING_NKINDS];
};
void predict_stats_release(struct predict_stats *s);

/* 0, or -1 after error_() */
int predict(const struct ctp *c, const struct predict_options *opt, struct predict_stats *st);

#endif
