/*
 * An open trace: the program, the threads of the recorded run, and their re-execution.
 *
 * trace_open() reads the directory that `heddle record` wrote: `meta` (JSON-free text, see
 * docs/trace.md), `program` (the executable's bitcode, compressed), `log` (the threads' streams). It
 * checks versions and hashes, imports the program and computes its plan, and validates what the
 * files say (trace_validate.h). Damage of `meta` or `program` is an error with its place. A log that
 * is damaged or lacks its end is used as far as it goes: trace_gap() has the reason, and nothing may
 * be claimed about all schedules of such a run.
 *
 * Lifetime: heap, trace_close().
 */
#ifndef HEDDLE_TRACE_TRACE_H
#define HEDDLE_TRACE_TRACE_H

#include "base/bitset.h"
#include "follow/follow.h"
#include "log/store.h"

struct trace;

struct trace_thread {
	uint32_t id;        /* number in the log */
	uint8_t kind;       /* enum log_thread_kind */
	uint16_t signo;     /* LOG_T_SIGNAL */
	uint32_t parent;    /* number in the log; LOG_NONE if none */
	bool known;         /* its first record is there; else kind is LOG_T_FOREIGN, and the fields
	                       down to bytes are 0 */
	uint64_t tsc;       /* of its start */
	uint64_t stack_lo, stack_hi;
	uint64_t bytes;     /* of its stream */
	bool begins;        /* its stream has its first chunk */
	struct follow_result result; /* after trace_follow() */
	bool followed;      /* result is set */
};

/* NULL after error_() */
struct trace *trace_open(const char *dir);
void trace_close(struct trace *t);

const char *trace_dir(const struct trace *t);
/* Why the log does not have the whole run, as a clause: it is damaged, or the recording ended early.
 * NULL if it has. What a limit dropped on purpose does not count. */
const char *trace_gap(const struct trace *t);
const struct ir_program *trace_program(const struct trace *t);
const struct plan *trace_plan(const struct trace *t);
const struct store_meta *trace_meta(const struct trace *t);
uint32_t trace_nthreads(const struct trace *t);
const struct trace_thread *trace_thread(const struct trace *t, uint32_t i);
/* Memory of the main thread at its first thread start; NULL until it is re-executed that far. */
struct follow_snapshot *trace_snapshot(const struct trace *t);

/* Callbacks of trace_follow(). `thread` is a number of trace_thread(). Several host threads call
 * them at the same time, one for each thread of the trace. */
struct trace_observer {
	uint32_t kinds; /* FOLLOW_BIT()s of the events to report */
	void (*event)(void *ctx, uint32_t thread, struct follow *f, const struct follow_event *e);
	/* not NULL: called before each instruction, many times slower (follow_options.insn) */
	void (*insn)(void *ctx, uint32_t thread, struct follow *f, uint32_t func, uint32_t insn);
	bool shifts; /* follow_options.shifts */
	/* A thread whose abort() ended the process is re-executed up to that call. What it did after
	 * its last record needs no log: the runtime saw the call, and all values before it are written */
	bool to_abort;
	void *ctx;
};
/* Re-executes the threads, `jobs` at a time; the main thread reaches its first thread start before
 * the others begin. Stores results in trace_thread(). o: may be NULL. only: bitset of threads,
 * NULL = all; the main thread is always re-executed, because the others need its memory, but
 * without events if it is not in the set. 0, or -1 after error_(). */
int trace_follow(struct trace *t, const struct trace_observer *o, const struct bitset *only,
	uint32_t jobs);

/* Seconds since the start of the run. */
double trace_time(const struct trace *t, uint64_t tsc);

#endif
