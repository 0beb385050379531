/*
 * The table of faults, log/faults.def, as an enumeration with its words, and the ends of a run on the
 * machine. A `switch` over enum fault has no default, so that the compiler reports the places that
 * a new fault must be added to.
 */
#ifndef HEDDLE_LOG_FAULTS_H
#define HEDDLE_LOG_FAULTS_H

#include <stdint.h>

enum fault {
#define FAULT(id, word, title, about, sign) FAULT_##id,
#include "log/faults.def"
	FAULT_NONE, /* no fault */
};
enum {
	NFAULTS = FAULT_NONE,
	NPREDICTED = 0 /* the faults below this number are PREDICTED() */
#define PREDICTED(id, word, title, about, sign) +1
#include "log/faults.def"
};
_Static_assert(NPREDICTED <= 32, "predicted faults are bits of a uint32_t");

/* How a fault shows on the real program (src/replay/judge.c). A fault without any sign is "machine
 * only". */
enum fault_sign {
	SIGN_ASSERT,    /* the assertion fails, with its line */
	SIGN_ABORT,     /* abort() */
	SIGN_MISUSE,    /* the enforcing runtime reports the misuse of a primitive */
	SIGN_SELF_WAIT, /* a thread waits for itself, or the runtime reports that it locks its own lock */
	SIGN_DEADLOCK,  /* the threads of the finding wait where the finding says */
	SIGN_STUCK,     /* the runtime reports that no thread makes progress */
	SIGN_SIGNAL,    /* the process dies of a signal */
	SIGN_ACCESS,    /* the runtime checks the address before the access; or a signal */
	SIGN_RACE,      /* the runtime checks both accesses */
	SIGN_FREE,      /* the runtime or the C library reports the free */
	SIGN_ORDER,     /* the three accesses are made in the order of the finding */
	SIGN_FLIP,      /* the recorded replay decides otherwise */
	SIGN_NONE,      /* no sign, or any */
};

enum exec_fate {        /* how a run on the machine ends */
	EXEC_EXITED,
	EXEC_FAULT,     /* memory error, assertion, misuse: enum fault says which */
	EXEC_DEADLOCK,  /* every thread is blocked: FAULT_DEADLOCK */
	EXEC_STOPPED,   /* inconclusive: enum exec_stop says why */
};

enum exec_stop {
#define STOP(id, word) STOP_##id,
#include "log/machine_stops.def"
	STOP_NONE,
};

struct fault_words {
	const char *word, *title, *about;
	enum fault_sign sign;
};
extern const struct fault_words fault_words[NFAULTS];

/* The fault with that word; FAULT_NONE if there is none. */
enum fault fault_by_word(const char *word);
/* The stop with that word; STOP_NONE if there is none. */
enum exec_stop exec_stop_by_word(const char *word);
const char *exec_stop_word(enum exec_stop stop); /* NULL for STOP_NONE */
/* The word of the fault or the stop that ended a run; NULL if the run exited. */
const char *exec_end_word(enum exec_fate fate, enum fault fault, enum exec_stop stop);

#endif
