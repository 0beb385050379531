/*
 * malloc and its family under a schedule, with a table of all blocks of traced code. The blocks are
 * in the region of the thread (region.h). A freed block stays in quarantine, so that an access to
 * it is detected, and each block has some unused room behind it. Blocks of native code are left to
 * the library.
 */
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include "runtime/enforce/region.h"
#include "runtime/sync_records.h"

enum { AFTER = 128, FIRST_SLOTS = 1 << 12, PAGE = 4096, MAX_GUARDED = 16000 };
#define QUARANTINE (256ull << 20)

struct block {
	uint64_t addr, size;
	uint32_t freed_by;
	uint8_t state; /* BLOCK_* */
	bool guarded;
};
enum { BLOCK_NONE, BLOCK_GONE, BLOCK_LIVE, BLOCK_FREED };

static struct {
	struct block *slot;
	uint64_t n, used; /* slots: a power of two; not BLOCK_NONE */
} table;

static struct { /* addresses of freed blocks in a ring */
	uint64_t *at;
	uint64_t n, first, count, bytes;
} freed;

/* ---- guards: a block ends at the end of its last page, and the next page is protected -----------
 */

static uint32_t nguarded;
static uint64_t last_guarded;

static uint64_t pages_of(uint64_t n)
{
	return (n + PAGE - 1) & ~(uint64_t)(PAGE - 1);
}

static void *guarded_block(uint64_t n, uint64_t align)
{
	uint64_t size = ((n ? n : 1) + align - 1) & ~(align - 1);
	uint64_t p = (uint64_t)region_alloc(me, pages_of(size) + PAGE, align < PAGE ? PAGE : align);
	if (!p)
		return NULL;
	sys3(SYS_mprotect, p + pages_of(size), PAGE, 0 /* PROT_NONE */);
	nguarded++;
	return (void *)(last_guarded = p + pages_of(size) - size);
}

static void protect_block(const struct block *b)
{
	uint64_t first = b->addr & ~(uint64_t)(PAGE - 1);
	sys3(SYS_mprotect, first, pages_of(b->addr + b->size - first), 0);
}

/* ---- the table ---------------------------------------------------------------------------- */

static struct block *slot_of(uint64_t addr, bool fresh)
{
	if (!table.n)
		return NULL;
	uint64_t i = (addr >> 4) * 0x9e3779b97f4a7c15ull >> 20;
	for (;; i++) {
		struct block *b = &table.slot[i & (table.n - 1)];
		if (b->state == BLOCK_NONE)
			return fresh ? b : NULL;
		if (b->addr == addr && b->state != BLOCK_GONE)
			return b;
	}
}

static void table_grow(void)
{
	struct block *old = table.slot;
	uint64_t n = table.n;
	table.n = n ? 2 * n : FIRST_SLOTS;
	table.slot = map_memory(table.n * sizeof(*old));
	table.used = 0;
	if (!table.slot) {
		table.n = 0;
		return;
	}
	for (uint64_t i = 0; i < n; i++)
		if (old[i].state >= BLOCK_LIVE) {
			*slot_of(old[i].addr, true) = old[i];
			table.used++;
		}
	if (old)
		unmap_memory(old, n * sizeof(*old));
}

static void block_add(const void *p, uint64_t size)
{
	if (!p)
		return;
	if (2 * table.used >= table.n)
		table_grow();
	struct block *b = slot_of((uint64_t)p, true);
	if (!b)
		return;
	table.used += b->state == BLOCK_NONE;
	*b = (struct block){(uint64_t)p, size, SCHED_NONE, BLOCK_LIVE, (uint64_t)p == last_guarded};
}

static void release_oldest(void)
{
	uint64_t addr = freed.at[freed.first++ & (freed.n - 1)];
	struct block *b = slot_of(addr, false);
	freed.count--;
	freed.bytes -= b->size + AFTER;
	b->state = BLOCK_GONE;
	if (in_region(addr))
		region_release(addr, b->size + AFTER);
	else
		free((void *)addr);
}

static bool ring_grow(void)
{
	uint64_t n = freed.n ? 2 * freed.n : FIRST_SLOTS, *at = map_memory(n * sizeof(*at));
	if (!at)
		return false;
	for (uint64_t i = 0; i < freed.count; i++)
		at[i] = freed.at[(freed.first + i) & (freed.n - 1)];
	if (freed.at)
		unmap_memory(freed.at, freed.n * sizeof(*at));
	freed.at = at;
	freed.n = n;
	freed.first = 0;
	return true;
}

static void quarantine_block(struct block *b)
{
	b->state = BLOCK_FREED;
	b->freed_by = me->number;
	if (b->guarded) { /* stays: the region does not release single pages */
		protect_block(b);
		return;
	}
	if (freed.count == freed.n && !ring_grow())
		return;
	freed.at[(freed.first + freed.count++) & (freed.n - 1)] = b->addr;
	freed.bytes += b->size + AFTER;
	while (freed.bytes > QUARANTINE)
		release_oldest();
}

static _Noreturn void double_free(const struct block *b)
{
	struct text t;
	text_init(&t);
	misuse(SCHED_FREE_FREED, (void *)b->addr);
	text_add(&t, "double free of a block of ");
	text_number(&t, b->size);
	text_add(&t, " bytes at ");
	text_hex(&t, b->addr);
	text_add(&t, " that thread ");
	text_number(&t, b->freed_by);
	text_add(&t, " freed");
	if (!control.out->memory[0].addr) /* else the goal has described it */
		control.out->memory[0] = (struct sched_memory){.addr = b->addr,
			.what = SCHED_FREED,
			.write = 1,
			.block = b->addr,
			.block_size = b->size,
			.freed_by = b->freed_by};
	fate_note(SCHED_ASSERT, SIGABRT, &t);
	flush_outcome();
	__heddle_ctl->native = 1;
	abort();
}

uint64_t heap_size(uint64_t addr)
{
	control_lock();
	const struct block *b = slot_of(addr, false);
	uint64_t size = b ? b->size : 0;
	control_unlock();
	return size;
}

/* A block that is freed in a signal handler or by a thread without control is leaked. */
void heap_free_native(void *p)
{
	if (!control.shared || me == &uncontrolled)
		return;
	control_lock();
	struct block *b = slot_of((uint64_t)p, false);
	bool live = b && b->state == BLOCK_LIVE;
	if (live)
		quarantine_block(b);
	control_unlock();
	if (!live)
		abort();
}

/* ---- the description of an address ---------------------------------------------------------- */

static bool is_mapped(uint64_t addr)
{
	unsigned char in_core;
	return sys3(SYS_mincore, addr & ~4095ull, 4096, &in_core) != -ENOMEM;
}

static const struct block *nearest_below(uint64_t addr)
{
	const struct block *best = NULL;
	for (uint64_t i = 0; i < table.n; i++) {
		const struct block *b = &table.slot[i];
		if (b->state >= BLOCK_LIVE && b->addr <= addr && (!best || b->addr > best->addr))
			best = b;
	}
	return best;
}

void heap_describe(struct sched_memory *m)
{
	uint64_t size = m->size ? m->size : 1;
	const struct block *b = nearest_below(m->addr);
	if (b) {
		m->block = b->addr;
		m->block_size = b->size;
		m->freed_by = b->state == BLOCK_FREED ? b->freed_by : SCHED_NONE;
	}
	if (m->addr < 65536)
		m->what = SCHED_NULL;
	else if (b && m->addr < b->addr + b->size + AFTER)
		m->what = b->state == BLOCK_FREED                         ? SCHED_FREED
			  : m->addr + size > b->addr + b->size && m->size ? SCHED_OUTSIDE
									  : SCHED_OK;
	else
		m->what = is_mapped(m->addr) ? SCHED_OK : SCHED_UNMAPPED;
}

/* An address inside of a block is found only while there are few blocks. */
static const struct block *block_with(uint64_t addr)
{
	enum { FEW = 4096 };
	const struct block *b = slot_of(addr, false);
	return b || table.used > FEW ? b : nearest_below(addr);
}

void heap_check_range(uint64_t addr, uint64_t n)
{
	if (!n || !control.shared || me == &uncontrolled)
		return;
	control_lock();
	const struct block *b = block_with(addr);
	bool inside = b && addr - b->addr < (b->size ? b->size : 1);
	bool gone = inside && b->state == BLOCK_FREED;
	bool outside = inside && n > b->size - (addr - b->addr);
	control_unlock();
	if (gone || outside)
		misuse(gone ? SCHED_RANGE_FREED : SCHED_RANGE_OUTSIDE, (const void *)addr);
}

/* ---- the wrappers ------------------------------------------------------------------------- */

static bool is_counted(void)
{
	return control.shared && me != &uncontrolled;
}

static void put_block(struct log_ctl *ctl, const void *p)
{
	put_sync_more(ctl, &(struct sync_more){.kind = LOG_S_ALLOC,
				   .flags = LOG_F_VALUE,
				   .seq = block_seq(p),
				   .value = (uint64_t)p});
}

static bool too_large(size_t n, size_t size)
{
	size_t all;
	return __builtin_mul_overflow(n, size, &all) || all > PTRDIFF_MAX - AFTER;
}

/* A block in the region of the thread, with room behind it; NULL if the region is full. */
static void *region_block(uint64_t n, uint64_t align)
{
	if (align & (align - 1))
		return NULL;
	bool guard = control.shared->flags & SCHED_GUARD;
	align = align < 16 ? 16 : align;
	void *p = guard && nguarded < MAX_GUARDED ? guarded_block(n, align) : NULL;
	if (p)
		return p;
	if (guard)
		control.out->flags |= SCHED_F_OPEN_BLOCK;
	p = region_alloc(me, n + AFTER, align);
	if (!p)
		control.out->flags |= SCHED_F_PLACES;
	return p;
}

/* N * SIZE: the size that the program asks for; MORE: the call of the library with room behind it.
 */
#define ALLOC(NAME, P, A, N, SIZE, ALIGN, MORE)                                                    \
	WRAP(void *, NAME) P                                                                       \
	{                                                                                          \
		struct log_ctl *ctl = __heddle_ctl;                                                \
		if (ctl->native)                                                                   \
			return NAME A;                                                             \
		arrive(LOG_S_ALLOC, NULL);                                                         \
		void *p;                                                                           \
		if (is_counted() && !too_large(N, SIZE)) {                                         \
			p = region_block((N) * (SIZE), ALIGN);                                     \
			if (!p)                                                                    \
				p = MORE;                                                          \
			control_lock();                                                            \
			block_add(p, (N) * (SIZE));                                                \
			control_unlock();                                                          \
		} else {                                                                           \
			p = NAME A;                                                                \
		}                                                                                  \
		passed();                                                                          \
		put_block(ctl, p);                                                                 \
		return p;                                                                          \
	}

ALLOC(malloc, (size_t n), (n), n, (size_t)1, 1, malloc(n + AFTER))
ALLOC(calloc, (size_t n, size_t size), (n, size), n, size, 1, calloc(1, n *size + AFTER))
ALLOC(aligned_alloc, (size_t align, size_t n), (align, n), n, (size_t)1, align,
	aligned_alloc(align, n + AFTER))
ALLOC(memalign, (size_t align, size_t n), (align, n), n, (size_t)1, align,
	memalign(align, n + AFTER))
ALLOC(valloc, (size_t n), (n), n, (size_t)1, 4096, valloc(n + AFTER))

/* The program frees a block that a library function made (strdup). It was not protected. */
static void pass_library_block(void)
{
	if (is_counted() && control.shared->flags & SCHED_GUARD)
		control.out->flags |= SCHED_F_OPEN_BLOCK;
}

static void free_block(void *p)
{
	if (!p)
		return;
	control_lock();
	struct block *b = is_counted() ? slot_of((uint64_t)p, false) : NULL;
	if (b && b->state == BLOCK_LIVE) {
		quarantine_block(b);
		control_unlock();
	} else {
		control_unlock();
		if (b)
			double_free(b);
		pass_library_block();
		free(p);
	}
}

WRAP(void, free)(void *p)
{
	struct log_ctl *ctl = __heddle_ctl;
	if (ctl->native) {
		free(p);
		return;
	}
	arrive(LOG_S_FREE, p);
	uint32_t seq = block_seq(p);
	free_block(p);
	passed();
	put_sync(ctl, LOG_S_FREE, 0, seq);
}

WRAP(int, posix_memalign)(void **to, size_t align, size_t n)
{
	struct log_ctl *ctl = __heddle_ctl;
	if (ctl->native)
		return posix_memalign(to, align, n);
	arrive(LOG_S_ALLOC, NULL);
	bool ours = is_counted() && !too_large(n, 1);
	void *p = ours && align && !(align % sizeof(p)) ? region_block(n, align) : NULL;
	int r = p ? 0 : posix_memalign(&p, align, ours ? n + AFTER : n);
	if (!r)
		*to = p;
	if (!r && is_counted()) {
		control_lock();
		block_add(*to, n);
		control_unlock();
	}
	passed();
	put_alloc_to(ctl, r, to);
	return r;
}

/* Allocates the new block and copies the old one; *copied is the number of bytes. */
static void *move_block(void *old, size_t n, uint64_t *copied)
{
	control_lock();
	struct block *b = is_counted() && old ? slot_of((uint64_t)old, false) : NULL;
	control_unlock();
	if (b && b->state == BLOCK_FREED)
		double_free(b);
	uint64_t had = b ? b->size : old ? malloc_usable_size(old) : 0;
	*copied = had < n ? had : n;
	if (old && !b)
		pass_library_block();
	if (!is_counted() || too_large(n, 1) || (old && !b))
		return realloc(old, n);
	if (old && !n) {
		free_block(old);
		return NULL;
	}
	void *p = region_block(n, 1);
	if (!p)
		p = malloc(n + AFTER);
	if (!p)
		return NULL;
	copy_bytes(p, old, *copied);
	control_lock();
	block_add(p, n);
	control_unlock();
	free_block(old);
	return p;
}

static void *realloc_controlled(struct log_ctl *ctl, void *old, size_t n)
{
	uint64_t copied, was = (uint64_t)old;
	enforce_point(LOG_S_REALLOC, old);
	put_realloc_start(ctl, old);
	void *p = move_block(old, n, &copied);
	enforce_point(LOG_S_ALLOC, NULL);
	put_realloc_end(ctl, was, p, copied);
	return p;
}

WRAP(void *, realloc)(void *old, size_t n)
{
	struct log_ctl *ctl = __heddle_ctl;
	return ctl->native ? realloc(old, n) : realloc_controlled(ctl, old, n);
}

WRAP(void *, reallocarray)(void *old, size_t n, size_t size)
{
	struct log_ctl *ctl = __heddle_ctl;
	size_t all;
	if (ctl->native)
		return reallocarray(old, n, size);
	if (__builtin_mul_overflow(n, size, &all))
		all = SIZE_MAX;
	return realloc_controlled(ctl, old, all);
}
