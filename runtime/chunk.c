/*
 * Chunks: the memory for the bytes of a thread. The thread pushes a full chunk on the list of the
 * collector and takes a free one or a new one; it waits only if all chunks wait for the collector.
 *
 * The target may be killed between any two stores. A chunk is handed over before the ctl leaves it,
 * so the collector may see it in both places (it recognizes it by its seq), but never in none. For
 * a new chunk, ctl->commit is set before ctl->seq, and ctl->commit_seq last.
 */
#include <errno.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include "runtime/runtime.h"

enum {
	SCRATCH_USED = 8 << 10, /* bytes of scratch memory that are used: they stay in the cache */
	SCRATCH_SIZE = LOG_CHUNK,
	STOP_ROOM = sizeof(struct log_stop), /* kept free at the end of a chunk */
};

#define VOLATILE(x) (*(volatile __typeof__(x) *)&(x))

static void wake_collector(struct log_shared *sh)
{
	__atomic_fetch_add(&sh->wake, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&sh->waiting, __ATOMIC_SEQ_CST))
		sys3(SYS_futex, &sh->wake, FUTEX_WAKE, 1);
}

static void hand_over(uint32_t i, uint32_t used, uint32_t flags)
{
	struct log_shared *sh = rt.shared;
	struct log_chunk *c = chunk_at(i);
	c->used = used;
	c->flags |= flags;
	uint64_t head = __atomic_load_n(&sh->done_head, __ATOMIC_RELAXED);
	do
		c->next = (uint32_t)head - 1; /* LOG_NONE at the end */
	while (!__atomic_compare_exchange_n(
		&sh->done_head, &head, (uint64_t)i + 1, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
	wake_collector(sh);
}

static uint32_t take_free(struct log_shared *sh)
{
	uint64_t head = __atomic_load_n(&sh->free_head, __ATOMIC_ACQUIRE);
	while ((uint32_t)head) {
		uint32_t i = (uint32_t)head - 1;
		uint32_t next = __atomic_load_n(&chunk_at(i)->next, __ATOMIC_RELAXED);
		uint64_t want = ((head >> 32) + 1) << 32 | (uint32_t)(next + 1);
		if (__atomic_compare_exchange_n(
			    &sh->free_head, &head, want, true, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return i;
	}
	uint32_t n = __atomic_load_n(&sh->nchunks, __ATOMIC_RELAXED);
	uint32_t most = __atomic_load_n(&sh->nthreads, __ATOMIC_RELAXED) +
			(sh->nwaiting ? sh->nwaiting : LOG_WAITING);
	while (n < most && n < LOG_MAX_CHUNKS)
		if (__atomic_compare_exchange_n(
			    &sh->nchunks, &n, n + 1, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return n;
	return LOG_NONE;
}

static bool collector_gone(const struct log_shared *sh)
{
	if (rt.collector_is_parent && sys3(SYS_getppid, 0, 0, 0) != (long)sh->collector)
		return true;
	return sys3(SYS_kill, sh->collector, 0, 0) == -ESRCH;
}

/* A chunk, or LOG_NONE if the recording of the thread must stop (*why). */
static uint32_t take_chunk(enum log_stop_why *why)
{
	struct log_shared *sh = rt.shared;
	for (;;) {
		uint32_t room = __atomic_load_n(&sh->room, __ATOMIC_SEQ_CST);
		uint32_t stop = __atomic_load_n(&sh->stop, __ATOMIC_RELAXED);
		if (unlikely(stop)) {
			*why = stop - 1;
			return LOG_NONE;
		}
		uint32_t i = take_free(sh);
		if (likely(i != LOG_NONE))
			return i;
		if (collector_gone(sh)) {
			*why = LOG_STOP_NO_COLLECTOR;
			return LOG_NONE;
		}
		struct timespec ts = {.tv_nsec = 50 * 1000 * 1000};
		sys4(SYS_futex, &sh->room, FUTEX_WAIT, room, &ts);
	}
}

/* The ctl continues in chunk i. */
static void enter_chunk(struct log_ctl *ctl, uint32_t i, uint64_t need)
{
	struct log_chunk *c = chunk_at(i);
	uint8_t *data = (uint8_t *)(c + 1);
	uint32_t seq = ctl->chunks;
	c->thread = ctl->id;
	c->seq = seq;
	c->used = 0;
	c->flags = 0;
	VOLATILE(ctl->chunk) = i;
	VOLATILE(ctl->commit) = data;
	VOLATILE(ctl->seq) = seq;
	VOLATILE(ctl->commit_seq) = seq;
	VOLATILE(ctl->chunks) = seq + 1;
	ctl->cur = data;
	ctl->end = data + LOG_CHUNK_DATA - (need <= LOG_CHUNK_DATA - STOP_ROOM ? STOP_ROOM : 0);
}

static uint32_t used_of(const struct log_ctl *ctl, const uint8_t *to)
{
	return (uint32_t)(to - (const uint8_t *)(chunk_at(ctl->chunk) + 1));
}

void chunk_has_state(struct log_ctl *ctl)
{
	struct log_chunk *c = chunk_at(ctl->chunk);
	if (!(c->flags & LOG_CHUNK_STATE))
		c->flags |= LOG_CHUNK_STATE | used_of(ctl, ctl->cur) << LOG_CHUNK_AT;
}

/* Around every change of more than one field. After a jump out of such a change, the ctl is not
 * used any more (ctl_torn). */
static void set_busy(struct log_ctl *ctl, int change)
{
	atomic_signal_fence(memory_order_seq_cst);
	VOLATILE(ctl->busy) = ctl->busy + (uint32_t)change;
	atomic_signal_fence(memory_order_seq_cst);
}

static void leave_stream(struct log_ctl *ctl, const uint8_t *to, uint32_t flags)
{
	set_busy(ctl, 1);
	if (ctl->chunk != LOG_NONE)
		hand_over(ctl->chunk, used_of(ctl, to), flags | LOG_CHUNK_LAST);
	VOLATILE(ctl->state) = LOG_ENDED;
	VOLATILE(ctl->chunk) = LOG_NONE;
	ctl->cur = ctl->end = ctl->commit = NULL;
	set_busy(ctl, -1);
}

/* Scratch memory for all threads if the system has no memory: they may overwrite each other's bytes
 * in it, which are never read. */
static uint8_t last_resort[SCRATCH_SIZE];

void *map_memory(uint64_t n)
{
	long r = sys6(SYS_mmap, 0, (long)n, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return r < 0 && r > -4096 ? NULL : (void *)r;
}

void unmap_memory(void *p, uint64_t n)
{
	sys3(SYS_munmap, p, n, 0);
}

static void restart_scratch(struct log_ctl *ctl, uint64_t need)
{
	set_busy(ctl, 1);
	ctl->cur = ctl->commit = ctl->scratch;
	ctl->end = ctl->cur + (need <= SCRATCH_USED ? SCRATCH_USED : SCRATCH_SIZE);
	set_busy(ctl, -1);
}

void ctl_to_scratch(struct log_ctl *ctl)
{
	uint8_t *mem = map_memory(SCRATCH_SIZE);
	ctl->scratch = mem ? mem : last_resort;
	restart_scratch(ctl, 0);
}

struct log_ctl *scratch_new(void)
{
	static struct log_ctl without_memory;
	struct log_ctl *ctl = map_memory(sizeof(*ctl));
	if (!ctl)
		ctl = &without_memory;
	ctl->id = LOG_NONE;
	ctl->chunk = LOG_NONE;
	ctl_to_scratch(ctl);
	return ctl;
}

void scratch_free(struct log_ctl *ctl)
{
	if (ctl->scratch && ctl->scratch != last_resort)
		unmap_memory(ctl->scratch, SCRATCH_SIZE);
	ctl->scratch = NULL;
	if (ctl->id == LOG_NONE)
		unmap_memory(ctl, sizeof(*ctl));
}

void chunk_first(struct log_ctl *ctl)
{
	enum log_stop_why why;
	set_busy(ctl, 1);
	uint32_t i = take_chunk(&why);
	if (i != LOG_NONE)
		enter_chunk(ctl, i, 0);
	else
		ctl_to_scratch(ctl);
	set_busy(ctl, -1);
}

void chunk_last(struct log_ctl *ctl)
{
	if (ctl->scratch) {
		ctl->state = LOG_ENDED;
		scratch_free(ctl);
	} else {
		leave_stream(ctl, ctl->cur, 0);
	}
}

void ctl_stop(struct log_ctl *ctl, enum log_stop_why why, bool between)
{
	if (ctl->scratch)
		return;
	const uint8_t *to = ctl->cur;
	if (between) {
		to = ctl->commit;
	} else {
		struct log_stop s = {.tag = LOG_STOP,
			.why = (uint8_t)why,
			.hash = log_fold(ctl->hash),
			.tsc = __rdtsc()};
		if ((uint8_t *)(chunk_at(ctl->chunk) + 1) + LOG_CHUNK_DATA - ctl->cur >= STOP_ROOM)
			to = put_struct(ctl->cur, &s, sizeof(s));
	}
	set_busy(ctl, 1);
	leave_stream(ctl, to, (why + 1u) << LOG_CHUNK_WHY);
	ctl_to_scratch(ctl);
	set_busy(ctl, -1);
}

struct log_ctl *ctl_torn(struct log_ctl *ctl, enum log_stop_why why)
{
	if (!ctl->busy) {
		ctl_stop(ctl, why, true);
		return ctl;
	}
	ctl = scratch_new();
	thread_arm(ctl);
	return ctl;
}

/* Takes the next chunk; if there is none, the recording of the thread stops. `between`: as in
 * ctl_stop(). */
static COLD void next_chunk(struct log_ctl *ctl, uint64_t need, bool between)
{
	if (ctl->scratch) {
		restart_scratch(ctl, need);
		return;
	}
	enum log_stop_why why;
	set_busy(ctl, 1);
	uint32_t i = take_chunk(&why);
	if (i != LOG_NONE) {
		hand_over(ctl->chunk, used_of(ctl, ctl->cur), 0);
		enter_chunk(ctl, i, need);
	} else {
		ctl->commit = ctl->cur;
		ctl_stop(ctl, why, between);
		restart_scratch(ctl, need);
	}
	set_busy(ctl, -1);
}

void chunk_room(struct log_ctl *ctl, uint64_t n)
{
	next_chunk(ctl, n, false);
}

uint8_t *__heddle_refill(uint8_t *cur, uint64_t need)
{
	struct log_ctl *ctl = __heddle_ctl;
	ctl->cur = cur;
	next_chunk(ctl, need, true);
	return ctl->cur;
}

void put_bytes(struct log_ctl *ctl, const void *p, uint64_t n)
{
	const uint8_t *from = p;
	while (n) {
		if (ctl->cur == ctl->end)
			next_chunk(ctl, 1, true);
		uint64_t part = (uint64_t)(ctl->end - ctl->cur);
		if (part > n)
			part = n;
		copy_bytes(ctl->cur, from, part);
		ctl->cur += part;
		from += part;
		n -= part;
	}
}
