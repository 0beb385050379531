/*
 * The functions that instrumented code calls (src/instrument inserts the calls) and the table that
 * an instrumented image has for the runtime. log/format.h describes the bytes of the log.
 *
 * Instrumented code keeps the cursor and the hash in registers: it loads them from *__heddle_ctl at
 * the entry of a function and after every call that is not CALL_PURE (facts/plan.h), and stores
 * them back before such a call and before it returns. At every hook except __heddle_refill, ctl->cur
 * and ctl->hash are up to date, before and after the call. Hooks preserve errno.
 *
 *	segment of n > 0 bytes:
 *		if (ctl->end - cur < n) cur = __heddle_refill(cur, n);
 *		at = cur; cur += n; *(volatile *)&ctl->cur = cur;
 *		… values are stored at `at` as they come …
 *	CALL_EFFECT, CALL_UNKNOWN, and CALL_INDIRECT of code that is not traced:
 *		ctl->native = 1; r = f(…); __heddle_effect(…) or __heddle_return(); r is logged
 *	CALL_SYNC:    r = __heddle_NAME(…) in place of NAME(…): the wrapper does everything
 *	CALL_SETJMP:  r = setjmp(buf); __heddle_setjmp(buf, r)
 *	CALL_LONGJMP: ctl->native = 1; longjmp(buf, v)
 *	a thunk (plan_func.thunk), the function under its own name; its body is NAME.heddle:
 *		if (ctl->native) {
 *			__heddle_callback(id, words, n); r = body(…); __heddle_callback_end();
 *		} else r = body(…)
 *	a function with variable arguments has no thunk; it begins with
 *		if (ctl->native) __heddle_vararg_callback();
 *
 * Thunks, the wrappers of log/sync.def and all other traced code that can be called through a
 * pointer are in the section "heddle_text"; an address outside it is native code.
 */
#ifndef HEDDLE_RUNTIME_HOOKS_H
#define HEDDLE_RUNTIME_HOOKS_H

#include "log/format.h"

struct heddle_image {  /* defined by the image as __heddle_image, hidden, constant */
	uint64_t plan; /* plan.hash */
	uint32_t nglobals, nfuncs, ntls;
	uint32_t flags;             /* HEDDLE_IMAGE_WHOLE */
	const void *const *globals; /* in the order of log_thread; NULL: not in the image */
	const void *const *funcs;
	void (*tls)(uint64_t *out); /* the calling thread's addresses of its ntls variables */
	/* for tests, which compare the bytes of the globals at the end: their sizes; 0 for
	 * constants and for globals of other libraries */
	const uint64_t *global_sizes;
};
enum { HEDDLE_IMAGE_WHOLE = 1 << 0 };

#define HOOK __attribute__((visibility("hidden")))

extern HOOK const struct heddle_image __heddle_image;
/* Never NULL: before a thread is known to the runtime it points to a struct with native = 1 and no
 * room, so that a thunk calls __heddle_callback(), which makes the thread known. Any hook may
 * change the pointer; instrumented code reloads it with the cursor. */
extern HOOK __thread struct log_ctl *__heddle_ctl __attribute__((tls_model("initial-exec")));

/* Gets a chunk with at least `need` bytes (at most LOG_CHUNK_DATA); cur: the cursor of the caller.
 * Returns the new cursor; ctl->cur and ctl->end are set. */
HOOK uint8_t *__heddle_refill(uint8_t *cur, uint64_t need);
/* Logs raw bytes, of any number. */
HOOK void __heddle_bytes(const void *p, uint64_t n);
/* PLAN_BULK: logs the n bytes at `from` and copies the logged bytes to `to`; the two may overlap.
 */
HOOK void __heddle_copy(void *to, const void *from, uint64_t n);
HOOK void __heddle_return(void);
/* effect: number in log/libc.def; the result as 64 bits (0 if none), all arguments of the call
 * by position, variable ones included; 0 for one that is no integer or pointer. After the call. */
HOOK void __heddle_effect(uint32_t effect, uint64_t result, const uint64_t *args, uint32_t nargs);
HOOK void __heddle_setjmp(void *buf, int result);
HOOK void __heddle_callback(uint32_t func, const uint64_t *words, uint32_t n);
HOOK void __heddle_callback_end(void);
HOOK void __heddle_vararg_callback(void);
/* Images of kind "record-window" (log/format.h, LOG_STATE): instead of __heddle_refill, and after a
 * call during which ctl->chunks changed. ctl->hash is up to date. The first chunk of such a thread
 * has only its log_thread. */
HOOK uint8_t *__heddle_refill_state(uint8_t *cur, uint64_t need, uint32_t func, uint32_t insn,
	const uint64_t *words, uint32_t n);
HOOK void __heddle_state(uint32_t func, uint32_t insn, const uint64_t *words, uint32_t n);
/* Images of kind "enforce": a scheduling point (log/schedule.h) before an access to `what` &
 * UINT32_MAX bytes; bit 32: it writes, bit 33: it is atomic, bit 34: it is a block operation. From bit 40 on: the number of bytes
 * before ctl->cur that are reserved and not filled yet. The cursor is not changed. */
HOOK void __heddle_point(uint64_t addr, uint64_t what);
/* The same for a copy, which writes to `addr` and reads as many bytes at `from`. */
HOOK void __heddle_point_copy(uint64_t addr, uint64_t what, uint64_t from);

#endif
