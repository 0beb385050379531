/*
 * A program on the machine, its threads standing before points (log/schedule.h), and the moves that
 * lead from one such state to the next: a thread passes the point that it stands before and runs to
 * its next one. Everything between two points concerns that thread only.
 *
 * Every thread stays on the path that was recorded of it (path.h). Where its own data lead it away,
 * it is *astray* (at a branch) or *elsewhere* (before an access): it has stopped right there, and
 * the others go on. A move that would give a synchronization another result than the recorded one
 * cannot be made.
 *
 * Of a signal that could wake several threads each is a move of its own.
 *
 * Or no thread has a path, and each goes where it goes (world.free): then the items of its path are
 * the synchronization that it made so far and that it stands before, with addresses of the machine.
 * A failure ends the process.
 *
 * Lifetime: heap, world_end(). States are kept by world_keep().
 */
#ifndef ORACLE_WORLD_H
#define ORACLE_WORLD_H

#include "path.h"
#include "snapshot.h"

enum stand {
	STAND_NEW,       /* created, has not run yet */
	STAND_ACCESS,    /* before an access */
	STAND_SYNC,      /* before an operation */
	STAND_WAIT,      /* in a cond_wait or at a barrier: woken when its thread is ready */
	STAND_ELSEWHERE, /* before an access or a free, but of another address than recorded */
	STAND_ASTRAY,
	STAND_ENDED,
};

struct access { /* that a thread stands before */
	uint64_t addr, size;
	bool write, atomic;
};

struct lane { /* what is known of one thread of the machine beside what the machine knows */
	uint32_t path; /* its number in the trace */
	uint32_t at;   /* next item of its path */
	uint8_t stand; /* enum stand */
	uint8_t naccess;
	uint32_t func, insn; /* where it stands */
	struct access access[2];
	uint64_t object; /* SYNC, WAIT: the first argument; of a wait [1] is the mutex */
	uint64_t object2;
	uint32_t decided; /* free: the last branch, an instruction of func_decided */
	uint32_t func_decided;
};

/* Something that was seen. */
struct sighting {
	const char *kind; /* as the words of log/faults.def */
	uint32_t line[8];
	uint32_t n;
	const char *name; /* atomicity: of the global variable; NULL: it is none */
};

/* A decision that a thread on its path makes otherwise than recorded. */
struct flip {
	const char *what; /* "branch", "dereference", "divisor", "call", "try" */
	uint32_t func, insn;
};

enum move {
	MOVE_MADE,
	MOVE_BLOCKED, /* it would have to wait */
	MOVE_OTHER,   /* the operation would end otherwise than recorded */
	MOVE_FAULT,   /* it fails: what was seen is told */
	MOVE_OVER,    /* the process has ended */
	MOVE_DIED,    /* free: it has ended by a failure, which is told */
};

struct block { /* of the heap: in the machine, in the recorded process */
	uint64_t here, there;
};

/*
 * A thread in a transaction (heddle_atomic_begin to heddle_atomic_end) has touched a variable; what
 * others did to it since then. Made by its last access, and by its last write.
 */
struct touched {
	uint32_t thread, line, insn;
	uint64_t addr;
	bool write, last_write;
	uint32_t nothers;
	struct {
		uint32_t line;
		bool write;
	} others[16];
};

struct kept;

struct world {
	struct machine *m;
	struct exec_options opt;
	struct exec_result res;
	bool free;
	const struct paths *paths;
	struct paths own; /* free: paths is that */
	const struct plan *plan;
	const struct ir_program *p;
	VEC(struct lane) lanes;   /* by thread of the machine */
	VEC(struct block) blocks; /* of the heap */
	VEC(struct touched) touched;
	bool over;
	struct page_hashes hashes;
	/* while a thread runs */
	uint32_t passing; /* depth of the frame whose call is under way; 0: none */
	bool pass;        /* the point it stands before is passed */
	bool other, failed, lost, died;
	uint64_t left;    /* instructions it may make astray */
	uint64_t wait_on; /* of the last move that was blocked */
	void (*saw)(void *ctx, const struct sighting *s);
	void (*flipped)(void *ctx, const struct flip *f); /* not free */
	void *saw_ctx;
};

/* free: of the paths only the trace is used, for the arguments of the program and its points. */
struct world *world_make(const struct ir_program *p, const struct paths *paths, bool is_free);
void world_end(struct world *w);
/* The main thread runs to its first point. */
enum move world_start(struct world *w);
/* The lane of the thread that a JOIN is for; LOG_NONE. */
uint32_t world_joined(const struct world *w, const struct path_item *it);
/* How many moves the thread has to try in this state: 0 if it can make none. */
uint32_t world_moves(const struct world *w, uint32_t thread);
/* Makes the k-th of them. Unless it is MOVE_MADE or MOVE_OVER the state is spoilt: restore it. */
enum move world_move(struct world *w, uint32_t thread, uint32_t k);

struct kept *world_keep(const struct world *w);
void world_restore(struct world *w, const struct kept *k);
void kept_free(struct kept *k);
uint64_t world_hash(struct world *w);

const struct path_item *lane_item(const struct world *w, const struct lane *l);
const struct ir_pos *world_pos(const struct world *w, uint32_t func, uint32_t insn);
/* The source line of an instruction, 0 if it has none. */
static inline uint32_t world_line(const struct world *w, uint32_t func, uint32_t insn)
{
	return world_pos(w, func, insn)->line;
}
static inline uint32_t lane_line(const struct world *w, const struct lane *l)
{
	return world_line(w, l->func, l->insn);
}
void world_tell(struct world *w, struct sighting *s, const uint32_t *lines);
/* By rising lines; of an atomicity violation in the order of its three accesses. */
void world_saw(struct world *w, const char *kind, const uint32_t *lines, uint32_t n);
/* A wrong access: its line, and that of the free if the block was freed. */
void world_saw_access(struct world *w, const char *kind, uint32_t line, uint64_t addr);

#endif
