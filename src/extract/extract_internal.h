/*
 * Inside of extract.h: what its files share. One struct extractor for a trace; one struct tracer for
 * the thread at hand, of which there is one at a time.
 *
 *  - extract_cells.c finds the shared bytes; extract_fail.c the places where the program fails
 *  - extract_step.c is told of each instruction, and extract_data.c of each access: they make guards,
 *    data events and shadows (extract_shadow.c), with the terms of extract_ops.c
 *  - extract_sync.c makes the events of synchronization; extract_link.c, when all threads are there,
 *    regions, objects and whatever joins events of different threads
 *  - extract_order.c finds the observed order
 */
#ifndef HEDDLE_EXTRACT_EXTRACT_INTERNAL_H
#define HEDDLE_EXTRACT_EXTRACT_INTERNAL_H

#include "base/base.h"
#include "base/bitset.h"
#include "base/map.h"
#include "base/vec.h"
#include "facts/op_terms.h"
#include "extract/extract.h"
#include "extract/extract_cells.h"
#include "extract/extract_fail.h"
#include "extract/extract_shadow.h"

struct tracer { /* one thread */
	uint32_t stream, thread; /* number in the trace, in ctp.threads */
	uint64_t points, at;     /* passed; that of the instruction at hand */
	uint64_t insns;
	bool on;                 /* others have been started: everything is followed */
	bool cut;                /* nothing more is taken */
	uint64_t accesses;       /* that became events */
	struct touched *touched; /* for the generations; its events count the history */
	struct shadow_frames frames;
	struct shadow_mem mem;
	struct map known;        /* conditions that hold: term -> 1 */
	struct map bases;        /* address term -> the part of it without symbols */
	/* a call under way: shadows of its arguments or results */
	VEC(term_t) args;
	VEC(u128) arg_vals;
	bool into_program;       /* the call goes to a traced function */
	uint32_t callee;
	bool prints;             /* the callee only prints, and nobody looks at its result */
	VEC(term_t) rets;
	/* a block operation under way */
	VEC(struct shade) bulk;  /* what it copies; empty: no shadows */
	uint64_t bulk_to, bulk_from, bulk_n;
	uint32_t bulk_event;     /* its read; CTP_NONE */
	uint32_t joined;         /* the thread whose join came back last, CTP_NONE */
	/* a call that has to wait; kind LOG_NSYNC: none */
	uint8_t blocked;         /* enum log_sync_kind */
	struct ctp_event waits;
	uint32_t func, insn;     /* where it is */
	/* a load whose value may have come from elsewhere: checked before the next instruction */
	uint32_t doubt_reg;
	u128 doubt_value;
};

enum { /* of functions */
	FUNC_PRINTS = 1,
	FUNC_FAILS = 2,
	FUNC_SYNC = 4,  /* of log/sync.def */
	FUNC_FREES = 8, /* its first argument is a block that is given back */
	FUNC_TELLS = 16, /* tells heddle something: heddle/heddle.h */
	FUNC_TIMED = 32,
	FUNC_C11 = 64,   /* results are those of threads.h */
	FUNC_ZEROS = 128, /* the block that it makes is zero */
	FUNC_EXITS = 256, /* ends the thread with a result */
};

struct result { /* of a thread: what a join stands for, and what it is */
	term_t sym, term;
	u128 value; /* as who joined it saw it */
	u128 own;   /* as it returned it */
};

struct late_fix { /* events: a read, and the FIX of what it got, known when the order is */
	uint32_t read, fix;
};

struct early_sem { /* what the main thread did to a semaphore while it was alone */
	uint64_t object;
	int64_t delta;
};

struct extractor {
	struct ctp *c;
	struct trace *t;
	struct collected *sync;
	const struct ir_program *p;
	const struct plan *pl;
	struct terms *ts;
	struct cell_index cells;
	struct fails fails;
	struct locksets sets;
	struct touched fixed;      /* only its range of globals */
	uint32_t *thread_of;       /* by stream: in ctp.threads, or CTP_NONE */
	struct map block_of;       /* generation of the heap -> block + 1 */
	struct map gen_of_alloc;   /* stream << 32 | event -> generation */
	struct bitset kept_blocks; /* whose allocation and free are events */
	struct vec_u32 rank;       /* by event: 2 + 2 * rank in the order of synchronization; 0: none */
	struct map objects;        /* address -> object + 1 */
	struct bitset unseen;      /* accesses whose recorded value is found with the order */
	VEC(struct late_fix) late;
	VEC(struct early_sem) early;
	VEC(struct result) results; /* by thread of ctp.threads */
	struct map selves;         /* pthread_self() -> thread of ctp.threads + 1 */
	uint8_t **used;            /* by function: registers that are used */
	uint16_t *traits;          /* by function: FUNC_* */
	struct map limits;         /* hash of a sentence -> 1 */
	uint64_t max_accesses;     /* of one thread */
	struct tracer *tr;         /* the thread at hand */
	struct touched touched;    /* of it */
	bool begun;                /* the beginning of some thread is missing: what was before is not known */
	bool chunk;                /* a chunk of a run (partition_chunk.c): blocks come as they are met */
	bool merge;                /* extract_options.merge */
	uint32_t cut_rank;         /* what comes later in the order is left out; UINT32_MAX */
};

/* ---- events (extract.c) ---------------------------------------------------------------------- */

void extract_limit(struct extractor *x, const char *fmt, ...) PRINTF(2, 3);
/* A new event of the thread at hand, at its next point. */
struct ctp_event *extract_event(struct extractor *x, enum ctp_kind kind, const struct follow *f,
	uint32_t func, uint32_t insn);
/* A guard, unless the condition is always true or known to hold; NULL then. */
struct ctp_event *extract_guard(struct extractor *x, enum ctp_kind kind, const struct follow *f,
	uint32_t func, uint32_t insn, term_t cond);
/* The value had to be as it was. */
void extract_fix(struct extractor *x, const struct follow *f, uint32_t func, uint32_t insn,
	term_t t, u128 value);
/* The block of a generation, CTP_NONE if it is not of the heap. */
uint32_t extract_block_of(struct extractor *x, uint32_t gen);
/* Takes events out; those that stay are in keep. */
void extract_keep(struct extractor *x, const struct bitset *keep);
/* The symbol of what a thread returned, 64 bits; value: as it was. */
term_t extract_result(struct extractor *x, uint32_t thread, u128 value);
/* The heap block at an address for the thread now, CTP_NONE. */
uint32_t extract_block(struct extractor *x, uint64_t addr);
/* The first thread is about to be started: what was until now is the beginning. */
void extract_begins(struct extractor *x, struct follow *f);
/* Nobody reads what the instruction defines. */
bool extract_unused(struct extractor *x, uint32_t func, const struct ir_insn *in);

/* ---- from the trace to the careful pass, and from there to the program (extract.c) --------------- */

/* Everything that the careful pass needs, and cells without their values. 0, or -1 after error_(). */
int extract_open(struct extractor *x, struct trace *t, const struct extract_options *opt);
void extract_close(struct extractor *x);
/* Values of the cells when the first thread is about to be started, by the given event of the thread; of
 * the block that is zero when it is made. */
void extract_first_values(
	struct extractor *x, const struct follow *f, uint32_t stream, uint32_t event);
void extract_zeros(struct extractor *x, uint32_t stream, uint32_t event);
/* The events of all threads are there. */
void extract_finish(struct extractor *x);
void tracer_release(struct tracer *tr);
/* What the thread was doing when its log ended; died: of a signal, here. */
void extract_thread_ends(struct extractor *x);
void extract_data_event(struct extractor *x, struct follow *f, const struct follow_event *e);

/* ---- instructions and accesses -------------------------------------------------------------------- */

void step_insn_begins(struct extractor *x, struct follow *f, uint32_t func, uint32_t insn);
void step_enter(struct extractor *x, struct follow *f, const struct follow_event *e);
void step_leave(struct extractor *x, struct follow *f, const struct follow_event *e);
/* The shadow of an operand, and its value as a term. */
term_t step_shadow(const struct extractor *x, ir_ref r);
term_t step_term(const struct extractor *x, const struct follow *f, const struct ir_func *fn,
	ir_ref r);
static inline u128 step_value(const struct follow *f, ir_ref r)
{
	return val_u128(follow_reg(f, r));
}
void step_set(struct extractor *x, uint32_t reg, term_t t);
/* A guard before an access whose address depends on symbols. */
void step_address(struct extractor *x, struct follow *f, uint32_t func, uint32_t insn, ir_ref r,
	uint64_t size);

/* An access to memory, also to that of the thread alone. `logged`: its value may have come from
 * elsewhere. */
void data_access(struct extractor *x, struct follow *f, const struct follow_event *e, bool logged);
/* A block operation begins; flags of plan_insn. */
void data_bulk_begins(struct extractor *x, struct follow *f, uint32_t func, uint32_t insn);
void data_bulk_read(struct extractor *x, struct follow *f, const struct follow_event *e);
void data_bulk_write(struct extractor *x, struct follow *f, const struct follow_event *e);
void data_native(struct extractor *x, struct follow *f, const struct follow_event *e);
/* A function that logs only its result came back. */
void data_pure(struct extractor *x, struct follow *f, const struct follow_event *e);
/* The shared cells of a range are read by the library, and fixed. */
void data_native_read(struct extractor *x, struct follow *f, uint32_t func, uint32_t insn,
	uint64_t addr, uint64_t size);

/* ---- synchronization (extract_sync.c) --------------------------------------------------------------- */

/* The thread's history has not gone on yet: touched_sync() comes after it. */
void sync_event(struct extractor *x, struct follow *f, const struct follow_event *e);
/* The call under way has to wait. */
void sync_blocked(struct extractor *x, struct follow *f, const struct follow_event *e);
/* The thread's log ends here: what it was about to do. */
void sync_ends(struct extractor *x);

/* ---- when all threads are there ---------------------------------------------------------------------- */

/* Events that nobody else needs, and the results of threads (extract_settle.c). */
void extract_drop_blocks(struct extractor *x);
void extract_put_results(struct extractor *x);
/* Cuts the threads of a run whose beginning is missing at one place (extract_begun.c). */
void begun_cut(struct extractor *x);
void link_events(struct extractor *x);
/* extract_options.merge: what goes from thread to thread by creation and joining becomes accesses to
 * cells of its own (extract_merge.c). When the threads have their names. */
void merge_cells(struct extractor *x);
/* Fills order, order_exact, ranks, initial values that only a reader told, values of native reads. */
void order_events(struct extractor *x);

#endif
