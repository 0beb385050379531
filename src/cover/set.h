/*
 * A computed set of schedules as text and numbers: what `heddle cover` prints, and keeps in
 * `.heddle/cover` (docs/formats.md). It does not depend on the program: a stored set can be shown without it.
 *
 * Lifetime: heap, set_free().
 */
#ifndef HEDDLE_COVER_SET_H
#define HEDDLE_COVER_SET_H

#include "base/strbuf.h"
#include "base/vec.h"
#include "cover/cover.h"

struct set_node {
	uint32_t thread;
	char *op, *at; /* "lock", "queue.c:18" (may be empty) */
	uint32_t count;
};

struct set_edge { /* a node happens before another: threads, and nodes by their number in the thread */
	uint32_t from, from_node, to, to_node;
};

struct set_schedule {
	char *end; /* "exit", "epoch", "deadlock", "failure" */
	int next;  /* index of the epoch that follows, or -1 */
	uint32_t paths, threads;
	VEC(struct set_node) nodes; /* thread by thread, in order */
	VEC(struct set_edge) edges; /* by rising `to`, `to_node` */
	VEC(char *) when;           /* a disjunction, each an SMT-LIB term */
};

struct set_epoch {
	char *places; /* where its threads are */
	uint32_t states;
	VEC(struct set_schedule) schedules;
};

struct set_note { /* a reason why inputs are not covered, or a failure */
	uint32_t epoch;
	char *kind; /* "not covered", "deadlock", "failure" */
	char *text;
	char *inputs; /* of a failure: inputs that lead there; empty: none are known */
};

struct set {
	char *program;
	bool complete;
	uint64_t paths, milliseconds;
	VEC(char *) markers;
	VEC(struct set_epoch) epochs;
	VEC(struct set_note) notes;
};

struct set_counts {
	uint32_t epochs, schedules, least, most, deadlocks, failures, missing;
	double average;
};

/* The results of a search that has run. */
struct set *set_of(struct cover *c, const char *program, bool complete, double seconds);
void set_free(struct set *s);
void set_count(const struct set *s, struct set_counts *out);

/* The set of `dir`/.heddle/cover; NULL after error_(). */
struct set *set_read(const char *dir);
/* Replaces it; -1 after error_(). */
int set_write(const struct set *s, const char *dir);

/* Text of one epoch, or of one of its schedules (from 0; UINT32_MAX: all). */
void set_print_epoch(const struct set *s, uint32_t epoch, uint32_t schedule, struct strbuf *out);
/* Markers and all epochs. */
void set_print(const struct set *s, struct strbuf *out);
void set_print_json(const struct set *s, struct strbuf *out);
/* The epochs and their schedules as a graph for Graphviz. */
void set_print_dot(const struct set *s, struct strbuf *out);

#endif
