/*
 * The notation of accesses to memory in libc.def, and the table made of it. Included by src/log/effects.c and by
 * runtime/effects.c, so both have the same numbers.
 *
 *	R(where, how much [, when])   reads
 *	W(where, how much [, when])   writes
 *	RW(where, how much [, when])  both
 * where: the number of a pointer argument, or RESULT. WP: writes at the pointer that is stored at
 * that pointer. A null pointer or a length of 0 means no effect.
 *
 * how much, in bytes:
 *	N(k)           k
 *	A(i)           argument i; AI(i): of type int; AK(i, k): k times it; AX(i, j): i times j
 *	RES            the result, if positive; RESK(k): k times it; RES_PLUS(k): k more, if it
 *	               is not negative
 *	RES_MAX(i, k)  k times the smaller of the result and argument i; k times argument i if the
 *	               call failed
 *	ITEMS(i, j)    fread: the result times argument i, and one more if that is less than j
 *	               items, because an incomplete one may have been written
 *	STR            a string with its NUL; STRN(i): at most as long as argument i; STRK(k): as k
 *	NUL            only the NUL at the end of the string
 *	WSTR, WSTRN(i) of wchar_t; argument i counts characters
 *	PRINTED(i)     the result and a NUL, at most argument i; the string if the call failed
 *	WPRINTED(i)    of wchar_t; argument i if the call failed
 *	UPTO           up to and with the character that the result points to; if the result is
 *	               null, the string; UPTON(i): if it is null, A(i)
 *	WUPTO          the same of wchar_t
 *	BEFORE(j, i)   from argument j to before the result; A(i) if the result is null
 *	CMP(j)         the common prefix with the string at argument j, and one more; CMPN(j, i): at
 *	               most A(i); CASECMP, CASECMPN ignore case
 *	NUMBER         the text that strtol and similar functions read
 *	LINE(i)        the text that fgets wrote into AI(i) bytes
 *	SOCKLEN(i, k)  the unsigned int at argument i, at most k
 *	BITS(i)        words of 64 bits for AI(i) bits
 *	PAGES(i)       one for each page of A(i) bytes
 * when: IF_OK the result is 0, IF_GE0, IF_POS, IF_NEG, IF_SOME not 0, IF_SAME equal to `where`;
 *	IF_AT(i) the pointer stored at argument i is not null; NO_FAULT unless errno is EFAULT;
 *	ON(i, v) argument i (an int) is v. If several are given, all must hold
 *
 * Others: PRINT(i), WPRINT(i): strings read (%s) and numbers written (%n) by the format in
 * argument i and the arguments after it; VPRINT(i, v): the va_list v is used up; the effects are
 * unknown if the format has %n. SCAN(i), OLD_SCAN(i): the values that scanf stored (OLD: %a
 * allocates). IOV_R(i, j), IOV_W(i, j): result bytes of the j buffers in the array i; MSG_R(i),
 * MSG_W(i): of a struct msghdr. POLL(i, j): the j struct pollfd at i.
 */
#ifndef HEDDLE_LOG_EFFECTS_TABLE_H
#define HEDDLE_LOG_EFFECTS_TABLE_H

#include "log/effects.h"

#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <grp.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <regex.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timeb.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <threads.h>
#include <time.h>
#include <utime.h>
#include <wchar.h>

enum effect_op {
	EFFECT_END, EFFECT_R, EFFECT_W, EFFECT_RW, EFFECT_IOV_R, EFFECT_IOV_W, EFFECT_MSG_R,
	EFFECT_MSG_W, EFFECT_POLL, EFFECT_PRINT, EFFECT_WPRINT, EFFECT_VPRINT, EFFECT_SCAN,
	EFFECT_OLD_SCAN,
};

enum effect_when {
	WHEN_ALWAYS, WHEN_OK, WHEN_GE0, WHEN_POS, WHEN_NEG, WHEN_SOME, WHEN_SAME, WHEN_AT,
	WHEN_NO_FAULT,
};

enum effect_len {
	LEN_N, LEN_A, LEN_AI, LEN_AK, LEN_AX, LEN_RES, LEN_RES_PLUS, LEN_RES_MAX, LEN_ITEMS,
	LEN_STR, LEN_STRN, LEN_STRK, LEN_NUL, LEN_WSTR, LEN_WSTRN, LEN_PRINTED, LEN_WPRINTED,
	LEN_UPTO, LEN_UPTON, LEN_WUPTO, LEN_BEFORE, LEN_CMP, LEN_CMPN, LEN_NUMBER, LEN_LINE,
	LEN_SOCKLEN, LEN_BITS, LEN_PAGES,
};

enum { EFFECT_RESULT = 255, EFFECTS_MAX = 6 };

struct effect {
	uint8_t op;        /* enum effect_op */
	uint8_t base;      /* argument, or EFFECT_RESULT */
	uint8_t via;       /* 1: the effect is at the pointer stored at base (WP) */
	uint8_t len, i, j; /* enum effect_len and its operands */
	uint16_t k;
	uint8_t when, at;  /* enum effect_when and its operand */
	uint8_t on;        /* argument + 1 of ON, 0 = none */
	int16_t value;     /* of ON */
};

struct effects_row { /* has no name: the runtime does not need it, and it would need a relocation */
	uint8_t kind, flags;
	struct effect effects[EFFECTS_MAX + 1]; /* the last is EFFECT_END */
};

#define INT      EFFECTS_RESULT_INT
#define BOOL     EFFECTS_RESULT_BOOL
#define CALLS    EFFECTS_CALLS
#define MIDWAY   EFFECTS_MIDWAY
#define LIBRARY  EFFECTS_LIBRARY
#define ALLOC    EFFECTS_ALLOC
#define ATOMIC   EFFECTS_ATOMIC
#define ENDS     EFFECTS_ENDS

#define RESULT        EFFECT_RESULT
#define R(b, ...)     {.op = EFFECT_R, .base = (b), __VA_ARGS__}
#define W(b, ...)     {.op = EFFECT_W, .base = (b), __VA_ARGS__}
#define RW(b, ...)    {.op = EFFECT_RW, .base = (b), __VA_ARGS__}
#define WP(b, ...)    {.op = EFFECT_W, .base = (b), .via = 1, __VA_ARGS__}
#define IOV_R(b, n)   {.op = EFFECT_IOV_R, .base = (b), .i = (n)}
#define IOV_W(b, n)   {.op = EFFECT_IOV_W, .base = (b), .i = (n)}
#define MSG_R(b)      {.op = EFFECT_MSG_R, .base = (b)}
#define MSG_W(b)      {.op = EFFECT_MSG_W, .base = (b)}
#define POLL(b, n)    {.op = EFFECT_POLL, .base = (b), .i = (n)}
#define PRINT(f)      {.op = EFFECT_PRINT, .base = (f)}
#define WPRINT(f)     {.op = EFFECT_WPRINT, .base = (f)}
#define VPRINT(f, v)  {.op = EFFECT_VPRINT, .base = (f), .i = (v)}
#define SCAN(f)       {.op = EFFECT_SCAN, .base = (f)}
#define OLD_SCAN(f)   {.op = EFFECT_OLD_SCAN, .base = (f)}

#define N(n)          .len = LEN_N, .k = (n)
#define A(a)          .len = LEN_A, .i = (a)
#define AI(a)         .len = LEN_AI, .i = (a)
#define AK(a, n)      .len = LEN_AK, .i = (a), .k = (n)
#define AX(a, b)      .len = LEN_AX, .i = (a), .j = (b)
#define RES           .len = LEN_RES, .k = 1
#define RESK(n)       .len = LEN_RES, .k = (n)
#define RES_PLUS(n)   .len = LEN_RES_PLUS, .k = (n)
#define RES_MAX(a, n) .len = LEN_RES_MAX, .i = (a), .k = (n)
#define ITEMS(a, b)   .len = LEN_ITEMS, .i = (a), .j = (b)
#define STR           .len = LEN_STR
#define STRN(a)       .len = LEN_STRN, .i = (a)
#define STRK(n)       .len = LEN_STRK, .k = (n)
#define NUL           .len = LEN_NUL
#define WSTR          .len = LEN_WSTR
#define WSTRN(a)      .len = LEN_WSTRN, .i = (a)
#define PRINTED(a)    .len = LEN_PRINTED, .i = (a)
#define WPRINTED(a)   .len = LEN_WPRINTED, .i = (a)
#define UPTO          .len = LEN_UPTO
#define UPTON(a)      .len = LEN_UPTON, .i = (a)
#define WUPTO         .len = LEN_WUPTO
#define BEFORE(o, a)  .len = LEN_BEFORE, .j = (o), .i = (a)
#define CMP(o)        .len = LEN_CMP, .j = (o)
#define CMPN(o, a)    .len = LEN_CMPN, .j = (o), .i = (a)
#define CASECMP(o)    .len = LEN_CMP, .j = (o), .k = 1
#define CASECMPN(o, a) .len = LEN_CMPN, .j = (o), .i = (a), .k = 1
#define NUMBER        .len = LEN_NUMBER
#define LINE(a)       .len = LEN_LINE, .i = (a)
#define SOCKLEN(a, n) .len = LEN_SOCKLEN, .i = (a), .k = (n)
#define BITS(a)       .len = LEN_BITS, .i = (a)
#define PAGES(a)      .len = LEN_PAGES, .i = (a)

#define IF_OK         .when = WHEN_OK
#define IF_GE0        .when = WHEN_GE0
#define IF_POS        .when = WHEN_POS
#define IF_NEG        .when = WHEN_NEG
#define IF_SOME       .when = WHEN_SOME
#define IF_SAME       .when = WHEN_SAME
#define IF_AT(a)      .when = WHEN_AT, .at = (a)
#define NO_FAULT      .when = WHEN_NO_FAULT
#define ON(a, v)      .on = (a) + 1, .value = (v)

#define EFFECT_LIST(...) {__VA_ARGS__}
static const struct effects_row effects_table[] = {
#define PURE(name, accesses, ...)          {EFFECTS_PURE, 0, EFFECT_LIST accesses},
#define EFFECT(name, flags, accesses, ...) {EFFECTS_EFFECT, (flags), EFFECT_LIST accesses},
#define SETJMP(name)                       {EFFECTS_SETJMP, 0, {{0}}},
#define LONGJMP(name)                      {EFFECTS_LONGJMP, EFFECTS_ENDS, {{0}}},
#include "log/libc.def"
};

enum { EFFECTS_COUNT = sizeof(effects_table) / sizeof(effects_table[0]) };
_Static_assert(EFFECTS_COUNT < UINT16_MAX, "numbers of effects fit into plan_insn.effect");

#endif
