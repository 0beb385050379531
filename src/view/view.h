/*
 * A recorded run for people and for other tools, as `heddle trace` shows it: a summary of its threads,
 * shared locations and synchronization, its events one by one, a file for Perfetto. The first pass
 * over the trace (view_open()) collects its synchronization; each kind of output makes a second one,
 * and writes to the standard output, except where it is given a path.
 *
 * Lifetime: heap of the caller, view_release(); the trace must outlive it.
 */
#ifndef HEDDLE_VIEW_VIEW_H
#define HEDDLE_VIEW_VIEW_H

#include "base/bitset.h"
#include "base/opt.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "trace/check.h"
#include "trace/collect.h"
#include "trace/locations.h"
#include "trace/names.h"

struct view {
	struct trace *t;
	/* how to show it; set by the caller */
	uint32_t jobs;           /* threads that are re-executed in parallel, at least 1 */
	bool json;               /* JSON in the place of text */
	bool all;                /* lists of the summary are not shortened */
	const char *location;    /* only events at this variable; NULL: at any */
	uint64_t address;        /* `location` as an address; 0: it is a name */
	struct bitset only;      /* only events of these threads; empty: of all */
	uint32_t kinds;          /* FOLLOW_BIT()s of the events to show (event_kinds_parse()) */
	struct bitset sync_kinds; /* LOG_S_* of the events to show; empty: all */
	/* what view_open() found */
	const struct ir_program *p;
	struct collected c;
	struct check check;
	struct names names;
	VEC(struct global_at) globals; /* in ascending order of address */
};
struct global_at { /* a global variable in memory */
	uint64_t addr, size;
	uint32_t global;
};

/* Makes the first pass, over v->t with v->jobs. 0, or -1 after error_(). */
int view_open(struct view *v);
/* Also without view_open(), and after it failed. */
void view_release(struct view *v);
/* Whether the whole run was recorded and reproduced. */
bool view_is_whole(struct view *v);

/* ---- names and descriptions (words.c) ------------------------------------------------------- */

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

/* ---- kinds of output; each returns 0, or -1 after error_() ---------------------------------- */

int view_summary(struct view *v);
int view_events(struct view *v);
int view_perfetto(struct view *v, const char *path);
/* Compares the re-executed memory with the file to which the runtime wrote the globals at the end of
 * the program. 1: they differ. */
int view_check_memory(struct view *v, const char *path);

/* Names of kinds of events, for --kind and for output. Parsing fills v->kinds and v->sync_kinds;
 * without words, with the kinds that are shown by default. 0, or -1 after error_(). */
const char *event_kind_name(uint32_t follow_kind);
int event_kinds_parse(struct view *v, const struct opt_list *words);

#endif
