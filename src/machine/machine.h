/*
 * The state of the machine: program, memory, threads with their frames, the wait queue, the random
 * numbers of the scheduler. One struct, no globals.
 *
 * A register has one 64-bit slot of its frame, two if it is wider. A frame runs in one of two modes
 * over the same slots:
 *  - fast (interp.c): threaded code made by translate.c; every register is a known value
 *  - careful (step.c): the IR itself, with a shadow of undefined bits for each slot
 *
 * A frame switches to the careful mode when it meets an undefined bit (a load of uninitialized
 * memory, an undef constant) or a term (sym.h). It switches back when no register has undefined
 * bits or a term, or when the next block does not access such registers (guard.h). step.c alone
 * defines the effect of an instruction; the fast mode is an optimization that must agree with it.
 *
 * Lifetime: heap, machine_free().
 */
#ifndef HEDDLE_MACHINE_MACHINE_H
#define HEDDLE_MACHINE_MACHINE_H

#include "base/arena.h"
#include "base/base.h"
#include "base/map.h"
#include "base/vec.h"
#include "machine/eval.h"
#include "machine/exec.h"
#include "memory/mem.h"
#include "memory/objects.h"
#include "term/term.h"

struct code; /* code.h */
struct cinsn;
struct saved; /* save.h */
/* extensions: their state belongs to rooms above, their tables are in extension.h */
struct sym;
struct symbolic_ops;
struct world;
struct world_ops;
struct follow;
struct follow_ops;
struct machine;
struct thread;

struct opnd { /* a value and its undefined bits, or a term */
	struct val v, u; /* bits set in u are undefined */
	term_t t; /* not TERM_NONE: the value, a term of the type's width; v and u are not used */
};

struct frame {
	uint32_t func;
	const struct code *code;
	uint32_t base;          /* first slot in thread.slots */
	const struct cinsn *ip; /* fast: the current instruction; the next during a call */
	uint32_t pc;            /* careful: the current instruction of ir_func.insns */
	bool careful;
	bool entered;           /* pushed by the machine: its return ends the thread */
	bool initial;           /* outermost frame of a thread that starts in the middle of the
				   program: its caller is not known, its return ends the analysis
				   of the thread */
	bool alone;             /* re-execution: its caller is not known */
	uint32_t nundefined;    /* careful: slots with a non-zero shadow, plus slots with a term */
	uint32_t nvars;         /* thread.vars at entry */
	uint64_t sp;            /* thread.sp at entry */
	uint64_t serial;        /* unique in the run; a jmp_buf refers to its frame by it */
	uint64_t va_regs, va_mem; /* addresses of the register save area and stack area */
	uint16_t va_gp, va_fp;    /* bytes of the save area that the named parameters use */
	uint32_t pieces;          /* re-execution: pieces begun before the current call */
};

struct stack_var { /* a live alloca */
	uint64_t base, size;
	uint32_t func, local;
};

enum { DEAD_VARS = 64 };

enum thread_state {
	THREAD_READY,
	THREAD_WAITING,
	THREAD_POLLING,
	THREAD_DONE,
	THREAD_LEFT, /* it returned from its initial frame (frame.initial), or never had one */
};

struct thread {
	uint32_t id;
	enum thread_state state;
	VEC(struct frame) frames;
	VEC(struct stack_var) vars;
	struct stack_var dead[DEAD_VARS]; /* the last dead variables, a ring, for reports */
	uint32_t ndead;                   /* dead variables so far; index: % DEAD_VARS */
	/* address and instruction of the last load of undefined bits; insn is IR_NONE in a model */
	uint64_t unknown_addr;
	struct stack_entry unknown_at;
	uint64_t *slots, *shadow; /* shadow is NULL until a frame is careful */
	uint32_t *terms;          /* by slot: id of a term, at the first slot of a wide register;
				     NULL until there is a term */
	uint32_t nslots, cap;
	uint64_t sp, stack, limit, tls; /* stack, limit: start and end of its stack region */
	uint64_t wait_on;        /* address of the wait queue */
	const char *why;         /* reason of the wait, in machine.names */
	uint64_t deadline;       /* virtual ns; 0 = none */
	bool waits_first;        /* it waits in the initial state: its first action is a wait */
	bool at_condition;       /* it waits on a condition variable: the wait may end spuriously */
	bool notified;           /* the last wait ended by a notification, not by its deadline */
	bool resumed;            /* the instruction or builtin that gave way is executed again */
	bool gave_way;           /* resumed system call: it gave way before it began, it did not wait */
	int poll_fd;
	short poll_events;
	stack_id created_at;
	uint32_t creator;
};

#define WAITER_OFFER UINT32_MAX /* in the place of a thread: one of the waiters before is notified */

struct waiter {
	uint64_t addr;
	uint32_t thread; /* or WAITER_OFFER (sched.c) */
	term_t term;  /* the address, if it is a term */
	term_t stamp; /* of an initial wait: 64 bits, lower = waits longer (paper 001, §4.2) */
};

/* the result of one or several steps */
enum step {
	STEP_NEXT,   /* continue with the following instruction */
	STEP_JUMPED, /* control moved: the top frame's pc or ip is set */
	STEP_SWITCH, /* the instruction is complete; another thread may run */
	STEP_AGAIN,  /* another thread must run; then the instruction is executed again */
	STEP_STOP,   /* the run has ended: m->res is filled */
};

/* A function that the machine itself provides. args has nargs operands; ret gets the results. */
typedef enum step (*builtin_fn)(struct machine *m, struct thread *t, const struct opnd *args,
	uint32_t nargs, struct opnd *ret);

/* The position in a thread's log and the hash so far. The fast mode reads logged values itself. */
struct log_cursor {
	const uint8_t *at, *end; /* in the current piece */
	uint64_t hash;           /* of addresses and branches */
};

struct machine {
	const struct ir_program *p;
	const struct exec_options *opt;
	struct exec_result *res;
	struct mem mem;
	struct heap heap;
	struct globals globals;
	struct stacks stacks;
	VEC(struct thread *) threads; /* by id */
	uint32_t nlive;           /* threads that are not done or left */
	VEC(struct waiter) queue; /* FIFO over all addresses */
	struct code **codes;      /* by function, made on first call */
	builtin_fn *builtins;     /* by function; NULL = not a builtin */
	const struct exec_stub **stubs; /* by function; NULL = none */
	struct intern names;      /* strings of the program that the machine keeps */
	struct arena arena;       /* code and other data of program lifetime */
	uint64_t rng;             /* state of sched_random() */
	uint64_t serial;          /* of the last frame */
	uint64_t instructions;    /* executed so far; the fast mode counts by blocks */
	uint64_t branches;        /* conditional branches of the program, if they are limited */
	int64_t fuel;             /* instructions until the running thread's slice ends */
	uint64_t skipped_ns;      /* virtual time skipped by sleeping, in ns */
	uint64_t start_realtime, start_monotonic; /* host clocks at the start, in ns */
	uint32_t current;          /* id of the running thread */
	uint64_t args, nargs, env; /* argv, argc and envp in the program's memory */
	bool slow;                 /* careful mode only: tests compare both modes */
	struct saved *saved;       /* the last state saved or restored; the next shares with it */
	/* extensions (extension.h) */
	struct terms *ts;          /* table of the terms; NULL: there are no terms */
	struct sym *sym;           /* not NULL: the machine executes one path of many */
	const struct symbolic_ops *symbolic_ops;
	const bool *summarized;    /* by function: symbolic_ops.summary() is called; or NULL */
	struct world *world;       /* not NULL: system calls do not go to the host */
	const struct world_ops *world_ops;
	struct follow *follow;     /* not NULL: the machine re-executes one recorded thread */
	const struct follow_ops *follow_ops;
	struct log_cursor log;     /* of re-execution */
};

/* ---- the whole (exec.c) ---------------------------------------------------------------------- */

/* A machine whose main thread is at the start of main(argv); NULL after error_(). exec_run() makes,
 * runs and frees one; other callers run the threads by step_run() and interp_run(). */
struct machine *machine_new(const struct ir_program *p, int argc, char *const *argv,
	const struct exec_options *opt, struct exec_result *res);
void machine_free(struct machine *m);
/* Frees code, memory and tables of a machine, but not its threads: a part of machine_free(). */
void machine_release_memory(struct machine *m);

/* ---- frames (frame.c) -------------------------------------------------------------------- */

static inline struct frame *top(struct thread *t)
{
	return &t->frames.at[t->frames.n - 1];
}
static inline const struct ir_func *frame_func(const struct machine *m, const struct frame *f)
{
	return &m->p->funcs.at[f->func];
}
/* the current instruction of the frame; its call if it is not the top frame */
uint32_t frame_insn(const struct frame *f, bool is_top);

/* Sets a mark of coverage (exec.h), if the function has marks. */
static inline void cover_mark(struct machine *m, uint32_t func, uint32_t mark)
{
	struct exec_cover *c = m->opt->cover;

	if (unlikely(c) && c->marks[func])
		c->marks[func][mark] = 1;
}

struct opnd frame_get(struct machine *m, struct thread *t, struct frame *f, ir_ref r);
void frame_set(struct machine *m, struct thread *t, struct frame *f, uint32_t reg, struct opnd o);
/* Pushes a frame with constants, without arguments; NULL after the report of an overflow. */
struct frame *frame_open(struct machine *m, struct thread *t, const struct code *c);
/* Pushes a frame of a function with a body. Arguments are converted to the parameters' widths;
 * missing ones are undefined. STEP_JUMPED, or STEP_STOP on stack overflow. */
enum step frame_push(struct machine *m, struct thread *t, uint32_t func, const struct opnd *args,
	const ir_type *types, const uint64_t *byval, uint32_t nargs);
/* Pops the top frame and frees its variables. */
void frame_pop(struct machine *m, struct thread *t);
/* Switch the mode of a frame: to careful at an instruction, to fast at the start of a block. */
void frame_make_careful(struct machine *m, struct thread *t, struct frame *f, uint32_t pc);
void frame_make_fast(struct machine *m, struct frame *f, uint32_t block);
/* The address of the next variable of that size on the stack. */
uint64_t stack_place(const struct thread *t, uint64_t size, uint64_t align);
/* Allocates a variable on the stack; 0 after the report of a stack overflow. */
uint64_t stack_alloc(struct machine *m, struct thread *t, uint64_t size, uint64_t align,
	uint32_t local);
/* Frees the variables from index nvars on and sets the stack pointer. */
void stack_cut(struct machine *m, struct thread *t, uint32_t nvars, uint64_t sp);

/* ---- operands (opnd.c) ---------------------------------------------------------------------- */

/* The operand truncated or zero-extended to that many bits. */
struct opnd opnd_narrow(struct machine *m, struct opnd o, uint32_t bits);
/* The term truncated or zero-extended. */
term_t opnd_resize(struct machine *m, term_t t, uint32_t bits);
/* The operand as a term of `bits` bits; undefined bits read as 0. */
term_t opnd_term(struct machine *m, struct opnd o, uint32_t bits);
/* The term as an operand: a known one if the term is a constant. */
struct opnd opnd_of_term(struct machine *m, term_t t);
/* The constant part of an address term, which lies in or near its object; 0 = it has none. */
uint64_t opnd_term_base(struct machine *m, term_t t);
static inline uint64_t opnd_base(struct machine *m, struct opnd o)
{
	return likely(!o.t.id) ? o.v.lo : opnd_term_base(m, o.t);
}
/* Writes n <= 16 bytes of the operand to a known address of ordinary memory. */
enum mem_status opnd_put(struct machine *m, uint64_t a, struct opnd o, unsigned n, uint64_t *bad);

/* ---- operations without terms (opaque.c) ----------------------------------------------------- */

/* A symbol for the result of an operation; TERM_NONE if it cannot be one. */
term_t opaque_result(struct machine *m, const struct ir_insn *in, const term_t *args, int n);
/* Whether the instruction calls a function of <math.h> with a term among its arguments, and the result
 * *out can be a symbol. */
bool opaque_call(struct machine *m, const struct frame *f, uint32_t func, const struct ir_insn *in,
	const struct opnd *args, uint32_t n, term_t *out);

/* ---- steps (step.c), calls (call.c) -------------------------------------------------------- */

/* Executes one instruction of the top frame; control instructions in the careful mode only. */
enum step step_insn(struct machine *m, struct thread *t, const struct ir_insn *in);
/* Takes an edge of the careful top frame. */
enum step step_edge(struct machine *m, struct thread *t, uint32_t edge);
/* Runs the top frame while it is careful. */
enum step step_run(struct machine *m, struct thread *t);
/* Calls the function that the operand names: pushes a frame or runs a builtin. */
enum step call_step(struct machine *m, struct thread *t, const struct ir_insn *in);
/* Whether a call of a model by the program may be a scheduling point, because it accesses its
 * arguments: with exec_options.pick, if every access is a scheduling point. */
static inline bool call_may_be_point(const struct machine *m, const struct ir_func *caller,
	const struct ir_func *callee)
{
	return m->opt->pick && m->opt->switches == EXEC_SWITCH_ACCESS &&
	       !(caller->flags & IR_FN_MODEL) && (callee->flags & IR_FN_MODEL);
}
/* Whether other threads may access the address: not the thread's own stack, not constant. */
bool call_shares(struct machine *m, const struct thread *t, struct opnd addr);
/* Calls visit() for the argument of a call, and for addresses that the memory there contains. */
typedef void (*call_visit)(void *ctx, uint64_t addr, uint32_t depth);
void call_each_pointer(struct machine *m, struct opnd arg, call_visit visit, void *ctx);
/* Ends the top frame and gives the values to its caller. */
enum step call_return(struct machine *m, struct thread *t, const struct opnd *vals, uint32_t n);
/* Gives results to the call instruction `insn` of the frame. */
void call_deliver(struct machine *m, struct thread *t, struct frame *f, uint32_t insn,
	const struct opnd *vals, uint32_t n);
enum step call_setjmp(struct machine *m, struct thread *t, const struct opnd *args, uint32_t nargs,
	struct opnd *ret);
enum step call_longjmp(struct machine *m, struct thread *t, const struct opnd *args,
	uint32_t nargs, struct opnd *ret);
enum step va_start_step(struct machine *m, struct thread *t, uint64_t va_list_addr);

/* ---- fast mode (interp.c) ------------------------------------------------------------------ */

/* Runs the thread until something other than STEP_NEXT / STEP_JUMPED. */
enum step interp_run(struct machine *m, struct thread *t);

/* ---- builtins (builtin.c, math.c, syscall.c) ------------------------------------------------ */

builtin_fn builtin_find(const char *name);
/* Concretizes the arguments, except for those that the builtin accepts as terms. */
enum step builtin_known_args(struct machine *m, struct thread *t, uint32_t func, struct opnd *args,
	uint32_t n);
builtin_fn math_find(const char *name);
/* Whether nothing in the program can see what is written to the descriptor. */
bool writes_outside(const struct machine *m, int fd);
enum step builtin_syscall(struct machine *m, struct thread *t, const struct opnd *args,
	uint32_t nargs, struct opnd *ret);

/* ---- threads (sched.c) --------------------------------------------------------------------- */

struct thread *thread_new(struct machine *m, uint32_t creator, stack_id created_at);
void thread_free(struct machine *m, struct thread *t);
void thread_done(struct machine *m, struct thread *t);
/* Blocks the thread on the queue of an address; deadline 0 = none. */
void sched_wait(struct machine *m, struct thread *t, struct opnd addr, const char *why,
	uint64_t deadline);
/* Wakes one of the threads that wait at the address, or all; *woken is their number. Which one is
 * exec_options.pick's choice, random with a seed, else the one that has waited longest. Decides
 * addresses that are terms: STEP_STOP if the solver has no answer. */
enum step sched_notify(struct machine *m, struct thread *t, struct opnd addr, bool all,
	uint32_t *woken);
/* Wakes all threads at a queue of the machine itself, whose address no term can have. */
void sched_notify_own(struct machine *m, uint64_t addr);
/* Wakes one waiting thread as if it was notified; false if it does not wait. */
bool sched_wake(struct machine *m, struct thread *t);
/* The thread to run next, or NULL after the report of a deadlock or of another stop. */
struct thread *sched_pick(struct machine *m, struct thread *current, bool must_switch);
/* Makes the thread that exec_options.pick chose the current one; ends its wait. */
struct thread *sched_start(struct machine *m, uint32_t id);
/* Whether the running thread gives way at this scheduling point. */
bool sched_yields(struct machine *m);
/* Virtual time in ns: the clock at the start + 1 for each instruction + skipped sleeps. */
uint64_t sched_now(const struct machine *m, int clock);
uint64_t sched_random(struct machine *m);

/* ---- faults (fault.c): all return STEP_STOP -------------------------------------------------- */

stack_id stack_capture(struct machine *m, struct thread *t);
enum step fault_memory(struct machine *m, struct thread *t, uint64_t addr, uint64_t size,
	bool is_write, enum mem_status st, uint64_t bad);
/* An access with a symbolic address; addr is an example of it. `near` lies in the object that the
 * pointer was computed from and selects the kind of fault; the note is added to the report. */
enum step fault_symbolic(struct machine *m, struct thread *t, uint64_t addr, uint64_t size,
	bool is_write, enum mem_status st, uint64_t near, const char *note);
enum step fault_free(struct machine *m, struct thread *t, uint64_t addr, struct heap_block *b);
/* `what` describes the fault in the report; object is an address to describe, or 0. */
enum step fault_plain(struct machine *m, struct thread *t, enum fault fault, const char *what,
	uint64_t object);
/* Undefined bits have an effect (`what`); the report has the place of their last load. */
enum step fault_unknown(struct machine *m, struct thread *t, const char *what);
enum step fault_deadlock(struct machine *m);
/* the access that a thread executes next; two of them to the same bytes are a race */
struct fault_access {
	struct thread *thread;
	uint64_t addr;
	uint32_t n;
	bool write, atomic;
};
enum step fault_race(struct machine *m, const struct fault_access *a, const struct fault_access *z);
/* Ends the run without a finding, for the given reason. */
enum step stop_unknown(struct machine *m, struct thread *t, enum exec_stop stop, const char *fmt, ...)
	PRINTF(4, 5);

#endif
