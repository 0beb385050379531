/*
 * From recorded runs to reported findings: what `heddle check`, `heddle predict` and `heddle
 * branches` have in common. Each finding is replayed and reported as soon as it is there; the end
 * says what was covered and what was not.
 */
#ifndef HEDDLE_CLI_CHECKING_H
#define HEDDLE_CLI_CHECKING_H

#include "base/opt.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "deep/deep.h"
#include "explain/observed.h"
#include "predict/predict.h"
#include "finding/findings.h"

#include <stdio.h>

struct checking_args { /* options of the three commands */
	struct opt_list only, no;
	int model;
	int partition; /* 0: as needed, else 1 + enum partition_kind */
	uint64_t chunk, chunks;
	const char *switches; /* NULL: any number */
	uint64_t seconds, query_seconds, memory, jobs;
	const char *dump;
	const char *dir;
	bool json, full, no_replay;
};

#define CHECKING_OPTS(S, f)                                                                        \
	OPT_LIST(0, "only", S, f.only, "KIND",                                                     \
		"look for this kind only: assert, race, deadlock, ...;\n"                          \
		"may be repeated, or a list with commas"),                                         \
		OPT_LIST(0, "no", S, f.no, "KIND", "do not look for this kind"),                   \
		ASKING_OPTS(S, f)

#define ASKING_OPTS(S, f)                                                                          \
	OPT_CHOICE(0, "model", S, f.model, "ctp|mcm|control",                                      \
		"which runs are predicted: all that the data allows;\n"                            \
		"those in which every read has its recorded value;\n"                              \
		"or without regard to data (false ones included)"),                                \
		OPT_CHOICE(0, "partition", S, f.partition, "auto|cut|distributed|window",          \
			"how a long run is cut into chunks; auto: only if it must\n"               \
			"be, and distributed then"),                                               \
		OPT_NUMBER(0, "chunk", S, f.chunk, "N", 2, 100000,                                 \
			"events of a thread in a chunk, 1000 by default"),                         \
		OPT_NUMBER(0, "chunks", S, f.chunks, "N", 1, 1000000,                              \
			"look at N chunks at most, the most promising; 64 by\ndefault"),           \
		OPT_STRING(0, "switches", S, f.switches, "N",                                      \
			"only schedules with at most N context switches"),                         \
		OPT_NUMBER(0, "seconds", S, f.seconds, "N", 1, 1000000,                            \
			"time for prediction, 60 by default"),                                     \
		OPT_NUMBER(0, "query-seconds", S, f.query_seconds, "N", 1, 1000000,                \
			"time for one question to the solver, 10 by default"),                     \
		OPT_SIZE(0, "memory", S, f.memory, 1 << 20, UINT64_MAX / 2,                        \
			"memory for prediction, 1G by default"),                                   \
		OPT_NUMBER('j', "jobs", S, f.jobs, "N", 1, 1024,                                   \
			"processes for prediction; one for each processor by\ndefault"),           \
		OPT_STRING(0, "dump-smt", S, f.dump, "DIR",                                        \
			"write each question to the solver there, as SMT-LIB"),                    \
		OPT_STRING(0, "dir", S, f.dir, "DIR",                                              \
			"keep findings in DIR/.heddle; here by default"),                          \
		OPT_FLAG(0, "json", S, f.json, "print one JSON object"),                           \
		OPT_FLAG('v', "full", S, f.full, "show every step of each schedule"),              \
		OPT_FLAG(0, "no-replay", S, f.no_replay,                                           \
			"do not run the program again: findings stay predicted")

struct checking {
	const struct checking_args *a;
	/* checking_report(), checking_summary(); a command may have its own, set after opening */
	void (*report)(struct checking *c, const struct finding *f);
	void (*summary)(struct checking *c);
	void (*confirmed)(struct checking *c, struct finding *f); /* before it is kept; may be NULL */
	struct predict_options opt;
	struct findings *db;
	FILE *out; /* --json: what standard output was */
	VEC(struct finding *) found; /* in the order of discovery, one for a fingerprint */
	const char *input;           /* file with its standard input; NULL */
	uint32_t runs;               /* looked at */
	/* sums over the runs */
	struct predict_stats stats;
	uint64_t events, all_events, instructions, guards, fixed, threads;
	VEC(char *) limits; /* sentences, each once */
	uint32_t nonzero;   /* runs that exited with another status than 0 */
	int exit_status;
	bool left_out;      /* places that share data are in no chunk that was looked at */
	uint32_t harmless;  /* interleavings of atomic accesses that no replay showed to matter */
	uint32_t reused;    /* predictions that rest on memory used again, and that no replay showed */
	int ended_by;       /* a signal from outside that ended a run, or 0 */
	struct deep_stats *deep; /* of --deep; NULL */
	const struct ctp *at; /* the run under work */
	uint32_t chunk, nchunks; /* of it, from 1; 0: it is taken whole */
	uint32_t chunks;         /* looked at, of all runs */
	double shown;         /* when the progress line was written; 0: there is none */
	double began;
	double seconds;       /* for all prediction */
};

/* STATUS_NOTHING, or the exit code after error_(). With --json the program's output goes to standard
 * error from here on. */
int checking_open(struct checking *c, const struct checking_args *a, const char *input);
void checking_release(struct checking *c);
/* Recorded runs of one program, taken together. how: how each ended, NULL = by itself. -1 after
 * error_(). */
int checking_runs(
	struct checking *c, char *const *traces, const enum observed_end *how, uint32_t n);
/* The end of the report; the exit code. */
int checking_conclude(struct checking *c);
void checking_args_release(struct checking_args *a);

/* What `--seconds` leaves, of all calls of predict(). */
double checking_seconds_left(const struct checking *c);
/* One concurrent trace program: asks, tells. -1 after error_(). */
int checking_predict(struct checking *c, const struct ctp *ctp);
/* A finding from elsewhere: replayed, kept and reported, unless it is known. It is the caller's no more. */
void checking_found(struct checking *c, struct finding *f);
/* A sentence for what was not covered, once. */
void checking_limit(struct checking *c, const char *sentence);
void checking_progress(struct checking *c, const char *what, uint64_t done, uint64_t of);

/* checking_chunks.c: a run that is looked at in chunks; -1 after error_() */
int checking_chunks(struct checking *c, struct trace *t);

/* checking_report.c */
void checking_report(struct checking *c, const struct finding *f);
void checking_summary(struct checking *c);
void checking_json(struct checking *c);
uint32_t checking_count(const struct checking *c, enum finding_status s);
/* What was covered, and what was not: the lines behind the headline. */
void checking_coverage(const struct checking *c, struct strbuf *b);

#endif
