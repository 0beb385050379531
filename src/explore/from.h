/*
 * Exploration from the middle of a program (paper 001): threads stand at given places (context.h), and
 * what is not known of their registers and of memory is symbolic.
 *
 *  - the machine starts the program's models and stops before main: stdio and the records of threads
 *    are what they are at the start; the threads of the context are then made as pthread_create would,
 *    with frames of their own (frame.initial at the outermost), careful, their registers from
 *    context_register() with addresses filled in
 *  - variables of the program become lazy regions (lazy.h): globals that may have changed, stack
 *    variables of the initial frames; definitions that must have reached the places are written into
 *    them, context_untouched() parts keep their initial bytes
 *  - pointers of the initial state are lazy_pointer()s; their targets come from the points-to analysis:
 *    globals, initial stack variables, primary objects of the same allocation, a new primary object
 *  - synchronization objects in lazy memory get the invariants of §4.3 when an operation first touches
 *    them (__heddle_invariant in the models): mutexes, spin locks, rwlocks by the locksets (kept up to
 *    date by acquire and release), barriers by counts and waiters, condition variables and semaphores
 *    by their shape. --no-invariants leaves only what makes them objects of their kind
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
	bool no_reach;      /* nothing is known of registers and memory */
	bool no_invariants; /* nothing is known of synchronization */
	bool races;         /* there may be data races (context.h), whatever the switch points are */
	bool check_initial; /* pointers that exist before the start may be null or wild: report it */
};

/* NULL after error_() that says what was wrong with the text. */
struct from *from_new(const struct ir_program *p, const char *text, const struct from_options *opt);
/* The same for threads that stand anywhere; they belong to it then. */
struct from *from_new_at(const struct ir_program *p, const struct vec_context_thread *threads,
	const struct from_options *opt);
void from_free(struct from *f);
/* A machine as machine_new() and its world have made it becomes the initial state; -1 after error_(). */
int from_install(struct from *f, struct machine *m);
/* exec_options.pause while the machine is made and installed, which is done in the careful mode. */
bool from_pause(void *ctx, struct machine *m, struct thread *t, const struct ir_insn *in);
/* struct sym_ops.invariant: §4.3 for the object of an operation (from_invariants.c). */
enum step from_invariant(struct from *f, struct machine *m, struct thread *t, const char *operation,
	struct opnd object);
/* The places as they were given; NULL after from_new_at(). */
const char *from_text(const struct from *f);
/* "name = value" for each symbol of the initial state that the conditions depend on, a line each. */
void from_values(const struct from *f, const term_t *path, uint32_t n, struct term_assign *model,
	struct strbuf *out);
/* struct sym_ops.callees: what the points-to analysis says of the call. */
bool from_callees(const struct from *f, uint32_t func, uint32_t insn, struct vec_u32 *out);
const struct context *from_context(const struct from *f);
/* One line a fact, for --stats. */
void from_print(const struct from *f, struct strbuf *out);

#endif
