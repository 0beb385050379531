/*
 * The machine: executes a program of the IR with all its threads, deterministically. This header is
 * the interface for whole runs; the parts are machine.h (state), memory/mem.h (memory), code.h (fast
 * mode).
 */
#ifndef HEDDLE_MACHINE_EXEC_H
#define HEDDLE_MACHINE_EXEC_H

#include "base/strbuf.h"
#include "ir/ir.h"
#include "log/faults.h"

struct bitset;  /* base/bitset.h */
struct machine; /* machine.h */
struct thread;

enum exec_switch { EXEC_SWITCH_SYNC, EXEC_SWITCH_ACCESS };

enum exec_pick {           /* the reason for a choice of a thread */
	EXEC_PICK_POINT,   /* the current thread is at a scheduling point and can continue */
	EXEC_PICK_BLOCKED, /* the current thread cannot continue */
	EXEC_PICK_SLICE,   /* the current thread's slice ended without a scheduling point */
};

struct exec_stub { /* --stub name=value: calls of an unmodelled function return the value */
	const char *name;
	int64_t value;
};

/*
 * Coverage of all runs: for each function NULL, or one byte for its entry, set when it is called,
 * and one byte for each edge of its IR, set when the edge is taken.
 */
struct exec_cover {
	uint8_t **marks; /* by function: [0] entry, [1 + edge] */
};

struct exec_options {
	uint64_t seed; /* 0: no context switch until a thread blocks or its time slice ends */
	enum exec_switch switches; /* scheduling points: synchronization, atomic and volatile
				      accesses; or every access too */
	const struct exec_stub *stubs;
	uint32_t nstubs;
	uint64_t max_instructions; /* 0 = no limit */
	uint64_t max_branches;     /* of the program's conditional branches; 0 = no limit */
	uint64_t max_memory;       /* bytes of the program's heap; 0 = no limit */
	char *const *envp;
	/* Chooses the thread to run next, of n >= 1 ids, rising, instead of the seed. The choices
	 * are the ready threads, and the waiting ones whose wait may end now: by a time-out, or as
	 * one of several waiters of which a notification wakes one. Called at every scheduling
	 * point while there are several threads, and when the current one cannot continue. */
	uint32_t (*pick)(void *ctx, struct machine *m, const uint32_t *ready, uint32_t n,
		enum exec_pick why);
	void *pick_ctx;
	bool spurious; /* with pick: a wait on a condition variable without a time limit may end at
			  any moment; such a thread is a choice beside others */
	/* with pick: the granules of the stacks that threads other than the owner access (lent.h);
	 * NULL = none */
	const struct bitset *lent;
	bool trust; /* undefined bits have the value in memory, or 0; no faults for them */
	struct exec_cover *cover; /* NULL = no coverage */
	bool slow;                /* careful mode only: tests compare both modes */
	/* called before each instruction of the careful mode: for re-execution, and for tests that
	 * compare static analysis with runs */
	void (*observe)(void *ctx, struct machine *m, struct thread *t, const struct ir_insn *in);
	void *observe_ctx;
	/* called before each instruction of the careful mode. True: the thread gives way before the
	 * instruction (STEP_AGAIN), for tests that schedule the threads themselves (machine.h) */
	bool (*pause)(void *ctx, struct machine *m, struct thread *t, const struct ir_insn *in);
	void *pause_ctx;
	/* called in the careful mode before each edge of the program's own code that a conditional
	 * branch or a switch takes; false ends the path (STOP_ASSUMPTION). machine.branches counts
	 * these edges */
	bool (*branch)(void *ctx, struct machine *m, struct thread *t, uint32_t edge);
	void *branch_ctx;
};

struct exec_result {
	enum exec_fate fate;
	int status;           /* argument of exit(); a shell sees its low eight bits */
	enum fault fault;     /* for EXEC_FAULT and EXEC_DEADLOCK */
	enum exec_stop stop;  /* for EXEC_STOPPED */
	struct strbuf report; /* text for the user: fault, place, call stacks */
	uint64_t instructions, switches, threads;
};

/* Runs main(argv). The program must have its models imported. Standard streams are the host's.
 * Returns 0 with *res filled (release it with exec_result_release), -1 after error_(). */
int exec_run(const struct ir_program *p, int argc, char *const *argv,
	const struct exec_options *opt, struct exec_result *res);
void exec_result_release(struct exec_result *res);
/* Short name of the fault or stop: "overflow", "unmodelled call"; NULL after an exit. */
const char *exec_word(const struct exec_result *res);

#endif
