/*
 * A finding, with everything that a report, a replay or another run needs to know of it: plain data,
 * strings and numbers, no reference to the trace that it came from. predict makes them, replay
 * confirms them, report prints them, findings.h keeps them.
 *
 * Lifetime: heap; strings are owned (xstrdup). finding_free().
 */
#ifndef HEDDLE_FINDING_FINDING_H
#define HEDDLE_FINDING_FINDING_H

#include "base/base.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "log/faults.h"

/*
 * PREDICTED:    the solver has a witness; not (yet) seen on the real program
 * CONFIRMED:    the replay showed it
 * OBSERVED:     the recorded run itself showed it
 * DIVERGED:     the replay left the schedule: stays predicted, `divergence` says why
 * MACHINE_ONLY: seen on heddle's machine; the real program shows no sign of such a fault
 */
#define FINDING_STATUSES(X)                                                                        \
	X(PREDICTED, "predicted")                                                                  \
	X(CONFIRMED, "confirmed")                                                                  \
	X(OBSERVED, "observed")                                                                    \
	X(DIVERGED, "diverged")                                                                    \
	X(MACHINE_ONLY, "machine only")

enum finding_status {
#define X(id, word) FINDING_##id,
	FINDING_STATUSES(X)
#undef X
		FINDING_NSTATUSES
};
extern const char *const finding_status_words[FINDING_NSTATUSES];

struct testcase; /* testcase.h */

struct finding_place {
	char *file, *function; /* NULL if not known */
	uint32_t line, col;
};

struct finding_thread {
	uint32_t parent, nth; /* as log/schedule.h names threads; UINT32_MAX for the main one */
	char *name;           /* "main", "worker" */
	struct finding_place created;
};

enum { /* finding_step.flags */
	STEP_KEY = 1,   /* one of the events that make the finding */
	STEP_LAST = 2,  /* where the thread stands in the end: not executed yet */
	STEP_SWITCHED = 4, /* another thread ran before it */
	STEP_MINOR = 8,  /* of no importance: for the full report */
};
struct finding_step { /* an event worth showing, in the order of the witness */
	uint32_t thread;
	uint32_t flags;
	uint64_t point; /* log/schedule.h */
	struct finding_place place;
	char *source;  /* the line of the program, trimmed; NULL if it cannot be read */
	char *what;    /* "reads balance = 100", "locks m", "frees 16 bytes": what it does, with values */
	char *recorded; /* what it did in the recorded run, where that is different; NULL */
	VEC(struct finding_place) stack; /* innermost first */
};

struct finding_note {
	char *head; /* "why the recorded run passed", "why this order is possible", "location", … */
	char *text; /* one or more lines */
};

/* What decides: a branch, or what works like one. FLIP(ID, word) */
#define FLIP_KINDS(X)                                                                              \
	X(NONE, "")                                                                                \
	X(IF, "branch")                                                                            \
	X(SWITCH, "switch")                                                                        \
	X(CALL, "indirect call")                                                                   \
	X(POINTER, "pointer dereference")                                                          \
	X(INDEX, "array index")                                                                    \
	X(BOUNDS, "bounds")                                                                        \
	X(DIVISOR, "divisor")                                                                      \
	X(ASSERT, "assertion")                                                                     \
	X(TRY, "try")
enum flip_kind {
#define X(id, word) FLIP_##id,
	FLIP_KINDS(X)
#undef X
		FLIP_NKINDS
};
extern const char *const flip_kind_words[FLIP_NKINDS];

#define FLIP_CLASSES(X)                                                                            \
	X(UNCLEAR, "unclear") /* intended, or nobody knows */                                      \
	X(ADHOC, "adhoc")     /* synchronization made by hand */                                   \
	X(BUG, "bug")         /* the flip leads to a failure, or the check is stale at the act */
enum flip_class {
#define X(id, word) FLIP_##id,
	FLIP_CLASSES(X)
#undef X
		FLIP_NCLASSES
};
extern const char *const flip_class_words[FLIP_NCLASSES];

struct finding_flip { /* of a BRANCH */
	uint32_t kind;    /* enum flip_kind */
	uint32_t class_;  /* enum flip_class */
	char *why;        /* of the class: half a sentence */
	char *recorded, *flipped; /* "true", "case 3", "node->next = 0x… (list.c:12)", "index 4" */
	uint32_t thread;  /* that decides */
	uint32_t func, insn; /* of the program (ir): the instruction that decides */
	uint64_t index;   /* instructions that the thread has executed before it, in both runs */
	uint64_t value;   /* of the operand that decides, in the recorded run: the condition (0, 1), the value
			     of the switch, the address, the function, the divisor; its low 64 bits. Of
			     a try what it returned: 0 if it got it */
	char *address;    /* of an address or function: its name (trace/address.h), by which runs are
			     compared; NULL: not known */
	uint64_t point;   /* of log/schedule.h: when the thread stands there, it is decided */
	uint64_t instances; /* how often the recorded run decided there, by values of others */
};

struct finding_move {
	uint32_t thread;
	uint64_t until;
};

struct finding {
	char name[16]; /* "H3"; "" until it has one */
	enum fault kind;
	enum finding_status status;
	uint64_t fingerprint; /* of kind, places by function and line text, names: stable across runs */
	char *title;   /* "data race on 'counter'" */
	char *summary; /* "balance.c:31 in 'deposit'" */
	VEC(struct finding_thread) threads;
	VEC(struct finding_step) steps;
	VEC(struct finding_note) notes;
	/* the witness, for the real program: log/schedule.h */
	VEC(struct finding_move) moves;
	uint32_t goal; /* enum sched_goal */
	uint32_t a, b;
	uint64_t at_a, at_b;
	uint32_t switches;
	struct finding_flip flip;
	/* Of an atomicity violation, nonzero: nobody said that the accesses belong together, and each of them is
	 * atomic. It counts only if no serial order has its outcome. */
	uint32_t by_outcome;
	/* Nonzero: in the witness a pointer is read that was written when another block lay at its address, one
	 * that is another's here. What is predicted from it need not be so: it counts if a replay shows it. */
	uint32_t reused;
	uint32_t expect_thread; /* of an assertion, crash, division: who fails; UINT32_MAX: anybody */
	/* Found by exploration: the inputs and the choices of threads that lead to it on the machine. Its
	 * replay is a rehearsal of them, then a run of the real program (replay/trial.h). NULL: none. */
	struct testcase *test;
	/* how it was made */
	VEC(char *) argv;
	VEC(char *) exclude; /* patterns that were excluded from tracing: the points depend on them */
	char *exe, *cwd;
	char *input;     /* file with what was its standard input; NULL: none was kept */
	uint64_t bitcode; /* hash of the program's bitcode */
	/* what became of the replay */
	char *outcome;    /* "the assertion failed: …", "both accesses at 0x…, nothing between them" */
	char *divergence; /* place and likely cause */
	uint64_t hash;    /* of the events of the confirmed replay */
};

struct finding *finding_new(void);
void finding_free(struct finding *f);
struct finding *finding_copy(const struct finding *f);
void finding_place_release(struct finding_place *p);

/* As one JSON object, and back. Reading returns NULL after error_() naming `from`. */
void finding_to_json(const struct finding *f, struct strbuf *out);
struct finding *finding_from_json(const char *text, size_t n, const char *from);

/* The report of one finding: docs/report.md. `color`: with terminal escapes; `width`: columns. */
struct report_style {
	bool color;
	uint32_t width; /* 0 = 100 */
	bool full;      /* every step of the witness, not only those that matter */
};
void report_text(const struct finding *f, const struct report_style *st, struct strbuf *out);

#endif
