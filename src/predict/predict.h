/*
 * From a concurrent trace program to findings (Fusion, §4 and §5): properties propose candidates,
 * cheap filters drop most of them, queries decide the rest, and each witness becomes a finding.
 *
 * One finding for one bug: candidates that a user would call the same (kind, places in the source,
 * variable) are a group, and a group is done when one of its queries has a witness.
 */
#ifndef HEDDLE_PREDICT_PREDICT_H
#define HEDDLE_PREDICT_PREDICT_H

#include "base/map.h"
#include "base/vec.h"
#include "model/model.h"
#include "finding/finding.h"

struct predict_options {
	uint32_t kinds; /* bits of enum fault; 0 = all but BRANCH */
	enum model_kind model;
	enum model_encoding encoding;
	int32_t switches; /* negative: unbounded; else at most that many */
	double seconds;   /* for the whole prediction; 0 = no limit */
	double query_seconds;
	uint64_t memory;
	uint32_t jobs;
	bool all_paths; /* the caller runs the program for every other path: calls on state of the
			   library that have versions (bitcode/hidden_order.h) need no limit */
	bool every; /* ask every group, also those that belong to the same bug as another one */
	const char *dump;
	const volatile int *stop; /* not 0: end soon; may be NULL */
	/* places (func << 32 | insn): branches to leave out; if not NULL, the only branches to ask
	 */
	const struct map *skip, *only;
	/* called for each finding as soon as it exists; the finding belongs to the callee */
	void (*found)(void *ctx, struct finding *f);
	void (*progress)(void *ctx, const char *what, uint64_t done, uint64_t of);
	void *ctx;
};

/* A trace of up to so many events is asked as a whole if windows do not decide. A longer one is asked in
 * windows only, which lack what lies far apart. */
enum { PREDICT_DECIDED = 6000 };

struct predict_stats {
	uint64_t candidates, filtered, queries;
	uint64_t yes, no, bounded, unknown;
	uint32_t widest;
	double seconds;
	VEC(char *) limits; /* sentences about what was not analysed */
	struct predict_kind_stats {
		uint64_t candidates, queries, found, unknown, bounded;
	} kind[NPREDICTED];
};
void predict_stats_release(struct predict_stats *s);

/* 0, or -1 after error_() */
int predict(const struct ctp *c, const struct predict_options *opt, struct predict_stats *st);

#endif
