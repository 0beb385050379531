/*
 * Private to `heddle trace`: the data that its files share. trace.c opens the trace and makes the
 * first pass (trace/collect.h); each other file makes one kind of output, most by a second pass.
 */
#ifndef HEDDLE_CLI_TRACE_INTERNAL_H
#define HEDDLE_CLI_TRACE_INTERNAL_H

#include "base/bitset.h"
#include "base/opt.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "trace/check.h"
#include "trace/collect.h"
#include "trace/locations.h"
#include "trace/names.h"

struct trace_args {
	bool events, json, all;
	struct opt_list threads, kinds;
	const char *location, *perfetto, *memory;
	uint64_t jobs;
};

struct view {
	struct trace *t;
	const struct trace_args *a;
	const struct ir_program *p;
	struct collected c;
	struct check check;
	struct names names;
	VEC(struct global_at) globals; /* in ascending order of address */
	struct bitset only;            /* threads of --thread; empty: all */
	uint32_t kinds;                /* FOLLOW_BIT()s of --kind */
	struct bitset sync_kinds;      /* LOG_S_* of --kind; empty: all */
};
struct global_at { /* a global variable in memory */
	uint64_t addr, size;
	uint32_t global;
};

/* ---- names and descriptions (trace_words.c) ------------------------------------------------- */

/* The thread's number in the log. */
uint32_t view_thread_id(const struct view *v, uint32_t thread);
/* Pads to a column with at least one space; continuation bytes of UTF-8 do not count. */
void view_pad_to(struct strbuf *b, size_t column);
/* Names the bytes at an address: "table[3].n", "block from list.c:31:7+24", "0x7f…". gen: the
 * generation of the memory (view_generation()). */
void view_data(struct strbuf *out, struct view *v, uint64_t addr, uint64_t size, uint32_t gen);
/* The generation of the memory at the address, after `events` synchronization events of the thread;
 * 0: a global, or not known. */
uint32_t view_generation(const struct view *v, uint32_t thread, uint32_t events, uint64_t addr);
/* Describes the object: "heap block of 64 bytes from malloc at list.c:31:7 in 'push'" */
void view_object(struct strbuf *out, struct view *v, uint64_t addr, uint32_t gen);
/* The object of a synchronization event, by its name in the source or by address. */
void view_sync_object(struct strbuf *out, struct view *v, uint32_t thread, uint32_t event);
/* The function that a thread runs: "worker", "main", "handler of SIGUSR1" */
void view_thread_name(struct strbuf *out, struct view *v, uint32_t thread);
/* "reproduced: all hashes equal", or the reason against it. False: not reproduced. */
bool view_thread_fate(struct strbuf *out, const struct view *v, uint32_t thread);
/* "exit status 1", "killed by SIGSEGV" */
void view_fate(struct strbuf *out, const struct view *v);
void view_finding(struct strbuf *out, struct view *v, const struct check_finding *f);

/* ---- kinds of output; each returns STATUS_* ------------------------------------------------- */

int trace_summary(struct view *v);
int trace_events(struct view *v);
int trace_perfetto(struct view *v, const char *path);
int trace_check_memory(struct view *v, const char *path);

/* The number of threads to re-execute in parallel. */
uint32_t view_jobs(const struct view *v);
/* Names of kinds of events, for --kind and for output. Parsing returns STATUS_*. */
const char *event_kind_name(uint32_t follow_kind);
int event_kinds_parse(struct view *v, const struct opt_list *words);

#endif
