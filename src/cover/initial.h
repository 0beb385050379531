/*
 * The initial state of an epoch: MakeStateForEpoch() of paper 000 (3.3). It stands for every state in
 * which a run can arrive at the epoch.
 *
 * The paper computes it by analyses of the whole program. Here it is the join of the states in which
 * paths arrive: an exact machine state in which values that differ between the arrivals are
 * symbols. So handles of threads, counts of semaphores, queues and the heap are known as well as a run
 * knows them. The states that are joined have one *shape*: the same threads at the same places, waiting
 * for the same objects, the same live heap blocks and files. An epoch may have states of several shapes.
 *
 * A symbol of a state is named by its place, a live register or bytes of memory: its value can be
 * read where a run arrives, so conditions over symbols of the state and inputs choose the schedule.
 * Other symbols never occur in a state.
 *
 * The join of a state A and an arrival B (anti-unification, with a threshold widening):
 *  - each symbol of A has the value that its place has in B; that maps terms of A to terms of B
 *  - a place whose value in B is not its mapped value in A becomes a symbol; places with the same pair
 *    of values share one symbol, so counters of threads in lock-step stay equal
 *  - a pointer becomes an offset in its object, or a choice of addresses
 *  - a condition of A that the path of B does not imply is dropped; bounds of symbols move to the next
 *    constant that the program compares with
 * The state grows with each join that changes it, and there are finitely many places, conditions and
 * constants.
 *
 * Lifetime: heap, initials_free() and initial_free(); the machine must live longer.
 */
#ifndef HEDDLE_COVER_INITIAL_H
#define HEDDLE_COVER_INITIAL_H

#include "base/vec.h"
#include "cover/place.h"
#include "machine/save.h"
#include "machine/state_hash.h"
#include "symbolic/sym.h"

struct initial_symbol { /* the value of a place, minus `bias` */
	term_t sym;
	struct initial_place at;
	uint64_t bias;
	bool has_low, has_high; /* signed bounds */
	int64_t low, high;
	struct vec_u64 targets; /* the values that it may have; n = 0: any */
};

struct initial {
	struct saved *saved;
	struct hash128 shape;
	VEC(term_t) facts; /* conditions over symbols of the state and inputs */
	VEC(struct initial_symbol) symbols;
	uint32_t joins; /* arrivals that changed it */
};

struct initials;

struct initials *initials_new(struct machine *m, const struct ir_program *p);
void initials_free(struct initials *all);
/* Prepares the machine, which is at the end of a path: freed memory is forgotten. Sets its shape. */
void initial_arrive(struct machine *m, struct hash128 *shape);
/* The state of the machine; symbols of other states in it become symbols of this one. */
struct initial *initial_new(struct initials *all, const struct hash128 *shape);
/* Joins the state with that of the machine, which has the same shape; true if the state changed. The
 * machine's own state is lost. */
bool initial_join(struct initials *all, struct initial *s);
void initial_free(struct initial *s);
/* Whether the symbol belongs to a state, of any epoch. */
bool initials_own(const struct initials *all, term_t sym);
/* Whether the symbol belongs to one path only: undefined bits, results of output. */
bool initials_local(const struct terms *ts, term_t sym);
/* The value of the symbol in the machine's state, which has the shape of the symbol's state. */
term_t initial_symbol_value(struct machine *m, const struct initial_symbol *y);

#endif
