/*
 * A finding: a violation with its witness, and all data that a report, a replay or another run of
 * heddle needs. Plain data, strings and numbers, without references to the trace. explain, deep and
 * replay make findings, replay confirms them, report_text() prints them, findings.h stores them.
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
	uint32_t parent, nth; /* creator, and number among its children (log/schedule.h); both
				 UINT32_MAX for the main thread */
	char *name;           /* of its start function: "main", "worker"; NULL: not known */
	struct finding_place created; /* the call that created it */
};

/* What a step does. X(ID, word) */
#define STEP_OPS(X)                                                                                \
	X(OTHER, "other")                                                                          \
	X(READ, "read")                                                                            \
	X(WRITE, "write")                                                                          \
	X(UPDATE, "update")                                                                        \
	X(LOCK, "lock")                                                                            \
	X(UNLOCK, "unlock")                                                                        \
	X(WAIT, "wait")                                                                            \
	X(SIGNAL, "signal")                                                                        \
	X(CREATE, "create")                                                                        \
	X(JOIN, "join")                                                                            \
	X(ALLOCATE, "allocate")                                                                    \
	X(FREE, "free")                                                                            \
	X(FAIL, "fail")
enum step_op {
#define X(id, word) STEP_OP_##id,
	STEP_OPS(X)
#undef X
		STEP_NOPS
};
extern const char *const step_op_words[STEP_NOPS];

enum {                     /* finding_step.flags */
	STEP_KEY = 1,      /* one of the events that make the finding */
	STEP_LAST = 2,     /* the thread stops before this event at the end of the witness */
	STEP_SWITCHED = 4, /* a context switch precedes it */
	STEP_MINOR = 8,    /* shown in the full report only */
};
struct finding_step { /* an event that the report shows, in the order of the witness */
	uint32_t thread;
	uint32_t flags;
	uint64_t point; /* scheduling point of the thread (log/schedule.h) */
	struct finding_place place;
	char *source;   /* the line of the program, trimmed; NULL if it cannot be read */
	char *what;     /* the operation, with values: "reads balance = 100", "locks m" */
	char *recorded; /* what it did in the recorded run, if that differs; NULL */
	VEC(struct finding_place) stack; /* innermost first */
	/* the parts of `what`, for formats that draw them */
	uint32_t op; /* enum step_op */
	char *data;  /* the variable or the synchronization object: "balance", "q->lock"; NULL */
	char *value; /* read or written: "100", "0 → 1"; NULL */
	uint32_t reads_from; /* number, from 1, of the step that wrote the value that it reads; 0:
				the initial value, or a write that is not shown */
	uint32_t
		recorded_at; /* number, from 1, in the recorded order of all events; 0: the recorded
				 run did not execute it */
	VEC(char *) held;    /* locks that the thread holds at the step */
};

struct finding_snippet { /* lines of the source around the steps */
	char *file;      /* as in finding_place */
	uint32_t first;  /* number of the first line */
	char *text;      /* whole lines, as in the file */
};

struct finding_note {
	char *head; /* "why the recorded run passed", "why this order is possible", "location", … */
	char *text; /* one or more lines */
};

/* Kinds of guards that a flip can change: branches and operations that act like one. X(ID, word) */
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
	X(UNCLEAR, "unclear") /* may be intended */                                                \
	X(ADHOC, "adhoc")     /* ad-hoc synchronization */                                         \
	X(BUG, "bug")         /* the flip leads to a failure, or the check is stale when used */
enum flip_class {
#define X(id, word) FLIP_##id,
	FLIP_CLASSES(X)
#undef X
		FLIP_NCLASSES
};
extern const char *const flip_class_words[FLIP_NCLASSES];

struct finding_flip { /* of a BRANCH; of an ASSERT: the guard whose other side fails at another place */
	uint32_t kind;            /* enum flip_kind */
	uint32_t class_;          /* enum flip_class */
	char *why;                /* reason for the class, half a sentence */
	char *recorded, *flipped; /* "true", "case 3", "node->next = 0x… (list.c:12)", "index 4" */
	uint32_t thread;          /* that executes the branch */
	uint32_t func, insn;      /* the branch instruction, in the IR of the program */
	uint64_t index;     /* instructions that the thread executes before it, in both runs */
	uint64_t value;     /* operand that decides, in the recorded run, low 64 bits: the condition
			     (0, 1), the value of the switch, the address, the function, the
			     divisor. Of a try its result: 0 = success */
	char *address;      /* of an address or function: its name (trace/address.h), which is the
			     same in all runs; NULL: not known */
	uint64_t point;     /* scheduling point at which the branch has been executed */
	uint64_t instances; /* executions of this branch in the recorded run that depend on values
			       of other threads */
};

struct finding_move { /* a segment of the schedule */
	uint32_t thread;
	uint64_t until; /* scheduling point at which the thread stops */
};

struct finding {
	char name[16]; /* "H3"; "" until it has one */
	enum fault kind;
	enum finding_status status;
	uint64_t fingerprint; /* hash of kind, functions, text of source lines, names: the same in
				 all runs */
	char *title;          /* "data race on 'counter'" */
	char *summary;        /* "balance.c:31 in 'deposit'" */
	VEC(struct finding_thread) threads;
	VEC(struct finding_step) steps;
	VEC(struct finding_note) notes;
	VEC(struct finding_snippet) snippets; /* by file and line; they do not overlap */
	/* the witness as a schedule for the real program (log/schedule.h) */
	VEC(struct finding_move) moves;
	uint32_t goal; /* enum sched_goal: state that the runtime checks after the last segment */
	uint32_t a, b; /* threads of the goal */
	uint64_t at_a, at_b; /* their scheduling points in the goal */
	uint32_t switches;   /* context switches of the schedule */
	struct finding_flip flip;
	/* Nonzero: an atomicity violation of an inferred transaction (no annotation marks it) whose
	 * three accesses are atomic. It counts only if a replay shows an outcome that differs from
	 * that of every serial order. */
	uint32_t by_outcome;
	/* Nonzero: the witness reads a pointer to a heap address that was reused for another block.
	 * The prediction may be false, so it counts only if a replay shows it. */
	uint32_t reused;
	uint32_t expect_thread; /* assertion, crash, division: thread that fails; UINT32_MAX: any */
	/* Found by exploration: the test case, with inputs and choices of threads. The replay is a
	 * rehearsal on the machine, then a run of the real program (replay/test_run.h). NULL: none. */
	struct testcase *test;
	/* the recorded run */
	VEC(char *) argv;
	VEC(char *) exclude; /* patterns excluded from tracing, on which the points depend */
	char *exe, *cwd;
	char *input;      /* file with the standard input; NULL: none was kept */
	uint64_t bitcode; /* hash of the program's bitcode */
	/* the result of the replay */
	char *outcome;    /* what was seen: "thread 2 ('worker') failed: …"; NULL: none */
	char *divergence; /* place and likely cause; NULL: none */
	uint64_t hash;    /* of the events of the replay that confirmed it; 0: none */
};

struct finding *finding_new(void);
void finding_free(struct finding *f);
struct finding *finding_copy(const struct finding *f);
void finding_place_release(struct finding_place *p);

/* Writes one JSON object, and reads it back. Reading returns NULL after error_() that names
 * `from`. */
void finding_to_json(const struct finding *f, struct strbuf *out);
struct finding *finding_from_json(const char *text, size_t n, const char *from);

/* Appends "thread 2 'worker'", "main thread". */
void finding_add_thread(const struct finding *f, uint32_t thread, struct strbuf *out);
/* Appends "bank.c:31", or with its folder and column "lib/bank.c:31:7"; nothing if it is not known. */
void finding_add_place(const struct finding_place *p, bool column, struct strbuf *out);
/* The thread stops before the step at the end, and the words of the step do not say so: reports write
 * "next: " before them. */
bool finding_step_is_next(const struct finding_step *s);
/* "confirmed by replay", "predicted; its replay diverged" */
const char *finding_status_text(const struct finding *f);

/* The report of one finding (docs/report.md). */
struct report_style {
	bool color;          /* with terminal escapes */
	uint32_t width;      /* columns; 0 = 100 */
	bool full;           /* also the steps with STEP_MINOR, and whole call stacks */
	const char *related; /* lines about other findings; NULL: none */
};
void report_text(const struct finding *f, const struct report_style *st, struct strbuf *out);

#endif
