/*
 * Private header of the extraction (extract.h). There is one struct extractor for a whole run, or
 * for each chunk of it, and one struct tracer for its current thread, because threads are
 * re-executed one after the other.
 *
 *  - extract_cells.c finds the shared bytes
 *  - extract_pass.c re-executes the threads for one extraction or several
 *  - extract_step.c handles each instruction, and extract_data.c each access: they make guards,
 *    data events and shadows (extract_shadow.c), with the terms of facts/op_terms.h
 *  - extract_hidden.c makes the events of calls that access state of the library or the system
 *  - extract_modelled.c decides which operations the model knows; the others become limits
 *  - extract_state.c makes the state of objects a cell
 *  - extract_sync.c makes the events of synchronization. When the events of all threads exist,
 *    extract_settle.c removes events that are not needed, and extract_link.c makes critical
 *    sections and objects and links the events of different threads
 *  - extract_order.c finds the observed order, with the search of index_order.c
 */
#ifndef HEDDLE_EXTRACT_EXTRACT_INTERNAL_H
#define HEDDLE_EXTRACT_EXTRACT_INTERNAL_H

#include "base/base.h"
#include "base/bitset.h"
#include "base/map.h"
#include "base/vec.h"
#include "facts/fails.h"
#include "facts/op_terms.h"
#include "extract/extract.h"
#include "extract/extract_cells.h"
#include "extract/extract_shadow.h"
#include "trace/file_names.h"
#include "log/hidden.h"

struct hidden_object {             /* an open file, pipe … (log/hidden.h) */
	uint64_t object, contents; /* as in struct ctp_hidden */
	uint64_t handle;
	bool waits;        /* a read waits until there are data */
	bool only_written; /* the end of a pipe that is written */
	bool only_read;    /* a stream that is opened for reading */
	bool several;      /* its handle was used for other objects too */
};

struct own_variable {   /* a variable of the thread that other threads use */
	uint32_t depth; /* number of frames, up to that of its function */
	uint32_t block;
};

struct tracer {                  /* the extraction of one thread */
	uint32_t stream, thread; /* number in the trace; index in ctp.threads */
	uint64_t points, at;     /* points passed; point of the current instruction */
	uint64_t insns;          /* instructions executed */
	bool on;                 /* events are made: other threads exist, or the chunk has begun */
	bool cut;                /* no more events are made */
	bool exits;              /* the thread ends the process */
	uint64_t accesses;       /* accesses that became events */
	struct touched *touched; /* finds generations; counts synchronization events */
	struct shadow_frames frames;
	struct shadow_mem mem;
	struct map known; /* conditions that hold: term -> 1 */
	struct map bases; /* address term -> the part of it without symbols */
	/* the current call: shadows and values of its arguments, shadows of its results */
	VEC(term_t) args;
	VEC(u128) arg_vals;
	bool into_program; /* the call goes to a traced function */
	uint32_t callee;
	bool prints; /* the callee only prints, and its result is not used */
	VEC(term_t) rets;
	/* the current block operation */
	VEC(struct shade) bulk; /* shadows of the bytes that it copies; empty: none has one */
	uint64_t bulk_to, bulk_from, bulk_n;
	uint32_t bulk_event;   /* event of its read; CTP_NONE */
	uint32_t value_event;  /* event of the current sem_getvalue(), CTP_NONE */
	term_t entered;        /* barrier: the number of threads that entered it, this one
				  included; TERM_NONE: not known */
	uint32_t count;        /* of that barrier */
	struct vec_u64 robust; /* robust mutexes that the thread holds, one entry for each level */
	uint32_t joined;       /* the thread that the current call joined, CTP_NONE */
	VEC(struct own_variable) own; /* of functions that have not returned */
	/* a call that blocks; LOG_NSYNC: none */
	uint8_t blocked;        /* enum log_sync_kind */
	struct ctp_event waits; /* the event that the call becomes if the log ends in it */
	uint32_t func, insn;    /* place of the current instruction */
	/* a load that takes its value from the log. If that differs from the value that the shadow
	 * stands for, the shadow is dropped before the next instruction */
	uint32_t doubt_reg;
	u128 doubt_value;
	/* calls that access state of the library (extract_hidden.c) */
	struct map handles; /* handles of objects that the thread has opened -> their index + 1 */
	VEC(struct hidden_object) hidden_objects;
	uint64_t opened;        /* number of these */
	struct map hidden_seen; /* accesses since the last event of another kind */
	struct map transferred; /* object, direction -> bytes */
	bool versioned;         /* the next call is in a critical section on its state */
	uint32_t hidden_event;  /* event of the current call, if it transfers bytes; CTP_NONE */
};

enum { /* extractor.traits: properties of functions */
	FUNC_PRINTS = 1,
	FUNC_FAILS = 2,
	FUNC_SYNC = 4,       /* of log/sync.def */
	FUNC_FREES = 8,      /* frees the block that its first argument points to */
	FUNC_TELLS = 16,     /* an annotation of heddle/heddle.h */
	FUNC_TIMED = 32,     /* has a time limit */
	FUNC_C11 = 64,       /* results are those of threads.h */
	FUNC_ZEROS = 128,    /* the block that it allocates is zero */
	FUNC_TRIES = 512,    /* does not wait for the end of the thread that it joins */
	FUNC_CLOSES = 1024,  /* ends the use of an object by its caller, not the object */
	FUNC_EXITS = 256,    /* ends the thread with a result */
	FUNC_QUITS = 4096,   /* ends the process at once, without handlers */
	FUNC_MAPS = 8192,    /* may give memory a second address, or a file its contents */
	FUNC_ALARMS = 16384, /* a signal will come later */
	FUNC_VERSION =
		2048, /* of bitcode/hidden_order.h: the next call has a version of its state */
};

struct result { /* of a thread */
	/* the symbol for the result in the thread that joins (TERM_NONE: it is not read there), and
	 * the term of the result in the thread that returns it */
	term_t sym, term;
	u128 value; /* recorded value at the join */
	u128 own;   /* recorded value at the return */
};

struct late_fix { /* events: a read, and the FIX of its value, which is known with the order */
	uint32_t read, fix;
};

struct life { /* of a thread, as ranks of synchronization; UINT32_MAX: never */
	uint32_t created, joined;
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
	struct touched fixed;      /* only its address range of globals is used */
	struct map robust;         /* address of a robust mutex -> 1; shared with chunks */
	struct map states;         /* address of an object -> cell of its state + 1 */
	bool counts;               /* values of semaphores are cells */
	bool stateful;             /* states of objects are known from the beginning of the run */
	struct life *lives;        /* by stream; shared with chunks */
	uint32_t *thread_of;       /* by stream: in ctp.threads, or CTP_NONE */
	struct map block_of;       /* generation of the heap -> block + 1 */
	struct map gen_of_alloc;   /* stream << 32 | event -> generation */
	struct bitset kept_blocks; /* generations whose allocation and free are events */
	struct vec_u32 rank;       /* by event: 2 + 2 * rank of synchronization; 0: none */
	struct map objects;        /* address -> object + 1 */
	struct bitset unseen;      /* accesses without a recorded value: found with the order */
	VEC(struct late_fix) late;
	VEC(struct result) results; /* by thread of ctp.threads */
	struct map selves;          /* pthread_self() -> thread of ctp.threads + 1 */
	uint8_t **used;             /* by function: registers that are read; NULL: not built yet */
	uint16_t *traits;           /* by function: FUNC_* */
	const struct hidden_fn **hidden; /* by function: its first row of log/hidden.def; NULL */
	struct file_names file_names;
	struct map handles; /* handle -> index in hidden_objects + 1 */
	struct map closed;  /* handles that a thread closed which had not opened them */
	VEC(struct hidden_object) hidden_objects; /* that any thread has opened */
	struct map early_bytes; /* objects with transfers before the first event */
	bool mode_changes;      /* descriptors may have become non-blocking */
	bool redirected;        /* a standard stream may be a file or pipe of the program */
	bool closed_late, opened_late; /* a standard stream, any object: while threads exist */
	struct vec_u64 closed_streams; /* handles, while threads exist, of those not known then */
	struct map limits;      /* hash of a sentence -> 1 */
	uint64_t max_accesses;  /* of one thread */
	struct tracer *tr;      /* the current thread; NULL: none */
	bool begun;             /* some log lacks its beginning: earlier values are unknown */
	bool chunk;             /* a chunk of a run: blocks are added at their first use */
	bool merge;             /* extract_options.merge */
	uint32_t cut_rank;      /* later synchronization events are left out; UINT32_MAX: none */
};

/* ---- events (extract.c) ---------------------------------------------------------------------- */

/* Adds a sentence to ctp.limits, once. */
void extract_limit(struct extractor *x, const char *fmt, ...) PRINTF(2, 3);
/* A new event of the current thread, at its next point. Valid until the next event is made. */
struct ctp_event *extract_event(struct extractor *x, enum ctp_kind kind, const struct follow *f,
	uint32_t func, uint32_t insn);
/* A new guard; NULL if the condition is constant, or a guard of the thread has it already. */
struct ctp_event *extract_guard(struct extractor *x, enum ctp_kind kind, const struct follow *f,
	uint32_t func, uint32_t insn, term_t cond);
/* A FIX guard: the term has its recorded value. */
void extract_fix(struct extractor *x, const struct follow *f, uint32_t func, uint32_t insn,
	term_t t, u128 value);
/* The block of a generation, CTP_NONE if it is not of the heap. */
uint32_t extract_block_of(struct extractor *x, uint32_t gen);
/* Removes the events that are not in keep, with their accesses. */
void extract_keep(struct extractor *x, const struct bitset *keep);
/* The symbol of a thread's result, 64 bits; value: as recorded. */
term_t extract_result(struct extractor *x, uint32_t thread, u128 value);
/* The heap block at an address, at the current place of the thread; CTP_NONE. */
uint32_t extract_block(struct extractor *x, uint64_t addr);
/* The main thread is about to create the first thread: takes the values of the cells as initial
 * values, and drops events that no other thread can observe. */
void extract_begins(struct extractor *x, struct follow *f);
/* Whether no instruction reads the registers that the instruction defines. */
bool extract_unused(struct extractor *x, uint32_t func, const struct ir_insn *in);

/* ---- before and after the careful pass (extract.c) ------------------------------------------ */

/* Prepares everything that the careful pass needs, with cells whose values are not known yet. 0, or
 * -1 after error_(). */
int extract_open(struct extractor *x, struct trace *t, const struct extract_options *opt);
/* Of a chunk: releases only what the chunk does not share with the extractor of the index. */
void extract_close(struct extractor *x);
/* Takes the initial values of the cells from memory, before the given event of the thread, which
 * creates the first thread. */
void extract_first_values(
	struct extractor *x, const struct follow *f, uint32_t stream, uint32_t event);
/* The cells of the block that the event allocates are zero. */
void extract_zeros(struct extractor *x, uint32_t stream, uint32_t event);
/* Sets creator, number and function of each thread, from all records of synchronization. */
void extract_name_threads(struct extractor *x);
/* Makes the program when the events of all threads exist. 0, or -1 after error_(). */
int extract_finish(struct extractor *x);
/* Adds a pending event at the end of the thread's log, or a FAIL for a crash. */
void extract_thread_ends(struct extractor *x);

/* ---- what the model knows (extract_modelled.c) ---------------------------------------------- */

/* Adds a limit for each operation of the run that the model does not know how to reorder. */
void modelled_check(struct extractor *x);
/* Adds the limit of one operation: the name of its function, and why it was not reordered. */
void modelled_gap(
	struct extractor *x, uint32_t func, uint32_t insn, const char *name, const char *why);
/* FUNC_MAPS and FUNC_ALARMS of a library function; and the limits of a call of one. */
uint16_t modelled_traits(const char *name);
void modelled_effects(struct extractor *x, uint32_t func, uint32_t insn, uint16_t traits);
/* The same for a call of a library function without known effects, by the current thread. */
void modelled_call(struct extractor *x, uint32_t func, uint32_t insn, const char *name);
/* Adds a limit if the reader-writer lock was initialized as one that prefers writers. */
void modelled_rwlock(struct extractor *x, const struct follow *f, uint64_t lock);
/* The result of a join that found its thread running. */
bool modelled_join_fails(int result);

/* ---- states of objects (extract_state.c) ---------------------------------------------------- */

/* Decides which objects have a cell. */
void state_prepare(struct extractor *x);
/* Adds an access to the last event, which operates on the object: a read, which returns the symbol
 * of the state; a write; a read and an addition, which returns the sum. */
term_t state_read(struct extractor *x, uint64_t object);
void state_set(struct extractor *x, uint64_t object, uint32_t value);
term_t state_add(struct extractor *x, uint64_t object, int by);
/* The thread leaves the barrier that it entered: sets the result of its call. */
void barrier_result(struct extractor *x, const struct sync_event *s);
/* The thread that got PTHREAD_BARRIER_SERIAL_THREAD entered last: raises the rank of its ENTER. */
void barrier_place_last(struct extractor *x, const struct vec_u32 *sync);
/* A lock, an unlock or a failed try of a robust mutex, whose event is the last one. */
void robust_lock(struct extractor *x, struct follow *f, const struct sync_event *s);
void robust_fails(struct extractor *x, struct follow *f, const struct sync_event *s);
void robust_unlock(struct extractor *x, uint64_t mutex);
/* The thread ends while it holds the mutex: the last event is an UNLOCK. */
void robust_owner_ends(struct extractor *x, uint64_t mutex);
/* pthread_mutex_consistent() on the mutex: the last event is its STATE. */
void robust_consistent(struct extractor *x, struct follow *f, const struct sync_event *s);
/* Fills the recorded values, with the events of synchronization in their order. */
void state_link(struct extractor *x, const struct vec_u32 *sync);

/* ---- instructions and accesses -------------------------------------------------------------- */

void step_insn_begins(struct extractor *x, struct follow *f, uint32_t func, uint32_t insn);
void step_enter(struct extractor *x, struct follow *f, const struct follow_event *e);
void step_leave(struct extractor *x, struct follow *f, const struct follow_event *e);
/* A variable of the current function begins. Before touched_local(). */
void step_local(struct extractor *x, struct follow *f, const struct follow_event *e);
/* The shadow of an operand or TERM_NONE; step_term(): its shadow, or a constant. */
term_t step_shadow(const struct extractor *x, ir_ref r);
term_t step_term(
	const struct extractor *x, const struct follow *f, const struct ir_func *fn, ir_ref r);
static inline u128 step_value(const struct follow *f, ir_ref r)
{
	return val_u128(follow_reg(f, r));
}
void step_set(struct extractor *x, uint32_t reg, term_t t);
/* A guard before an access whose address depends on symbols. */
void step_address(struct extractor *x, struct follow *f, uint32_t func, uint32_t insn, ir_ref r,
	uint64_t size);

/* An access to memory that is shared or local to the thread. `logged`: a load takes its value from
 * the log, so it may differ from the value in memory. */
void data_access(struct extractor *x, struct follow *f, const struct follow_event *e, bool logged);
/* A block operation begins. */
void data_bulk_begins(struct extractor *x, struct follow *f, uint32_t func, uint32_t insn);
void data_bulk_read(struct extractor *x, struct follow *f, const struct follow_event *e);
void data_bulk_write(struct extractor *x, struct follow *f, const struct follow_event *e);
void data_native(struct extractor *x, struct follow *f, const struct follow_event *e);
/* A library function of which only the result is logged has returned. */
void data_pure(struct extractor *x, struct follow *f, const struct follow_event *e);
/* The library reads the shared cells of a range; a FIX follows, unless the call only prints. */
void data_native_read(struct extractor *x, struct follow *f, uint32_t func, uint32_t insn,
	uint64_t addr, uint64_t size);

/* ---- synchronization (extract_sync.c) ------------------------------------------------------- */

/* Makes the event of the next record of the thread. The caller calls touched_sync() afterwards. */
void sync_event(struct extractor *x, struct follow *f, const struct follow_event *e);
/* The current call blocks. */
void sync_blocked(struct extractor *x, struct follow *f, const struct follow_event *e);
/* The thread's log ends here: adds the pending event, if there is one. */
void sync_ends(struct extractor *x);

/* ---- state of the library and the system (extract_hidden.c) ---------------------------------- */

/* Looks the functions of the program up in log/hidden.def, and marks the cells of versions. */
void hidden_find(struct extractor *x);
/* The current call writes to a descriptor that another thread may read from. */
bool hidden_sends(const struct extractor *x);
/* A native call begins, and has returned. Also before events are made. */
void hidden_call(struct extractor *x, struct follow *f, uint32_t func, uint32_t insn);
void hidden_return(struct extractor *x, struct follow *f, const struct follow_event *e);
/* The thread synchronizes: later calls are events of their own. */
void hidden_synchronized(struct extractor *x);
/* A read of memory: of a buffer that a result of the library points to, it reads the state. */
void hidden_read(struct extractor *x, struct follow *f, const struct follow_event *e);
/* Finds the objects of handles that other threads have opened. */
void hidden_settle(struct extractor *x);

/* ---- when the events of all threads exist --------------------------------------------------- */

/* Remove events of blocks that only one thread uses; put terms in the place of the symbols for
 * results of threads (extract_settle.c). */
void extract_drop_blocks(struct extractor *x);
void extract_put_results(struct extractor *x);
/* Cuts all threads of a run whose beginning is missing at one rank (extract_begun.c). */
void begun_cut(struct extractor *x);
/* Makes critical sections and links events of different threads (extract_link.c). */
void link_events(struct extractor *x);
/* extract_options.merge: start arguments and results of threads become accesses to cells of their
 * own (extract_merge.c). Needs the names of the threads. */
void merge_cells(struct extractor *x);
/* The observed order of a run that executed a schedule, from the schedule in its trace
 * (store_meta.turns), without a search: appends all events except pending ones to *order. False if
 * the schedule does not cover all of them (extract_turns.c). */
bool turns_order(const struct ctp *c, const char *turns, struct vec_u32 *order);
/* Fills order, order_exact and ranks; initial values that are known only from a read; and the
 * values of native reads. 0, or -1 after error_(). */
int order_events(struct extractor *x);

#endif
