/*
 * The hooks of hooks.h that write records and bytes, and the functions that write parts of records
 * for the wrappers. runtime.h has the rules.
 */
#include "runtime/enforce.h"
#include "runtime/items.h"
#include "runtime/runtime.h"

__thread struct log_ctl *__heddle_ctl __attribute__((tls_model("initial-exec"))) = &rt_unknown;
struct log_ctl rt_unknown = {.native = 1, .id = LOG_NONE, .chunk = LOG_NONE};

void put_blocked(struct log_ctl *ctl)
{
	struct log_blocked b = {.tag = LOG_BLOCKED, .hash = log_fold(ctl->hash)};

	ctl_commit(ctl, put_struct(ctl_room(ctl, sizeof(b)), &b, sizeof(b)));
}

void put_sync_more(struct log_ctl *ctl, const struct sync_more *m)
{
	struct log_sync s = {.tag = LOG_SYNC,
		.kind = m->kind,
		.flags = (uint16_t)(m->flags | LOG_F_HASH | LOG_F_TSC |
				    (m->result ? LOG_F_RESULT : 0)),
		.seq = m->seq};
	uint32_t hash = log_fold(ctl->hash);
	uint64_t tsc = __rdtsc();
	uint8_t *at = ctl_room(ctl, LOG_SYNC_MAX);
	at = put_struct(at, &s, sizeof(s));
	at = put_struct(at, &hash, 4);
	at = put_struct(at, &tsc, 8);
	if (m->result)
		at = put_struct(at, &m->result, 4);
	if (m->flags & LOG_F_VALUE)
		at = put_struct(at, &m->value, 8);
	if (m->flags & LOG_F_EXTRA) {
		at = put_struct(at, &m->seq2, 4);
		at = put_struct(at, &m->extra, 4);
	}
	if (m->flags & LOG_F_ITEMS)
		ctl->cur = at;
	else
		ctl_commit(ctl, at);
}

void put_item(struct log_ctl *ctl, uint8_t kind, const void *addr, uint64_t n)
{
	if (!n)
		return;
	struct log_item item = {.kind = kind, .addr = (uint64_t)addr, .n = n};
	put_bytes(ctl, &item, sizeof(item));
	if (kind == LOG_ITEM_WRITE)
		put_bytes(ctl, addr, n);
}

void put_items_end(struct log_ctl *ctl)
{
	put_bytes(ctl, &(uint8_t){LOG_ITEM_END}, 1);
	ctl_commit(ctl, ctl->cur);
}

void item_read(const void *addr, uint64_t n)
{
	put_item(__heddle_ctl, LOG_ITEM_READ, addr, n);
}

void item_write(const void *addr, uint64_t n)
{
	put_item(__heddle_ctl, LOG_ITEM_WRITE, addr, n);
}

void item_end(void)
{
	put_items_end(__heddle_ctl);
}

void __heddle_bytes(const void *p, uint64_t n)
{
	put_bytes(__heddle_ctl, p, n);
}

/*
 * The copied bytes come from the log, so that they equal the logged ones even if another thread
 * writes to the source. If source and destination overlap, all bytes must be read before the first
 * is written; if they do not fit into the rest of the chunk, they go through a temporary buffer.
 */
static COLD void copy_up(struct log_ctl *ctl, uint8_t *to, const uint8_t *from, uint64_t n)
{
	uint8_t *aside = map_memory(n);
	if (!aside) {
		ctl_stop(ctl, LOG_STOP_LIMIT, true);
		while (n--)
			((volatile uint8_t *)to)[n] = from[n];
		return;
	}
	copy_bytes(aside, from, n);
	put_bytes(ctl, aside, n);
	copy_bytes(to, aside, n);
	unmap_memory(aside, n);
}

void __heddle_copy(void *to, const void *from, uint64_t n)
{
	struct log_ctl *ctl = __heddle_ctl;
	const uint8_t *src = from;
	uint8_t *dst = to;
	if (unlikely(dst > src && dst < src + n && n > (uint64_t)(ctl->end - ctl->cur))) {
		copy_up(ctl, dst, src, n);
		return;
	}
	while (n) {
		if (ctl->cur == ctl->end)
			__heddle_refill(ctl->cur, n < LOG_CHUNK_DATA / 2 ? n : LOG_CHUNK_DATA / 2);
		uint64_t part = (uint64_t)(ctl->end - ctl->cur);
		if (part > n)
			part = n;
		uint8_t *at = ctl->cur;
		copy_bytes(at, src, part);
		ctl->cur = at + part;
		copy_bytes(dst, at, part);
		src += part;
		dst += part;
		n -= part;
	}
}

/* A library function has returned. It may have slept, so the next record gets a time stamp. */
static void note_return(struct log_ctl *ctl)
{
	ctl->records |= LOG_STAMPED - 1;
	ctl->natives++;
	ctl->native = 0;
}

void __heddle_return(void)
{
	struct log_ctl *ctl = __heddle_ctl;
	struct log_return r = {.tag = LOG_RETURN, .hash = log_fold(ctl->hash)};
	ctl_commit(ctl, put_struct(ctl_room(ctl, sizeof(r)), &r, sizeof(r)));
	note_return(ctl);
}

void __heddle_effect(uint32_t effect, uint64_t result, const uint64_t *args, uint32_t nargs)
{
	struct log_ctl *ctl = __heddle_ctl;
	struct log_return r = {
		.tag = LOG_RETURN, .flags = LOG_F_ITEMS, .hash = log_fold(ctl->hash)};
	if (!ctl->scratch) {
		uint8_t *at = ctl_room(ctl, sizeof(r));
		uint32_t chunks = ctl->chunks;
		ctl->cur = put_struct(at, &r, sizeof(r));
		if (effect_log(effect, result, args, nargs)) {
			put_items_end(ctl);
		} else {
			bool between = ctl->chunks != chunks;
			if (!between)
				ctl->cur = at; /* LOG_STOP in the place of the record */
			ctl_stop(ctl, LOG_STOP_EFFECT, between);
		}
	} else if (enforce_watches()) {
		effect_check(effect, result, args, nargs);
	}
	note_return(ctl);
}

void __heddle_setjmp(void *buf, int result)
{
	if (!result) {
		struct log_ctl *ctl = __heddle_ctl;
		struct log_setjmp s = {.tag = LOG_SETJMP, .hash = log_fold(ctl->hash)};
		ctl_commit(ctl, put_struct(ctl_room(ctl, sizeof(s)), &s, sizeof(s)));
		return;
	}
	if (unlikely(signal_top))
		signal_jumped((uint64_t)__builtin_frame_address(0));
	struct log_ctl *ctl = __heddle_ctl;
	/* a jump of the thread itself leaves traced code by a call, which sets native */
	if (unlikely(!ctl->native))
		ctl = __heddle_ctl = ctl_torn(ctl, LOG_STOP_ASYNC_CANCEL);
	struct log_jump j = {.tag = LOG_JUMP,
		.buf = (uint64_t)buf,
		.result = result,
		.hash = log_fold(ctl->hash)};
	ctl_commit(ctl, put_struct(ctl_room(ctl, sizeof(j)), &j, sizeof(j)));
	ctl->native = 0;
}

void __heddle_callback(uint32_t func, const uint64_t *words, uint32_t n)
{
	struct log_ctl *ctl = __heddle_ctl;
	if (unlikely(!ctl_known(ctl)))
		ctl = thread_meet();
	struct log_callback c = {.tag = LOG_CALLBACK,
		.nwords = (uint16_t)n,
		.func = func,
		.hash = log_fold(ctl->hash)};
	ctl->cur = put_struct(ctl_room(ctl, sizeof(c) + (n < 64 ? 8 * n : 0)), &c, sizeof(c));
	put_bytes(ctl, words, 8 * (uint64_t)n);
	ctl_commit(ctl, ctl->cur);
	ctl->native = 0;
}

void __heddle_callback_end(void)
{
	struct log_ctl *ctl = __heddle_ctl;
	struct log_callback_end c = {.tag = LOG_CALLBACK_END, .hash = log_fold(ctl->hash)};
	ctl_commit(ctl, put_struct(ctl_room(ctl, sizeof(c)), &c, sizeof(c)));
	ctl->native = 1;
}

void __heddle_vararg_callback(void)
{
	struct log_ctl *ctl = __heddle_ctl;
	if (!ctl_known(ctl))
		ctl = thread_meet();
	ctl_stop(ctl, LOG_STOP_VARARG_CALLBACK, false);
	ctl->native = 0;
}

/* ---- images of kind "record-window" -------------------------------------------- */

static void put_state(struct log_ctl *ctl, uint8_t after, uint32_t func, uint32_t insn,
	const uint64_t *words, uint32_t n)
{
	struct log_frame s = {.tag = LOG_STATE,
		.after = after,
		.func = func,
		.insn = insn,
		.nwords = n,
		.hash = ctl->hash};
	uint64_t size = sizeof(s) + 8 * (uint64_t)n;
	if (size <= LOG_CHUNK_DATA / 2)
		ctl_room(ctl, size);
	if (!ctl->scratch)
		chunk_has_state(ctl);
	put_bytes(ctl, &s, sizeof(s));
	put_bytes(ctl, words, 8 * (uint64_t)n);
	ctl_commit(ctl, ctl->cur);
}

uint8_t *__heddle_refill_state(uint8_t *cur, uint64_t need, uint32_t func, uint32_t insn,
	const uint64_t *words, uint32_t n)
{
	struct log_ctl *ctl = __heddle_ctl;
	__heddle_refill(cur, need);
	put_state(ctl, 0, func, insn, words, n);
	if ((uint64_t)(ctl->end - ctl->cur) < need)
		__heddle_refill(ctl->cur, need);
	return ctl->cur;
}

void __heddle_state(uint32_t func, uint32_t insn, const uint64_t *words, uint32_t n)
{
	put_state(__heddle_ctl, 1, func, insn, words, n);
}
