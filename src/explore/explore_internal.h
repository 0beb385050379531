/* Private header of src/explore: the state of one exploration, and shared functions. */
#ifndef HEDDLE_EXPLORE_EXPLORE_INTERNAL_H
#define HEDDLE_EXPLORE_EXPLORE_INTERNAL_H

#include "base/bitset.h"
#include "base/map.h"
#include "base/vec.h"
#include "explore/frontier.h"

struct merge;

struct explore {
	const struct ir_program *p;
	struct explore_options opt;
	struct exec_options eo;
	struct exec_result res;
	struct terms *ts;
	struct ask *ask;
	struct sym sym;
	struct machine *m;
	struct coverage *cov;
	struct frontier *frontier;
	struct snapshot *start;   /* the machine before its first instruction */
	struct term_assign model; /* of the path that ended last */
	/* the current path */
	struct trail *trail;
	struct sleep sleep;
	struct vec_u32 script; /* choices that lead to a state without a snapshot; empty: none */
	uint32_t script_at;    /* how many of them have been executed */
	struct sleep held;     /* the sleep set at the end of the script */
	struct omitted *held_omitted; /* those at the end of the script; NULL */
	uint64_t began;               /* instructions of the machine at path_take_up() */
	uint64_t written;             /* world_changes() at the last choice of a thread */
	int64_t fuel;                 /* rest of the slice, in instructions, at the interruption */
	bool suspend;                 /* put the path into the frontier at the next switch */
	struct {
		struct saved *mark;    /* an earlier state of the path */
		uint64_t since, power; /* choices since then; at the next mark */
		struct bitset stuck;   /* threads that have reached the marked state again */
	} loop;
	struct omitted *omitted; /* of the current step, or NULL */
	struct probe *probe;     /* loops_never_end() runs; NULL */
	bool livelock;           /* no order of the threads leads out of the loops they are in */
	bool begin_again;        /* there are new lent bytes (lend.c) */
	struct merge *merge;      /* states that were visited (merge.c) */
	uint32_t node;            /* the last of them on this path; 0: the start */
	bool pruned;             /* another path leads to the same states */
	const char *over;        /* the budget of the path that is used up; NULL */
	/* results */
	struct explore_stats stats;
	uint64_t one_way; /* conditions with one outcome; each fork's state adds one */
	VEC(struct explore_finding) findings;
	VEC(struct explore_reason) reasons;
	struct bitset lent;   /* exec_options.lent; only grows */
	struct map races;     /* hashes of pairs of places that were reported */
	char *settings;       /* the command line of the program, for --resume */
	uint64_t environment; /* hash of its environment */
	const char *stopped;  /* the budget that ended the exploration */
	bool cut;             /* states were left in the frontier */
	bool bounded;         /* orders were left out (--preemptions) */
	bool ended;
	bool excluded;         /* the initial state contradicts --assume */
	uint64_t paths_before; /* paths of the explorations that this one resumes */
	double t0, told;       /* clock_seconds() at the start, at the last call of progress */
	double weighed;           /* clock_seconds() at the last look at the memory of the process */
	uint64_t looked;       /* calls of budget_looks() */
};

/* Whether the path still executes its script. */
static inline bool scripted(const struct explore *ex)
{
	return ex->script_at < ex->script.n;
}
/* Counts a reason why paths are incomplete or cut off. */
void explore_reason_add(struct explore *ex, const char *why);

/* Instructions of a thread between two checks of budgets, as in sched.c. */
enum { EXPLORE_SLICE = 200000 };

/* Whether a budget is used up, so that the exploration must end (explore.c); sets ex->stopped. */
bool budget_spent(struct explore *ex);
/* The same, cheap enough for each switch: checks at every 32nd call. */
bool budget_looks(struct explore *ex);

/* Executes a path from the state until it ends or is suspended (path.c). Frees the state. */
void path_take_up(struct explore *ex, struct state *s);
/* Ends the current slice, so that leave_path() runs at the next switch. */
void path_interrupt(struct explore *ex);
/* Adds the choice to the trail of the current path. */
void path_step(struct explore *ex, uint32_t choice);
/* Executes the next choice of the script, and returns it. */
uint32_t path_follow(struct explore *ex);
/* Clears the sleep set if the current step changed the world: the order of such steps is visible
 * outside. Called at each choice of a thread, and before a state is kept in the middle of a
 * step. */
void path_note_output(struct explore *ex);
/* Adds state s to the frontier: the current path, from the snapshot on with another choice. */
void path_keep(struct explore *ex, struct state *s, struct snapshot *snap, uint32_t choice);

/* Forks at conditions (fork.c). */
extern const struct sym_ops explore_sym_ops;

/* exec_options.pick: chooses the next thread (pick.c). */
uint32_t explore_pick(
	void *ctx, struct machine *m, const uint32_t *all, uint32_t nall, enum exec_pick why);
/* Records the choice of the thread in the path; returns the thread. */
uint32_t pick_go(struct explore *ex, uint32_t thread, enum exec_pick why);

/* The thread is at a switch point: lends what it accesses on stacks of other threads (lend.c). */
void lend_note(struct explore *ex, struct thread *t);
/* With --switch sync the accesses of a thread are no switch points; its begin stands for those to
 * the variable of its creator that its argument points to (reduce.c). Lends that variable. The
 * variables of main are left out: their end is the end of the process. */
void lend_begin(struct explore *ex, struct thread *t);

/* States that several orders lead to (merge.c). Whether the state at this choice was visited before, so
 * that the path may end here. */
struct merge *merge_new(const struct explore *ex);
void merge_free(struct merge *g);
bool merge_visit(struct explore *ex);
/* Forgets all states. */
void merge_begin_again(struct explore *ex);
/* Begins again without merging if a path has read a clock, unless it is off. */
void merge_note_clock(struct explore *ex);
/* A thread is in a loop that only waits: begins again without merging, unless it is off. */
void merge_found_loop(struct explore *ex);
/* All paths have ended, or a budget has: whether a cycle of states may have hidden a loop. Turns merging
 * off then. */
bool merge_must_stop(struct explore *ex);

/* Loops that only wait (loops.c). A path begins: */
void loops_forget(struct explore *ex);
/* The current thread is at a switch point: */
void loops_note(struct explore *ex);
/* The ready threads that do not wait in a loop; returns their number. */
uint32_t loops_moving(struct explore *ex, const uint32_t *ready, uint32_t n, uint32_t *out);
/* Every thread that can run (n of them) is in a loop. Whether the program never ends from here on,
 * whatever the order of the threads. */
bool loops_never_end(struct explore *ex, const uint32_t *ready, uint32_t n);
/* explore_pick() during loops_never_end(). */
uint32_t loops_probe_pick(struct explore *ex, const uint32_t *all, uint32_t n, enum exec_pick why);

/* Whether loops_never_end() runs: then a fork ends its step, undecided. */
bool loops_probe_fork(struct explore *ex);

/* --assume (explore.c, assumption.h): assumes the conditions that the initial state decides; -1 after
 * error_(). */
int assume_at_start(struct explore *ex);
/* The first thread is created: STEP_STOP if conditions over global variables do not hold. */
enum step assume_at_creation(struct explore *ex, struct thread *t);

/* The path has ended (outcome.c): updates statistics and findings, writes its test case. */
void outcome(struct explore *ex, struct thread *t);

/* Keeps the choices that a step chosen alone omits (omitted_choices.c, see frontier.h). */
void omitted_take(
	struct explore *ex, const uint32_t *ready, uint32_t n, uint32_t chosen, enum exec_pick why);
/* The step ended the path by a fault or an assumption: its alternatives become states. */
void omitted_use(struct explore *ex);

/* Reports a data race of t, which is at a switch point, with another ready thread (race.c). */
void race_check(struct explore *ex, struct thread *t, const uint32_t *ready, uint32_t n);
/* Notes orders that are left out because one of the two next steps is a call of the C library, which
 * is executed as a whole, and the other one may access the same memory (race_calls.c). */
void race_check_calls(struct explore *ex, struct thread *t, struct thread *u);

/* The frontier on disk (resume.c); -1 after an error message. */
int frontier_write(struct explore *ex);
int frontier_read(struct explore *ex);

#endif
