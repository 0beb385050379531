/*
 * A recorded run, opened: the program it was made with, its threads, and their re-execution.
 *
 * trace_open() reads the directory that `heddle record` wrote: `meta` (JSON-free text, see
 * docs/trace.md), `program` (the executable's bitcode, compressed), `log` (the threads' streams). It
 * checks versions and hashes, imports the program and computes its plan. Damage is reported with its
 * place; what lies before it is used.
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
	uint32_t id;
	uint8_t kind;       /* enum log_thread_kind */
	uint16_t signo;
	uint32_t parent;    /* LOG_NONE if none */
	uint64_t tsc;       /* of its start */
	uint64_t stack_lo, stack_hi;
	uint64_t bytes;     /* of its stream */
	bool whole;         /* its stream has its first and its last chunk */
	bool begins;        /* has its first one */
	struct follow_result result; /* after trace_follow() */
	bool followed;
};

/* NULL after error_() */
struct trace *trace_open(const char *dir);
void trace_close(struct trace *t);

const struct ir_program *trace_program(const struct trace *t);
const struct plan *trace_plan(const struct trace *t);
const struct store_meta *trace_meta(const struct trace *t);
uint32_t trace_nthreads(const struct trace *t);
const struct trace_thread *trace_thread(const struct trace *t, uint32_t i);
/* After the main thread was followed to the first thread's start; else NULL. */
struct follow_snapshot *trace_snapshot(const struct trace *t);

/* Re-executes every thread, `jobs` at a time, the main thread up to its first thread start before
 * the others. The observer is told which thread it hears from; its event() is called from several
 * host threads at once, one for a thread of the trace. */
struct trace_observer {
	uint32_t kinds; /* FOLLOW_BIT()s */
	void (*event)(void *ctx, uint32_t thread, struct follow *f, const struct follow_event *e);
	/* not NULL: called before each instruction, many times slower (follow_options.insn) */
	void (*insn)(void *ctx, uint32_t thread, struct follow *f, uint32_t func, uint32_t insn);
	bool shifts; /* follow_options.shifts */
	void *ctx;
};
/* 0; results stand in trace_thread(). only: bitset of threads, NULL = all (the main thread is
 * followed anyway when others need its memory, without events). */
int trace_follow(struct trace *t, const struct trace_observer *o, const struct bitset *only,
	uint32_t jobs);

/* Seconds since the start of the run. */
double trace_time(const struct trace *t, uint64_t tsc);

#endif
