/*
 * A run of the machine held against the plan of recording (facts/plan.h). What a thread reads and
 * the plan leaves out must be there when the thread is executed again alone: written last by the
 * thread itself, before the first thread was started, or never. And accesses to what several threads
 * use, one of them writing, must be events; variables that are private are nobody else's.
 *
 * What models do counts as native code. Writes of calls whose effects are logged count as the
 * thread's own once the call is back; those of others nobody knows of.
 */
#ifndef HEDDLE_TESTS_PLAN_WATCH_H
#define HEDDLE_TESTS_PLAN_WATCH_H

#include "base/map.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "machine/exec.h"
#include "facts/plan.h"

struct plan_note { /* of a byte of memory */
	uint64_t wtime;      /* of the last write; 0 = none */
	uint32_t writer;     /* thread */
	bool native, told;   /* code outside wrote it; the log has it */
	bool early;          /* before the first thread was started */
	/* late accesses by traced code */
	uint32_t user;       /* a thread that used it; IR_NONE */
	bool several, written;
	uint32_t func, insn; /* an access that was no event; IR_NONE */
};

struct plan_watch {
	const struct ir_program *p;
	const struct plan *pl;
	struct map at; /* address -> index of its note + 1 */
	VEC(struct plan_note) notes;
	VEC(struct plan_calls {
		VEC(uint64_t) began; /* by depth: when that frame made its latest call */
		uint64_t sp;         /* as it was seen last */
	}) threads; /* by id */
	bool *logs_items; /* by function: a call logs what it writes */
	uint64_t time;
	struct map seen; /* complaints */
	uint64_t loads, logged;    /* executed by traced code */
	uint64_t checked, missed;  /* bytes; complaints */
	struct strbuf misses; /* a line each */
};

/* Runs main() with the careful mode and watches; the program has its models. */
enum exec_fate plan_watch_run(struct plan_watch *w, const struct ir_program *p, const struct plan *pl,
	uint64_t seed, uint64_t max_instructions);
void plan_watch_release(struct plan_watch *w);

#endif
