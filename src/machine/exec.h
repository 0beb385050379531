/*
 * The machine: runs a program of the IR, all threads, deterministically. This is the face it shows
 * to cli; the rooms inside are machine.h (state), mem.h, code.h, sched.h.
 */
#ifndef HEDDLE_MACHINE_EXEC_H
#define HEDDLE_MACHINE_EXEC_H

#include "base/strbuf.h"
#include "ir/ir.h"
#include "log/faults.h"

struct machine; /* machine.h */
struct thread;

enum exec_switch { EXEC_SWITCH_SYNC, EXEC_SWITCH_ACCESS };

enum exec_pick {      /* why a thread is chosen */
	EXEC_PICK_POINT,   /* the current one stands before a switch point and may go on itself */
	EXEC_PICK_BLOCKED, /* it cannot go on */
	EXEC_PICK_SLICE,   /* it has run for long without a switch point */
};

struct exec_stub { /* --stub name=value: calls of an unmodelled function return the value */
	const char *name;
	int64_t value;
};

/*
 * Where runs have been: for each function NULL, or one byte for its entry and one for each edge of
 * its IR, set when it is entered by a call and when the edge is taken.
 */
struct exec_cover {
	uint8_t **marks; /* by function: [0] entry, [1 + edge] */
	uint64_t news;   /* bytes that were set for the first time */
};

struct exec_options {
	uint64_t seed; /* 0: no switch until a thread blocks or its time slice ends */
	enum exec_switch switches;
	const struct exec_stub *stubs;
	uint32_t nstubs;
	uint64_t max_instructions; /* 0 = no limit */
	uint64_t max_branches;     /* conditional branches of the program, careful mode; 0 = no limit */
	uint64_t max_memory;       /* bytes of the program's heap; 0 = no limit */
	char *const *envp;
	/* Asked for the thread to run next, of n >= 1 ready ones (ids, rising), at every switch point while
	 * there are several threads, and when the current one cannot go on; instead of the seed. */
	uint32_t (*pick)(void *ctx, struct machine *m, const uint32_t *ready, uint32_t n,
		enum exec_pick why);
	void *pick_ctx;
	bool trust; /* uninitialized bits have the value in memory, or 0; no faults are reported for them */
	struct exec_cover *cover; /* NULL = not wanted */
	bool slow; /* the careful mode only: the twin that tests compare with */
	/* called before each instruction of the careful mode, for tests that compare static
	 * analysis with runs */
	void (*observe)(void *ctx, struct machine *m, struct thread *t, const struct ir_insn *in);
	void *observe_ctx;
	/* called before each instruction of the careful mode: true and the thread gives way before it
	 * (STEP_AGAIN), for tests that schedule the threads themselves (machine.h) */
	bool (*pause)(void *ctx, struct machine *m, struct thread *t, const struct ir_insn *in);
	void *pause_ctx;
	/* called for each edge of the program's own code that a condition or a switch chose, before it is
	 * taken, in the careful mode; false ends the path (STOP_ASSUMPTION). machine.branches counts
	 * them then */
	bool (*branch)(void *ctx, struct machine *m, struct thread *t, uint32_t edge);
	void *branch_ctx;
};

struct exec_result {
	enum exec_fate fate;
	int status;              /* given to exit(); a shell sees its low eight bits */
	enum fault fault;        /* of EXEC_FAULT and EXEC_DEADLOCK */
	enum exec_stop stop;     /* of EXEC_STOPPED */
	struct strbuf report;    /* text for a person: what, where, both stacks */
	uint64_t instructions, switches, threads;
};

/* Runs main(argv). The program must have its models imported. Standard streams are the host's.
 * Returns 0 with *res filled (release it with exec_result_release), -1 after error_(). */
int exec_run(const struct ir_program *p, int argc, char *const *argv,
	const struct exec_options *opt, struct exec_result *res);
void exec_result_release(struct exec_result *res);
/* The word of the fault or the stop: "overflow", "unmodelled call"; NULL if the program exited. */
const char *exec_word(const struct exec_result *res);

#endif
