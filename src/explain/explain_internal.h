/*
 * Explanation of a violation, inside: what the parts of explain() share.
 *	explain.c          threads, summary, fingerprint, the whole finding
 *	explain_values.c   reads-from and values, in the witness and in the recorded run
 *	explain_choose.c   which events of the witness the finding shows
 *	explain_steps.c    events as sentences
 *	explain_parts.c    the parts of these sentences, and the source around them
 *	explain_flip.c     a decision that the schedule changes
 *	explain_notes.c    why the recorded run passed, why the order is possible
 *	explain_data.c     where the data lies, and the locks of its accesses
 *	explain_source.c   lines of the source
 *	schedule.c         the schedule for the real program
 *
 * Lifetime: phase, one call of explain().
 */
#ifndef HEDDLE_EXPLAIN_EXPLAIN_INTERNAL_H
#define HEDDLE_EXPLAIN_EXPLAIN_INTERNAL_H

#include "base/bitset.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "explain/violation.h"
#include "trace/names.h"

/* ---- lines of the source -------------------------------------------------------------------- */

struct source_file {
	char *name;          /* as in the debug information */
	char *text;          /* NULL: it cannot be read, or is newer than the program */
	VEC(uint32_t) lines; /* offsets of their first characters */
};
struct sources {
	VEC(struct source_file) files;
	VEC(char *) dirs; /* folders for relative names */
	int64_t built;    /* modification time of the program; 0 = not known */
};
void sources_init(struct sources *s, const struct ctp *c);
void sources_release(struct sources *s);
/* The line without the white space around it; NULL if it is not known. Free it. */
char *sources_line(struct sources *s, const char *file, uint32_t line);
/* The number of lines in [first, line) with the same text as `line`. */
uint32_t sources_repeats(struct sources *s, const char *file, uint32_t first, uint32_t line);

/* The lines first..last as they are in the file, as far as they exist; *last becomes the number of
 * the last one. NULL if the file is not known. Free it. */
char *sources_lines(struct sources *s, const char *file, uint32_t first, uint32_t *last);

/* ---- the explainer -------------------------------------------------------------------------- */

struct explainer {
	const struct ctp *c;
	const struct mhb *mhb; /* NULL in tests */
	const struct violation *v;
	const struct witness *w;
	struct finding *f;
	const struct ir_program *p; /* NULL in tests */
	struct names names;         /* if p */
	struct sources src;
	/* by access: the write that it reads from; CTP_NONE: the initial value */
	uint32_t *from, *recorded_from;
	uint32_t *event_of;         /* by access */
	uint32_t *place_of;         /* by event: its index in the witness; CTP_NONE: not executed */
	struct term_assign now;     /* values of symbols in the witness */
	struct map reader;          /* symbol -> access */
	struct bitset done;         /* events of the witness */
	struct bitset major, minor; /* events to show */
	struct bitset causes;       /* read accesses that the violation depends on */
	struct vec_u32 shown;       /* by step of the finding: its event */
};

void values_init(struct explainer *x);
void values_release(struct explainer *x);
/* The value that the access reads, in the witness or in the recorded run. */
u128 value_read(struct explainer *x, uint32_t access, bool recorded);
/* Appends the value that an event reads or writes, by its type; false: it has none. */
bool value_add(
	struct explainer *x, uint32_t event, bool written, bool recorded, struct strbuf *out);
u128 value_of(struct explainer *x, term_t t);

/* The heap block that the event uses in the witness; CTP_NONE. */
uint32_t block_of(struct explainer *x, uint32_t event);

/* Fills major, minor and causes. */
void choose_events(struct explainer *x);
/* Appends the critical sections that the event lies in. */
void held_at(const struct explainer *x, uint32_t event, struct vec_u32 *regions);
bool is_key(const struct explainer *x, uint32_t event);
/* The open critical section at the end of the witness that blocks the event; CTP_NONE. */
uint32_t blocking_region(const struct explainer *x, uint32_t event);

/* Fills finding.flip and the title; the class only where the flip itself is a failure. */
void explain_flip(struct explainer *x);
/* Fills finding.flip of an assertion whose failure is at another place than its guard. */
void explain_guard(struct explainer *x);

void explain_steps(struct explainer *x);
/* Fills the parts of each step that formats draw, and the finding's snippets; after the steps. */
void explain_parts(struct explainer *x);
/* "m", "q->lock": without the kind of object */
void add_object(const struct explainer *x, uint64_t object, struct strbuf *out);
/* "mutex 'm'" */
void add_object_kind(const struct explainer *x, uint64_t object, struct strbuf *out);
/* "bank.c:31" */
void add_place(const struct explainer *x, uint32_t event, struct strbuf *out);
/* "thread 2", "the main thread" */
void add_thread(const struct explainer *x, uint32_t thread, struct strbuf *out);

void explain_notes(struct explainer *x);
void note_add(struct explainer *x, const char *head, struct strbuf *text);
void note_location(struct explainer *x);
void note_uses(struct explainer *x, uint32_t event, struct strbuf *out);

/* ---- schedule.c ----------------------------------------------------------------------------- */

/* The thread of the first key fails when it continues: no goal is needed. */
bool schedule_fails_by_itself(const struct ctp *c, const struct violation *v);

#endif
