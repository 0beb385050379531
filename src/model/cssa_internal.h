/*
 * The formula of cssa.h, inside. Variables and objects are found once (cssa_objects.c,
 * cssa_variables.c); literals and clauses are made anew for each query.
 */
#ifndef HEDDLE_MODEL_CSSA_INTERNAL_H
#define HEDDLE_MODEL_CSSA_INTERNAL_H

#include "base/map.h"
#include "base/vec.h"
#include "model/cssa.h"
#include "smt/solve.h"

/* A variable of the CSSA form: a cell, a lock or a semaphore. */
struct cssa_variable {
	VEC(struct cssa_def {
		uint32_t event;
		term_t value;
	})
	defs;
	term_t initial; /* TERM_NONE: not known */
};

enum cssa_try {      /* what a failed try for a lock needs */
	CSSA_OWN,    /* its own thread holds the lock: nothing */
	CSSA_WRITER, /* another thread holds it exclusively */
	CSSA_HOLDER, /* another thread holds it in some way */
};

struct cssa_object { /* of synchronization */
	uint64_t addr;
	bool ordered; /* its semantics is not known well enough: operations keep their order */
	bool shared;  /* lock: some critical sections are shared */
	bool counts;  /* semaphore */
	int64_t initial;
	struct vec_u32 ops;         /* events: those of the recorded run by rank, then others */
	struct vec_u32 inits, ends; /* INIT, DESTROY */
	struct cssa_variable var;   /* lock: 0 is free; semaphore: its value */
};

struct cssa {
	const struct ctp *c;
	enum model_kind kind;
	const char *wrong; /* why the trace program cannot be encoded; NULL; static */
	bool merged;       /* of several runs: some threads are alternatives */
	bool follow;       /* values can be unknown: literals `known` say which are not */
	VEC(struct cssa_object) objects;
	struct map object_at; /* address -> index + 1 */
	VEC(uint8_t) tries;   /* by event: enum cssa_try */
	VEC(struct cssa_variable) cells;
	VEC(term_t) uses;            /* by event: the π of its lock or semaphore; TERM_NONE */
	struct map access_of;        /* symbol -> access + 1 */
	struct vec_u32 access_event; /* by access */
	struct map used;             /* symbols of guards and of values that are written */
	uint32_t asked;              /* queries so far */
	/* of the current query */
	struct solve *q;
	struct vec_u32 g;     /* by event: literal, "executed" */
	struct vec_u32 known; /* by access: the literal "its value is known"; LIT_NONE: no π yet */
	struct vec_u32 at;    /* by event: the literal AT; LIT_NONE: not made */
	uint64_t size;        /* literals in clauses */
	VEC(struct cssa_wake {
		uint32_t signal;
		uint32_t woken;
		lit_t lit; /* the signal ends the wait of that wake-up */
	})
	wakes;
};

/* -- cssa.c: literals and clauses -- */
/* The formula has so many literals that it is not decided: nothing need be added to it. */
bool cssa_is_too_large(const struct cssa *z);
/* executed */
static inline lit_t cssa_g(const struct cssa *z, uint32_t e)
{
	return z->g.at[e];
}
/* O(a) < O(b) */
lit_t cssa_before(struct cssa *z, uint32_t a, uint32_t b);
/* A clause; constant literals are left out. */
void cssa_clause(struct cssa *z, const lit_t *lits, uint32_t n);
#define cssa_or(z, ...)                                                                            \
	cssa_clause(z, (lit_t[]){__VA_ARGS__}, sizeof((lit_t[]){__VA_ARGS__}) / sizeof(lit_t))
/* If `l`, one of the events is executed before e. */
void cssa_one_before(struct cssa *z, lit_t l, const struct vec_u32 *from, uint32_t e);
/* The thread of e stands before it. */
lit_t cssa_at(struct cssa *z, uint32_t e);

/* -- cssa_objects.c -- */
void cssa_find_objects(struct cssa *z);
void cssa_free_objects(struct cssa *z);
struct cssa_object *cssa_object(struct cssa *z, uint64_t addr);
/* The object whose lock e takes, releases or tries; the semaphore of e. */
struct cssa_object *cssa_lock_of(struct cssa *z, uint32_t e);
bool cssa_takes(const struct ctp_event *ev);
bool cssa_gives(const struct ctp_event *ev);

/* -- cssa_variables.c -- */
void cssa_find_variables(struct cssa *z);
/* Φ_VD and Φ_PI of the cells, the locks and the semaphores. */
void cssa_encode_variables(struct cssa *z, const struct query *q);
/* If `l`, each read of the term is executed, or with `now` its thread stands AT it, and its value
 * is known. */
void cssa_need_known(struct cssa *z, lit_t l, term_t t, bool now);

/* -- cssa_sync.c -- */
/* Φ_PO across threads, wake-ups, and lifetimes of objects and blocks. */
void cssa_encode_sync(struct cssa *z);
/* The literal of the atom ASLEEP e. */
lit_t cssa_asleep(struct cssa *z, uint32_t e);

#endif
