/*
 * Exploration from the middle of a program (paper 001): threads begin at given places (context.h),
 * and unknown values of registers and memory are symbolic.
 *
 *  - the machine executes the start of the models and stops before main, so stdio and the records
 *    of threads have their initial values. The threads of the context are then made by the model of
 *    pthread_create, with frames at their places (frame.initial at the outermost) in careful mode
 *    and with registers from context_register(), in which addresses replace their symbols
 *  - variables of the program become symbols, large globals lazy regions (lazy.h): globals that
 *    may have changed, and stack variables of the initial frames. Definitions that must have
 *    reached the places are written into them; context_untouched() parts keep their initial bytes
 *  - pointers of the initial state are lazy_pointer()s; their targets come from the points-to
 *    analysis: globals, initial stack variables, primary objects of the same allocation, a new
 *    primary object
 *  - synchronization objects of the initial state get the invariants of §4.3 at the first
 *    operation on them (__heddle_invariant in the models): mutexes, spin locks and rwlocks from the
 *    locksets, barriers from their counts and waiters, condition variables and semaphores from
 *    their layout. --no-invariants keeps only the constraints that make them valid objects of their
 *    kind
 *  - initial waiters wait in the queue with symbolic time stamps (§4.2)
 *
 * Lifetime: heap, from_free(); the program must live longer.
 */
#ifndef HEDDLE_EXPLORE_FROM_H
#define HEDDLE_EXPLORE_FROM_H

#include "base/strbuf.h"
#include "base/vec.h"
#include "context/context.h"
#include "symbolic/lazy.h"

struct from;

struct from_options {
	bool no_reach;      /* assume nothing about registers and memory */
	bool no_invariants; /* assume nothing about synchronization */
	bool races;         /* assume that data races exist (context.h), for all switch points */
	bool check_initial; /* report pointers of the initial state that may be null or invalid */
	bool all_threads;   /* the given threads are all that have not ended: a thread that is joined
	                       and is none of them has ended */
};

/* A context from the text of --from; NULL after error_() about the text. */
struct from *from_new(const struct ir_program *p, const char *text, const struct from_options *opt);
/* The same from threads, which the result then owns. */
struct from *from_new_at(const struct ir_program *p, const struct vec_context_thread *threads,
	const struct from_options *opt);
void from_free(struct from *f);
/* Makes the initial state in a new machine that has its world; -1 after error_(). */
int from_install(struct from *f, struct machine *m);
/* exec_options.pause until from_install() returns; the machine is in careful mode until then. */
bool from_pause(void *ctx, struct machine *m, struct thread *t, const struct ir_insn *in);
/* struct sym_ops.invariant: §4.3 for the object of an operation (from_invariants.c). */
enum step from_invariant(struct from *f, struct machine *m, struct thread *t, const char *operation,
	struct opnd object);
/* The text that was given to from_new(); NULL after from_new_at(). */
const char *from_text(const struct from *f);
/* "name = value" for each symbol of the initial state that the conditions depend on, a line each. */
void from_values(const struct from *f, const term_t *path, uint32_t n, struct term_assign *model,
	struct strbuf *out);
/* struct sym_ops.callees: the possible callees of a call, from the points-to analysis. */
bool from_callees(const struct from *f, uint32_t func, uint32_t insn, struct vec_u32 *out);
/* One line for each fact, for --stats. */
void from_print(const struct from *f, struct strbuf *out);

#endif
