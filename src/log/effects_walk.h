/*
 * Computes the reads and writes of one call from its row of libc.def. Included once by
 * src/log/effects.c, for the memory of a re-execution, and once by runtime/effects.c, for the
 * memory of its own process. Before the #include, define
 *	static bool walk_peek(void *ctx, uint64_t addr, void *to, uint32_t n)
 *		reads memory; false: unknown, which ends the walk
 *	static void walk_range(void *ctx, bool write, uint64_t addr, uint64_t n)
 *		receives a range that was read or written; n is not 0
 *	static bool walk_fault(void *ctx)
 *		whether errno is EFAULT
 * This code does not allocate, lock or call a function of the library. It measures strings byte by
 * byte, in memory that other threads may change at the same time.
 */
#ifndef HEDDLE_LOG_EFFECTS_WALK_H
#define HEDDLE_LOG_EFFECTS_WALK_H

#include "log/effects_table.h"

struct walk {
	void *ctx;
	const uint64_t *args;
	uint32_t nargs;
	int64_t result; /* extended from its type */
	bool lost;      /* the effects cannot be computed */
};

static uint64_t walk_arg(const struct walk *w, uint32_t i)
{
	if (i == EFFECT_RESULT)
		return (uint64_t)w->result;
	return i < w->nargs ? w->args[i] : 0;
}

static uint64_t walk_word(struct walk *w, uint64_t addr, uint32_t n)
{
	uint64_t v = 0;

	if (w->lost || !walk_peek(w->ctx, addr, &v, n)) {
		w->lost = true;
		return 0;
	}
	return v;
}

static void walk_tell(struct walk *w, bool write, uint64_t addr, uint64_t n)
{
	if (addr && n && !w->lost)
		walk_range(w->ctx, write, addr, n);
}

/* Bytes of a string with its zero character, of `width` bytes each; at most max characters. */
static uint64_t walk_string(struct walk *w, uint64_t addr, uint32_t width, uint64_t max)
{
	uint64_t n = 0;

	while (n < max && walk_word(w, addr + n * width, width))
		n++;
	return (n < max ? n + 1 : n) * width;
}

static uint64_t walk_min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t walk_times(uint64_t a, uint64_t b)
{
	uint64_t n;

	return __builtin_mul_overflow(a, b, &n) ? 0 : n;
}

static uint8_t walk_lower(uint8_t c)
{
	return c >= 'A' && c <= 'Z' ? c | 0x20 : c;
}

/* Bytes up to and with the first difference of two strings, or their end. */
static uint64_t walk_common(struct walk *w, uint64_t a, uint64_t b, uint64_t max, bool fold)
{
	uint8_t x, y;
	uint64_t n = 0;

	while (n < max && !w->lost) {
		x = walk_word(w, a + n, 1);
		y = walk_word(w, b + n, 1);
		n++;
		if (!x || (fold ? walk_lower(x) != walk_lower(y) : x != y))
			break;
	}
	return n;
}

/* Bytes of spaces, a sign, then letters, digits and points; and the byte after them. */
static uint64_t walk_number(struct walk *w, uint64_t addr)
{
	uint64_t n = 0;
	uint8_t c;

	while ((c = walk_word(w, addr + n, 1)) == ' ' || (c >= '\t' && c <= '\r'))
		n++;
	if (c == '+' || c == '-')
		c = walk_word(w, addr + ++n, 1);
	while ((c >= '0' && c <= '9') || (walk_lower(c) >= 'a' && walk_lower(c) <= 'z') || c == '.')
		c = walk_word(w, addr + ++n, 1);
	return n + 1;
}

/*
 * Bytes that fgets wrote. It stops after the first newline. If the first NUL follows a newline, or
 * is the last byte, it ends the text that fgets wrote. Otherwise the file ended before a newline,
 * or the line has NULs: fgets may have written all `size` bytes. It may also have if it failed.
 */
static uint64_t walk_line(struct walk *w, uint64_t addr, int32_t size)
{
	uint64_t n;

	if (size <= 0)
		return 0;
	if (!w->result)
		return size;
	n = walk_string(w, addr, 1, size);
	return n >= 2 && walk_word(w, addr + n - 2, 1) == '\n' ? n : (uint64_t)size;
}

/* Lengths that depend on the result. */
static uint64_t walk_result_length(struct walk *w, const struct effect *e, uint64_t addr)
{
	bool ok = w->result >= 0;
	uint64_t r = w->result, max = walk_arg(w, e->i);

	switch ((enum effect_len)e->len) {
	case LEN_RES: return w->result > 0 ? walk_times(r, e->k) : 0;
	case LEN_RES_PLUS: return ok ? r + e->k : 0;
	case LEN_RES_MAX: return walk_times(ok ? walk_min(r, max) : max, e->k);
	case LEN_ITEMS: return walk_times(max, walk_min(r + 1, walk_arg(w, e->j)));
	case LEN_PRINTED: return ok ? walk_min(r + 1, max) : walk_string(w, addr, 1, max);
	case LEN_WPRINTED: return walk_times(ok ? walk_min(r + 1, max) : max, 4);
	case LEN_UPTO: return r ? r - addr + 1 : walk_string(w, addr, 1, UINT64_MAX);
	case LEN_UPTON: return r ? r - addr + 1 : max;
	case LEN_WUPTO: return r ? r - addr + 4 : walk_string(w, addr, 4, UINT64_MAX);
	case LEN_BEFORE: return r ? r - walk_arg(w, e->j) : max;
	default: return 0;
	}
}

static uint64_t walk_length(struct walk *w, const struct effect *e, uint64_t addr)
{
	uint64_t n = walk_arg(w, e->i);
	int32_t i = (int32_t)n;

	switch ((enum effect_len)e->len) {
	case LEN_N: return e->k;
	case LEN_A: return n;
	case LEN_AI: return i > 0 ? i : 0;
	case LEN_AK: return walk_times(n, e->k);
	case LEN_AX: return walk_times(n, walk_arg(w, e->j));
	case LEN_STR: return walk_string(w, addr, 1, UINT64_MAX);
	case LEN_STRN: return walk_string(w, addr, 1, n);
	case LEN_STRK: return walk_string(w, addr, 1, e->k);
	case LEN_WSTR: return walk_string(w, addr, 4, UINT64_MAX);
	case LEN_WSTRN: return walk_string(w, addr, 4, n);
	case LEN_CMP: return walk_common(w, addr, walk_arg(w, e->j), UINT64_MAX, e->k);
	case LEN_CMPN: return walk_common(w, addr, walk_arg(w, e->j), n, e->k);
	case LEN_NUMBER: return walk_number(w, addr);
	case LEN_LINE: return walk_line(w, addr, i);
	case LEN_SOCKLEN: return n ? walk_min(walk_word(w, n, 4), e->k) : 0;
	case LEN_BITS: return i > 0 ? ((uint64_t)i + 63) / 64 * 8 : 0;
	case LEN_PAGES: return (n + 4095) / 4096;
	default: return walk_result_length(w, e, addr);
	}
}

static bool walk_holds(struct walk *w, const struct effect *e)
{
	if (e->on && (int32_t)walk_arg(w, e->on - 1) != e->value)
		return false;
	switch ((enum effect_when)e->when) {
	case WHEN_ALWAYS: return true;
	case WHEN_OK: return w->result == 0;
	case WHEN_GE0: return w->result >= 0;
	case WHEN_POS: return w->result > 0;
	case WHEN_NEG: return w->result < 0;
	case WHEN_SOME: return w->result != 0;
	case WHEN_SAME: return (uint64_t)w->result == walk_arg(w, e->base);
	case WHEN_AT: return walk_arg(w, e->at) && walk_word(w, walk_arg(w, e->at), 8);
	case WHEN_NO_FAULT: return w->result >= 0 || !walk_fault(w->ctx);
	}
	return false;
}

static void walk_plain(struct walk *w, const struct effect *e)
{
	uint64_t addr = walk_arg(w, e->base), n;

	if (addr && e->via)
		addr = walk_word(w, addr, 8);
	if (!addr)
		return;
	if (e->len == LEN_NUL) {
		addr += walk_string(w, addr, 1, UINT64_MAX) - 1;
		n = 1;
	} else {
		n = walk_length(w, e, addr);
	}
	if (e->op != EFFECT_W)
		walk_tell(w, false, addr, n);
	if (e->op != EFFECT_R)
		walk_tell(w, true, addr, n);
}

/* The first `result` bytes of the buffers of an array of struct iovec. */
static void walk_iov(struct walk *w, bool write, uint64_t iov, uint64_t count)
{
	uint64_t left = w->result > 0 ? w->result : 0, n;

	for (uint64_t i = 0; i < count && left && iov && !w->lost; i++) {
		uint64_t at = iov + i * sizeof(struct iovec);

		walk_tell(w, false, at, sizeof(struct iovec));
		n = walk_min(walk_word(w, at + offsetof(struct iovec, iov_len), 8), left);
		walk_tell(w, write, walk_word(w, at + offsetof(struct iovec, iov_base), 8), n);
		left -= n;
	}
}

static void walk_msg(struct walk *w, bool write, uint64_t msg)
{
	uint64_t name, namelen, control, controllen;

	if (!msg || w->result < 0)
		return;
	name = walk_word(w, msg + offsetof(struct msghdr, msg_name), 8);
	namelen = walk_word(w, msg + offsetof(struct msghdr, msg_namelen), 4);
	control = walk_word(w, msg + offsetof(struct msghdr, msg_control), 8);
	controllen = walk_word(w, msg + offsetof(struct msghdr, msg_controllen), 8);
	walk_tell(w, false, msg, sizeof(struct msghdr));
	if (write)
		walk_tell(w, true, msg, sizeof(struct msghdr));
	walk_tell(w, write, name, walk_min(namelen, sizeof(struct sockaddr_storage)));
	walk_tell(w, write, control, controllen);
	walk_iov(w, write, walk_word(w, msg + offsetof(struct msghdr, msg_iov), 8),
		walk_word(w, msg + offsetof(struct msghdr, msg_iovlen), 8));
}

static void walk_poll(struct walk *w, uint64_t fds, uint64_t n)
{
	if (!fds || (w->result < 0 && walk_fault(w->ctx)))
		return;
	for (uint64_t i = 0; i < n && !w->lost; i++) {
		uint64_t at = fds + i * sizeof(struct pollfd),
			 out = offsetof(struct pollfd, revents);

		walk_tell(w, false, at, out);
		walk_tell(w, true, at + out, sizeof(struct pollfd) - out);
	}
}

#include "log/effects_format.h"

static void walk_effect(struct walk *w, const struct effect *e)
{
	uint64_t at = walk_arg(w, e->base), other = walk_arg(w, e->i);

	switch ((enum effect_op)e->op) {
	case EFFECT_END: break;
	case EFFECT_R:
	case EFFECT_W:
	case EFFECT_RW: walk_plain(w, e); break;
	case EFFECT_IOV_R: walk_iov(w, false, at, (uint32_t)other); break;
	case EFFECT_IOV_W: walk_iov(w, true, at, (uint32_t)other); break;
	case EFFECT_MSG_R: walk_msg(w, false, at); break;
	case EFFECT_MSG_W: walk_msg(w, true, at); break;
	case EFFECT_POLL: walk_poll(w, at, other); break;
	case EFFECT_PRINT: format_print(w, e->base, 1); break;
	case EFFECT_WPRINT: format_print(w, e->base, 4); break;
	case EFFECT_VPRINT: format_vprint(w, e->base, other); break;
	case EFFECT_SCAN: format_scan(w, e->base, false); break;
	case EFFECT_OLD_SCAN: format_scan(w, e->base, true); break;
	}
}

/* Reports the effects of a call by walk_range(); false if they cannot be computed. */
static bool walk_call(
	void *ctx, uint32_t number, uint64_t result, const uint64_t *args, uint32_t nargs)
{
	const struct effects_row *row = &effects_table[number];
	struct walk w = {.ctx = ctx, .args = args, .nargs = nargs, .result = (int64_t)result};

	if (row->flags & EFFECTS_RESULT_INT)
		w.result = (int32_t)result;
	else if (row->flags & EFFECTS_RESULT_BOOL)
		w.result = result & 1;
	for (const struct effect *e = row->effects; e->op && !w.lost; e++)
		if (walk_holds(&w, e))
			walk_effect(&w, e);
	return !w.lost;
}

#endif
