/* Inside src/explore only: one exploration. */
#ifndef HEDDLE_EXPLORE_EXPLORING_H
#define HEDDLE_EXPLORE_EXPLORING_H

#include "base/bitset.h"
#include "base/map.h"
#include "base/vec.h"
#include "explore/frontier.h"

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
	/* the path at hand */
	struct trail *trail;
	struct sleep sleep;
	struct vec_u32 script;    /* choices to follow before exploring; script_at done */
	uint32_t script_at;
	struct sleep held;        /* the sleep set behind the script, and the spare there */
	struct spare *held_spare;
	uint64_t began;           /* instructions of the machine when it was taken up */
	uint64_t written;         /* bytes of output at the last choice of a thread */
	int64_t fuel;             /* what was left of the slice when the path was interrupted */
	bool suspend;             /* back to the frontier as soon as it stands between instructions */
	struct {
		struct saved *mark;   /* a state that the path was in */
		uint64_t since, power; /* choices since then; how many until the next mark */
		struct bitset stuck;  /* threads that came back to it without a change */
	} loop;
	struct spare *spare;      /* of the step at hand, or NULL */
	bool livelock;            /* all of them did */
	bool pruned;              /* another path leads to the same states */
	const char *over;         /* a budget of the path is used up */
	/* results */
	struct explore_stats stats;
	uint64_t one_way;         /* decisions with one possible outcome; a kept state makes one again */
	VEC(struct explore_finding) findings;
	VEC(struct explore_reason) reasons;
	struct map races;         /* pairs of places told */
	char *settings;           /* the command line of the program, for resuming */
	uint64_t environment;     /* its environment, told from others */
	const char *stopped;      /* the budget that ended the exploration */
	bool cut;                 /* something was not explored */
	bool bounded;             /* orders were left out (--preemptions) */
	bool ended;
	uint64_t paths_before;    /* of the explorations that this one resumes */
	double t0, told;
	uint64_t looked;
};

static inline bool scripted(const struct explore *ex)
{
	return ex->script_at < ex->script.n;
}
void explore_reason_add(struct explore *ex, const char *why);

/* Instructions of a thread between two looks at budgets, as in sched.c. */
enum { EXPLORE_SLICE = 200000 };

/* Whether the exploration has to end now (explore.c); stopped says why. */
bool budget_spent(struct explore *ex);
/* The same, asked often amid a path and answered now and then. */
bool budget_looks(struct explore *ex);

/* A state is taken up and run until it ends or is kept again (path.c). Takes it over. */
void path_take_up(struct explore *ex, struct state *s);
/* The rest of the path at hand is not wanted: it ends between two instructions. */
void path_interrupt(struct explore *ex);
/* The path at hand goes on by this choice; another one, from the snapshot, waits as state s. */
void path_step(struct explore *ex, uint32_t choice);
/* The path at hand has to go where its script says: the choice. */
uint32_t path_follow(struct explore *ex);
/* The outside is seen by everybody: a step that changed something there commutes with no other that
 * does. Noted when a thread is chosen, and before a state is kept amid a step. */
void path_note_output(struct explore *ex);
void path_keep(struct explore *ex, struct state *s, struct snapshot *snap, uint32_t choice);

/* Decisions (fork.c). */
extern const struct sym_ops explore_sym_ops;

/* The choice of a thread (pick.c), for exec_options.pick; and one that is made: noted in the path. */
uint32_t explore_pick(void *ctx, struct machine *m, const uint32_t *all, uint32_t nall,
	enum exec_pick why);
uint32_t pick_go(struct explore *ex, uint32_t thread, enum exec_pick why);

/* Loops that only wait (loops.c): another path begins; the current thread stands before a switch
 * point; those of the ready threads that do not wait so. */
void loops_forget(struct explore *ex);
void loops_note(struct explore *ex);
uint32_t loops_moving(struct explore *ex, const uint32_t *ready, uint32_t n, uint32_t *out);

/* The path has ended (outcome.c): statistics, findings, its test case. */
void outcome(struct explore *ex, struct thread *t);

/* The step at hand was chosen alone: its spare (spare.c); it has ended the program. */
void spare_take(struct explore *ex, const uint32_t *ready, uint32_t n, uint32_t chosen,
	enum exec_pick why);
void spare_use(struct explore *ex);

/* Two threads about to touch the same bytes (race.c); t stands before a switch point. */
void race_check(struct explore *ex, struct thread *t, const uint32_t *ready, uint32_t n);

/* The frontier on disk (resume.c); -1 after an error message. */
int frontier_write(struct explore *ex);
int frontier_read(struct explore *ex);

#endif
