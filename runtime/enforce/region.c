#include "runtime/enforce/region.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define MAIN_AT   (1ull << 42)
#define MAIN_SIZE (1ull << 40)
#define SLOTS_AT  (1ull << 43)
#define SLOT_SIZE (1ull << 32)
#define SLOT_HEAP (3ull << 30)
#define LEAF      (1ull << 16)
#define STEP      (1ull << 18) /* memory is mapped in steps of this size */
enum { PAGE = 4096, NSLOTS = 1 << 14, IN_A_ROW = 1 << 12, MAIN = NSLOTS };

struct region {
	uint64_t base, end;
	uint64_t next;   /* the first free address */
	uint64_t mapped; /* the end of the mapped memory */
	uint32_t *users; /* the number of blocks in each leaf */
	uint64_t stack, stack_size;
	bool taken;
};
static struct region regions[NSLOTS + 1];

/* ---- slots -------------------------------------------------------------------------------- */

static uint32_t free_slot(uint64_t hash)
{
	enum { HASHED = NSLOTS - IN_A_ROW };
	for (uint32_t i = 0; i < HASHED; i++) {
		uint32_t k = IN_A_ROW + (uint32_t)((hash + i) % HASHED);
		if (!regions[k].taken)
			return k;
	}
	return NSLOTS;
}

static struct region *region_of(const struct controlled *t)
{
	return t->slot ? &regions[t->slot - 1] : NULL;
}

static void region_begin(struct region *r, uint64_t base, uint64_t size)
{
	uint64_t leaves = size / LEAF * sizeof(*r->users);
	r->base = r->next = r->mapped = base;
	r->end = base + size;
	r->users = map_memory(leaves);
}

void region_take(struct controlled *t, const struct controlled *parent)
{
	uint32_t k = MAIN;
	t->path = 1;
	if (parent) {
		t->path = (parent->path ^ (t->nth + 1)) * 0x9e3779b97f4a7c15ull;
		t->path ^= t->path >> 29;
		k = parent->path == 1 && t->nth < IN_A_ROW ? t->nth : free_slot(t->path);
		if (k == NSLOTS)
			return;
	}
	if (!interposed())
		return;
	regions[k].taken = true;
	if (!regions[k].base && k == MAIN)
		region_begin(&regions[k], MAIN_AT, MAIN_SIZE);
	else if (!regions[k].base)
		region_begin(&regions[k], SLOTS_AT + k * SLOT_SIZE, SLOT_HEAP);
	t->slot = k + 1;
}

void region_give(struct controlled *t)
{
	if (region_of(t))
		region_of(t)->taken = false;
	t->slot = 0;
}

/* ---- blocks ------------------------------------------------------------------------------- */

static bool map_at(uint64_t at, uint64_t n, int prot)
{
	return sys6(SYS_mmap, (long)at, (long)n, prot,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == (long)at;
}

static bool grow_region(struct region *r, uint64_t to)
{
	uint64_t n = (to - r->mapped + STEP - 1) & ~(STEP - 1);
	if (n > r->end - r->mapped)
		n = r->end - r->mapped;
	if (!map_at(r->mapped, n, PROT_READ | PROT_WRITE))
		return false;
	r->mapped += n;
	return true;
}

/* Counts a block in its leaves, up or down; the memory of an unused leaf is returned. */
static void count_leaves(struct region *r, uint64_t from, uint64_t to, int32_t by)
{
	for (uint64_t k = (from - r->base) / LEAF; k <= (to - 1 - r->base) / LEAF; k++) {
		r->users[k] += (uint32_t)by;
		uint64_t at = r->base + k * LEAF;
		if (!r->users[k] && at + LEAF <= r->next)
			sys3(SYS_madvise, at, LEAF, MADV_DONTNEED);
	}
}

void *region_alloc(struct controlled *t, uint64_t n, uint64_t align)
{
	struct region *r = region_of(t);
	if (!r || !r->users || align > LEAF)
		return NULL;
	uint64_t at = (r->next + align - 1) & ~(align - 1);
	if (at >= r->end || n > r->end - at || (at + n > r->mapped && !grow_region(r, at + n)))
		return NULL;
	r->next = (at + n + 15) & ~15ull;
	control_lock();
	count_leaves(r, at, at + n, 1);
	control_unlock();
	return (void *)at;
}

void region_release(uint64_t addr, uint64_t n)
{
	uint64_t k = addr < SLOTS_AT ? (uint64_t)MAIN : (addr - SLOTS_AT) / SLOT_SIZE;
	count_leaves(&regions[k], addr, addr + n, -1);
}

/* ---- stacks ------------------------------------------------------------------------------- */

void *region_stack(const struct controlled *t, uint64_t size, uint64_t guard)
{
	struct region *r = region_of(t);
	guard = (guard + PAGE - 1) & ~(uint64_t)(PAGE - 1);
	size = (size + PAGE - 1) & ~(uint64_t)(PAGE - 1);
	if (!r || t->slot == MAIN + 1 || size > SLOT_SIZE - SLOT_HEAP ||
		guard > SLOT_SIZE - SLOT_HEAP - size)
		return NULL;
	uint64_t lo = r->base + SLOT_SIZE - size;
	if (r->stack) /* of a thread that was not created */
		sys3(SYS_munmap, r->stack, r->stack_size, 0);
	r->stack = lo - guard;
	r->stack_size = size + guard;
	if (!map_at(r->stack, r->stack_size, PROT_READ | PROT_WRITE)) {
		r->stack = 0;
		return NULL;
	}
	if (guard)
		sys3(SYS_mprotect, r->stack, guard, PROT_NONE);
	return (void *)lo;
}

void region_stack_left(const struct controlled *t)
{
	const struct region *r = region_of(t);
	if (r && r->stack)
		sys3(SYS_madvise, r->stack, r->stack_size, MADV_DONTNEED);
}
