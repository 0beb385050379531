/*
 * The functions that the machine (src/machine) provides to the models; all other functions that a
 * model calls are models. Models are C, compiled to bitcode at build time, embedded, and linked
 * with the user's program; they run on the same interpreter. Between two of these calls a model
 * runs without a context switch, also under --switch access; so a model needs no locks of its own.
 *
 * Synchronization is built from wait queues named by addresses (paper 001, §4.1): there is a queue
 * for every address, and no initialization is needed.
 */
#ifndef HEDDLE_MODEL_H
#define HEDDLE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- threads and wait queues ------------------------------------------------------------- */

/* A switch point: the scheduler may run other threads before this returns. Every synchronization
 * model calls it once on entry, before it reads any state. `kind` is for traces. True if the
 * thread has been blocked in this operation since before the start (heddle explore --from): the
 * model makes it wait at once, whatever the object's state is. */
bool __heddle_sync(const char *kind, void *object);
/* A switch point of an exploration, before an access to state that all threads share and that is no
 * variable of the program: the order of such accesses is visible. `state` names it. */
void __heddle_order(const void *state, bool changes);
/* Blocks the calling thread on the queue of `q` until it is notified. */
void __heddle_wait(void *q, const char *why);
/* The same at a condition variable; false if the thread woke without a notification, which happens
 * only in an exploration with --spurious. */
bool __heddle_wait_condition(void *q, const char *why);
/* The same with a deadline in the machine's virtual time, as __heddle_now(CLOCK_MONOTONIC) counts
 * it. True if notified, false if time ran out. In an exploration the time may be over at any moment;
 * otherwise a deadline in the past gives false at once. A q of NULL is a sleep, which nothing
 * notifies. */
bool __heddle_wait_until(void *q, const char *why, uint64_t deadline_ns);
/* Wakes one waiter of q, any of them, or all; returns how many were woken. */
unsigned __heddle_notify_one(void *q);
unsigned __heddle_notify_all(void *q);
/* Wakes that thread, as if notified, if it is blocked on any queue (for cancellation: the
 * order of the other waiters stays the same); returns whether it was blocked. */
bool __heddle_notify_thread(unsigned thread);
/* Virtual time in ns since the epoch (CLOCK_REALTIME) or since boot (others); it advances with
 * executed instructions and jumps ahead when every thread sleeps. */
uint64_t __heddle_now(int clock);
/* Thread ids are small integers: main is 0. The new thread runs start(arg) of the model and must
 * end by __heddle_thread_exit(). It is ready at once and runs when it is scheduled. */
unsigned __heddle_thread_create(void (*start)(void *), void *arg);
unsigned __heddle_thread_self(void);
_Noreturn void __heddle_thread_exit(void);

/* ---- misuse and the end ------------------------------------------------------------------ */

enum heddle_fault { /* enum fault of the machine, for code that cannot include its headers */
#define FAULT(id, word, title, about, sign) HEDDLE_FAULT_##id,
#include "../src/log/faults.def"
};
/* Reports a finding with the caller's stack and ends the program. `object` may be NULL. */
_Noreturn void __heddle_fault(enum heddle_fault kind, const char *message, void *object);
/* Ends the program with that status. The model runs atexit handlers and flushes stdio before. */
_Noreturn void __heddle_exit(int status);
/* Stops with "call of unmodelled function": for cases of a function that its model does not
 * cover. */
_Noreturn void __heddle_unmodelled(const char *what);
/* Ends the run without a result: an assumption of the program does not hold. */
_Noreturn void __heddle_assumption(const char *expression);

/* ---- memory ------------------------------------------------------------------------------ */

/* NULL when the machine's memory limit is reached. Contents are uninitialized unless zero. */
void *__heddle_alloc(size_t size, size_t align, bool zero);
/* Reports double and wild frees itself. p is not NULL. */
void __heddle_free(void *p);
/* Size given to __heddle_alloc; p must be a live heap object (a wild p is reported). */
size_t __heddle_alloc_size(const void *p);

/* ---- host and inputs --------------------------------------------------------------------- */

/* A Linux system call on the host: number and up to six arguments as in syscall(2); returns the
 * raw result (-errno on failure). Buffers are copied in and out and checked by the machine. A call
 * that would block (read of an empty pipe, say) lets other threads run meanwhile. Process-changing
 * calls (fork, execve, clone) stop as unmodelled. */
long __heddle_syscall(long number, long a, long b, long c, long d, long e, long f);
/* Whether system calls do not go to the host: a call that waits blocks only the calling thread. */
bool __heddle_has_world(void);
/* Whether nothing in the program can see what is written to the descriptor: it is the standard
 * output or error, not redirected. */
bool __heddle_writes_outside(int fd);
/* argv, envp as the host gives them, already in the program's memory. */
char **__heddle_argv(int *argc);
char **__heddle_envp(void);
/* Declares the bytes an input; a machine with a world that chooses inputs sets them (world.h). */
void __heddle_input(void *object, size_t size, const char *name);
/* Returns n. A symbolic n forks into one path for each possible value. For the size of a block, for
 * example: accesses to a block of known size are simpler. */
size_t __heddle_known(size_t n);
/* Number of bytes that a buffered reader should request: n, or 1 while the end of a symbolic
 * input is undecided. */
size_t __heddle_read_size(int fd, size_t n);
/* Constructors in order; NULL at the end. Destructors likewise. */
void (*__heddle_ctor(unsigned i))(int, char **, char **);
void (*__heddle_dtor(unsigned i))(void);

/* Exact formatting of one floating-point conversion: spec is "%[flags][width][.prec]CONV" without
 * a length modifier, CONV in aAeEfFgG; what snprintf would give, and its length. */
int __heddle_format_double(char *buf, size_t n, const char *spec, double x);
int __heddle_format_ldouble(char *buf, size_t n, const char *spec, const long double *x);
/* strtod & co. on a NUL-terminated string: bytes consumed (0 = no number), result in *out; sets
 * *range to 1 on ERANGE. Rounds once, to the type. */
size_t __heddle_parse_float(const char *s, float *out, int *range);
size_t __heddle_parse_double(const char *s, double *out, int *range);
size_t __heddle_parse_ldouble(const char *s, long double *out, int *range);

/* setjmp, longjmp and their variants, the functions of <math.h> on scalars (sin, powf, fmal, …),
 * and the memory operations that clang makes intrinsics (memcpy, memmove, memset as IR) are
 * implemented by the machine under their own names: a model does not define them. */

#endif
